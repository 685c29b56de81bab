// Results in words.

import { endOf, isCheck, mayCastle, menOf, turnOf } from "../reader/position.js";
import { isKing } from "../reader/rules.js";

export const SIDES = { w: "White", b: "Black" };

/** What a move does for the mover, by the category of the position after it. */
const GROUPS = {
  loss: "win",
  "maybe-loss": "win",
  unknown: "unknown",
  "blessed-loss": "cursed",
  draw: "draw",
  "cursed-win": "blessed",
  "at-most-draw": "holding",
  "at-least-draw": "doubtful",
  "maybe-win": "loss",
  win: "loss",
};
const BOUNDS = { holding: "at least a draw", doubtful: "at most a draw" };
const NAMES = { win: "wins", cursed: "cursed win", blessed: "blessed loss", loss: "loses" };

export function plural(count, word, many = `${word}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? word : many}`;
}

export function plies(count) {
  return plural(count, "ply", "plies");
}

// Words that explain themselves in a tooltip, besides distances, by the first of them.
const MEANINGS = {
  cursed: "a win, if there were no 50-move rule: the rule makes it a draw",
  blessed: "a loss, if there were no 50-move rule: the rule makes it a draw",
  box: "the part of the board that file and rank of the rook, or queen, leave to his king",
  inner: "the square of the box that touches the rook corner to corner",
  key: "a square from which your king brings the pawn home, whoever is to move: for a pawn on e4 these are d6, e6 and f6",
  opposition: "the kings face each other with one square between them, so the side to move has to give way",
};

/** Return the meaning of a distance like "DTZ 25" or "31 plies", or of a result, in a game. */
export function meaning(distance, rules) {
  const told = MEANINGS[distance.split(" ")[0].toLowerCase()];
  if (told) return told;
  if (!distance.startsWith("DT")) {
    return `distance to mate (DTM): ${distance.split(" with")[0]} (single moves) to ${rules.end}, if both sides play best`;
  }
  const count = Number.parseInt(distance.split(" ")[1], 10);
  const isByRule = count > 100 && !distance.endsWith("50-move rule");
  const far = `${plies(isByRule ? count - 100 : count)} to the next capture, pawn move or mate`;
  return isByRule ? `${far}; 100 is added because the 50-move rule makes it a draw` : far;
}

export function inTime(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** Return the side to move, and its opponent. */
const sidesOf = ({ white }) => (white ? ["White", "Black"] : ["Black", "White"]);

/** Return which side is to move, and whether it is in check. */
function moverOf(position) {
  return `${SIDES[turnOf(position)]} to move${isCheck(position) ? ", in check" : ""}`;
}

/** Return the verdict on a position: {headline, detail, kind}; `server` is the answer of /tables. */
export function verdict(answer, position, server) {
  const { detail, ...told } = resultOf(answer, position, server);
  const parts = [detail, ...hopeless(answer, position), answer.left_out];
  return { ...told, detail: parts.filter(Boolean).join(" · ") };
}

/** Return in words which sides can never win, where their pieces do not tell it. */
function hopeless({ dead, can_win: canWin, insufficient_material: isTold }, position) {
  const men = position.board.filter((man) => man && !isKing(man));
  if (!canWin || isTold || !men.length) return [];
  const verb = endsByMate(position.rules) ? "mate" : "win";
  if (dead) return [`dead position: neither side can ${verb}`];
  const helpless = [];
  if (!canWin.white && men.some((man) => man === man.toUpperCase())) helpless.push(SIDES.w);
  if (!canWin.black && men.some((man) => man !== man.toUpperCase())) helpless.push(SIDES.b);
  return helpless.map((side) => `${side} can never ${verb}, even if both sides help`);
}

/** Return what follows if the flag of the side to move has fallen, as `tablebase probe --flag` tells it. */
export function flagWords({ can_win: canWin, dead, reasons }, position) {
  if (endOf(position)) return "The game was over before a flag fell.";
  const [mover, opponent] = sidesOf(position);
  const byMate = endsByMate(position.rules);
  const side = opponent.toLowerCase();
  const can = canWin?.[side] ?? null;
  if (can === null) {
    return `Unknown: ${reasons?.[side] ?? "neither the rules nor the tables here tell, but a server (tablebase serve) searches"}.`;
  }
  const why = reasons?.[side] ?? `can ${can ? "still" : "never"} ${byMate ? "mate" : "win"}`;
  const article = byMate ? ` (FIDE ${dead ? "5.2.2" : "6.9"})` : "";
  return `${mover} is to move. If ${mover}’s flag has fallen, ${can ? `${opponent} wins` : "the game is drawn"}${article}: ${opponent} ${why}.`;
}

/** Return the distance to the end of the game in an answer, null if it is not known. */
export const distanceOf = ({ dtm, dtw }) => dtm ?? dtw ?? null;

/** Return how each side wins where checks are counted, nothing where they are not; a bare king never wins. */
export function goalsOf({ rules, board, checks }) {
  if (!rules.check_counting) return "";
  const left = (count) => (count > 1 ? `${count} more checks` : "the next check");
  const told = rules.sidesOf(board).flatMap((men, i) => (men ? `${SIDES["wb"[i]]} by mate or ${left(checks[i])}` : []));
  return told.length && !checks.includes(0) ? `${told.join(", ").replace("by", "wins by")}.` : "";
}

const capitalized = (text) => text[0].toUpperCase() + text.slice(1);

function resultOf(answer, position, server) {
  const [mover, opponent] = sidesOf(position);
  const { rules } = position;
  const far = distanceOf(answer);
  const toMove = moverOf(position);
  if (answer.checkmate) {
    return { headline: `Checkmate: ${opponent} has won`, detail: "", kind: "decided" };
  }
  if (answer.variant_loss || answer.variant_win) {
    const winner = answer.variant_win ? mover : opponent;
    return { headline: `${capitalized(endOf(position))}: ${winner} has won`, detail: "", kind: "decided" };
  }
  if (answer.stalemate && answer.category === "loss") {
    return { headline: `Stalemate: ${opponent} has won`, detail: "", kind: "decided" };
  }
  if (answer.stalemate) return { headline: "Stalemate: a draw", detail: "", kind: "draw" };
  if (endOf(position) === "goal") return { headline: "Draw: both kings are at the goal", detail: "", kind: "draw" };
  if (answer.insufficient_material) {
    return { headline: "Draw", detail: `${toMove} · insufficient material`, kind: "draw" };
  }
  if (answer.solution) return solved(answer.solution, position);
  if (answer.category === "draw") {
    return { headline: "Draw", detail: `${toMove} · with best play by both sides`, kind: "draw" };
  }
  if (answer.category === "unknown") {
    const what = isUncovered(position, server) ? "castling is not covered" : "no table of these pieces";
    return { headline: `Unknown: ${what}`, detail: `${toMove} · ${lack(position, server)}`, kind: "unknown" };
  }
  const wins = answer.category.endsWith("win");
  const winner = wins ? mover : opponent;
  const distance = Math.abs(far);
  const moves = Math.ceil(distance / 2);
  const saysMore = answer.dtz !== null && (isByRule(answer) || Math.abs(answer.dtz) !== distance);
  const zeroing = saysMore ? [`DTZ ${Math.abs(answer.dtz)}`] : [];
  const counted = [...(far === null ? [] : [`${endsByMate(rules) ? "mate" : "end"} in ${moves}`]), ...zeroing, `clock ${position.clock}`];
  const detail = (...parts) => [toMove, ...parts].join(" · ");
  if (isByRule(answer)) {
    const kind = wins ? "cursed" : "blessed";
    return { headline: "Draw by the 50-move rule", detail: detail(NAMES[kind], counted.join(", ")), kind };
  }
  const isPartial = answer.moves.some(({ category }) => category === "unknown");
  if (far === null && isPartial && !isInDoubt(answer)) {
    const [best] = answer.moves;
    return {
      headline: `${winner} wins: ${best.san} ${outcome(best, rules).text}`,
      detail: detail(`there may be a faster win: ${lack(position, server)}`),
      kind: "decided",
    };
  }
  if (far === null && answer.dtz === null) {
    const told = answer.dtz_without_rule50 ? `: DTZ ${Math.abs(answer.dtz_without_rule50)}` : "";
    return { headline: `${winner} wins`, detail: detail(`proven${told} without the 50-move rule`), kind: "decided" };
  }
  if (far === null) return { headline: `${winner} wins`, detail: detail(...zeroing), kind: "decided" };
  const doubt = isInDoubt(answer) ? ["the 50-move rule may interfere"] : [];
  if (!doubt.length && distance + position.clock > 100) {
    const headline = `${winner} wins despite the 50-move rule`;
    return { headline, detail: detail(counted.join(", ")), kind: "decided" };
  }
  return {
    headline: `${winner} ${endsByMate(rules) ? "mates" : "wins"} in ${moves}`,
    detail: detail(`${plies(distance)} with best play`, ...zeroing, ...doubt),
    kind: "decided",
  };
}

/** Return the verdict on a position that was solved on demand. */
function solved({ result, seconds, stopped }, position) {
  const [mover, opponent] = sidesOf(position);
  const headline = {
    win: `${mover} wins`,
    draw: "Draw",
    loss: `${opponent} wins`,
    at_least_draw: `${mover} does not lose`,
    at_most_draw: `${mover} does not win`,
    unknown: "Unknown: nothing is proven yet",
  }[result];
  const open = { at_least_draw: "whether it is a win is open", at_most_draw: "whether it is a draw is open" };
  const why = stopped ? `: ${stopped}` : "";
  const detail = [
    moverOf(position),
    ...(open[result] ? [`${open[result]}${why}`] : []),
    result === "unknown" ? `stopped after ${inTime(seconds)}${why}` : `proven in ${inTime(seconds)} without the 50-move rule`,
  ].join(" · ");
  const kind = { win: "decided", draw: "draw", loss: "decided" }[result] ?? "unknown";
  return { headline, detail, kind };
}

/** Return whether a position has few enough pieces for tables, but castling rights that nobody here solves. */
export function isUncovered(position, server) {
  const isSolved = !server.published && menOf(position) <= MOST_CASTLING_MEN;
  return mayCastle(position) && menOf(position) <= server.max_men && !isSolved;
}

/** Return why no table has a position. */
function lack(position, server) {
  if (isUncovered(position, server)) {
    return menOf(position) <= MOST_CASTLING_MEN
      ? "positions with castling rights need a server (tablebase serve), this host has files only"
      : `castling rights are covered up to ${MOST_CASTLING_MEN} pieces`;
  }
  const { rules, board } = position;
  if (menOf(position) <= server.max_men) return missing(rules.materialOf(board), rules, server);
  return `${menOf(position)} pieces (kings and pawns included), but the tables here have at most ${server.most}`;
}

const MOST_CASTLING_MEN = 5; // kings and pawns included; with rights

/** Return an ending of a game in words: "king and rook against king". */
export function titleOf(material, rules) {
  const sides = rules.royal
    ? [material.slice(0, material.lastIndexOf("K")), material.slice(material.lastIndexOf("K"))] : material.split("v");
  const told = sides.map((men) => {
    const names = [...new Set(men)].map((letter) => {
      const count = men.split(letter).length - 1;
      const name = rules.names[letter] ?? `${letter} piece`;
      return count === 1 ? name : `${["", "", "two", "three", "four"][count] ?? count} ${name}s`;
    });
    return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  });
  return told.join(" against ");
}

/** Return that a table is missing, and who may build it, how: `published` pages have visitors, `location` is the server's. */
export function missing(material, rules, { published, location }) {
  const there = `there is no table of ${titleOf(material, rules)} here (${material})`;
  if (published || location === null || !rules.chess) return there;
  return `${there}: run “tablebase build ${location} ${material}”, then reload this page`;
}

/** Return whether the 50-move rule may change a result. */
export function isInDoubt({ category }) {
  return category.startsWith("maybe");
}

/** Return whether the 50-move rule makes a result a draw. */
export function isByRule({ category }) {
  return category === "cursed-win" || category === "blessed-loss";
}

/** Return whether there are moves towards mate. */
export function isDecided({ category, checkmate, variant_loss: isLost, variant_win: isWon }) {
  return !checkmate && !isLost && !isWon && category !== "draw" && category !== "unknown";
}

/** Return whether the result of a move is not, or not quite, known. */
export function isOpen(move) {
  const group = groupOf(move);
  return group === "unknown" || group in BOUNDS;
}

/** Return the kind of result of a move for the mover. */
export const groupOf = ({ category }) => GROUPS[category];

/**
 * Return the result of a move for the mover, in a game: {group, text, plies, label}.
 *
 * The text gives the number of moves to the end where it is known, else `plies` gives distances; the label has all.
 */
export function outcome(move, rules) {
  const group = groupOf(move);
  if (move.checkmate) return { group, text: "checkmate", plies: "" };
  if (move.variant_win) return { group, text: "loses at once", plies: "" };
  if (move.stalemate) return { group, text: "stalemate", plies: "" };
  if (move.variant_loss) return { group, text: "wins at once", plies: "" };
  if (group in BOUNDS) return { group, text: BOUNDS[group], plies: "" };
  if (!isDecided(move)) return { group, text: group, plies: "" };
  const wins = move.category.endsWith("loss"); // of the opponent
  const far = distanceOf(move);
  const distance = Math.abs(far) + 1;
  const isCounted = far !== null && !isByRule(move);
  const text = isCounted ? `${inWords(wins, rules)} in ${Math.ceil(distance / 2)}` : NAMES[group];
  const told = [];
  if (far !== null) told.push(plies(distance));
  if (move.dtz !== null && !(far !== null && toZeroing(move) === distance)) told.push(`DTZ ${toZeroing(move)}`);
  if (move.dtz_without_rule50 != null) told.push(`DTZ ${Math.abs(move.dtz_without_rule50) + 1}\nno 50-move rule`);
  return { group, text, plies: isCounted ? "" : told.join("\n"), label: [text, ...told].join(", ") };
}

/** Return where some moves lead, best first, with their results unless that `hides` them: {group, label}. */
export function targetsOf(moves, rules, hides) {
  const targets = new Map();
  for (const move of moves) {
    const to = move.uci.slice(2, 4);
    const { group, text } = hides ? { group: "plain", text: "legal" } : outcome(move, rules);
    if (!targets.has(to)) targets.set(to, { group, label: `${move.san}: ${text}` });
  }
  return targets;
}

/** Return whether a win in a game is a mate, as in chess. */
export const endsByMate = ({ end }) => end === "checkmate";

const inWords = (wins, rules) => (endsByMate(rules) ? (wins ? "mates" : "mated") : NAMES[wins ? "win" : "loss"]);

/** Return the plies to zeroing, the move included. */
function toZeroing({ dtz, zeroing }) {
  const left = Math.abs(dtz);
  if (!zeroing) return left + 1;
  return left > 100 ? 101 : 1;
}
