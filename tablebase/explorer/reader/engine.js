// Tables solved by the engine's own kernels, in WebAssembly, from the problems of a publication.
//
// `problems.bin` has what the engine's set-up makes: per ending *regions* of memory, as data that are kept once
// for all, zeros, or codes of tables, and pointers between them. docs/format.md describes it.

import { SolvingError } from "./errors.js";
import { DRAW_CODE } from "./outcomes.js";

const FORMAT = "chess-tablebase-problems";
const VERSION = 1;
const PAGE = 512; // bytes that data are kept by
const BLOCK = 1 << 16; // bytes that memory comes by
const OWN = 2 * 2 ** 20; // bytes for the stack and the constants of a module
const MOST = 4 * 2 ** 30 - BLOCK; // bytes that a module can address
const MANY = 8; // GiB of a device: browsers may tell no more
const UNALIGNED = 63;
const [EPOCHS, UNFINISHED] = [3, 4]; // of what kernels tell in `state`

const aligned = (size) => Math.ceil(size / (UNALIGNED + 1)) * (UNALIGNED + 1);

/** Return numbers whose first bytes come first, then their second bytes, and so on. */
export function fromPlanes(planes, width) {
  const bytes = new Uint8Array(planes.length);
  const count = planes.length / width;
  for (let plane = 0; plane < width; plane += 1) {
    for (let i = 0; i < count; i += 1) bytes[i * width + plane] = planes[plane * count + i];
  }
  return bytes;
}

/** Return bytes of memory in words. */
export const memoryWords = (bytes) => `${Math.ceil(bytes / 2 ** 20).toLocaleString("en")} MiB of memory`;

const inMemory = (key, bytes) => `solving ${key.split(" ")[0]} takes ${memoryWords(bytes)}`;

const tooLarge = (key, bytes) =>
  new SolvingError(`${inMemory(key, bytes)}, but a page has at most 4,095: publish its table, or ask for fewer pieces`);

/** Raise `SolvingError` if a page, or this device as far as its browser tells, is known to lack memory. */
function checkRoom(key, { own, all }) {
  if (own > MOST) throw tooLarge(key, own);
  const room = globalThis.navigator?.deviceMemory ?? MANY; // GiB
  if (room >= MANY || all <= (room * 2 ** 30) / 2) return;
  throw new SolvingError(`${inMemory(key, all)}, more than half of the ${room} GiB of this device: ask for fewer pieces`);
}

/** Return what takes memory; `SolvingError` if the device has none left. */
function granted(key, bytes, make) {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SolvingError(`${inMemory(key, bytes)}, which this device does not have: close other pages, or ask for fewer pieces`);
  }
}

/** The problems of a publication. */
export class Problems {
  #record;
  #pages;
  #first = []; // place of the number of the first page of each blob
  #steps;
  #data = new Map(); // of blobs that were asked for, since many endings share some

  /** @param {Uint8Array} bytes the content of the file, `inflated` */
  constructor(bytes) {
    const text = 4 + new DataView(bytes.buffer).getUint32(0, true);
    this.#record = JSON.parse(new TextDecoder().decode(bytes.subarray(4, text)));
    if (this.#record.format !== FORMAT || this.#record.version !== VERSION) throw new Error("it is of another version");
    let count = 0;
    for (const [size] of this.#record.blobs) {
      this.#first.push(count);
      count += Math.ceil(size / PAGE);
    }
    this.#steps = new Int32Array(fromPlanes(bytes.subarray(text, text + 4 * count), 4).buffer);
    for (let i = 1; i < count; i += 1) this.#steps[i] += this.#steps[i - 1];
    this.#pages = bytes.subarray(text + 4 * count);
  }

  has(key) {
    return Object.hasOwn(this.#record.endings, key);
  }

  /** Return the problem of a material and a metric, like `KRK dtm`. */
  ending(key) {
    const ending = this.#record.endings[key];
    if (ending.bytes) throw tooLarge(key, ending.bytes); // no data are there
    return { ...ending, ...this.#record.shapes[ending.shape] };
  }

  sizeOf = (region) => (region < 0 ? -region : this.#record.blobs[region][0]);

  /** Return the data of a region. */
  data(number) {
    if (!this.#data.has(number)) this.#data.set(number, this.#unpacked(number));
    return this.#data.get(number);
  }

  #unpacked(number) {
    const [size, width] = this.#record.blobs[number];
    const pages = new Uint8Array(Math.ceil(size / PAGE) * PAGE);
    for (let at = 0; at < pages.length; at += PAGE) {
      const page = this.#steps[this.#first[number] + at / PAGE] * PAGE;
      pages.set(this.#pages.subarray(page, page + PAGE), at);
    }
    return fromPlanes(pages.subarray(0, size), width);
  }

  /** Return the problems to solve for one, sub-tables first, itself included. */
  order(key, found = new Set()) {
    for (const [other] of this.ending(key).kinds.slice(1)) if (!found.has(other)) this.order(other, found);
    return [...found.add(key)];
  }

  /** Return the bytes of memory that solving some problems takes: the module's `own`, and `all` with copies of the codes. */
  memoryFor(keys) {
    const endings = keys.map((key) => this.ending(key));
    const codes = endings.map(({ slots, epochs }) => (epochs ? 4 : 2) * aligned(slots)).reduce((sum, one) => sum + one, 0);
    const others = endings.map(({ regions }) => regions.reduce((sum, one) => sum + aligned(this.sizeOf(one)), 0));
    const own = OWN + codes + Math.max(...others);
    return { own, all: own + codes };
  }
}

/** Solve a table, and those of its sub-tables that are not given.
 *
 * @param {WebAssembly.Module} module
 * @param {Problems} problems
 * @param {string} key what to solve, like `KRK dtm`
 * @param {Map<string, object>} given solved tables
 * @param {(name: string, done: number, of: number) => void} tell takes how far it is
 * @returns {Map<string, object>} the new tables: `codes` and `epochs` of both sides to move, by index in memory;
 *   `outcomes` of codes where each table has its own, and what a sub-table needs
 */
export function solve(module, problems, key, given, tell = () => {}) {
  const keys = problems.order(key);
  const needed = problems.memoryFor(keys);
  checkRoom(key, needed);
  const memory = new Memory(module, needed, key);
  const solved = new Map();
  const tables = new Map();
  for (const [i, one] of keys.entries()) {
    const table = given.get(one);
    if (table) {
      tables.set(one, memory.keep(table));
    } else {
      tell(one, i, keys.length);
      const own = new Solution(memory, problems, one, tables).run();
      tables.set(one, own);
      solved.set(one, memory.copied(own));
    }
  }
  return solved;
}

/** The memory of a module. */
class Memory {
  #top;
  #used = 0; // where memory begins that was never taken

  constructor(module, { own, all }, key) {
    const pages = Math.ceil(own / BLOCK);
    this.granted = (make) => granted(key, all, make);
    this.memory = this.granted(() => new WebAssembly.Memory({ initial: pages, maximum: pages }));
    this.exports = this.granted(() => new WebAssembly.Instance(module, { env: { memory: this.memory } }).exports);
    this.bytes = new Uint8Array(this.memory.buffer);
    this.view = new DataView(this.memory.buffer);
    this.#top = aligned(this.exports.__heap_base.value);
  }

  /** Return the address of memory with any content. */
  take(size) {
    const at = this.#top;
    this.#top += aligned(size);
    this.#used = Math.max(this.#used, this.#top);
    return at;
  }

  /** Return the address of zeros, which memory that was never taken has. */
  zeros(size) {
    const before = this.#used;
    const at = this.take(size);
    if (at < before) this.bytes.fill(0, at, Math.min(at + size, before));
    return at;
  }

  get mark() {
    return this.#top;
  }

  /** Give back all that was taken since a mark. */
  release(mark) {
    this.#top = mark;
  }

  /** Return a table with its codes in this memory. */
  keep(table) {
    const put = (codes) => {
      const at = this.take(codes.length);
      this.bytes.set(codes, at);
      return at;
    };
    return { ...table, codes: table.codes.map(put), epochs: table.epochs?.map(put) ?? null, size: table.codes[0].length };
  }

  /** Return a table with copies of its codes. */
  copied({ size, codes, epochs, ...others }) {
    const copy = (at) => this.granted(() => this.bytes.slice(at, at + size));
    return { ...others, codes: codes.map(copy), epochs: epochs?.map(copy) ?? null };
  }

  setWord(at, word) {
    this.view.setBigInt64(at, BigInt(word), true);
  }

  /** Return a number of 8 bytes, which is small: of 4 of them. */
  word(at) {
    return this.view.getInt32(at, true);
  }
}

/** The solution of a problem, whose sub-tables lie in memory. */
class Solution {
  #memory;
  #ending;
  #tables;
  #key;
  #at; // by region
  #place = {}; // addresses of arrays, by name

  constructor(memory, problems, key, tables) {
    [this.#memory, this.#key, this.#tables] = [memory, key, tables];
    const ending = problems.ending(key);
    this.#ending = ending;
    const both = () => [0, 1].map(() => memory.zeros(ending.slots));
    this.own = { codes: both(), epochs: ending.epochs ? both() : null, size: ending.slots };
    if (ending.layers.length > 1) for (const at of this.own.codes) memory.bytes.fill(DRAW_CODE, at, at + ending.slots);
    this.mark = memory.mark;
    this.#at = ending.regions.map((region) => {
      if (region < 0) return memory.zeros(-region);
      const at = memory.take(problems.sizeOf(region));
      memory.bytes.set(problems.data(region), at);
      return at;
    });
    const { pointers, places } = ending;
    for (let i = 0; i < pointers.length; i += 4) {
      memory.setWord(this.#at[pointers[i]] + pointers[i + 1], this.#at[pointers[i + 2]] + pointers[i + 3]);
    }
    for (const [name, [region, offset]] of Object.entries(places)) this.#place[name] = this.#at[region] + offset;
  }

  /** Solve all layers; return the table. */
  run() {
    const [memory, ending, place] = [this.#memory, this.#ending, this.#place];
    this.#takeSubtables();
    const result = memory.take(64);
    let solved = [];
    for (const layer of ending.layers) {
      for (const one of ending.layers.flat()) memory.setWord(this.#at[one[0]] + one[1], 0);
      for (const [region, offset, key, side, isEpoch, before] of layer) {
        const table = key === this.#key ? this.own : this.#tables.get(key);
        const codes = isEpoch ? table.epochs : table.codes;
        memory.setWord(this.#at[region] + offset, codes ? codes[side] + before : 0);
      }
      if (ending.layers.length > 1) memory.setWord(place.last_import, this.#lastPly(solved) + 1);
      const status = memory.exports.solve(result, result + 16, ...ending.arguments.map(([region, at]) => this.#at[region] + at));
      if (status || memory.word(place.state + 8 * UNFINISHED)) throw new Error(`${this.#key}: the kernels end with ${status}`);
      solved = [...solved, layer];
    }
    this.#finish(memory.word(place.state + 8 * EPOCHS));
    memory.release(this.mark);
    return this.own;
  }

  /** Fill in what only solved sub-tables tell: what their codes mean, and whether they have long distances. */
  #takeSubtables() {
    const [memory, place] = [this.#memory, this.#place];
    for (const [kind, [key, swapped]] of this.#ending.kinds.entries()) {
      if (!kind || key === this.#key) continue;
      const table = this.#tables.get(key);
      if (this.#ending.late) memory.setWord(place.late + 8 * kind, Number(this.#isLate(table)));
      if (!this.#ending.numbered) continue;
      for (const side of [0, 1]) {
        const at = 512 * kind + 256 * side;
        memory.bytes.set(table.values[side ^ swapped], place.values + at);
        memory.bytes.set(table.valuesAfter[side ^ swapped], place.values_after + at);
      }
    }
  }

  #isLate({ codes, epochs, size }) {
    const { late } = this.#ending;
    return epochs !== null || codes.some((at) => this.#memory.bytes.subarray(at, at + size).includes(late));
  }

  /** Return the results that were found for a side to move: outcome, and the value that stands for it. */
  #results(side) {
    const found = [];
    for (const result of [0, 1]) {
      for (let ply = 0; ply < 256; ply += 1) {
        const value = this.#memory.word(this.#place.results + 8 * ((2 * result + side) * 256 + ply));
        if (value >= 0) found.push([result ? ~ply : ply, value]);
      }
    }
    return found;
  }

  /** Return the last ply with a result in layers that are solved. */
  #lastPly(layers) {
    const { bytes } = this.#memory;
    const size = this.own.size / this.#ending.layers.length;
    let last = 0;
    for (const side of [0, 1]) {
      const plies = new Map(this.#results(side).map(([outcome, value]) => [value, Math.max(outcome, ~outcome)]));
      const ofCode = Array.from({ length: 256 }, (_, code) => plies.get(bytes[this.#place.value_of_code + code]) ?? 0);
      for (const layer of layers) {
        const own = layer.find(([, , key, of, isEpoch]) => key === this.#key && of === side && !isEpoch);
        const at = this.own.codes[side] + own[5];
        for (const code of bytes.subarray(at, at + size)) if (ofCode[code] > last) last = ofCode[code];
      }
    }
    return last;
  }

  #finish(epochs) {
    const { bytes } = this.#memory;
    if (!epochs) this.own.epochs = null;
    else if (this.#ending.epochs === 2) this.#addEpochs(epochs);
    if (!this.#ending.numbered) return;
    // Outcomes have the numbers in which they were found: losses, then wins, by plies.
    [this.own.outcomes, this.own.values, this.own.valuesAfter] = [[], [], []];
    for (const side of [0, 1]) {
      const results = this.#results(side);
      results.sort(([one], [two]) => (one > 0) - (two > 0) || Math.abs(one) - Math.abs(two));
      const codeOf = new Uint8Array(256).fill(DRAW_CODE);
      for (const [code, [, value]] of results.entries()) codeOf[value] = code;
      const codes = bytes.subarray(this.own.codes[side], this.own.codes[side] + this.own.size);
      for (let i = 0; i < codes.length; i += 1) codes[i] = codeOf[codes[i]];
      this.own.outcomes.push(results.map(([outcome]) => outcome));
      for (const [name, at] of [["values", this.#place.values], ["valuesAfter", this.#place.values_after]]) {
        const old = bytes.slice(at + 256 * side, at + 256 * side + 256);
        const values = new Uint8Array(256).fill(old[DRAW_CODE]);
        for (const [code, [, value]] of results.entries()) values[code] = old[value];
        this.own[name].push(values);
      }
    }
  }

  /** Write the upper bytes of codes: in how many epochs a position was without a result. */
  #addEpochs(epochs) {
    const { bytes } = this.#memory;
    const { slots, pairs } = this.#ending;
    const rowBytes = Math.ceil(pairs / 8);
    const size = (slots / pairs) * rowBytes;
    for (const side of [0, 1]) {
      for (let slot = 0; slot < slots; slot += 1) {
        if (bytes[this.own.codes[side] + slot] === DRAW_CODE) continue;
        const pair = slot % pairs;
        const bit = ((slot - pair) / pairs) * rowBytes + (pair >> 3);
        let count = 0;
        for (let epoch = 0; epoch < epochs; epoch += 1) {
          count += (bytes[this.#place.undecided + (2 * epoch + side) * size + bit] >> (pair & 7)) & 1;
        }
        bytes[this.own.epochs[side] + slot] = count;
      }
    }
  }
}

/** Return the module of a game's kernels; `SolvingError` if this browser lacks what they need. */
export async function compiled(bytes) {
  if (!globalThis.WebAssembly?.validate(bytes)) {
    throw new SolvingError(
      "this browser cannot solve tables, since its WebAssembly lacks vectors: take Chromium 91, Firefox 89, Safari 16.4 or newer",
    );
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw new SolvingError(
      "this page may not solve tables: its policy needs script-src 'wasm-unsafe-eval'", { cause: error },
    );
  }
}
