// The lessons of the course: endings of chess in the order in which one learns them, with the methods of each.

import { make, withTooltips } from "./page.js";
import { plural } from "./words.js";

// A typical position, how to `win` for the stronger side, and how the other one can `hold` the draw.
export const LESSONS = {
  "First mates": {
    KQK: { fen: "8/8/8/3k4/8/8/1Q6/K7 w - - 0 1", win: "The queen takes squares away, the king comes to help: mate without stalemate." },
    KRK: { fen: "8/8/8/3k4/8/3K4/7R/8 w - - 0 1", win: "The rook cuts the king off, and a waiting move drives it back." },
    KBBK: { fen: "8/8/8/3k4/8/2BBK3/8/8 w - - 0 1", win: "Two bishops side by side push the king into a corner." },
    KBNK: { fen: "5k2/8/5K2/4N3/4B3/8/8/8 w - - 0 1", win: "Drive the king to the edge and then, the knight in a W beside it, to the corner of the bishop's colour: you have fifty moves." },
  },
  "Pawn endings": {
    KPK: {
      fen: "4k3/8/4K3/4P3/8/8/8/8 b - - 0 1",
      win: "A pawn that no king catches just runs. Otherwise lead with the king: in opposition, the side that has to move gives way.",
      hold: "Stay in front of the pawn, and step back straight, so that you can take the opposition.",
    },
    KPKP: {
      fen: "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
      win: "Count who queens first, and look for king moves that do two things at once.",
      hold: "Run so that each step nears both pawns: one to stop, one to help.",
    },
    KBPK: {
      fen: "k7/8/1K6/P7/8/8/3B4/8 w - - 0 1",
      win: "The extra bishop wins, unless the pawn needs a corner that the bishop does not control.",
      hold: "Go to the corner where the pawn queens if the bishop does not control it, or win the pawn.",
    },
  },
  "Queen or rook against less": {
    KQKP: {
      fen: "8/8/8/8/8/1K6/3pk3/7Q w - - 0 1",
      win: "Checks win time for the king, but a pawn on the a-, c-, f- or h-file may hold on its last step.",
      hold: "Bring an a-, c-, f- or h-pawn to its last step: in the corner beside it, stalemate saves the king.",
    },
    KRKP: {
      fen: "8/8/8/8/2k5/2p5/8/K6R w - - 0 1",
      win: "See whether the rook wins the pawn at once. Otherwise cut the king off before you bring your own.",
      hold: "Keep your king beside the pawn and the other king away.",
    },
    KRKN: {
      fen: "1k6/8/1K6/8/8/8/2n5/5R2 w - - 0 1",
      win: "Drive king and knight apart, and then hunt the knight.",
      hold: "Keep king and knight together, and out of the corners.",
    },
    KRKB: {
      fen: "6k1/8/6K1/8/4b3/8/8/R7 w - - 0 1",
      win: "Win by threats of mate, best against a king in a corner of its bishop's colour.",
      hold: "The king is safe in a corner that is not of the colour of its bishop.",
    },
    KQKR: {
      fen: "1k6/1r6/2K5/Q7/8/8/8/8 b - - 0 1",
      win: "See whether a check wins the rook. Otherwise bring the king near: then checks and zugzwang part the rook from its king.",
      hold: "Keep the rook near its king, and look for stalemate and checks that win the queen.",
    },
  },
  "Rook endings": {
    KRPKR: {
      fen: "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1",
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

/** Return what is proven of a method, as a sentence. */
export function proofOf({ goal, rest, positions, moves }) {
  const where = rest ? `Proven where one of these rules decides, in ${plural(positions, "position")}` : `Proven in all ${plural(positions, "position")}`;
  return `${where}: at most ${plural(moves, "move")}${goal === "promotion" ? " to the promotion" : ""}.`;
}

/** Return the rules of a proven method as elements, with what is proven of them. */
export function rulesOf(method) {
  const { rules, rest } = method;
  const all = make("ol", "rules", ...rules.map(({ sentence }) => make("li", "", ...withTooltips(sentence))));
  return [all, ...(rest ? [make("p", "", ...withTooltips(rest))] : []), make("p", "note", proofOf(method))];
}
