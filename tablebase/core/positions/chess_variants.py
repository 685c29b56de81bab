"""Positions of variants that python-chess knows, with its moves and their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

import chess
import chess.variant

from tablebase.core.board.geometry import Color
from tablebase.core.positions.any_position import position_of_board, rules_of_board
from tablebase.core.positions.chess_board import read_fen
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.position import Position
from tablebase.core.positions.setup import Setup
from tablebase.core.positions.setup_fens import split_checks
from tablebase.core.rules.material import Man
from tablebase.core.rules.refusals import kings_castle
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.rules.rules import Rules


@cache
def boards_of_games() -> Mapping[Rules, type[chess.Board]]:
    """Return the boards of python-chess by rules: of chess and the built-in games that it knows.

    >>> [rules.name for rules in boards_of_games()]
    ['chess', 'kingofthehill', 'atomic', 'antichess', 'suicide', 'racingkings', '3check']
    """
    known = {one.uci_variant: one for one in chess.variant.VARIANTS}
    return {rules: known[name] for name, rules in built_in_rules().items() if name in known}


def read_game_board(fen: str, rules: Rules, *, chess960: bool = False) -> chess.Board:
    """Return the board of one of `boards_of_games` that a FEN describes, legal or not.

    What `read_fen` and `drop_idle_rights` drop is dropped. Checks that are counted are given
    as for `read_setup`.

    Raises `UnsupportedPositionError` if it is no FEN of the game.

    >>> rules = built_in_rules()["3check"]
    >>> read_game_board("8/8/8/8/8/2k5/1R6/K7 w - - 4 9 +1+0", rules).fen()
    '8/8/8/8/8/2k5/1R6/K7 w - - 2+3 4 9'
    """
    plain, checks = split_checks(fen, rules)
    board = read_fen(plain, chess960=chess960)
    if rules == ChessPosition.rules:
        return board
    fields = board.fen(en_passant="fen").split()
    if rules.check_counting:
        fields.insert(-2, f"{checks[0]}+{checks[1]}")
    played = boards_of_games()[rules](" ".join(fields))
    drop_idle_rights(played)
    return played


def drop_idle_rights(board: chess.Board) -> None:
    """Take the rights to castle from a board of a game in which nobody castles."""
    if not kings_castle(rules_of_board(board)):
        board.castling_rights = chess.BB_EMPTY


def is_without_winner(board: chess.Board) -> bool:
    """Return whether python-chess says that neither side has the men to win, and no move wins.

    Its rule looks only at the men, and in atomic chess it forgets that bishops may block a king.
    """
    if not board.is_insufficient_material():
        return False
    position = played_on(board)
    ends = [position, *(made.after for made in position.moves())]
    return not any(one.final_outcome() for one in ends)


def played_on(board: chess.Board) -> Position[chess.Move]:
    """Return a board of chess, or of a built-in game, as a position with the moves of its board.

    Raises `UnsupportedPositionError` as `position_of_board`.
    """
    position = position_of_board(board)
    return position if isinstance(position, ChessPosition) else VariantPosition(board)


class MadeMove(NamedTuple):
    """A move that has been made on a board; a `LegalMove`."""

    move: chess.Move
    zeroing: bool
    after: VariantPosition


class VariantPosition:
    """A board of a variant; tables take it as the `Setup` that it is."""

    def __init__(self, played: chess.Board) -> None:
        self._played = played
        setup = position_of_board(played).board
        assert isinstance(setup, Setup), "boards of chess are a `ChessPosition`"
        self._setup = setup

    @property
    def board(self) -> Setup:
        """The position as tables take it."""
        return self._setup

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._setup.rules

    @property
    def men(self) -> dict[int, Man]:
        """The men by square."""
        return self._setup.men

    @property
    def color(self) -> Color:
        """The side to move."""
        return self._setup.color

    @property
    def clock(self) -> int:
        """Plies since the last capture or pawn move."""
        return self._setup.clock

    @property
    def number(self) -> int:
        """The number of the move."""
        return self._played.fullmove_number

    @property
    def fen(self) -> str:
        """The position as a FEN."""
        return self._setup.fen

    def is_check(self) -> bool:
        """Return whether the side to move is in check."""
        return self._setup.is_check()

    @property
    def end(self) -> str | None:
        """Why no move is left, or None."""
        return self._setup.end

    def final_outcome(self) -> int | None:
        """Return the outcome of a position without a legal move, else None."""
        return self._setup.final_outcome()

    def setup(self) -> Setup:
        """Return the position as tables have it, or raise an error."""
        return self._setup.setup()

    def moves(self) -> Iterator[MadeMove]:
        """Yield every legal move."""
        return self._made(lambda board: board.legal_moves)

    def captures(self) -> Iterator[MadeMove]:
        """Yield the legal captures."""
        return self._made(lambda board: filter(board.is_capture, board.legal_moves))

    def en_passant(self) -> Iterator[MadeMove]:
        """Yield the legal captures en passant."""
        return self._made(lambda board: filter(board.is_en_passant, board.legal_moves))

    def _made(self, moves: Callable[[chess.Board], Iterable[chess.Move]]) -> Iterator[MadeMove]:
        # python-chess has moves of kings that have reached their goal, and ends their games apart.
        for move in () if self._played.is_variant_end() else moves(self._played):
            yield MadeMove(move, self._played.is_zeroing(move), self.after(move))

    def after(self, move: chess.Move) -> VariantPosition:
        """Return the position after a legal move."""
        after = self._played.copy(stack=False)
        after.push(move)
        return VariantPosition(after)

    def name_of(self, move: chess.Move) -> str:
        """Return the name of a legal move in algebraic notation."""
        return self._played.san(move)
