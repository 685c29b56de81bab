"""How far positions of a structure are from the next move that leaves it, on the proven way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.solving.attractor import make_work, work_bytes
from tablebase.solving.bounds import conversion_of_move
from tablebase.solving.distances import measure
from tablebase.solving.exits import (
    POSITIONS,
    TO_CONVERSION,
    index_of,
    make_distances,
    plies_of,
    value_before,
)
from tablebase.solving.places import place_of
from tablebase.solving.region import Region
from tablebase.solving.saving import load_neighbours
from tablebase.solving.structures import expand

if TYPE_CHECKING:
    import chess

    from tablebase.storage import RegionFile

# Structures of more pieces take gigabytes, and half a minute.
MOST_PIECES = 2
# Bounds that are read from a file for one structure, in bytes.
MOST_READ = 1 << 28


class Conversions:
    """Distances to a conversion in one structure, a move that leaves it or mate, as far as proven.

    Wins count only by moves to what is proven to be won; a loser puts off what he can.

    Parameters
    ----------
    region
        Where the structures are solved, as far as they are, that moves out lead to.
    structure
        Its number.
    """

    def __init__(self, region: Region, structure: int) -> None:
        self._planes = 1 << (6 * int(region.fields.pieces[structure]))
        region.make_room()
        chosen, work = np.array([structure]), make_work(self._planes)
        expand(region.record, work, chosen, 0, 1)
        self._values = np.empty(2 * self._planes * POSITIONS, dtype=np.int16)
        places = np.zeros(region.count, dtype=np.int64)
        distances = make_distances(self._values, places, self._planes)
        measure(region.record, work, distances, chosen, 0, 1, TO_CONVERSION)

    @staticmethod
    def bytes_for(pieces: int) -> int:
        """Return the memory that finding them takes, for so many pieces of the structure."""
        planes = 1 << (6 * pieces)
        return 4 * planes * POSITIONS + work_bytes(planes)

    @property
    def bytes(self) -> int:
        """Memory that they keep."""
        return self._values.nbytes

    def of_move(self, board: chess.Board, move: chess.Move, result: int | None) -> int | None:
        """Return how far a move of a position of the structure is from a conversion.

        Parameters
        ----------
        board, move, result
            As for `conversion_of_move`.

        Returns
        -------
        int or None
            Plies, the move included: positive for a win, negative for a loss, 0 for a draw. None if
            it is not known.
        """
        known = conversion_of_move(board, move, result)
        if result is None or known is not None:
            return known
        after = board.copy(stack=False)
        after.push(move)
        value = int(self._values[index_of(place_of(after), self._planes)])
        plies = plies_of(value_before(value))
        return plies if plies * result > 0 else None


def region_around(file: RegionFile, board: chess.Board) -> Region | None:
    """Return what `Conversions` needs of a file for a position, whose structure is number 0.

    None if it is not there, or would take more memory than `MOST_READ`.

    Raises
    ------
    CorruptTableError
        If the file is damaged.
    """
    number = file.find(*place_of(board)[:3])
    if number is None or file.header.planes[number] > 1 << (6 * MOST_PIECES):
        return None
    return load_neighbours(file, number, MOST_READ)
