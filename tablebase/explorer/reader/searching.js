// Positions of a material: random ones, and those of a result and distance.

import { UnsupportedPositionError } from "./errors.js";
import { fenOf, illegality, isBeyondTables, newPosition } from "./position.js";
import { CHECKS } from "./rules.js";
import { MOST_CHUNKS } from "./table.js";

const BATCH = 4; // chunks at once
const MOST_TRIES = 100_000; // of random squares

const below = (count) => Math.floor(Math.random() * count);

function shuffled(list) {
  for (let i = list.length - 1; i > 0; i -= 1) {
    const other = below(i + 1);
    [list[i], list[other]] = [list[other], list[i]];
  }
  return list;
}

/** Return the FEN of a random legal position; all have equal probability.
 *
 * @param {object} rules
 * @param {string} name a normalized material
 * @throws {UnsupportedPositionError} if none is found
 */
export function randomPosition(rules, name) {
  const sides = rules.sidesNamed(name);
  const [men, layers] = [rules.menOf(sides), rules.layersOf(sides)];
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const board = Array(64).fill(null);
    const free = [...rules.squares];
    for (const man of men) board[free.splice(below(free.length), 1)[0]] = man;
    const checks = layers.map((count) => CHECKS - below(count));
    const position = { ...newPosition(rules, board, Math.random() < 0.5), checks };
    if (!illegality(position) && !isBeyondTables(position)) return fenOf(position);
  }
  throw new UnsupportedPositionError(`no legal position of ${name} was found`);
}

/** Return the FEN of a position of an outcome, null if none is found in some hundred chunks.
 *
 * The chunks are scanned in random order. So distances that are common are found at once in any
 * table, and all of them in tables of up to four men.
 *
 * @param {object} rules
 * @param {object} numbering
 * @param {object} table as `openTable` gives it
 * @param {boolean} white whether White is to move
 * @param {string} metric one of the table's
 * @param {number} outcome no draw
 * @param {AbortSignal} [signal]
 */
export async function positionWith(rules, numbering, table, white, metric, outcome, signal) {
  const numbers = shuffled([...Array(table.chunkCount).keys()]).slice(0, MOST_CHUNKS);
  while (numbers.length) {
    signal?.throwIfAborted();
    const batch = numbers.splice(0, BATCH).map((number) => table.slotsWith(white, metric, outcome, number));
    for (const slots of await Promise.all(batch)) {
      for (const slot of shuffled(slots)) {
        const placed = numbering.placedAt(table.material, slot);
        const position = placed && { ...newPosition(rules), ...placed, white };
        // Of equal positions only one has this slot.
        if (position && !illegality(position) && numbering.locate(position)?.slot === slot) return fenOf(position);
      }
    }
  }
  return null;
}
