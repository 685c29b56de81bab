// The rules of a game, from the data of a publication. Squares are a1 = 0 to h8 = 63 of a board of 8 x 8,
// in which smaller boards lie; names count from the corner of the own board.

import { DTM, DTZ } from "./outcomes.js";

const SIZE = 8;
const MAX_KINDS = 31;
const KING = "K", PAWN = "P";
/** Checks that each side has to give, where the last one wins. */
export const CHECKS = 3;
export const FILES = "abcdefgh";

const isWhole = (number, least, most) => Number.isInteger(number) && number >= least && number <= most;
const isList = (list, most, isOne) => Array.isArray(list) && list.length <= most && list.every(isOne);
const isStep = (step) => isList(step, 3, Number.isInteger) && step.length === 3 &&
  isWhole(step[0], -7, 7) && isWhole(step[1], -7, 7) && (step[0] || step[1]) && step[2] > 0;
const isSquare = (name) => /^[a-h][1-8]$/.test(name);

/** Return whether a record of a publication describes a game. */
export function areRules(record) {
  if (!(record instanceof Object && isList(record.kinds, MAX_KINDS, (kind) => kind instanceof Object))) return false;
  const letters = record.kinds.map(({ letter }) => letter);
  if (record.chess && (letters.join("") !== "KQRBNP" || record.files !== SIZE || record.ranks !== SIZE)) return false;
  return typeof record.name === "string" && typeof record.rules_sha256 === "string" &&
    isWhole(record.files, 3, SIZE) && isWhole(record.ranks, 3, SIZE) &&
    isList(record.walls, 64, isSquare) && isList(record.goal, 64, isSquare) &&
    letters.every((letter) => /^[A-Z]$/.test(letter)) && new Set(letters).size === letters.length &&
    (letters[0] === KING || record.royal === false) && record.kinds.every(({ steps, quiet_steps: quiet }) =>
      isList(steps, 64, isStep) && isList(quiet, 64, isStep)) &&
    isList(record.promotions, MAX_KINDS, (letter) => letters.includes(letter)) &&
    isWhole(record.promotion_rank, 3, record.ranks);
}

/** Return men with the sides exchanged. */
export const exchanged = (man) => man && (man < "a" ? man.toLowerCase() : man.toUpperCase());

/** A game, with the fields of its record: `name`, `kinds`, `walls`, `promotions`, `fifty_moves`, ...
 *
 * `letters` are those of its kinds, the king's first, then stronger ones before weaker ones; by letter, `names`
 * of men, and `pictures`, the letters of men of chess who look like them. `squares` are those on which men can
 * stand, `goals` those on which a king wins; `end` is what a win leads to.
 */
export class Rules {
  #names = [];
  #numbers = new Map();
  #firstFile;
  #firstRank;
  #steps = {}; // by man, those of Black turned round; and the rays that were asked for
  #vectors = [new Map(), new Map()]; // of the steps of White's men and Black's, with who reaches how far
  #lines = [[], []]; // by side and square
  #beside = []; // by square
  #plain = new Set(); // men that move as they take

  /** @param {object} record one of which `areRules` is true */
  constructor(record) {
    // Records of earlier versions lack what other games than theirs have.
    Object.assign(this, { royal: true, checking: true }, record);
    this.hasMates = this.royal && this.checking && !this.check_counting;
    const begin = (size) => (size % 2 ? 0 : (SIZE - size) / 2);
    [this.#firstFile, this.#firstRank] = [begin(this.files), begin(this.ranks)];
    for (let rank = 0; rank < this.ranks; rank += 1) {
      for (let file = 0; file < this.files; file += 1) {
        const square = SIZE * (this.#firstRank + rank) + this.#firstFile + file;
        this.#names[square] = FILES[file] + (rank + 1);
        this.#numbers.set(this.#names[square], square);
      }
    }
    this.letters = this.kinds.map(({ letter }) => letter).join("");
    const byLetter = (value) => Object.fromEntries(this.kinds.map((kind) => [kind.letter, value(kind)]));
    [this.names, this.pictures] = [byLetter(({ name }) => name), byLetter(({ picture }) => picture)];
    // Where a side wins by having no move, that turn counts as a ply of an outcome.
    this.plyOffset = this.royal ? 0 : 1;
    // The distance that tells who wins: where the side with fewer men has won, only the one to zeroing does.
    this.main = this.fewest_win ? DTZ : DTM;
    const hasOtherWins = !this.royal || this.bare_king || this.stalemate_loses || this.blast || this.check_counting ||
      this.goal.length > 0;
    this.end = hasOtherWins ? "the end" : "checkmate";
    this.squares = [...this.#numbers].filter(([name]) => !this.walls.includes(name)).map(([, square]) => square);
    this.isSquare = Array(64).fill(false);
    for (const square of this.squares) this.isSquare[square] = true;
    this.goals = this.goal.map((name) => this.#numbers.get(name));
    this.#setPawns();
    this.#setSteps();
  }

  #setPawns() {
    const [first, last] = [this.#firstRank, this.#firstRank + this.ranks - 1];
    const promotions = [first + this.promotion_rank - 1, last + 1 - this.promotion_rank];
    const isBetween = (square, below, above) => square >> 3 > below && square >> 3 < above;
    // Of White and Black: where pawns promote, may stand, and may make two steps.
    this.promotionRanks = promotions;
    this.pawnSquares = [
      this.squares.filter((square) => isBetween(square, first, promotions[0])),
      this.squares.filter((square) => isBetween(square, promotions[1], last)),
    ];
    this.pushRanks = this.double_push ? [first + 1, last - 1] : [-1, -1];
  }

  #setSteps() {
    for (const { letter, steps, quiet_steps: others } of this.kinds) {
      for (const [man, forward] of [[letter, 1], [letter.toLowerCase(), -1]]) {
        const directed = ([files, ranks, reach]) => [files, forward * ranks, Math.min(reach, SIZE - 1)];
        const own = { captures: steps.map(directed), quiet: others.map(directed) };
        this.#steps[man] = { ...own, rays: { captures: [], quiet: [] } };
        if (String(steps) === String(others)) this.#plain.add(man);
        for (const [files, ranks, reach] of own.captures) {
          const side = this.#vectors[forward > 0 ? 0 : 1];
          const key = `${files} ${ranks}`;
          if (!side.has(key)) side.set(key, { files, ranks, men: [] });
          const { men } = side.get(key);
          for (let i = 0; i < reach; i += 1) men[i] = (men[i] ?? "") + man;
        }
      }
    }
  }

  /** Return the squares that a man on a square reaches by each of its steps, repeated, nearest first.
   *
   * @param {"captures"|"quiet"} kind which steps: those that take, or those to empty squares
   */
  raysOf(man, kind, square) {
    const { [kind]: steps, rays: { [kind]: rays } } = this.#steps[man];
    rays[square] ??= steps
      .map(([files, ranks, reach]) => this.#ray(square, files, ranks, reach))
      .filter((ray) => ray.length);
    return rays[square];
  }

  /** Return the lines along which men of a side may attack a square, and which men do so at each distance. */
  #linesTo(square, side) {
    this.#lines[side][square] ??= [...this.#vectors[side].values()]
      .map(({ files, ranks, men }) => ({ squares: this.#ray(square, -files, -ranks, men.length), men }))
      .filter(({ squares }) => squares.length);
    return this.#lines[side][square];
  }

  /** Return whether a man moves to empty squares as it takes. */
  movesAsItTakes(man) {
    return this.#plain.has(man);
  }

  /** Return the square some files and ranks away, -1 if there is none. */
  step(square, files, ranks) {
    const [file, rank] = [(square & 7) + files, (square >> 3) + ranks];
    const isThere = file >= 0 && file < SIZE && rank >= 0 && rank < SIZE && this.isSquare[SIZE * rank + file];
    return isThere ? SIZE * rank + file : -1;
  }

  /** Return the squares beside a square. */
  beside(square) {
    this.#beside[square] ??= [...LINES, ...DIAGONALS]
      .map(([files, ranks]) => this.step(square, files, ranks)).filter((at) => at >= 0);
    return this.#beside[square];
  }

  #ray(square, files, ranks, reach) {
    const found = [];
    for (let at = square; found.length < reach; found.push(at)) {
      at = this.step(at, files, ranks);
      if (at < 0) break;
    }
    return found;
  }

  /** Return whether men of a side attack a square. */
  isAttacked(board, square, byWhite) {
    // This runs for every move of a position and of those after it, so one look along each line.
    for (const { squares, men } of this.#linesTo(square, byWhite ? 0 : 1)) {
      for (let i = 0; i < squares.length; i += 1) {
        const man = board[squares[i]];
        if (man === null) continue;
        if (men[i].includes(man)) return true;
        break;
      }
    }
    return false;
  }

  /** Return the name of a square. */
  nameOf(square) {
    return this.#names[square];
  }

  /** Return the square of a name, -1 if there is none. */
  squareOf(name) {
    return this.#numbers.get(name) ?? -1;
  }

  /** Return the squares of each rank, the last rank first; null for walls. */
  get ranksOfSquares() {
    const files = [...Array(this.files).keys()];
    return [...Array(this.ranks).keys()].reverse().map((rank) => files.map((file) => {
      const square = SIZE * (this.#firstRank + rank) + this.#firstFile + file;
      return this.isSquare[square] ? square : null;
    }));
  }

  // Materials

  /** Return letters in the order of strength, the strongest first. */
  #inOrder(letters) {
    return [...letters].sort((a, b) => this.letters.indexOf(a) - this.letters.indexOf(b)).join("");
  }

  /** Return the men of each side besides royal kings, strongest first, as capital letters. */
  sidesOf(board) {
    const sides = ["", ""];
    for (const man of board) {
      if (man === null || (this.royal && isKing(man))) continue;
      if (man < "a") sides[0] += man;
      else sides[1] += man.toUpperCase();
    }
    return sides.map((side) => (side.length > 1 ? this.#inOrder(side) : side));
  }

  /** Return whether the men of one side are more than those of another, or as many and stronger. */
  isStronger(side, other) {
    if (this.one_sided) return false; // each order of the sides has a table
    if (side.length !== other.length) return side.length > other.length;
    const i = [...side].findIndex((man, place) => man !== other[place]);
    return i >= 0 && this.letters.indexOf(side[i]) < this.letters.indexOf(other[i]);
  }

  /** Return whether a position with the sides of a material exchanged is of the same table. */
  areAlike([white, black]) {
    return white === black && !this.one_sided;
  }

  /** Return how many numbers of checks left tables tell apart, by side: a bare king never gives check. */
  layersOf(sides) {
    return sides.map((side) => (this.check_counting && side ? CHECKS : 1));
  }

  /** Return the name of a material by its sides. */
  nameOfSides([white, black]) {
    return this.royal ? `K${white}K${black}` : `${white}v${black}`;
  }

  /** Return the name of the material of a board, the stronger side first. */
  materialOf(board) {
    const [white, black] = this.sidesOf(board);
    return this.nameOfSides(this.isStronger(black, white) ? [black, white] : [white, black]);
  }

  /** Return the lead of each side: its king if that is royal, else its rarest piece, the weakest of several.
   *
   * Sides of pawns have none, which is null.
   */
  leadsOf(sides) {
    if (this.royal) return [KING, KING.toLowerCase()];
    return sides.map((side, i) => {
      const count = (letter) => side.split(letter).length - 1;
      const pieces = [...this.letters].filter((letter) => letter !== PAWN && side.includes(letter)).reverse();
      const least = Math.min(...pieces.map(count));
      const lead = pieces.find((letter) => count(letter) === least) ?? null;
      return i && lead ? lead.toLowerCase() : lead;
    });
  }

  /** Return the men of both sides of a material, from what `sidesNamed` returns. */
  menOf([white, black]) {
    return [...(this.royal ? "Kk" : ""), ...white, ...black.toLowerCase()];
  }

  /** Return the sides of a material by its name, the stronger one first; null if it names none. */
  sidesNamed(name) {
    const kinds = this.royal ? this.letters.slice(1) : this.letters;
    const between = kinds.includes("V") ? "" : "V?";
    const form = this.royal ? `^K([${kinds}]*)${between}K([${kinds}]*)$` : `^([${kinds}]+)V([${kinds}]+)$`;
    const [, ...sides] = RegExp(form).exec(String(name).toUpperCase()) ?? [];
    if (!sides.length) return null;
    const ordered = sides.map((side) => this.#inOrder(side));
    return this.isStronger(ordered[1], ordered[0]) ? ordered.reverse() : ordered;
  }
}

const DIAGONALS = [[1, 1], [1, -1], [-1, -1], [-1, 1]];
const LINES = [[0, 1], [1, 0], [0, -1], [-1, 0]];
const LEAPS = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];
const kind = (letter, name, reach, ...steps) => {
  const reaching = steps.map((step) => [...step, reach]);
  return { letter, name, picture: letter, steps: reaching, quiet_steps: reaching };
};

/** Chess, for pages that show a position before the list of their tables is here. */
export const CHESS = new Rules({
  name: "chess", chess: true, files: 8, ranks: 8, walls: [], goal: [], promotions: ["Q", "R", "B", "N"],
  promotion_rank: 8, double_push: true, fifty_moves: true,
  kinds: [
    kind("K", "king", 1, ...LINES, ...DIAGONALS), kind("Q", "queen", 7, ...LINES, ...DIAGONALS),
    kind("R", "rook", 7, ...LINES), kind("B", "bishop", 7, ...DIAGONALS), kind("N", "knight", 1, ...LEAPS),
    kind("P", "pawn", 1, [-1, 1], [1, 1]),
  ],
});

export const isPawn = (man) => man === PAWN || man === "p";
export const isKing = (man) => man === KING || man === "k";
