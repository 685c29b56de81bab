// From a position to the slot of its value and back, by the numbering that a publication has as data.
//
// docs/format.md of the program defines the slots. Those of six men stay below 2 ** 53, so plain numbers
// hold them.

import { CHECKS, exchanged } from "./rules.js";

const FORMAT = "chess-tablebase-numbering";
const VERSION = 1;
const SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"; // one for each square
const MIRROR = 1; // the symmetry that exchanges left and right
const FIRST_PAWN_SQUARE = 8, PAWN_BASE = 48;
const NOWHERE = 0; // the square that is numbered for a lead that a side does not have

/** Return C(n, k). */
function choose(n, k) {
  let product = 1;
  for (let i = 1; i <= k; i += 1) product = (product * (n - k + i)) / i;
  return n < k ? 0 : product;
}

/** Return how many placements two groups of pawns have on squares of the first, of both, of the second. */
function placements([white, black], [first, both, second]) {
  let sum = 0;
  for (let shared = 0; shared <= white; shared += 1) {
    sum += choose(both, shared) * choose(first, white - shared) * choose(both - shared + second, black);
  }
  return sum;
}

const isText = (text, length) =>
  typeof text === "string" && text.length <= length && [...text].every((sign) => SIGNS.includes(sign));
const isBoard = (text) => isText(text, 64) && text.length === 64;
const isMask = (mask) => Number.isInteger(mask) && mask > 0 && mask < 256;
const areBoth = (list, isOne) => Array.isArray(list) && list.length === 2 && list.every(isOne);

function isNumbering(record, rules) {
  return record.format === FORMAT && record.version === VERSION && record.rules_sha256 === rules.rules_sha256 &&
    Array.isArray(record.images) && record.images.length === 8 && record.images.every(isBoard) &&
    isBoard(record.exchange) && areBoth(record.pawn_squares, (text) => isText(text, 64)) &&
    [...rules.letters].every((letter) => areBoth(record.kept?.[letter], isMask)) &&
    record.kings instanceof Object && Object.values(record.kings).every((lines) =>
      Array.isArray(lines) && lines.length <= 64 && lines.every((line) => isText(line, 65) && line.length > 1));
}

const squaresOf = (text) => [...text].map((sign) => SIGNS.indexOf(sign));

/** Return the numbering of pairs of kings: `number`, `first` and `count` by 64 * white + black. */
function kingPairs(lines) {
  const pairs = [];
  const [number, first, count] = [0, 1, 2].map(() => new Int16Array(64 * 64).fill(-1));
  for (const line of lines) {
    const [black, ...whites] = squaresOf(line);
    const start = pairs.length;
    for (const white of whites) {
      const pair = 64 * white + black;
      number[pair] = pairs.push(pair) - 1;
      first[pair] = start;
      count[pair] = whites.length;
    }
  }
  return { pairs, number, first, count, size: pairs.length };
}

/** Return the key of pawns on some squares, White's first, each side's ascending. */
function pawnKey(whites, blacks) {
  const ascending = (squares) => squares.slice().sort((a, b) => a - b);
  const squares = [...ascending(whites), ...ascending(blacks)];
  return squares.reduceRight((key, square) => key * PAWN_BASE + square - FIRST_PAWN_SQUARE, 0);
}

/** Return the place of a number in an ascending array, -1 if it is not there. */
function placeOf(sorted, number) {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < number) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === number ? low : -1;
}

/** Return the number of a layer, a part of a table with the same checks left to each side. */
const layerOf = (checks, { layers }) => layers.reduce((layer, n, i) => layer * n + Math.min(checks[i], n) - 1, 0);

/** Return the checks left in a layer; a side that cannot give check has all. */
const checksOf = (layer, { layers }) =>
  [Math.floor(layer / layers[1]), layer % layers[1]].map((digit, i) => CHECKS + 1 - layers[i] + digit);

/** Yield each choice of the men that lead, of several that are alike, and where the others stand, by man. */
function* ledBy(standing, [lead, other]) {
  const without = (list, square) => list.filter((one) => one !== square);
  for (const white of lead ? standing[lead] : [NOWHERE]) {
    for (const black of other ? standing[other] : [NOWHERE]) {
      const others = { ...standing };
      if (lead) others[lead] = without(standing[lead], white);
      if (other) others[other] = without(standing[other], black);
      yield { white, black, others };
    }
  }
}

/** The numbering of the positions of a game. */
export class Numbering {
  #rules;
  #images;
  #exchange;
  #pawnSquares;
  #kept;
  #lines;
  #places = []; // of squares among those of the board
  #made = new Map();

  /**
   * @param {import("./rules.js").Rules} rules
   * @param {object} record the numbering of a publication
   * @throws {Error} if it is none of these rules
   */
  constructor(rules, record) {
    if (!isNumbering(record, rules)) throw new Error("it is no numbering of the positions of its game");
    this.#rules = rules;
    this.#images = record.images.map(squaresOf);
    this.#exchange = squaresOf(record.exchange);
    this.#pawnSquares = record.pawn_squares.map(squaresOf);
    this.#kept = record.kept;
    this.#lines = record.kings;
    for (const [place, square] of rules.squares.entries()) this.#places[square] = place;
  }

  /** Return what `make` gives, made once for each key. */
  #once(key, make) {
    if (!this.#made.has(key)) this.#made.set(key, make());
    return this.#made.get(key);
  }

  /** Return facts about a material by its name: sides, pawns, and the sizes of its numbering.
   *
   * @returns {object|null} null if the text does not name a normalized material, or it has no numbering
   */
  materialNamed(name) {
    return this.#once(`material ${name}`, () => {
      const sides = this.#rules.sidesNamed(name);
      return sides && this.#rules.nameOfSides(sides) === name ? this.#material(name, sides) : null;
    });
  }

  #material(name, sides) {
    const count = (side, letter) => side.split(letter).length - 1;
    const pawns = sides.map((side) => count(side, "P"));
    const hasPawns = pawns[0] + pawns[1] > 0;
    const masks = (this.#rules.royal ? ["K"] : []).map((letter) => this.#kept[letter][0]);
    for (const [i, side] of sides.entries()) masks.push(...[...new Set(side)].map((letter) => this.#kept[letter][i]));
    const mask = masks.reduce((common, one) => common & one);
    const leads = this.#rules.leadsOf(sides);
    const key = hasPawns ? `pawns${leads[0] ? "" : ", no white"}${leads[1] ? "" : ", no black"}` : mask;
    const lines = this.#lines[key];
    if (!lines) return null;
    const kings = this.#once(`kings ${key}`, () => kingPairs(lines));
    const kinds = [...this.#rules.letters].filter((letter) => letter !== "P" && !(this.#rules.royal && letter === "K"));
    const groups = sides
      .flatMap((side, i) => kinds.map((kind) => {
        const man = i ? kind.toLowerCase() : kind;
        return { man, size: count(side, kind) - Number(!this.#rules.royal && leads[i] === man) };
      }))
      .filter(({ size }) => size);
    let [free, ranks] = [this.#rules.squares.length - pawns[0] - pawns[1], 1];
    for (const group of groups) {
      group.total = choose(free, group.size);
      ranks *= group.total;
      free -= group.size;
    }
    const isMirrored = Boolean(mask & (1 << MIRROR));
    const layers = this.#rules.layersOf(sides);
    const layerSize = this.#sliceCount(pawns, isMirrored) * ranks * kings.size;
    return {
      name, sides, pawns, hasPawns, isMirrored, leads, kings, groups, ranks,
      symmetries: [0, 1, 2, 3, 4, 5, 6, 7].filter((symmetry) => mask & (1 << symmetry)),
      men: this.#rules.menOf(sides).length,
      isSymmetric: this.#rules.areAlike(sides), layers, layerSize, slots: layerSize * layers[0] * layers[1],
    };
  }

  /** Return how many slices pawns have: up to the exchange of left and right, if that keeps values. */
  #sliceCount(pawns, isMirrored) {
    if (!(pawns[0] + pawns[1])) return 1;
    const [white, black] = this.#pawnSquares;
    const both = white.filter((square) => black.includes(square)).length;
    const sizes = [white.length - both, both, black.length - both];
    const every = placements(pawns, sizes);
    if (!isMirrored) return every;
    // Half of all placements of the pawns, and of those that are their own mirror image.
    const half = (numbers) => numbers.map((number) => number / 2);
    const own = pawns.some((count) => count % 2) ? 0 : placements(half(pawns), half(sizes));
    return (every + own) / 2;
  }

  #mirrored(squares) {
    return squares.map((square) => this.#images[MIRROR][square]);
  }

  /** Return the keys of all slices of a material, ascending. */
  #sliceKeys({ pawns: [white, black], isMirrored }) {
    const count = white + black;
    return this.#once(`pawns ${white} ${black} ${isMirrored}`, () => {
      const keys = [];
      const squares = Array(count);
      const isTaken = Array(64).fill(false);
      // Digits from the most significant one down, so that keys come in order.
      const place = (i, key) => {
        if (i < 0) {
          const images = () => [squares.slice(0, white), squares.slice(white)].map((side) => this.#mirrored(side));
          if (!isMirrored || key <= pawnKey(...images())) keys.push(key);
          return;
        }
        const isLastOfItsSide = i === count - 1 || i === white - 1;
        for (const square of this.#pawnSquares[i < white ? 0 : 1]) {
          if (!isLastOfItsSide && square >= squares[i + 1]) break;
          if (isTaken[square]) continue;
          squares[i] = square;
          isTaken[square] = true;
          place(i - 1, key * PAWN_BASE + square - FIRST_PAWN_SQUARE);
          isTaken[square] = false;
        }
      };
      place(count - 1, 0);
      return Float64Array.from(keys);
    });
  }

  /** Return the place of a position's value.
   *
   * @param {object} position a legal position, whose en-passant square does not count
   * @returns {object|null} `material`, whether White is to move in the table (`white`), its `slot` in a file and its
   *   `index` in memory; null if the numbering has no such position
   */
  locate({ board, white, checks }) {
    let sides = this.#rules.sidesOf(board);
    if (this.#rules.isStronger(sides[1], sides[0]) || (this.#rules.areAlike(sides) && !white)) {
      board = this.#exchange.map((square) => exchanged(board[square]));
      [sides, checks] = [sides, checks].map(([first, second]) => [second, first]);
      white = !white;
    }
    const facts = this.materialNamed(this.#rules.nameOfSides(sides));
    const [slot, index] = facts ? this.#slotOf(board, facts) : [-1];
    const before = slot < 0 ? 0 : layerOf(checks, facts) * facts.layerSize;
    return slot < 0 ? null : { material: facts.name, white, slot: before + slot, index: before + index };
  }

  #slotOf(board, facts) {
    const { hasPawns, leads, kings: { number, first, count, size }, ranks } = facts;
    const standing = { P: [], p: [] };
    for (let square = 0; square < 64; square += 1) {
      if (board[square]) (standing[board[square]] ??= []).push(square);
    }
    let [slice, { symmetries }] = [0, facts];
    if (hasPawns) [slice, symmetries] = this.#sliceOf(standing.P, standing.p, facts);
    if (slice < 0) return [-1];
    let [best, slot] = [Infinity, -1];
    for (const { white, black, others } of ledBy(standing, leads)) {
      for (const symmetry of symmetries) {
        const image = this.#images[symmetry];
        const pair = 64 * (leads[0] ? image[white] : NOWHERE) + (leads[1] ? image[black] : NOWHERE);
        if (number[pair] < 0) continue;
        const rank = this.#rankOf(others, image, facts);
        // Of several images that of the smallest rank counts, then that of the smallest pair of leads.
        const order = rank * size + number[pair];
        if (order < best) {
          best = order;
          slot = (slice * size + first[pair]) * ranks + rank * count[pair] + number[pair] - first[pair];
        }
      }
    }
    return [slot, slice * size * ranks + best];
  }

  /** Return the index in memory of a slot of a file. */
  indexOf(name, slot) {
    const { layerSize, kings: { pairs, first, count, size }, ranks } = this.materialNamed(name);
    const inSlice = (slot % layerSize) % (size * ranks);
    const begin = first[pairs[Math.floor(inSlice / ranks)]];
    const inGroup = inSlice - begin * ranks;
    const length = count[pairs[begin]];
    return slot - inSlice + Math.floor(inGroup / length) * size + begin + (inGroup % length);
  }

  /** Return the slice of pawns, and the symmetries that bring them to canonical form. */
  #sliceOf(whites, blacks, facts) {
    const keys = this.#sliceKeys(facts);
    const own = pawnKey(whites, blacks);
    if (!facts.isMirrored) return [placeOf(keys, own), [0]];
    const other = pawnKey(this.#mirrored(whites), this.#mirrored(blacks));
    const symmetries = own < other ? [0] : own > other ? [MIRROR] : [0, MIRROR];
    return [placeOf(keys, Math.min(own, other)), symmetries];
  }

  /** Return the combination number of the image of the pieces, whose squares are given by man. */
  #rankOf(standing, image, { groups }) {
    const placesOf = (squares) => squares.map((square) => this.#places[image[square]]);
    const taken = [...placesOf(standing.P), ...placesOf(standing.p)];
    let rank = 0;
    for (const { man, total } of groups) {
      const group = placesOf(standing[man]).sort((a, b) => a - b);
      const inside = group.reduce((sum, place, i) => {
        const label = place - taken.filter((one) => one < place).length;
        return sum + choose(label, i + 1);
      }, 0);
      rank = rank * total + inside;
      taken.push(...group);
    }
    return rank;
  }

  /** Return the `board` of a slot and the `checks` left; null if two men are on one square.
   *
   * A slot may be broken, that is, `locate` gives another one for the position.
   *
   * @param {string} name a normalized material
   * @param {number} slot
   * @returns {{board: (string|null)[], checks: number[]}|null}
   */
  placedAt(name, slot) {
    const facts = this.materialNamed(name);
    const board = this.#boardAt(slot % facts.layerSize, facts);
    return board && { board, checks: checksOf(Math.floor(slot / facts.layerSize), facts) };
  }

  #boardAt(slot, facts) {
    const { leads, kings: { pairs, first, count, size }, ranks } = facts;
    const slice = Math.floor(slot / (size * ranks));
    const inSlice = slot - slice * size * ranks;
    const begin = first[pairs[Math.floor(inSlice / ranks)]];
    const inGroup = inSlice - begin * ranks;
    const length = count[pairs[begin]];
    const pair = pairs[begin + (inGroup % length)];
    const board = this.rowAt(facts, slice * ranks + Math.floor(inGroup / length));
    for (const [i, square] of [pair >> 6, pair & 63].entries()) {
      if (!leads[i]) continue;
      if (board[square]) return null;
      board[square] = leads[i];
    }
    return board;
  }

  /** Return the board of the men besides the leads of a row: in memory, it has a place for each pair of leads. */
  rowAt(facts, row) {
    const board = Array(64).fill(null);
    this.#placePawns(board, Math.floor(row / facts.ranks), facts);
    this.#placePieces(board, row % facts.ranks, facts);
    return board;
  }

  #placePawns(board, slice, facts) {
    if (!facts.hasPawns) return;
    let key = this.#sliceKeys(facts)[slice];
    for (const man of "P".repeat(facts.pawns[0]) + "p".repeat(facts.pawns[1])) {
      board[FIRST_PAWN_SQUARE + (key % PAWN_BASE)] = man;
      key = Math.floor(key / PAWN_BASE);
    }
  }

  /** Place the pieces of a combination number beside pawns; the inverse of `rankOf`. */
  #placePieces(board, rank, { groups }) {
    const digits = [];
    for (const { total } of [...groups].reverse()) {
      digits.unshift(rank % total);
      rank = Math.floor(rank / total);
    }
    for (const [i, { man, size }] of groups.entries()) {
      const empty = this.#rules.squares.filter((square) => !board[square]);
      let rest = digits[i];
      for (let j = size; j > 0; j -= 1) {
        let label = j - 1;
        while (choose(label + 1, j) <= rest) label += 1;
        rest -= choose(label, j);
        board[empty[label]] = man;
      }
    }
  }
}
