// The switches for light and dark, for the colours of the board, and for letters as pieces.

import { pictureOf } from "./board.js";
import { byId, preference, setPreference } from "./page.js";

const BOARDS = ["brown", "green", "blue"];
const chosen = document.documentElement.dataset; // what looks.js sets early, if it was in time

function choose(name, value) {
  chosen[name] = value;
  setPreference(name, value);
  show();
}

function isDark() {
  return chosen.theme ? chosen.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

const isLettered = () => chosen.pieces === "letters";

function redraw(rules) {
  for (const image of document.querySelectorAll("img[data-drawn]")) image.src = pictureOf(image.dataset.drawn, rules);
}

function show() {
  byId("piece-set").setAttribute("aria-pressed", String(isLettered()));
  byId("theme").setAttribute("aria-pressed", String(isDark()));
  byId("board-theme").setAttribute("aria-label", `Colours of the board: ${chosen.board ?? BOARDS[0]}`);
}

/** Let the looks of a page be chosen, which shows men of a game. */
export function listenToThemes(rules) {
  for (const name of ["theme", "board", "pieces"]) {
    const kept = preference(name, null);
    if (kept) chosen[name] = kept;
  }
  if (isLettered()) redraw(rules);
  byId("theme").addEventListener("click", () => choose("theme", isDark() ? "light" : "dark"));
  byId("board-theme").addEventListener("click", () => {
    const next = (BOARDS.indexOf(chosen.board ?? BOARDS[0]) + 1) % BOARDS.length;
    choose("board", BOARDS[next]);
  });
  byId("piece-set").addEventListener("click", () => {
    choose("pieces", isLettered() ? "figures" : "letters");
    redraw(rules);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
}
