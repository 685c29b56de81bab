"""Where the pairs of kings of a table lie in a plane."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board import D4, INVERSE
from tablebase.core.index import KING_PAIRS_WITH_PAWNS, king_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tablebase.core.board import BoardShape
    from tablebase.core.rules import Material


@lru_cache(maxsize=8)
def _slots(
    *, has_pawns: bool, symmetries: tuple[int, ...], board: BoardShape
) -> NDArray[np.uint16]:
    """Return the place of each king pair of a table in a plane of its parent.

    A pair (by number) is the image under a symmetry t of some kings; these, with colours and ranks
    exchanged if the table is swapped, are the row and the bit.
    """
    pairs = king_tables(has_pawns=has_pawns, symmetries=symmetries, board=board).squares
    slots = np.zeros((2, len(D4), KING_PAIRS_WITH_PAWNS), dtype=np.uint16)
    for t in symmetries:
        white, black = D4[INVERSE[t]].astype(np.uint16)[pairs.T]
        slots[0, t, : len(pairs)] = white * 64 + black
        flip = board.exchange.astype(np.uint16)
        slots[1, t, : len(pairs)] = flip[black] * 64 + flip[white]
    return slots


def king_numberings(tables: Sequence[Material]) -> dict[str, Any]:
    """Return the fields of `Children` that say how kings are numbered."""
    each = [(one.has_pawns, one.symmetries) for one in tables]
    found = sorted(set(each))
    board = tables[0].rules.board
    kings = [king_tables(has_pawns=pawns, symmetries=group, board=board) for pawns, group in found]
    return {
        "numbering": np.array([found.index(one) for one in each], dtype=np.int64),
        "symmetries": np.array([sum(1 << t for t in group) for _, group in found], dtype=np.int64),
        "slots": np.stack(
            [_slots(has_pawns=pawns, symmetries=group, board=board) for pawns, group in found]
        ),
        "king_pair": np.stack([one.number for one in kings]),
        "king_symmetry": np.stack([one.symmetry for one in kings]),
    }
