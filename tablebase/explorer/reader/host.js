// Files of a host by HTTP, or of this machine in node: whole ones, and ranges of their bytes.

import { CorruptTableError, HostError, MissingTableError } from "./errors.js";
import { patiently } from "./patience.js";

/** Ranges that are nearer than this are fetched by one request. */
const NEAR = 1 << 13;

const isInNode = typeof process === "object" && Boolean(process.versions?.node);

const inMegabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Run tasks, no more than some at once; the others wait in order. */
class Gate {
  #free;
  #waiting = [];

  constructor(atOnce) {
    this.#free = atOnce;
  }

  async run(task) {
    if (this.#free) this.#free -= 1;
    else await new Promise((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** Bytes in memory, of chunks and of files; those not used for longest are dropped first. */
export class ByteCache {
  #limit;
  #bytes = 0;
  #kept = new Map(); // the promise and the size of each; the last used come last

  /** @param {number} limit most bytes to keep */
  constructor(limit) {
    this.#limit = limit;
  }

  has(key) {
    return this.#kept.has(key);
  }

  /** Return the promise of bytes. */
  get(key) {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.promise;
  }

  /** Keep bytes as soon as they have arrived, and return their promise; a failure is forgotten. */
  put(key, promise) {
    const kept = { promise, size: 0 };
    this.#kept.set(key, kept);
    promise.then(
      (bytes) => {
        kept.size = bytes.length;
        this.#bytes += kept.size;
        this.#shrink();
      },
      () => this.#kept.delete(key),
    );
    return promise;
  }

  #shrink() {
    for (const [key, { size }] of this.#kept) {
      if (this.#bytes <= this.#limit) return;
      if (!size) continue; // under way
      this.#kept.delete(key);
      this.#bytes -= size;
    }
  }
}

/** A host of files.
 *
 * `requests` and `bytes` count what was asked of it and what came.
 */
export class Host {
  #fetch;
  #gate;
  #small;
  #timeout;
  #wholeLimit;
  #wholes; // the bytes of files, by address

  /**
   * @param {object} options
   * @param {number} options.cacheSize most bytes of whole files to keep
   * @param {number} options.inFlight most requests at once
   * @param {number} options.small most bytes of a file that is fetched whole from any host
   * @param {number} options.timeout most seconds that a request may take
   * @param {number} options.wholeLimit most bytes of a list or an index, and of a table file from a host
   *   that knows no ranges
   * @param {typeof fetch} options.fetch what to fetch by
   */
  constructor({ cacheSize, inFlight, small, timeout, wholeLimit, fetch }) {
    this.#wholes = new ByteCache(cacheSize);
    this.#fetch = fetch;
    this.#gate = new Gate(inFlight);
    this.#small = small;
    this.#timeout = timeout;
    this.#wholeLimit = wholeLimit;
    this.requests = 0;
    this.bytes = 0;
  }

  /** Return the bytes of a whole file.
   *
   * @param {URL} url the file
   * @param {(words: string) => void} [waits] takes what a host that answers later says it does
   * @param {number} [limit] most bytes that it may have
   * @throws {MissingTableError} if there is none
   * @throws {HostError} if the host does not answer or refuses, or the file is larger
   */
  async whole(url, waits, limit = this.#wholeLimit) {
    return this.#gate.run(async () => {
      if (url.protocol === "file:") return this.#read(url, { limit });
      const { response, timer } = await this.#answer(url, {}, waits);
      return this.#bytesOf(response, timer, url, limit);
    });
  }

  /** Return the bytes of some ranges of a file.
   *
   * @param {URL} url the file
   * @param {number} size its size, as its index states it
   * @param {[number, number][]} ranges offset and size of each
   * @param {(bytes: Uint8Array) => void} check raises an error if a whole file is another one
   * @returns {Promise<Uint8Array>[]} a promise for each range
   */
  ranges(url, size, ranges, check) {
    if (!ranges.length) return [];
    const isKept = this.#wholes.has(url.href);
    if (size <= this.#small || isKept) {
      const whole = isKept ? this.#wholes.get(url.href) : this.#keep(url, size, check);
      return ranges.map(async ([offset, length]) => (await whole).subarray(offset, offset + length));
    }
    const found = Array(ranges.length);
    const order = [...ranges.keys()].sort((a, b) => ranges[a][0] - ranges[b][0]);
    while (order.length) {
      const members = [order.shift()];
      const [start] = ranges[members[0]];
      const endOf = (i) => ranges[i][0] + ranges[i][1];
      let end = endOf(members[0]);
      while (order.length && ranges[order[0]][0] - end <= NEAR) {
        members.push(order.shift());
        end = Math.max(end, endOf(members.at(-1)));
      }
      const read = this.#range(url, size, start, end, check);
      for (const i of members) {
        const [offset, length] = ranges[i];
        found[i] = read.then((bytes) => bytes.subarray(offset - start, offset - start + length));
      }
    }
    return found;
  }

  /** Return a limit for some bytes that are expected; a few more are an error of their own. */
  #most(bytes) {
    return Math.max(bytes, this.#wholeLimit);
  }

  /** Return the promise of a whole file that is checked and kept. */
  #keep(url, size, check, read = this.whole(url, undefined, this.#most(size))) {
    return this.#wholes.put(url.href, read.then((bytes) => {
      if (bytes.length !== size) throw otherSize(url, bytes.length, size);
      check(bytes);
      return bytes;
    }));
  }

  #range(url, size, start, end, check) {
    return this.#gate.run(async () => {
      if (url.protocol === "file:") return this.#read(url, { start, end, stated: size });
      const { response, timer } = await this.#answer(url, { range: `bytes=${start}-${end - 1}` });
      if (response.status === 200) {
        const whole = await this.#wholeInstead(url, size, check, response, timer);
        return whole.subarray(start, end);
      }
      // Pages of other hosts see this header only where the host exposes it.
      const total = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
      if (total !== undefined && Number(total) !== size) {
        await response.body?.cancel();
        throw otherSize(url, Number(total), size);
      }
      const bytes = await this.#bytesOf(response, timer, url, this.#most(end - start));
      if (bytes.length !== end - start) {
        throw new CorruptTableError(
          `${url.href} is cut short: ${bytes.length} bytes came instead of ${end - start}`,
        );
      }
      return bytes;
    });
  }

  /** Return a file that a host sends whole though a range was asked for, if it is small. */
  async #wholeInstead(url, size, check, response, timer) {
    if (size > this.#wholeLimit) {
      await response.body?.cancel();
      throw new HostError(
        `${url.host} sends no ranges of files, and ${url.href} has ${inMegabytes(size)}: ` +
          `put it on a host with ranges, or raise wholeLimit from ${inMegabytes(this.#wholeLimit)}`,
      );
    }
    if (this.#wholes.has(url.href)) {
      await response.body?.cancel();
      return this.#wholes.get(url.href);
    }
    return this.#keep(url, size, check, this.#bytesOf(response, timer, url, this.#wholeLimit));
  }

  /** Return the answer to a request, which a busy host may put off, and what ends that if it takes too long. */
  async #answer(url, headers, waits) {
    let response;
    let timer; // of one try
    const ask = () => {
      timer = AbortSignal.timeout(1000 * this.#timeout);
      this.requests += 1;
      return this.#fetch(url.href, { headers, signal: timer });
    };
    try {
      response = await patiently(ask, undefined, waits);
    } catch (error) {
      throw this.#late(timer, url) ?? new HostError(`${url.host} does not answer: ${error.message}`, { cause: error });
    }
    if (response.ok) return { response, timer };
    await response.body?.cancel();
    if (response.status === 404) throw new MissingTableError(`there is no file ${url.href}`);
    if (response.status === 416) {
      throw new CorruptTableError(`${url.href} is cut short: it ends before what its index states`);
    }
    throw new HostError(`${url.href}: the host answers with status ${response.status}`);
  }

  #late(timer, url) {
    return timer.aborted ? new HostError(`${url.host} did not answer within ${this.#timeout} s: ${url.href}`) : null;
  }

  /** Return the bytes of an answer, read by parts up to a limit. */
  async #bytesOf(response, timer, url, limit) {
    const parts = [];
    let length = 0;
    try {
      for (const reader = response.body.getReader(); length <= limit; ) {
        const { done, value } = await reader.read();
        if (done) return joined(parts, length);
        parts.push(value);
        length += value.length;
        this.bytes += value.length;
        if (length > limit) reader.cancel().catch(() => {});
      }
    } catch (error) {
      throw this.#late(timer, url) ??
        new HostError(`${url.host} broke off while sending ${url.href}`, { cause: error });
    }
    throw tooLarge(url, limit);
  }

  async #read(url, part) {
    this.requests += 1;
    const bytes = await readFile(url, part);
    this.bytes += bytes.length;
    return bytes;
  }
}

function joined(parts, length) {
  if (parts.length === 1) return parts[0];
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const tooLarge = (url, limit) =>
  new HostError(`${url.href} has more than ${limit} bytes, the most that is read of such a file`);

const otherSize = (url, size, stated) =>
  new CorruptTableError(`${url.href} has ${size} bytes, but its index states ${stated}: publish it again`);

/** Return bytes of a file of this machine, in node; all without `end`. */
async function readFile(url, { start = 0, end, stated, limit = Infinity }) {
  if (!isInNode) {
    throw new HostError(`a page cannot read ${url.href}: serve the folder, by python -m http.server or another`);
  }
  const { open } = await import("node:fs/promises");
  let file;
  try {
    file = await open(url);
  } catch (error) {
    if (error.code === "ENOENT") throw new MissingTableError(`there is no file ${url.pathname}`);
    throw new HostError(`${url.pathname}: ${error.message}`, { cause: error });
  }
  try {
    const { size } = await file.stat();
    if (stated !== undefined && size !== stated) throw otherSize(url, size, stated);
    if (size > limit) throw tooLarge(url, limit);
    const bytes = new Uint8Array((end ?? size) - start);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
