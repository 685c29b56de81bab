// The list of the tables, sorted and searched, and the choice of a material.

import { materialAddress } from "./addresses.js";
import { byId, make } from "./page.js";
import { bytes, percent, plies, plural } from "./words.js";

function cell(text, kind = "td", className = "") {
  return make(kind, className, text);
}

/** Return the longest win of a table, by what it holds; null if there is none. */
export function longestWin(table) {
  return table.longest_win ?? table.dtz_longest_win ?? null;
}

/** Return a bar of the shares of some counts, [colour, count] each, with the shares in words. */
export function shareCell(parts, more = "") {
  const positions = parts.reduce((sum, [, count]) => sum + count, 0);
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
  one.append(bar, parts.map(([, count]) => percent(count, positions)).join(" · ") + more);
  return one;
}

/** Return a bar of White's wins, draws and Black's wins. */
function shares(table) {
  const { white_to_move: white, black_to_move: black, positions } = table;
  const byRule = [white, black].reduce((sum, side) => sum + (side.cursed_win ?? 0) + (side.blessed_loss ?? 0), 0);
  const cursed = byRule ? `, ${percent(byRule, positions)} cursed` : "";
  return shareCell(
    [
      ["white", white.win + black.loss],
      ["draw", white.draw + black.draw],
      ["black", white.loss + black.win],
    ],
    cursed,
  );
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
  const about = make("a", "about", "about");
  about.href = materialAddress(table.material);
  about.setAttribute("aria-label", `About ${table.material}`);
  head.append(button, " ", about);
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

// What the columns are sorted by, besides "order", that of the server: simpler materials first.
const KEYS = {
  positions: (table) => table.positions,
  shares: (table) => (table.white_to_move.win + table.black_to_move.loss) / table.positions,
  mate: (table) => table.longest_win?.plies,
  zeroing: (table) => table.dtz_longest_win?.plies,
  bytes: (table) => table.bytes,
};

/** Return whether a material has all the men of a text, whatever their order: "rn" finds KRKN. */
function matches(material, text) {
  const sought = text.toUpperCase().replaceAll(/[^KQRBNP]/g, "");
  const count = (letters, letter) => letters.split(letter).length;
  return [...new Set(sought)].every((letter) => count(material, letter) >= count(sought, letter));
}

export class TableList {
  #tables = [];
  #rows = new Map();
  #key = "order";
  #descending = false;

  /** `choose(table)` is called when one is clicked. */
  constructor(choose) {
    this.choose = choose;
    for (const button of document.querySelectorAll("#tables thead button")) {
      button.addEventListener("click", () => this.#sortBy(button.dataset.key));
    }
    byId("search").addEventListener("input", () => this.#arrange());
  }

  show(tables, server) {
    this.#tables = tables;
    this.#rows = new Map(tables.map((table) => [table, row(table, server.location, this.choose)]));
    const sound = tables.filter((table) => table.positions);
    byId("material").replaceChildren(...sound.map((table) => new Option(table.material)));
    if (!tables.length) {
      const remedy = server.location === null ? "" : `: “tablebase build ${server.location} KRK” makes one`;
      this.#note(`None yet${remedy}.`);
    } else {
      this.#arrange();
    }
  }

  /** Sort by a column, numbers beginning with the largest; again turns the order round. */
  #sortBy(key) {
    this.#descending = key === this.#key ? !this.#descending : key !== "order";
    this.#key = key;
    this.#arrange();
  }

  #arrange() {
    const sign = this.#descending ? -1 : 1;
    const value = (table, i) => {
      if (this.#key === "order") return i;
      return (table.positions && KEYS[this.#key](table)) ?? null;
    };
    const found = this.#tables
      .map((table, i) => ({ table, i, key: value(table, i) }))
      .filter(({ table }) => matches(table.material, byId("search").value));
    // What has no value comes last either way.
    found.sort((a, b) => (a.key === null) - (b.key === null) || sign * (a.key - b.key) || a.i - b.i);
    byId("table-rows").replaceChildren(...found.map(({ table }) => this.#rows.get(table)));
    if (!found.length) this.#note("No table matches.");
    byId("found").textContent = `${found.length} of ${plural(this.#tables.length, "table")}`;
    for (const button of document.querySelectorAll("#tables thead button")) {
      const order = this.#descending ? "descending" : "ascending";
      button.parentElement.setAttribute("aria-sort", button.dataset.key === this.#key ? order : "none");
    }
  }

  #note(text) {
    const note = cell(text);
    note.colSpan = 6;
    byId("table-rows").replaceChildren(make("tr", "", note));
  }
}
