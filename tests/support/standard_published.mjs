// Answer FENs as lichess's server does: node standard_published.mjs TABLES < FENS
import { createInterface } from "node:readline";
import { open } from "../../tablebase/web/static/reader/index.js";

const tables = await open(process.argv[2]);
for await (const fen of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await tables.standard(fen)));
}
