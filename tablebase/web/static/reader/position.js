// Positions: FENs in and out, legal moves, moves made. Squares are a1 = 0 to h8 = 63.

import { UnsupportedPositionError } from "./errors.js";
import { MATED } from "./outcomes.js";

export const MAX_MEN = 6;

const KNIGHT = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];
const STRAIGHT = [[0, 1], [1, 0], [0, -1], [-1, 0]];
const DIAGONAL = [[1, 1], [1, -1], [-1, -1], [-1, 1]];
const ALL = [...STRAIGHT, ...DIAGONAL];
const PROMOTIONS = ["q", "r", "b", "n"];
const NUMBER = /^(\d+|-\d*[1-9]\d*)$/; // negative ones get another refusal
const CASTLING = { K: [4, 7], H: [4, 7], Q: [4, 0], A: [4, 0] }; // king and rook of White

export const nameOf = (square) => "abcdefgh"[square & 7] + ((square >> 3) + 1);

const isWhite = (man) => man < "a";
/** Return the square some files and ranks away, -1 beyond the edge. */
function step(square, files, ranks) {
  const [file, rank] = [(square & 7) + files, (square >> 3) + ranks];
  return file < 0 || file > 7 || rank < 0 || rank > 7 ? -1 : 8 * rank + file;
}

/** Return for each square the squares that lie in the direction of each step, nearest first. */
const raysOf = (steps, repeats) => [...Array(64).keys()].map((square) => steps.map(([files, ranks]) => {
  const found = [];
  for (let at = step(square, files, ranks); at >= 0; at = step(at, files, ranks)) {
    found.push(at);
    if (!repeats) break;
  }
  return found;
}));

/** Rays of each kind of man; those of a queen are straight first. */
const RAYS = {
  N: raysOf(KNIGHT, false), K: raysOf(ALL, false),
  R: raysOf(STRAIGHT, true), B: raysOf(DIAGONAL, true), Q: raysOf(ALL, true),
};

// Reading and writing

/** Return the legal position of a FEN, whose last fields may be left out.
 *
 * Castling rights without king and rook in place, and en-passant squares that no pawn has just
 * passed, are dropped.
 *
 * @param {string} text the FEN; underscores may stand for blanks
 * @returns {object} `board` (64 letters or null), `white` (whether White is to move), `passed`
 *   (the en-passant square or -1), `clock` (plies since the last capture or pawn move), `number`
 * @throws {UnsupportedPositionError} if the text is no FEN, or no table can have the position
 */
export function readPosition(text) {
  if (typeof text !== "string") {
    throw new UnsupportedPositionError(`expected a FEN, not ${text === null ? "null" : typeof text}`);
  }
  const position = readFields(text);
  if (finalOutcome(position) !== null) return position;
  const men = menOf(position);
  if (men > MAX_MEN) {
    const fen = fenOf({ ...position, passed: -1 });
    throw new UnsupportedPositionError(`${men} men, tables have at most ${MAX_MEN}: ${fen}`);
  }
  checkLegal(position);
  checkCastling(position);
  return position;
}

/** Return the legal position of a FEN, of any number of men and with castling rights.
 *
 * @throws {UnsupportedPositionError} if the text is no FEN, or the position is illegal
 */
export function readAnyPosition(text) {
  const position = readFields(String(text));
  checkLegal(position);
  return position;
}

/** Return the position of a FEN with its castling rights, of a game from there on.
 *
 * @throws {UnsupportedPositionError} if the text is no FEN
 */
export const readStart = (text) => readFields(text);

const readFields = (text) => readFen(text.replaceAll("_", " ").trim().split(/\s+/).filter(Boolean));

/** Return the number of men of a position. */
export const menOf = ({ board }) => board.filter(Boolean).length;

function checkCastling(position) {
  if (!position.castling && !position.castling960) return;
  throw new UnsupportedPositionError(`positions with castling rights are not covered: ${fenOf(position)}`);
}

const refuse = (reason) => {
  throw new UnsupportedPositionError(`not a valid FEN: ${reason}`);
};

function readFen(fields) {
  const fen = fields.join(" ");
  const [men, turn = "w", castling = "-", passed = "-", clock = "0", number = "1"] = fields;
  if (!men) refuse("empty fen");
  if (turn !== "w" && turn !== "b") refuse(`expected 'w' or 'b' for turn part of fen: '${fen}'`);
  if (!/^(-|[KQABCDEFGH]{0,2}[kqabcdefgh]{0,2})$/.test(castling)) {
    refuse(`invalid castling part in fen: '${fen}'`);
  }
  if (!/^(-|[a-h][1-8])$/.test(passed)) refuse(`invalid en passant part in fen: '${fen}'`);
  if (!NUMBER.test(clock)) refuse(`invalid half-move clock in fen: '${fen}'`);
  if (Number(clock) < 0) refuse(`half-move clock cannot be negative: '${fen}'`);
  if (!NUMBER.test(number)) refuse(`invalid fullmove number in fen: '${fen}'`);
  if (Number(number) < 0) refuse(`fullmove number cannot be negative: '${fen}'`);
  if (fields.length > 6) refuse(`fen string has more parts than expected: '${fen}'`);
  const position = {
    board: readBoard(men),
    white: turn === "w",
    passed: passed === "-" ? -1 : "abcdefgh".indexOf(passed[0]) + 8 * (Number(passed[1]) - 1),
    clock: Number(clock),
    number: Math.max(Number(number), 1),
  };
  position.castling = rightsLeft(position.board, castling);
  const isRight = (sign) => isRightOf(position.board, sign);
  // As it was given, since castling of other setups is not among the moves.
  position.castling960 = !position.castling && [...castling].some(isRight) ? castling : "";
  if (position.passed >= 0 && !hasJustPassed(position)) position.passed = -1;
  return position;
}

function readBoard(men) {
  const board = Array(64).fill(null);
  const rows = men.split("/");
  if (rows.length !== 8) refuse(`expected 8 rows in position part of fen: '${men}'`);
  for (const [i, row] of rows.entries()) {
    let [file, wasDigit, wasPiece] = [0, false, false];
    for (const sign of row) {
      if (/[1-8]/.test(sign)) {
        if (wasDigit) refuse(`two subsequent digits in position part of fen: '${men}'`);
        file += Number(sign);
        [wasDigit, wasPiece] = [true, false];
      } else if (sign === "~") {
        if (!wasPiece) refuse(`'~' not after piece in position part of fen: '${men}'`);
        [wasDigit, wasPiece] = [false, false];
      } else if (/[pnbrqk]/i.test(sign)) {
        if (file < 8) board[8 * (7 - i) + file] = sign;
        file += 1;
        [wasDigit, wasPiece] = [false, true];
      } else {
        refuse(`invalid character in position part of fen: '${men}'`);
      }
    }
    if (file !== 8) refuse(`expected 8 columns per row in position part of fen: '${men}'`);
  }
  return board;
}

/** Return the castling rights whose king and rook are in place, as in a FEN. */
function rightsLeft(board, castling) {
  const found = new Set();
  for (const sign of castling) {
    const squares = CASTLING[sign.toUpperCase()];
    if (!squares) continue;
    const [king, rook] = isWhite(sign) ? squares : squares.map((square) => square + 56);
    const [ownKing, ownRook] = isWhite(sign) ? ["K", "R"] : ["k", "r"];
    if (board[king] !== ownKing || board[rook] !== ownRook) continue;
    const side = squares[1] ? "K" : "Q";
    found.add(isWhite(sign) ? side : side.toLowerCase());
  }
  return ["K", "Q", "k", "q"].filter((sign) => found.has(sign)).join("");
}

/** Return whether a right names the file of a rook, as in Shredder FENs, and king and rook are there. */
function isRightOf(board, sign) {
  const file = "abcdefgh".indexOf(sign.toLowerCase());
  const row = isWhite(sign) ? 0 : 56;
  const [king, rook] = isWhite(sign) ? ["K", "R"] : ["k", "r"];
  return file >= 0 && board[row + file] === rook && board.slice(row, row + 8).includes(king);
}

/** Return whether a pawn may have just passed the en-passant square. */
function hasJustPassed({ board, white, passed }) {
  if (passed >> 3 !== (white ? 5 : 2)) return false;
  const ahead = white ? 8 : -8;
  const isPawn = board[passed - ahead] === (white ? "p" : "P");
  return isPawn && !board[passed] && !board[passed + ahead];
}

/** Return why a position is illegal, an empty text if it is legal. */
export function illegality({ board, white }) {
  for (const [name, king] of [["White", "K"], ["Black", "k"]]) {
    const count = board.filter((man) => man === king).length;
    if (count !== 1) return `${name} has ${count} kings instead of one`;
  }
  if (board.some((man, square) => /^p$/i.test(man) && (square < 8 || square > 55))) {
    return "a pawn stands on the first or last rank";
  }
  const king = board.indexOf(white ? "k" : "K");
  const other = board.indexOf(white ? "K" : "k");
  const [files, ranks] = [(king & 7) - (other & 7), (king >> 3) - (other >> 3)];
  if (Math.max(Math.abs(files), Math.abs(ranks)) === 1) return "the kings stand next to each other";
  return isAttacked(board, king, white) ? "the side to move could take the king" : "";
}

function checkLegal(position) {
  const reason = illegality(position);
  if (!reason) return;
  const other = { ...position, white: !position.white, passed: -1 };
  if (illegality(other)) {
    const fen = fenOf({ ...position, passed: -1 });
    throw new UnsupportedPositionError(`illegal position: ${reason}: ${fen}`);
  }
  const [wanted, given] = other.white ? ["w", "b"] : ["b", "w"];
  throw new UnsupportedPositionError(
    `illegal position: ${reason}, try ${wanted} instead of ${given}: ${fenOf(other)}`,
  );
}

/** Return the FEN of a position, with the en-passant square only where a capture is legal. */
export function fenOf(position) {
  const rows = [];
  for (let rank = 7; rank >= 0; rank -= 1) {
    const row = position.board.slice(8 * rank, 8 * rank + 8).map((man) => man ?? ".").join("");
    rows.push(row.replace(/\.+/g, (empty) => empty.length));
  }
  const passed = capturesInPassing(position).length ? nameOf(position.passed) : "-";
  const turn = position.white ? "w" : "b";
  const { castling, castling960, clock, number } = position;
  return `${rows.join("/")} ${turn} ${castling || castling960 || "-"} ${passed} ${clock} ${number}`;
}

// Moves

/** Return whether men of a side attack a square. */
export function isAttacked(board, square, byWhite) {
  const [pawn, knight, back] = byWhite ? ["P", "N", -1] : ["p", "n", 1];
  for (const file of [-1, 1]) {
    const from = step(square, file, back);
    if (from >= 0 && board[from] === pawn) return true;
  }
  if (RAYS.N[square].some(([from]) => board[from] === knight)) return true;
  // This runs for every move of a position and of those after it, so one look along each line.
  for (const [direction, ray] of RAYS.Q[square].entries()) {
    const from = ray.find((one) => board[one] !== null);
    if (from === undefined || isWhite(board[from]) !== byWhite) continue;
    const kind = board[from].toUpperCase();
    if (kind === "Q" || kind === (direction < STRAIGHT.length ? "R" : "B")) return true;
    if (kind === "K" && from === ray[0]) return true;
  }
  return false;
}

/** Return whether the side to move is in check. */
export const isCheck = ({ board, white }) => isAttacked(board, board.indexOf(white ? "K" : "k"), !white);

function* pawnMoves({ board, white, passed }, from) {
  const [ahead, first, last] = white ? [1, 1, 7] : [-1, 6, 0];
  const targets = [];
  const one = step(from, 0, ahead);
  if (one >= 0 && !board[one]) {
    targets.push(one);
    const two = step(one, 0, ahead);
    if (from >> 3 === first && !board[two]) targets.push(two);
  }
  for (const file of [-1, 1]) {
    const to = step(from, file, ahead);
    if (to >= 0 && board[to] && isWhite(board[to]) !== white) targets.push(to);
    if (to >= 0 && to === passed && !board[to]) yield { from, to, promotion: "", passing: true };
  }
  for (const to of targets) {
    const promotions = to >> 3 === last ? PROMOTIONS : [""];
    for (const promotion of promotions) yield { from, to, promotion, passing: false };
  }
}

function* pieceMoves({ board, white }, from) {
  for (const ray of RAYS[board[from].toUpperCase()][from]) {
    for (const to of ray) {
      const man = board[to];
      if (!man || isWhite(man) !== white) yield { from, to, promotion: "", passing: false };
      if (man) break;
    }
  }
}

/** Yield the castling moves of the side to move, whose king may still end in check. */
function* castlingMoves({ board, white, castling }) {
  for (const sign of castling ?? "") {
    if (isWhite(sign) !== white) continue;
    const king = white ? 4 : 60;
    const way = sign.toUpperCase() === "K" ? [1, 2] : [-1, -2, -3];
    if (way.some((files) => board[king + files])) continue;
    if ([0, way[0]].some((files) => isAttacked(board, king + files, !white))) continue;
    yield { from: king, to: king + way[1], promotion: "", passing: false };
  }
}

/** Return whether a move is a castling: no other one takes a king two files away. */
const isCastling = (board, { from, to }) => /k/i.test(board[from]) && Math.abs(to - from) === 2;

/** Return the castling rights that are left when men have left or reached some squares. */
function rightsAfter(castling, squares) {
  return [...(castling ?? "")].filter((sign) => {
    const corners = CASTLING[sign.toUpperCase()].map((square) => square + (isWhite(sign) ? 0 : 56));
    return !corners.some((square) => squares.includes(square));
  }).join("");
}

/** Return the legal moves of a position: squares `from` and `to`, `promotion`, `passing`. */
export function legalMoves(position) {
  const found = [];
  for (const [from, man] of position.board.entries()) {
    if (!man || isWhite(man) !== position.white) continue;
    const moves = [.../p/i.test(man) ? pawnMoves(position, from) : pieceMoves(position, from)];
    if (position.castling && /k/i.test(man)) moves.push(...castlingMoves(position));
    for (const move of moves) {
      const { board } = play(position, move);
      if (!isAttacked(board, board.indexOf(position.white ? "K" : "k"), !position.white)) {
        found.push(move);
      }
    }
  }
  return found;
}

/** Return the outcome of checkmate and stalemate by any metric, null of other positions.
 *
 * There may be any number of men, and castling rights.
 */
export function finalOutcome(position) {
  if (illegality(position) || legalMoves(position).length) return null;
  if (isCheck(position)) return MATED;
  return position.castling960 ? null : 0; // castling may be its only move
}

/** Return the legal en passant captures. */
export const capturesInPassing = (position) =>
  position.passed < 0 ? [] : legalMoves(position).filter((move) => move.passing);

/** Return whether a move is a capture or a pawn move. */
export const isZeroing = ({ board }, { from, to }) => /p/i.test(board[from]) || board[to] !== null;

/** Return the position after a move. */
export function play(position, move) {
  const { board, white } = position;
  const after = board.slice();
  const { from, to, promotion, passing } = move;
  after[to] = promotion ? (white ? promotion.toUpperCase() : promotion) : board[from];
  after[from] = null;
  if (passing) after[to + (white ? -8 : 8)] = null;
  if (isCastling(board, move)) {
    const [rookFrom, rookTo] = to > from ? [from + 3, from + 1] : [from - 4, from - 1];
    after[rookTo] = board[rookFrom];
    after[rookFrom] = null;
  }
  const isDoublePush = /p/i.test(board[from]) && Math.abs(to - from) === 16;
  return {
    board: after,
    white: !white,
    passed: isDoublePush ? (from + to) / 2 : -1,
    castling: rightsAfter(position.castling, [from, to]),
    castling960: position.castling960,
    clock: isZeroing(position, move) ? 0 : position.clock + 1,
    number: position.number + (white ? 0 : 1),
  };
}

/** Return a move in the notation of UCI, like e7e8q. */
export const uciOf = ({ from, to, promotion }) => nameOf(from) + nameOf(to) + promotion;

/** Return a legal move in standard algebraic notation, like Nbd7+.
 *
 * @param {object} position the position before it
 * @param {object} move one of `moves`
 * @param {object[]} moves the legal moves of the position
 */
export function sanOf(position, move, moves) {
  const { board } = position;
  const after = play(position, move);
  const check = !isCheck(after) ? "" : legalMoves(after).length ? "+" : "#";
  if (isCastling(board, move)) return (move.to > move.from ? "O-O" : "O-O-O") + check;
  const capture = board[move.to] || move.passing ? "x" : "";
  const man = board[move.from].toUpperCase();
  const target = capture + nameOf(move.to);
  if (man === "P") {
    const promotion = move.promotion && `=${move.promotion.toUpperCase()}`;
    return (capture && nameOf(move.from)[0]) + target + promotion + check;
  }
  const others = moves.filter(({ from, to }) =>
    to === move.to && from !== move.from && board[from] === board[move.from]);
  const [file, rank] = nameOf(move.from);
  const isShared = (sign) => others.some(({ from }) => nameOf(from).includes(sign));
  const origin = !others.length ? "" : !isShared(file) ? file : !isShared(rank) ? rank : file + rank;
  return man + origin + target + check;
}
