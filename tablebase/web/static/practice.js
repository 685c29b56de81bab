// Practising: a person plays one side, the tables the other. Values are hidden until asked for.

import { byId, preference, setPreference } from "./page.js";
import { RESULTS, faultOf } from "./judgement.js";
import { hardest } from "./partner.js";
import { SIDES, materialName, readFen, writeFen } from "./position.js";
import { Refused } from "./refusals.js";
import * as source from "./source.js";
import { outcome, plural } from "./words.js";

const PACE = 500; // milliseconds until the tables answer
const SOLVED = 6; // moves without a mistake, or the end of the game before
const HARDEST = 9; // tenths of difficulty

function remarkOn(move, best) {
  const fault = faultOf(move, best);
  if (fault === "mistake") {
    const [was, is] = [best, move].map((one) => RESULTS[outcome(one).group]);
    return { fault, headline: `${move.san} is a mistake`, text: `It was ${was}, now it is ${is}` };
  }
  return { fault, text: fault ? `${move.san} is right, but slower than necessary` : `${move.san} is best` };
}

export class Practice {
  on = false;
  #game = ""; // its id
  #side = "w"; // of the person
  #revealed = false; // the values of the position shown
  #exercise = ""; // under which name this browser keeps the level of its ending
  #judged = true; // whether the level of exercises has changed by this one already
  #trouble = ""; // why there is no exercise
  #plain = false; // whether the tables could not look for the hardest move
  #remarks = new Map(); // on the person's moves, by the node that they lead to
  #counts = { moves: 0, mistake: 0, slower: 0, looks: 0 };

  /**
   * `page`: {shown, game, play(move), jump(at), start(fen), inCheck(), refresh()}; refresh shows the
   * same position again. Without `start` there are no exercises, and the tables play the best move.
   */
  constructor(page) {
    this.page = page;
    const on = (id, act) => byId(id).addEventListener("click", act);
    on("practise", () => this.switch(!this.on));
    on("reveal", () => this.#reveal());
    on("again", () => page.jump(this.#again()));
    on("play-on", () => this.#reply(page.shown.answer));
    if (!page.start) return;
    on("exercise", () => this.#next());
    byId("resistance").value = preference("resistance", "practical");
    byId("resistance").addEventListener("change", ({ target }) => setPreference("resistance", target.value));
  }

  switch(on) {
    this.on = on;
    byId("practise").setAttribute("aria-pressed", String(on));
    byId("practising").hidden = !on;
    this.#begin();
    this.page.refresh();
  }

  /** Show another exercise of the ending on the board. */
  async #next() {
    const { shown, start } = this.page;
    try {
      const material = materialName(shown.position);
      const key = `level:${material}`;
      const { fen } = await source.exercise(material, preference(key, 1));
      this.#trouble = "";
      await start(fen);
      [this.#exercise, this.#judged] = [key, false];
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#trouble = error.message;
    }
    this.showButtons();
  }

  /** Make exercises harder after a success, easier after a mistake; once for each. */
  #grow(isMistake, isOver) {
    const { moves, looks } = this.#counts;
    const isSolved = !isMistake && !looks && (isOver || moves >= SOLVED);
    if (this.#judged || !(isMistake || isSolved)) return;
    this.#judged = true;
    const level = preference(this.#exercise, 1) + (isMistake ? -1 : 1);
    setPreference(this.#exercise, Math.min(HARDEST, Math.max(0, level)));
  }

  /** Begin again from the position shown, for its side to move. */
  #begin() {
    this.#game = this.page.game.id;
    this.#side = this.page.shown.position.turn;
    this.#revealed = false;
    this.#plain = false;
    this.#judged = true;
    this.#remarks.clear();
    this.#counts = { moves: 0, mistake: 0, slower: 0, looks: 0 };
  }

  /** Follow the page to another position; another game is another exercise. */
  arrive() {
    this.#revealed = false;
    if (this.page.game.id !== this.#game) this.#begin();
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
    this.#grow(remark.fault === "mistake", move.checkmate || move.stalemate || move.insufficient_material);
    return remark;
  }

  /** Remember the remark on the move that led here; the tables answer unless it was a mistake. */
  keep(remark) {
    if (remark) this.#remarks.set(this.page.game.at, { ...remark, due: remark.fault !== "mistake" });
  }

  /** Let the tables answer, if that is due. */
  answer() {
    const { shown, game } = this.page;
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
    const fights = this.page.start && byId("resistance").value === "practical";
    const chosen = fights ? await this.#hardest() : null;
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
    return { headline: this.waits ? "The tables to move" : "Your move", detail, kind: "draw" };
  }

  /** Show the score, and what can be done. */
  showButtons() {
    byId("reveal").disabled = !this.hides;
    byId("again").disabled = this.#again() === null;
    byId("play-on").disabled = !(this.waits && this.possible);
    const { moves, mistake, slower, looks } = this.#counts;
    const looked = looks ? [`values shown ${plural(looks, "time")}`] : [];
    const plain = this.#plain ? ["the tables play the longest defence: how hard moves are is not known here"] : [];
    const parts = [plural(moves, "move"), plural(mistake, "mistake"), `${slower} slower`, ...looked, ...plain];
    if (this.#exercise) parts.push(`exercises: level ${preference(this.#exercise, 1)} of ${HARDEST}`);
    if (this.#trouble) parts.push(this.#trouble);
    byId("score").textContent = parts.join(" · ");
  }

  #reveal() {
    this.#revealed = true;
    this.#counts.looks += 1;
    this.page.refresh();
  }

  /** Return the node before the person's last move, null if there is none. */
  #again() {
    const { nodes, at } = this.page.game;
    let before = nodes[at]?.parent ?? null;
    while (before !== null && readFen(nodes[before].fen)?.turn !== this.#side) before = nodes[before].parent;
    return before;
  }
}
