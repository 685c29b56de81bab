// What somebody has practised, by ending, and the mistakes of own games: kept in this browser alone.

import { placeOf } from "../reader/position.js";
import { RULES } from "./addresses.js";
import { preference, setPreference } from "./page.js";

const KEY = "progress";
const FIRST = 1;
const NEEDED = 2; // successes in a row that lead to the next level, or failures to the one before
const MOST = 200; // mistakes of own games
/** The ending of the exercises that are mistakes of own games. */
export const MINE = "mine";

/** Return the name of an ending of the game shown: endings of other games are others. */
const nameOf = (material) => (RULES === null ? material : `${RULES}:${material}`);

/**
 * Return the progress in an ending: its `level`, `of` how many if that is known, how many exercises were `played` and
 * `solved`, how many of its level in a `row` (failures are negative), and whether each one `seen` was solved, the last one
 * last.
 */
export function progressIn(material) {
  const kept = preference(KEY, {})[nameOf(material)];
  return { level: FIRST, solved: 0, played: kept ? kept.solved || 1 : 0, row: 0, seen: {}, ...kept };
}

/** Return the ending of the game shown that was practised last, undefined before the first one. */
export function lastPlayed() {
  const last = Object.keys(preference(KEY, {})).filter((name) => nameOf(name.split(":").at(-1)) === name).at(-1);
  return last?.split(":").at(-1);
}

/**
 * Record an exercise of a level (among `of`); return the level of the next one, and how many successes lead to a harder one.
 *
 * Steps are 1 if it was solved, 0 with help, -1 if not; one at a level above one's own raises no progress then.
 */
export function keepProgress(material, { level, of, fen }, step) {
  const { level: own, solved, played, ...past } = progressIn(material);
  const isSame = past.at === level && Math.sign(past.row) === step;
  const row = isSame ? past.row + step : step;
  const isEnough = Math.abs(row) >= NEEDED;
  const next = Math.min(of, Math.max(FIRST, level + (isEnough ? step : 0)));
  const kept = [Math.min(own, next), own, next][step + 1];
  const { [placeOf(fen)]: _, ...others } = past.seen;
  const progress = {
    level: kept, of, solved: solved + Number(step === 1), played: played + 1,
    row: isEnough ? 0 : row, at: level, seen: { ...others, [placeOf(fen)]: step === 1 },
  };
  const { [nameOf(material)]: _before, ...endings } = preference(KEY, {});
  setPreference(KEY, { ...endings, [nameOf(material)]: progress });
  return { next, left: step === 1 && level < of && !isEnough ? NEEDED - row : 0 };
}

/**
 * Return the exercise of a level that comes next in an ending, not the `last` one if there are others: one that failed
 * before, else one that was not seen, else the one seen longest ago.
 */
export function nextOf(material, exercises, last) {
  const { seen } = progressIn(material);
  const places = Object.keys(seen);
  const others = exercises.filter(({ fen }) => fen !== last);
  const agoOf = ({ fen }) => places.indexOf(placeOf(fen));
  const oldest = others.filter((one) => agoOf(one) >= 0).sort((one, other) => agoOf(one) - agoOf(other));
  const unseen = others.filter((one) => agoOf(one) < 0);
  const failed = oldest.find(({ fen }) => !seen[placeOf(fen)]);
  return failed ?? unseen[Math.floor(Math.random() * unseen.length)] ?? oldest[0] ?? exercises[0];
}

const placeIn = ({ fen }) => placeOf(fen);

/** Return the positions before mistakes of the games that were loaded, the latest first: `fen`, `player` and `game` in words. */
export const allMistakes = () => preference(MINE, []).map((one) => (one.fen ? one : { fen: one })); // FENs in earlier versions

/** Return whose mistakes are to be practised, those of all players if nobody was chosen. */
export const chosenPlayer = () => preference("player", "");
export const choosePlayer = (name) => setPreference("player", name);

/** Return the mistakes that are to be practised. */
export function ownMistakes() {
  const all = allMistakes();
  const own = all.filter(({ player }) => player === chosenPlayer());
  return own.length ? own : all;
}

/** Return players with the number of positions of their mistakes, most first. */
export function playersOf(mistakes) {
  const names = [...new Set(mistakes.map(({ player }) => player))].filter(Boolean);
  const placesOf = (name) => new Set(mistakes.filter(({ player }) => player === name).map(placeIn));
  const counts = names.map((name) => [name, placesOf(name).size]);
  return counts.sort(([, one], [, other]) => other - one);
}

/** Store the positions in which, by the tables, a player of a game went wrong, and return them; `nodes` are its positions. */
export function keepMistakes(nodes, players, game) {
  const isOne = ({ better, nags = [] }) => better && (nags.includes(2) || nags.includes(4));
  const found = nodes.filter(isOne).map(({ parent, turn }) => ({ fen: nodes[parent].fen, player: players[turn], game }));
  const all = [...found, ...allMistakes()];
  const places = all.map(placeIn);
  setPreference(MINE, all.filter((one, i) => places.indexOf(placeIn(one)) === i).slice(0, MOST));
  return found;
}

/** Whether there is any progress. */
export const hasProgress = () => Object.keys(preference(KEY, {})).length + allMistakes().length > 0;

/** Forget all progress, and own mistakes. */
export function forgetProgress() {
  setPreference(KEY, {});
  setPreference(MINE, []);
  choosePlayer("");
}
