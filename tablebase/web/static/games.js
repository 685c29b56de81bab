// Games of a PGN text, read as the server reads them.

import {
  fenOf, illegality, legalMoves, play, readStart, sanOf, uciOf,
} from "../reader/position.js";
import { UnsupportedPositionError } from "../reader/errors.js";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const UNKNOWN = {
  Event: "?", Site: "?", Date: "????.??.??", Round: "?", White: "?", Black: "?", Result: "*",
};
const MOST_MOVES = 1000; // of a game, variations included
const TAG = /^\[([A-Za-z0-9][A-Za-z0-9_+#=:-]*)\s+"([^\r]*)"\]\s*$/;
const TOKENS = new RegExp(
  [
    String.raw`[NBKRQ]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[nbrqkNBRQK])?|[PNBRQK]?@[a-h][1-8]`,
    String.raw`--|Z0|0000|@@@@|O-O(?:-O)?|0-0(?:-0)?`,
    String.raw`\{|;|\$[0-9]+|\(|\)|\*|1-0|0-1|1\/2-1\/2|[?!]{1,2}`,
  ].join("|"),
  "g",
);
const SAN = /^([NBKRQ])?([a-h])?([1-8])?[-x]?([a-h][1-8])(?:=?([nbrqkNBRQK]))?$/;
const NAGS = { "!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6 };
const NULL_MOVES = ["--", "Z0", "0000", "@@@@"];
const RESULTS = ["1-0", "0-1", "1/2-1/2", "*"];
const STANDARD = ["", "standard", "chess", "classical", "normal", "from position", "illegal"];

/** A text without a game that can be shown. */
export class GameError extends Error {
  name = "GameError";
}

const isBlank = (line) => /^\s*$/.test(line);
const isRemark = (line) => line.startsWith("%") || line.startsWith(";");

/** Return the texts of the games of a PGN: headers, and the lines of their moves. */
export function splitGames(text) {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const games = [];
  for (let i = 0; i < lines.length; ) {
    while (i < lines.length && (isBlank(lines[i]) || isRemark(lines[i]))) i += 1;
    if (i === lines.length) break;
    const game = { headers: {}, lines: [] };
    i = readHeaders(lines, i, game.headers);
    let isInComment = false;
    for (; i < lines.length && (isInComment || !isBlank(lines[i])); i += 1) {
      if (!isInComment && isRemark(lines[i])) continue;
      game.lines.push(lines[i]);
      isInComment = endsInComment(lines[i], isInComment);
    }
    games.push(game);
  }
  return games;
}

/** Read headers from a line on; return the number of the first line of moves. */
function readHeaders(lines, start, headers) {
  let i = start;
  for (let blanks = 0; i < lines.length; i += 1) {
    if (isRemark(lines[i])) continue;
    if (isBlank(lines[i])) {
      blanks += 1;
      if (blanks > 1) break;
      continue;
    }
    if (!lines[i].startsWith("[")) break;
    blanks = 0;
    const [, name, value] = TAG.exec(lines[i]) ?? [];
    if (name) headers[name] = value;
  }
  return i;
}

function endsInComment(line, isInComment) {
  for (const [sign] of line.matchAll(/[{};]/g)) {
    if (sign === ";" && !isInComment) return false;
    if (sign !== ";") isInComment = sign === "{";
  }
  return isInComment;
}

/** Return the headers of a game, those that every game has first. */
const completed = (headers) => ({ ...UNKNOWN, ...headers });

/** Return the position that a game begins with. */
function startOf(headers) {
  const { Variant: variant = "" } = headers;
  if (!STANDARD.includes(variant.toLowerCase())) {
    throw new GameError(`tables are of standard chess, not of ${variant}`);
  }
  try {
    const position = readStart(headers.FEN ?? START);
    const reason = illegality(position);
    if (reason) throw new UnsupportedPositionError(`illegal position: ${reason}`);
    return position;
  } catch (error) {
    if (!(error instanceof UnsupportedPositionError)) throw error;
    throw new GameError(error.message);
  }
}

/** Return a legal move by its notation; raises an `Error` that says what is wrong with it. */
function moveOf(position, moves, text) {
  const castling = { "O-O": 2, "O-O-O": -2 }[text.replaceAll("0", "O")];
  const refuse = (reason) => {
    throw new Error(`${reason} san: '${text}' in ${fenOf(position)}`);
  };
  if (castling) {
    const isIt = ({ from, to }) => /k/i.test(position.board[from]) && to - from === castling;
    return moves.find(isIt) ?? refuse("illegal");
  }
  const match = SAN.exec(text);
  if (!match) throw new Error(`invalid san: '${text}'`);
  const [, piece, file, rank, target, promotion = ""] = match;
  const found = moves.filter((move) => {
    const uci = uciOf(move);
    if (uci.slice(2, 4) !== target || move.promotion !== promotion.toLowerCase()) return false;
    if ((file && uci[0] !== file) || (rank && uci[1] !== rank)) return false;
    const man = position.board[move.from].toUpperCase();
    if (piece) return man === piece && !(man === "K" && Math.abs(move.to - move.from) === 2);
    if (file && rank) return true;
    return man === "P" && (file !== undefined || uci[0] === target[0]);
  });
  return found.length === 1 ? found[0] : refuse(found.length ? "ambiguous" : "illegal");
}

const passed = (position) => ({
  ...position,
  white: !position.white,
  passed: -1,
  clock: position.clock + 1,
  number: position.number + (position.white ? 0 : 1),
});

/** The tree of a game while its moves are read. */
class Reading {
  constructor(start) {
    this.nodes = [{ position: start, parent: null, children: [], nags: new Set(), starting: "", comment: "" }];
    this.stack = [0];
    this.isInVariation = false;
    this.starting = "";
    this.result = null;
    this.problem = null;
  }

  get node() {
    return this.nodes[this.stack.at(-1)];
  }

  comment(text) {
    const joined = (one) => [one, text].filter(Boolean).join(" ");
    const { node } = this;
    if (this.isInVariation || (node.parent === null && !node.children.length)) node.comment = joined(node.comment);
    else this.starting = joined(this.starting);
  }

  /** Make a move; return whether it is one. */
  move(text) {
    const { position } = this.node;
    let found = { uci: "0000", san: "--", after: passed(position) };
    if (!NULL_MOVES.includes(text)) {
      const moves = legalMoves(position);
      try {
        const move = moveOf(position, moves, text);
        found = { uci: uciOf(move), san: sanOf(position, move, moves), after: play(position, move) };
      } catch (error) {
        this.problem ??= error.message;
        return false;
      }
    }
    const { uci, san, after } = found;
    if (this.nodes.length > MOST_MOVES) throw new GameError(`the game has more than ${MOST_MOVES} moves`);
    const parent = this.stack.at(-1);
    const nags = new Set();
    const number = this.nodes.push({
      position: after, parent, children: [], uci, san, nags, starting: this.starting, comment: "",
    }) - 1;
    this.nodes[parent].children.push(number);
    this.stack[this.stack.length - 1] = number;
    this.starting = "";
    this.isInVariation = true;
    return true;
  }

  begin() {
    this.stack.push(this.node.parent);
    this.isInVariation = false;
  }
}

/** Return a game: `headers`, `nodes` (position, parent, children, uci, san, nags, comment), `problem`.
 *
 * @param {object} game one of `splitGames`
 * @throws {GameError} if it is too long, of another variant, or begins with no position
 */
export function readGame({ headers, lines }) {
  const reading = new Reading(startOf(headers));
  readMoves(reading, lines.join("\n"));
  const all = completed(headers);
  if (all.Result === "*" && reading.result) all.Result = reading.result;
  return { headers: all, nodes: reading.nodes, problem: reading.problem };
}

function readMoves(reading, text) {
  let skipped = 0; // depth of variations that cannot be read
  TOKENS.lastIndex = 0;
  for (let match = TOKENS.exec(text); match; match = TOKENS.exec(text)) {
    const [token] = match;
    if (token === "{") {
      const end = text.indexOf("}", match.index);
      const comment = text.slice(match.index + 1, end < 0 ? undefined : end);
      if (!skipped) reading.comment(comment.replace(/^ /, "").replace(/ $/, ""));
      TOKENS.lastIndex = end < 0 ? text.length : end + 1;
    } else if (token === ";" && !skipped) {
      const end = text.indexOf("\n", match.index);
      TOKENS.lastIndex = end < 0 ? text.length : end;
    } else if (token === "(") {
      if (skipped) skipped += 1;
      else if (reading.node.parent !== null) reading.begin();
    } else if (token === ")") {
      if (skipped) skipped -= 1;
      if (!skipped && reading.stack.length > 1) reading.stack.pop();
    } else if (!skipped) {
      readToken(reading, token);
      if (reading.failed) {
        skipped = 1;
        reading.failed = false;
      }
    }
  }
}

function readToken(reading, token) {
  if (token.startsWith("$")) reading.node.nags.add(Number(token.slice(1)));
  else if (token in NAGS) reading.node.nags.add(NAGS[token]);
  else if (RESULTS.includes(token) && reading.stack.length === 1) reading.result ??= token;
  else reading.failed = !reading.move(token);
}
