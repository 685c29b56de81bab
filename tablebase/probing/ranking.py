"""Moves of a position in order of their value: the best one, all of them, the line to mate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablebase.board import (
    CHECKMATED,
    DRAW,
    Wdl,
    code_before,
    distance_before,
    preference,
    signed_plies,
)
from tablebase.errors import CorruptTableError

if TYPE_CHECKING:
    from collections.abc import Callable

    import chess

    # From a legal position to its stored code, en passant considered.
    CodeOf = Callable[[chess.Board], int]


@dataclass(frozen=True, slots=True)
class RankedMove:
    """A legal move and what it leads to, seen from the side that makes it.

    Attributes
    ----------
    move : chess.Move
        The move.
    wdl : Wdl
        The result with best play after it.
    dtm : int
        Distance to mate in plies, this move included: positive for a win, negative for a loss,
        0 for a draw only. The best move has the distance of the position itself.
    mate : bool
        Whether the move gives checkmate.
    zeroing : bool
        Whether it is a capture or a pawn move, which sets the count of the 50-move rule to 0.
    """

    move: chess.Move
    wdl: Wdl
    dtm: int
    mate: bool
    zeroing: bool


def rank_moves(board: chess.Board, code_of: CodeOf) -> list[RankedMove]:
    """Return every legal move with its value, best first.

    Parameters
    ----------
    board
        A legal position; it is the same afterwards.
    code_of
        Probes a position.

    Returns
    -------
    list[RankedMove]
        Fastest wins first, then draws, then losses, the longest defence first. Of equal moves
        zeroing ones come first, then the order of their UCI notation.
    """
    ranked = []
    for move in list(board.legal_moves):
        code = _code_after(board, move, code_of)
        dtm = distance_before(code)
        wdl = Wdl((dtm > 0) - (dtm < 0))
        mate, zeroing = code == CHECKMATED, board.is_zeroing(move)
        ranked.append(RankedMove(move, wdl, dtm, mate, zeroing))
    ranked.sort(key=lambda one: (-preference(one.dtm), not one.zeroing, one.move.uci()))
    return ranked


def _code_after(board: chess.Board, move: chess.Move, code_of: CodeOf) -> int:
    board.push(move)
    try:
        return code_of(board)
    finally:
        board.pop()


def mainline(board: chess.Board, code_of: CodeOf) -> list[chess.Move]:
    """Return the best moves of both sides from a won or lost position up to checkmate.

    Parameters
    ----------
    board
        A legal position; it is the same afterwards.
    code_of
        Probes a position.

    Returns
    -------
    list[chess.Move]
        As many moves as the distance to mate; none if the position is drawn or checkmate.

    Raises
    ------
    CorruptTableError
        If the best moves do not lead to mate in that distance.
    """
    line: list[chess.Move] = []
    start, board = board, board.copy(stack=False)
    code = code_of(board)
    if code == DRAW:
        return line
    for _ in range(code):
        ranked = rank_moves(board, code_of)
        if not ranked:
            break
        line.append(ranked[0].move)
        board.push(ranked[0].move)
    if not board.is_checkmate() or len(line) != code:
        raise CorruptTableError(
            f"tables contradict themselves, no mate in {code} plies from {start.fen()}: "
            "check them with `tablebase verify`"
        )
    return line


def en_passant_code(board: chess.Board, stored: int, code_of: CodeOf) -> int:
    """Return the code of a position in which a capture en passant is legal.

    Tables know nothing of that right: its captures are valued here, by one ply.

    Parameters
    ----------
    board
        A legal position; it is the same afterwards.
    stored
        The code of the position without the right.
    code_of
        Probes a position.
    """
    captures = list(board.generate_legal_ep())
    codes = [code_before(_code_after(board, move, code_of)) for move in captures]
    # Without another move, the stored code is that of a mate or stalemate that is none.
    if any(not board.is_en_passant(move) for move in board.legal_moves):
        codes.append(stored)
    return max(codes, key=lambda code: preference(signed_plies(code)))
