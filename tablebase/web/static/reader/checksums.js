// Checksums, and chunks of codes: a stream of zlib followed by HDF5's fletcher32 of its bytes.

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
export function fletcher32(bytes) {
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

/** Return the codes of a chunk, `size` of them.
 *
 * @param {Uint8Array} stored the chunk as it lies in the file
 * @returns {Promise<Uint8Array>}
 * @throws {Error} in words, if it is damaged
 */
export async function unpack(stored, size) {
  const content = stored.subarray(0, stored.length - CHECKSUM_SIZE);
  const end = stored.subarray(content.length);
  const stated = (end[0] | (end[1] << 8) | (end[2] << 16) | (end[3] << 24)) >>> 0;
  if (stored.length <= CHECKSUM_SIZE || fletcher32(content) !== stated) {
    throw new Error("the checksum of a chunk does not match");
  }
  const codes = new Uint8Array(size);
  let length = 0;
  const { readable, writable } = new DecompressionStream("deflate");
  // A stream of its own for the content would take half as much time again.
  const writer = writable.getWriter();
  for (const sent of [writer.write(content), writer.close()]) sent.catch(() => {}); // reading fails, too
  try {
    for (const reader = readable.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      // More than the room that there is raises a RangeError.
      codes.set(value, length);
      length += value.length;
    }
  } catch (error) {
    throw new Error("a chunk cannot be decompressed", { cause: error });
  }
  if (length !== size) throw new Error(`a chunk has ${length} codes instead of ${size}`);
  return codes;
}
