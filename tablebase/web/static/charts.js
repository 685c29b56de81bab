// Histograms of distances.

import { make } from "./page.js";
import { plural } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
// Counts this far apart need a logarithmic axis to be seen together.
const LOGARITHMIC_FROM = 500;

function shape(kind, attributes) {
  const one = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  return one;
}

/**
 * Return a figure of counts by distance: `title`, `kind` ("win" or "loss"), `unit` of the
 * distances, and perhaps the distance that a line marks the end of.
 */
export function histogram(counts, { title, kind, unit, limit = Infinity }) {
  const places = [...counts.keys()];
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const [least, most] = [Math.min(...counts.values()), Math.max(...counts.values())];
  const logarithmic = most > LOGARITHMIC_FROM * least;
  const height = (count) =>
    logarithmic ? (100 * (Math.log(count) + 1)) / (Math.log(most) + 1) : (100 * count) / most;
  const width = last - first + 1;
  const svg = shape("svg", { class: "chart", viewBox: `0 0 ${width} 100`, preserveAspectRatio: "none", role: "img" });
  const commonest = places.find((place) => counts.get(place) === most);
  const told = `${title}: ${first} to ${last} ${unit}, most often ${commonest}`;
  svg.setAttribute("aria-label", told);
  for (const [place, count] of counts) {
    const [x, tall] = [place - first + 0.08, height(count)];
    const bar = shape("rect", { class: kind, x, y: 100 - tall, width: 0.84, height: tall });
    const name = shape("title", {});
    name.textContent = `${place} ${unit}: ${count.toLocaleString("en")}`;
    bar.append(name);
    svg.append(bar);
  }
  const crosses = first <= limit && limit < last;
  if (crosses) {
    const x = limit - first + 1;
    svg.append(shape("line", { x1: x, x2: x, y1: 0, y2: 100 }));
  }
  const note = [
    `, up to ${plural(most, "position")}`,
    ...(logarithmic ? [" (logarithmic)"] : []),
    ...(crosses ? ["; dashed: 50 moves"] : []),
  ].join("");
  const caption = make("figcaption", "", make("strong", "", title), make("span", "note", note));
  const ends = [first, unit, ...(last > first ? [last] : [])].map((text) => make("span", "", String(text)));
  return make("figure", "", caption, svg, make("div", "axis", ...ends));
}
