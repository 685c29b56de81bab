"""The order in which files hold the codes of a table, and the way between it and memory.

In memory, all pairs of kings of one placement of the other men, a *row*, follow one another. A file
has, for each square of Black's king, all placements before the next square, since alike neighbours
save a third of the space. With its `count` pairs from `first` on,

``slot = (slice * king_pairs + first) * ranks + rank * count + king_pair - first``

A slot without a legal position repeats the one before it, at the start of a chunk the chunk's first
value; a chunk without any holds draws. So the values determine all bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.ground.parallel import as_threads
from tablebase.core.index.kings import pairs_by_black
from tablebase.core.index.numbering import table_index
from tablebase.core.jit.instructions import lowest_bit, prefetch
from tablebase.core.jit.kernels import entry, hot_kernel, inlined_kernel, kernel
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.rules.material import Material

# Rows are far from each other in memory: what a later one needs is fetched meanwhile.
ROWS_AHEAD = 12
# Rows that have room in the inner caches, and chunks that use the same lines of memory.
ROWS_AT_ONCE = 32
CHUNKS_AT_ONCE = 128
# Of fewer chunks each thread gets some, which take turns with those of the others.
TURNS = 4


class SlotOrder(NamedTuple):
    """The order of a table's slots, for kernels."""

    first: NDArray[np.int64]  # [groups + 1] first pair of each square of Black's king; the end
    ranks: int
    king_pairs: int


def chunks_at_once(count: int, threads: int | None) -> int:
    """Return the number of chunks, of `count`, that a thread brings into another order at once."""
    return max(1, min(CHUNKS_AT_ONCE, count // (TURNS * as_threads(threads))))


@lru_cache(maxsize=64)
def slot_order(material: Material) -> SlotOrder:
    """Return the order of the slots of a material, made once."""
    tables = table_index(material).numbering
    return SlotOrder(pairs_by_black(tables.king_squares), tables.ranks, len(tables.king_squares))


def slot_of_index(order: SlotOrder, index: int) -> int:
    """Return the slot of a file that holds the value of an index."""
    row, pair = divmod(index, order.king_pairs)
    slice_number, rank = divmod(row, order.ranks)
    group = int(np.searchsorted(order.first, pair, side="right")) - 1
    first, after = order.first[group : group + 2].tolist()
    base = (slice_number * order.king_pairs + first) * order.ranks
    return int(base + rank * (after - first) + pair - first)


def indices_of(order: SlotOrder, slots: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indices in memory of slots of a file."""
    slice_size = order.ranks * order.king_pairs
    slices, rest = np.divmod(slots, slice_size)
    group = np.searchsorted(order.first * order.ranks, rest, side="right") - 1
    first, count = order.first[group], np.diff(order.first)[group]
    rank, before = np.divmod(rest - first * order.ranks, count)
    found: NDArray[np.int64] = slices * slice_size + rank * order.king_pairs + first + before
    return found


def are_legal(
    order: SlotOrder, legal: NDArray[np.uint64], indices: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether positions are legal; `legal` is one side's of what `find_legal` returns."""
    rows, pairs = np.divmod(indices, order.king_pairs)
    found: NDArray[np.bool_] = legal[rows, pairs >> 6] >> (pairs & 63).astype(np.uint64) & 1 != 0
    return found


def fill_gaps(codes: NDArray[Any], legal: NDArray[np.bool_]) -> NDArray[Any]:
    """Return the codes of a chunk as files have them, slots without a legal position filled.

    `gather_chunks` does both in one go, where a whole chunk is in memory.
    """
    if not legal.any():
        return np.full_like(codes, DRAW)
    last = np.maximum.accumulate(np.where(legal, np.arange(len(codes)), -1))
    filled: NDArray[Any] = codes[np.where(last < 0, np.argmax(legal), last)]
    return filled


def places_of(rows: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the number of each marked row among the marked, -1 for others: `TablePart.places`."""
    places: NDArray[np.int32] = np.where(rows, np.cumsum(rows) - 1, -1).astype(np.int32)
    return places


@entry
def any_marked(order, slot, size, rows):
    """Return whether any of `size` slots from `slot` on is of a row marked in bool `rows`."""
    slice_size = order.ranks * order.king_pairs
    for number in range(slot // slice_size, (slot + size - 1) // slice_size + 1):
        for group in range(len(order.first) - 1):
            row, end, _, _ = _rows_within(order, number * slice_size, group, slot, size)
            for rank in range(row, end):
                if rows[number * order.ranks + rank]:
                    return True
    return False


@kernel
def _rows_within(order, base, group, slot, size):
    """Return the rows of one square of Black's king, `group`, in the `size` slots from `slot` on.

    They are the first row and the row after the last one, the place where row 0 begins, from
    `slot`, and the slots of each row. `base` is the first slot of a slice.
    """
    first = order.first[group]
    count = order.first[group + 1] - first
    start = base + first * order.ranks - slot
    return max(0, -start // count), min(order.ranks, (size - start - 1) // count + 1), start, count


@entry
def scatter_slots(order, slot, gathered, places, codes):
    """Write the codes `gathered`, from `slot` on, of the rows that are kept to `codes`.

    `places` int32 [rows] is where the codes of each row go, counted in rows; -1 for nowhere.
    """
    size = len(gathered)
    pairs, slice_size = order.king_pairs, order.ranks * order.king_pairs
    for number in range(slot // slice_size, (slot + size - 1) // slice_size + 1):
        base = number * slice_size
        squares = _squares_within(order, base, slot, size)
        for tile in range(0, order.ranks, ROWS_AT_ONCE):
            for group in range(squares[0], squares[1]):
                row, end, start, count = _rows_within(order, base, group, slot, size)
                for rank in range(max(row, tile), min(end, tile + ROWS_AT_ONCE)):
                    kept = np.int64(places[number * order.ranks + rank])
                    if kept < 0:
                        continue
                    index, place = kept * pairs + order.first[group], start + rank * count
                    before = max(0, -place)
                    own = min(count, size - place) - before
                    _copy(gathered, place + before, codes, index + before, own)


@kernel
def _squares_within(order, base, slot, size):
    """Return the first square of Black's king within some slots and the one after the last.

    The arguments are those of `_rows_within`; at least one slot of the slice is within.
    """
    first, after = np.int64(0), np.int64(len(order.first) - 1)
    while base + order.first[first + 1] * order.ranks <= slot:
        first += 1
    while base + order.first[after - 1] * order.ranks >= slot + size:
        after -= 1
    return first, after


@hot_kernel
def _copy(source, first, target, place, count):
    """Copy `count` codes from `first` on to `place` in another array."""
    # Signed numbers might count from the end: LLVM would copy code by code.
    first, place = np.uint64(first), np.uint64(place)
    for i in range(np.uint64(count)):
        target[place + i] = source[first + i]


def gather_chunks(
    order: SlotOrder,
    slots: range,
    chunk_size: int,
    sources: Sequence[NDArray[Any]],
    legal: NDArray[np.uint64],
) -> list[NDArray[Any]]:
    """Return the codes of whole chunks as files have them, for each of `sources`.

    `slots` are those of some chunks of `chunk_size`; `sources` have codes by index, [size]; `legal`
    is what `index.find_legal` returns for the side to move.
    """
    found = []
    for source in sources:
        codes = source.view()
        codes.setflags(write=False)  # else numba would compile the kernel once more
        gathered = np.empty(len(slots), dtype=source.dtype)
        _gather(order, slots.start, codes, legal, chunk_size, gathered)
        found.append(gathered)
    return found


@entry
def _gather(order, slot, codes, legal, chunk_size, gathered):
    """Write the codes of the slots from `slot` on to `gathered`, some chunks, without gaps."""
    size, slice_size = len(gathered), order.ranks * order.king_pairs
    for number in range(slot // slice_size, (slot + size - 1) // slice_size + 1):
        _gather_slice(order, number, slot, codes, legal, gathered)
    # Chunks are read one by one: a gap that begins one repeats no code of the chunk before.
    for first in range(slot, slot + size, chunk_size):
        end = min(first + chunk_size, slot + size)
        found = _next_legal(order, legal, first, end)
        code = np.int64(gathered[found - slot] if found < end else DRAW)
        for gap in range(first, found):
            gathered[gap - slot] = code


@kernel
def _gather_slice(order, number, slot, codes, legal, gathered):
    """Write the codes of a slice that lie in `gathered`, which begins with the slot `slot`.

    All squares of Black's king take some rows before the next rows, since a row lies together in
    memory. Gaps at the beginning of a square are filled in the end, by the code before them.
    """
    size, row = len(gathered), number * order.ranks
    base = row * order.king_pairs
    squares = _squares_within(order, base, slot, size)
    for tile in range(0, order.ranks, ROWS_AT_ONCE):
        for group in range(squares[0], squares[1]):
            first, end, start, count = _rows_within(order, base, group, slot, size)
            for rank in range(max(first, tile), min(end, tile + ROWS_AT_ONCE)):
                ahead = (row + rank + ROWS_AHEAD) * order.king_pairs + order.first[group]
                prefetch(codes, ahead)
                place = start + rank * count
                _gather_row(order, row + rank, group, codes, legal, gathered, place)
    if order.ranks <= ROWS_AT_ONCE:  # then the squares were written one after the other
        return
    for group in range(squares[0], squares[1]):
        rank, end, start, count = _rows_within(order, base, group, slot, size)
        bits = np.uint64(0)
        while rank < end and not bits:
            place = start + rank * count
            bits = _gather_row(order, row + rank, group, codes, legal, gathered, place)
            rank += 1


@inlined_kernel
def _gather_row(
    order: Any, row: Any, group: Any, codes: Any, legal: Any, gathered: Any, place: Any
) -> Any:
    """Write a row's codes with one square of Black's king to `gathered`, from `place` on.

    Where no position is legal, the code before is repeated; what lies outside of `gathered` is left
    out. Return the legality of all these positions as bits.
    """
    first = order.first[group]
    count = order.first[group + 1] - first
    bits = _legal_run(legal, row, first, count)
    code = gathered[max(0, place - 1)]
    # Unsigned numbers never count from an array's end.
    index, target = np.uint64(row * order.king_pairs + first), np.uint64(place)
    for i in range(np.uint64(max(0, -place)), np.uint64(min(count, len(gathered) - place))):
        is_legal = (bits >> i) & np.uint64(1)
        code = codes[index + i] if is_legal else code
        gathered[target + i] = code
    return bits


@kernel
def _legal_run(legal, row, first, count):
    """Return the legality of `count` pairs of kings of a row, from `first` on, as bits."""
    word, shift = first >> 6, np.uint64(first & 63)
    bits = legal[row, word] >> shift
    if shift + np.uint64(count) > np.uint64(64):
        bits |= legal[row, word + 1] << (np.uint64(64) - shift)
    return bits & ((np.uint64(1) << np.uint64(count)) - np.uint64(1))


@kernel
def _next_legal(order, legal, slot, end):
    """Return the first slot from `slot` on that has a legal position, `end` if there is none."""
    while slot < end:
        number = slot // (order.ranks * order.king_pairs)
        rest = slot - number * (order.ranks * order.king_pairs)
        group = np.int64(0)
        while order.first[group + 1] * order.ranks <= rest:
            group += 1
        first = order.first[group]
        count = order.first[group + 1] - first
        rest -= first * order.ranks
        rank = rest // count
        before = rest - rank * count
        bits = _legal_run(legal, number * order.ranks + rank, first, count) >> np.uint64(before)
        if bits:
            return min(slot + lowest_bit(bits), end)
        slot += count - before
    return end
