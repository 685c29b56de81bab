"""The order in which files hold the codes of a table, and the way between it and memory.

In memory all pairs of kings of one placement of the other men, a *row*, follow one another (see
`tablebase.index`). A file goes through the pairs with one square of Black's king, for all
placements of the pieces, before the next square: then neighbours are more alike, and files take
two thirds of the space. Where the pairs with one square of Black's king are the `count` ones from
`first` on,

``slot = (slice * king_pairs + first) * ranks + rank * count + king_pair - first``

A slot without a legal position repeats the one before it, the first ones of a chunk the first
value of a position in it; a chunk without any holds draws. So what is stored follows from the
values alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.index import NO_POSITION, king_groups, table_index
from tablebase.jit import entry, hot_entry, kernel, prefetch
from tablebase.outcomes import DRAW
from tablebase.rules import Material

# Rows are far from each other in memory: what a later one needs is fetched meanwhile.
ROWS_AHEAD = 12


class SlotOrder(NamedTuple):
    """The order of a table's slots, for kernels."""

    first: NDArray[np.int64]  # [groups + 1] first pair of each square of Black's king; the end
    ranks: int
    king_pairs: int


@lru_cache(maxsize=64)
def slot_order(material: Material) -> SlotOrder:
    """Return the order of the slots of a material, made once."""
    tables = table_index(material).tables
    return SlotOrder(king_groups(tables.king_squares), tables.ranks, len(tables.king_squares))


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


def fill_gaps(codes: NDArray[Any], legal: NDArray[np.bool_]) -> NDArray[Any]:
    """Return the codes of a chunk with those of slots without a legal position as files have them.

    `gather_slots` does both in one go, where a whole chunk is in memory.
    """
    if not legal.any():
        return np.full_like(codes, DRAW)
    last = np.maximum.accumulate(np.where(legal, np.arange(len(codes)), -1))
    filled: NDArray[Any] = codes[np.where(last < 0, np.argmax(legal), last)]
    return filled


@kernel
def _run_at(order: Any, slot: Any) -> Any:
    """Return the run in memory that begins with a slot of a file, as a state of `_next_run`.

    A *run* is what stands together in both orders: the slots of one row and one square of Black's
    king. A state is the slice's first index, the square's group, the row in the slice, the index
    of the run's first slot, and the number of slots.
    """
    slice_size = order.ranks * order.king_pairs
    base = slot // slice_size * slice_size
    rest = slot - base
    group = np.int64(0)
    while order.first[group + 1] * order.ranks <= rest:
        group += 1
    count = order.first[group + 1] - order.first[group]
    rest -= order.first[group] * order.ranks
    rank, before = rest // count, rest % count
    index = base + rank * order.king_pairs + order.first[group] + before
    return base, group, rank, index, count - before


@kernel
def _next_run(order: Any, base: Any, group: Any, rank: Any) -> Any:
    """Return the state after the run of a slice, group and row."""
    rank += 1
    if rank == order.ranks:
        rank = np.int64(0)
        group += 1
        if group == len(order.first) - 1:
            group = np.int64(0)
            base += order.ranks * order.king_pairs
    first = order.first[group]
    return base, group, rank, base + rank * order.king_pairs + first, order.first[group + 1] - first


@entry
def any_marked(order: Any, slot: Any, size: Any, rows: Any) -> Any:
    """Return whether any of `size` slots from `slot` on is of a row marked in bool `rows`."""
    base, group, rank, index, count = _run_at(order, slot)
    done = np.int64(0)
    while done < size:
        if rows[index // order.king_pairs]:
            return True
        done += count
        base, group, rank, index, count = _next_run(order, base, group, rank)
    return False


@hot_entry
def gather_slots(order: Any, slot: Any, codes: Any, marks: Any, may_move: Any, chunk: Any) -> None:
    """Write the codes of the slots from `slot` on to `chunk` uint8 [slots].

    `codes` and `marks` uint8 [size] are by index, `marks` as by `legality.mark_slots`, `may_move`
    the bit of those that are legal.
    """
    base, group, rank, index, count = _run_at(order, slot)
    size = len(chunk)
    done = np.int64(0)
    leading = np.int64(0)  # slots before the first legal one
    code = np.uint8(DRAW)
    none_yet = True
    far_ahead = ROWS_AHEAD * order.king_pairs
    while done < size:
        prefetch(codes, index + far_ahead)
        prefetch(marks, index + far_ahead)
        for i in range(min(count, size - done)):
            mark = marks[index + i]
            if mark != NO_POSITION and mark & may_move:
                code = codes[index + i]
                if none_yet:
                    none_yet = False
                    leading = done + i
            chunk[done + i] = code
        done += count
        base, group, rank, index, count = _next_run(order, base, group, rank)
    chunk[:leading] = chunk[leading]


@hot_entry
def scatter_slots(order: Any, slot: Any, chunk: Any, places: Any, codes: Any) -> None:
    """Write those of the codes `chunk` uint8 [slots], from `slot` on, whose row is kept.

    `places` int32 [rows] is where the codes of each row go in `codes` uint8, counted in rows; -1
    for nowhere.
    """
    base, group, rank, index, count = _run_at(order, slot)
    size = len(chunk)
    done = np.int64(0)
    while done < size:
        row = index // order.king_pairs
        place = np.int64(places[row])
        if place >= 0:
            target = index + (place - row) * order.king_pairs
            for i in range(min(count, size - done)):
                codes[target + i] = chunk[done + i]
        done += count
        base, group, rank, index, count = _next_run(order, base, group, rank)
