// The board: a button for each square, men to click, drag or move by keyboard. It knows no moves: whoever shows it
// says what may be picked up and where it may go. Men are letters as in FENs.

import { letterAddress, pieceAddress } from "./addresses.js";
import { emptyArrows } from "./arrows.js";
import { isCheck, kingOf } from "../reader/position.js";
import { FILES } from "../reader/rules.js";

const DRAG_STARTS = 4; // pixels
const GROUPS = ["win", "cursed", "draw", "blessed", "loss", "unknown", "plain"];

const disc = (...stops) => `background-image: radial-gradient(circle closest-side, ${stops.join(", ")})`;
const ring = (from, to) => [`transparent ${from - 4}%`, `var(--mark) ${from}%`, `var(--mark) ${to}%`, `transparent ${to + 4}%`];

/** How boards look in all pages, each of which has its colours, and `--mark` for what a move is worth. */
export const boardLooks = new CSSStyleSheet();
// Where the selected man may go: a disc wins, a ring draws, a cross loses. By the 50-move rule a ring around a disc
// would win, a double ring would lose. A man that may be taken is seen against them, whatever its colour. Arrows lie
// under the men, and give way to these marks.
boardLooks.replaceSync(`
.board { position: relative; display: grid; user-select: none; -webkit-user-select: none; }
.board [role="row"] { display: grid; grid-template-columns: repeat(var(--files, 8), 1fr); min-height: 0; }
.square { position: relative; min-width: 0; min-height: 0; margin: 0; padding: 0; border: 0; border-radius: 0; font: inherit; cursor: default; }
.square.light { background: var(--light-square); }
.square.dark { background: var(--dark-square); }
.square.wall { background: var(--wall, var(--on-dark)); }
.square.goal { outline: 3px solid rgb(250 200 40 / 90%); outline-offset: -3px; }
.square.last { box-shadow: inset 0 0 0 100vmax rgb(240 190 40 / 40%); }
.square.check { ${disc("rgb(220 20 30 / 95%) 20%", "rgb(220 20 30 / 70%) 60%", "transparent 118%")}; }
.square.selected { box-shadow: inset 0 0 0 100vmax rgb(20 110 210 / 45%); }
.square.over { box-shadow: inset 0 0 0 4px var(--on-dark); }
.square.movable { cursor: grab; touch-action: none; }
.square:focus-visible { z-index: 3; outline: 4px solid #0b3f7a; outline-offset: -4px; }
.square img { position: absolute; z-index: 1; inset: 0; width: 100%; height: 100%; pointer-events: none; }
.square.lifted img { opacity: 0.35; }
.square.target { cursor: pointer; background-repeat: no-repeat; background-position: center; background-size: 34%; ${disc("var(--mark) 50%", "transparent 54%")}; }
.square.target:has(img) { background-size: 96%; }
.square.target.plain:has(img) { ${disc(...ring(84, 96))}; }
.square.target.win { ${disc("var(--mark) 92%", "transparent 96%")}; }
.square.target.win:has(img) { ${disc("var(--under-win) 78%", "var(--mark) 82%", "var(--mark) 96%", "transparent 100%")}; }
.square.target.draw { ${disc(...ring(60, 92))}; }
.square.target.cursed { ${disc("var(--mark) 42%", "transparent 46%", ...ring(72, 92))}; }
.square.target.blessed { ${disc(...ring(36, 54), ...ring(74, 92))}; }
.square.target.loss { background-image: url("${new URL("cross.svg", import.meta.url)}"); }
/* What a move was worth: a sign says it without colour. */
.worth { --tint: 28 122 60; --sign: "✓"; container-type: size; position: absolute; inset: 0; background: rgb(var(--tint) / 62%); pointer-events: none; }
.worth.slower { --tint: 184 86 0; --sign: "?!"; }
.worth.mistake { --tint: 179 32 44; --sign: "?"; }
.sign::after { content: var(--sign); position: absolute; z-index: 2; inset: -12cqw -12cqw auto auto; width: 44cqw; border: 2px solid #fff; border-radius: 50%; background: rgb(var(--tint)); color: #fff; font: 700 26cqw/40cqw sans-serif; text-align: center; }
.arrows, .hint { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; opacity: 0.85; }
.board:has(.selected) :is(.arrows, .worth) { display: none; }
.arrows polygon, .hint polygon { fill: var(--mark); stroke: rgb(255 255 255 / 75%); stroke-width: 0.02; }
.hint { z-index: 2; opacity: 1; filter: drop-shadow(0 0 2px #ffffff); }
.hint circle { fill: none; stroke: var(--mark-win); stroke-width: 0.09; }
.board:has(.hint polygon) .arrows { opacity: 0.25; }
.ghost { position: fixed; z-index: 20; top: 0; left: 0; aspect-ratio: 1; pointer-events: none; filter: drop-shadow(0 4px 6px rgb(0 0 0 / 35%)); }
`);

const isWhite = (man) => man < "a";

/** Return the address of a man's figure, or of its letter if letters were chosen or no figure exists. */
export function pictureOf(man, rules) {
  const [side, letter] = [isWhite(man) ? "w" : "b", man.toUpperCase()];
  const like = rules.pictures[letter];
  const isFigure = like && document.documentElement.dataset.pieces !== "letters";
  return isFigure ? pieceAddress(side + like) : letterAddress(side + letter);
}

/** Return the picture of a man; one that is drawn `late` is fetched when it comes into sight. */
export function drawMan(man, rules, late = false) {
  const image = document.createElement("img");
  Object.assign(image, { alt: "", draggable: false, ...(late && { loading: "lazy" }), src: pictureOf(man, rules) });
  image.dataset.drawn = man;
  return image;
}

export function nameMan(man, rules) {
  return `${isWhite(man) ? "white" : "black"} ${rules.names[man.toUpperCase()]}`;
}

export class Board {
  /**
   * `acts`: canPick(square), targets(square) -> Map of square to {group, label} or null for all,
   * move(from, to); perhaps place(square, man), tap(square) -> whether it was handled, letter(square, key) ->
   * whether it was handled, leavesArrows() -> whether arrow keys are for others after a click.
   */
  constructor(root, rules, acts) {
    const none = { place() {}, tap: () => false, letter: () => false, leavesArrows: () => false };
    Object.assign(this, { root, rules, acts: { ...none, ...acts } });
    this.men = {}; // by square
    this.flipped = false;
    this.selected = null;
    this.squares = {};
    this.overlay = emptyArrows("arrows", rules);
    this.hint = emptyArrows("hint", rules); // for a move that somebody looks at elsewhere
    this.checked = null; // the square of a king in check
    this.drag = null;
    this.pointed = false; // used by mouse or finger last, not by keyboard
    for (const file of FILES.slice(0, this.rules.files)) {
      for (let rank = 1; rank <= this.rules.ranks; rank += 1) this.squares[file + rank] = this.#makeSquare(file, rank);
    }
    this.focused = "e1" in this.squares ? "e1" : "a1";
    root.style.setProperty("--files", rules.files);
    root.style.setProperty("--ranks", rules.ranks);
    this.#layOut();
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("pointerdown", () => {
      this.pointed = true;
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Tab") this.pointed = false;
    });
    document.addEventListener("pointermove", (event) => this.#pointerMove(event));
    document.addEventListener("pointerup", (event) => this.#pointerUp(event));
    document.addEventListener("pointercancel", () => this.#endDrag());
  }

  #makeSquare(file, rank) {
    const square = document.createElement("button");
    Object.assign(square, { type: "button", role: "gridcell", tabIndex: -1 });
    square.dataset.square = file + rank;
    square.className = (FILES.indexOf(file) + rank) % 2 ? "square dark" : "square light";
    const { walls, goal } = this.rules;
    for (const [kind, names] of Object.entries({ wall: walls, goal })) square.classList.toggle(kind, names.includes(file + rank));
    square.addEventListener("click", () => this.#click(file + rank));
    square.addEventListener("pointerdown", (event) => this.#pointerDown(event, file + rank));
    square.addEventListener("focus", () => this.#rove(file + rank));
    return square;
  }

  #layOut() {
    const ranks = Array.from({ length: this.rules.ranks }, (_, down) => this.rules.ranks - down);
    const files = [...FILES.slice(0, this.rules.files)];
    if (this.flipped) {
      ranks.reverse();
      files.reverse();
    }
    const rows = ranks.map((rank, down) => {
      const row = document.createElement("div");
      row.setAttribute("role", "row");
      for (const [across, file] of files.entries()) {
        const square = this.squares[file + rank];
        square.dataset.rank = across === 0 ? rank : "";
        square.dataset.file = down === this.rules.ranks - 1 ? file : "";
        row.append(square);
      }
      return row;
    });
    this.root.replaceChildren(...rows, this.overlay, this.hint);
    this.root.setAttribute("aria-label", `Board, ${this.flipped ? "Black" : "White"} below`);
    this.#rove(this.focused);
  }

  flip() {
    this.flipped = !this.flipped;
    this.#layOut();
  }

  /** Show a position, and the move in UCI's notation that led there, animated if it is new. */
  show(position, uci = "", animated = false) {
    const { rules, board } = position;
    const last = uci ? [uci.slice(0, 2), uci.slice(2, 4)] : [];
    const there = rules.squares.filter((square) => board[square]);
    const men = Object.fromEntries(there.map((square) => [rules.nameOf(square), board[square]]));
    const checked = isCheck(position) ? rules.nameOf(kingOf(position, position.white)) : null;
    const moved = animated && last.length && this.men[last[0]] && !men[last[0]];
    for (const [name, square] of Object.entries(this.squares)) {
      if (this.men[name] !== men[name] || Boolean(men[name]) !== Boolean(square.firstChild)) {
        square.replaceChildren(...(men[name] ? [drawMan(men[name], rules)] : []));
      }
      square.classList.toggle("last", last.includes(name));
      square.classList.toggle("check", name === checked);
    }
    this.men = men;
    this.checked = checked;
    this.select(null);
    if (moved) this.#animate(last[0], last[1]);
  }

  /** Mark a move by its `fault`, or as right; or none. */
  judge(move) {
    for (const mark of this.root.querySelectorAll(".worth")) mark.remove();
    for (const at of move ? [0, 2] : []) {
      const mark = document.createElement("span");
      mark.className = `worth ${move.fault} ${at ? "sign" : ""}`;
      this.squares[move.uci.slice(at, at + 2)].append(mark);
    }
  }

  #animate(from, to) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const start = this.squares[from].getBoundingClientRect();
    const end = this.squares[to].getBoundingClientRect();
    const offset = `translate(${start.left - end.left}px, ${start.top - end.top}px)`;
    this.squares[to].firstChild?.animate(
      [{ transform: offset, zIndex: 2 }, { transform: "none", zIndex: 2 }],
      { duration: 160, easing: "ease-out" },
    );
  }

  /** Select a square, or none; where its man may go is marked and told. */
  select(name) {
    this.selected = name;
    const targets = name ? this.acts.targets(name) : null;
    for (const [square, button] of Object.entries(this.squares)) {
      const target = targets?.get(square);
      button.classList.remove(...GROUPS);
      button.classList.toggle("target", Boolean(target));
      if (target) button.classList.add(target.group);
      button.classList.toggle("selected", square === name);
      button.setAttribute("aria-selected", String(square === name));
      button.classList.toggle("movable", this.acts.canPick(square));
      const content = this.men[square] ? nameMan(this.men[square], this.rules) : "empty";
      const check = square === this.checked ? "in check" : "";
      button.setAttribute("aria-label", [square, content, check, target?.label].filter(Boolean).join(", "));
    }
  }

  #click(name) {
    if (this.drag?.moved) return;
    if (this.acts.tap(name)) return;
    if (this.selected === name) {
      this.select(null);
    } else if (this.selected && this.#mayGo(this.selected, name)) {
      this.acts.move(this.selected, name);
    } else {
      this.select(this.acts.canPick(name) ? name : null);
    }
  }

  #mayGo(from, to) {
    const targets = this.acts.targets(from);
    return targets === null || targets.has(to);
  }

  // Dragging: of a man on the board, or of a new one from elsewhere

  #pointerDown(event, name) {
    if (event.button !== 0 || !this.acts.canPick(name)) return;
    this.#prepareDrag(event, this.men[name], name);
  }

  /** Begin to drag a new man, as from a palette. */
  dragNew(event, man) {
    if (event.button === 0) this.#prepareDrag(event, man, null);
  }

  #prepareDrag(event, man, from) {
    event.target.releasePointerCapture?.(event.pointerId); // so that the square below is found
    this.drag = { man, from, x: event.clientX, y: event.clientY, moved: false, ghost: null };
  }

  #pointerMove(event) {
    const { drag } = this;
    if (!drag || drag.done) return;
    const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > DRAG_STARTS;
    if (!drag.moved && !far) return;
    if (!drag.moved) this.#startDrag();
    drag.ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -50%)`;
    const over = this.#squareAt(event);
    for (const [name, square] of Object.entries(this.squares)) {
      square.classList.toggle("over", name === over);
    }
  }

  #startDrag() {
    const { drag } = this;
    drag.moved = true;
    drag.ghost = drawMan(drag.man, this.rules);
    drag.ghost.className = "ghost";
    drag.ghost.style.width = `${this.squares.a1.offsetWidth}px`;
    const root = this.root.getRootNode(); // the page, or that of a custom element
    (root === document ? document.body : root).append(drag.ghost);
    if (drag.from) {
      this.select(drag.from);
      this.squares[drag.from].classList.add("lifted");
    }
  }

  #pointerUp(event) {
    const { drag } = this;
    if (!drag || drag.done) return;
    const to = this.#squareAt(event);
    this.#endDrag();
    if (!drag.moved) return;
    if (drag.from === null) {
      if (to) this.acts.place(to, drag.man);
    } else if (to !== drag.from && this.#mayGo(drag.from, to)) {
      this.acts.move(drag.from, to);
    } else {
      this.select(null);
    }
  }

  #endDrag() {
    const { drag } = this;
    if (!drag || drag.done) return;
    drag.done = true;
    drag.ghost?.remove();
    for (const square of Object.values(this.squares)) square.classList.remove("over", "lifted");
    // The click that follows a drag is none.
    setTimeout(() => {
      if (this.drag === drag) this.drag = null;
    });
  }

  #squareAt(event) {
    const element = this.root.getRootNode().elementFromPoint(event.clientX, event.clientY);
    return element?.closest("[data-square]")?.dataset.square ?? null;
  }

  // Keyboard

  #rove(name) {
    this.squares[this.focused].tabIndex = -1;
    this.squares[name].tabIndex = 0;
    this.focused = name;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = steps[event.key];
    if (step && this.pointed && this.acts.leavesArrows()) return;
    if (step) {
      const sign = this.flipped ? -1 : 1;
      const file = FILES[FILES.indexOf(this.focused[0]) + sign * step[0]];
      const next = this.squares[file + (Number(this.focused[1]) + sign * step[1])];
      next?.focus();
    } else if (event.key === "Escape") {
      this.select(null);
    } else if (!this.acts.letter(this.focused, event.key)) {
      if (event.key === " " && this.pointed && this.acts.leavesArrows()) return; // for the page
      if (event.key === "Enter" || event.key === " ") this.pointed = false;
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
