// Print what the laboratory's page makes of games: its law, its file of rules, perhaps tables and figures.
//
//     node laboratory_in_node.mjs SITE < GAMES, a list in JSON of links, with the endings to solve

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Game } from "../../tablebase/explorer/laboratory/game.js";
import { makeMovement } from "../../tablebase/explorer/laboratory/movement.js";
import { lawOf, problemsOf } from "../../tablebase/explorer/laboratory/problems.js";
import { Figures } from "../../tablebase/explorer/laboratory/figures.js";
import { Problems, compiled, solve } from "../../tablebase/explorer/reader/engine.js";
import { inflated } from "../../tablebase/explorer/reader/table.js";

const site = process.argv[2];
const { module, templates } = JSON.parse(readFileSync(`${site}/laboratory/templates.json`));
const kernels = await compiled(await inflated(readFileSync(`${site}/laboratory/${module}`)));
const digest = (array) => createHash("sha256").update(new Uint8Array(array.buffer)).digest("hex");
const described = (movement) => movement.map(({ name, shape, data }) => [name, shape, digest(data)]);

function gameOf({ link, endings }) {
  let game;
  try {
    game = new Game(link);
  } catch ({ name, message }) {
    return { name, message };
  }
  const template = templates[game.symmetry];
  const given = game.lawOf(template);
  const law = lawOf(given);
  const found = {
    link: game.link, symmetry: game.symmetry, file: game.file, movement: described(law.movement), goal: String(law.goal),
    push_rank: law.push_rank, stalemate_loses: law.stalemate_loses, splits: law.splits, endings: {},
  };
  if (!endings.length) return found;
  const problems = new Problems(problemsOf(files[game.symmetry], given));
  const figures = new Figures(game.recordOf(template), template.numbering);
  const tables = new Map();
  for (const name of endings) {
    for (const [key, table] of solve(kernels, problems, `${name} dtm`, tables)) tables.set(key, table);
    const { codes } = tables.get(`${name} dtm`);
    found.endings[name] = { codes: codes.map(digest), figures: figures.of(name, tables.get(`${name} dtm`)) };
  }
  return found;
}

const files = {};
for (const [name, { problems }] of Object.entries(templates)) files[name] = await inflated(readFileSync(`${site}/laboratory/${problems}`));
const asked = JSON.parse(readFileSync(0));
console.log(JSON.stringify({
  games: (asked.games ?? []).map(gameOf), movements: (asked.movements ?? []).map((kinds) => described(makeMovement(kinds))),
}));
