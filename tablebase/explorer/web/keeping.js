// Published tables kept on this device, for use without a network.

import { ROOT, TABLES } from "./addresses.js";
import { bytes } from "./figures.js";
import { byId, preference, setPreference } from "./page.js";
import { plural } from "./words.js";

const USUAL = 100_000_000; // bytes that are offered unless all tables of few men take more
const CHESS = new URL(TABLES, ROOT); // the folder of the tables of chess, which has those of other games
const KEPT = `${ROOT}kept.json`; // the record of what is kept
const OF_GAME = ["tables.json", "summaries.json", "numbering.json"];
const OF_TABLE = ["summary.json", "survey.json", "exercises.json"];

const KEEPS = "keeps"; // whether tables that pages solve are kept unasked
const CACHE = `tables ${ROOT}`; // as in offline.js

/** Return the answer of the host; offline.js recognizes these requests by their `cache`. */
async function fetched(url) {
  const response = await fetch(url, { cache: "reload" });
  if (!response.ok) throw new Error(`${url}: the host answers with status ${response.status}`);
  return response;
}

/** Return the record of what is kept: `men`, `tables` (bytes by place) and the lists; or null. */
async function kept() {
  const found = await caches.match(KEPT, { cacheName: CACHE });
  return found ? found.json() : null;
}

/** Return the tables of the lists of all games, and the texts of these lists. */
async function published() {
  const tables = [];
  const folders = [CHESS];
  const texts = [];
  const solvers = [];
  for (const folder of folders) { // those of other games are added meanwhile
    const text = await (await fetched(new URL("tables.json", folder))).text();
    const list = JSON.parse(text);
    if (list.server) return { tables: [], folders: [], solvers: [], list: "" }; // they are on this machine anyhow
    texts.push(text);
    solvers.push(...Object.values(list.solver ?? {}).map((name) => new URL(name, folder).href));
    folders.push(...(list.games ?? []).map(({ address }) => new URL(address, folder)));
    const base = list.base ? new URL(list.base, folder) : folder;
    for (const [material, { bytes: size }] of Object.entries(list.tables)) {
      tables.push({ place: new URL(material, folder).href, base, size, men: material.length });
    }
  }
  return { tables, folders, solvers, list: texts.join("") };
}

/** Keep a table: its file, then what describes it, so that an index never stands alone. */
async function keepTable(store, { place, base, size }) {
  const others = OF_TABLE.map((name) => `${place}.${name}`);
  if (!size) { // pages solve it
    for (const url of others) await store.put(url, await fetched(url));
    return;
  }
  const address = `${place}.json`;
  const text = await (await fetched(address)).text();
  const index = JSON.parse(text);
  const file = new URL(index.file, base);
  const before = await store.match(address);
  const isKept = before && (await before.text()) === text && (await store.match(file));
  if (!isKept) await Promise.all([store.delete(address), store.delete(file)]);
  const parts = Object.values(index.datasets).flat().flatMap(({ part }) => (part ? [new URL(part, address)] : []));
  for (const url of [...others, ...parts]) await store.put(url, await fetched(url));
  if (isKept) return;
  const content = await (await fetched(file)).blob();
  if (content.size !== index.file_size) {
    throw new Error(`${file.href} has ${content.size} bytes instead of ${index.file_size}`);
  }
  await store.put(file, new Response(content));
  await store.put(address, new Response(text));
}

/** Wait until the service worker has the pages. */
async function keepPages() {
  const registration = await navigator.serviceWorker.register(`${ROOT}offline.js`);
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  await new Promise((resolve, reject) => {
    const look = () => {
      if (worker.state === "activated") resolve();
      if (worker.state === "redundant") reject(new Error("the pages cannot be kept"));
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

const bytesOf = (tables) => tables.reduce((sum, { size }) => sum + size, 0);

/** The row of the page that offers to keep the tables. */
export class Keeping {
  #tables = []; // `place` (the address of its files without their endings), `base`, `size`, `men`
  #folders = []; // of the games
  #solvers = []; // addresses of that by which pages solve tables
  #list = ""; // the texts of the lists of tables
  #busy = false;

  /** Show what can be kept, if these are published tables and the browser can. */
  async show() {
    if (!globalThis.caches || !navigator.serviceWorker) return;
    const { tables, folders, solvers, list } = await published();
    if (!tables.length) return;
    [this.#tables, this.#folders, this.#solvers, this.#list] = [tables, folders, solvers, list];
    this.#offer();
    byId("keeping").hidden = false;
    byId("keep").addEventListener("click", () => this.#keep());
    byId("keep-men").addEventListener("change", () => this.#name());
    byId("forget").addEventListener("click", () => this.#forget());
    await this.#tell();
    if (!bytesOf(tables) && preference(KEEPS, true)) await this.#keep(); // they take no room
  }

  #upTo(most) {
    return this.#tables.filter(({ men }) => men <= most);
  }

  /** Offer each number of men, and choose the largest that takes little room. */
  #offer() {
    const counts = [...new Set(this.#tables.map(({ men }) => men))].sort();
    const options = counts.map((men) => new Option(`up to ${men} pieces`, men));
    byId("keep-men").replaceChildren(...options);
    byId("keep-men").hidden = counts.length < 2;
    const usual = counts.filter((men) => bytesOf(this.#upTo(men)) <= USUAL);
    byId("keep-men").value = usual.at(-1) ?? counts[0];
    this.#name();
  }

  get #chosen() {
    return Number(byId("keep-men").value);
  }

  #name() {
    byId("keep").textContent = `Keep these tables on this device (${bytes(bytesOf(this.#upTo(this.#chosen)))})`;
  }

  async #tell(problem = "") {
    const record = await kept();
    const isAll = record?.list === this.#list && record.men >= this.#chosen;
    byId("keep").hidden = isAll;
    byId("keep-men").hidden = isAll || byId("keep-men").options.length < 2;
    byId("forget").hidden = !record;
    const count = record ? Object.keys(record.tables).length : 0;
    const size = record ? Object.values(record.tables).reduce((sum, one) => sum + one, 0) : 0;
    const told = record ? `Kept on this device: ${plural(count, "table")}, ${bytes(size)}. They work without a network.` : "";
    const isOld = record && record.list !== this.#list;
    byId("keep-note").textContent = problem || (isOld ? `${told} Newer tables are published.` : told);
  }

  async #keep() {
    if (this.#busy) return;
    this.#busy = byId("keep").disabled = true;
    setPreference(KEEPS, true);
    let problem = "";
    try {
      await this.#keepAll(this.#chosen);
    } catch (error) {
      const isFull = error.name === "QuotaExceededError";
      problem = isFull ? "There is no room for them on this device." : `Not kept: ${error.message}`;
    }
    this.#busy = byId("keep").disabled = false;
    await this.#tell(problem);
  }

  async #keepAll(men) {
    const tables = this.#upTo(men);
    const all = bytes(bytesOf(tables));
    const note = byId("keep-note");
    note.textContent = `0 of ${all}`;
    await keepPages();
    // Without this, a browser that runs out of room may drop them.
    await navigator.storage?.persist?.();
    const store = await caches.open(CACHE);
    let done = 0;
    for (const table of tables) {
      await keepTable(store, table);
      done += table.size;
      note.textContent = `${bytes(done)} of ${all}`;
    }
    const lists = this.#folders.flatMap((folder) => OF_GAME.map((name) => new URL(name, folder)));
    for (const url of [...this.#solvers, ...lists]) await store.put(url, await fetched(url));
    const sizes = Object.fromEntries(tables.map(({ place, size }) => [place, size]));
    await store.put(KEPT, new Response(JSON.stringify({ men, tables: sizes, list: this.#list })));
  }

  /** Remove the tables and the pages from this device. */
  async #forget() {
    setPreference(KEEPS, false);
    const registration = await navigator.serviceWorker.getRegistration(ROOT);
    await registration?.unregister();
    const names = await caches.keys();
    // Names end with a folder; other sites of this host may lie beside this one, or in it.
    const own = [ROOT, `${ROOT}laboratory/`, ...this.#folders.map(({ href }) => href)];
    await Promise.all(names.filter((name) => own.includes(name.split(" ").at(-1))).map((name) => caches.delete(name)));
    await this.#tell();
  }
}
