// Questions of the pages, answered from the tables of this host.
//
// The reader looks positions up in published tables, and our server offers its own as if they were
// published. It is asked only about positions that no table has: it may have solved them.
// All functions raise `Refused`, with the reason in words, if there is no answer.

import { MAX_MEN, MOST_CHUNKS, open } from "../reader/index.js";
import { FIFTY_MOVES } from "../reader/outcomes.js";
import { patiently } from "../reader/patience.js";
import { mayCastle, placeOf, readLoosely } from "../reader/position.js";
import { CHESS } from "../reader/rules.js";
import { LABORATORY, ROOT, RULES, TABLES } from "./addresses.js";
import { MINE, ownMistakes } from "./progress.js";
import { missing, plural } from "./words.js";

globalThis.document?.getElementById("unstarted")?.remove(); // what a page says where modules like this one do not run

/** An answer that there is none, in words; `status` is that of HTTP, 0 if nobody answers. */
export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

const STATUS = {
  UnsupportedPositionError: 400,
  GameError: 400,
  MissingTableError: 404,
  CorruptTableError: 500,
  HostError: 0,
  SolvingError: 501,
};
const BY_RULE = { win: "cursed_win", loss: "blessed_loss" };
const MOST_SEARCHED = 4; // men of a table that is looked through for a longest win

let opened = null; // a promise of `chess`, the tables of chess, and `tables`, those of this page's game

async function openAll() {
  const folder = new URL(TABLES, ROOT);
  const chess = await open(folder);
  if (RULES === null || RULES === "chess") return { chess, tables: chess };
  if (LABORATORY !== null) {
    const { openGame } = await import("../laboratory/folder.js");
    return { chess, tables: await openGame(LABORATORY) };
  }
  const game = gamesOf(chess).find(({ name, folder: other }) => name === RULES || other === RULES);
  if (!game) {
    const names = [...(Object.keys(chess.available).length ? ["chess"] : []), ...gamesOf(chess).map(({ name }) => name)];
    throw new Refused(404, `there are no tables of ${RULES} here, only of ${names.join(", ")}`);
  }
  return { chess, tables: await open(new URL(game.address, folder)) };
}

const gamesOf = ({ list }) => list.games ?? [];

/** Return the tables; a failure is tried again at the next question. */
async function all() {
  opened ??= openAll();
  try {
    return await opened;
  } catch (error) {
    opened = null;
    throw error;
  }
}

/** Return why a question to tables has no answer, in words for whoever looks at the page. */
async function reasonOf({ message, material }) {
  if (!material) return message;
  const { chess, tables } = await all();
  const { server } = chess.list;
  return missing(material, tables.rules, { published: !server, location: server?.location ?? null });
}

const isStale = (error) => error.name === "CorruptTableError" && opened !== null;

/** Return what a question to the tables gives; errors of tables become refusals. */
async function answered(question, signal) {
  for (let isFirst = true; ; isFirst = false) {
    try {
      const found = await question((await all()).tables);
      signal?.throwIfAborted();
      return found;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error.name in STATUS)) throw error;
      const again = isFirst && isStale(error);
      // A table that was built, published or kept since does not fit the index that was read before.
      if (error.name === "CorruptTableError") opened = null;
      if (!again) throw new Refused(STATUS[error.name], await reasonOf(error));
    }
  }
}

// The server

/** Return an answer of the server; `Refused` with its words if it is an error.
 *
 * If it comes later, the server is asked again, and `waits` takes each time what it says it does.
 */
async function served(path, parameters, { waits, ...options }) {
  const url = `${ROOT}${path}?${new URLSearchParams(parameters)}`;
  const response = await patiently(() => arrived(fetch(url, options)), options.signal, waits);
  if (!response.ok) throw new Refused(response.status, await response.text());
  return response;
}

/** Return what a promise of the network gives; `Refused` if the server has gone. */
async function arrived(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "the server does not answer: is it still running?");
  }
}

const game = () => encodeURIComponent(RULES === null || RULES === "chess" ? "standard" : RULES);

/** Return whether our server gives these tables, so that it can be asked, too. */
const isServed = async () => Boolean((await all()).chess.list.server);

/** Return whether a position has castling rights: no table has it, but our server solves it. */
async function hasRights(fen) {
  return mayCastle(readLoosely(fen, await rules()) ?? {});
}

// Questions

/** Return what there is to look up, and who gives it.
 *
 * @returns {Promise<object>} `tables`; `rules`; `games`, the others; `max_men` of any table
 *   and the `most` of those here; `published` is whether no server of ours gives them; `location`
 *   and `solve` as `GET /tables` has them
 */
export async function about() {
  const tables = await answered((found) => found.summaries());
  const { chess, tables: own } = await all();
  const { location: place = null, solve = null } = chess.list.server ?? {};
  return {
    tables,
    rules: own.rules,
    games: gamesOf(chess),
    has_chess: Object.keys(chess.available).length > 0,
    max_men: MAX_MEN,
    most: Math.max(0, ...tables.map(({ men = 0 }) => men)) || MAX_MEN,
    published: !chess.list.server,
    location: place,
    solve,
  };
}

/** Return the rules of the game; those of chess do not wait for tables. */
export const rules = async () => (RULES === null ? CHESS : answered((tables) => tables.rules));

/** Return a position with all its moves, best first, in the JSON of lichess's tablebase server.
 *
 * @param {string} fen
 * @param {object} [options]
 * @param {boolean} [options.difficulty] whether moves have the `difficulty` of what they lead to
 * @param {AbortSignal} [options.signal] abandons the lookup
 * @param {(words: string) => void} [options.waits] takes what the server does if it answers later
 */
export async function standard(fen, { difficulty = false, signal, waits } = {}) {
  const found = await answered((tables) => tables.standard(fen, { difficulty, signal, waits }), signal);
  if ((found.category !== "unknown" && !(await hasRights(fen))) || !(await isServed())) return found;
  return (await served(game(), { fen, difficulty: Number(difficulty) }, { signal, waits })).json();
}

/** Return who can still win if both help, `can_win` and `dead`: our server searches for it, and gives `reasons`. */
export async function chances(fen, answer, { signal, waits } = {}) {
  if (!(await isServed())) return answer;
  return (await served(game(), { fen, can_win: 1 }, { signal, waits })).json();
}

/** Return the best moves of both sides: `mainline`, and the distances of the position. */
export async function mainline(fen, { signal, waits } = {}) {
  try {
    return await answered((tables) => tables.standardMainline(fen, { signal }), signal);
  } catch (error) {
    const isAsked = error instanceof Refused && (error.status === 404 || (await hasRights(fen)));
    if (!(isAsked && (await isServed()))) throw error;
    return (await served(`${game()}/mainline`, { fen }, { signal, waits })).json();
  }
}

/** Return the longest win of a table by what it holds, from its figures; null if there is none. */
export const longestWin = (figures) => figures.longest_win ?? figures.dtz_longest_win ?? null;

/** Return whether there is, or may be, something to practise: a win takes two moves, and exercises were found if drawn. */
export const takesMoves = (figures) => figures.levels !== 0 && (figures.longest_win?.plies ?? figures.dtz_longest_win?.plies + 1) > 2;

/** Return the figures of a table. */
export const table = (material) => answered((tables) => tables.summary(material));

/** Return longest wins and mutual zugzwangs of a table. */
export async function survey(material) {
  const found = await answered((tables) => tables.survey(material));
  if (found) return found;
  throw new Refused(
    404,
    `the table of ${material} was too large to be looked through, or has no distances to mate: ` +
      `try tablebase report ${material}`,
  );
}

/** Return the positions of a table that are hardest to win and to hold. */
export async function difficult(material) {
  const found = await answered((tables) => tables.difficult(material));
  if (found) return found;
  throw new Refused(404, `the table of ${material} is too large, or has no distances to zeroing`);
}

/** Return a random position: `material` and `fen`. */
export const random = (material) =>
  answered(async (tables) => ({ material, fen: await tables.random(material) }));

/** Return one of the longest wins of a table; the same each time if the table is too large to search. */
export async function hardest(material) {
  const { metrics: [metric], men, ...figures } = await table(material);
  const longest = metric === "dtm" ? figures.longest_win : figures.dtz_longest_win;
  if (!longest) throw new Refused(404, `no position of ${material} is won`);
  const wanted = { white: longest.fen.split(" ")[1] === "w", metric, outcome: longest.plies };
  const found = men > MOST_SEARCHED ? null : await answered((tables) => tables.find(material, wanted));
  return { material, fen: found ?? longest.fen, [metric]: longest.plies };
}

/** Return a position of a table by `turn`, `result`, `metric` and `plies`. */
export async function find(material, { turn, result, metric, plies }) {
  const outcome = result === "win" ? plies : -1 - plies;
  const found = await answered((tables) => tables.find(material, { white: turn === "w", metric, outcome }));
  const fen = found ?? (await longestWith(material, turn, result, metric, plies));
  return { material, fen, [metric]: result === "win" ? outcome : -plies };
}

/** Return the longest win or loss, known even where a table is too large to be looked through.
 *
 * `Refused` if it has another distance; the reason says how many positions have the one wanted.
 */
async function longestWith(material, turn, result, metric, plies) {
  const { material: name, histograms, longest } = await table(material);
  const side = turn === "w" ? "white_to_move" : "black_to_move";
  const one = longest[metric]?.[side]?.[result];
  if (one?.plies === plies) return one.fen;
  const count = histograms[metric]?.[side]?.[result]?.[plies];
  if (!count) throw new Refused(404, `${name} has no such position`);
  const conditions = [`--turn ${turn === "w" ? "white" : "black"}`, `--plies ${plies}`];
  if (metric === "dtz") conditions.push(`--metric dtz --result ${plies > FIFTY_MOVES ? BY_RULE[result] : result}`);
  throw new Refused(
    404,
    `${name} has ${plural(count, "such position")}, but none in the ${MOST_CHUNKS} random parts of its table ` +
      `that a page reads: try again, or run tablebase find ${name} ${conditions.join(" ")} --sample 1`,
  );
}

/** Return an exercise of a material with its `level`, and `of` how many: of the level nearest to one, or that of a FEN.
 *
 * A position that is none of the exercises has no level. `choose` takes the exercises of a level and gives one; `waits`
 * is as of `standard`.
 */
export async function exercise(material, wanted, { fen = null, choose, waits } = {}) {
  const { levels, why } = material === MINE ? mistakes() : await answered((tables) => tables.exercises(material, { waits }));
  const all = levels.map((some, i) => some.map((one) => ({ ...one, level: i + 1, of: levels.length })));
  if (fen !== null) return { ...all.flat().find((one) => placeOf(one.fen) === placeOf(fen)), fen };
  if (!all.length) throw new Refused(404, why);
  return choose(all[Math.min(all.length, Math.max(1, wanted)) - 1]);
}

/** Return the mistakes of own games as exercises of one level. */
function mistakes() {
  const all = ownMistakes();
  return { levels: all.length ? [all] : [], why: "There is no mistake here: drop a PGN of your games onto the explorer." };
}

/** Return a game of a PGN with its moves judged: `nodes`, `headers`, `games`, and counts. */
export async function annotated(text, number) {
  const { annotatedGame } = await import("./annotation.js");
  return answered((tables) => annotatedGame(tables, text, number));
}

/** Yield how far the solution of a position is, see the endpoint `/solve`; `waits` as of `standard`. */
export async function* solve(fen, { moves = false, signal, waits } = {}) {
  if (!(await isServed())) {
    throw new Refused(404, "published tables solve no positions: start a server with tablebase serve --solve 1m,2GB");
  }
  const response = await served("solve", { fen, moves: Number(moves) }, { method: "POST", signal, waits });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await arrived(reader.read());
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    yield* lines.map((line) => JSON.parse(line));
  }
}
