"""Which positions of its sub-tables a material needs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.board import D4, Color, Material, MoveOut, PieceType
from tablebase.index import table_index

FIRST_MAN = 2  # in `Material.men`, after the kings
_SEVENTH_RANK = {Color.WHITE: 6, Color.BLACK: 1}


class SubtableNeed(NamedTuple):
    """Which positions of a sub-table the moves out of a material can lead to."""

    sides: frozenset[Color]  # to move, in the sub-table's own colours
    promoted: frozenset[tuple[Color, PieceType]]  # one of these has just promoted; if empty, any


def side_to_move(men: Sequence[tuple[Color, PieceType]], move: MoveOut) -> Color:
    """Return who is to move after a move out; `men` are those besides the kings."""
    captured, promoting, _ = move
    return men[captured - 1][0] if captured else men[promoting - 1][0].opponent


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
    for move, child in material.moves_out().items():
        _, promoting, new = move
        to_move = side_to_move(men, move)
        table = child.normalized()
        side = to_move if child.is_normalized else to_move.opponent
        if child.is_symmetric:  # the colours may be exchanged
            side = Color.WHITE
        sides.setdefault(table, set()).add(side)
        promoted.setdefault(table, set()).add((side.opponent, PieceType(new or PieceType.PAWN)))
        if not promoting:
            others.add(table)
    return {
        table: SubtableNeed(
            frozenset(sides[table]), frozenset(() if table in others else promoted[table])
        )
        for table in sides
    }


def rows_after_promotion(
    material: Material,
    promoted: frozenset[tuple[Color, PieceType]],
    files: Collection[int] = range(8),
) -> NDArray[np.bool_]:
    """Return which rows of a table (see `tablebase.index`) have a man that may just have promoted.

    Parameters
    ----------
    material
        The table's material.
    promoted
        Which men it may be; without any, all rows are meant.
    files
        On which files they may have promoted.

    Returns
    -------
    NDArray[np.bool_]
        By rank and slice, shape [slices * ranks]: a row is the codes of all pairs of kings.
    """
    index = table_index(material)
    rows = np.arange(index.size // index.king_pairs)
    if not promoted:
        return np.ones(len(rows), dtype=np.bool_)
    if not files:
        return np.zeros(len(rows), dtype=np.bool_)
    boards, _ = index.decode_many(rows * index.king_pairs)
    found = np.zeros(len(rows), dtype=np.bool_)
    for man, (color, piece_type) in enumerate(material.men):
        if man >= FIRST_MAN and (color, piece_type) in promoted:
            rank = 7 if color is Color.WHITE else 0
            # Without pawns the symmetries turn the last rank into any edge.
            images = D4[np.ix_(index.symmetries, [8 * rank + file for file in files])]
            is_there = np.zeros(64, dtype=np.bool_)
            is_there[images] = True
            found |= is_there[boards[:, man]]
    return found


def is_read_by_slices(material: Material, needed: Material, need: SubtableNeed) -> bool:
    """Return whether slices of a material with one pawn need different rows of a sub-table."""
    is_promoted = bool(need.promoted) and needed.piece_count == material.piece_count
    return material.pawn_count == 1 and (needed.has_pawns or is_promoted)


def rows_of_slice(
    material: Material, slice_number: int, needed: Material, need: SubtableNeed
) -> NDArray[np.bool_]:
    """Return which rows of a sub-table that `is_read_by_slices` a slice needs.

    Parameters
    ----------
    material
        A material with one pawn.
    slice_number
        Which slice.
    needed, need
        One of its sub-tables, and what is needed of that; see `needed_positions`.

    Returns
    -------
    NDArray[np.bool_]
        As for `rows_after_promotion`.
    """
    color = next(color for color, man in material.men if man is PieceType.PAWN)
    square = int(table_index(material).tables.slice_pawns[slice_number, 0])
    file, rank = square % 8, square // 8
    if not needed.has_pawns:
        files = [file] if rank == _SEVENTH_RANK[color] else []
        return rows_after_promotion(needed, need.promoted, files)
    # The pawn stays, or takes a man; colours may be exchanged in the sub-table.
    ahead = rank + (1 if color is Color.WHITE else -1)
    squares = {square} | {8 * ahead + side for side in (file - 1, file + 1) if 0 <= side < 8}
    flip = 0 if (color, PieceType.PAWN) in needed.men else 56
    index = table_index(needed)
    images = D4[np.ix_(index.symmetries, [one ^ flip for one in squares])]
    slices = np.isin(index.tables.slice_pawns[:, 0], images)
    rows: NDArray[np.bool_] = np.repeat(slices, index.ranks)
    return rows
