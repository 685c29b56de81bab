// The explorer's partner for each line of {moves, fens}, the last FEN being now: prints its moves.
import { createInterface } from "node:readline";
import { hardest } from "../../tablebase/explorer/web/partner.js";
import { readLoosely } from "../../tablebase/explorer/reader/position.js";
import { CHESS } from "../../tablebase/explorer/reader/rules.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { moves, fens } = JSON.parse(line);
  console.log(hardest(moves, readLoosely(fens.at(-1), CHESS), fens)?.uci ?? "none");
}
