// The reply of a partner who fights: of the moves that keep the result, the hardest to answer.

import { fenOf, placeOf, playUci } from "../reader/position.js";

/** Return the moves that keep the result; of a lost position those that hold out long enough. */
function holding(moves) {
  const [best] = moves;
  const keeping = moves.filter(({ category }) => category === best.category);
  if (best.category !== "win") return keeping; // seen from the opponent
  return keeping.filter(({ dtm }) => 10 * (dtm + 1) >= 9 * (best.dtm + 1));
}

/**
 * Return the move of the tables, null if the difficulties are not known.
 *
 * `moves`: the server's, best first, with difficulties; `fens`: the positions of the game so far.
 */
export function hardest(moves, position, fens) {
  const [best] = moves;
  if (best.category === "loss") return best; // the opponent's: nothing is difficult any more
  const left = holding(moves);
  if (left.some(({ difficulty }) => typeof difficulty !== "number")) return null;
  const places = fens.map(placeOf);
  let chosen = null;
  for (const move of left) {
    const place = placeOf(fenOf(playUci(position, move.uci)));
    const times = places.filter((one) => one === place).length;
    const isBetter = !chosen || times < chosen.times || (times === chosen.times && move.difficulty > chosen.move.difficulty);
    if (isBetter) chosen = { move, times };
  }
  return chosen.move;
}
