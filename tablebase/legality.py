"""Which slots of a table hold a legal position, and how many images each stands for.

A position that has two slots, because it is its own mirror image but for some men, counts for one
of them only; the other one is *broken*, as are slots with a man on a king's square. A position is
illegal with one side to move if that side could take the king.
"""

# ruff: noqa: ANN001, ANN201, ANN202 (numba infers the types of kernels)

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase._instructions import work_space, work_table
from tablebase._jit import KernelRecord, entry, kernel
from tablebase.combinations import MAX_PIECES, rank_pieces, unrank_pieces
from tablebase.geometry import BETWEEN, PAWN_ATTACKS, RAYS, Color, PieceType
from tablebase.index import TableIndex
from tablebase.kings import king_groups
from tablebase.symmetry import D4, DIAGONAL, MIRROR

# How much a slot weighs: as much as the group has symmetries, half of that, or nothing.
WHOLE, HALF, BROKEN = 0, 1, 2
# A mark: whether the position is legal with White and with Black to move, and its weight; or that
# there is no position at all.
WHITE_MAY_MOVE, BLACK_MAY_MOVE, WEIGHT_SHIFT = 1, 2, 2
NO_POSITION = 255
ROWS_PER_TASK = 512


class Frame(NamedTuple):
    """What the kernel knows of a material."""

    kinds: NDArray[np.int64]  # [men besides kings] row of `rays`
    colors: NDArray[np.int64]  # [men besides kings]
    piece_men: NDArray[np.int64]  # [pieces] which of the men besides kings
    pawn_men: NDArray[np.int64]  # [pawns] which of the men besides kings
    group_sizes: NDArray[np.int64]  # [groups] pieces in each group of identical ones
    slice_pawns: NDArray[np.uint8]  # [slices, pawns] squares
    slice_mirrored: NDArray[np.bool_]  # [slices] whether the reflection keeps the pawns
    reflection: NDArray[np.uint8]  # [64] the symmetry that can keep kings (pawns): its images
    group_starts: NDArray[np.int64]  # [groups + 1] first pair of each square of the black king
    group_black: NDArray[np.uint8]  # [groups] that square
    pair_white: NDArray[np.uint8]  # [king pairs] the white king's square
    pair_second: NDArray[np.uint8]  # [king pairs] 1 if broken or halved in a mirrored row
    rays: NDArray[np.int8]  # [7, 64, 8, 7] as `RAYS`; 0 and 1 are white and black pawns' captures
    between: NDArray[np.uint64]  # [64, 64] as `BETWEEN`


def _capture_rays() -> NDArray[np.int8]:
    """Return `RAYS` with the captures of white and black pawns in the empty rows 0 and 1."""
    rays = RAYS.copy()
    for color in Color:
        for origin in range(64):
            word = int(PAWN_ATTACKS[color, origin])
            for direction, target in enumerate(s for s in range(64) if word >> s & 1):
                rays[color, origin, direction, 0] = target
    return rays


def make_frame(index: TableIndex) -> Frame:
    """Return what the kernels need to mark the slots of a material."""
    material, tables = index.material, index.tables
    men = material.men[2:]
    reflection = D4[MIRROR if material.has_pawns else DIAGONAL].copy()
    kings = tables.king_squares
    pawns = tables.slice_pawns
    mirrored = np.ones(index.slices, dtype=np.bool_)
    start = 0
    for _, man, count in material.groups:
        if man is PieceType.PAWN:
            group = np.sort(pawns[:, start : start + count], axis=1)
            mirrored &= (np.sort(reflection[group], axis=1) == group).all(axis=1)
            start += count
    if material.has_pawns:
        # The second of two mirrored pairs of kings.
        numbers = tables.king_pair[
            reflection[kings[:, 0]].astype(np.int64) * 64 + reflection[kings[:, 1]]
        ]
        second = numbers < np.arange(len(kings))
    else:
        second = (reflection[kings] == kings).all(axis=1)
    starts = king_groups(tables.king_squares)
    return Frame(
        kinds=np.array(
            [color if man is PieceType.PAWN else man for color, man in men], dtype=np.int64
        ),
        colors=np.array([color for color, _ in men], dtype=np.int64),
        piece_men=tables.piece_men - 2,
        pawn_men=tables.pawn_men - 2,
        group_sizes=tables.group_sizes,
        slice_pawns=pawns,
        slice_mirrored=mirrored,
        reflection=reflection,
        group_starts=starts,
        group_black=kings[starts[:-1], 1],
        pair_white=kings[:, 0].copy(),
        pair_second=second.astype(np.uint8),
        rays=_capture_rays(),
        between=BETWEEN.copy(),
    )


@kernel
def _guard(frame, squares, occupied, guards):
    """Write to `guards` uint64 [2, 64] which squares of a king shield the other side's king.

    ``guards[color, s]``: where the king of `color` may stand so that no man of `color` gives
    check to a king on `s`; all squares if none attacks `s` anyway.
    """
    guards[:] = ~np.uint64(0)
    for man in range(len(squares)):
        origin = squares[man]
        rays = frame.rays[frame.kinds[man], origin]
        for direction in range(8):
            for step in range(7):
                target = np.int64(rays[direction, step])
                if target < 0:
                    break
                guards[frame.colors[man], target] &= frame.between[origin, target]
                if (occupied >> np.uint64(target)) & np.uint64(1):
                    break


@kernel
def _mark_row(frame, ranks, row, marks):
    """Write a mark for each pair of kings of a row to `marks` uint8 [king pairs]."""
    one = np.uint64(1)
    men = work_space(MAX_PIECES, np.uint8)[: len(frame.kinds)]
    pieces, images = work_space(MAX_PIECES, np.uint8), work_space(MAX_PIECES, np.uint8)
    guards = work_table(2, 64, np.uint64)
    slice_number = row // ranks
    rank = row - slice_number * ranks
    pawns = np.uint64(0)
    for i in range(len(frame.pawn_men)):
        square = frame.slice_pawns[slice_number, i]
        men[frame.pawn_men[i]] = square
        pawns |= one << np.uint64(square)
    unrank_pieces(frame.group_sizes, rank, pawns, pieces)
    occupied = pawns
    for i in range(len(frame.piece_men)):
        square = pieces[i]
        men[frame.piece_men[i]] = square
        images[i] = frame.reflection[square]
        occupied |= one << np.uint64(square)
    # The weight of pairs of kings, and of those that are reflections of others or of themselves.
    weight = reflected = np.int64(WHOLE)
    if frame.slice_mirrored[slice_number]:
        image = rank_pieces(frame.group_sizes, images, pawns)
        if len(frame.pawn_men) == 0:
            reflected = np.int64(BROKEN if image < rank else HALF if image == rank else WHOLE)
        elif image <= rank:
            reflected = np.int64(BROKEN)
            weight = reflected if image < rank else weight
    _guard(frame, men, occupied, guards)
    for group in range(len(frame.group_black)):
        black = np.uint64(frame.group_black[group])
        for pair in range(frame.group_starts[group], frame.group_starts[group + 1]):
            white = np.uint64(frame.pair_white[pair])
            if ((occupied >> black) | (occupied >> white)) & one:
                marks[pair] = NO_POSITION
                continue
            own = reflected if frame.pair_second[pair] else weight
            mark = (guards[0, black] >> white) & one
            mark |= ((guards[1, white] >> black) & one) << one
            marks[pair] = np.uint8(np.int64(mark) | (own << WEIGHT_SHIFT))


@entry
def mark_rows(frame, ranks, first, last, marks):
    """Write the marks of rows `first` to `last` to `marks` uint8 [(last - first) * king pairs]."""
    pairs = len(frame.pair_white)
    for row in range(first, last):
        start = (row - first) * pairs
        _mark_row(frame, ranks, row, marks[start : start + pairs])


def mark_slots(index: TableIndex, *, threads: int | None = None) -> NDArray[np.uint8]:
    """Return a mark for each slot of a table.

    Parameters
    ----------
    index
        The numbering of the positions.
    threads
        How many threads to use; by default one for each processor.

    Returns
    -------
    NDArray[np.uint8]
        By index, shape [size]: NO_POSITION, or the sum of WHITE_MAY_MOVE, BLACK_MAY_MOVE where
        that side may be to move, and the weight (WHOLE, HALF or BROKEN) times 4.
    """
    record = KernelRecord(make_frame(index))
    marks = np.empty(index.size, dtype=np.uint8)
    rows = index.slices * index.ranks

    def mark(first: int) -> None:
        last = min(first + ROWS_PER_TASK, rows)
        part = marks[first * index.king_pairs : last * index.king_pairs]
        mark_rows(record, index.ranks, first, last, part)

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        list(pool.map(mark, range(0, rows, ROWS_PER_TASK)))
    return marks


def is_legal(marks: NDArray[np.uint8], color: Color) -> NDArray[np.bool_]:
    """Return which marks are those of positions that are legal with a side to move."""
    may_move = BLACK_MAY_MOVE if color is Color.BLACK else WHITE_MAY_MOVE
    legal: NDArray[np.bool_] = (marks != NO_POSITION) & (marks & may_move != 0)
    return legal
