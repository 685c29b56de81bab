// Print for each FEN of the input its position as a FEN and what is left out, or why it is refused, in lines of JSON.
//
// node read_in_node.mjs DATA, a file with the JSON of the rules of a game.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fenOf, leftOut, readPosition } from "../../tablebase/explorer/reader/position.js";
import { Rules } from "../../tablebase/explorer/reader/rules.js";

const rules = new Rules(JSON.parse(readFileSync(process.argv[2], "utf8")));
for await (const fen of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify([fenOf(readPosition(fen, rules)), leftOut(fen, rules)]));
  } catch (error) {
    if (error.name !== "UnsupportedPositionError") throw error;
    console.log(JSON.stringify([error.message]));
  }
}
