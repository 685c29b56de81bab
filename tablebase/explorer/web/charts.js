// Histograms of distances. Their bars can be chosen.

import { shape } from "./arrows.js";
import { make } from "./page.js";
import { plural } from "./words.js";

// Counts this far apart need a logarithmic axis to be seen together.
const LOGARITHMIC_FROM = 500;

const MOST_TICKS = 9;

/** Return round numbers of a range for an axis, not too many. */
function ticksOf(first, last) {
  let step = 1;
  for (const factor of [2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2]) {
    if ((last - first) / step < MOST_TICKS) break;
    step *= factor;
  }
  const found = [];
  for (let tick = Math.ceil(first / step) * step; tick <= last; tick += step) found.push(tick);
  return found;
}

/** Return the counts that lines across a chart stand for. */
function levelsOf(most, logarithmic) {
  if (!logarithmic) return most > 1 ? [Math.round(most / 2), most] : [most];
  return [0, 2, 4, 6, 8, 10, 12].map((digits) => 10 ** digits).filter((level) => level <= most);
}

/** Return a label at a place of an axis, in percent. */
function label(text, side, percent) {
  const one = make("span", "", text);
  one.style[side] = `${percent}%`;
  return one;
}

/** Let arrow keys go from bar to bar, of which one is reached by Tab; Enter and clicks choose. */
function makeBarsChoosable(bars, choose) {
  for (const [i, bar] of bars.entries()) {
    bar.setAttribute("tabindex", i ? -1 : 0);
    bar.addEventListener("click", choose);
    bar.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: bars.length - 1 };
      const next = bars[steps[event.key]];
      if (event.key === "Enter") choose(event);
      if (next) {
        event.preventDefault();
        bar.setAttribute("tabindex", -1);
        next.setAttribute("tabindex", 0);
        next.focus();
      }
    });
  }
}

/**
 * Return a figure of counts by distance: `title`, `kind` ("win" or "loss"), `unit` of the
 * distances, perhaps the distance that a line marks the end of; `choose(distance)` is called when
 * a bar is chosen.
 */
export function histogram(counts, { title, kind, unit, choose, limit = Infinity }) {
  const places = [...counts.keys()];
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const [least, most] = [Math.min(...counts.values()), Math.max(...counts.values())];
  const logarithmic = most > LOGARITHMIC_FROM * least;
  const height = (count) =>
    logarithmic ? (100 * (Math.log(count) + 1)) / (Math.log(most) + 1) : (100 * count) / most;
  const width = last - first + 1;
  const svg = shape("svg", { class: "chart", viewBox: `0 0 ${width} 100`, preserveAspectRatio: "none", role: "group" });
  const commonest = places.find((place) => counts.get(place) === most);
  const told = `${title}: ${first} to ${last} ${unit}, most often ${commonest}`;
  svg.setAttribute("aria-label", told);
  const bars = [...counts].sort(([one], [two]) => one - two).map(([place, count]) => {
    const [x, tall] = [place - first + 0.08, height(count)];
    const far = place === 1 ? unit.replace("moves", "move").replace("plies", "ply") : unit;
    const text = `${place} ${far}: ${count.toLocaleString("en")}`;
    const bar = shape("g", { role: "button", "aria-label": text, "data-distance": place });
    const name = shape("title", {});
    name.textContent = text;
    bar.append(
      name,
      shape("rect", { class: "ground", x: place - first, y: 0, width: 1, height: 100 }), // easier to hit
      shape("rect", { class: kind, x, y: 100 - tall, width: 0.84, height: tall }),
    );
    return bar;
  });
  makeBarsChoosable(bars, ({ currentTarget }) => choose(Number(currentTarget.dataset.distance)));
  const levels = levelsOf(most, logarithmic);
  const lines = levels.map((level) => {
    const y = 100 - height(level);
    return shape("line", { class: "level", x1: 0, x2: width, y1: y, y2: y });
  });
  svg.append(...lines, ...bars);
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
  const counted = levels.map((level) => label(level.toLocaleString("en"), "bottom", height(level)));
  const ticks = ticksOf(first, last).map((tick) => label(String(tick), "left", (100 * (tick - first + 0.5)) / width));
  const scale = make("div", "levels", ...counted);
  scale.setAttribute("aria-hidden", "true");
  return make("figure", "", caption, make("div", "plot", scale, svg), make("div", "axis", ...ticks), make("div", "unit", unit));
}
