"""The outcome of a position in which a pawn can be taken en passant."""

from __future__ import annotations

from collections.abc import Callable

from tablebase.core.outcomes.metrics import Metric, Outcome, preference
from tablebase.core.positions.position import Board, M, Position

# From a legal position to its outcome, en passant considered.
OutcomeOf = Callable[[Board], int]


def en_passant_outcome(
    position: Position[M], stored: int, outcome_of: OutcomeOf, metric: Metric
) -> int:
    """Return the outcome of a position in which an en passant capture is legal.

    Tables know nothing of that right: its captures are valued here, by one ply, and `stored` is the
    outcome without it.
    """
    captures: list[M] = []
    outcomes: list[int] = []
    for step in position.en_passant():
        captures.append(step.move)
        outcomes.append(Outcome(outcome_of(step.after.board)).before(metric, zeroing=True))
    # Without another move, the stored outcome is that of a mate or stalemate that is none.
    if any(step.move not in captures for step in position.moves()):
        outcomes.append(stored)
    return max(outcomes, key=preference)
