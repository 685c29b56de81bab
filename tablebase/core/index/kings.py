"""Pairs of kings: which are numbered, and the symmetry that leads from any pair to such a pair.

Where no king is royal, another man of each side stands for its king, its *lead* (see
`Material.men`). In place of a lead that a side does not have, a1 is numbered.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import kings_touch
from tablebase.core.board.geometry import square as square_of
from tablebase.core.board.shape import FULL_BOARD, BoardShape
from tablebase.core.board.symmetry import (
    ALL_SYMMETRIES,
    D4,
    DIAGONAL,
    IDENTITY,
    INVERSE,
    first_of_orbits,
)
from tablebase.core.rules.material import Material

NO_SYMMETRY = 255
MOST_KING_PAIRS = 64 * 63
# All squares in steps to a neighbour: a1 to a8, b8 to b1, c1 to c8 and so on. Kings are numbered
# this way beside pawns, because their neighbours' values are alike, and compress better.
FILES_UP_AND_DOWN: tuple[int, ...] = tuple(
    square_of(file, rank) for file in range(8) for rank in (range(8), range(7, -1, -1))[file % 2]
)


class KingTables(NamedTuple):
    """The number of each pair of kings, and the symmetry that leads to it."""

    number: NDArray[np.int16]  # [64 * 64] of a pair of kings, -1 if there is none
    symmetry: NDArray[np.uint8]  # [64 * 64] the symmetry that makes the kings canonical
    second: NDArray[np.uint8]  # [64 * 64] another one that does, or NO_SYMMETRY
    squares: NDArray[np.uint8]  # [king pairs, 2] squares of both kings


def king_pair_count(material: Material) -> int:
    """Return the number of pairs of kings of a material's index."""
    return len(king_tables_of(material).squares)


def king_tables_of(material: Material) -> KingTables:
    """Return the numbering of kings of a material's index."""
    return king_tables(
        has_pawns=material.has_pawns,
        symmetries=material.symmetries,
        board=material.rules.board,
        touching=material.rules.leads_touch,
        nobody=material.nobody,
    )


@lru_cache(maxsize=16)
def king_tables(
    *,
    has_pawns: bool,
    symmetries: tuple[int, ...] = ALL_SYMMETRIES,
    board: BoardShape = FULL_BOARD,
    touching: bool = False,
    nobody: tuple[bool, bool] = (False, False),
) -> KingTables:
    """Return the numbering of kings on a `board`, also of `touching` ones if that is allowed.

    With pawns all pairs are numbered, without them one of each set of images under `symmetries`.
    Where a side has `nobody`, as is possible only with pawns, any square stands for a1.
    """
    pairs: list[tuple[int, int]] = []
    kept = (IDENTITY,) if has_pawns else symmetries
    every = [one for one in FILES_UP_AND_DOWN if one in board.squares]
    whites = every if has_pawns else first_of_orbits(symmetries, board.squares)
    for black in _squares_of(every if has_pawns else board.squares, nobody=nobody[1]):
        for white in _squares_of(whites, nobody=nobody[0]):
            on_diagonal = DIAGONAL in kept and D4[DIAGONAL, white] == white
            is_reflected = on_diagonal and D4[DIAGONAL, black] < black
            is_pair = white != black if touching else not kings_touch(white, black)
            is_pair |= any(nobody)
            if is_pair and not is_reflected:
                pairs.append((white, black))
    number = np.full(64 * 64, -1, dtype=np.int16)
    symmetry = np.zeros(64 * 64, dtype=np.uint8)
    second = np.full(64 * 64, NO_SYMMETRY, dtype=np.uint8)
    for i, (white, black) in enumerate(pairs):
        for t in kept:
            before = D4[INVERSE[t]]
            image = int(before[white]) * 64 + int(before[black])
            if number[image] >= 0:
                second[image] = t
            else:
                number[image], symmetry[image] = i, t
    if any(nobody):  # then the identity is the only symmetry
        one, other = np.divmod(np.arange(64 * 64), 64)
        number = number[np.where(nobody[0], 0, one) * 64 + np.where(nobody[1], 0, other)]
    return KingTables(number, symmetry, second, np.array(pairs, dtype=np.uint8))


def _squares_of(squares: Sequence[int], *, nobody: bool) -> Sequence[int]:
    return squares[:1] if nobody else squares


def pairs_by_black(king_squares: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the first king pair of each square of Black's king, and the number of pairs last.

    `king_squares` are the squares of both kings, uint8 [king pairs, 2]; the result is [groups + 1].
    """
    black = king_squares[:, 1]
    changes = np.flatnonzero(black[1:] != black[:-1]) + 1
    return np.concatenate([[0], changes, [len(black)]])
