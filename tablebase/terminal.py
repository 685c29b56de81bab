"""What people see on a terminal: tables, numbers, results."""

from __future__ import annotations

import json
from typing import Any

SIDES = {"white_to_move": "White", "black_to_move": "Black"}


def print_json(value: object) -> None:
    """Print a value for programs."""
    print(json.dumps(value, indent=1))


def new_table(*columns: str, left: int = 1) -> Any:
    """Return an empty table for the terminal; all but the first columns are numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number < left else "right")
    return table


def show(what: object) -> None:
    """Print text, or a table of `new_table`."""
    from rich.console import Console

    Console(highlight=False, soft_wrap=isinstance(what, str)).print(what)


def size_in_words(size: float) -> str:
    """Return a number of bytes for people."""
    from tablebase.steps import in_words

    return in_words(size)


def moves_in_words(plies: int) -> str:
    """Return a distance in plies as moves and plies."""
    moves = (abs(plies) + 1) // 2
    return f"{moves} move{'s' * (moves != 1)} ({abs(plies)} pl{'y' if abs(plies) == 1 else 'ies'})"


def result_in_words(dtm: int, *, white: bool, checkmate: bool) -> str:
    """Return a signed distance as people say it.

    >>> result_in_words(31, white=True, checkmate=False)
    'White wins: mate in 16 moves (31 plies)'
    """
    mover, other = ("White", "Black") if white else ("Black", "White")
    if checkmate:
        return f"{mover} is checkmated"
    if dtm == 0:
        return "Draw"
    return f"{mover if dtm > 0 else other} wins: mate in {moves_in_words(dtm)}"


def longest_win(attributes: dict[str, Any]) -> str:
    """Return the longest win that the attributes of a file tell."""
    wins = [win for win in attributes["longest_wins"].values() if win]
    if not wins:
        return "none"
    return moves_in_words(max(win["plies"] for win in wins))


def legal_positions(attributes: dict[str, Any]) -> int:
    """Return the number of inequivalent legal positions of both sides to move."""
    sides = [attributes["counts"][side]["inequivalent"] for side in SIDES]
    return sum(side["win"] + side["draw"] + side["loss"] for side in sides)
