"""Distances of a position and its moves: to mate if all that is reachable fits into the budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablebase.solving.bounds import conversion_of_move, conversion_of_position
from tablebase.solving.closure import Closure, DoesNotFit
from tablebase.solving.conversions import Conversions
from tablebase.solving.exits import plies_of
from tablebase.solving.places import place_of
from tablebase.solving.region import CLOSED

if TYPE_CHECKING:
    from collections.abc import Mapping

    import chess

    from tablebase.solving.solver import Solver

MATE_IS_MEANT, CONVERSION_IS_MEANT = "mate", "conversion"


@dataclass(frozen=True)
class Distances:
    """How far a position and its moves are from mate, or from a conversion.

    Attributes
    ----------
    of_root : int or None
        Plies, positive if the side to move wins, negative if it loses, 0 for a draw or checkmate;
        None if it is not known.
    of_moves : mapping
        The same of the legal moves, each included, for who makes it.
    to : str
        ``mate`` or ``conversion``.
    reason : str
        Why it is not to mate; empty if it is.
    line : list
        The best moves of both sides up to mate; empty if they are not known.
    """

    of_root: int | None
    of_moves: Mapping[chess.Move, int | None]
    to: str
    reason: str
    line: list[chess.Move]


def find_distances(solver: Solver) -> Distances:
    """Return the distances of the root of a solver and of its moves."""
    try:
        closure = Closure(
            solver.root, solver.leaves, solver.room, solver.deadline, threads=solver.threads
        )
        closure.measure()
    except DoesNotFit as error:
        return _to_conversion(solver, str(error))
    moves = {
        move: plies_of(closure.move_value(solver.root, move)) for move in solver.root.legal_moves
    }
    of_root = plies_of(closure.value(solver.root))
    return Distances(of_root, moves, MATE_IS_MEANT, "", closure.mainline())


def _to_conversion(solver: Solver, reason: str) -> Distances:
    """Return distances up to the next move that leaves the structure, as far as it is proven."""
    root, conversions = solver.root, _conversions_of_root(solver)
    moves = {}
    for move in root.legal_moves:
        lower, upper = solver.root_bounds(move)
        result = lower if lower == upper else None
        if conversions is None:
            moves[move] = conversion_of_move(root, move, result)
        else:
            moves[move] = conversions.of_move(root, move, result)
    lower, upper = solver.root_bounds()
    of_root = conversion_of_position(lower, moves.values()) if lower == upper else None
    return Distances(of_root, moves, CONVERSION_IS_MEANT, reason, [])


def _conversions_of_root(solver: Solver) -> Conversions | None:
    """Return the distances in the structure of the root; None if there is no room for them."""
    structure, fields = solver.number(place_of(solver.root)), solver.region.fields
    outside = (fields.state[structure] == CLOSED).all()
    if outside or Conversions.bytes_for(int(fields.pieces[structure])) > solver.room:
        return None
    return Conversions(solver.region, structure)
