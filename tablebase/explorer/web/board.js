// The board: a button for each square, men to click, drag or move by keyboard. It knows no rules: `rules` says
// what may be picked up and where it may go.

import { letterAddress, pieceAddress } from "./addresses.js";
import { emptyArrows } from "./arrows.js";
import { FILES, SIDES, rules as current } from "./position.js";

const DRAG_STARTS = 4; // pixels
const GROUPS = ["win", "cursed", "draw", "blessed", "loss", "unknown", "plain"];

/** Return the address of a man's figure, or of its letter if letters were chosen or no figure exists. */
export function pictureOf(man, game = current) {
  const like = game.pictures[man[1]];
  const isFigure = like && document.documentElement.dataset.pieces !== "letters";
  return isFigure ? pieceAddress(man[0] + like) : letterAddress(man);
}

/** Return the picture of a man; one that is drawn `late` is fetched when it comes into sight. */
export function drawMan(man, late = false, game = current) {
  const image = document.createElement("img");
  Object.assign(image, { alt: "", draggable: false, ...(late && { loading: "lazy" }), src: pictureOf(man, game) });
  image.dataset.drawn = man;
  return image;
}

export function nameMan(man, game = current) {
  return `${SIDES[man[0]].toLowerCase()} ${game.names[man[1]]}`;
}

export class Board {
  /**
   * `rules`: canPick(square), targets(square) -> Map of square to {group, label} or null for all,
   * move(from, to), place(square, man), tap(square) -> whether it was handled,
   * letter(square, key) -> whether it was handled, leavesArrows() -> whether arrow keys are for
   * others after a click.
   */
  constructor(root, rules) {
    this.root = root;
    this.game = { ...current }; // a page may show others
    this.rules = rules;
    this.men = {};
    this.flipped = false;
    this.selected = null;
    this.squares = {};
    this.overlay = emptyArrows();
    this.hint = emptyArrows("hint"); // for a move that somebody looks at elsewhere
    this.checked = null; // the square of a king in check
    this.drag = null;
    this.pointed = false; // used by mouse or finger last, not by keyboard
    for (const file of FILES.slice(0, this.game.files)) {
      for (let rank = 1; rank <= this.game.ranks; rank += 1) this.squares[file + rank] = this.#makeSquare(file, rank);
    }
    this.focused = "e1" in this.squares ? "e1" : "a1";
    root.style.setProperty("--files", this.game.files);
    root.style.setProperty("--ranks", this.game.ranks);
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
    if (this.game.walls.includes(file + rank)) square.classList.add("wall");
    square.addEventListener("click", () => this.#click(file + rank));
    square.addEventListener("pointerdown", (event) => this.#pointerDown(event, file + rank));
    square.addEventListener("focus", () => this.#rove(file + rank));
    return square;
  }

  #layOut() {
    const ranks = Array.from({ length: this.game.ranks }, (_, down) => this.game.ranks - down);
    const files = [...FILES.slice(0, this.game.files)];
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
        square.dataset.file = down === this.game.ranks - 1 ? file : "";
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

  /**
   * Show men; `last` are the squares of the last move, animated if it is new, `checked` that of a
   * king in check.
   */
  show(men, last = [], animated = false, checked = null) {
    const moved = animated && last.length && this.men[last[0]] && !men[last[0]];
    for (const [name, square] of Object.entries(this.squares)) {
      if (this.men[name] !== men[name] || Boolean(men[name]) !== Boolean(square.firstChild)) {
        square.replaceChildren(...(men[name] ? [drawMan(men[name], false, this.game)] : []));
      }
      square.classList.toggle("last", last.includes(name));
      square.classList.toggle("check", name === checked);
    }
    this.men = men;
    this.checked = checked;
    this.select(null);
    if (moved) this.#animate(last[0], last[1]);
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
    const targets = name ? this.rules.targets(name) : null;
    for (const [square, button] of Object.entries(this.squares)) {
      const target = targets?.get(square);
      button.classList.remove(...GROUPS);
      button.classList.toggle("target", Boolean(target));
      if (target) button.classList.add(target.group);
      button.classList.toggle("selected", square === name);
      button.setAttribute("aria-selected", String(square === name));
      button.classList.toggle("movable", this.rules.canPick(square));
      const content = this.men[square] ? nameMan(this.men[square], this.game) : "empty";
      const check = square === this.checked ? "in check" : "";
      button.setAttribute("aria-label", [square, content, check, target?.label].filter(Boolean).join(", "));
    }
  }

  #click(name) {
    if (this.drag?.moved) return;
    if (this.rules.tap(name)) return;
    if (this.selected === name) {
      this.select(null);
    } else if (this.selected && this.#mayGo(this.selected, name)) {
      this.rules.move(this.selected, name);
    } else {
      this.select(this.rules.canPick(name) ? name : null);
    }
  }

  #mayGo(from, to) {
    const targets = this.rules.targets(from);
    return targets === null || targets.has(to);
  }

  // Dragging: of a man on the board, or of a new one from elsewhere

  #pointerDown(event, name) {
    if (event.button !== 0 || !this.rules.canPick(name)) return;
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
    drag.ghost = drawMan(drag.man, false, this.game);
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
      if (to) this.rules.place(to, drag.man);
    } else if (to !== drag.from && this.#mayGo(drag.from, to)) {
      this.rules.move(drag.from, to);
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
    if (step && this.pointed && this.rules.leavesArrows()) return;
    if (step) {
      const sign = this.flipped ? -1 : 1;
      const file = FILES[FILES.indexOf(this.focused[0]) + sign * step[0]];
      const next = this.squares[file + (Number(this.focused[1]) + sign * step[1])];
      next?.focus();
    } else if (event.key === "Escape") {
      this.select(null);
    } else if (!this.rules.letter(this.focused, event.key)) {
      if (event.key === " " && this.pointed && this.rules.leavesArrows()) return; // for the page
      if (event.key === "Enter" || event.key === " ") this.pointed = false;
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
