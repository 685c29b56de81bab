"""In place of chess.gaviota: python-chess's own tests of Gaviota tables hold for ours.

Its cases are stated here for all who have none of its sources. Who has them (the source archive of
the package has ``test.py`` and ``data``) can have the original class run, word for word::

    PYTHON_CHESS_SOURCE=chess-1.11.2 CHESS_TABLES=FOLDER \\
        pytest tests/core/answers/test_gaviota_suite.py

``CHESS_TABLES`` is a folder of five-man tables, for the cases that are too much to build here.
"""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import chess
import chess.gaviota
import pytest
from support.oracle import cases_of

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.engine.driver import solve
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table

ROOT = Path(__file__).parents[3]
TABLES = os.environ.get("CHESS_TABLES")
SOURCE = os.environ.get("PYTHON_CHESS_SOURCE")

WITH_CASTLING = chess.Board("4k3/8/8/8/8/8/PP6/R3K2R w K - 0 1")
OF_SEVEN_MEN = chess.Board("4k3/8/8/8/8/8/PPPPP3/4K3 w - - 0 1")
OF_FIVE_MEN = chess.Board("4k3/8/8/8/8/8/PPP5/4K3 w - - 0 1")


CASES = cases_of("python_chess_gaviota", lambda row: int(row["plies"]))
OF_FOUR = [material for material in CASES if material.piece_count <= 4]
OF_FIVE = [material for material in CASES if material.piece_count == 5]
# Those whose sub-tables all have four men.
PAWNLESS = [material for material in OF_FIVE if not material.has_pawns]


@pytest.fixture
def tablebase(tables_dir):
    with open_tablebase(tables_dir, libgtb=None, LibraryLoader=None) as opened:
        yield opened


def check(tablebase, material):
    for board, plies in CASES[material]:
        assert tablebase.probe_dtm(board) == plies, board.fen()
        if plies:
            assert tablebase.probe_wdl(board) == (1 if plies > 0 else -1), board.fen()


def test_no_case_is_lost():
    assert sum(map(len, CASES.values())) == 80
    assert (len(OF_FOUR), len(OF_FIVE), len(PAWNLESS)) == (33, 18, 6)


@pytest.mark.parametrize("material", OF_FOUR, ids=str)
def test_distances_of_up_to_four_men(tablebase, material):
    check(tablebase, material)


@pytest.mark.slow
@pytest.mark.parametrize("material", PAWNLESS, ids=str)
def test_distances_of_five_men_without_pawns(tablebase, solved, tmp_path, material):
    write_table(solve(material, solved), table_path(tmp_path, material))
    assert tablebase.get_dtm(CASES[material][0][0]) is None
    tablebase.add_directory(tmp_path)
    check(tablebase, material)


@pytest.mark.skipif(not TABLES, reason="CHESS_TABLES names no folder of five-man tables")
@pytest.mark.parametrize("material", OF_FIVE, ids=str)
def test_distances_of_five_men(tablebase, material):
    tablebase.add_directory(TABLES)
    if material not in tablebase.available_materials:
        pytest.skip(f"no {material} in {TABLES}")
    check(tablebase, material)


def test_results(tablebase):
    assert tablebase.probe_wdl(chess.Board("8/8/4K3/2n5/8/3k4/8/8 w - - 0 1")) == 0
    assert tablebase.probe_wdl(chess.Board("8/8/1p2K3/8/8/3k4/8/8 b - - 0 1")) == 1


def test_no_tables_are_available_after_closing(tablebase):
    assert tablebase.available_tables
    with tablebase:
        pass
    assert not tablebase.available_tables
    tablebase.close()
    assert not tablebase.available_tables


def test_methods_take_the_same_arguments():
    assert_accepts(open_tablebase, chess.gaviota.open_tablebase)
    theirs = inspect.getmembers(chess.gaviota.NativeTablebase, inspect.isfunction)
    names = [name for name, _ in theirs if not name.startswith("_")]
    assert names == ["add_directory", "close", "get_dtm", "get_wdl", "probe_dtm", "probe_wdl"]
    for name in [*names, "__enter__", "__exit__"]:
        assert_accepts(getattr(Tablebase, name), getattr(chess.gaviota.NativeTablebase, name))


def assert_accepts(ours, theirs):
    """State that whatever arguments the other takes ours takes as well."""
    wanted = inspect.signature(theirs).parameters
    present = inspect.signature(ours).parameters
    variadic = any(p.kind is p.VAR_POSITIONAL for p in present.values())
    for place, (name, parameter) in enumerate(wanted.items()):
        if name in present:
            assert present[name].kind == parameter.kind
            assert parameter.kind is parameter.KEYWORD_ONLY or list(present)[place] == name
        else:
            assert variadic, f"{ours.__qualname__} takes no {name}"


@pytest.mark.parametrize("board", [WITH_CASTLING, OF_SEVEN_MEN, OF_FIVE_MEN])
def test_defaults_stand_for_what_tables_do_not_tell(tablebase, board):
    with pytest.raises((MissingTableError, UnsupportedPositionError)):
        tablebase.probe_dtm(board)
    assert tablebase.get_dtm(board) is None
    assert tablebase.get_wdl(board) is None
    assert tablebase.get_dtm(board, 7) == 7
    assert tablebase.get_wdl(board, default=-2) == -2


@pytest.mark.parametrize(
    ("board", "reason"),
    [(WITH_CASTLING, "castling"), (OF_SEVEN_MEN, "7 pieces"), (OF_FIVE_MEN, "KPPPK")],
)
def test_what_tables_do_not_tell_is_a_key_error(tablebase, board, reason):
    with pytest.raises(KeyError, match=reason):
        tablebase.probe_dtm(board)
    with pytest.raises(KeyError, match=reason):
        tablebase.probe_wdl(board)


def test_a_directory_that_is_none(tablebase, tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        tablebase.add_directory(tmp_path / "nowhere")


# Runs the original class on our tables; a folder and the sources are its arguments.
ORIGINAL = """
import os, sys, unittest
import chess.gaviota, tablebase

folder, source = sys.argv[1:3]
four, five = folder.split(os.pathsep)

def open_ours(directory, **options):
    assert directory == "data/gaviota"
    tables = tablebase.open_tablebase(four, **options)
    if five:
        tables.add_directory(five)
    return tables

chess.gaviota.open_tablebase = open_ours
chess.gaviota.MissingTableError = tablebase.MissingTableError
os.chdir(source)
sys.path.insert(0, source)
import importlib.util
spec = importlib.util.spec_from_file_location("original", "test.py")
original = importlib.util.module_from_spec(spec)
spec.loader.exec_module(original)
suite = unittest.defaultTestLoader.loadTestsFromTestCase(original.GaviotaTestCase)
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
sys.exit(not result.wasSuccessful())
"""


@pytest.mark.skipif(not SOURCE, reason="PYTHON_CHESS_SOURCE names no folder of its sources")
def test_the_original_class(tables_dir):
    folders = os.pathsep.join([str(tables_dir), str(Path(TABLES).resolve()) if TABLES else ""])
    result = subprocess.run(
        [sys.executable, "-c", ORIGINAL, folders, str(Path(SOURCE).resolve())],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    passed = {line.split()[0] for line in result.stdout.splitlines() if line.endswith("... ok")}
    assert passed >= {"test_context_manager", "test_dm_4", "test_ep_is_best", "test_wdl"}
    # The others need five-man tables.
    assert len(passed) == 7 or "skipped" in result.stdout
