"""A position on a terminal: board, result, moves by result.

Pieces are letters, White's in capitals: chess symbols are too small in many fonts, and on a dark
background the white ones look black.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import chess
from rich import box
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from tablebase.cli.terminal import UNLIMITED, protect
from tablebase.core.errors import MissingTableError
from tablebase.core.outcomes import MAX_PLIES, Wdl50
from tablebase.core.positions import fifty_move_warning
from tablebase.core.probing import Known, KnownMove
from tablebase.core.words import plies_in_words, result_in_words, winner_moves

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tablebase.core.probing import Tablebase

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
_PIECE_COLORS = {chess.WHITE: "bold #ffffff", chess.BLACK: "bold #000000"}


def board_text(board: chess.Board) -> Text:
    """Return a board in letters. A terminal with colours shows the colours of its squares."""
    text = Text(no_wrap=True)
    for rank in reversed(range(8)):
        text.append(f"{rank + 1} ")
        for file in range(8):
            piece = board.piece_at(chess.square(file, rank))
            style = _SQUARE_COLORS[(file + rank) % 2 == 1]
            if piece:
                style = f"{_PIECE_COLORS[piece.color]} {style}"
            text.append(piece.symbol() if piece else ".", style)
            text.append(" ", _SQUARE_COLORS[(file + rank) % 2 == 1])
        text.append("\n")
    return text.append("  " + " ".join("abcdefgh"))


def result_words(result: Wdl50 | None) -> str:
    """Return a result for the side to move.

    >>> result_words(Wdl50.CURSED_WIN)
    'cursed win'
    """
    return "not known" if result is None else result.name.lower().replace("_", " ")


def position_words(board: chess.Board, known: Known) -> Text:
    """Return the side to move, the result, and the result under the 50-move rule if known."""
    mover, other = ("White", "Black") if board.turn else ("Black", "White")
    if known.dtm is None:
        winner = {1: f"{mover} wins", 0: "Draw", -1: f"{other} wins"}[known.wdl]
        plies = known.dtz_without_rule50
        far = f": {zeroing_words(plies)}" if plies else ""
        return Text(f"{mover} to move\n{winner}, proven{far}")
    if board.is_stalemate():
        return Text("Stalemate: draw", "bold")
    result = result_in_words(
        known.dtm,
        white=board.turn,
        checkmate=board.is_checkmate(),
        drawn_by_rule=known.wdl50 in _DRAWN_BY_RULE,
    )
    if board.is_checkmate():
        return Text(result, "bold")
    checked = " and is in check" if board.is_check() else ""
    words = Text(f"{mover} to move{checked}\n").append(result, "bold")
    if known.dtz and known.wdl50 is not None:
        clock = f", clock {board.halfmove_clock}" if board.halfmove_clock else ""
        words.append(f"\nDTZ {plies_in_words(known.dtz)}{clock}: ")
        if known.wdl50 in _DRAWN_BY_RULE:
            words.append("a draw by the 50-move rule", "bold yellow")
        else:
            words.append("in time for the 50-move rule")
    return words


def rule_warning(tables: Tablebase, board: chess.Board, known: Known) -> str:
    """Return a warning if the 50-move rule may interfere, nothing if its effect is known."""
    if known.wdl50 is not None or not known.dtm:
        return ""
    line: list[chess.Move] = []
    if abs(known.dtm) <= MAX_PLIES:  # a longer line would take a minute to follow
        with suppress(MissingTableError):  # of a table that best play needs further on
            line = tables.mainline(board, rule50=False)
    warning = fifty_move_warning(board, known.dtm, line)
    return f"{warning[0].upper()}{warning[1:]}." if warning else ""


def zeroing_words(plies: int) -> str:
    """Return a distance to zeroing that `tablebase solve` has proven."""
    return f"DTZ {plies_in_words(plies)} without the 50-move rule"


def value_words(one: KnownMove) -> str:
    """Return the result of a move for the side that makes it."""
    if one.dtm is None:
        plies = one.dtz_without_rule50
        return result_words(one.result) + (f", {zeroing_words(plies)}" if plies else "")
    if one.dtm == 0:
        return "a draw"
    late = one.wdl50 in _DRAWN_BY_RULE
    words = f"mate{'d' * (one.dtm < 0)} in {winner_moves(one.dtm)}"
    return f"{words} (too late for the 50-move rule)" if late else words


def moves_shown(board: chess.Board, known: Known, width: int) -> list[RenderableType]:
    """Return the moves of a position, by result; nothing if there are none."""
    if known.is_proven:
        return ["", moves_text(board, known.moves)]
    return [move_table(board, known.moves, width)] if known.moves else []


def moves_text(board: chess.Board, moves: Iterable[KnownMove]) -> str:
    """Return moves by their proven results, one line for each result."""
    groups: dict[str, list[str]] = {}
    for one in moves:
        groups.setdefault(value_words(one), []).append(board.san(one.move))
    return "\n".join(f"{words}: {' '.join(sans)}" for words, sans in groups.items())


def move_table(board: chess.Board, ranked: Iterable[KnownMove], width: int = UNLIMITED) -> Table:
    """Return the moves of a position, one row for each result and distance, best first.

    Parameters
    ----------
    board
        The position.
    ranked
        Its moves, from `Tablebase.rank_moves`.
    width
        Characters in a row. If they are few, moves get the room of the plies.
    """
    groups: dict[tuple[int | None, ...], list[KnownMove]] = {}
    for one in ranked:
        groups.setdefault((one.wdl50, one.dtm, one.dtz), []).append(one)
    columns = ["result", "mate in", "plies", "DTZ", "moves"]
    if all(one.dtz is None for (one, *_) in groups.values()):
        columns.remove("DTZ")
    if width < WIDTH_FOR_PLIES:
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
            "mate in": str(winner_moves(one.dtm)) if one.dtm else "",
            "plies": str(abs(one.dtm)) if one.dtm else "",
            "DTZ": str(abs(one.dtz)) if one.dtz else "",
            "moves": " ".join(board.san(one.move) for one in group),
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


def line_text(board: chess.Board, line: Iterable[chess.Move], width: int, end: str = "") -> str:
    """Return the moves of a line, wrapped so that a move stays with its number.

    Parameters
    ----------
    board
        The position before them.
    line
        The moves.
    width
        Most characters in a row.
    end
        Words after the last move.
    """
    moves = board.variation_san(line).replace(". ", ".\N{NO-BREAK SPACE}")
    return textwrap.fill(moves + end, width).replace("\N{NO-BREAK SPACE}", " ")


def line_words(board: chess.Board, known: Known, line: Sequence[chess.Move], width: int) -> str:
    """Return the best moves of both sides as `line_text`, and a note if they do not end in mate."""
    if not line and not (known.is_proven and known.wdl):
        return "There is no line to mate."
    after = board.copy(stack=False)
    for move in line:
        after.push(move)
    end = ""
    if known.is_proven and not after.is_checkmate():
        end = f"No distances are known {'after this line' if line else 'here'}."
    return "\n".join(filter(None, (line_text(board, line, width), end)))


def new_console() -> Console:
    """Return a console wide enough for a result and at least one move."""
    console = Console(highlight=False)
    console.width = max(console.width, LEAST_WIDTH)
    return console
