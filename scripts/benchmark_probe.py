"""Measure probing: ours, chess.gaviota and chess.syzygy on the same positions, in one run.

Usage::

    python scripts/benchmark.py probe [--dir FOLDER] [--gaviota FOLDER] [--syzygy FOLDER]
        [--games] [--json | --save]

Each line is the fastest of several runs, all warm, and its ratio to another line, measured in turn
with it. Comparisons without tables to compare with are left out. Games are measured in processor
time.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import chess
import chess.gaviota
import chess.syzygy
import measurement
import numpy as np
from numpy.typing import NDArray

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.board.geometry import NOBODY, Color
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.positions.chess_board import board_of
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.chess_variants import boards_of_games, read_game_board
from tablebase.core.positions.setup import Setup
from tablebase.core.reading.folders import find_rules
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import CHECKS
from tablebase.finding.dataset import load_table

GAVIOTA_MATERIALS = ("KRK", "KQK", "KPK")
BATCH_MATERIALS = ("KRK", "KRNK", "KRKN", "KQKP", "KPKP")
ROOK_AND_KING = ("KRK", "KRvK")
MEMORY_BATCHES = 10

Action = Callable[[], object]


@dataclass(frozen=True)
class Options:
    """How much to measure."""

    singles: int  # positions probed one by one
    batch: int  # positions probed at once
    repeats: int  # runs, of which the fastest counts


@dataclass(frozen=True)
class Line:
    """One measurement."""

    what: str
    seconds: float  # for one position
    ratio: float | None = None
    to: str = ""  # what the ratio compares with
    note: str = ""


def fastest(
    actions: dict[str, Action], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Return the seconds of the fastest run of each action; they take turns."""
    best = dict.fromkeys(actions, float("inf"))
    for action in actions.values():
        action()
    for _ in range(repeats):
        for name, action in actions.items():
            gc.collect()
            start = clock()
            action()
            best[name] = min(best[name], clock() - start)
    return best


def random_squares(
    tablebase: Tablebase, material: Material, count: int, seed: int
) -> NDArray[np.uint8]:
    """Return squares of legal positions with White to move, shape [count, men]."""
    rng = np.random.default_rng(seed)
    parts: list[NDArray[np.uint8]] = []
    while sum(map(len, parts)) < count:
        squares = rng.integers(0, 64, (count, material.piece_count), dtype=np.uint8)
        _, valid = tablebase.probe_dtm_many(squares, material, turn=True)
        parts.append(squares[valid])
    return np.concatenate(parts)[:count]


def random_boards(
    tablebase: Tablebase, materials: Sequence[Material], count: int
) -> list[chess.Board]:
    """Return legal boards of several materials, shuffled."""
    boards: list[chess.Board] = []
    for number, material in enumerate(materials):
        share = -(-count // len(materials))
        rows = random_squares(tablebase, material, share, seed=number).tolist()
        boards += [board_of(material, row, chess.WHITE) for row in rows]
    order = np.random.default_rng(0).permutation(len(boards))
    return [boards[i] for i in order[:count]]


def each(probe: Callable[[Any], object], boards: Sequence[object]) -> Action:
    """Return an action that probes boards one by one."""

    def run() -> None:
        for board in boards:
            probe(board)

    return run


def available(tablebase: Tablebase, names: Sequence[str]) -> list[Material]:
    """Return those materials whose tables there are."""
    present = set(tablebase.available_materials)
    return [material for material in map(Material.from_name, names) if material in present]


def memory_line(tablebase: Tablebase, options: Options) -> Line:
    """Return what ten batches of random positions take, and the process's memory after them."""
    men = max(material.piece_count for material in tablebase.available_materials)
    materials = [m for m in tablebase.available_materials if m.piece_count == men]
    rng = np.random.default_rng(3)
    seconds, share = 0.0, options.batch // len(materials)
    for _ in range(MEMORY_BATCHES):
        for material in materials:
            squares = rng.integers(0, 64, (share, men), dtype=np.uint8)
            start = time.perf_counter()
            tablebase.probe_dtm_many(squares, material, turn=bool(rng.integers(2)))
            seconds += time.perf_counter() - start
    count = MEMORY_BATCHES * share * len(materials)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    what = f"{count:,} random positions of {len(materials)} materials, cold"
    return Line(what, seconds / count, note=f"{peak:.0f} MB in use")


def opening_line(directory: Path, options: Options) -> Line:
    """Return what opening a directory takes."""
    with open_tablebase(directory) as tablebase:
        count = len(tablebase.available_tables)
    actions: dict[str, Action] = {"open": lambda: open_tablebase(directory).close()}
    return Line(f"open a directory of {count} tables", fastest(actions, options.repeats)["open"])


def gaviota_lines(tablebase: Tablebase, folder: Path, options: Options) -> Iterator[Line]:
    """Yield single probes of three men, ours and those of chess.gaviota in pure Python."""
    with chess.gaviota.PythonTablebase() as other:
        other.add_directory(str(folder))
        for material in available(tablebase, GAVIOTA_MATERIALS):
            boards = random_boards(tablebase, [material], options.singles)
            ours, theirs = f"{material} probe_dtm", f"{material} chess.gaviota probe_dtm"
            actions = {ours: each(tablebase.probe_dtm, boards)}
            actions[theirs] = each(other.probe_dtm, boards)
            seconds = fastest(actions, options.repeats)
            yield Line(theirs, seconds[theirs] / len(boards))
            yield Line(
                ours, seconds[ours] / len(boards), seconds[theirs] / seconds[ours], "chess.gaviota"
            )


def syzygy_lines(tablebase: Tablebase, folder: Path, options: Options) -> Iterator[Line]:
    """Yield single probes of four men, ours and those of chess.syzygy."""
    materials = [m for m in tablebase.available_materials if m.piece_count == 4]
    boards = random_boards(tablebase, materials, options.singles)
    with chess.syzygy.open_tablebase(str(folder)) as other:
        actions = {
            "probe_wdl": each(tablebase.probe_wdl, boards),
            "probe_dtm": each(tablebase.probe_dtm, boards),
            "chess.syzygy probe_wdl": each(other.probe_wdl, boards),
            "chess.syzygy probe_dtz": each(other.probe_dtz, boards[: len(boards) // 10]),
        }
        seconds = fastest(actions, options.repeats)
    wdl, dtz = seconds["chess.syzygy probe_wdl"], 10 * seconds["chess.syzygy probe_dtz"]
    where = f"{len(materials)} materials,"
    for name, value, theirs in (
        ("chess.syzygy probe_wdl", wdl, None),
        ("chess.syzygy probe_dtz", dtz, None),
        ("probe_wdl", seconds["probe_wdl"], wdl),
        ("probe_dtm", seconds["probe_dtm"], dtz),
    ):
        ratio = theirs / value if theirs else None
        to = "" if ratio is None else f"chess.syzygy {'wdl' if theirs == wdl else 'dtz'}"
        yield Line(f"{where} {name}", value / len(boards), ratio, to)


def batch_lines(tablebase: Tablebase, material: Material, options: Options) -> Iterator[Line]:
    """Yield what many positions at once take, against one by one."""
    squares = random_squares(tablebase, material, options.batch, seed=1)
    rows = squares[: options.singles].tolist()
    boards = [board_of(material, row, chess.WHITE) for row in rows]
    fens = [board.fen() for board in boards]
    actions: dict[str, Action] = {"one by one": each(tablebase.probe_dtm, boards)}
    for threads in sorted({1, os.cpu_count() or 1}):
        actions[f"arrays, threads: {threads}"] = lambda n=threads: tablebase.probe_dtm_many(
            squares, material, turn=True, threads=n
        )
    actions["boards"] = lambda: tablebase.probe_dtm_many(boards)
    actions["FENs"] = lambda: tablebase.probe_dtm_many(fens)
    times = fastest(actions, options.repeats)
    single = times["one by one"] / len(boards)
    yield Line(f"{material} one by one", single)
    for name in list(actions)[1:]:
        one = times[name] / (len(squares) if "arrays" in name else len(boards))
        yield Line(f"{material} {name}", one, single / one, "one by one")


def game_sections(directory: Path, options: Options) -> Iterator[tuple[str, list[Line]]]:
    """Yield what positions of rook against king take, for each game with a table in a directory."""
    for rules in (ChessPosition.rules, *find_rules([directory]).values()):
        with Tablebase([directory], rules=rules) as tablebase:
            for material in tablebase.available_materials:
                if material.name in ROOK_AND_KING:
                    lines = list(game_lines(tablebase, material, options))
                    yield rules.name, [*lines, writing_line(material, directory, options)]


def game_lines(tablebase: Tablebase, material: Material, options: Options) -> Iterator[Line]:
    """Yield what positions of a material take, on one thread, in processor time."""
    rules = material.rules
    setups = list(random_setups(material, options.singles))
    fens = [setup.fen for setup in setups]
    rows = np.array([setup.squares for setup in setups], dtype=np.uint8)
    rows = rows[:, [man is not NOBODY for _, man in material.men]]
    squares = np.resize(rows, (options.batch, rows.shape[1]))
    checks = (CHECKS, CHECKS) if rules.check_counting else None
    actions: dict[str, Action] = {
        "arrays": lambda: tablebase.probe_wdl_many(
            squares, material, turn=True, checks=checks, threads=1
        ),
        "FENs": lambda: tablebase.probe_wdl_many(fens, threads=1),
    }
    if rules in boards_of_games():
        boards = [read_game_board(fen, rules) for fen in fens]
        actions["boards one by one"] = each(tablebase.probe_wdl, boards)
    if rules != ChessPosition.rules:
        actions["setups one by one"] = each(tablebase.probe_wdl, setups)
    for name, value in fastest(actions, options.repeats, time.process_time).items():
        yield Line(name, value / (len(squares) if name == "arrays" else len(setups)))


def writing_line(material: Material, directory: Path, options: Options) -> Line:
    """Return what FENs of a whole table take, in processor time."""
    positions = load_table(material, directory).positions()
    seconds = fastest({"fens": positions.fens}, options.repeats, time.process_time)["fens"]
    return Line("FENs written", seconds / len(positions))


def random_setups(material: Material, count: int) -> Iterator[Setup]:
    """Yield legal positions of a material with White to move."""
    rng = np.random.default_rng(3)
    while count:
        row = rng.choice(material.rules.board.squares, len(material.men), replace=False)
        setup = Setup(material, tuple(row.tolist()), Color.WHITE)
        try:
            setup.setup()
        except UnsupportedPositionError:
            continue
        yield setup
        count -= 1


def sections(arguments: argparse.Namespace) -> Iterator[tuple[str, list[Line]]]:
    """Yield headings and what was measured under each."""
    options = Options(arguments.singles, arguments.batch, arguments.repeats)
    with open_tablebase(arguments.dir) as tablebase:
        tablebase.probe_dtm(chess.Board("8/8/8/8/8/2k5/8/K7 w - - 0 1"))  # compiles
        yield "memory", [memory_line(tablebase, options)]
        yield "opening", [opening_line(arguments.dir, options)]
        if arguments.gaviota:
            yield "3 men", list(gaviota_lines(tablebase, arguments.gaviota, options))
        if arguments.syzygy:
            yield "4 men", list(syzygy_lines(tablebase, arguments.syzygy, options))
        for material in available(tablebase, BATCH_MATERIALS):
            yield f"many {material}", list(batch_lines(tablebase, material, options))
    yield from game_sections(arguments.dir, options)


def show(measured: list[tuple[str, list[Line]]]) -> None:
    """Print all that was measured as one table."""
    from rich.console import Console
    from rich.table import Table

    table = Table("", "what", title="Probing, warm, fastest runs")
    for heading in ("positions/s", "one", "ratio"):
        table.add_column(heading, justify="right")
    for heading in ("to", ""):
        table.add_column(heading)
    for section, lines in measured:
        for i, line in enumerate(lines):
            ratio = "" if line.ratio is None else f"{line.ratio:.{1 + (line.ratio < 1)}f} x"
            rate, one = in_words(line.seconds)
            table.add_row("" if i else section, line.what, rate, one, ratio, line.to, line.note)
        table.add_section()
    Console(width=130).print(table)


def in_words(seconds: float) -> tuple[str, str]:
    """Return how many in a second, and the time of one."""
    rate = 1 / seconds
    many = f"{rate / 1e6:.2f} M" if rate > 1e6 else f"{rate / 1e3:.1f} k"
    if seconds < 1e-6:
        return many, f"{seconds * 1e9:.1f} ns"
    return many, f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


@reader_may_leave()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the whole comparison as one table."""
    parser = argparse.ArgumentParser(prog="benchmark.py probe", description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, default=Path("data"), help="folder of our tables")
    parser.add_argument("--gaviota", type=Path, metavar="FOLDER", help="Gaviota tables")
    parser.add_argument("--syzygy", type=Path, metavar="FOLDER", help="Syzygy tables, 4 men")
    parser.add_argument("--singles", type=int, default=3000, help="positions probed one by one")
    parser.add_argument("--batch", type=int, default=1_000_000, help="positions probed at once")
    parser.add_argument("--repeats", type=int, default=5, help="runs; the fastest counts")
    parser.add_argument("--games", action="store_true", help="only rook against king, by game")
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")
    parser.add_argument("--save", action="store_true", help="into benchmarks/results")
    options = parser.parse_args(arguments)
    if options.games:
        counts = Options(options.singles, options.batch, options.repeats)
        measured = list(game_sections(options.dir, counts))
    else:
        measured = list(sections(options))
    found = {section: [asdict(line) for line in lines] for section, lines in measured}
    if options.save:
        print(measurement.save("probe_games" if options.games else "probe", found))
    elif options.json:
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
    else:
        show(measured)


if __name__ == "__main__":
    main()
