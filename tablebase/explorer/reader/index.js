// Exact chess endgames from published tables, in a page or in node, without a server program.
//
//     import { open } from "./reader/index.js";
//     const tables = await open("https://example.org/endings/");
//     const { wdl, dtm, moves } = await tables.probe("8/8/8/8/8/2k5/1R6/K7 w - - 0 1");
//
// `tablebase publish` writes the folder that `open` takes.

import {
  CorruptTableError, HostError, MissingTableError, TablebaseError, UnsupportedPositionError,
} from "./errors.js";
import { ByteCache, Host } from "./host.js";
import { describe, describeStandard, mayMate } from "./lichess.js";
import { Numbering } from "./numbering.js";
import {
  CURSED_WIN, DTM, DTZ, FIFTY_MOVES, HELPMATES, WIN, before, preference, result50, signed,
} from "./outcomes.js";
import {
  MAX_MEN, capturesInPassing, endOf, fenOf, finalOutcome, isBeyondTables, isCheck, leftOut, legalMoves, mayCastle, menOf,
  play, playUci, readAnyPosition, readPosition, sanOf, uciOf, withoutRights,
} from "./position.js";
import { Rules, areRules } from "./rules.js";
import { MOST_CHUNKS, openTable, readChecked } from "./table.js";

export * from "./errors.js";
export { MAX_MEN, MOST_CHUNKS };

const FORMAT = "chess-tablebase-publication";
const VERSION = 2;
// No game under the 50-move rule is longer: five men have few captures and pawn moves.
const MAX_LINE = 4096;
// Instead of a material, for positions that no table can have.
const NONE = "none";
const BARE = "KK"; // kings alone draw, unless one of them can reach a goal
const PROTOCOLS = ["http:", "https:", "file:"];
const DEFAULTS = {
  cacheSize: 64 * 2 ** 20, // bytes
  inFlight: 16, // requests at once
  small: 2 ** 16, // bytes
  timeout: 30, // seconds
  wholeLimit: 8 * 2 ** 20, // bytes
};

/** Open published tables.
 *
 * @param {string|URL} url their folder: http, https, or in node file
 * @param {object} [options]
 * @param {number} [options.cacheSize] most bytes of decompressed codes to keep, and of
 *   whole files
 * @param {number} [options.inFlight] most requests at once
 * @param {number} [options.small] most bytes of a file to fetch whole from any host, by one request
 * @param {number} [options.timeout] most seconds that a request may take
 * @param {number} [options.wholeLimit] most bytes of a list or an index, and of a table file to fetch
 *   whole where the host knows no ranges
 * @param {typeof fetch} [options.fetch] what to fetch by
 * @param {AbortSignal} [options.signal] gives up opening; each question takes one of its own
 * @returns {Promise<Tables>}
 * @throws {MissingTableError} if there is no such folder
 * @throws {CorruptTableError} if its list of tables is damaged
 * @throws {HostError} if the host does not answer
 */
export function open(url, { signal, ...options } = {}) {
  return unlessAborted(signal, () => openTables(url, options));
}

async function openTables(address, options) {
  const settings = { fetch: (...given) => globalThis.fetch(...given), ...DEFAULTS, ...options };
  const text = String(address);
  const folder = addressOf(text.endsWith("/") ? text : `${text}/`, globalThis.location?.href);
  const url = folder && addressOf("tables.json", folder);
  if (!url) {
    throw new HostError(
      `${text} is not the address of a folder: write it like https://host.example/tables/, or in node file:///tables/`,
    );
  }
  const host = new Host(settings);
  const list = readChecked(await host.whole(url), url);
  if (list.format === FORMAT && list.version !== VERSION) {
    throw new CorruptTableError(
      `${url.href} is of version ${list.version}, not ${VERSION}: publish the tables again, or reload the page`,
    );
  }
  const { base: stated = "" } = list;
  const base = typeof stated === "string" ? addressOf(stated, folder) : null;
  const isOfFiles = base && [...PROTOCOLS, folder.protocol].includes(base.protocol);
  if (list.format !== FORMAT || !(list.tables instanceof Object) || !areRules(list.rules) || !isOfFiles) {
    throw new CorruptTableError(`${url.href} is not a list of published tables`);
  }
  return new Tables(host, folder, base, list, new ByteCache(settings.cacheSize), settings.cacheSize);
}

/** Return an address that may be relative to another, null if it is none. */
function addressOf(text, base) {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Return what some work gives, unless a signal is given before; what is fetched meanwhile is kept. */
function unlessAborted(signal, work) {
  if (!signal) return work();
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    return work().finally(() => signal.removeEventListener("abort", stop)).then(resolve, reject);
  });
}

/** Published tables of a game, which `open` gives.
 *
 * A question may be given up by its `signal`: then its promise is rejected with the signal's reason. What
 * it has asked for is kept for later questions.
 */
class Tables {
  #host;
  #folder;
  #base;
  #list;
  #rules;
  #numbering = null; // a promise
  #chunks;
  #tables = new Map(); // promises by material
  #solver = null; // the promise of what solves tables that have no files
  #cacheSize;

  constructor(host, folder, base, list, chunks, cacheSize) {
    this.#host = host;
    this.#folder = folder;
    this.#base = base;
    this.#list = list;
    this.#rules = new Rules(list.rules);
    this.#chunks = chunks;
    this.#cacheSize = cacheSize;
  }

  /** The materials of the tables, by name: `bytes` and `crc32` of the file, and its `metrics`. */
  get available() {
    return structuredClone(this.#list.tables);
  }

  /** The list of the tables, with the `rules` of their game, and other `games` that are published beside it. */
  get list() {
    return structuredClone(this.#list);
  }

  /** The rules of the game, for functions of `position.js`. */
  get rules() {
    return this.#rules;
  }

  /** How many requests there were, and how many bytes came. */
  get statistics() {
    return { requests: this.#host.requests, bytes: this.#host.bytes };
  }

  /** Return the figures of all tables, simpler materials first, as `GET /tables` gives them. */
  summaries({ signal } = {}) {
    return unlessAborted(signal, async () => (await this.#record("summaries.json")).tables);
  }

  /** Return the figures of a table.
   *
   * @param {string} material its name, like KRK
   * @throws {MissingTableError} if it is not published
   */
  summary(material, { signal } = {}) {
    return unlessAborted(signal, async () => this.#record(`${this.#listedOf(material)}.summary.json`));
  }

  /** Return longest wins and mutual zugzwangs.
   *
   * @param {string} material its name, like KRK
   * @returns {Promise<object|null>} null if the table was too large to be looked through, or has no
   *   distances to mate
   * @throws {MissingTableError} if it is not published
   */
  survey(material, { signal } = {}) {
    return unlessAborted(signal, async () => (await this.#surveyed(material)).survey ?? null);
  }

  /** Return the positions that are hardest to win and to hold.
   *
   * @returns {Promise<object|null>} null if distances to zeroing are missing, or as of `survey`
   * @throws what `survey` does
   */
  difficult(material, { signal } = {}) {
    return unlessAborted(signal, async () => (await this.#surveyed(material)).difficult ?? null);
  }

  async #surveyed(material) {
    return this.#record(`${this.#listedOf(material)}.survey.json`);
  }

  /** Return exercises of a table: `levels` and `why` there are none; `waits` takes what a server says before it answers.
   *
   * @throws what `survey` does
   */
  exercises(material, { signal, waits } = {}) {
    return unlessAborted(signal, async () => {
      const { levels, why } = await this.#record(`${this.#listedOf(material)}.exercises.json`, waits);
      return { levels, why };
    });
  }

  /** Return the FEN of a random legal position of a material; all have equal probability.
   *
   * @throws {UnsupportedPositionError} if the text names no material
   * @throws {MissingTableError} if it is not published
   */
  random(material, { signal } = {}) {
    return unlessAborted(signal, async () => {
      const name = this.#listedOf(material);
      return (await import("./searching.js")).randomPosition(this.#rules, name);
    });
  }

  /** Return the FEN of a position of a result and distance.
   *
   * @param {string} material its name, like KRK
   * @param {object} wanted
   * @param {boolean} wanted.white whether White is to move, the stronger side
   * @param {"dtm"|"dtz"} wanted.metric
   * @param {number} wanted.outcome plies of a win, or -1 - plies of a loss
   * @returns {Promise<string|null>} null if there is none, or none in the chunks that were read
   * @throws what `probe` does
   */
  find(material, { white, metric, outcome, signal }) {
    return unlessAborted(signal, async () => {
      const table = await this.#table(this.#listedOf(material));
      if (!table.metrics.includes(metric)) {
        throw new MissingTableError(`the table of ${table.material} has no ${metric.toUpperCase()}`);
      }
      if (outcome === 0) return null;
      const { positionWith } = await import("./searching.js");
      return positionWith(this.#rules, await this.#numbered(), table, white, metric, outcome, signal);
    });
  }

  /** Return a material, the stronger side first, if its table is listed. */
  #listedOf(material) {
    const sides = this.#rules.sidesNamed(material);
    const example = this.#rules.royal ? "KRK" : "RvK";
    if (!sides) throw new UnsupportedPositionError(`${material} is not a material: name one like ${example}`);
    const name = this.#rules.nameOfSides(sides);
    this.#requireListed(name);
    return name;
  }

  async #record(name, waits) {
    const url = new URL(name, this.#folder);
    const { crc32, ...record } = readChecked(await this.#host.whole(url, waits), url);
    return record;
  }

  /** Look a position up with all its moves.
   *
   * @param {string} fen a legal position of up to six men without castling rights, or any in which the
   *   game is over
   * @param {object} [options]
   * @param {boolean} [options.rule50] whether the 50-move rule is in force if the game has it, by default true
   * @param {AbortSignal} [options.signal]
   * @returns {Promise<object>} seen from the side to move:
   *   `fen`; `wdl` is 1, 0 or -1; `wdl50` 2 (win), 1 (cursed win), 0, -1 (blessed loss) or -2, null
   *   if not known; `dtm` and `dtz` in plies, negative for a loss, null if no table has them;
   *   `check`, `checkmate`, `stalemate`; `end`, why no move is left: those, `bare king`, `goal`, `explosion`,
   *   `third check`, `no pieces` or null;
   *   `moves`, best first, with `uci`, `san`, `zeroing`, `mate`, `wdl`, `wdl50`, `dtm`, `dtz`, all for the side
   *   that makes the move
   * @throws {UnsupportedPositionError} if the text is no FEN, or no table can have the position
   * @throws {MissingTableError} if a table that it needs is not published
   * @throws {CorruptTableError} if a file is damaged
   * @throws {HostError} if a host does not answer
   * @throws {SolvingError} if a table without a file cannot be solved here
   */
  probe(fen, { rule50 = true, signal } = {}) {
    return unlessAborted(signal, async () => this.#probe(readPosition(fen, this.#rules), rule50, signal));
  }

  /** Return the best moves of both sides.
   *
   * @param {string} fen a position as for `probe`
   * @param {object} [options] as for `probe`; where distances to zeroing are missing, the 50-move rule
   *   does not count
   * @returns {Promise<{uci: string, san: string}[]>} the moves up to mate, or up to where a draw can
   *   be claimed; none if the position is drawn
   * @throws what `probe` does, and `CorruptTableError` if the moves do not lead to what the tables say
   */
  mainline(fen, { rule50 = true, signal } = {}) {
    return unlessAborted(signal, async () => {
      const position = readPosition(fen, this.#rules);
      const isInForce = rule50 && this.#rules.fifty_moves;
      const line = isInForce ? await this.#line(position, true, signal) : null;
      return line ?? this.#line(position, false, signal);
    });
  }

  /** Return the best moves of both sides, null if the 50-move rule cannot be judged. */
  async #line(start, rule50, signal) {
    const line = [];
    let [position, answer] = [start, await this.#probe(start, rule50, signal)];
    const byDistance = this.#rules.main === DTM;
    const plies = Math.abs(byDistance ? answer.dtm : answer.wdl && answer.dtz);
    const isInTime = rule50 && start.clock < FIFTY_MOVES && Math.abs(answer.moves[0]?.wdl50) === WIN;
    const isShort = () => (rule50 ? position.clock < FIFTY_MOVES : !byDistance || line.length < plies);
    while (plies && isShort()) {
      const [best] = answer.moves;
      if (!best) break;
      if (rule50 && best.wdl50 === null) return null;
      if ((rule50 || !byDistance) && (!best.wdl || line.length === MAX_LINE)) break;
      line.push({ uci: best.uci, san: best.san });
      position = playUci(position, best.uci);
      answer = await this.#probe(position, rule50, signal);
    }
    const isOver = Boolean(finalOutcome(position)) && (rule50 || !byDistance || line.length === plies);
    if (plies && (isInTime || !rule50) && !isOver) {
      throw new CorruptTableError(`the published tables contradict themselves: no mate from ${fenOf(start)}`);
    }
    return line;
  }

  /** Answer as `GET /standard` of `tablebase serve` does; a table may be missing.
   *
   * @param {string} fen a legal position of any number of men, which may have castling rights
   * @param {object} [options]
   * @param {boolean} [options.difficulty] whether the moves that keep the result have the `difficulty`
   *   of the position after them, null if tables lack it; the replies to each of them are looked up
   * @param {AbortSignal} [options.signal]
   * @param {(words: string) => void} [options.waits] takes which table is being solved, where it has no file
   * @returns {Promise<object>} the JSON of lichess's tablebase server: what is not known is null, and
   *   the category `unknown`
   * @throws what `probe` does, except `MissingTableError`
   */
  standard(fen, { difficulty = false, signal, waits } = {}) {
    return unlessAborted(signal, async () => {
      const position = readAnyPosition(fen, this.#rules);
      const moves = legalMoves(position);
      const [[outcomes, ...after], chances] = await Promise.all([
        this.#outcomes(position, moves, { mayLack: true, signal, waits }), this.#chances(position, waits),
      ]);
      const answer = { ...describeStandard(position, moves, outcomes, after), ...chances, ...lostRights(fen, this.#rules) };
      if (difficulty) {
        const keeping = answer.moves.filter(({ category }) => category === answer.moves[0].category);
        await Promise.all(keeping.map(async (move) => {
          const i = moves.findIndex((one) => uciOf(one, this.#rules) === move.uci);
          move.difficulty = await this.#difficulty(play(position, moves[i]), after[i], signal);
        }));
      }
      return answer;
    });
  }

  /** Return which sides can still win if both help; nothing where the rules and helpmates leave it open. */
  async #chances(position, waits) {
    const { chess, hasMates } = this.#rules;
    if (!hasMates || endOf(position)) return {};
    const hasMen = chess ? mayMate(position.board) : [true, true];
    const node = nodeOf(withoutRights(position));
    const sides = await Promise.all(hasMen.map((may, side) => may && this.#canMate(node, side, waits)));
    const isOpen = sides.some((can, side) => can === null || (!can && hasMen[side] && mayCastle(position)));
    return isOpen ? {} : { dead: !sides.includes(true), can_win: { white: sides[0], black: sides[1] } };
  }

  /** Return whether a side, 0 for White, can mate if both help, null where no table tells. */
  async #canMate({ position, material, passing, hasOthers }, side, waits) {
    const after = await Promise.all(passing.map((node) => this.#canMate(node, side, waits)));
    if (after.includes(true)) return true;
    const isOpen = after.includes(null);
    if (passing.length && !hasOthers) return isOpen ? null : false; // the table takes it for a stalemate or mate
    if (!Object.hasOwn(this.#list.tables, material)) return null;
    const table = await this.#table(material);
    const place = placeIn(await this.#numbered(), position);
    const mating = place.white === position.white ? side : 1 - side;
    if (!table.helpmates.includes(HELPMATES[mating])) return null;
    if (table.isSolved) { // who wins can mate, so that helpmates need not be solved
      const [outcome] = await table.outcomes([place], DTM, waits);
      if (outcome && (place.white === outcome > 0 ? 0 : 1) === mating) return true;
    }
    const [outcome] = await table.outcomes([place], HELPMATES[mating], waits);
    return outcome !== 0 || (isOpen ? null : false);
  }

  /** Return how hard a position with known outcomes is, null if tables lack what tells it. */
  async #difficulty(position, outcomes, signal) {
    if (outcomes[DTZ] === null) return null;
    const { divide, isDrawn, isLost } = await import("./difficulty.js");
    if (isLost(position, outcomes)) return 0;
    const moves = legalMoves(position);
    if (!moves.length) return 0;
    const after = moves.map((move) => play(position, move));
    const [, ...found] = await this.#outcomes(position, moves, { mayLack: true, signal });
    if (found.some((one) => one[DTZ] === null)) return null;
    const { keeping, isSeen, hidden, drawing } = divide(position, moves, after, found);
    if (isSeen) return 0;
    const plain = await Promise.all(drawing.map((i) => this.#isSeenToDraw(after[i], isDrawn, signal)));
    const unseen = hidden + plain.filter((one) => !one).length;
    return unseen / (keeping + unseen);
  }

  /** Return whether a draw is plain at once: a stalemate, or a capture keeps it. */
  async #isSeenToDraw(position, isDrawn, signal) {
    const moves = legalMoves(position);
    const captures = moves.filter((move) => position.board[move.to] !== null || move.passing);
    const found = await Promise.all(captures.map(async (move) => {
      const [outcomes] = await this.#outcomes(play(position, move), [], { mayLack: true, signal });
      return outcomes[DTZ] !== null && isDrawn(outcomes, this.#rules);
    }));
    return !moves.length || found.includes(true);
  }

  /** Answer as `GET /standard/mainline` of `tablebase serve` does.
   *
   * @param {string} fen a position as for `probe`
   * @returns {Promise<object>} `mainline`, `winner`, and the distances of the position
   * @throws what `mainline` does
   */
  standardMainline(fen, { signal } = {}) {
    return unlessAborted(signal, async () => {
      let position = readAnyPosition(fen, this.#rules);
      const distances = async () => {
        const moves = legalMoves(position);
        const [outcomes] = await this.#outcomes(position, moves, { mayLack: true, signal });
        const { dtz, precise_dtz, dtm, dtw, category } = describe(position, outcomes);
        return [{ dtz, precise_dtz, dtm, ...(this.#rules.royal ? {} : { dtw }) }, category];
      };
      const [told, category] = await distances();
      const mate = category === "unknown" ? mateInOne(position) : null;
      const here = mate ? { ...told, dtz: 1, precise_dtz: 1, [this.#rules.royal ? "dtm" : "dtw"]: 1 } : told;
      const isClaimed = this.#rules.fifty_moves && position.clock >= FIFTY_MOVES;
      const isOver = category === "draw" || (mate && isClaimed);
      const line = isOver ? [] : mate ? [mate] : await this.mainline(fen, { signal });
      const steps = [];
      for (const names of line) {
        position = playUci(position, names.uci);
        steps.push({ ...names, ...(await distances())[0] });
      }
      const outcome = finalOutcome(position);
      const winner = !outcome ? null : (outcome > 0) === position.white ? "w" : "b";
      return { ...here, mainline: steps, winner, ...lostRights(fen, this.#rules) };
    });
  }

  /** Return the outcomes of a position and of those after its moves, by metric.
   *
   * Those to zeroing are null where a table lacks them, or the game has no 50-move rule; with `mayLack` all
   * are that no table has.
   */
  async #outcomes(position, moves, { rule50 = true, mayLack = false, signal, waits } = {}) {
    const nodes = [nodeOf(position, moves), ...moves.map((move) => nodeOf(play(position, move)))];
    const all = nodes.flatMap((node) => [node, ...node.passing]);
    signal?.throwIfAborted();
    await this.#load(all, this.#rules.main, mayLack, waits);
    signal?.throwIfAborted();
    if (rule50 && this.#rules.fifty_moves && this.#rules.main === DTM) await this.#load(all, DTZ, mayLack, waits);
    for (const node of nodes) for (const metric of [DTM, DTZ]) resolvePassing(node, metric);
    return nodes.map(({ outcomes }) => outcomes);
  }

  async #probe(position, isAsked, signal) {
    const rule50 = isAsked && this.#rules.fifty_moves;
    const moves = legalMoves(position);
    const [[root, ...after], { rankMoves }] = await Promise.all([
      this.#outcomes(position, moves, { rule50, signal }), import("./ranking.js"),
    ]);
    const { main, plyOffset } = this.#rules;
    const [outcome, toZeroing, end] = [root[main], root[DTZ], endOf(position)];
    let wdl50 = null;
    if (toZeroing !== null && rule50) wdl50 = result50(toZeroing, position.clock, plyOffset);
    else if (rule50) {
      // A capture or pawn move may reset the clock before a draw can be claimed.
      const byMate = result50(outcome, position.clock, plyOffset);
      wdl50 = Math.abs(byMate) === CURSED_WIN && position.clock < FIFTY_MOVES ? null : byMate;
    }
    const ranked = rankMoves(position, moves, after, rule50);
    const byMove = rule50 && ranked[0]?.mate ? ranked[0].dtz : null; // a mate also ends the count
    return {
      fen: fenOf(position),
      wdl: Math.sign(outcome),
      wdl50,
      dtm: main === DTM ? signed(outcome, DTM, plyOffset) : null,
      dtz: toZeroing === null ? byMove : signed(toZeroing, DTZ, plyOffset),
      check: isCheck(position),
      checkmate: end === "checkmate",
      stalemate: end === "stalemate",
      end,
      moves: ranked,
    };
  }

  /** Load the outcomes of a metric; they become null where they may be missing, and are. */
  async #load(nodes, metric, mayLack, waits) {
    const byMaterial = groupedByMaterial(nodes);
    await Promise.all([...byMaterial].map(async ([material, members]) => {
      const { main, royal, goals } = this.#rules;
      if (material === BARE && royal && !goals.length) {
        for (const { outcomes } of members) outcomes[metric] = 0;
        return;
      }
      const table = Object.hasOwn(this.#list.tables, material) ? await this.#table(material) : null;
      if (!table?.metrics.includes(metric)) {
        // Where no move is left, no table is needed.
        for (const { position, outcomes } of members) outcomes[metric] = finalOutcome(position);
        if (mayLack || metric !== main || members.every(({ outcomes }) => outcomes[main] !== null)) return;
        this.#requireListed(material);
        throw new MissingTableError(`the table of ${material} has no distances to ${main === DTM ? "mate" : "zeroing"}`);
      }
      // What is a draw is one by either metric, so its codes need not be fetched.
      const wanted = members.filter(({ outcomes }) => metric === main || outcomes[main] !== 0);
      for (const { outcomes } of members) outcomes[metric] = 0;
      const numbering = await this.#numbered();
      for (const node of wanted) node.place ??= placeIn(numbering, node.position);
      const found = await table.outcomes(wanted.map(({ place }) => place), metric, waits);
      for (const [i, { outcomes }] of wanted.entries()) outcomes[metric] = found[i];
    }));
  }

  #requireListed(material) {
    if (!Object.hasOwn(this.#list.tables, material)) {
      const option = this.#rules.chess ? "" : ` --rules ${this.#rules.name}`;
      const error = new MissingTableError(
        `the table of ${material} is not published here: tablebase publish FOLDER ${material}${option}`,
      );
      throw Object.assign(error, { material });
    }
  }

  #table(material) {
    this.#requireListed(material);
    if (!this.#tables.has(material)) {
      const game = { rules: this.#rules, numbering: this.#numbered() };
      const isSolved = this.#list.tables[material].bytes === 0;
      const opened = isSolved ? this.#solvedTable(material)
        : openTable(this.#host, this.#chunks, material, game, this.#folder, this.#base);
      this.#tables.set(material, opened);
      opened.catch(() => this.#tables.delete(material));
    }
    return this.#tables.get(material);
  }

  /** Return a table without a file, which is solved when it is first asked. */
  async #solvedTable(material) {
    const { metrics } = this.#list.tables[material];
    this.#solver ??= import("./solver.js").then(({ Solver }) => (
      new Solver(this.#host, this.#folder, this.#list.solver, this.#cacheSize)));
    return (await this.#solver).table(material, metrics, await this.#numbered());
  }

  /** Return the promise of the numbering of the game's positions; a failure is tried again. */
  #numbered() {
    this.#numbering ??= this.#readNumbering();
    this.#numbering.catch(() => {
      this.#numbering = null;
    });
    return this.#numbering;
  }

  async #readNumbering() {
    const url = new URL("numbering.json", this.#folder);
    try {
      return new Numbering(this.#rules, await this.#record("numbering.json"));
    } catch (error) {
      if (error instanceof TablebaseError) throw error;
      throw new CorruptTableError(`${url.href} cannot be used: ${error.message}`, { cause: error });
    }
  }
}

function placeIn(numbering, position) {
  const place = numbering.locate(position);
  if (!place) throw new CorruptTableError(`the published numbering does not have ${fenOf(position)}`);
  return place;
}

/** Return a move that wins at once, null if there is none. */
function mateInOne(position) {
  const moves = legalMoves(position);
  const mate = moves.find((move) => finalOutcome(play(position, move)) < 0);
  return mate ? { uci: uciOf(mate, position.rules), san: sanOf(position, mate, moves) } : null;
}

function groupedByMaterial(nodes) {
  const groups = new Map();
  for (const node of nodes) {
    if (!groups.has(node.material)) groups.set(node.material, []);
    groups.get(node.material).push(node);
  }
  return groups;
}

/** Return what answers say in words of rights in a FEN that do not count: nothing if all of them do. */
function lostRights(fen, rules) {
  const words = leftOut(String(fen), rules);
  return words ? { left_out: words } : {};
}

/** Return a position with its material, and those after en passant captures. */
function nodeOf(position, moves = null) {
  const node = { position, material: NONE, outcomes: { [DTM]: null, [DTZ]: null }, passing: [], hasOthers: false };
  const isCovered = !mayCastle(position) && menOf(position) <= MAX_MEN;
  if (!isCovered || isBeyondTables(position)) return node;
  const captures = moves?.filter((move) => move.passing) ?? capturesInPassing(position);
  return {
    ...node,
    material: position.rules.materialOf(position.board),
    passing: captures.map((move) => nodeOf(play(position, move), [])),
    hasOthers: captures.length > 0 && (moves ?? legalMoves(position)).length > captures.length,
  };
}

/** Value en passant captures, which tables do not know, by one ply. */
function resolvePassing({ position, outcomes, passing, hasOthers }, metric) {
  if (!passing.length) return;
  const stored = outcomes[metric];
  const after = passing.map((node) => node.outcomes[metric]);
  if (stored === null || after.includes(null)) {
    outcomes[metric] = null;
    return;
  }
  const found = after.map((outcome) => before(outcome, metric, true, position.rules.plyOffset));
  // Without another move, the stored outcome is that of a mate or stalemate that is none.
  if (hasOthers) found.push(stored);
  outcomes[metric] = found.reduce((best, one) => (preference(one) > preference(best) ? one : best));
}
