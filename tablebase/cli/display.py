"""A position on a terminal: board, result, moves by result.

Pieces are letters, White's in capitals: chess symbols are too small in many fonts, and on a dark
background the white ones look black.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from tablebase.cli.terminal import UNLIMITED, protect
from tablebase.core.answers.known import Known, best_line
from tablebase.core.answers.ranking import KnownMove
from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.ground.words import plies_in_words, result_in_words, winner_moves
from tablebase.core.outcomes.codes import MAX_PLIES, Wdl
from tablebase.core.outcomes.metrics import MATED_OUTCOME, Wdl50
from tablebase.core.positions.fifty_moves import fifty_move_warning
from tablebase.core.positions.position import M, Position

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tablebase.core.answers.tablebase import Tablebase

_DRAWN_BY_RULE = {Wdl50.CURSED_WIN, Wdl50.BLESSED_LOSS}
COLORS: dict[Wdl50 | None, str] = {Wdl50.WIN: "green", Wdl50.LOSS: "red"}  # all others are yellow
# On squares of a middle grey both white and black letters can be read, whatever the background.
_SQUARE_COLORS = {True: "on grey54", False: "on grey39"}
# Characters: between the board and its neighbour, the least room of moves and results beside the
# board, and the least width of the console, so that no move is cut.
GAP, ROOM_FOR_MOVES, LEAST_WIDTH = 4, 50, 38
# Below this width a row of the table of moves has room for only one or two of them.
WIDTH_FOR_PLIES = 48
BOARD_WIDTH = 18 + GAP
_PIECE_COLORS = {True: "bold #ffffff", False: "bold #000000"}


def board_text(position: Position[M]) -> Text:
    """Return a board in letters. A terminal with colours shows the colours of its squares."""
    text = Text(no_wrap=True)
    rows = position.fen.split()[0].split("/")
    for rank, row in zip(range(len(rows), 0, -1), rows, strict=True):
        text.append(f"{rank} ")
        signs = "".join("." * int(sign) if sign.isdigit() else sign for sign in row)
        for file, sign in enumerate(signs):
            square = _SQUARE_COLORS[(file + rank) % 2 == 0]
            style = f"{_PIECE_COLORS[sign.isupper()]} {square}" if sign.isalpha() else square
            text.append(sign, style)
            text.append(" ", square)
        text.append("\n")
    return text.append("  " + " ".join("abcdefgh"[: position.rules.files]))


def position_words(position: Position[M], known: Known[M]) -> Text:
    """Return the side to move, the result, and the result under the 50-move rule if known."""
    is_white = position.color is Color.WHITE
    mover, other = ("White", "Black") if is_white else ("Black", "White")
    if known.is_proven:
        winner = {1: f"{mover} wins", 0: "Draw", -1: f"{other} wins"}[known.wdl]
        plies = known.dtz_without_rule50
        far = f": {zeroing_words(plies)}" if plies else ""
        return Text(f"{mover} to move\n{winner}, proven{far}")
    if end := position.end:
        has = "won" if known.wdl == Wdl.WIN else "lost"
        over = f"{mover} has {has}: {end}"
        if end == "checkmate":
            over = f"{mover} is checkmated"
        elif known.wdl == Wdl.DRAW:
            over = "Draw: both kings are at the goal" if end == "goal" else "Stalemate: draw"
        return Text(over, "bold")
    late = known.wdl50 in _DRAWN_BY_RULE
    if known.dtm is None:
        result = {1: f"{mover} wins", 0: "Draw", -1: f"{other} wins"}[known.wdl]
    else:
        result = result_in_words(
            known.dtm,
            white=is_white,
            checkmate=False,
            drawn_by_rule=late,
            by_mate=position.rules.ends_by_mate,
        )
    checked = " and is in check" if position.is_check() else ""
    words = Text(f"{mover} to move{checked}\n").append(result, "bold")
    if known.dtz and known.wdl50 is not None:
        clock = f", clock {position.clock}" if position.clock else ""
        words.append(f"\nDTZ {plies_in_words(known.dtz)}{clock}: ")
        if late:
            words.append("a draw by the 50-move rule", "bold yellow")
        else:
            words.append("in time for the 50-move rule")
    return words


def zeroing_words(plies: int) -> str:
    """Return a distance to zeroing that `tablebase solve` has proven."""
    return f"DTZ {plies_in_words(plies)} without the 50-move rule"


def rule_warning(tables: Tablebase, position: Position[M], known: Known[M]) -> str:
    """Return a warning if the 50-move rule may interfere, nothing if its effect is known."""
    if known.wdl50 is not None or not known.dtm or not position.rules.fifty_moves:
        return ""
    line: Sequence[Any] = ()
    if abs(known.dtm) <= MAX_PLIES:  # a longer line would take a minute to follow
        with suppress(MissingTableError):  # of a table that best play needs further on
            line = best_line(tables, position, rule50=False)
    warning = fifty_move_warning(position, known.dtm, line)
    return f"{warning[0].upper()}{warning[1:]}." if warning else ""


def moves_shown(position: Position[M], known: Known[M], width: int) -> list[RenderableType]:
    """Return the moves of a position, by result; nothing if there are none."""
    if known.is_proven:
        return ["", moves_text(position, known.moves)]
    return [move_table(position, known.moves, width)] if known.moves else []


def moves_text(position: Position[M], moves: Iterable[KnownMove[M]]) -> str:
    """Return moves by their proven results, one line for each result."""
    groups: dict[str, list[str]] = {}
    for one in moves:
        groups.setdefault(value_words(one), []).append(position.name_of(one.move))
    return "\n".join(f"{words}: {' '.join(sans)}" for words, sans in groups.items())


def value_words(one: KnownMove[M]) -> str:
    """Return the result of a move for the side that makes it."""
    if one.dtm is None:  # as the moves shown here are proven
        plies = one.dtz_without_rule50
        return result_words(one.result) + (f", {zeroing_words(plies)}" if plies else "")
    if one.dtm == 0:
        return "a draw"
    late = one.wdl50 in _DRAWN_BY_RULE
    words = f"mate{'d' * (one.dtm < 0)} in {winner_moves(one.dtm)}"
    return f"{words} (too late for the 50-move rule)" if late else words


def result_words(result: Wdl50 | None) -> str:
    """Return a result for the side to move.

    >>> result_words(Wdl50.CURSED_WIN)
    'cursed win'
    """
    return "not known" if result is None else result.name.lower().replace("_", " ")


def move_table(
    position: Position[M], ranked: Iterable[KnownMove[M]], width: int = UNLIMITED
) -> Table:
    """Return the moves of a position, one row for each result and distance, best first.

    In a narrow `width`, moves get the room of the plies.
    """
    groups: dict[tuple[int | None, ...], list[KnownMove[M]]] = {}
    for one in ranked:
        groups.setdefault((one.wdl50, one.dtm, one.dtz), []).append(one)
    far = "mate in" if position.rules.ends_by_mate else "end in"
    columns = ["result", far, "plies", "DTZ", "moves"]
    if all(one.dtz is None for (one, *_) in groups.values()):
        columns.remove("DTZ")
    if not position.rules.distance_tells:
        columns = [one for one in columns if one not in {far, "plies"}]
    elif width < WIDTH_FOR_PLIES:
        columns.remove("plies")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        justify: Any = "left" if column in {"result", "moves"} else "right"
        table.add_column(column, justify=justify, no_wrap=column != "moves")
    for group in groups.values():
        one = group[0]
        result = one.result
        cells: dict[str, RenderableType] = {
            "result": Text(result_words(result), COLORS.get(result, "yellow")),
            far: str(winner_moves(one.dtm)) if one.dtm else "",
            "plies": str(abs(one.dtm)) if one.dtm else "",
            "DTZ": str(abs(one.dtz)) if one.dtz else "",
            "moves": " ".join(position.name_of(one.move) for one in group),
        }
        table.add_row(*(cells[column] for column in columns))
    protect(table)
    return table


def side_by_side(console: Console, board: Text, *others: RenderableType) -> RenderableType:
    """Return a board with other things to its right, or below it where there is no room."""
    options = console.options.update(width=UNLIMITED)
    most = max(Measurement.get(console, options, one).maximum for one in others)
    if BOARD_WIDTH + min(most, ROOM_FOR_MOVES) > console.width:
        return Group(board, "", *others)
    grid = Table.grid(padding=(0, GAP, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row(board, Group(*others))
    return grid


def line_words(position: Position[M], known: Known[M], line: Sequence[M], width: int) -> str:
    """Return the best moves of both sides as `line_text`, and a note if they do not end in mate."""
    if not line and not (known.is_proven and known.wdl):
        return f"There is no line to {'mate' if position.rules.ends_by_mate else 'a win'}."
    last = position
    for move in line:
        last = last.after(move)
    end = ""
    if known.is_proven and last.final_outcome() != MATED_OUTCOME:
        end = f"No distances are known {'after this line' if line else 'here'}."
    return "\n".join(filter(None, (line_text(position, line, width), end)))


def line_text(
    position: Position[M], line: Iterable[M], width: int = UNLIMITED, end: str = ""
) -> str:
    """Return the moves of a line, then `end`, wrapped so that a move stays with its number."""
    words: list[str] = []
    number = position.number
    for move in line:
        name, is_white = position.name_of(move), position.color is Color.WHITE
        if is_white or not words:
            name = f"{number}.\N{NO-BREAK SPACE}{name}" if is_white else f"{number}...{name}"
        words.append(name)
        number += not is_white
        position = position.after(move)
    return textwrap.fill(" ".join(words) + end, width).replace("\N{NO-BREAK SPACE}", " ")


def new_console() -> Console:
    """Return a console wide enough for a result and at least one move."""
    console = Console(highlight=False)
    console.width = max(console.width, LEAST_WIDTH)
    return console
