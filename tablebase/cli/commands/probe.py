"""``tablebase probe``: look up a position, or all those of a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
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

    from tablebase.board import Wdl50
    from tablebase.cli.answer import Answer
    from tablebase.solving import ProvenMove


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "look up a position: result, distance to mate and to zeroing, all moves"
    examples = {
        '"8/8/8/8/8/2k5/1R6/K7 w - - 0 1"': "who wins, and what each move leads to",
        "--line 8/8/8/8/8/2k5/1R6/K7 b": "the moves up to mate",
        "--json --dir tables 8/8/8/8/8/2k5/1R6/K7": "the same for programs",
        "--file positions.epd": "CSV with a row for each FEN or EPD of a file",
        "--file - --json --best": "JSON lines with the best move, too",
    }
    command = new_command(commands, "probe", run, text, examples)
    command.add_argument(
        "fen", metavar="FEN", nargs="*", help="the position, in one word or several"
    )
    command.add_argument(
        "--file", metavar="FILE", help="look up each line of a file, - for the standard input"
    )
    command.add_argument("--best", action="store_true", help="with --file: the best move, too")
    add_directory(command)
    command.add_argument("--line", action="store_true", help="show the moves up to mate")
    add_json(command)
    command.set_defaults(refuse=command.error)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    if arguments.file is not None:
        if arguments.fen or arguments.line:
            arguments.refuse("--file takes neither FEN nor --line")
        from tablebase.cli.lines import probe_file

        return probe_file(arguments)
    if not arguments.fen or arguments.best:
        arguments.refuse("give a FEN, or a file of them by --file")
    return _probe_one(arguments)


def _probe_one(arguments: argparse.Namespace) -> int:
    from tablebase.board import read_fen
    from tablebase.cli.answer import best_line, look_up
    from tablebase.cli.proven import proven_result

    board = read_fen(" ".join(arguments.fen))
    with open_tables(directories_of(arguments)) as tablebase:
        wdl = proven_result(tablebase, board)
        if wdl is not None:
            line = tablebase.mainline(board) if arguments.line else None
            _tell_proven(arguments, board, wdl, tablebase.rank_proven(board), line)
            return 0
        answer = look_up(tablebase, board)
        line = best_line(tablebase, board) if arguments.line else None
    if arguments.json:
        print_json(_describe_position(board, answer, line))
    else:
        _show_position(board, answer, line)
        if answer.warning:
            print(f"\n{answer.warning}")
    return 0


def _tell_proven(
    arguments: argparse.Namespace,
    board: chess.Board,
    wdl: int,
    moves: Sequence[ProvenMove],
    line: Sequence[chess.Move] | None,
) -> None:
    from tablebase.cli.display import board_text, line_text, new_console, side_by_side
    from tablebase.cli.proven import describe_proven, end_of_line, moves_text, position_text
    from tablebase.cli.terminal import print_trimmed

    if arguments.json:
        found = describe_proven(board, wdl, moves)
        if line is not None:
            found["line"] = [move.uci() for move in line]
        print_json(found)
        return
    console = new_console()
    text = position_text(board, wdl, moves)
    if line is None:
        text += f"\n\n{moves_text(board, moves)}"
    print_trimmed(console, side_by_side(console, board_text(board), text))
    if line is not None:
        text = line_text(board, line, console.width) if line else ""
        rest = end_of_line(line, board) if wdl else "There is no line to mate."
        print_trimmed(console, "\n".join(("", *filter(None, (text, rest)))))


def category_of(result: Wdl50 | None) -> str:
    """Return the name of a result as the HTTP API of lichess has it."""
    return "unknown" if result is None else result.name.lower().replace("_", "-")


def _show_position(board: chess.Board, answer: Answer, line: Sequence[chess.Move] | None) -> None:
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
    right: list[Any] = [position_words(board, answer)]
    if answer.moves and line is None:
        right.append(move_table(board, answer.moves, console.width))
    print_trimmed(console, side_by_side(console, board_text(board), *right))
    if line is not None:
        text = line_text(board, line, console.width) if line else "There is no line to mate."
        print_trimmed(console, f"\n{text}")


def _describe_position(
    board: chess.Board, answer: Answer, line: Sequence[chess.Move] | None
) -> dict[str, Any]:
    dtm = answer.dtm
    description: dict[str, Any] = {
        "fen": board.fen(),
        "result": answer.wdl.name.lower(),
        "wdl": int(answer.wdl),
        "wdl50": answer.wdl50,
        "category": category_of(answer.wdl50),
        "dtm_plies": dtm,
        "dtm_moves": winner_moves(dtm) * (1 if dtm > 0 else -1),
        "dtz": answer.dtz,
        "checkmate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "fifty_move_warning": answer.warning or None,
        "moves": [
            {
                "uci": one.move.uci(),
                "san": board.san(one.move),
                "wdl": int(one.wdl),
                "wdl50": one.wdl50,
                "category": category_of(one.wdl50),
                "dtm_plies": one.dtm,
                "dtz": one.dtz,
                "mate": one.mate,
                "zeroing": one.zeroing,
            }
            for one in answer.moves
        ],
    }
    if line is not None:
        description["line"] = [move.uci() for move in line]
    return description
