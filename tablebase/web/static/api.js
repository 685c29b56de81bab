// Questions to the server.

export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

async function answerOf(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "the server does not answer: is it still running?");
  }
  if (!response.ok) throw new Refused(response.status, await response.text());
  return response.json();
}

/** Return the JSON of an answer; `Refused` with the server's words if it is an error. */
export function ask(path, parameters = {}, signal = undefined) {
  const query = new URLSearchParams(parameters).toString();
  return answerOf(query ? `${path}?${query}` : path, { signal });
}

/** Return the JSON of the answer to a text; raises as `ask` does. */
export function sendText(path, text) {
  return answerOf(path, { method: "POST", body: text });
}
