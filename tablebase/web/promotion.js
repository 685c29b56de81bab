// Which man a pawn becomes.

import { drawMan, nameMan } from "./board.js";
import { outcome } from "./words.js";

/** Ask which of some promotions of `side` to play; null if none after all. */
export function askPromotion(dialog, choices, moves, side) {
  return new Promise((resolve) => {
    const buttons = moves.map((move) => {
      const man = side + move.uci[4].toUpperCase();
      const { text, group } = outcome(move);
      const button = document.createElement("button");
      button.type = "button";
      button.className = `promote ${group}`;
      button.setAttribute("aria-label", `${nameMan(man)}, ${text}`);
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
  });
}
