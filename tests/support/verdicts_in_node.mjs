// The explorer's verdict on each line of {fen, answer, rules}: prints headline and detail as JSON.
import { createInterface } from "node:readline";
import { readLoosely } from "../../tablebase/explorer/reader/position.js";
import { CHESS, Rules } from "../../tablebase/explorer/reader/rules.js";
import { verdict } from "../../tablebase/explorer/web/words.js";

const SERVER = { max_men: 6, location: "--dir data" };
for await (const line of createInterface({ input: process.stdin })) {
  const { fen, answer, rules } = JSON.parse(line);
  console.log(JSON.stringify(verdict(answer, readLoosely(fen, rules ? new Rules(rules) : CHESS), SERVER)));
}
