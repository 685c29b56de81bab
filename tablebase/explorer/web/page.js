// Helpers that all parts of the page use.

import { meaning } from "./words.js";

export const byId = (id) => document.getElementById(id);

/** Return a new element with some text or elements in it. */
export function make(tag, className = "", ...content) {
  const one = document.createElement(tag);
  if (className) one.className = className;
  one.append(...content);
  return one;
}

/** Return a new button with some text or element in it; `label` is its name where that does not tell. */
export function makeButton(className, content, act, label = "") {
  const one = make("button", className, content);
  one.type = "button";
  if (label) one.setAttribute("aria-label", label);
  one.addEventListener("click", act);
  return one;
}

// DTZ, distances to mate where a text begins with one or names best play, results, and what methods speak of.
const EXPLAINED = /(DTZ \d+(?:\sno 50-move rule| without the 50-move rule)?|^\d+ pl(?:y|ies)|\d+ plies with best play|cursed(?: wins?)?|blessed(?: loss(?:es)?)?|\bbox\b|inner corner|key squares?|opposition)/i;

/** Return a text as nodes, in which terms like "DTZ 25" explain themselves for a game in a tooltip (see tips.js). */
export function withTooltips(text, rules) {
  return text.split(EXPLAINED).map((part, i) => {
    if (i % 2 === 0) return part;
    const one = part.startsWith("DT") ? make("abbr", "", part) : make("span", "term", part);
    one.title = meaning(part, rules);
    one.tabIndex = 0;
    one.setAttribute("role", "button");
    return one;
  });
}

/** Put something else into a box; the focus stays there if it was there, which is returned. */
export function refill(id, ...content) {
  const box = byId(id);
  const focused = box.contains(document.activeElement);
  box.replaceChildren(...content);
  if (!focused) return false;
  const next = box.querySelector("[aria-current]") ?? box.querySelector("button") ?? byId("verdict");
  next.focus({ preventScroll: true });
  return true;
}

/** Copy a text; the button says for a while whether that went well. */
export async function copy(button, text, instead) {
  button.dataset.name ??= button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = instead;
  }
  setTimeout(() => {
    button.textContent = button.dataset.name;
  }, 2000);
}

/** Return what this browser keeps under a name. */
export function preference(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function setPreference(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Not allowed: then it counts for this visit only.
  }
}
