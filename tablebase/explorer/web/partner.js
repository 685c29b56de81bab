// The reply of a partner who fights: of the moves that keep the result, the hardest to answer.

import { fenOf, kingOf, legalMoves, placeOf, play, playUci } from "../reader/position.js";
import { isKing, isPawn } from "../reader/rules.js";

/** Return the moves that keep the result; of a lost position those that hold out long enough. */
function holding(moves) {
  const [best] = moves;
  const keeping = moves.filter(({ category }) => category === best.category);
  if (best.category !== "win") return keeping; // seen from the opponent
  return keeping.filter(({ dtm }) => 10 * (dtm + 1) >= 9 * (best.dtm + 1));
}

/** Return whether a side has nothing left that can win. */
function isHarmless({ board }, white) {
  const left = board.filter((man) => man && (man < "a") === white && !isKing(man));
  return /^[NB]?$/i.test(left.join(""));
}

/** Return whether the side to move can take within some moves, whatever is replied, all that could win against it. */
export function disarms(position, moves) {
  const { rules, board, white } = position;
  const onlyMates = rules.royal && !rules.check_counting && !rules.goals.length;
  if (!onlyMates || isHarmless(position, !white)) return false;
  const steps = legalMoves(position).map((move) => [play(position, move), board[move.to] !== null || move.passing]);
  return steps.some(([after, takes]) => takes && isHarmless(after, !white)) || (moves > 1 && steps.some(([after]) =>
    legalMoves(after).every((reply) => disarms(play(after, reply), moves - 1))));
}

// What a step of a pawn towards its promotion counts beside difficulty, while a draw is held.
const STEP = 0.5;

/** Return the steps of pawns of the side that has just moved up to their promotion. */
function stepsLeft({ rules, board, white }) {
  const [pawn, last] = white ? ["p", rules.ranks + 1 - rules.promotion_rank] : ["P", rules.promotion_rank];
  return rules.squares.reduce((sum, at) => sum + (board[at] === pawn ? Math.abs(last - Number(rules.nameOf(at)[1])) : 0), 0);
}

/** Return how near the king that has just moved is to a pawn, 0 if there is none. */
function wayToPawn(position) {
  if (!position.rules.royal) return 0;
  const king = kingOf(position, !position.white);
  const ways = position.board.flatMap((man, at) => (isPawn(man)
    ? [Math.max(Math.abs((king & 7) - (at & 7)), Math.abs((king >> 3) - (at >> 3)))] : []));
  return ways.length ? Math.min(...ways) : 0;
}

/**
 * Return the move of the tables, null if the difficulties are not known.
 *
 * In a draw, what could win is kept. Positions come again only if they must; then the hardest one counts, in a draw
 * with the steps of pawns, and at last the king that stays near a pawn. `moves`: the server's, best first, with difficulties; `fens`: the
 * positions of the game so far.
 */
export function hardest(moves, position, fens) {
  const [best] = moves;
  if (best.category === "loss") return best; // the opponent's: nothing is difficult any more
  const left = holding(moves);
  if (left.some(({ difficulty }) => typeof difficulty !== "number")) return null;
  const places = fens.map(placeOf);
  const worths = left.map((move) => {
    const after = playUci(position, move.uci);
    const place = placeOf(fenOf(after));
    const times = places.filter((one) => one === place).length;
    const isDrawn = best.category !== "win";
    const disarmed = isDrawn ? [1, 2].filter((count) => disarms(after, count)).length : 0;
    const left = isDrawn ? STEP * stepsLeft(after) : 0;
    return { move, worth: [disarmed, times, left - move.difficulty, wayToPawn(after)] };
  });
  // The first one of equal moves.
  worths.sort(({ worth: one }, { worth: two }) => one.map((number, i) => number - two[i]).find(Boolean) ?? 0);
  return worths[0].move;
}
