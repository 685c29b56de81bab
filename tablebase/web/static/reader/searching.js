// Positions of a material: random ones, and those of a result and distance.

import { UnsupportedPositionError } from "./errors.js";
import { boardAt, locate, materialNamed } from "./numbering.js";
import { fenOf, illegality } from "./position.js";

/** Chunks that are looked through at most, as many at once as there are in a batch. */
export const MOST_CHUNKS = 256;
const BATCH = 4;

const below = (count) => Math.floor(Math.random() * count);

function shuffled(list) {
  for (let i = list.length - 1; i > 0; i -= 1) {
    const other = below(i + 1);
    [list[i], list[other]] = [list[other], list[i]];
  }
  return list;
}

const positionOf = (board, white) => ({ board, white, passed: -1, castling: "", clock: 0, number: 1 });

/** Return the name of a material with the stronger side first.
 *
 * @throws {UnsupportedPositionError} if the text names no material
 */
export function normalized(name) {
  const [, white, black] = /^K([QRBNP]*)v?K([QRBNP]*)$/i.exec(name ?? "") ?? [];
  const sides = [white, black].map((side) => {
    const men = (side ?? "").toUpperCase();
    return [..."QRBNP"].map((kind) => [...men].filter((man) => man === kind).join("")).join("");
  });
  const found = [sides, [...sides].reverse()].map(([one, other]) => `K${one}K${other}`);
  const material = white === undefined ? undefined : found.find((one) => materialNamed(one));
  if (!material) throw new UnsupportedPositionError(`${name} is no material: name one like KRK`);
  return material;
}

/** Return the FEN of a random legal position; all have equal probability.
 *
 * @param {string} name a normalized material
 */
export function randomPosition(name) {
  const [white, black] = materialNamed(name).sides;
  const men = [..."K", ...white, ..."k", ...black.toLowerCase()];
  for (;;) {
    const board = Array(64).fill(null);
    for (const man of men) {
      let square;
      do square = below(64); while (board[square]);
      board[square] = man;
    }
    const position = positionOf(board, Math.random() < 0.5);
    if (!illegality(position)) return fenOf(position);
  }
}

/** Return the FEN of a position of an outcome, null if none is found in some hundred chunks.
 *
 * The chunks are scanned in random order. So distances that are common are found at once in any
 * table, and all of them in tables of up to four men.
 *
 * @param {object} table as `openTable` gives it
 * @param {boolean} white whether White is to move
 * @param {string} metric one of the table's
 * @param {number} outcome no draw
 */
export async function positionWith(table, white, metric, outcome) {
  const numbers = shuffled([...Array(table.chunkCount).keys()]).slice(0, MOST_CHUNKS);
  while (numbers.length) {
    const batch = numbers.splice(0, BATCH).map((number) => table.slotsWith(white, metric, outcome, number));
    for (const slots of await Promise.all(batch)) {
      for (const slot of shuffled(slots)) {
        const board = boardAt(table.material, slot);
        const position = board && positionOf(board, white);
        // Of equal positions only one has this slot.
        if (position && !illegality(position) && locate(position).slot === slot) return fenOf(position);
      }
    }
  }
  return null;
}
