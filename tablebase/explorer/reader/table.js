// A published table: its index, and the outcomes of its slots.

import { CorruptTableError, MissingTableError } from "./errors.js";
import { DTM, DTZ, HELPMATES, METRICS, outcomeToMate, outcomeToZeroing } from "./outcomes.js";

export const INDEX_FORMAT = "chess-tablebase-index";
const VERSION = 1;
// Of table files; the second of each has epochs. The last are of games without royal kings, or with layers.
const FILE_VERSIONS = { chess: [3, 4], games: [5, 6], others: [7, 8] };
/** Chunks that a search looks through at most. */
export const MOST_CHUNKS = 256;
const MAX_CHUNK = 1 << 20;
const PART_NAME = /^[A-Zv]+\.[\w.]+\.json$/;
const SIDES = ["white_to_move", "black_to_move"];

/** Return the JSON of a file whose first line has the CRC-32 of all that follows it.
 *
 * @param {Uint8Array} bytes
 * @param {URL} url as errors name it
 * @throws {CorruptTableError} if it is damaged
 */
export function readChecked(bytes, url) {
  const end = bytes.indexOf(10);
  const stated = /^\{"crc32": (\d+),$/.exec(new TextDecoder().decode(bytes.subarray(0, Math.max(end, 0))));
  if (!stated) throw new CorruptTableError(`${url.href} is not an index of published tables`);
  if (crc32(bytes.subarray(end + 1)) !== Number(stated[1])) {
    throw new CorruptTableError(`${url.href} is damaged: its checksum does not match`);
  }
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new CorruptTableError(`${url.href} is damaged: it is not JSON`, { cause: error });
  }
}

// Checksums, and chunks of codes: a stream of zlib followed by HDF5's fletcher32 of its bytes

const CHECKSUM_SIZE = 4;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Return the CRC-32 of bytes, as of zlib. */
export function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ CRC_TABLE[(value ^ byte) & 255];
  return (value ^ 0xffffffff) >>> 0;
}

/** Return HDF5's fletcher32 of bytes, read as big-endian words, an odd last one padded with 0. */
function fletcher32(bytes) {
  let [first, second] = [0, 0];
  const words = bytes.length >> 1;
  for (let i = 0; i < words; i += 1) {
    first = (first + (bytes[2 * i] << 8) + bytes[2 * i + 1]) % 0xffff;
    second = (second + first) % 0xffff;
  }
  if (bytes.length % 2) {
    first = (first + (bytes[bytes.length - 1] << 8)) % 0xffff;
    second = (second + first) % 0xffff;
  }
  // 65535 stands for 0 unless nothing was added.
  const some = bytes.some((byte) => byte !== 0);
  return (((some && !second ? 0xffff : second) << 16) | (some && !first ? 0xffff : first)) >>> 0;
}

/** Return what a stream of zlib holds; an error if that is more than `most` bytes. */
export async function inflated(bytes, most = Infinity) {
  const { readable, writable } = new DecompressionStream("deflate");
  // Streams of a `Blob`, or a `Response` that joins the parts, take half as long again.
  const writer = writable.getWriter();
  for (const sent of [writer.write(bytes), writer.close()]) sent.catch(() => {}); // reading fails, too
  const parts = [];
  let length = 0;
  for (const reader = readable.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) throw new RangeError("it holds too much");
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  for (const part of parts.reverse()) whole.set(part, (length -= part.length));
  return whole;
}

/** Return the codes of a chunk, `size` of them.
 *
 * @param {Uint8Array} stored the chunk as it lies in the file
 * @returns {Promise<Uint8Array>}
 * @throws {Error} in words, if it is damaged
 */
async function unpack(stored, size) {
  const content = stored.subarray(0, stored.length - CHECKSUM_SIZE);
  const end = stored.subarray(content.length);
  const stated = (end[0] | (end[1] << 8) | (end[2] << 16) | (end[3] << 24)) >>> 0;
  if (stored.length <= CHECKSUM_SIZE || fletcher32(content) !== stated) {
    throw new Error("the checksum of a chunk does not match");
  }
  const codes = await inflated(content, size).catch((error) => {
    throw new Error("a chunk cannot be decompressed", { cause: error });
  });
  if (codes.length !== size) throw new Error(`a chunk has ${codes.length} codes instead of ${size}`);
  return codes;
}

const isCount = (number) => Number.isSafeInteger(number) && number >= 0;

/** A table whose index has been read.
 *
 * Use `openTable`.
 */
class Table {
  #host;
  #chunks;
  #index;
  #indexUrl;
  #fileUrl;
  #parts = new Map(); // promises of the sizes and gaps of chunks, by the name of their file

  constructor(host, chunks, index, indexUrl, fileUrl) {
    this.#host = host;
    this.#chunks = chunks;
    this.#index = index;
    this.#indexUrl = indexUrl;
    this.#fileUrl = fileUrl;
    this.material = index.material;
    this.metrics = index.metrics;
    this.helpmates = index.helpmates ?? []; // which an index of an earlier version does not name
  }

  /** Return the outcomes of slots, by side to move (`white`) and metric.
   *
   * @param {{white: boolean, slot: number}[]} places
   * @param {string} metric one of `metrics` or `helpmates`
   * @returns {Promise<number[]>}
   */
  async outcomes(places, metric) {
    const parts = this.#partsOf(metric);
    const size = this.#index.chunk_size;
    // All at once, since chunks of codes and of epochs are neighbours in the file.
    const chunks = await this.#load(parts.flatMap((part) => places.map(({ white, slot }) => (
      { dataset: `${SIDES[white ? 0 : 1]}/${part}`, number: Math.floor(slot / size) }))));
    const [codes, epochs] = parts.map((_, part) =>
      places.map(({ slot }, i) => chunks[part * places.length + i][slot % size]));
    return places.map(({ white }, i) => {
      const outcome = this.#meaning(white, metric, codes[i], epochs ? epochs[i] : 0);
      if (outcome === null) throw this.#damage(`the code ${codes[i]} has no meaning`);
      return outcome;
    });
  }

  /** The number of chunks of each data set. */
  get chunkCount() {
    return Math.ceil(this.#index.slots / this.#index.chunk_size);
  }

  /** Return the slots of a chunk that have an outcome.
   *
   * @param {boolean} white whether White is to move in the table
   * @param {string} metric one of `metrics`
   * @param {number} outcome no draw
   * @param {number} number the chunk, below `chunkCount`
   * @returns {Promise<number[]>} none if the side's values are those of the other one
   */
  async slotsWith(white, metric, outcome, number) {
    if (this.#index.symmetric && !white) return [];
    const side = SIDES[white ? 0 : 1];
    const loads = this.#partsOf(metric).map((part) => this.#load([{ dataset: `${side}/${part}`, number }]));
    const [[codes], [epochs] = []] = await Promise.all(loads);
    const start = number * this.#index.chunk_size;
    const length = Math.min(codes.length, this.#index.slots - start);
    const found = [];
    for (let i = 0; i < length; i += 1) {
      if (this.#meaning(white, metric, codes[i], epochs ? epochs[i] : 0) === outcome) found.push(start + i);
    }
    return found;
  }

  #partsOf(metric) {
    const isLong = this.#index.format_version % 2 === 0 && metric === DTM;
    return isLong ? [metric, `${metric}_epoch`] : [metric];
  }

  /** Return the outcome of a code, null if it has none. */
  #meaning(white, metric, code, epoch) {
    return meaningOf(metric, code, epoch, this.#index.dtz_outcomes?.[SIDES[white ? 0 : 1]]);
  }

  /** Return the codes of chunks, by data set and number. */
  async #load(wanted) {
    const found = new Map(); // promises of chunks; the cache may drop them meanwhile
    const missing = new Map(); // data set and number of chunks, by their keys
    const keys = wanted.map(({ dataset, number }) => {
      const key = `${this.material}/${dataset}/${number}`;
      if (this.#chunks.has(key)) found.set(key, this.#chunks.get(key));
      else missing.set(key, { dataset, number });
      return key;
    });
    const extents = await Promise.all([...missing.values()].map((one) => this.#extent(one)));
    // Another probe may have asked for some while the sizes of chunks were fetched.
    const fresh = [...missing.keys()].map((key, i) => ({ key, extent: extents[i] }))
      .filter(({ key }) => !this.#chunks.has(key));
    const stored = this.#host.ranges(
      this.#fileUrl, this.#index.file_size, fresh.map(({ extent }) => extent), (bytes) => {
        // A host that makes indexes when asked for them does not read whole files.
        const stated = this.#index.file_crc32;
        if (stated !== null && crc32(bytes) !== stated) throw this.#damage("its checksum does not match");
      },
    );
    for (const [i, { key }] of fresh.entries()) {
      found.set(key, this.#chunks.put(key, stored[i].then((bytes) => this.#unpack(bytes))));
    }
    for (const key of missing.keys()) if (!found.has(key)) found.set(key, this.#chunks.get(key));
    return Promise.all(keys.map((key) => found.get(key)));
  }

  async #unpack(bytes) {
    try {
      return await unpack(bytes, this.#index.chunk_size);
    } catch (error) {
      throw this.#damage(error.message, error);
    }
  }

  /** Return offset and size of a chunk in the file. */
  async #extent({ dataset, number }) {
    const run = this.#index.datasets[dataset]?.findLast(({ chunk }) => chunk <= number);
    const listed = run && (run.sizes ? run : await this.#part(run));
    const place = number - run?.chunk;
    if (!listed || !(place < listed.sizes.length)) throw this.#damage(`its index lacks a chunk of ${dataset}`);
    // Once for each run: where its chunks begin.
    run.starts ??= startsOf(run.offset, listed);
    const [start, size] = [run.starts[place], listed.sizes[place]];
    if (!(start >= 0 && start + size <= this.#index.file_size)) {
      throw this.#damage(`its index has a chunk of ${dataset} outside of the file`);
    }
    return [start, size];
  }

  /** Return the promise of the sizes and gaps of a run that a file of its own has. */
  #part(run) {
    if (!this.#parts.has(run.part)) {
      const url = new URL(run.part, this.#indexUrl);
      const read = this.#host.whole(url).then((bytes) => {
        const listed = readChecked(bytes, url);
        if (!areExtents(listed, this.#index) || listed.sizes.length !== run.count) {
          throw new CorruptTableError(`${url.href} does not fit its index: publish ${this.material} again`);
        }
        return listed;
      });
      this.#parts.set(run.part, read);
      read.catch(() => this.#parts.delete(run.part));
    }
    return this.#parts.get(run.part);
  }

  #damage(reason, cause = undefined) {
    return new CorruptTableError(`${this.#fileUrl.href} is damaged: ${reason}`, { cause });
  }
}

/** Return the outcome of a code and its epoch, null if it has none; `outcomes` are those of a side's codes to zeroing. */
export const meaningOf = (metric, code, epoch, outcomes) =>
  metric === DTZ ? outcomeToZeroing(code, outcomes) : outcomeToMate(code, epoch);

function startsOf(offset, { sizes, gaps }) {
  const starts = new Float64Array(sizes.length);
  for (let i = 1; i < sizes.length; i += 1) starts[i] = starts[i - 1] + sizes[i - 1] + (gaps ? gaps[i] : 0);
  return starts.map((start) => start + offset);
}

const areExtents = ({ sizes, gaps }, { chunk_size: size }) =>
  Array.isArray(sizes) && sizes.every((one) => isCount(one) && one > 4 && one <= size + size / 1000 + 64) &&
  (gaps === undefined || (Array.isArray(gaps) && gaps.length === sizes.length && gaps.every(Number.isSafeInteger)));

/** Return why an index is not one of a material, an empty text if it is. */
function problem(index, name, material, rules) {
  const versions = FILE_VERSIONS[rules.chess ? "chess" : rules.royal && !rules.check_counting ? "games" : "others"];
  if (index.format !== INDEX_FORMAT || index.version !== VERSION) {
    return `it is of version ${index.version}, not ${VERSION}: publish the tables again, or reload the page`;
  }
  if (index.material !== name) return `it is the index of ${index.material}`;
  if (!versions.includes(index.format_version)) {
    return `the table is of version ${index.format_version}, not ${versions.join(" or ")}`;
  }
  const isFit = material !== null && index.men === material.men && index.symmetric === material.isSymmetric &&
    index.slots === material.slots && isCount(index.file_size) &&
    (index.file_crc32 === null || isCount(index.file_crc32)) &&
    isCount(index.chunk_size) && index.chunk_size > 0 && index.chunk_size <= MAX_CHUNK &&
    index.file === `${name}.h5` &&
    Array.isArray(index.metrics) && index.metrics.length > 0 &&
    index.metrics.every((metric) => METRICS.includes(metric)) &&
    (index.helpmates ?? []).every((metric) => HELPMATES.includes(metric)) &&
    Object.values(index.datasets ?? {}).every((runs) => Array.isArray(runs) && runs.every((run) =>
      run instanceof Object && isCount(run.chunk) && isCount(run.offset) &&
      (run.sizes ? areExtents(run, index) : PART_NAME.test(run.part) && isCount(run.count)))) &&
    (!index.metrics.includes("dtz") || SIDES.every((side) => Array.isArray(index.dtz_outcomes?.[side])));
  return isFit ? "" : "it does not fit its material";
}

/** Read the index of a published table.
 *
 * @param {import("./host.js").Host} host
 * @param {object} chunks decompressed chunks: `has`, `get`, `put`
 * @param {string} name the material
 * @param {{rules: object, numbering: Promise<object>}} game
 * @param {URL} folder where the index lies
 * @param {URL} base where the table file lies
 * @returns {Promise<Table>}
 * @throws {MissingTableError} if the table is not published
 * @throws {CorruptTableError} if its index is damaged or of another version
 */
export async function openTable(host, chunks, name, { rules, numbering }, folder, base) {
  const url = new URL(`${name}.json`, folder);
  let bytes;
  try {
    bytes = await host.whole(url);
  } catch (error) {
    if (!(error instanceof MissingTableError)) throw error;
    throw new MissingTableError(`the table of ${name} is listed, but ${url.href} is missing`, { cause: error });
  }
  const index = readChecked(bytes, url);
  const reason = problem(index, name, (await numbering).materialNamed(name), rules);
  if (reason) throw new CorruptTableError(`${url.href} cannot be used: ${reason}`);
  return new Table(host, chunks, index, url, new URL(index.file, base));
}
