// Positions in the JSON of lichess's tablebase server, as `tablebase serve` answers.

import { DTM, DTZ, FIFTY_MOVES, MATED, WON, before, preference, signed } from "./outcomes.js";
import { endOf, isZeroing, legalMoves, outcomeOfEnd, play, sanOf, uciOf } from "./position.js";
import { isKing } from "./rules.js";

/** Categories of the position after a move, seen from the opponent, best first for the mover. */
const CATEGORIES = [
  "loss", "unknown", "maybe-loss", "blessed-loss", "draw", "cursed-win", "maybe-win", "win",
];
/** The same if a draw can be claimed before the move: then an unknown one is at best a cursed win. */
const OF_CLAIMS = [
  "loss", "maybe-loss", "blessed-loss", "unknown", "draw", "cursed-win", "maybe-win", "win",
];
const KNOWN = CATEGORIES.filter((one) => one !== "unknown");

/** Return a category as the side that has just moved sees it. */
const forTheMover = (category) => KNOWN[KNOWN.length - 1 - KNOWN.indexOf(category)];

/** Return the result as a category, under the 50-move rule if the game has it.
 *
 * @param {number|null} dtz signed distance to zeroing, null if unknown
 * @param {number|null} dtm signed distance to mate; it counts if `dtz` is unknown
 * @param {object} position
 * @param {number} before the halfmove clock before the move that led here
 * @param {number} over 1 if the side to move has won already, -1 if it has lost, else 0
 */
function categoryOf(dtz, dtm, { rules, clock }, before, over) {
  const isOver = over !== 0;
  const known = isOver ? over : (dtz ?? dtm);
  if (known === null) return "unknown";
  if (known === 0) return "draw";
  const result = known > 0 ? "win" : "loss";
  if (!rules.fifty_moves) return result;
  if (before < FIFTY_MOVES && (isOver || Math.abs(known) + clock <= FIFTY_MOVES)) return result;
  if (dtz === null && !isOver && Math.max(before, clock) < FIFTY_MOVES) return `maybe-${result}`;
  return known > 0 ? "cursed-win" : "blessed-loss";
}

/** Return whether neither side has the men to mate, wherever they stand. */
const isInsufficient = (board) => !mayMate(board).includes(true);

/** Return whether each side, White first, has the men to mate, wherever they stand. */
export function mayMate(board) {
  const men = board.flatMap((man, square) => (man ? [[man, square]] : []));
  const has = (kinds, list = men) => list.some(([man]) => kinds.includes(man.toUpperCase()));
  const colors = new Set(men.filter(([man]) => /b/i.test(man))
    .map(([, square]) => ((square & 7) + (square >> 3)) % 2));
  const lacks = (own, other) => {
    if (has("PRQ", own)) return false;
    if (has("N", own)) return own.length <= 2 && !has("PNBR", other);
    return !has("B", own) || (colors.size === 1 && !has("PN"));
  };
  const [whites, blacks] = [men.filter(([man]) => man < "a"), men.filter(([man]) => man >= "a")];
  return [!lacks(whites, blacks), !lacks(blacks, whites)];
}

/** Return whether neither side has the men to explode or mate a king, where captures explode. */
function isInsufficientWithBlast(board) {
  const men = [...board.entries()].filter(([, man]) => man);
  const of = (white) => men.filter(([, man]) => (man === man.toUpperCase()) === white);
  const sides = [of(true), of(false)].map((side) => ({
    kings: side.filter(([, man]) => man.toUpperCase() === "K").length,
    others: side.filter(([, man]) => man.toUpperCase() !== "K"),
  }));
  if (sides.some(({ kings }) => !kings)) return false;
  const [fewer, more] = sides.map(({ others }) => others).sort((one, other) => one.length - other.length);
  const kinds = more.map(([, man]) => man.toUpperCase());
  if (!fewer.length) { // a bare king draws with up to two knights, or with a single bishop or rook
    return kinds.every((kind) => kind === "N") ? kinds.length <= 2 : kinds.length === 1 && "BR".includes(kinds[0]);
  }
  // Bishops that cannot capture each other, because each side's stand on squares of one colour of its own.
  const isBishop = ([, man]) => man.toUpperCase() === "B";
  if (![...fewer, ...more].every(isBishop)) return false;
  const colors = [fewer, more].map((side) => new Set(side.map(([square]) => (square + (square >> 3)) % 2)));
  return colors.every((one) => one.size === 1) && [...colors[0]][0] !== [...colors[1]][0];
}

/** Return whether neither side has the men to lose them all, where that wins: bishops that never meet. */
function isInsufficientToLose(board) {
  const men = [...board.entries()].filter(([, man]) => man);
  const colors = [true, false].map((white) => new Set(men.filter(([, man]) => (man < "a") === white)
    .map(([square]) => ((square & 7) + (square >> 3)) % 2)));
  if (colors.some(({ size }) => !size) || !men.every(([, man]) => /b/i.test(man))) return false;
  const cannot = (own, others) => [...own].some((color) => !others.has(color));
  return cannot(colors[0], colors[1]) && cannot(colors[1], colors[0]);
}

function insufficiencyOf({ chess, blast, royal, check_counting: counts }) {
  if (chess) return isInsufficient;
  if (blast) return isInsufficientWithBlast;
  // Any man but the king may give the check that wins.
  if (counts) return (board) => board.every((man) => !man || isKing(man));
  return royal ? () => false : isInsufficientToLose;
}

/** Return whether neither side has the men to win, and no move wins, as that rule of thumb may forget. */
function isWithoutWinner(position) {
  if (!insufficiencyOf(position.rules)(position.board)) return false;
  return !legalMoves(position).map((move) => play(position, move)).some((after) => outcomeOfEnd(after, endOf(after)));
}

/** Return the outcome of a position by the name of a distance among its fields, null if that is not known. */
function outcomeIn(described, name, offset) {
  const { checkmate, stalemate, category, variant_loss: isVariantLoss, variant_win: isVariantWin } = described;
  if (isVariantWin) return WON;
  if (checkmate || isVariantLoss || (stalemate && category === "loss")) return MATED - offset;
  const plies = described[name];
  return plies && (plies > 0 ? plies + offset : plies - 1 - offset);
}

/** Return the name of the distance to the end of a game. */
const farOf = ({ royal }) => (royal ? "dtm" : "dtw");

/** Return a distance of a position as its moves tell it: all of them, or a win in one ply. */
function byMoves(moves, metric, rules) {
  const { plyOffset: offset } = rules;
  const name = metric === DTZ ? DTZ : farOf(rules);
  const outcomes = moves
    .map((move) => [outcomeIn(move, name, offset), move.zeroing])
    .filter(([after]) => after !== null)
    .map(([after, zeroing]) => before(after, metric, zeroing, offset))
    .sort((one, other) => preference(other) - preference(one));
  const isKnown = outcomes[0] === 1 + offset || outcomes.length === moves.length;
  return isKnown ? signed(outcomes[0] ?? 0, metric, offset) : null;
}

/** Return the fields of a position, without its moves.
 *
 * @param {object} position
 * @param {object} outcomes by metric, null where no table has them
 * @param {number} clockBefore the halfmove clock before the move that led here
 */
export function describe(position, outcomes, clockBefore = Math.max(0, position.clock - 1)) {
  const end = endOf(position);
  const { rules } = position;
  const over = Math.sign(outcomeOfEnd(position, end) ?? 0);
  const distance = (metric) => (outcomes[metric] === null ? null : signed(outcomes[metric], metric, rules.plyOffset));
  let [dtz, far] = [0, 0];
  if (over) [dtz, far] = [over, rules.royal ? null : 0];
  else if (end === null) [dtz, far] = [distance(DTZ), distance(DTM)];
  if (dtz === null && far === 1) dtz = 1; // a mate also ends the count
  const insufficient = !dtz && !far && isWithoutWinner(position); // where a table says so, too
  if (insufficient) [dtz, far] = [0, 0];
  if (!rules.fifty_moves) dtz = null;
  return {
    checkmate: end === "checkmate",
    stalemate: end === "stalemate",
    variant_win: over > 0,
    variant_loss: over < 0 && (!rules.royal || !["checkmate", "stalemate"].includes(end)),
    insufficient_material: insufficient,
    dtz,
    precise_dtz: dtz,
    dtm: rules.royal ? far : null,
    dtw: rules.royal ? null : far,
    dtc: null,
    category: categoryOf(dtz, far, position, clockBefore, over),
  };
}

/** Return a position with all its moves, best first, as `GET /standard` answers.
 *
 * @param {object} position
 * @param {object[]} moves its legal moves
 * @param {object} outcomes those of the position, by metric, null where no table has them
 * @param {object[]} after those after each move
 */
export function describeStandard(position, moves, outcomes, after) {
  const { rules, clock } = position;
  const order = clock < FIFTY_MOVES ? CATEGORIES : OF_CLAIMS;
  // The more valuable kind has the larger number.
  const worth = (man) => (man ? rules.letters.length - rules.letters.indexOf(man.toUpperCase()) : 0);
  const described = moves.map((move, i) => {
    const next = play(position, move);
    const capture = position.board[move.to] !== null || move.passing;
    const captured = move.passing ? "p" : position.board[move.to];
    const fields = {
      uci: uciOf(move, rules),
      san: sanOf(position, move, moves),
      zeroing: isZeroing(position, move),
      conversion: capture || move.promotion !== "",
      ...describe(next, after[i], clock),
    };
    return [fields, keyOf(fields, order, worth(captured), worth(move.promotion))];
  });
  described.sort(([, a], [, b]) => {
    const i = a.findIndex((part, place) => part !== b[place]);
    return i < 0 ? 0 : a[i] < b[i] ? -1 : 1;
  });
  const ranked = described.map(([fields]) => fields);
  const answer = { ...describe(position, outcomes), moves: ranked };
  const isUnknown = answer.category === "unknown";
  const isWhole = !position.castling960; // whose castling is not among the moves
  if (isUnknown && isWhole) {
    const [dtz, far] = [DTZ, DTM].map((metric) => byMoves(ranked, metric, rules));
    Object.assign(answer, { dtz, precise_dtz: dtz, [farOf(rules)]: far });
  }
  // What tables leave open, the positions after the moves may tell.
  const [best] = ranked.filter(({ category }) => isWhole || category === "loss");
  if ((isUnknown || answer.category.startsWith("maybe-")) && KNOWN.includes(best?.category)) {
    answer.category = forTheMover(best.category);
  }
  return answer;
}

/** Return what sorts moves in the order of lichess's server. */
function keyOf(move, order, captured, promoted) {
  const far = (move.dtm ?? move.dtw) ?? 0;
  const holdingOut = move.category.endsWith("win");
  return [
    order.indexOf(move.category),
    Number(!(move.checkmate || move.variant_loss)),
    Number(move.variant_win),
    Number(!move.stalemate),
    Number(!move.insufficient_material),
    Math.sign(far),
    -far || 0,
    Number(move.conversion === holdingOut),
    Number(move.zeroing === holdingOut),
    -(move.dtz ?? 0) || 0,
    -captured || 0,
    -promoted || 0,
    move.uci,
  ];
}
