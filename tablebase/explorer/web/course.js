// The course: endings in the order in which one learns them, with what is done.

import { OF_GAME, RULES, ROOT } from "./addresses.js";
import { LESSONS, lessonOf } from "./lessons.js";
import { miniBoard } from "./miniboard.js";
import { byId, make } from "./page.js";
import { forgetProgress, hasProgress, progressIn } from "./progress.js";
import * as source from "./source.js";
import { plural, titleOf } from "./words.js";

function doneIn(material) {
  const { level, of, solved, played } = progressIn(material);
  return played ? `level ${level}${of ? ` of ${of}` : ""} · ${played} played, ${solved} solved` : "new";
}

/** Return a lesson of the course, with what its table tells, null if there is none here. */
function lesson(material, rules, figures) {
  const title = make("span", "title", make("b", "", material), ` ${titleOf(material, rules)}`);
  const done = make("span", "done", figures ? doneIn(material) : "There is no table of it here.");
  const { win, hold } = lessonOf(material, rules) ?? {};
  const methods = [...(win ? [win] : []), ...(hold ? [`To hold: ${hold}`] : [])];
  const notes = methods.map((method) => make("span", "note", method));
  const card = make(figures ? "a" : "span", "lesson", title, ...notes, done);
  if (figures) {
    card.href = `${ROOT}index.html?${OF_GAME}exercise=${material}`;
    card.prepend(miniBoard(source.longestWin(figures).fen, rules));
  }
  return make("li", figures ? "" : "missing", card);
}

function show(tables, rules) {
  const playable = new Map(tables.filter(source.takesMoves).map((figures) => [figures.material, figures]));
  const group = (title, materials) => {
    const lessons = materials.map((material) => lesson(material, rules, playable.get(material)));
    return make("section", "card", make("h2", "", title), make("ol", "lessons", ...lessons));
  };
  const groups = Object.entries(rules.chess ? LESSONS : {}).map(([title, lessons]) => group(title, Object.keys(lessons)));
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
  const sum = (count) => [...playable.keys()].reduce((all, material) => all + progressIn(material)[count], 0);
  byId("done").textContent = `${plural(sum("played"), "exercise")} played, ${sum("solved")} solved`;
  byId("wipe").hidden = !hasProgress();
}

async function begin() {
  document.querySelector("[data-explorer]").search = OF_GAME.slice(0, -1);
  try {
    const { tables, rules, games, has_chess: hasChess } = await source.about();
    if (!hasChess && RULES === null && games.length) location.search = `rules=${encodeURIComponent(games[0].name)}`;
    show(tables, rules);
    byId("wipe").addEventListener("click", () => {
      if (!confirm("Forget your progress in all endings?")) return;
      forgetProgress();
      show(tables, rules);
    });
    window.addEventListener("pageshow", ({ persisted }) => persisted && show(tables, rules));
  } catch (error) {
    if (!(error instanceof source.Refused)) throw error;
    byId("error").textContent = error.message;
  }
}

begin();
