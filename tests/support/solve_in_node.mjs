// Solve the tables of a file of problems, as a page does; print what they hold, and what it took.
//
//     node solve_in_node.mjs MODULE PROBLEMS KEY...

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Problems, compiled, solve } from "../../tablebase/explorer/reader/engine.js";
import { inflated } from "../../tablebase/explorer/reader/table.js";

const [module, problems, ...keys] = process.argv.slice(2);
const kernels = await compiled(await inflated(readFileSync(module)));
const file = new Problems(await inflated(readFileSync(problems)));
const tables = new Map();
const before = process.cpuUsage();
for (const key of keys) for (const [one, table] of solve(kernels, file, key, tables)) tables.set(one, table);
const { user, system } = process.cpuUsage(before);
const [stated, memory] = [file.memoryFor(file.order(keys.at(-1))).all, peak()];

/** Return the most memory of this process; where Linux starts it, `maxRSS` has that of the parent, too. */
function peak() {
  if (process.platform !== "linux") return 1024 * process.resourceUsage().maxRSS;
  const [, kilobytes] = /^VmHWM:\s*(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"));
  return 1024 * Number(kilobytes);
}

const digest = (codes) => createHash("sha256").update(codes).digest("hex");
const described = keys.map((key) => {
  const { codes, epochs, outcomes = null } = tables.get(key);
  return [key, { codes: codes.map(digest), epochs: epochs?.map(digest) ?? null, outcomes }];
});
console.log(JSON.stringify({ seconds: (user + system) / 1e6, stated, memory, tables: Object.fromEntries(described) }));
