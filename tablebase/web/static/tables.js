// The list of the tables, and the choice of a material.

import { bytes, plies, plural } from "./words.js";

function cell(text, kind = "td", className = "") {
  const one = document.createElement(kind);
  one.textContent = text;
  if (className) one.className = className;
  return one;
}

/** Return the longest win of a table, by what it holds; null if there is none. */
export function longestWin(table) {
  return table.longest_win ?? table.dtz_longest_win ?? null;
}

/** Return a bar of White's wins, draws and Black's wins, with the shares in words. */
function shares(table) {
  const { white_to_move: white, black_to_move: black, positions } = table;
  const parts = [
    ["white", white.win + black.loss],
    ["draw", white.draw + black.draw],
    ["black", white.loss + black.win],
  ];
  const one = cell("");
  const bar = document.createElement("span");
  bar.className = "shares";
  bar.setAttribute("aria-hidden", "true");
  for (const [kind, count] of parts) {
    const part = document.createElement("span");
    part.className = kind;
    part.style.flexGrow = count / positions;
    bar.append(part);
  }
  const percent = (count) => {
    const share = (100 * count) / positions;
    return count && share < 0.05 ? "< 0.1 %" : `${share.toFixed(1)} %`;
  };
  const byRule = [white, black].reduce((sum, side) => sum + (side.cursed_win ?? 0) + (side.blessed_loss ?? 0), 0);
  const cursed = byRule ? `, ${percent(byRule)} cursed` : "";
  one.append(bar, parts.map(([, count]) => percent(count)).join(" · ") + cursed);
  return one;
}

function row(table, location, choose) {
  const line = document.createElement("tr");
  const head = cell("", "th");
  head.scope = "row";
  line.append(head);
  if (table.damaged || table.unreadable) {
    head.textContent = table.material;
    const verify = location === null ? "" : `: “tablebase verify ${location} ${table.material}” says more`;
    const note = cell(table.damaged ? `damaged${verify}` : "cannot be read at the moment");
    note.colSpan = 5;
    line.append(note);
    return line;
  }
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = table.material;
  button.addEventListener("click", () => choose(table));
  head.append(button);
  const { longest_win: mate, dtz_longest_win: zeroing } = table;
  const told = (win, text) => (win === undefined ? "–" : win ? text(win) : "none");
  line.append(
    cell(table.positions.toLocaleString("en"), "td", "number"),
    shares(table),
    cell(told(mate, ({ moves }) => plural(moves, "move")), "td", "number"),
    cell(told(zeroing, (win) => plies(win.plies)), "td", "number"),
    cell(bytes(table.bytes), "td", "number"),
  );
  return line;
}

/** Show the tables; `choose(table)` is called when one is clicked. */
export function showTables(tables, { location }, rows, select, choose) {
  rows.replaceChildren(...tables.map((table) => row(table, location, choose)));
  const sound = tables.filter((table) => table.positions);
  select.replaceChildren(...sound.map((table) => new Option(table.material)));
  if (!tables.length) {
    const line = document.createElement("tr");
    const note = cell(
      location === null ? "None yet." : `None yet: “tablebase build ${location} KRK” makes one.`,
    );
    note.colSpan = 6;
    line.append(note);
    rows.append(line);
  }
}
