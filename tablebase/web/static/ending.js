// <chess-ending fen="..." practise tables="...">: a board with exact answers, in any page.
//
// `tablebase publish` makes one file of this module and all that it imports.

import { MAX_MEN, open } from "../reader/index.js";
import { PIECES } from "./addresses.js";
import { drawArrows } from "./arrows.js";
import { Board } from "./board.js";
import { STYLE } from "./endingstyle.js";
import { judge } from "./judgement.js";
import { afterMove, isInCheck, kingOf, readFen, writeFen } from "./position.js";
import { outcome, plural, verdict } from "./words.js";

const START = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";
const PACE = 500; // milliseconds until the tables answer
const SERVER = { max_men: MAX_MEN, location: null, solve: null, published: true };
const BESIDE = new URL("tables/", import.meta.url).href;

const opened = new Map(); // promises of tables by address, which all boards of a page share

function tablesAt(address) {
  if (!opened.has(address)) {
    const tables = open(address);
    opened.set(address, tables);
    tables.catch(() => opened.delete(address));
  }
  return opened.get(address);
}

function make(tag, attributes = {}, ...content) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  one.append(...content);
  return one;
}

/** A board that moves can be made on, with the result of the position and of each move.
 *
 * Attributes: `fen`, the position; `tables`, the address of published tables, by default the folder
 * `tables` beside this script; `practise`, to play the side to move against the tables, values hidden.
 * The event `position` tells of each position shown, with `fen` and `answer` in its detail.
 */
export class ChessEnding extends HTMLElement {
  static observedAttributes = ["fen", "tables", "practise"];

  #board;
  #parts = {};
  #steps = []; // {fen, uci, remark}: the positions gone through
  #position = readFen(START);
  #answer = null;
  #asked = 0;
  #side = "w"; // of the person who practises
  #revealed = false;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const part = (name, tag, attributes = {}, ...content) => {
      this.#parts[name] = make(tag, { part: name, class: name, ...attributes }, ...content);
      return this.#parts[name];
    };
    const button = (name, text, act) => {
      const one = part(name, "button", { type: "button" }, text);
      one.addEventListener("click", act);
      return one;
    };
    root.append(
      make("style", {}, STYLE),
      part("board", "div", { role: "grid" }),
      part("result", "div", { role: "status" }, part("headline", "p"), part("detail", "p")),
      part("choices", "div", { role: "group", "aria-label": "Promote to", hidden: "" }),
      make(
        "div",
        { class: "bar", role: "toolbar", "aria-label": "Moves" },
        button("back", "Back", () => this.#goBack()),
        button("best", "Best move", () => this.#playBest()),
        button("reveal", "Show values", () => this.#reveal()),
        button("flip", "Flip", () => this.#flip()),
        button("again", "Start again", () => this.#begin()),
      ),
      part("moves", "ol"),
    );
    this.#board = new Board(this.#parts.board, {
      canPick: (square) => this.#movesFrom(square).length > 0,
      targets: (square) => this.#targetsOf(square),
      move: (from, to) => this.#choose(from, to),
      place: () => {},
      tap: () => false,
      letter: () => false,
      leavesArrows: () => false,
    });
  }

  connectedCallback() {
    this.#begin();
  }

  attributeChangedCallback(_name, before, after) {
    if (this.isConnected && before !== after) this.#begin();
  }

  /** The FEN of the position shown. */
  get position() {
    return this.#steps.at(-1)?.fen ?? "";
  }

  get #practises() {
    return this.hasAttribute("practise");
  }

  get #hides() {
    return this.#practises && !this.#revealed && this.#isKnown;
  }

  get #waits() {
    return this.#practises && this.#position.turn !== this.#side;
  }

  get #isKnown() {
    const { moves } = this.#answer ?? {};
    return Boolean(moves?.length) && moves[0].category !== "unknown";
  }

  #begin() {
    const fen = (this.getAttribute("fen") ?? START).replaceAll("_", " ").trim();
    this.#side = readFen(fen)?.turn ?? "w";
    if (this.#practises && this.#board.flipped !== (this.#side === "b")) this.#board.flip();
    this.#steps = [{ fen }];
    this.#show();
  }

  async #show(animated = false) {
    const { fen, uci } = this.#steps.at(-1);
    const position = readFen(fen);
    const asked = (this.#asked += 1);
    this.#answer = null;
    this.#revealed = false;
    this.#parts.choices.hidden = true;
    if (!position) {
      this.#tell({ headline: "This FEN cannot be read", detail: fen, kind: "error" });
      return;
    }
    this.#position = position;
    const checked = isInCheck(position) ? kingOf(position, position.turn) : null;
    this.#board.show(position.men, uci ? [uci.slice(0, 2), uci.slice(2, 4)] : [], animated, checked);
    try {
      const address = new URL(this.getAttribute("tables") || BESIDE, document.baseURI).href;
      const answer = await (await tablesAt(address)).standard(fen);
      if (asked !== this.#asked) return; // another one is shown meanwhile
      this.#answer = answer;
    } catch (error) {
      if (asked !== this.#asked) return;
      this.#tell({ headline: "No value for this position", detail: error.message, kind: "error" });
      return;
    }
    this.#refresh();
    this.#answerMove(asked);
    this.dispatchEvent(new CustomEvent("position", { detail: { fen, answer: this.#answer }, bubbles: true }));
  }

  #refresh() {
    const { remark } = this.#steps.at(-1);
    const mine = this.#waits ? remark : this.#steps.at(-2)?.remark;
    const told = verdict(this.#answer, this.#position, SERVER);
    if (this.#hides) {
      const headline = this.#waits && mine?.fault === "mistake" ? "A mistake" : this.#waits ? "The tables to move" : "Your move";
      const detail = mine?.text ?? "Values are hidden.";
      this.#tell({ headline, detail, kind: "hidden" });
    } else {
      const loses = this.#answer.checkmate || this.#answer.category.endsWith("loss");
      const detail = remark && !this.#practises ? `${remark.text} ${told.detail}` : told.detail;
      this.#tell({ ...told, detail, kind: told.kind === "decided" ? (loses ? "loss" : "win") : told.kind });
    }
    this.#board.select(null);
  }

  /** Show a result, the moves, and what can be done. */
  #tell({ headline, detail, kind }) {
    const { moves, headline: head, detail: text, result, back, best, reveal } = this.#parts;
    head.textContent = headline;
    text.textContent = detail;
    result.dataset.kind = kind;
    const shown = this.#answer && !this.#hides ? this.#answer.moves : [];
    moves.replaceChildren(...shown.map((move) => this.#moveItem(move)));
    drawArrows(this.#board.overlay, shown, this.#board.flipped);
    back.disabled = this.#steps.length < 2;
    best.hidden = this.#practises;
    best.disabled = !this.#isKnown;
    reveal.hidden = !this.#practises;
    reveal.disabled = !this.#hides;
  }

  #moveItem(move) {
    const { group, text, plies } = outcome(move);
    const button = make("button", { type: "button", class: `move ${group}`, "data-uci": move.uci });
    button.append(make("b", {}, move.san), ` ${text}`);
    if (plies) button.title = plies.replace("\n", ", ");
    button.addEventListener("click", () => this.#play(move));
    return make("li", {}, button);
  }

  #movesFrom(square) {
    if (!this.#answer || this.#waits) return [];
    return this.#answer.moves.filter(({ uci }) => uci.startsWith(square));
  }

  #targetsOf(square) {
    const targets = new Map();
    for (const move of this.#movesFrom(square)) {
      const to = move.uci.slice(2, 4);
      const { group, text } = this.#hides ? { group: "plain", text: "legal" } : outcome(move);
      if (!targets.has(to)) targets.set(to, { group, label: `${move.san}: ${text}` }); // best first
    }
    return targets;
  }

  #choose(from, to) {
    const moves = this.#movesFrom(from).filter(({ uci }) => uci.slice(2, 4) === to);
    if (moves.length < 2) {
      if (moves.length) this.#play(moves[0]);
      return;
    }
    const { choices } = this.#parts;
    const inOrder = [..."qrbn"].map((kind) => moves.find(({ uci }) => uci[4] === kind));
    choices.replaceChildren(...inOrder.map((move) => {
      const man = this.#position.turn + move.uci[4].toUpperCase();
      const image = make("img", { src: PIECES[man], alt: move.san });
      const button = make("button", { type: "button", "data-uci": move.uci }, image);
      button.addEventListener("click", () => this.#play(move));
      return button;
    }));
    choices.hidden = false;
    choices.firstChild.focus();
  }

  #play(move) {
    if (!this.#answer?.moves.includes(move)) return; // of a position that is gone
    const fen = writeFen(afterMove(this.#position, move));
    const judged = this.#waits ? null : judge(move, this.#answer.moves);
    const remark = judged ?? (this.#waits ? undefined : { text: `${move.san} is right.` });
    this.#steps.push({ fen, uci: move.uci, remark: this.#practises ? remark : judged, waits: this.#waits });
    this.#show(true);
  }

  /** Let the tables answer a move of the person that was no mistake. */
  #answerMove(asked) {
    const { remark } = this.#steps.at(-1);
    if (!this.#waits || !this.#isKnown || !remark || remark.fault === "mistake") return;
    setTimeout(() => {
      if (asked === this.#asked && this.isConnected) this.#play(this.#answer.moves[0]);
    }, PACE);
  }

  #playBest() {
    if (this.#answer?.moves.length) this.#play(this.#answer.moves[0]);
  }

  /** Take the last move back; a person who practises takes back the tables' answer, too. */
  #goBack() {
    if (this.#steps.length < 2) return;
    this.#steps.pop();
    if (this.#practises && readFen(this.#steps.at(-1).fen).turn !== this.#side) this.#steps.pop();
    this.#show();
  }

  #reveal() {
    this.#revealed = true;
    this.#refresh();
  }

  #flip() {
    this.#board.flip();
    if (this.#answer) this.#refresh();
  }
}

if (!customElements.get("chess-ending")) customElements.define("chess-ending", ChessEnding);
