"""Where men of any game go, checks and forced captures aside: for one position, plainly."""

from __future__ import annotations

from collections.abc import Iterator

from tablebase.core.board.geometry import (
    FILES,
    Color,
    PieceType,
    kings_touch,
    square_file,
    square_rank,
)
from tablebase.core.board.movement import UNLIMITED
from tablebase.core.board.shape import BoardShape
from tablebase.core.rules.material import Man
from tablebase.core.rules.rules import Rules


def moved(
    rules: Rules, men: dict[int, Man], origin: int, target: int, man: Man, *, captured: int
) -> dict[int, Man]:
    """Return the men by square after one has moved, `captured` being where it may take another."""
    after = {at: one for at, one in men.items() if at not in {origin, captured}}
    if captured in men and rules.blast:
        beside = [at for at in after if kings_touch(at, target)]
        return {
            at: one for at, one in after.items() if at not in beside or one[1] is PieceType.PAWN
        }
    return after | {target: man}


def ep_square_of(origin: int, target: int) -> int | None:
    """Return the square that a pawn passes by a move, None unless it is a double step."""
    return (origin + target) // 2 if abs(target - origin) == 2 * FILES else None


def targets_of(rules: Rules, men: dict[int, Man], origin: int, color: Color) -> Iterator[int]:
    """Yield the squares that a piece can move to, checks aside."""
    captures, others = (
        dict.fromkeys(reached(rules, men, origin, color, quiet=quiet)) for quiet in (False, True)
    )
    for target in captures | others:
        if target not in (captures if target in men else others):
            continue
        if target not in men or men[target][0] is not color:
            yield target


def reached(
    rules: Rules, men: dict[int, Man], origin: int, color: Color, *, quiet: bool = False
) -> Iterator[int]:
    """Yield the squares that a man attacks, own men's included; its other moves if `quiet`."""
    forward = forward_of(color)
    for dx, dy, reach in (rules.quiet_steps if quiet else rules.steps)[men[origin][1]]:
        for count in range(1, min(reach, UNLIMITED) + 1):
            at = ahead(rules.board, origin, count * dx, forward * count * dy)
            if at is None:
                break
            yield at
            if at in men:
                break


def forward_of(color: Color) -> int:
    """Return by how many ranks a pawn moves up the board."""
    return 1 if color is Color.WHITE else -1


def ahead(board: BoardShape, origin: int, dx: int, dy: int) -> int | None:
    """Return the square some files and ranks from another, None beyond the board."""
    return board.on(square_file(origin) + dx, square_rank(origin) + dy)


def pawn_targets(rules: Rules, men: dict[int, Man], origin: int, color: Color) -> Iterator[int]:
    """Yield the squares that a pawn can move to, checks aside."""
    for target in reached(rules, men, origin, color):
        if target in men and men[target][0] is not color:
            yield target
    at = origin
    for _ in range(2 if square_rank(origin) == rules.push_ranks[color] else 1):
        beyond = ahead(rules.board, at, 0, forward_of(color))
        if beyond is None or beyond in men:
            return
        yield beyond
        at = beyond


def ranks_of(board: BoardShape) -> list[list[int | None]]:
    """Return the squares of each rank, the last rank first; None for walls."""
    files = range(board.first_file, board.first_file + board.files)
    ranks = range(board.last_rank, board.first_rank - 1, -1)
    return [[board.on(file, rank) for file in files] for rank in ranks]


def may_be_ep_square(rules: Rules, men: dict[int, Man], ep_square: int, mover: Color) -> bool:
    """Return whether a pawn of `mover` may have just passed a square by a double step."""
    pushed, origin = (ep_square + count * forward_of(mover) * FILES for count in (1, -1))
    return (
        ep_square in rules.board.squares
        and rules.double_push
        and square_rank(origin) == rules.push_ranks[mover]
        and men.get(pushed) == (mover, PieceType.PAWN)
        and not {ep_square, origin} & {*men}
    )
