"""Every game: what the rules of its law ask for, at each of the points of `GameMoves`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tablebase.core.jit.kernels import inlined_kernel, kernel
from tablebase.core.moves.forward import NO_MEN, is_attacked
from tablebase.core.moves.games.checks import check_by, gives_check
from tablebase.core.moves.games.chess import CHESS_MOVES
from tablebase.core.moves.games.explosions import blown_up, explodes, left_by
from tablebase.core.moves.games.goals import has_won, is_raced
from tablebase.core.moves.games.points import ENDS, LOST, GameMoves
from tablebase.core.moves.row_moves import ONE
from tablebase.core.outcomes.metrics import DRAW_PREFERENCE
from tablebase.core.rules.rules import Rules


@kernel
def _are_apart(successors, row):
    """Return whether the kings do not shield each other from check, see `Rules.shields`."""
    return not (successors.law.shields[row.squares[0]] >> np.uint64(row.squares[1])) & ONE


@kernel
def _is_check(successors, row, side, occupied):
    """Return whether the king of a side is in check."""
    king = np.int64(row.squares[side])
    return _are_apart(successors, row) and is_attacked(
        successors, row, 1 - side, king, occupied, NO_MEN
    )


@kernel
def may_move(successors, row, side, occupied):
    """Return whether a side may be to move: it has not won, and no king is in a forbidden check."""
    if has_won(successors, row, side):
        return False
    king = np.int64(row.squares[1 - side])
    in_danger = (row.danger[side] >> np.uint64(king)) & ONE
    if in_danger and _is_check(successors, row, 1 - side, occupied):
        return False
    return successors.law.checking or not _is_check(successors, row, side, occupied)


@kernel
def verdict(successors, row, side, occupied):
    """Return LOST after a goal, and what a bare king may do otherwise."""
    if is_raced(successors, row, side, occupied):
        return LOST
    # Against no man, one, or more: OPEN, BY_ZEROING or LOST.
    return min(successors.law.bared[side], LOST)


@kernel
def loses_unmoved(successors, row, side, occupied):
    """Return whether a side without a move has lost, by check or by the rules."""
    law = successors.law
    return law.bared[side] or law.stalemate_loses or _is_check(successors, row, side, occupied)


@kernel
def taken_off(successors, row, man, captured, target):
    """Return as bits the men that a capture takes off the board."""
    if successors.law.blast:
        return blown_up(successors, row, man, captured, target)
    return np.int64(1) << captured


@inlined_kernel
def may_step(successors, row, side, target, left, removed, danger):
    """Return whether a king may go to `target`, and gives no check where none may be given."""
    bit, other_king = ONE << np.uint64(target), np.int64(row.squares[1 - side])
    shields = successors.law.shields[other_king]
    near = successors.by_man.attacks[1 - side, other_king] & ~shields
    if (near | ONE << np.uint64(other_king)) & bit:
        return False
    if danger & bit & ~shields and is_attacked(successors, row, 1 - side, target, left, removed):
        return False
    if successors.law.checking:
        return True
    return not is_attacked(successors, row, side, other_king, left, removed)


@inlined_kernel
def may_go(successors, row, man, target, removed, left, exposed):
    """Return whether a man's move leaves its king whole and out of check, and gives none."""
    law = successors.law
    if law.checking and not exposed and not (law.blast and removed):  # by far the most
        return True
    return _is_safe(successors, row, man, target, removed, left, exposed)


@kernel
def _is_safe(successors, row, man, target, removed, left, exposed):
    """Do the work of `may_go`."""
    law = successors.law
    side = law.colors[man]
    if law.blast and removed:
        if explodes(successors, row, target, side):
            return False
        if explodes(successors, row, target, 1 - side):
            return True
        left, exposed = left_by(row, left, removed, target), True
    if not _are_apart(successors, row):
        return True
    king = np.int64(row.squares[side])
    if exposed and is_attacked(successors, row, 1 - side, king, left, removed):
        return False
    return law.checking or not gives_check(
        successors, row, side, man, np.int64(0), target, removed, left
    )


@inlined_kernel
def check_given(successors, row, side, man, new, target, removed, left):
    """Return the check that a move gives where checks are counted, ENDS if it explodes a king."""
    law = successors.law
    if law.blast and removed and explodes(successors, row, target, 1 - side):
        return ENDS
    if not law.counting:
        return np.int64(0)
    return check_by(side, gives_check(successors, row, side, man, new, target, removed, left))


@inlined_kernel
def shift(successors, row, kind, given):
    """Return the first slot of the layer that checks lead to; after the last one it is negative."""
    if given < 0:
        return ENDS
    if not successors.law.counting:
        return np.int64(0)
    return successors.destinations.shifts[row.layer[0], given, kind]


@inlined_kernel
def judged(successors, row, side, king, zeroing, preference):
    """Return a draw if a `king` follows the other one to the goal, a loss if it does not."""
    if not has_won(successors, row, 1 - side):
        return preference
    if (np.uint64(successors.law.goal) >> np.uint64(king)) & ONE:
        return np.int64(DRAW_PREFERENCE)
    return np.int64(successors.preferences.lost_next[np.int64(zeroing)])


EVERY_MOVES = GameMoves(
    may_move, verdict, loses_unmoved, taken_off, may_step, may_go, check_given, shift, judged
)


def moves_like_chess(rules: Rules) -> bool:
    """Return whether rules have only what the walk of chess knows."""
    is_plain = rules.captures == "plain" and rules.stalemate == "draw"
    return is_plain and not rules.ends and rules.checks == "free"


# The first one counts whose test rules pass: chess has a walk of its own, other games share one.
GAMES: list[tuple[Callable[[Rules], bool], GameMoves]] = [
    (moves_like_chess, CHESS_MOVES),
    (lambda _: True, EVERY_MOVES),
]


def moves_of_game(rules: Rules) -> GameMoves:
    """Return the moves of the game of some rules."""
    return next(moves for fits, moves in GAMES if fits(rules))
