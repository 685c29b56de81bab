"""The findings of a solver: ranked moves, and a line that shows the result."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tablebase.core.answers.proven import proven_line
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.solve.bounds import bounds_by_moves
from tablebase.solve.budget import OutOfBudget
from tablebase.solve.kernels.fields import State
from tablebase.solve.measuring import distances_in
from tablebase.solve.places import place_of
from tablebase.solve.plans import drawing_line, rank_by_results

if TYPE_CHECKING:
    import chess

    from tablebase.core.answers.ranking import KnownMove
    from tablebase.solve.measuring import ZeroingDistances
    from tablebase.solve.solver import Solver


class Solved:
    """The findings of a solver that has run, as ranked moves."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._structure = -1
        self._distances: ZeroingDistances | None = None

    def wdl(self, board: chess.Board) -> int | None:
        """Return the proven result of a position for the side to move, None if it is open."""
        bounds = self._solver.bounds(board)
        if bounds.result is None and not self._is_solved(board):
            bounds = bounds_by_moves(board, self._solver.bounds)
        if bounds.result is not None:
            return bounds.result
        return self._solver.leaves.wdl(board) if self._solver.leaves else None

    def rank(self, board: chess.Board) -> list[KnownMove[chess.Move]]:
        """Return every legal move with what is proven of it, best first; none if nothing is."""
        result = self.wdl(board)
        if result is None:
            return []
        distances = self._distances_of(board)
        distance_of = distances.after if distances else None
        return rank_by_results(board, result, self.wdl, distance_of)

    def plan(self) -> list[chess.Move]:
        """Return a line from the root that shows its result; none if that is open."""
        root, leaves = self._solver.root, self._solver.leaves
        bounds = self._solver.root_bounds()
        if bounds.result is None:
            return []
        if self._solver.bounds(root) != bounds:
            with suppress(OutOfBudget):
                self._solver.settle()
        if bounds.result == 0:
            return drawing_line(root, self.wdl)
        return proven_line(
            ChessPosition(root),
            self.rank,
            lambda position: leaves.mainline(position.board) if leaves else None,
        )

    def _is_solved(self, board: chess.Board) -> bool:
        fields, structure = self._solver.region.fields, self._solver.number(place_of(board))
        return bool((fields.state[structure] != State.CLOSED).any())

    def _distances_of(self, board: chess.Board) -> ZeroingDistances | None:
        """Return the distances in the structure of a position; None if they cannot be had."""
        structure = self._solver.number(place_of(board))
        if structure != self._structure:
            self._structure = structure
            self._distances = distances_in(self._solver.region, structure)
        return self._distances
