// Look up FENs in published tables: node probe_published.mjs ADDRESS [OPTIONS as JSON] < FENS
// Each line of the output is the JSON of an answer, or of an error, and what it cost: requests, bytes.
// The option `lines` adds the best moves of both sides, `standard` the JSON of lichess's server.
// The option `figures` begins with the figures of the tables.
import { createInterface } from "node:readline";
import { open } from "../../tablebase/explorer/reader/index.js";

const [address, options = "{}"] = process.argv.slice(2);
const { rule50 = true, lines = false, standard = false, figures = false, ...settings } = JSON.parse(options);
const failed = ({ name, message }) => ({ error: name, message });
const tables = await open(address, settings).catch((error) => {
  console.log(JSON.stringify(failed(error)));
  process.exit(0);
});
if (figures) {
  const all = async (name) => ({
    summary: await tables.summary(name),
    survey: await tables.survey(name),
    difficult: await tables.difficult(name),
    levels: await tables.exercises(name),
  });
  const names = Object.keys(tables.available);
  const each = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await all(name)])));
  const none = await tables.summary("KQQQQQK").catch(failed);
  console.log(JSON.stringify({ all: await tables.summaries(), each, none }));
}
for await (const fen of createInterface({ input: process.stdin })) {
  const before = tables.statistics;
  const answer = await tables.probe(fen, { rule50 }).catch(failed);
  if (lines) answer.line = await tables.mainline(fen, { rule50 }).catch(failed);
  if (standard) {
    answer.standard = await tables.standard(fen).catch(failed);
    answer.standardMainline = await tables.standardMainline(fen).catch(failed);
  }
  const { requests, bytes } = tables.statistics;
  answer.cost = [requests - before.requests, bytes - before.bytes];
  console.log(JSON.stringify(answer));
}
