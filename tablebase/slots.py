"""The order in which files hold the values of a table, and the way between it and memory.

In memory all pairs of kings of one placement of the other men, a *row*, follow one another (see
`tablebase.index`). A file goes through the pairs with one square of Black's king, for all
placements of the pieces, before the next square: then neighbours are more alike, and files take
two thirds of the space. Where the pairs with one square of Black's king are the `count` ones from
`first` on,

``slot = (slice * king_pairs + first) * ranks + rank * count + king_pair - first``
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase._instructions import byte_at, write_byte
from tablebase._jit import entry
from tablebase.index import table_index
from tablebase.kings import king_groups
from tablebase.material import Material

# What `walk` does with the values that it comes by.
LOOK, TO_FILE, TO_MEMORY = (np.int64(i) for i in range(3))


class SlotOrder(NamedTuple):
    """What kernels know of the order of a table's slots."""

    first: NDArray[np.int64]  # [groups + 1] first pair of each square of Black's king; the end
    ranks: int
    king_pairs: int


@lru_cache(maxsize=64)
def slot_order(material: Material) -> SlotOrder:
    """Return the order of the slots of a material, made once."""
    tables = table_index(material).tables
    return SlotOrder(king_groups(tables.king_squares), tables.ranks, len(tables.king_squares))


@entry
def walk(order: Any, slot: Any, size: Any, rows: Any, what: Any, codes: Any, chunk: Any) -> Any:
    """Return whether any of `size` slots from `slot` on is of a row marked in `rows` bool [rows].

    Copies their values on the way from address `codes` (all values by index) to address `chunk`
    (those of the slots) if `what` is TO_FILE, and those of marked rows back if it is TO_MEMORY.
    """
    slice_size = order.ranks * order.king_pairs
    base = slot // slice_size * slice_size
    rest = slot - base
    group = np.int64(0)
    while order.first[group + 1] * order.ranks <= rest:
        group += 1
    count = order.first[group + 1] - order.first[group]
    rest -= order.first[group] * order.ranks
    rank, place = rest // count, rest % count
    found = False
    done = np.int64(0)
    while done < size:
        number = min(count - place, size - done)
        source = base + rank * order.king_pairs + order.first[group] + place
        marked = rows[source // order.king_pairs]
        if what == TO_FILE:
            for i in range(number):
                write_byte(chunk, done + i, byte_at(codes, source + i))
        elif what == TO_MEMORY and marked:
            for i in range(number):
                write_byte(codes, source + i, byte_at(chunk, done + i))
        found |= marked
        done += number
        place = np.int64(0)
        rank += 1
        if rank == order.ranks:
            rank = np.int64(0)
            group += 1
            if group == len(order.first) - 1:
                group = np.int64(0)
                base += slice_size
            count = order.first[group + 1] - order.first[group]
    return found
