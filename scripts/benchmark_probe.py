"""Measure probing: ours, chess.gaviota and chess.syzygy on the same positions, in one run.

    python scripts/benchmark_probe.py [--dir data] [--gaviota DIR] [--syzygy DIR]

Comparisons whose tables are not there are left out.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import chess
import chess.gaviota
import chess.syzygy
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table as RichTable

from tablebase._jit import kernel
from tablebase.batch import SquarePositions
from tablebase.boards import board_of
from tablebase.index import (
    FIRST_PAWN_SQUARE,
    PAWN_BASE,
    SLICE_MIRRORED,
    encode_position,
    table_index,
)
from tablebase.material import Material, all_materials
from tablebase.probe import Tablebase, open_tablebase
from tablebase.storage import read_table
from tablebase.symmetry import D4

TRUTH = Path(__file__).parents[2] / "shared" / "truth"
GAVIOTA_MATERIALS = ("KRK", "KQK", "KPK")
BATCH_MATERIALS = ("KRK", "KRKN", "KQKP", "KPKP")
ROTATION_MATERIALS = ("KRK", "KRNK", "KPK")
SINGLES = 3000
REPEATS = 5
BATCH = 1_000_000

Row = tuple[str, str, str]


def fastest(function: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the seconds of the fastest of several runs."""
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
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


def random_boards(tablebase: Tablebase, names: Sequence[str], count: int) -> list[chess.Board]:
    """Return legal boards of several materials, shuffled."""
    boards: list[chess.Board] = []
    for number, name in enumerate(names):
        material = Material.from_name(name)
        share = -(-count // len(names))
        rows = random_squares(tablebase, material, share, seed=number).tolist()
        boards += [board_of(material, row, chess.WHITE) for row in rows]
    order = np.random.default_rng(0).permutation(len(boards))
    return [boards[i] for i in order[:count]]


def rate(count: int, seconds: float) -> str:
    """Return positions a second and the time of one, for people."""
    each = seconds / count
    per_second = 1 / each
    text = f"{per_second / 1e6:.1f} M/s" if per_second > 1e6 else f"{per_second / 1e3:.0f} k/s"
    return f"{text}, {each * 1e6:.2f} us" if each > 1e-7 else f"{text}, {each * 1e9:.0f} ns"


def probe_each(probe: Callable[[chess.Board], object], boards: Sequence[chess.Board]) -> float:
    """Return the seconds to probe boards one by one, warm."""

    def run() -> None:
        for board in boards:
            probe(board)

    return fastest(run)


def single_rows(tablebase: Tablebase, gaviota: Path, syzygy: Path) -> Iterator[Row]:
    """Yield what one probe at a time takes, ours and theirs."""
    if gaviota.is_dir():
        with chess.gaviota.PythonTablebase() as other:
            other.add_directory(str(gaviota))
            for name in GAVIOTA_MATERIALS:
                boards = random_boards(tablebase, [name], SINGLES)
                theirs = probe_each(other.probe_dtm, boards)
                ours = probe_each(tablebase.probe_dtm, boards)
                yield f"{name} chess.gaviota probe_dtm", rate(SINGLES, theirs), ""
                yield f"{name} probe_dtm", rate(SINGLES, ours), f"{theirs / ours:.1f} x"
    if syzygy.is_dir():
        with chess.syzygy.open_tablebase(str(syzygy)) as other:
            names = [material.name for material in all_materials(4)]
            boards = random_boards(tablebase, names, SINGLES)
            ours = probe_each(tablebase.probe_wdl, boards)
            theirs = probe_each(other.probe_wdl, boards)
            yield "4 men chess.syzygy probe_wdl", rate(SINGLES, theirs), ""
            theirs_dtz = fastest(lambda: [other.probe_dtz(b) for b in boards[:300]], 1)
            yield "4 men chess.syzygy probe_dtz", rate(300, theirs_dtz), ""
            yield "4 men probe_wdl", rate(SINGLES, ours), f"{theirs / ours:.1f} x"


def batch_rows(tablebase: Tablebase) -> Iterator[Row]:
    """Yield what many positions at once take, against one by one."""
    for name in BATCH_MATERIALS:
        material = Material.from_name(name)
        squares = random_squares(tablebase, material, BATCH, seed=1)
        boards = [board_of(material, row.tolist(), chess.WHITE) for row in squares[:SINGLES]]
        single = probe_each(tablebase.probe_dtm, boards) / SINGLES
        for threads in sorted({1, os.cpu_count() or 1}):
            seconds = fastest(
                lambda s=squares, m=material, n=threads: tablebase.probe_dtm_many(
                    s, m, turn=True, threads=n
                )
            )
            ratio = single / (seconds / BATCH)
            yield f"{name} batch, {threads} threads", rate(BATCH, seconds), f"{ratio:.0f} x single"
        seconds = fastest(lambda b=boards: tablebase.probe_dtm_many(b))
        yield (
            f"{name} batch of boards",
            rate(SINGLES, seconds),
            f"{single * SINGLES / seconds:.1f} x",
        )


def opening_rows(directory: Path) -> Iterator[Row]:
    """Yield what opening a directory takes."""
    with open_tablebase(directory) as tablebase:
        count = len(tablebase.available_tables)
    seconds = fastest(lambda: open_tablebase(directory).close())
    yield f"open a directory of {count} tables", f"{seconds * 1e3:.2f} ms", ""


# To rotate the query or to keep rotated copies of the table


@kernel
def read_rotating(tables: Any, codes: Any, squares: Any, symmetries: Any, result: Any) -> Any:
    """Read codes [size] for `squares` uint8 [n, men], trying symmetries one after another."""
    image = np.empty(squares.shape[1], np.uint8)
    for i in range(len(squares)):
        for t in symmetries:
            for man in range(squares.shape[1]):
                image[man] = D4[t, squares[i, man]]
            if len(tables.pawn_men):
                key = np.int64(0)
                for man in tables.pawn_men[::-1]:
                    key = key * PAWN_BASE + image[man] - FIRST_PAWN_SQUARE
                if not tables.slice_of[key] & SLICE_MIRRORED:
                    break
            elif tables.king_symmetry[np.int64(image[0]) * 64 + image[1]] == 0:
                break
        result[i] = codes[encode_position(tables, image)]


@kernel
def read_reduced(tables: Any, codes: Any, squares: Any, result: Any) -> Any:
    """Read codes [size] for `squares` uint8 [n, men] by the index."""
    for i in range(len(squares)):
        result[i] = codes[encode_position(tables, squares[i])]


@kernel
def read_expanded(codes: Any, squares: Any, result: Any) -> Any:
    """Read codes [64 ** men] for `squares` uint8 [n, men], without any symmetry."""
    for i in range(len(squares)):
        place = np.int64(0)
        for man in range(squares.shape[1]):
            place = place * 64 + squares[i, man]
        result[i] = codes[place]


def all_squares(men: int) -> NDArray[np.uint8]:
    """Return all placements of some men, shape [64 ** men, men]."""
    numbers = np.arange(64**men)
    return np.stack([numbers >> 6 * (men - 1 - i) & 63 for i in range(men)], 1).astype(np.uint8)


def rotation_rows(directory: Path, tablebase: Tablebase) -> Iterator[Row]:
    """Yield the reduced table against trying images and against an expanded table."""
    for name in ROTATION_MATERIALS:
        material = Material.from_name(name)
        index = table_index(material)
        codes = read_table(directory / f"{name}.h5").white
        squares = random_squares(tablebase, material, BATCH, seed=2)
        everything = SquarePositions(all_squares(material.piece_count), material, turn=True)
        expanded, _ = tablebase._codes_of_positions(everything)  # noqa: SLF001
        result = np.empty(BATCH, np.uint8)
        symmetries = np.array(index.symmetries)
        ways: dict[str, tuple[int, Callable[[int], Any]]] = {
            "reduced, symmetry looked up": (
                codes.nbytes,
                lambda n, i=index, c=codes, s=squares, r=result: read_reduced(
                    i.tables, c, s[:n], r[:n]
                ),
            ),
            "reduced, images tried in turn": (
                codes.nbytes,
                lambda n, i=index, c=codes, s=squares, r=result, t=symmetries: read_rotating(
                    i.tables, c, s[:n], t, r[:n]
                ),
            ),
            "expanded to all images": (
                expanded.nbytes,
                lambda n, c=expanded, s=squares, r=result: read_expanded(c, s[:n], r[:n]),
            ),
        }
        for way, (size, read) in ways.items():
            read(BATCH)
            seconds = fastest(lambda read=read: read(BATCH))
            one = fastest(lambda read=read: [read(1) for _ in range(SINGLES)])
            text = f"{rate(BATCH, seconds)}; one by one {rate(SINGLES, one)}"
            yield f"{name} {way}", text, f"{size / 1024:.0f} KiB a side"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the whole comparison as one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--gaviota", type=Path, default=TRUTH / "gaviota")
    parser.add_argument("--syzygy", type=Path, default=TRUTH / "syzygy")
    options = parser.parse_args(arguments)
    table = RichTable("what", "measured", "ratio", title=f"Probing on {platform.machine()}")
    with open_tablebase(options.dir) as tablebase:
        groups = (
            opening_rows(options.dir),
            single_rows(tablebase, options.gaviota, options.syzygy),
            batch_rows(tablebase),
            rotation_rows(options.dir, tablebase),
        )
        for rows in groups:
            for row in rows:
                table.add_row(*row)
            table.add_section()
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
