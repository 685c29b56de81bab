"""Positions of any game as people and programs give them: texts, boards, setups."""

from __future__ import annotations

import re
from typing import Any

import chess
import chess.variant

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.ground.words import quoted
from tablebase.core.positions.chess_board import COLORS, board_of, check_castling, read_fen
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.position import Position
from tablebase.core.positions.setup import Setup, arranged
from tablebase.core.positions.setup_fens import MOST_FIELDS, may_castle, read_setup
from tablebase.core.rules.refusals import kings_castle
from tablebase.core.rules.rule_files import ALIASES, built_in_rules
from tablebase.core.rules.rules import CHECKS, Rules

# The operation of an EPD that gives the halfmove clock.
CLOCK = "hmvc"
_FIELDS = ("", "w", "-", "-")  # of an EPD; the clocks of a FEN follow
_WORD = re.compile(r"[^\s_]+")
_WITHOUT_RIGHTS = re.compile(r"[^\s_;]+[\s_]+[wb][\s_]+-[\s_]+-(?![^\s_;])")
_OPERATION = re.compile(r'(?:[^;"]|"[^"]*"?)+')
_NOT_PASSED = "no pawn has just passed it"
_NOT_IN_PLACE = "king and rook are not in place"
_BYTE_ORDER_MARK = "\ufeff"  # that editors put at the beginning of a file, and so of a copied line


def position_of(setup: Setup) -> Position[Any]:
    """Return men on squares as a position of their game.

    >>> position_of(read_setup("8/8/8/8/8/2k5/1R6/K7 w")).board
    Board('8/8/8/8/8/2k5/1R6/K7 w - - 0 1')
    """
    if setup.rules == ChessPosition.rules:
        return ChessPosition(board_of(setup.material, setup.squares, setup.color is Color.WHITE))
    return setup


def as_position(given: Any, rules: Rules | None = None) -> Position[Any]:
    """Return a board, a setup or a text as a position, of a game if its rules are given.

    Raises `UnsupportedPositionError` for another game or a bad text, else `TypeError`.
    """
    if isinstance(given, str) and rules:
        return read_position(given, rules)
    if isinstance(given, chess.Board):
        given = position_of_board(given)
    if not isinstance(given, ChessPosition | Setup):
        raise TypeError(f"expected a position, not {quoted(given)}")
    if rules and given.rules != rules:
        raise UnsupportedPositionError(
            f"{given.fen} is a position of {given.rules.name}, the tables are of {rules.name}"
        )
    return given


def position_of_board(board: chess.Board) -> Position[Any]:
    """Return a board of python-chess, also one of a variant that is built in, as a position.

    Rights to castle are dropped in games in which nobody castles. Raises `UnsupportedPositionError`
    if a board of another variant has one, or more checks left than there are.

    >>> import chess.variant
    >>> position_of_board(chess.variant.AtomicBoard("8/8/8/8/8/2k5/1R6/K7 w")).rules.name
    'atomic'
    """
    rules = rules_of_board(board)
    if rules == ChessPosition.rules:
        return ChessPosition(board)
    if kings_castle(rules):
        check_castling(board)
    # `chess.Board.has_legal_en_passant` does not ask what a variant allows.
    is_passed = board.ep_square is not None and any(map(board.is_en_passant, board.legal_moves))
    ep_square = board.ep_square if is_passed else None
    men, clock = ChessPosition(board).men, board.halfmove_clock
    setup = arranged(men, COLORS[board.turn], rules, ep_square=ep_square, clock=clock)
    if isinstance(board, chess.variant.ThreeCheckBoard):
        white, black = (max(board.remaining_checks[one], 0) for one in (chess.WHITE, chess.BLACK))
        if max(white, black) > CHECKS:
            raise UnsupportedPositionError(
                f"{white}+{black} checks are left in {board.fen()}: at most {CHECKS} to each side"
            )
        setup = setup._replace(checks=(white, black))
    return setup


def rules_of_board(board: chess.Board) -> Rules:
    """Return the rules of a board of python-chess; of a variant that is not built in, chess."""
    name = board.uci_variant or ""
    return built_in_rules().get(ALIASES.get(name, name), ChessPosition.rules)


def read_position(text: str, rules: Rules = ChessPosition.rules) -> Position[Any]:
    """Read a position of any game from a FEN or an EPD.

    Parameters
    ----------
    text
        A FEN, whose last fields may be left out, or an EPD, with or without clocks. Its operations
        begin after the first semicolon, or with a word before it that follows the fields; they are
        passed over but for ``hmvc``, the halfmove clock. Underscores may stand for spaces.
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
    if rules == ChessPosition.rules:
        return ChessPosition(read_board(text))
    return read_setup(_without_operations(text), rules)


def read_board(text: str) -> chess.Board:
    """Return a position of chess, given as for `read_position`, as a board."""
    return read_fen(_without_operations(text))


def left_out(text: str, rules: Rules = ChessPosition.rules, *, chess960: bool = False) -> str:
    """Return in words which castling rights and en passant square of a position do not count.

    The text is given as for `read_position`, and can be read. If all of it counts, nothing is left
    out, and the words are empty.

    >>> left_out("8/8/8/8/8/2k5/1R6/K7 w KQ - 0 1")
    'castling rights KQ do not count, because king and rook are not in place'
    """
    if _WITHOUT_RIGHTS.match(text):  # like most lines of a long file
        return ""
    fields = _without_operations(text).replace("_", " ").split()
    men, turn, rights, ep_square = [*fields, *_FIELDS[len(fields) :]][: len(_FIELDS)]
    is_chess = rules == ChessPosition.rules

    def counts(right: str) -> bool:
        if not is_chess:
            return may_castle(men, right, rules)
        return bool(read_fen(f"{men} {turn} {right}", chess960=chess960).castling_rights)

    lost = [one for one in rights.replace("-", "") if not counts(one)]
    words = []
    if lost:
        reason = _NOT_IN_PLACE if kings_castle(rules) else f"nobody castles in {rules.name}"
        words.append(f"castling rights {''.join(lost)} do not count, because {reason}")
    if is_chess and ep_square != "-" and read_board(text).ep_square is None:
        words.append(f"the en passant square {ep_square} does not count, because {_NOT_PASSED}")
    return "; ".join(words)


def _without_operations(text: str) -> str:
    """Return an EPD as a FEN; a FEN remains as it is, even if a word is in place of a clock."""
    text = text.lstrip(_BYTE_ORDER_MARK)
    head, semicolon, operations = text.partition(";")
    words = list(_WORD.finditer(head))
    if not semicolon and len(words) <= MOST_FIELDS:
        return text
    end = len(_FIELDS)
    while end < min(len(words), MOST_FIELDS) and not words[end][0][0].isalpha():
        end += 1
    if end < len(words):
        if not words[end][0][0].isalpha():
            return head  # it has too many fields, and is refused for that
        operations = text[words[end].start() :]
    fields = [word[0] for word in words[:end]]
    if clock := _clock_of(operations, text):
        four = [*fields[: len(_FIELDS)], *_FIELDS[len(fields) :]]
        fields = [*four, clock, *fields[MOST_FIELDS - 1 :]]
    return " ".join(fields)


def _clock_of(operations: str, text: str) -> str:
    """Return the halfmove clock that operations of an EPD give, else an empty text."""
    for operation in _OPERATION.findall(operations):
        name, *operands = operation.replace("_", " ").split(None, 1) or [""]
        if name == CLOCK:
            given = "".join(operands).strip()
            if not (given.isascii() and given.isdigit()):
                raise UnsupportedPositionError(
                    f"{quoted(given)} is not a halfmove clock in {quoted(text)}: "
                    f"write {CLOCK} and a number of plies"
                )
            return given
    return ""
