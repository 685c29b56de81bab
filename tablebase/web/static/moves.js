// Moves as lists: those that are legal, ranked, and those of a line.

import { isInDoubt, outcome } from "./words.js";

const HEADINGS = {
  win: "Winning",
  unknown: "Unknown",
  cursed: "Cursed wins, drawn by the 50-move rule",
  draw: "Drawing",
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
    part.textContent = text;
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
    heading.textContent = `${HEADINGS[group]} · ${rows.length}`;
    const list = document.createElement("ol");
    list.append(...rows);
    section.append(heading, list);
    return section;
  });
}

/** Return an item of a line: "3." before White's move, "3…" before a first one of Black. */
export function lineItem({ san, turn, number }, first, act, isCurrent = false) {
  const item = document.createElement("li");
  if (turn === "w" || first) item.append(`${number}${turn === "w" ? "." : "…"} `);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = san;
  if (isCurrent) button.setAttribute("aria-current", "step");
  button.addEventListener("click", act);
  item.append(button);
  return item;
}

/** Return the button of a line that was left for another move: it names the first move left. */
export function leftLine({ steps, at }, act) {
  const { san, turn, number } = steps[at];
  const more = steps.length - at - 1;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = `Instead: ${number}${turn === "w" ? "." : "…"} ${san}${more ? ` … (+${more})` : ""}`;
  button.addEventListener("click", act);
  return button;
}
