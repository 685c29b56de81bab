"""Who can still mate, in words and in JSON, and what follows from a fallen flag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablebase.cli.display import line_text
from tablebase.core.answers.mating_chances import find_chance, line_of
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
_ARTICLES = {"checkmate": "5.1.1", "stalemate": "5.2.1"}
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


def judge_flag(tables: Tablebase, position: Position[M], flag: str) -> dict[str, Any]:
    """Return the result after the flag of a side has fallen.

    Its ``result`` is ``win`` (of the other side), ``draw`` or ``unknown``; ``article`` that of
    FIDE's Laws of Chess, None in other games; ``reason`` a sentence; ``line`` the moves up to a
    mate, None without one. The clock of the side runs, so it is to move; else `TablebaseError`.
    """
    fallen = FLAGS[flag]
    if position.color is not fallen:
        other = fallen.opponent.name.lower()
        raise TablebaseError(
            f"{flag.title()} is not to move, so its clock is not running: write --flag {other}, or "
            "the position before the move"
        )
    name = fallen.opponent.name.title()
    try:
        chance = find_chance(tables, position, fallen.opponent)
    except (InvalidRulesError, UnsupportedPositionError) as error:
        return {"result": "unknown", "article": None, "reason": str(error), "line": None}
    result = {True: "win", False: "draw", None: "unknown"}[chance.can_mate]
    article, line = None, line_of(tables, position, fallen.opponent, chance)
    if position.rules.ends_by_mate and chance.can_mate is not None:
        article = _ARTICLES.get(position.end or "", "6.9")
        if result == "draw" and not position.end:
            own = find_chance(tables, position, fallen)
            article = "5.2.2" if own.can_mate is False else article
    reason = chance.doubt if chance.can_mate is None else f"{name} {chance.reason}"
    if position.end:
        reason = f"{chance.reason}: the game was over before the flag fell"
    elif article == "5.2.2":
        reason += f"; nor can {flag.title()}, so the game was over before the flag fell"
    return {"result": result, "article": article, "reason": reason, "line": line}


def flag_text(judged: dict[str, Any]) -> str:
    """Return the result of a fallen flag for a person, without the line."""
    article = f" (FIDE {judged['article']})" if judged["article"] else ""
    return f"{judged['result']}{article}: {judged['reason']}"
