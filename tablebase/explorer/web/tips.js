// Words that explain themselves, by keyboard and by touch; a mouse has the tooltips of the browser.
//
// A term is reached by Tab or tapped.

import { make } from "./page.js";

const TERMS = ".term, abbr";
const GAP = 6; // pixels to the edges of the window, and to what is explained

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

  /** Explain a term. */
  show(one) {
    this.hide();
    this.owner = one;
    this.#box.textContent = one.title;
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
    if (!pointed && target.matches(TERMS)) tip.show(target);
  });
  document.addEventListener("focusout", () => tip.hide());
}

/** Let the terms of the page, those that it has and those to come, explain themselves. */
export function listenToTips() {
  const tip = new Tip();
  const toggle = (term) => (tip.owner === term ? tip.hide() : tip.show(term));
  listenToFocus(tip, toggle);
  document.addEventListener("click", ({ target }) => {
    const term = target.closest(TERMS);
    if (term) toggle(term);
  });
  window.addEventListener("scroll", () => tip.place(), { capture: true, passive: true });
  window.addEventListener("resize", () => tip.place());
}
