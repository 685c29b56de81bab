// The page of a material: what its file says at once, what one pass over it finds a little later.

import { FIFTY_MOVES } from "../reader/outcomes.js";
import { readLoosely } from "../reader/position.js";
import { CHESS } from "../reader/rules.js";
import { OF_GAME, ROOT, materialOfAddress, positionAddress } from "./addresses.js";
import { histogram } from "./charts.js";
import { bytes, percent } from "./figures.js";
import { miniBoard } from "./miniboard.js";
import { byId, copy, make, withTooltips } from "./page.js";
import * as source from "./source.js";
import { listenToTips } from "./tips.js";
import { endsByMate, plies, plural } from "./words.js";

const SIDES = { white_to_move: "White to move", black_to_move: "Black to move" };
const RESULTS = { win: "wins", cursed_win: "of which cursed", draw: "draws", loss: "losses", blessed_loss: "of which blessed" };
const MAIN = ["win", "draw", "loss"];
const METRICS = { dtm: "to mate", dtz: "to zeroing" };
const ZUGZWANGS = {
  white_draws_black_loses: "White to move draws, Black to move loses",
  white_loses_black_draws: "White to move loses, Black to move draws",
  both_lose: "the side to move loses",
};

const name = materialOfAddress();
let rules = CHESS; // until those of another game are here
const mateOrEnd = () => (endsByMate(rules) ? "mate" : "end");
const sidesOf = (table) => Object.keys(SIDES).slice(0, table.symmetric ? 1 : 2);
const winner = (side, result) => ((side === "white_to_move") === (result === "win") ? "White" : "Black");
const moves = (distance) => Math.ceil(distance / 2);
const inPlies = (place, metric, result) => (metric === "dtz" ? place : 2 * place - (result === "win"));
const inMoves = (distance) => `${plural(moves(distance), "move")} (${plies(distance)})`;

/** Return a small board, which links to its position in the explorer, with words below it. */
function smallBoard(fen, told) {
  const { checks } = readLoosely(fen, rules);
  const words = rules.check_counting ? `${told} · checks left ${checks.join("+")}` : told;
  const link = make("a", "small", miniBoard(fen, rules));
  link.href = positionAddress(fen);
  link.title = fen;
  link.setAttribute("aria-label", words);
  return make("figure", "", link, make("figcaption", "words", ...withTooltips(words, rules)));
}

function showFacts(table) {
  byId("title").textContent = table.title;
  document.title = `${table.material} · Endgame explorer`;
  const distances = table.metrics.map((metric) => METRICS[metric]).join(" and ");
  byId("facts").textContent = [
    table.material,
    `${plural(table.positions, "position")} up to symmetry`,
    `distances ${distances}`,
    table.bytes ? bytes(table.bytes) : "solved on your device when you ask",
  ].join(" · ");
}

function showResults(table) {
  const isThere = (result) => sidesOf(table).some((side) => table[side][result]);
  const results = Object.keys(RESULTS).filter((result) => MAIN.includes(result) || isThere(result));
  const heads = ["Side to move", ...results.map((result) => RESULTS[result])].map((text, i) => {
    const head = make("th", i ? "number" : "", ...withTooltips(text, rules));
    head.scope = "col";
    return head;
  });
  byId("results-head").replaceChildren(...heads);
  const rows = sidesOf(table).map((side) => {
    const counts = table[side];
    const total = counts.win + counts.draw + counts.loss;
    const head = make("th", "", SIDES[side].replace(" to move", ""));
    head.scope = "row";
    const share = (count) => (count ? ` (${percent(count, total)})` : "");
    const cells = results.map((result) => {
      const cell = make("td", "number", `${counts[result].toLocaleString("en")}${share(counts[result])}`);
      cell.dataset.label = RESULTS[result];
      return cell;
    });
    return make("tr", "", head, ...cells);
  });
  byId("results").replaceChildren(...rows);
}

/** Return what is drawn for each metric, side to move and result that there is. */
function drawn(table, draw) {
  const kinds = table.metrics.flatMap((metric) =>
    sidesOf(table).flatMap((side) => ["win", "loss"].map((result) => [metric, side, result])));
  return kinds.map((kind) => draw(table, ...kind)).filter(Boolean);
}

/** Return a chart of the distances of a result, null if there are none. */
function chart(table, metric, side, result) {
  const counts = new Map();
  for (const [distance, count] of Object.entries(table.histograms[metric][side][result])) {
    const place = metric === "dtm" ? moves(Number(distance)) : Number(distance);
    counts.set(place, (counts.get(place) ?? 0) + count);
  }
  if (!counts.size) return null;
  const title = `${SIDES[side]}, ${winner(side, result)} wins`;
  const unit = metric === "dtm" ? `moves to ${endsByMate(rules) ? "mate" : "the end"}` : "plies to zeroing";
  const limit = metric === "dtz" ? FIFTY_MOVES : Infinity;
  const turn = side[0]; // w or b
  const choose = (place) => open(source.find, { turn, result, metric, plies: inPlies(place, metric, result) });
  return histogram(counts, { title, kind: result, unit, limit, choose });
}

/** Return a link to the longest win or loss, null if there is none. */
function longest(table, metric, side, result) {
  const one = table.longest[metric][side][result];
  if (!one) return null;
  const isByRule = metric === "dtz" && one.plies > FIFTY_MOVES;
  const end = isByRule ? "would win, but the 50-move rule draws" : "wins";
  const over = endsByMate(rules) ? "checkmate" : "the game is over";
  const far = one.plies === 0 ? over : metric === "dtm" ? `${mateOrEnd()} in ${inMoves(one.plies)}` : `DTZ ${one.plies}`;
  return smallBoard(one.fen, `${SIDES[side]}, ${winner(side, result)} ${end}: ${far}`);
}

function showSurvey(table, { longest_wins: wins, mutual_zugzwangs: zugzwangs }) {
  for (const side of sidesOf(table)) {
    const told = table.longest.dtm[side].win;
    const others = (wins[side] ?? []).filter((fen) => fen !== told?.fen);
    const words = told && `${SIDES[side]}: also ${mateOrEnd()} in ${moves(told.plies)}`;
    byId("longest").append(...others.map((fen) => smallBoard(fen, words)));
  }
  const counts = Object.entries(ZUGZWANGS)
    .filter(([kind]) => zugzwangs[kind])
    .map(([kind, words]) => `${zugzwangs[kind].toLocaleString("en")}: ${words}`);
  byId("zugzwangs-note").textContent = counts.length
    ? `Placements, up to symmetry, in which either side would rather see the other move. ${counts.join(" · ")}.`
    : "There are none.";
  const result = (distance) => (distance ? `loses in ${moves(-distance)}` : "draws");
  const boards = zugzwangs.examples.map((one) => {
    const words = `White to move ${result(one.white_to_move)}, Black to move ${result(one.black_to_move)}`;
    return smallBoard(`${one.placement} w - - ${one.checks ? `${one.checks} ` : ""}0 1`, words);
  });
  byId("zugzwangs").replaceChildren(...boards);
}

function showDifficult(positions) {
  byId("difficult-note").textContent = positions.length
    ? "A player who sees four plies sees no good move here, and overlooks some mistakes. Difficulty is the share of these among them and the moves that keep the result."
    : "No position hides a mistake from a player who sees four plies.";
  const boards = positions.map(({ fen, turn, result, difficulty }) => {
    const side = turn === "w" ? "White" : "Black";
    return smallBoard(fen, `${side} to ${result === "win" ? "win" : "draw"}: difficulty ${difficulty.toFixed(2)}`);
  });
  byId("difficult").replaceChildren(...boards);
}

/** Name the command for a report that links back here; people of other machines have no use for it. */
async function showReport({ material }) {
  const { location: folders } = await source.about();
  if (folders === null || !rules.chess) return; // the command would name the table of chess
  const command = `tablebase report ${material} ${folders} --explorer ${ROOT}`;
  byId("report-command").textContent = command;
  byId("report-copy").addEventListener("click", () => copy(byId("report-copy"), command, "Copy it from here"));
  byId("report").hidden = false;
}

/** Go to a position of the explorer. */
async function open(choice, wanted = {}) {
  document.body.setAttribute("aria-busy", "true");
  try {
    const { fen } = await choice(name, wanted);
    location.href = positionAddress(fen);
  } catch (error) {
    showError(error);
    byId("error").scrollIntoView({ block: "nearest" });
  }
  document.body.removeAttribute("aria-busy");
}

function showError(error) {
  if (!(error instanceof source.Refused)) throw error;
  byId("error").textContent = error.message;
}

/** Show what takes a pass over the table, or in a note why not. */
async function showFound(show, note, without) {
  try {
    await show();
  } catch (error) {
    if (!(error instanceof source.Refused)) throw error;
    byId(note).textContent = `${without}: ${error.message}.`;
  }
}

async function begin() {
  listenToTips();
  let table;
  try {
    rules = await source.rules();
    table = await source.table(name);
  } catch (error) {
    byId("title").textContent = "No such page";
    showError(error);
    return;
  }
  for (const link of document.querySelectorAll("[data-explorer]")) link.search = OF_GAME.slice(0, -1);
  showFacts(table);
  showResults(table);
  const charts = drawn(table, chart);
  byId("charts").replaceChildren(...(charts.length ? charts : [make("p", "note", "No position is won.")]));
  byId("longest").replaceChildren(...drawn(table, longest));
  byId("actions").hidden = byId("content").hidden = false;
  byId("hardest").disabled = !charts.length;
  byId("random").addEventListener("click", () => open(source.random));
  byId("hardest").addEventListener("click", () => open(source.hardest));
  await showFound(async () => showSurvey(table, await source.survey(name)), "zugzwangs-note", "Not counted");
  await showFound(async () => showDifficult(await source.difficult(name)), "difficult-note", "Not looked for");
  await showReport(table);
}

begin();
