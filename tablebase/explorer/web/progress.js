// What somebody has practised, by ending: kept in this browser alone.

import { RULES } from "./addresses.js";
import { preference, setPreference } from "./page.js";

const KEY = "progress";
const FIRST = 1;

/** Return the name of an ending of the game shown: endings of other games are others. */
const nameOf = (material) => (RULES === null ? material : `${RULES}:${material}`);

/** Return the progress in an ending: its `level`, `of` how many if that is known, and how many exercises were `played` and `solved`. */
export function progressIn(material) {
  const kept = preference(KEY, {})[nameOf(material)];
  return { level: FIRST, solved: 0, played: kept ? kept.solved || 1 : 0, ...kept };
}

/**
 * Record whether an exercise of a level (among `of`) was solved; return the level of the next one.
 *
 * A failure at a level that was chosen above one's own raises no progress.
 */
export function keepProgress(material, level, of, isSolved) {
  const { level: own, solved, played } = progressIn(material);
  const next = Math.min(of, Math.max(FIRST, level + (isSolved ? 1 : -1)));
  const kept = isSolved ? next : Math.min(own, next);
  const progress = { level: kept, of, solved: solved + (isSolved ? 1 : 0), played: played + 1 };
  setPreference(KEY, { ...preference(KEY, {}), [nameOf(material)]: progress });
  return next;
}

/** Whether there is any progress. */
export const hasProgress = () => Object.keys(preference(KEY, {})).length > 0;

/** Forget all progress. */
export const forgetProgress = () => setPreference(KEY, {});
