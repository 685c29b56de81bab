// Look positions up without this program: npm install h5wasm, then for instance
// node examples/read_table.mjs data/KRK.h5 "8/8/8/8/8/2k5/1R6/K7 w - - 0 1" (no pawns, the stronger side White)
const refuse = () => process.exit(console.error("read_table.mjs needs a package: npm install h5wasm") ?? 2);
const { default: h5wasm } = await import("h5wasm/node").catch(refuse);
const [squares, symmetries] = [64, 8].map((count) => [...Array(count).keys()]);
const image = (t, s) => (t & 4 ? (s % 8) * 8 + (s >> 3) : s) ^ (t & 1 ? 7 : 0) ^ (t & 2 ? 56 : 0);
const apart = (a, b) => Math.max(Math.abs((a >> 3) - (b >> 3)), Math.abs((a % 8) - (b % 8))) > 1;
const isLowest = (w, b) => symmetries.every((t) => 64 * image(t, w) + image(t, b) >= 64 * w + b);
const whites = squares.map((b) => squares.filter((w) => apart(w, b) && isLowest(w, b))); // by the black king
const choose = (n, k) => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);

await h5wasm.ready;
const table = new h5wasm.File(process.argv[2], "r");
for (const fen of process.argv.slice(3)) {
  const [rows, turn] = fen.split(" ");
  const board = rows.split("/").reverse().join("").replace(/\d/g, (empty) => " ".repeat(empty));
  const [{ slot }] = symmetries.map((t) => {
    const stand = (man) => squares.filter((s) => board[image(t, s)] === man);
    const [[white], [black], ...groups] = [..."KkQRBNqrbn"].map(stand);
    let [rank, ranks, free] = [0, 1, squares];
    for (const group of groups) {
      const [count, numbers] = [choose(free.length, group.length), group.map((s) => free.indexOf(s))];
      rank = rank * count + numbers.reduce((sum, number, i) => sum + choose(number, i + 1), 0);
      [ranks, free] = [ranks * count, free.filter((s) => !group.includes(s))];
    }
    const [first, pairs] = [whites.slice(0, black).flat().length, whites[black]];
    return { kings: 64 * white + black, rank, slot: first * ranks + rank * pairs.length + pairs.indexOf(white) };
  }).sort((a, b) => a.kings - b.kings || a.rank - b.rank);
  console.log(turn, slot, table.get(`${turn === "w" ? "white" : "black"}_to_move/dtm`).slice([[slot, slot + 1]])[0]);
}
