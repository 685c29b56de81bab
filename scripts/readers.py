"""Run the conformance suite against the readers that are installed here.

Usage: python scripts/readers.py --dir TABLES [--official FOLDER] [--syzygy FOLDER]
           [--gaviota FOLDER] [--libgtb FILE] [--stockfish COMMAND] [--published ADDRESS] [--save]

The folders ``syzygy`` and ``gaviota`` in --official have files of others, --syzygy and --gaviota
those that `tablebase export` made of TABLES, and ADDRESS what `tablebase publish` made. ``--save``
keeps the numbers in benchmarks/results/conformance.json, where `figures.py` finds them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

from measurement import save

import tablebase
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.ground.words import counted

ROOT = Path(__file__).parents[1]
IN_NODE = ROOT / "tests" / "support" / "probe_published.mjs"
NOT_COVERED = {"MissingTableError", "UnsupportedPositionError"}
TABLEBASE = [sys.executable, "-m", "tablebase"]
OURS = f"tablebase {tablebase.__version__}"


def the_example() -> Any:
    """Return examples/conformance.py, which is no part of a package."""
    spec = spec_from_file_location("conformance_example", ROOT / "examples" / "conformance.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


suite = the_example()


class Tried(NamedTuple):
    """A reader with what it reads."""

    what: str
    tables: str
    reader: Any


class Published(suite.Server):
    """The reader in JavaScript, which node asks about all positions at once."""

    def __init__(self, address: str, positions: list[dict[str, Any]]) -> None:
        fens = [position["fen"] for position in positions]
        said = subprocess.run(
            ["node", str(IN_NODE), address, '{"standard": true}'],  # noqa: S607
            input="".join(f"{fen}\n" for fen in fens),
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        answers = [json.loads(line) for line in said]
        if len(answers) != len(fens):
            raise suite.BadInput(f"{address}: {answers[0].get('message')}: publish tables")
        self.answers = dict(zip(fens, answers, strict=True))
        self.name = f"the reader in JavaScript of {OURS}"

    def answer(self, fen: str) -> dict[str, Any]:
        """Return what the reader said, in the JSON of lichess's server."""
        said = dict(self.answers[fen]["standard"])
        if said.get("error") in NOT_COVERED:
            raise suite.NoAnswer(said["message"])
        if "error" in said:
            raise RuntimeError(f"{said['error']}: {said['message']}")
        return said


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Run our server on a free port, and give its address."""
    command = [*TABLEBASE, "serve", "--port", "0", "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout
            yield running.stdout.readline().split()[0].rstrip("/")
        finally:
            running.terminate()


def readers(arguments: argparse.Namespace, positions: list[dict[str, Any]]) -> Iterator[Tried]:
    """Yield the readers that there are, one after another."""
    official = arguments.official
    for files, whose in ((official / "syzygy", "official"), (arguments.syzygy, "exported")):
        if files:
            tables = f"{counted(len(list(files.glob('*.rtbw'))), 'table')}, {whose}"
            yield Tried("chess.syzygy", tables, suite.Syzygy(files))
            if arguments.stockfish:
                engine = suite.Engine(arguments.stockfish, {"SyzygyPath": str(files)})
                yield Tried("Stockfish", tables, engine)
    for files, whose in ((official / "gaviota", "official"), (arguments.gaviota, "exported")):
        if files:
            tables = f"{counted(len(list(files.glob('*.gtb.cp4'))), 'table')}, {whose}"
            yield Tried("chess.gaviota", tables, suite.Gaviota(files))
            if arguments.libgtb:
                library = suite.Gaviota(files, arguments.libgtb)
                yield Tried("libgaviotatb", tables, library)
    count = counted(len(list(arguments.dir.glob("K*.h5"))), "table")
    engine = suite.Engine(f"{' '.join(TABLEBASE)} uci --dir '{arguments.dir}'", {})
    yield Tried("`tablebase uci`", count, engine)
    with served(arguments.dir) as address:
        server = suite.Server(address)
        server.name = OURS
        yield Tried("`tablebase serve`", count, server)
    if arguments.published:
        yield Tried(
            "our reader in JavaScript", "published", Published(arguments.published, positions)
        )


def numbers_of(tried: Tried, positions: list[dict[str, Any]]) -> dict[str, Any]:
    """Put the suite to a reader; return what is kept."""
    found = list(suite.outcomes(tried.reader, positions))
    verdicts = Counter(one.verdict for one in found)
    failures = [one for one in found if one.verdict == "wrong"]
    for one in failures:
        print(suite.failure(one))
    return {
        "reader": tried.what,
        "version": tried.reader.name,
        "tables": tried.tables,
        "asked": len(found),
        **{key.replace(" ", "_"): verdicts[key] for key in ("right", "wrong", "no answer")},
        "failures": {one.position["id"]: [one.position["fen"], *one.faults] for one in failures},
    }


@reader_may_leave()
def main() -> int:
    """Run the command line; return 1 if a reader is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--dir", type=Path, default=ROOT / "data", help="folder of our tables")
    parser.add_argument("--official", type=Path, default=ROOT / "tests" / "data")
    parser.add_argument("--syzygy", type=Path, help="folder of exported files")
    parser.add_argument("--gaviota", type=Path, help="folder of exported files")
    parser.add_argument("--libgtb", help="the shared library of Gaviota")
    parser.add_argument("--stockfish", help="the command of Stockfish")
    parser.add_argument("--published", help="the address of published tables")
    parser.add_argument("--suite", type=Path, default=suite.SUITE, help="the positions")
    parser.add_argument("--save", action="store_true", help="keep the numbers")
    arguments = parser.parse_args()
    try:
        positions = suite.read_suite(arguments.suite, men=32, kinds=[])
        results = []
        for tried in readers(arguments, positions):
            results.append(numbers_of(tried, positions))
            shown = [
                f"{key} {results[-1][key]}" for key in ("asked", "right", "wrong", "no_answer")
            ]
            print(f"{tried.what}, {tried.tables}: {', '.join(shown)}", flush=True)
            getattr(tried.reader, "close", lambda: None)()
    except suite.BadInput as error:
        parser.error(" ".join(str(error).split()))
    if arguments.save:
        save("conformance", results)
    return int(any(one["wrong"] for one in results))


if __name__ == "__main__":
    sys.exit(main())
