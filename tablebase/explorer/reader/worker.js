// A worker that solves a table, and tells how far it is; see solver.js.

import { Problems, solve } from "./engine.js";

self.onmessage = ({ data: { module, bytes, key, given } }) => {
  try {
    const solved = solve(module, new Problems(bytes), key, given, (...told) => self.postMessage({ told }));
    const buffers = [...solved.values()].flatMap(({ codes, epochs }) => [...codes, ...(epochs ?? [])]).map(({ buffer }) => buffer);
    self.postMessage({ solved }, buffers);
  } catch ({ name, message }) {
    self.postMessage({ error: { name, message } });
  }
};
