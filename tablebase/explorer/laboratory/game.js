// A game of the laboratory: chess with two pieces of one's own, as a link, as a file and as rules of the reader.

import { Rules } from "../reader/rules.js";
import { GameError, readBetza } from "./betza.js";

export const OWN = ["A", "C"]; // the letters of the two pieces
const USUAL = { name: "laboratory", a: "NW", c: "FmD", stalemate: "draw", step: "double", goal: "" };
const CHOICES = { stalemate: ["draw", "loss"], step: ["double", "single"] };
/** Chess: both pieces are queens, so pawns gain nothing by becoming them. */
export const CHESS_LINK = "a=Q&c=Q";

const turned = [([x, y]) => [7 - x, y], ([x, y]) => [x, 7 - y], ([x, y]) => [y, x]];
const squareOf = (name) => [name.charCodeAt(0) - 97, name.charCodeAt(1) - 49];
const nameOf = ([x, y]) => `${"abcdefgh"[x]}${y + 1}`;

/** Return the names of a square and of its images under rotations and reflections. */
export function imagesOf(name) {
  const found = new Set([name]);
  for (const one of found) for (const turn of turned) found.add(nameOf(turn(squareOf(one))));
  return [...found].sort();
}

const isAlike = (steps, turn) => {
  const own = new Set(steps.map(String));
  return steps.every(([dx, dy, reach]) => own.has(String([...turn([dx, dy]), reach])));
};

/** A game; `pieces` are notations by letter, and `steps` what they say. */
export class Game {
  /**
   * @param {string} link the query of an address, with what is not usual
   * @throws {GameError} if it describes no game of the laboratory
   */
  constructor(link) {
    const given = new URLSearchParams(link);
    const value = (key) => given.get(key) ?? USUAL[key];
    this.name = value("name");
    if (!/^[\w-]{1,40}$/.test(this.name)) throw new GameError("the name of a game has letters, digits, - and _ only", "name");
    for (const [key, choices] of Object.entries(CHOICES)) {
      if (!choices.includes(value(key))) throw new GameError(`${key} is ${choices.join(" or ")}`, key);
      this[key] = value(key);
    }
    this.goal = value("goal").split(/[ .,_]+/).filter(Boolean).sort();
    const lost = this.goal.flatMap((name) => (/^[a-h][1-8]$/.test(name) ? imagesOf(name) : [null]))
      .find((name) => !this.goal.includes(name));
    if (lost !== undefined) throw new GameError("goals must be the same squares after each rotation and reflection of the board", "goal");
    this.pieces = Object.fromEntries(OWN.map((letter) => [letter, value(letter.toLowerCase())]));
    this.steps = {};
    for (const letter of OWN) {
      const field = letter.toLowerCase();
      try {
        this.steps[letter] = readBetza(this.pieces[letter]);
      } catch (error) {
        throw error instanceof GameError ? new GameError(`${letter}: ${error.message}`, field) : error;
      }
      if (!this.#keeps(letter, ([dx, dy]) => [-dx, dy])) {
        throw new GameError(
          `${letter} moves otherwise to the left than to the right, and this page counts mirror images once: ` +
            `write customPiece1 = a:${this.pieces[letter]} into a file of rules, and run tablebase build --rules`,
          field,
        );
      }
    }
  }

  #keeps(letter, turn) {
    return Object.values(this.steps[letter]).every((steps) => isAlike(steps, turn));
  }

  /** Which template has its endings: "all" if the pieces move alike in all directions, else "sides". */
  get symmetry() {
    const all = [([dx, dy]) => [dx, -dy], ([dx, dy]) => [dy, dx]];
    return OWN.every((letter) => all.every((turn) => this.#keeps(letter, turn))) ? "all" : "sides";
  }

  get link() {
    const { A: a, C: c } = this.pieces;
    const said = { ...this, a, c, goal: this.goal.join(".") };
    return String(new URLSearchParams(Object.keys(USUAL)
      .filter((key) => said[key] !== USUAL[key] || "ac".includes(key)).map((key) => [key, said[key]])));
  }

  /** A file of rules that `tablebase build --rules` takes. */
  get file() {
    return [
      `[${this.name}:chess]`,
      ...OWN.map((letter, i) => `customPiece${i + 1} = ${letter.toLowerCase()}:${this.pieces[letter]}`),
      "promotionPieceTypes = acqrbn",
      ...(this.step === "single" ? ["doubleStep = false"] : []),
      ...(this.stalemate === "loss" ? ["stalemateValue = loss"] : []),
      ...(this.goal.length ? ["flagPiece = k", `flagRegion = ${this.goal.join(" ")}`] : []),
      "# No draw after fifty moves: tables count moves to mate.",
      "nMoveRule = 0", "",
    ].join("\n");
  }

  /** Return the rules for the reader, from those of the template. */
  recordOf({ rules }) {
    const kinds = rules.kinds.map((kind) => {
      const own = this.steps[kind.letter];
      return own ? { ...kind, picture: null, steps: own.captures, quiet_steps: own.quiet } : kind;
    });
    return {
      ...rules, kinds, name: this.name, goal: this.goal, double_push: this.step === "double",
      stalemate_loses: this.stalemate === "loss",
    };
  }

  /** Return what problems.js writes into those of the template. */
  lawOf(template) {
    const rules = new Rules(this.recordOf(template));
    return {
      kinds: Object.fromEntries(rules.kinds.map(({ letter, steps, quiet_steps: quiet }) => [letter, { captures: steps, quiet }])),
      goals: rules.goals, isDouble: rules.double_push, stalemateLoses: rules.stalemate_loses,
    };
  }
}
