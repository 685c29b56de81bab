// The card of a game other than chess: its rules, and how its pieces move.

import { drawMan } from "./board.js";
import { byId, make } from "./page.js";

const AROUND = 3; // squares that a diagram of a piece shows on each side of it

/** Return the squares around a piece that steps lead to: whether they are repeated. */
function squaresAround(steps) {
  const found = new Map();
  for (const [dx, dy, reach] of steps) {
    for (let count = 1; count <= Math.min(reach, AROUND); count += 1) {
      found.set(`${count * dx} ${count * dy}`, reach > 1 ? "ride" : "step");
    }
  }
  return found;
}

/** Return the squares around a piece: a disc for a step, a ring for one that is repeated.
 *
 * Those of captures alone, or of other moves alone, have colours of their own.
 */
function diagram({ letter, name, steps, quiet_steps: others }, rules) {
  const captures = squaresAround(steps);
  const quiet = squaresAround(others);
  const signs = new Map([...quiet, ...captures]);
  for (const [square, sign] of signs) {
    if (captures.has(square) !== quiet.has(square)) signs.set(square, `${sign} ${quiet.has(square) ? "quiet" : "takes"}`);
  }
  const squares = make("div", "squares");
  squares.setAttribute("aria-hidden", "true");
  squares.style.gridTemplate = `repeat(${2 * AROUND + 1}, 1fr) / repeat(${2 * AROUND + 1}, 1fr)`;
  for (let y = AROUND; y >= -AROUND; y -= 1) {
    for (let x = -AROUND; x <= AROUND; x += 1) {
      const square = make("span", `${(x + y) % 2 ? "deep" : "pale"} ${signs.get(`${x} ${y}`) ?? ""}`);
      if (!x && !y) square.append(drawMan(letter, rules));
      squares.append(square);
    }
  }
  const apart = [...signs.values()].some((sign) => sign.includes(" "));
  const note = letter === "P" ? " (captures)" : apart ? " (red: only captures, blue: never captures)" : "";
  return make("figure", "", make("figcaption", "", `${letter}${name === letter ? "" : ` ${name}`}${note}`), squares);
}

/** Show the rules of a game. */
export function showCard(rules) {
  const { kinds, walls, promotions, stalemate_loses: stalemate, goal, bare_king: bare, blast, royal, checking, flag_move: answers, check_counting: counts } = rules;
  byId("game-rules").hidden = false;
  const hasPawns = kinds.some(({ letter }) => letter === "P") && promotions.length > 0;
  byId("rules-note").textContent = [
    "A disc is a step, a ring a step that may be repeated. Pieces drawn as in chess move as in chess.",
    walls.length > 0 && `Nothing stands on ${walls.join(" ")}, and what moves along lines stops before them.`,
    hasPawns && `Pawns become ${promotions.join(", ")}.`,
    stalemate && "A stalemated side loses.",
    bare && "A side that has only its king left loses, unless it takes the opponent's last piece at once.",
    blast && "A capture explodes: it removes both pieces, and all but pawns on the squares around. Whose king explodes "
      + "has lost, so kings take nothing; while they stand side by side, there is no check.",
    !royal && "Captures are forced, and a king is a piece like the others. A side without pieces has won, and "
      + (rules.fewest_win ? "without a move the side that has fewer pieces." : "so has a side without a move."),
    goal.length > 0 && `A king that reaches one of ${goal.join(" ")}, which have a frame, wins.`,
    answers && "If White's king arrives first, Black may answer once: it is a draw if Black's king then arrives as well.",
    !checking && "No move may give check.",
    counts && "The side that gives the third check wins.",
  ].filter(Boolean).join(" ");
  byId("kinds").replaceChildren(...kinds.filter(({ picture }) => !picture).map((one) => diagram(one, rules)));
}
