// Results in words.

import { SIDES, materialName, other } from "./position.js";

const MOST_MEN = 5;

export function plural(count, word, many = `${word}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? word : many}`;
}

function plies(count) {
  return plural(count, "ply", "plies");
}

/** Return what to say of a position: {headline, detail, kind}. */
export function verdict(answer, position) {
  const [mover, opponent] = [SIDES[position.turn], SIDES[other(position.turn)]];
  const toMove = `${mover} to move`;
  if (answer.checkmate) {
    return { headline: `Checkmate: ${opponent} has won`, detail: "", kind: "decided" };
  }
  if (answer.stalemate) return { headline: "Stalemate: a draw", detail: toMove, kind: "draw" };
  if (answer.insufficient_material) {
    return { headline: "Draw", detail: `${toMove} · too few men to mate`, kind: "draw" };
  }
  if (answer.category === "draw") {
    return { headline: "Draw", detail: `${toMove} · with best play of both sides`, kind: "draw" };
  }
  if (answer.category === "unknown") return unknown(position, toMove);
  const wins = answer.dtm > 0;
  const distance = Math.abs(answer.dtm);
  const doubt = answer.category.startsWith("maybe")
    ? " · the 50-move rule may come before"
    : "";
  return {
    headline: `${wins ? mover : opponent} mates in ${Math.ceil(distance / 2)}`,
    detail: `${toMove} · ${plies(distance)} with best play${doubt}`,
    kind: "decided",
  };
}

function unknown(position, toMove) {
  const men = Object.keys(position.men).length;
  const detail =
    men > MOST_MEN
      ? `${toMove} · ${men} men, tables have at most ${MOST_MEN}`
      : `${toMove} · “tablebase build ${materialName(position)}” makes the table`;
  return { headline: "Unknown: no table of these men", detail, kind: "unknown" };
}

/** Return what a move does for who makes it: {group, text, plies, distance}. */
export function outcome(move) {
  if (move.checkmate) return { group: "win", text: "checkmate", plies: "", distance: 1 };
  if (move.category === "unknown") return { group: "unknown", text: "unknown", plies: "" };
  if (move.category === "draw") {
    const text = move.stalemate ? "stalemate" : "draw";
    return { group: "draw", text, plies: "" };
  }
  const wins = move.category.endsWith("loss"); // of the opponent
  const distance = Math.abs(move.dtm) + 1;
  const moves = wins ? Math.ceil(distance / 2) : Math.ceil(Math.abs(move.dtm) / 2);
  const doubt = move.category.startsWith("maybe") ? ", 50-move rule?" : "";
  return {
    group: wins ? "win" : "loss",
    text: `${wins ? "mates" : "mated"} in ${moves}${doubt}`,
    plies: plies(distance),
    distance,
  };
}

export function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (count >= 1000 && unit < units.length - 1) {
    count /= 1000;
    unit += 1;
  }
  return `${count < 10 && unit ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
}
