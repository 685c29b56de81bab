"""How a proven win is won: a line in which the winner makes progress with every move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.solving.conversions import MOST_PIECES, Conversions
from tablebase.solving.places import place_of
from tablebase.solving.region import CLOSED, NONE

if TYPE_CHECKING:
    import chess

    from tablebase.solving.solver import Solver

# Most plies of a line.
LENGTH = 120


class _Finder:
    """Finds moves of a line in what was solved.

    Parameters
    ----------
    solver
        What was solved.
    """

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._structure = -1
        self._conversions: Conversions | None = None

    def _conversions_of(self, board: chess.Board) -> Conversions | None:
        """Return the distances in the structure of a position; None if they cannot be had."""
        fields, structure = self._solver.region.fields, self._solver.number(place_of(board))
        if structure != self._structure:
            solved = ((fields.state[structure] != CLOSED) & (fields.gap[structure] != NONE)).any()
            fits = solved and fields.pieces[structure] <= MOST_PIECES
            self._structure = structure
            self._conversions = Conversions(self._solver.region, structure) if fits else None
        return self._conversions

    def winning(self, board: chess.Board) -> chess.Move | None:
        """Return the winning move that is nearest to a conversion; None if it is not known."""
        conversions = self._conversions_of(board)
        if conversions is None:
            return None
        best, nearest = None, 1 << 30
        for move in board.legal_moves:
            if self._solver.move_bounds(board, move)[0] == 1:
                if _mates(board, move):
                    return move
                plies = conversions.of_move(board, move, 1)
                if best is None or (plies is not None and plies < nearest):
                    best, nearest = move, plies or nearest
        return best

    def losing(self, board: chess.Board) -> chess.Move | None:
        """Return the move that puts a conversion off for longest; None if it is not known."""
        conversions = self._conversions_of(board)
        if conversions is None:
            return None
        known = {}
        for move in board.legal_moves:
            lower, upper = self._solver.move_bounds(board, move)
            plies = conversions.of_move(board, move, lower) if lower == upper else None
            if plies is not None:
                known[move] = plies
        return min(known, key=lambda move: known[move], default=None)


def winning_line(solver: Solver, length: int = LENGTH) -> list[chess.Move]:
    """Return a line from the root, empty if no side is proven to win.

    The winner's moves keep the win and make progress; the loser resists within the structure as
    long as he can; where complete tables gave the values, they go on. The line ends in checkmate,
    after `length` plies, or where too many pieces stand on the board.
    """
    board = solver.root.copy(stack=False)
    lower, upper = solver.root_bounds()
    if lower != upper or lower == 0:
        return []
    finder = _Finder(solver)
    winner = board.turn if lower > 0 else not board.turn
    line: list[chess.Move] = []
    while len(line) < length:
        move = finder.winning(board) if board.turn == winner else finder.losing(board)
        if move is None:
            line += solver.leaves.mainline(board)[: length - len(line)] if solver.leaves else []
            break
        line.append(move)
        board.push(move)
    return line


def _mates(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()
