// What each FEN of the input costs a new reader, but for indexes: node cost_from_cold.mjs ADDRESS
//
// A round is a set of requests, each of which was made before any other of the set was answered.
import { createInterface } from "node:readline";
import { open } from "../../tablebase/web/static/reader/index.js";

const [address] = process.argv.slice(2);
for await (const fen of createInterface({ input: process.stdin })) {
  const cost = { requests: 0, bytes: 0, rounds: 0 };
  let answered = 0; // the round of the latest answer
  const fetched = async (url, options) => {
    if (url.endsWith(".json")) return fetch(url, options);
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
  const { requests } = cost;
  await tables.probe(fen);
  console.log(JSON.stringify({ ...cost, again: cost.requests - requests }));
}
