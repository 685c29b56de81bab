// Setting a position up: men to place, to move and to take off; and other views of a position.

import { drawMan, nameMan } from "./board.js";
import { byId, makeButton } from "./page.js";
import { emptyPosition, mirrored, otherToMove, rightsOf, rules, swapped, writeFen } from "./position.js";

const RIGHTS = document.getElementsByName("castling");

/** Fill a row with a side's men; a choice calls `pick(man)`, a drag `drag(event, man)`. */
function fillPalette(row, side, pick, drag) {
  const buttons = [...rules.letters].map((kind) => {
    const man = side + kind;
    const button = makeButton("", drawMan(man, true), () => pick(man), `Place ${nameMan(man)}`);
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
    on("clear", () => this.#edited({ ...emptyPosition(), turn: shown.position.turn }));
    on("erase", () => this.#setBrush("erase"));
    for (const radio of document.getElementsByName("turn")) {
      radio.addEventListener("change", () => this.#edited({ ...shown.position, turn: radio.value }));
    }
    for (const box of RIGHTS) {
      const ticked = () => [...RIGHTS].filter((one) => one.checked).map((one) => one.value).join("");
      box.addEventListener("change", () => this.#edited({ ...shown.position, castling: ticked() }));
    }
    const views = { "other-side": otherToMove, "swap-colours": swapped, mirror: mirrored };
    for (const [id, view] of Object.entries(views)) on(id, () => this.start(writeFen(view(shown.position))));
    this.fillPalettes();
  }

  /** Follow the page to another position: offer the castling rights whose king and rook are at home. */
  arrive() {
    const { position } = this.shown;
    document.querySelector(`[name=turn][value=${position.turn}]`).checked = true;
    for (const box of RIGHTS) {
      box.parentElement.hidden = rightsOf({ ...position, castling: box.value }) === "-";
      box.checked = rightsOf(position).includes(box.value);
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

  place(square, man) {
    const men = { ...this.shown.position.men };
    if (man) men[square] = man;
    else delete men[square];
    this.#edited({ ...this.shown.position, men });
  }

  carry(from, to) {
    const men = { ...this.shown.position.men };
    if (to) men[to] = men[from];
    delete men[from];
    this.#edited({ ...this.shown.position, men });
  }

  /** Use the brush on a square; return whether there is one. */
  tap(square) {
    if (!this.on || this.brush === null) return false;
    const same = this.shown.position.men[square] === this.brush;
    this.place(square, this.brush === "erase" || same ? null : this.brush);
    return true;
  }

  /** Place a man by its letter; return whether the key is for that. */
  letter(square, key) {
    if (!this.on) return false;
    if (key === "Delete" || key === "Backspace") this.place(square, null);
    else if (key.length === 1 && rules.letters.includes(key.toUpperCase())) {
      this.place(square, (key === key.toUpperCase() ? "w" : "b") + key.toUpperCase());
    } else return false;
    return true;
  }

  /** Show an edited position; the browser's Back takes the edit back. */
  #edited(position) {
    this.start(writeFen({ ...position, castling: rightsOf(position), passant: "-", clock: 0, number: 1 }));
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
    const sides = this.board.flipped ? ["w", "b"] : ["b", "w"];
    for (const [i, id] of ["palette-top", "palette-bottom"].entries()) {
      const drag = (event, man) => this.board.dragNew(event, man);
      fillPalette(byId(id), sides[i], (man) => this.#setBrush(man), drag);
    }
    this.#markBrush();
  }
}
