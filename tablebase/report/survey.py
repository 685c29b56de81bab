"""One pass over a table: where the men stand by result, mutual zugzwangs, orbits of symmetry.

In a *mutual zugzwang*, legal with either side to move, each side would rather see the other move.
The kinds are named by what happens to the side that must move: ``white_draws_black_loses`` and
``white_loses_black_draws``, half a point, and ``both_lose``, a full point. An *orbit* is a
placement with its images, as many as there are symmetries, or half if a diagonal keeps it; where
checks are counted, a placement with other checks left is another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import NOBODY
from tablebase.core.index.legality import (
    BLACK_MAY_MOVE,
    NO_POSITION,
    WEIGHT_SHIFT,
    WHITE_MAY_MOVE,
    map_marks,
)
from tablebase.core.index.numbering import MAX_MEN_OF_INDEX, decode_position
from tablebase.core.index.orbits import over_the_board
from tablebase.core.index.weights import BROKEN
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import entry, kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.codes import SIGNED_PLIES, WDL_OF_CODE, Wdl, decode_dtm
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import read_table
from tablebase.core.tables.table import Table

RESULTS: tuple[str, ...] = ("win", "draw", "loss")
ZUGZWANGS: tuple[str, ...] = ("white_draws_black_loses", "white_loses_black_draws", "both_lose")

_FIRST_LIMIT = 1 << 12


@dataclass(frozen=True)
class Zugzwang:
    """A mutual zugzwang."""

    slot: int  # index of the placement
    kind: str  # one of `ZUGZWANGS`
    white: int  # code with White to move, see `tablebase.core.outcomes.codes`
    black: int  # with Black to move

    @property
    def plies(self) -> int:
        """The longer of the distances to mate with either side to move."""
        decoded = (decode_dtm(self.white), decode_dtm(self.black))
        return max(plies or 0 for wdl, plies in decoded if wdl is not Wdl.DRAW)


@dataclass(frozen=True, eq=False)
class Survey:
    """Findings of one pass over a table."""

    # legal positions of the whole board, [2, 3, kinds, 64]: by side to move, its result, kind of
    # man (`kinds_of`) and square; identical men count for the squares of both
    squares: NDArray[np.int64]
    plies: NDArray[np.int64]  # sums of the distances to mate of these positions, in the same shape
    zugzwangs: tuple[Zugzwang, ...]  # each orbit once, in the order of the index
    orbits: dict[int, int]  # orbits of placements, legal or not, by number of members
    odd: str = "win"  # the result whose distances are odd numbers of plies

    def zugzwang_counts(self) -> dict[str, int]:
        """Return the number of mutual zugzwangs of each kind."""
        kinds = [one.kind for one in self.zugzwangs]
        return {kind: kinds.count(kind) for kind in ZUGZWANGS}

    def shares_by_square(self, side: int, result: str, kind: int) -> NDArray[np.float64]:
        """Return the share of a result, 0 to 1, by the square, [64], of a kind of man (`kinds_of`).

        `side` is to move, 0 for White, and sees the result; NaN where no such man can stand.
        """
        counts = self.squares[side, :, kind].astype(np.float64)
        with np.errstate(invalid="ignore"):
            shares: NDArray[np.float64] = counts[RESULTS.index(result)] / counts.sum(axis=0)
        return shares

    def moves_by_square(self, side: int, result: str, kind: int) -> NDArray[np.float64]:
        """Return the mean distance to mate, in moves of the winner, by the square of a man.

        Of the positions with a result only; all else is as in `shares_by_square`.
        """
        row = RESULTS.index(result)
        counts = self.squares[side, row, kind]
        # A loss in 2 n plies is one in n moves, a win in 2 n - 1 plies too; where who wins has
        # nothing to move in the end, it is the other way round.
        plies = self.plies[side, row, kind] + (counts if result == self.odd else 0)
        with np.errstate(invalid="ignore"):
            moves: NDArray[np.float64] = plies / counts / 2
        return moves


class _Sums(NamedTuple):
    """Sums and findings of a survey."""

    sums: NDArray[np.int64]  # [2, weight, 2, 3, kinds, 64] counts and plies, as in `Survey`
    orbits: NDArray[np.int64]  # [weight]
    zugzwangs: NDArray[np.int64]  # [limit, 2] slots and kinds, the first ones


def count_zugzwangs(path: Path) -> int:
    """Return the number of mutual zugzwangs in a table file."""
    return len(survey_table(read_table(path)).zugzwangs)


def survey_table(table: Table, *, threads: int | None = None) -> Survey:
    """Go through all positions of a table once.

    Parameters
    ----------
    table
        The table.
    threads
        How many threads to use; by default one for each processor.

    Returns
    -------
    Survey
        Where the men stand, mutual zugzwangs, orbits.
    """
    index = table.index
    men = [(color, -man) for color, man in index.material.men]
    counted = sorted({one for one in men if -one[1] is not NOBODY})
    kinds = np.array([counted.index(one) if one in counted else -1 for one in men])
    shape = (2, 2, 2, len(RESULTS), len(kinds_of(index.material)), 64)

    def survey(part: slice, marks: NDArray[np.uint8]) -> _Sums:
        white, black = table.codes
        codes = white[part], black[part]
        limit = _FIRST_LIMIT
        while True:
            rows = np.empty((limit, 2), np.int64)
            found = _Sums(np.zeros(shape, np.int64), np.zeros(2, np.int64), rows)
            count = _survey(index.record, kinds, part.start, marks, codes, KernelRecord(found))
            if count <= limit:
                return found._replace(zugzwangs=rows[:count])
            limit = count

    sums, orbits = np.zeros(shape, np.int64), np.zeros(2, np.int64)
    rows: list[list[int]] = []
    for found in map_marks(index, survey, threads=threads):
        sums += found.sums
        orbits += found.orbits
        rows += found.zugzwangs.tolist()
    whole = over_the_board(sums[:, 0], index, 4)
    whole += over_the_board(sums[:, 1], index, 4, halves=True)
    # Outcomes of decided positions may have more plies than their distances.
    whole[1, :, ::2] -= index.material.rules.ply_offset * whole[0, :, ::2]
    members = len(index.symmetries)
    sizes = ((members, int(orbits[0])), (members // 2, int(orbits[1])))
    return Survey(
        squares=whole[0],
        plies=whole[1],
        zugzwangs=tuple(
            Zugzwang(slot, ZUGZWANGS[kind], *(int(codes[slot]) for codes in table.codes))
            for slot, kind in rows
        ),
        orbits={size: count for size, count in sizes if count},
        odd="win" if index.material.rules.royal else "loss",
    )


def kinds_of(material: Material) -> list[str]:
    """Return the kinds of men of a material, identical men once.

    >>> kinds_of(Material.from_name("KNNK"))
    ['white king', 'white knight', 'black king']
    """
    kinds = sorted({(color, -man) for color, man in material.men if man is not NOBODY})
    return [f"{color.name.lower()} {material.rules.name_of(-man)}" for color, man in kinds]


@entry
def _survey(tables, kinds, first, marks, codes, found):  # type: ignore[no-untyped-def]
    """Survey the slots from `first` on; return how many mutual zugzwangs there are.

    `marks` and `codes`, with White and with Black to move, are of these slots; `kinds` int64 [men]
    has rows of `kinds_of`, -1 for no man. Adds to `found`, a record of `_Sums` with weights WHOLE
    and HALF.
    """
    white, black = codes
    zugzwangs = found.zugzwangs
    squares = work_space(MAX_MEN_OF_INDEX, np.uint8)[: len(kinds)]
    count = 0
    for slot in range(len(marks)):
        mark = np.int64(marks[slot])
        weight = mark >> WEIGHT_SHIFT
        if mark == NO_POSITION or weight == BROKEN:
            continue
        found.orbits[weight] += 1
        decode_position(tables, first + slot, squares)
        if mark & WHITE_MAY_MOVE:
            _add_position(kinds, squares, white[slot], weight, np.int64(0), found.sums)
        if mark & BLACK_MAY_MOVE:
            _add_position(kinds, squares, black[slot], weight, np.int64(1), found.sums)
        if mark & WHITE_MAY_MOVE and mark & BLACK_MAY_MOVE:
            kind = _zugzwang(white[slot], black[slot])
            if kind >= 0:
                if count < len(zugzwangs):
                    zugzwangs[count, 0], zugzwangs[count, 1] = first + slot, kind
                count += 1
    return count


@kernel
def _add_position(kinds, squares, code, weight, side, sums):  # type: ignore[no-untyped-def]
    """Add a position with a stored code to the sums of `_survey`."""
    result = _result(code)
    plies = np.abs(np.int64(SIGNED_PLIES[code]))
    for man in range(len(squares)):
        if kinds[man] >= 0:
            sums[0, weight, side, result, kinds[man], squares[man]] += 1
            sums[1, weight, side, result, kinds[man], squares[man]] += plies


@kernel
def _result(code):  # type: ignore[no-untyped-def]
    """Return the row of `RESULTS` of a stored code."""
    return 1 - WDL_OF_CODE[code]


@kernel
def _zugzwang(white, black):  # type: ignore[no-untyped-def]
    """Return the number of the kind of mutual zugzwang by its codes, or -1."""
    first, second = _result(white), _result(black)
    if first == 2:
        return 2 if second == 2 else 1 if second == 1 else -1
    return 0 if first == 1 and second == 2 else -1
