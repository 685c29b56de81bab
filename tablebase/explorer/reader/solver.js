// Tables that have no files: solved by a worker when they are first asked, with their sub-tables.

import { Problems, compiled, memoryWords, solve } from "./engine.js";
import { CorruptTableError, MissingTableError, SolvingError } from "./errors.js";
import { KeptTables } from "./kept_tables.js";
import { DTM, HELPMATES } from "./outcomes.js";
import { inflated, meaningOf } from "./table.js";

const CHUNK = 1 << 14; // slots that a search looks through at once
const SMALL = 6 * 2 ** 20; // bytes of memory of what is solved sooner than a worker starts
const ERRORS = { CorruptTableError, SolvingError };

const materialOf = (key) => key.split(" ")[0];
const bytesOf = ({ codes, epochs }) => [...codes, ...(epochs ?? [])].reduce((sum, { length }) => sum + length, 0);

function inWords(key) {
  const [material, metric] = key.split(" ");
  return `${material} (${HELPMATES.includes(metric) ? "helpmates" : metric.toUpperCase()})`;
}

/** What solves the tables of a folder; solved ones are kept, of one ending even where they take much room. */
export class Solver {
  #host;
  #folder;
  #urls;
  #limit;
  #loaded = null; // the promise of the module and the problems
  #kept = new Map(); // solved tables by key; the last used come last
  #last = Promise.resolve(); // the work that comes before new work

  /**
   * @param {import("./host.js").Host} host
   * @param {URL} folder
   * @param {{module: string, problems: string}} stated addresses, relative to the folder
   * @param {number} limit most bytes to keep of endings that are not the last one
   */
  constructor(host, folder, { module, problems }, limit) {
    [this.#host, this.#folder] = [host, folder];
    this.#urls = { module: new URL(module, folder), problems: new URL(problems, folder) };
    this.#limit = limit;
  }

  async table(material, metrics, numbering) {
    const { problems } = await this.#read();
    const helpmates = HELPMATES.filter((metric) => metrics.includes(DTM) && problems.has(`${material} ${metric}`));
    return new SolvedTable(this, material, metrics, helpmates, numbering);
  }

  /** Return the solved table of a key, like `KRK dtm`.
   *
   * @param {(words: string) => void} [waits] takes which table is being solved
   * @throws {SolvingError} if this browser or device cannot
   * @throws {CorruptTableError} if the module or the problems are damaged
   */
  async solved(key, waits) {
    if (!this.#kept.has(key)) {
      const work = this.#last.then(() => this.#kept.has(key) || this.#solve(key, waits));
      this.#last = work.catch(() => {});
      await work;
    }
    const table = this.#kept.get(key);
    this.#kept.delete(key);
    this.#kept.set(key, table);
    return table;
  }

  async #solve(key, waits) {
    const { module, bytes, problems, store } = await this.#read();
    const keys = problems.has(key) ? problems.order(key) : null;
    if (!keys) throw new MissingTableError(`${this.#urls.problems.href} lacks ${inWords(key)}: publish the tables again`);
    for (const one of [key, ...keys]) { // where the table is there, those before it are not needed
      const table = this.#kept.has(key) || this.#kept.has(one) ? null : await store.get(one);
      if (table) this.#kept.set(one, table);
    }
    if (!this.#kept.has(key)) {
      const given = new Map(keys.filter((one) => this.#kept.has(one)).map((one) => [one, this.#kept.get(one)]));
      const { all } = problems.memoryFor(keys);
      const tell = (one, done, of) => waits?.(`Solving ${inWords(one)}: ${done + 1} of ${of} tables, in ${memoryWords(all)}`);
      const solved = all < SMALL || !globalThis.Worker ? solve(module, problems, key, given, tell)
        : await inWorker({ module, bytes, key, given }, tell);
      for (const [one, table] of solved) this.#kept.set(one, table);
      store.put(solved);
    }
    const materials = new Set(keys.map(materialOf));
    let total = [...this.#kept.values()].reduce((sum, table) => sum + bytesOf(table), 0);
    for (const [one, table] of this.#kept) {
      if (total <= this.#limit) break;
      if (materials.has(materialOf(one))) continue;
      this.#kept.delete(one);
      total -= bytesOf(table);
    }
  }

  /** Return the promise of the module and the problems; a failure is tried again. */
  #read() {
    this.#loaded ??= this.#load();
    this.#loaded.catch(() => {
      this.#loaded = null;
    });
    return this.#loaded;
  }

  async #load() {
    const [module, bytes] = await Promise.all(Object.values(this.#urls).map(async (url) => {
      const packed = await this.#host.whole(url);
      return undamaged(url, () => inflated(packed));
    }));
    return {
      module: await compiled(module), bytes, store: new KeptTables(this.#folder, [module, bytes]),
      problems: await undamaged(this.#urls.problems, () => new Problems(bytes)),
    };
  }
}

/** Return what reading a file gives; `CorruptTableError` if it fails. */
async function undamaged(url, read) {
  try {
    return await read();
  } catch (error) {
    throw new CorruptTableError(`${url.href} is damaged: publish the tables again`, { cause: error });
  }
}

/** Solve in a worker that ends with its work, so that its memory is given back. */
async function inWorker(task, tell) {
  const worker = await startWorker();
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data: { told, solved, error } }) => {
        if (told) tell(...told);
        else if (solved) resolve(solved);
        else reject(new (ERRORS[error.name] ?? SolvingError)(error.message));
      };
      worker.onerror = (event) => reject(new SolvingError(`tables cannot be solved here: ${event.message}`));
      worker.postMessage(task);
    });
  } finally {
    worker.terminate();
  }
}

/** Return a worker, also where this module comes from another host than the page. */
async function startWorker() {
  const url = new URL("./worker.js", import.meta.url).href;
  try {
    return new Worker(url, { type: "module" });
  } catch (error) {
    if (error.name !== "SecurityError") throw error;
    const script = new Blob([`import ${JSON.stringify(url)};`], { type: "text/javascript" });
    return new Worker(URL.createObjectURL(script), { type: "module" });
  }
}

/** A table without a file, as a `Table` of table.js. */
class SolvedTable {
  #solver;
  #numbering;
  #slots;

  constructor(solver, material, metrics, helpmates, numbering) {
    [this.#solver, this.#numbering] = [solver, numbering];
    [this.material, this.metrics, this.helpmates, this.isSolved] = [material, metrics, helpmates, true];
    const { slots, isSymmetric } = numbering.materialNamed(material);
    [this.#slots, this.isSymmetric] = [slots, isSymmetric];
  }

  get chunkCount() {
    return Math.ceil(this.#slots / CHUNK);
  }

  async outcomes(places, metric, waits) {
    const outcomeAt = await this.#reader(metric, waits);
    return places.map(({ white, index }) => outcomeAt(white, index));
  }

  async slotsWith(white, metric, outcome, number) {
    if (this.isSymmetric && !white) return [];
    const outcomeAt = await this.#reader(metric);
    const first = number * CHUNK;
    return Array.from({ length: Math.min(CHUNK, this.#slots - first) }, (_, i) => first + i)
      .filter((slot) => outcomeAt(white, this.#numbering.indexOf(this.material, slot)) === outcome);
  }

  /** Return a function of the side to move and an index. */
  async #reader(metric, waits) {
    const { codes, epochs, outcomes } = await this.#solver.solved(`${this.material} ${metric}`, waits);
    return (white, index) => {
      const side = white ? 0 : 1;
      return meaningOf(metric, codes[side][index], epochs ? epochs[side][index] : 0, outcomes?.[side]);
    };
  }
}
