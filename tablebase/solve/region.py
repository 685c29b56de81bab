"""Regions: structures by key, their bounds in memory, packed if need be, and which are outside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.core.jit.records import KernelRecord
from tablebase.solve.bounds import Bounds
from tablebase.solve.kernels.fields import (
    BOTH_ATTACKERS,
    LOWER,
    MOST_CHILDREN,
    NONE,
    TURNS,
    UPPER,
    Number,
    RegionFields,
    State,
    make_region,
    new_numbers,
)
from tablebase.solve.kernels.keys import enter, place_all
from tablebase.solve.kernels.king_planes import WORDS
from tablebase.solve.kernels.packing import Block, block_words, squeeze, unpack_planes
from tablebase.solve.kernels.preparing import expand
from tablebase.solve.places import Place


class Region:
    """The structures that are known, with their bounds in memory, and a `record` of `RegionFields`.

    With `few`, men promote to queen and knight only, see `structures`.
    """

    def __init__(self, memory: NDArray[np.uint64], *, few: bool = False) -> None:
        self.record = make_region(1 << 12, new_numbers(few=few, room=len(memory)), memory)
        self._saved = 0  # words that packing has saved

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
        rows = sum(column.nbytes for column in self.fields[:-3])
        return rows + 8 * int(self.fields.numbers[Number.TOP])

    @property
    def words(self) -> int:
        """Words that all bounds have, packed or not."""
        return self._saved + int(self.fields.numbers[Number.TOP])

    @property
    def growth(self) -> int:
        """Bytes that `make_room` would add."""
        if self.count + MOST_CHILDREN < len(self.fields.state):
            return 0
        return sum(column.nbytes for column in self.fields[:-3])

    def make_room(self) -> None:
        """Make room for the children of another structure."""
        old, size = self.fields, len(self.fields.state)
        if not self.growth:
            return
        record = make_region(2 * size, old.numbers, old.arena)
        new = record.fields
        for name in RegionFields._fields[1:-3]:
            getattr(new, name)[:size] = getattr(old, name)
        self.record = record
        place_all(record, self.count)

    def expand(self, work: KernelRecord, structures: NDArray[np.int64]) -> None:
        """Add the structures that moves lead to; see the kernel."""
        start = 0
        while start < len(structures):
            self.make_room()
            start = expand(self.record, work, structures, start, len(structures))

    def take(self, words: int) -> int:
        """Take memory for bounds; return its first word.

        Raises `MemoryError` if there is too little, even once all other bounds are packed.
        """
        numbers = self.fields.numbers
        if numbers[Number.TOP] + words > numbers[Number.LIMIT]:
            self.squeeze()
        top = int(numbers[Number.TOP])
        if top + words > numbers[Number.LIMIT]:
            raise MemoryError
        numbers[Number.TOP] = top + words
        return top

    def forget(self, attacker: int) -> None:
        """Let all structures be outside for an attacker; `squeeze` frees the memory."""
        fields = self.fields
        fields.state[:, attacker] = State.CLOSED
        fields.lower[:, attacker] = fields.upper[:, attacker] = NONE
        others = np.uint8(BOTH_ATTACKERS - (1 << attacker))
        for bits in (fields.todo, fields.changed, fields.led_to):
            np.bitwise_and(bits, others, out=bits)

    def squeeze(self) -> None:
        """Pack all bounds that are not packed, and put them next to each other in memory."""
        fields, count = self.fields, self.count
        structures, attackers = np.nonzero(fields.state[:count] != State.CLOSED)
        own = structures, attackers
        differ = fields.upper[own] != fields.lower[own]
        en_passant = np.flatnonzero(fields.stale[:count] != NONE)
        starts = [fields.lower[own], fields.upper[own][differ], fields.stale[en_passant]]
        turned = [attackers, attackers[differ], np.full(len(en_passant), NONE)]
        owners = np.concatenate([structures, structures[differ], en_passant])
        blocks = np.empty((len(owners), len(Block)), dtype=np.int64)
        blocks[:, Block.START] = np.concatenate(starts)
        blocks[:, Block.PLANES] = 1 << (6 * fields.pieces[owners].astype(np.int64))
        blocks[:, Block.TURNED] = np.concatenate(turned)
        start = blocks[:, Block.START]
        order = np.argsort(np.abs(start))  # of packed ones it is negative
        rows = np.empty_like(order)
        rows[order] = np.arange(len(order))
        blocks[:, Block.LOWER] = NONE
        blocks[len(differ) : len(differ) + differ.sum(), Block.LOWER] = rows[: len(differ)][differ]
        scratch = np.empty(block_words(int(blocks[:, Block.PLANES].max(initial=1))), np.uint64)
        listed, page = blocks[order], np.empty(WORDS, dtype=np.uint64)
        squeeze(self.record, listed, scratch, scratch.view(np.uint8), page)
        start[order] = listed[:, Block.START]
        lower, upper, stale = np.split(start, np.cumsum([len(one) for one in starts[:2]]))
        fields.lower[own] = fields.upper[own] = lower
        fields.upper[structures[differ], attackers[differ]] = upper
        fields.stale[en_passant] = stale
        fields.reached[:] = NONE
        top = int(fields.numbers[Number.TOP])
        self._saved = int(TURNS * WORDS * blocks[:, Block.PLANES].sum()) - top

    def planes_of(self, structures: NDArray[np.int64]) -> int:
        """Return the number of planes of some structures together."""
        return int((1 << (6 * self.fields.pieces[structures].astype(np.int64))).sum())

    def words_of(self, structure: int) -> int:
        """Return the number of words of a structure's sets by side to move."""
        return TURNS * WORDS << (6 * int(self.fields.pieces[structure]))

    def number_of(self, white_pawns: int, black_pawns: int, pieces: int) -> int:
        """Return the number of a structure, a new number if it is not known."""
        self.make_room()
        key = (np.uint64(white_pawns), np.uint64(black_pawns), np.uint64(pieces))
        return int(enter(self.record, *key))

    def planes(self, start: int, turned: int, first: int, count: int = 1) -> NDArray[np.uint64]:
        """Return the words of some planes of sets by side to move, but no upper bound; see `bound`.

        `start` is what `lower` or `stale` say of the sets, `turned` the attacker; NONE if
        stalemates.
        """
        if start > NONE:
            return self.fields.arena[start + first * WORDS : start + (first + count) * WORDS]
        sets = np.empty(count * WORDS, dtype=np.uint64)
        unpack_planes(self.record, start, turned, np.array([first, first + count]), sets)
        return sets

    def bound(
        self, structure: int, attacker: int, bound: int, first: int = 0, count: int | None = None
    ) -> NDArray[np.uint64]:
        """Return the words of some planes of an attacker's LOWER or UPPER bound, all by default."""
        if count is None:
            count = self.words_of(structure) // WORDS
        own = structure, attacker
        lower, upper = int(self.fields.lower[own]), int(self.fields.upper[own])
        if bound == LOWER or upper == lower:
            return self.planes(lower, attacker, first, count)
        if upper > NONE:
            return self.planes(upper, attacker, first, count)
        differences = self.planes(upper, NONE, first, count)
        return self.planes(lower, attacker, first, count) ^ differences

    def bounds_at(self, place: Place) -> Bounds:
        """Return the bounds on the result of the position at a place, for the side to move."""
        number, fields = self.number_of(*place.structure), self.fields
        plane = (place.turn << (6 * int(fields.pieces[number]))) + place.plane

        def wins(attacker: int) -> tuple[bool, bool]:
            """Return whether an attacker is sure to win, and whether it may win."""
            if fields.state[number, attacker] == State.CLOSED:
                return False, True
            bounds = [self.bound(number, attacker, bound, plane, 1) for bound in (LOWER, UPPER)]
            words = [planes[place.white_king] for planes in bounds]
            sure, may = [bool(int(word) >> place.black_king & 1) for word in words]
            return sure, may

        (win, may_win), (loss, may_lose) = wins(place.turn), wins(1 - place.turn)
        return Bounds(1 if win else -1 if may_lose else 0, -1 if loss else 1 if may_win else 0)
