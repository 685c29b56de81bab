// Ask published pages what they ask a server: node ask_published.mjs SITE < lines of [path, parameters]
// SITE is a folder of publication. Each line of the output is an answer, or the refusal, as JSON.
import { createInterface } from "node:readline";

const [site] = process.argv.slice(2);
globalThis.document = { documentElement: { dataset: { tables: "tables/" } } };
globalThis.location = new URL(site);
const { ask } = await import(`${site}web/files.js`);
for await (const line of createInterface({ input: process.stdin })) {
  const refused = ({ status, message }) => ({ status, message });
  console.log(JSON.stringify(await ask(...JSON.parse(line)).catch(refused)));
}
