"""Distances of a position and its moves: to mate if all that is reachable fits into the budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tablebase.probing import place_of
from tablebase.solving.attractor import make_work, work_bytes
from tablebase.solving.closure import Closure, DoesNotFit, index_of, plies_of, value_before
from tablebase.solving.distances import measure
from tablebase.solving.exits import POSITIONS, TO_CONVERSION, make_distances
from tablebase.solving.region import CLOSED
from tablebase.solving.structures import expand

if TYPE_CHECKING:
    from collections.abc import Mapping

    import chess
    from numpy.typing import NDArray

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
    root = solver.root.copy(stack=False)
    found = _values_of_root(solver)
    moves = {
        move: _move_to_conversion(solver, root, move, found) for move in list(root.legal_moves)
    }
    lower, upper = solver.root_bounds()
    known = [one for one in moves.values() if one is not None]
    of_root: int | None = None
    if lower == upper == 0 or root.is_checkmate():
        of_root = 0
    elif lower == upper == 1:
        of_root = min((one for one in known if one > 0), default=None)
    elif lower == upper == -1 and len(known) == len(moves):
        of_root = min(known)
    return Distances(of_root, moves, CONVERSION_IS_MEANT, reason, [])


def _values_of_root(solver: Solver) -> tuple[int, NDArray[np.int16]] | None:
    """Return the structure of the root and its values; None if there is no room for them."""
    structure = solver.number(place_of(solver.root))
    region = solver.region
    planes = 1 << (6 * int(region.fields.pieces[structure]))
    size = 2 * planes * POSITIONS
    outside = (region.fields.state[structure] == CLOSED).all()
    if outside or 2 * size + work_bytes(planes) > solver.room:
        return None
    region.make_room()
    chosen, work = np.array([structure]), make_work(planes)
    expand(region.record, work, chosen, 0, 1)
    values, places = np.empty(size, dtype=np.int16), np.zeros(region.count, dtype=np.int64)
    distances = make_distances(values, places, planes)
    measure(region.record, work, distances, chosen, 0, 1, TO_CONVERSION)
    return structure, values


def _move_to_conversion(
    solver: Solver,
    root: chess.Board,
    move: chess.Move,
    found: tuple[int, NDArray[np.int16]] | None,
) -> int | None:
    lower, upper = solver.root_bounds(move)
    if lower != upper:
        return None
    if lower == 0 or root.is_zeroing(move):
        return lower
    if found is None:
        return None
    structure, values = found
    root.push(move)
    place = place_of(root)
    root.pop()
    planes = 1 << (6 * int(solver.region.fields.pieces[structure]))
    plies = plies_of(value_before(int(values[index_of(place, planes)])))
    return plies if plies * lower > 0 else None
