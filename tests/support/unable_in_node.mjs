// Look a position up where WebAssembly lacks vectors, is forbidden, or gets no memory, and where a
// device is small; print the errors.
//
//     node unable_in_node.mjs ADDRESS FEN

import { open } from "../../tablebase/explorer/reader/index.js";

const [address, fen] = process.argv.slice(2);
const unable = [
  [WebAssembly, "validate", () => false],
  [WebAssembly, "compile", () => Promise.reject(new WebAssembly.CompileError("forbidden"))],
  [WebAssembly, "Memory", function Memory() {
    throw new RangeError("could not allocate memory");
  }],
  [globalThis, "navigator", { deviceMemory: 2 ** -8 }],
];
for (const [owner, name, value] of unable) {
  const kept = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true });
  const tables = await open(address);
  const told = await tables.probe(fen).catch((error) => ({ name: error.name, message: error.message }));
  console.log(JSON.stringify(told));
  if (kept) Object.defineProperty(owner, name, kept);
  else delete owner[name];
}
