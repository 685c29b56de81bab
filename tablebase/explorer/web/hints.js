// Moves of the list, shown on the board while the mouse or the focus is on them.

import { drawHint } from "./arrows.js";
import { byId } from "./page.js";

/** Let moves of the list be shown: `page` has the board and the position `shown`, and shows what is else drawn there. */
export function listenToHints({ board, shown, showPointed }) {
  const hint = (button) => {
    const move = button && shown.answer?.moves.find(({ uci }) => uci === button.dataset.uci);
    if (move) drawHint(board.hint, move, board.flipped);
    else showPointed();
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
