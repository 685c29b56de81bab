"""The growth of a region: the structures that are solved next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import numpy as np

from tablebase.core.ground.capacity import SOLVED_PIECES
from tablebase.solve.kernels.fields import TURNS, State
from tablebase.solve.kernels.king_planes import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tablebase.solve.bounds import Bounds
    from tablebase.solve.region import Region

# The attackers as bits, White first.
ATTACKERS = np.array([1, 2], dtype=np.uint8)
# In a round, the region grows by at least LEAST_GROWTH planes, or by the part GROWTH of those it
# has: the structures that the flood asks for and, if these are less, their descendants.
LEAST_GROWTH, GROWTH = 500, 0.5
# If the flood asks for more, the region grows by no more than MOST_GROWTH times what it has, by the
# structures of lowest level. These depend least on what is outside, and what they prove often makes
# the others needless.
MOST_GROWTH = 2.0
# Structures with at least this many pieces are *large*: all threads solve one together. To solve it
# takes longer than the flood that finds the next ones. So the region grows by no more than GROWTH.
LARGE = 3


def open_positions(
    board: chess.Board, attacker: int, bounds_of: Callable[[chess.Board], Bounds]
) -> list[chess.Board]:
    """Return open positions that have a place: a position itself, or those after its moves."""
    if not is_open(bounds_of(board), board, attacker):
        return []
    if not board.has_legal_en_passant():
        return [board]
    found = []
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        found += open_positions(after, attacker, bounds_of)
    return found


def is_open(bounds: Bounds, board: chess.Board, attacker: int) -> bool:
    """Return whether bounds, seen from the side to move, leave open whether a side wins."""
    if attacker == (chess.WHITE, chess.BLACK).index(board.turn):
        return bounds.least < bounds.most == 1
    return bounds.most > bounds.least == -1


def cheapest(region: Region, found: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the structures to solve first: with few pieces, of both sides if possible.

    They are no more than the region may grow by in a round, with at most `SOLVED_PIECES` each.
    """
    counts = region.fields.keys[found, 2]
    sides = [
        sum((counts >> np.uint64(4 * code)) & np.uint64(15) for code in codes)
        for codes in (range(4), range(4, 8))
    ]
    total = sides[0] + sides[1]
    classes = (4 * total + np.maximum(*sides)).astype(np.int64)
    few = total <= SOLVED_PIECES
    chosen: NDArray[np.int64] = found[few & (classes == classes[few].min(initial=99))]
    if not len(chosen):
        return chosen
    growth = GROWTH if region.fields.pieces[chosen[0]] >= LARGE else MOST_GROWTH
    inside = (region.fields.state[: region.count] != State.CLOSED).any(axis=1)
    planes = int(growth * region.planes_of(np.flatnonzero(inside)))
    most = max(LEAST_GROWTH, planes) // region.planes_of(chosen[:1])
    order = np.argsort(region.fields.level[chosen], kind="stable")
    return chosen[order[: max(1, most)]]


def levels_to_solve(region: Region) -> list[NDArray[np.int64]]:
    """Return the structures to solve, grouped by level, lowest first."""
    order = np.flatnonzero(region.fields.todo)
    order = order[np.argsort(region.fields.level[order], kind="stable")]
    return np.split(order, np.flatnonzero(np.diff(region.fields.level[order])) + 1)


def words_for(region: Region, structures: NDArray[np.int64]) -> int:
    """Return the most words that one of some structures takes while it is solved."""
    questions = (region.fields.todo[structures, None] & ATTACKERS > 0).sum(axis=1)
    # Two bounds for each attacker, and stalemates.
    sets = (2 * questions + 1) << (6 * region.fields.pieces[structures].astype(np.int64))
    return TURNS * WORDS * int(sets.max())
