// The style of <chess-ending>; pages set its variables from outside.

export const STYLE = `
:host {
  --light-square: var(--chess-light, #f0d9b5);
  --dark-square: var(--chess-dark, #b58863);
  --text: var(--chess-text, inherit);
  --ground: var(--chess-ground, transparent);
  --edge: var(--chess-edge, #9aa4ae);
  --accent: var(--chess-accent, #0b5cad);
  --win: var(--chess-win, #17652f);
  --draw: var(--chess-draw, #4b535c);
  --loss: var(--chess-loss, #a0222c);
  --cursed: var(--chess-cursed, #0a5a6b);
  --blessed: var(--chess-blessed, #6f2c91);
  --unknown: var(--chess-unknown, #7a4d00);
  --on-dark: #2b1708;
  display: block;
  box-sizing: border-box;
  width: 100%;
  max-width: var(--chess-width, 26rem);
  background: var(--ground);
  color: var(--text);
  font-family: var(--chess-font, inherit);
  line-height: 1.4;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.board { position: relative; display: grid; grid-template-rows: repeat(8, 1fr); aspect-ratio: 1; user-select: none; -webkit-user-select: none; }
.board [role="row"] { display: grid; grid-template-columns: repeat(8, 1fr); min-height: 0; }
.square { position: relative; min-width: 0; min-height: 0; margin: 0; padding: 0; border: 0; border-radius: 0; cursor: default; }
.square.light { background-color: var(--light-square); color: var(--dark-square); }
.square.dark { background-color: var(--dark-square); color: var(--light-square); }
.square.last { box-shadow: inset 0 0 0 100vmax rgb(240 190 40 / 40%); }
.square.selected { box-shadow: inset 0 0 0 100vmax rgb(20 110 210 / 45%); }
.square.over { box-shadow: inset 0 0 0 4px var(--on-dark); }
.square.check { background-image: radial-gradient(circle closest-side, rgb(220 20 30 / 95%) 20%, transparent 118%); }
.square.movable { cursor: grab; touch-action: none; }
.square.target { cursor: pointer; background: radial-gradient(circle closest-side, var(--mark) 50%, transparent 54%) center / 40% no-repeat; }
.square.target.light { background-color: var(--light-square); }
.square.target.dark { background-color: var(--dark-square); }
.square.target:has(img) { background-size: 96%; background-image: radial-gradient(circle closest-side, transparent 80%, var(--mark) 84%, var(--mark) 96%, transparent 100%); }
.square:focus-visible { z-index: 3; outline: 4px solid #0b3f7a; outline-offset: -4px; }
.square img { position: absolute; z-index: 1; inset: 0; width: 100%; height: 100%; pointer-events: none; }
.square.lifted img { opacity: 0.35; }
.square::before, .square::after { position: absolute; font: 600 0.65rem/1 system-ui, sans-serif; pointer-events: none; }
.square::before { content: attr(data-rank); top: 3px; left: 3px; }
.square::after { content: attr(data-file); right: 3px; bottom: 3px; }
.win { --mark: #064a1d; }
.draw, .plain { --mark: #2c3640; }
.loss { --mark: #830f1a; }
.cursed { --mark: #064652; }
.blessed { --mark: #56207a; }
.unknown, .holding, .doubtful { --mark: #5c3900; }
.arrows, .hint { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; opacity: 0.8; }
.arrows polygon { fill: var(--mark); }
.board:has(.selected) .arrows { display: none; }
.ghost { position: fixed; z-index: 20; top: 0; left: 0; aspect-ratio: 1; pointer-events: none; }
.result { margin: 0.6rem 0; padding-left: 0.6rem; border-left: 5px solid var(--edge); min-height: 3.4rem; }
.result[data-kind="win"] { border-color: var(--win); }
.result[data-kind="loss"], .result[data-kind="error"] { border-color: var(--loss); }
.result[data-kind="cursed"] { border-color: var(--cursed); }
.result[data-kind="blessed"] { border-color: var(--blessed); }
.result[data-kind="unknown"] { border-color: var(--unknown); }
p { margin: 0; }
.headline { font-size: 1.15em; font-weight: 700; }
.detail { font-size: 0.9em; }
.bar, .choices { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.choices { margin-bottom: 0.5rem; }
.choices img { width: 2.4rem; height: 2.4rem; }
.bar button, .choices button, .move {
  padding: 0.3rem 0.7rem;
  border: 1px solid var(--edge);
  border-radius: 7px;
  background: transparent;
  color: inherit;
  font: inherit;
  font-size: 0.9em;
  cursor: pointer;
}
button:disabled { opacity: 0.45; cursor: default; }
.bar button:hover:not(:disabled) { border-color: var(--accent); }
.moves { display: flex; flex-wrap: wrap; gap: 0.3rem; max-height: 9.5rem; margin: 0.6rem 0 0; padding: 0; overflow-y: auto; list-style: none; }
.move { border-left: 4px solid var(--unknown); }
.move.win { border-left-color: var(--win); }
.move.draw { border-left-color: var(--draw); }
.move.loss { border-left-color: var(--loss); }
.move.cursed { border-left-color: var(--cursed); }
.move.blessed { border-left-color: var(--blessed); }
`;
