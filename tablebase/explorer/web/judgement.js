// What a move is worth beside the best one.

import { outcome, plural } from "./words.js";

const KEPT = {
  win: "the win",
  cursed: "the cursed win",
  draw: "the draw",
  blessed: "the draw by the 50-move rule",
};
export const RESULTS = {
  win: "a win",
  cursed: "a cursed win",
  draw: "a draw",
  blessed: "a blessed loss",
  loss: "a loss",
  unknown: "unknown",
};

// What a move does, where its result alone is no sentence.
const SAYS = {
  checkmate: "is checkmate",
  stalemate: "gives stalemate",
  draw: "draws",
  "cursed win": "is a cursed win",
  "blessed loss": "is a blessed loss",
};

const groupOf = (move) => outcome(move).group;
// The opponent's number is smaller after a slower win and after a faster loss of the mover.
const plies = (move) => (move.checkmate ? 0 : move.dtm ?? move.dtz_without_rule50 ?? 0);

/** Return the fault of a move beside the best one: "mistake", "slower" or nothing. */
export function faultOf(move, best) {
  if (groupOf(move) !== groupOf(best)) return "mistake";
  if (move.category === "draw") return "";
  return plies(move) < plies(best) ? "slower" : "";
}

/** Return the number of moves that a move loses in comparison with the best one, null if unknown. */
function movesLost(move, best) {
  if ([move, best].some(({ dtm, checkmate }) => dtm === null && !checkmate)) return null;
  return Math.round(Math.abs(plies(move) - plies(best)) / 2);
}

/** Return what the best move does, as the end of a sentence. */
function says(best) {
  const { text } = outcome(best);
  const [, moves] = /^mated in (\d+)$/.exec(text) ?? [];
  return moves ? `holds out for ${plural(Number(moves), "move")}` : SAYS[text] ?? text;
}

/** Return the fault of a move in words, with the right move; null if it has none or is not known. */
export function judge(move, moves) {
  const [best] = moves;
  const [was, is] = [best, move].map(groupOf);
  if (!(was in RESULTS && is in RESULTS) || [was, is].includes("unknown")) return null;
  const fault = faultOf(move, best);
  if (!fault) return null;
  if (fault === "mistake") {
    const text = `${move.san} throws away ${KEPT[was]}: it is now ${RESULTS[is]}. ${best.san} ${says(best)}.`;
    return { fault, text };
  }
  const lost = movesLost(move, best);
  const far = lost === null ? "" : ` by ${plural(lost, "move")}`;
  const [what, right] = was === "win" || was === "cursed" ? ["is slower", "is faster"] : ["loses sooner", "holds out longer"];
  return { fault, text: `${move.san} ${what}${far}. ${best.san} ${lost === null ? right : says(best)}.` };
}
