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
 * Record an exercise of a level (among `of`); return the level of the next one, which is a `step` harder.
 *
 * Steps are 1 if it was solved, 0 with help, -1 if not; one at a level above one's own raises no progress then.
 */
export function keepProgress(material, level, of, step) {
  const { level: own, solved, played } = progressIn(material);
  const next = Math.min(of, Math.max(FIRST, level + step));
  const kept = [Math.min(own, next), own, next][step + 1];
  const progress = { level: kept, of, solved: solved + Number(step === 1), played: played + 1 };
  setPreference(KEY, { ...preference(KEY, {}), [nameOf(material)]: progress });
  return next;
}

/** Whether there is any progress. */
export const hasProgress = () => Object.keys(preference(KEY, {})).length > 0;

/** Forget all progress. */
export const forgetProgress = () => setPreference(KEY, {});
