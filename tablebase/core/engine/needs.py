"""The positions of its sub-tables that a material needs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.symmetry import D4, MIRROR
from tablebase.core.index.numbering import table_index
from tablebase.core.index.pawns import FIRST_PAWN_SQUARE, PAWN_BASE, SLICE_SHIFT
from tablebase.core.rules.material import Material, MoveOut

Man = tuple[Color, PieceType]
FIRST_MAN = 2  # in `Material.men`, after the kings


class SubtableNeed(NamedTuple):
    """Which positions of a sub-table the moves out of a material can lead to."""

    sides: frozenset[Color]  # to move, in the sub-table's own colours
    promoted: frozenset[Man]  # one of these has just promoted; if empty, any


def needed_positions(material: Material) -> dict[Material, SubtableNeed]:
    """Return the part that is needed of each of a material's sub-tables, `Material.dependencies`.

    White's promotion to a queen leads to positions with Black to move and a queen on the eighth
    rank: a small part of a five-man table.
    """
    sides: dict[Material, set[Color]] = {}
    promoted: dict[Material, set[Man]] = {}
    others = set()
    for move, table, swapped in _ways_out(material):
        side = move.color if swapped else move.color.opponent
        sides.setdefault(table, set()).add(side)
        new = PieceType(move.new or PieceType.PAWN)
        promoted.setdefault(table, set()).add((side.opponent, new))
        whole = not material.rules.royal or material.rules.check_counting
        if whole or not move.promoting:  # else it may lead there, out of its row
            others.add(table)
    return {
        table: SubtableNeed(
            frozenset(sides[table]), frozenset(() if table in others else promoted[table])
        )
        for table in sides
    }


def _ways_out(material: Material) -> Iterator[tuple[MoveOut, Material, bool]]:
    """Yield the moves out of a material with the table that each leads to.

    Also whether that table has the colours exchanged.
    """
    for move, child in material.moves_out().items():
        # Where either would do, White is to move.
        swapped = move.color is Color.WHITE if child.is_symmetric else not child.is_normalized
        yield move, child.normalized(), swapped


def rows_after_promotion(material: Material, promoted: Collection[Man]) -> NDArray[np.bool_]:
    """Return the rows, bool [slices * ranks], in which one of the men may just have promoted.

    A row is the codes of all pairs of kings; without any `promoted` all rows are meant.
    """
    index = table_index(material)
    rows = np.arange(index.size // index.king_pairs)
    if not promoted:
        return np.ones(len(rows), dtype=np.bool_)
    return _have_promoted(material, rows, dict.fromkeys(promoted, range(8)))


def _have_promoted(
    material: Material, rows: NDArray[np.int64], promoted: Mapping[Man, Collection[int]]
) -> NDArray[np.bool_]:
    """Return whether each row of a table has a man that may just have promoted on some files."""
    index = table_index(material)
    boards, _ = index.decode_many(rows * index.king_pairs)
    found = np.zeros(len(rows), dtype=np.bool_)
    for place, (color, piece_type) in enumerate(material.men):
        if place >= FIRST_MAN and (color, piece_type) in promoted:
            rank = material.rules.promotion_ranks[color]
            squares = [8 * rank + file for file in promoted[color, piece_type]]
            is_there = np.zeros(64, dtype=np.bool_)
            # Without pawns the symmetries turn the last rank into any edge.
            is_there[D4[np.ix_(index.symmetries, squares)]] = True
            found |= is_there[boards[:, place]]
    return found


def is_read_by_slices(material: Material, needed: Material, need: SubtableNeed) -> bool:
    """Return whether slices of a material with pawns need different rows of a sub-table."""
    is_promoted = bool(need.promoted) and needed.piece_count == material.piece_count
    return needed.has_pawns or is_promoted


def rows_of_slices(
    material: Material, slices: Collection[int], needed: Material
) -> NDArray[np.bool_]:
    """Return the rows, as `rows_after_promotion`, that slices need of a sub-table, or a few more.

    The sub-table is one that `is_read_by_slices`.
    """
    index = table_index(needed)
    rows = np.zeros((index.slices, index.ranks), dtype=np.bool_)
    for number, promoted in _slices_reached(material, slices, needed).items():
        if promoted is None:
            rows[number] = True
        else:
            own = np.arange(number * index.ranks, (number + 1) * index.ranks)
            rows[number] = _have_promoted(needed, own, promoted)
    return rows.ravel()


def _slices_reached(
    material: Material, slices: Collection[int], needed: Material
) -> dict[int, dict[Man, set[int]] | None]:
    """Return the slices of a sub-table that can be reached; if just by promotion, of what, where.

    The men are the sub-table's; by each, the files on which it may have promoted.
    """
    men = material.men[2:]
    pawns = [number for number, (_, man) in enumerate(men, 1) if man is PieceType.PAWN]
    tables = table_index(needed).numbering
    mirror, flip = int(D4[MIRROR, 0]), needed.rules.board.flip_if
    found: dict[int, dict[Man, set[int]] | None] = {}
    ways = [way for way in _ways_out(material) if way[1] == needed]
    for squares in table_index(material).numbering.slice_pawns[list(slices)].tolist():
        board = dict(zip(pawns, squares, strict=True))
        for move, _, swapped in ways:
            for left, files in _pawns_after(material, board, move):
                entry = _entry(tables.slice_of, men, left, flip, swapped=swapped)
                if entry < 0:
                    continue
                if not (move.promoting and material.rules.royal):
                    found[entry >> SLICE_SHIFT] = None
                    continue
                color = move.color.opponent if swapped else move.color
                promoted = found.setdefault(entry >> SLICE_SHIFT, {})
                if promoted is not None:
                    # Mirrored or not: that is up to the kings if the pawns do not tell.
                    promoted.setdefault((color, PieceType(move.new)), set()).update(
                        file ^ flip for file in files for flip in (0, mirror)
                    )
    return found


def _pawns_after(
    material: Material, pawns: Mapping[int, int], move: MoveOut
) -> Iterator[tuple[dict[int, int], list[int]]]:
    """Yield where pawns may stand after a move out, and the files on which one may have promoted.

    `pawns` are squares by the man's number, counted from 1 as in `MoveOut`. Where the captured man
    stood does not matter: a pawn may take to either side.
    """
    mover, removed, promoting, _ = move
    left = {
        man: square
        for man, square in pawns.items()
        if man != promoting and not removed >> man - 1 & 1
    }
    ahead = 1 if mover is Color.WHITE else -1
    last_rank = material.rules.promotion_ranks[mover] - ahead

    def beside(square: int) -> list[int]:
        return [square % 8 + step for step in (-1, 1) if 0 <= square % 8 + step < 8]

    if promoting:
        square = pawns[promoting]
        if square // 8 == last_rank:
            yield left, beside(square) if removed else [square % 8]
        return
    yield left, []
    if material.rules.blast:  # the pawn that takes is gone
        return
    for man, square in left.items():
        if material.men[man + 1][0] is mover and square // 8 != last_rank:
            for file in beside(square):
                yield left | {man: 8 * (square // 8 + ahead) + file}, []


def _entry(
    slice_of: NDArray[np.int32],
    men: Sequence[Man],
    pawns: Mapping[int, int],
    flip: NDArray[np.uint8],
    *,
    swapped: bool,
) -> int:
    """Return the entry of pawns in a sub-table's `slice_of`; negative if two are on one square."""
    key, weight = 0, 1
    # White's pawns come first in the sub-table.
    for man in sorted(pawns, key=lambda man: men[man - 1][0] ^ swapped):
        key += weight * (int(flip[int(swapped), pawns[man]]) - FIRST_PAWN_SQUARE)
        weight *= PAWN_BASE
    return int(slice_of[key])
