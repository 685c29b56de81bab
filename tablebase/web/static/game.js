// The positions gone through, and the one shown.

export class Game {
  /** `steps`: {fen} and, of all but the first, the move that led there {uci, san, turn, number}. */
  steps = [];
  at = 0;
  /** Lines that were left for another move, latest first: {steps, at} of the move left. */
  left = [];

  get step() {
    return this.steps[this.at];
  }

  get isFirst() {
    return this.at === 0;
  }

  get isLast() {
    return this.at >= this.steps.length - 1;
  }

  start(fen) {
    this.steps = [{ fen }];
    this.at = 0;
    this.left = [];
  }

  /** Continue with some steps and show the `count`-th of them. */
  play(steps, count = 1) {
    const ahead = this.steps.slice(this.at + 1);
    const same = steps.every((step, i) => step.uci === ahead[i]?.uci);
    if (!same) {
      const branch = steps.findIndex((step, i) => step.uci !== ahead[i]?.uci);
      if (ahead.length > branch) this.#leave(this.at + 1 + branch);
      this.steps = [...this.steps.slice(0, this.at + 1), ...steps];
    }
    this.at += count;
  }

  #leave(at) {
    const moves = (steps) => steps.slice(1).map((step) => step.uci).join();
    const line = moves(this.steps);
    const others = this.left.filter(({ steps }) => moves(steps) !== line);
    this.left = [{ steps: this.steps, at }, ...others].slice(0, 5);
  }

  /** Go back to a line that was left, and leave the present one for it. */
  takeUp({ steps, at }) {
    const line = this.steps;
    const branch = steps.findIndex((step, i) => step.fen !== line[i]?.fen);
    this.left = this.left.filter((other) => other.steps !== steps);
    if (branch > 0 && line.length > branch) this.#leave(branch);
    this.steps = steps;
    this.at = at;
  }

  /** Show a position; return whether there is one and it is another. */
  go(index) {
    if (index < 0 || index >= this.steps.length || index === this.at) return false;
    this.at = index;
    return true;
  }

  /** What the browser's history keeps. */
  get state() {
    return { steps: this.steps, at: this.at, left: this.left };
  }

  /** Take what the history kept; return whether it is a game. */
  restore(state) {
    if (!state?.steps?.[state.at]) return false;
    ({ steps: this.steps, at: this.at, left: this.left = [] } = state);
    return true;
  }
}
