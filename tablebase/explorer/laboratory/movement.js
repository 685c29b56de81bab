// Where men go, as arrays for the engine's kernels: those of tablebase/core/board/movement.py, byte for byte.

const SQUARES = 64;
const FAR = 7; // as many steps as fit on the board

/** Return rays by square and step, lists of squares. */
function raysOf(steps) {
  return Array.from({ length: SQUARES }, (_, square) => steps.map(([dx, dy, reach]) => {
    const ray = [];
    let [x, y] = [(square & 7) + dx, (square >> 3) + dy];
    for (; ray.length < Math.min(reach, FAR) && x >= 0 && x < 8 && y >= 0 && y < 8; x += dx, y += dy) ray.push(8 * y + x);
    return ray;
  }));
}

const existingFirst = (rays) => rays.map((list) => [...list.filter((ray) => ray.length), ...list.filter((ray) => !ray.length)]);
const word = (squares) => squares.reduce((bits, square) => bits | (1n << BigInt(square)), 0n);
const back = ([dx, dy, reach]) => String([-dx, -dy, reach]);

/** Return reflected steps, in their old order if reflection keeps the set: moves are listed so. */
function reflected(steps, across, up) {
  const turned = steps.map(([dx, dy, reach]) => [across * dx, up * dy, reach]);
  const own = new Set(steps.map(String));
  return turned.every((step) => own.has(String(step))) ? steps : turned;
}

/** Return the squares along steps that go both ways, lane after lane. */
function lanesOf(steps) {
  const forward = steps.filter((step, i) => steps.slice(i).some((other) => String(other) === back(step)));
  return forward.map((step) => raysOf([step, [-step[0], -step[1], step[2]]])
    .flatMap(([ahead, behind], square) => (behind.length ? [] : [square, ...ahead, -1])));
}

/** Return the movement of men of one colour and kind, as lists. */
function ofMan(captures, quiet) {
  const all = new Set(quiet.map(String));
  const bothWays = quiet.filter((step) => step[2] >= FAR && all.has(back(step)));
  const single = quiet.filter(([, , reach]) => reach === 1);
  const others = quiet.filter((step) => !bothWays.includes(step) && !single.includes(step));
  const rays = existingFirst(raysOf(captures));
  const between = rays.map((list) => {
    const passed = Array(SQUARES).fill(0n);
    for (const ray of list) for (const [i, square] of ray.entries()) passed[square] = word(ray.slice(0, i));
    return passed;
  });
  const leaps = existingFirst(raysOf(single)).map((list, square) => [square, ...list.map(([to]) => to ?? -1)]);
  return {
    rays, between, attacks: rays.map((list) => word(list.flat())),
    walks: existingFirst(raysOf(quiet)), unrays: existingFirst(raysOf(reflected(quiet, -1, -1))),
    lanes: lanesOf(bothWays), leaps: bothWays.length && !single.length ? [] : leaps,
    rides: raysOf(others).flatMap((list, square) => list.filter((ray) => ray.length).map((ray) => [square, ...ray])),
    steps: captures.length, quiet: quiet.length, single: single.length,
  };
}

/** Return the arrays of the record `Movement`, in its order: `name`, `shape` and `data`.
 *
 * @param {{captures: number[][], quiet: number[][]}[]} kinds the steps of each kind as White sees them: files, ranks
 *   and how often
 */
export function makeMovement(kinds) {
  const men = [1, -1].flatMap((up) => kinds.map(({ captures, quiet }) =>
    ofMan(reflected(captures, 1, up), reflected(quiet, 1, up))));
  const most = (of) => Math.max(...men.map(of));
  const array = (name, inner, Type = Int8Array) => {
    const size = inner.reduce((product, one) => product * one, 1);
    const data = new Type(men.length * size).fill(Type === Int8Array ? -1 : 0n);
    const put = (list, at, [, ...rest]) => {
      const stride = rest.reduce((product, one) => product * one, 1);
      for (const [i, one] of list.entries()) {
        if (Array.isArray(one)) put(one, at + i * stride, rest);
        else data[at + i] = one;
      }
    };
    for (const [i, man] of men.entries()) put(man[name], i * size, inner);
    return { name, shape: [2, kinds.length, ...inner], data };
  };
  const [steps, quiet] = [most((man) => man.steps), most((man) => man.quiet)];
  return [
    array("rays", [SQUARES, steps, FAR]), array("attacks", [SQUARES], BigUint64Array),
    array("between", [SQUARES, SQUARES], BigUint64Array), array("walks", [SQUARES, quiet, FAR]),
    array("unrays", [SQUARES, quiet, FAR]), array("lanes", [most(({ lanes }) => lanes.length), 2 * SQUARES + 1]),
    array("leaps", [most(({ leaps }) => leaps.length), most(({ single }) => 1 + single)]),
    array("rides", [most(({ rides }) => rides.length), 1 + FAR]),
  ];
}
