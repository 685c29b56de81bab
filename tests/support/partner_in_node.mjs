// The explorer's partner for each line of {moves, fens}, the last FEN being now: prints its moves.
import { createInterface } from "node:readline";
import { hardest } from "../../tablebase/explorer/web/partner.js";
import { readFen } from "../../tablebase/explorer/web/position.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { moves, fens } = JSON.parse(line);
  console.log(hardest(moves, readFen(fens.at(-1)), fens)?.uci ?? "none");
}
