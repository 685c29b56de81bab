// Arrows on the board for the best moves.

import { FILES, rules } from "./position.js";
import { outcome } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const MOST = 8; // more would hide the board, and say little
const [HEAD, WIDTH] = [0.36, 0.3]; // of a square: length and width of an arrow's head

function shape(kind, attributes) {
  const one = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  return one;
}

export function emptyArrows(kind = "arrows") {
  return shape("svg", { class: kind, viewBox: `0 0 ${rules.files} ${rules.ranks}`, "aria-hidden": "true" });
}

/** Return the moves as good as the first; none if all are, or more than `MOST`. */
export function bestMoves(moves) {
  if (!moves.length) return [];
  const [best] = moves;
  const value = (move) => [move.category, move.checkmate, move.dtm ?? move.dtz ?? move.dtz_without_rule50 ?? 0].join();
  const equal = moves.filter((move) => value(move) === value(best));
  const few = equal.length < moves.length && equal.length <= MOST;
  return few && outcome(best).group !== "unknown" ? equal : [];
}

function centre(square, flipped) {
  const [x, y] = [FILES.indexOf(square[0]) + 0.5, rules.ranks + 0.5 - Number(square[1])];
  return flipped ? [rules.files - x, rules.ranks - y] : [x, y];
}

function arrow(from, to, group) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  const [ux, uy] = [dx / length, dy / length];
  const at = (along, aside) =>
    [from[0] + ux * along - uy * aside, from[1] + uy * along + ux * aside].map((n) => n.toFixed(3)).join(",");
  const [tip, neck, thin] = [length - 0.1, length - 0.1 - HEAD, 0.06];
  const points = [
    [0.3, -thin], [neck, -thin], [neck, -WIDTH / 2], [tip, 0], [neck, WIDTH / 2], [neck, thin], [0.3, thin],
  ];
  return shape("polygon", { class: group, points: points.map(([along, aside]) => at(along, aside)).join(" ") });
}

/** Draw the best of some moves, each pair of squares once. */
export function drawArrows(svg, moves, flipped) {
  const pairs = new Map(bestMoves(moves).map((move) => [move.uci.slice(0, 4), outcome(move).group]));
  const drawn = [...pairs].map(([uci, group]) => {
    const one = arrow(centre(uci.slice(0, 2), flipped), centre(uci.slice(2), flipped), group);
    one.dataset.move = uci;
    return one;
  });
  svg.replaceChildren(...drawn);
}

/** Draw one move that somebody looks at in the list, or none. */
export function drawHint(svg, move, flipped) {
  const squares = move ? [move.uci.slice(0, 2), move.uci.slice(2, 4)] : null;
  const drawn = squares?.map((square) => centre(square, flipped));
  svg.replaceChildren(...(drawn ? [arrow(...drawn, outcome(move).group)] : []));
}
