// Published tables kept on this device, for use without a network.

import { ROOT, TABLES } from "./addresses.js";
import { byId } from "./page.js";
import { bytes, plural } from "./words.js";

const USUAL = 100_000_000; // bytes that are offered unless all tables of few men take more
const SCOPE = new URL(ROOT, location.href).href;
const FOLDER = TABLES === undefined ? undefined : new URL(TABLES, SCOPE);
const KEPT = `${SCOPE}kept.json`; // the record of what is kept
const LISTS = ["tables.json", "summaries.json"];

const CACHE = `tables ${SCOPE}`; // as in offline.js

/** Return the answer of the host; offline.js recognizes these requests by their `cache`. */
async function fetched(url) {
  const response = await fetch(url, { cache: "reload" });
  if (!response.ok) throw new Error(`${url}: the host answers with status ${response.status}`);
  return response;
}

/** Return the record of what is kept: `men`, `tables` (bytes by material) and the list; or null. */
async function kept() {
  const found = await caches.match(KEPT, { cacheName: CACHE });
  return found ? found.json() : null;
}

/** Keep a table: its file, then what describes it, so that an index never stands alone. */
async function keepTable(store, material, base) {
  const address = new URL(`${material}.json`, FOLDER);
  const text = await (await fetched(address)).text();
  const index = JSON.parse(text);
  const file = new URL(index.file, base);
  const before = await store.match(address);
  if (before && (await before.text()) === text && (await store.match(file))) return;
  await Promise.all([store.delete(address), store.delete(file)]);
  const parts = Object.values(index.datasets).flat().flatMap(({ part }) => (part ? [new URL(part, address)] : []));
  for (const url of [new URL(`${material}.summary.json`, FOLDER), ...parts]) await store.put(url, await fetched(url));
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

const menOf = (material) => material.length;

/** The row of the page that offers to keep the tables. */
export class Keeping {
  #listed = {}; // bytes by material
  #list = ""; // the text of the list of tables
  #busy = false;

  /** Show what can be kept, if these are published tables and the browser can. */
  async show() {
    if (TABLES === undefined || !globalThis.caches || !navigator.serviceWorker) return;
    const response = await fetched(new URL("tables.json", FOLDER));
    this.#list = await response.text();
    const { tables } = JSON.parse(this.#list);
    this.#listed = Object.fromEntries(Object.entries(tables).map(([name, one]) => [name, one.bytes]));
    if (!Object.keys(tables).length) return;
    this.#offer();
    byId("keeping").hidden = false;
    byId("keep").addEventListener("click", () => this.#keep());
    byId("keep-men").addEventListener("change", () => this.#name());
    byId("forget").addEventListener("click", () => this.#forget());
    await this.#tell();
  }

  #upTo(men) {
    return Object.keys(this.#listed).filter((material) => menOf(material) <= men);
  }

  #bytesOf(materials) {
    return materials.reduce((sum, one) => sum + this.#listed[one], 0);
  }

  /** Offer each number of men, and choose the largest that takes little room. */
  #offer() {
    const counts = [...new Set(Object.keys(this.#listed).map(menOf))].sort();
    const options = counts.map((men) => new Option(`up to ${men} pieces`, men));
    byId("keep-men").replaceChildren(...options);
    byId("keep-men").hidden = counts.length < 2;
    const usual = counts.filter((men) => this.#bytesOf(this.#upTo(men)) <= USUAL);
    byId("keep-men").value = usual.at(-1) ?? counts[0];
    this.#name();
  }

  get #chosen() {
    return Number(byId("keep-men").value);
  }

  #name() {
    byId("keep").textContent = `Keep these tables on this device (${bytes(this.#bytesOf(this.#upTo(this.#chosen)))})`;
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
    const materials = this.#upTo(men);
    const all = bytes(this.#bytesOf(materials));
    const note = byId("keep-note");
    note.textContent = `0 of ${all}`;
    await keepPages();
    // Without this, a browser that runs out of room may drop them.
    await navigator.storage?.persist?.();
    const store = await caches.open(CACHE);
    const { base } = JSON.parse(this.#list);
    let done = 0;
    for (const material of materials) {
      await keepTable(store, material, base ? new URL(base, FOLDER) : FOLDER);
      done += this.#listed[material];
      note.textContent = `${bytes(done)} of ${all}`;
    }
    for (const name of LISTS) await store.put(new URL(name, FOLDER), await fetched(new URL(name, FOLDER)));
    const tables = Object.fromEntries(materials.map((one) => [one, this.#listed[one]]));
    await store.put(KEPT, new Response(JSON.stringify({ men, tables, list: this.#list })));
  }

  /** Remove the tables and the pages from this device. */
  async #forget() {
    const registration = await navigator.serviceWorker.getRegistration(SCOPE);
    await registration?.unregister();
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.endsWith(` ${SCOPE}`)).map((name) => caches.delete(name)));
    await this.#tell();
  }
}
