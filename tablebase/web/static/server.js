// Answers of `tablebase serve`, over HTTP. See source.js.

import { ROOT } from "./addresses.js";
import { Refused } from "./refusals.js";

/** Return what a promise of the network gives; `Refused` if the server has gone. */
async function arrived(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "the server does not answer: is it still running?");
  }
}

async function responseOf(path, parameters, options) {
  const query = new URLSearchParams(parameters).toString();
  const response = await arrived(fetch(`${ROOT}${path.slice(1)}${query && `?${query}`}`, options));
  if (!response.ok) throw new Refused(response.status, await response.text());
  return response;
}

/** Return the JSON of an answer; `Refused` with the server's words if it is an error. */
export async function ask(path, parameters = {}, signal = undefined) {
  return (await responseOf(path, parameters, { signal })).json();
}

/** Return the JSON of the answer to a text; raises as `ask` does. */
export async function sendText(path, text, parameters = {}) {
  return (await responseOf(path, parameters, { method: "POST", body: text })).json();
}

/** Yield the lines of JSON that an order is answered with, as they come; raises as `ask` does. */
export async function* order(path, parameters, signal) {
  const response = await responseOf(path, parameters, { method: "POST", signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await arrived(reader.read());
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    yield* lines.map((line) => JSON.parse(line));
  }
}
