"""Make the data set krkopt of Bain and van Hoff (1994) from the table of king and rook.

Usage: python examples/krkopt.py [FOLDER]

Prints the number of rows and their SHA-256, which is that of the file `krkopt.data` of the UCI
Machine Learning Repository: https://archive.ics.uci.edu/dataset/23
"""

import hashlib
import sys

import chess
import numpy as np

from tablebase import load_table
from tablebase.core.ground.streams import reader_may_leave

WORDS = [
    *("draw", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
]


def main(folder: str = "data") -> None:
    """Print what the rows are known by."""
    positions = load_table("KRK", folder).positions(turn=False)
    depths = np.where(positions.wdl == 0, 0, 1 - positions.dtm // 2)  # a place in WORDS
    squares = positions.squares[:, [0, 2, 1]]  # White's king and rook, Black's king
    cells = [[cell for square in row for cell in chess.square_name(square)] for row in squares]
    rows = sorted(zip(depths.tolist(), cells, strict=True))
    text = "".join(f"{','.join(row)},{WORDS[depth]}\n" for depth, row in rows)
    with reader_may_leave():
        print(f"{len(rows):,} rows, SHA-256 {hashlib.sha256(text.encode()).hexdigest()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
