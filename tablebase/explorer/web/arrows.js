// Arrows on the board for the best moves.

import { FILES } from "../reader/rules.js";
import { groupOf } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const MOST = 8; // more would hide the board, and say little
const [HEAD, WIDTH] = [0.34, 0.3]; // of a square: length and width of an arrow's head
const SHARED = 0.3; // how far from the centre those end that go to the same square

/** Return an element of SVG. */
export function shape(kind, attributes) {
  const one = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  return one;
}

/** Return a drawing as large as the board of a game. */
export function emptyArrows(kind, { files, ranks }) {
  return shape("svg", { class: kind, viewBox: `0 0 ${files} ${ranks}`, "aria-hidden": "true" });
}

/** Return the moves as good as the first; none if all are, or more than `MOST`. */
function bestMoves(moves) {
  if (!moves.length) return [];
  const [best] = moves;
  const value = (move) => [move.category, move.checkmate, move.dtm ?? move.dtw ?? move.dtz ?? move.dtz_without_rule50 ?? 0].join();
  const equal = moves.filter((move) => value(move) === value(best));
  const few = equal.length < moves.length && equal.length <= MOST;
  return few && groupOf(best) !== "unknown" ? equal : [];
}

function centre(svg, square, flipped) {
  const { width: files, height: ranks } = svg.viewBox.baseVal;
  const [x, y] = [FILES.indexOf(square[0]) + 0.5, ranks + 0.5 - Number(square[1])];
  return flipped ? [files - x, ranks - y] : [x, y];
}

function arrow(from, to, group, short = 0.1) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  const [ux, uy] = [dx / length, dy / length];
  const at = (along, aside) =>
    [from[0] + ux * along - uy * aside, from[1] + uy * along + ux * aside].map((n) => n.toFixed(3)).join(",");
  const [tip, neck, thin] = [length - short, length - short - HEAD, 0.05];
  const tail = Math.min(0.3, neck - 0.05);
  const points = [
    [tail, -thin], [neck, -thin], [neck, -WIDTH / 2], [tip, 0], [neck, WIDTH / 2], [neck, thin], [tail, thin],
  ];
  return shape("polygon", { class: group, points: points.map(([along, aside]) => at(along, aside)).join(" ") });
}

/** Draw the best of some moves, each pair of squares once, so that all are seen: long ones below short ones. */
export function drawArrows(svg, moves, flipped) {
  const pairs = new Map(bestMoves(moves).map((move) => [move.uci.slice(0, 4), groupOf(move)]));
  const goals = [...pairs.keys()].map((uci) => uci.slice(2));
  const drawn = [...pairs].map(([uci, group]) => {
    const [from, to] = [uci.slice(0, 2), uci.slice(2)];
    const isShared = goals.filter((goal) => goal === to).length > 1;
    const ends = [from, to].map((square) => centre(svg, square, flipped));
    const one = arrow(...ends, group, isShared ? SHARED : undefined);
    one.dataset.move = uci;
    return { one, length: Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]) };
  });
  drawn.sort((one, two) => two.length - one.length);
  svg.replaceChildren(...drawn.map(({ one }) => one));
}

/** Draw a ring around a square. */
export function drawRing(svg, square, flipped) {
  const [cx, cy] = centre(svg, square, flipped);
  svg.replaceChildren(shape("circle", { cx, cy, r: 0.44 }));
}

/** Draw one move that somebody looks at in the list or that answers a mistake, or none. */
export function drawHint(svg, move, flipped, group = move && groupOf(move)) {
  const squares = move ? [move.uci.slice(0, 2), move.uci.slice(2, 4)] : null;
  const drawn = squares?.map((square) => centre(svg, square, flipped));
  svg.replaceChildren(...(drawn ? [arrow(...drawn, group)] : []));
}
