// Positions: from FEN and back, and after a move. What is legal, the answers say.

export const FILES = "abcdefgh";
/** Plies without a capture or pawn move after which a player may claim a draw. */
export const FIFTY_MOVES = 100;
const DIAGONALS = [[1, 1], [1, -1], [-1, -1], [-1, 1]];
const LINES = [[0, 1], [1, 0], [0, -1], [-1, 0]];
const LEAPS = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];
const reaching = (steps, reach) => steps.map((step) => [...step, reach]);

/** The game that the page shows positions of: at first chess, see `setRules`.
 *
 * `letters` of the men, the king's first, `names` of them, the letters of chess whose `pictures`
 * they have, `steps` of their captures; the board with its `walls` and the `goal` of kings; what a
 * win leads to, `end`.
 */
export const rules = {
  letters: "KQRBNP",
  names: { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" },
  pictures: Object.fromEntries([..."KQRBNP"].map((letter) => [letter, letter])),
  steps: {
    K: reaching([...LINES, ...DIAGONALS], 1),
    Q: reaching([...LINES, ...DIAGONALS], 8),
    R: reaching(LINES, 8),
    B: reaching(DIAGONALS, 8),
    N: reaching(LEAPS, 1),
    P: reaching([[-1, 1], [1, 1]], 1),
  },
  files: 8,
  ranks: 8,
  walls: [],
  goal: [],
  end: "checkmate",
  isChess: true,
};

/** Let all parts of the page speak of a game, given as the list of its tables has it. */
export function setRules({ chess: isChess, kinds, files, ranks, walls, goal, bare_king: bare, stalemate_loses: stalemate }) {
  const byLetter = (value) => Object.fromEntries(kinds.map((kind) => [kind.letter, value(kind)]));
  Object.assign(rules, {
    letters: kinds.map(({ letter }) => letter).join(""),
    names: byLetter(({ name }) => name),
    pictures: byLetter(({ picture }) => picture),
    steps: byLetter(({ steps }) => steps),
    ...{ files, ranks, walls, goal, isChess, end: bare || stalemate || goal.length ? "the end" : "checkmate" },
  });
}

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
  const rows = board.split("/");
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
    passant,
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

const HOMES = { K: ["e1", "h1"], Q: ["e1", "a1"], k: ["e8", "h8"], q: ["e8", "a8"] };

/** Return whether the king and the rook of a castling right like K are at home. */
export function mayCastle({ men }, right) {
  const side = right === right.toUpperCase() ? "w" : "b";
  const [king, rook] = HOMES[right] ?? [];
  return rules.isChess && men[king] === `${side}K` && men[rook] === `${side}R`;
}

/** Return the castling rights of a position with king and rook at home, as a FEN has them. */
export const rightsOf = (position) => [...position.castling].filter((right) => mayCastle(position, right)).join("") || "-";

/** Return whether a side has a castling right, with its king and rook at home. */
export const hasCastling = (position) => rightsOf(position) !== "-";

/** Return the castling rights that are left after a move. */
function rightsAfter(castling, from, to) {
  const lost = { e1: "KQ", a1: "Q", h1: "K", e8: "kq", a8: "q", h8: "k" };
  const gone = (lost[from] ?? "") + (lost[to] ?? "");
  return [...castling].filter((right) => !gone.includes(right)).join("") || "-";
}

/** Return the position after a legal move of the server's list. */
export function afterMove(position, move) {
  const [from, to] = [move.uci.slice(0, 2), move.uci.slice(2, 4)];
  const promotion = move.uci[4]?.toUpperCase();
  const men = { ...position.men };
  const man = men[from];
  const isPawn = man[1] === "P";
  if (isPawn && from[0] !== to[0] && !men[to]) delete men[to[0] + from[1]]; // en passant
  delete men[from];
  men[to] = promotion ? man[0] + promotion : man;
  if (man[1] === "K" && hasCastling(position) && Math.abs(FILES.indexOf(to[0]) - FILES.indexOf(from[0])) === 2) {
    const [rookFrom, rookTo] = to[0] === "g" ? ["h", "f"] : ["a", "d"];
    men[rookTo + to[1]] = men[rookFrom + to[1]];
    delete men[rookFrom + to[1]];
  }
  let passant = "-";
  if (isPawn && Math.abs(to[1] - from[1]) === 2) {
    const file = FILES.indexOf(to[0]);
    const neighbours = [FILES[file - 1] + to[1], FILES[file + 1] + to[1]];
    const enemy = `${other(position.turn)}P`;
    if (neighbours.some((square) => men[square] === enemy)) {
      passant = to[0] + (Number(from[1]) + Number(to[1])) / 2;
    }
  }
  return {
    men,
    turn: other(position.turn),
    castling: rightsAfter(position.castling, from, to),
    passant,
    clock: move.zeroing ? 0 : position.clock + 1,
    number: position.number + (position.turn === "b" ? 1 : 0),
  };
}

/** Return the positions along a line of the server's moves, each with the move that led there. */
export function stepsOf(position, moves) {
  let here = position;
  return moves.map(({ uci, san }) => {
    const { turn, number, men } = here;
    const zeroing = men[uci.slice(0, 2)][1] === "P" || Boolean(men[uci.slice(2, 4)]);
    here = afterMove(here, { uci, zeroing });
    return { fen: writeFen(here), uci, san, turn, number };
  });
}

/** Return the square of a side's king, undefined if it has none. */
export function kingOf({ men }, side) {
  return Object.keys(men).find((square) => men[square] === `${side}K`);
}

/** Return whether the king of the side to move is attacked. */
export function isInCheck({ men, turn }) {
  const king = kingOf({ men }, turn);
  return Object.entries(men).some(([square, [side, letter]]) => {
    if (side === turn) return false;
    const ahead = side === "w" ? 1 : -1;
    return rules.steps[letter].some(([across, up, reach]) => {
      let [file, rank] = [FILES.indexOf(square[0]), Number(square[1])];
      for (let count = 0; count < reach; count += 1) {
        [file, rank] = [file + across, rank + ahead * up];
        const at = FILES[file] + rank;
        if (at === king) return true;
        if (file < 0 || file >= rules.files || rank < 1 || rank > rules.ranks) return false;
        if (men[at] || rules.walls.includes(at)) return false;
      }
      return false;
    });
  });
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
