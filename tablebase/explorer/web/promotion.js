// Which man a pawn becomes.

import { drawMan, nameMan } from "./board.js";
import { byId, makeButton } from "./page.js";

/** Put a dialog over the square, its choices from there towards the middle of the board. */
function putAt(dialog, square, board) {
  const { width, height } = dialog.getBoundingClientRect();
  const within = (place, size, most) => Math.max(8, Math.min(place, most - size - 8));
  const isAbove = square.top < board.top + board.height / 2;
  dialog.style.left = `${within(square.left, width, document.documentElement.clientWidth)}px`;
  dialog.style.top = `${within(isAbove ? square.top : square.bottom - height, height, innerHeight)}px`;
}

/**
 * Ask which of some promotions in a position to play, null if none after all: at the square `near`, where the
 * pawn arrives. `told(move)` is what to say of it: {text, group}.
 */
export function askPromotion(dialog, choices, moves, { rules, white }, near, told) {
  return new Promise((resolve) => {
    const buttons = moves.map((move) => {
      const man = white ? move.uci[4].toUpperCase() : move.uci[4];
      const { text, group } = told(move);
      const choose = () => {
        resolve(move);
        dialog.close();
      };
      const button = makeButton(`promote ${group}`, drawMan(man, rules), choose, [nameMan(man, rules), text].filter(Boolean).join(", "));
      button.append(text);
      return button;
    });
    choices.replaceChildren(...buttons);
    dialog.onclose = () => resolve(null);
    dialog.showModal();
    putAt(dialog, near, byId("board").getBoundingClientRect());
  });
}
