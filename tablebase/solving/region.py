"""Regions: structures by key, where their bounds lie in memory, and which are outside."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.jit import KernelRecord, count_bits, entry, kernel
from tablebase.solving.planes import WORDS, ZERO

# Outside the region; solved, with bounds that may differ; solved, and both bounds are the result.
CLOSED, OPEN, EXACT = 0, 1, 2
NONE = -1
# Sets of one kind of positions: by side to move. Where an attacker is to move, positions that are
# not legal are in a bound of his, else they are not.
TURNS = 2
# Both attackers, as bits.
BOTH = 3
# What the numbers of a region are: structures, words of the arena that are taken, whether there are
# promotions to queen and knight alone, words that may be taken, whether there were too few; then
# where freed memory begins, by pieces.
COUNT, TOP, FEW, LIMIT, SHORT, FREE = range(6)
_NUMBERS = FREE + 4
# No structure has moves to more others.
MOST_CHILDREN = 1500


class RegionFields(NamedTuple):
    """The structures that are known, as arrays for kernels. Their number is the row.

    Where White can win and where Black can are two questions that do not touch each other: a
    structure may be solved for one *attacker* alone.
    """

    slots: NDArray[np.int32]  # [power of two] structures by the hash of their key, or NONE
    keys: NDArray[np.uint64]  # [structures, 3] white pawns, black pawns, counts of pieces by code
    state: NDArray[np.uint8]  # [structures, 2] CLOSED, OPEN or EXACT, by attacker
    lower: NDArray[np.int64]  # [structures, 2] where lower bounds begin in `arena`, by attacker
    upper: NDArray[np.int64]  # [structures, 2] the same of the upper bounds
    stale: NDArray[np.int64]  # [structures] of stalemates with White, Black to move, or NONE
    reached: NDArray[np.int64]  # [structures] of what the flood reached; NONE but while it lasts
    hits: NDArray[np.int64]  # [structures, 2] open positions through which a flood came
    gap: NDArray[np.int64]  # [structures, 2] positions that are in upper bounds, not in lower ones;
    #   NONE if a complete table gave the values
    changed: NDArray[np.uint8]  # [structures] attackers whose bounds changed in this round, as bits
    todo: NDArray[np.uint8]  # [structures] attackers for whom it is solved in this round
    led_to: NDArray[np.uint8]  # [structures] those for whom it is asked for, see `expand`
    rank: NDArray[np.int32]  # [structures] moves out lead to lower ranks
    pieces: NDArray[np.int32]  # [structures] men besides kings and pawns
    numbers: NDArray[np.int64]  # [_NUMBERS] see COUNT to FREE
    arena: NDArray[np.uint64]  # planes


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
        numbers = np.full(_NUMBERS, NONE, dtype=np.int64)
        numbers[:FREE] = 0, 0, few, len(arena), 0
        self.fields = self._make(1 << 12, numbers, arena)
        self.record = KernelRecord(self.fields)

    @staticmethod
    def _make(size: int, numbers: NDArray[np.int64], arena: NDArray[np.uint64]) -> RegionFields:
        def places(*shape: int) -> NDArray[np.int64]:
            return np.full((size, *shape), NONE, dtype=np.int64)

        return RegionFields(
            np.full(4 * size, NONE, dtype=np.int32),
            np.zeros((size, 3), dtype=np.uint64),
            np.zeros((size, 2), dtype=np.uint8),
            places(2),
            places(2),
            places(),
            places(),
            np.zeros((size, 2), dtype=np.int64),
            np.zeros((size, 2), dtype=np.int64),
            np.zeros(size, dtype=np.uint8),
            np.zeros(size, dtype=np.uint8),
            np.zeros(size, dtype=np.uint8),
            np.zeros(size, dtype=np.int32),
            np.zeros(size, dtype=np.int32),
            numbers,
            arena,
        )

    @property
    def count(self) -> int:
        """How many structures are known."""
        return int(self.fields.numbers[COUNT])

    @property
    def bytes(self) -> int:
        """How much memory is in use, bounds included."""
        rows = sum(column.nbytes for column in self.fields[:-2])
        return rows + 8 * int(self.fields.numbers[TOP])

    def make_room(self) -> None:
        """Make room for the children of another structure."""
        old, size = self.fields, len(self.fields.state)
        if self.count + MOST_CHILDREN < size:
            return
        new = self._make(2 * size, old.numbers, old.arena)
        for name in RegionFields._fields[1:-2]:
            getattr(new, name)[:size] = getattr(old, name)
        keys = new.keys[: self.count]
        self.fields, self.record = new, KernelRecord(new)
        place_all(self.record, len(keys))

    def words_of(self, structure: int) -> int:
        """Return how many words the sets of a structure by side to move take."""
        return TURNS * WORDS << (6 * int(self.fields.pieces[structure]))

    def number_of(self, white_pawns: int, black_pawns: int, pieces: int) -> int:
        """Return the number of a structure, a new one if it is not known."""
        self.make_room()
        key = (np.uint64(white_pawns), np.uint64(black_pawns), np.uint64(pieces))
        return int(enter(self.record, *key))


@kernel
def take(region, pieces):
    """Return where memory begins for the sets of a structure by side to move, NONE if too full."""
    place = region.numbers[FREE + pieces]
    if place >= 0:
        region.numbers[FREE + pieces] = np.int64(region.arena[place])
        return place
    place = region.numbers[TOP]
    words = TURNS * WORDS << (6 * pieces)
    if place + words > region.numbers[LIMIT]:
        region.numbers[SHORT] = 1
        return np.int64(NONE)
    region.numbers[TOP] = place + words
    return place


@kernel
def give(region, pieces, place):
    """Give memory back."""
    region.arena[place] = np.uint64(region.numbers[FREE + pieces])
    region.numbers[FREE + pieces] = place


@kernel
def _slot(region, white_pawns, black_pawns, pieces):
    word = (white_pawns * np.uint64(0x9E3779B97F4A7C15)) ^ (
        black_pawns * np.uint64(0xC2B2AE3D27D4EB4F)
    )
    word ^= pieces * np.uint64(0x165667B19E3779F9)
    word ^= word >> np.uint64(29)
    word *= np.uint64(0xBF58476D1CE4E5B9)
    word ^= word >> np.uint64(32)
    last = len(region.slots) - 1
    slot = np.int64(word & np.uint64(last))
    while True:
        number = np.int64(region.slots[slot])
        if number < 0 or (
            region.keys[number, 0] == white_pawns
            and region.keys[number, 1] == black_pawns
            and region.keys[number, 2] == pieces
        ):
            return slot
        slot = (slot + 1) & last


@kernel
def _rank(white_pawns, black_pawns, pieces):
    """Return a number that every move out makes less: men first, then what pawns have left."""
    men = count_bits(white_pawns) + count_bits(black_pawns)
    for code in range(8):
        men += np.int64((pieces >> np.uint64(4 * code)) & np.uint64(15))
    steps = 0
    for rank in range(1, 7):
        row = np.uint64(255) << np.uint64(8 * rank)
        steps += (7 - rank) * count_bits(white_pawns & row) + rank * count_bits(black_pawns & row)
    return 128 * men + steps


@kernel
def piece_count(pieces):
    """Return how many pieces a word of counts has."""
    count = np.int64(0)
    for code in range(8):
        count += np.int64((pieces >> np.uint64(4 * code)) & np.uint64(15))
    return count


@kernel
def find(region, white_pawns, black_pawns, pieces):
    """Return the number of a structure, NONE if it is not known."""
    return np.int64(region.slots[_slot(region, white_pawns, black_pawns, pieces)])


@kernel
def find_or_add(region, white_pawns, black_pawns, pieces):
    """Return the number of a structure; one that is not known is added, as closed."""
    slot = _slot(region, white_pawns, black_pawns, pieces)
    number = np.int64(region.slots[slot])
    if number < 0:
        number = region.numbers[COUNT]
        region.numbers[COUNT] = number + 1
        region.slots[slot] = number
        region.keys[number, 0] = white_pawns
        region.keys[number, 1] = black_pawns
        region.keys[number, 2] = pieces
        region.rank[number] = _rank(white_pawns, black_pawns, pieces)
        region.pieces[number] = piece_count(pieces)
    return number


@kernel
def read_codes(pieces, codes):
    """Write the codes of the pieces in ascending order; return their number."""
    count = 0
    for code in range(8):
        for _ in range(np.int64((pieces >> np.uint64(4 * code)) & np.uint64(15))):
            codes[count] = code
            count += 1
    return count


@kernel
def place_in(region, structure, bound, attacker, turn, plane):
    """Return where a plane of a bound (0 lower, 1 upper) begins in the arena."""
    start = region.upper[structure, attacker] if bound else region.lower[structure, attacker]
    planes = 1 << (6 * np.int64(region.pieces[structure]))
    return start + (turn * planes + plane) * WORDS


@kernel
def has_passing(white_pawns, black_pawns):
    """Return whether a double push may just have been made beside an enemy pawn."""
    pawns = white_pawns | black_pawns
    fourth = np.uint64(255) << np.uint64(24)
    fifth = np.uint64(255) << np.uint64(32)
    left, right = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)
    behind = white_pawns & fourth & ~(pawns << np.uint64(8)) & ~(pawns << np.uint64(16))
    beside = ((black_pawns << np.uint64(1)) & left) | ((black_pawns >> np.uint64(1)) & right)
    if behind & beside != ZERO:
        return True
    behind = black_pawns & fifth & ~(pawns >> np.uint64(8)) & ~(pawns >> np.uint64(16))
    beside = ((white_pawns << np.uint64(1)) & left) | ((white_pawns >> np.uint64(1)) & right)
    return behind & beside != ZERO


@entry
def enter(region, white_pawns, black_pawns, pieces):
    """Return the number of a structure, for Python."""
    return find_or_add(region, white_pawns, black_pawns, pieces)


@entry
def place_all(region, count):
    """Enter the first structures into new slots."""
    for number in range(count):
        key = region.keys
        slot = _slot(region, key[number, 0], key[number, 1], key[number, 2])
        region.slots[slot] = number
