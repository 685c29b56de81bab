// Words that explain themselves, by keyboard and by touch; a mouse has the tooltips of the browser.
//
// A term of a text is reached by Tab or tapped. What can be chosen, like a move of the list, explains
// the terms in it while it has the focus by keyboard, or after a finger has rested on it.

import { make } from "./page.js";

const TERMS = ".term, abbr";
const CONTROLS = "button, a";
const HELD = 500; // milliseconds that a finger rests
const GAP = 6; // pixels to the edges of the window, and to what is explained

/** Return the meanings of a term, or of the terms in a control; each once. */
function meaningsOf(one) {
  const terms = one.matches(TERMS) ? [one] : one.matches(CONTROLS) ? [...one.querySelectorAll(TERMS)] : [];
  return [...new Set(terms.map(({ title }) => title).filter(Boolean))];
}

class Tip {
  #box = make("div", "tip");
  #gone = new MutationObserver(() => this.owner.isConnected || this.hide());
  owner = null; // what is explained

  constructor() {
    this.#box.id = "tip";
    this.#box.setAttribute("role", "tooltip");
    this.#box.hidden = true;
    document.body.append(this.#box);
  }

  /** Explain a term or a control, unless there is nothing to explain. */
  show(one) {
    this.hide();
    const meanings = meaningsOf(one);
    if (!meanings.length) return;
    this.owner = one;
    this.#box.replaceChildren(...meanings.map((text) => make("p", "", text)));
    this.#box.hidden = false;
    one.setAttribute("aria-describedby", this.#box.id);
    this.#gone.observe(document.body, { childList: true, subtree: true });
    this.place();
  }

  hide() {
    if (!this.owner) return;
    this.#gone.disconnect();
    this.owner.removeAttribute("aria-describedby");
    this.owner = null;
    this.#box.hidden = true;
  }

  /** Put it below what it explains, or above where there is no room, within the window. */
  place() {
    if (!this.owner) return;
    const around = this.owner.getBoundingClientRect();
    const { width, height } = this.#box.getBoundingClientRect();
    const { clientWidth } = document.documentElement;
    const isRoomBelow = around.bottom + GAP + height <= innerHeight;
    const top = isRoomBelow ? around.bottom + GAP : Math.max(GAP, around.top - GAP - height);
    const left = Math.max(GAP, Math.min(around.left, clientWidth - width - GAP));
    Object.assign(this.#box.style, { top: `${top}px`, left: `${left}px` });
  }
}

/** Let terms be explained by keyboard: by the focus, until Escape. */
function listenToFocus(tip, toggle) {
  let pointed = false; // the focus comes from a mouse or finger
  document.addEventListener("pointerdown", ({ target }) => {
    pointed = true;
    if (tip.owner && !tip.owner.contains(target)) tip.hide();
  });
  document.addEventListener("keydown", (event) => {
    pointed = false;
    if (event.key === "Escape") tip.hide();
    if (!["Enter", " "].includes(event.key) || !event.target.matches(TERMS)) return;
    event.preventDefault();
    toggle(event.target);
  });
  document.addEventListener("focusin", ({ target }) => {
    if (!pointed && target.matches(":focus-visible")) tip.show(target);
  });
  document.addEventListener("focusout", () => tip.hide());
}

/** Let terms be explained by a tap, those of controls by a finger that rests on these. */
function listenToFingers(tip, toggle) {
  let timer = 0;
  let held = false; // the click that may come is none
  const end = () => clearTimeout(timer);
  document.addEventListener("pointerdown", ({ target, pointerType }) => {
    held = false;
    end();
    const control = target.closest(CONTROLS);
    if (pointerType !== "touch" || !control || !meaningsOf(control).length) return;
    timer = setTimeout(() => {
      held = true;
      tip.show(control);
    }, HELD);
  });
  for (const kind of ["pointerup", "pointercancel"]) document.addEventListener(kind, end);
  document.addEventListener("contextmenu", (event) => {
    if (held) event.preventDefault();
  });
  const click = (event) => {
    if (held) {
      event.preventDefault();
      event.stopPropagation();
      held = false;
      return;
    }
    const term = event.target.closest(TERMS);
    if (term && !term.closest(CONTROLS)) toggle(term);
  };
  document.addEventListener("click", click, { capture: true });
}

/** Let the terms of the page, those that it has and those to come, explain themselves. */
export function listenToTips() {
  const tip = new Tip();
  const toggle = (term) => (tip.owner === term ? tip.hide() : tip.show(term));
  listenToFocus(tip, toggle);
  listenToFingers(tip, toggle);
  window.addEventListener("scroll", () => tip.place(), { capture: true, passive: true });
  window.addEventListener("resize", () => tip.place());
}
