"""Who can still mate, in words, in JSON, and in one word for arbiters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablebase.cli.display import line_text
from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.ground.errors import (
    InvalidRulesError,
    MissingTableError,
    TablebaseError,
    UnsupportedPositionError,
)
from tablebase.core.ground.words import plies_in_words

if TYPE_CHECKING:
    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.core.positions.position import M, Position

FLAGS = {"white": Color.WHITE, "black": Color.BLACK}
NOBODY_WINS = "Neither side can win, even if both help"
# Plies by colour, None for no mate at all.
Helpmates = dict[Color, int | None]


def find_helpmates(tables: Tablebase, position: Position[M]) -> Helpmates | str:
    """Return the plies of the shortest helpmate by each colour, or why they are unknown."""
    try:
        return {
            color: tables.probe_helpmate(position.board, color is Color.WHITE) for color in Color
        }
    except (InvalidRulesError, MissingTableError, UnsupportedPositionError) as error:
        return str(error)


def help_words(
    tables: Tablebase, position: Position[M], found: Helpmates | str, *, asked: bool
) -> list[str]:
    """Return a line for each colour; unless asked, only where it tells what the men do not."""
    by_mate = position.rules.ends_by_mate
    verb = "mate" if by_mate else "win"
    if isinstance(found, str):
        who = f"Who can still {verb} is " if found.startswith("unknown") else ""
        return [f"{who}{found}"] * asked
    if not asked and position.end:
        return []
    owners = [color for color, man in position.men.values() if man is not PieceType.KING]
    if not any(plies is not None for plies in found.values()):
        dead = "Dead position: neither side can mate (FIDE 5.2.2)" if by_mate else NOBODY_WINS
        return [dead] if owners or asked else []
    lines = []
    for color, plies in found.items():
        name = color.name.title()
        if plies is None and (asked or color in owners):
            lines.append(f"{name} can never {verb}, even if both sides help")
        elif plies is not None and asked:
            moves = tables.help_line(position.board, color is Color.WHITE)
            far = plies_in_words(plies)
            words = f"{name} can still win, in {far} with the other side's help"
            if by_mate:
                words = f"{name} can still mate: shortest helpmate {far}"
            lines.append(": ".join(filter(None, (words, line_text(position, moves)))))
    return lines


def help_json(position: Position[M], found: Helpmates | str) -> dict[str, Any]:
    """Return the answer for programs, an empty dictionary without one and where a game is over."""
    if isinstance(found, str) or position.end:
        return {}
    can = {f"{color.name.lower()}_can_mate": plies is not None for color, plies in found.items()}
    distances = {f"{color.name.lower()}_helpmate_plies": plies for color, plies in found.items()}
    return {**can, "dead": not any(can.values()), **distances}


def flag_word(position: Position[M], found: Helpmates | str, flag: str) -> str:
    """Return the result once the flag of a side has fallen: for the other side, or unknown.

    Its clock runs, so it is to move; else `TablebaseError`.
    """
    fallen = FLAGS[flag]
    if position.color is not fallen:
        other = fallen.opponent.name.lower()
        raise TablebaseError(
            f"{flag.title()} is not to move, so its clock is not running: write --flag {other}, or "
            "the position before the move"
        )
    if isinstance(found, str):
        return "unknown"
    return "draw" if found[fallen.opponent] is None else "win"
