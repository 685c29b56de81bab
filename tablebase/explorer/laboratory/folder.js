// What a game of the laboratory needs: its template, and its tables as those of a folder for the reader.

import { MissingTableError, open } from "../reader/index.js";
import { crc32, inflated } from "../reader/table.js";
import { Game } from "./game.js";
import { problemsOf } from "./problems.js";

const FOLDER = new URL("./", import.meta.url);
const KEPT = "laboratory"; // the last report, by its link
const WINNER = (plies) => (plies + 1) >> 1;

/** Return the templates, and `module`, the address of the engine's. */
export async function readTemplates() {
  const response = await fetch(new URL("templates.json", FOLDER));
  if (response.ok) return response.json();
  throw new MissingTableError(
    "this site has no engine: publish it by tablebase publish FOLDER --men 4 --no-tables, or start tablebase serve",
  );
}

export async function bytesOf(name) {
  const response = await fetch(new URL(name, FOLDER));
  if (!response.ok) throw new MissingTableError(`there is no file ${name}: publish the site again`);
  return inflated(new Uint8Array(await response.arrayBuffer()));
}

/** Return the figures of a table in the fields of a publication's summaries. */
function summaryOf(name, { white, black }) {
  const counts = ({ win, draw, loss }) => ({ win, draw, loss });
  const [longest = null] = [white.longest, black.longest].filter(Boolean).sort((one, two) => two.plies - one.plies);
  return {
    material: name, men: name.length, bytes: 0, metrics: ["dtm"],
    positions: [white, black].reduce((sum, { win, draw, loss }) => sum + win + draw + loss, 0),
    white_to_move: counts(white), black_to_move: counts(black),
    longest_win: longest && { plies: longest.plies, moves: WINNER(longest.plies), fen: longest.fen },
  };
}

/** Return the exercises of a table: its longest win. */
function exercisesOf({ material, longest_win: win }) {
  const exercise = win && { fen: win.fen, goal: "win", kind: "win", moves: null, dtm: win.plies, difficulty: 1 };
  return { material, levels: win ? [[exercise]] : [], why: `Nobody wins in ${material}.` };
}

/** Keep the report of a game for the explorer of its tables. */
export function keep(link, figures) {
  const tables = [...figures].map(([name, one]) => summaryOf(name, one));
  try {
    localStorage.setItem(KEPT, JSON.stringify({ link, tables }));
  } catch {
    // Not allowed: then the explorer has no list of tables.
  }
  return tables;
}

function kept(link) {
  try {
    const report = JSON.parse(localStorage.getItem(KEPT));
    return report?.link === link ? report.tables : [];
  } catch {
    return [];
  }
}

/** Return the text of a record with its checksum, as a publication has it. */
function checked(record) {
  const rest = JSON.stringify(record).slice(1);
  return `{"crc32": ${crc32(new TextEncoder().encode(rest))},\n${rest}`;
}

const deflated = (bytes) => new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));

/** Open the tables of a game, which are solved when they are asked for, as `open` of the reader does. */
export async function openGame(link) {
  const game = new Game(link);
  const { module, templates } = await readTemplates();
  const template = templates[game.symmetry];
  const names = template.endings.map((key) => key.split(" ")[0]);
  const summaries = kept(game.link);
  const list = {
    format: "chess-tablebase-publication", version: 2, rules: game.recordOf(template),
    tables: Object.fromEntries(names.map((name) => [name, { bytes: 0, crc32: null, metrics: ["dtm"] }])),
    solver: { module, problems: "problems" },
  };
  const files = {
    "tables.json": () => checked(list),
    "numbering.json": () => checked(template.numbering),
    "summaries.json": () => checked({ tables: summaries }),
    problems: async () => deflated(problemsOf(await bytesOf(template.problems), game.lawOf(template))),
    ...Object.fromEntries(summaries.flatMap((one) => [
      [`${one.material}.summary.json`, () => checked(one)],
      [`${one.material}.exercises.json`, () => checked(exercisesOf(one))],
    ])),
  };
  const answer = async (address, options) => {
    const make = files[address.slice(FOLDER.href.length)];
    return make && address.startsWith(FOLDER.href) ? new Response(await make()) : fetch(address, options);
  };
  return open(FOLDER, { fetch: answer });
}
