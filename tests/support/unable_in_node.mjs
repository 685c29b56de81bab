// Look a position up where WebAssembly lacks vectors, is forbidden, or gets no memory; print the errors.
//
//     node unable_in_node.mjs ADDRESS FEN

import { open } from "../../tablebase/explorer/reader/index.js";

const [address, fen] = process.argv.slice(2);
const unable = {
  validate: () => false,
  compile: () => Promise.reject(new WebAssembly.CompileError("forbidden")),
  Memory: function Memory() {
    throw new RangeError("could not allocate memory");
  },
};
for (const [name, replaced] of Object.entries(unable)) {
  const kept = WebAssembly[name];
  WebAssembly[name] = replaced;
  const tables = await open(address);
  const told = await tables.probe(fen).catch((error) => ({ name: error.name, message: error.message }));
  console.log(JSON.stringify(told));
  WebAssembly[name] = kept;
}
