"""Tables of three-check: files with layers, and probes one by one and many at once."""

import random

import h5py
import numpy as np
import pytest
from support.games import outcome_by_moves
from support.variants import CHECKS, random_boards

from tablebase import open_tablebase
from tablebase.core.answers.canonical import slot_of
from tablebase.core.building.generator import generate
from tablebase.core.checking.verify import check_file
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material

ROOK = "8/8/8/8/8/2k5/1R6/K7 w - -"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with tables of bare kings and of a rook."""
    folder = tmp_path_factory.mktemp("checks")
    generate([Material.from_name("KRK", CHECKS)], folder, metrics=(DTM, DTZ))
    return folder


@pytest.fixture(scope="module")
def tables(folder):
    with open_tablebase(folder, rules=CHECKS) as tables:
        yield tables


def test_a_file_states_its_layers_and_is_verified(folder):
    files = sorted(folder.glob("3check-*/*.h5"))
    assert [file.stem for file in files] == ["KK", "KRK"]
    for path, layers in zip(files, ("1x1", "3x1"), strict=True):
        assert check_file(path).passed
        with h5py.File(path) as file:
            assert file.attrs["format_version"] == 7
            assert file.attrs["layers"].decode() == layers


def test_a_check_is_worth_moves(tables):
    assert [tables.probe_dtm(f"{ROOK} {left}+3 0 1") for left in (1, 2, 3)] == [1, 5, 7]
    assert tables.probe_dtm(f"{ROOK} 0 1 +2+0") == tables.probe_dtm(f"{ROOK} 1+2 0 1") == 1


@pytest.mark.parametrize("metric", [DTM, DTZ], ids=str)
@pytest.mark.parametrize("symbols", ["KkR", "Kkr"])
def test_probes_follow_from_the_moves(tables, symbols, metric):
    def probe(setup):
        return tables.probe_outcome(setup, metric)

    for board in random_boards(CHECKS, symbols, 60, random.Random(metric.name)):
        setup = as_position(board)
        if not setup.end:
            assert probe(setup) == probe(board) == outcome_by_moves(metric, setup, probe), setup.fen


def test_many_are_probed_as_one_by_one(tables):
    boards = random_boards(CHECKS, "KkR", 100, random.Random(7))
    fens = [as_position(board).fen for board in boards]
    dtm, valid = tables.probe_dtm_many(fens)
    assert valid.all()
    assert dtm.tolist() == [tables.probe_dtm(fen) for fen in fens]
    assert len({*np.sign(dtm).tolist()}) == 3


def test_a_slot_is_that_of_the_value_in_the_file(folder, tables):
    with h5py.File(next(folder.glob("*/KRK.h5"))) as file:
        for board in random_boards(CHECKS, "KkR", 20, random.Random(8)):
            _, dataset, slot = slot_of(as_position(board))
            plies = abs(tables.probe_dtm(board))
            assert file[dataset][slot] == (plies or 255) or board.is_checkmate()


def test_what_is_over_is_refused(tables):
    over = read_setup("8/8/8/8/8/2k5/2R5/K7 b - - 0+3", CHECKS)
    assert (over.end, over.final_outcome()) == ("third check", ~0)
    with pytest.raises(UnsupportedPositionError, match="no check is left"):
        slot_of(over)
    assert tables.probe_wdl(over) == -1


def test_squares_come_with_the_checks_left(tables):
    boards = list(random_boards(CHECKS, "KkR", 100, random.Random(11)))
    setups = [as_position(board) for board in boards]
    rows = np.array([setup.squares for setup in setups], dtype=np.uint8)
    checks = [setup.checks for setup in setups]
    turns = [board.turn for board in boards]
    expected = [tables.probe_dtm(setup) for setup in setups]
    dtm, valid = tables.probe_dtm_many(rows, "KRK", turns, checks=checks)
    assert valid.all()
    assert dtm.tolist() == expected
    assert tables.probe_dtm_many(boards)[0].tolist() == expected
    wdl, _ = tables.probe_wdl_many(rows[:1], "KRK", turns[:1], checks=checks[0])
    assert wdl[0] == tables.probe_wdl(boards[0])
    planes = tables.probe_wdl_planes(rows[:1, 2:], "KRK", turn=turns[0], checks=checks[0])
    assert planes[0, 2, rows[0, 0]] >> rows[0, 1] & np.uint64(1)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({}, r"squares of 3check need the checks left .*: write checks=\(3, 3\)"),
        ({"checks": (4, 3)}, "checks left are numbers from 0 to 3"),
        ({"checks": [3, 3, 3]}, r"two integers, or of shape \[1, 2\]"),
    ],
)
def test_checks_that_do_not_fit_are_refused(tables, how, message):
    with pytest.raises(ValueError, match=message):
        tables.probe_dtm_many([[0, 18, 9]], "KRK", turn=True, **how)


def test_checks_belong_to_squares_of_games_that_count_them(tables, tables_dir):
    with pytest.raises(ValueError, match="leave checks out"):
        tables.probe_dtm_many([f"{ROOK} 3+3 0 1"], checks=(3, 3))
    with (
        open_tablebase(tables_dir) as chess_tables,
        pytest.raises(ValueError, match="checks are not counted in chess"),
    ):
        chess_tables.probe_dtm_many([[0, 18, 9]], "KRK", turn=True, checks=(3, 3))
