"""Proven distances of positions of a structure to the next move that leaves it."""

from __future__ import annotations

import chess
import numpy as np

from tablebase.core.ground.capacity import MEASURED_PIECES
from tablebase.solve.kernels.distances import measure
from tablebase.solve.kernels.exits import CROWD, MATE, PAWN, POSITIONS, STALEMATE, make_distances
from tablebase.solve.kernels.fields import NONE, State, make_work
from tablebase.solve.places import Place, place_of, structure_of
from tablebase.solve.plans import Distance
from tablebase.solve.region import Region
from tablebase.solve.region_file import RegionFile
from tablebase.solve.saving import load_neighbours

# Bounds that are read from a file for one structure, in bytes.
MOST_READ = 1 << 28


def distance_of(value: int) -> Distance | None:
    """Return the distance that a value of a win or loss has, None for others."""
    if not STALEMATE < abs(value) <= MATE:
        return None
    given_up, rest = divmod(MATE - abs(value), PAWN)
    return Distance(given_up, rest >= CROWD, rest % CROWD)


def value_before(value: int) -> int:
    """Return the value for the side that has just moved."""
    return (value > 0) - (value < 0) - value


def index_of(place: Place, planes: int) -> int:
    """Return the index of a position among the positions of its structure."""
    row = (place.turn * planes + place.plane) * 64 + place.white_king
    return row * 64 + place.black_king


class ZeroingDistances:
    """Proven distances to zeroing in one structure: to a move that leaves it, or mate.

    The region has the solved structures that moves out lead to; its bounds of this one, if any,
    decide what is proven. The winner gives up a man only if he must (`exits`); the loser delays.
    """

    def __init__(self, region: Region, structure: int) -> None:
        self._planes = 1 << (6 * int(region.fields.pieces[structure]))
        work = make_work(self._planes)
        region.expand(work, np.array([structure]))
        self._values = np.empty(2 * self._planes * POSITIONS, dtype=np.int16)
        measure(region.record, work, make_distances(self._values, self._planes), structure)

    @property
    def bytes(self) -> int:
        """Memory that they keep."""
        return self._values.nbytes

    def value_at(self, place: Place) -> int:
        """Return the value of a position of the structure, see `exits`."""
        return int(self._values[index_of(place, self._planes)])

    def after(self, board: chess.Board, result: int) -> Distance | None:
        """Return the distance of the move that led to a position of the structure, None if unknown.

        `result` is 1 if the side that made the move wins, -1 if it loses.
        """
        value = value_before(self.value_at(place_of(board)))
        return distance_of(value) if value * result > 0 else None


def distances_in(region: Region, structure: int) -> ZeroingDistances | None:
    """Return the distances in a structure of a region, None if they cannot be had."""
    fields = region.fields
    # One that a table gave has no moves out in the region.
    own = (fields.state[structure] != State.CLOSED) & (fields.gap[structure] != NONE)
    fits = own.any() and fields.pieces[structure] <= MEASURED_PIECES
    return ZeroingDistances(region, structure) if fits else None


def region_around(file: RegionFile, board: chess.Board) -> Region | None:
    """Return the region that `ZeroingDistances` needs of a file, with a position's structure first.

    None if it is missing or would take more than `MOST_READ`; damage is a `CorruptTableError`.
    """
    number = file.find(*structure_of(board))
    if number is None or file.header.planes[number] > 1 << (6 * MEASURED_PIECES):
        return None
    return load_neighbours(file, number, MOST_READ)
