// The page: a line of positions, the answer of the server for the one shown, and what to click.

import { Refused, ask } from "./api.js";
import { Board } from "./board.js";
import { lineItem, moveGroups } from "./moves.js";
import { fillPalette } from "./palette.js";
import { SIDES, afterMove, emptyPosition, readFen, stepsOf, writeFen } from "./position.js";
import { askPromotion } from "./promotion.js";
import { showTables } from "./tables.js";
import { outcome, plural, verdict } from "./words.js";

const byId = (id) => document.getElementById(id);
const FALLBACK = "8/8/8/8/8/1k6/8/1K6 w - - 0 1";
const WATCH_PACE = 700; // milliseconds a move

// The positions gone through ({fen, move}), the one shown, and what is known of it.
let line = [];
let at = 0;
let position = emptyPosition();
let answer = null;
let best = null; // the mating line from here
let setting = false;
let brush = null; // while setting up: a man, "erase", or null to move men
let watching = null;
let asking = new AbortController();

const board = new Board(byId("board"), {
  canPick: (square) => (setting ? Boolean(position.men[square]) : movesFrom(square).length > 0),
  targets: (square) => (setting ? null : targetsOf(square)),
  move: (from, to) => (setting ? carry(from, to) : choose(from, to)),
  place: (square, man) => edit(square, man),
  tap: (square) => {
    if (!setting || brush === null) return false;
    const same = position.men[square] === brush;
    edit(square, brush === "erase" || same ? null : brush);
    return true;
  },
  letter: (square, key) => {
    if (!setting) return false;
    if (key === "Delete" || key === "Backspace") edit(square, null);
    else if (/^[kqrbnp]$/i.test(key)) {
      edit(square, (key === key.toUpperCase() ? "w" : "b") + key.toUpperCase());
    } else return false;
    return true;
  },
});

// --- the moves of the position shown ---

function movesFrom(square) {
  return answer ? answer.moves.filter((move) => move.uci.startsWith(square)) : [];
}

function targetsOf(square) {
  const targets = new Map();
  for (const move of movesFrom(square)) {
    const to = move.uci.slice(2, 4);
    const { group, text } = outcome(move);
    if (!targets.has(to)) targets.set(to, { group, label: `${move.san}: ${text}` }); // best first
  }
  return targets;
}

async function choose(from, to) {
  const moves = movesFrom(from).filter((move) => move.uci.slice(2, 4) === to);
  const move = moves.length > 1 ? await promotionOf(moves) : moves[0];
  if (move) play(move);
  else board.select(null);
}

function promotionOf(moves) {
  return askPromotion(byId("promotion"), byId("promotion-choices"), moves, position.turn);
}

function play(move) {
  stopWatching();
  if (!answer?.moves.includes(move)) return; // of a position that is gone
  const before = position;
  const fen = writeFen(afterMove(before, move));
  const step = { fen, uci: move.uci, san: move.san, turn: before.turn, number: before.number };
  line = [...line.slice(0, at + 1), step];
  at += 1;
  byId("said").textContent = `${SIDES[before.turn]} played ${move.san}`;
  show({ animated: true, push: true });
}

function go(index) {
  if (index < 0 || index >= line.length || index === at) return;
  const animated = index === at + 1;
  at = index;
  show({ animated });
}

/** Go to a position of the line by hand. */
function jump(index) {
  stopWatching();
  go(index);
}

function start(fen, options = { push: true }) {
  line = [{ fen }];
  at = 0;
  return show(options);
}

// --- showing ---

async function show({ animated = false, push = false } = {}) {
  const { fen, uci } = line[at];
  remember(push);
  position = readFen(fen) ?? emptyPosition();
  answer = null;
  best = null;
  board.show(position.men, uci ? [uci.slice(0, 2), uci.slice(2, 4)] : [], animated);
  byId("fen").value = fen;
  document.querySelector(`[name=turn][value=${position.turn}]`).checked = true;
  showPlayed();
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  try {
    answer = await ask("/standard", { fen }, signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    showRefusal(error);
    return;
  }
  if (signal.aborted) return;
  showVerdict(verdict(answer, position));
  board.select(null);
  showMoves();
  showButtons();
  await showLine();
}

function remember(push) {
  const { fen } = line[at];
  const url = `?fen=${encodeURIComponent(fen.replaceAll(" ", "_")).replaceAll("%2F", "/")}`;
  const state = { line, at };
  if (push) history.pushState(state, "", url);
  else history.replaceState(state, "", url);
}

function showVerdict({ headline, detail, kind }) {
  byId("verdict").dataset.kind = kind;
  byId("headline").textContent = headline;
  byId("detail").textContent = detail;
  document.title = `${headline} · Endgame explorer`;
}

function showRefusal(error) {
  if (!(error instanceof Refused)) throw error;
  const headline = setting ? "Not a position yet" : "This position cannot be shown";
  showVerdict({ headline, detail: error.message, kind: "error" });
  byId("moves").replaceChildren();
  byId("moves-note").textContent = "";
  byId("line").replaceChildren();
  byId("line-note").textContent = "";
  stopWatching();
  board.select(null);
  showButtons();
}

function showButtons() {
  byId("first").disabled = byId("back").disabled = at === 0;
  byId("forward").disabled = byId("last").disabled = at === line.length - 1;
  byId("best").disabled = setting || !answer?.moves.length || answer.category === "unknown";
  byId("watch").disabled = !answer?.dtm;
}

function showMoves() {
  const count = answer.moves.length;
  byId("moves").replaceChildren(...moveGroups(answer.moves, play));
  byId("moves-note").textContent = count ? `${plural(count, "legal move")}, best first` : "No legal move";
}

function showPlayed() {
  byId("played-card").hidden = line.length < 2;
  const items = line.slice(1).map((step, i) => lineItem(step, i === 0, () => jump(i + 1), i + 1 === at));
  byId("played").replaceChildren(...items);
}

// --- the mating line ---

async function showLine() {
  if (!byId("line-card").open || !answer) return;
  const steps = await mainline();
  if (steps) byId("line").replaceChildren(...steps.map((step, i) => lineItem(step, !i, () => follow(i + 1))));
}

/** Return the line to mate from here, null if there is none or another position is shown by now. */
async function mainline() {
  const { signal } = asking;
  byId("line-note").textContent = answer.dtm ? "" : "There is no line to mate from here.";
  if (!answer.dtm) byId("line").replaceChildren();
  if (best || !answer.dtm) return best;
  try {
    const found = await ask("/standard/mainline", { fen: line[at].fen }, signal);
    if (signal.aborted) return null;
    best = stepsOf(position, found.mainline);
    return best;
  } catch (error) {
    if (error.name === "AbortError") return null;
    byId("line").replaceChildren();
    byId("line-note").textContent = error.message;
    return null;
  }
}

/** Go along the mating line, by a number of moves. */
function follow(count) {
  stopWatching();
  if (!best) return; // the next one is on its way
  line = [...line.slice(0, at + 1), ...best];
  at += count;
  show({ push: true });
}

async function watch() {
  if (watching) {
    stopWatching();
    return;
  }
  if (!(await mainline())) return;
  line = [...line.slice(0, at + 1), ...best];
  byId("watch").textContent = "Stop";
  const step = () => {
    go(at + 1);
    if (at === line.length - 1) stopWatching();
  };
  watching = setInterval(step, WATCH_PACE);
  step();
}

function stopWatching() {
  clearInterval(watching);
  watching = null;
  byId("watch").textContent = "Play it";
}

// --- setting up ---

function edit(square, man) {
  const men = { ...position.men };
  if (man) men[square] = man;
  else delete men[square];
  showEdited({ ...position, men });
}

function carry(from, to) {
  const men = { ...position.men };
  if (to) men[to] = men[from];
  delete men[from];
  showEdited({ ...position, men });
}

function showEdited(edited) {
  const fresh = { ...edited, castling: "-", passant: "-", clock: 0, number: 1 };
  start(writeFen(fresh), {});
}

function switchSetting(on) {
  setting = on;
  setBrush(null);
  byId("setup").setAttribute("aria-pressed", String(on));
  byId("setup").textContent = on ? "Done" : "Set up";
  for (const id of ["setting-up", "palette-top", "palette-bottom"]) byId(id).hidden = !on;
  byId("board").classList.toggle("setting", on);
  board.select(null);
  showButtons();
}

function setBrush(man) {
  brush = brush === man ? null : man;
  markBrush();
  board.select(null);
}

function markBrush() {
  for (const button of document.querySelectorAll("[data-man], #erase")) {
    button.setAttribute("aria-pressed", String((button.dataset.man ?? "erase") === brush));
  }
}

function fillPalettes() {
  const sides = board.flipped ? ["w", "b"] : ["b", "w"];
  for (const [i, id] of ["palette-top", "palette-bottom"].entries()) {
    fillPalette(byId(id), sides[i], setBrush, (event, man) => board.dragNew(event, man));
  }
  markBrush();
}

// --- what can be clicked ---

async function find(path, material) {
  try {
    const { fen } = await ask(path, { material });
    stopWatching();
    switchSetting(false);
    await start(fen);
  } catch (error) {
    showRefusal(error);
  }
}

async function copyLink() {
  const button = byId("share");
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copy it from above";
  }
  setTimeout(() => {
    button.textContent = "Copy link";
  }, 2000);
}

function listen() {
  const on = (id, act) => byId(id).addEventListener("click", act);
  on("first", () => jump(0));
  on("back", () => jump(at - 1));
  on("forward", () => jump(at + 1));
  on("last", () => jump(line.length - 1));
  on("best", () => play(answer.moves[0]));
  on("watch", watch);
  on("setup", () => switchSetting(!setting));
  on("clear", () => showEdited({ ...emptyPosition(), turn: position.turn }));
  on("erase", () => setBrush("erase"));
  on("share", copyLink);
  on("random", () => find("/random", byId("material").value));
  on("hardest", () => find("/hardest", byId("material").value));
  on("promotion-cancel", () => byId("promotion").close());
  on("flip", () => {
    board.flip();
    byId("flip").setAttribute("aria-pressed", String(board.flipped));
    fillPalettes();
  });
  for (const radio of document.getElementsByName("turn")) {
    radio.addEventListener("change", () => showEdited({ ...position, turn: radio.value }));
  }
  byId("fen-form").addEventListener("submit", (event) => {
    event.preventDefault();
    stopWatching();
    start(byId("fen").value.trim());
  });
  byId("material").addEventListener("change", nameButtons);
  byId("line-card").addEventListener("toggle", showLine);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, dialog, [role=grid], .scroll");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowLeft") jump(at - 1);
    if (event.key === "ArrowRight") jump(at + 1);
  });
  window.addEventListener("popstate", (event) => {
    stopWatching();
    if (event.state) ({ line, at } = event.state);
    show();
  });
}

function nameButtons() {
  const material = byId("material").value;
  byId("random").setAttribute("aria-label", `Random position of ${material}`);
  byId("hardest").setAttribute("aria-label", `Hardest position of ${material}`);
}

async function loadTables() {
  const { tables } = await ask("/tables");
  showTables(tables, byId("table-rows"), byId("material"), (table) => {
    byId("material").value = table.material;
    nameButtons();
    find(table.longest_win ? "/hardest" : "/random", table.material);
    byId("verdict").scrollIntoView({ block: "nearest" });
  });
  const first = tables.find((table) => table.material === "KRK") ?? tables.find((table) => table.longest_win);
  if (first) byId("material").value = first.material;
  nameButtons();
  return first?.longest_win?.fen ?? FALLBACK;
}

async function begin() {
  fillPalettes();
  listen();
  showButtons();
  const asked = new URLSearchParams(location.search).get("fen");
  const shown = asked === null ? null : start(asked.replaceAll("_", " "), {});
  try {
    const fallback = await loadTables();
    await (shown ?? start(fallback, {}));
  } catch (error) {
    showRefusal(error);
  }
}

begin();
