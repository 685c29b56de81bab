"""The eight symmetries of the board, and which of them keep a position's value.

All are generated from two: sigma, a quarter turn clockwise, and tau, the reflection
that exchanges left and right. On a board whose ``x`` counts files from the left and
whose ``y`` counts ranks from the top, sigma sends ``(x, y)`` to ``(7 - y, x)`` and tau
sends it to ``(7 - x, y)``.

Symmetries are numbered so that their bits can be read: first reflect in the a1-h8
diagonal if bit 2 is set, then exchange left and right if bit 0 is set and top and
bottom if bit 1 is set.
"""

from collections.abc import Callable, Iterable
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import (
    FILES,
    RANKS,
    SQUARES,
    Vector,
    square,
    square_file,
    square_rank,
)

IDENTITY = 0
MIRROR = 1  # left and right exchanged, the paper's tau
FLIP = 2  # top and bottom exchanged
HALF_TURN = 3
DIAGONAL = 4  # reflection in the a1-h8 diagonal
QUARTER_TURN_BACK = 5  # counterclockwise
QUARTER_TURN = 6  # clockwise, the paper's sigma
ANTIDIAGONAL = 7  # reflection in the a8-h1 diagonal

SYMMETRY_NAMES: tuple[str, ...] = (
    "identity",
    "left-right",
    "up-down",
    "half turn",
    "a1-h8 diagonal",
    "quarter turn counterclockwise",
    "quarter turn clockwise",
    "a8-h1 diagonal",
)

ALL_SYMMETRIES: tuple[int, ...] = tuple(range(8))
# A pawn knows up from down, so only left and right may be exchanged.
PAWN_SYMMETRIES: tuple[int, ...] = (IDENTITY, MIRROR)

# Each symmetry as a number of quarter turns clockwise, then a reflection or none.
_WORDS = (
    (0, False),
    (0, True),
    (2, True),
    (2, False),
    (3, True),
    (3, False),
    (1, False),
    (1, True),
)

_Permutation = NDArray[np.uint8]


def sigma(x: int, y: int) -> tuple[int, int]:
    """Turn the board by a quarter clockwise; ``y`` counts ranks from the top."""
    return FILES - 1 - y, x


def tau(x: int, y: int) -> tuple[int, int]:
    """Exchange left and right; ``y`` counts ranks from the top."""
    return FILES - 1 - x, y


def _permutation(operation: Callable[[int, int], tuple[int, int]]) -> _Permutation:
    """Return the permutation of squares that an operation on coordinates makes."""
    images = []
    for origin in range(SQUARES):
        x, y = operation(square_file(origin), RANKS - 1 - square_rank(origin))
        images.append(square(x, RANKS - 1 - y))
    return np.array(images, dtype=np.uint8)


def _generate() -> NDArray[np.uint8]:
    turn, mirror = _permutation(sigma), _permutation(tau)
    permutations = np.empty((8, SQUARES), dtype=np.uint8)
    for symmetry, (turns, mirrored) in enumerate(_WORDS):
        images = np.arange(SQUARES, dtype=np.uint8)
        for _ in range(turns):
            images = turn[images]
        permutations[symmetry] = mirror[images] if mirrored else images
    return permutations


def _index_of(permutation: _Permutation) -> int:
    return int(np.flatnonzero((permutation == D4).all(axis=1))[0])


# [symmetry, square] image of a square.
D4: NDArray[np.uint8] = _generate()
# [a, b] the symmetry that does first b, then a, as in a(b(square)).
COMPOSE: NDArray[np.uint8] = np.array(
    [[_index_of(D4[a][D4[b]]) for b in ALL_SYMMETRIES] for a in ALL_SYMMETRIES], dtype=np.uint8
)
# [symmetry] the symmetry that undoes it.
INVERSE: NDArray[np.uint8] = np.argmin(COMPOSE, axis=1).astype(np.uint8)

for _constant in (D4, COMPOSE, INVERSE):
    _constant.setflags(write=False)
del _constant

# The groups of symmetries that tables can have, larger ones first: all eight, those of a rectangle,
# one reflection, none.
GROUPS: tuple[tuple[int, ...], ...] = (
    ALL_SYMMETRIES,
    (IDENTITY, MIRROR, FLIP, HALF_TURN),
    (IDENTITY, DIAGONAL),
    PAWN_SYMMETRIES,
    (IDENTITY,),
)


def lead_squares(
    symmetries: tuple[int, ...], squares: Iterable[int] = range(SQUARES)
) -> tuple[int, ...]:
    """Return the first square of each orbit of squares under a group of symmetries."""
    return tuple(one for one in squares if D4[list(symmetries), one].min() == one)


# One square of each orbit of the eight symmetries: the a1-d1-d4 triangle.
TRIANGLE_SQUARES: tuple[int, ...] = lead_squares(ALL_SYMMETRIES)


def transform_vector(symmetry: int, vector: Vector) -> Vector:
    """Return the image of a difference of files and ranks under a symmetry."""
    dx, dy = vector[::-1] if symmetry & DIAGONAL else vector
    return -dx if symmetry & MIRROR else dx, -dy if symmetry & FLIP else dy


def _swaps(symmetry: int) -> tuple[tuple[int, int], ...]:
    """Return the (shift, mask) pairs of the delta swaps that make a symmetry.

    A square has three bits of file and three of rank. Exchanging left and right
    inverts the bits of the file, exchanging top and bottom those of the rank, the
    diagonal swaps both triples: each touches one bit (pair) in one delta swap.
    """
    swaps = []
    if symmetry & DIAGONAL:
        for bit in (1, 2, 4):
            file_only = sum(1 << s for s in range(SQUARES) if s & bit and not s & FILES * bit)
            swaps.append((FILES * bit - bit, file_only))
    for part, scale in ((MIRROR, 1), (FLIP, FILES)):
        if symmetry & part:
            bits = (scale, 2 * scale, 4 * scale)
            swaps += [(bit, sum(1 << s for s in range(SQUARES) if not s & bit)) for bit in bits]
    return tuple(swaps)


_SWAPS = tuple(_swaps(symmetry) for symmetry in ALL_SYMMETRIES)


@overload
def transform_bits(symmetry: int, bits: int) -> int: ...
@overload
def transform_bits(symmetry: int, bits: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
def transform_bits(symmetry: int, bits: Any) -> Any:
    """Return the image of a set of squares under a symmetry.

    Parameters
    ----------
    symmetry
        Index of the symmetry, 0 to 7.
    bits
        A 64-bit word, bit ``i`` for square ``i``, or an array of such words.

    Returns
    -------
    int or NDArray[np.uint64]
        The transformed word or words.
    """
    for shift, mask in _SWAPS[symmetry]:
        moved = (bits ^ (bits >> shift)) & mask
        bits = bits ^ moved ^ (moved << shift)
    return bits
