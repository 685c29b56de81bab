"""A number for a position up to symmetry, and the split of data by it.

All images of a position have one number, called its orbit here: those under the symmetries of the
board, and those with exchanged colours. It depends on no index of tables, so that a program in any
language finds the same number in a few lines; ``docs/data.md`` says how.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import SQUARES, Color
from tablebase.core.board.symmetry import D4
from tablebase.core.ground.argument_readers import as_number
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.position import Board
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import CHECKS

ORBIT_DEFINITION = "orbit-1"  # stated in files; another definition would have another name
SPLITS = ("train", "valid", "test")
_OF_TEN = np.array([0] * 8 + [1, 2], dtype=np.int8)  # the split by a number below ten
_BLOCK = 1 << 14  # positions numbered at once: their numbers fit a cache, which is 10 times faster
_EP_SQUARE = "-"  # as a man's letter: the square behind a pawn that may be taken en passant


class OrbitImage(NamedTuple):
    """The orbit of a position, and the image of it that the number was made from."""

    orbit: int
    # [n, 64] the square of the image for each square of the position; n is more than one if several
    # symmetries lead to the same image
    places: NDArray[np.uint8]


def orbit(board: Board) -> int:
    """Return the number that a position shares with its images, and with no other position.

    Parameters
    ----------
    board
        A legal position without castling rights, a board or another game's setup. The halfmove
        clock does not count, a legal capture en passant does.

    Returns
    -------
    int
        From 0 to 2**64 - 1. It is a hash: of ten million positions, two have the same number with
        a chance of one in 40,000.

    Raises
    ------
    UnsupportedPositionError
        If tables cannot have the position.

    Examples
    --------
    A position, its image by a quarter turn, and one with exchanged colours.

    >>> import chess
    >>> from tablebase.finding.orbit_keys import orbit
    >>> fens = "8/8/8/8/8/2k5/1R6/K7 w", "K7/1R6/2k5/8/8/8/8/8 w", "k7/1r6/2K5/8/8/8/8/8 b"
    >>> {hex(orbit(chess.Board(f"{fen} - - 0 1"))) for fen in fens}
    {'0x24895e9196c7d366'}
    """
    return orbit_image(board).orbit


def orbit_image(board: Board) -> OrbitImage:
    """Return the orbit of a position, and the image with White to move that it comes from.

    Parameters and errors are those of `orbit`.
    """
    position = as_position(board)
    setup, ep_square = position.setup(), position.board.ep_square
    if ep_square is not None and next(iter(position.en_passant()), None) is None:
        ep_square = None
    squares = np.array(setup.squares, dtype=np.uint8)[None]
    checks = np.array(setup.checks)[None]
    keys = _keys(setup.material, squares, setup.color, checks, ep_square)[:, 0]
    chosen = keys == keys.min()
    places = _places(setup.material, setup.color)[chosen]
    return OrbitImage(int(_mixed(keys[chosen])[0]), places)


def _keys(
    material: Material,
    squares: NDArray[np.uint8],
    color: Color,
    checks: NDArray[Any] | None,
    ep_square: int | None = None,
) -> NDArray[np.uint64]:
    """Return a number for each image of each position, uint64 [images, n].

    `checks` are those left, [n, 2]; where they are not counted, they do not matter.
    """
    places = _places(material, color)
    start = int.from_bytes(material.rules.mark[:8])  # 0 in chess
    if material.rules.one_sided:  # then the side to move changes the number, and no colour
        start, color = start ^ color, Color.WHITE
    sums = np.full((len(places), len(squares)), start, dtype=np.uint64)
    letters = material.letters
    for (owner, _), letter, column in zip(material.men, letters, squares.T, strict=True):
        if not letter:
            continue
        words = _words(letter if owner is color else letter.lower())
        sums += words[places].take(column, axis=1)
    if material.rules.check_counting and checks is not None:
        told = np.where(np.array(material.layers) > 1, checks, 0)  # a bare king gives none
        own, other = told[:, color], told[:, 1 - color]
        sums += _mixed((own * (CHECKS + 1) + other).astype(np.uint64))
    if ep_square is not None:
        sums += _words(_EP_SQUARE)[places[:, [ep_square]]]
    return _mixed(sums)


@lru_cache(maxsize=1024)  # as many materials as a large file of games has
def _places(material: Material, color: Color) -> NDArray[np.uint8]:
    """Return the images of all squares that keep the value, the side to move being White's.

    The shape is [images, 64]. Where colours cannot be exchanged, the side to move stays.
    """
    if material.rules.one_sided:
        color = Color.WHITE
    flip = material.rules.board.flip
    images = D4[list(material.normalized().symmetries)]
    of_white = material if color is Color.WHITE else material.swapped()
    if not of_white.is_normalized:
        images = flip[images[:, flip]]
    places: NDArray[np.uint8] = images if color is Color.WHITE else images[:, flip]
    places.setflags(write=False)
    return places


@lru_cache
def _words(letter: str) -> NDArray[np.uint64]:
    """Return the number of a man on each square, uint64 [64]."""
    return _mixed(np.arange(SQUARES, dtype=np.uint64) + np.uint64(SQUARES * ord(letter)))


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[Any]:
    """Return numbers mixed by the step of the generator SplitMix64, modulo 2**64."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def splits(orbits: NDArray[np.uint64], seed: int = 0) -> NDArray[np.int8]:
    """Return the part of a data set that each orbit belongs to, a number of `SPLITS`, int8 [n].

    Of all orbits, about 80, 10 and 10 per cent are in these parts; `seed`, from 0 to 2**64 - 1,
    gives other ones.
    """
    number = as_number("seed", seed, most=2**64 - 1)
    return _OF_TEN[_mixed(orbits + _mixed(np.array([number], dtype=np.uint64))) % np.uint64(10)]


def orbits(
    material: Material,
    squares: NDArray[np.uint8],
    white_to_move: NDArray[np.bool_],
    checks: NDArray[np.int8] | None = None,
) -> NDArray[np.uint64]:
    """Return the orbits of positions without captures en passant, uint64 [n].

    The columns are those of `Positions`.
    """
    found = np.empty(len(squares), dtype=np.uint64)
    for color in Color:
        rows = np.flatnonzero(white_to_move == (color is Color.WHITE))
        for start in range(0, len(rows), _BLOCK):
            some = rows[start : start + _BLOCK]
            left = None if checks is None else checks[some]
            found[some] = _mixed(_keys(material, squares[some], color, left).min(axis=0))
    return found
