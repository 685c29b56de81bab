// Results in words.

import { SIDES, materialName, other } from "./position.js";

export function plural(count, word, many = `${word}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? word : many}`;
}

function plies(count) {
  return plural(count, "ply", "plies");
}

/** Return what to say of a position: {headline, detail, kind}; `server` is what /tables tells. */
export function verdict(answer, position, server) {
  const [mover, opponent] = [SIDES[position.turn], SIDES[other(position.turn)]];
  const toMove = `${mover} to move`;
  if (answer.checkmate) {
    return { headline: `Checkmate: ${opponent} has won`, detail: "", kind: "decided" };
  }
  if (answer.stalemate) return { headline: "Stalemate: a draw", detail: toMove, kind: "draw" };
  if (answer.insufficient_material) {
    return { headline: "Draw", detail: `${toMove} · insufficient material`, kind: "draw" };
  }
  if (answer.category === "draw") {
    return { headline: "Draw", detail: `${toMove} · with best play of both sides`, kind: "draw" };
  }
  if (answer.category === "unknown") return unknown(answer, position, server);
  const wins = answer.dtm > 0;
  const distance = Math.abs(answer.dtm);
  const doubt = answer.category.startsWith("maybe") ? " · the 50-move rule may interfere" : "";
  return {
    headline: `${wins ? mover : opponent} mates in ${Math.ceil(distance / 2)}`,
    detail: `${toMove} · ${plies(distance)} with best play${doubt}`,
    kind: "decided",
  };
}

function unknown(answer, position, server) {
  const mover = SIDES[position.turn];
  const count = Object.keys(position.men).length;
  const remedy =
    count > server.max_men
      ? `${count} men (kings, pieces, pawns), tables have at most ${server.max_men}`
      : missing(materialName(position), server);
  const [best] = answer.moves;
  const result = best && outcome(best);
  if (result?.group === "win") {
    const how = best.checkmate ? "mates" : result.text;
    return {
      headline: `${mover} wins: ${best.san} ${how}`,
      detail: `${mover} to move · perhaps there is a faster way: ${remedy}`,
      kind: "decided",
    };
  }
  return {
    headline: "Unknown: no table of these men",
    detail: `${mover} to move · ${remedy}`,
    kind: "unknown",
  };
}

function missing(material, { location }) {
  return location === null
    ? `the table of ${material} is not on this server`
    : `“tablebase build ${location} ${material}” makes the table, then reload this page`;
}

/** Return whether the 50-move rule may change the result of a move. */
export function isInDoubt(move) {
  return move.category.startsWith("maybe");
}

/** Return what a move does for the mover: {group, text, plies, distance}. */
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
  return {
    group: wins ? "win" : "loss",
    text: `${wins ? "mates" : "mated"} in ${moves}`,
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
