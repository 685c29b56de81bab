// Print FEN, material, data set, slot, men of that slot, and moves of each FEN of the input, in lines of JSON.
//
// node locate_in_node.mjs DATA, a file with the JSON of `rules` and `numbering`. The board of the slot must be
// located there, too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Numbering } from "../../tablebase/explorer/reader/numbering.js";
import { fenOf, legalMoves, readPosition, sanOf } from "../../tablebase/explorer/reader/position.js";
import { Rules } from "../../tablebase/explorer/reader/rules.js";

const data = JSON.parse(readFileSync(process.argv[2], "utf8"));
const rules = new Rules(data.rules);
const numbering = new Numbering(rules, data.numbering);
for await (const fen of createInterface({ input: process.stdin })) {
  const position = readPosition(fen, rules);
  const place = numbering.locate(position);
  const { material, white, slot } = place;
  const placed = numbering.placedAt(material, slot);
  assert.deepEqual(numbering.locate({ ...placed, white }), place);
  const moves = legalMoves(position);
  const sans = moves.map((move) => sanOf(position, move, moves));
  const dataset = `${white ? "white" : "black"}_to_move/dtm`;
  const [men] = fenOf({ ...position, ...placed, passed: -1 }).split(" ");
  console.log(JSON.stringify([fenOf(position), material, dataset, slot, men, sans]));
}
