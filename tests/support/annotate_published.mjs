// Annotate games by published tables: node annotate_published.mjs SITE < JSON [[text, number], ...]
// SITE is a folder of publication. Each line of the output is an answer, or an error, as JSON.
import { text } from "node:stream/consumers";

const [site] = process.argv.slice(2);
const { open } = await import(`${site}reader/index.js`);
const { annotatedGame } = await import(`${site}web/annotation.js`);
const tables = await open(`${site}tables/`);
for (const [pgn, number] of JSON.parse(await text(process.stdin))) {
  const failed = ({ name, message }) => ({ error: name, message });
  console.log(JSON.stringify(await annotatedGame(tables, pgn, number).catch(failed)));
}
