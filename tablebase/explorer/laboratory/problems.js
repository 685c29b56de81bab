// The problems of a game of the laboratory: those of a template with other arrays of movement and another law.

import { fromPlanes } from "../reader/engine.js";
import { makeMovement } from "./movement.js";

const PAGE = 512; // bytes that data are kept by, see reader/engine.js
const KINDS = "?PNBRQKAC"; // by their numbers
const PUSH_RANKS = [1, 6];

const wordsOf = (numbers) => new Uint8Array(BigInt64Array.from(numbers, BigInt).buffer);
const toPlanes = (bytes, width) => Uint8Array.from(bytes, (_, i) => {
  const count = bytes.length / width;
  return bytes[(i % count) * width + Math.floor(i / count)];
});

/** Return what kernels take of the law of a game: arrays of `movement`, and numbers. */
export function lawOf({ kinds, goals, isDouble, stalemateLoses }) {
  const steps = [...KINDS].map((letter) => kinds[letter] ?? { captures: [], quiet: [] });
  return {
    movement: makeMovement(steps),
    goal: BigInt.asIntN(64, goals.reduce((bits, square) => bits | (1n << BigInt(square)), 0n)),
    push_rank: isDouble ? PUSH_RANKS : [-1, -1],
    stalemate_loses: stalemateLoses ? 1 : 0,
    splits: steps.map(({ captures, quiet }) => String(captures) !== String(quiet)),
  };
}

/** Return the record of an array in memory: no address yet, its shape and its strides. */
function describedArray({ shape, data }) {
  const strides = shape.map((_, i) => shape.slice(i + 1).reduce((size, one) => size * one, data.BYTES_PER_ELEMENT));
  return [0, ...shape, ...strides];
}

/** Return the problems of a game from the content of a file of a template, both `inflated`. */
export function problemsOf(bytes, game) {
  const law = lawOf(game);
  const text = 4 + new DataView(bytes.buffer).getUint32(0, true);
  const record = JSON.parse(new TextDecoder().decode(bytes.subarray(4, text)));
  const starts = [0];
  for (const [size] of record.blobs) starts.push(starts.at(-1) + Math.ceil(size / PAGE));
  const count = starts.at(-1);
  const numbers = [...new Int32Array(fromPlanes(bytes.subarray(text, text + 4 * count), 4).buffer)];
  for (let i = 1; i < count; i += 1) numbers[i] += numbers[i - 1];
  const pages = bytes.subarray(text + 4 * count);
  const added = [];
  const known = new Map();

  /** Return the number of a region with some data, kept once. */
  const put = (data) => {
    if (!data.length) return -8; // nothing is read there
    const key = data.length > PAGE ? data : String(data);
    if (!known.has(key)) {
      known.set(key, record.blobs.push([data.length, 1]) - 1);
      const page = new Uint8Array(Math.ceil(data.length / PAGE) * PAGE);
      page.set(data);
      for (let i = 0; i < page.length; i += PAGE) numbers.push((pages.length + added.length * PAGE) / PAGE + i / PAGE);
      for (let i = 0; i < page.length; i += PAGE) added.push(page.subarray(i, i + PAGE));
    }
    return known.get(key);
  };
  /** Return a copy of the data of a region. */
  const dataOf = (region) => {
    if (region < 0) return new Uint8Array(-region);
    const [size, width] = record.blobs[region];
    const data = new Uint8Array(Math.ceil(size / PAGE) * PAGE);
    for (let i = starts[region]; i < starts[region + 1]; i += 1) {
      data.set(pages.subarray(numbers[i] * PAGE, (numbers[i] + 1) * PAGE), (i - starts[region]) * PAGE);
    }
    return fromPlanes(data.subarray(0, size), width);
  };
  const arrays = law.movement.map((array) => put(new Uint8Array(array.data.buffer)));
  for (const ending of Object.values(record.endings)) {
    const { pointers, places } = record.shapes[ending.shape];
    const changed = new Map(); // data by the number of the region
    const write = ([region, offset], written) => {
      if (!changed.has(region)) changed.set(region, dataOf(ending.regions[region]));
      changed.get(region).set(written, offset);
    };
    let [region, offset] = places.movement;
    for (const [i, array] of law.movement.entries()) {
      const words = describedArray(array);
      write([region, offset], wordsOf(words));
      const pointer = pointers.findIndex((one, at) => at % 4 === 0 && one === region && pointers[at + 1] === offset);
      ending.regions[pointers[pointer + 2]] = arrays[i];
      offset += 8 * words.length;
    }
    write(places.goal, wordsOf([law.goal]));
    write(places.stalemate_loses, wordsOf([law.stalemate_loses]));
    write(places.push_rank, wordsOf(law.push_rank));
    if (places.splits_moves) {
      const types = new BigInt64Array(dataOf(ending.regions[places.types[0]]).buffer);
      const split = dataOf(ending.regions[places.splits_moves[0]]).map((_, i) => law.splits[types[i]]);
      write(places.splits_moves, split);
    }
    for (const [one, data] of changed) ending.regions[one] = put(data);
  }
  const steps = Int32Array.from(numbers, (one, i) => one - (numbers[i - 1] ?? 0));
  return joined(record, toPlanes(new Uint8Array(steps.buffer), 4), [pages, ...added]);
}

function joined(record, numbers, pages) {
  const text = new TextEncoder().encode(JSON.stringify(record));
  const parts = [wordsOf([text.length]).subarray(0, 4), text, numbers, ...pages];
  const bytes = new Uint8Array(parts.reduce((size, one) => size + one.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
