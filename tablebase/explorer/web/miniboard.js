// A small board, which shows a position and can do nothing.

import { readLoosely } from "../reader/position.js";
import { FILES } from "../reader/rules.js";
import { drawMan } from "./board.js";
import { make } from "./page.js";

/** Return a small board with a position of a game; the text beside it says what it shows. */
export function miniBoard(fen, rules) {
  const squares = make("span", "squares");
  squares.setAttribute("aria-hidden", "true");
  const { board } = readLoosely(fen, rules);
  for (const square of rules.squares.filter((one) => board[one])) {
    const [file, rank] = rules.nameOf(square);
    const image = drawMan(board[square], rules, true);
    image.style.width = `${100 / rules.files}%`;
    image.style.left = `${(100 / rules.files) * FILES.indexOf(file)}%`;
    image.style.top = `${(100 / rules.ranks) * (rules.ranks - Number(rank))}%`;
    squares.append(image);
  }
  return squares;
}
