"""Between canonical positions and consecutive integers.

The index of a position has three digits, the fastest last:

``(slice * ranks + rank) * king_pairs + king_pair``

- *king pair*: without pawns one of the 462 pairs of kings that no symmetry turns into each other,
  with pawns one of all 3,612 that do not touch. They are ordered by Black's king, then White's;
  squares by number, with pawns file by file, up and down in turn.
- *rank*: the combination number of the pieces, see `combinations`.
- *slice*: the squares of the pawns, up to the exchange of left and right; 0 without pawns. Where
  checks are counted, all slices of a *layer* come together, layers by `Material.layer_of`.

Where no king is royal, the leads of `Material.men` stand for kings. A man like the lead may lead as
well; then the smallest index counts.

Numbers that stand for no position of their own are *broken slots*, see `legality`.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import NOBODY, Color, PieceType
from tablebase.core.board.symmetry import D4, MIRROR
from tablebase.core.index.combinations import (
    MAX_PIECES,
    rank_pieces,
    unrank_pieces,
    word_of_squares,
)
from tablebase.core.index.kings import NO_SYMMETRY, king_pair_count, king_tables_of
from tablebase.core.index.pawns import (
    PAWN_BASE,
    second_slice_symmetry,
    slice_entry,
    slice_number,
    slice_symmetry,
    slice_tables,
)
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import entry, hot_kernel, kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.core.rules.material import Checks, Material

MAX_MEN_OF_INDEX = MAX_PIECES + 2  # what kernels have room for


class Numbering(NamedTuple):
    """The arrays behind a `TableIndex`, passed whole into kernels."""

    king_pair: NDArray[np.int16]  # [64 * 64] number of a pair of kings, -1 if they touch
    king_symmetry: NDArray[np.uint8]  # [64 * 64] the symmetry that makes the kings canonical
    king_second: NDArray[np.uint8]  # [64 * 64] another one that does, or NO_SYMMETRY
    king_squares: NDArray[np.uint8]  # [king pairs, 2] squares of both kings
    piece_men: NDArray[np.int64]  # [pieces] position in `Material.men`
    group_sizes: NDArray[np.int64]  # [groups] pieces in each group of identical ones
    pawn_men: NDArray[np.int64]  # [pawns] position in `Material.men`
    slice_of: NDArray[np.int32]  # [48 ** pawns] slice and flags by the pawns' squares, -1 if none
    slice_pawns: NDArray[np.uint8]  # [slices, pawns] the pawns' squares, once for each layer
    ranks: int  # number of combinations of the pieces' squares
    # Of other games and boards:
    layer_size: int  # slots of a layer
    twins: NDArray[np.int64]  # [2, n] position in `Material.men` of those like each lead, then 0
    nobody: NDArray[np.bool_]  # [2] `Material.nobody`
    outside: int  # `BoardShape.outside`


class TableIndex:
    """The numbering of a material's positions; squares are in the order of `Material.men`.

    Raises `ValueError` if there are more than MAX_MEN_OF_INDEX men.
    """

    def __init__(self, material: Material) -> None:
        self.material = material
        self.numbering = _make_numbering(material)
        self.record = KernelRecord(self.numbering)
        self.king_pairs = len(self.numbering.king_squares)
        self.ranks = self.numbering.ranks
        self.slices = len(self.numbering.slice_pawns)
        self.layer_size = self.numbering.layer_size
        self.size = prod((self.slices, self.ranks, self.king_pairs))

    @property
    def symmetries(self) -> tuple[int, ...]:
        """The symmetries under which all images of a position share one index."""
        return self.material.symmetries

    def encode(self, squares: NDArray[np.uint8]) -> int:
        """Return the index that a position, squares [men], shares with all its symmetric images.

        It is that in the first layer. Raises `ValueError` if the squares are not those of a
        position: kings that touch, two men on one square, a pawn on the first or last rank, a man
        off the board.
        """
        return int(self.encode_many(np.asarray(squares)[None])[0])

    def checks_of(self, index: int) -> Checks:
        """Return the checks left where a position has an index."""
        return self.material.checks_of(index // self.layer_size)

    def layer_start(self, checks: Checks) -> int:
        """Return the first index of the layer with some checks left."""
        return self.material.layer_of(checks) * self.layer_size

    def encode_many(self, squares: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the indices, int64 [n], of positions, [n, men].

        Raises `ValueError` as `encode` does, naming the first row that is not a position.
        """
        rows = np.asarray(squares)
        men = self.material.men
        if rows.ndim != 2 or rows.shape[1] != len(men):
            raise ValueError(
                f"expected squares of shape [n, {len(men)}] for "
                f"{self.material}, got {list(rows.shape)}"
            )
        if rows.size and (rows.min() < 0 or rows.max() > 63):
            raise ValueError("squares are numbers from 0 (a1) to 63 (h8)")
        rows = np.ascontiguousarray(rows, dtype=np.uint8)
        indices = np.empty(len(rows), dtype=np.int64)
        if len(rows) == 1 and _encode_many.is_awaited:
            _encode_many.in_python(self.numbering, rows, indices)
        else:
            _encode_many(self.record, rows, indices)
        there = rows[:, [man is not NOBODY for _, man in men]]
        in_order = np.sort(there, axis=1)
        wrong = (indices < 0) | (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
        wrong |= ~np.isin(there, self.material.rules.board.squares).all(axis=1)
        if wrong.any():
            raise ValueError(
                f"squares {rows[np.argmax(wrong)].tolist()} are not a position of {self.material}"
            )
        return indices

    def decode(self, index: int) -> NDArray[np.uint8] | None:
        """Return the squares of the position of an index, uint8 [men]; None for a broken slot.

        Raises `IndexError` if the index is out of range.
        """
        squares, valid = self.decode_many(np.array([index], dtype=np.int64))
        return squares[0] if valid[0] else None

    def decode_many(
        self, indices: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return the squares, uint8 [n, men], of indices, and whether each is valid, bool [n].

        The squares of broken slots mean nothing. Raises `IndexError` if an index is out of range.
        """
        numbers = np.ascontiguousarray(indices, dtype=np.int64)
        if numbers.size and (numbers.min() < 0 or numbers.max() >= self.size):
            raise IndexError(f"indices of {self.material} run from 0 to {self.size - 1}")
        squares = np.empty((len(numbers), len(self.material.men)), dtype=np.uint8)
        valid = np.empty(len(numbers), dtype=np.bool_)
        _decode_many(self.record, numbers, squares, valid)
        return squares, valid


def _make_numbering(material: Material) -> Numbering:
    if material.piece_count > MAX_MEN_OF_INDEX:
        raise ValueError(
            f"{material} has {material.piece_count} pieces, but an index at most {MAX_MEN_OF_INDEX}"
        )
    if material.has_pawns and material.rules.walls:
        raise ValueError(f"{material} has pawns, and the board of {material.rules.name} walls")
    kinds = [man for _, man in material.men]
    pieces = [i for i, man in enumerate(kinds) if i >= 2 and man is not PieceType.PAWN]
    pawns = [i for i, man in enumerate(kinds) if man is PieceType.PAWN]
    sizes = [count for _, man, count in material.groups if man is not PieceType.PAWN]
    kings = king_tables_of(material)
    slice_of, slice_pawns = slice_tables(material)
    ranks = _ranks(material)
    return Numbering(
        king_pair=kings.number,
        king_symmetry=kings.symmetry,
        king_second=kings.second,
        king_squares=kings.squares,
        piece_men=np.array(pieces, dtype=np.int64),
        group_sizes=np.array(sizes, dtype=np.int64),
        pawn_men=np.array(pawns, dtype=np.int64),
        slice_of=slice_of,
        slice_pawns=np.tile(slice_pawns, (material.layer_count, 1)),
        layer_size=prod((len(slice_pawns), ranks, len(kings.squares))),
        ranks=ranks,
        outside=material.rules.board.outside,
        twins=_twins(material),
        nobody=np.array(material.nobody),
    )


def _twins(material: Material) -> NDArray[np.int64]:
    """Return the field `twins` of `Numbering`."""
    men = list(enumerate(material.men))
    found = [[i for i, man in men[2:] if man == lead] for _, lead in men[:2]]
    twins = np.zeros((2, max(map(len, found))), dtype=np.int64)
    for row, numbers in zip(twins, found, strict=True):
        row[: len(numbers)] = numbers
    return twins


def _ranks(material: Material) -> int:
    free = len(material.rules.board.squares) - material.pawn_count
    total = 1
    for _, man, count in material.groups:
        if man is not PieceType.PAWN:
            total *= comb(free, count)
            free -= count
    return total


@entry
def _encode_many(numbering, squares, indices):
    """Write the index of each row of `squares` [n, men] to `indices` [n]."""
    for i in range(len(squares)):
        indices[i] = encode_position(numbering, squares[i])


@hot_kernel
def encode_position(numbering, squares):
    """Return the index of a position, `squares` uint8 [men], or -1 if it has none."""
    index = _encode_led(numbering, squares)
    twins = numbering.twins
    if index < 0 or twins.shape[1] == 0:
        return index
    led = work_space(MAX_MEN_OF_INDEX, np.uint8)[: len(squares)]
    for i in range(len(squares)):
        led[i] = squares[i]
    for i in range(-1, twins.shape[1]):
        white = twins[0, i] if i >= 0 else 0
        if i >= 0 and not white:
            break
        led[0], led[white] = led[white], led[0]
        for j in range(-1, twins.shape[1]):
            black = twins[1, j] if j >= 0 else 1
            if not black:
                break
            led[1], led[black] = led[black], led[1]
            index = min(index, _encode_led(numbering, led))
            led[1], led[black] = led[black], led[1]
        led[0], led[white] = led[white], led[0]
    return index


@hot_kernel
def _encode_led(numbering, squares):
    """Return the index of a position whose leads come first in `squares`, or -1."""
    kings = np.int64(squares[0]) * 64 + squares[1]
    if numbering.king_pair[kings] < 0:
        return np.int64(-1)
    pieces = work_space(MAX_PIECES, np.uint8)[: len(numbering.piece_men)]
    pawns = work_space(MAX_PIECES, np.uint8)[: len(numbering.pawn_men)]
    for i in range(len(pieces)):
        pieces[i] = squares[numbering.piece_men[i]]
    for i in range(len(pawns)):
        pawns[i] = squares[numbering.pawn_men[i]]
    slice_ = np.int64(0)
    symmetry = np.int64(numbering.king_symmetry[kings])
    second = np.int64(numbering.king_second[kings])
    if len(pawns):
        entry = slice_entry(numbering.slice_of, pawns)
        if entry < 0:
            return np.int64(-1)
        slice_ = slice_number(entry)
        symmetry, second = slice_symmetry(entry), second_slice_symmetry(entry)
    index = _encode_image(numbering, squares, pieces, pawns, symmetry, slice_)
    if second != NO_SYMMETRY:
        index = min(index, _encode_image(numbering, squares, pieces, pawns, second, slice_))
    return index


@hot_kernel
def _encode_image(numbering, squares, pieces, pawns, symmetry, slice_):
    """Return the index of the image of `squares` [men] under a symmetry."""
    images = work_space(MAX_PIECES, np.uint8)
    rank = rank_image(numbering.group_sizes, numbering.outside, pieces, pawns, symmetry, images)
    kings = np.int64(D4[symmetry, squares[0]]) * 64 + D4[symmetry, squares[1]]
    return (slice_ * numbering.ranks + rank) * len(numbering.king_squares) + numbering.king_pair[
        kings
    ]


@hot_kernel
def rank_image(group_sizes, outside, pieces, pawns, symmetry, images):
    """Return the rank of the image of pieces under a symmetry.

    `pieces` and `pawns` are squares, uint8, `images` work space like `pieces`; `outside` is
    `BoardShape.outside`.
    """
    taken = np.uint64(np.int64(outside))
    for pawn in pawns:
        taken |= np.uint64(1) << np.uint64(D4[symmetry, pawn])
    for i in range(len(pieces)):
        images[i] = D4[symmetry, pieces[i]]
    return rank_pieces(group_sizes, images, taken)


@entry
def _decode_many(numbering, indices, squares, valid):
    """Write the position of each index to `squares` [n, men], and to `valid` whether it is one."""
    for i in range(len(indices)):
        valid[i] = decode_position(numbering, indices[i], squares[i])


@kernel
def decode_position(numbering, index, squares):
    """Write the position of an index to `squares` uint8 [men]; return whether it is a position.

    A broken slot writes squares too, but returns False.
    """
    pairs = len(numbering.king_squares)
    pair = index % pairs
    rank = index // pairs % numbering.ranks
    slice_ = index // pairs // numbering.ranks
    squares[0], squares[1] = numbering.king_squares[pair, 0], numbering.king_squares[pair, 1]
    pawns = numbering.slice_pawns[slice_]
    taken = np.uint64(np.int64(numbering.outside)) | word_of_squares(pawns)
    pieces = work_space(MAX_PIECES, np.uint8)[: len(numbering.piece_men)]
    unrank_pieces(numbering.group_sizes, rank, taken, pieces)
    for i in range(len(pawns)):
        squares[numbering.pawn_men[i]] = pawns[i]
    for i in range(len(pieces)):
        squares[numbering.piece_men[i]] = pieces[i]
    taken |= word_of_squares(pieces)
    for i in range(2):
        if not numbering.nobody[i] and (taken >> np.uint64(squares[i])) & np.uint64(1):
            return False
    return encode_position(numbering, squares) == index % numbering.layer_size


def slot_count(material: Material) -> int:
    """Return the size of a material's index by formula, without making the index."""
    return slice_count(material) * _ranks(material) * king_pair_count(material)


def slice_count(material: Material) -> int:
    """Return the number of slices of a material's index, by formula, without making the index.

    Pawns have ``(all + mirrored) / 2`` slices in each layer: all their placements, and those that
    are their own mirror image, where the pawns of a kind stand in pairs left and right of the
    middle.
    """
    if not material.has_pawns:
        return material.layer_count
    of_white = material.rules.pawn_squares[Color.WHITE]
    if len(of_white) < PAWN_BASE or MIRROR not in material.symmetries:
        return table_index(material).slices  # each side may have squares of its own
    free, pairs = PAWN_BASE, PAWN_BASE // 2
    every = mirrored = 1
    for _, man, count in material.groups:
        if man is PieceType.PAWN:
            every *= comb(free, count)
            mirrored *= 0 if count % 2 else comb(pairs, count // 2)
            free, pairs = free - count, pairs - count // 2
    return material.layer_count * (every + mirrored) // 2


@lru_cache(maxsize=64)
def table_index(material: Material) -> TableIndex:
    """Return the index of a material, made once."""
    return TableIndex(material)
