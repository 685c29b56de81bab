// Results and distances. An outcome is n > 0 for a win in n plies, ~n for a loss in n, 0 for a draw.

export const DTM = "dtm";
export const DTZ = "dtz";
export const METRICS = [DTM, DTZ];
export const DRAW_CODE = 255;
/** Plies without a capture or pawn move after which a player may claim a draw. */
export const FIFTY_MOVES = 100;
export const MATED = ~0;
/** Results under the 50-move rule; a cursed win and a blessed loss are draws by that rule. */
export const LOSS = -2;
export const BLESSED_LOSS = -1;
export const CURSED_WIN = 1;
export const WIN = 2;

const HORIZON = 1 << 14; // beyond any distance
const EPOCH_PLIES = 254;
const MAX_EPOCHS = 4;

/** Return the plies of an outcome, 0 for a draw. */
export const pliesOf = (outcome) => (outcome < 0 ? ~outcome : outcome);

/** Return a number that is larger for the better of two outcomes. */
export const preference = (outcome) =>
  outcome > 0 ? HORIZON - outcome : outcome < 0 ? ~outcome - HORIZON : 0;

/** Return the outcome of a move, for its side, from the outcome after it. */
export function before(after, metric, zeroing) {
  let plies = pliesOf(after);
  if (zeroing && metric === DTZ) plies = plies <= FIFTY_MOVES ? 0 : FIFTY_MOVES;
  return after > 0 ? ~(plies + 1) : after < 0 ? plies + 1 : 0;
}

/** Return a signed distance: n for a win, -n for a loss, 0 for a draw; checkmate is 0, or DTZ -1. */
export function signed(outcome, metric) {
  if (outcome >= 0) return outcome;
  return outcome === MATED ? (metric === DTZ ? -1 : 0) : -~outcome;
}

/** Return the result under the 50-move rule by the outcome to zeroing and the halfmove clock. */
export function result50(outcome, clock = 0) {
  const inTime = pliesOf(outcome) + clock <= FIFTY_MOVES;
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
