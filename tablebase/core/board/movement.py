"""How men move, as data: steps, and the tables that kernels make of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import FILES, RANKS, SQUARES, Color, PieceType, Vector

UNLIMITED = max(FILES, RANKS) - 1  # as many steps as fit on the board
EVERY_SQUARE = (1 << SQUARES) - 1  # as a word

ROOK_STEPS: tuple[Vector, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))
BISHOP_STEPS: tuple[Vector, ...] = ((1, 1), (-1, 1), (-1, -1), (1, -1))
ROYAL_STEPS: tuple[Vector, ...] = ROOK_STEPS + BISHOP_STEPS
KNIGHT_STEPS: tuple[Vector, ...] = tuple(
    (dx, dy) for dx in range(-2, 3) for dy in range(-2, 3) if abs(dx) + abs(dy) == 3 and dx and dy
)


class Step(NamedTuple):
    """A direction in which a man moves, as White sees it: to Black ranks count the other way."""

    dx: int  # files to the right
    dy: int  # ranks up
    reach: int = 1  # how often the step may be repeated, while the squares between are empty


Steps = tuple[Step, ...]


def _steps(vectors: tuple[Vector, ...], reach: int) -> Steps:
    return tuple(Step(dx, dy, reach) for dx, dy in vectors)


# The captures of each kind of man, by `PieceType`. They are its moves as well, but for the pawn.
CHESS_STEPS: tuple[Steps, ...] = (
    (),
    _steps(((-1, 1), (1, 1)), 1),
    _steps(KNIGHT_STEPS, 1),
    _steps(BISHOP_STEPS, UNLIMITED),
    _steps(ROOK_STEPS, UNLIMITED),
    _steps(ROYAL_STEPS, UNLIMITED),
    _steps(ROYAL_STEPS, 1),
)


def has_two_ways(steps: Steps) -> bool:
    """Return whether two steps, repeated or not, lead to the same square."""
    reached = [
        (count * dx, count * dy)
        for dx, dy, reach in steps
        for count in range(1, min(reach, UNLIMITED) + 1)
        if max(abs(count * dx), abs(count * dy)) <= UNLIMITED
    ]
    return len(set(reached)) < len(reached)


class Movement(NamedTuple):
    """Where men of each colour and kind go on an empty board, as arrays for kernels.

    A *ray* lists the squares met in one direction, -1 after its end: a rook on b2 has four rays, a
    knight on b1 three of one square each. `leaps`, `lanes` and `rides` together have all that
    `walks` have::

        rook b2   rays   [c2 d2 .. h2 -1]  [b3 .. b8 -1]  [a2 -1 ..]  [b1 -1 ..]
                  lanes  [[a1 b1 .. h1 -1  a2 .. h2 -1  ..  a8 .. h8 -1 -1]     along ranks
                          [a1 a2 .. a8 -1  b1 .. b8 -1  ..  h1 .. h8 -1 -1]]    along files
                  leaps  none
        knight b1 rays   [a3 -1 ..]  [c3 -1 ..]  [d2 -1 ..]
                  lanes  none
                  leaps  [b1 a3 c3 d2 -1 ..]
    """

    # Of captures; these are the moves as well, but for pawns and for kinds with moves of their own.
    rays: NDArray[np.int8]  # [2, kinds, 64, directions, 7] squares reached; those that exist first
    attacks: NDArray[np.uint64]  # [2, kinds, 64] word of all squares reached
    between: NDArray[np.uint64]  # [2, kinds, 64, 64] word of the squares passed on the way to one
    # Of moves to empty squares.
    walks: NDArray[np.int8]  # as `rays`
    unrays: NDArray[np.int8]  # [2, kinds, 64, directions, 7] squares from which each is reached
    lanes: NDArray[np.int8]  # [2, kinds, axes, length] for steps without limit both ways: the
    # squares along them, lane after lane; -1 after each, and once more after the last
    leaps: NDArray[np.int8]  # [2, kinds, 64, 1 + leaps] a square, then those reached by steps that
    # are not repeated; -1 for kinds that have lanes and no such steps
    rides: NDArray[np.int8]  # [2, kinds, rides, 1 + 7] a square, then a ray by any other step


def movement_of(
    men: Iterable[tuple[Color, PieceType]], movement: Movement | None = None
) -> Movement:
    """Where some men go, by man instead of by kind, given a movement, by default of chess."""
    colors, kinds = np.array(list(men), dtype=np.int64).reshape(-1, 2).T
    return Movement._make(array[colors, kinds] for array in movement or make_movement())


@lru_cache(maxsize=8)
def make_movement(
    kinds: tuple[Steps, ...] = CHESS_STEPS,
    board: int = EVERY_SQUARE,
    quiet: tuple[Steps, ...] | None = None,
) -> Movement:
    """Where men of each colour and kind go on an empty board, as read-only arrays.

    `kinds` are the steps by which each kind captures, `quiet` its steps to empty squares; no piece
    stands outside the word `board`. Raises `ValueError` for two ways to one square.
    """
    both = tuple(zip(kinds, quiet or kinds, strict=True))
    men = [
        _of_man(_reflected(steps, 1, up), _reflected(others, 1, up), board)
        for up in (1, -1)
        for steps, others in both
    ]
    return Movement._make(map(_stacked, zip(*men, strict=True)))


@cache
def _of_man(steps: Steps, quiet: Steps, board: int) -> Movement:
    """Movement of men of one colour and kind: the arrays without their first two axes."""
    both_ways = tuple(step for step in quiet if step.reach >= UNLIMITED and _back(step) in quiet)
    single = tuple(step for step in quiet if step.reach == 1)
    rays = _existing_first(_rays(steps, board))
    squares = np.arange(SQUARES, dtype=np.int8)
    leaps = np.column_stack([squares, _existing_first(_rays(single, board))[..., 0]])
    leaps = leaps[_on_board(board)]
    others = _rays(tuple(step for step in quiet if step not in both_ways + single), board)
    rides = np.insert(others, 0, squares[:, np.newaxis], axis=2).reshape(-1, 1 + UNLIMITED)
    return Movement(
        rays=rays,
        attacks=np.bitwise_or.reduce(_words(rays), axis=(1, 2)),
        between=_between(rays),
        walks=_existing_first(_rays(quiet, board)),
        unrays=_existing_first(_rays(_reflected(quiet, -1, -1), board)),
        lanes=_lanes(both_ways, board),
        leaps=leaps[:0] if both_ways and not single else leaps,
        rides=rides[rides[:, 1] >= 0],
    )


def _back(step: Step) -> Step:
    return Step(-step.dx, -step.dy, step.reach)


def _existing_first(rays: NDArray[np.int8]) -> NDArray[np.int8]:
    order = np.argsort(rays[..., 0] < 0, axis=1, kind="stable")
    return np.take_along_axis(rays, order[..., np.newaxis], axis=1)


@cache
def _rays(steps: Steps, board: int) -> NDArray[np.int8]:
    """Rays by square and step, [64, steps, 7]."""
    rays = np.full((SQUARES, len(steps), UNLIMITED), -1, dtype=np.int8)
    file, rank = np.arange(SQUARES) % FILES, np.arange(SQUARES) // FILES
    for direction, (dx, dy, reach) in enumerate(steps):
        moving = _on_board(board).copy()
        for count in range(min(reach, UNLIMITED)):
            x, y = file + (count + 1) * dx, rank + (count + 1) * dy
            target = np.clip(y, 0, RANKS - 1) * FILES + np.clip(x, 0, FILES - 1)
            moving &= (x >= 0) & (x < FILES) & (y >= 0) & (y < RANKS) & _on_board(board)[target]
            rays[moving, direction, count] = target[moving]
    return rays


@cache
def _on_board(board: int) -> NDArray[np.bool_]:
    """Return whether each square is one of a word, not to be written to."""
    return np.array([board >> number & 1 for number in range(SQUARES)], dtype=np.bool_)


def _words(rays: NDArray[np.int8]) -> NDArray[np.uint64]:
    """Bits of the squares of rays, zero after the end of a ray."""
    words: NDArray[np.uint64] = np.where(
        rays < 0, np.uint64(0), np.uint64(1) << rays.astype(np.uint64)
    )
    return words


def _between(rays: NDArray[np.int8]) -> NDArray[np.uint64]:
    """Squares passed on the way from square to square, [64, 64].

    Raises `ValueError` if two ways lead to a square, since the squares between depend on the way.
    """
    origin, direction, count = np.nonzero(rays >= 0)
    target = rays[origin, direction, count].astype(np.int64)
    if len(np.unique(origin * SQUARES + target)) < len(origin):
        raise ValueError("a piece has two ways to the same square")
    bits = _words(rays)
    passed = np.bitwise_or.accumulate(bits, axis=2) ^ bits
    between = np.zeros((SQUARES, SQUARES), dtype=np.uint64)
    between[origin, target] = passed[origin, direction, count]
    return between


def _reflected(steps: Steps, across: int, up: int) -> Steps:
    """Reflected steps, in their old order if reflection keeps the set: moves are listed so."""
    reflected = tuple(Step(across * dx, up * dy, reach) for dx, dy, reach in steps)
    return steps if set(reflected) == set(steps) else reflected


def _lanes(steps: Steps, board: int) -> NDArray[np.int8]:
    """Lanes of each axis, see `Movement.lanes`; `steps` has each axis's step and its opposite."""
    lanes = np.full((len(steps) // 2, 2 * SQUARES + 1), -1, dtype=np.int8)
    forward = [step for i, step in enumerate(steps) if _back(step) in steps[i:]]
    for axis, step in zip(lanes, forward, strict=True):
        rays, back = _rays((step, _back(step)), board).swapaxes(0, 1)
        found: list[int] = []
        for first in np.flatnonzero((back[:, 0] < 0) & _on_board(board)).tolist():
            found += [first, *rays[first][rays[first] >= 0], -1]
        axis[: len(found)] = found
    return lanes


def _stacked(arrays: tuple[NDArray[Any], ...]) -> NDArray[Any]:
    """Arrays of White's kinds, then of Black's, as one array, with -1 beyond the end of each."""
    shape = np.max([array.shape for array in arrays], axis=0)
    stacked = np.full((len(arrays), *shape), -1).astype(arrays[0].dtype)
    for place, array in zip(stacked, arrays, strict=True):
        place[tuple(map(slice, array.shape))] = array
    stacked.setflags(write=False)
    return stacked.reshape(2, len(arrays) // 2, *shape)


def is_attacked_by(
    men: Iterable[tuple[Color, PieceType]],
    squares: Iterable[NDArray[np.uint8]],
    by: Color,
    target: int | NDArray[np.uint8],
    occupied: NDArray[np.uint64],
    movement: Movement | None = None,
) -> NDArray[np.bool_]:
    """Return in which placements, bool [n], a man of a side attacks `target`.

    It is a square, or one for each placement; `squares` are each man's, [n], and `occupied` the
    words of all men, unlisted ones included. Kernels ask this in faster forms of their own.
    """
    known = movement or make_movement()
    attacks, between = known.attacks, known.between
    bit = np.uint64(1) << np.asarray(target, dtype=np.uint64)
    attacked = np.zeros(len(occupied), dtype=np.bool_)
    for (color, kind), origins in zip(men, squares, strict=True):
        if color is by:
            is_free = between[color, kind][origins, target] & occupied == 0
            attacked |= is_free & (attacks[color, kind][origins] & bit != 0)
    return attacked


def from_to_pairs(
    piece_types: tuple[PieceType, ...] = (PieceType.QUEEN, PieceType.KNIGHT),
) -> NDArray[np.bool_]:
    """Return whether each from-to pair is a move of some piece on an empty board.

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
    words = np.bitwise_or.reduce(make_movement().attacks[Color.WHITE, list(piece_types)], axis=0)
    targets = np.arange(SQUARES, dtype=np.uint64)
    pairs: NDArray[np.bool_] = (words[:, None] >> targets[None, :]) & np.uint64(1) == 1
    return pairs
