"""Positions of any game as people and programs give them: texts, boards, setups."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import chess

from tablebase.core.board import Color
from tablebase.core.errors import UnsupportedPositionError
from tablebase.core.positions.chess_board import board_of, read_fen
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.setup import Setup
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.words import quoted

if TYPE_CHECKING:
    from tablebase.core.positions.position import Position
    from tablebase.core.rules import Rules

# The operation of an EPD that gives the halfmove clock.
CLOCK = "hmvc"
_FEN_FIELDS = 4  # that an EPD has as well


def read_position(text: str, rules: Rules = ChessPosition.rules) -> Position[Any]:
    """Read a position of any game from a FEN or an EPD.

    Parameters
    ----------
    text
        A FEN, whose last fields may be left out, or an EPD, whose operations end with a semicolon
        and are passed over but for ``hmvc``, the halfmove clock. Underscores may stand for spaces.
    rules
        The rules of the game.

    Raises
    ------
    UnsupportedPositionError
        If it is neither, or describes no position of the game.

    Examples
    --------
    >>> read_position("8/8/8/8/8/2k5/1R6/K7 w - - hmvc 7;").clock
    7
    """
    fen = without_operations(text) if ";" in text else text
    if rules == ChessPosition.rules:
        return ChessPosition(read_fen(fen))
    return read_setup(fen, rules)


def position_of(setup: Setup) -> Position[Any]:
    """Return men on squares as a position of their game.

    >>> position_of(read_setup("8/8/8/8/8/2k5/1R6/K7 w")).board
    Board('8/8/8/8/8/2k5/1R6/K7 w - - 0 1')
    """
    if setup.rules == ChessPosition.rules:
        return ChessPosition(board_of(setup.material, setup.squares, setup.color is Color.WHITE))
    return setup


def without_operations(text: str) -> str:
    """Return an EPD as a FEN; other texts remain as they are.

    >>> without_operations('8/8/8/8/8/2k5/1R6/K7 w - - hmvc 7; id "rook";')
    '8/8/8/8/8/2k5/1R6/K7 w - - 7'
    """
    fields = text.strip().rstrip(";").replace("_", " ").split(None, _FEN_FIELDS)
    if len(fields) <= _FEN_FIELDS or not fields[_FEN_FIELDS][0].isalpha():
        return " ".join(fields)
    operations = re.sub('"[^"]*"', "", fields[_FEN_FIELDS])
    clock = re.search(rf"(?:^|;)\s*{CLOCK}\b([^;]*)", operations)
    words = clock[1].split() if clock else ["0"]
    # What is no number is refused like the clock of a FEN.
    return " ".join([*fields[:_FEN_FIELDS], words[0] if len(words) == 1 else CLOCK])


def as_position(given: Any, rules: Rules | None = None) -> Position[Any]:
    """Return a board, a setup or a text as a position, of a game if its rules are given.

    Raises `UnsupportedPositionError` for another game or a bad text, else `TypeError`.
    """
    if isinstance(given, str) and rules:
        return read_position(given, rules)
    if isinstance(given, chess.Board):
        given = ChessPosition(given)
    if not isinstance(given, ChessPosition | Setup):
        raise TypeError(f"expected a position, not {quoted(given)}")
    if rules and given.rules != rules:
        raise UnsupportedPositionError(
            f"{given.fen} is a position of {given.rules.name}, the tables are of {rules.name}"
        )
    return given
