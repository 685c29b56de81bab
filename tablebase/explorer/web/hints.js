// Moves of the list, shown on the board while the mouse or the focus is on them.

import { drawHint } from "./arrows.js";
import { byId } from "./page.js";

/** Let moves of the list be shown: `page` has the board and the position `shown`. */
export function listenToHints({ board, shown }) {
  const hint = (button) => {
    const move = button && shown.answer?.moves.find(({ uci }) => uci === button.dataset.uci);
    drawHint(board.hint, move ?? null, board.flipped);
  };
  const list = byId("moves");
  const placeOf = ({ clientX, clientY }) => `${clientX} ${clientY}`;
  let clicked = ""; // the place of the last click, because the list is redrawn under a pointer at rest
  list.addEventListener("pointerdown", (event) => {
    clicked = placeOf(event);
  });
  list.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "touch" && placeOf(event) !== clicked) hint(event.target.closest(".move"));
  });
  list.addEventListener("pointerleave", () => hint(null));
  list.addEventListener("focusin", ({ target }) => {
    if (target.matches(":focus-visible")) hint(target.closest(".move"));
  });
  list.addEventListener("focusout", () => hint(null));
}
