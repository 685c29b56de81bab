// What holds of the reader whatever the tables are: node reader_laws.mjs ADDRESS
import assert from "node:assert/strict";
import { open } from "../../tablebase/explorer/reader/index.js";

const [address] = process.argv.slice(2);
const FENS = [
  "8/8/8/8/8/2k5/1R6/K7 w - - 0 1",
  "8/8/3N4/8/8/2k5/1R6/K7 w - - 0 1",
  "8/8/8/3k4/8/8/1P6/K7 w - - 0 1",
];

/** Return a fetch that notes how many requests are under way at once, and each address. */
function watched() {
  const seen = { now: 0, most: 0, urls: [] };
  const fetched = async (url, options) => {
    seen.urls.push(`${url} ${options.headers.range ?? ""}`);
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    const response = await fetch(url, options);
    const bytes = await response.arrayBuffer();
    seen.now -= 1;
    const { status, headers } = response;
    return new Response(bytes, { status, headers });
  };
  return [seen, fetched];
}

const plain = await open(address);
const answers = await Promise.all(FENS.map((fen) => plain.probe(fen)));
assert.ok(answers.every(({ wdl }) => wdl === 1));

// What is in memory is not asked for again.
const { requests, bytes } = plain.statistics;
assert.deepEqual(await Promise.all(FENS.map((fen) => plain.probe(fen))), answers);
assert.deepEqual(plain.statistics, { requests, bytes });

// No more than so many requests are under way, and probes at once share them.
const [seen, fetch1] = watched();
const narrow = await open(address, { inFlight: 2, fetch: fetch1 });
const twice = [...FENS, ...FENS];
assert.deepEqual(await Promise.all(twice.map((fen) => narrow.probe(fen))), [...answers, ...answers]);
assert.equal(seen.most, 2);
assert.equal(new Set(seen.urls).size, seen.urls.length);

// A cache without room changes nothing but the number of requests.
const [again, fetch2] = watched();
const forgetful = await open(address, { cacheSize: 1, fetch: fetch2 });
for (const expected of [...answers, ...answers]) {
  assert.deepEqual(await forgetful.probe(expected.fen), expected);
}
assert.ok(again.urls.length > requests);

// After a failure the same question may be asked again.
let isDown = false;
const mended = await open(address, {
  fetch: async (...given) => {
    if (isDown) throw new TypeError("no network");
    return fetch(...given);
  },
});
isDown = true;
await assert.rejects(mended.probe(FENS[0]), { name: "HostError", message: /does not answer: no network/ });
isDown = false;
assert.deepEqual(await mended.probe(FENS[0]), answers[0]);

// Without the 50-move rule the fastest mate is best whatever the clock.
const late = await plain.probe("8/8/8/8/8/2k5/1R6/K7 w - - 90 1", { rule50: false });
assert.deepEqual([late.wdl50, late.dtz, late.dtm], [null, null, 31]);
assert.deepEqual(plain.available.KRK.metrics, ["dtm", "dtz"]);

// A wrong address is named.
await assert.rejects(open("no/address"), { name: "HostError", message: /^no\/address\/? is not the address/ });
console.log("held");
