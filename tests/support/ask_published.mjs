// Ask published pages: node ask_published.mjs SITE < lines of [question, ...], see source.js
// SITE is a folder of publication. Each line of the output is an answer, or the refusal, as JSON.
import { createInterface } from "node:readline";

const [site] = process.argv.slice(2);
globalThis.location = new URL(site);
const source = await import(`${site}web/source.js`);
for await (const line of createInterface({ input: process.stdin })) {
  const [question, ...given] = JSON.parse(line);
  const refused = ({ status, message }) => ({ status, message });
  console.log(JSON.stringify(await source[question](...given).catch(refused)));
}
