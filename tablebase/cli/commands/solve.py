"""``tablebase solve``: prove the result of one position, however many pawns it has."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import (
    add_directory,
    add_json,
    add_threads,
    directories_of,
    directory_to_write,
    new_command,
    open_tables,
)
from tablebase.cli.notice import COMPILES, NOTICE
from tablebase.cli.terminal import complain, explain, print_json, print_trimmed
from tablebase.compiling import compilation
from tablebase.interruptions import INTERRUPTED
from tablebase.words import bytes_in_words, time_in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    import chess

    from tablebase.solving import Estimate, Solution

NOT_SAVED = 2
_WORDS = {
    "at_least_draw": "at least a draw",
    "at_most_draw": "at most a draw",
    "unknown": "not known",
}


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "prove the result of a position of kings, pawns and up to three pieces"
    examples = {
        '"8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"': "who wins, and how",
        "--moves --budget 30m 8/5kpp/5p2/8/5P2/6PP/5K2/8": "prove the result of each move",
        "--save study 8/6p1/4k2p/8/5P2/6PP/6K1/8": "save the work, to resume it later",
        "--json --budget 90s,8GB 8/6p1/4k2p/8/5P2/6PP/6K1/8": "JSON for programs",
    }
    command = new_command(commands, "solve", run, text, examples)
    command.add_argument(
        "fen", metavar="FEN", nargs="+", help="the position, in one word or several"
    )
    command.add_argument(
        "--budget",
        metavar="TIME|SIZE",
        help="limit on time and memory, like 10m, 8GB or 10m,8GB "
        "(default: 10m and half of the machine's memory)",
    )
    command.add_argument(
        "--moves",
        action="store_true",
        help="prove the result of every move, not only that of the position",
    )
    command.add_argument(
        "--save",
        metavar="NAME",
        help="save what was solved in NAME.region in the folder of tables (or in the file that a "
        "path names); an existing file is resumed",
    )
    command.add_argument(
        "--verbose",
        action="store_true",
        help="also show how much can be reached, and how much was solved",
    )
    add_directory(command)
    add_threads(command)
    add_json(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.board import read_fen
    from tablebase.solving import NotSavedError, estimate, read_budget, solve_position

    board, compiled = read_fen(" ".join(arguments.fen)), compilation.seconds
    budget = read_budget(arguments.budget)
    if not arguments.json:
        print(_estimate_words(estimate(board)), file=sys.stderr, flush=True)
    problem = ""
    with open_tables(directories_of(arguments)) as tables, _showing_progress() as progress:
        try:
            solution = solve_position(
                board,
                budget,
                moves=arguments.moves,
                tables=tables,
                save=_path_to_save(arguments),
                threads=arguments.threads,
                progress=progress,
            )
        except NotSavedError as error:
            solution, problem = error.solution, explain(error)
    if arguments.json:
        print_json(solution.as_dict())
    else:
        _show(board, solution)
        if (compiled := compilation.seconds - compiled) >= 1:
            print(f"Kernels were compiled in {time_in_words(compiled)}, once.", file=sys.stderr)
    if problem:
        complain(problem)
        return NOT_SAVED
    if solution.stopped == "interrupted":
        complain("interrupted; what is said above is proven")
        return INTERRUPTED
    return 0


def _path_to_save(arguments: argparse.Namespace) -> Path | None:
    """Return the file that ``--save`` means."""
    from tablebase.storage import REGION_SUFFIX

    if arguments.save is None:
        return None
    path = Path(arguments.save)
    if path.suffix != REGION_SUFFIX:
        path = path.with_name(path.name + REGION_SUFFIX)
    if os.sep not in arguments.save:
        path = directory_to_write(arguments) / path
        path.parent.mkdir(parents=True, exist_ok=True)
    return path


def result_words(result: str) -> str:
    """Return a result of the side to move in words.

    >>> result_words("at_most_draw"), result_words("win")
    ('at most a draw', 'win')
    """
    return _WORDS.get(result, result)


def _estimate_words(estimate: Estimate) -> str:
    pieces = "one piece" if estimate.pieces == 1 else f"{estimate.pieces} pieces"
    text = (
        f"{_counted(estimate.structures, 'structure')} with up to {pieces} can be reached, "
        f"{estimate.planes * 8192:,} positions"
    )
    if not estimate.complete:
        return f"more than {text}; only those on which the result depends are solved"
    size, seconds = bytes_in_words(estimate.bytes), time_in_words(estimate.seconds)
    return f"{text}; all of them would take {seconds} and {size}"


@contextmanager
def _showing_progress() -> Iterator[Callable[[Solution], None]]:
    """Show on a terminal what is solved, in one line that is replaced."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _solution: None
        return
    NOTICE.is_needed = False
    with console.status(COMPILES) as status:
        yield lambda solution: status.update(
            f"{solution.structures:,} structures, {bytes_in_words(solution.bytes)}, "
            f"{time_in_words(solution.seconds)}: {result_words(solution.result)}, "
            f"{sum(move.proven for move in solution.moves)} of {len(solution.moves)} moves proven"
        )


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _rests_on(solution: Solution) -> str:
    if not solution.tables:
        return "No table was used"
    return f"The result rests on the tables of {', '.join(solution.tables)}"


def _headline(board: chess.Board, solution: Solution) -> str:
    mover, other = ("White", "Black") if board.turn else ("Black", "White")
    return {
        "win": f"{mover} wins, proven",
        "loss": f"{other} wins, proven",
        "draw": "Draw, proven",
        "at_least_draw": f"{mover} does not lose, proven; whether {mover} wins is open",
        "at_most_draw": f"{mover} does not win, proven; whether {mover} loses is open",
        "unknown": "Nothing is proven yet",
    }[solution.result]


def _show(board: chess.Board, solution: Solution) -> None:
    import chess

    from tablebase.cli.display import (
        board_text,
        line_text,
        new_console,
        side_by_side,
    )

    console = new_console()
    right = [f"{'White' if board.turn else 'Black'} to move", _headline(board, solution)]
    groups: dict[str, list[str]] = {}
    for move in solution.moves:
        groups.setdefault(result_words(move.result), []).append(move.san)
    right += [""] + [f"{result}: {' '.join(sans)}" for result, sans in groups.items()]
    print_trimmed(console, side_by_side(console, board_text(board), "\n".join(right)))
    if solution.plan:
        line = [chess.Move.from_uci(uci) for uci in solution.plan]
        title = "Best tries of both sides" if solution.result == "draw" else "A winning plan"
        print_trimmed(console, f"\n{title}:\n{line_text(board, line, console.width)}")
    print(
        f"\nSolved: {_counted(solution.structures, 'structure')} of pawns and pieces, "
        f"{_counted(solution.planes, 'placement')} of the pieces, "
        f"in {time_in_words(solution.seconds)} "
        f"and {bytes_in_words(solution.bytes)}. {_rests_on(solution)}; castling and the 50-move "
        "rule are left out."
    )
    if solution.stopped and solution.stopped != "interrupted":
        print(f"Not all is proven: {solution.stopped}.")
