"""Can a side still mate by any series of legal moves: one answer for all who ask.

It comes from the rules alone, else from a table of helpmates, else from a search for a line or a
proof, which a capability brings (see `ground.seams.MEASURES`).
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import chess

from tablebase.core.board.geometry import Color
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.ground.errors import MissingTableError, UndecidedError
from tablebase.core.ground.seams import find_measure
from tablebase.core.ground.words import plies_in_words
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.chess_board import check_legal
from tablebase.core.positions.position import Position
from tablebase.core.rules.refusals import require_helpmates


class Helpmates(Protocol):
    """Tables of helpmates, as a `Tablebase` has them."""

    def probe_helpmate(self, board: Any, color: bool) -> int | None:  # noqa: FBT001
        """Return the plies of a shortest helpmate by a colour."""

    def probe_help_line(self, board: Any, color: bool) -> list[Any]:  # noqa: FBT001
        """Return a shortest helpmate by a colour."""


class Chance(NamedTuple):
    """Whether a side can still mate, and why.

    Attributes
    ----------
    can_mate : bool or None
        None if it is open.
    reason : str
        Why, in words that follow the name of the side; empty if only a table is missing.
    line : list or None
        Moves up to a mate; None where a table has them (`Helpmates.probe_help_line`), and where
        there is no mate.
    remedy : str
        The missing table with the command that builds it, which names folders of this machine.
    """

    can_mate: bool | None
    reason: str
    line: list[Any] | None = None
    remedy: str = ""

    @property
    def doubt(self) -> str:
        """Why it is open, in a line."""
        return "; ".join(filter(None, (self.reason, self.remedy)))


def find_chance(
    tables: Helpmates, position: Position[Any], side: Color, *, search: bool = True
) -> Chance:
    """Return whether a side can still mate.

    Without `search`, only rules and tables answer. Raises `UnsupportedPositionError` for an illegal
    position, and `InvalidRulesError` in games without helpmates.
    """
    require_helpmates(position.rules)
    board = position.board
    if not isinstance(board, chess.Board):
        return _by_tables(tables, position.board, side)
    check_legal(board)
    if position.end:
        is_won = position.end == "checkmate" and position.color is not side
        return Chance(is_won, f"{position.end} is on the board", [] if is_won else None)
    if reason := _too_few_men(board, side is Color.WHITE):
        return Chance(can_mate=False, reason=reason)
    men = chess.popcount(board.occupied)
    found = Chance(None, f"{men} pieces, but tables have at most {MAX_MEN}")
    if men <= MAX_MEN:
        found = _by_tables(tables, without_rights(board), side)
    if found.can_mate is False and board.castling_rights:
        found = Chance(None, "with castling rights tables have no helpmates")
    if found.can_mate is not None:
        return found
    search_helpmate = find_measure("helpmate") if search else None
    if search_helpmate is None:
        return found

    def ask(reached: chess.Board) -> Chance:
        chance = find_chance(tables, as_position(reached), side, search=False)
        line = tables.probe_help_line(reached, side is Color.WHITE) if chance.can_mate else None
        return chance._replace(line=line)

    searched = Chance(*search_helpmate(board, side is Color.WHITE, ask))
    return searched if searched.can_mate else searched._replace(remedy=found.remedy)


def line_of(
    tables: Helpmates, position: Position[Any], side: Color, chance: Chance
) -> list[Any] | None:
    """Return the moves up to a mate of a position with this chance, None if there is none."""
    if chance.line is not None or not chance.can_mate:
        return chance.line
    return tables.probe_help_line(without_rights(position.board), side is Color.WHITE)


def require_chance(tables: Helpmates, position: Position[Any], side: Color) -> Chance:
    """Return whether a side can still mate; `UndecidedError` if it is open, see `find_chance`."""
    chance = find_chance(tables, position, side)
    if chance.can_mate is None:
        raise UndecidedError(f"whether {side.name.title()} can mate is unknown: {chance.doubt}")
    return chance


def without_rights(board: Any) -> Any:
    """Return a position without castling rights: no mate is lost, because nobody has to castle."""
    if not getattr(board, "castling_rights", 0):
        return board
    without = board.copy(stack=False)
    without.castling_rights = chess.BB_EMPTY
    return without


def _too_few_men(board: chess.Board, color: chess.Color) -> str:
    """Return the reason why the men alone allow a colour no mate, empty if they may."""
    if not board.has_insufficient_material(color):
        return ""
    own = board.occupied_co[color]
    if own == board.kings & own:
        return "has a bare king, which never mates"
    if board.knights & own:
        return "has a lone knight, and nothing of the other side could help it to mate"
    return "has bishops of one colour only, and nothing of the other side could help them to mate"


def _by_tables(tables: Helpmates, board: Any, side: Color) -> Chance:
    try:
        plies = tables.probe_helpmate(board, side is Color.WHITE)
    except MissingTableError as error:
        return Chance(None, "", remedy=str(error))
    if plies is None:
        return Chance(can_mate=False, reason="has no helpmate, as a table shows")
    reason = f"has a helpmate in {plies_in_words(plies)}, as a table shows"
    return Chance(can_mate=True, reason=reason)
