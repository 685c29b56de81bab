// The page: a session, and what to click.

import {
  fenOf, illegality, legalMoves, newPosition, play as made, readLoosely, sanOf, uciOf, withoutRights,
} from "../reader/position.js";
import { CHESS } from "../reader/rules.js";
import { LABORATORY, OF_GAME, RULES, gameAddress, materialAddress, parameters } from "./addresses.js";
import { drawArrows, drawHint } from "./arrows.js";
import { Board, boardLooks } from "./board.js";
import { stepsOf } from "./game.js";
import { listenToKeys, listenToWheel } from "./keys.js";
import { lineItem, moveGroups, treeItems } from "./moves.js";
import { byId, copy, makeButton, preference, refill, setPreference, withTooltips } from "./page.js";
import { Practice } from "./practice.js";
import { MINE } from "./progress.js";
import { Session } from "./session.js";
import { Setup } from "./setup.js";
import { SolvePanel } from "./solve.js";
import * as source from "./source.js";
import { SIDES, endsByMate, flagWords, goalsOf, isDecided, isInDoubt, isUncovered, outcome, targetsOf, verdict } from "./words.js";

const FALLBACK = "8/8/8/8/8/1k6/8/1K6 w - - 0 1";
const WATCH_PACE = 700; // milliseconds a move
const address = parameters();

// While the page is built, what its first position needs is on its way.
if (address.has("fen")) lookUp(address.get("fen")).catch(() => {});
let rules = CHESS;
let trouble = null; // why there is nothing to show
try {
  rules = await source.rules();
} catch (error) {
  trouble = error;
}

const session = new Session(rules, source.standard);
const { game } = session;
let told = null; // what the server told of the position shown; the answer has what was solved besides
const server = { max_men: 6, most: 6, location: null, solve: null }; // see source.about
let watching = null;
let won = []; // the tables in which somebody wins
let followed = ""; // the material on the board that "Find a position" was last set to

document.adoptedStyleSheets = [boardLooks];
const board = new Board(byId("board"), rules, {
  canPick: (square) => (setup.on ? square in board.men : session.movesFrom(square).length > 0),
  targets: (square) => (setup.on ? null : targetsOf(session.movesFrom(square), rules, session.hides)),
  move: (from, to) => (setup.on ? setup.carry(from, to) : choose(from, to)),
  place: (square, man) => setup.place(square, man),
  tap: (square) => setup.tap(square),
  letter: (square, key) => setup.letter(square, key),
  leavesArrows: () => !setup.on,
});
const setup = new Setup(board, session, start, () => {
  if (setup.on) leave({ practice });
  showTab();
  showArrows();
  showButtons();
});
const solver = new SolvePanel({ shown: session, server, refresh: showSolved, solved: showPlan });
const practice = new Practice(session, {
  board, play, jump, start, remember, refresh: showAnswer, waits: showWaiting,
  turn: (side) => board.flipped === (side === "w") && flip(),
  changed: () => {
    if (practice.on) leave({ setup });
    showTab();
  },
});
let pgn = null; // comes after the first value
let more = false; // whether there is to be shown what is needed now and then

// --- what the page is for at the moment ---

/** Show the panel of what is done now. */
function showTab() {
  const tab = setup.on ? "setup" : more ? "more" : practice.on ? "practise" : "game";
  for (const id of ["game", "practise", "setup", "more"]) byId(id).setAttribute("aria-pressed", String(id === tab));
  byId("game-card").hidden = !["game", "practise"].includes(tab);
  byId("practising").hidden = tab !== "practise";
  byId("edit").hidden = tab !== "setup";
  byId("more-card").hidden = tab !== "more";
  for (const id of ["line-card", "flag-card", "pgn-open"]) byId(id).hidden = tab !== "game";
}

/** End what is done, if it is: to practise, to set up, to look at more. */
function leave(modes = { practice, setup }) {
  more = false;
  for (const mode of Object.values(modes)) if (mode.on) mode.switch(false);
}

/** Show the game, or more; an exercise goes on meanwhile. */
function openTab(isMore) {
  leave(isMore ? { setup } : undefined);
  more = isMore;
  showTab();
}

/** Show a part that was opened, where it is seen. */
function reveal(id) {
  if (byId(id).checkVisibility()) byId(id).scrollIntoView({ block: "nearest" });
}

// --- the moves of the position shown ---

async function choose(from, to) {
  const moves = session.movesTo(from, to);
  const move = moves.length > 1 ? await promotionOf(moves, to) : moves[0];
  if (move) play(move);
  else board.select(null);
}

async function promotionOf(moves, to) {
  const { askPromotion } = await import("./promotion.js");
  const near = board.squares[to].getBoundingClientRect();
  const { hides, position } = session;
  const worthOf = hides ? () => ({ group: "", text: "" }) : (move) => outcome(move, rules);
  // Best first, but in the order of their worth while values are hidden.
  const worth = ({ uci }) => rules.letters.indexOf(uci[4]?.toUpperCase());
  if (hides) moves.sort((one, two) => worth(one) - worth(two));
  return askPromotion(byId("promotion"), byId("promotion-choices"), moves, position, near, worthOf);
}

/** Play the move that was typed, as people or programs write it; capitals and signs matter only where they tell moves apart. */
function playTyped() {
  const box = byId("typed");
  const bare = (text) => text.replaceAll(/[-x+#=:\s]/g, "").replaceAll("0", "O");
  const typed = bare(box.value);
  const named = (isSame) => session.movesFrom("").filter(({ san, uci }) => [bare(san), uci].some(isSame));
  const exact = named((one) => one === typed);
  const [move, ...others] = exact.length ? exact : named((one) => one.toLowerCase() === typed.toLowerCase());
  const isWrong = typed && (!move || others.length > 0);
  showError("typed", isWrong ? `${box.value} is not legal here` : "");
  if (isWrong) return;
  box.value = "";
  box.blur(); // so that keys are for the page again
  if (move) play(move);
}

function play(move) {
  if (!session.play(move)) return;
  practice.score(move);
  byId("said").textContent = `${SIDES[game.step.turn]} played ${move.san}`;
  show({ animated: true });
}

function go(at) {
  const animated = game.nodes[at]?.parent === game.at;
  if (game.go(at)) show({ animated });
}

/** Go to a position of the tree by hand. */
function jump(at) {
  stopWatching();
  go(at);
}

function start(fen, options = { push: true }) {
  game.start(fen);
  return show(options);
}

/** Begin with the position of the address and the moves there that are legal, to be played through. */
function startLine(fen) {
  const steps = [];
  let here = readLoosely(fen, rules) ?? newPosition(rules);
  for (const uci of illegality(here) ? [] : address.get("moves").split("_")) {
    const moves = legalMoves(here);
    const move = moves.find((one) => uciOf(one, rules) === uci);
    if (!move) break;
    steps.push(...stepsOf(here, [{ uci, san: sanOf(here, move, moves) }]));
    here = made(here, move);
  }
  game.start(fen);
  game.play(steps, 0);
  return show();
}

function nextMistake() {
  const { mistakes, at } = game;
  jump(mistakes.find((one) => one > at) ?? mistakes[0]);
  reveal("board");
}

/** Show an annotated game at its first mistake, or else at the first position that tables know. */
function showGame({ nodes, headers }) {
  stopWatching();
  const push = !practice.on; // whose end is another step of the browser's history
  openTab(false);
  game.load(nodes, headers);
  const known = game.nodes.findIndex(({ comment }) => comment.includes("[%eval"));
  game.go(game.mistakes[0] ?? Math.max(known, 0));
  reveal("board");
  return show({ push });
}

// --- showing ---

/** After a click far down in the list of moves: show the board and the beginning of the list. */
function showBoardAndList() {
  for (const id of ["moves", "board", "verdict"]) byId(id).scrollIntoView({ block: "nearest" });
}

async function show({ animated = false, push = false } = {}) {
  const { fen, uci } = game.step;
  session.arrive();
  practice.arrive();
  remember(push);
  solver.arrive();
  board.show(session.position, uci, animated);
  byId("checks").textContent = goalsOf(session.position);
  showArrows();
  followMaterial();
  byId("fen").value = fen;
  byId("lichess").href = `https://lichess.org/analysis/${fen.replaceAll(" ", "_")}`;
  if (byId("typed-error").textContent) byId("typed").value = "";
  for (const box of ["fen", "typed"]) showError(box, "");
  byId("remedy").hidden = true;
  setup.arrive();
  showPlayed();
  try {
    const found = await session.asked(showWaiting);
    if (!found) return;
    told = found;
  } catch (error) {
    showRefusal(error);
    return;
  }
  showSolved();
}

/** Show what the server told of the position, and what was solved besides. */
function showSolved() {
  session.answer = solver.completed(told, session.position);
  const line = session.answer.solution?.plan;
  session.best = line?.length ? stepsOf(session.position, line) : null;
  showAnswer();
}

/** Show what is known of the position, or what there is to say while values are hidden. */
function showAnswer() {
  if (!session.answer) return;
  practice.answer();
  tell();
  board.select(null);
  showMoves();
  showArrows();
  showButtons();
  showRemark();
  showLine();
  showFlag();
}

/** Put the position or the exercise into the address, the game into the browser's history.
 *
 * Its Back goes to the position that was set up, found or practised before, not from move to move.
 */
function remember(push = false) {
  if (!game.step) return;
  const [named, fen] = practice.on ? practice.place : ["fen=", game.step.fen];
  const place = encodeURIComponent(fen.replaceAll(" ", "_")).replaceAll("%2F", "/");
  const url = `?${OF_GAME}${named}${place}${board.flipped ? "&flip=1" : ""}`;
  history[push ? "pushState" : "replaceState"]({ ...game.save(), practice: session.run }, "", url);
}

function tell() {
  showVerdict(practice.verdict(verdict(session.answer, session.position, server)));
  const isHindered = session.answer.category === "unknown" && isUncovered(session.position, server);
  byId("remedy").hidden = !isHindered;
  if (isHindered) byId("remedy").replaceChildren(withoutCastling(session.position));
}

/** Show a verdict; its colour is that of the result for the side to move. */
function showVerdict({ headline, detail, kind }) {
  byId("verdict").dataset.kind = kind;
  byId("verdict").dataset.loses = kind === "decided" && losesHere();
  byId("headline").textContent = headline;
  byId("detail").replaceChildren(...withTooltips(detail, rules));
  document.title = `${headline} · ${rules.chess ? "Endgame explorer" : RULES}`;
}

function losesHere() {
  const { answer } = session;
  return Boolean(answer?.checkmate || answer?.category?.endsWith("loss"));
}

/** Say what was wrong with the move that led here, what was right, and what answers it. */
function showRemark() {
  const { judged } = game.step;
  const [reply] = session.answer?.moves ?? [];
  const isTold = judged && !practice.on;
  const answer = isTold && judged.fault === "mistake" && reply ? ` The refutation is ${reply.san}.` : "";
  byId("remark").textContent = isTold ? judged.text + answer : "";
  byId("remark").className = `note ${judged?.fault ?? ""}`;
}

/** Return a button that shows a position without its castling rights. */
function withoutCastling(position) {
  return makeButton("", "Remove castling rights", () => {
    start(fenOf(withoutRights(position)));
  });
}

let saysWait;
const waiting = new Promise((resolve) => {
  saysWait = resolve; // when the first value comes later
});

/** Say what the server does before it can answer; the page asks it again. */
function showWaiting(words) {
  saysWait();
  showWithoutAnswer({ headline: "Please wait …", detail: words, kind: "" });
}

function showRefusal(error, what = null) {
  if (!(error instanceof source.Refused)) throw error;
  let headline = setup.on ? "Not a position yet" : "No result for this position";
  if (what) headline = what;
  else if (error.status !== 400) headline = "No answer";
  else if (!readLoosely(game.step?.fen ?? "", rules)) headline = "This FEN cannot be read";
  showWithoutAnswer({ headline, detail: error.message, kind: "error" });
}

function showWithoutAnswer(told) {
  showVerdict(told);
  byId("remedy").hidden = true;
  if (game.step) showRemark();
  refill("moves");
  byId("moves-card").hidden = true;
  refill("line");
  for (const id of ["line-note", "flag"]) byId(id).textContent = "";
  stopWatching();
  board.select(null);
  showButtons();
}

/** Say below a box what is wrong with its text, or nothing. */
function showError(box, text) {
  byId(`${box}-error`).textContent = text;
  byId(box).setAttribute("aria-invalid", String(Boolean(text)));
}

function showButtons() {
  const { answer, hides } = session;
  byId("first").disabled = byId("back").disabled = game.isFirst;
  byId("forward").disabled = byId("last").disabled = game.isLast;
  byId("best").disabled = setup.on || hides || !session.bestMove;
  byId("watch").disabled = hides || !answer || !hasLine(answer);
  byId("exercise").disabled = setup.on;
  practice.showButtons();
  solver.show();
  const { activeElement } = document;
  if (activeElement?.matches("button:disabled")) byId("verdict").focus({ preventScroll: true });
}

function showMoves() {
  const { moves } = session.hides ? { moves: [] } : session.answer;
  byId("moves-card").hidden = !moves.length;
  byId("moves").scrollTop = 0;
  const clicked = refill("moves", ...moveGroups(moves, rules, play));
  const doubt = moves.some(isInDoubt) ? " · * the 50-move rule may interfere" : "";
  const order = moves.length && session.bestMove ? ", best first" : "";
  byId("moves-note").textContent = `${moves.length} legal${order}${doubt}`;
  if (clicked) showBoardAndList();
}

function showArrows() {
  const on = byId("arrows").getAttribute("aria-pressed") === "true" && !setup.on;
  drawArrows(board.overlay, on && session.answer && !session.hides ? session.answer.moves : [], board.flipped);
  const isMistake = !setup.on && game.mistakes.includes(game.at);
  board.judge(practice.on ? practice.marked : isMistake ? { fault: "mistake", uci: game.step.uci } : null);
  showPointed();
}

/** Draw the move that answers a mistake of somebody who practises, or none. */
function showPointed() {
  drawHint(board.hint, session.refutation?.move ?? null, board.flipped, "loss");
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
  const { mistakes, at } = game;
  byId("mistake").hidden = practice.on || !mistakes.length;
  const number = mistakes.indexOf(at) + 1;
  byId("mistake").textContent = `Next mistake${number ? ` · ${number} of ${mistakes.length}` : ""}`;
  byId("bench").dataset.loaded = Object.keys(game.headers).length > 0; // a PGN: on phones its moves come first
  pgn?.show();
  showCurrent();
}

/** Scroll to the move that led here, with room for its comment. */
function showCurrent() {
  const box = byId("lines");
  box.scrollTop = (byId("played").querySelector("[aria-current]")?.offsetTop ?? 0) - box.clientHeight / 4;
}

// --- the mating line ---

async function showLine() {
  if (!session.answer) return;
  document.querySelector("#line-card h2").textContent = lineName(session.answer);
  if (!byId("line-card").open) return;
  const steps = await mainline();
  if (steps) refill("line", ...steps.map((step, i) => lineItem(step, !i, () => follow(i + 1))));
}

const isSolvedDraw = ({ solution }) => solution?.result === "draw";

/** Return the name of the line that follows an answer. */
function lineName(answer) {
  if (isSolvedDraw(answer)) return "Best tries";
  return answer.solution || !endsByMate(rules) ? "Winning line" : "Mating line";
}

/** Whether a line can be shown: from tables up to mate, or what was solved. */
function hasLine(answer) {
  return answer.solution ? session.best !== null : isDecided(answer);
}

/** Return the line to mate from here, null if there is none or another position is shown meanwhile. */
async function mainline() {
  const { answer, signal } = session;
  const note = byId("line-note");
  const waits = (words) => {
    note.textContent = words;
  };
  waits("");
  if (session.hides || !hasLine(answer)) {
    refill("line");
    note.textContent = session.hides ? "" : `There is no line to ${rules.end} from here.`;
    return null;
  }
  try {
    const found = session.best ?? (await source.mainline(game.step.fen, { signal, waits })).mainline;
    if (signal.aborted) return null;
    session.best ??= stepsOf(session.position, found);
  } catch (error) {
    if (error.name === "AbortError") return null;
    refill("line");
    note.textContent = error.message;
    return null;
  }
  const { best } = session;
  if (isSolvedDraw(answer)) {
    note.textContent = "Each side sets the other problems; the game stays a draw.";
  } else if (answer.solution) {
    note.textContent = "One way to win, not necessarily the fastest.";
  } else if (!best.at(-1)?.san.endsWith("#") && (answer.dtm ?? answer.dtw) === null && answer.dtz === null) {
    note.textContent = "The proven line ends there.";
  } else if (rules.fifty_moves && !best.at(-1)?.san.endsWith("#")) {
    note.textContent = `${best.length ? "Then" : "Now"} a draw can be claimed by the 50-move rule.`;
  }
  return best;
}

/** Say what follows if the flag of the side to move has fallen. */
async function showFlag() {
  const { answer, position, signal } = session;
  if (!answer || !byId("flag-card").open) return;
  const say = (words) => {
    if (!signal.aborted) byId("flag").textContent = words;
  };
  say("");
  try {
    say(flagWords(await source.chances(game.step.fen, answer, { signal, waits: say }), position));
  } catch (error) {
    if (error instanceof source.Refused) say(error.message);
    else if (error.name !== "AbortError") throw error;
  }
}

/** Go along the mating line, by a number of moves. */
function follow(count) {
  if (!session.best) return; // the next one is on its way
  game.play(session.best, count);
  show();
}

/** Show the plan of a position that was just solved. */
function showPlan() {
  leave();
  showTab();
  byId("line-card").open = true; // which shows it
}

async function watch() {
  if (watching) {
    stopWatching();
    return;
  }
  if (!(await mainline())?.length || byId("line-card").hidden) return;
  game.play(session.best, 0);
  byId("watch").textContent = "Stop";
  const step = () => {
    go(game.forward);
    if (game.isLast) stopWatching();
  };
  watching = setInterval(step, WATCH_PACE);
  step();
}

function stopWatching() {
  clearInterval(watching);
  watching = null;
  byId("watch").textContent = "Play it";
}

// --- what can be clicked ---

async function find(choice, material) {
  try {
    if (practice.on && choice === source.random) return await practice.another(null, material); // something to play for
    const { fen } = await choice(material);
    if (!practice.on) openTab(false);
    await start(fen);
  } catch (error) {
    showRefusal(error);
  }
}

/** Look a position up, but leave waiting for a later answer to when it is session. */
async function lookUp(fen) {
  const once = new AbortController();
  try {
    await source.standard(fen, { signal: once.signal, waits: () => once.abort() });
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

/** Load the FEN of the box, or say beneath it why not; the position shown stays then. */
async function load() {
  const fen = byId("fen").value.trim();
  if (rules.chess && !readLoosely(fen, rules)) {
    showError("fen", "Not a FEN: it begins with eight rows of eight squares, like 8/8/8/8/8/2k5/1R6/K7 w");
    return;
  }
  try {
    await lookUp(fen);
  } catch (error) {
    showError("fen", error.message);
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
  on("best", () => session.bestMove && play(session.bestMove));
  on("watch", watch);
  on("mistake", nextMistake);
  for (const link of document.querySelectorAll("[href='tables/course.html']")) {
    if (RULES) link.href += `?${OF_GAME.slice(0, -1)}`;
  }
  on("game", () => openTab(false));
  on("more", () => openTab(true));
  on("done", () => openTab(false));
  on("arrows", () => switchArrows(byId("arrows").getAttribute("aria-pressed") !== "true"));
  on("share", () => copy(byId("share"), location.href, "Copy it from above"));
  on("random", () => find(source.random, byId("material").value));
  on("hardest", () => find(source.hardest, byId("material").value));
  on("promotion-cancel", () => byId("promotion").close());
  on("flip", () => {
    flip();
    remember();
  });
  byId("fen-form").addEventListener("submit", (event) => {
    event.preventDefault();
    load();
  });
  byId("typed-form").addEventListener("submit", (event) => {
    event.preventDefault();
    playTyped();
  });
  byId("typed").addEventListener("keydown", ({ key, target }) => key === "Escape" && target.blur());
  byId("material").addEventListener("change", ({ target }) => {
    nameButtons();
    if (practice.on) practice.another(null, target.value);
  });
  byId("line-card").addEventListener("toggle", async () => {
    await showLine();
    if (byId("line-card").open) reveal("line-card");
  });
  byId("flag-card").addEventListener("toggle", async () => {
    await showFlag();
    if (byId("flag-card").open) reveal("flag-card");
  });
  // Whatever else is done, the mating line does not go on meanwhile.
  const isForWatch = ({ target, key = "Enter" }) => target === byId("watch") && ["Enter", " "].includes(key);
  for (const kind of ["pointerdown", "click", "keydown"]) {
    document.addEventListener(kind, (event) => isForWatch(event) || stopWatching(), true);
  }
  new ResizeObserver(showCurrent).observe(byId("lines"));
  // What finds a position is where it is seen, also for the key Tab: in the header, or below the board.
  const roomy = matchMedia("(min-width: 72rem) and (min-height: 32.01rem)");
  const place = () => byId("bench")[roomy.matches ? "before" : "after"](document.querySelector(".under"));
  roomy.addEventListener("change", place);
  place();
  listenToKeys({ game, jump });
  listenToWheel({ game, jump, isBusy: () => setup.on });
  on("help-open", () => {
    byId("help").showModal();
    byId("help").focus(); // its beginning, not its last button
    byId("help").scrollTop = 0;
  });
  on("help-close", () => byId("help").close());
  window.addEventListener("popstate", (event) => {
    stopWatching();
    if (!resume(event.state) && fenOfAddress() !== undefined) start(fenOfAddress(), {});
  });
}

function nameButtons() {
  const material = byId("material").value;
  for (const [id, kind] of [["random", "Random position"], ["hardest", "Longest win"]]) {
    byId(id).setAttribute("aria-label", `${kind} of ${material || "a material"}`);
    byId(id).disabled = !material;
  }
  byId("hardest").disabled = !won.some((table) => table.material === material);
  byId("about").href = materialAddress(material);
  byId("about").textContent = `About ${material}`;
  byId("about").hidden = !material || LABORATORY !== null;
}

/** Choose the material on the board, none if there is no table of it; without two kings, or men of both sides, nothing changes. */
function followMaterial() {
  const men = session.position.board;
  const name = rules.materialOf(men);
  const isWhole = rules.royal ? men.includes("K") && men.includes("k") : rules.sidesOf(men).every(Boolean);
  if (name === followed || !isWhole) return;
  followed = name;
  byId("material").value = name;
  nameButtons();
}

async function loadTables() {
  const { tables, ...about } = await source.about();
  Object.assign(server, about);
  showGames(about);
  const hasCourse = LABORATORY === null && tables.some(source.takesMoves);
  for (const link of document.querySelectorAll("[href*='tables/course.html']")) link.hidden = !hasCourse;
  if (session.answer) tell();
  solver.show();
  won = tables.filter(source.longestWin);
  const first = won.find(({ material }) => material === "KRK") ?? won.at(rules.chess ? 0 : -1) ?? tables.find(({ positions }) => positions);
  let fallback = rules.chess ? FALLBACK : fenOf(newPosition(rules));
  if (first) fallback = source.longestWin(first)?.fen ?? (await source.random(first.material)).fen;
  return { tables, first, fallback };
}

/** Load and show what the first value does not wait for; `loaded` is null if there are no tables. */
async function showOthers(loaded) {
  // The last two are wanted later, when the host may be gone.
  const names = ["hints", "pgn", "tables", "themes", "tips", "partner", "promotion"];
  const [{ listenToHints }, { PgnPanel }, { TableList }, { listenToThemes }, { listenToTips }] =
    await Promise.all(names.map((name) => import(`./${name}.js`)));
  listenToHints({ board, shown: session, showPointed });
  listenToThemes(rules);
  listenToTips();
  pgn = new PgnPanel(game, showGame);
  byId("pgn-open").addEventListener("click", () => reveal("pgn-panel"));
  if (!loaded) return;
  new TableList((table) => {
    byId("material").value = table.material;
    nameButtons();
    find(source.longestWin(table) ? source.hardest : source.random, table.material);
    byId("verdict").scrollIntoView({ block: "nearest" });
  }).show(loaded.tables, server);
  const { first } = loaded;
  if (first) byId("material").value = first.material;
  followed = "";
  followMaterial();
  nameButtons();
}

/** Offer the games that there are tables of; show the rules of this one, and what a server adds. */
function showGames({ games, has_chess: hasChess, published }) {
  for (const one of document.querySelectorAll(".served")) one.hidden = published;
  if (!hasChess && RULES === null && games.length) location.replace(gameAddress(games[0].name));
  const names = [...(hasChess || RULES === null ? ["chess"] : []), ...games.map(({ name }) => name)];
  if ((names.length < 2 || LABORATORY !== null) && !rules.chess) document.querySelector("h1").textContent = rules.name;
  const select = byId("rules");
  select.replaceChildren(...names.map((name) => new Option(name)));
  select.value = rules.chess ? "chess" : names.find((name) => name === RULES) ?? rules.name;
  select.hidden = names.length < 2 || LABORATORY !== null;
  if (LABORATORY !== null) {
    byId("laboratory").href += `?${LABORATORY}`;
    byId("counted").textContent = "images by rotation and mirroring included";
  }
  select.addEventListener("change", () => {
    location.href = gameAddress(select.value === "chess" ? null : select.value);
  });
  for (const id of ["lichess", "pgn-open"]) byId(id).classList.toggle("elsewhere", !rules.chess);
  byId("flag-card").classList.toggle("elsewhere", !rules.hasMates || LABORATORY !== null);
  if (!rules.chess) import("./gamecard.js").then(({ showCard }) => showCard(rules));
}

function fenOfAddress() {
  return parameters().get("fen")?.replaceAll("_", " ");
}

/** Show what the browser's history keeps of a game, and go on to practise; null if it keeps nothing. */
function resume(state) {
  if (!game.restore(state)) return null;
  practice.restore(state.practice ?? null, state.at);
  return show();
}

/** Show what was shown before a reload, or the position of the address; null if that names none. */
function beginShowing() {
  const fen = fenOfAddress();
  const resumed = resume(history.state);
  if (resumed || fen === undefined || address.has("exercise")) return resumed;
  return address.has("moves") ? startLine(fen) : start(fen, {});
}

/** Begin the exercise of an address: a position, or of an ending like KPK, a level like KPK:3, a `fen`. */
async function beginExercise(named) {
  const [, material, level] = named.match(/^(K[A-Z]*K[A-Z]*|[A-Z]+v[A-Z]+|mine)(?::(\d+))?$/i) ?? [];
  const fen = material ? fenOfAddress() : named.replaceAll("_", " ");
  const given = rules.royal && material !== MINE ? material?.toUpperCase() : material;
  const ending = given ?? rules.materialOf((readLoosely(fen, rules) ?? newPosition(rules)).board);
  try {
    await practice.begin(ending, level && Number(level), fen);
  } catch (error) {
    if (!(error instanceof source.Refused)) throw error;
    if (fen === undefined) {
      showRefusal(error, `No exercise of ${ending}`);
      byId("remedy").replaceChildren(document.querySelector("[href*='tables/course.html']").cloneNode(true));
      byId("remedy").hidden = false;
      return;
    }
    await start(fen, {});
    practice.switch(true);
  }
}

async function begin() {
  if (trouble) {
    showRefusal(trouble);
    return;
  }
  listen();
  switchArrows(preference("arrows", true));
  showButtons();
  if (address.get("flip")) flip();
  const showing = beginShowing();
  let loaded = null;
  try {
    loaded = await loadTables();
    // What else there is does not wait for a server that solves the position first.
    if (showing) await Promise.race([showing.catch(showRefusal), waiting]);
    else if (address.has("exercise")) await Promise.race([beginExercise(address.get("exercise")), waiting]);
    else await start(loaded.fallback, {});
  } catch (error) {
    showRefusal(error);
  }
  await showOthers(loaded);
  if (server.published) {
    const { Keeping } = await import("./keeping.js");
    await new Keeping().show().catch(() => {}); // offered at the next visit
  }
}

begin();
