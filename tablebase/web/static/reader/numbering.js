// From a position to the slot of its value and back, as docs/format.md of the program defines it.
//
// Slots of six men stay below 2 ** 53, so plain numbers hold them.

const KINDS = ["Q", "R", "B", "N", "P"]; // the strongest first
const MIRROR = 1, FLIP = 56;
const FILES_UP_AND_DOWN = [...Array(64).keys()].map((i) => {
  const file = i >> 3;
  return 8 * (file % 2 ? 7 - (i & 7) : i & 7) + file;
});

/** Return the image of a square under one of the eight symmetries. */
const image = (symmetry, square) =>
  (symmetry & 4 ? (square & 7) * 8 + (square >> 3) : square) ^
  (symmetry & 1 ? 7 : 0) ^
  (symmetry & 2 ? 56 : 0);

const touch = (a, b) => Math.max(Math.abs((a >> 3) - (b >> 3)), Math.abs((a & 7) - (b & 7))) <= 1;

/** Return C(n, k). */
function choose(n, k) {
  let product = 1;
  for (let i = 1; i <= k; i += 1) product = (product * (n - k + i)) / i;
  return n < k ? 0 : product;
}

/** Return the numbering of pairs of kings: `number`, `first` and `count` by 64 * white + black. */
function kingPairs(hasPawns) {
  const order = hasPawns ? FILES_UP_AND_DOWN : [...Array(64).keys()];
  const inTriangle = (square) => square >> 3 <= (square & 7) && (square & 7) <= 3;
  const pairs = [];
  const [number, first, count] = [0, 1, 2].map(() => new Int16Array(64 * 64).fill(-1));
  for (const black of order) {
    const start = pairs.length;
    for (const white of order) {
      if (touch(white, black)) continue;
      const isOnDiagonal = white >> 3 === (white & 7);
      const isAbove = black >> 3 > (black & 7);
      if (hasPawns || (inTriangle(white) && !(isOnDiagonal && isAbove))) {
        pairs.push(64 * white + black);
      }
    }
    for (let i = start; i < pairs.length; i += 1) {
      number[pairs[i]] = i;
      first[pairs[i]] = start;
      count[pairs[i]] = pairs.length - start;
    }
  }
  return { pairs, number, first, count, size: pairs.length };
}

const made = new Map();
/** Return what `make` gives, made once for each key. */
function once(key, make) {
  if (!made.has(key)) made.set(key, make());
  return made.get(key);
}

const kings = (hasPawns) => once(hasPawns, () => kingPairs(hasPawns));

// Pawns

const PAWN_BASE = 48;

/** Return the key of pawns on some squares, White's first, each side's ascending. */
function pawnKey(whites, blacks) {
  const ascending = (squares) => squares.slice().sort((a, b) => a - b);
  const squares = [...ascending(whites), ...ascending(blacks)];
  return squares.reduceRight((key, square) => key * PAWN_BASE + square - 8, 0);
}

const mirrored = (squares) => squares.map((square) => square ^ 7);

/** Return the keys of all slices with given numbers of white and black pawns, ascending. */
function sliceKeys(white, black) {
  const keys = [];
  const squares = Array(white + black);
  const isTaken = Array(64).fill(false);
  // Digits from the most significant one down, so that keys come in order.
  const place = (i, key) => {
    if (i < 0) {
      const [whites, blacks] = [squares.slice(0, white), squares.slice(white)];
      if (key <= pawnKey(mirrored(whites), mirrored(blacks))) keys.push(key);
      return;
    }
    const isLastOfItsSide = i === white + black - 1 || i === white - 1;
    const end = isLastOfItsSide ? 56 : squares[i + 1];
    for (let square = 8; square < end; square += 1) {
      if (isTaken[square]) continue;
      squares[i] = square;
      isTaken[square] = true;
      place(i - 1, key * PAWN_BASE + square - 8);
      isTaken[square] = false;
    }
  };
  place(white + black - 1, 0);
  return Float64Array.from(keys);
}

/** Return the place of a number in an ascending array that has it. */
function placeOf(sorted, number) {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Materials

/** Return the kinds of the men of each side besides the kings, strongest first. */
function sidesOf(board) {
  const men = board.filter((man) => man && !/k/i.test(man));
  const kinds = (side) => KINDS.filter((kind) => side.includes(kind))
    .flatMap((kind) => side.filter((man) => man === kind)).join("");
  const whites = men.filter((man) => man < "a");
  const blacks = men.filter((man) => man >= "a").map((man) => man.toUpperCase());
  return [kinds(whites), kinds(blacks)];
}

/** Return whether the men of one side are more than those of another, or as many and stronger. */
function isStronger(side, other) {
  if (side.length !== other.length) return side.length > other.length;
  const strength = (men) => [...men].map((man) => KINDS.length - KINDS.indexOf(man)).join("");
  return strength(side) > strength(other);
}

const sizesOf = (sides) => sides.flatMap((side) =>
  KINDS.slice(0, 4).map((kind) => [...side].filter((man) => man === kind).length));

/** Return facts about a material by its name: sides, pawns, and the sizes of its numbering.
 *
 * @returns {object|null} null if the text does not name a normalized material
 */
export function materialNamed(name) {
  return once(`material ${name}`, () => {
    const match = /^K([QRBNP]*)K([QRBNP]*)$/.exec(name);
    if (!match) return null;
    const sides = match.slice(1);
    const ordered = sides.map((side) => KINDS.map((kind) =>
      [...side].filter((man) => man === kind).join("")).join(""));
    if (isStronger(sides[1], sides[0]) || ordered.join() !== sides.join()) return null;
    const pawns = sides.map((side) => [...side].filter((man) => man === "P").length);
    const pawnCount = pawns[0] + pawns[1];
    let [free, ranks] = [64 - pawnCount, 1];
    for (const size of sizesOf(sides)) {
      ranks *= choose(free, size);
      free -= size;
    }
    // Half of all placements of the pawns, and of those that are their own mirror image.
    let [every, own, left] = [1, 1, PAWN_BASE];
    for (const size of pawns) {
      every *= choose(left, size);
      own *= size % 2 ? 0 : choose(left / 2, size / 2);
      left -= size;
    }
    return {
      name, sides, pawns, ranks,
      men: 2 + sides.join("").length,
      isSymmetric: sides[0] === sides[1],
      slots: ((every + own) / 2) * ranks * (pawnCount ? 3612 : 462),
    };
  });
}

/** Return the place of a position's value.
 *
 * @param {object} position a legal position, whose en-passant square does not count
 * @returns {object|null} `material`, whether White is to move in the table (`white`), and `slot`;
 *   null for bare kings
 */
export function locate(position) {
  let { board, white } = position;
  let sides = sidesOf(board);
  if (!sides[0] && !sides[1]) return null;
  const isSymmetric = sides[0] === sides[1];
  if (isStronger(sides[1], sides[0]) || (isSymmetric && !white)) {
    board = board.map((_, square) => exchanged(board[square ^ FLIP]));
    sides = [sides[1], sides[0]];
    white = !white;
  }
  const material = `K${sides[0]}K${sides[1]}`;
  return { material, white, slot: slotOf(board, materialNamed(material)) };
}

/** Return the board of a slot; null if two men are on one square.
 *
 * A slot may be broken, that is, `locate` gives another one for the position.
 *
 * @param {string} name a normalized material
 * @param {number} slot
 * @returns {(string|null)[]|null}
 */
export function boardAt(name, slot) {
  const { sides, pawns, ranks } = materialNamed(name);
  const { pairs, first, count, size } = kings(pawns[0] + pawns[1] > 0);
  const slice = Math.floor(slot / (size * ranks));
  const inSlice = slot - slice * size * ranks;
  const begin = first[pairs[Math.floor(inSlice / ranks)]];
  const inGroup = inSlice - begin * ranks;
  const length = count[pairs[begin]];
  const pair = pairs[begin + (inGroup % length)];
  const board = Array(64).fill(null);
  placePawns(board, slice, pawns);
  placePieces(board, sides, Math.floor(inGroup / length));
  const [white, black] = [pair >> 6, pair & 63];
  if (board[white] || board[black]) return null;
  board[white] = "K";
  board[black] = "k";
  return board;
}

function placePawns(board, slice, pawns) {
  if (!(pawns[0] + pawns[1])) return;
  let key = once(`pawns ${pawns}`, () => sliceKeys(...pawns))[slice];
  for (const man of "P".repeat(pawns[0]) + "p".repeat(pawns[1])) {
    board[8 + (key % PAWN_BASE)] = man;
    key = Math.floor(key / PAWN_BASE);
  }
}

/** Place the pieces of a combination number beside pawns; the inverse of `rankOf`. */
function placePieces(board, [white, black], rank) {
  const sizes = sizesOf([white, black]);
  const groups = [..."QRBNqrbn"].map((man, i) => ({ man, size: sizes[i] })).filter(({ size }) => size);
  let free = board.filter((man) => !man).length;
  for (const group of groups) {
    group.total = choose(free, group.size);
    free -= group.size;
  }
  for (const group of [...groups].reverse()) {
    group.inside = rank % group.total;
    rank = Math.floor(rank / group.total);
  }
  for (const { man, size, inside } of groups) {
    const empty = [...board.keys()].filter((square) => !board[square]);
    let rest = inside;
    for (let i = size; i > 0; i -= 1) {
      let label = i - 1;
      while (choose(label + 1, i) <= rest) label += 1;
      rest -= choose(label, i);
      board[empty[label]] = man;
    }
  }
}

const exchanged = (man) => man && (man < "a" ? man.toLowerCase() : man.toUpperCase());

/** Return the squares of each kind of man, ascending. */
function squaresByMan(board) {
  const found = Object.fromEntries([..."KQRBNPkqrbnp"].map((man) => [man, []]));
  for (let square = 0; square < 64; square += 1) if (board[square]) found[board[square]].push(square);
  return found;
}

function slotOf(board, { ranks, pawns }) {
  const hasPawns = pawns[0] + pawns[1] > 0;
  const { number, first, count, size } = kings(hasPawns);
  const standing = squaresByMan(board);
  const [[white], [black]] = [standing.K, standing.k];
  let [slice, symmetries] = [0, [0, 1, 2, 3, 4, 5, 6, 7]];
  if (hasPawns) [slice, symmetries] = sliceOf(standing.P, standing.p, pawns);
  let [best, slot] = [Infinity, -1];
  for (const symmetry of symmetries) {
    const pair = 64 * image(symmetry, white) + image(symmetry, black);
    if (number[pair] < 0) continue;
    const rank = rankOf(standing, symmetry);
    // Of two images that of the smaller rank counts, then that of the smaller pair of kings.
    const order = rank * size + number[pair];
    if (order < best) {
      best = order;
      slot = (slice * size + first[pair]) * ranks + rank * count[pair] + number[pair] - first[pair];
    }
  }
  return slot;
}

/** Return the slice of pawns, and the symmetries that bring them to canonical form. */
function sliceOf(whites, blacks, pawns) {
  const keys = once(`pawns ${pawns}`, () => sliceKeys(...pawns));
  const [own, other] = [pawnKey(whites, blacks), pawnKey(mirrored(whites), mirrored(blacks))];
  const symmetries = own < other ? [0] : own > other ? [MIRROR] : [0, MIRROR];
  return [placeOf(keys, Math.min(own, other)), symmetries];
}

/** Return the combination number of the image of the pieces, whose squares are given by man. */
function rankOf(standing, symmetry) {
  const imagesOf = (man) => standing[man].map((square) => image(symmetry, square));
  const taken = [...imagesOf("P"), ...imagesOf("p")];
  let rank = 0;
  for (const man of [..."QRBNqrbn"]) {
    const group = imagesOf(man).sort((a, b) => a - b);
    if (!group.length) continue;
    const free = 64 - taken.length;
    const inside = group.reduce((sum, square, i) => {
      const label = square - taken.filter((one) => one < square).length;
      return sum + choose(label, i + 1);
    }, 0);
    rank = rank * choose(free, group.length) + inside;
    taken.push(...group);
  }
  return rank;
}
