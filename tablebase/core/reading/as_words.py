"""Boards and setups as words, see `locate`."""

from __future__ import annotations

from typing import Any

import chess

from tablebase.core.board.geometry import NOBODY, SQUARES, Color
from tablebase.core.positions.chess_board import board_words
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.chess_variants import boards_of_games
from tablebase.core.positions.setup import Setup
from tablebase.core.rules.rules import CHECKS, Rules


def board_type(rules: Rules) -> type[chess.Board] | None:
    """Return the boards whose words say all but their rights, None if python-chess has none."""
    return chess.Board if rules == ChessPosition.rules else boards_of_games().get(rules)


def is_told_by_words(board: Any, rules: Rules) -> bool:
    """Return whether a board of a variant is known by its men and the checks left.

    It has no rights, and the game is not over because a side has lost its king or all men.
    """
    if board.castling_rights or board.ep_square is not None:
        return False
    if rules.check_counting:
        return bool(max(board.remaining_checks) <= CHECKS)
    return all(board.occupied_co) and (not rules.blast or bool(board.kings.bit_count() == 2))


def words_of_board(board: chess.Board, rules: Rules) -> tuple[int, ...]:
    """Return a board as words, see `locate`."""
    if rules.check_counting:
        return (*board_words(board)[:-1], side_of_board(board))
    return board_words(board)


def setup_words(setup: Setup) -> list[int] | None:
    """Return a setup as words, see `locate`; None if they do not say all."""
    words = [0] * (len(setup.rules.kinds) + 1)
    occupied = 0
    men, is_over = setup.material.men, not (setup.material.of(setup.color) or setup.rules.royal)
    if setup.ep_square is not None or len(setup.squares) != len(men) or is_over:
        return None
    for at, (color, kind) in zip(setup.squares, setup.material.men, strict=True):
        if kind is not NOBODY:
            if not 0 <= at < SQUARES or occupied >> at & 1:
                return None
            occupied |= 1 << at
            words[kind - 1] |= 1 << at
            words[-2] |= (1 - color) << at
    words[-1] = side_of(setup)
    return words


def side_of(setup: Setup) -> int:
    """Return the side to move of a setup, with the checks left, see `locate`."""
    side = int(setup.color is Color.WHITE)
    if setup.rules.check_counting:
        white, black = setup.checks
        side |= white << 1 | black << 3
    return side


def side_of_board(board: Any) -> int:
    """Return the side to move of a board of three-check, with the checks left, see `locate`."""
    left = getattr(board, "remaining_checks", (0, 0))  # a board of another game is refused later
    white, black = (max(left[one], 0) for one in (chess.WHITE, chess.BLACK))
    # More checks than there are make a side without any, whose position has an error.
    return int(board.turn) | (white << 1 | black << 3 if max(white, black) <= CHECKS else 0)
