// Positions of a game: FENs in and out, legal moves, moves made. Squares are as in rules.js.
//
// A position has `rules`, `board` (64 letters or null), `white` (whether White is to move), `passed` (the
// en-passant square or -1), `clock` (plies since the last capture or pawn move), `number`, `checks` (those left to White
// and to Black, where they are counted), and in chess `castling`. Positions are never changed.

import { UnsupportedPositionError } from "./errors.js";
import { ARRIVED, MATED, WON } from "./outcomes.js";
import { CHECKS, isKing, isPawn } from "./rules.js";

export const MAX_MEN = 6;
/** The position that games of chess begin with. */
export const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

const EXAMPLE = "8/8/8/8/8/2k5/1R6/K7 w";
const FIELDS = [ // of a FEN of chess after the men: their form, their name, and what to write instead
  [/^[wb]$/, "a side to move", "w or b"],
  [/^(-|[KQA-H]{0,2}[kqa-h]{0,2})$/, "castling rights", "-, or those of KQkq that there are"],
  [/^(-|[a-h][1-8])$/, "an en passant square", "-"],
  [/^[0-9]+$/, "a halfmove clock", "0"],
  [/^[0-9]+$/, "the number of a move", "1"],
];
const CLOCK = /^\d{1,9}$/;
const RIGHTS = /^(-|(?!$)[A-HKQ]*[a-hkq]*)$/; // of other games than chess
const CASTLING = { K: [4, 7], H: [4, 7], Q: [4, 0], A: [4, 0] }; // king and rook of White
const WALL = "*";
const ALL_LEFT = [CHECKS, CHECKS];
const LEAST_BEFORE_CHECKS = 3; // fields
const MOST_REPEATED = 80; // characters of a text, in a message

const isWhite = (man) => man < "a";
const sideOf = (white) => (white ? 0 : 1);

/** Return the square of a king, -1 if there is none. */
export const kingOf = ({ board }, white) => board.indexOf(white ? "K" : "k");

/** Return how many men a side has on a board. */
const countOf = (board, white) => board.filter((man) => man && isWhite(man) === white).length;

/** Return whether a side has lost what it must not lose, or has to lose: its king by an explosion, or all its men. */
const isGone = (position, white) =>
  (position.rules.royal ? position.rules.blast && kingOf(position, white) < 0 : !countOf(position.board, white));

// Reading and writing

/** Return the legal position of a FEN, whose last fields may be left out, if tables may have it.
 *
 * In chess, castling rights without king and rook in place, and en-passant squares that no pawn has
 * just passed, are dropped.
 *
 * @param {string} text the FEN; underscores may stand for blanks
 * @param {import("./rules.js").Rules} rules
 * @throws {UnsupportedPositionError} if the text is no FEN, or no table can have the position
 */
export function readPosition(text, rules) {
  if (typeof text !== "string") {
    throw new UnsupportedPositionError(`expected a FEN, not ${text === null ? "null" : typeof text}`);
  }
  const position = readStart(text, rules);
  if (finalOutcome(position) !== null) return position;
  const tooMany = () => {
    const men = menOf(position);
    if (men <= MAX_MEN) return;
    const fen = fenOf({ ...position, passed: -1 });
    throw new UnsupportedPositionError(`${men} pieces, but tables have at most ${MAX_MEN}: ${fen}`);
  };
  if (rules.chess) tooMany();
  checkLegal(position);
  tooMany();
  checkCastling(position);
  return position;
}

/** Return the legal position of a FEN, of any number of men and with castling rights.
 *
 * @throws {UnsupportedPositionError} if the text is no FEN, or the position is illegal
 */
export function readAnyPosition(text, rules) {
  const position = readStart(String(text), rules);
  checkLegal(position);
  return position;
}

/** Return the position of a FEN with its castling rights, of a game from there on; it may be illegal.
 *
 * @throws {UnsupportedPositionError} if the text is no FEN
 */
export function readStart(text, rules) {
  return rules.chess ? readFen(fieldsOf(text), rules) : readSetup(text, rules);
}

/** Return the position of a FEN as a page shows it, whatever it is worth; null if its board cannot be read. */
export function readLoosely(text, rules) {
  try {
    const { fields: [men = "", turn, castling = "", passed, clock, number], checks } = withoutChecks(text, rules, refuse);
    const board = rules.chess ? readBoard(men) : placed(men, rules, refuse);
    const position = newPosition(rules, board, turn !== "b");
    Object.assign(position, rightsIn(position, castling), { passed: rules.squareOf(passed), checks });
    if (!hasJustPassed(position)) position.passed = -1;
    return { ...position, clock: Number(clock) || 0, number: Number(number) || 1 };
  } catch (error) {
    if (error instanceof UnsupportedPositionError) return null;
    throw error;
  }
}

/** Return a position with the men of a board, by default with none. */
export const newPosition = (rules, board = Array(64).fill(null), white = true) =>
  ({ rules, board, white, passed: -1, castling: "", clock: 0, number: 1, checks: ALL_LEFT });

const fieldsOf = (text) => text.replaceAll("_", " ").trim().split(/\s+/).filter(Boolean);

/** Return the fields of a FEN without that of checks, if they are counted, the `plain` FEN of these, and the checks left. */
function withoutChecks(text, rules, no) {
  const fields = fieldsOf(text);
  const at = fields.findIndex((field, i) => i >= LEAST_BEFORE_CHECKS && field.includes("+"));
  if (!rules.check_counting || at < 0) return { fields, plain: text, checks: ALL_LEFT };
  const [told] = fields.splice(at, 1);
  const [, given, ...counts] = /^(\+?)([0-3])\+([0-3])$/.exec(told) ?? [];
  if (!counts.length) {
    no(`${quoted(told)} is no number of checks in ${quoted(text)}: write those left, 3+3, or those given, +0+0`);
  }
  const checks = counts.map((count) => (given ? CHECKS - count : Number(count)));
  return { fields, plain: fields.join(" "), checks };
}

/** Return the side to move as in a FEN. */
export const turnOf = ({ white }) => (white ? "w" : "b");

/** Return what of a FEN makes a position the same one. */
export const placeOf = (fen) => fen.replace(/( \d+)+$/, "");

/** Return the number of men of a position. */
export const menOf = ({ board }) => board.filter(Boolean).length;

function checkCastling(position) {
  if (!mayCastle(position)) return;
  throw new UnsupportedPositionError(`positions with castling rights are not covered: ${fenOf(position)}`);
}

const refuse = (reason) => {
  throw new UnsupportedPositionError(`not a valid FEN: ${reason}`);
};

function readFen(fields, rules) {
  const fen = fields.join(" ");
  if (!fields.length) refuse(`it is empty: write pieces and side to move, like ${EXAMPLE}`);
  if (fields.length > 6) refuse(`${quoted(fen)} has ${fields.length} parts, not 6`);
  for (const [i, [pattern, what, remedy]] of FIELDS.entries()) {
    const field = fields[i + 1] ?? "";
    if (i + 1 < fields.length && !pattern.test(field)) {
      refuse(`${quoted(field)} is not ${what} in ${quoted(fen)}: write ${remedy}`);
    }
  }
  const [men, turn = "w", castling = "-", passed = "-", clock = "0", number = "1"] = fields;
  const position = {
    rules,
    board: readBoard(men),
    white: turn === "w",
    passed: rules.squareOf(passed),
    clock: Number(clock),
    number: Math.max(Number(number), 1),
    checks: ALL_LEFT,
  };
  Object.assign(position, rightsIn(position, castling));
  if (position.passed >= 0 && !hasJustPassed(position)) position.passed = -1;
  return position;
}

function readBoard(men) {
  const board = Array(64).fill(null);
  const rows = men.split("/");
  if (rows.length !== 8) refuse(`${quoted(men)} has ${rows.length} rank${rows.length === 1 ? "" : "s"}, not 8`);
  for (const row of rows) checkRank(row);
  for (const [i, row] of rows.entries()) {
    let file = 0;
    for (const sign of row.replaceAll("~", "")) {
      if (/[1-8]/.test(sign)) file += Number(sign);
      else board[8 * (7 - i) + file++] = sign;
    }
  }
  return board;
}

function checkRank(row) {
  const [strange] = row.match(/[^1-8PNBRQK~]/iu) ?? [];
  if (strange) {
    refuse(
      `${quoted(strange)} in the rank ${quoted(row)} is neither a piece nor a number of empty squares: `
      + "write PNBRQK, pnbrqk and 1 to 8",
    );
  }
  if (/(?<![A-Za-z])~/.test(row)) refuse(`'~' in the rank ${quoted(row)} follows no piece: leave it out`);
  if (/[1-8]{2}/.test(row)) refuse(`the rank ${quoted(row)} has two numbers side by side: write their sum`);
  const squares = [...row.replaceAll("~", "")].reduce((sum, sign) => sum + (Number(sign) || 1), 0);
  if (squares !== 8) refuse(`the rank ${quoted(row)} has ${squares} squares, not 8`);
}

/** Return the castling rights of a FEN: `castling`, or else `castling960`, whose castling is not among the moves. */
function rightsIn({ rules, board }, rights) {
  const castling = rightsLeft({ rules, board }, rights);
  const isGiven = rules.chess && !castling && [...rights].some((sign) => isRightOf(board, sign));
  return { castling, castling960: isGiven ? rights : "" };
}

/** Return whether a position has castling rights, of chess or of Chess960. */
export const mayCastle = ({ castling, castling960 }) => Boolean(castling || castling960);

/** Return a position without castling rights. */
export const withoutRights = (position) => ({ ...position, castling: "", castling960: "" });

/** Return in words which castling rights and en-passant square of a FEN that can be read do not count, if any. */
export function leftOut(text, rules) {
  const position = readStart(text, rules);
  const [, , rights = "-", passed = "-"] = fieldsOf(text);
  const counts = (sign) => rightsLeft(position, sign) || (rules.chess && isRightOf(position.board, sign));
  const lost = [...rights.replaceAll("-", "")].filter((sign) => !counts(sign)).join("");
  const words = [];
  const reason = mayCastleBy(rules) ? "king and rook are not in place" : `nobody castles in ${rules.name}`;
  if (lost) words.push(`castling rights ${lost} do not count, because ${reason}`);
  if (rules.chess && passed !== "-" && position.passed < 0) {
    words.push(`the en passant square ${passed} does not count, because no pawn has just passed it`);
  }
  return words.join("; ");
}

/** Return the castling rights whose king and rook are in place, as in a FEN; only chess has any. */
export function rightsLeft({ rules, board }, castling) {
  if (!rules.chess) return "";
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

const quoted = (text) => (text.length <= MOST_REPEATED
  ? `'${text}'` : `'${text.slice(0, MOST_REPEATED)}'... (${text.length.toLocaleString("en")} characters)`);

/** Return the position of a FEN of another game than chess; its pawns and its right are checked. */
function readSetup(fen, rules) {
  const no = (reason) => {
    throw new UnsupportedPositionError(reason);
  };
  const { fields, plain, checks } = withoutChecks(fen, rules, no);
  let [men, turn, rights = "-", passed = "-", clock = "0", number = "1"] = fields;
  if (turn !== "w" && turn !== "b") no(`${quoted(plain)} is not a FEN: write pieces and side to move, w or b`);
  if (fields.length > 6) no(`${quoted(plain)} is not a FEN: it has ${fields.length} parts, not 6`);
  if (!CLOCK.test(clock)) no(`${quoted(clock)} is not a halfmove clock in ${quoted(plain)}: write 0`);
  if (!CLOCK.test(number)) no(`${quoted(number)} is not a number of a move in ${quoted(plain)}: write 1`);
  const board = placed(men, rules, no);
  if (!RIGHTS.test(rights) || isAnyRight(board, rights, rules)) {
    no(`${quoted(fen)} has rights that tables do not know: write - -`);
  }
  for (const [name, king] of rules.royal ? [["white", "K"], ["black", "k"]] : []) {
    const count = board.filter((man) => man === king).length;
    const hasExploded = rules.blast && !count && name[0] === turn; // the game is over
    if (count !== 1 && !hasExploded) no(`${name} has ${count} kings in ${quoted(fen)}`);
  }
  // In games without the 50-move rule, the limit of a count, and how far it has come.
  if (/^\d+$/.test(passed) && !rules.fifty_moves) [passed, clock] = ["-", "0"];
  if (passed !== "-" && rules.squareOf(passed) < 0) {
    no(`no pawn has just passed ${quoted(passed)} in ${quoted(fen)}: write -`);
  }
  const position = {
    rules, board, white: turn === "w", passed: rules.squareOf(passed), castling: "", clock: Number(clock), number: 1,
    checks,
  };
  const without = fenOf({ ...position, passed: -1 });
  const pawn = board.findIndex((man, square) => isPawn(man) && !mayStand(position, man, square));
  if (pawn >= 0) no(`a pawn stands on ${rules.nameOf(pawn)} in ${without}`);
  if (position.passed >= 0 && !hasJustPassed(position)) no(`no pawn has just passed ${quoted(passed)} in ${without}`);
  return position;
}

/** Return whether kings may castle by some rules. */
const mayCastleBy = ({ royal, checking }) => royal && checking;

/** Return whether king and a man in the corner, or on the file named, are there for a right. */
function isAnyRight(board, rights, rules) {
  return mayCastleBy(rules) && [...rights.replace("-", "")].some((right) => {
    const own = isWhite(right) ? /[A-Z]/ : /[a-z]/;
    const men = rules.ranksOfSquares.at(isWhite(right) ? -1 : 0).map((square) => board[square] ?? "");
    const named = { K: men.length - 1, Q: 0 }[right.toUpperCase()] ?? "ABCDEFGH".indexOf(right.toUpperCase());
    const king = men.indexOf(isWhite(right) ? "K" : "k");
    return king >= 0 && named !== king && own.test(men[named] ?? "");
  });
}

/** Return the board of the first field of a FEN; marks of promoted men and an empty hand are passed over. */
function placed(field, rules, no) {
  const men = field.replace(/([A-Za-z])~/g, "$1").replace(/\[\]$/, "");
  const board = Array(64).fill(null);
  const [rows, ranks] = [men.split("/"), rules.ranksOfSquares];
  if (rows.length !== ranks.length) no(`${quoted(men)} has ${rows.length} ranks, not ${ranks.length}`);
  for (const [i, row] of rows.entries()) {
    const signs = [...row.replace(/\d/g, (empty) => " ".repeat(Number(empty)))];
    if (signs.length !== rules.files) no(`the rank ${quoted(row)} has ${signs.length} squares, not ${rules.files}`);
    for (const [file, sign] of signs.entries()) {
      const square = ranks[i][file];
      if ((square === null) !== (sign === WALL)) {
        no(`the rank ${quoted(row)} does not have the walls of ${rules.name}: write ${WALL} for each`);
      }
      if (square === null || sign === " ") continue;
      if (!rules.letters.includes(sign.toUpperCase())) {
        const known = [...rules.letters].join(" ");
        no(`${quoted(sign)} in the rank ${quoted(row)} is not a piece of ${rules.name}, which has ${known}`);
      }
      board[square] = sign;
    }
  }
  return board;
}

const mayStand = ({ rules }, pawn, square) => rules.pawnSquares[sideOf(isWhite(pawn))].includes(square);

/** Return whether a pawn may have just passed the en-passant square. */
function hasJustPassed({ rules, board, white, passed }) {
  const ahead = white ? 8 : -8; // from the square where the pawn stands to the one that it came from
  const isAtBegin = (passed + ahead) >> 3 === rules.pushRanks[sideOf(!white)];
  if (!rules.double_push || !isAtBegin || !rules.isSquare[passed]) return false;
  const isThere = board[passed - ahead] === (white ? "p" : "P");
  return isThere && !board[passed] && !board[passed + ahead];
}

/** Return why a position is illegal, an empty text if it is legal. */
export function illegality(position) {
  const { rules, board, white } = position;
  for (const [name, king] of rules.royal ? [["White", "K"], ["Black", "k"]] : []) {
    const count = board.filter((man) => man === king).length;
    const hasExploded = rules.blast && !count && (king === "K") === white; // the game is over
    if (count !== 1 && !hasExploded) return `${name} has ${count} kings instead of one`;
  }
  if (board.some((man, square) => isPawn(man) && !mayStand(position, man, square))) {
    return "a pawn stands on the first or last rank";
  }
  if (!rules.royal) return countOf(board, !white) ? "" : "the side not to move has no pieces";
  if (isGone(position, white)) return "";
  const own = kingOf(position, white);
  if (!rules.blast && rules.beside(own).includes(kingOf(position, !white))) return "the kings stand next to each other";
  const hasWon = (isAtGoal(position, white) && !(rules.flag_move && white)) || !position.checks[sideOf(white)];
  if (!hasWon && !mayTakeKing(position, white) && (rules.checking || !isCheck(position))) return "";
  const reason = hasGivenAll(position) ? "the side to move has given its last check"
    : rules.checking ? "the side to move could take the king" : "a king is in check, which no move may give";
  return `${rules.goals.length ? "the game is over, or " : ""}${reason}`;
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
  const { rules, board, castling, castling960, clock, number, checks } = position;
  const rows = rules.ranksOfSquares.map((squares) => squares
    .map((square) => (square === null ? WALL : (board[square] ?? "."))).join("")
    .replace(/\.+/g, (empty) => empty.length));
  const passed = capturesInPassing(position).length ? rules.nameOf(position.passed) : "-";
  const left = rules.check_counting ? ` ${checks.join("+")}` : "";
  return `${rows.join("/")} ${turnOf(position)} ${castling || castling960 || "-"} ${passed}${left} ${clock} ${number}`;
}

// Moves

/** Return whether the side to move is in check. */
export const isCheck = (position) => mayTakeKing(position, !position.white);

/** Return whether a side attacks the other king, and may take it; where captures explode, its own may not be beside. */
function mayTakeKing({ rules, board }, byWhite) {
  if (!rules.royal) return false;
  const king = kingOf({ board }, !byWhite);
  if (king < 0 || (rules.blast && rules.beside(king).includes(kingOf({ board }, byWhite)))) return false;
  return rules.isAttacked(board, king, byWhite);
}

/** Yield the squares to which rays lead, up to the first man on each. */
function* reached(board, rays) {
  for (const ray of rays) {
    for (const to of ray) {
      yield to;
      if (board[to]) break;
    }
  }
}

/** Yield the squares to which a piece may move, checks aside. */
function* pieceTargets({ rules, board, white }, from) {
  const man = board[from];
  const captures = rules.raysOf(man, "captures", from);
  const mayTake = (to) => board[to] && isWhite(board[to]) !== white;
  if (rules.movesAsItTakes(man)) {
    for (const to of reached(board, captures)) if (!board[to] || mayTake(to)) yield to;
    return;
  }
  const [taking, others] = [captures, rules.raysOf(man, "quiet", from)].map((rays) => [...reached(board, rays)]);
  for (const to of taking) if (board[to] ? mayTake(to) : others.includes(to)) yield to;
  for (const to of others) if (!board[to] && !taking.includes(to)) yield to;
}

/** Yield the squares to which a pawn may move, checks aside. */
function* pawnTargets({ rules, board, white }, from) {
  for (const to of reached(board, rules.raysOf(board[from], "captures", from))) {
    if (board[to] && isWhite(board[to]) !== white) yield to;
  }
  const most = from >> 3 === rules.pushRanks[sideOf(white)] ? 2 : 1;
  let to = from;
  for (let i = 0; i < most; i += 1) {
    to = rules.step(to, 0, white ? 1 : -1);
    if (to < 0 || board[to]) return;
    yield to;
  }
}

/** Yield the moves of a man, whose king may still end in check. */
function* movesOf(position, from) {
  const { rules, board, white, castling } = position;
  const man = board[from];
  if (!isPawn(man)) {
    for (const to of pieceTargets(position, from)) yield { from, to, promotion: "", passing: false };
    if (castling && isKing(man)) yield* castlingMoves(position);
    return;
  }
  for (const to of pawnTargets(position, from)) {
    const stays = rules.pawnSquares[sideOf(white)].includes(to);
    for (const promotion of stays ? [""] : rules.promotions) {
      yield { from, to, promotion: promotion.toLowerCase(), passing: false };
    }
  }
}

/** Yield the captures en passant, whose king may still end in check. */
function* passingMoves({ rules, board, white, passed }) {
  if (passed < 0) return;
  for (const file of [-1, 1]) {
    const from = rules.step(passed - (white ? 8 : -8), file, 0);
    if (from >= 0 && board[from] === (white ? "P" : "p")) yield { from, to: passed, promotion: "", passing: true };
  }
}

/** Yield the castling moves of the side to move, whose king may still end in check. */
function* castlingMoves({ rules, board, white, castling }) {
  for (const sign of castling) {
    if (isWhite(sign) !== white) continue;
    const king = white ? 4 : 60;
    const way = sign.toUpperCase() === "K" ? [1, 2] : [-1, -2, -3];
    if (way.some((files) => board[king + files])) continue;
    if ([0, way[0]].some((files) => rules.isAttacked(board, king + files, !white))) continue;
    yield { from: king, to: king + way[1], promotion: "", passing: false };
  }
}

/** Return whether a move is a castling: no other one takes a king two files away. */
const isCastling = (board, { from, to }) => isKing(board[from]) && Math.abs(to - from) === 2;

/** Return the castling rights that are left when men have left or reached some squares. */
function rightsAfter(castling, squares) {
  if (!castling) return "";
  return [...castling].filter((sign) => {
    const corners = CASTLING[sign.toUpperCase()].map((square) => square + (isWhite(sign) ? 0 : 56));
    return !corners.some((square) => squares.includes(square));
  }).join("");
}

/** Return how many men stand against a king that has lost since it is bare, else 0. */
function bared({ rules, board, white }) {
  if (!rules.bare_king) return 0;
  const [own, others] = white ? rules.sidesOf(board) : rules.sidesOf(board).reverse();
  return own ? 0 : others.length;
}

/** Return whether the king of a side stands where it wins, unless Black may answer. */
const isAtGoal = (position, white) => position.rules.goals.includes(kingOf(position, white));

/** Return whether the other king has reached its goal, and the king to move has no answer. */
function isRaced(position) {
  const { rules, white } = position;
  if (!isAtGoal(position, !white)) return false;
  const answers = (move) => rules.goals.includes(move.to) && isLegal(position, move);
  return !rules.flag_move || white || ![...movesOf(position, kingOf(position, white))].some(answers);
}

/** Return whether a side has given its last check, which wins. */
const hasGivenAll = ({ checks }) => checks.includes(0);

/** Return whether a game is over, and its position in no table. */
export const isBeyondTables = (position) =>
  isGone(position, true) || isGone(position, false) || isAtGoal(position, position.white) || hasGivenAll(position);

/** Yield the legal moves of a position, captures en passant last, each with the position `after` it. */
function* generated(position) {
  if (!position.rules.must_capture) return yield* possible(position);
  const moves = [...possible(position)];
  const captures = moves.filter((move) => position.board[move.to] || move.passing);
  return yield* captures.length ? captures : moves;
}

/** Yield the moves of `generated` as if no capture were forced. */
function* possible(position) {
  const { board } = position;
  if (isBeyondTables(position) || isRaced(position)) return;
  const against = bared(position);
  if (against > 1) return; // a bare king that can make the other one bare goes on
  for (const from of origins(position)) {
    for (const move of movesOf(position, from)) {
      if ((!against || board[move.to]) && isLegal(position, move)) yield move;
    }
  }
  for (const move of passingMoves(position)) if (isLegal(position, move)) yield move;
}

/** Make a move; return whether it is legal. */
function isLegal(position, move) {
  const { rules, white } = position;
  move.after = made(position, move);
  if (!rules.royal) return true;
  if (isGone(move.after, white)) return false;
  return isGone(move.after, !white) || (!mayTakeKing(move.after, !white) && (rules.checking || !isCheck(move.after)));
}

/** Return the squares of the men of the side to move: of its lead, then of the others by kind, then ascending. */
function origins({ rules, board, white }) {
  const found = [];
  const lead = rules.royal ? -1 : board.indexOf(rules.leadsOf(rules.sidesOf(board))[sideOf(white)] ?? "none");
  for (let square = 0; square < 64; square += 1) {
    const man = board[square];
    const order = square === lead ? -1 : rules.letters.indexOf(man?.toUpperCase());
    if (man && isWhite(man) === white) found.push(64 * (order + 1) + square);
  }
  return found.sort((a, b) => a - b).map((place) => place & 63);
}

const known = new WeakMap(); // the moves of positions

/** Return the legal moves of a position: squares `from` and `to`, `promotion`, `passing`, `after`. */
export function legalMoves(position) {
  if (!known.has(position)) known.set(position, [...generated(position)]);
  return known.get(position);
}

/** Return why no move is left, null if there is one.
 *
 * It is `checkmate`, `stalemate`, `bare king`, `goal`, `explosion`, `third check` or `no pieces`.
 */
export function endOf(position) {
  if (known.has(position) ? known.get(position).length : !generated(position).next().done) return null;
  const { royal } = position.rules;
  if (hasGivenAll(position)) return "third check";
  if (isGone(position, true) || isGone(position, false)) return royal ? "explosion" : "no pieces";
  if (bared(position)) return "bare king";
  if (isAtGoal(position, true) || isAtGoal(position, false)) return "goal";
  return isCheck(position) ? "checkmate" : "stalemate";
}

/** Return the outcome of a legal position by its end, null if it has none. */
export function outcomeOfEnd(position, end) {
  if (end === null) return null;
  if (!position.rules.royal) return withoutMove(position);
  if (isAtGoal(position, position.white)) return isAtGoal(position, !position.white) ? 0 : ARRIVED;
  if (end !== "stalemate" || position.rules.stalemate_loses) return MATED;
  return position.castling960 ? null : 0; // castling may be its only move
}

/** Return the outcome where no king is royal and there is no move. */
function withoutMove({ rules, board, white }) {
  const [own, others] = [white, !white].map((side) => countOf(board, side));
  if (!rules.fewest_win || own < others) return WON;
  return own === others ? 0 : ~WON;
}

/** Return the outcome of a position without a move by any metric, null of other positions.
 *
 * There may be any number of men, and castling rights.
 */
export const finalOutcome = (position) =>
  (illegality(position) ? null : outcomeOfEnd(position, endOf(position)));

/** Return the legal en passant captures. */
export const capturesInPassing = (position) =>
  position.passed < 0 ? [] : legalMoves(position).filter((move) => move.passing);

/** Return whether a move is a capture or a pawn move. */
export const isZeroing = ({ board }, { from, to }) => isPawn(board[from]) || board[to] !== null;

/** Return the position after a move. */
export const play = (position, move) => move.after ?? made(position, move);

function made(position, move) {
  const { rules, board, white } = position;
  const after = board.slice();
  const { from, to, promotion, passing } = move;
  after[to] = promotion ? (white ? promotion.toUpperCase() : promotion) : board[from];
  after[from] = null;
  if (passing) after[to + (white ? -8 : 8)] = null;
  if (rules.blast && (board[to] || passing)) {
    after[to] = null;
    for (const square of rules.beside(to)) if (!isPawn(after[square])) after[square] = null;
  }
  if (isCastling(board, move)) {
    const [rookFrom, rookTo] = to > from ? [from + 3, from + 1] : [from - 4, from - 1];
    after[rookTo] = board[rookFrom];
    after[rookFrom] = null;
  }
  const stays = (sign) => isRightOf(after, sign) && !(isKing(board[from]) && isWhite(sign) === white);
  const isDoublePush = isPawn(board[from]) && Math.abs(to - from) === 16;
  const next = {
    rules,
    board: after,
    white: !white,
    passed: isDoublePush ? (from + to) / 2 : -1,
    castling: rightsAfter(position.castling, [from, to]),
    castling960: [...(position.castling960 ?? "")].filter(stays).join(""),
    clock: isZeroing(position, move) ? 0 : position.clock + 1,
    number: position.number + (white ? 0 : 1),
    checks: position.checks,
  };
  if (rules.check_counting && isCheck(next)) next.checks = next.checks.map((left, side) => left - (side === sideOf(white)));
  return next;
}

/** Return the position after a legal move in the notation of UCI. */
export const playUci = (position, uci) =>
  play(position, legalMoves(position).find((move) => uciOf(move, position.rules) === uci));

/** Return a move in the notation of UCI, like e7e8q. */
export const uciOf = ({ from, to, promotion }, rules) => rules.nameOf(from) + rules.nameOf(to) + promotion;

/** Return a legal move in standard algebraic notation, like Nbd7+, with # if it decides the game.
 *
 * @param {object} position the position before it
 * @param {object} move one of `moves`
 * @param {object[]} moves the legal moves of the position
 */
export function sanOf(position, move, moves) {
  const { rules, board } = position;
  const man = board[move.from].toUpperCase();
  const after = play(position, move);
  const sign = outcomeOfEnd(after, endOf(after)) ? "#" : isCheck(after) ? "+" : "";
  if (isCastling(board, move)) return (move.to > move.from ? "O-O" : "O-O-O") + sign;
  const capture = board[move.to] || move.passing ? "x" : "";
  const target = capture + rules.nameOf(move.to);
  const [file, rank] = rules.nameOf(move.from);
  if (isPawn(man)) return (capture && file) + target + (move.promotion && `=${move.promotion.toUpperCase()}`) + sign;
  const others = moves.filter(({ from, to }) =>
    to === move.to && from !== move.from && board[from] === board[move.from]);
  // As little of the square as no other such man has.
  const isTold = (part) => !others.some(({ from }) => rules.nameOf(from).includes(part));
  const origin = ["", file, rank, file + rank].find(isTold);
  return man + origin + target + sign;
}
