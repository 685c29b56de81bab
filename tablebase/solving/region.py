"""Regions: structures by key, where their bounds lie in memory, and which are outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tablebase.solving.bounds import Bounds
from tablebase.solving.kernels import (
    MOST_CHILDREN,
    TURNS,
    WORDS,
    Number,
    RegionFields,
    State,
    enter,
    make_region,
    new_numbers,
    place_all,
)

if TYPE_CHECKING:
    from tablebase.solving.places import Place


class Region:
    """The structures that are known, and the memory of their bounds.

    Parameters
    ----------
    arena
        Memory for bounds, uint64; what is in it is overwritten.
    few
        Whether men promote to queen and knight alone, see `structures`.
    """

    def __init__(self, arena: NDArray[np.uint64], *, few: bool = False) -> None:
        self.record = make_region(1 << 12, new_numbers(few=few, room=len(arena)), arena)

    @property
    def fields(self) -> RegionFields:
        """The arrays, for Python."""
        fields: RegionFields = self.record.fields
        return fields

    @property
    def count(self) -> int:
        """Number of structures that are known."""
        return int(self.fields.numbers[Number.COUNT])

    @property
    def bytes(self) -> int:
        """Memory in use, bounds included, in bytes."""
        rows = sum(column.nbytes for column in self.fields[:-2])
        return rows + 8 * int(self.fields.numbers[Number.TOP])

    def make_room(self) -> None:
        """Make room for the children of another structure."""
        old, size = self.fields, len(self.fields.state)
        if self.count + MOST_CHILDREN < size:
            return
        record = make_region(2 * size, old.numbers, old.arena)
        new = record.fields
        for name in RegionFields._fields[1:-2]:
            getattr(new, name)[:size] = getattr(old, name)
        self.record = record
        place_all(record, self.count)

    def words_of(self, structure: int) -> int:
        """Return the number of words of a structure's sets by side to move."""
        return TURNS * WORDS << (6 * int(self.fields.pieces[structure]))

    def number_of(self, white_pawns: int, black_pawns: int, pieces: int) -> int:
        """Return the number of a structure, a new one if it is not known."""
        self.make_room()
        key = (np.uint64(white_pawns), np.uint64(black_pawns), np.uint64(pieces))
        return int(enter(self.record, *key))

    def bounds_at(self, place: Place) -> Bounds:
        """Return the bounds on the result of the position at a place, for the side to move."""
        number, fields = self.number_of(*place.structure), self.fields
        plane = (place.turn << (6 * int(fields.pieces[number]))) + place.plane

        def wins(attacker: int) -> tuple[bool, bool]:
            """Return whether an attacker is sure to win, and whether it may win."""
            if fields.state[number, attacker] == State.CLOSED:
                return False, True
            starts = int(fields.lower[number, attacker]), int(fields.upper[number, attacker])
            words = [int(fields.arena[s + plane * WORDS + place.white_king]) for s in starts]
            sure, may = [bool(word >> place.black_king & 1) for word in words]
            return sure, may

        (win, may_win), (loss, may_lose) = wins(place.turn), wins(1 - place.turn)
        return Bounds(1 if win else -1 if may_lose else 0, -1 if loss else 1 if may_win else 0)
