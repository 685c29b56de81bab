// Answers from published tables, without a server. See source.js.

// Where `tablebase publish` puts the reader.
import { MAX_MEN, MOST_CHUNKS, open } from "../reader/index.js";
import { ROOT, TABLES } from "./addresses.js";
import { annotatedGame } from "./annotation.js";
import { FIFTY_MOVES } from "./position.js";
import { Refused } from "./refusals.js";
import { plural } from "./words.js";

const STATUS = {
  UnsupportedPositionError: 400,
  GameError: 400,
  MissingTableError: 404,
  CorruptTableError: 500,
  HostError: 0,
};

const BY_RULE = { win: "cursed_win", loss: "blessed_loss" };

let opened = null;

/** Return the published tables; a failure is tried again at the next question. */
async function tables() {
  opened ??= open(new URL(TABLES, new URL(ROOT, location.href)));
  try {
    return await opened;
  } catch (error) {
    opened = null;
    throw error;
  }
}

const any = (list) => list[Math.floor(Math.random() * list.length)];

async function random({ material }) {
  const fen = await (await tables()).random(material);
  return { material, fen };
}

/** Return one of the longest wins of a table: of those that its summary lists. */
async function hardest({ material: name }) {
  const { material, metrics, ...figures } = await (await tables()).summary(name);
  const [metric] = metrics;
  const longest = metric === "dtm" ? figures.longest_win : figures.dtz_longest_win;
  if (!longest) throw new Refused(404, `no position of ${material} is won`);
  const side = longest.fen.split(" ")[1] === "w" ? "white_to_move" : "black_to_move";
  const survey = metric === "dtm" ? await (await tables()).survey(name) : null;
  const fens = survey?.longest_wins[side] ?? [];
  return { material, fen: any([longest.fen, ...fens.filter((fen) => fen !== longest.fen)]), [metric]: longest.plies };
}

async function find({ material, turn, result, metric, plies }) {
  const outcome = result === "win" ? Number(plies) : -1 - Number(plies);
  const found = await (await tables()).find(material, { white: turn === "w", metric, outcome });
  const fen = found ?? (await longestWith(material, turn, result, metric, Number(plies)));
  return { material, fen, [metric]: result === "win" ? outcome : -plies };
}

/** Return the longest win or loss, known even where a table is too large to be looked through.
 *
 * `Refused` if it has another distance; the reason says how many positions have the one wanted.
 */
async function longestWith(material, turn, result, metric, plies) {
  const { material: name, histograms, longest } = await (await tables()).summary(material);
  const side = turn === "w" ? "white_to_move" : "black_to_move";
  const one = longest[metric]?.[side]?.[result];
  if (one?.plies === plies) return one.fen;
  const count = histograms[metric]?.[side]?.[result]?.[plies];
  if (!count) throw new Refused(404, `${name} has no such position`);
  const conditions = [`--turn ${turn === "w" ? "white" : "black"}`, `--plies ${plies}`];
  if (metric === "dtz") conditions.push(`--metric dtz --result ${plies > FIFTY_MOVES ? BY_RULE[result] : result}`);
  throw new Refused(
    404,
    `${name} has ${plural(count, "such position")}, but none in the ${MOST_CHUNKS} random parts of its table ` +
      `that a page reads: try again, or run tablebase find ${name} ${conditions.join(" ")} --sample 1`,
  );
}

async function survey({ material }) {
  const found = await (await tables()).survey(material);
  if (found) return { material, ...found };
  throw new Refused(
    404,
    `the table of ${material} was too large to be looked through, or has no distances to mate: ` +
      `try tablebase report ${material}`,
  );
}

const ANSWERS = {
  "/standard": async ({ fen, difficulty }) => (await tables()).standard(fen, { difficulty: Boolean(difficulty) }),
  "/standard/mainline": async ({ fen }) => (await tables()).standardMainline(fen),
  "/tables": async () => {
    const listed = await (await tables()).summaries();
    return { tables: listed, max_men: MAX_MEN, location: null, solve: null, published: true };
  },
  "/table": async ({ material }) => (await tables()).summary(material),
  "/random": random,
  "/hardest": hardest,
  "/find": find,
  "/survey": survey,
};

/** Return what a promise gives; errors of tables become refusals. */
async function answered(promise, signal) {
  let answer;
  try {
    answer = await promise;
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error.name in STATUS)) throw error;
    // A table that was published or kept since does not fit the index that was read before.
    if (error.name === "CorruptTableError") opened = null;
    throw new Refused(STATUS[error.name], error.message);
  }
  signal?.throwIfAborted();
  return answer;
}

/** Return the answer of published tables; `Refused` if the question takes a server. */
export async function ask(path, parameters, signal) {
  if (!(path in ANSWERS)) throw new Refused(404, `${path} takes a server: start one with tablebase serve`);
  return answered(ANSWERS[path](parameters), signal);
}

export const sendText = (_path, text, { game = 1 }) =>
  answered(tables().then((found) => annotatedGame(found, text, Number(game))));

export async function* order() {
  throw new Refused(404, "published tables solve no positions: start a server with tablebase serve --solve");
}
