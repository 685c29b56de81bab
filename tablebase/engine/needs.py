"""Which positions of its sub-tables a material needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.board import Color, Material, PieceType
from tablebase.index import table_index

FIRST_MAN = 2  # in `Material.men`, after the kings


class SubtableNeed(NamedTuple):
    """Which positions of a sub-table the moves out of a material can lead to."""

    sides: frozenset[Color]  # to move, in the sub-table's own colours
    promoted: frozenset[tuple[Color, PieceType]]  # one of these has just promoted; if empty, any


def needed_positions(material: Material) -> dict[Material, SubtableNeed]:
    """Return which part of each sub-table of a material is needed.

    White's promotion to a queen leads to positions with Black to move and a queen on the eighth
    rank: a small part of a table of five men.

    Returns
    -------
    dict[Material, SubtableNeed]
        For each of `Material.dependencies`.
    """
    men = material.men[2:]
    sides: dict[Material, set[Color]] = {}
    promoted: dict[Material, set[tuple[Color, PieceType]]] = {}
    others = set()
    for (captured, promoting, new), child in material.moves_out().items():
        to_move = men[captured - 1][0] if captured else men[promoting - 1][0].opponent
        table = child.normalized()
        side = to_move if child.is_normalized else to_move.opponent
        sides.setdefault(table, set()).add(side)
        promoted.setdefault(table, set()).add((side.opponent, PieceType(new or PieceType.PAWN)))
        if child.is_symmetric:
            sides[table].add(side.opponent)
        if not promoting or child.is_symmetric:
            others.add(table)
    return {
        table: SubtableNeed(
            frozenset(sides[table]), frozenset(() if table in others else promoted[table])
        )
        for table in sides
    }


def rows_after_promotion(
    material: Material, promoted: frozenset[tuple[Color, PieceType]]
) -> NDArray[np.bool_]:
    """Return which rows of a table (see `tablebase.index`) have a man that may just have promoted.

    Parameters
    ----------
    material
        The table's material.
    promoted
        Which men it may be; without any, all rows are meant.

    Returns
    -------
    NDArray[np.bool_]
        By rank and slice, shape [slices * ranks]: a row is the codes of all pairs of kings.
    """
    index = table_index(material)
    rows = np.arange(index.size // index.king_pairs)
    if not promoted:
        return np.ones(len(rows), dtype=np.bool_)
    squares, _ = index.decode_many(rows * index.king_pairs)
    found = np.zeros(len(rows), dtype=np.bool_)
    for man, (color, piece_type) in enumerate(material.men):
        if man >= FIRST_MAN and (color, piece_type) in promoted:
            file, rank = squares[:, man] % 8, squares[:, man] // 8
            last_rank = 7 if color is Color.WHITE else 0
            # Without pawns the symmetries turn the last rank into any edge.
            on_edge = (file % 7 == 0) | (rank % 7 == 0)
            found |= rank == last_rank if material.has_pawns else on_edge
    return found
