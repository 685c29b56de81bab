// Print material, data set and slot of each FEN of the input, and its moves, in lines of JSON.
import { createInterface } from "node:readline";
import { locate } from "../../tablebase/web/static/reader/numbering.js";
import { fenOf, legalMoves, readPosition, sanOf } from "../../tablebase/web/static/reader/position.js";

for await (const fen of createInterface({ input: process.stdin })) {
  const position = readPosition(fen);
  const { material, white, slot } = locate(position);
  const moves = legalMoves(position);
  const sans = moves.map((move) => sanOf(position, move, moves)).sort();
  const dataset = `${white ? "white" : "black"}_to_move/dtm`;
  console.log(JSON.stringify([fenOf(position), material, dataset, slot, sans]));
}
