"""A position of any game, as all see it that need not know the game.

Rankings, lines and records are written once, for this protocol. What a game brings with it is how
its positions are read, which moves they have, and what tables are asked with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import chess

    from tablebase.core.board import Color
    from tablebase.core.positions.setup import Setup
    from tablebase.core.rules import Rules

# What a tablebase is asked with: boards of chess, setups by any rules.
Board: TypeAlias = "chess.Board | Setup"


class Named(Protocol):
    """A move, whose name is the same for all programs."""

    def uci(self) -> str:
        """Return the move in the notation of UCI, such as ``e7e8q``."""


M = TypeVar("M", bound=Named)


class Step(NamedTuple, Generic[M]):
    """A legal move, and what it leads to."""

    move: M
    zeroing: bool  # whether it is a capture or a pawn move
    after: Position[M]


class Position(Protocol[M]):
    """A position whose moves are of one type: that of python-chess, or `SetupMove`.

    Required of a game are the men with the side to move, the moves and what is over; a game without
    the 50-move rule leaves the clock at 0, and one without double steps has no `passing`.
    """

    @property
    def board(self) -> Board:
        """What a `tablebase.Tablebase` is asked with."""

    @property
    def rules(self) -> Rules:
        """The rules of the game."""

    @property
    def color(self) -> Color:
        """The side to move."""

    @property
    def clock(self) -> int:
        """Plies since the last capture or pawn move."""

    @property
    def number(self) -> int:
        """The number of the move."""

    @property
    def fen(self) -> str:
        """The position as a FEN, with the right to capture en passant if it is of use."""

    def is_check(self) -> bool:
        """Return whether the side to move is in check."""

    def final_outcome(self) -> int | None:
        """Return the outcome of a game that is over, by any metric; None if it goes on."""

    def steps(self) -> Iterator[Step[M]]:
        """Yield every legal move with the position after it, which lasts until the next one.

        Moves that are equally good are ranked in this order.
        """

    def captures(self) -> Iterator[Step[M]]:
        """Yield the legal captures as `steps` does."""

    def passing(self) -> Iterator[Step[M]]:
        """Yield the legal captures en passant as `steps` does."""

    def after(self, move: M) -> Position[M]:
        """Return the position after a legal move."""

    def name_of(self, move: M) -> str:
        """Return the name of a legal move for people, such as ``Kb3``."""

    def setup(self) -> Setup:
        """Return the men, their squares and the side to move, which tables know.

        Raises
        ------
        UnsupportedPositionError
            If no table can have the position.
        """
