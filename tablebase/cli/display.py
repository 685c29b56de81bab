"""A position as people read it on a terminal: board, result, moves by what they lead to.

Pieces are letters, White's in capitals: chess symbols are too small in many fonts, and on a dark
background the white ones look black.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING

import chess
from rich import box
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from tablebase.board import Wdl, fifty_move_warning
from tablebase.cli.terminal import UNLIMITED, protect
from tablebase.errors import MissingTableError
from tablebase.probing import RankedMove
from tablebase.words import result_in_words, winner_moves

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tablebase.probing import Tablebase

WORDS = {Wdl.WIN: "win", Wdl.DRAW: "draw", Wdl.LOSS: "loss"}
COLORS = {Wdl.WIN: "green", Wdl.DRAW: "yellow", Wdl.LOSS: "red"}
# On squares of a middle grey both white and black letters can be read, whatever the background.
_SQUARE_COLORS = {True: "on grey54", False: "on grey39"}
# Characters: a board with its ranks, what lies between it and other things, which get at least the
# room of some moves beside their results; all of it on a terminal that would cut moves off else.
GAP, ROOM_FOR_MOVES, LEAST_WIDTH = 4, 50, 38
BOARD_WIDTH = 18 + GAP
_PIECE_COLORS = {chess.WHITE: "bold #ffffff", chess.BLACK: "bold #000000"}


def board_text(board: chess.Board, *, black_below: bool = False) -> Text:
    """Return a board in letters; on a terminal with colours, its squares are coloured.

    Parameters
    ----------
    board
        The position.
    black_below
        Whether it is seen from Black's side.
    """
    files = range(7, -1, -1) if black_below else range(8)
    ranks = range(8) if black_below else range(7, -1, -1)
    text = Text(no_wrap=True)
    for rank in ranks:
        text.append(f"{rank + 1} ")
        for file in files:
            piece = board.piece_at(chess.square(file, rank))
            style = _SQUARE_COLORS[(file + rank) % 2 == 1]
            if piece:
                style = f"{_PIECE_COLORS[piece.color]} {style}"
            text.append(piece.symbol() if piece else ".", style)
            text.append(" ", _SQUARE_COLORS[(file + rank) % 2 == 1])
        text.append("\n")
    return text.append("  " + " ".join("abcdefgh"[file] for file in files))


def position_words(board: chess.Board, dtm: int) -> Text:
    """Return who is to move and the result, in two lines, one if the game is over.

    Parameters
    ----------
    board
        The position.
    dtm
        Its distance to mate in plies, as `Tablebase.probe_dtm` gives it.
    """
    mover = "White" if board.turn else "Black"
    if board.is_stalemate():
        return Text("Stalemate: draw", "bold")
    result = result_in_words(dtm, white=board.turn, checkmate=board.is_checkmate())
    if board.is_checkmate():
        return Text(result, "bold")
    checked = " and is in check" if board.is_check() else ""
    return Text(f"{mover} to move{checked}\n").append(result, "bold")


def move_table(board: chess.Board, ranked: Iterable[RankedMove]) -> Table:
    """Return the moves of a position, those that lead to the same in one row, best first.

    Parameters
    ----------
    board
        The position.
    ranked
        Its moves, from `Tablebase.rank_moves`.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("result", "mate in", "plies"):
        table.add_column(column, justify="left" if column == "result" else "right", no_wrap=True)
    table.add_column("moves")
    for (wdl, dtm), group in groupby(ranked, lambda one: (one.wdl, one.dtm)):
        plies = abs(dtm)
        table.add_row(
            Text(WORDS[wdl], COLORS[wdl]),
            str(winner_moves(dtm)) if dtm else "",
            str(plies) if dtm else "",
            " ".join(board.san(one.move) for one in group),
        )
    protect(table)
    return table


def side_by_side(console: Console, board: Text, *others: RenderableType) -> RenderableType:
    """Return a board with other things to the right of it, or below where there is no room."""
    options = console.options.update(width=UNLIMITED)
    most = max(Measurement.get(console, options, one).maximum for one in others)
    if BOARD_WIDTH + min(most, ROOM_FOR_MOVES) > console.width:
        return Group(board, "", *others)
    grid = Table.grid(padding=(0, GAP, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row(board, Group(*others))
    return grid


def mainline_warning(tables: Tablebase, board: chess.Board, dtm: int) -> str:
    """Return as a sentence how the 50-move rule may interfere, nothing if it cannot.

    Parameters
    ----------
    tables
        Tell best play, if they can.
    board
        The position.
    dtm
        Its distance to mate in plies.
    """
    warning = fifty_move_warning(board, dtm)
    if warning:
        with suppress(MissingTableError):  # of a table that best play needs further on
            warning = fifty_move_warning(board, dtm, tables.mainline(board))
    return f"{warning[0].upper()}{warning[1:]}." if warning else ""


def line_text(board: chess.Board, line: Iterable[chess.Move], width: int) -> str:
    """Return the moves of a line, broken so that a move stays with its number.

    Parameters
    ----------
    board
        The position before them.
    line
        The moves.
    width
        Most characters in a row.
    """
    moves = board.variation_san(line).replace(". ", ".\N{NO-BREAK SPACE}")
    return textwrap.fill(moves, width).replace("\N{NO-BREAK SPACE}", " ")


def new_console() -> Console:
    """Return the console for positions, wide enough for results beside at least one move."""
    console = Console(highlight=False)
    console.width = max(console.width, LEAST_WIDTH)
    return console
