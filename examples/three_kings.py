"""Solve three kings against one in draughts, on boards whose neighbours a layout numbers.

Usage::

    python examples/three_kings.py [49 50 51 51-diagonal 19x10]

Kings move along a free diagonal, and take a man at any distance if the square behind it is free.
Who can take must, and takes as many as possible; what is taken leaves the board at the end, and
nothing is jumped twice. Who cannot move loses.

The boards are that of 50 squares, without square 5, with one more beside 5 or beyond it on the
long diagonal, and 19 x 10, which takes two minutes and must be named. A position is *quiet* if
neither side can take.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tablebase.butterfly.layouts import BoardLayout
from tablebase.core.board.movement import BISHOP_STEPS
from tablebase.core.ground.streams import reader_may_leave

EDGE, ABOVE = ({(10, y) for y in range(11)}, {(x, 0) for x in range(10)})  # by file and row
BOARDS = {
    "49": BoardLayout(10, 10, 1, parity=1, excluded=frozenset({(9, 0)})),
    "50": BoardLayout(10, 10, 1, parity=1),
    "51": BoardLayout(11, 10, 2, parity=1, excluded=frozenset(EDGE - {(10, 1), (10, 10)})),
    "51-diagonal": BoardLayout(11, 11, 2, parity=0, excluded=frozenset(EDGE - {(10, 0)} | ABOVE)),
    "19x10": BoardLayout(19, 10, 2, parity=1),
}


def rays_of(layout: BoardLayout) -> NDArray[np.int8]:
    """Return the squares along each diagonal from each square, int8 [squares, 4, longest + 1].

    Squares are counted by ascending number; -1 ends a ray. A step adds the same number everywhere,
    and what it leads to is a square or a ghost.
    """
    place = {number: i for i, number in enumerate(layout.numbers.tolist())}
    rays = np.full((len(place), 4, layout.height + 1), -1, dtype=np.int8)
    for direction, step in enumerate(BISHOP_STEPS):
        for number, square in place.items():
            length, there = 0, number + layout.difference(step)
            while there in place:
                rays[square, direction, length] = place[there]
                length, there = length + 1, there + layout.difference(step)
    return rays


@njit
def place_of(kings, square):
    """Return which of the kings is on a square, -1 if none."""
    for i in range(3):
        if kings[i] == square:
            return i
    return -1


@njit
def is_taken(rays, kings, black):
    """Return whether White, to move, can take the Black king, which is before a free square."""
    for direction in range(4):
        behind = rays[black, direction ^ 2, 0]  # the other way
        for there in rays[black, direction]:
            if there < 0 or behind < 0 or place_of(kings, behind) >= 0:
                break
            if place_of(kings, there) >= 0:
                return True
    return False


@njit
def jumps(rays, kings, square, taken):
    """Yield where a Black king lands behind a king that it takes, and the set of those taken."""
    for direction in range(4):
        jumped = -1
        for there in rays[square, direction]:
            met = -1 if there < 0 else place_of(kings, there)
            if there < 0 or (met >= 0 and (jumped >= 0 or taken >> met & 1)):
                break
            if met >= 0:
                jumped = met
            elif jumped >= 0:
                yield there, taken | 1 << jumped


@njit
def most_taken(rays, kings, square, taken):
    """Return how many more kings a Black king on a square can take; those of a set are taken."""
    most = 0
    for there, after in jumps(rays, kings, square, taken):
        most = max(most, 1 + most_taken(rays, kings, there, after))
    return most


@njit
def loses_by_taking(rays, kings, square, taken, left, white):
    """Return whether White wins in whatever way Black takes `left` more."""
    if left == 0:
        return row_of(white, kings, taken)[square]
    for there, after in jumps(rays, kings, square, taken):
        enough = most_taken(rays, kings, there, after) >= left - 1
        if enough and not loses_by_taking(rays, kings, there, after, left - 1, white):
            return False
    return True


@njit
def row_of(won, kings, taken=0):
    """Return entries by Black's square, for kings in any order; those taken are off the board."""
    off = won.shape[3]
    a, b, c = [off if taken >> i & 1 else kings[i] for i in range(3)]
    a, b = min(a, b), max(a, b)
    b, c = min(b, c), max(b, c)
    return won[min(a, b), max(a, b), c]


@njit
def add_wins(rays, kings, lost, won):
    """Note in `won`, by Black's square, what White, to move, wins by what is known to be lost."""
    moved, n = kings.copy(), len(rays)
    for i in range(3):
        for direction in range(4 if kings[i] < n else 0):
            passed = np.zeros(n, dtype=np.bool_)
            for there in rays[kings[i], direction]:
                if there < 0 or place_of(kings, there) >= 0:
                    break
                passed[there], moved[i] = True, there
                won |= row_of(lost, moved) & ~passed
        moved[i] = kings[i]
    for black in range(n):
        won[black] |= is_taken(rays, kings, black)
    for king in kings:
        won[king : king + 1] = False  # none if it is off the board


@njit
def is_lost(rays, kings, black, white):
    """Return whether Black, to move, loses by what is known to be won for White."""
    left = most_taken(rays, kings, black, 0)
    if left:
        return loses_by_taking(rays, kings, black, 0, left, white)
    for direction in range(4):
        for there in rays[black, direction]:
            if there < 0 or place_of(kings, there) >= 0:
                break
            if not row_of(white, kings)[there]:
                return False
    return True


@njit
def sweep(rays, white, lost):
    """Note what White wins with White and with Black to move; return whether that was anything.

    `white` and `lost` are bool [n + 1, n + 1, n + 1, n], by ascending squares of kings, n if off
    the board, and Black's. How many positions of three are quiet, and won, comes last.
    """
    n, found, quiet, won = len(rays), False, 0, 0
    kings = np.empty(3, dtype=np.int64)
    for a in range(n):
        for b in range(a + 1, n + 1):
            for c in range(min(b + 1, n), n + 1):
                kings[:] = a, b, c
                row, known = lost[a, b, c], white[a, b, c].sum()
                add_wins(rays, kings, lost, white[a, b, c])
                found |= white[a, b, c].sum() > known
                for black in range(n):
                    if place_of(kings, black) >= 0:
                        continue
                    if not row[black] and is_lost(rays, kings, black, white):
                        row[black] = found = True
                    takes = is_taken(rays, kings, black) or most_taken(rays, kings, black, 0)
                    quiet += c < n and not takes
                    won += c < n and not takes and white[a, b, c, black]
    return found, quiet, won


def solve(layout: BoardLayout) -> tuple[NDArray[np.bool_], NDArray[np.bool_], int, int]:
    """Return what `sweep` notes in the end, and its count."""
    rays = rays_of(layout)
    n = len(rays)
    white, lost = np.zeros((2, n + 1, n + 1, n + 1, n), dtype=np.bool_)
    found = True
    while found:
        found, quiet, won = sweep(rays, white, lost)
    return white, lost, quiet, won


if __name__ == "__main__":
    with reader_may_leave():
        for name in sys.argv[1:] or list(BOARDS)[:4]:
            *_, quiet, won = solve(BOARDS[name])
            print(json.dumps({"board": name, "quiet": quiet, "won": won}), flush=True)
