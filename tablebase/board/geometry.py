"""Squares, steps, rays and attacks, all derived from files and ranks.

Squares are numbered as in python-chess: ``a1 = 0``, ``b1 = 1``, ..., ``h8 = 63``.
In a 64-bit word, bit ``i`` stands for square ``i``. Pieces are numbered as in
python-chess too, but colours are array indices here: white is 0 and black is 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

FILES = 8
RANKS = 8
SQUARES = FILES * RANKS


class Color(IntEnum):
    """A side, usable as an array index."""

    WHITE = 0
    BLACK = 1

    @property
    def opponent(self) -> Color:
        """The other side."""
        return Color(1 - self)


# By `Color`, as files and JSON name them.
SIDES: tuple[str, ...] = ("white_to_move", "black_to_move")


class PieceType(IntEnum):
    """A kind of man, numbered by ascending value."""

    PAWN = 1
    KNIGHT = 2
    BISHOP = 3
    ROOK = 4
    QUEEN = 5
    KING = 6

    @property
    def letter(self) -> str:
        """The English letter of this man, upper case."""
        return "?PNBRQK"[self]


# What men are worth, in pawns, by kind.
WORTH: dict[int, int] = {
    PieceType.PAWN: 1,
    PieceType.KNIGHT: 3,
    PieceType.BISHOP: 3,
    PieceType.ROOK: 5,
    PieceType.QUEEN: 9,
}


def square(file: int, rank: int) -> int:
    """Return the square on a file and a rank, both counted from 0."""
    return rank * FILES + file


def square_file(square: int) -> int:
    """Return the file of a square, 0 for the a-file."""
    return square % FILES


def square_rank(square: int) -> int:
    """Return the rank of a square, 0 for White's first rank."""
    return square // FILES


def square_name(square: int) -> str:
    """Return the name of a square.

    >>> square_name(63)
    'h8'
    """
    return "abcdefgh"[square_file(square)] + str(square_rank(square) + 1)


Step = tuple[int, int]  # files to the right, ranks up

ROOK_STEPS: tuple[Step, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))
BISHOP_STEPS: tuple[Step, ...] = ((1, 1), (-1, 1), (-1, -1), (1, -1))
ROYAL_STEPS: tuple[Step, ...] = ROOK_STEPS + BISHOP_STEPS
KNIGHT_STEPS: tuple[Step, ...] = tuple(
    (dx, dy) for dx in range(-2, 3) for dy in range(-2, 3) if abs(dx) + abs(dy) == 3 and dx and dy
)
PAWN_CAPTURE_STEPS: tuple[tuple[Step, ...], ...] = (((-1, 1), (1, 1)), ((-1, -1), (1, -1)))

MAX_DIRECTIONS = 8
MAX_STEPS = 7

# How each piece moves: its steps, and whether it slides on in the same direction.
_MOVEMENTS: tuple[tuple[PieceType, tuple[Step, ...], bool], ...] = (
    (PieceType.KNIGHT, KNIGHT_STEPS, False),
    (PieceType.BISHOP, BISHOP_STEPS, True),
    (PieceType.ROOK, ROOK_STEPS, True),
    (PieceType.QUEEN, ROYAL_STEPS, True),
    (PieceType.KING, ROYAL_STEPS, False),
)


def _ray(origin: int, step: Step, length: int) -> list[int]:
    """Return the squares met from a square in one direction, up to a length or the edge."""
    file, rank = square_file(origin), square_rank(origin)
    targets = []
    for _ in range(length):
        file, rank = file + step[0], rank + step[1]
        if not (0 <= file < FILES and 0 <= rank < RANKS):
            break
        targets.append(square(file, rank))
    return targets


def _rays() -> NDArray[np.int8]:
    rays = np.full((7, SQUARES, MAX_DIRECTIONS, MAX_STEPS), -1, dtype=np.int8)
    for piece_type, steps, slides in _MOVEMENTS:
        for origin in range(SQUARES):
            found = (_ray(origin, step, MAX_STEPS if slides else 1) for step in steps)
            for direction, targets in enumerate(filter(None, found)):
                rays[piece_type, origin, direction, : len(targets)] = targets
    return rays


def _word(squares: list[int]) -> int:
    return sum(1 << target for target in squares)


def _attacks() -> NDArray[np.uint64]:
    attacks = np.zeros((7, SQUARES), dtype=np.uint64)
    for piece_type, _, _ in _MOVEMENTS:
        for origin in range(SQUARES):
            targets = RAYS[piece_type, origin]
            attacks[piece_type, origin] = _word(targets[targets >= 0].tolist())
    return attacks


def _pawn_attacks() -> NDArray[np.uint64]:
    attacks = np.zeros((2, SQUARES), dtype=np.uint64)
    for color, steps in enumerate(PAWN_CAPTURE_STEPS):
        for origin in range(SQUARES):
            attacks[color, origin] = sum(_word(_ray(origin, step, 1)) for step in steps)
    return attacks


def _between() -> NDArray[np.uint64]:
    between = np.zeros((SQUARES, SQUARES), dtype=np.uint64)
    for origin in range(SQUARES):
        for step in ROYAL_STEPS:
            targets = _ray(origin, step, MAX_STEPS)
            for distance, target in enumerate(targets):
                between[origin, target] = _word(targets[:distance])
    return between


# [piece type, square, direction, step] target square; -1 after the end of a ray.
# The rays that exist come first; leapers have rays of one step; pawns have none.
RAYS: NDArray[np.int8] = _rays()
# [piece type, square] squares attacked on an empty board; zero for pawns.
ATTACKS: NDArray[np.uint64] = _attacks()
# [square] squares attacked by a king.
KING_ATTACKS: NDArray[np.uint64] = ATTACKS[PieceType.KING]
# [colour, square] squares attacked by a pawn.
PAWN_ATTACKS: NDArray[np.uint64] = _pawn_attacks()
# [square, square] squares strictly between two squares on one line, else zero.
BETWEEN: NDArray[np.uint64] = _between()
# The squares on which a pawn can stand: ranks 2 to 7.
PAWN_SQUARES: tuple[int, ...] = tuple(s for s in range(SQUARES) if 0 < square_rank(s) < RANKS - 1)

for _constant in (RAYS, ATTACKS, KING_ATTACKS, PAWN_ATTACKS, BETWEEN):
    _constant.setflags(write=False)
del _constant


def attack_table(color: Color, piece_type: PieceType) -> NDArray[np.uint64]:
    """Return the empty-board attacks of any man, pawns included.

    Parameters
    ----------
    color
        Side of the man; it matters for pawns only.
    piece_type
        Kind of the man.

    Returns
    -------
    NDArray[np.uint64]
        Read-only words of attacked squares, one for each square, shape [64].
    """
    is_pawn = piece_type is PieceType.PAWN
    words: NDArray[np.uint64] = PAWN_ATTACKS[color] if is_pawn else ATTACKS[piece_type]
    return words


@cache
def _attack_paths(color: Color, piece_type: PieceType) -> NDArray[np.uint64]:
    """Return what must be empty for an attack, [from, to]; all squares where there is none."""
    bits = np.uint64(1) << np.arange(SQUARES, dtype=np.uint64)
    attacks = attack_table(color, piece_type)[:, np.newaxis] & bits != 0
    paths: NDArray[np.uint64] = np.where(attacks, BETWEEN, ~np.uint64(0))
    return paths


def is_attacked_by(
    men: Iterable[tuple[Color, PieceType]],
    squares: Iterable[NDArray[np.uint8]],
    by: Color,
    target: int | NDArray[np.uint8],
    occupied: NDArray[np.uint64],
) -> NDArray[np.bool_]:
    """Return in which placements a man of a side attacks a square.

    Parameters
    ----------
    men
        The men.
    squares
        Of each man the squares in all placements, shape [n].
    by
        The side that attacks.
    target
        The square, or one for each placement, shape [n].
    occupied
        The squares of all men, of those not listed too, shape [n].

    Notes
    -----
    Kernels ask this in forms of their own, which this one would slow down: of one square beside the
    lists of a row (`moves`), of all squares of a king at once (`index`), of a board packed into a
    few words (`probing`), of planes with a bit for each pair of kings (`engine`, `solving`).
    """
    attacked = np.zeros(len(occupied), dtype=np.bool_)
    for (color, piece_type), origins in zip(men, squares, strict=True):
        if color is by:
            attacked |= _attack_paths(color, piece_type)[origins, target] & occupied == 0
    return attacked


def from_to_pairs(
    piece_types: tuple[PieceType, ...] = (PieceType.QUEEN, PieceType.KNIGHT),
) -> NDArray[np.bool_]:
    """Return which from-to pairs are moves of some piece on an empty board.

    Queen and knight together cover every man, so by default the result marks all
    1,792 pairs that any move can have: 896 of the rook, 560 of the bishop and
    336 of the knight.

    Parameters
    ----------
    piece_types
        The pieces whose moves count. Pawns add none of their own.

    Returns
    -------
    NDArray[np.bool_]
        Shape [64, 64], indexed by origin and target.
    """
    words = np.bitwise_or.reduce(ATTACKS[list(piece_types)], axis=0)
    targets = np.arange(SQUARES, dtype=np.uint64)
    pairs: NDArray[np.bool_] = (words[:, None] >> targets[None, :]) & np.uint64(1) == 1
    return pairs
