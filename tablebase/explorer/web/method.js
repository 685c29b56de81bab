// The methods of lessons: which rule decides in a position, and the moves that it allows.
//
// methods.js has the conditions and numbers of the rules as trees: a number, a truth, a name, or a list of a word and
// what it is applied to. They are for White as the stronger side.

import { mayCastle } from "../reader/position.js";
import { FILES, exchanged } from "../reader/rules.js";
import { FUNCTIONS, METHODS } from "./methods.js";

// A square is a number, also one beyond the edge, so that equal squares are equal numbers.
const [WIDE, MIDDLE] = [100, 50];
const squareAt = (file, rank) => WIDE * (rank + MIDDLE) + file + MIDDLE;
const fileOf = (square) => (square % WIDE) - MIDDLE;
const rankOf = (square) => Math.floor(square / WIDE) - MIDDLE;

const WORDS = {
  "+": (one, other) => one + other,
  "-": (one, other) => one - other,
  "*": (one, other) => one * other,
  "%": (one, other) => ((one % other) + other) % other,
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
  "==": (one, other) => Number(one) === Number(other),
  "!=": (one, other) => Number(one) !== Number(other),
  neg: (one) => -one,
  abs: (one) => Math.abs(one),
  minimum: Math.min,
  maximum: Math.max,
  and: (...all) => all.every(Boolean),
  or: (...all) => all.some(Boolean),
  not: (one) => !one,
  where: (condition, one, other) => (condition ? one : other),
  file: fileOf,
  rank: rankOf,
  square_at: squareAt,
};

const PROMOTIONS = { n: 2, b: 3, r: 4, q: 5 };

/** Return the method for the side of a position that moves, undefined if there is none. */
export function methodFor({ rules, board }, white) {
  if (!rules.chess) return undefined;
  const sides = rules.sidesOf(board);
  const [own, other] = white ? sides : sides.reverse();
  const method = METHODS[rules.materialOf(board)];
  return method && rules.isStronger(own, other) === (method.side === "white") ? method : undefined;
}

/**
 * Return what the method for a position advises: the `method`, the number of the `rule` that decides, counted from 0,
 * null if none does, and the `moves` that it allows; null if there is no method, or the distances to mate are not known.
 *
 * @param {object} position of chess
 * @param {object[]} moves all its moves, as `standard` of the reader gives them
 */
export function advise(position, moves) {
  const method = methodFor(position, position.white);
  const isUnknown = ({ checkmate, category, dtm }) => !checkmate && category !== "draw" && typeof dtm !== "number";
  if (!method || mayCastle(position) || moves.some(isUnknown)) return null;
  const all = moves.map((move) => ({ move, columns: columnsOf(position, move, method), names: method.names }));
  for (const [rule, { condition, minimise }] of method.rules.entries()) {
    let left = all.filter((one) => valueOf(condition, one));
    for (const number of minimise) {
      const values = left.map((one) => valueOf(number, one));
      const least = Math.min(...values);
      left = left.filter((_, i) => values[i] === least);
    }
    if (left.length) return { method, rule, moves: left.map(({ move }) => move) };
  }
  return { method, rule: null, moves: [] };
}

/** Return what names stand for before and after a move, seen from the stronger side as White's. */
function columnsOf({ rules, board, white }, move, { side }) {
  const isTurned = white !== (side === "white");
  const squareOf = (name) => {
    const rank = Number(name[1]);
    return squareAt(FILES.indexOf(name[0]) + 1, isTurned ? rules.ranks + 1 - rank : rank);
  };
  const [from, to] = [move.uci.slice(0, 2), move.uci.slice(2, 4)];
  const columns = {
    files: rules.files,
    ranks: rules.ranks,
    white_to_move: side === "white",
    "after.is_capture": board[rules.squareOf(to)] !== null,
    "after.is_check": /[+#]$/.test(move.san),
    "after.is_mate": move.checkmate,
    "after.is_stalemate": move.stalemate,
    "after.promotion": PROMOTIONS[move.uci[4]] ?? 0,
    mates: move.checkmate ? 0 : move.dtm < 0 ? -move.dtm : Infinity, // in so many plies after it
  };
  const places = new Map(); // names of squares by man
  for (const square of rules.squares.filter((one) => board[one])) {
    const man = isTurned ? exchanged(board[square]) : board[square];
    places.set(man, [...(places.get(man) ?? []), rules.nameOf(square)]);
  }
  for (const [man, names] of places) {
    for (const [i, name] of names.entries()) {
      const letter = man.toUpperCase();
      const key = `${man === letter ? "white" : "black"}_${rules.names[letter]}${names.length > 1 ? `_${i + 1}` : ""}`;
      columns[key] = squareOf(name);
      columns[`after.${key}`] = squareOf(name === from ? to : name);
    }
  }
  return columns;
}

/** Return the value of a tree for a move: what names stand for in a function is its own. */
function valueOf(tree, one) {
  const { columns, names } = one;
  if (typeof tree === "string") return tree in names ? valueOf(names[tree], one) : columns[tree];
  if (!Array.isArray(tree)) return tree;
  const [word, ...rest] = tree;
  if (word === "mates_within") return columns.mates <= rest[0];
  const values = rest.map((part) => valueOf(part, one));
  if (word in WORDS) return WORDS[word](...values);
  const { takes, is } = FUNCTIONS[word];
  const { files, ranks } = columns;
  const own = Object.fromEntries(takes.map((name, i) => [name, values[i]]));
  return valueOf(is, { columns: { files, ranks, ...own }, names: {} });
}
