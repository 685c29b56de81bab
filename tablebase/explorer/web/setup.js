// Setting a position up: men to place, to move and to take off; and other views of a position.

import { fenOf, newPosition, rightsLeft, turnOf, withoutRights } from "../reader/position.js";
import { CHECKS, FILES, exchanged } from "../reader/rules.js";
import { drawMan, nameMan } from "./board.js";
import { byId, makeButton } from "./page.js";

const RIGHTS = document.getElementsByName("castling");
const CHECKS_LEFT = document.getElementsByName("checks"); // of White and of Black

// Other views of a position. Castling rights do not outlive them, tables know none.

/** Return the position with the other side to move. */
const otherToMove = (position) => ({ ...withoutRights(position), white: !position.white, passed: -1 });

/** Return a position whose men, exchanged by `manOf`, stand on the `image` of each square. */
function viewed(position, image, manOf = (man) => man) {
  const { rules, board, passed } = position;
  const to = (square) => rules.squareOf(image(rules.nameOf(square)));
  const men = newPosition(rules).board;
  for (const square of rules.squares) men[to(square)] = manOf(board[square]);
  return { ...withoutRights(position), board: men, passed: passed < 0 ? -1 : to(passed) };
}

/** Return the position with the colours exchanged: its value for the side to move is the same. */
function swapped(position) {
  const { rules: { ranks }, checks: [own, others], white } = position;
  const image = viewed(position, (square) => square[0] + (ranks + 1 - square[1]), exchanged);
  return { ...image, white: !white, checks: [others, own] };
}

/** Return the position with left and right exchanged. */
const mirrored = (position) =>
  viewed(position, (square) => FILES[position.rules.files - 1 - FILES.indexOf(square[0])] + square[1]);

/** Fill a row with some men; a choice calls `pick(man)`, a drag `drag(event, man)`. */
function fillPalette(row, men, rules, pick, drag) {
  const buttons = [...men].map((man) => {
    const button = makeButton("", drawMan(man, rules, true), () => pick(man), `Place ${nameMan(man, rules)}`);
    button.dataset.man = man;
    button.addEventListener("pointerdown", (event) => drag(event, man));
    return button;
  });
  row.replaceChildren(...buttons);
}

export class Setup {
  on = false;
  brush = null; // a man, "erase", or null to move men

  /** `shown` is what the page shows, `start(fen)` begins a game, `changed()` follows a switch. */
  constructor(board, shown, start, changed) {
    Object.assign(this, { board, shown, start, changed });
    const on = (id, act) => byId(id).addEventListener("click", act);
    on("setup", () => this.switch(!this.on));
    on("clear", () => this.#edited(newPosition(board.rules, undefined, shown.position.white)));
    on("erase", () => this.#setBrush("erase"));
    for (const radio of document.getElementsByName("turn")) {
      radio.addEventListener("change", () => this.#edited({ ...shown.position, white: radio.value === "w" }));
    }
    for (const box of RIGHTS) {
      const ticked = () => [...RIGHTS].filter((one) => one.checked).map((one) => one.value).join("");
      box.addEventListener("change", () => this.#edited({ ...shown.position, castling: ticked() }));
    }
    byId("checks-left").hidden = !board.rules.check_counting;
    for (const box of CHECKS_LEFT) {
      for (let left = CHECKS; left > 0; left -= 1) box.add(new Option(left));
      const chosen = () => [...CHECKS_LEFT].map(({ value }) => Number(value));
      box.addEventListener("change", () => this.#edited({ ...shown.position, checks: chosen() }));
    }
    const views = { "other-side": otherToMove, "swap-colours": swapped, mirror: mirrored };
    byId("swap-colours").hidden = board.rules.one_sided;
    for (const [id, view] of Object.entries(views)) on(id, () => this.start(fenOf(view(shown.position))));
    this.fillPalettes();
  }

  /** Follow the page to another position: offer the castling rights whose king and rook are at home. */
  arrive() {
    const { position } = this.shown;
    document.querySelector(`[name=turn][value=${turnOf(position)}]`).checked = true;
    for (const [i, box] of CHECKS_LEFT.entries()) box.value = position.checks[i];
    for (const box of RIGHTS) {
      box.parentElement.hidden = !rightsLeft(position, box.value);
      box.checked = position.castling.includes(box.value);
    }
    byId("castling").hidden = [...RIGHTS].every((box) => box.parentElement.hidden);
  }

  switch(on) {
    this.on = on;
    this.#setBrush(null);
    byId("board").classList.toggle("setting", on);
    this.board.select(null);
    this.changed();
  }

  /** Place a man, or none, on a square. */
  place(square, man) {
    this.#put([[square, man]]);
  }

  carry(from, to) {
    this.#put([[from, null], ...(to ? [[to, this.#manOn(from)]] : [])]);
  }

  #manOn(square) {
    const { rules, board } = this.shown.position;
    return board[rules.squareOf(square)];
  }

  #put(men) {
    const { position } = this.shown;
    const board = [...position.board];
    for (const [square, man] of men) board[position.rules.squareOf(square)] = man;
    this.#edited({ ...position, board });
  }

  /** Use the brush on a square; return whether there is one. */
  tap(square) {
    if (!this.on || this.brush === null) return false;
    const same = this.#manOn(square) === this.brush;
    this.place(square, this.brush === "erase" || same ? null : this.brush);
    return true;
  }

  /** Place a man by its letter; return whether the key is for that. */
  letter(square, key) {
    if (!this.on) return false;
    if (key === "Delete" || key === "Backspace") this.place(square, null);
    else if (key.length === 1 && this.board.rules.letters.includes(key.toUpperCase())) this.place(square, key);
    else return false;
    return true;
  }

  /** Show an edited position; the browser's Back takes the edit back. */
  #edited(position) {
    const castling = rightsLeft(position, position.castling);
    this.start(fenOf({ ...withoutRights(position), castling, passed: -1, clock: 0, number: 1 }));
  }

  /** Take a man of the tray, or what erases men; let go of it if it was taken. */
  #setBrush(man) {
    this.brush = this.brush === man ? null : man;
    this.#markBrush();
    this.board.select(null);
  }

  #markBrush() {
    for (const button of document.querySelectorAll("[data-man], #erase")) {
      const pressed = (button.dataset.man ?? "erase") === this.brush;
      button.setAttribute("aria-pressed", String(pressed));
    }
  }

  fillPalettes() {
    const { rules, flipped } = this.board;
    const sides = [rules.letters.toLowerCase(), rules.letters];
    if (flipped) sides.reverse();
    for (const [i, id] of ["palette-top", "palette-bottom"].entries()) {
      const drag = (event, man) => this.board.dragNew(event, man);
      fillPalette(byId(id), sides[i], rules, (man) => this.#setBrush(man), drag);
    }
    this.#markBrush();
  }
}
