"""Distances of more plies than a byte tells: what is undecided at the end of each epoch.

See `slices` for what an epoch is, and `tablebase.core.outcomes.codes` for codes of two bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.core.engine.out.child_places import OWN, find_child
from tablebase.core.engine.sets.bits import ONE
from tablebase.core.engine.sets.values import has_epochs
from tablebase.core.ground.parallel import run_blocks
from tablebase.core.jit.kernels import entry, kernel
from tablebase.core.outcomes.codes import DRAW, MAX_EPOCHS
from tablebase.core.tables.table import join_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.index.numbering import TableIndex
    from tablebase.core.outcomes.metrics import Metric
    from tablebase.core.rules.material import Material
    from tablebase.core.tables.reserved import Reserved

_ROWS_PER_TASK = 1 << 13
_CODES_PER_PART = 1 << 24


def make_undecided(material: Material, metric: Metric, index: TableIndex) -> NDArray[np.uint8]:
    """Return the field `undecided` of a `slices.Problem`, all zero.

    It takes memory only as far as epochs come to an end. With pawns there is none: slices are small
    enough for `slices.Worker.undecided`.
    """
    size = index.ranks * bytes_of_row(index.king_pairs)
    count = epoch_count(material, metric) - 1
    return np.zeros((0 if material.has_pawns else count, 2, size), dtype=np.uint8)


def bytes_of_row(pairs: int) -> int:
    """Return the number of bytes that have a bit for each pair of kings."""
    return -(-pairs // 8)


def epoch_count(material: Material, metric: Metric) -> int:
    """Return the largest number of epochs."""
    return MAX_EPOCHS if has_epochs(material, metric) else 1


@kernel
def note_undecided(problem, plane, epoch, worker):
    """Note in `undecided` which positions of a plane are in both `not_won` and `not_lost`.

    They are noted in all their slots; the plane's men are in place.
    """
    children, sets, scratch = problem.children, worker.sets, worker.scratch
    find_child(children, OWN, worker.men.squares, scratch.bases)
    kings, pairs = children.places.kings, children.places.pairs[OWN]
    for color in range(2):
        not_won, not_lost = sets.not_won[color], sets.not_lost[color]
        undecided = problem.undecided[epoch, color]
        for t in range(8):
            if scratch.bases[t] < 0:
                continue
            first = scratch.bases[t] // pairs * ((pairs + 7) >> 3)
            slots = kings.slots[kings.variant[OWN], t]
            for pair in range(pairs):
                slot = np.int64(slots[pair])
                word = np.int64(plane) * 64 + (slot >> 6)
                if ((not_won[word] & not_lost[word]) >> np.uint64(slot & 63)) & ONE:
                    undecided[first + (pair >> 3)] |= np.uint8(1 << (pair & 7))


def with_epochs(
    codes: NDArray[np.uint8], undecided: NDArray[np.uint8], pairs: int, threads: int | None = None
) -> NDArray[np.uint16]:
    """Return codes of two bytes from the `codes` of a side to move, counted from 1 in every epoch.

    `undecided` are its positions without a result at the end of each epoch, [epochs, ranks * bytes
    of a row]; `pairs` is the number of pairs of kings.
    """
    wide = np.empty(len(codes), dtype=np.uint16)
    rows = len(codes) // pairs

    def add(block: range) -> None:
        _add_epochs(codes, undecided, block.start, block.stop, pairs, wide)

    run_blocks(add, range(rows), _ROWS_PER_TASK, threads)
    return wide


@entry
def _add_epochs(codes, undecided, first, last, pairs, wide):
    """Write to `wide` the `codes` of rows ``first`` to ``last - 1``, with an upper byte.

    It counts the epochs that ended without a result, by the bits of `undecided` uint8 [epochs,
    ranks * bytes of a row].
    """
    row_bytes = (pairs + 7) >> 3
    for row in range(first, last):
        for pair in range(pairs):
            slot = row * pairs + pair
            code = np.int64(codes[slot])
            if code != DRAW:
                for epoch in range(len(undecided)):
                    bits = np.int64(undecided[epoch, row * row_bytes + (pair >> 3)])
                    code += (bits >> (pair & 7) & 1) << 8
            wide[slot] = code


def join_epochs(low: Reserved, high: Reserved) -> NDArray[np.uint16]:
    """Return codes of two bytes from lower and upper bytes, whose memory is given back."""
    wide = np.empty(len(low.bytes), dtype=np.uint16)
    for first in range(0, len(wide), _CODES_PER_PART):
        last = min(first + _CODES_PER_PART, len(wide))
        wide[first:last] = join_bytes(low.bytes[first:last], high.bytes[first:last])
        low.release(first, last)
        high.release(first, last)
    return wide
