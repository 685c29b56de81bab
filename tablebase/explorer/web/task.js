// What somebody who practises has to do in a position, and what each of the moves was worth.

import { RESULTS, faultOf } from "./judgement.js";
import { SIDES, materialName, rules } from "./position.js";
import { isByRule, outcome, plural } from "./words.js";

const ENOUGH = 6; // good moves, where it is not a mate to learn

/**
 * Return what there is to do in a position with its answer: `goal`, how `far` it is, and how many good `moves`
 * suffice, null up to the end, which is known of an `exercise`.
 */
export function taskOf({ category, dtm }, position, exercise = null) {
  const side = SIDES[position.turn];
  if (category.endsWith("loss") && category !== "blessed-loss") {
    return { goal: `Hold out with ${side}`, far: "The position is lost: make it last.", moves: Infinity };
  }
  const isWin = category.endsWith("win") && category !== "cursed-win";
  const isMate = isWin && /^K[^KP]+K$/.test(materialName(position));
  const moves = exercise ? exercise.moves : isMate ? null : ENOUGH;
  const [verb, end] = rules.end === "checkmate" ? ["Mate", "you mate"] : ["Win", "you have won"];
  const solved = moves === null ? `it is solved when ${end}` : `${plural(moves, "good move")} in a row solve it`;
  if (!isWin) return { goal: `Hold the draw with ${side}`, far: `Do not let it slip: ${solved}.`, moves };
  const known = dtm !== null && !isByRule({ category });
  const far = known ? `${verb} in ${Math.ceil(Math.abs(dtm) / 2)} with best play. ` : "";
  return { goal: `Win this for ${side}`, far: `${far}You may take longer, but do not let it slip: ${solved}.`, moves };
}

/** Return what to say of a move beside the best one: its `fault`, a `text`, of a mistake a `headline`. */
export function remarkOn(move, best) {
  const fault = faultOf(move, best);
  if (fault === "mistake") {
    const [was, is] = [best, move].map((one) => RESULTS[outcome(one).group]);
    return { fault, headline: `${move.san} is a mistake`, text: `It was ${was}, now it is ${is}` };
  }
  return { fault, text: fault ? `${move.san} is right, but slower than necessary` : `${move.san} is best` };
}
