// Practising: a person plays one side, the tables the other. Values are hidden until asked for.

import { drawHint, drawRing } from "./arrows.js";
import { byId, preference, setPreference } from "./page.js";
import { SIDES, materialName, readFen, rules, writeFen } from "./position.js";
import { keepProgress, progressIn } from "./progress.js";
import * as source from "./source.js";
import { remarkOn, taskOf } from "./task.js";
import { plural } from "./words.js";

const PACE = 500; // milliseconds until the tables answer
const INVITATION = "Play against the tables, values hidden";

/** Return what is kept of an exercise while it is played: of a `game` that begins with a position. */
const newRun = (game, fen, position) => ({
  game,
  fen,
  side: position.turn, // of the person
  ending: materialName(position), // that is practised
  exercise: null, // as it was chosen, with its level; null for other positions
  next: null, // the level of the next exercise, null for that of the progress
  task: null, // what there is to do, once the answer for the first position is here
  summary: null, // how it ended: {headline, detail}
  trouble: "", // why there is no other exercise
  isPlain: false, // whether the tables could not look for the hardest move
  remarks: {}, // on the person's moves, by the node that they lead to
  counts: { moves: 0, mistake: 0, slower: 0, hints: 0, looks: 0 },
});

export class Practice {
  on = false;
  #run = newRun("", "", { men: {}, turn: "w" });
  #revealed = false; // the values of the position shown
  #hinted = 0; // how much was shown of the right move

  /**
   * `page`: {board, shown, game, play(move), jump(at), start(fen, options), inCheck(), remember(), refresh(),
   * changed()}; remember keeps the address and the state, refresh shows the same position again, changed
   * follows a switch.
   */
  constructor(page) {
    this.page = page;
    const on = (id, act) => byId(id).addEventListener("click", act);
    on("practise", () => this.switch(!this.on));
    on("reveal", () => this.#reveal());
    on("hint", () => this.#hint());
    on("again", () => page.jump(this.#again()));
    on("play-on", () => this.#reply(page.shown.answer));
    on("exercise", () => this.#another());
    byId("resistance").value = preference("resistance", "practical");
    byId("resistance").addEventListener("change", ({ target }) => setPreference("resistance", target.value));
  }

  switch(on) {
    if (on === this.on) return;
    this.on = on;
    this.#begin();
    this.page.remember();
    this.page.changed();
    this.page.refresh();
  }

  /** What the browser's history keeps, null while it is off. */
  get state() {
    return this.on ? this.#run : null;
  }

  /** Go on with what the history kept, at a node of the game. */
  restore(state, at) {
    this.on = Boolean(state);
    if (state) this.#run = state;
    const remark = state?.remarks[at];
    if (remark) remark.due = remark.fault !== "mistake";
    this.page.changed();
  }

  /**
   * Show an exercise of an ending, of a level or the one `given` as a FEN; `Refused` if there is none, and
   * what is shown stays.
   */
  async begin(ending, level, given = null) {
    const exercise = await source.exercise(ending, level ?? progressIn(ending).level, given);
    this.on = true;
    this.page.changed();
    const started = this.page.start(exercise.fen, { push: Boolean(this.page.game.step) });
    Object.assign(this.#run, { ending, exercise: exercise.level ? exercise : null });
    this.page.remember();
    this.showButtons();
    await started;
  }

  /** Show another exercise of the ending that is practised, or is on the board; one not yet ended keeps its level. */
  async #another() {
    const { ending, next, exercise } = this.on ? this.#run : { ending: materialName(this.page.shown.position) };
    try {
      await this.begin(ending, next ?? exercise?.level);
    } catch (error) {
      if (!(error instanceof source.Refused)) throw error;
      this.switch(true);
      this.#run.trouble = error.message;
      this.showButtons();
    }
  }

  /** End an exercise once, with a summary; the next one of its ending is harder or easier. */
  #finish(isMistake, isOver) {
    const run = this.#run;
    const { moves, hints, looks } = run.counts;
    if (run.summary || !(isMistake || isOver || moves >= (run.task?.moves ?? Infinity))) return;
    const isHelped = hints + looks > 0;
    const headline = isMistake ? "Not solved" : isHelped ? "Solved with help" : "Solved";
    run.summary = { headline, isSolved: !isMistake, detail: "" };
    if (!run.exercise) return;
    const { level, of } = run.exercise;
    run.next = isMistake || !isHelped ? keepProgress(run.ending, level, of, !isMistake) : level;
    run.summary.detail = run.next === level ? `The level stays ${level}.` : `Level ${level} → ${run.next}.`;
  }

  /** Begin again from the position shown, for its side to move. */
  #begin() {
    const { game, shown } = this.page;
    this.#run = newRun(game.id, game.step?.fen, shown.position);
    this.#revealed = false;
    this.#hinted = 0;
  }

  /** Follow the page to another position; another game is another exercise. */
  arrive() {
    this.#revealed = false;
    this.#hinted = 0;
    if (this.page.game.id !== this.#run.game) this.#begin();
  }

  /** What the address names while it is on: the exercise with its level, and the position. */
  get place() {
    const { ending, exercise, fen } = this.#run;
    return [exercise === null ? "exercise=" : `exercise=${ending}:${exercise.level}&fen=`, fen];
  }

  /** Why there is nothing to play for in the position shown; nothing if there is. */
  get #obstacle() {
    const { answer } = this.page.shown;
    if (answer.solution) return "Solved here, it has its result, but not that of every move: only tables and saved proofs can play on";
    if (!answer.moves.length) return "The game is over";
    if (answer.insufficient_material) return "Neither side can win";
    return answer.moves[0].category === "unknown" ? "Nothing is known of this position, so the tables cannot play it" : "";
  }

  /** Whether there is something to play for in the position shown. */
  get possible() {
    return Boolean(this.page.shown.answer) && !this.#obstacle;
  }

  /** Whether the values of the position shown are hidden. */
  get hides() {
    return this.on && !this.#revealed && this.possible;
  }

  /** Whether it is for the tables to move. */
  get waits() {
    return this.on && this.page.shown.position.turn !== this.#run.side;
  }

  /** Judge a move of the person before it is made; return the remark for `keep`, null if none. */
  judge(move) {
    if (!this.on || this.waits) return null;
    const remark = remarkOn(move, this.page.shown.answer.moves[0]);
    const { counts } = this.#run;
    counts.moves += 1;
    if (remark.fault) counts[remark.fault] += 1;
    this.#finish(remark.fault === "mistake", move.checkmate || move.stalemate || move.variant_loss || move.insufficient_material);
    return remark;
  }

  /** Remember the remark on the move that led here; the tables answer unless it was a mistake. */
  keep(remark) {
    if (remark) this.#run.remarks[this.page.game.at] = { ...remark, due: remark.fault !== "mistake" };
  }

  /** Take the answer for the position shown: the task follows from the first, and the tables move if that is due. */
  answer() {
    const { shown, game } = this.page;
    if (!this.on) return;
    const run = this.#run;
    if (!run.task && this.possible) run.task = taskOf(shown.answer, shown.position, run.exercise);
    this.page.remember();
    const remark = run.remarks[game.at];
    if (!this.waits || !this.possible || !remark?.due) return;
    remark.due = false;
    const { answer } = shown;
    setTimeout(() => this.#reply(answer), PACE);
  }

  /** Make the move of the tables in the position of an answer, unless another one is shown. */
  async #reply(answer) {
    const { shown, play } = this.page;
    if (!this.on || shown.answer !== answer) return;
    const chosen = byId("resistance").value === "practical" ? await this.#hardest() : null;
    if (this.on && shown.answer === answer) play(answer.moves.find(({ uci }) => uci === chosen?.uci) ?? answer.moves[0]);
  }

  /** Return the move that is hardest to answer, null where it cannot be found. */
  async #hardest() {
    const { shown, game } = this.page;
    const { position } = shown;
    const fens = [];
    for (let at = game.at; at !== null; at = game.nodes[at].parent) fens.push(game.nodes[at].fen);
    let chosen = null;
    try {
      const { hardest } = await import("./partner.js");
      const { moves } = await source.standard(writeFen(position), { difficulty: true });
      chosen = hardest(moves, position, fens);
    } catch {
      // The server or host is gone or too busy: the tables play as ever.
    }
    this.#run.isPlain = chosen === null;
    return chosen;
  }

  /** Return what to say instead of the result, null if that is not hidden. */
  verdict() {
    if (!this.on || this.#revealed) return null;
    const { game } = this.page;
    const { remarks, side, summary } = this.#run;
    const remark = remarks[this.waits ? game.at : game.back];
    if (this.waits && remark?.fault === "mistake") {
      return { headline: remark.headline, detail: remark.text, kind: "error" };
    }
    if (!this.hides) return null;
    const said = remark ? [remark.text] : [];
    if (summary?.isSolved) {
      return { headline: summary.headline, detail: [...said, "take the next exercise, or play on"].join(" · "), kind: "solved" };
    }
    const check = this.page.inCheck() ? ["in check"] : [];
    const detail = [`You play ${SIDES[side]}`, ...check, ...said].join(" · ");
    return { headline: this.waits ? "The tables' move" : "Your move", detail, kind: "draw" };
  }

  /** Show the task, the score, and what can be done. */
  showButtons() {
    const { ending, exercise, task, counts, summary, trouble, isPlain } = this.#run;
    const { answer } = this.page.shown;
    byId("practise").disabled = !this.on && !this.possible;
    byId("practise").title = (!this.on && answer && this.#obstacle) || INVITATION;
    byId("reveal").disabled = !this.hides;
    byId("hint").disabled = !this.hides || this.waits;
    byId("again").disabled = this.#again() === null;
    byId("play-on").disabled = !(this.waits && this.possible);
    byId("goal").textContent = task?.goal ?? `Practise ${ending}`;
    byId("task").textContent = task?.far ?? "";
    const { solved } = progressIn(ending);
    const [level, of] = [exercise?.level ?? 0, exercise?.of ?? 0];
    byId("dots").textContent = "●".repeat(level) + "○".repeat(of - level);
    const parts = [...(exercise ? [`level ${level} of ${of}`] : []), ending, ...(solved ? [`${solved} solved`] : [])];
    byId("level").textContent = parts.join(" · ");
    const { moves, mistake, slower, hints, looks } = counts;
    const hinted = hints ? [plural(hints, "hint")] : [];
    const looked = looks ? [`values shown ${plural(looks, "time")}`] : [];
    const plain = isPlain ? ["the tables play the longest defence, because it is not known here how hard moves are"] : [];
    const score = [plural(moves, "move"), plural(mistake, "mistake"), plural(slower, "slow move"), ...hinted, ...looked, ...plain];
    byId("score").textContent = score.join(" · ");
    byId("summary").textContent = trouble || (summary ? `${summary.headline}. ${summary.detail}`.trim() : "");
  }

  #reveal() {
    this.#revealed = true;
    this.#run.counts.looks += 1;
    this.page.refresh();
  }

  /** Show which man is to move; asked once more, its move. */
  #hint() {
    const { board, shown } = this.page;
    const [best] = shown.answer.moves;
    this.#run.counts.hints += 1;
    this.#hinted += 1;
    const square = best.uci.slice(0, 2);
    if (this.#hinted > 1) drawHint(board.hint, best, board.flipped);
    else drawRing(board.hint, square, board.flipped);
    const man = rules.names[shown.position.men[square][1]];
    byId("said").textContent = this.#hinted > 1 ? `Hint: ${best.san}` : `Hint: the ${man} on ${square}`;
    this.page.remember();
    this.showButtons();
  }

  /** Return the node before the person's last move, null if there is none. */
  #again() {
    const { nodes, at } = this.page.game;
    let before = nodes[at]?.parent ?? null;
    while (before !== null && readFen(nodes[before].fen)?.turn !== this.#run.side) before = nodes[before].parent;
    return before;
  }
}
