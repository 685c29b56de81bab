"""``tablebase solve``: prove the result of one position, however many pawns it has."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.cli.arguments import Parser, add_json, add_threads
from tablebase.cli.choice import add_directory, choose
from tablebase.cli.notice import COMPILES, NOTICE
from tablebase.cli.terminal import complain, explain, print_json, print_trimmed
from tablebase.core.ground.compiling import compilation
from tablebase.core.ground.interruptions import INTERRUPTED
from tablebase.core.ground.words import bytes_in_words, counted, time_in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    import chess

    from tablebase.solve.answers import Estimate, Solution
    from tablebase.solve.proofs import ProofSize

NOT_SAVED = 2
_WORDS = {
    "at_least_draw": "at least a draw",
    "at_most_draw": "at most a draw",
    "unknown": "not known",
}
_HEADLINES = {
    "win": "{mover} wins.",
    "draw": "Draw.",
    "loss": "{other} wins.",
    "at_least_draw": "{mover} does not lose. Whether {mover} wins is open.",
    "at_most_draw": "{mover} does not win. Whether {mover} loses is open.",
    "unknown": "Nothing is proven yet.",
}
# Results of moves that do not keep that of the position.
_WORSE = {"win": {"draw", "loss", "at_most_draw"}, "draw": {"loss"}}


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        '"8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"': "who wins, and how",
        "--moves --budget 30m 8/5kpp/5p2/8/5P2/6PP/5K2/8": "prove the result of each move",
        "--save study 8/6p1/4k2p/8/5P2/6PP/6K1/8": "save the work, to resume it later",
        "--proof fahrni.proof --complete 2k5/8/p1P5/P2K4/8/8/8/8": "a proof that others can check",
        "--json --budget 90s,8GB 8/6p1/4k2p/8/5P2/6PP/6K1/8": "JSON for programs",
    }
    command.set_up(run, examples, "solving the position")
    command.add_argument(
        "fen", metavar="FEN", nargs="+", help="the position, in one word or several"
    )
    command.add_argument(
        "--budget",
        metavar="TIME|SIZE",
        help="limit on time and memory, the proof included, like 10m, 8GB or 10m,8GB "
        "(default: 10m and half of the machine's memory)",
    )
    command.add_argument(
        "--moves",
        action="store_true",
        help="prove the result of every move, not only of the position",
    )
    saved = command.add_argument_group("saved work and proofs")
    saved.add_argument(
        "--save",
        metavar="NAME",
        help="save what was solved in NAME.region in the folder of tables (or in the file that a "
        "path names); the work in an existing file is resumed",
    )
    saved.add_argument(
        "--proof",
        metavar="FILE",
        type=Path,
        help="write a proof of the result, which examples/check_proof.py checks",
    )
    saved.add_argument(
        "--complete",
        action="store_true",
        help="use no tables, so that a proof does not rely on any",
    )
    command.add_argument(
        "--verbose",
        action="store_true",
        help="also show how many positions can be reached, and how many were solved",
    )
    add_directory(command)
    add_threads(command)
    add_json(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.core.positions.any_position import left_out, read_board
    from tablebase.solve.answers import NoProofError, NotSavedError, estimate, solve_position
    from tablebase.solve.budget import read_budget

    text = " ".join(arguments.fen)
    board, compiled = read_board(text), compilation.seconds
    if words := left_out(text):
        complain(words)
    budget = read_budget(arguments.budget)
    if arguments.verbose and not arguments.json:
        print(_estimate_words(estimate(board)), file=sys.stderr, flush=True)
    problem, is_shown, choice = "", arguments.json, choose(arguments)

    def show(solution: Solution) -> None:
        """Show a solution, the first time."""
        nonlocal is_shown
        if not is_shown:
            _show(board, solution)
            print(_closing_words(solution), flush=True)
        is_shown = True

    with choice.open_tables() as tables, _showing_progress(show) as progress:
        try:
            solution = solve_position(
                board,
                budget,
                moves=arguments.moves,
                tables=None if arguments.complete else tables,
                save=_path_to_save(arguments.save, choice.build_directory),
                proof=arguments.proof,
                threads=arguments.threads,
                progress=progress,
            )
        except (NoProofError, NotSavedError) as error:
            solution, problem = error.solution, explain(error)
    if arguments.json:
        print_json(solution.as_dict())
    else:
        show(solution)
        if solution.proof is not None:
            print(_proof_words(arguments.proof, solution.proof))
        if arguments.verbose:
            print(_work_words(solution))
        if (compiled := compilation.seconds - compiled) >= 1:
            time = time_in_words(compiled)
            print(f"Compiling kernels took {time} (on first use only).", file=sys.stderr)
    if problem:
        complain(problem)
        return NOT_SAVED
    if solution.stopped == "interrupted":
        proof = ", but no proof was written" if arguments.proof else ""
        complain(f"interrupted: the results above are proven{proof}")
        return INTERRUPTED
    return 0


def _estimate_words(estimate: Estimate) -> str:
    text = (
        f"Reachable with up to {counted(estimate.pieces, 'piece')}: "
        f"{'' if estimate.complete else 'more than '}{counted(estimate.structures, 'structure')}, "
        f"{counted(estimate.planes * 8192, 'position')}"
    )
    if not estimate.complete:
        return f"{text}. Only those that the result depends on are solved."
    size, seconds = bytes_in_words(estimate.bytes), time_in_words(estimate.seconds)
    return f"{text}. Solving all of them would take {seconds} and {size}."


def _show(board: chess.Board, solution: Solution) -> None:
    import chess

    from tablebase.cli.display import board_text, line_text, new_console, side_by_side
    from tablebase.core.positions.chess_position import ChessPosition

    console, position = new_console(), ChessPosition(board)
    right = [f"{'White' if board.turn else 'Black'} to move", headline(board, solution)]
    groups: dict[str, list[str]] = {}
    for move in solution.moves:
        groups.setdefault(result_words(move.result), []).append(move.san)
    right += [""] + [f"{result}: {' '.join(sans)}" for result, sans in groups.items()]
    print_trimmed(console, side_by_side(console, board_text(position), "\n".join(right)))
    if solution.plan:
        line = [chess.Move.from_uci(uci) for uci in solution.plan]
        text = line_text(position, line, console.width, end=line_end(board, line))
        print_trimmed(console, f"\n{text}")
    print()


def headline(board: chess.Board, solution: Solution) -> str:
    """Return the result of a position, and the only move that keeps it if there is but one."""
    mover, other = ("White", "Black") if board.turn else ("Black", "White")
    if not solution.moves:
        return f"{mover} is checkmated." if board.is_check() else "Stalemate: draw."
    text = _HEADLINES[solution.result].format(mover=mover, other=other)
    worse = _WORSE.get(solution.result, set())
    good = [move.san for move in solution.moves if move.result not in worse]
    if len(good) == 1 < len(solution.moves):
        text += f" Only {good[0]} {'wins' if solution.result == 'win' else 'draws'}."
    return text


def result_words(result: str) -> str:
    """Return a result for the side to move in words.

    >>> result_words("at_most_draw"), result_words("win")
    ('at most a draw', 'win')
    """
    return _WORDS.get(result, result)


def line_end(board: chess.Board, line: Sequence[chess.Move]) -> str:
    """Return the end of a line in words, nothing if it ends in mate."""
    after = board.copy(stack=False)
    before = set()
    for move in line:
        before.add(after.epd())
        after.push(move)
    if after.is_checkmate():
        return ""
    if after.is_stalemate():
        return ", stalemate."
    if after.is_insufficient_material():
        return ", and neither side can mate."
    return ", and the position repeats." if after.epd() in before else ", and so on."


def _closing_words(solution: Solution) -> str:
    """Return the time of the proof and its tables, or the reason why it is not complete."""
    time, stopped = time_in_words(solution.seconds), solution.stopped
    if stopped.endswith("used up"):
        stopped += ", a larger --budget may prove more"
    reason = f": {stopped}" if stopped else ""
    if not solution.proven:
        return f"Stopped after {time}{reason}."
    tables = f"tables used: {', '.join(solution.tables)}" if solution.tables else "no tables used"
    text = f"Proven in {time} ({tables}). Castling and the 50-move rule are left out."
    if stopped:
        return f"{text}\nThe results of some moves are open{reason}."
    if all(move.proven for move in solution.moves):
        return text
    return f"{text}\nAdd --moves to prove the result of every move."


@contextmanager
def _showing_progress(show: Callable[[Solution], None]) -> Iterator[Callable[[Solution], None]]:
    """Show progress on a terminal, in one line that is replaced, and what only lacks a proof."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda solution: show(solution) if solution.proof else None
        return
    NOTICE.is_needed = False
    is_shown = False
    with console.status(COMPILES) as status:

        def report(solution: Solution) -> None:
            nonlocal is_shown
            if solution.proof and not is_shown:
                is_shown = True
                status.stop()  # it would take for its own what is printed
                show(solution)
                status.start()
            status.update(_progress_words(solution))

        yield report


def _progress_words(solution: Solution) -> str:
    """Return the progress of a solution, or of its proof."""
    if solution.proof:
        far = f"proof of {counted(solution.proof.positions, 'position')}"
    else:
        proven = sum(move.proven for move in solution.moves)
        far = f"{proven} of {counted(len(solution.moves), 'move')} proven"
    time, size = time_in_words(solution.seconds), bytes_in_words(solution.bytes)
    return f"{time}, {size}: {result_words(solution.result)}, {far}"


def _path_to_save(name: str | None, folder: Path) -> Path | None:
    """Return the file of ``--save``, in the folder unless it names a path, None without it."""
    from tablebase.solve.region_file import REGION_SUFFIX

    if name is None:
        return None
    path = Path(name)
    if path.suffix != REGION_SUFFIX:
        path = path.with_name(path.name + REGION_SUFFIX)
    if os.sep not in name:
        path = folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _proof_words(path: Path, proof: ProofSize) -> str:
    """Return the size of a proof, and what it assumes."""
    size = f"{path} proves this in {counted(proof.positions, 'position')}"
    if not proof.exits:
        return f"{size}, without tables."
    tables = ", ".join(proof.tables)
    return f"{size}, given the tables that {counted(proof.exits, 'exit')} lead to: {tables}."


def _work_words(solution: Solution) -> str:
    """Return the numbers of what was solved."""
    return (
        f"Solved: {counted(solution.structures, 'structure')} of pawns and pieces, "
        f"{counted(solution.planes, 'placement')} of the pieces, "
        f"{bytes_in_words(solution.bytes)} of memory."
    )
