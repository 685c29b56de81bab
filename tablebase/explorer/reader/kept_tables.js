// Solved tables that the browser keeps for the next visit, where it lets a page keep anything.

import { inflated } from "./table.js";

const MOST = 2 ** 30; // bytes that a site may have on a device, at most this part of its room:
const SHARE = 4;

const asLists = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);

/** The kept tables of a folder, by keys like `KRK dtm`; each failure to read or keep one is silent. */
export class KeptTables {
  #folder;
  #store; // the promise of a cache

  /** @param {Uint8Array[]} files what tables are solved by: other files have tables of their own */
  constructor(folder, files) {
    this.#folder = folder;
    this.#store = opened(folder, files);
    this.#store.catch(() => {});
  }

  #at = (key) => new URL(encodeURIComponent(key), this.#folder).href;

  /** Return a table, null if it is not kept, or damaged. */
  async get(key) {
    try {
      const response = await (await this.#store).match(this.#at(key));
      return response ? unpacked(await inflated(await response.arrayBuffer()), key) : null;
    } catch {
      return null;
    }
  }

  /** Keep tables, as far as there is room. */
  async put(tables) {
    try {
      const store = await this.#store;
      for (const [key, { codes, epochs, ...others }] of tables) {
        const parts = [...codes, ...(epochs ?? [])];
        const { usage, quota } = await navigator.storage.estimate();
        if (usage + parts.length * parts[0].length > Math.min(MOST, quota / SHARE)) continue;
        const line = JSON.stringify({ key, isLong: Boolean(epochs), ...others }, asLists);
        const stream = new Blob([line, "\n", ...parts]).stream().pipeThrough(new CompressionStream("deflate"));
        await store.put(this.#at(key), new Response(stream));
      }
    } catch {
      // Full, or forbidden: then the next visit solves them again.
    }
  }
}

/** Return the cache of what these files solve; those of earlier files are deleted. */
async function opened(folder, files) {
  const digest = await crypto.subtle.digest("SHA-256", await new Blob(files).arrayBuffer());
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const own = `solved ${hex} ${folder.href}`;
  const isOld = (name) => name.startsWith("solved ") && name.endsWith(` ${folder.href}`) && name !== own;
  await Promise.all((await caches.keys()).filter(isOld).map((name) => caches.delete(name)));
  return caches.open(own);
}

/** Return a table from its line and codes. */
function unpacked(bytes, key) {
  const end = bytes.indexOf(10) + 1;
  const { key: stated, isLong, ...others } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  const size = (bytes.length - end) / (isLong ? 4 : 2);
  const part = (i) => bytes.subarray(end + i * size, end + (i + 1) * size);
  return stated === key ? { ...others, codes: [0, 1].map(part), epochs: isLong ? [2, 3].map(part) : null } : null;
}
