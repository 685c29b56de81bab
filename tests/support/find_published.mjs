// Find positions in published tables: node find_published.mjs TABLES < JSON [[material, wanted], ...]
// Each line of the output is a FEN or null, or an error, as JSON. Without `wanted`, positions are random.
import { text } from "node:stream/consumers";
import { open } from "../../tablebase/explorer/reader/index.js";

const [address] = process.argv.slice(2);
const tables = await open(address);
for (const [material, wanted] of JSON.parse(await text(process.stdin))) {
  const find = async () => (wanted ? tables.find(material, wanted) : tables.random(material));
  const failed = ({ name, message }) => ({ error: name, message });
  console.log(JSON.stringify(await find().catch(failed)));
}
