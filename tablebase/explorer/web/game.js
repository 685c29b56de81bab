// The positions gone through: a tree of variations that only grows, and the place in it.

import { fenOf, playUci, turnOf } from "../reader/position.js";

const KEPT = "game:"; // keys of the browser's session storage

/** Return the steps of some legal moves, one after the other, from a position: each with the FEN that it leads to. */
export function stepsOf(position, moves) {
  let here = position;
  return moves.map(({ uci, san }) => {
    const { number } = here;
    const turn = turnOf(here);
    here = playUci(here, uci);
    return { fen: fenOf(here), uci, san, turn, number };
  });
}

export class Game {
  /**
   * `nodes`: {fen, parent, children} by number, and of all but the first the move that led there:
   * {uci, san, turn, number}, perhaps {nags, comment, judged}. `children` are numbers, the main line's
   * first; `next` is the one that Forward goes to.
   */
  nodes = [];
  at = 0;
  headers = {}; // of a PGN that was loaded
  id = "";

  get step() {
    return this.nodes[this.at];
  }

  get back() {
    return this.step?.parent ?? null;
  }

  get forward() {
    return this.step?.next ?? null;
  }

  get last() {
    let at = this.at;
    while (this.nodes[at]?.next !== undefined) at = this.nodes[at].next;
    return at;
  }

  /** The nodes that mistakes lead to, as they were judged here or marked in a PGN. */
  get mistakes() {
    const isOne = ({ judged, nags = [] }) => judged?.fault === "mistake" || nags.includes(2) || nags.includes(4);
    return [...this.nodes.keys()].filter((at) => isOne(this.nodes[at]));
  }

  get isFirst() {
    return this.back === null;
  }

  get isLast() {
    return this.forward === null;
  }

  start(fen) {
    this.load([{ fen, parent: null }]);
  }

  /** Take a whole tree, each node after its parent. */
  load(nodes, headers = {}) {
    this.id = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
    this.nodes = nodes.map((node) => ({ ...node, children: [] }));
    for (const [i, { parent }] of this.nodes.entries()) {
      if (parent === null) continue;
      this.nodes[parent].children.push(i);
      this.nodes[parent].next ??= i;
    }
    this.headers = headers;
    this.at = 0;
  }

  /** Continue with some steps and show the `count`-th of them; what was there before stays. */
  play(steps, count = 1) {
    let here = this.at;
    for (const [i, step] of steps.entries()) {
      const { children } = this.nodes[here];
      let next = children.find((child) => this.nodes[child].uci === step.uci);
      if (next === undefined) {
        next = this.nodes.push({ ...step, parent: here, children: [] }) - 1;
        children.push(next);
      }
      this.nodes[here].next = next;
      here = next;
      if (i + 1 === count) this.at = here;
    }
  }

  /** Show a position; return whether there is one and it is another. */
  go(at) {
    if (at === null || !this.nodes[at] || at === this.at) return false;
    this.at = at;
    for (let { parent } = this.nodes[at]; parent !== null; ({ parent } = this.nodes[at])) {
      this.nodes[parent].next = at;
      at = parent;
    }
    return true;
  }

  /** Keep the tree for this tab, and return what the browser's history keeps. */
  save() {
    const { id, nodes, headers, at } = this;
    keep(KEPT + id, JSON.stringify({ nodes, headers }));
    return { game: id, at };
  }

  /** Take what the history kept; return whether there is such a game. */
  restore(state) {
    if (!state?.game) return false;
    if (state.game !== this.id) {
      const kept = readKept(state.game);
      if (!kept?.nodes[state.at]) return false;
      Object.assign(this, kept, { id: state.game });
    }
    this.at = state.at;
    return true;
  }
}

/** Keep a text for this tab; if there is no room left, other games make it. */
function keep(key, text) {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    try {
      for (const other of Object.keys(sessionStorage)) {
        if (other.startsWith(KEPT)) sessionStorage.removeItem(other);
      }
      sessionStorage.setItem(key, text);
    } catch {
      // No permission: a reload then begins again.
    }
  }
}

function readKept(id) {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT + id));
  } catch {
    return null;
  }
}
