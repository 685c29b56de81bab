// How hard a position is to play, as `tablebase.difficulty` has it: from exact results alone.

import { DTZ, FIFTY_MOVES, LOSS, WIN, result50 } from "./outcomes.js";

const SIGHT = 4; // plies: a casual player

/** Return 1 for a win, 0 for a draw and -1 for a loss; the 50-move rule draws cursed wins. */
function resultOf(outcome, clock) {
  const result = result50(outcome, clock);
  return Number(result === WIN) - Number(result === LOSS);
}

/** Return whether a position is lost, so that nothing in it is difficult. */
export const isLost = ({ clock }, outcomes) => resultOf(outcomes[DTZ], clock) < 0;

/** Return whether an outcome is a draw right after a capture. */
export const isDrawn = (outcomes) => resultOf(outcomes[DTZ], 0) === 0;

/**
 * Divide the moves of a position: how many keep the result, how many are mistakes that lose unseen, and
 * which ones draw a won position, by their numbers.
 *
 * @param {object} position
 * @param {object[]} after the positions after its moves
 * @param {object[]} outcomes those of these positions, by metric
 */
export function divide(position, after, outcomes) {
  // A draw can be claimed before the move, whatever it is.
  const isClaimed = position.clock >= FIFTY_MOVES;
  const results = after.map(({ clock }, i) => (isClaimed ? 0 : -resultOf(outcomes[i][DTZ], clock) || 0));
  const best = Math.max(...results);
  const mistakes = results.flatMap((result, i) => (result < best ? [i] : []));
  return {
    keeping: results.length - mistakes.length,
    hidden: mistakes.filter((i) => results[i] < 0 && outcomes[i][DTZ] + 1 > SIGHT).length,
    drawing: mistakes.filter((i) => results[i] === 0),
  };
}
