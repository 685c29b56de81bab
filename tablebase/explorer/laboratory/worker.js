// A worker that solves the endings of a game one after the other, and tells the figures of each.

import { Problems, solve } from "../reader/engine.js";
import { Figures } from "./figures.js";
import { problemsOf } from "./problems.js";

self.onmessage = ({ data: { module, bytes, law, record, numbering, keys } }) => {
  try {
    const problems = new Problems(problemsOf(bytes, law));
    const figures = new Figures(record, numbering);
    const tables = new Map();
    for (const key of keys) {
      for (const [one, table] of solve(module, problems, key, tables)) {
        tables.set(one, table);
        const name = one.split(" ")[0];
        self.postMessage({ name, figures: figures.of(name, table) });
      }
    }
    self.postMessage({ done: true });
  } catch ({ message }) {
    self.postMessage({ error: message });
  }
};
