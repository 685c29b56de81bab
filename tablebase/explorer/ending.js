// <chess-ending fen="..." practise rules="..." tables="...">: a board with exact answers, in any page.
//
// It imports what it needs from the folders beside it, where `tablebase publish` puts it.

import { MAX_MEN, open } from "./reader/index.js";
import { CHESS } from "./reader/rules.js";
import { drawArrows } from "./web/arrows.js";
import { Board, boardLooks, drawMan } from "./web/board.js";
import { make, makeButton } from "./web/page.js";
import { Session } from "./web/session.js";
import { goalsOf, outcome, targetsOf, verdict } from "./web/words.js";

const START = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";
const SERVER = { max_men: MAX_MEN, most: MAX_MEN, location: null, solve: null, published: true };
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
  --under-win: #7cc48f;
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
.board { aspect-ratio: var(--files, 8) / var(--ranks, 8); grid-template-rows: repeat(var(--ranks, 8), 1fr); }
.square.light { color: var(--dark-square); }
.square.dark { color: var(--light-square); }
.square::before, .square::after { position: absolute; font: 600 0.65rem/1 system-ui, sans-serif; pointer-events: none; }
.square::before { content: attr(data-rank); top: 3px; left: 3px; }
.square::after { content: attr(data-file); right: 3px; bottom: 3px; }
.win { --ink: var(--win); --mark: #064a1d; }
.draw, .plain { --ink: var(--draw); --mark: #2c3640; }
.loss { --ink: var(--loss); --mark: #830f1a; }
.cursed { --ink: var(--cursed); --mark: #064652; }
.blessed { --ink: var(--blessed); --mark: #56207a; }
.unknown, .holding, .doubtful { --ink: var(--unknown); --mark: #5c3900; }
.result { margin: 0.6rem 0; padding-left: 0.6rem; border-left: 5px solid var(--ink, var(--edge)); min-height: 3.4rem; }
.result.draw { border-color: var(--edge); }
p { margin: 0; }
.headline { font-size: 1.15em; font-weight: 700; }
.detail, .why, .checks { font-size: 0.9em; }
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
.move { border-left: 4px solid var(--ink); }
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
  #session = null; // null until the rules of its game are known
  #parts = {};
  #begun = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const part = (name, one) => {
      one.part.add(name);
      one.classList.add(name);
      this.#parts[name] = one;
      return one;
    };
    const button = (name, text, act) => part(name, makeButton("", text, act));
    root.adoptedStyleSheets = [boardLooks, sheet];
    const bar = make(
      "div",
      "bar",
      button("back", "Back", () => this.#goBack()),
      button("best", "Best move", () => this.#play(this.#session.bestMove)),
      button("reveal", "Show values", () => this.#reveal()),
      button("flip", "Flip", () => this.#flip()),
      button("again", "Start again", () => this.#begin()),
    );
    const told = ["headline", "detail", "why", "checks"].map((name) => part(name, make("p")));
    const result = part("result", make("div", "", ...told));
    const choices = part("choices", make("div"));
    for (const [one, role, label] of [[bar, "toolbar", "Moves"], [choices, "group", "Promote to"]]) {
      one.setAttribute("role", role);
      one.setAttribute("aria-label", label);
    }
    result.setAttribute("role", "status");
    choices.hidden = true;
    root.append(part("board", make("div")), result, choices, bar, part("moves", make("ol")));
  }

  #setUpBoard(rules) {
    const root = this.#parts.board.cloneNode();
    root.setAttribute("role", "grid");
    this.#parts.board.replaceWith(root);
    this.#parts.board = root;
    this.#board = new Board(root, rules, {
      canPick: (square) => this.#session.movesFrom(square).length > 0,
      targets: (square) => targetsOf(this.#session.movesFrom(square), rules, this.#session.hides),
      move: (from, to) => this.#choose(from, to),
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
    return this.#session?.game.step.fen ?? "";
  }

  #open() {
    const folder = new URL(this.getAttribute("tables") || BESIDE, document.baseURI).href;
    return tablesAt(folder.endsWith("/") ? folder : `${folder}/`, this.getAttribute("rules"));
  }

  /** Show the position of the attributes, of another game once its rules are known. */
  async #begin() {
    const begun = (this.#begun += 1);
    this.#session?.leave();
    let rules = CHESS;
    try {
      if (this.hasAttribute("rules")) ({ rules } = await this.#open());
    } catch (error) {
      if (begun === this.#begun) this.#refuse(error);
      return;
    }
    if (begun !== this.#begun) return;
    this.#session = new Session(rules, async (fen, options) => (await this.#open()).standard(fen, options));
    if (this.#board?.rules !== rules) this.#setUpBoard(rules);
    const { game } = this.#session;
    game.start((this.getAttribute("fen") ?? START).replaceAll("_", " ").trim());
    this.#session.arrive();
    if (this.hasAttribute("practise")) this.#session.practise();
    const { run } = this.#session;
    if (run && this.#board.flipped !== (run.side === "b")) this.#board.flip();
    this.#show();
  }

  async #show(animated = false) {
    const session = this.#session;
    const { fen, uci } = session.game.step;
    this.#parts.choices.hidden = true;
    if (!session.arrive()) {
      this.#tell({ headline: "This FEN cannot be read", detail: fen, kind: "loss" });
      return;
    }
    this.#board.show(session.position, uci, animated);
    this.#parts.checks.textContent = goalsOf(session.position);
    try {
      const answer = await session.asked((words) => (
        this.#tell({ headline: "Solving this ending", detail: words, kind: "hidden" })));
      if (!answer) return; // another position is shown meanwhile
      session.answer = answer;
    } catch (error) {
      this.#refuse(error);
      return;
    }
    session.follow((answer) => this.isConnected && this.#play(answer.moves[0]));
    this.#refresh();
    session.punished().then((isNew) => isNew && this.#refresh());
    this.dispatchEvent(new CustomEvent("position", { detail: { fen, answer: session.answer }, bubbles: true }));
  }

  #refuse({ message }) {
    this.#tell({ headline: "No result for this position", detail: message, kind: "loss" });
  }

  #refresh() {
    const { answer, position, game, run, hides, waits } = this.#session;
    if (hides) {
      const { remark, refutation, isSolved } = this.#session;
      const playing = isSolved ? "Solved" : waits ? "Your opponent's move" : "Your move";
      const headline = (waits && remark?.headline) || (game.isFirst ? run.task.goal : playing);
      const [detail, why] = [refutation?.text ?? remark?.text ?? run.task.far, remark?.why];
      this.#tell({ headline, detail, why, kind: "hidden" });
    } else {
      const told = verdict(answer, position, SERVER);
      const { judged } = game.step;
      const loses = answer.checkmate || answer.category.endsWith("loss");
      const detail = judged && !run ? `${judged.text} ${told.detail}` : told.detail;
      this.#tell({ ...told, detail, kind: told.kind === "decided" ? (loses ? "loss" : "win") : told.kind });
    }
    this.#board.select(null);
    this.#board.judge(this.#session.remark);
  }

  /** Show a result, the moves, and what can be done. */
  #tell({ headline, detail, why = "", kind }) {
    const { moves, headline: head, detail: text, why: reason, result, back, best, reveal } = this.#parts;
    head.textContent = headline;
    text.textContent = detail;
    reason.textContent = why;
    result.className = `result ${kind}`;
    const session = this.#session;
    const shown = session?.answer && !session.hides ? session.answer.moves : [];
    moves.replaceChildren(...shown.map((move) => this.#moveItem(move)));
    if (this.#board) drawArrows(this.#board.overlay, shown, this.#board.flipped);
    const practises = this.hasAttribute("practise");
    back.disabled = session?.game.isFirst ?? true;
    best.hidden = practises;
    best.disabled = !session?.bestMove;
    reveal.hidden = !practises;
    reveal.disabled = !session?.hides;
  }

  #moveItem(move) {
    const { group, text, label = text } = outcome(move, this.#session.rules);
    const button = makeButton(`move ${group}`, make("b", "", move.san), () => this.#play(move));
    button.append(` ${text}`);
    button.dataset.uci = move.uci;
    if (label !== text) button.title = label;
    return make("li", "", button);
  }

  #choose(from, to) {
    const moves = this.#session.movesTo(from, to);
    if (moves.length < 2) {
      if (moves.length) this.#play(moves[0]);
      return;
    }
    const { choices } = this.#parts;
    const { rules, position } = this.#session;
    const inOrder = [...rules.letters.toLowerCase()].flatMap((kind) => moves.filter(({ uci }) => uci[4] === kind));
    choices.replaceChildren(...inOrder.map((move) => {
      const [, , , , man] = move.uci;
      const image = drawMan(position.white ? man.toUpperCase() : man, rules);
      image.alt = move.san;
      const button = makeButton("", image, () => this.#play(move));
      button.dataset.uci = move.uci;
      return button;
    }));
    choices.hidden = false;
    choices.firstChild.focus();
  }

  #play(move) {
    if (this.#session?.play(move)) this.#show(true);
  }

  /** Take the last move back; a person who practises takes back the tables' answer, too. */
  #goBack() {
    const session = this.#session;
    if (session.game.go(session.run ? session.beforeLastMove : session.game.back)) this.#show();
  }

  #reveal() {
    this.#session.isRevealed = true;
    this.#refresh();
  }

  #flip() {
    this.#board?.flip();
    if (this.#session?.answer) this.#refresh();
  }
}

if (!customElements.get("chess-ending")) customElements.define("chess-ending", ChessEnding);
