// Questions of the page, answered by a server or from published tables: one interface, two sources.
//
// `tablebase publish` marks its pages with the address of their tables. Paths and answers are those
// of the server's API, whichever source answers.

import { TABLES } from "./addresses.js";

export { Refused } from "./refusals.js";

const source = await (TABLES === undefined ? import("./server.js") : import("./files.js"));

/** Return the JSON of an answer; `Refused` with the reason in words if there is none. */
export const ask = (path, parameters = {}, signal = undefined) => source.ask(path, parameters, signal);

/** Return the JSON of the answer to a text; raises as `ask` does. */
export const sendText = (path, text, parameters = {}) => source.sendText(path, text, parameters);

/** Yield the records that an order is answered with, as they come; raises as `ask` does. */
export const order = (path, parameters, signal) => source.order(path, parameters, signal);
