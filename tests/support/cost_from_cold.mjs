// What each FEN of the input costs a new reader, but for indexes: node cost_from_cold.mjs ADDRESS
//
// A round is a set of requests, none of which waited for the answer of another of the set.
import { createInterface } from "node:readline";
import { open } from "../../tablebase/explorer/reader/index.js";

const [address] = process.argv.slice(2);
const indexes = new Map();

/** Return the answer to a request for an index, at once if it was asked for before. */
async function indexAt(url) {
  if (!indexes.has(url)) {
    const response = await fetch(url);
    indexes.set(url, { status: response.status, bytes: await response.arrayBuffer() });
  }
  const { status, bytes } = indexes.get(url);
  return new Response(bytes, { status });
}

for await (const fen of createInterface({ input: process.stdin })) {
  const probeByNewReader = async (cost) => {
    let answered = 0; // the round of the latest answer
    const fetched = async (url, options) => {
      if (url.endsWith(".json")) return indexAt(url);
      const round = answered + 1;
      cost.requests += 1;
      cost.rounds = Math.max(cost.rounds, round);
      const response = await fetch(url, options);
      const bytes = await response.arrayBuffer();
      cost.bytes += bytes.byteLength;
      answered = Math.max(answered, round);
      const { status, headers } = response;
      return new Response(bytes, { status, headers });
    };
    const tables = await open(address, { fetch: fetched, inFlight: 1000 });
    await tables.probe(fen);
    return tables;
  };
  await probeByNewReader({}); // for the indexes
  const cost = { requests: 0, bytes: 0, rounds: 0 };
  const tables = await probeByNewReader(cost);
  const { requests } = cost;
  await tables.probe(fen);
  console.log(JSON.stringify({ ...cost, again: cost.requests - requests }));
}
