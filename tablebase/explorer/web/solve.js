// Positions that no table has, solved by the server on demand.

import { fenOf, mayCastle, readLoosely } from "../reader/position.js";
import { isKing, isPawn } from "../reader/rules.js";
import { bytes } from "./figures.js";
import { stepsOf } from "./game.js";
import { byId, preference, setPreference } from "./page.js";
import * as source from "./source.js";
import { inTime, isOpen, plural } from "./words.js";

/** What results mean for the opponent, as the categories of the server are. */
const CATEGORIES = {
  win: "loss",
  at_least_draw: "at-most-draw",
  draw: "draw",
  at_most_draw: "at-least-draw",
  loss: "win",
  unknown: "unknown",
};
// Of the positions after moves, best first for the mover; what a table knows has more kinds.
const ORDER = [
  ...["loss", "maybe-loss", "blessed-loss", "at-most-draw", "unknown"],
  ...["draw", "cursed-win", "at-least-draw", "maybe-win", "win"],
];
const REVERSED = { win: "loss", draw: "draw", loss: "win" };
const IN_WORDS = { at_least_draw: "at least a draw", at_most_draw: "at most a draw", unknown: "nothing proven yet" };

const KEPT = "solved"; // where this browser keeps solutions: pairs of a FEN and what is proven
const MOST_KEPT = 20;
const MOST_PIECES = 3; // besides kings and pawns, as `tablebase solve` takes them

/** Return whether a position can be solved: two kings, any pawns, few pieces, no castling. */
function isSolvable(position) {
  const men = position.board.filter(Boolean);
  const kings = men.filter(isKing);
  const pieces = men.filter((man) => !isKing(man) && !isPawn(man));
  return kings.length === 2 && pieces.length <= MOST_PIECES && !mayCastle(position);
}

// Counters do not change what a position is worth here.
const keyOf = (position) => fenOf({ ...position, clock: 0, number: 1 });

const isProven = ({ category, solution }) => solution?.proven ?? category !== "unknown";

export class SolvePanel {
  #found = new Map(); // what is known, by position
  #asking = null; // what stops the order under way
  #note = ""; // what to say of the position shown

  /** `page`: {shown, server, refresh(), solved()}; refresh shows the same position again, solved the plan. */
  constructor(page) {
    this.page = page;
    this.rules = page.shown.position.rules;
    if (this.rules.chess) for (const [fen, solution] of preference(KEPT, [])) this.#keep(readLoosely(fen, this.rules), solution);
    byId("solve").addEventListener("click", () => {
      if (this.#asking) this.#asking.abort();
      else this.#solve();
    });
  }

  /** Follow the page to another position: the one that is being solved is given up. */
  arrive() {
    this.#asking?.abort();
    this.#asking = null;
    this.#note = "";
  }

  /** Return an answer of the server with what is known of a position besides. */
  completed(answer, position) {
    const solution = this.#found.get(keyOf(position));
    if (!solution || !(answer.category === "unknown" || answer.moves.some(isOpen))) return answer;
    const results = new Map(solution.moves.map(({ uci, result }) => [uci, result]));
    const [best] = solution.plan;
    const told = answer.moves.map((move) => {
      const result = results.get(move.uci) ?? (solution.result === "loss" ? "loss" : "unknown");
      return move.category === "unknown" ? { ...move, category: CATEGORIES[result] } : move;
    });
    const rank = (move) => 2 * ORDER.indexOf(move.category) - (move.uci === best?.uci);
    const moves = told.sort((one, two) => rank(one) - rank(two));
    return { ...answer, category: solution.proven ? solution.result : answer.category, solution, moves };
  }

  /** Show what can be done for the position shown, or how far it is. */
  show() {
    const { shown, server } = this.page;
    const { answer } = shown;
    const isOpenHere = answer?.category === "unknown" || answer?.moves.some(isOpen);
    const box = byId("solving");
    const focused = box.contains(document.activeElement);
    box.hidden = !(server.solve || server.published) || !(isOpenHere || this.#asking) || !isSolvable(shown.position);
    byId("solve").hidden = Boolean(server.published);
    if (box.hidden) {
      if (focused) byId("verdict").focus({ preventScroll: true });
      return;
    }
    if (server.published) {
      byId("solve-note").textContent = "Solving it takes a server: “tablebase serve --solve 1m,2GB”";
      return;
    }
    const { seconds, memory } = server.solve;
    const start = isProven(answer) ? "Prove every move" : "Solve this position";
    byId("solve").textContent = this.#asking ? "Stop" : start;
    byId("solve-note").textContent = this.#note || `At most ${inTime(seconds)} and ${bytes(memory)}`;
  }

  #tell(text) {
    this.#note = text;
    this.show();
  }

  async #solve() {
    const { shown } = this.page;
    const { position, answer } = shown;
    const asking = new AbortController();
    this.#asking = asking;
    this.#tell("Starting …");
    const options = { moves: isProven(answer), signal: asking.signal, waits: (words) => this.#tell(words) };
    let last = null;
    let problem = "stopped";
    try {
      for await (last of source.solve(fenOf(position), options)) {
        this.#tell(progress(last));
        const { solution } = last;
        if (shown.position === position && solution && solution.result !== (shown.answer.solution?.result ?? "unknown")) {
          this.#keep(position, { ...solution, seconds: last.seconds });
          this.page.refresh();
        }
      }
      problem = last.problem ?? last.solution.stopped;
    } catch (error) {
      if (error instanceof source.Refused) problem = error.message;
      else if (error.name !== "AbortError") throw error;
    }
    if (this.#asking === asking) this.#asking = null;
    if (last?.solution) this.#keepForReload(position, last.solution);
    if (shown.position !== position) return;
    this.#note = last?.solution && !problem ? "" : `${progress(last)}${last ? " · " : ""}${problem}`;
    if (problem) byId("said").textContent = problem;
    this.page.refresh();
    if (last?.solution?.plan.length) this.page.solved();
  }

  /** Remember a solution, also for a reload of the page and for links that are opened in this browser. */
  #keepForReload(position, solution) {
    this.#keep(position, solution);
    const fen = keyOf(position);
    const others = preference(KEPT, []).filter(([other]) => other !== fen);
    if (solution.result !== "unknown") setPreference(KEPT, [...others, [fen, solution]].slice(-MOST_KEPT));
  }

  /** Remember a solution, and what it says of the positions after its moves and along its line. */
  #keep(position, solution) {
    const note = (fen, result, plan) => {
      const key = keyOf(readLoosely(fen, this.rules));
      if (this.#found.get(key)?.proven) return;
      const moves = plan.length ? [{ uci: plan[0].uci, result }] : [];
      this.#found.set(key, { ...solution, result, proven: true, moves, plan });
    };
    const known = this.#found.get(keyOf(position));
    if (!known?.proven || solution.proven) this.#found.set(keyOf(position), solution);
    let { result } = solution;
    for (const [i, { fen }] of stepsOf(position, solution.plan).entries()) {
      result = REVERSED[result];
      note(fen, result, solution.plan.slice(i + 1));
    }
    for (const move of solution.moves.filter(({ proven }) => proven)) {
      const [{ fen }] = stepsOf(position, [move]);
      note(fen, REVERSED[move.result], []);
    }
  }
}

/** Return in words how far a solution is. */
function progress(last) {
  if (!last) return "";
  const { seconds, solution, compiling } = last;
  const waits = compiling ? [`compiling the solver, once per version (${inTime(seconds)})`] : [];
  if (!solution) return waits[0] ?? `Starting … ${inTime(seconds)}`;
  const proven = solution.moves.filter((move) => move.proven).length;
  return [
    IN_WORDS[solution.result] ?? solution.result,
    `${proven} of ${plural(solution.moves.length, "move")} proven`,
    bytes(solution.bytes),
    ...(waits.length ? waits : [inTime(seconds)]),
  ].join(" · ");
}
