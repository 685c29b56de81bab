// What a page says of a file: address: node file_in_a_page.mjs
import assert from "node:assert/strict";

globalThis.process = undefined; // as in a page
const { open } = await import("../../tablebase/explorer/reader/index.js");
await assert.rejects(open("file:///tables/"), {
  name: "HostError",
  message: "a page cannot read file:///tables/tables.json: serve the folder, by python -m http.server or another",
});
console.log("held");
