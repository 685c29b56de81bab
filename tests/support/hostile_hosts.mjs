// What the reader does on hosts that mean no good: node hostile_hosts.mjs FOLDER, a path of published tables
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { crc32 } from "node:zlib";
import { TablebaseError, open } from "../../tablebase/explorer/reader/index.js";

const [folder] = process.argv.slice(2);
const FEN = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";

// By name, what a file is answered with instead.
const instead = new Map();
const server = createServer((request, response) => {
  const name = request.url.slice(1);
  if (instead.has(name)) return instead.get(name)(response, request);
  try {
    return response.end(readFileSync(`${folder}/${name}`));
  } catch {
    return response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${server.address().port}/`;

const recordOf = (name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));

/** Answer with a record, whose checksum is right. */
function put(name, record) {
  const { crc32: _, ...rest } = record;
  const text = `${JSON.stringify(rest).slice(1)}\n`;
  const whole = `{"crc32": ${crc32(text)},\n${text}`;
  instead.set(name, (response) => response.end(whole));
}

/** Check that a question fails in these words while a file is answered otherwise. */
async function refused(name, answer, question, error, message) {
  if (typeof answer === "function") instead.set(name, answer);
  else put(name, answer);
  await assert.rejects(question, (found) => {
    assert.equal(found.name, error, found.stack);
    assert.match(found.message, message);
    return true;
  });
  instead.delete(name);
}

// Hosts that keep one waiting.
const silent = () => {};
const stalling = (response) => response.write("{");
const late = /^127\.0\.0\.1:\d+ did not answer within 0\.2 s: /;
for (const answer of [silent, stalling]) {
  for (const name of ["tables.json", "numbering.json", "KRK.json", "KRK.h5"]) {
    const ask = async () => (await open(address, { timeout: 0.2 })).probe(FEN);
    await refused(name, answer, ask(), "HostError", late);
  }
}

// Files without end are not read to their end.
let sent = 0;
const endless = (status) => (response) => {
  response.writeHead(status);
  const write = () => {
    for (let more = true; more && !response.destroyed; sent += 65536) more = response.write(Buffer.alloc(65536, 32));
  };
  response.on("drain", write);
  write();
};
for (const name of ["tables.json", "numbering.json", "KRK.json", "KRK.h5"]) {
  const ask = async () => (await open(address, { wholeLimit: 100_000 })).probe(FEN);
  await refused(name, endless(200), ask(), "HostError", /\.(json|h5) has more than 100000 bytes, the most/);
}
const askByRanges = async () => (await open(address, { small: 0, wholeLimit: 100_000 })).probe(FEN);
await refused("KRK.h5", endless(206), askByRanges(), "HostError", /KRK\.h5 has more than 100000 bytes, the most/);
assert.ok(sent < 64e6, sent);

// A question can be given up, and asked again.
const reason = new Error("another position");
await assert.rejects(open(address, { signal: AbortSignal.abort(reason) }), reason);
const opening = new AbortController();
instead.set("tables.json", () => opening.abort(reason));
await assert.rejects(open(address, { signal: opening.signal }), reason);
instead.delete("tables.json");
const tables = await open(address);
for (const ask of [
  (signal) => tables.probe(FEN, { signal }),
  (signal) => tables.mainline(FEN, { signal }),
  (signal) => tables.standard(FEN, { signal, difficulty: true }),
  (signal) => tables.standardMainline(FEN, { signal }),
  (signal) => tables.random("KRK", { signal }),
  (signal) => tables.find("KRK", { white: true, metric: "dtm", outcome: 31, signal }),
  (signal) => tables.summaries({ signal }),
]) {
  await assert.rejects(ask(AbortSignal.abort(reason)), reason);
}
const asking = new AbortController();
const waiting = [];
instead.set("KRK.json", (response) => {
  waiting.push(response);
  asking.abort(reason);
});
await assert.rejects(tables.probe(FEN, { signal: asking.signal }), reason);
instead.delete("KRK.json");
const again = tables.probe(FEN); // by the request that is under way
waiting[0].end(readFileSync(`${folder}/KRK.json`));
assert.equal((await again).dtm, 31);
assert.equal(waiting.length, 1);

// Lists that point elsewhere, and old ones.
const list = recordOf("tables.json");
for (const base of ["data:,x", "javascript:1", "blob:x", "ftp://host.example/", "http://", 7, {}, null]) {
  await refused("tables.json", { ...list, base }, open(address), "CorruptTableError", /is not a list of published/);
}
const { rules, ...old } = list;
await refused("tables.json", { ...old, version: 1 }, open(address), "CorruptTableError",
  /tables\.json is of version 1, not 2: publish the tables again, or reload the page/);
await refused("tables.json", old, open(address), "CorruptTableError", /is not a list of published tables/);
for (const none of ["data:,x", "javascript:1", "blob:x"]) {
  await assert.rejects(open(none), { name: "HostError", message: /is not the address of a folder/ });
}

// Numberings that are none, or of another game.
const numbering = recordOf("numbering.json");
const ask = async () => (await open(address)).probe(FEN);
const gone = (response) => response.writeHead(404).end();
await refused("numbering.json", gone, ask(), "MissingTableError", /there is no file .*numbering\.json/);
for (const change of [{ version: 2 }, { rules_sha256: "0" }, { images: [] }, { kings: null }, { kept: {} }]) {
  await refused("numbering.json", { ...numbering, ...change }, ask(), "CorruptTableError", /numbering\.json cannot be used: /);
}

// Whatever rules and numbering say, there is an answer or an error in words.
const JUNK = [null, -1, 7, 1e9, 0.5, "", "K", "constructor", [], [[]], [null], {}, { P: [3, 3] }, true, ["a1"], ["P"],
  [[0, 0, 1]], "aaaa", "-".repeat(64)];
async function tried() {
  try {
    const found = await open(address);
    await found.standard(FEN);
    await found.random("KRK");
    await found.find("KRK", { white: true, metric: "dtm", outcome: 31 });
    return "answered";
  } catch (error) {
    assert.ok(error instanceof TablebaseError, error.stack);
    return error.name;
  }
}
const seen = new Set();
for (const junk of JUNK) {
  for (const field of Object.keys(rules)) {
    put("tables.json", { ...list, rules: { ...rules, [field]: junk } });
    seen.add(await tried());
  }
  for (const field of Object.keys(rules.kinds[0])) {
    const [king, ...kinds] = rules.kinds;
    put("tables.json", { ...list, rules: { ...rules, kinds: [{ ...king, [field]: junk }, ...kinds] } });
    seen.add(await tried());
  }
  put("tables.json", { ...list, rules: junk });
  seen.add(await tried());
  instead.delete("tables.json");
  for (const field of Object.keys(numbering)) {
    put("numbering.json", { ...numbering, [field]: junk });
    seen.add(await tried());
  }
  for (const [field, letter] of [["kings", "pawns"], ["kings", "255"], ["kept", "R"], ["kept", "K"]]) {
    put("numbering.json", { ...numbering, [field]: { ...numbering[field], [letter]: junk } });
    seen.add(await tried());
  }
  instead.delete("numbering.json");
}
assert.deepEqual(seen, new Set(["answered", "CorruptTableError", "UnsupportedPositionError"]));
server.closeAllConnections();
server.close();
console.log("held");
