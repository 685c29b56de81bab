// Practising: a person plays one side, the tables the other. Values are hidden until asked for.

import { drawHint, drawRing } from "./arrows.js";
import { RESULTS, faultOf } from "./judgement.js";
import { byId, preference, setPreference } from "./page.js";
import { SIDES, materialName, readFen, rules, writeFen } from "./position.js";
import { HARDEST, keepProgress, progressIn } from "./progress.js";
import * as source from "./source.js";
import { isByRule, outcome, plural } from "./words.js";

const PACE = 500; // milliseconds until the tables answer
const SOLVED = 6; // moves without a mistake, or the end of the game before

function remarkOn(move, best) {
  const fault = faultOf(move, best);
  if (fault === "mistake") {
    const [was, is] = [best, move].map((one) => RESULTS[outcome(one).group]);
    return { fault, headline: `${move.san} is a mistake`, text: `It was ${was}, now it is ${is}` };
  }
  return { fault, text: fault ? `${move.san} is right, but slower than necessary` : `${move.san} is best` };
}

/** Return what there is to do in a position with its answer: `goal`, and how far it is. */
function taskOf({ category, dtm }, turn) {
  const side = SIDES[turn];
  if (category.endsWith("loss") && category !== "blessed-loss") {
    return { goal: `Hold out with ${side}`, far: "The position is lost: make it last." };
  }
  if (!category.endsWith("win") || category === "cursed-win") {
    return { goal: `Hold the draw with ${side}`, far: "Do not let it slip." };
  }
  const known = dtm !== null && !isByRule({ category });
  const verb = rules.end === "checkmate" ? "Mate" : "Win";
  const far = known ? `${verb} in ${Math.ceil(Math.abs(dtm) / 2)} with best play. ` : "";
  return { goal: `Win this for ${side}`, far: `${far}You may take longer; do not let it slip.` };
}

const NONE = { moves: 0, mistake: 0, slower: 0, hints: 0, looks: 0 };

export class Practice {
  on = false;
  #game = ""; // its id
  #fen = ""; // where it begins
  #side = "w"; // of the person
  #ending = ""; // the material that is practised
  #task = null; // what there is to do, once the answer for the first position is here
  #level = null; // of the exercise; null in other positions
  #summary = ""; // how the exercise ended
  #revealed = false; // the values of the position shown
  #hinted = 0; // how much was shown of the right move
  #trouble = ""; // why there is no exercise
  #plain = false; // whether the tables could not look for the hardest move
  #remarks = new Map(); // on the person's moves, by the node that they lead to
  #counts = { ...NONE };

  /**
   * `page`: {board, shown, game, play(move), jump(at), start(fen, options), inCheck(), remember(), refresh(),
   * changed()}; remember keeps the address, refresh shows the same position again, changed follows a switch.
   */
  constructor(page) {
    this.page = page;
    const on = (id, act) => byId(id).addEventListener("click", act);
    on("practise", () => this.switch(!this.on));
    on("reveal", () => this.#reveal());
    on("hint", () => this.#hint());
    on("again", () => page.jump(this.#again()));
    on("play-on", () => this.#reply(page.shown.answer));
    on("exercise", () => this.next());
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

  /** Show another exercise: of the ending that is practised, or of one that is named; or the one `given`. */
  async next(material = this.on ? this.#ending : materialName(this.page.shown.position), wanted = null, given = null) {
    const level = wanted ?? progressIn(material).level;
    try {
      const fen = given ?? (await source.exercise(material, level)).fen;
      this.on = true;
      this.#trouble = "";
      this.page.changed();
      const started = this.page.start(fen, { push: !given });
      [this.#ending, this.#level] = [material, level];
      this.page.remember();
      this.showButtons();
      await started;
    } catch (error) {
      if (!(error instanceof source.Refused)) throw error;
      this.#trouble = error.message;
      if (this.on) this.showButtons();
      else this.switch(true);
    }
  }

  /** End an exercise once, with a summary; the next one of its ending is harder or easier. */
  #finish(isMistake, isOver) {
    const { moves, hints, looks } = this.#counts;
    if (this.#summary || !(isMistake || isOver || moves >= SOLVED)) return;
    const isHelped = hints + looks > 0;
    this.#summary = isMistake ? "Not solved." : isHelped ? "Solved with help." : "Solved.";
    if (this.#level === null) return;
    const next = isMistake || !isHelped ? keepProgress(this.#ending, this.#level, !isMistake) : this.#level;
    this.#summary += next === this.#level ? ` The level stays ${next}.` : ` Level ${this.#level} → ${next}.`;
  }

  /** Begin again from the position shown, for its side to move. */
  #begin() {
    const { position } = this.page.shown;
    this.#game = this.page.game.id;
    this.#fen = this.page.game.step?.fen;
    this.#side = position.turn;
    this.#ending = materialName(position);
    this.#task = null;
    this.#level = null;
    this.#summary = "";
    this.#revealed = false;
    this.#plain = false;
    this.#hinted = 0;
    this.#remarks.clear();
    this.#counts = { ...NONE };
  }

  /** Follow the page to another position; another game is another exercise. */
  arrive() {
    this.#revealed = false;
    this.#hinted = 0;
    if (this.page.game.id !== this.#game) this.#begin();
  }

  /** What the address names while it is on: the exercise with its level, and the position. */
  get place() {
    return [this.#level === null ? "exercise=" : `exercise=${this.#ending}:${this.#level}&fen=`, this.#fen];
  }

  /** Whether there is something to play for in the position shown. */
  get possible() {
    const { answer } = this.page.shown;
    if (answer?.solution) return false; // what comes after its moves is not known
    return Boolean(answer?.moves.length) && answer.moves[0].category !== "unknown" && !answer.insufficient_material;
  }

  /** Whether the values of the position shown are hidden. */
  get hides() {
    return this.on && !this.#revealed && this.possible;
  }

  /** Whether it is for the tables to move. */
  get waits() {
    return this.on && this.page.shown.position.turn !== this.#side;
  }

  /** Judge a move of the person before it is made; return the remark for `keep`, null if none. */
  judge(move) {
    if (!this.on || this.waits) return null;
    const remark = remarkOn(move, this.page.shown.answer.moves[0]);
    this.#counts.moves += 1;
    if (remark.fault) this.#counts[remark.fault] += 1;
    this.#finish(remark.fault === "mistake", move.checkmate || move.stalemate || move.variant_loss || move.insufficient_material);
    return remark;
  }

  /** Remember the remark on the move that led here; the tables answer unless it was a mistake. */
  keep(remark) {
    if (remark) this.#remarks.set(this.page.game.at, { ...remark, due: remark.fault !== "mistake" });
  }

  /** Take the answer for the position shown: the task follows from the first, and the tables move if that is due. */
  answer() {
    const { shown, game } = this.page;
    if (!this.on) return;
    if (!this.#task && this.possible) this.#task = taskOf(shown.answer, this.#side);
    const remark = this.#remarks.get(game.at);
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
    this.#plain = chosen === null;
    return chosen;
  }

  /** Return what to say instead of the result, null if that is not hidden. */
  verdict() {
    if (!this.on || this.#revealed) return null;
    const { game } = this.page;
    const remark = this.#remarks.get(this.waits ? game.at : game.back);
    if (this.waits && remark?.fault === "mistake") {
      return { headline: remark.headline, detail: remark.text, kind: "error" };
    }
    if (!this.hides) return null;
    const check = this.page.inCheck() ? ["in check"] : [];
    const detail = [`You play ${SIDES[this.#side]}`, ...check, ...(remark ? [remark.text] : [])].join(" · ");
    return { headline: this.waits ? "The tables' move" : "Your move", detail, kind: "draw" };
  }

  /** Show the task, the score, and what can be done. */
  showButtons() {
    byId("reveal").disabled = !this.hides;
    byId("hint").disabled = !this.hides || this.waits;
    byId("again").disabled = this.#again() === null;
    byId("play-on").disabled = !(this.waits && this.possible);
    const { goal, far } = this.#task ?? { goal: `Practise ${this.#ending}`, far: "" };
    byId("goal").textContent = goal;
    byId("task").textContent = far;
    const { level, solved } = progressIn(this.#ending);
    const shown = this.#level ?? level;
    byId("dots").textContent = "●".repeat(shown) + "○".repeat(HARDEST - shown);
    byId("level").textContent = `level ${shown} of ${HARDEST} · ${this.#ending}${solved ? ` · ${solved} solved` : ""}`;
    const { moves, mistake, slower, hints, looks } = this.#counts;
    const hinted = hints ? [plural(hints, "hint")] : [];
    const looked = looks ? [`values shown ${plural(looks, "time")}`] : [];
    const plain = this.#plain ? ["the tables play the longest defence, because it is not known here how hard moves are"] : [];
    const parts = [plural(moves, "move"), plural(mistake, "mistake"), plural(slower, "slow move"), ...hinted, ...looked, ...plain];
    if (this.#trouble) parts.push(this.#trouble);
    byId("score").textContent = parts.join(" · ");
    byId("summary").textContent = this.#summary;
  }

  #reveal() {
    this.#revealed = true;
    this.#counts.looks += 1;
    this.page.refresh();
  }

  /** Show which man is to move; asked once more, its move. */
  #hint() {
    const { board, shown } = this.page;
    const [best] = shown.answer.moves;
    this.#counts.hints += 1;
    this.#hinted += 1;
    const square = best.uci.slice(0, 2);
    if (this.#hinted > 1) drawHint(board.hint, best, board.flipped);
    else drawRing(board.hint, square, board.flipped);
    const man = rules.names[shown.position.men[square][1]];
    byId("said").textContent = this.#hinted > 1 ? `Hint: ${best.san}` : `Hint: the ${man} on ${square}`;
    this.showButtons();
  }

  /** Return the node before the person's last move, null if there is none. */
  #again() {
    const { nodes, at } = this.page.game;
    let before = nodes[at]?.parent ?? null;
    while (before !== null && readFen(nodes[before].fen)?.turn !== this.#side) before = nodes[before].parent;
    return before;
  }
}
