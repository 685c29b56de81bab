"""Write the "krkopt" data set of the UCI Machine Learning Repository from the table of KRK.

Usage::

    python scripts/krkopt.py [--dir data] > krkopt.data

King and rook against king with Black to move: one row for each of the 28,056 inequivalent legal
positions, white king, white rook, black king by file and rank, then in how many moves White mates,
in words. Rows stand in the order of that file: draws first, then by depth, then by squares.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from tablebase.core.board.geometry import square_name
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.outcomes.codes import Wdl
from tablebase.finding.dataset import load_table

WHITE_KING, BLACK_KING, WHITE_ROOK = range(3)  # columns of the table's men
DEPTHS = (
    "draw", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
)  # fmt: skip


def krkopt(directory: Path) -> list[str]:
    """Return the rows of the data set, like ``a,1,b,3,c,2,draw``, from a folder with ``KRK.h5``.

    Errors are those of `tablebase.finding.dataset.load_table`.
    """
    positions = load_table("KRK", directory).positions(turn=False)
    squares = positions.squares[:, [WHITE_KING, WHITE_ROOK, BLACK_KING]]
    # Black is to move: what is not drawn is lost, in an even number of plies.
    depths = np.where(positions.wdl == Wdl.DRAW, 0, 1 - positions.dtm // 2)
    coordinates = np.stack([squares % 8, squares // 8], axis=2).reshape(-1, 6)
    order = np.lexsort([*coordinates.T[::-1], depths])
    return [
        ",".join([*(",".join(square_name(square)) for square in row), DEPTHS[depth]])
        for row, depth in zip(squares[order].tolist(), depths[order].tolist(), strict=True)
    ]


@reader_may_leave()
def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, default=Path("data"), help="folder with KRK.h5")
    try:
        rows = krkopt(parser.parse_args().dir)
    except TablebaseError as error:
        sys.stderr.write(f"krkopt: {error}\n")
        return 2
    sys.stdout.writelines(f"{row}\n" for row in rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
