// The course: endings in the order in which one learns them, with what is done.

import { placeOf } from "../reader/position.js";
import { OF_GAME, RULES, ROOT } from "./addresses.js";
import { LESSONS, lessonOf, proofOf } from "./lessons.js";
import { METHODS } from "./methods.js";
import { miniBoard } from "./miniboard.js";
import { byId, copy, make, makeButton, withTooltips } from "./page.js";
import {
  MINE, allMistakes, chosenPlayer, choosePlayer, forgetProgress, hasProgress, lastPlayed, ownMistakes,
  playersOf, progressIn,
} from "./progress.js";
import * as source from "./source.js";
import { listenToTips } from "./tips.js";
import { plural, titleOf } from "./words.js";

function doneIn(material) {
  const { level, of = 0, solved, played, seen } = progressIn(material);
  if (!played) return "new";
  const dots = of ? `${"●".repeat(level)}${"○".repeat(of - level)} ` : "";
  const failed = Object.values(seen).filter((isSolved) => !isSolved).length;
  const due = failed ? ` · ${failed} to repeat` : "";
  return `${dots}level ${level}${of ? ` of ${of}` : ""} · ${played} played, ${solved} solved${due}`;
}

const exerciseAddress = (name) => `${ROOT}index.html?${OF_GAME}exercise=${name}`;

/** Return a link to where one left the course. */
function onward(name) {
  const link = make("a", "start", `Continue with ${name === MINE ? "my mistakes" : `${name}, level ${progressIn(name).level}`}`);
  link.href = exerciseAddress(name);
  return make("p", "", link);
}

/** Return the card of a lesson with its board; a link to `begin` with if it can be practised. */
function cardOf(name, title, fen, rules, { begin = null, notes }) {
  const head = make("span", "title", ...title);
  const link = make(begin ? "a" : "span", "to", miniBoard(fen, rules), head);
  if (begin) {
    link.href = exerciseAddress(name);
    link.append(make("span", "start", begin));
  }
  return make("li", begin ? "lesson" : "lesson missing", link, ...notes);
}

/** Return how the tables of some lessons are built, with a button to copy it: those of more men take far longer. */
function waysTo(materials, { published, location }) {
  if (published || location === null) return [make("p", "note", "There are no tables of them here.")];
  return [...new Set(materials.map(({ length }) => length))].map((men) => {
    const names = materials.filter(({ length }) => length === men);
    const command = `tablebase build ${location} ${names.join(" ")}`;
    const button = makeButton("", "Copy", () => copy(button, command, "Copy it from the left"), `Copy: ${command}`);
    return make("p", "note", `To build those of ${men} pieces: `, make("code", "", command), " ", button);
  });
}

/** Return a lesson of the course, with what its table tells if there is one here. */
function lesson(material, rules, figures) {
  const { fen, win, hold } = lessonOf(material, rules) ?? {};
  const method = rules.chess && METHODS[material];
  const notes = [win, hold && `To hold: ${hold}`].filter(Boolean).map((text) => make("p", "note", ...withTooltips(text)));
  if (method) notes.push(make("p", "note", `A method of ${plural(method.rules.length, "rule")}. ${proofOf(method)}`));
  if (figures) notes.unshift(make("span", "done", doneIn(material)));
  const title = [make("b", "", material), ` ${titleOf(material, rules)}`];
  const begin = figures && (progressIn(material).played ? "Continue" : "Start");
  return cardOf(material, title, fen ?? source.longestWin(figures).fen, rules, { begin, notes });
}

/** Return the card of the mistakes in one's own games. It lets one choose a player, and then calls `again`. */
function mistakes(rules, again) {
  const [all, own] = [allMistakes(), ownMistakes()];
  const { seen } = progressIn(MINE);
  const solved = own.filter(({ fen }) => seen[placeOf(fen)]).length;
  const select = make("select");
  select.append(new Option("all players", ""), ...playersOf(all).map(([name, count]) => new Option(`${name} (${count})`, name)));
  select.value = own.length < all.length ? chosenPlayer() : "";
  select.addEventListener("change", () => {
    choosePlayer(select.value);
    again();
  });
  const notes = [
    make("span", "done", `${plural(own.length, "position")}, ${solved} solved`),
    make("p", "note", "The positions before the mistakes of the games that you loaded: do better."),
    make("label", "note", "Mistakes of ", select),
  ];
  return cardOf(MINE, [make("b", "", "My mistakes")], own[0].fen, rules, { begin: progressIn(MINE).played ? "Continue" : "Start", notes });
}

function show(about) {
  const { tables, rules } = about;
  const playable = new Map(tables.filter(source.takesMoves).map((figures) => [figures.material, figures]));
  const listed = (title, items, ways = []) => make("section", "card", make("h2", "", title), ...ways, make("ol", "lessons", ...items));
  const group = (title, materials, ways) => (materials.length
    ? [listed(title, materials.map((material) => lesson(material, rules, playable.get(material))), ways)] : []);
  const lessons = Object.entries(rules.chess ? LESSONS : {}).map(([title, some]) => [title, Object.keys(some)]);
  const isHere = (material) => playable.has(material);
  const groups = lessons.flatMap(([title, materials]) => group(title, materials.filter(isHere)));
  if (rules.chess && allMistakes().length) groups.unshift(listed("Your games", [mistakes(rules, () => show(about))]));
  const others = [...playable.keys()].filter((material) => !lessonOf(material, rules));
  // The easiest first: of few men, and won soon.
  const menIn = (material) => playable.get(material).men;
  const farIn = (material) => source.longestWin(playable.get(material)).plies;
  others.sort((one, two) => menIn(one) - menIn(two) || farIn(one) - farIn(two) || one.localeCompare(two));
  for (const men of new Set(others.map(menIn))) {
    const title = `${rules.chess ? "More endings" : "Endings"} of ${men} pieces`;
    groups.push(...group(title, others.filter((material) => menIn(material) === men)));
  }
  const missing = lessons.flatMap(([, materials]) => materials.filter((material) => !isHere(material)));
  groups.push(...group("Lessons without a table", missing, waysTo(missing, about)));
  const last = lastPlayed();
  if (isHere(last) || (last === MINE && allMistakes().length)) groups.unshift(onward(last));
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
    listenToTips();
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
