// Counts of a solved table on the whole board, as tablebase/core/tables/census.py has them: results by side to
// move, longest wins, mutual zugzwangs. Symmetric images of a position are positions of their own.

import { Numbering } from "../reader/numbering.js";
import { outcomeToMate } from "../reader/outcomes.js";
import { fenOf, newPosition } from "../reader/position.js";
import { Rules } from "../reader/rules.js";

const DIAGONAL = 4; // the symmetry that exchanges files and ranks
const CODES = 1024; // of two bytes
const [BROKEN, HALF, WHOLE] = [0, 1, 2]; // how often a place counts, in half numbers of its images

const mirrored = (square) => square ^ 7;
const transposed = (square) => ((square & 7) << 3) | (square >> 3);

/** Counts of the tables of a game. */
export class Figures {
  #rules;
  #numbering;
  #rows = new Map(); // of materials that differ in the kinds of their pieces only

  /**
   * @param {object} record the rules of the game
   * @param {object} numbering that of its template
   */
  constructor(record, numbering) {
    this.#rules = new Rules(record);
    this.#numbering = new Numbering(this.#rules, numbering);
  }

  /** Return the figures of a table, with its codes in memory.
   *
   * @param {string} name the material
   * @param {{codes: Uint8Array[], epochs: Uint8Array[]|null}} table
   * @returns {object} by side to move, `white` and `black`, counts of `win`, `draw` and `loss`, and `longest`, the
   *   plies and the FEN of a longest win or null; `zugzwangs`, each counted once for all its images
   */
  of(name, { codes, epochs }) {
    const facts = this.#numbering.materialNamed(name);
    const { pairs, number, size } = facts.kings;
    const image = facts.hasPawns ? mirrored : transposed;
    const outcomes = Int16Array.from({ length: CODES }, (_, code) => outcomeToMate(code & 255, code >> 8));
    const signs = Int8Array.from(outcomes, Math.sign);
    const found = { counts: new Uint32Array(2 * 3 * CODES), best: [0, 0], slots: [-1, -1], zugzwangs: 0 };
    const [white, black] = [6, 0].map((shift) => Uint8Array.from(pairs, (pair) => (pair >> shift) & 63));
    // Pairs that are the second of two mirror images, or that a diagonal keeps.
    const isSecond = Uint8Array.from(pairs, (_, i) => {
      const other = number[64 * image(white[i]) + image(black[i])];
      return Number(facts.hasPawns ? other < i : other === i);
    });
    const names = [...facts.pawns.flatMap((count, i) => Array(count).fill("Pp"[i])),
      ...facts.groups.flatMap(({ man, size: count }) => Array(count).fill(man))];
    const guards = new Uint32Array(2 * 64 * 2);
    const isTaken = new Uint8Array(64);
    for (const [row, { squares, other }] of this.#rowsOf(facts, names, image).entries()) {
      for (const square of squares) isTaken[square] = 1;
      this.#guard(guards, names, squares, isTaken);
      countRow(row, weightsOf(facts, row, other), { isTaken, guards, size, white, black, isSecond, codes, epochs, outcomes, signs, found });
      for (const square of squares) isTaken[square] = 0;
    }
    const sides = [0, 1].map((side) => ({
      ...resultsOf(found.counts.subarray(3 * CODES * side), outcomes, facts.symmetries.length / 2),
      longest: found.best[side] && { plies: found.best[side], fen: this.#fen(facts, found.slots[side], !side) },
    }));
    return { white: sides[0], black: sides[1], zugzwangs: found.zugzwangs };
  }

  /** Return where men of some names stand in each row, and which row has the image, -1 if none. */
  #rowsOf(facts, names, image) {
    const structure = `${facts.pawns} ${facts.isMirrored} ${facts.groups.map(({ size }) => size)}`;
    if (this.#rows.has(structure)) return this.#rows.get(structure);
    const kinds = [...new Set(names)];
    const rows = Array.from({ length: facts.slots / facts.kings.size }, (_, row) => {
      const board = this.#numbering.rowAt(facts, row);
      const standing = kinds.map((man) => [...board.keys()].filter((square) => board[square] === man));
      return { squares: standing.flat(), standing };
    });
    const key = (standing) => standing.map((squares) => squares.sort((one, two) => one - two).join()).join(" ");
    const known = new Map(rows.map(({ standing }, row) => [key(standing), row]));
    const found = rows.map(({ squares, standing }) => (
      { squares, other: known.get(key(standing.map((some) => some.map(image)))) ?? -1 }));
    this.#rows.set(structure, found);
    return found;
  }

  /** Write to `guards` where a king shields the other side's, as bits in two words by side and that king's square: see
   *  `_guard` of tablebase/core/index/legality.py. */
  #guard(guards, names, squares, isTaken) {
    guards.fill(0xffffffff);
    for (const [i, man] of names.entries()) {
      const side = man < "a" ? 0 : 128;
      for (const ray of this.#rules.raysOf(man, "captures", squares[i])) {
        let [low, high] = [0, 0]; // the squares passed
        for (const target of ray) {
          guards[side + 2 * target] &= low;
          guards[side + 2 * target + 1] &= high;
          if (isTaken[target]) break;
          if (target < 32) low |= 1 << target;
          else high |= 1 << (target - 32);
        }
      }
    }
    for (const goal of this.#rules.goals) {
      for (let i = goal >> 5; i < guards.length; i += 2) guards[i] &= ~(1 << (goal & 31));
    }
  }

  #fen(facts, slot, white) {
    const { pairs, size } = facts.kings;
    const board = this.#numbering.rowAt(facts, Math.floor(slot / size));
    const pair = pairs[slot % size];
    [board[pair >> 6], board[pair & 63]] = ["K", "k"];
    return fenOf(newPosition(this.#rules, board, white));
  }
}

/** Return how the pairs of kings of a row count, and those that are second. */
function weightsOf({ hasPawns, isMirrored, symmetries }, row, other) {
  if (hasPawns) return !isMirrored || other < 0 || other > row ? [WHOLE, WHOLE] : [other < row ? BROKEN : WHOLE, BROKEN];
  if (!symmetries.includes(DIAGONAL)) return [WHOLE, WHOLE];
  return [WHOLE, other < row ? BROKEN : other === row ? HALF : WHOLE];
}

/** Count the places of a row. */
function countRow(row, weights, { isTaken, guards, size, white, black, isSecond, codes, epochs, outcomes, signs, found }) {
  const { counts, best, slots } = found;
  const [ofWhite, ofBlack] = codes;
  // This runs for each of a hundred million places: no lists in it.
  for (let i = 0, slot = row * size; i < size; i += 1, slot += 1) {
    const w = white[i];
    const b = black[i];
    const weight = weights[isSecond[i]];
    if (weight === BROKEN || isTaken[w] || isTaken[b]) continue;
    const one = epochs ? ofWhite[slot] + 256 * epochs[0][slot] : ofWhite[slot];
    const two = epochs ? ofBlack[slot] + 256 * epochs[1][slot] : ofBlack[slot];
    const whiteMoves = (guards[2 * b + (w >> 5)] >>> (w & 31)) & 1;
    const blackMoves = (guards[128 + 2 * w + (b >> 5)] >>> (b & 31)) & 1;
    if (whiteMoves) {
      counts[weight * CODES + one] += 1;
      if (outcomes[one] > best[0]) {
        best[0] = outcomes[one];
        slots[0] = slot;
      }
    }
    if (blackMoves) {
      counts[(3 + weight) * CODES + two] += 1;
      if (outcomes[two] > best[1]) {
        best[1] = outcomes[two];
        slots[1] = slot;
      }
    }
    if (whiteMoves & blackMoves && signs[one] + signs[two] < 0) found.zugzwangs += 1;
  }
}

/** Return the results of a side to move on the whole board, from counts by weight and code. */
function resultsOf(counts, outcomes, images) {
  const results = { win: 0, draw: 0, loss: 0 };
  for (const weight of [HALF, WHOLE]) {
    for (let code = 0; code < CODES; code += 1) {
      const outcome = outcomes[code];
      results[outcome > 0 ? "win" : outcome < 0 ? "loss" : "draw"] += counts[weight * CODES + code] * weight * images;
    }
  }
  return results;
}
