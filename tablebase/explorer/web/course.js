// The course: endings in the order in which one learns them, with what is done.

import { OF_GAME, RULES, ROOT } from "./addresses.js";
import { LESSONS, lessonOf, rulesOf } from "./lessons.js";
import { METHODS } from "./methods.js";
import { miniBoard } from "./miniboard.js";
import { byId, copy, make, makeButton } from "./page.js";
import { MINE, forgetProgress, hasProgress, ownMistakes, progressIn } from "./progress.js";
import * as source from "./source.js";
import { plural, titleOf } from "./words.js";

function doneIn(material) {
  const { level, of, solved, played } = progressIn(material);
  return played ? `level ${level}${of ? ` of ${of}` : ""} · ${played} played, ${solved} solved` : "new";
}

/** Return the card of a lesson with its board, a link if it can be practised. */
function cardOf(name, title, fen, rules, { isHere = true, notes, done }) {
  const board = miniBoard(fen, rules);
  const head = make("span", "title", ...title);
  const link = make(isHere ? "a" : "span", "to", board, head);
  if (isHere) link.href = `${ROOT}index.html?${OF_GAME}exercise=${name}`;
  return make("li", isHere ? "lesson" : "lesson missing", link, done, ...notes);
}

/** Return the command that builds a table, with a button to copy it; without a server, what there is to say. */
function wayTo(material, { published, location }) {
  if (published || location === null) return make("span", "done", "There is no table of it here.");
  const command = `tablebase build ${location} ${material}`;
  const button = makeButton("", "Copy", () => copy(button, command, "Copy it from the left"), `Copy: ${command}`);
  return make("span", "done", "No table yet: ", make("code", "", command), " ", button);
}

/** Return a lesson of the course, with what its table tells, and how to build it if there is none here. */
function lesson(material, rules, figures, about) {
  const { fen, win, hold } = lessonOf(material, rules) ?? {};
  const method = rules.chess && METHODS[material];
  const notes = [win, hold && `To hold: ${hold}`].filter(Boolean).map((text) => make("p", "note", text));
  if (method) notes.push(make("div", "note", ...rulesOf(method)));
  const done = figures ? make("span", "done", doneIn(material)) : wayTo(material, about);
  const title = [make("b", "", material), ` ${titleOf(material, rules)}`];
  return cardOf(material, title, fen ?? source.longestWin(figures).fen, rules, { isHere: Boolean(figures), notes, done });
}

/** Return the lesson of the mistakes of own games. */
function mistakes(fens, rules) {
  const { seen } = progressIn(MINE);
  const solved = Object.values(seen).filter(Boolean).length;
  const notes = [make("p", "note", "The positions before the mistakes of the games that you loaded: do better.")];
  const done = make("span", "done", `${plural(fens.length, "position")}, ${solved} solved`);
  return cardOf(MINE, [make("b", "", "My mistakes")], fens[0], rules, { notes, done });
}

function show(about) {
  const { tables, rules } = about;
  const playable = new Map(tables.filter(source.takesMoves).map((figures) => [figures.material, figures]));
  const listed = (title, items) => make("section", "card", make("h2", "", title), make("ol", "lessons", ...items));
  const group = (title, materials) =>
    listed(title, materials.map((material) => lesson(material, rules, playable.get(material), about)));
  const groups = Object.entries(rules.chess ? LESSONS : {}).map(([title, lessons]) => group(title, Object.keys(lessons)));
  const own = rules.chess ? ownMistakes() : [];
  if (own.length) groups.unshift(listed("Your games", [mistakes(own, rules)]));
  const others = [...playable.keys()].filter((material) => !lessonOf(material, rules));
  // The easiest first: of few men, and won soon.
  const menIn = (material) => playable.get(material).men;
  const farIn = (material) => source.longestWin(playable.get(material)).plies;
  others.sort((one, two) => menIn(one) - menIn(two) || farIn(one) - farIn(two) || one.localeCompare(two));
  for (const men of new Set(others.map(menIn))) {
    const title = `${rules.chess ? "More endings" : "Endings"} of ${men} pieces`;
    groups.push(group(title, others.filter((material) => menIn(material) === men)));
  }
  byId("content").replaceChildren(...groups);
  const sum = (count) => [...playable.keys(), MINE].reduce((all, material) => all + progressIn(material)[count], 0);
  byId("done").textContent = `${plural(sum("played"), "exercise")} played, ${sum("solved")} solved`;
  byId("wipe").hidden = !hasProgress();
}

async function begin() {
  document.querySelector("[data-explorer]").search = OF_GAME.slice(0, -1);
  try {
    const about = await source.about();
    const { games, has_chess: hasChess } = about;
    if (!hasChess && RULES === null && games.length) location.search = `rules=${encodeURIComponent(games[0].name)}`;
    show(about);
    byId("wipe").addEventListener("click", () => {
      if (!confirm("Forget your progress in all endings, and your mistakes?")) return;
      forgetProgress();
      show(about);
    });
    window.addEventListener("pageshow", ({ persisted }) => persisted && show(about));
  } catch (error) {
    if (!(error instanceof source.Refused)) throw error;
    byId("error").textContent = error.message;
  }
}

begin();
