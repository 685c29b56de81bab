"""Positions of chess: boards of python-chess as a `Position`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import chess

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.positions.chess_board import (
    COLORS,
    check_castling,
    check_supported,
    final_outcome,
    material_of,
    squares_of,
)
from tablebase.core.positions.setup import Setup
from tablebase.core.rules.material import Man
from tablebase.core.rules.rules import CHESS, Rules


class MadeMove(NamedTuple):
    """A move that has been made on a board; a `LegalMove`."""

    move: chess.Move
    zeroing: bool
    after: ChessPosition


class ChessPosition:
    """A board of python-chess, which is never changed.

    Parameters
    ----------
    board
        The board.
    """

    rules: Rules = CHESS

    def __init__(self, board: chess.Board) -> None:
        self.board = board

    @property
    def men(self) -> dict[int, Man]:
        """The men by square."""
        men = self.board.piece_map().items()
        return {at: (COLORS[one.color], PieceType(one.piece_type)) for at, one in men}

    @property
    def color(self) -> Color:
        """The side to move."""
        return COLORS[self.board.turn]

    @property
    def clock(self) -> int:
        """Plies since the last capture or pawn move."""
        return self.board.halfmove_clock

    @property
    def number(self) -> int:
        """The number of the move."""
        return self.board.fullmove_number

    @property
    def fen(self) -> str:
        """The position as a FEN."""
        return self.board.fen()

    def is_check(self) -> bool:
        """Return whether the side to move is in check."""
        return self.board.is_check()

    @property
    def end(self) -> str | None:
        """Why no move is left, ``checkmate`` or ``stalemate``; or None."""
        if any(self.board.legal_moves):
            return None
        return "checkmate" if self.board.is_check() else "stalemate"

    def final_outcome(self) -> int | None:
        """Return the outcome of checkmate and stalemate, None of other positions."""
        return final_outcome(self.board)

    def moves(self) -> Iterator[MadeMove]:
        """Yield every legal move: captures and pawn moves first, then as in the alphabet."""
        return self._made(lambda board: board.legal_moves)

    def captures(self) -> Iterator[MadeMove]:
        """Yield the legal captures."""
        return self._made(lambda board: board.generate_legal_captures())

    def en_passant(self) -> Iterator[MadeMove]:
        """Yield the legal captures en passant."""
        return self._made(lambda board: board.generate_legal_ep())

    def _made(self, moves: Callable[[chess.Board], Iterable[chess.Move]]) -> Iterator[MadeMove]:
        """Yield moves, each made on one board and taken back after that: a copy costs as much."""
        board = self._copy()
        after = ChessPosition(board)
        chosen = [(not board.is_zeroing(move), move.uci(), move) for move in moves(board)]
        chosen.sort()
        for is_quiet, _, move in chosen:
            board.push(move)
            yield MadeMove(move, not is_quiet, after)
            board.pop()

    def after(self, move: chess.Move) -> ChessPosition:
        """Return the position after a legal move."""
        board = self._copy()
        board.push(move)
        return ChessPosition(board)

    def name_of(self, move: chess.Move) -> str:
        """Return the name of a legal move in algebraic notation."""
        return self._copy().san(move)  # which makes the move and takes it back

    def setup(self) -> Setup:
        """Return the men, their squares and the side to move."""
        check_supported(self.board)
        check_castling(self.board)
        material = material_of(self.board)
        return Setup(material, tuple(squares_of(self.board, material).tolist()), self.color)

    def _copy(self) -> chess.Board:
        """Return a copy to make moves on, since others may use the board at the same time.

        Raises `UnsupportedPositionError` if a king is marked as promoted: python-chess overlooks
        checks to it, so moves are wrong.
        """
        if self.board.kings & self.board.promoted:
            check_supported(self.board)
        return self.board.copy(stack=False)
