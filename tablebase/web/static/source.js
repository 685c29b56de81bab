// Questions of the pages, and their answers.
//
// All but a lookup that is abandoned raise `Refused`, with the reason in words, if there is none.

import { TABLES } from "./addresses.js";

export { Refused } from "./refusals.js";

const host = await (TABLES === undefined ? import("./server.js") : import("./files.js"));

/** Return what there is to look up: `tables`, `max_men`, `location`, `solve`, `published`. */
export const about = () => host.ask("/tables");

/** Return a position with all its moves, best first, in the JSON of lichess's tablebase server.
 *
 * @param {string} fen
 * @param {object} [options]
 * @param {boolean} [options.difficulty] whether moves have the `difficulty` of what they lead to
 * @param {AbortSignal} [options.signal] abandons the lookup
 */
export const standard = (fen, { difficulty = false, signal } = {}) =>
  host.ask("/standard", { fen, ...(difficulty && { difficulty: 1 }) }, signal);

/** Return the best moves of both sides: `mainline`, and the distances of the position. */
export const mainline = (fen, { signal } = {}) => host.ask("/standard/mainline", { fen }, signal);

/** Return the figures of a table. */
export const table = (material) => host.ask("/table", { material });

/** Return longest wins and mutual zugzwangs of a table. */
export const survey = (material) => host.ask("/survey", { material });

/** Return `positions` that are hard to play. */
export const difficult = (material) => host.ask("/difficult", { material });

/** Return a random position: `material` and `fen`. */
export const random = (material) => host.ask("/random", { material });

/** Return one of the longest wins of a table. */
export const hardest = (material) => host.ask("/hardest", { material });

/** Return a position of a table by `turn`, `result`, `metric` and `plies`. */
export const find = (material, wanted) => host.ask("/find", { material, ...wanted });

/** Return a position to win or to hold, of a level of difficulty from 0 to 9. */
export const exercise = (material, level) => host.ask("/exercise", { material, level });

/** Return a game of a PGN with its moves judged: `nodes`, `headers`, `games`, and counts. */
export const annotated = (text, game) => host.sendText("/annotate", text, { game });

/** Yield how far the solution of a position is, see the endpoint `/solve`. */
export const solve = (fen, { moves = false, signal } = {}) =>
  host.order("/solve", { fen, moves: moves ? 1 : 0 }, signal);

/** Return what a page of other games asks the server. */
export const ask = (path, parameters = {}, signal = undefined) => host.ask(path, parameters, signal);
