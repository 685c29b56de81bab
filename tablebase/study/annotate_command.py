"""``tablebase annotate``: annotate games by the tables."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tablebase.cli import Parser, add_directory, choose, complain, explain, name_of, open_text
from tablebase.core.remedies import of_missing_tables
from tablebase.core.words import counted

if TYPE_CHECKING:
    import chess

    from tablebase.core.probing import Tablebase
    from tablebase.study.annotation import Annotations
    from tablebase.study.pgn import GameText


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "game.pgn": "annotated PGN; a summary on standard error",
        "--only-results - --dir tables": "games from standard input; slow wins are accepted",
    }
    command.set_up(run, examples)
    command.add_argument("game", metavar="PGN", help="file of games, - for standard input")
    command.add_argument(
        "--only-results",
        action="store_true",
        help="mark only moves that change the result, not slower ones",
    )
    command.add_argument(
        "--difficulty",
        action="store_true",
        help="show how difficult the positions were, from 0 to 1: the share of mistakes that a "
        "player who sees four plies overlooks",
    )
    add_directory(command)


class _NoGameError(Exception):
    """A text without a tag and without a move."""


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out; return 2 if a game is not annotated."""
    from tablebase.study.annotation import Annotations
    from tablebase.study.pgn import split_games

    summary, games, failed, name = Annotations(), 0, 0, name_of(arguments.game)
    choice = choose(arguments)
    with open_text(arguments.game) as file, choice.open_tables() as tables:
        for games, text in enumerate(split_games(file), 1):
            printed = str(text)
            try:
                found, printed = _annotated(text, tables, arguments)
            except (OSError, MemoryError):  # no fault of the game
                raise
            except Exception as error:  # noqa: BLE001 (whatever it is, the other games are read)
                failed += 1
                complain(f"{name}: game {games}: {explain(error)}")
                if isinstance(error, _NoGameError):
                    continue
            else:
                summary += found
            print(printed, end="\n\n")
    sys.stdout.flush()
    if games > failed:
        print(_in_words(summary, games), file=sys.stderr)
    elif not games:
        complain(f"{name}: there is no game in it")
    if summary.missing:
        folders = [*map(str, choice.directories)]
        complain(of_missing_tables(sorted(summary.missing), folders, "", ""))
    return 2 if failed or not games else 0


def _annotated(
    text: GameText, tables: Tablebase, arguments: argparse.Namespace
) -> tuple[Annotations, str]:
    """Return the counts of a game, and the game annotated; raise the error of a bad game."""
    from tablebase.study.annotation import annotate
    from tablebase.study.pgn import read_game, write_game

    game = read_game(text)
    problem = game.errors[0] if game.errors else None
    if not (text.tags or game.variations):
        raise _NoGameError(f"neither a tag nor a move{f': {problem}' if problem else ''}")
    if problem:
        raise problem
    found = annotate(
        game, tables, only_results=arguments.only_results, difficulty=arguments.difficulty
    )
    return found, write_game(game)


def _in_words(summary: Annotations, games: int) -> str:
    """Return a summary of some games in one line."""
    known = f"{summary.known:,} of {counted(summary.positions, 'position')} known"
    sides = (
        f"{'White' if one else 'Black'}: {_side_in_words(summary, one)}." for one in (True, False)
    )
    return f"{counted(games, 'game')}, {known}. {' '.join(sides)}"


def _side_in_words(summary: Annotations, color: chess.Color) -> str:
    """Return the mistakes of a side, with the results that they gave up.

    Moves that win more slowly, or lose faster, than the best one are counted apart.
    """
    from tablebase.core.outcomes import Wdl50
    from tablebase.study.annotation import CHANGES, SLOWER

    mistakes, slower = (summary.faults[color, fault] for fault in (CHANGES, SLOWER))
    words = {Wdl50.WIN: "win", Wdl50.CURSED_WIN: "cursed win", Wdl50.DRAW: "draw"}
    numbers = {f"lost the {word}": summary.given_up[color, one] for one, word in words.items()}
    numbers["lost the draw"] += summary.given_up[color, Wdl50.BLESSED_LOSS]
    told = [f"{number:,} {what}" for what, number in numbers.items() if number]
    text = counted(mistakes, "mistake") if mistakes else "no mistakes"
    if told:
        text += f" ({', '.join(told).removeprefix('1 ') if mistakes == 1 else ', '.join(told)})"
    text += f", {counted(slower, 'slow move')}" if slower else ""
    if judged := summary.judged[color]:
        text += f", difficulty {summary.difficulty[color] / judged:.2f} on average"
    return text
