// <chess-ending fen="..." practise rules="..." tables="...">: a board with exact answers, in any page.
//
// It imports what it needs from the folders beside it, where `tablebase publish` puts it.

import { MAX_MEN, open } from "./reader/index.js";
import { drawArrows } from "./web/arrows.js";
import { Board, drawMan } from "./web/board.js";
import { judge } from "./web/judgement.js";
import { afterMove, isInCheck, kingOf, readFen, rules, setRules, writeFen } from "./web/position.js";
import { remarkOn, taskOf } from "./web/task.js";
import { outcome, targetsOf, verdict } from "./web/words.js";

const START = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";
const PACE = 500; // milliseconds until the tables answer
const SERVER = { max_men: MAX_MEN, location: null, solve: null, published: true };
const CHESS = { ...rules };
const BESIDE = new URL("tables/", import.meta.url).href;

// Pages set its variables from outside.
const STYLE = `
:host {
  --light-square: var(--chess-light, #f0d9b5);
  --dark-square: var(--chess-dark, #b58863);
  --text: var(--chess-text, inherit);
  --ground: var(--chess-ground, transparent);
  --edge: var(--chess-edge, #9aa4ae);
  --accent: var(--chess-accent, #0b5cad);
  --win: var(--chess-win, #17652f);
  --draw: var(--chess-draw, #4b535c);
  --loss: var(--chess-loss, #a0222c);
  --cursed: var(--chess-cursed, #0a5a6b);
  --blessed: var(--chess-blessed, #6f2c91);
  --unknown: var(--chess-unknown, #7a4d00);
  --on-dark: #2b1708;
  display: block;
  box-sizing: border-box;
  width: 100%;
  max-width: var(--chess-width, 26rem);
  background: var(--ground);
  color: var(--text);
  font-family: var(--chess-font, inherit);
  line-height: 1.4;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.board { position: relative; display: grid; grid-template-rows: repeat(var(--ranks, 8), 1fr); aspect-ratio: var(--files, 8) / var(--ranks, 8); user-select: none; -webkit-user-select: none; }
.board [role="row"] { display: grid; grid-template-columns: repeat(var(--files, 8), 1fr); min-height: 0; }
.square { position: relative; min-width: 0; min-height: 0; margin: 0; padding: 0; border: 0; border-radius: 0; cursor: default; }
.square.light { background-color: var(--light-square); color: var(--dark-square); }
.square.dark { background-color: var(--dark-square); color: var(--light-square); }
.square.wall { background-color: var(--on-dark); }
.square.last { box-shadow: inset 0 0 0 100vmax rgb(240 190 40 / 40%); }
.square.selected { box-shadow: inset 0 0 0 100vmax rgb(20 110 210 / 45%); }
.square.over { box-shadow: inset 0 0 0 4px var(--on-dark); }
.square.check { background-image: radial-gradient(circle closest-side, rgb(220 20 30 / 95%) 20%, transparent 118%); }
.square.movable { cursor: grab; touch-action: none; }
.square.target { cursor: pointer; background: radial-gradient(circle closest-side, var(--mark) 50%, transparent 54%) center / 40% no-repeat; }
.square.target.light { background-color: var(--light-square); }
.square.target.dark { background-color: var(--dark-square); }
.square.target:has(img) { background-size: 96%; background-image: radial-gradient(circle closest-side, transparent 80%, var(--mark) 84%, var(--mark) 96%, transparent 100%); }
.square:focus-visible { z-index: 3; outline: 4px solid #0b3f7a; outline-offset: -4px; }
.square img { position: absolute; z-index: 1; inset: 0; width: 100%; height: 100%; pointer-events: none; }
.square.lifted img { opacity: 0.35; }
.square::before, .square::after { position: absolute; font: 600 0.65rem/1 system-ui, sans-serif; pointer-events: none; }
.square::before { content: attr(data-rank); top: 3px; left: 3px; }
.square::after { content: attr(data-file); right: 3px; bottom: 3px; }
.win { --mark: #064a1d; }
.draw, .plain { --mark: #2c3640; }
.loss { --mark: #830f1a; }
.cursed { --mark: #064652; }
.blessed { --mark: #56207a; }
.unknown, .holding, .doubtful { --mark: #5c3900; }
.arrows, .hint { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; opacity: 0.8; }
.arrows polygon { fill: var(--mark); }
.board:has(.selected) .arrows { display: none; }
.ghost { position: fixed; z-index: 20; top: 0; left: 0; aspect-ratio: 1; pointer-events: none; }
.result { margin: 0.6rem 0; padding-left: 0.6rem; border-left: 5px solid var(--edge); min-height: 3.4rem; }
.result[data-kind="win"] { border-color: var(--win); }
.result[data-kind="loss"], .result[data-kind="error"] { border-color: var(--loss); }
.result[data-kind="cursed"] { border-color: var(--cursed); }
.result[data-kind="blessed"] { border-color: var(--blessed); }
.result[data-kind="unknown"] { border-color: var(--unknown); }
p { margin: 0; }
.headline { font-size: 1.15em; font-weight: 700; }
.detail { font-size: 0.9em; }
.bar, .choices { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.choices { margin-bottom: 0.5rem; }
.choices img { width: 2.4rem; height: 2.4rem; }
.bar button, .choices button, .move {
  padding: 0.3rem 0.7rem;
  border: 1px solid var(--edge);
  border-radius: 7px;
  background: transparent;
  color: inherit;
  font: inherit;
  font-size: 0.9em;
  cursor: pointer;
}
button:disabled { opacity: 0.45; cursor: default; }
.bar button:hover:not(:disabled) { border-color: var(--accent); }
.moves { display: flex; flex-wrap: wrap; gap: 0.3rem; max-height: 14rem; margin: 0.6rem 0 0; padding: 0; overflow-y: auto; list-style: none; }
.move { border-left: 4px solid var(--unknown); }
.move.win { border-left-color: var(--win); }
.move.draw { border-left-color: var(--draw); }
.move.loss { border-left-color: var(--loss); }
.move.cursed { border-left-color: var(--cursed); }
.move.blessed { border-left-color: var(--blessed); }
`;

// Not an element, which the policy of a page may forbid.
const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);

const opened = new Map(); // promises of tables by address, which all boards of a page share

/** Return a promise of the tables in a folder, of chess or of another game by its name. */
function tablesAt(folder, game = null) {
  const key = `${game ?? ""} ${folder}`;
  if (!opened.has(key)) {
    const tables = game === null ? open(folder) : tablesOf(game, folder);
    opened.set(key, tables);
    tables.catch(() => opened.delete(key));
  }
  return opened.get(key);
}

async function tablesOf(name, folder) {
  const { games = [] } = (await tablesAt(folder)).list;
  const game = games.find((one) => [one.name, one.folder].includes(name));
  if (!game) throw new Error(`there are no tables of ${name} here`);
  return tablesAt(new URL(game.address, folder).href);
}

function make(tag, attributes = {}, ...content) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  one.append(...content);
  return one;
}

/** A board that moves can be made on, with the result of the position and of each move.
 *
 * Attributes: `fen`, the position; `rules`, the name of its game unless that is chess; `tables`, the address
 * of published tables, by default the folder `tables` beside this script; `practise`, to play the side to
 * move against the tables, values hidden.
 * The event `position` tells of each position shown, with `fen` and `answer` in its detail.
 */
export class ChessEnding extends HTMLElement {
  static observedAttributes = ["fen", "rules", "tables", "practise"];

  #board = null;
  #game = CHESS; // what `rules` is while this board is worked with: boards of several games may share a page
  #parts = {};
  #steps = []; // {fen, uci, remark}: the positions gone through
  #position = readFen(START);
  #answer = null;
  #asked = 0;
  #side = "w"; // of the person who practises
  #task = null; // what there is to do
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
      one.addEventListener("click", () => {
        this.#enter();
        act();
      });
      return one;
    };
    root.adoptedStyleSheets = [sheet];
    root.append(
      part("board", "div"),
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
  }

  /** Work with this board: the functions of positions then speak of its game. */
  #enter() {
    Object.assign(rules, this.#game);
  }

  #setUpBoard() {
    const root = make("div", { part: "board", class: "board", role: "grid" });
    this.#parts.board.replaceWith(root);
    this.#parts.board = root;
    this.#board = new Board(root, {
      canPick: (square) => {
        this.#enter();
        return this.#movesFrom(square).length > 0;
      },
      targets: (square) => targetsOf(this.#movesFrom(square), this.#hides),
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

  #open() {
    const folder = new URL(this.getAttribute("tables") || BESIDE, document.baseURI).href;
    return tablesAt(folder.endsWith("/") ? folder : `${folder}/`, this.getAttribute("rules"));
  }

  /** Show the position of the attributes, of another game once its rules are known. */
  async #begin() {
    const asked = (this.#asked += 1);
    let game = CHESS;
    if (this.hasAttribute("rules")) {
      try {
        setRules((await this.#open()).list.rules);
        game = { ...rules };
      } catch (error) {
        if (asked === this.#asked) this.#tell({ headline: "No result for this position", detail: error.message, kind: "error" });
        return;
      }
    }
    if (asked !== this.#asked) return;
    const isOther = JSON.stringify(game) !== JSON.stringify(this.#game);
    this.#game = game;
    this.#enter();
    if (!this.#board || isOther) this.#setUpBoard();
    this.#task = null;
    const fen = (this.getAttribute("fen") ?? START).replaceAll("_", " ").trim();
    this.#side = readFen(fen)?.turn ?? "w";
    if (this.#practises && this.#board.flipped !== (this.#side === "b")) this.#board.flip();
    this.#steps = [{ fen }];
    this.#show();
  }

  async #show(animated = false) {
    this.#enter();
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
      const answer = await (await this.#open()).standard(fen);
      if (asked !== this.#asked) return; // another one is shown meanwhile
      this.#enter();
      this.#answer = answer;
    } catch (error) {
      if (asked !== this.#asked) return;
      this.#enter();
      this.#tell({ headline: "No result for this position", detail: error.message, kind: "error" });
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
      this.#task ??= taskOf(this.#answer, this.#position);
      const { goal, far, moves } = this.#task;
      const done = this.#steps.flatMap((step) => (step.remark ? [step.remark.fault] : []));
      const isSolved = moves !== null && done.length >= moves && !done.includes("mistake");
      const playing = isSolved ? "Solved" : this.#waits ? "The tables' move" : "Your move";
      const headline = (this.#waits && mine?.headline) || (this.#steps.length > 1 ? playing : goal);
      this.#tell({ headline, detail: mine?.text ?? far, kind: "hidden" });
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
    if (this.#board) drawArrows(this.#board.overlay, shown, this.#board.flipped);
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

  #choose(from, to) {
    const moves = this.#movesFrom(from).filter(({ uci }) => uci.slice(2, 4) === to);
    if (moves.length < 2) {
      if (moves.length) this.#play(moves[0]);
      return;
    }
    const { choices } = this.#parts;
    const inOrder = [...rules.letters.toLowerCase()].flatMap((kind) => moves.filter(({ uci }) => uci[4] === kind));
    choices.replaceChildren(...inOrder.map((move) => {
      const man = this.#position.turn + move.uci[4].toUpperCase();
      const image = drawMan(man);
      image.alt = move.san;
      const button = make("button", { type: "button", "data-uci": move.uci }, image);
      button.addEventListener("click", () => this.#play(move));
      return button;
    }));
    choices.hidden = false;
    choices.firstChild.focus();
  }

  #play(move) {
    this.#enter();
    if (!this.#answer?.moves.includes(move)) return; // of a position that is gone
    const fen = writeFen(afterMove(this.#position, move));
    const [best] = this.#answer.moves;
    const remark = this.#waits ? null : this.#practises ? remarkOn(move, best) : judge(move, this.#answer.moves);
    this.#steps.push({ fen, uci: move.uci, remark });
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
