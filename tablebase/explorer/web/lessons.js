// The lessons of the course: endings of chess in the order in which one learns them, with the methods of each.

import { make } from "./page.js";
import { plural } from "./words.js";

// How to `win` for the stronger side, and how the other one can `hold` the draw.
export const LESSONS = {
  "First mates": {
    KQK: { win: "The queen takes squares away, the king comes to help: mate without stalemate." },
    KRK: { win: "The rook cuts the king off, and a waiting move drives it back." },
    KBBK: { win: "Two bishops side by side push the king into a corner." },
    KBNK: { win: "Drive the king to the edge and then, the knight in a W beside it, to the corner of the bishop's colour: you have fifty moves." },
  },
  "Pawn endings": {
    KPK: {
      win: "A pawn that no king catches just runs. Otherwise lead with the king: in opposition, the side that has to move gives way.",
      hold: "Stay in front of the pawn, and step back straight, so that you can take the opposition.",
    },
    KPKP: {
      win: "Count who queens first, and look for king moves that do two things at once.",
      hold: "Run so that each step nears both pawns: one to stop, one to help.",
    },
    KBPK: {
      win: "The extra bishop wins, unless the pawn needs a corner that the bishop does not control.",
      hold: "Go to the corner where the pawn queens if the bishop does not control it, or win the pawn.",
    },
  },
  "Queen or rook against less": {
    KQKP: {
      win: "Checks win time for the king, but a pawn on the a-, c-, f- or h-file may hold on its last step.",
      hold: "Bring an a-, c-, f- or h-pawn to its last step: in the corner beside it, stalemate saves the king.",
    },
    KRKP: {
      win: "See whether the rook wins the pawn at once. Otherwise cut the king off before you bring your own.",
      hold: "Keep your king beside the pawn and the other king away.",
    },
    KRKN: {
      win: "Drive king and knight apart, and then hunt the knight.",
      hold: "Keep king and knight together, and out of the corners.",
    },
    KRKB: {
      win: "Win by threats of mate, best against a king in a corner of its bishop's colour.",
      hold: "The king is safe in a corner that is not of the colour of its bishop.",
    },
    KQKR: {
      win: "See whether a check wins the rook. Otherwise bring the king near: then checks and zugzwang part the rook from its king.",
      hold: "Keep the rook near its king, and look for stalemate and checks that win the queen.",
    },
  },
  "Rook endings": {
    KRPKR: {
      win: "With the king in front of its pawn, the rook builds a bridge on the fourth rank: Lucena's way.",
      hold: "Wait with the rook on the sixth rank until the pawn steps there, then check from behind: Philidor's way.",
    },
  },
};

/** Return the lesson of an ending of a game, undefined if there is none. */
export function lessonOf(material, rules) {
  return rules.chess ? Object.values(LESSONS).find((lessons) => material in lessons)?.[material] : undefined;
}

/** Return the method of a side of a position that it can win, or has to hold; nothing if no lesson teaches it. */
export function methodOf({ rules, board }, side, isWin) {
  const men = rules.sidesOf(board);
  const [own, other] = side === "w" ? men : men.reverse();
  const isTaught = own === other || rules.isStronger(own, other) === isWin;
  return (isTaught && lessonOf(rules.materialOf(board), rules)?.[isWin ? "win" : "hold"]) || "";
}

/** Return the rules of a proven method as elements, with what is proven of them. */
export function rulesOf({ goal, rules, rest, positions, moves }) {
  const all = make("ol", "rules", ...rules.map(({ sentence }) => make("li", "", sentence)));
  const where = rest ? `Proven where one of these rules decides, in ${plural(positions, "position")}` : `Proven in all ${plural(positions, "position")}`;
  const proof = make("p", "note", `${where}: at most ${plural(moves, "move")}${goal === "promotion" ? " to the promotion" : ""}.`);
  return [all, ...(rest ? [make("p", "", rest)] : []), proof];
}
