// Questions to the server.

export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/** Return the JSON of an answer; `Refused` with the server's words if it is an error. */
export async function ask(path, parameters = {}, signal = undefined) {
  const query = new URLSearchParams(parameters).toString();
  let response;
  try {
    response = await fetch(query ? `${path}?${query}` : path, { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "the server does not answer: is it still running?");
  }
  if (!response.ok) throw new Refused(response.status, await response.text());
  return response.json();
}
