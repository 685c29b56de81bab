// How hard a position is to play, as `tablebase.difficulty` has it: from exact results alone.

import { DTZ, FIFTY_MOVES, LOSS, WIN, result50 } from "./outcomes.js";

const SIGHT = 4; // plies: a casual player

/** Return 1 for a win, 0 for a draw and -1 for a loss; the 50-move rule draws cursed wins. */
function resultOf(outcome, clock, { plyOffset }) {
  const result = result50(outcome, clock, plyOffset);
  return Number(result === WIN) - Number(result === LOSS);
}

/** Return whether a position is lost, so that nothing in it is difficult. */
export const isLost = ({ clock, rules }, outcomes) => resultOf(outcomes[DTZ], clock, rules) < 0;

/** Return whether an outcome is a draw right after a capture. */
export const isDrawn = (outcomes, rules) => resultOf(outcomes[DTZ], 0, rules) === 0;

const isPawnOf = (man, white) => man === (white ? "P" : "p");

/** Return how many steps a pawn on a square has to its promotion. */
const stepsLeft = ({ rules }, square, white) => Math.abs(rules.promotionRanks[white ? 0 : 1] - (square >> 3));

/** Return whether every pawn stands one step before its promotion. */
const onlyPromote = (position) =>
  position.board.every((man, square) => man?.toUpperCase() !== "P" || stepsLeft(position, square, man === "P") === 1);

/** Return whether a pawn that has made a step is out of reach of the king to move, who is alone. */
function runs(square, after) {
  const { board, rules, white } = after;
  if (!rules.royal) return false; // who promotes need not win
  const own = board.flatMap((man, at) => (man && (man === man.toUpperCase()) === white ? [[man.toUpperCase(), at]] : []));
  if (own.some(([man]) => man !== "K" && man !== "P")) return false;
  const king = own.find(([man]) => man === "K")[1];
  const across = Math.abs((king & 7) - (square & 7));
  const along = Math.abs((king >> 3) - rules.promotionRanks[white ? 1 : 0]);
  return Math.max(across, along) > stepsLeft(after, square, !white) + 1;
}

/** Return whether a move that keeps the result is seen to do so. */
function shows(position, move, result, after, outcome) {
  const { board, white } = position;
  if (outcome === ~position.rules.plyOffset || board[move.to] !== null || move.passing || move.promotion) return true;
  if (result > 0 && ~outcome < SIGHT && onlyPromote(after)) return true;
  return isPawnOf(board[move.from], white) && runs(move.to, after);
}

/**
 * Divide the moves of a position: how many keep the result, whether one of them is seen to do so, how many are
 * mistakes that lose unseen, and which ones draw a won position, by their numbers.
 *
 * @param {object} position
 * @param {object[]} moves its moves
 * @param {object[]} after the positions after them
 * @param {object[]} outcomes those of these positions, by metric
 */
export function divide(position, moves, after, outcomes) {
  // A draw can be claimed before the move, whatever it is.
  const isClaimed = position.clock >= FIFTY_MOVES;
  const results = after.map(({ clock }, i) => (isClaimed ? 0 : -resultOf(outcomes[i][DTZ], clock, position.rules) || 0));
  const best = Math.max(...results);
  const [mistakes, keeping] = [false, true].map((isKept) =>
    results.flatMap((result, i) => ((result === best) === isKept ? [i] : [])));
  return {
    keeping: keeping.length,
    isSeen: keeping.some((i) => shows(position, moves[i], best, after[i], outcomes[i][DTZ])),
    hidden: mistakes.filter((i) => results[i] < 0 && outcomes[i][DTZ] + 1 > SIGHT).length,
    drawing: mistakes.filter((i) => results[i] === 0),
  };
}
