// Answer FENs as lichess's server does: node standard_published.mjs TABLES [OPTIONS] < FENS
import { createInterface } from "node:readline";
import { open } from "../../tablebase/explorer/reader/index.js";

const [address, options = "{}"] = process.argv.slice(2);
const tables = await open(address);
for await (const fen of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await tables.standard(fen, JSON.parse(options))));
}
