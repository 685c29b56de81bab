// Shares and sizes in words.

/** Return a share of a whole; anything above 0 is not 0.0 %. */
export function percent(count, whole) {
  const share = (100 * count) / whole;
  return count && share < 0.05 ? "< 0.1 %" : `${share.toFixed(1)} %`;
}

export function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (count >= 1000 && unit < units.length - 1) {
    count /= 1000;
    unit += 1;
  }
  return `${count < 10 && unit ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
}
