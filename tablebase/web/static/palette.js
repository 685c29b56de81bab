// The men to set up with: click one and then squares, or drag it onto the board.

import { drawMan, nameMan } from "./board.js";
import { rules } from "./position.js";

/** Fill a row with a side's men; `pick(man)` and `drag(event, man)` are told what happens. */
export function fillPalette(row, side, pick, drag) {
  const buttons = [...rules.letters].map((kind) => {
    const man = side + kind;
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.man = man;
    button.setAttribute("aria-label", `Place ${nameMan(man)}`);
    button.append(drawMan(man, true));
    button.addEventListener("click", () => pick(man));
    button.addEventListener("pointerdown", (event) => drag(event, man));
    return button;
  });
  row.replaceChildren(...buttons);
}
