// The moves of a position in order of preference, with and without the 50-move rule.

import { CURSED_WIN, DTM, DTZ, FIFTY_MOVES, before, pliesOf, preference, result50, signed } from "./outcomes.js";
import { isZeroing, sanOf, uciOf } from "./position.js";

/** Return the moves of a position with their values, best first.
 *
 * Under the 50-move rule wins that it lets pass come first, then cursed wins, draws, blessed
 * losses, losses. Of each, fastest mates come first, longest defences. Of equal moves of chess zeroing
 * ones come first, then they have the order of their notation; those of other games keep their order.
 *
 * @param {object} position
 * @param {object[]} moves its legal moves
 * @param {object[]} outcomes those after each move, by metric; null where a table lacks them
 * @param {boolean} rule50 whether the rule counts; it does not if the best move's result by the rule
 *   is not known
 */
export function rankMoves(position, moves, outcomes, rule50) {
  const sans = moves.map((move) => sanOf(position, move, moves));
  const rank = (underRule) => moves
    .map((move, i) => ({ ...valueOf(position, move, outcomes[i], underRule), san: sans[i] }))
    .sort(position.rules.chess ? inOrder : (one, other) => inOrder(one, other, 2));
  const ranked = rank(rule50);
  return rule50 && ranked.length && ranked[0].wdl50 === null ? rank(false) : ranked;
}

function valueOf(position, move, outcomes, rule50) {
  const zeroing = isZeroing(position, move) || move.passing;
  const clock = zeroing ? 0 : position.clock + 1;
  const { main, plyOffset: offset } = position.rules;
  const after = outcomes[main];
  const toZeroing = rule50 ? outcomes[DTZ] : null;
  let wdl50 = null;
  if (toZeroing !== null) wdl50 = -result50(toZeroing, clock, offset) || 0;
  else if (rule50 && (!after || pliesOf(after) + clock <= FIFTY_MOVES + offset)) {
    // What is mate in time is in time for the rule, too.
    wdl50 = -result50(after, clock, offset) || 0;
  }
  const outcome = before(after, main, zeroing, offset);
  const byZeroing = main === DTZ ? outcomes[DTZ] : toZeroing;
  // A draw can be claimed before the move, whatever it is.
  if (rule50 && position.clock >= FIFTY_MOVES) wdl50 = Math.sign(outcome) * CURSED_WIN;
  return {
    uci: uciOf(move, position.rules),
    wdl: Math.sign(outcome),
    wdl50,
    dtm: main === DTM ? signed(outcome, DTM, offset) : null,
    dtz: byZeroing === null ? null : signed(before(byZeroing, DTZ, zeroing, offset), DTZ, offset),
    mate: after === ~offset, // the opponent has lost
    zeroing,
  };
}

/** Compare two moves by so many parts of their keys. */
function inOrder(one, other, parts = undefined) {
  const [a, b] = [keyOf(one), keyOf(other)].map((key) => key.slice(0, parts));
  const i = a.findIndex((part, place) => part !== b[place]);
  return i < 0 ? 0 : a[i] < b[i] ? -1 : 1;
}

function keyOf({ wdl, wdl50, dtm, dtz, zeroing, uci }) {
  // What is not known is between the results that it may be.
  const result = wdl50 === null ? -1.5 * wdl : -wdl50;
  const plies = dtm ?? dtz;
  const outcome = plies >= 0 ? plies : ~-plies;
  return [result + 0, -preference(outcome) + 0, zeroing ? 0 : 1, uci];
}
