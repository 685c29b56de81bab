"""Comparisons with third-party tables, which figures.py carries out for docs/verification.md."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import permutations
from math import factorial, prod
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import chess
from krkopt import krkopt

from tablebase import Tablebase, open_tablebase
from tablebase.audit.prober_audit import audit_prober
from tablebase.audit.probers import load_prober
from tablebase.core.board.geometry import Color
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import DTZ, wdl50
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.table_names import table_path
from tablebase.count.counting import count_all
from tablebase.export.gaviota_audit import audit_gaviota
from tablebase.export.gaviota_reading import gaviota_material
from tablebase.export.syzygy_audit import audit_syzygy

EXAMPLES = Path(__file__).parents[1] / "examples"
KRKOPT = "497b61d20d3d9e2ce310f9f4d2ca92dbdb0691d9e449d983ec6f7baf387dc7a9"
DIAGONAL = range(0, 64, 9)
SIDES = {Color.WHITE: "white_to_move", Color.BLACK: "black_to_move"}

T = TypeVar("T", int, str)  # a value of a position


class Compared(NamedTuple):
    """What was compared of one table, file or position, and what differs."""

    name: str
    compared: int
    different: int
    first: str = ""


class Comparison(NamedTuple):
    """A comparison with a third-party source."""

    whom: str  # the source
    what: str  # which of its numbers
    unit: str  # what is counted
    parts: str  # what it is grouped by
    source: str  # an example of the argument, for the command on the page
    # yields what was compared, from source and folder of tables
    find: Callable[[str, Path], Iterator[Compared]]
    prepare: str  # how to get the source, in a sentence


# Files of others, value by value


def syzygy(source: str, folder: Path) -> Iterator[Compared]:
    """Compare all cells of Syzygy files."""
    for path in sorted(Path(source).glob("*.rtb[wz]")):
        found = audit_syzygy(path, [folder])
        yield Compared(path.stem, found.compared, found.different, str(found.first or ""))


def gaviota(source: str, folder: Path) -> Iterator[Compared]:
    """Compare all cells of Gaviota files."""
    for path in sorted(Path(source).glob("*.gtb.cp4")):
        found = audit_gaviota(path, table_path(folder, gaviota_material(path).normalized()))
        yield Compared(found.material.name, found.compared, found.different, str(found.first or ""))


# Statistics of others, from the counts in our files


def _known(source: str, folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield the materials of a file of statistics that there is a table of, and their numbers."""
    for name, sides in json.loads(Path(source).read_text(encoding="utf-8"))["materials"].items():
        if table_path(folder, Material.from_name(name).normalized()).exists():
            yield name, sides


def _attributes(folder: Path, name: str) -> dict[str, Any]:
    with open_table(table_path(folder, Material.from_name(name).normalized())) as file:
        return dict(file.attributes)


def _on_the_diagonal(
    material: Material, color: Color, value_of: Callable[[chess.Board], T]
) -> Iterator[T]:
    """Yield the values of legal positions with all men on the long diagonal, told apart."""
    for squares in permutations(DIAGONAL, material.piece_count):
        board = board_of(material, squares, color is Color.WHITE)
        if abs(squares[0] - squares[1]) > DIAGONAL.step and not board.was_into_check():
            yield value_of(board)


def _as_syzygy_counts(
    material: Material,
    color: Color,
    whole_board: dict[T, int],
    value_of: Callable[[chess.Board], T],
) -> Counter[T]:
    """Return how often each value occurs, counted as Syzygy's statistics are.

    They tell identical men apart and count one of each set of symmetric positions.
    """
    alike = prod(factorial(count) for _, _, count in material.groups)
    numbers = Counter({value: count * alike for value, count in whole_board.items()})
    images = 2
    if not material.has_pawns:
        images = 8
        for value in _on_the_diagonal(material, color, value_of):
            numbers[value] += 2
    return Counter({value: count // images for value, count in numbers.items() if count})


def counts_of_syzygy(folder: Path, name: str, tables: Tablebase) -> dict[str, Counter[int]]:
    """Return by side to move how often each outcome occurs, counted as Syzygy's statistics are."""
    outcome_of = partial(tables.probe_outcome, metric=DTZ)
    found = {}
    for color, side in SIDES.items():
        counts = _attributes(folder, name)["dtz_counts"][side]
        by_plies = counts["dtz_histogram"]
        numbers = {int(n): count for n, count in by_plies["win"].items()}
        numbers |= {~int(n): count for n, count in by_plies["loss"].items()}
        numbers[0] = counts["draw"]
        found[side] = _as_syzygy_counts(Material.from_name(name), color, numbers, outcome_of)
    return found


def _results_of(numbers: Counter[int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for outcome, count in numbers.items():
        result = wdl50(outcome).name.lower().replace("blessed", "cursed")
        found[result] += count
    return found


def _differing(name: str, pairs: dict[str, tuple[int, int]]) -> Compared:
    wrong = [what for what, (ours, theirs) in pairs.items() if ours != theirs]
    first = "{}: we count {:,}, they {:,}".format(wrong[0], *pairs[wrong[0]]) if wrong else ""
    return Compared(name, len(pairs), len(wrong), first)


def results(source: str, folder: Path) -> Iterator[Compared]:
    """Compare the numbers of the five results with either side to move."""
    keys = ("win", "cursed_win", "draw", "cursed_loss", "loss")
    with open_tablebase(folder) as tables:
        for name, sides in _known(source, folder):
            pairs = {}
            for side, numbers in counts_of_syzygy(folder, name, tables).items():
                ours = _results_of(numbers)
                pairs |= {f"{side} {key}": (ours[key], sides[side][key]) for key in keys}
            yield _differing(name, pairs)


def results_without_rule(source: str, folder: Path) -> Iterator[Compared]:
    """Compare the numbers of wins, draws and losses without the 50-move rule."""
    with open_tablebase(folder) as tables:

        def result_of(board: chess.Board) -> str:
            return Wdl(tables.probe_wdl(board)).name.lower()

        for name, sides in _known(source, folder):
            pairs = {}
            for color, side in SIDES.items():
                counts = _attributes(folder, name)["counts"][side]
                numbers = {result: counts[result] for result in ("win", "draw", "loss")}
                ours = _as_syzygy_counts(Material.from_name(name), color, numbers, result_of)
                for result in numbers:
                    theirs = sides[side][result] + sides[side].get(f"cursed_{result}", 0)
                    pairs[f"{side} {result}"] = ours[result], theirs
            yield _differing(name, pairs)


def by_ply(source: str, folder: Path) -> Iterator[Compared]:
    """Compare the numbers of positions by distance to zeroing, with either side to move."""
    with open_tablebase(folder) as tables:
        for name, sides in _known(source, folder):
            pairs = {}
            for side, ours in counts_of_syzygy(folder, name, tables).items():
                others = Counter({int(n): count for n, count in sides[side]["win"].items()})
                others += Counter({~int(n): count for n, count in sides[side]["loss"].items()})
                others[0] = sides[side]["draws"]
                for outcome in sorted({*ours, *others}):
                    pairs[f"{side} {outcome}"] = ours[outcome], others[outcome]
            yield _differing(name, {what: pair for what, pair in pairs.items() if any(pair)})


def chesstb_counts(source: str, folder: Path) -> Iterator[Compared]:
    """Compare whole-board counts and longest distances to mate."""
    for name, sides in _known(source, folder):
        attributes, pairs = _attributes(folder, name), {}
        for side in SIDES.values():
            ours, theirs = attributes["counts"][side], sides[side]
            for key in ("win", "draw", "loss", "illegal"):
                pairs[f"{side} {key}"] = ours[key], theirs[key]
            longest = max(map(int, ours["dtm_histogram"]["win"]), default=0)
            pairs[f"{side} longest win"] = longest, theirs["max_win_plies"] or 0
        yield _differing(name, pairs)


# Single positions


def _rows(source: str) -> list[dict[str, str]]:
    with Path(source).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def mates(source: str, folder: Path) -> Iterator[Compared]:
    """Compare distances to mate of single positions."""
    with open_tablebase(folder) as tables:
        for row in _rows(source):
            ours, theirs = (
                tables.get_dtm(chess.Board(row["fen"])),
                int(row.get("dtm_plies") or row["plies"]),
            )
            if ours is not None:
                yield _differing(row["fen"], {"plies to mate": (ours, theirs)})


def zeroings(source: str, folder: Path) -> Iterator[Compared]:
    """Compare results and rounded distances to zeroing of single positions."""
    with open_tablebase(folder) as tables:
        for row in _rows(source):
            board, pairs = chess.Board(row["fen"]), {}
            with suppress(KeyError):
                ours = tables.probe_dtz(board)
                pairs["result"] = int(tables.probe_wdl50(board)), int(row["wdl"])
                if row["dtz"]:
                    theirs = int(row["dtz"])
                    rounded = ours - ((ours > 0) - (ours < 0))
                    pairs["plies to zeroing"] = (theirs if theirs == rounded else ours), theirs
                yield _differing(row["fen"], pairs)


def longest_mates(source: str, folder: Path) -> Iterator[Compared]:
    """Compare Prophet's longest mates, and the distance of the positions that it names."""
    with open_tablebase(folder) as tables:
        for row in _rows(source):
            if not row["dtm"] or row["id"] == "KK":
                continue
            first, second = re.fullmatch("(K[QRBNP]*)(K[QRBNP]*)", row["id"]).groups()  # type: ignore[union-attr]
            material = Material.from_name(f"{first}v{second}")
            path = table_path(folder, material.normalized())
            if path.exists():
                side = SIDES[Color.WHITE if material.is_normalized else Color.BLACK]
                won = _attributes(folder, material.name)["longest_wins"][side]
                theirs = int(row["dtm"])
                board = chess.Board(row["fen"].rstrip(" -") + " - - 0 1")
                pairs = {"longest": (won["plies"] if won else 0, theirs)}
                pairs["its position"] = tables.probe_dtm(board), theirs
                yield _differing(row["id"], pairs)


def krk_rows(source: str, folder: Path) -> Iterator[Compared]:
    """Compare the data set krkopt, of which the SHA-256 is known, row by row if there is a file."""
    rows = krkopt(folder)
    if source and Path(source).exists():
        theirs = Path(source).read_text(encoding="ascii").splitlines()
        ours, others = Counter(rows), Counter(theirs)
        different = max((ours - others).total(), (others - ours).total())
        yield Compared("KRK", len(rows), different)
    else:
        digest = hashlib.sha256("".join(f"{row}\n" for row in rows).encode()).hexdigest()
        yield Compared("KRK", len(rows), 0 if digest == KRKOPT else len(rows), digest)


def nulp(source: str, folder: Path) -> Iterator[Compared]:  # noqa: ARG001 (needs no tables)
    """Compare the numbers of all positions of some men, and of those with castling rights."""
    theirs = json.loads(Path(source).read_text(encoding="utf-8"))
    for men, total in theirs["totals"].items():
        ours = count_all(int(men), as_nulp=True)
        pairs = {"positions": (sum(ours.values()), total)}
        if men in theirs["with_castling_rights"]:
            with_rights = ours["castling"] + ours["both"], theirs["with_castling_rights"][men]
            pairs["positions with castling rights"] = with_rights
        yield _differing(f"{men} men", pairs)


# Programs of others, asked at random


def asked(name: str, sample: int) -> Callable[[str, Path], Iterator[Compared]]:
    """Return a comparison with a prober in examples/, of a sample of each table of three or four.

    The positions after moves of the sample are judged by the local rule, too.
    """

    def find(source: str, folder: Path) -> Iterator[Compared]:
        prober: Any = load_prober(f"{EXAMPLES}/{name}", source)
        with open_tablebase(folder) as tables:
            for material in tables.available_materials:
                if 2 < material.piece_count <= 4:
                    (found,) = audit_prober(prober, [material], sample, reference=tables)
                    wrong = found.different + found.contradicting
                    first = str(found.findings[0]) if found.findings else ""
                    if found.answered:
                        yield Compared(material.name, found.compared, wrong, first)

    return find


DATA = "tests/data"
COMPARISONS = {
    "syzygy": Comparison(
        "Syzygy files of three and four pieces",
        "results and DTZ, every cell",
        "cells",
        "files",
        "syzygy",
        syzygy,
        "the files of <https://tablebase.lichess.ovh/tables/standard/>",
    ),
    "results": Comparison(
        "Syzygy's statistics",
        "the five results",
        "numbers",
        "tables",
        "results.json",
        results,
        "`regular-stats.txt` beside these files, as JSON: by material and side to move the numbers "
        "`win`, `cursed_win`, `draw`, `cursed_loss`, `loss`",
    ),
    "results-6men": Comparison(
        "Syzygy's statistics of six pieces",
        "wins, draws and losses",
        "numbers",
        "tables",
        "results.json",
        results_without_rule,
        "`regular-stats.txt` beside the six-man files, as JSON like that of five; here KRNKNN",
    ),
    "by-ply": Comparison(
        "Syzygy's statistics",
        "positions by exact DTZ",
        "numbers",
        "tables",
        f"{DATA}/dtz_hist.json",
        by_ply,
        "39 of the 115 materials are here; the others are from the same `regular-stats.txt`",
    ),
    "syzygy-suite": Comparison(
        "tests of python-chess, shakmaty-syzygy and lila-tablebase",
        "result and rounded DTZ",
        "numbers",
        "positions",
        f"{DATA}/syzygy_suite.csv",
        zeroings,
        "the file is here",
    ),
    "gaviota": Comparison(
        "three-piece Gaviota files",
        "DTM, every cell",
        "cells",
        "files",
        f"{DATA}/gaviota",
        gaviota,
        "the files are here",
    ),
    "gaviota-suite": Comparison(
        "python-chess's tests of Gaviota",
        "DTM",
        "numbers",
        "positions",
        f"{DATA}/python_chess_gaviota.csv",
        mates,
        "the file is here",
    ),
    "chesstb-counts": Comparison(
        "chesstb's counts",
        "results, illegal positions, longest wins",
        "numbers",
        "tables",
        f"{DATA}/counts_3_4men.json",
        chesstb_counts,
        "the file is here",
    ),
    "chesstb-positions": Comparison(
        "chesstb's list of positions",
        "DTM",
        "numbers",
        "positions",
        f"{DATA}/probe_dtm.csv",
        mates,
        "the file is here",
    ),
    "chesstb": Comparison(
        "chesstb's tables",
        "result, DTM, DTZ",
        "positions",
        "tables",
        "chesstb",
        asked("chesstb_prober.py:Chesstb", 40),
        "the environment variable `CHESSTB` names its program, see `examples/chesstb_prober.py`",
    ),
    "prophet": Comparison(
        "Prophet's tables",
        "DTM",
        "positions",
        "tables",
        "egtbs",
        asked("prophet_prober.py:Prophet", 400),
        "the environment variable `PROPHET` names its library, see `examples/prophet_prober.py`",
    ),
    "prophet-mates": Comparison(
        "Prophet's longest mates",
        "length and position",
        "numbers",
        "tables and sides",
        "longest_mates.csv",
        longest_mates,
        "the file in <https://github.com/markus7800/prophet_tb_gen_and_probe>",
    ),
    "krkopt": Comparison(
        "krkopt, of Bain and van Hoff",
        "moves to mate",
        "rows",
        "table",
        "krkopt.data",
        krk_rows,
        "<https://archive.ics.uci.edu/dataset/23>; without the file its SHA-256 is compared",
    ),
    "nulp": Comparison(
        "NULP, by Kirill Kryukov",
        "counts of all positions",
        "numbers",
        "numbers of pieces",
        f"{DATA}/nulp.json",
        nulp,
        "the file is here; it needs no tables",
    ),
}
