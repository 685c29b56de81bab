// Look positions up one after the other; print which tables are solved for each.
//
//     node leaving_in_node.mjs ADDRESS BYTES FEN...

import { open } from "../../tablebase/explorer/reader/index.js";

const [address, bytes, ...fens] = process.argv.slice(2);
const tables = await open(address, { cacheSize: Number(bytes) });
for (const fen of fens) {
  const solved = new Set();
  await tables.standard(fen, { waits: (words) => solved.add(words.split(" ")[1]) });
  console.log(JSON.stringify([...solved]));
}
