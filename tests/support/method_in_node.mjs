// What methods advise for each line of {fen, moves}: prints the rule and the moves it allows, null without a method.
import { createInterface } from "node:readline";
import { advise } from "../../tablebase/explorer/web/method.js";
import { readLoosely } from "../../tablebase/explorer/reader/position.js";
import { CHESS } from "../../tablebase/explorer/reader/rules.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { fen, moves } = JSON.parse(line);
  const found = advise(readLoosely(fen, CHESS), moves);
  console.log(JSON.stringify(found && [found.rule, found.moves.map(({ uci }) => uci).sort()]));
}
