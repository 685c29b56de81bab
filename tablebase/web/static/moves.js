// Moves as lists: those that are legal, ranked, and those of a line.

import { make, withTooltips } from "./page.js";
import { isInDoubt, outcome } from "./words.js";

const HEADINGS = {
  win: "Winning",
  holding: "Winning or drawing",
  unknown: "Unknown",
  cursed: "Cursed wins, drawn by the 50-move rule",
  draw: "Drawing",
  doubtful: "Drawing or losing",
  blessed: "Blessed losses, drawn by the 50-move rule",
  loss: "Losing",
};

function moveRow(move, told, play) {
  const row = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.className = `move ${told.group}`;
  button.dataset.uci = move.uci;
  for (const [name, text] of Object.entries({ san: move.san, text: told.text + (isInDoubt(move) ? " *" : ""), plies: told.plies })) {
    const part = document.createElement("span");
    part.className = name;
    part.append(...withTooltips(text, { inControl: true }));
    button.append(part, " ");
  }
  button.addEventListener("click", () => play(move));
  row.append(button);
  return row;
}

/** Return a section for the winning moves, the drawing ones and so on, each best first. */
export function moveGroups(moves, play) {
  const groups = Object.fromEntries(Object.keys(HEADINGS).map((group) => [group, []]));
  for (const move of moves) {
    const told = outcome(move);
    groups[told.group].push(moveRow(move, told, play));
  }
  const filled = Object.entries(groups).filter(([, rows]) => rows.length);
  return filled.map(([group, rows]) => {
    const section = document.createElement("section");
    const heading = document.createElement("h3");
    heading.append(...withTooltips(`${HEADINGS[group]} · ${rows.length}`));
    const list = document.createElement("ol");
    list.append(...rows);
    section.append(heading, list);
    return section;
  });
}

const MARKS = ["", "!", "?", "!!", "??", "!?", "?!"]; // of moves, by their numbers in PGN
const FAULTS = { 2: "mistake", 4: "mistake", 6: "slower" }; // the marks that the server gives
const NESTED = 6; // the deepest indentation of variations

/** Return an item of a line: "3." before White's move, "3…" before a first one of Black. */
export function lineItem({ san, turn, number, nags = [], comment = "", judged = null }, first, act, isCurrent = false) {
  const item = document.createElement("li");
  if (turn === "w" || first) item.append(`${number}${turn === "w" ? "." : "…"} `);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = san + nags.map((nag) => MARKS[nag] ?? "").join("");
  const fault = nags.map((nag) => FAULTS[nag]).find(Boolean);
  if (fault) button.className = fault;
  if (judged && !fault) {
    button.className = `${judged.fault} marked`;
    button.title = judged.text;
    button.setAttribute("aria-description", judged.text);
  }
  if (isCurrent) button.setAttribute("aria-current", "step");
  button.addEventListener("click", act);
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
