// The page of other games than chess: a game of the tables' rules, shown like one of chess.

import { Refused, ask } from "./source.js";
import { drawArrows, drawHint } from "./arrows.js";
import { Board, drawMan } from "./board.js";
import { Game } from "./game.js";
import { listenToHints } from "./hints.js";
import { judge } from "./judgement.js";
import { listenToKeys, listenToWheel } from "./keys.js";
import { lineItem, moveGroups, treeItems } from "./moves.js";
import { byId, copy, make, preference, refill, setPreference, withTooltips } from "./page.js";
import { SIDES, emptyPosition, kingOf, other, readFen, rules, writeFen } from "./position.js";
import { Practice } from "./practice.js";
import { askPromotion } from "./promotion.js";
import { Setup } from "./setup.js";
import { shareCell } from "./tables.js";
import { listenToThemes } from "./themes.js";
import { listenToTips } from "./tips.js";
import { outcome, plies, plural } from "./words.js";

const HIDDEN = "Hidden while you practise.";
const AROUND = 3; // squares that a diagram of a piece shows on each side of it
const address = new URLSearchParams(location.search);

const game = new Game();
const shown = { position: emptyPosition(), answer: null, best: null, asking: new AbortController() };
let variant = null; // of the answer of /games, the game that is shown
let board = null;
let setup = null;
let practice = null;

// --- answers of the server as the other parts of the page know them ---

/** Return the result of a move in words, for the mover: {group, text, plies}. */
function told({ wdl, dtm_plies: signed }) {
  if (wdl === 0) return { group: "draw", text: "draw", plies: "" };
  const far = Math.abs(signed);
  const group = wdl > 0 ? "win" : "loss";
  const verb = wdl > 0 ? "wins" : "loses";
  return { group, text: far === 1 ? `${verb} at once` : `${verb} in ${Math.ceil(far / 2)}`, plies: plies(far) };
}

/** Return a move as those of chess are: its value is seen from the opponent. */
function asInChess(move) {
  const category = { 1: "loss", 0: "draw", [-1]: "win" }[move.wdl];
  const dtm = move.wdl === 0 ? 0 : -move.wdl * (Math.abs(move.dtm_plies) - 1);
  return { ...move, san: move.move, category, dtm, dtz: null, told: told(move) };
}

/** Ask about a position; the moves of the answer are as in chess. */
async function probe(fen, signal) {
  const answer = await ask("/games/probe", { rules: variant.rules, fen }, signal);
  return { ...answer, moves: answer.moves.map(asInChess) };
}

/** Return the verdict on the position shown: {headline, detail, kind}. */
function verdict({ end, wdl, dtm_plies: signed, check }) {
  const { turn } = shown.position;
  const winner = SIDES[wdl > 0 ? turn : other(turn)];
  const toMove = `${SIDES[turn]} to move${check ? ", in check" : ""}`;
  if (end) {
    const headline = `${end[0].toUpperCase()}${end.slice(1)}: ${wdl ? `${winner} has won` : "a draw"}`;
    return { headline, detail: wdl ? "" : toMove, kind: wdl ? "decided" : "draw" };
  }
  if (wdl === 0) return { headline: "Draw", detail: `${toMove} · with best play of both sides`, kind: "draw" };
  const far = Math.abs(signed);
  return {
    headline: `${winner} wins in ${Math.ceil(far / 2)}`,
    detail: `${toMove} · ${plies(far)} with best play`,
    kind: "decided",
  };
}

// --- the moves of the position shown ---

function movesFrom(square) {
  if (!shown.answer || practice.waits) return [];
  return shown.answer.moves.filter((move) => move.uci.startsWith(square));
}

function targetsOf(square) {
  const targets = new Map();
  for (const move of movesFrom(square)) {
    const to = move.uci.slice(2, 4);
    const { group, text } = practice.hides ? { group: "plain", text: "legal" } : outcome(move);
    if (!targets.has(to)) targets.set(to, { group, label: `${move.san}: ${text}` }); // best first
  }
  return targets;
}

async function choose(from, to) {
  const moves = movesFrom(from).filter((move) => move.uci.slice(2, 4) === to);
  const move = moves.length > 1 ? await promotionOf(moves, to) : moves[0];
  if (move) play(move);
  else board.select(null);
}

function promotionOf(moves, to) {
  const near = board.squares[to].getBoundingClientRect();
  const words = practice.hides ? () => ({ group: "", text: "" }) : outcome;
  const worth = ({ uci }) => variant.promotions.indexOf(uci[4].toUpperCase());
  if (practice.hides) moves.sort((one, two) => worth(one) - worth(two)); // the best first would tell
  return askPromotion(byId("promotion"), byId("promotion-choices"), moves, shown.position.turn, near, words);
}

/** Return the number of the move that is next. */
function nextNumber() {
  const { parent, turn, number } = game.step;
  return parent === null ? 1 : number + (turn === "b" ? 1 : 0);
}

function play(move) {
  if (!shown.answer?.moves.includes(move)) return; // of a position that is gone
  const { turn } = shown.position;
  const remark = practice.judge(move);
  const judged = judge(move, shown.answer.moves);
  const { fen, uci, san } = move;
  game.play([{ fen, uci, san, turn, number: nextNumber(), ...(judged && { judged }) }]);
  practice.keep(remark);
  byId("said").textContent = `${SIDES[turn]} played ${san}`;
  show({ animated: true, push: true });
}

/** Go to a position of the tree. */
function jump(at) {
  const animated = game.nodes[at]?.parent === game.at;
  if (game.go(at)) show({ animated });
}

function start(fen, options = { push: true }) {
  game.start(fen);
  return show(options);
}

// --- showing ---

async function show({ animated = false, push = false } = {}) {
  const { fen, uci } = game.step;
  remember(push);
  const position = readFen(fen) ?? emptyPosition();
  Object.assign(shown, { position, answer: null, best: null });
  practice.arrive();
  showArrows();
  board.show(position.men, uci ? [uci.slice(0, 2), uci.slice(2, 4)] : [], animated);
  drawHint(board.hint, null, board.flipped);
  followMaterial();
  byId("fen").value = fen;
  showFenError("");
  document.querySelector(`[name=turn][value=${position.turn}]`).checked = true;
  showPlayed();
  shown.asking.abort();
  shown.asking = new AbortController();
  const { signal } = shown.asking;
  try {
    shown.answer = await probe(fen, signal);
  } catch (error) {
    if (error.name !== "AbortError") showRefusal(error);
    return;
  }
  if (signal.aborted) return;
  if (shown.answer.check) board.show(position.men, uci ? [uci.slice(0, 2), uci.slice(2, 4)] : [], false, kingOf(position, position.turn));
  showAnswer();
}

/** Show what is known of the position, or what there is to say while values are hidden. */
function showAnswer() {
  if (!shown.answer) return;
  showVerdict(practice.verdict() ?? verdict(shown.answer));
  board.select(null);
  showMoves();
  showArrows();
  showButtons();
  showRemark();
  practice.answer();
  showLine();
}

/** Put the game and the position into the address, the moves into the browser's history. */
function remember(push) {
  const fen = encodeURIComponent(game.step.fen.replaceAll(" ", "_")).replaceAll("%2F", "/");
  const url = `?rules=${encodeURIComponent(variant.rules)}&fen=${fen}${board.flipped ? "&flip=1" : ""}`;
  if (push) history.pushState(game.save(), "", url);
  else history.replaceState(game.save(), "", url);
}

/** Show a verdict; its colour is that of the result for the side to move. */
function showVerdict({ headline, detail, kind }) {
  byId("verdict").dataset.kind = kind;
  byId("verdict").dataset.loses = kind === "decided" && shown.answer?.wdl < 0;
  byId("headline").textContent = headline;
  byId("detail").replaceChildren(...withTooltips(detail));
  document.title = `${headline} · ${variant?.name ?? "Other games"}`;
}

/** Say what was wrong with the move that led here, and what answers it. */
function showRemark() {
  const { judged } = game.step;
  const [reply] = shown.answer?.moves ?? [];
  const isTold = judged && !practice.on;
  const answer = isTold && judged.fault === "mistake" && reply ? ` The answer is ${reply.san}.` : "";
  byId("remark").textContent = isTold ? judged.text + answer : "";
  byId("remark").className = `note ${judged?.fault ?? ""}`;
}

function showRefusal(error) {
  if (!(error instanceof Refused)) throw error;
  let headline = setup?.on ? "Not a position yet" : "No value for this position";
  if (error.status !== 400) headline = error.status === 404 ? "No table of these pieces" : "No answer";
  showVerdict({ headline, detail: error.message, kind: "error" });
  if (!board) return;
  showRemark();
  refill("moves");
  byId("moves-note").textContent = "";
  refill("line");
  byId("line-note").textContent = "";
  board.select(null);
  showButtons();
}

function showFenError(text) {
  byId("fen-error").textContent = text;
  byId("fen").setAttribute("aria-invalid", String(Boolean(text)));
}

function showButtons() {
  byId("first").disabled = byId("back").disabled = game.isFirst;
  byId("forward").disabled = byId("last").disabled = game.isLast;
  byId("best").disabled = setup.on || practice.hides || !shown.answer?.moves.length;
  byId("practise").disabled = !practice.on && (setup.on || !practice.possible);
  practice.showButtons();
  const { activeElement } = document;
  if (activeElement?.matches("button:disabled")) byId("verdict").focus({ preventScroll: true });
}

function showMoves() {
  if (practice.hides) {
    refill("moves");
    byId("moves-note").textContent = HIDDEN;
    return;
  }
  const { moves } = shown.answer;
  byId("moves").scrollTop = 0;
  const clicked = refill("moves", ...moveGroups(moves, play));
  byId("moves-note").textContent = moves.length ? `${plural(moves.length, "legal move")}, best first` : "No legal move";
  if (clicked) byId("board").scrollIntoView({ block: "nearest" });
}

function showArrows() {
  const on = byId("arrows").getAttribute("aria-pressed") === "true" && !setup.on;
  drawArrows(board.overlay, on && shown.answer && !practice.hides ? shown.answer.moves : [], board.flipped);
}

function switchArrows(on) {
  byId("arrows").setAttribute("aria-pressed", String(on));
  setPreference("arrows", on);
  showArrows();
}

function showPlayed() {
  const items = treeItems(game, jump);
  refill("played", ...items);
  byId("played-note").hidden = items.length > 0;
  byId("played").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** Show the best moves of both sides, if they are asked for. */
async function showLine() {
  if (!byId("line-card").open || !shown.answer) return;
  const note = byId("line-note");
  refill("line");
  if (practice.hides || !shown.answer.dtm_plies) {
    note.textContent = practice.hides ? HIDDEN : "Nobody wins from here.";
    return;
  }
  note.textContent = "";
  const { signal } = shown.asking;
  try {
    const { line } = await ask("/games/line", { rules: variant.rules, fen: game.step.fen }, signal);
    if (signal.aborted) return;
    let [turn, number] = [shown.position.turn, nextNumber()];
    shown.best = line.map(({ move, uci, fen }) => {
      const step = { fen, uci, san: move, turn, number };
      number += turn === "b" ? 1 : 0;
      turn = other(turn);
      return step;
    });
  } catch (error) {
    if (error.name !== "AbortError") note.textContent = error.message;
    return;
  }
  refill("line", ...shown.best.map((step, i) => lineItem(step, !i, () => follow(i + 1))));
}

/** Go along the best play, by a number of moves. */
function follow(count) {
  if (!shown.best) return; // the next one is on its way
  game.play(shown.best, count);
  show({ push: true });
}

// --- the game, its pieces and tables ---

/** Let all parts of the page speak of this game. */
function setRules() {
  const letters = variant.kinds.map(({ letter }) => letter).join("");
  const names = Object.fromEntries(variant.kinds.map(({ letter, name }) => [letter, name]));
  const pictures = Object.fromEntries(variant.kinds.map(({ letter, picture }) => [letter, picture]));
  const { files, ranks, walls } = variant;
  Object.assign(rules, { letters, names, pictures, files, ranks, walls, end: "the end" });
}

/** Return the squares around a piece that steps lead to: whether they are repeated. */
function squaresAround(steps) {
  const found = new Map();
  for (const [dx, dy, reach] of steps) {
    for (let count = 1; count <= Math.min(reach, AROUND); count += 1) {
      found.set(`${count * dx} ${count * dy}`, reach > 1 ? "ride" : "step");
    }
  }
  return found;
}

/**
 * Return the squares around a piece: a disc for a step, a ring for one that is repeated; those of
 * captures alone, or of other moves alone, in colours of their own.
 */
function diagram({ letter, name, steps, quiet_steps: others }) {
  const captures = squaresAround(steps);
  const quiet = squaresAround(others);
  const signs = new Map([...quiet, ...captures]);
  for (const [square, sign] of signs) {
    if (captures.has(square) !== quiet.has(square)) signs.set(square, `${sign} ${quiet.has(square) ? "quiet" : "takes"}`);
  }
  const squares = make("div", "squares");
  squares.setAttribute("aria-hidden", "true");
  squares.style.gridTemplate = `repeat(${2 * AROUND + 1}, 1fr) / repeat(${2 * AROUND + 1}, 1fr)`;
  for (let y = AROUND; y >= -AROUND; y -= 1) {
    for (let x = -AROUND; x <= AROUND; x += 1) {
      const square = make("span", `${(x + y) % 2 ? "deep" : "pale"} ${signs.get(`${x} ${y}`) ?? ""}`);
      if (!x && !y) square.append(drawMan(`w${letter}`));
      squares.append(square);
    }
  }
  const apart = [...signs.values()].some((sign) => sign.includes(" "));
  const note = letter === "P" ? " (captures)" : apart ? " (red: captures alone, blue: never)" : "";
  return make("figure", "", make("figcaption", "", `${letter}${name === letter ? "" : ` ${name}`}${note}`), squares);
}

function showRules() {
  const becomes = variant.promotions.length ? [`Pawns become ${variant.promotions.join(", ")}.`] : [];
  const pawns = variant.kinds.some(({ letter }) => letter === "P") ? becomes : [];
  const stalemate = variant.stalemate_loses ? ["A stalemated side loses."] : [];
  const goal = variant.goal.length ? [`A king that reaches one of ${variant.goal.join(" ")} wins.`] : [];
  const bare = variant.bare_king ? ["A side that has only its king left loses, unless it takes the opponent's last man at once."] : [];
  byId("rules-note").textContent = [
    "A disc is a step, a ring a step that may be repeated. Pieces with pictures of chess move as there.",
    ...pawns, ...stalemate, ...bare, ...goal,
  ].join(" ");
  byId("kinds").replaceChildren(...variant.kinds.filter(({ picture }) => !picture).map(diagram));
}

function showTables() {
  const rows = variant.tables.map((table) => {
    const button = make("button", "", table.material);
    button.type = "button";
    button.addEventListener("click", () => {
      byId("material").value = table.material;
      find(table.longest_win ? "longest" : "random");
      byId("verdict").scrollIntoView({ block: "nearest" });
    });
    const head = make("th", "", button);
    head.scope = "row";
    const parts = [["white", table.white_wins], ["draw", table.draws], ["black", table.black_wins]];
    const longest = table.longest_win ? plural(table.longest_win.moves, "move") : "none";
    return make("tr", "", head, make("td", "number", table.positions.toLocaleString("en")), shareCell(parts), make("td", "number", longest));
  });
  byId("table-rows").replaceChildren(...rows);
  byId("material").replaceChildren(...variant.tables.map(({ material }) => new Option(material)));
  for (const choice of ["won", "random", "longest"]) byId(choice).disabled = !rows.length;
}

/** Choose the material on the board, if there is a table of it. */
function followMaterial() {
  const [white, black] = ["w", "b"].map((side) =>
    Object.values(shown.position.men)
      .filter((man) => man[0] === side)
      .map((man) => man[1])
      .sort((one, two) => rules.letters.indexOf(one) - rules.letters.indexOf(two))
      .join(""),
  );
  const found = variant.tables.find(({ material }) => material === white + black || material === black + white);
  if (found) byId("material").value = found.material;
}

async function find(choice) {
  try {
    const { fen } = await ask("/games/pick", { rules: variant.rules, material: byId("material").value, choice });
    setup.switch(false);
    await start(fen);
  } catch (error) {
    showRefusal(error);
  }
}

// --- what can be clicked ---

/** Load the FEN of the box, or say beneath it why not; the position shown stays then. */
async function load() {
  const fen = byId("fen").value.trim();
  try {
    await probe(fen);
  } catch (error) {
    showFenError(error.message);
    return;
  }
  await start(fen);
}

function flip() {
  board.flip();
  byId("flip").setAttribute("aria-pressed", String(board.flipped));
  setup.fillPalettes();
  showArrows();
}

function listen() {
  const on = (id, act) => byId(id).addEventListener("click", act);
  on("first", () => jump(0));
  on("back", () => jump(game.back));
  on("forward", () => jump(game.forward));
  on("last", () => jump(game.last));
  on("best", () => shown.answer && play(shown.answer.moves[0]));
  on("arrows", () => switchArrows(byId("arrows").getAttribute("aria-pressed") !== "true"));
  on("share", () => copy(byId("share"), location.href, "Copy it from above"));
  for (const choice of ["won", "random", "longest"]) on(choice, () => find(choice));
  on("promotion-cancel", () => byId("promotion").close());
  on("flip", () => {
    flip();
    remember(false);
  });
  byId("fen-form").addEventListener("submit", (event) => {
    event.preventDefault();
    load();
  });
  byId("rules").addEventListener("change", () => {
    location.href = `?rules=${encodeURIComponent(byId("rules").value)}`;
  });
  byId("line-card").addEventListener("toggle", showLine);
  listenToHints({ board, shown });
  listenToKeys({ game, jump });
  listenToWheel({ game, jump, isBusy: () => setup.on });
  on("help-open", () => byId("help").showModal());
  on("help-close", () => byId("help").close());
  window.addEventListener("popstate", (event) => {
    if (game.restore(event.state)) show();
  });
}

function makeBoard() {
  board = new Board(byId("board"), {
    canPick: (square) => (setup.on ? Boolean(shown.position.men[square]) : movesFrom(square).length > 0),
    targets: (square) => (setup.on ? null : targetsOf(square)),
    move: (from, to) => (setup.on ? setup.carry(from, to) : choose(from, to)),
    place: (square, man) => setup.place(square, man),
    tap: (square) => setup.tap(square),
    letter: (square, key) => setup.letter(square, key),
    leavesArrows: () => !setup.on,
  });
  setup = new Setup(board, shown, start, () => {
    if (setup.on && practice.on) practice.switch(false);
    showArrows();
    showButtons();
  });
  const inCheck = () => Boolean(shown.answer?.check);
  practice = new Practice({ shown, game, play, jump, inCheck, refresh: showAnswer });
}

/** Return a position to begin with: the longest win of the last table that has one. */
function firstPosition() {
  const won = variant.tables.filter((table) => table.longest_win);
  return won.at(-1)?.longest_win.fen ?? writeFen(emptyPosition());
}

async function begin() {
  listenToThemes();
  listenToTips();
  try {
    const { games } = await ask("/games");
    variant = games.find((one) => one.rules === address.get("rules")) ?? games[0] ?? null;
    if (!variant) {
      showVerdict({ headline: "No tables of other games", detail: "“tablebase build --rules shatranj KQKQ” makes some", kind: "error" });
      return;
    }
    byId("rules").replaceChildren(...games.map(({ rules: name }) => new Option(name)));
    byId("rules").value = variant.rules;
  } catch (error) {
    showRefusal(error);
    return;
  }
  byId("title").textContent = variant.name;
  setRules();
  makeBoard();
  listen();
  switchArrows(preference("arrows", true));
  showRules();
  showTables();
  if (address.get("flip")) flip();
  const fen = address.get("fen")?.replaceAll("_", " ");
  if (fen !== undefined && game.restore(history.state) && game.step.fen === fen) show();
  else start(fen ?? firstPosition(), {});
}

begin();
