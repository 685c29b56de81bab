// Betza's notation: how a piece moves, in a few letters, as tablebase/core/rules/betza.py reads it, but for
// halves of the moves of a knight to one side.

const FAR = 7; // as many steps as fit on the board
const ATOMS = {
  W: [0, 1], F: [1, 1], D: [0, 2], N: [1, 2], A: [2, 2], H: [0, 3], C: [1, 3], L: [1, 3], Z: [2, 3], J: [2, 3], G: [3, 3],
};
const COMPOUNDS = { K: ["WF", false], R: ["W", true], B: ["F", true], Q: ["WF", true] };
const RIDERS = { W: "R", F: "B" };
const TERM = /([a-z]*)([A-Z])(\d|\2)?/y;
const POINTS = {
  f: (_, dy) => dy > 0, b: (_, dy) => dy < 0, v: (_, dy) => dy !== 0,
  r: (dx) => dx > 0, l: (dx) => dx < 0, s: (dx) => dx !== 0,
};
const PAIRED = [["fbv", "rls"], ["rls", "fbv"]]; // letters that are read together with one of the other group

/** A piece or a game that the laboratory does not take, in words; `field` is what is wrong, as in links. */
export class GameError extends Error {
  name = "GameError";

  constructor(message, field = null) {
    super(message);
    this.field = field;
  }
}

const isOblique = ([dx, dy]) => dx !== 0 && dy !== 0 && Math.abs(dx) !== Math.abs(dy);
const ascending = (one, two) => one[0] - two[0] || one[1] - two[1] || one[2] - two[2];

/** Return a vector with its rotations and reflections. */
function imagesOf([x, y]) {
  const images = [[x, y], [y, x]].flatMap(([dx, dy]) => [[dx, dy], [-dx, dy], [dx, -dy], [-dx, -dy]]);
  return images.filter((one, i) => images.findIndex((other) => String(other) === String(one)) === i);
}

/** Yield the directions that letters name; pairs are read together. */
function* directionsOf(letters, term) {
  for (let i = 0; i < letters.length; ) {
    const [one, two] = letters.slice(i);
    const isPair = PAIRED.some(([group, other]) => group.includes(one) && two && other.includes(two));
    if (!(one in POINTS)) throw new GameError(`“${one}” in “${term}” is no direction: take f b l r v s, and m or c`);
    yield isPair ? one + two : one;
    i += isPair || two === one ? 2 : 1;
  }
}

function points(vector, direction) {
  const fits = [...direction].map((letter) => POINTS[letter](...vector));
  if (vector.includes(0)) return fits.some(Boolean); // fsW goes forward and sideways
  const alongFiles = Math.abs(vector[1]) > Math.abs(vector[0]);
  return fits.every(Boolean) && (!isOblique(vector) || alongFiles === "fbv".includes(direction.at(-1)));
}

/** Return how a piece moves: `captures` and `quiet`, steps of files, ranks and how often, ascending.
 *
 * @throws {GameError} if the text cannot be read, or two ways lead to a square
 */
export function readBetza(text) {
  const terms = [];
  TERM.lastIndex = 0;
  for (let end = 0; end < text.length; end = TERM.lastIndex) {
    const match = TERM.exec(text);
    if (!match) throw new GameError(`“${text}” is not in Betza’s notation, like NmW: click squares instead`);
    terms.push(match);
  }
  if (!terms.length) throw new GameError("it has no moves: click squares around it");
  const stepsOf = (leftOut) => {
    const reaches = new Map();
    for (const [term, letters, letter, times] of terms) {
      const [atoms, rides] = COMPOUNDS[letter] ?? [letter, false];
      if (!(atoms[0] in ATOMS) || (rides && times === letter)) throw new GameError(`“${term}” is no move of Betza’s notation`);
      const directions = [...directionsOf(letters.replace(/[mc]/g, ""), term)];
      if (atoms.length > 1 && directions.some((one) => one.length > 1)) throw new GameError(`write the parts of “${term}” apart`);
      const only = letters.match(/[mc]/g) ?? [];
      if (only.includes(leftOut) && !only.includes(leftOut === "m" ? "c" : "m")) continue;
      const reach = rides || times === letter ? FAR : times === undefined ? 1 : Math.min(Number(times) || FAR, FAR);
      for (const vector of [...atoms].flatMap((atom) => imagesOf(ATOMS[atom]))) {
        if (directions.length && !directions.some((one) => points(vector, one))) continue;
        const fits = Math.floor(FAR / Math.max(...vector.map(Math.abs)));
        const here = fits > 1 && fits <= reach ? FAR : reach;
        const before = reaches.get(String(vector))?.[2] ?? 1;
        if (before > 1 && here > 1 && before !== here) throw new GameError(`“${text}” repeats a step in two ways`);
        reaches.set(String(vector), [...vector, Math.max(here, before)]);
      }
    }
    return [...reaches.values()].sort(ascending);
  };
  const found = { captures: stepsOf("m"), quiet: stepsOf("c") };
  if (Object.values(found).some(hasTwoWays)) {
    throw new GameError("it reaches a square in two ways, as by a ride and by a leap: tables need one");
  }
  return found;
}

function hasTwoWays(steps) {
  const reached = steps.flatMap(([dx, dy, reach]) => Array.from({ length: reach }, (_, i) => [(i + 1) * dx, (i + 1) * dy]))
    .filter((square) => Math.max(...square.map(Math.abs)) <= FAR).map(String);
  return new Set(reached).size < reached.length;
}

/** Return where a vector of an atom points: f, b or s, or fs or bs of a knight that goes mainly to the side. */
function directionOf([dx, dy]) {
  const mainly = dy > 0 ? "f" : dy < 0 ? "b" : "s";
  return isOblique([dx, dy]) && Math.abs(dx) > Math.abs(dy) ? `${mainly}s` : mainly;
}

/** Return the notation of steps that are alike to the left and right. */
export function betzaOf({ captures, quiet }) {
  const groups = new Map(); // the vectors by atom, how often, and whether only to take or not to take
  const taking = new Set(captures.map(String));
  const both = new Set(quiet.map(String).filter((step) => taking.has(step)));
  for (const [only, steps] of [["", captures], ["c", captures], ["m", quiet]]) {
    for (const step of steps.filter((one) => both.has(String(one)) === !only)) {
      const [atom] = Object.keys(ATOMS).filter((one) => imagesOf(ATOMS[one]).some(([x, y]) => x === step[0] && y === step[1]));
      const key = `${only} ${atom} ${step[2]}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(step.slice(0, 2));
    }
  }
  return [...groups].map(([key, vectors]) => {
    const [only, atom, reach] = key.split(" ");
    const sign = reach === "1" ? atom : reach === String(FAR) ? RIDERS[atom] ?? atom + atom : atom + reach;
    const directions = vectors.length === imagesOf(ATOMS[atom]).length ? [""] : [...new Set(vectors.map(directionOf))];
    return directions.map((direction) => only + direction + sign).join("");
  }).join("");
}
