"""The command line: read the arguments, call one function below, show what it returns.

Exit codes: 0 all is well, 1 a check found differences, 2 the request cannot be met (one line says
why), 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase import __version__
from tablebase.errors import TablebaseError

if TYPE_CHECKING:
    import chess

    from tablebase.generate import Built, Event, Step
    from tablebase.material import Material
    from tablebase.probe import Tablebase
    from tablebase.ranking import RankedMove
    from tablebase.verify import Report

DEFAULT_DIRECTORY = "data"
SIDES = {"white_to_move": "White", "black_to_move": "Black"}
DIFFERENT, REFUSED, INTERRUPTED = 1, 2, 130
# From here on a solution that has not begun is waiting for its kernels.
COMPILING_AFTER = 2.0
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


# --- arguments --------------------------------------------------------------------------


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _men(text: str) -> int:
    number = int(text)
    if not 2 <= number <= 5:
        raise argparse.ArgumentTypeError("tables have 2 to 5 men")
    return number


def parse_size(text: str) -> int:
    """Return the bytes that a text like ``4G`` or ``500M`` means.

    >>> parse_size("1.5G")
    1500000000
    """
    number = text.strip().upper().removesuffix("B").removesuffix("I")
    unit = number[-1:] if number[-1:] in _UNITS else ""
    try:
        size = float(number.removesuffix(unit)) * _UNITS[unit]
    except ValueError:
        size = -1
    if not 0 < size < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no size: write it like 4G or 500M")
    return int(size)


def _add_directory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dir",
        metavar="DIR",
        default=DEFAULT_DIRECTORY,
        help="folder of the table files (default: %(default)s)",
    )


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def add_build_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what describes a generation; the batch script takes the same."""
    parser.add_argument(
        "materials",
        metavar="MATERIAL",
        nargs="*",
        help="like KRK or KRvKN (default: KK KRK KNNK KRNK KPK)",
    )
    parser.add_argument("--men", type=_men, metavar="N", help="all materials of up to N men")
    _add_directory(parser)
    parser.add_argument("--threads", type=_positive, metavar="N", help="default: one a processor")
    parser.add_argument(
        "--force", action="store_true", help="build again what exists or is damaged"
    )
    parser.add_argument(
        "--memory", type=parse_size, metavar="SIZE", help="most memory to use, like 4G"
    )


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="tablebase",
        description="Generate, store and probe chess endgame tablebases: exact distances to mate.",
    )
    parser.add_argument("--version", action="version", version=f"tablebase {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, run: Callable[[argparse.Namespace], int], text: str) -> Any:
        command = commands.add_parser(name, help=text, description=f"{text.capitalize()}.")
        command.set_defaults(run=run)
        return command

    build = add("build", _build, "build tables, and the sub-tables that they need")
    add_build_arguments(build)
    build.add_argument(
        "--estimate", action="store_true", help="only say what it takes: memory and disk"
    )
    probe = add("probe", _probe, "look up a position: result, distance to mate, all moves")
    probe.add_argument("fen", metavar="FEN", nargs="+", help="the position, in one word or several")
    _add_directory(probe)
    probe.add_argument("--line", action="store_true", help="show the moves up to mate")
    _add_json(probe)
    info = add("info", _info, "show what is in a table, or which tables there are")
    info.add_argument("table", metavar="MATERIAL|FILE", nargs="?", help="default: list all tables")
    _add_directory(info)
    _add_json(info)
    count = add("count", _count, "count the positions of materials, with and without symmetry")
    count.add_argument("materials", metavar="MATERIAL", nargs="+", help="like KRK or KRvKN")
    _add_json(count)
    verify = add("verify", _verify, "check every value of tables against the values one move ahead")
    verify.add_argument(
        "tables", metavar="MATERIAL|FILE", nargs="*", help="default: all tables of the folder"
    )
    _add_directory(verify)
    verify.add_argument("--sample", type=_positive, metavar="N", help="check N random slots only")
    verify.add_argument("--threads", type=_positive, metavar="N", help="default: one a processor")
    _add_json(verify)
    return parser


def chosen_materials(arguments: argparse.Namespace) -> list[Material]:
    """Return the materials named by arguments, or the default ones."""
    from tablebase.generate import DEFAULT_MATERIALS
    from tablebase.material import Material, all_materials

    chosen = [Material.from_name(name) for name in arguments.materials]
    for men in range(2, (arguments.men or 1) + 1):
        chosen += all_materials(men)
    return chosen or [Material.from_name(name) for name in DEFAULT_MATERIALS]


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=1))


def _table(*columns: str, left: int = 1) -> Any:
    """Return an empty table for the terminal; all but the first columns are numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number < left else "right")
    return table


def _print(what: object) -> None:
    from rich.console import Console

    Console(highlight=False, soft_wrap=isinstance(what, str)).print(what)


def _size(size: float) -> str:
    from tablebase.generate import in_words

    return in_words(size)


# --- build ------------------------------------------------------------------------------


def _build(arguments: argparse.Namespace) -> int:
    materials = chosen_materials(arguments)
    from tablebase.generate import generate, plan

    if arguments.estimate:
        steps = plan(materials, arguments.dir, threads=arguments.threads, force=arguments.force)
        _show_estimate(steps)
        return 0
    with _showing_progress() as show:
        built = generate(
            materials,
            arguments.dir,
            threads=arguments.threads,
            force=arguments.force,
            memory=arguments.memory,
            report=show,
        )
    _show_built(built)
    if all(table.seconds is None for table in built):
        print(f"Nothing to do: all {len(built)} tables are in {arguments.dir}.")
    return 0


def _show_estimate(steps: Sequence[Step]) -> None:
    table = _table("material", "positions", "peak memory", "disk", "state")
    for step in steps:
        state = "exists" if step.exists else "to build"
        memory = "" if step.exists else _size(step.memory)
        disk = _size(step.disk)
        table.add_row(step.material.name, f"{step.positions:,}", memory, disk, state)
    missing = [step for step in steps if not step.exists]
    if missing:
        table.add_section()
        table.add_row(
            "to build",
            f"{sum(step.positions for step in missing):,}",
            _size(max(step.memory for step in missing)),
            _size(sum(step.disk for step in missing)),
            str(len(missing)),
        )
    _print(table)


def describe_event(event: Event, seconds: float) -> str:
    """Return one line about a stage that has lasted for some seconds."""
    progress = event.progress
    text = f"{event.material.name} {event.stage.value}"
    if progress is None:
        return text
    if not progress.slices_done and not progress.ply:
        waiting = seconds > COMPILING_AFTER
        return f"{text} (compiling the engine, on first use only)" if waiting else text
    if progress.slices > 1:
        return f"{text} slice {progress.slices_done:,} of {progress.slices:,}"
    return f"{text} ply {progress.ply}"


@contextmanager
def _showing_progress() -> Iterator[Callable[[Event], None]]:
    """Give a function that shows events: a bar on a terminal, else a line for each material."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    stage: list[Any] = [None, 0.0]

    def seconds(event: Event) -> float:
        now = (event.material, event.stage)
        if stage[0] != now:
            stage[:] = now, time.monotonic()
        return time.monotonic() - float(stage[1])

    if not console.is_terminal:
        said: set[str] = set()

        def say(event: Event) -> None:
            line = describe_event(event, seconds(event))
            topic = "compiling" if "compiling" in line else event.material.name
            if topic not in said:
                said.add(topic)
                print(f"[{event.number + 1}/{event.total}] {line}", file=sys.stderr, flush=True)

        yield say
        return
    columns = (BarColumn(30), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, TextColumn("{task.description}"), console=console, transient=True
    ) as bar:
        task = bar.add_task("starting", total=None)

        def show(event: Event) -> None:
            text = describe_event(event, seconds(event))
            bar.update(task, description=text, completed=event.number, total=event.total)

        yield show


def _longest_win(attributes: dict[str, Any]) -> str:
    wins = [win for win in attributes["longest_wins"].values() if win]
    if not wins:
        return "none"
    return _moves(max(win["plies"] for win in wins))


def _positions(attributes: dict[str, Any]) -> int:
    """Return the number of inequivalent legal positions of both sides to move."""
    sides = [attributes["counts"][side]["inequivalent"] for side in SIDES]
    return sum(side["win"] + side["draw"] + side["loss"] for side in sides)


def _show_built(built: Iterable[Built]) -> None:
    from tablebase.storage import open_table

    table = _table("material", "positions", "longest win", "seconds", "bytes")
    for result in built:
        with open_table(result.path) as file:
            attributes = file.attributes
        table.add_row(
            result.material.name,
            f"{_positions(attributes):,}",
            _longest_win(attributes),
            "exists" if result.seconds is None else f"{result.seconds:.2f}",
            f"{result.path.stat().st_size:,}",
        )
    _print(table)


# --- info -------------------------------------------------------------------------------


def _path_of(text: str, directory: str) -> Path:
    """Return the file that a material or a path means."""
    from tablebase.material import Material
    from tablebase.storage import SUFFIX, table_path

    if text.endswith(SUFFIX) or os.sep in text:
        return Path(text)
    path = table_path(directory, Material.from_name(text))
    if not path.exists():
        name = path.name.removesuffix(SUFFIX)
        raise TablebaseError(
            f"no table of {name} in {directory}: build it with `tablebase build {name}"
            + (f" --dir {directory}`" if directory != DEFAULT_DIRECTORY else "`")
        )
    return path


def _paths_in(directory: str) -> list[Path]:
    from tablebase.storage import SUFFIX

    if not Path(directory).is_dir():
        raise TablebaseError(f"there is no folder {directory}: make it with `tablebase build`")
    return sorted(Path(directory).glob(f"K*{SUFFIX}"), key=lambda path: (len(path.name), path.name))


def describe_table(path: Path) -> dict[str, Any]:
    """Return what `info` tells of a file, in types that JSON knows."""
    from tablebase.storage import open_table

    with open_table(path) as file:
        file.check()
        attributes = dict(file.attributes)
        chunks = {"chunk_size": file.chunk_size, "slots": file.size}
    counts = attributes.pop("counts")
    return {
        "material": attributes.pop("material"),
        "path": str(path),
        "bytes": path.stat().st_size,
        **counts,
        **chunks,
        **attributes,
    }


def _info(arguments: argparse.Namespace) -> int:
    if arguments.table is None:
        tables = [describe_table(path) for path in _paths_in(arguments.dir)]
        if arguments.json:
            _print_json(tables)
        else:
            _show_tables(tables)
        return 0
    description = describe_table(_path_of(arguments.table, arguments.dir))
    if arguments.json:
        _print_json(description)
    else:
        _show_table(description)
    return 0


def _show_tables(descriptions: Iterable[dict[str, Any]]) -> None:
    table = _table("material", "positions", "longest win", "bytes")
    for one in descriptions:
        counts = {"counts": {side: one[side] for side in SIDES}}
        table.add_row(
            one["material"], f"{_positions(counts):,}", _longest_win(one), f"{one['bytes']:,}"
        )
    _print(table)


def _show_table(one: dict[str, Any]) -> None:
    print(f"{one['material']}  {one['path']}, {one['bytes']:,} bytes")
    print(f"sha256 {one['sha256']}")
    if one["subtables"]:
        print(f"sub-tables {' '.join(one['subtables'])}")
    for where in ("whole board", "inequivalent"):
        table = _table(where, "win", "draw", "loss", "illegal")
        for side, name in SIDES.items():
            counts = one[side] if where == "whole board" else one[side]["inequivalent"]
            figures = (f"{counts[result]:,}" for result in ("win", "draw", "loss", "illegal"))
            table.add_row(f"{name} to move", *figures)
        _print(table)
    for side, name in SIDES.items():
        for result in ("win", "loss"):
            extreme = one[side][f"longest_{result}"]
            if extreme:
                plies, fen = extreme["plies"], extreme["fen"]
                print(f"longest {result}, {name} to move: {_moves(plies)}, {fen}")


def _moves(plies: int) -> str:
    moves = (abs(plies) + 1) // 2
    return f"{moves} move{'s' * (moves != 1)} ({abs(plies)} pl{'y' if abs(plies) == 1 else 'ies'})"


# --- count ------------------------------------------------------------------------------


def _count(arguments: argparse.Namespace) -> int:
    from tablebase.counting import count_positions
    from tablebase.material import Material

    materials = [Material.from_name(name) for name in arguments.materials]
    counted = [count_positions(material) for material in materials]
    if arguments.json:
        _print_json([counts.as_dict() for counts in counted])
        return 0
    table = _table("material", "positions", "all", "inequivalent", left=2)
    for counts in counted:
        for name, text in (
            ("all_placements", "placements"),
            ("legal_white_to_move", "legal, White to move"),
            ("legal_black_to_move", "legal, Black to move"),
        ):
            one = getattr(counts, name)
            shown = counts.material.name if name == "all_placements" else ""
            table.add_row(shown, text, f"{one.placements:,}", f"{one.inequivalent:,}")
        fixed = " ".join(map(str, counts.formula_fixed))
        verdict = "agrees" if counts.agrees else "DIFFERS"
        table.add_row("", f"fixed by each symmetry: {fixed}", "Burnside", verdict, end_section=True)
    _print(table)
    return 0


# --- probe ------------------------------------------------------------------------------


def _open(directory: str) -> Tablebase:
    from tablebase.probe import Tablebase

    tablebase = Tablebase()
    if Path(directory).is_dir():
        tablebase.add_directory(directory)
    return tablebase


def in_words(dtm: int, *, white: bool, checkmate: bool) -> str:
    """Return a signed distance as people say it.

    >>> in_words(31, white=True, checkmate=False)
    'White wins: mate in 16 moves (31 plies)'
    """
    mover, other = ("White", "Black") if white else ("Black", "White")
    if checkmate:
        return f"{mover} is checkmated"
    if dtm == 0:
        return "Draw"
    return f"{mover if dtm > 0 else other} wins: mate in {_moves(dtm)}"


def _board(fen: str) -> chess.Board:
    import chess

    try:
        return chess.Board(fen)
    except ValueError as error:
        raise TablebaseError(f"{fen!r} is no position: {error}") from error


def _probe(arguments: argparse.Namespace) -> int:
    board = _board(" ".join(arguments.fen))
    with _open(arguments.dir) as tablebase:
        dtm, wdl = tablebase.probe_dtm(board), tablebase.probe_wdl(board)
        ranked = tablebase.rank_moves(board)
        line = tablebase.mainline(board) if arguments.line else None
    if arguments.json:
        _print_json(_describe_position(board, dtm, wdl, ranked, line))
        return 0
    print(_draw(board))
    print(in_words(dtm, white=board.turn, checkmate=board.is_checkmate()))
    if line is not None:
        print(board.variation_san(line) if line else "There is no line to mate.")
    elif ranked:
        _print(_move_table(board, ranked))
    return 0


def _draw(board: chess.Board) -> str:
    ranks = str(board).splitlines()
    lines = [f"{8 - number} {rank}" for number, rank in enumerate(ranks)]
    return "\n".join([*lines, "  a b c d e f g h"])


def _move_table(board: chess.Board, ranked: Iterable[RankedMove]) -> Any:
    table = _table("move", "result", "plies to mate", left=2)
    for one in ranked:
        plies = "" if one.dtm == 0 else str(abs(one.dtm))
        table.add_row(board.san(one.move), one.wdl.name.lower(), plies)
    return table


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
        "dtm_moves": (abs(dtm) + 1) // 2 * (1 if dtm > 0 else -1),
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


# --- verify -----------------------------------------------------------------------------


@contextmanager
def _showing_check(name: str) -> Iterator[Callable[[int, int], None] | None]:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _verify(arguments: argparse.Namespace) -> int:
    from tablebase.verify import check_file

    if arguments.tables:
        paths = [_path_of(text, arguments.dir) for text in arguments.tables]
    else:
        paths = _paths_in(arguments.dir)
    reports = []
    for path in paths:
        with _showing_check(path.name) as progress:
            report = check_file(
                path, sample=arguments.sample, threads=arguments.threads, progress=progress
            )
        reports.append((path, report))
        if not arguments.json:
            _show_report(path, report)
    if arguments.json:
        _print_json([_describe_report(path, report) for path, report in reports])
    return 0 if all(report.passed for _, report in reports) else DIFFERENT


def _show_report(path: Path, report: Report) -> None:
    verdict = "right" if report.passed else "WRONG"
    kind = "all" if report.is_complete else "a sample of"
    print(
        f"{report.material.name}: {verdict}, {kind} {report.checked:,} positions checked, "
        f"{report.different:,} different ({path})"
    )
    for problem in report.problems:
        print(f"  {problem}")
    if report.misfilled:
        print(f"  {report.misfilled:,} slots without a position do not repeat their neighbour")
    for difference in report.differences:
        print(f"  {difference}")


def _describe_report(path: Path, report: Report) -> dict[str, Any]:
    return {
        "material": report.material.name,
        "path": str(path),
        "passed": report.passed,
        "complete": report.is_complete,
        "checked": report.checked,
        "different": report.different,
        "misfilled": report.misfilled,
        "problems": list(report.problems),
        "differences": [
            {"fen": one.fen, "index": one.index, "stored": one.stored, "expected": one.expected}
            for one in report.differences
        ],
    }


# --- errors -----------------------------------------------------------------------------


def explain(error: BaseException) -> str:
    """Return what went wrong in one line."""
    if isinstance(error, OSError) and error.strerror and not isinstance(error, TablebaseError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parsed = make_parser().parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("tablebase: interrupted; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (TablebaseError, OSError, MemoryError) as error:
        print(f"tablebase: {explain(error)}", file=sys.stderr)
        return REFUSED
    return code
