"""Measure this working tree against another commit, in alternating pairs.

Usage::

    python scripts/benchmark.py against COMMIT [WHAT ...] [--pairs N] [--json]

WHAT are rows of the table; all are measured by default. The commit's files are unpacked into a
folder that is removed afterwards. For all rows but the cold compile, each version runs in a process
of its own that stays and is asked in turn for one more run, so that a machine which becomes slower
slows both. Times are processor seconds of all threads, and the median of the ratios counts. Only
names that people use are called, so that the layout of the package may differ between the commits.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PROBED = ("KRK", "KPK", "KRNK")
SINGLES, ROWS, RANKED, LINES = 20_000, 1_000_000, 1_000, 50
# Positions to solve: pawns only, with many structures; a bishop each; a rook each.
SOLVED = {
    "Lasker-Reichhelm": "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "Fine": "8/2p5/3k4/1p1p1K2/8/1P1P4/2P5/8 w - - 0 1",
    "bishops": "8/Pk6/8/8/5K1P/4B3/8/1b6 b - - 0 1",
    "rooks": "8/8/8/8/5k2/r6P/7K/1R6 w - - 0 1",
}
COLD = "compiling for KRK and KPK"

Action = Callable[[], object]


class Row(NamedTuple):
    """Processor seconds of both versions, run by run."""

    what: str
    theirs: list[float]
    ours: list[float]

    @property
    def ratios(self) -> list[float]:
        """How many times as long this working tree takes, for each pair."""
        return [one / other for other, one in zip(self.theirs, self.ours, strict=True)]


def called(arguments: Sequence[str | Path]) -> None:
    """Run a command of the program in this process, without its output."""
    from tablebase.cli.program import main as run

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = run([str(one) for one in arguments])
    if code:
        message = f"exit code {code}: {' '.join(map(str, arguments))}"
        raise RuntimeError(message)


def random_boards(name: str, count: int) -> list[Any]:
    """Return random legal boards of a material, made by python-chess."""
    import random

    import chess

    chance = random.Random(name)
    white, black = name[1:].split("K")
    pieces = [chess.Piece.from_symbol(one) for one in f"K{white}k{black.lower()}"]
    boards: list[Any] = []
    while len(boards) < count:
        board = chess.Board(None)
        board.turn = chance.random() < 0.5
        for square, piece in zip(chance.sample(range(64), len(pieces)), pieces, strict=True):
            board.set_piece_at(square, piece)
        if board.is_valid():
            boards.append(board)
    return boards


def actions(directory: Path, scratch: Path) -> dict[str, Action]:
    """Return what is measured, by the names of the table's rows; the first run of each is not."""
    import numpy as np

    import tablebase

    assert Path(tablebase.__file__).is_relative_to(os.environ["PYTHONPATH"])
    tables = tablebase.open_tablebase(directory)
    boards = [board for name in PROBED for board in random_boards(name, SINGLES // len(PROBED))]
    fens = [board.fen() for board in boards]
    squares = np.random.default_rng(1).integers(0, 64, (ROWS, 4), dtype=np.uint8)
    numbers = itertools.count()
    one = ["--threads", "1", "--json", "--budget", "10m,8GB", "--dir", directory]

    def built(*what: str) -> None:
        called(["build", *what, "--threads", "1", "--dir", scratch / str(next(numbers))])

    solving: dict[str, Action] = {
        f"solving {name}": lambda fen=fen: called(["solve", fen, *one])
        for name, fen in SOLVED.items()
    }
    return {
        "probe_dtm": lambda: [tables.probe_dtm(board) for board in boards],
        "probe_wdl": lambda: [tables.probe_wdl(board) for board in boards],
        "probe_dtm_many, squares": lambda: tables.probe_dtm_many(squares, "KRNK", turn=True),
        "probe_dtm_many, boards": lambda: tables.probe_dtm_many(boards),
        "probe_dtm_many, FENs": lambda: tables.probe_dtm_many(fens),
        "rank_moves": lambda: [tables.rank_moves(board) for board in boards[::SINGLES // RANKED]],
        "mainline": lambda: [tables.mainline(board) for board in boards[::SINGLES // LINES]],
        **solving,
        "building 36 tables": lambda: built("--men", "4"),
        "building KRPKR": lambda: built("KRPKR"),
    }  # fmt: skip


def answer(directory: Path, scratch: Path) -> None:
    """Run the actions that standard input names, and print the processor seconds of each."""
    ready = actions(directory, scratch)
    print(json.dumps(list(ready)), flush=True)
    for line in sys.stdin:
        run = ready[line.strip()]
        start = time.process_time()
        run()
        print(time.process_time() - start, flush=True)


class Version:
    """A checkout, whose folder `root` has the package ``tablebase``, to be measured.

    Both versions share the `directory` of tables; `scratch` is for what is built.
    """

    def __init__(self, root: Path, directory: Path, scratch: Path) -> None:
        scratch.mkdir()
        self._root, self._scratch = root, scratch
        self._environment = {**os.environ, "PYTHONPATH": str(root)}
        self._colds = itertools.count()
        self._process = subprocess.Popen(
            [sys.executable, __file__, "answer", directory, scratch],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self._environment,
            text=True,
        )
        self.names: list[str] = json.loads(self._answer())

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("benchmark.py against: a version has failed, see above")
        return line

    def seconds_of(self, what: str) -> float:
        """Run one action once and return its processor seconds."""
        if what == COLD:
            return self._cold()
        assert self._process.stdin is not None
        print(what, file=self._process.stdin, flush=True)
        return float(self._answer())

    def _cold(self) -> float:
        """Return the processor seconds of a build by a process that compiles all kernels."""
        own = self._scratch / f"cold-{next(self._colds)}"
        # From its own folder, which comes first on the path.
        command = [sys.executable, "-m", "tablebase", "build", "KRK", "KPK", "--dir", own]
        environment = {**self._environment, "NUMBA_CACHE_DIR": str(own / "kernels")}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            command, env=environment, cwd=self._root, check=True, stdout=subprocess.DEVNULL
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def stop(self) -> None:
        """End the process."""
        self._process.communicate()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="benchmark.py against", description=__doc__.splitlines()[0]
    )
    parser.add_argument("commit", metavar="COMMIT", help="what to compare with, like HEAD~1")
    parser.add_argument("what", metavar="WHAT", nargs="*", help="rows to measure (default: all)")
    parser.add_argument(
        "--pairs", type=int, default=25, help="of quick rows; others get a fifth, at least three"
    )
    parser.add_argument(
        "--dir", type=Path, default=ROOT / "data", help="folder with tables of KRK, KPK and KRNK"
    )
    parser.add_argument("--scratch", type=Path, help="folder for what is built, then removed")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    options = parser.parse_args(arguments)
    if options.pairs < 2:
        parser.error("--pairs: at least two")
    found = list(rows(options))
    if options.json:
        sys.stdout.write(json.dumps([row._asdict() for row in found], indent=1) + "\n")
    else:
        show(found, options.commit)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Yield the rows of the table as they are measured."""
    with tempfile.TemporaryDirectory(dir=options.scratch) as name:
        folder = Path(name)
        unpack(options.commit, folder / "theirs")
        directory = options.dir.resolve()
        theirs = Version(folder / "theirs", directory, folder / "scratch of theirs")
        ours = Version(ROOT, directory, folder / "scratch of ours")
        try:
            both = [one for one in theirs.names if one in ours.names] + [COLD]
            if unknown := set(options.what) - set(both):
                known = ", ".join(f'"{one}"' for one in both)
                raise SystemExit(f'benchmark.py against: no row "{unknown.pop()}": choose {known}')
            for what in options.what or both:
                yield measured(theirs, ours, what, pairs_of(what, options.pairs))
        finally:
            theirs.stop()
            ours.stop()


def unpack(commit: str, folder: Path) -> None:
    """Write the files of a commit to a new folder; exit with git's words if there is none."""
    command = ["git", "-C", str(ROOT), "archive", commit]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        words = done.stderr.decode().strip().removeprefix("fatal: ")
        raise SystemExit(f"benchmark.py against: {words}: name a commit, like HEAD~1")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")


def measured(theirs: Version, ours: Version, what: str, pairs: int) -> Row:
    """Return the seconds of one action, the version that begins changing from pair to pair."""
    row = Row(what, [], [])
    order = [(theirs, row.theirs), (ours, row.ours)]
    if what != COLD:
        for version, _ in order:
            version.seconds_of(what)
    for _ in range(pairs):
        for version, seconds in order:
            seconds.append(version.seconds_of(what))
        order.reverse()
    return row


def pairs_of(what: str, pairs: int) -> int:
    """Return how many pairs a row gets: a fifth, at least three, where a run takes seconds."""
    takes_seconds = what.startswith(("building", "compiling", "solving"))
    return max(3, pairs // 5) if takes_seconds else pairs


def show(all_rows: Sequence[Row], commit: str) -> None:
    """Print medians as a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"This working tree against {commit}, processor seconds, medians")
    for heading in ("", commit, "here", "ratio", "middle half of the ratios", "pairs"):
        table.add_column(heading, justify="right" if heading else "left")
    for row in all_rows:
        low, _, high = statistics.quantiles(row.ratios, n=4, method="inclusive")
        table.add_row(
            row.what,
            f"{statistics.median(row.theirs):.4g}",
            f"{statistics.median(row.ours):.4g}",
            f"{statistics.median(row.ratios):.3f}",
            f"{low:.3f} to {high:.3f}",
            str(len(row.ratios)),
        )
    Console(width=110).print(table)


if __name__ == "__main__":
    _, _, tables, own = sys.argv
    answer(Path(tables), Path(own))
