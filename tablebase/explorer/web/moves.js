// Moves as lists: those that are legal, ranked, and those of a line.

import { make, makeButton, withTooltips } from "./page.js";
import { isInDoubt, outcome, plural } from "./words.js";

// What some moves do; with a better result there, "only".
const DO = {
  win: ["wins", "win"],
  holding: ["wins or draws", "win or draw"],
  unknown: ["is not known", "are not known"],
  cursed: ["is a cursed win", "are cursed wins"],
  draw: ["draws", "draw"],
  doubtful: ["draws or loses", "draw or lose"],
  blessed: ["is a blessed loss", "are blessed losses"],
  loss: ["loses", "lose"],
};
const BY_RULE = { cursed: ", drawn by the 50-move rule", blessed: ", drawn by the 50-move rule" };

/** Return how many moves do what, in words; `isOnly`: others do better. */
function heading(group, count, isOnly) {
  const verb = DO[group][count === 1 ? 0 : 1];
  const only = isOnly && group === "draw" ? "only " : "";
  return `${plural(count, "move")} ${only}${verb}${BY_RULE[group] ?? ""}`;
}

function moveButton(move, { group, text, label = text }, play) {
  const button = makeButton(`move ${group}`, move.san, () => play(move), `${move.san}: ${label}`);
  button.dataset.uci = move.uci;
  if (label !== text) button.title = label;
  return button;
}

/** Return a row of moves of the same value: what it is, once, and their buttons. */
function valueRow(told, moves, rules, play) {
  const parts = ["text", ...(told.plies ? ["plies"] : [])];
  const value = parts.map((part) => make("span", part, ...withTooltips(told[part], rules)));
  const buttons = moves.map((move) => moveButton(move, outcome(move, rules), play));
  return make("li", `value ${told.group}`, make("p", "", ...value), make("div", "chips", ...buttons));
}

/** Return a section for the winning moves, the drawing ones and so on, with a row for each value, best first. */
export function moveGroups(moves, rules, play) {
  const groups = new Map(Object.keys(DO).map((group) => [group, new Map()]));
  for (const move of moves) {
    const told = outcome(move, rules);
    const text = told.text + (isInDoubt(move) ? " *" : "");
    const rows = groups.get(told.group);
    const key = `${text}\n${told.plies}`;
    if (!rows.has(key)) rows.set(key, { told: { ...told, text }, moves: [] });
    rows.get(key).moves.push(move);
  }
  const filled = [...groups].filter(([, rows]) => rows.size);
  return filled.map(([group, rows], i) => {
    const count = [...rows.values()].reduce((sum, row) => sum + row.moves.length, 0);
    const title = make("h3", "", ...withTooltips(heading(group, count, i > 0), rules));
    const list = make("ol", "", ...[...rows.values()].map((row) => valueRow(row.told, row.moves, rules, play)));
    return make("section", "", title, list);
  });
}

const MARKS = ["", "!", "?", "!!", "??", "!?", "?!"]; // of moves, by their numbers in PGN
const FAULTS = { 2: "mistake", 4: "mistake", 6: "slower" }; // the marks that the server gives
const NESTED = 6; // the deepest indentation of variations

/** Return an item of a line: "3." before White's move, "3…" before a first one of Black. */
export function lineItem({ san, turn, number, nags = [], comment = "", judged = null }, first, act, isCurrent = false) {
  const item = make("li");
  if (turn === "w" || first) item.append(`${number}${turn === "w" ? "." : "…"} `);
  const button = makeButton("", san + nags.map((nag) => MARKS[nag] ?? "").join(""), act);
  const fault = nags.map((nag) => FAULTS[nag]).find(Boolean);
  if (fault) button.className = fault;
  if (judged && !fault) {
    button.className = `${judged.fault} marked`;
    button.title = judged.text;
    button.setAttribute("aria-description", judged.text);
  }
  if (isCurrent) button.setAttribute("aria-current", "step");
  item.append(button);
  const words = inWords(comment);
  if (words) item.append(" ", make("span", "comment", words));
  return item;
}

/** Return a comment of PGN without the commands in it, like [%eval #3]. */
function inWords(comment) {
  return comment.replaceAll(/\[%[^\]]*\]/g, "").replaceAll(/\s+/g, " ").trim();
}

/** Return the items of a game's tree after one of its nodes: a line with lists of variations. */
export function treeItems(game, jump, after = 0, depth = 0) {
  const item = (at, first) => lineItem(game.nodes[at], first, () => jump(at), at === game.at);
  const items = [];
  let fresh = depth === 0; // whether the number is to be told of Black's move, too
  for (let here = after; game.nodes[here].children.length; ) {
    const [first, ...others] = game.nodes[here].children;
    items.push(item(first, fresh));
    fresh = others.length > 0 || inWords(game.nodes[first].comment ?? "") !== "";
    for (const other of others) {
      const line = [item(other, true), ...treeItems(game, jump, other, depth + 1)];
      if (depth < NESTED) items.push(make("li", "variation", make("ol", "line", ...line)));
      else items.push(...line);
    }
    here = first;
  }
  return items;
}
