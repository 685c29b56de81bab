"""How a proven win is won: a line in which the winner makes progress with every move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.probing import place_of
from tablebase.solving.attractor import make_work
from tablebase.solving.planes import WORDS
from tablebase.solving.region import CLOSED, NONE
from tablebase.solving.structures import rank_one

if TYPE_CHECKING:
    import chess
    from numpy.typing import NDArray

    from tablebase.solving.solver import Solver

# Structures of more pieces take gigabytes of ranks.
MOST_PIECES = 2
# Most plies of a line.
LENGTH = 120


class Ranks:
    """In which round of an attack positions of a structure are found won, one structure at a time.

    Parameters
    ----------
    solver
        What was solved.
    attacker
        Who wins, 0 for White.
    """

    def __init__(self, solver: Solver, attacker: int) -> None:
        self._solver = solver
        self._attacker = attacker
        self._structure = -1
        self._ranks: NDArray[np.uint16] = np.zeros(0, dtype=np.uint16)

    def structure_of(self, board: chess.Board) -> int:
        """Return the number of the structure of a position."""
        return self._solver.number(place_of(board))

    def has(self, structure: int) -> bool:
        """Return whether ranks can be had of a structure."""
        fields = self._solver.region.fields
        one = structure, self._attacker
        solved = fields.state[one] != CLOSED and fields.gap[one] != NONE
        return bool(solved and fields.pieces[structure] <= MOST_PIECES)

    def rank(self, board: chess.Board) -> int:
        """Return the rank of a position that is won: 0 if by a move out of its structure."""
        structure, place = self.structure_of(board), place_of(board)
        planes = 1 << (6 * int(self._solver.region.fields.pieces[structure]))
        if structure != self._structure:
            work = make_work(planes, ranks=True)
            rank_one(self._solver.region.record, work, structure, self._attacker)
            self._ranks, self._structure = work.fields.ranks, structure
        row = (place.turn * planes + place.plane) * WORDS + place.white_king
        return int(self._ranks[row * WORDS + place.black_king])


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
    ranks = Ranks(solver, (0 if board.turn else 1) if lower > 0 else (1 if board.turn else 0))
    winner = board.turn if lower > 0 else not board.turn
    line: list[chess.Move] = []
    while len(line) < length:
        move = _winning(solver, ranks, board) if board.turn == winner else _losing(ranks, board)
        if move is None:
            line += solver.leaves.mainline(board)[: length - len(line)] if solver.leaves else []
            break
        line.append(move)
        board.push(move)
    return line


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after


def _winning(solver: Solver, ranks: Ranks, board: chess.Board) -> chess.Move | None:
    """Return a move that wins and makes progress; None if it is not known."""
    structure = ranks.structure_of(board)
    if not ranks.has(structure):
        return None
    moves = [move for move in board.legal_moves if solver.move_bounds(board, move)[0] == 1]
    mates = [move for move in moves if _after(board, move).is_checkmate()]
    if mates:
        return mates[0]
    leaving = [move for move in moves if ranks.structure_of(_after(board, move)) != structure]
    staying = [move for move in moves if move not in leaving]
    # En passant apart, what has rank 0 is won by leaving alone.
    if leaving and (board.has_legal_en_passant() or ranks.rank(board) == 0):
        return leaving[0]
    if staying:
        return min(staying, key=lambda move: ranks.rank(_after(board, move)))
    return leaving[0] if leaving else None


def _losing(ranks: Ranks, board: chess.Board) -> chess.Move | None:
    """Return a move that resists; None if there is none, or it is not known."""
    structure = ranks.structure_of(board)
    if not ranks.has(structure):
        return None
    moves = list(board.legal_moves)
    staying = [move for move in moves if ranks.structure_of(_after(board, move)) == structure]
    if staying:
        return max(staying, key=lambda move: ranks.rank(_after(board, move)))
    known = [move for move in moves if ranks.has(ranks.structure_of(_after(board, move)))]
    return known[0] if known else None
