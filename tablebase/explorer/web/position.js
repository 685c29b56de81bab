// Positions as the page shows them: from FEN and back, and after a move, which the reader makes.

import { capturesInPassing, isCheck, legalMoves, play, rightsLeft, uciOf } from "../reader/position.js";
import { Rules } from "../reader/rules.js";

export const FILES = "abcdefgh";
/** Plies without a capture or pawn move after which a player may claim a draw. */
export const FIFTY_MOVES = 100;
const DIAGONALS = [[1, 1], [1, -1], [-1, -1], [-1, 1]];
const LINES = [[0, 1], [1, 0], [0, -1], [-1, 0]];
const LEAPS = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];
const kind = (letter, name, reach, ...steps) => {
  const reaching = steps.map((step) => [...step, reach]);
  return { letter, name, picture: letter, steps: reaching, quiet_steps: reaching };
};
// What a page knows before it has the list of its tables.
const CHESS = {
  chess: true, files: 8, ranks: 8, walls: [], goal: [], promotions: ["Q", "R", "B", "N"], promotion_rank: 8, double_push: true,
  kinds: [
    kind("K", "king", 1, ...LINES, ...DIAGONALS), kind("Q", "queen", 7, ...LINES, ...DIAGONALS), kind("R", "rook", 7, ...LINES),
    kind("B", "bishop", 7, ...DIAGONALS), kind("N", "knight", 1, ...LEAPS), kind("P", "pawn", 1, [-1, 1], [1, 1]),
  ],
};

/** The game that the page shows positions of, see `setRules`: at first chess.
 *
 * `letters` of the men, the king's first, `names` of them, the letters of chess whose `pictures` they have;
 * the board with its `walls` and the `goal` of kings; what a win leads to, `end`; `reader`, the rules of the
 * reader.
 */
export const rules = {};

/** Let all parts of the page speak of a game, given as the list of its tables has it. */
export function setRules(record) {
  const { chess: isChess, kinds, files, ranks, walls, goal, bare_king: bare, stalemate_loses: stalemate } = record;
  const byLetter = (value) => Object.fromEntries(kinds.map((one) => [one.letter, value(one)]));
  Object.assign(rules, {
    letters: kinds.map(({ letter }) => letter).join(""),
    names: byLetter(({ name }) => name),
    pictures: byLetter(({ picture }) => picture),
    ...{ files, ranks, walls, goal, isChess, end: bare || stalemate || goal.length ? "the end" : "checkmate" },
    reader: new Rules(record),
  });
}

setRules(CHESS);

export const SIDES = { w: "White", b: "Black" };

export function other(side) {
  return side === "w" ? "b" : "w";
}

export function emptyPosition() {
  return { men: {}, turn: "w", castling: "-", passant: "-", clock: 0, number: 1 };
}

/** Return the position of a FEN ({men: {e4: "wK"}, turn, ...}), null if its board is malformed. */
export function readFen(fen) {
  const [board, turn = "w", castling = "-", passant = "-", clock = "0", number = "1"] =
    fen.replaceAll("_", " ").trim().split(/\s+/);
  const rows = board.replace(/([A-Za-z])~/g, "$1").replace(/\[\]$/, "").split("/"); // promoted, none in hand
  if (rows.length !== rules.ranks) return null;
  const men = {};
  for (const [down, row] of rows.entries()) {
    let file = 0;
    for (const letter of row) {
      if (/[1-8]/.test(letter)) {
        file += Number(letter);
      } else if (letter === "*" && rules.walls.includes(FILES[file] + (rules.ranks - down))) {
        file += 1;
      } else if (rules.letters.includes(letter.toUpperCase()) && file < rules.files) {
        const side = letter === letter.toUpperCase() ? "w" : "b";
        men[FILES[file] + (rules.ranks - down)] = side + letter.toUpperCase();
        file += 1;
      } else {
        return null;
      }
    }
    if (file !== rules.files) return null;
  }
  return {
    men,
    turn: turn === "b" ? "b" : "w",
    castling,
    passant: /^\d+$/.test(passant) ? "-" : passant, // makruk's limit of a count
    clock: Number(clock) || 0,
    number: Number(number) || 1,
  };
}

export function writeFen(position) {
  const rows = [];
  for (let rank = rules.ranks; rank >= 1; rank -= 1) {
    let row = "";
    let empty = 0;
    for (const file of FILES.slice(0, rules.files)) {
      const man = position.men[file + rank];
      const wall = rules.walls.includes(file + rank);
      if (!man && !wall) {
        empty += 1;
        continue;
      }
      const sign = wall ? "*" : man[0] === "w" ? man[1] : man[1].toLowerCase();
      row += (empty || "") + sign;
      empty = 0;
    }
    rows.push(row + (empty || ""));
  }
  const { turn, castling, passant, clock, number } = position;
  return [rows.join("/"), turn, castling, passant, clock, number].join(" ");
}

/** Return what of a FEN makes a position the same one. */
export const placeOf = (fen) => fen.split(" ").slice(0, 4).join(" ");

/** Return the castling rights of a position whose king and rook are at home, as in a FEN. */
export const rightsOf = ({ men, castling }) => (rules.isChess && rightsLeft(boardOf(men), castling)) || "-";

/** Return whether a side has a castling right, with its king and rook at home. */
export const hasCastling = (position) => rightsOf(position) !== "-";

/** Return men as the reader has them. */
function boardOf(men) {
  const board = Array(64).fill(null);
  for (const [square, [side, letter]] of Object.entries(men)) {
    board[rules.reader.squareOf(square)] = side === "w" ? letter : letter.toLowerCase();
  }
  return board;
}

/** Return a position as the reader has it. */
function read({ men, turn, castling, passant, clock, number }) {
  const [board, passed] = [boardOf(men), rules.reader.squareOf(passant)];
  return { rules: rules.reader, board, white: turn === "w", passed, castling: rightsLeft(board, castling), clock, number };
}

/** Return the position after a legal move of the server's list. */
export function afterMove(position, { uci }) {
  const before = read(position);
  const after = play(before, legalMoves(before).find((move) => uciOf(move, rules.reader) === uci));
  const men = rules.reader.squares.filter((square) => after.board[square]).map((square) => {
    const man = after.board[square];
    return [rules.reader.nameOf(square), (man < "a" ? "w" : "b") + man.toUpperCase()];
  });
  return {
    men: Object.fromEntries(men),
    turn: other(position.turn),
    castling: after.castling || "-",
    passant: capturesInPassing(after).length ? rules.reader.nameOf(after.passed) : "-",
    clock: after.clock,
    number: position.number + (position.turn === "b" ? 1 : 0),
  };
}

/** Return the positions along a line of the server's moves, each with the move that led there. */
export function stepsOf(position, moves) {
  let here = position;
  return moves.map(({ uci, san }) => {
    const { turn, number } = here;
    here = afterMove(here, { uci });
    return { fen: writeFen(here), uci, san, turn, number };
  });
}

/** Return the square of a side's king, undefined if it has none. */
export function kingOf({ men }, side) {
  return Object.keys(men).find((square) => men[square] === `${side}K`);
}

/** Return whether the king of the side to move is attacked. */
export function isInCheck(position) {
  return Boolean(kingOf(position, position.turn)) && isCheck(read(position));
}

/** Return the men as tables are named, the stronger side first: KRKN. */
export function materialName(position) {
  const sides = ["w", "b"].map((side) =>
    Object.values(position.men)
      .filter((man) => man[0] === side)
      .map((man) => man[1])
      .sort((one, two) => rules.letters.indexOf(one) - rules.letters.indexOf(two))
      .join(""),
  );
  const rank = (men) => [...men].map((letter) => rules.letters.indexOf(letter)).join("");
  sides.sort((one, two) => two.length - one.length || rank(one).localeCompare(rank(two)));
  return sides.join("");
}

// Other views of a position. Castling rights do not outlive them, tables know none.

/** Return the position with the other side to move. */
export function otherToMove(position) {
  return { ...position, turn: other(position.turn), castling: "-", passant: "-" };
}

function withSquares(position, image, side) {
  const men = Object.entries(position.men).map(([square, man]) => [image(square), side(man[0]) + man[1]]);
  const passant = position.passant === "-" ? "-" : image(position.passant);
  return { ...position, men: Object.fromEntries(men), turn: side(position.turn), castling: "-", passant };
}

/** Return the position with the colours exchanged: its value for the side to move is the same. */
export function swapped(position) {
  return withSquares(position, (square) => square[0] + (rules.ranks + 1 - square[1]), other);
}

/** Return the position with left and right exchanged. */
export function mirrored(position) {
  const image = (square) => FILES[rules.files - 1 - FILES.indexOf(square[0])] + square[1];
  return withSquares(position, image, (side) => side);
}
