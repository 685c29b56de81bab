// Which man a pawn becomes.

import { drawMan, nameMan } from "./board.js";
import { byId, makeButton } from "./page.js";

/** Put a dialog beside the board, as high as a square, or where that has no room, below or above the board. */
function putBeside(dialog, square, board) {
  const { width, height } = dialog.getBoundingClientRect();
  const { clientWidth } = document.documentElement;
  const within = (place, size, most) => Math.max(8, Math.min(place, most - size - 8));
  const isRoomBeside = board.right + width + 12 <= clientWidth;
  const isRoomBelow = board.bottom + height + 12 <= innerHeight;
  const left = isRoomBeside ? board.right + 8 : square.left + square.width / 2 - width / 2;
  const top = isRoomBeside ? square.top : isRoomBelow ? board.bottom + 4 : board.top - height - 4;
  dialog.style.left = `${within(left, width, clientWidth)}px`;
  dialog.style.top = `${within(top, height, innerHeight)}px`;
}

/**
 * Ask which of some promotions of `side` to play, null if none after all: beside the board, where the
 * men concerned stay in sight. `told(move)` is what to say of it: {text, group}.
 */
export function askPromotion(dialog, choices, moves, side, near, told) {
  return new Promise((resolve) => {
    const buttons = moves.map((move) => {
      const man = side + move.uci[4].toUpperCase();
      const { text, group } = told(move);
      const choose = () => {
        resolve(move);
        dialog.close();
      };
      const button = makeButton(`promote ${group}`, drawMan(man), choose, [nameMan(man), text].filter(Boolean).join(", "));
      button.append(text);
      return button;
    });
    choices.replaceChildren(...buttons);
    dialog.onclose = () => resolve(null);
    dialog.showModal();
    putBeside(dialog, near, byId("board").getBoundingClientRect());
  });
}
