"""``tablebase annotate``: annotate games by the tables, or count the mistakes of many."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.cli import (
    Parser,
    add_directory,
    choose,
    complain,
    explain,
    name_of,
    new_table,
    open_text,
    positive_number,
    show,
)
from tablebase.core.errors import TablebaseError
from tablebase.core.remedies import of_missing_tables
from tablebase.core.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    import chess
    import chess.pgn

    from tablebase.cli import Choice
    from tablebase.study.annotation import Annotations
    from tablebase.study.pgn import GameText
    from tablebase.study.summary import GameSummary

_MOST_SHOWN = 10


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "game.pgn": "annotated PGN; a summary on standard error",
        "--only-results - --dir tables": "games from standard input; slow wins are accepted",
        "--summary game.pgn --limit 3": "which endings and positions were given away",
    }
    command.set_up(run, examples)
    command.add_argument(
        "games",
        metavar="PGN",
        nargs="+",
        help="file of games, - for standard input; several only with --summary",
    )
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
    counts = command.add_argument_group("counts of many games")
    counts.add_argument(
        "--summary",
        action="store_true",
        help="instead of the games, print the mistakes by ending, and the positions up to symmetry "
        "that were given away most often",
    )
    counts.add_argument(
        "--limit",
        type=positive_number,
        metavar="N",
        help=f"show N positions (default: {_MOST_SHOWN})",
    )
    counts.add_argument(
        "--parquet", metavar="FILE", type=Path, help="write all positions to FILE, a row for each"
    )
    counts.add_argument(
        "--html", metavar="FILE", type=Path, help="write a page with diagrams to FILE"
    )
    counts.add_argument("--force", action="store_true", help="overwrite existing files")
    add_directory(command)
    command.set_defaults(refuse=command.error)


class _NoGameError(Exception):
    """A text without a tag and without a move."""


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out; return 2 if a game is not annotated."""
    _check(arguments)
    return _summarize(arguments) if arguments.summary else _annotate(arguments)


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that mean nothing together."""
    counting = ("limit", "parquet", "html", "force")
    for option in ("only_results", "difficulty") if arguments.summary else counting:
        if getattr(arguments, option):
            name, needed = option.replace("_", "-"), not arguments.summary
            arguments.refuse(f"--{name} {'needs' if needed else 'does not go with'} --summary")
    if not arguments.summary and len(arguments.games) > 1:
        arguments.refuse("name one file: only --summary takes several")
    if arguments.force and not (arguments.parquet or arguments.html):
        arguments.refuse("--force needs --parquet or --html")


def _annotate(arguments: argparse.Namespace) -> int:
    from tablebase.study.annotation import Annotations, annotate
    from tablebase.study.pgn import write_game

    total, choice = Annotations(), choose(arguments)
    options = {"only_results": arguments.only_results, "difficulty": arguments.difficulty}
    with choice.open_tables() as tables:

        def visit(game: chess.pgn.Game) -> None:
            nonlocal total
            found = annotate(game, tables, **options)
            print(write_game(game), end="\n\n")
            total += found

        games, failed = _each_game(arguments.games[0], visit, lambda one: print(one, end="\n\n"))
    sys.stdout.flush()
    if games > failed:
        print(_in_words(total, games), file=sys.stderr)
    _name_missing(total.missing, choice)
    return 2 if failed or not games else 0


def _each_game(
    file: str, visit: Callable[[chess.pgn.Game], None], give_back: Callable[[GameText], None]
) -> tuple[int, int]:
    """Visit the games of a file; return how many it has, and how many failed.

    A game that fails, by a fault of its own or in `visit`, is named and given back as text.
    """
    from tablebase.study.pgn import split_games

    games, failed, name = 0, 0, name_of(file)
    with open_text(file) as lines:
        for games, text in enumerate(split_games(lines), 1):
            try:
                visit(_game_of(text))
            except (OSError, MemoryError):  # no fault of the game
                raise
            except Exception as error:  # noqa: BLE001 (whatever it is, the other games are read)
                failed += 1
                complain(f"{name}: game {games}: {explain(error)}")
                if not isinstance(error, _NoGameError):
                    give_back(text)
    if not games:
        complain(f"{name}: there is no game in it")
    return games, failed


def _game_of(text: GameText) -> chess.pgn.Game:
    """Return a game; raise the error of a bad one."""
    from tablebase.study.pgn import read_game

    game = read_game(text)
    problem = game.errors[0] if game.errors else None
    if not (text.tags or game.variations):
        raise _NoGameError(f"neither a tag nor a move{f': {problem}' if problem else ''}")
    if problem:
        raise problem
    return game


def _name_missing(missing: set[str], choice: Choice) -> None:
    if missing:
        complain(of_missing_tables(sorted(missing), [*map(str, choice.directories)], "", ""))


def _summarize(arguments: argparse.Namespace) -> int:
    """Print the counts of games, and write them to the files that are asked for."""
    from tablebase.study.summary import GameSummary

    _check_files(arguments)
    choice, is_whole = choose(arguments), True
    with choice.open_tables() as tables:
        summary = GameSummary(tables)
        for file in arguments.games:
            games, failed = _each_game(file, summary.add, lambda _text: None)
            is_whole &= 0 == failed < games
    if summary.games:
        _show(summary, arguments.limit or _MOST_SHOWN)
        _write(summary, arguments)
        sys.stdout.flush()
        known = f"{summary.known:,} of {counted(summary.reached, 'position')} known"
        print(f"{counted(summary.games, 'game')}, {known}.", file=sys.stderr)
    _name_missing(summary.missing, choice)
    return 0 if is_whole else 2


def _check_files(arguments: argparse.Namespace) -> None:
    """Raise an error if a file cannot be read or written, before games take their time."""
    from tablebase.study.parquet_options import refuse_existing
    from tablebase.study.positions import import_extra

    for file in arguments.games:
        if file != "-":  # the standard input
            Path(file).stat()  # a pipe can be opened only once
    outputs = (arguments.parquet, "pyarrow.parquet", "arrow"), (arguments.html, "jinja2", "report")
    for path, module, extra in outputs:
        if path is not None:
            refuse_existing(path, force=arguments.force)
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                import_extra(module, f"files like {path}", extra=extra)
            except ImportError as error:
                raise TablebaseError(str(error)) from None


def _show(summary: GameSummary, limit: int) -> None:
    """Print the counts by ending, and the positions given away most often."""
    columns = ("moves", "mistakes", "share", "predicted")
    tables = [new_table("ending", "reached", "games", *columns)]
    for one in summary.endings():
        cells = (one.material.name, f"{one.reached:,}", f"{one.games:,}")
        tables[0].add_row(*cells, *_numbers(one.moves, one.mistakes, one.predicted))
    tables.append(new_table("position", "result", "given away by", *columns, left=3))
    for count in summary.given_away(limit):
        words = (count.fen, count.result_name, count.in_words(count.mistakes))
        numbers = (count.moves.total(), count.mistakes.total(), count.difficulty)
        tables[1].add_row(*words, *_numbers(*numbers))
    for table in tables:
        if table.row_count:
            show(table)


def _numbers(moves: int, mistakes: int, predicted: float | None) -> list[str]:
    share = mistakes / moves if moves else None
    shares = ("" if part is None else f"{part:.1%}" for part in (share, predicted))
    return [f"{moves:,}", f"{mistakes:,}", *shares]


def _write(summary: GameSummary, arguments: argparse.Namespace) -> None:
    """Write the counts to the files that are asked for, complete or absent."""
    if arguments.parquet:
        from tablebase.core.storage import complete_or_absent
        from tablebase.study.positions import import_extra

        parquet = import_extra("pyarrow.parquet", "Parquet files", extra="arrow")
        with complete_or_absent(arguments.parquet) as partial:
            parquet.write_table(summary.to_arrow(), partial, compression="zstd")
    if arguments.html:
        from tablebase.study.report import write_summary

        names = [name_of(file) for file in arguments.games]
        write_summary(summary, arguments.html, names, arguments.limit or _MOST_SHOWN)


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
