// Print for each FEN of the input where its moves lead, in lines of JSON: notation, FEN, end, check and result.
//
// node moves_in_node.mjs DATA, a file with the JSON of the rules of a game.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { endOf, fenOf, finalOutcome, isCheck, legalMoves, play, readPosition, sanOf } from "../../tablebase/explorer/reader/position.js";
import { Rules } from "../../tablebase/explorer/reader/rules.js";

const rules = new Rules(JSON.parse(readFileSync(process.argv[2], "utf8")));
for await (const fen of createInterface({ input: process.stdin })) {
  const position = readPosition(fen, rules);
  const moves = legalMoves(position);
  console.log(JSON.stringify(moves.map((move) => {
    const after = play(position, move);
    return [sanOf(position, move, moves), fenOf(after), endOf(after), isCheck(after), finalOutcome(after)];
  })));
}
