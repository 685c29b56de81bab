// The panel of practice: exercises with their levels, hints, and the score. The session plays.

import { isCheck, readLoosely } from "../reader/position.js";
import { drawHint, drawRing } from "./arrows.js";
import { methodOf, rulesOf } from "./lessons.js";
import { methodFor } from "./method.js";
import { ruleInWords, wayOf } from "./session.js";
import { byId, make, makeButton, preference, refill, setPreference, withTooltips } from "./page.js";
import { MINE, keepProgress, nextOf, progressIn } from "./progress.js";
import * as source from "./source.js";
import { plural } from "./words.js";

/** Return what is kept of an exercise while it is played, besides what the session keeps. */
const newExercise = ({ rules, board }) => ({
  ending: rules.materialOf(board), // that is practised
  exercise: null, // as it was chosen, with its level; null for other positions
  next: null, // the level of the next exercise, null for that of the progress
  summary: null, // how it ended: {headline, detail}
  trouble: "", // why there is no other exercise
  isPlain: false, // whether the tables could not look for the hardest move
  counts: { moves: 0, mistake: 0, slower: 0, hints: 0, looks: 0 },
});

export class Practice {
  #hinted = ""; // what was said of the right move
  #taught = ""; // for whom the method stands beside the task
  #left = null; // the exercise that was left for another tab
  #asked = 0; // how many times something was to be practised

  /**
   * `page`: {board, play(move), jump(at), start(fen, options), turn(side), remember(push), refresh(), waits(words),
   * changed()}; turn puts a side below, remember keeps the address and the state, refresh shows the same position again,
   * waits says what the server does meanwhile, changed follows a switch and shows the panel.
   */
  constructor(session, page) {
    Object.assign(this, { session, page, invitation: byId("practise").title });
    const on = (id, act) => byId(id).addEventListener("click", act);
    on("practise", () => (this.on ? page.changed() : this.switch(true)));
    on("reveal", () => this.#reveal());
    on("hint", () => this.#hint());
    on("again", () => page.jump(session.beforeLastMove));
    on("play-on", () => this.#reply(session.answer));
    on("exercise", () => this.another());
    byId("resistance").value = preference("resistance", "practical");
    byId("resistance").addEventListener("change", ({ target }) => setPreference("resistance", target.value));
  }

  get on() {
    return this.session.run !== null;
  }

  /** Begin an exercise or return to the one that was left, or leave it. */
  switch(on) {
    if (on === this.on) return;
    const { session, page } = this;
    this.#asked += 1;
    if (!on) [this.#left, session.run] = [session.run, null];
    else if (this.#isLeft) this.#goOn();
    else this.#beginHere();
    page.remember(!on);
    page.changed();
    page.refresh();
  }

  /** Whether the position shown is one of the game of the exercise that was left. */
  get #isLeft() {
    return this.#left?.game === this.session.game.id;
  }

  /** Whether a mistake led to the position shown. */
  get #isMistake() {
    return this.session.game.mistakes.includes(this.session.game.at);
  }

  /** Begin from the position shown, or after a mistake from the one before it. */
  #beginHere() {
    const { session, page } = this;
    const isAgain = this.#isMistake;
    if (isAgain) page.jump(session.game.back);
    this.#begin();
    if (isAgain) page.turn(session.run.side);
  }

  /** Go on with the exercise that was left; its values were seen meanwhile. */
  #goOn() {
    const { session } = this;
    session.run = this.#left;
    session.run.counts.looks += Number(session.isOpen);
  }

  /** Go on with what the browser's history kept, null if it was off, at a node of the game. */
  restore(state, at) {
    this.session.run = state;
    const remark = state?.remarks[at];
    if (remark) remark.due = remark.fault !== "mistake";
    this.page.changed();
  }

  /**
   * Show an exercise of an ending, of a level or the one `given` as a FEN; `Refused` if there is none, and
   * what is shown stays.
   */
  async begin(ending, level, given = null) {
    const { session, page } = this;
    const choose = (some) => nextOf(ending, some, session.run?.fen);
    const options = { fen: given, choose, waits: page.waits };
    const asked = (this.#asked += 1);
    const exercise = await source.exercise(ending, level ?? progressIn(ending).level, options).catch((error) => {
      if (asked === this.#asked) throw error;
    });
    if (asked !== this.#asked) return; // something else is shown meanwhile
    this.#begin();
    page.changed();
    const started = page.start(exercise.fen, { push: Boolean(session.game.step) });
    Object.assign(session.run, { ending, exercise: exercise.level ? exercise : null });
    page.turn(session.run.side);
    page.remember();
    this.showButtons();
    await started;
  }

  /**
   * Show another exercise: of a level, or as hard as it should be; of the ending that is practised, or is on the board,
   * unless it is of `other` material.
   */
  async another(level = null, other = null) {
    const { run, position } = this.session;
    const { ending, next, exercise } = run ?? newExercise(position);
    try {
      await this.begin(other ?? ending, level ?? (other ? undefined : next ?? exercise?.level));
    } catch (error) {
      if (!(error instanceof source.Refused)) throw error;
      this.switch(true);
      this.page.refresh(); // it may have been hidden while this waited
      this.session.run.trouble = error.message;
      this.showButtons();
    }
  }

  /** End an exercise once, with a summary; the next one of its ending is harder or easier. */
  #finish(isMistake, isOver) {
    const { run, isSolved, made, good } = this.session;
    const { hints, looks } = run.counts;
    if (run.summary?.isSolved || !(isMistake || isOver || isSolved)) return;
    if (run.summary) { // with a mistake, which was taken back if none led here
      const which = run.counts.mistake === 1 ? "the second" : "another";
      if (made) Object.assign(run.summary, { headline: `Solved at ${which} try`, isSolved: true });
      return;
    }
    const isHelped = hints + looks > 0;
    const { least = null, most = null, bound = null } = run.task ?? {};
    const isSlow = made > (made === good && bound ? bound : most ?? Infinity);
    const how = isHelped ? " with help" : isSlow ? ` in ${made} moves, ${least} ${least === 1 ? "is" : "are"} enough` : "";
    run.summary = { headline: isMistake ? "Not solved yet" : `Solved${how}`, isSolved: !isMistake, detail: "" };
    if (!run.exercise) {
      run.summary.detail = isMistake ? "" : "A position of your own counts for no level.";
      return;
    }
    const step = isMistake ? -1 : Number(!isHelped && !isSlow);
    const { next, left } = keepProgress(run.ending, run.exercise, step);
    run.next = next;
    if (run.ending === MINE) run.summary.detail = isMistake || isHelped ? "It comes again." : "";
    else run.summary.detail = left ? `${left} more, and level ${next + 1} is next.` : `Next: level ${next}.`;
  }

  /** Begin again from the position shown, for its side to move. */
  #begin() {
    this.#asked += 1;
    this.session.practise(newExercise(this.session.position));
    this.#hinted = "";
  }

  /** Follow the page to another position; another game is another exercise. */
  arrive() {
    this.#hinted = "";
    if (this.on && this.session.game.id !== this.session.run.game) this.#begin();
  }

  /** What the address names while it is on: the exercise with its level, and the position. */
  get place() {
    const { ending, exercise, fen } = this.session.run;
    return [exercise === null ? "exercise=" : `exercise=${ending}:${exercise.level}&fen=`, fen];
  }

  /** Count the move that led here if it is the person's; either side's may end the exercise. */
  score(move) {
    const { run, game } = this.session;
    if (!run) return;
    const remark = run.remarks[game.at];
    const isDrawn = move.category === "draw" && (move.stalemate || move.insufficient_material);
    if (remark) this.#count(remark);
    const isWon = remark && (move.checkmate || move.stalemate || move.variant_loss);
    this.#finish(remark?.fault === "mistake", isDrawn || isWon);
  }

  /** Count a move of the person; it is of the main line from now on, unless it is a mistake. */
  #count({ fault }) {
    const { run, game } = this.session;
    run.counts.moves += 1;
    if (fault) run.counts[fault] += 1;
    const { children } = game.nodes[game.back];
    if (fault !== "mistake") children.unshift(...children.splice(children.indexOf(game.at), 1));
  }

  /** Follow the answer for the position shown. */
  answer() {
    if (!this.on) return;
    this.session.follow((answer) => this.#reply(answer), this.session.run.exercise);
    this.session.punished().then((isNew) => isNew && this.on && this.page.refresh());
    this.page.remember();
  }

  /** The task in words, empty until it is known. After a mistake it tells that the distance is that of the start. */
  get #task() {
    const { run: { task }, faults } = this.session;
    const { far = "", solved = "" } = task ?? {};
    const told = far.slice(0, far.length - solved.length);
    const start = told && solved && faults.includes("mistake") ? `From the start: ${told[0].toLowerCase()}${told.slice(1)}` : told;
    return start + (faults.includes("mistake") ? "To solve it, take your mistake back." : solved);
  }

  /** The remark that the board shows: not on a mistake that is answered, nor on a man that is taken. */
  get marked() {
    const { remark, waits, game } = this.session;
    const isTaken = () => game.step.uci.slice(2, 4) === remark.uci.slice(2, 4);
    return remark && !waits && (remark.fault === "mistake" || isTaken()) ? null : remark;
  }

  /** What the lesson of the ending teaches to this person, as a sentence, nothing if there is none; and as rules. */
  get #method() {
    const { run: { fen, side, task }, rules } = this.session;
    if (!task) return ["", null];
    const start = readLoosely(fen, rules);
    return [methodOf(start, side, task.isWin), (task.isWin && methodFor(start, side === "w")) || null];
  }

  /** Show what the lesson teaches, and which of its rules the last move followed. */
  #teach() {
    const { run, remark } = this.session;
    const [sentence, method] = this.#method;
    const taught = `${run.ending} ${run.side} ${sentence}`;
    if (taught !== this.#taught) refill("method", ...(method ? rulesOf(method) : sentence ? [make("p", "", ...withTooltips(sentence))] : []));
    this.#taught = taught;
    for (const [i, rule] of [...byId("method").querySelectorAll("li")].entries()) {
      rule.toggleAttribute("data-followed", i === (remark?.rule ?? null));
    }
  }

  /** Why the last move was right or wrong, or the hint that was asked for. */
  get #why() {
    const { remark } = this.session;
    if (this.#hinted || !remark) return this.#hinted;
    return remark.why;
  }

  /** Make the move of the tables in the position of an answer, unless another one is shown. */
  async #reply(answer) {
    const isHere = () => this.on && this.session.answer === answer;
    if (!isHere()) return;
    const chosen = byId("resistance").value === "practical" ? await this.#hardest() : null;
    if (isHere()) this.page.play(answer.moves.find(({ uci }) => uci === chosen?.uci) ?? answer.moves[0]);
  }

  /** Return the move that is hardest to answer, null where it cannot be found. */
  async #hardest() {
    const { game, position, run } = this.session;
    const fens = [];
    for (let at = game.at; at !== null; at = game.nodes[at].parent) fens.push(game.nodes[at].fen);
    let chosen = null;
    try {
      const { hardest } = await import("./partner.js");
      const { moves } = await source.standard(fens[0], { difficulty: true });
      chosen = hardest(moves, position, fens);
    } catch {
      // The server or host is gone or too busy: the tables play as ever.
    }
    run.isPlain = chosen === null;
    return chosen;
  }

  /** Return what to say of the position, for which `told` is the result. */
  verdict(told) {
    const { session } = this;
    if (!this.on || session.isRevealed) return told;
    const { remark, waits, position, made, good, refutation } = session;
    const { summary, task } = session.run;
    if (waits && remark?.fault === "mistake") {
      return { headline: remark.headline, detail: refutation?.text ?? remark.text, kind: "mistake" };
    }
    const said = session.hides ? remark?.text ?? "Your move" : told.headline;
    if (summary?.isSolved) {
      const next = `take the next exercise${session.hides ? ", or play on" : ""}`;
      return { headline: summary.headline, detail: `${said} · ${next}`, kind: "right" };
    }
    if (!session.hides) return told;
    const count = made && Number.isFinite(task.moves ?? Infinity) ? [`${good} of ${plural(task.moves, "good move")}`] : [];
    const way = made && !waits && task.isWin && task.moves === null ? wayOf(session.answer, session.rules) : null;
    const left = way ? [`${way.verb} in ${way.count} from here`] : [];
    const check = isCheck(position) ? ["in check"] : [];
    const detail = [said, ...count, ...left, ...check].join(" · ");
    return { headline: waits ? "Your opponent's move" : session.goal, detail, kind: remark ? remark.fault || "right" : "draw" };
  }

  /** Show the task, the score, and what can be done. */
  showButtons() {
    const { session } = this;
    const { answer, run, hides, isOpen, waits, remark } = session;
    const isReady = run || isOpen || this.#isLeft || this.#isMistake;
    byId("practise").disabled = !isReady;
    byId("practise").title = (!isReady && answer && session.obstacle) || this.invitation;
    byId("reveal").disabled = !run || !isOpen;
    byId("reveal").textContent = session.isRevealed ? "Hide values" : "Show values";
    byId("hint").disabled = !hides || waits;
    if (!run) return;
    byId("again").disabled = session.beforeLastMove === null;
    byId("again").textContent = session.faults[0] === "mistake" ? "Try again" : "Take back";
    byId("hint").hidden = waits && isOpen && !remark?.due;
    byId("play-on").hidden = !byId("hint").hidden;
    const { ending, exercise, counts, summary, trouble, isPlain } = run;
    byId("task").textContent = this.#task;
    byId("why").textContent = this.#why;
    this.#teach();
    const [level, of] = [exercise?.level ?? 0, exercise?.of ?? 0];
    refill("dots", ...Array.from({ length: of > 1 ? of : 0 }, (_, i) => this.#dot(i + 1, level)));
    const parts = [ending, ...(exercise ? [`level ${level} of ${of}`] : [])];
    byId("level").textContent = ending === MINE ? ["My mistakes", exercise?.game].filter(Boolean).join(" · ") : parts.join(" · ");
    const { moves, mistake, slower, hints, looks } = counts;
    const hinted = hints ? [plural(hints, "hint")] : [];
    const looked = looks ? [`values shown ${plural(looks, "time")}`] : [];
    const plain = isPlain ? ["the opponent plays the longest defence, because it is not known here how hard moves are"] : [];
    const score = [plural(moves, "move"), plural(mistake, "mistake"), plural(slower, "slow move"), ...hinted, ...looked, ...plain];
    byId("score").textContent = score.join(" · ");
    byId("exercise").textContent = exercise ? "Next exercise" : `Go to level ${progressIn(ending).level}`;
    byId("exercise").classList.toggle("main", Boolean(summary?.isSolved));
    byId("again").classList.toggle("main", waits && remark?.fault === "mistake");
    const isTold = summary && (summary.isSolved || session.faults.includes("mistake")); // not while one tries again
    byId("summary").textContent = trouble || (isTold ? `${summary.headline}. ${summary.detail}`.trim() : "");
  }

  /** Return a button for an exercise of a level, which is filled up to the one that is shown. */
  #dot(level, shown) {
    const dot = makeButton("", level > shown ? "○" : "●", () => this.another(level), `Level ${level}`);
    dot.title = `An exercise of level ${level}`;
    if (level === shown) dot.setAttribute("aria-current", "true");
    return dot;
  }

  /** Show the values, or hide them again. */
  #reveal() {
    const { session } = this;
    session.isRevealed = !session.isRevealed;
    session.run.counts.looks += Number(session.isRevealed);
    this.page.refresh();
  }

  /** Say what the method advises; asked again, show which man is to move, and then a move that it allows. */
  #hint() {
    const { session, page: { board } } = this;
    const { position: { rules, board: men }, advice, bestMove, run } = session;
    const best = advice?.moves[0] ?? bestMove;
    const square = best.uci.slice(0, 2);
    const man = rules.names[men[rules.squareOf(square)].toUpperCase()];
    const sentence = advice?.moves.length ? `rule ${ruleInWords(advice)}` : advice?.method.rest ?? this.#method[0];
    const hints = [...(sentence ? [sentence] : []), `the ${man} on ${square}`, best.san];
    const next = Math.min(hints.length - 1, hints.findIndex((one) => this.#hinted === `Hint: ${one}`) + 1);
    run.counts.hints += 1;
    this.#hinted = `Hint: ${hints[next]}`;
    if (next === hints.length - 1) drawHint(board.hint, best, board.flipped);
    else if (next === hints.length - 2) drawRing(board.hint, square, board.flipped);
    this.page.remember();
    this.showButtons();
  }
}
