// Look positions up without this program: npm install h5wasm, then
// node examples/read_table.mjs data/KRNK.h5 "8/8/8/8/8/2k5/1R6/K7 w - - 0 1" ...
// prints where the file holds each of them, and the byte there. Tables without pawns alone, the
// stronger side White; docs/format.md explains every step.
import h5wasm from "h5wasm/node";

const [path, ...fens] = process.argv.slice(2);
await h5wasm.ready;
const table = new h5wasm.File(path, "r");
const letters = { king: "k", queen: "q", rook: "r", bishop: "b", knight: "n" };
const men = JSON.parse(table.attrs.men.value).map((man) => {
  const [color, kind] = man.split(" ");
  return color === "white" ? letters[kind].toUpperCase() : letters[kind];
});
const groups = [...new Set(men.slice(2))]; // of identical men
const choose = (n, k) => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
const image = (t, s) => (t & 4 ? (s % 8) * 8 + (s >> 3) : s) ^ (t & 1 ? 7 : 0) ^ (t & 2 ? 56 : 0);
const above = (s) => (s >> 3) - (s % 8); // the diagonal a1-h8, if positive
const apart = (a, b) => Math.max(Math.abs((a >> 3) - (b >> 3)), Math.abs((a % 8) - (b % 8))) > 1;
const squares = [...Array(64).keys()];
const pairs = squares.flatMap((black) => squares
  .filter((white) => white % 8 < 4 && above(white) <= 0 && apart(white, black))
  .filter((white) => above(white) < 0 || above(black) <= 0)
  .map((white) => [white, black]));

for (const fen of fens) {
  const [rows, turn] = fen.split(" ");
  const board = rows.split("/").reverse().join("").replace(/\d/g, (empty) => " ".repeat(empty));
  const stand = (man, t) => squares.filter((s) => board[s] === man).map((s) => image(t, s));
  let best = [Infinity];
  for (let t = 0; t < 8; t++) {
    const [white, black] = [stand("K", t)[0], stand("k", t)[0]];
    const pair = pairs.findIndex((kings) => kings[0] === white && kings[1] === black);
    let [rank, ranks, taken] = [0, 1, []];
    for (const man of groups) {
      const group = stand(man, t).sort((a, b) => a - b);
      const number = (s) => s - taken.filter((other) => other < s).length;
      const all = choose(64 - taken.length, group.length);
      rank = rank * all + group.reduce((sum, s, i) => sum + choose(number(s), i + 1), 0);
      [ranks, taken] = [ranks * all, [...taken, ...group]];
    }
    const first = pairs.findIndex((kings) => kings[1] === black);
    const count = pairs.filter((kings) => kings[1] === black).length;
    const slot = first * ranks + rank * count + pair - first;
    if (pair >= 0 && (rank < best[0] || (rank === best[0] && pair < best[1]))) best = [rank, pair, slot];
  }
  const name = `${turn === "w" ? "white" : "black"}_to_move/dtm`;
  console.log(name, best[2], table.get(name).slice([[best[2], best[2] + 1]])[0]);
}
