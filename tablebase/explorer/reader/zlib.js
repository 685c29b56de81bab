// Streams of zlib, whose checksums are looked at.

/** Yield the parts of what a stream of zlib holds, as they come. */
export async function* inflatedParts(bytes) {
  const { readable, writable } = new DecompressionStream("deflate");
  // A stream of its own for the bytes, or a response of the parts, would take half as much time again.
  const writer = writable.getWriter();
  for (const sent of [writer.write(bytes), writer.close()]) sent.catch(() => {}); // reading fails, too
  for (const reader = readable.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Return all that a stream of zlib holds. */
export async function inflated(bytes) {
  const parts = [];
  for await (const part of inflatedParts(bytes)) parts.push(part);
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  for (const part of parts) {
    whole.set(part, length);
    length += part.length;
  }
  return whole;
}
