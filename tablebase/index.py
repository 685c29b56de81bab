"""Between canonical positions and consecutive integers.

The index of a position has three digits, the fastest last:

``(slice * ranks + rank) * king_pairs + king_pair``

- *king pair*: without pawns one of the 462 pairs of kings that no symmetry of the board can turn
  into each other (White's king in the a1-d1-d4 triangle; if it is on the diagonal, Black's king
  on or below it); with pawns one of all 3,612 pairs of kings that do not touch. They are ordered
  by Black's king, then White's; squares by number, with pawns file by file, up and down in turn.
- *rank*: the squares of the pieces. Each group of identical men is a combination (an unordered
  set), numbered in the combinatorial number system over the squares left by the groups before it.
- *slice*: the squares of the pawns, up to the exchange of left and right; 0 without pawns.

A few numbers stand for no position of their own: a man on a king's square, or the second of two
mirror images when kings (or pawns) are symmetric themselves. They are *broken slots*.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase._instructions import count_bits, work_space
from tablebase._jit import KernelRecord, entry, kernel
from tablebase.geometry import KING_ATTACKS, PAWN_SQUARES, PieceType
from tablebase.geometry import square as square_of
from tablebase.symmetry import (
    ALL_SYMMETRIES,
    D4,
    DIAGONAL,
    MIRROR,
    PAWN_SYMMETRIES,
    TRIANGLE_SQUARES,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.material import Material

FIRST_PAWN_SQUARE = PAWN_SQUARES[0]
PAWN_BASE = len(PAWN_SQUARES)
NO_SYMMETRY = 255
# All squares in steps to a neighbour: a1 to a8, b8 to b1, c1 to c8 and so on. Kings are numbered
# this way beside pawns, because their neighbours' values are alike, and compress better.
FILES_UP_AND_DOWN: tuple[int, ...] = tuple(
    square_of(file, rank) for file in range(8) for rank in (range(8), range(7, -1, -1))[file % 2]
)
# In an entry of `slice_of`: the slice times 4, plus these flags.
SLICE_MIRRORED = 1  # the left-right mirror makes these pawns canonical
SLICE_SELF_MIRRORED = 2  # these pawns are their own mirror image
SLICE_SHIFT = 2
KING_PAIRS_PAWNLESS, KING_PAIRS_WITH_PAWNS = 462, 3612
# What kernels have room for.
MAX_PIECES = 8  # besides the kings, of both sides
MAX_MEN_OF_INDEX = MAX_PIECES + 2

BINOMIALS: NDArray[np.int64] = np.array(
    [[comb(n, k) for k in range(MAX_PIECES + 1)] for n in range(65)], dtype=np.int64
)
BINOMIALS.setflags(write=False)


class IndexTables(NamedTuple):
    """The arrays behind a `TableIndex`, passed whole into kernels."""

    king_pair: NDArray[np.int16]  # [64 * 64] number of a pair of kings, -1 if they touch
    king_symmetry: NDArray[np.uint8]  # [64 * 64] the symmetry that makes the kings canonical
    king_second: NDArray[np.uint8]  # [64 * 64] another one that does, or NO_SYMMETRY
    king_squares: NDArray[np.uint8]  # [king pairs, 2] squares of both kings
    piece_men: NDArray[np.int64]  # [pieces] position in `Material.men`
    group_sizes: NDArray[np.int64]  # [groups] pieces in each group of identical ones
    pawn_men: NDArray[np.int64]  # [pawns] position in `Material.men`
    slice_of: NDArray[np.int32]  # [48 ** pawns] slice and flags by the pawns' squares, -1 if none
    slice_pawns: NDArray[np.uint8]  # [slices, pawns] the pawns' squares
    ranks: int  # number of ranks of the pieces


@lru_cache(maxsize=2)
def _king_tables(*, has_pawns: bool) -> tuple[NDArray[np.uint8], ...]:
    pairs: list[tuple[int, int]] = []
    for black in FILES_UP_AND_DOWN if has_pawns else range(64):
        for white in FILES_UP_AND_DOWN if has_pawns else TRIANGLE_SQUARES:
            on_diagonal = D4[DIAGONAL, white] == white
            touching = white == black or int(KING_ATTACKS[white]) >> black & 1
            if touching or (not has_pawns and on_diagonal and D4[DIAGONAL, black] < black):
                continue
            pairs.append((white, black))
    number = np.full(64 * 64, -1, dtype=np.int16)
    symmetry = np.zeros(64 * 64, dtype=np.uint8)
    second = np.full(64 * 64, NO_SYMMETRY, dtype=np.uint8)
    for i, (white, black) in enumerate(pairs):
        for t in (0,) if has_pawns else ALL_SYMMETRIES:
            # The position whose image under t is this pair.
            image = int(np.argmax(D4[t] == white)) * 64 + int(np.argmax(D4[t] == black))
            if number[image] >= 0:
                second[image] = t
            else:
                number[image], symmetry[image] = i, t
    squares = np.array(pairs, dtype=np.uint8)
    return number, symmetry, second, squares  # type: ignore[return-value]


def king_groups(tables: IndexTables) -> NDArray[np.int64]:
    """Return where the pairs of kings with another square of Black's king begin.

    Returns
    -------
    NDArray[np.int64]
        Numbers of pairs, ascending, and at the end how many pairs there are, shape [groups + 1].
    """
    black = tables.king_squares[:, 1]
    changes = np.flatnonzero(black[1:] != black[:-1]) + 1
    return np.concatenate([[0], changes, [len(black)]])


def _slice_tables(material: Material) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    sizes = [count for _, man, count in material.groups if man is PieceType.PAWN]
    pawns = sum(sizes)
    if not pawns:
        return np.zeros(1, dtype=np.int32), np.zeros((1, 0), dtype=np.uint8)
    weights = PAWN_BASE ** np.arange(pawns)
    keys = np.arange(PAWN_BASE**pawns)
    digits = keys[:, None] // weights % PAWN_BASE

    def sorted_key(digits: NDArray[np.int64]) -> NDArray[np.int64]:
        start = 0
        ordered = digits.copy()
        for size in sizes:
            ordered[:, start : start + size].sort(axis=1)
            start += size
        return ordered @ weights

    own = sorted_key(digits)
    # Files are the low three bits of a square, and the pawns' first square is a multiple of 8.
    mirrored = sorted_key(digits ^ int(D4[MIRROR, 0]))
    canonical = np.minimum(own, mirrored)
    in_order = np.sort(digits, axis=1)
    distinct = (in_order[:, 1:] != in_order[:, :-1]).all(axis=1)
    slices, number = np.unique(canonical[distinct], return_inverse=True)
    flags = SLICE_MIRRORED * (mirrored < own) + SLICE_SELF_MIRRORED * (mirrored == own)
    slice_of = np.full(len(keys), -1, dtype=np.int32)
    slice_of[distinct] = (number << SLICE_SHIFT) + flags[distinct]
    return slice_of, (digits[slices] + FIRST_PAWN_SQUARE).astype(np.uint8)


def _ranks(material: Material) -> int:
    free = 64 - material.pawn_count
    total = 1
    for _, man, count in material.groups:
        if man is not PieceType.PAWN:
            total *= comb(free, count)
            free -= count
    return total


def _index_tables(material: Material) -> IndexTables:
    if material.piece_count > MAX_MEN_OF_INDEX:
        message = f"{material} has {material.piece_count} men, an index at most {MAX_MEN_OF_INDEX}"
        raise ValueError(message)
    kinds = [man for _, man in material.men]
    pieces = [i for i, man in enumerate(kinds) if i >= 2 and man is not PieceType.PAWN]
    pawns = [i for i, man in enumerate(kinds) if man is PieceType.PAWN]
    sizes = [count for _, man, count in material.groups if man is not PieceType.PAWN]
    number, symmetry, second, squares = _king_tables(has_pawns=material.has_pawns)
    slice_of, slice_pawns = _slice_tables(material)
    return IndexTables(
        king_pair=number.view(np.int16),
        king_symmetry=symmetry,
        king_second=second,
        king_squares=squares,
        piece_men=np.array(pieces, dtype=np.int64),
        group_sizes=np.array(sizes, dtype=np.int64),
        pawn_men=np.array(pawns, dtype=np.int64),
        slice_of=slice_of,
        slice_pawns=slice_pawns,
        ranks=_ranks(material),
    )


@kernel
def rank_pieces(group_sizes, squares, taken):
    """Return the rank of pieces; `squares` [pieces] by group is sorted in place, `taken` a word."""
    rank = np.int64(0)
    free = 64 - count_bits(taken)
    start = 0
    for size in group_sizes:
        for i in range(start + 1, start + size):  # insertion sort: groups are tiny
            square = squares[i]
            j = i
            while j > start and squares[j - 1] > square:
                squares[j] = squares[j - 1]
                j -= 1
            squares[j] = square
        inside = np.int64(0)
        now_taken = taken
        for i in range(start, start + size):
            bit = np.uint64(1) << np.uint64(squares[i])
            label = np.int64(squares[i]) - count_bits(taken & (bit - np.uint64(1)))
            inside += BINOMIALS[label, i - start + 1]
            now_taken |= bit
        rank = rank * BINOMIALS[free, size] + inside
        taken = now_taken
        free -= size
        start += size
    return rank


@kernel
def unrank_pieces(group_sizes, rank, taken, squares):
    """Write the squares of a rank to `squares` [pieces] by group; `taken` is a word."""
    free = 64 - count_bits(taken)
    counts = work_space(MAX_PIECES, np.int64)
    for g in range(len(group_sizes)):
        counts[g] = BINOMIALS[free, group_sizes[g]]
        free -= group_sizes[g]
    digits = work_space(MAX_PIECES, np.int64)
    for g in range(len(group_sizes) - 1, -1, -1):
        digits[g] = rank % counts[g]
        rank //= counts[g]
    start = 0
    for g in range(len(group_sizes)):
        inside = digits[g]
        label = np.int64(64)
        now_taken = taken
        for i in range(group_sizes[g], 0, -1):
            label -= 1
            while BINOMIALS[label, i] > inside:
                label -= 1
            inside -= BINOMIALS[label, i]
            square = _nth_free(taken, label)
            squares[start + i - 1] = square
            now_taken |= np.uint64(1) << np.uint64(square)
        taken = now_taken
        start += group_sizes[g]


@kernel
def _nth_free(taken, n):
    """Return the square that has `n` free squares below it and is free itself."""
    for square in range(64):
        if not (taken >> np.uint64(square)) & np.uint64(1):
            if n == 0:
                return square
            n -= 1
    return -1


@kernel
def _encode_image(tables, squares, symmetry, slice_number):
    """Return the index of the image of `squares` [men] under a symmetry."""
    images = work_space(MAX_PIECES, np.uint8)[: len(tables.piece_men)]
    for i in range(len(images)):
        images[i] = D4[symmetry, squares[tables.piece_men[i]]]
    taken = np.uint64(0)
    for man in tables.pawn_men:
        taken |= np.uint64(1) << np.uint64(D4[symmetry, squares[man]])
    rank = rank_pieces(tables.group_sizes, images, taken)
    kings = np.int64(D4[symmetry, squares[0]]) * 64 + D4[symmetry, squares[1]]
    pair = tables.king_pair[kings]
    return (slice_number * tables.ranks + rank) * len(tables.king_squares) + pair


@kernel
def encode_position(tables, squares):
    """Return the index of a position, `squares` uint8 [men], or -1 if it has none."""
    kings = np.int64(squares[0]) * 64 + squares[1]
    if tables.king_pair[kings] < 0:
        return np.int64(-1)
    slice_number = np.int64(0)
    symmetry = tables.king_symmetry[kings]
    second = tables.king_second[kings]
    if len(tables.pawn_men):
        key = np.int64(0)
        for i in range(len(tables.pawn_men) - 1, -1, -1):
            pawn = np.int64(squares[tables.pawn_men[i]]) - FIRST_PAWN_SQUARE
            if pawn < 0 or pawn >= PAWN_BASE:
                return np.int64(-1)
            key = key * PAWN_BASE + pawn
        entry = tables.slice_of[key]
        if entry < 0:
            return np.int64(-1)
        slice_number = np.int64(entry >> SLICE_SHIFT)
        symmetry = np.uint8(MIRROR if entry & SLICE_MIRRORED else 0)
        second = np.uint8(MIRROR if entry & SLICE_SELF_MIRRORED else NO_SYMMETRY)
    index = _encode_image(tables, squares, symmetry, slice_number)
    if second != NO_SYMMETRY:
        index = min(index, _encode_image(tables, squares, second, slice_number))
    return index


@kernel
def decode_position(tables, index, squares):
    """Write the position of an index to `squares` uint8 [men]; return whether it is one.

    A broken slot writes squares too, but returns False.
    """
    pairs = len(tables.king_squares)
    pair = index % pairs
    rank = index // pairs % tables.ranks
    slice_number = index // pairs // tables.ranks
    squares[0] = tables.king_squares[pair, 0]
    squares[1] = tables.king_squares[pair, 1]
    taken = np.uint64(0)
    for i in range(len(tables.pawn_men)):
        pawn = tables.slice_pawns[slice_number, i]
        squares[tables.pawn_men[i]] = pawn
        taken |= np.uint64(1) << np.uint64(pawn)
    pieces = work_space(MAX_PIECES, np.uint8)[: len(tables.piece_men)]
    unrank_pieces(tables.group_sizes, rank, taken, pieces)
    for i in range(len(pieces)):
        squares[tables.piece_men[i]] = pieces[i]
        taken |= np.uint64(1) << np.uint64(pieces[i])
    kings = (np.uint64(1) << np.uint64(squares[0])) | (np.uint64(1) << np.uint64(squares[1]))
    return taken & kings == np.uint64(0) and encode_position(tables, squares) == index


@entry
def _encode_many(tables, squares, indices):
    """Write the index of each row of `squares` [n, men] to `indices` [n]."""
    for i in range(len(squares)):
        indices[i] = encode_position(tables, squares[i])


@entry
def _decode_many(tables, indices, squares, valid):
    """Write the position of each index to `squares` [n, men] and whether it is one to `valid`."""
    for i in range(len(indices)):
        valid[i] = decode_position(tables, indices[i], squares[i])


class TableIndex:
    """The numbering of a material's positions.

    Parameters
    ----------
    material
        The men, at most MAX_MEN_OF_INDEX; squares are always given in the order of `Material.men`.

    Raises
    ------
    ValueError
        If there are more men.

    Attributes
    ----------
    size : int
        Number of slots; indices run from 0 to ``size - 1``.
    king_pairs, ranks, slices : int
        The number of values of the three digits; `size` is their product.
    tables : IndexTables
        The arrays for kernels.
    record : KernelRecord
        The same, to be passed to kernels by one pointer.
    """

    def __init__(self, material: Material) -> None:
        self.material = material
        self.tables = _index_tables(material)
        self.record = KernelRecord(self.tables)
        self.king_pairs = len(self.tables.king_squares)
        self.ranks = self.tables.ranks
        self.slices = len(self.tables.slice_pawns)
        self.size = prod((self.slices, self.ranks, self.king_pairs))

    @property
    def symmetries(self) -> tuple[int, ...]:
        """The symmetries under which all images of a position share one index."""
        return PAWN_SYMMETRIES if self.material.has_pawns else ALL_SYMMETRIES

    def encode(self, squares: NDArray[np.uint8]) -> int:
        """Return the index of a position.

        Parameters
        ----------
        squares
            Squares of all men in the order of `Material.men`, shape [men].

        Returns
        -------
        int
            The index, the same for all symmetric images of the position.

        Raises
        ------
        ValueError
            If the squares are not those of a position: kings that touch, two men on one square,
            a pawn on the first or last rank.
        """
        return int(self.encode_many(np.asarray(squares)[None])[0])

    def encode_many(self, squares: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the indices of many positions.

        Parameters
        ----------
        squares
            Shape [n, men].

        Returns
        -------
        NDArray[np.int64]
            Shape [n].

        Raises
        ------
        ValueError
            As for `encode`, naming the first row that is no position.
        """
        rows = np.asarray(squares)
        if rows.ndim != 2 or rows.shape[1] != self.material.piece_count:
            message = (
                f"expected squares of shape [n, {self.material.piece_count}] for "
                f"{self.material}, got {list(rows.shape)}"
            )
            raise ValueError(message)
        if rows.size and (rows.min() < 0 or rows.max() > 63):
            message = "squares are numbers from 0 (a1) to 63 (h8)"
            raise ValueError(message)
        rows = np.ascontiguousarray(rows, dtype=np.uint8)
        indices = np.empty(len(rows), dtype=np.int64)
        _encode_many(self.record, rows, indices)
        in_order = np.sort(rows, axis=1)
        wrong = (indices < 0) | (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
        if wrong.any():
            message = (
                f"squares {rows[np.argmax(wrong)].tolist()} are no position of {self.material}"
            )
            raise ValueError(message)
        return indices

    def decode(self, index: int) -> NDArray[np.uint8] | None:
        """Return the position of an index.

        Parameters
        ----------
        index
            From 0 to ``size - 1``.

        Returns
        -------
        NDArray[np.uint8] or None
            Squares of all men, shape [men]; None for a broken slot.

        Raises
        ------
        IndexError
            If the index is out of range.
        """
        squares, valid = self.decode_many(np.array([index], dtype=np.int64))
        return squares[0] if valid[0] else None

    def decode_many(
        self, indices: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return the positions of many indices.

        Parameters
        ----------
        indices
            Shape [n].

        Returns
        -------
        tuple
            Squares uint8 [n, men], and whether each is a position bool [n]; the squares of
            broken slots mean nothing.

        Raises
        ------
        IndexError
            If an index is out of range.
        """
        numbers = np.ascontiguousarray(indices, dtype=np.int64)
        if numbers.size and (numbers.min() < 0 or numbers.max() >= self.size):
            message = f"indices of {self.material} run from 0 to {self.size - 1}"
            raise IndexError(message)
        squares = np.empty((len(numbers), self.material.piece_count), dtype=np.uint8)
        valid = np.empty(len(numbers), dtype=np.bool_)
        _decode_many(self.record, numbers, squares, valid)
        return squares, valid


@lru_cache(maxsize=64)
def table_index(material: Material) -> TableIndex:
    """Return the index of a material, made once."""
    return TableIndex(material)
