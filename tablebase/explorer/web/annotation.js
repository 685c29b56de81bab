// Games judged by published tables.

import { MAX_MEN, MissingTableError } from "../reader/index.js";
import { fenOf, finalOutcome, mayCastle, menOf } from "../reader/position.js";
import { GameError, readGame, splitGames } from "./games.js";
import { plies, plural } from "./words.js";

export { GameError };

const MOST_GAMES = 1000; // of a text, that are listed
const LISTED = ["White", "Black", "Event", "Round", "Date", "Result"];
const EVAL = /(\s?)\[%eval\s(?:#[+-]?\d+|[+-]?(?:\d{0,10}\.\d{1,2}|\d{1,10}\.?))(?:,\d+)?\](\s?)/;
const SAYS = {
  "2": "wins",
  "1": "wins, but too late for the 50-move rule",
  "0": "draws",
  "-1": "loses, but too late for the 50-move rule",
  "-2": "loses",
};
const DUBIOUS = 6, BLUNDER = 4, MISTAKE = 2;

const resultOf = ({ wdl, wdl50 }) => wdl50 ?? 2 * wdl;
const winnerMoves = (distance) => Math.floor((Math.abs(distance) + 1) / 2);

/** Return an annotated game of a PGN: its `nodes`, `headers` and `problem`, the other `games`, and counts.
 *
 * @param {object} tables published ones
 * @param {string} text
 * @param {number} number the number of the game in the text, from 1
 * @throws {GameError} if there is no such game
 */
export async function annotatedGame(tables, text, number) {
  const games = splitGames(text);
  if (number < 1 || number > Math.max(1, games.length)) {
    throw new GameError(`there is no game ${number}: the text has ${plural(games.length, "game")}`);
  }
  const { headers, nodes, problem } = games.length ? readGame(games[number - 1], tables.rules) : { headers: {}, nodes: [] };
  if (nodes.length < 2 && !("FEN" in headers)) {
    throw new GameError(`there is no game in the text${problem ? `: ${problem}` : ""}`);
  }
  const found = await judge(tables, nodes);
  return {
    games: games.slice(0, MOST_GAMES).map(listed),
    game: number,
    headers,
    nodes: inOrder(nodes).map((one) => described(nodes, one)),
    ...found,
    problem: problem ?? null,
  };
}

const listed = ({ headers }) => Object.fromEntries(
  LISTED.filter((name) => name in headers && !/^[?*]/.test(headers[name]))
    .map((name) => [name, headers[name]]),
);

/** Write into a game what tables know of it; return the counts. */
async function judge(tables, nodes) {
  const valued = nodes.filter(({ position }) =>
    (menOf(position) <= MAX_MEN && !mayCastle(position)) || finalOutcome(position) !== null);
  const missing = new Set();
  const answers = new Map(await Promise.all(valued.map(async (node) =>
    [node, await movesOf(tables, node.position, missing)])));
  const faults = { w: { changes: 0, slower: 0 }, b: { changes: 0, slower: 0 } };
  let known = 0;
  for (const node of nodes) {
    const ranked = answers.get(node) ?? null;
    known += ranked !== null;
    if (!ranked?.length) continue;
    setEval(node, ranked[0]);
    for (const child of node.children.map((number) => nodes[number])) {
      const played = ranked.find(({ uci }) => uci === child.uci);
      const fault = played ? faultOf(played, ranked[0]) : "";
      if (!fault) continue;
      faults[node.position.white ? "w" : "b"][fault] += 1;
      mark(child, fault, played, ranked[0]);
    }
  }
  return { positions: nodes.length, known, faults, missing: [...missing].sort() };
}

/** Return the moves of a position, best first; null if the tables do not know it. */
async function movesOf(tables, position, missing) {
  try {
    return (await tables.probe(fenOf(position))).moves;
  } catch (error) {
    if (error instanceof MissingTableError) {
      if (error.material) missing.add(error.material);
      return null;
    }
    if (error.name === "UnsupportedPositionError") return null;
    throw error;
  }
}

const isDecisive = (one) => Math.abs(resultOf(one)) === 2;

/** Return the distance by which moves of one result differ: to zeroing if the 50-move rule decides. */
const distanceOf = (one) => (isDecisive(one) ? one.dtm : resultOf(one) === 0 ? 0 : one.dtz);

function faultOf(played, best) {
  if (resultOf(played) !== resultOf(best)) return "changes";
  const [ours, right] = [played, best].map(distanceOf);
  return ours !== null && right !== null && ours > right ? "slower" : "";
}

/** Write the value of a position into the comment of its node, as programs show it. */
function setEval(node, best) {
  const sign = (best.dtm > 0) === node.position.white ? "" : "-";
  const score = isDecisive(best) ? `#${sign}${winnerMoves(best.dtm)}` : "0.00";
  const text = `[%eval ${score}]`;
  const { comment } = node;
  if (EVAL.test(comment)) node.comment = comment.replace(EVAL, (_, before, after) => before + text + after);
  else node.comment = comment && !comment.endsWith(" ") ? `${comment} ${text}` : comment + text;
}

function mark(node, fault, played, best) {
  for (let nag = 1; nag <= 6; nag += 1) node.nags.delete(nag);
  if (fault === "slower") node.nags.add(DUBIOUS);
  else node.nags.add(resultOf(best) > 0 && resultOf(played) < 0 ? BLUNDER : MISTAKE);
  node.better = best.uci;
  const text = compared(played, best);
  if (!node.comment.includes(text)) node.comment = `${node.comment} ${text}`.trim();
}

/** Return a comment on a move at fault, with the number that makes it one. */
function compared(played, best) {
  const words = says(played);
  const said = `${words[0].toUpperCase()}${words.slice(1)}`;
  if (resultOf(played) !== resultOf(best) || isDecisive(best)) return `${said}; ${best.san} ${says(best)}.`;
  const [ours, right] = [played, best].map(({ dtz }) => Math.abs(dtz));
  return `${said} (DTZ ${ours}); ${best.san} has DTZ ${right}.`;
}

function says(one) {
  const words = SAYS[resultOf(one)];
  if (!isDecisive(one)) return words;
  return `${words} in ${plural(winnerMoves(one.dtm), "move")} (${plies(Math.abs(one.dtm))})`;
}

/** Return the numbers of nodes, main lines before their variations. */
function inOrder(nodes) {
  const found = [];
  for (const waiting = [0]; waiting.length; ) {
    const number = waiting.pop();
    found.push(number);
    waiting.push(...[...nodes[number].children].reverse());
  }
  return found.map((number, place, all) => ({ number, parent: all.indexOf(nodes[number].parent) }));
}

function described(nodes, { number, parent }) {
  const { position, uci, san, nags, starting, comment, better } = nodes[number];
  if (parent < 0) return { fen: fenOf(position), parent: null, comment };
  const before = nodes[nodes[number].parent].position;
  return {
    fen: fenOf(position),
    parent,
    uci,
    san,
    turn: before.white ? "w" : "b",
    number: before.number,
    nags: [...nags].sort((a, b) => a - b),
    comment: `${starting} ${comment}`.trim(),
    ...(better && { better }),
  };
}
