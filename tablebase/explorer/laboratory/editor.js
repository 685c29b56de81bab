// A small board on which one clicks how a piece moves.

import { drawMan } from "../web/board.js";
import { make, makeButton } from "../web/page.js";
import { GameError, betzaOf, readBetza } from "./betza.js";

const AROUND = 3; // squares that the board shows on each side of the piece
const FAR = 7;
const MODES = { both: "moves and takes", quiet: "moves only", captures: "takes only" };

const sameVector = (one, two) => one[0] === two[0] && one[1] === two[1];

/** The board of a piece; `changed(notation)` is called after each click, or when the notation was typed. */
export class PieceEditor {
  #changed;
  #letter;
  #rules;
  #steps;
  #mode = "both";
  #squares = make("div", "squares");
  #text = make("input");
  #around = make("input");

  constructor(letter, rules, changed) {
    [this.#letter, this.#rules, this.#changed] = [letter, rules, changed];
    Object.assign(this.#text, { autocomplete: "off", spellcheck: false, maxLength: 60 });
    this.#text.addEventListener("change", () => changed(this.#text.value.trim()));
    Object.assign(this.#around, { type: "checkbox", checked: true });
    const mode = make("select");
    mode.append(...Object.entries(MODES).map(([value, text]) => new Option(text, value)));
    mode.addEventListener("change", () => {
      this.#mode = mode.value;
    });
    this.#squares.style.gridTemplate = `repeat(${2 * AROUND + 1}, 1fr) / repeat(${2 * AROUND + 1}, 1fr)`;
    this.#squares.setAttribute("role", "group");
    this.#squares.setAttribute("aria-label", `Moves of ${letter}`);
    this.element = make(
      "div", "piece kinds", make("h2", "", `Piece ${letter}`), this.#squares,
      make("div", "", make("label", "", "A click sets what it ", mode), make("label", "", this.#around, " in all directions"),
        make("label", "", "in Betza’s notation ", this.#text)),
    );
  }

  /** Show the moves of a notation; what cannot be read leaves the board as it was. */
  show(notation) {
    this.#text.value = notation;
    try {
      this.#steps = notation ? readBetza(notation) : { captures: [], quiet: [] };
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      this.#steps ??= { captures: [], quiet: [] };
    }
    const focused = [...this.#squares.children].indexOf(document.activeElement);
    const squares = [];
    for (let y = AROUND; y >= -AROUND; y -= 1) for (let x = -AROUND; x <= AROUND; x += 1) squares.push(this.#square(x, y));
    this.#squares.replaceChildren(...squares);
    this.#squares.children[focused]?.focus();
  }

  #square(x, y) {
    const colour = (x + y) % 2 ? "deep" : "pale";
    if (!x && !y) return make("span", colour, drawMan(this.#letter, this.#rules));
    const reaching = (steps) => steps.find(([dx, dy, reach]) => {
      const times = dx ? x / dx : y / dy;
      return Number.isInteger(times) && times > 0 && times <= reach && sameVector([times * dx, times * dy], [x, y]);
    });
    const [takes, goes] = [reaching(this.#steps.captures), reaching(this.#steps.quiet)];
    const step = takes ?? goes;
    const kind = !step ? "" : `${step[2] > 1 ? "ride" : "step"} ${!goes ? "takes" : !takes ? "quiet" : ""}`;
    const side = (count, one, other) => (count ? `${Math.abs(count)} ${count > 0 ? one : other}` : "");
    const place = [side(x, "right", "left"), side(y, "up", "down")].filter(Boolean).join(", ");
    const told = step ? `${step[2] > 1 ? "repeated step" : "step"}${!goes ? ", takes only" : !takes ? ", moves only" : ""}` : "none";
    return makeButton(`${colour} ${kind}`, "", () => this.#click(x, y), `${place}: ${told}`);
  }

  /** Go on from no step to a step, a step that is repeated, none. */
  #click(x, y) {
    const of = (steps) => steps.find((step) => sameVector(step, [x, y]))?.[2] ?? 0;
    const [takes, goes] = [of(this.#steps.captures), of(this.#steps.quiet)];
    const mode = takes && goes ? "both" : takes ? "captures" : "quiet";
    const before = mode === this.#mode ? takes || goes : 0;
    const isRepeated = Math.floor(FAR / Math.max(Math.abs(x), Math.abs(y))) > 1;
    const reach = before === 0 ? 1 : before === 1 && isRepeated ? FAR : 0;
    const images = [[x, y], [-x, y], ...(this.#around.checked ? [[x, -y], [-x, -y], [y, x], [-y, x], [y, -x], [-y, -x]] : [])]
      .filter((one, i, all) => all.findIndex((other) => sameVector(one, other)) === i);
    const changed = (steps, isSet) => [
      ...steps.filter((step) => !images.some((image) => sameVector(step, image))),
      ...(isSet && reach ? images.map((image) => [...image, reach]) : []),
    ];
    this.#changed(betzaOf({
      captures: changed(this.#steps.captures, this.#mode !== "quiet"),
      quiet: changed(this.#steps.quiet, this.#mode !== "captures"),
    }));
  }
}
