// The lessons of the course: endings of chess in the order in which one learns them, with the method of each.

export const LESSONS = {
  "First mates": {
    KQK: "The queen takes squares away, the king comes to help: mate without stalemate.",
    KRK: "The rook cuts the king off, and a waiting move drives it back.",
    KBBK: "Two bishops side by side push the king into a corner.",
    KBNK: "Only the corner of the bishop's colour will do, and fifty moves are not many.",
  },
  "Pawn endings": {
    KPK: "Lead with the king: in opposition, whoever must move gives way.",
    KPKP: "Count who queens first, and look for king moves that do two things at once.",
    KBPK: "The extra bishop wins, unless the pawn needs a corner that the bishop does not control.",
  },
  "Queen or rook against less": {
    KQKP: "Checks win time for the king, but a pawn on the a-, c-, f- or h-file may hold on its last step.",
    KRKP: "King and rook against a fast pawn: cut the king off before you bring your own.",
    KRKN: "Keep king and knight together with Black, drive them apart with White.",
    KRKB: "The defender is safe in a corner that is not of the colour of his bishop.",
    KQKR: "Bring the king near: then checks and zugzwang part the rook from its king.",
  },
  "Rook endings": {
    KRPKR: "Lucena's bridge wins, Philidor's sixth rank holds: the ending that games reach most often.",
  },
};

/** Return the method of an ending of a game, nothing if no lesson teaches it. */
export function methodOf(material, rules) {
  return (rules.chess && Object.values(LESSONS).find((lessons) => material in lessons)?.[material]) || "";
}
