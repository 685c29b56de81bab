// Which man a pawn becomes.

import { drawMan, nameMan } from "./board.js";

/** Put a dialog beside a place of the window, within the window. */
function putBeside(dialog, near) {
  const { width, height } = dialog.getBoundingClientRect();
  const within = (place, size, most) => Math.max(8, Math.min(place, most - size - 8));
  const [middle, below] = [near.left + near.width / 2 - width / 2, near.bottom + 4];
  const fitsBelow = below + height + 8 <= innerHeight;
  dialog.style.left = `${within(middle, width, document.documentElement.clientWidth)}px`;
  dialog.style.top = `${within(fitsBelow ? below : near.top - height - 4, height, innerHeight)}px`;
}

/**
 * Ask which of some promotions of `side` to play, beside a square; null if none after all.
 * `told(move)` is what to say of it: {text, group}.
 */
export function askPromotion(dialog, choices, moves, side, near, told) {
  return new Promise((resolve) => {
    const buttons = moves.map((move) => {
      const man = side + move.uci[4].toUpperCase();
      const { text, group } = told(move);
      const button = document.createElement("button");
      button.type = "button";
      button.className = `promote ${group}`;
      button.setAttribute("aria-label", [nameMan(man), text].filter(Boolean).join(", "));
      button.append(drawMan(man), text);
      button.addEventListener("click", () => {
        resolve(move);
        dialog.close();
      });
      return button;
    });
    choices.replaceChildren(...buttons);
    dialog.onclose = () => resolve(null);
    dialog.showModal();
    putBeside(dialog, near);
  });
}
