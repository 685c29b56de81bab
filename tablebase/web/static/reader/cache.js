// Bytes in memory, of chunks and of files; those not used for longest are dropped first.

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
