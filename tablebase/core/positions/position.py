"""A position of any game, for code that need not know which game it is.

Rankings, lines and records are written once, for this protocol. A game has its own way to read
positions and its own moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import chess

    from tablebase.core.board.geometry import Color
    from tablebase.core.positions.setup import Setup
    from tablebase.core.rules.material import Man
    from tablebase.core.rules.rules import Rules

# Positions as a tablebase takes them: boards of chess, setups by any rules.
Board: TypeAlias = "chess.Board | Setup"


class Named(Protocol):
    """A move, whose name is the same for all programs."""

    def uci(self) -> str:
        """Return the move in the notation of UCI, such as ``e7e8q``."""


M = TypeVar("M", bound=Named)


class LegalMove(Protocol[M]):
    """A legal move, and what it leads to."""

    @property
    def move(self) -> M:
        """The move."""

    @property
    def zeroing(self) -> bool:
        """Whether the move is a capture or a pawn move."""

    @property
    def after(self) -> Position[M]:
        """The position after the move."""


class Position(Protocol[M]):
    """A position of any game, whose moves are `chess.Move` or `SetupMove`.

    All members are required, but a game without double steps has nothing to yield in `en_passant`,
    and where the rules have no 50-move rule the clock does not count.
    """

    @property
    def board(self) -> Board:
        """The same position as the methods of `tablebase.Tablebase` take it."""

    @property
    def rules(self) -> Rules:
        """The rules of the game."""

    @property
    def men(self) -> dict[int, Man]:
        """The men by square."""

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
        """The position as a FEN, with the en passant right if it is of use."""

    def is_check(self) -> bool:
        """Return whether the side to move is in check."""

    @property
    def end(self) -> str | None:
        """Why no move is left: ``checkmate``, ``stalemate``, ``bare king`` or ``goal``; or None."""

    def final_outcome(self) -> int | None:
        """Return the outcome by any metric where no move is left, else None."""

    def moves(self) -> Iterator[LegalMove[M]]:
        """Yield every legal move with the position after it, which lasts until the next one.

        Moves that are equally good are ranked in this order.
        """

    def captures(self) -> Iterator[LegalMove[M]]:
        """Yield the legal captures as `moves` does."""

    def en_passant(self) -> Iterator[LegalMove[M]]:
        """Yield the legal captures en passant as `moves` does."""

    def after(self, move: M) -> Position[M]:
        """Return the position after a legal move."""

    def name_of(self, move: M) -> str:
        """Return a legal move in algebraic notation, such as ``Kb3``."""

    def setup(self) -> Setup:
        """Return the men, their squares and the side to move, which tables know.

        Raises
        ------
        UnsupportedPositionError
            If no table can have the position.
        """
