// Games of a PGN text, read as the server reads them.

import {
  START, fenOf, illegality, legalMoves, play, readStart, sanOf, uciOf,
} from "../reader/position.js";
import { UnsupportedPositionError } from "../reader/errors.js";

const UNKNOWN = {
  Event: "?", Site: "?", Date: "????.??.??", Round: "?", White: "?", Black: "?", Result: "*",
};
const MOST_MOVES = 1000; // of a game, variations included
const TAG = /^\[([A-Za-z0-9][A-Za-z0-9_+#=:-]*)\s+"([^\r]*)"\]\s*$/;
const TOKENS = /^%[^\n]*|\{[^}]*\}?|;[^\n]*|[()*]|\$[0-9]+|[?!]{1,2}|[^\s(){};$?!*]+/gm;
const NUMBER = /^(?!0000$)(?:[0-9]*[.…]+|[0-9]+$)/;
const MOVE = new RegExp(
  [
    String.raw`^(?:P?([NBKRQ]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[nbrqkNBRQK])?)|([PNBRQK]?@[a-h][1-8])`,
    String.raw`|(O-O(?:-O)?|0-0(?:-0)?))(?:e\.?p\.?)?\W*$`,
  ].join(""),
);
// A draw; of a move before it: en passant; a novelty, a diagram or a remark, as programs write them.
const REMARKS = ["1/2", "½-½", "½", "e.p.", "ep", "N", "TN", "D", "RR"];
const ILLEGAL = "is not a legal move";
const MOST_DIGITS = 9; // of a mark
const MOST_LETTERS = 20; // of a word that cannot be read, in a message
const SAN = /^([NBKRQ])?([a-h])?([1-8])?[-x]?([a-h][1-8])(?:=?([nbrqkNBRQK]))?$/;
const NAGS = { "!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6 };
const NULL_MOVES = ["--", "Z0", "0000", "@@@@"];
const RESULTS = ["1-0", "0-1", "1/2-1/2", "*"];
const STANDARD = ["", "standard", "chess", "classical", "normal", "from position", "illegal"];

/** A text without a game that can be shown. */
export class GameError extends Error {
  name = "GameError";
}

const isRemark = (line) => line.startsWith("%") || line.startsWith(";");
const nameOf = (tag) => tag.split(/\s/, 1)[0];
const headersOf = (tags) => Object.fromEntries(
  tags.map((tag) => TAG.exec(tag)).filter(Boolean)
    .map(([, name, value]) => [name.toUpperCase() === "FEN" ? "FEN" : name, value]),
);
const newGame = () => ({ tags: [], lines: [], isOpen: false });

/** Return the games of a PGN: `tags` and `lines` of moves, `headers`, `isOpen` if a comment has no end.
 *
 * A game ends with an empty line after its moves, or where the tags of the next one begin; so does
 * a comment without end, if there is an empty line before these tags.
 */
export function splitGames(text) {
  const games = [];
  let [game, isBlank] = [newGame(), false];
  const end = () => {
    games.push({ ...game, headers: headersOf(game.tags) });
    game = newGame();
  };
  const all = text.split(/\r\n|\n|\r/);
  if (!all.at(-1)) all.pop();
  for (const one of all) {
    const line = one.replace(/^\uFEFF+/, "");
    const bare = line.trim();
    const afterBlank = isBlank;
    isBlank = !bare;
    const isTag = TAG.test(bare);
    const hasMoves = game.lines.length > 0;
    if (game.isOpen && !(isTag && afterBlank)) {
      game.lines.push(line);
      game.isOpen = endsInComment(line, true);
    } else if (isRemark(bare)) {
      if (hasMoves) game.lines.push(bare);
    } else if (isTag || (bare.startsWith("[") && !hasMoves)) {
      if (hasMoves || (afterBlank && game.tags.map(nameOf).includes(nameOf(bare)))) end();
      game.tags.push(bare);
    } else if (isBlank) {
      if (hasMoves) end();
    } else if (!hasMoves && !afterBlank && game.tags.length && !game.tags.at(-1).endsWith("]")) {
      game.tags.push(`${game.tags.pop()} ${bare}`);
    } else {
      game.lines.push(line);
      game.isOpen = endsInComment(line, false);
    }
  }
  if (game.tags.length || game.lines.length) end();
  return games;
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
function startOf(headers, rules) {
  const { Variant: variant = "" } = headers;
  if (!STANDARD.includes(variant.toLowerCase())) {
    throw new GameError(`tables are of standard chess, not of ${variant}`);
  }
  try {
    const position = readStart(headers.FEN ?? START, rules);
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
    throw new Error(`'${text}' ${reason} in ${fenOf(position)}`);
  };
  if (castling) {
    const isIt = ({ from, to }) => /k/i.test(position.board[from]) && to - from === castling;
    return moves.find(isIt) ?? refuse(ILLEGAL);
  }
  const match = SAN.exec(text);
  if (!match) refuse("is not a move");
  const [, piece, file, rank, target, promotion = ""] = match;
  const found = moves.filter((move) => {
    const uci = uciOf(move, position.rules);
    if (uci.slice(2, 4) !== target || move.promotion !== promotion.toLowerCase()) return false;
    if ((file && uci[0] !== file) || (rank && uci[1] !== rank)) return false;
    const man = position.board[move.from].toUpperCase();
    if (piece) return man === piece && !(man === "K" && Math.abs(move.to - move.from) === 2);
    if (file && rank) return true;
    return man === "P" && (file !== undefined || uci[0] === target[0]);
  });
  return found.length === 1 ? found[0] : refuse(found.length ? "may be several moves" : ILLEGAL);
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
        found = { uci: uciOf(move, position.rules), san: sanOf(position, move, moves), after: play(position, move) };
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

  /** Note a word that is no move; return that. */
  refuse(word) {
    const shown = [...word].slice(0, MOST_LETTERS).join("");
    this.problem ??= `'${shown}' is not a move in ${fenOf(this.node.position)}`;
    return false;
  }

  begin() {
    this.stack.push(this.node.parent);
    this.isInVariation = false;
  }

  /** Note the result, unless it is that of a variation. */
  end(result) {
    if (this.stack.length === 1) this.result ??= result;
  }
}

/** Return a game: `headers`, `nodes` (position, parent, children, uci, san, nags, comment), `problem`.
 *
 * @param {object} game one of `splitGames`
 * @param {object} rules those of chess, from published tables
 * @throws {GameError} if it is too long, of another variant, or begins with no position
 */
export function readGame({ tags, headers, lines, isOpen }, rules) {
  const reading = new Reading(startOf(headers, rules));
  const wrong = tags.find((tag) => !TAG.test(tag));
  if (wrong) reading.problem = `not a tag: ${wrong}`;
  readMoves(reading, lines.join("\n"));
  if (isOpen) reading.problem ??= "a comment has no end";
  const all = completed(headers);
  if (all.Result === "*" && reading.result) all.Result = reading.result;
  return { headers: all, nodes: reading.nodes, problem: reading.problem };
}

function readMoves(reading, text) {
  let skipped = 0; // depth of variations that cannot be read
  for (const [token] of text.matchAll(TOKENS)) {
    if (token.startsWith("{")) {
      if (!skipped) reading.comment(token.replace(/^\{ ?/, "").replace(/ ?\}?$/, ""));
    } else if (token === "(") {
      if (skipped) skipped += 1;
      else if (reading.node.parent !== null) reading.begin();
    } else if (token === ")") {
      if (skipped) skipped -= 1;
      if (!skipped && reading.stack.length > 1) reading.stack.pop();
    } else if (!skipped && !isRemark(token)) {
      skipped = readToken(reading, token) ? 0 : 1;
    }
  }
}

/** Read a word of the moves; return whether what follows it can be read. */
function readToken(reading, token) {
  const word = token.replace(NUMBER, "");
  const [, ...moves] = MOVE.exec(word) ?? [];
  if (moves.length || NULL_MOVES.includes(word)) return reading.move(moves.find(Boolean) ?? word);
  if (token.startsWith("$") && token.length > MOST_DIGITS) return reading.refuse(token);
  if (token.startsWith("$")) reading.node.nags.add(Number(token.slice(1)));
  else if (token in NAGS) reading.node.nags.add(NAGS[token]);
  else if (RESULTS.includes(word)) reading.end(word);
  else if (/[\p{L}\p{N}]/u.test(word) && !REMARKS.includes(word)) return reading.refuse(word);
  return true;
}
