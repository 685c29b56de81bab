"""Who can still win if both sides help, in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablebase.core.answers.mating_chances import find_chance
from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import InvalidRulesError, UnsupportedPositionError
from tablebase.core.positions.any_position import as_position

if TYPE_CHECKING:
    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.core.positions.position import Board, Position


def describe_chances(tablebase: Tablebase, board: Board, *, search: bool = False) -> dict[str, Any]:
    """Return the sides that can still win if both help, with reasons: what ``can_win=1`` adds.

    ``dead``, and a side of ``can_win``, is None if it is open, also after the search if that is
    asked for. ``reasons`` follow the name of the side, but where it is open.

    Raises `InvalidRulesError` in games without helpmates.
    """
    position = as_position(board)
    chances = [find_chance(tablebase, position, color, search=search) for color in Color]
    white, black = (chance.can_mate for chance in chances)
    reasons = [chance.reason or "no table here has the helpmates" for chance in chances]
    return {
        "dead": False if white or black else None if None in {white, black} else True,
        "can_win": {"white": white, "black": black},
        "reasons": {"white": reasons[Color.WHITE], "black": reasons[Color.BLACK]},
    }


def who_can_win(tablebase: Tablebase, position: Position[Any]) -> dict[str, Any]:
    """Return the sides that can still mate if both help; empty where rules and tables leave it."""
    try:
        told = describe_chances(tablebase, position.board)
    except (InvalidRulesError, UnsupportedPositionError):
        return {}
    del told["reasons"]
    return {} if None in told["can_win"].values() else told
