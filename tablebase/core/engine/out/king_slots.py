"""Where the pairs of kings of a table lie in a plane."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.core.board.symmetry import D4, INVERSE
from tablebase.core.index.kings import MOST_KING_PAIRS, king_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tablebase.core.rules.material import Material
    from tablebase.core.rules.rules import Rules

    # Whether the table has pawns, its symmetries, whether its colours are exchanged, and its
    # `Material.nobody`.
    Numbering = tuple[bool, tuple[int, ...], bool, tuple[bool, bool]]


class KingSlots(NamedTuple):
    """How the pairs of kings of some tables are numbered, and the slots of a plane.

    A *slot* is 64 times the square of White's king, its word in a plane, plus that of Black's.
    """

    variant: NDArray[np.int64]  # [tables] which of the numberings is the table's
    symmetries: NDArray[np.int64]  # [numberings] bits of those that make kings canonical
    slots: NDArray[np.uint16]  # [numberings, 8, king pairs] whose image under a symmetry a pair is
    pair: NDArray[np.int16]  # [numberings, 4096] pair by slot, -1 if there is none
    symmetry: NDArray[np.uint8]  # [numberings, 4096] the symmetry that makes it of a slot


def make_king_slots(tables: Sequence[Material], swapped: Sequence[bool]) -> KingSlots:
    """Return the slots of the tables of a game; `swapped` marks those with colours exchanged."""
    each = [
        (one.has_pawns, one.symmetries, swap, one.nobody)
        for one, swap in zip(tables, swapped, strict=True)
    ]
    found = sorted(set(each))
    numbered = [_numbered(one, tables[0].rules) for one in found]
    return KingSlots(
        variant=np.array([found.index(one) for one in each], dtype=np.int64),
        symmetries=np.array(
            [sum(1 << t for t in group) for _, group, _, _ in found], dtype=np.int64
        ),
        slots=np.stack([slots for slots, _, _ in numbered]),
        pair=np.stack([pair for _, pair, _ in numbered]),
        symmetry=np.stack([symmetry for _, _, symmetry in numbered]),
    )


@lru_cache(maxsize=16)
def _numbered(
    numbering: Numbering, rules: Rules
) -> tuple[NDArray[np.uint16], NDArray[np.int16], NDArray[np.uint8]]:
    """Return the fields `slots`, `pair` and `symmetry` of `KingSlots` for one numbering."""
    has_pawns, symmetries, swapped, nobody = numbering
    board = rules.board
    kings = king_tables(
        has_pawns=has_pawns,
        symmetries=symmetries,
        board=board,
        touching=rules.leads_touch,
        nobody=nobody,
    )
    # What stands for the squares of both leads in a plane: a1 where there is none.
    there = [np.uint16(0 if none else 63) for none in nobody[:: -1 if swapped else 1]]

    def in_order(white: NDArray[np.uint16], black: NDArray[np.uint16]) -> NDArray[np.uint16]:
        flip = board.flip.astype(np.uint16)
        return flip[black] * 64 + flip[white] if swapped else white * 64 + black

    slots = np.zeros((len(D4), MOST_KING_PAIRS), dtype=np.uint16)
    for t in symmetries:
        white, black = D4[INVERSE[t]].astype(np.uint16)[kings.squares.T]
        slots[t, : len(kings.squares)] = in_order(white, black) & (there[0] << 6 | there[1])
    in_table = in_order(*np.divmod(np.arange(64 * 64, dtype=np.uint16), 64))
    return slots, kings.number[in_table], kings.symmetry[in_table]
