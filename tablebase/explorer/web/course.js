// The course: endings in the order in which one learns them, with what is done.

import { OF_GAME, RULES, ROOT } from "./addresses.js";
import { byId, make } from "./page.js";
import { forgetProgress, hasProgress, progressIn } from "./progress.js";
import * as source from "./source.js";
import { plural, titleOf } from "./words.js";

// What one learns first, in chess.
const LESSONS = [
  [
    "First mates",
    {
      KQK: "The queen takes squares away, the king comes to help: mate without stalemate.",
      KRK: "The rook cuts the king off, and a waiting move drives it back.",
      KBBK: "Two bishops side by side push the king into a corner.",
      KBNK: "Only the corner of the bishop's colour will do, and fifty moves are not many.",
    },
  ],
  [
    "Pawn endings",
    {
      KPK: "The opposition, and the squares that win: whether one pawn is enough.",
      KPKP: "Who is faster, and when a king does two things at once.",
      KBPK: "The extra bishop wins, unless the pawn needs a corner that the bishop does not control.",
    },
  ],
  [
    "Queen or rook against less",
    {
      KQKP: "Checks win time for the king, but a pawn on the a-, c-, f- or h-file may hold on its last step.",
      KRKP: "King and rook against a fast pawn: cut the king off before you bring your own.",
      KRKN: "Keep king and knight together with Black, drive them apart with White.",
      KRKB: "The defender is safe in a corner that is not of the colour of his bishop.",
      KQKR: "The queen wins the rook by checks and by zugzwang: patience.",
    },
  ],
  [
    "Rook endings",
    {
      KRPKR: "Lucena's bridge wins, Philidor's sixth rank holds: the ending that games reach most often.",
    },
  ],
];

const explorer = `${ROOT}index.html`;

function doneIn(material) {
  const { level, of, solved } = progressIn(material);
  return solved || level > 1 ? `level ${level}${of ? ` of ${of}` : ""} · ${solved} solved` : "new";
}

/** Return a line of the course; `isThere`: there is a table of the ending. */
function lesson(material, text, rules, isThere) {
  const title = titleOf(material, rules);
  if (!isThere) {
    return make("li", "missing", make("b", "", material), ` ${title}`, make("p", "note", `${text} There is no table of it here.`));
  }
  const link = make("a", "", make("b", "", material), ` ${title}`);
  link.href = `${explorer}?${OF_GAME}exercise=${material}`;
  const lines = text ? [make("p", "note", text)] : [];
  return make("li", "", link, make("span", "done", doneIn(material)), ...lines);
}

/** Return a group of lessons under its heading. */
function group(title, lessons) {
  return make("section", "card", make("h2", "", title), make("ol", "lessons", ...lessons));
}

function show(tables, rules) {
  // There is nothing to practise where no win takes more than a move.
  const playable = tables.filter((figures) => source.longestWin(figures)?.plies > 1).map(({ material }) => material);
  const named = rules.chess ? LESSONS : [];
  const groups = named.map(([title, lessons]) =>
    group(title, Object.entries(lessons).map(([material, text]) => lesson(material, text, rules, playable.includes(material)))),
  );
  const known = new Set(named.flatMap(([, lessons]) => Object.keys(lessons)));
  const others = playable.filter((material) => !known.has(material));
  others.sort((one, two) => one.length - two.length || one.localeCompare(two));
  for (const men of new Set(others.map((material) => material.length))) {
    const some = others.filter((material) => material.length === men);
    groups.push(group(`${named.length ? "More endings" : "Endings"} of ${men} pieces`, some.map((material) => lesson(material, "", rules, true))));
  }
  byId("content").replaceChildren(...groups);
  const solved = playable.reduce((sum, material) => sum + progressIn(material).solved, 0);
  byId("done").textContent = `${plural(solved, "exercise")} solved`;
  byId("wiping").hidden = !hasProgress();
}

function ask(isAsked) {
  byId("wipe").hidden = isAsked;
  byId("sure").hidden = !isAsked;
  byId(isAsked ? "wipe-not" : "wipe").focus();
}

async function begin() {
  document.querySelector("[data-explorer]").search = OF_GAME.slice(0, -1);
  try {
    const { tables, rules, games, has_chess: hasChess } = await source.about();
    if (!hasChess && RULES === null && games.length) location.search = `rules=${encodeURIComponent(games[0].name)}`;
    show(tables, rules);
    byId("wipe").addEventListener("click", () => ask(true));
    byId("wipe-not").addEventListener("click", () => ask(false));
    byId("wipe-now").addEventListener("click", () => {
      forgetProgress();
      ask(false);
      show(tables, rules);
    });
    window.addEventListener("pageshow", ({ persisted }) => persisted && show(tables, rules));
  } catch (error) {
    if (!(error instanceof source.Refused)) throw error;
    byId("error").textContent = error.message;
  }
}

begin();
