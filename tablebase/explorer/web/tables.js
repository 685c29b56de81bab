// The list of the tables, sorted and searched, and the choice of a material.

import { LABORATORY, materialAddress } from "./addresses.js";
import { bytes, percent } from "./figures.js";
import { byId, make, makeButton } from "./page.js";
import { plies, plural } from "./words.js";

const cell = (text, className = "") => make("td", className, text);

/** Return a bar of White's wins, draws and Black's wins, with their shares in words. */
export function shares(table) {
  const { white_to_move: white, black_to_move: black, positions } = table;
  const byRule = [white, black].reduce((sum, side) => sum + (side.cursed_win ?? 0) + (side.blessed_loss ?? 0), 0);
  const cursed = byRule ? `, ${percent(byRule, positions)} cursed` : "";
  const counts = { white: white.win + black.loss, draw: white.draw + black.draw, black: white.loss + black.win };
  const parts = Object.entries(counts).map(([kind, count]) => {
    const part = make("span", kind);
    part.style.flexGrow = count / positions;
    return part;
  });
  const bar = make("span", "shares", ...parts);
  bar.setAttribute("aria-hidden", "true");
  return make("td", "", bar, Object.values(counts).map((count) => percent(count, positions)).join(" · ") + cursed);
}

function row(table, location, choose) {
  const head = make("th");
  head.scope = "row";
  const line = make("tr", "", head);
  if (table.damaged || table.unreadable) {
    head.textContent = table.material;
    const verify = location === null ? "" : `: “tablebase verify ${location} ${table.material}” says more`;
    const note = cell(table.damaged ? `damaged${verify}` : "cannot be read at the moment");
    note.colSpan = 5;
    line.append(note);
    return line;
  }
  const about = make("a", "about", "about");
  about.href = materialAddress(table.material);
  about.setAttribute("aria-label", `About ${table.material}`);
  about.hidden = LABORATORY !== null;
  head.append(makeButton("", table.material, () => choose(table)), " ", about);
  const { longest_win: mate, dtz_longest_win: zeroing } = table;
  const told = (win, text) => (win === undefined ? "–" : win ? text(win) : "none");
  line.append(
    cell(table.positions.toLocaleString("en"), "number"),
    shares(table),
    cell(told(mate, ({ moves }) => plural(moves, "move")), "number"),
    cell(told(zeroing, (win) => plies(win.plies)), "number"),
    cell(table.bytes ? bytes(table.bytes) : "none", "number"),
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
