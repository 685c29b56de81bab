"""``tablebase annotate``: judge games by the tables."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import add_directory, directories_of, new_command, open_tables
from tablebase.cli.terminal import complain

if TYPE_CHECKING:
    from tablebase.study import Annotations


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "annotate games with values, mistakes and better moves"
    examples = {
        "game.pgn": "annotated PGN; a summary on the standard error",
        "--only-results - --dir tables": "games of the standard input; accept slow wins",
    }
    command = new_command(commands, "annotate", run, text, examples)
    command.add_argument("game", metavar="PGN", help="file of games, - for the standard input")
    command.add_argument(
        "--only-results",
        action="store_true",
        help="mark only moves that change the result, not slower ones",
    )
    add_directory(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out; 2 if a game could not be read to its end."""
    from tablebase.study import Annotations, annotate, read_game

    summary, games, broken = Annotations(), 0, ""
    name = "standard input" if arguments.game == "-" else arguments.game
    file = (
        sys.stdin
        if arguments.game == "-"
        else Path(arguments.game).open(encoding="utf-8-sig", errors="replace")  # noqa: SIM115
    )
    with file, open_tables(directories_of(arguments)) as tables:
        while (game := read_game(file)) is not None:
            games += 1
            if game.errors and not broken:
                broken = f"{name}: game {games}: {game.errors[0]}"
            summary += annotate(game, tables, only_results=arguments.only_results)
            print(game, end="\n\n")
    sys.stdout.flush()
    print(_in_words(summary, games), file=sys.stderr)
    if broken:
        complain(broken)
    return 2 if broken else 0


def _in_words(summary: Annotations, games: int) -> str:
    """Return a summary of some games in one line."""
    from tablebase.study import CHANGES, SLOWER

    sides = [
        f"{name} {summary.faults[color, CHANGES]} and {summary.faults[color, SLOWER]}"
        for color, name in ((True, "White"), (False, "Black"))
    ]
    missing = f"; no tables: {' '.join(sorted(summary.missing))}" if summary.missing else ""
    known = f"{summary.known} of {summary.positions} positions known"
    faults = f"moves that changed the result and that lost time: {', '.join(sides)}"
    return f"{games} game{'s' * (games != 1)}, {known}; {faults}{missing}"
