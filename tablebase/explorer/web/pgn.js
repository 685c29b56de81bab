// The game as PGN: to copy, and one to load, which is annotated.

import { START, fenOf, readLoosely } from "../reader/position.js";
import { CHESS } from "../reader/rules.js";
import { byId, copy, make } from "./page.js";
import { MINE, choosePlayer, keepMistakes, playersOf } from "./progress.js";
import * as source from "./source.js";
import { SIDES, plural } from "./words.js";

const MOST = 262_144; // bytes, as the server has it
const WIDTH = 80; // of a line

/** Return the words of the moves after a node, variations in brackets. */
function words(nodes, after, fresh = true) {
  const told = [];
  const tell = (at, first) => {
    const { san, turn, number, nags = [], comment = "" } = nodes[at];
    if (turn === "w" || first) told.push(`${number}${turn === "w" ? "." : "..."}`);
    told.push(san, ...nags.map((nag) => `$${nag}`));
    if (comment) told.push(...`{ ${comment.replaceAll("}", ")")} }`.split(/\s+/));
    return Boolean(comment);
  };
  for (let here = after; nodes[here].children.length; ) {
    const [first, ...others] = nodes[here].children;
    fresh = tell(first, fresh) || others.length > 0;
    for (const other of others) {
      const begin = told.length;
      const interrupted = tell(other, true);
      told.push(...words(nodes, other, interrupted));
      told[begin] = `(${told[begin]}`;
      told[told.length - 1] += ")";
    }
    here = first;
  }
  return told;
}

function resultOf({ nodes, headers }) {
  let here = nodes[0];
  while (here.children.length) here = nodes[here.children[0]];
  if (here.san?.endsWith("#")) return here.turn === "w" ? "1-0" : "0-1";
  return headers.Result ?? "*";
}

export function writePgn(game) {
  const { nodes, headers } = game;
  const position = readLoosely(nodes[0].fen, CHESS);
  const fen = position ? fenOf(position) : nodes[0].fen;
  const unknown = { Event: "?", Site: "?", Date: "????.??.??", Round: "?", White: "?", Black: "?" };
  const all = { ...unknown, ...headers, Result: resultOf(game) };
  if (fen !== START) Object.assign(all, { SetUp: "1", FEN: fen });
  // Headers stand here as they stood in the text that was loaded, quotes escaped.
  const lines = Object.entries(all).map(([name, text]) => `[${name} "${text}"]`);
  const comment = nodes[0].comment ? [`{ ${nodes[0].comment.replaceAll("}", ")")} }`] : [];
  lines.push("", "");
  const end = /^(1-0|0-1|1\/2-1\/2)$/.test(all.Result) ? all.Result : "*"; // whatever the tag has
  for (const word of [...comment, ...words(nodes, 0), end]) {
    const line = lines.at(-1);
    if (line && line.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return `${lines.join("\n")}\n`;
}

/** Return a game of a text in words: its players, result, and where it was played; its number if it tells nothing. */
function gameName({ White, Black, Result, Event, Round, Date: date }, number) {
  const players = White || Black ? [`${White ?? "?"} – ${Black ?? "?"}`] : [];
  const parts = [...players, Result, Event, Round && `round ${Round}`, date?.replaceAll(".??", "")];
  return bare(parts.filter(Boolean).join(", ")) || `game ${number}`;
}

const bare = (text) => text.replaceAll('\\"', '"');

/** Return a link to exercises from the mistakes of a player. */
function linkTo(player, count) {
  const link = make("a", "", `${player}: ${plural(count, "position")}`);
  link.href = `?exercise=${MINE}`;
  link.addEventListener("click", () => choosePlayer(player));
  return link;
}

/** Return in words what the server found. */
function summary({ games, game, headers, positions, known, faults, missing, problem }) {
  const players = [headers.White, headers.Black].filter((name) => name && name !== "?").join(" – ");
  const sides = Object.entries(faults).map(
    ([side, { changes, slower }]) =>
      `${SIDES[side]}: ${plural(changes, "mistake")}, ${plural(slower, "slow move")}`,
  );
  return [
    ...(games.length > 1 ? [`game ${game} of ${games.length}`] : []),
    ...(players ? [players] : []),
    `${known} of ${plural(positions, "position")} known`,
    ...(known ? sides : []),
    ...(missing.length ? [`no tables of ${missing.slice(0, 5).join(" ")}${missing.length > 5 ? " …" : ""}`] : []),
    ...(problem ? [`reading stopped: ${problem}`] : []),
  ].join(" · ");
}

export class PgnPanel {
  #touched = false; // by hand
  #several = ""; // the text with the games to choose from
  #asked = 0; // how many times the server was asked
  #loading = false;
  #loaded = ""; // the id of the game that was loaded

  /** `loaded(answer)` is called with an annotated game. */
  constructor(game, loaded) {
    this.game = game;
    this.loaded = loaded;
    const text = byId("pgn");
    byId("pgn-open").addEventListener("click", () => this.#open(byId("pgn-panel").hidden));
    byId("pgn-copy").addEventListener("click", () => copy(byId("pgn-copy"), text.value, "Copy it from above"));
    byId("pgn-load").addEventListener("click", () => this.#load(text.value));
    byId("pgn-games").addEventListener("change", ({ target }) => this.#load(this.#several, target.value));
    byId("pgn-choose").addEventListener("click", () => byId("pgn-file").click());
    byId("pgn-file").addEventListener("change", ({ target }) => {
      if (target.files.length) this.#drop(target.files[0]);
      target.value = ""; // the same file may be chosen again
    });
    // The game shown is to be copied, or another one pasted in its place; a click sets the cursor first.
    text.addEventListener("focus", () => setTimeout(() => this.#touched || text.select()));
    text.addEventListener("input", () => {
      this.#touched = true;
    });
    document.addEventListener("dragover", (event) => {
      if (isForUs(event)) event.preventDefault();
    });
    document.addEventListener("drop", (event) => {
      if (!isForUs(event)) return;
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      this.#drop(file, event.dataTransfer.getData("text/plain"));
    });
  }

  /** Show the game as it is now, unless somebody is writing another one; what was said of another is gone. */
  show() {
    if (!this.#touched) byId("pgn").value = writePgn(this.game);
    if (this.#loading || this.game.id === this.#loaded) return;
    byId("pgn-choice").hidden = true;
    this.#note("");
  }

  #open(open) {
    byId("pgn-panel").hidden = !open;
    byId("pgn-open").setAttribute("aria-expanded", String(open));
    this.#touched = false;
    this.show();
  }

  async #drop(file, text) {
    if (file && file.size > MOST) this.#note(`${file.name} is longer than ${MOST} bytes`);
    else await this.#load(file ? textOf(await file.arrayBuffer()) : text);
  }

  async #load(text, game = 1) {
    const asked = (this.#asked += 1);
    byId("pgn").value = text;
    this.#loading = true;
    this.#note("Looking the game up …");
    try {
      const answer = await source.annotated(text, game);
      if (asked !== this.#asked) return; // another one was chosen meanwhile
      this.#touched = false;
      this.#offer(text, answer);
      this.#note(summary(answer));
      this.loaded(answer);
      this.#loaded = this.game.id;
      if (byId("pgn-panel").contains(document.activeElement)) byId("pgn-open").focus({ preventScroll: true });
      this.#open(false);
      if (game === 1) this.#keep(text, answer, asked);
    } catch (error) {
      if (!(error instanceof source.Refused)) throw error;
      if (asked !== this.#asked) return;
      this.#touched = true;
      this.#note(error.message);
    }
    this.#loading = false;
  }

  /** Keep the mistakes of all games of a text for the course, unless another one is loaded meanwhile. */
  async #keep(text, answer, asked) {
    const found = [];
    for (const [i, game] of answer.games.entries()) {
      const { nodes } = i ? await source.annotated(text, i + 1).catch(() => ({ nodes: [] })) : answer;
      if (asked !== this.#asked) return;
      const { White = "White", Black = "Black" } = game;
      found.push(...keepMistakes(nodes, { w: bare(White), b: bare(Black) }, gameName(game, i + 1)));
    }
    const links = playersOf(found).slice(0, 2).flatMap(([player, count]) => [" · ", linkTo(player, count)]);
    if (links.length) byId("pgn-own").append("Practise the mistakes of ", ...links.slice(1));
  }

  /** Let one of the games of a text be chosen, if there are several. */
  #offer(text, { games, game }) {
    byId("pgn-choice").hidden = games.length === 1;
    if (text === this.#several || games.length === 1) return;
    this.#several = text;
    const options = games.map((one, i) => new Option(`${i + 1}. ${gameName(one, i + 1)}`, i + 1));
    byId("pgn-games").replaceChildren(...options);
    byId("pgn-games").value = game;
  }

  #note(text) {
    byId("pgn-note").textContent = text;
    byId("pgn-own").replaceChildren();
    byId("lines").scrollTop = 0; // where it is seen
  }
}

/** Return the text of a file: UTF-8 or UTF-16, or else Windows-1252, as the server reads it. */
function textOf(buffer) {
  const [first, second] = new Uint8Array(buffer);
  const decoded = (encoding, fatal = false) => new TextDecoder(encoding, { fatal }).decode(buffer);
  if (second === 0 || (first === 0xff && second === 0xfe)) return decoded("utf-16le");
  if (first === 0 || (first === 0xfe && second === 0xff)) return decoded("utf-16be");
  try {
    return decoded("utf-8", true);
  } catch {
    return decoded("windows-1252");
  }
}

/** Return whether a drop is a file, or a text for the page and not for one of its boxes. */
function isForUs({ dataTransfer, target }) {
  const { types } = dataTransfer;
  const box = target.closest?.("input, textarea");
  return types.includes("Files") || (types.includes("text/plain") && !box);
}
