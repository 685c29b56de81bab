"""``tablebase probe``: look up a position."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import (
    add_directory,
    add_json,
    directories_of,
    new_command,
    open_tables,
)
from tablebase.cli.terminal import print_json
from tablebase.words import winner_moves

if TYPE_CHECKING:
    import chess

    from tablebase.probing import RankedMove


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "look up a position: result, distance to mate, all moves"
    examples = {
        '"8/8/8/8/8/2k5/1R6/K7 w - - 0 1"': "who wins, and what each move leads to",
        "--line 8/8/8/8/8/2k5/1R6/K7 b": "the moves up to mate",
        "--json --dir tables 8/8/8/8/8/2k5/1R6/K7": "the same for programs",
    }
    command = new_command(commands, "probe", run, text, examples)
    command.add_argument(
        "fen", metavar="FEN", nargs="+", help="the position, in one word or several"
    )
    add_directory(command)
    command.add_argument("--line", action="store_true", help="show the moves up to mate")
    add_json(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.board import read_fen
    from tablebase.cli.display import mainline_warning

    board = read_fen(" ".join(arguments.fen))
    with open_tables(directories_of(arguments)) as tablebase:
        dtm, wdl = tablebase.probe_dtm(board), tablebase.probe_wdl(board)
        ranked = tablebase.rank_moves(board)
        line = tablebase.mainline(board) if arguments.line else None
        warning = mainline_warning(tablebase, board, dtm)
    if arguments.json:
        description = _describe_position(board, dtm, wdl, ranked, line)
        print_json(description | {"fifty_move_warning": warning or None})
    else:
        _show_position(board, dtm, ranked, line)
        if warning:
            print(f"\n{warning}")
    return 0


def _show_position(
    board: chess.Board,
    dtm: int,
    ranked: Iterable[RankedMove],
    line: Sequence[chess.Move] | None,
) -> None:
    from tablebase.cli.display import (
        board_text,
        line_text,
        move_table,
        new_console,
        position_words,
        side_by_side,
    )
    from tablebase.cli.terminal import print_trimmed

    console = new_console()
    right: list[Any] = [position_words(board, dtm)]
    if ranked and line is None:
        right.append(move_table(board, ranked))
    print_trimmed(console, side_by_side(console, board_text(board), *right))
    if line is not None:
        text = line_text(board, line, console.width) if line else "There is no line to mate."
        print_trimmed(console, f"\n{text}")


def _describe_position(
    board: chess.Board,
    dtm: int,
    wdl: int,
    ranked: Iterable[RankedMove],
    line: Sequence[chess.Move] | None,
) -> dict[str, Any]:
    description: dict[str, Any] = {
        "fen": board.fen(),
        "result": {1: "win", 0: "draw", -1: "loss"}[wdl],
        "wdl": wdl,
        "dtm_plies": dtm,
        "dtm_moves": winner_moves(dtm) * (1 if dtm > 0 else -1),
        "checkmate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "moves": [
            {
                "uci": one.move.uci(),
                "san": board.san(one.move),
                "wdl": int(one.wdl),
                "dtm_plies": one.dtm,
                "mate": one.mate,
                "zeroing": one.zeroing,
            }
            for one in ranked
        ],
    }
    if line is not None:
        description["line"] = [move.uci() for move in line]
    return description
