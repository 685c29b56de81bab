// The page of the laboratory: a game, and what its endings are worth.

import { compiled } from "../reader/engine.js";
import { Rules } from "../reader/rules.js";
import { ROOT } from "../web/addresses.js";
import { byId, copy, makeButton } from "../web/page.js";
import { GameError } from "./betza.js";
import { PieceEditor } from "./editor.js";
import { bytesOf, keep, readTemplates } from "./folder.js";
import { CHESS_LINK, Game, OWN, imagesOf } from "./game.js";
import { Report } from "./report.js";

byId("unstarted").remove();

const PAUSE = 500; // milliseconds after a change, before its endings are solved
const PACE = 300; // milliseconds between two reports while they come
const CHOSEN = ["stalemate", "step", "name"];

const said = new URLSearchParams(location.search); // of the game as it is shown, right or wrong
let templates;
let kernels; // promises
const packed = {};
let worker = null;
let chess = null; // its figures by material
let timer;
const fields = {}; // what says how a piece moves, by its key in links

const engine = async () => {
  kernels ??= bytesOf(templates.module).then(compiled);
  return kernels;
};

const contentOf = async (name) => {
  packed[name] ??= bytesOf(name);
  return packed[name];
};

/** Return the endings in the order in which they are solved: those that tell most first. */
function inOrder(keys) {
  const [pawns, against] = [/P/, /^K\wK\w /];
  const rank = (key) => (key.length < "KQKR dtm".length ? 0 : against.test(key) ? 1 : 3) + (pawns.test(key) ? 1 : 0);
  return [...keys].sort((one, two) => rank(one) - rank(two));
}

/** Solve all endings of a game; `tell` takes the figures by material, and what share is done. */
async function solve(game, tell) {
  const template = templates.templates[game.symmetry];
  const [module, bytes] = await Promise.all([engine(), contentOf(template.problems)]);
  const keys = inOrder(template.endings);
  worker?.terminate();
  const own = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker = own;
  const figures = new Map();
  return new Promise((resolve, reject) => {
    own.onerror = (event) => reject(new Error(event.message));
    own.onmessage = ({ data: { name, figures: some, done, error } }) => {
      if (error) reject(new Error(error));
      if (name) {
        figures.set(name, some);
        tell(figures, figures.size / keys.length);
      }
      if (done || error) own.terminate();
      if (done) resolve(figures);
    };
    own.postMessage({ module, bytes, law: game.lawOf(template), record: game.recordOf(template), numbering: template.numbering, keys });
  });
}

function showProgress(share, words) {
  byId("progress").value = share;
  byId("progress").hidden = share >= 1;
  byId("status").textContent = words;
}

/** Solve the game and show its report, then that of chess beside it. */
async function run(game) {
  const template = templates.templates[game.symmetry];
  const link = encodeURIComponent(`laboratory?${game.link}`);
  const report = new Report(new Rules(game.recordOf(template)), (fen) => (
    `${ROOT}index.html?rules=${link}&fen=${fen.replaceAll(" ", "_")}`));
  const began = performance.now();
  let shown = 0;
  showProgress(0, "Solving …");
  const figures = await solve(game, (found, share) => {
    showProgress(share, `Solved ${found.size} of ${template.endings.length} endings`);
    if (performance.now() - shown < PACE) return;
    report.show(keep(game.link, found), found, chess);
    shown = performance.now();
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const tables = keep(game.link, figures);
  report.show(tables, figures, chess);
  showProgress(chess ? 1 : 0, `All ${figures.size} endings solved in ${seconds} s${chess ? "" : "; now chess, to compare"}`);
  if (!chess) {
    chess = await solve(new Game(CHESS_LINK), (_, share) => {
      byId("progress").value = share;
    });
    report.show(tables, figures, chess);
  }
  showProgress(1, `All ${figures.size} endings solved in ${seconds} s`);
}

/** Say what is wrong, below the field where it is. */
function refuse({ message, field = null }) {
  const place = fields[field] ?? byId(field === "goal" ? "goals" : field ?? "")?.parentElement;
  if (place) place.append(byId("error"));
  else byId("doing").before(byId("error"));
  byId("error").textContent = message;
  showProgress(1, "");
}

/** Take what is said of the game: show it, and solve it after a while. */
function change(isSolvedAtOnce = false) {
  clearTimeout(timer);
  byId("error").textContent = "";
  let game;
  try {
    game = new Game(String(said));
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    worker?.terminate();
    refuse(error);
    return;
  }
  history.replaceState(null, "", `?${game.link}`);
  byId("command").textContent = `tablebase build --men 5 --rules ${game.name}.ini --dir games`;
  timer = setTimeout(() => run(game).catch(refuse), isSolvedAtOnce ? 0 : PAUSE);
}

function showGoals() {
  const goals = new Set((said.get("goal") ?? "").split(".").filter(Boolean));
  const names = [..."87654321"].flatMap((rank) => [..."abcdefgh"].map((file) => file + rank));
  const focused = [...byId("goals").children].indexOf(document.activeElement);
  byId("goals").replaceChildren(...names.map((name, i) => {
    const button = makeButton((i + (i >> 3)) % 2 ? "deep" : "pale", "", () => {
      const turn = goals.has(name) ? "delete" : "add";
      for (const one of imagesOf(name)) goals[turn](one);
      said.set("goal", [...goals].sort().join("."));
      showGoals();
      change();
    }, name);
    button.setAttribute("aria-pressed", String(goals.has(name)));
    return button;
  }));
  byId("goals").children[focused]?.focus();
}

function start() {
  const usual = new Game("");
  const rules = new Rules(usual.recordOf(templates.templates[usual.symmetry]));
  for (const letter of OWN) {
    const key = letter.toLowerCase();
    const editor = new PieceEditor(letter, rules, (notation) => {
      said.set(key, notation);
      editor.show(notation);
      change();
    });
    byId("pieces").append(editor.element);
    fields[key] = editor.element;
    editor.show(said.get(key) ?? usual.pieces[letter]);
  }
  for (const key of CHOSEN) {
    byId(key).value = said.get(key) ?? usual[key];
    byId(key).addEventListener("change", () => {
      said.set(key, byId(key).value);
      change();
    });
  }
  showGoals();
  byId("share").addEventListener("click", () => copy(byId("share"), location.href, "Copy the address"));
  byId("download").addEventListener("click", () => {
    const game = new Game(String(said));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([game.file], { type: "text/plain" }));
    link.download = `${game.name}.ini`;
    link.click();
  });
  change(true);
}

try {
  templates = await readTemplates();
  start();
} catch (error) {
  refuse(error);
}
