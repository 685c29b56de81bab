"""Distances to mate against distances to zeroing: what holds for both of every position.

Both have the same result, and are checkmate together; the next capture, pawn move or mate is never
farther than the mate. So a mate within 100 plies comes in time for the 50-move rule.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.checking.findings import Contradiction, fen_of
from tablebase.core.index.legality import NO_POSITION, map_marks
from tablebase.core.jit.kernels import entry
from tablebase.core.outcomes.metrics import MATED_OUTCOME
from tablebase.core.tables.table import Table


def find_contradictions(
    dtm: Table, dtz: Table, *, threads: int | None = None, limit: int = 10
) -> tuple[int, tuple[Contradiction, ...]]:
    """Compare both distances of every legal position of a material.

    Returns the number of positions that contradict, and the first `limit` of them.
    """
    agreeing = [_agreeing(*both) for both in zip(dtm.outcomes, dtz.outcomes, strict=True)]

    def compare(part: slice, marks: NDArray[np.uint8]) -> list[tuple[Color, NDArray[np.int64]]]:
        found = []
        contradicting = np.empty(len(marks), dtype=np.bool_)
        for color in Color:
            codes = dtm.codes[color][part], dtz.codes[color][part]
            _contradict(agreeing[color], marks, int(color), *codes, contradicting)
            found.append((color, part.start + np.flatnonzero(contradicting)))
        return found

    count = 0
    first: list[Contradiction] = []
    for both in map_marks(dtm.index, compare, threads=threads):
        for color, slots in both:
            count += len(slots)
            for slot in slots[: limit - len(first)].tolist():
                outcomes = (int(one.outcomes[color][one.codes[color][slot]]) for one in (dtm, dtz))
                first.append(Contradiction(fen_of(dtm, slot, color), slot, *outcomes))
    return count, tuple(first)


def _agreeing(dtm: NDArray[np.int16], dtz: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return by two codes, bool [256, 256], whether both may belong to one position."""
    mate, zeroing = dtm[:, np.newaxis], dtz[np.newaxis, :]
    nearer = np.where(zeroing < 0, ~zeroing, zeroing) <= np.where(mate < 0, ~mate, mate)
    both_mated = (mate == MATED_OUTCOME) == (zeroing == MATED_OUTCOME)
    agreeing: NDArray[np.bool_] = (np.sign(mate) == np.sign(zeroing)) & nearer & both_mated
    return agreeing


@entry
def _contradict(agreeing, marks, color, dtm, dtz, contradicting):
    """Write to `contradicting` bool [n] which legal positions have codes that do not agree."""
    for slot in range(len(marks)):
        mark = np.int64(marks[slot])
        legal = mark != NO_POSITION and (mark >> color) & 1
        contradicting[slot] = legal and not agreeing[dtm[slot], dtz[slot]]
