// What a game's endings are worth: a balance of its pieces, and the results of each ending, beside those of chess.

import { drawMan } from "../web/board.js";
import { percent } from "../web/figures.js";
import { byId, make } from "../web/page.js";
import { shares } from "../web/tables.js";
import { plural } from "../web/words.js";
import { OWN } from "./game.js";

const OF_CHESS = "QRBNP";

const total = ({ win, draw, loss }) => win + draw + loss;
const scoreOf = ({ win, draw, loss }) => (win + draw / 2) / (win + draw + loss);
const inPercent = (share) => `${Math.round(100 * share)} %`;

/** Figures of a game, by material. */
export class Report {
  #rules;
  #addressOf;
  #letters;

  /** `addressOf(fen)` is where a position is played. */
  constructor(rules, addressOf) {
    [this.#rules, this.#addressOf] = [rules, addressOf];
    this.#letters = [...rules.letters.slice(1)];
  }

  /** Return the score of a piece against another, null if it is not known yet. */
  #score(figures, one, other) {
    if (!figures) return null;
    const isFirst = this.#letters.indexOf(one) <= this.#letters.indexOf(other);
    const found = figures.get(isFirst ? `K${one}K${other}` : `K${other}K${one}`);
    if (!found) return null;
    const score = (scoreOf(found.white) + 1 - scoreOf(found.black)) / 2;
    return isFirst ? score : 1 - score;
  }

  /** Return the mean score of a piece against the others of chess. */
  #worth(figures, letter) {
    const scores = [...OF_CHESS].filter((other) => other !== letter).map((other) => this.#score(figures, letter, other));
    return scores.includes(null) ? null : scores.reduce((sum, one) => sum + one, 0) / scores.length;
  }

  /** Show what is known of a game and of chess, which is null before. */
  show(tables, figures, chess) {
    byId("worths").hidden = false;
    const worth = new Map(this.#letters.map((letter) => [letter, this.#worth(figures, letter)]));
    const sorted = this.#letters.filter((letter) => worth.get(letter) !== null).sort((one, two) => worth.get(two) - worth.get(one));
    byId("balance").replaceChildren(...sorted.map((letter) => this.#bar(letter, worth.get(letter), figures, chess)));
    const picture = (letter) => make("th", "", drawMan(letter, this.#rules));
    const named = (letter, scope) => Object.assign(picture(letter), { scope, title: this.#rules.names[letter] });
    byId("matrix-head").replaceChildren(make("tr", "", make("td"), ...this.#letters.map((letter) => named(letter, "col"))));
    byId("matrix").replaceChildren(...this.#letters.map((one) => make("tr", "", named(one, "row"), ...this.#letters.map((other) => (
      this.#cell(figures, one, other))))));
    byId("endings").replaceChildren(...tables.map((table) => this.#row(table, figures.get(table.material), chess)));
  }

  #bar(letter, worth, figures, chess) {
    const own = OWN.includes(letter);
    const usual = own ? null : this.#worth(chess, letter);
    const bar = make("span");
    bar.style.width = `${100 * worth}%`;
    const box = make("div", "worth", bar);
    if (usual !== null) {
      const mark = make("i");
      mark.style.left = `calc(${100 * usual}% - 1px)`;
      box.append(mark);
    }
    const figure = make("span", "figure", inPercent(worth), usual === null ? "" : ` (chess ${inPercent(usual)})`);
    const { white } = figures.get(`K${letter}K`) ?? {};
    const pair = `King and ${own ? letter : this.#rules.names[letter]}`;
    const mates = !white ? "" : !white.win ? `${pair} never win against a bare king.`
      : `${pair} win ${percent(white.win, total(white))} against a bare king with the move, in at most ${
        plural((white.longest.plies + 1) / 2, "move")}.`;
    return make("li", own ? "own" : "", drawMan(letter, this.#rules), box, figure, make("span", "mates", mates));
  }

  #cell(figures, one, other) {
    const score = one === other ? null : this.#score(figures, one, other);
    if (score === null) return make("td", "", one === other ? "–" : "…");
    const cell = make("td", "", this.#link(figures, one, other, String(Math.round(100 * score))));
    cell.style.setProperty("--score", score);
    return cell;
  }

  #link(figures, one, other, text) {
    const found = figures.get(`K${one}K${other}`) ?? figures.get(`K${other}K${one}`);
    const longest = this.#longest(found);
    if (!longest) return text;
    const link = make("a", "", text);
    link.href = this.#addressOf(longest.fen);
    link.title = `K${one} against K${other}: play the longest win`;
    return link;
  }

  #longest({ white, black }) {
    return [white.longest, black.longest].filter(Boolean).sort((one, two) => two.plies - one.plies)[0] ?? null;
  }

  #row({ material, longest_win: longest }, { white, black, zugzwangs }, chess) {
    const bar = (side, turn) => shares({
      positions: total(side), white_to_move: turn ? side : { win: 0, draw: 0, loss: 0 },
      black_to_move: turn ? { win: 0, draw: 0, loss: 0 } : side,
    });
    let play = "none";
    if (longest) {
      play = make("a", "", plural(longest.moves, "move"));
      play.href = this.#addressOf(longest.fen);
    }
    const head = make("th", "", material);
    head.scope = "row";
    const usual = chess?.get(material);
    const inChess = usual && ![...material].some((letter) => OWN.includes(letter))
      ? `${percent(usual.white.win, total(usual.white))} won, ${this.#longest(usual) ? plural((this.#longest(usual).plies + 1) >> 1, "move") : "none"}`
      : "";
    return make(
      "tr", "", head, bar(white, true), bar(black, false), make("td", "number", play),
      make("td", "number", zugzwangs.toLocaleString("en")), make("td", "", inChess),
    );
  }
}
