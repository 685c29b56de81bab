"""``tablebase probe``: look up a position, or all positions of a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import Parser, add_json
from tablebase.cli.choice import add_directory, add_rules, choose
from tablebase.cli.terminal import complain, print_json
from tablebase.core.ground.words import winner_moves

if TYPE_CHECKING:
    from tablebase.core.answers.known import Known
    from tablebase.core.answers.ranking import KnownMove
    from tablebase.core.outcomes.metrics import Wdl50
    from tablebase.core.positions.position import M, Position


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        '"8/8/8/8/8/2k5/1R6/K7 w - - 0 1"': "the result, and the result of each move",
        "--line 8/8/8/8/8/2k5/1R6/K7 b": "the moves up to mate",
        "--json --dir tables 8/8/8/8/8/2k5/1R6/K7 w": "JSON for programs",
        '--flag black "8/8/8/8/8/2k5/1n6/KQ6 b - - 0 1"': "the result when Black's flag fell",
        "--file positions.epd": "a CSV row for each FEN or EPD of a file",
        "--file - --json --best": "JSON lines with best moves, from standard input",
    }
    command.set_up(run, examples, "looking positions up")
    command.add_argument(
        "fen", metavar="FEN", nargs="*", help="the position, in one word or several"
    )
    command.add_argument(
        "--file", metavar="FILE", help="look up every line of FILE, - for standard input"
    )
    command.add_argument("--best", action="store_true", help="with --file: add the best move")
    command.add_argument("--line", action="store_true", help="show the moves up to mate")
    add_directory(command)
    command.add_argument(
        "--help-distance",
        action="store_true",
        help="show who can still mate if both sides help (needs `tablebase build --metric help`)",
    )
    command.add_argument(
        "--flag",
        type=str.lower,
        choices=("white", "black"),
        help="for arbiters: this side's flag fell; print win (of the other), draw or unknown, the "
        "article and the reason, with --line moves up to a mate",
    )
    command.add_argument(
        "--difficulty",
        action="store_true",
        help="with --json: how hard the position after each move is for the opponent, 0 to 1",
    )
    add_rules(command)
    add_json(command)
    command.set_defaults(refuse=command.error)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    if arguments.difficulty and (not arguments.json or arguments.file):
        arguments.refuse("--difficulty needs --json, and does not take --file")
    if arguments.file is not None:
        if arguments.fen or arguments.line or arguments.flag or arguments.help_distance:
            arguments.refuse("--file takes neither FEN nor --line, --flag or --help-distance")
        from tablebase.cli.lines import probe_file

        return probe_file(arguments)
    if arguments.flag and arguments.help_distance:
        arguments.refuse("--flag does not take --help-distance, but --line")
    if not arguments.fen or arguments.best:
        arguments.refuse("give a FEN, or a file of FENs with --file")
    return _probe_one(arguments)


def _probe_one(arguments: argparse.Namespace) -> int:
    from tablebase.cli.display import rule_warning
    from tablebase.cli.mating import find_helpmates, help_json, help_words, judge_flag
    from tablebase.core.answers.known import best_line, look_up
    from tablebase.core.ground.errors import MissingTableError
    from tablebase.core.ground.seams import load_measure
    from tablebase.core.positions.any_position import left_out, read_position

    choice = choose(arguments)
    text = " ".join(arguments.fen)
    position = read_position(text, choice.rules)
    if words := left_out(text, choice.rules):
        complain(words)
    with choice.open_tables() as tables:
        if arguments.flag:
            judged = judge_flag(tables, position, arguments.flag)
            return _show_flag(position, judged, arguments)
        helpmates = find_helpmates(tables, position)
        hard = partial(load_measure("difficulty"), tables) if arguments.difficulty else None
        try:
            known = look_up(tables, position, difficulty_of=hard)
        except MissingTableError as error:
            if arguments.help_distance and isinstance(helpmates, str):
                raise MissingTableError(helpmates) from error  # whose command builds both
            raise
        warning = rule_warning(tables, position, known)
        line = best_line(tables, position) if arguments.line else None
        helped = help_words(tables, position, helpmates, asked=arguments.help_distance)
    if arguments.json:
        description = _description(position, known, line, warning) | help_json(position, helpmates)
        if arguments.difficulty:
            for move, one in zip(description["moves"], known.moves, strict=True):
                move["difficulty"] = one.difficulty
        print_json(description)
    else:
        _show(position, known, line, "\n".join(filter(None, (*helped, warning))))
    return 0


def _show_flag(
    position: Position[Any], judged: dict[str, Any], arguments: argparse.Namespace
) -> int:
    """Print the result of a fallen flag; the exit code is 1 if it is unknown."""
    from tablebase.cli.display import line_text
    from tablebase.cli.mating import flag_text

    line = judged["line"]
    if arguments.json:
        moves = None if line is None else [move.uci() for move in line]
        print_json({**judged, "fen": position.fen, "line": moves})
    elif judged["result"] == "unknown":
        print(judged["result"])
        print(judged["reason"], file=sys.stderr)
    else:
        print(flag_text(judged))
        if line and arguments.line:
            print(line_text(position, line))
    return int(judged["result"] == "unknown")


def _description(
    position: Position[M], known: Known[M], line: Sequence[M] | None, warning: str
) -> dict[str, Any]:
    rules = position.rules

    def values(one: Known[M] | KnownMove[M]) -> dict[str, Any]:
        # Without the 50-move rule there is nothing that it leaves open.
        result = one.wdl50 if rules.fifty_moves else one.result
        return {
            "wdl": one.wdl,
            "wdl50": one.wdl50,
            "category": category_of(result),
            "dtm_plies": one.dtm,
            "dtz": one.dtz,
            **({"dtz_without_rule50": one.dtz_without_rule50} if known.is_proven else {}),
        }

    dtm_moves = None if known.dtm is None else winner_moves(known.dtm) * (-1) ** (known.dtm < 0)
    end = position.end
    description: dict[str, Any] = {
        **({"rules": rules.name, "rules_sha256": rules.digest} if rules.mark else {}),
        "fen": position.fen,
        "result": known.wdl.name.lower(),
        **values(known),
        "dtm_moves": dtm_moves,
        "checkmate": end == "checkmate",
        "stalemate": end == "stalemate",
        "over": end is not None,
        "fifty_move_warning": warning or None,
        "moves": [
            {
                "uci": one.move.uci(),
                "san": position.name_of(one.move),
                **values(one),
                "mate": one.mate,
                "zeroing": one.zeroing,
            }
            for one in known.moves
        ],
    }
    if line is not None:
        description["line"] = [move.uci() for move in line]
    return description


def category_of(result: Wdl50 | None) -> str:
    """Return the name of a result in the HTTP API of lichess."""
    return "unknown" if result is None else result.name.lower().replace("_", "-")


def _show(position: Position[M], known: Known[M], line: Sequence[M] | None, warning: str) -> None:
    from tablebase.cli.display import (
        board_text,
        line_words,
        moves_shown,
        new_console,
        position_words,
        side_by_side,
    )
    from tablebase.cli.terminal import print_trimmed

    console = new_console()
    right: list[Any] = [position_words(position, known)]
    if line is None:
        right += moves_shown(position, known, console.width)
    print_trimmed(console, side_by_side(console, board_text(position), *right))
    if line is not None:
        print_trimmed(console, f"\n{line_words(position, known, line, console.width)}".rstrip())
    if warning:
        print(f"\n{warning}")
