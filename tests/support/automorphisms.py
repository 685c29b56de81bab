"""Permutations of the squares that keep the moves of a man on an empty board."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.movement import make_movement


def count_automorphisms(kind: PieceType) -> int:
    """Count the permutations of the squares that keep the moves of a man of chess.

    It is the number of automorphisms of the graph whose vertices are the 64 squares and whose edges
    are the man's moves on an empty board. Any symmetry of a game that permutes the squares keeps
    the moves of all men.

    Parameters
    ----------
    kind
        Knight, bishop, rook, queen or king. Of a pawn the captures of a white one are taken.

    Returns
    -------
    int
        The product, over the squares, of how many images one has while those before it stay.

    Examples
    --------
    >>> count_automorphisms(PieceType.KING)
    8
    """
    words = make_movement().attacks[Color.WHITE, kind]
    moves = (words[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)).astype(np.bool_)
    colors, total = np.zeros((2, 64), dtype=np.int64), 1
    for square in range(64):
        colors = _equitable(moves, colors)
        alike = np.flatnonzero(colors[1] == colors[0, square])
        total *= sum(_extends(moves, _fixed(colors, square, int(image))) for image in alike)
        colors = _fixed(colors, square, square)
    return total


def _fixed(colors: NDArray[np.int64], square: int, image: int) -> NDArray[np.int64]:
    """Return colours, [2, 64] before and after, that make a permutation take a square to one."""
    colors = colors.copy()
    colors[0, square] = colors[1, image] = colors.max() + 1
    return colors


def _equitable(moves: NDArray[np.bool_], colors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Refine colours by how many moves go to squares of each, and come from there."""
    while True:
        ones = np.eye(int(colors.max()) + 1, dtype=np.int64)[colors]
        told = np.concatenate([colors[..., None], moves @ ones, moves.T @ ones], axis=2)
        rows = told.reshape(colors.size, -1)
        finer = np.unique(rows, axis=0, return_inverse=True)[1].reshape(colors.shape)
        if finer.max() == colors.max():
            return finer
        colors = finer


def _extends(moves: NDArray[np.bool_], colors: NDArray[np.int64]) -> bool:
    """Return whether a permutation that keeps the colours keeps the moves."""
    colors = _equitable(moves, colors)
    before, after = np.sort(colors, axis=1)
    if (before != after).any():
        return False
    square = next((s for s in range(64) if (colors[0] == colors[0, s]).sum() > 1), None)
    if square is None:
        before, after = np.argsort(colors, axis=1)
        kept: NDArray[np.bool_] = moves[np.ix_(before, before)] == moves[np.ix_(after, after)]
        return bool(kept.all())
    images = np.flatnonzero(colors[1] == colors[0, square])
    return any(_extends(moves, _fixed(colors, square, int(image))) for image in images)
