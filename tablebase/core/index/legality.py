"""Which slots of a table hold a legal position, and how many images each stands for.

Of the two slots of a position that is its own mirror image but for some men, one counts; the other
is *broken*, like slots with a man on a king's square. If the side to move could take the king, a
position is illegal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import NOBODY, Color, PieceType
from tablebase.core.board.movement import movement_of
from tablebase.core.board.symmetry import D4, DIAGONAL, MIRROR
from tablebase.core.ground.parallel import map_blocks
from tablebase.core.index.combinations import MAX_PIECES, rank_pieces, unrank_pieces
from tablebase.core.index.kings import pairs_by_black
from tablebase.core.index.numbering import MAX_MEN_OF_INDEX, TableIndex, decode_position
from tablebase.core.index.weights import BROKEN, HALF, WHOLE, weight_of
from tablebase.core.jit.instructions import work_space, work_table
from tablebase.core.jit.kernels import entry, kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.core.rules.law import make_law

# A mark: whether the position is legal with White and with Black to move, and its weight; or that
# there is no position at all.
WHITE_MAY_MOVE, BLACK_MAY_MOVE, WEIGHT_SHIFT = 1, 2, 2
NO_POSITION = 255
MAY_MOVE = (WHITE_MAY_MOVE, BLACK_MAY_MOVE)  # by `Color`
ROWS_PER_TASK = 512

Result = TypeVar("Result")


class LegalityTables(NamedTuple):
    """What the kernel knows of a material."""

    law: KernelRecord  # of `Law`
    piece_men: NDArray[np.int64]  # [pieces] which of the men besides kings
    pawn_men: NDArray[np.int64]  # [pawns] which of the men besides kings
    group_sizes: NDArray[np.int64]  # [groups] pieces in each group of identical ones
    slice_pawns: NDArray[np.uint8]  # [slices, pawns] squares
    slice_mirrored: NDArray[np.bool_]  # [slices] whether the reflection keeps the pawns
    reflection: NDArray[np.uint8]  # [64] the symmetry that can keep kings (pawns): its images
    black_starts: NDArray[np.int64]  # [groups + 1] first pair of each square of the black king
    black_squares: NDArray[np.uint8]  # [groups] that square
    pair_white: NDArray[np.uint8]  # [king pairs] the white king's square
    pair_second: NDArray[np.uint8]  # [king pairs] 1 if broken or halved in a mirrored row
    rays: NDArray[np.int8]  # [men besides kings, 64, directions, 7] as in `Movement`
    between: NDArray[np.uint64]  # [men besides kings, 64, 64] the same
    # Of other games:
    numbering: KernelRecord  # of `Numbering`
    classes: NDArray[np.int64]  # [men] the first man that is like each, -1 for `NOBODY`
    symmetries: int  # bits of those under which all images share one index


def find_legal(index: TableIndex, *, threads: int | None = None) -> NDArray[np.uint64]:
    """Return the legality of all positions of a table, uint64 of the shape `legal_shape`.

    By side to move and row there is a bit for each pair of kings, broken slots included.
    """
    legal = np.empty(legal_shape(index), dtype=np.uint64)

    def note(part: slice, marks: NDArray[np.uint8]) -> None:
        note_legal(index, part, marks, legal)

    list(map_marks(index, note, threads=threads))
    return legal


def legal_shape(index: TableIndex) -> tuple[int, int, int]:
    """Return the shape of what `find_legal` returns."""
    return 2, index.slices * index.ranks, -(-index.king_pairs // 64)


def note_legal(
    index: TableIndex, part: slice, marks: NDArray[np.uint8], legal: NDArray[np.uint64]
) -> None:
    """Write the legality that the `marks` of some whole rows tell to `legal`, see `find_legal`."""
    by_row = marks.reshape(-1, index.king_pairs)
    first = part.start // index.king_pairs
    rows = slice(first, first + len(by_row))
    bits = np.zeros((len(by_row), 64 * legal.shape[2]), dtype=np.bool_)
    for color in Color:
        bits[:, : index.king_pairs] = is_legal(by_row, color)
        words = np.packbits(bits, axis=1, bitorder="little").view("<u8")
        legal[color, rows] = words


def is_legal(marks: NDArray[np.uint8], color: Color) -> NDArray[np.bool_]:
    """Return whether each mark stands for a position that is legal with a side to move."""
    legal: NDArray[np.bool_] = (marks != NO_POSITION) & (marks & MAY_MOVE[color] != 0)
    return legal


def map_marks(
    index: TableIndex,
    function: Callable[[slice, NDArray[np.uint8]], Result],
    *,
    threads: int | None = None,
    rows: range | None = None,
) -> Iterator[Result]:
    """Call a function with each part of a table, in several threads; yield its results in order.

    It gets the slots of the part, some whole rows, and their marks, uint8 [slots].
    """
    record = KernelRecord(legality_tables(index))
    chosen = rows or range(index.slices * index.ranks)

    def call(block: range) -> Result:
        part = slice(block.start * index.king_pairs, block.stop * index.king_pairs)
        marks = np.empty(part.stop - part.start, dtype=np.uint8)
        mark_rows(record, index.ranks, block.start, block.stop, marks)
        return function(part, marks)

    return map_blocks(call, chosen, ROWS_PER_TASK, threads)


def legality_tables(index: TableIndex) -> LegalityTables:
    """Return the tables by which kernels mark the slots of a material."""
    material, numbering = index.material, index.numbering
    men = material.men[2:]
    reflection = D4[MIRROR if material.has_pawns else DIAGONAL].copy()
    kings = numbering.king_squares
    pawns = numbering.slice_pawns
    mirrored = np.ones(index.slices, dtype=np.bool_)
    if material.has_pawns and MIRROR not in material.symmetries:
        mirrored[:] = False
    start = 0
    for _, man, count in material.groups:
        if man is PieceType.PAWN:
            group = np.sort(pawns[:, start : start + count], axis=1)
            mirrored &= (np.sort(reflection[group], axis=1) == group).all(axis=1)
            start += count
    if material.has_pawns:
        # The second of two mirrored pairs of kings.
        numbers = numbering.king_pair[
            reflection[kings[:, 0]].astype(np.int64) * 64 + reflection[kings[:, 1]]
        ]
        second = numbers < np.arange(len(kings))
    else:
        is_kept = (reflection[kings] == kings).all(axis=1)
        second = is_kept & (DIAGONAL in material.symmetries)
    movement = movement_of(men, material.rules.movement)
    starts = pairs_by_black(numbering.king_squares)
    return LegalityTables(
        law=make_law(material),
        piece_men=numbering.piece_men - 2,
        pawn_men=numbering.pawn_men - 2,
        group_sizes=numbering.group_sizes,
        slice_pawns=pawns,
        slice_mirrored=mirrored,
        reflection=reflection,
        black_starts=starts,
        black_squares=kings[starts[:-1], 1],
        pair_white=kings[:, 0].copy(),
        pair_second=second.astype(np.uint8),
        rays=movement.rays,
        between=movement.between,
        numbering=index.record,
        classes=np.array(
            [
                -1 if man is NOBODY else material.men.index((color, man))
                for color, man in material.men
            ]
        ),
        symmetries=sum(1 << t for t in index.symmetries),
    )


@entry
def mark_rows(legality, ranks, first, last, marks):
    """Write the marks of rows `first` to `last` to `marks` uint8 [(last - first) * king pairs]."""
    pairs = len(legality.pair_white)
    for row in range(first, last):
        start = (row - first) * pairs
        if legality.law.royal:
            _mark_row(legality, ranks, row, marks[start : start + pairs])
        else:
            _mark_led_row(legality, row, marks[start : start + pairs])


@kernel
def _mark_row(legality, ranks, row, marks):
    """Write a mark for each pair of kings of a row to `marks` uint8 [king pairs]."""
    one = np.uint64(1)
    men = work_space(MAX_PIECES, np.uint8)[: len(legality.law.colors)]
    pieces, images = work_space(MAX_PIECES, np.uint8), work_space(MAX_PIECES, np.uint8)
    blocks = work_table(2, 64, np.uint64)
    slice_number = row // ranks
    rank = row - slice_number * ranks
    pawns = np.uint64(np.int64(legality.law.outside))
    for i in range(len(legality.pawn_men)):
        square = legality.slice_pawns[slice_number, i]
        men[legality.pawn_men[i]] = square
        pawns |= one << np.uint64(square)
    unrank_pieces(legality.group_sizes, rank, pawns, pieces)
    occupied = pawns
    for i in range(len(legality.piece_men)):
        square = pieces[i]
        men[legality.piece_men[i]] = square
        images[i] = legality.reflection[square]
        occupied |= one << np.uint64(square)
    # The weight of pairs of kings, and of those that are reflections of others or of themselves.
    # With pawns every pair has its mirror image in the mirrored row, and none is its own, so that
    # none weighs half; without them only pairs on the diagonal have one.
    weight = reflected = np.int64(WHOLE)
    if legality.slice_mirrored[slice_number]:
        image = rank_pieces(legality.group_sizes, images, pawns)
        if len(legality.pawn_men) == 0:
            reflected = np.int64(BROKEN if image < rank else HALF if image == rank else WHOLE)
        elif image <= rank:
            reflected = np.int64(BROKEN)
            weight = reflected if image < rank else weight
    _find_blocks(legality, men, occupied, blocks)
    weight, reflected = weight << WEIGHT_SHIFT, reflected << WEIGHT_SHIFT
    # Arrays of their own: those of a record would be looked up again after each mark.
    pair_white, pair_second, of_white = legality.pair_white, legality.pair_second, blocks[1]
    for group in range(len(legality.black_squares)):
        black = np.uint64(legality.black_squares[group])
        safe, black_taken = blocks[0, black], (occupied >> black) & one
        # Unsigned numbers never count from an array's end.
        first = np.uint64(legality.black_starts[group])
        for pair in range(first, np.uint64(legality.black_starts[group + 1])):
            white = np.uint64(pair_white[pair])
            mark = (safe >> white) & one
            mark |= ((of_white[white] >> black) & one) << one
            mark |= np.uint64(reflected if pair_second[pair] else weight)
            # Without a branch: which squares are occupied cannot be foretold.
            taken = ((occupied >> white) & one) | black_taken
            marks[pair] = np.uint8(NO_POSITION) if taken else np.uint8(mark)


@kernel
def _mark_led_row(legality, row, marks):
    """Write a mark for each pair of leads, as `_mark_row` for kings, where no king is royal.

    All positions are legal. Of the slots of one position the first counts.
    """
    squares = work_space(MAX_MEN_OF_INDEX, np.uint8)[: len(legality.classes)]
    for pair in range(len(marks)):
        slot = np.int64(row) * len(marks) + pair
        is_first = decode_position(legality.numbering, slot, squares)
        taken, clash = np.uint64(legality.law.outside), False
        for i in range(len(squares)):
            if legality.classes[i] >= 0:
                bit = np.uint64(1) << np.uint64(squares[i])
                clash |= taken & bit != np.uint64(0)
                taken |= bit
        if clash:
            marks[pair] = NO_POSITION
            continue
        weight = weight_of(legality, squares) if is_first else np.int64(BROKEN)
        marks[pair] = np.uint8(WHITE_MAY_MOVE | BLACK_MAY_MOVE | weight << WEIGHT_SHIFT)


@kernel
def _find_blocks(legality, squares, occupied, blocks):
    """Write to `blocks` uint64 [2, 64] the squares of each king that shield the other one.

    ``blocks[color, s]``: where the king of `color` may stand so that no man of `color` gives
    check to a king on `s`; all squares if none attacks `s` anyway, but for those of a goal. Where
    no move gives check, the other side's men count as well.
    """
    blocks[:] = ~np.uint64(0)
    law = legality.law
    for man in range(len(squares)):
        origin = squares[man]
        of_color, between = blocks[law.colors[man]], legality.between[man, origin]
        for ray in legality.rays[man, origin]:
            for target in ray:
                if target < 0:
                    break
                of_color[target] &= between[target] | law.shields[target]
                if (occupied >> np.uint64(target)) & np.uint64(1):
                    break
    if not law.checking:
        _block_both(blocks)
    for color in range(2):
        for target in range(64):
            blocks[color, target] &= ~np.uint64(law.goal)


@kernel
def _block_both(blocks):
    """Leave in `blocks` of `_find_blocks` the squares for which neither king is in check."""
    one = np.uint64(1)
    for white in range(np.uint64(64)):
        for black in range(np.uint64(64)):
            safe = (blocks[0, black] >> white) & (blocks[1, white] >> black) & one
            if not safe:
                blocks[0, black] &= ~(one << white)
                blocks[1, white] &= ~(one << black)


def mark_slots(index: TableIndex, *, threads: int | None = None) -> NDArray[np.uint8]:
    """Return a mark for each slot of a table, uint8 [size].

    It is NO_POSITION, or the sum of WHITE_MAY_MOVE and BLACK_MAY_MOVE where that side may be to
    move, and the weight (WHOLE, HALF or BROKEN) times 4.
    """
    written = np.empty(index.size, dtype=np.uint8)

    def keep(part: slice, found: NDArray[np.uint8]) -> None:
        written[part] = found

    list(map_marks(index, keep, threads=threads))
    return written


def is_counted(marks: NDArray[np.uint8], color: Color) -> NDArray[np.bool_]:
    """Return whether each mark stands for a legal position, inequivalent positions once."""
    counted: NDArray[np.bool_] = is_legal(marks, color) & (marks >> WEIGHT_SHIFT != BROKEN)
    return counted


def is_self_image(marks: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether each mark stands for a placement that one reflection keeps."""
    kept: NDArray[np.bool_] = (marks != NO_POSITION) & (marks >> WEIGHT_SHIFT == HALF)
    return kept
