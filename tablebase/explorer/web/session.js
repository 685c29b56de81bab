// A game, what is known of the position shown, and perhaps somebody in it who plays one side against the tables.
//
// Pages draw it; their own are what follows from it, like exercises and levels.

import { newPosition, placeOf, readLoosely, turnOf } from "../reader/position.js";
import { Game, stepsOf } from "./game.js";
import { advise, methodFor } from "./method.js";
import { SIDES, distanceOf, endsByMate, groupOf, isByRule, outcome, plural } from "./words.js";

const PACE = 500; // milliseconds until the tables answer
const ENOUGH = 6; // good moves, where it is not a mate to learn
const [STOPPED, MOST_HELD] = [3, 12]; // only moves that stop a pawn on its sixth rank, good ones that suffice without
const LINE = 5; // plies of a line that punishes a mistake
const MOST_NAMED = 3; // right moves
const TOLERATED = 2; // moves by which a good move may be slower than the best one

export class Session {
  game = new Game();
  position; // that is shown
  answer = null; // what is known of it, null until that is here
  best = null; // the steps of the winning line from it, if they are known
  run = null; // of somebody who practises, see `practise`
  isRevealed = false; // whether values are shown although somebody practises
  #asking = new AbortController();

  /** `ask(fen, {signal, waits})` gives the answer for a position. */
  constructor(rules, ask) {
    Object.assign(this, { rules, ask, position: newPosition(rules) });
  }

  /** What stops looking for what is known of the position shown, if another one is. */
  get signal() {
    return this.#asking.signal;
  }

  /** Give the question for the position shown up. */
  leave() {
    this.#asking.abort();
  }

  /** Show the position that the game is at; return whether its FEN can be read. */
  arrive() {
    this.leave();
    this.#asking = new AbortController();
    const position = readLoosely(this.game.step.fen, this.rules);
    Object.assign(this, { position: position ?? newPosition(this.rules), answer: null, best: null, isRevealed: false });
    return position !== null;
  }

  /** Return the answer for the position shown, null if another one is shown before it is here. */
  async asked(waits) {
    const { signal } = this;
    try {
      const answer = await this.ask(this.game.step.fen, { signal, waits });
      return signal.aborted ? null : answer;
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  // Moves

  movesFrom(square) {
    if (!this.answer || this.waits) return [];
    return this.answer.moves.filter(({ uci }) => uci.startsWith(square));
  }

  /** Return the moves between two squares: several if a pawn promotes. */
  movesTo(from, to) {
    return this.movesFrom(from).filter(({ uci }) => uci.slice(2, 4) === to);
  }

  /** The best move, null if none is known. */
  get bestMove() {
    const [best] = this.answer?.moves ?? [];
    return best && groupOf(best) !== "unknown" ? best : null;
  }

  /** Make a move of the answer, judged unless it is the tables'; return whether the position shown has it. */
  play(move) {
    const { answer, game, run, waits } = this;
    if (!answer?.moves.includes(move)) return false; // of a position that is gone
    const [step] = stepsOf(this.position, [move]);
    const { advice } = this;
    const isFar = Boolean(run?.task?.stops) && isPawnFar(this.position, run.side === "b");
    const isAdvised = advice?.moves.includes(move) ?? false;
    const remark = run && !waits ? remarkOn(move, answer.moves[0], this.#times(step.fen), isAdvised) : null;
    const judged = waits || remark?.fault === "" ? null : judge(move, answer.moves, this.rules);
    game.play([{ ...step, ...(judged && { judged }) }]);
    if (!remark) return true;
    run.remarks[game.at] = {
      ...remark,
      why: whyOf(move, answer.moves, remark.fault, advice),
      rule: isAdvised ? advice.rule : null,
      uci: move.uci,
      due: remark.fault !== "mistake",
      stops: isFar && rightOf(answer.moves).length === 1, // a pawn on its sixth rank, as the only move
    };
    return true;
  }

  /** How often a position stood on the board on the way to the one shown. */
  #times(fen) {
    const { nodes, at } = this.game;
    let times = 0;
    for (let here = at; here !== null; here = nodes[here].parent) times += Number(placeOf(nodes[here].fen) === placeOf(fen));
    return times;
  }

  // Practising: values are hidden until asked for

  /** Practise from the position shown on, for its side to move; `more` is kept with it. */
  practise(more = {}) {
    this.run = {
      game: this.game.id,
      from: this.game.at,
      fen: this.game.step?.fen,
      side: turnOf(this.position), // of the person
      task: null, // what there is to do, once the answer for the first position is here
      remarks: {}, // on the person's moves, by the node that they lead to
      ...more,
    };
    this.isRevealed = false;
  }

  /** What the side to move has to do in the position shown. */
  get goal() {
    return `${goalOf(this.answer)} ${SIDES[turnOf(this.position)]}`;
  }

  /** Why there is nothing to play for in the position shown; nothing if there is. */
  get obstacle() {
    const { answer } = this;
    if (answer.solution) return "Solved here, it has its result, but not that of every move: only tables and saved proofs can play on";
    if (!answer.moves.length) return "The game is over";
    if (answer.insufficient_material) return "Neither side can win";
    return this.bestMove ? "" : "Nothing is known of this position, so the tables cannot play it";
  }

  /** Whether there is something to play for in the position shown. */
  get isOpen() {
    return Boolean(this.answer) && !this.obstacle;
  }

  /** Whether the values of the position shown are hidden. */
  get hides() {
    return this.run !== null && !this.isRevealed && this.isOpen;
  }

  /** Whether it is for the tables to move. */
  get waits() {
    return this.run !== null && turnOf(this.position) !== this.run.side;
  }

  /** The remark on the person's last move, which perhaps the opponent has answered, if there is one. */
  get remark() {
    return this.run?.remarks[this.waits ? this.game.at : this.game.back];
  }

  /** The remarks on the person's moves that led here, the last one first. */
  get #remarks() {
    const { nodes, at } = this.game;
    const remarks = [];
    for (let here = at; here !== null; here = nodes[here].parent) {
      if (here in this.run.remarks) remarks.push(this.run.remarks[here]);
    }
    return remarks;
  }

  /** The faults of the person's moves that led here, the last one first, empty for right ones. */
  get faults() {
    return this.#remarks.map(({ fault }) => fault);
  }

  /** How many moves of the person led here, none if there is a mistake among them. */
  get made() {
    const { faults } = this;
    return faults.includes("mistake") ? 0 : faults.length;
  }

  /** How many of them were good: none slower than it may be. */
  get good() {
    return this.made && this.faults.filter((fault) => !fault).length;
  }

  /** Whether as many good moves as the task asks for, or what it is instead, and no mistake, led here. */
  get isSolved() {
    const { task } = this.run;
    if (task?.stops) {
      return this.good >= MOST_HELD || (this.made > 0 && this.#remarks.filter(({ stops }) => stops).length >= STOPPED);
    }
    if (task?.promotes) return this.made > 0 && this.#remarks.some(({ uci }) => uci[4]);
    return this.good >= (task?.moves ?? Infinity);
  }

  /** The move that shows why the person's last one was a mistake, with a `text`; null without any. */
  get refutation() {
    const { bestMove: move, remark, waits } = this;
    if (!move || !waits || remark?.fault !== "mistake" || remark.repeats) return null;
    const { was, line } = remark;
    return { move, text: `It was ${was}, now ${move.san} ${says(move, this.rules)}${line ? `: ${line}` : ""}` };
  }

  /** What the method advises the person in the position shown, null without any, or where there is nothing to win. */
  get advice() {
    const { run, waits, bestMove, position, answer } = this;
    return run && !waits && bestMove && groupOf(bestMove) === "win" ? advise(position, answer.moves) : null;
  }

  /** Return whether the moves that punish the person's last one, a mistake, are found now, and are then in its remark. */
  async punished() {
    const { refutation, remark, position, signal } = this;
    if (!refutation || remark.line !== undefined) return false;
    const line = [];
    try {
      for (let [here, { move }] = [position, refutation]; move && line.length < LINE; ) {
        const [step] = stepsOf(here, [move]);
        line.push(step);
        if (/[x=#]/.test(move.san)) break;
        here = readLoosely(step.fen, this.rules);
        [move] = (await this.ask(step.fen, { signal })).moves;
      }
    } catch {
      // What is found up to there tells as much as is known.
    }
    const told = line.map(({ san, turn, number }, i) => (turn === "w" ? `${number}. ` : i ? "" : `${number}… `) + san);
    remark.line = line.length > 1 ? told.join(" ") : "";
    return line.length > 1 && !signal.aborted;
  }

  /** The node before the person's last move, null if there is none since practice began. */
  get beforeLastMove() {
    const { nodes } = this.game;
    const { from, side } = this.run;
    let { at } = this.game;
    while (nodes[at] && at !== from && nodes[at].turn !== side) at = nodes[at].parent;
    return at === from ? null : nodes[at]?.parent ?? null;
  }

  /** Follow the answer: the first one tells the task, and `reply(answer)` is called if the tables are to move. */
  follow(reply, exercise = null) {
    const { answer, run } = this;
    if (!run || !this.isOpen) return;
    run.task ??= taskOf(answer, this.position, exercise);
    const remark = run.remarks[this.game.at];
    if (!this.waits || !remark?.due) return;
    setTimeout(() => {
      if (this.answer !== answer) return;
      remark.due = false;
      reply(answer);
    }, PACE);
  }
}

const GOALS = { win: "Win this for", draw: "Hold the draw with", loss: "Hold out with" };

/** Return what there is to do in a position with an answer, up to the name of the side. */
function goalOf({ category }) {
  if (category === "cursed-win" || category === "blessed-loss") return GOALS.draw;
  return GOALS[category.split("-").at(-1)] ?? GOALS.draw;
}

/** Return how many moves it is to the end, with the word for it; null if that is not known. */
export function wayOf(answer, rules) {
  const distance = distanceOf(answer);
  if (distance === null || isByRule(answer)) return null;
  return { verb: endsByMate(rules) ? "mate" : "win", count: Math.ceil(Math.abs(distance) / 2) };
}

/**
 * Return what there is to do in a position with its answer: `goal`, whether it `isWin`, how `far` it is and at its end
 * when it is `solved`, how many good `moves` suffice, null up to the end, which is known of an `exercise`, whether a
 * pawn `promotes` or one `stops` it instead, and the numbers of moves up to the end: the `least`, the `most` that is no
 * slow win, and the `bound` of a method, whose moves are never slow.
 */
function taskOf(answer, position, exercise = null) {
  const { rules, board, white } = position;
  const found = goalOf(answer);
  const goal = `${found} ${SIDES[turnOf(position)]}`;
  if (found === GOALS.loss) return { goal, isWin: false, far: "The position is lost: make it last.", moves: Infinity };
  const isWin = found === GOALS.win;
  const isMate = isWin && rules.hasMates && /^K[^KP]+K$/.test(rules.materialOf(board));
  const way = isWin ? wayOf(answer, rules) : null;
  const method = isWin && methodFor(position, white);
  const bound = method?.goal === "mate" && !method.rest ? method.moves : null;
  const isPawn = isWin && rules.hasMates && board.includes(white ? "P" : "p");
  const isShort = way && !isPawn && way.count <= ENOUGH;
  const isToTheEnd = exercise?.moves === undefined ? isMate || isShort : exercise.moves === null;
  const promotes = isPawn && !isToTheEnd;
  const stops = found === GOALS.draw && isAgainstPawn(position);
  const moves = isToTheEnd || promotes || stops ? null : exercise?.moves ?? ENOUGH;
  if (stops) {
    const solved = `Solved when you win the pawn, stop it on its sixth rank, or are stalemated, and after ${MOST_HELD} moves at the latest.`;
    return { goal, isWin, far: solved, solved, moves, stops };
  }
  const [verb, end] = endsByMate(rules) ? ["Mate", "you mate"] : ["Win", "you have won"];
  const best = way ? `${way.verb} in ${way.count} with best play` : "";
  let far = way ? `${verb} in ${way.count} with best play. ` : "";
  let solved = moves === null ? `Solved when ${end}.` : solvedAfter(moves, isWin);
  if (promotes) [far, solved] = [`Queen the pawn${best && ` (${best})`}. `, "Solved when you have promoted and still win."];
  const least = way && isToTheEnd ? way.count : null;
  return { goal, isWin, far: far + solved, solved, moves, promotes, most: least && Math.floor(1.5 * least), bound, least };
}

/** Return whether the side to move has a bare king against one pawn, which is to be stopped. */
function isAgainstPawn({ rules, board, white }) {
  const [own, other] = white ? rules.sidesOf(board) : rules.sidesOf(board).reverse();
  return rules.hasMates && own === "" && other === "P";
}

/** Return whether the pawn of a side stands on its sixth rank, or further on. */
function isPawnFar({ rules, board }, white) {
  const rank = Number(rules.nameOf(board.indexOf(white ? "P" : "p"))?.[1] ?? 0);
  return rank > 0 && (white ? rank >= rules.ranks - 2 : rank <= 3);
}

function solvedAfter(moves, isWin) {
  const [keep, lose] = moves === 1 ? ["keeps", "loses"] : ["keep", "lose"];
  return `Solved after ${plural(moves, "move")} that ${keep} the ${isWin ? `win and ${lose} no time` : "draw"}.`;
}

// What a move is worth beside the best one

const KEPT = {
  win: "the win",
  cursed: "the cursed win",
  draw: "the draw",
  blessed: "the draw by the 50-move rule",
};
const RESULTS = {
  win: "a win",
  cursed: "a cursed win",
  draw: "a draw",
  blessed: "a blessed loss",
  loss: "a loss",
  unknown: "unknown",
};

// What a move does, where its result alone is no sentence.
const SAYS = {
  checkmate: "is checkmate",
  stalemate: "gives stalemate",
  draw: "draws",
  "cursed win": "is a cursed win",
  "blessed loss": "is a blessed loss",
};

// The opponent's number is smaller after a slower win and after a faster loss of the mover.
const plies = (move) => distanceOf(move) ?? move.dtz_without_rule50 ?? 0; // null of what ends the game at once

/** Return in words what the result is after a move. */
const resultOf = (move) => (move.stalemate && move.category === "draw" ? "stalemate" : RESULTS[groupOf(move)]);

/** Return the number of the rule that decides, the words `after` it, and the rule's sentence without its *Else*. */
export function ruleInWords({ method, rule }, after = "") {
  const { sentence } = method.rules[rule];
  const alone = sentence.replace(/^Else /, "");
  return `${rule + 1}${after}: ${alone[0].toLowerCase()}${alone.slice(1)}`;
}

/** Return the moves that keep the result of a position. */
const rightOf = (moves) => moves.filter((move) => groupOf(move) === groupOf(moves[0]));

/** Return names of equally right moves. */
function named(moves) {
  const [first, ...others] = moves.map(({ san }) => san);
  if (others.length >= MOST_NAMED) return `any of ${moves.length} moves, like ${first}`;
  return others.length ? `${[first, ...others.slice(0, -1)].join(", ")} or ${others.at(-1)}` : first;
}

/** Return why a move was right, or which moves were; an empty text if it was as fast as the method's, or faster. */
function whyOf(move, moves, fault, advice) {
  const isMistake = fault === "mistake";
  if (!advice || advice.rule === null) return isMistake ? `Right was ${named(rightOf(moves))}.` : "";
  if (advice.moves.includes(move)) return `Rule ${ruleInWords(advice)}`;
  const names = named(advice.moves);
  if (isMistake) return `Rule ${ruleInWords(advice, ` came first (${names})`)}`;
  const isSlower = plies(move) < plies(advice.moves[0]);
  return isSlower ? `The method has another move (${names}), by rule ${ruleInWords(advice)}` : "";
}

/** Return the fault of a move beside the best one: "mistake", "slower" or nothing. */
function faultOf(move, best) {
  if (groupOf(move) !== groupOf(best)) return "mistake";
  if (move.category === "draw") return "";
  return plies(move) < plies(best) ? "slower" : "";
}

/** Whether a move wins at once. */
const isOver = ({ checkmate, variant_loss: isLost }) => checkmate || isLost;

/** Return the number of moves that a move loses in comparison with the best one, null if unknown. */
function movesLost(move, best) {
  if ([move, best].some((one) => distanceOf(one) === null && !isOver(one))) return null;
  return Math.round(Math.abs(plies(move) - plies(best)) / 2);
}

/** Return what the best move does, as the end of a sentence. */
function says(best, rules) {
  const { text } = outcome(best, rules);
  const [, moves] = /^mated in (\d+)$/.exec(text) ?? [];
  return moves ? `holds out for ${plural(Number(moves), "move")}` : SAYS[text] ?? text;
}

/** Return how a move that keeps the result falls behind the best one. */
function behind(move, best) {
  const lost = movesLost(move, best);
  const far = lost === null ? "" : `${plural(lost, "move")} `;
  const group = groupOf(best);
  const what = ["win", "cursed"].includes(group) ? `keeps ${KEPT[group]}, ${far}slower` : `loses ${far}sooner`;
  return `${move.san} ${what} than the best`;
}

/** Return the fault of a move, in words that name the better one; null if it has none or is not known. */
function judge(move, moves, rules) {
  const [best] = moves;
  const [was, is] = [best, move].map(groupOf);
  if (!(was in RESULTS && is in RESULTS) || [was, is].includes("unknown")) return null;
  const fault = faultOf(move, best);
  if (!fault) return null;
  const isMistake = fault === "mistake";
  const what = isMistake ? `${move.san} throws away ${KEPT[was]}: it is now ${resultOf(move)}` : behind(move, best);
  const isKnown = isMistake || movesLost(move, best) !== null;
  return { fault, text: `${what}. ${best.san} ${isKnown ? says(best, rules) : "is better"}.` };
}

/**
 * Return what to say of a move while values are hidden: its `fault`, a `text`, of a mistake a `headline`. A winner who
 * `repeats` a position loses time, and at the third time the win. What the method advises is never slow.
 */
function remarkOn(move, best, times, isAdvised) {
  const isWin = groupOf(best) === "win";
  const repeats = isWin && times > 1;
  const fault = repeats ? "mistake" : faultOf(move, best);
  if (fault === "mistake") {
    const was = RESULTS[groupOf(best)];
    const is = repeats ? "a draw: this position is on the board for the third time" : resultOf(move);
    return { fault, repeats, headline: `${move.san} is a mistake`, was, text: `It was ${was}, now it is ${is}` };
  }
  if (isAdvised) return { fault: "", text: `${move.san} ${fault ? "keeps the win" : "is best"}` };
  if (fault && isOver(best)) return { fault, text: `${move.san} keeps the win, but ${best.san} ${best.checkmate ? "mates" : "wins"} at once` };
  if (isWin && times) return { fault: "slower", text: `${move.san} keeps the win, but this position was on the board before` };
  if (fault && (movesLost(move, best) ?? Infinity) > TOLERATED) return { fault, text: behind(move, best) };
  if (fault) return { fault: "", text: `${move.san} ${KEPT[groupOf(move)] ? `keeps ${KEPT[groupOf(move)]}` : "holds out"}` };
  return { fault, text: `${move.san} ${groupOf(move) === "draw" ? "holds the draw" : "is best"}` };
}
