// Results and distances. An outcome is n > 0 for a win in n plies, ~n for a loss in n, 0 for a draw.

export const DTM = "dtm";
export const DTZ = "dtz";
export const METRICS = [DTM, DTZ];
/** Plies to a mate by White and by Black if both sides play for it, in codes of distances to mate. */
export const HELPMATES = ["white_mates", "black_mates"];
export const DRAW_CODE = 255;
/** Plies without a capture or pawn move after which a player may claim a draw. */
export const FIFTY_MOVES = 100;
export const MATED = ~0;
/** The outcome of who has won by having no move: that turn counts as a ply, because 0 is a draw. */
export const WON = 1;
/** The same where a king that has reached its goal has won and is to move: a win in 0 plies. */
export const ARRIVED = (1 << 14) - 1;
/** Results under the 50-move rule; a cursed win and a blessed loss are draws by that rule. */
export const LOSS = -2;
export const BLESSED_LOSS = -1;
export const CURSED_WIN = 1;
export const WIN = 2;

const HORIZON = 1 << 14; // beyond any distance
const EPOCH_PLIES = 254;
const MAX_EPOCHS = 4;

/** Return the plies of an outcome, 0 for a draw. */
export const pliesOf = (outcome) => (outcome < 0 ? ~outcome : outcome % ARRIVED);

/** Return a number that is larger for the better of two outcomes. */
export const preference = (outcome) =>
  outcome > 0 ? HORIZON - outcome : outcome < 0 ? ~outcome - HORIZON : 0;

/** Return the outcome of a move, for its side, from the outcome after it.
 *
 * @param {number} after
 * @param {string} metric
 * @param {boolean} zeroing whether the move is a capture or a pawn move
 * @param {number} [offset] the plies by which outcomes are longer than distances, `plyOffset` of rules
 */
export function before(after, metric, zeroing, offset = 0) {
  let plies = pliesOf(after);
  if (zeroing && metric === DTZ) plies = offset + (plies <= FIFTY_MOVES + offset ? 0 : FIFTY_MOVES);
  return after > 0 ? ~(plies + 1) : after < 0 ? plies + 1 : 0;
}

/** Return a signed distance: n for a win, -n for a loss, 0 for a draw; checkmate is 0, or DTZ -1.
 *
 * `offset` is as in `before`: then what is over has distance 0.
 */
export function signed(outcome, metric, offset = 0) {
  if (offset) return Math.sign(outcome) * (pliesOf(outcome) - offset) || 0;
  if (outcome >= 0) return pliesOf(outcome);
  return outcome === MATED ? (metric === DTZ ? -1 : 0) : -~outcome;
}

/** Return the result under the 50-move rule by the outcome to zeroing and the halfmove clock. */
export function result50(outcome, clock = 0, offset = 0) {
  const inTime = pliesOf(outcome) + clock <= FIFTY_MOVES + offset;
  if (outcome > 0) return inTime ? WIN : CURSED_WIN;
  if (outcome < 0) return inTime || outcome === MATED ? LOSS : BLESSED_LOSS;
  return 0;
}

/** Return the outcome of a code of distances to mate and of its epoch, null if it has none. */
export function outcomeToMate(code, epoch) {
  if (epoch >= MAX_EPOCHS) return null;
  if (code === DRAW_CODE) return 0;
  const plies = code + EPOCH_PLIES * epoch;
  return plies % 2 ? plies : ~plies;
}

/** Return the outcome of a code of distances to zeroing by a table's list, null if it has none. */
export const outcomeToZeroing = (code, outcomes) =>
  code === DRAW_CODE ? 0 : (outcomes[code] ?? null);
