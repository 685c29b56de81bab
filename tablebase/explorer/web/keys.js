// Keys and the wheel: what they do wherever nothing is typed.

import { byId } from "./page.js";

const WHEEL_STEP = 50; // pixels that the wheel is turned for one move

let pointed = true; // the focus was set by mouse or finger, not by Tab

/** Return whether a key is for the control that has the focus: a box, a dialog, a button for Space. */
function isTaken({ key, target }) {
  if (target.closest("input, select, textarea, dialog, .scroll")) return true;
  // What was clicked by mouse has the focus, too, and does not want the space bar.
  return key === " " && !pointed && target.matches("button, a, summary, [role=button]");
}

/** Let keys act: `page` has jump(node) and the `game`. */
export function listenToKeys({ game, jump }) {
  /** Go to the variation before or after the one that is shown. */
  const vary = (step) => {
    const { at, back } = game;
    if (back === null) return;
    const { children } = game.nodes[back];
    const next = children[children.indexOf(at) + step];
    if (next !== undefined) jump(next);
  };
  const click = (id) => () => byId(id)?.click(); // nothing happens if it is disabled
  const acts = {
    ArrowLeft: () => jump(game.back),
    ArrowRight: () => jump(game.forward),
    ArrowUp: () => jump(0),
    ArrowDown: () => jump(game.last),
    Home: () => jump(0),
    End: () => jump(game.last),
    " ": click("best"),
    e: click("mistake"),
    f: click("flip"),
    h: click("hint"),
    m: () => byId("typed").focus(),
    n: click("exercise"),
    x: click("other-side"),
    "?": click("help-open"),
  };
  const withShift = { ArrowUp: () => vary(-1), ArrowDown: () => vary(1), "?": acts["?"] };
  document.addEventListener("pointerdown", () => {
    pointed = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") pointed = false;
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
    const act = (event.shiftKey ? withShift : acts)[event.key];
    if (!act) return;
    event.preventDefault();
    // The button that was clicked last would take the space bar when it is released.
    if (event.key === " " && event.target !== document.body) event.target.blur();
    act();
  });
}

/** Let the wheel go through the moves on the board, once there are any. */
export function listenToWheel({ game, jump, isBusy }) {
  let turned = 0;
  const wheel = (event) => {
    if (event.ctrlKey || isBusy() || game.nodes.length < 2) return;
    event.preventDefault();
    turned += event.deltaMode ? event.deltaY * WHEEL_STEP : event.deltaY;
    if (Math.abs(turned) < WHEEL_STEP) return;
    jump(turned > 0 ? game.forward : game.back);
    turned = 0;
  };
  byId("board").addEventListener("wheel", wheel, { passive: false });
}
