"""Arguments are read in one way by all functions, and what makes no sense is refused."""

from functools import partial
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import pytest

from tablebase import difficulty, solve_position
from tablebase.annotate.annotation import annotate
from tablebase.butterfly.boards import count_best_moves
from tablebase.butterfly.countermoves import count_countermoves
from tablebase.core.answers.opening import open_tablebase
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.engine.by_slices import solve_by_slices
from tablebase.core.engine.driver import solve
from tablebase.core.ground.argument_readers import as_flag, as_number, as_range
from tablebase.core.reading.given import as_turn
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.subtables import read_subtables
from tablebase.count.counting import count_all, count_positions
from tablebase.export.syzygy_writing import write_syzygy
from tablebase.finding.conditions import Conditions
from tablebase.finding.dataset import load_table
from tablebase.finding.find import find
from tablebase.finding.orbit_keys import splits
from tablebase.finding.trials import trial
from tablebase.report.analysis import analyse
from tablebase.strategies.proving import prove

DATA = Path(__file__).parents[1] / "data"
RULE = "white_pawn.rank > 4"
SIDE = "True for White and False for Black"


@pytest.fixture(scope="module")
def kpk():
    return load_table("KPK", DATA)


@pytest.mark.parametrize("turn", ["black", "b", "wite", "both", "", -1, 2, 1.0, [True], np.ones(2)])
def test_a_side_is_no_word_and_no_other_number(kpk, turn):
    asked = (
        partial(find, "KPK", DATA, result="loss"),
        partial(trial, "KPK", RULE, "win", DATA),
        kpk.positions,
        lambda turn: next(kpk.iter_blocks(turn=turn)),
        lambda turn: next(kpk.iter_positions(turn=turn)),
        Conditions,
    )
    for function in asked:
        with pytest.raises(ValueError, match=SIDE):
            function(turn=turn)
    with open_tablebase(DATA) as tables, pytest.raises(ValueError, match=SIDE):
        tables.probe_wdl_planes(np.zeros((1, 1), np.uint8), Material.from_name("KPK"), turn=turn)


@pytest.mark.parametrize("turn", [False, np.bool_(0), 0, np.int64(0)])
def test_a_side_may_be_of_numpy(turn):
    assert as_turn(turn) is False
    assert Conditions(turn=turn).turn is False
    assert len(find("KPK", DATA, turn=turn, result="loss", limit=3)) == 3


def test_many_sides_are_read_as_one_is():
    squares = np.array([[0, 18, 9]] * 2, dtype=np.uint8)
    with open_tablebase(DATA) as tables:
        for turn in ("black", -1, [1, 2], 0.0):
            with pytest.raises(ValueError, match=SIDE):
                tables.probe_dtm_many(squares, "KRK", turn)
        hidden = np.ma.array(squares, mask=[[True, False, False], [False] * 3])
        for squares_given, turn in ((hidden, True), (squares, np.ma.array([1, 0], mask=[1, 0]))):
            with pytest.raises(ValueError, match="masked: leave those positions out"):
                tables.probe_dtm_many(squares_given, "KRK", turn)
        open_mask = np.ma.array(squares)
        found = tables.probe_dtm_many(open_mask, "KRK", [True, False])[0]
        assert (found == tables.probe_dtm_many(squares, "KRK", [True, False])[0]).all()


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ({"check": "no"}, "check is True or False, not 'no'"),
        ({"only_move": "no"}, "only_move is True or False, not 'no'"),
        ({"longest": "no"}, "longest is True or False, not 'no'"),
        ({"limit": -3}, "limit is a whole number, 0 or more, not -3"),
        ({"sample": -1}, "sample is a whole number, 0 or more, not -1"),
        ({"limit": True}, "limit is a whole number, 0 or more, not True"),
        ({"limit": 2.5}, "limit is a whole number, 0 or more, not 2.5"),
        ({"seed": None}, "seed is a whole number, 0 or more, not None"),
        ({"images": None}, "images is one of canonical, all, not None"),
        ({"seed": -1}, "seed is a whole number, 0 or more, not -1"),
        ({"split_seed": 2**64}, "split_seed is a whole number, 0 to 18446744073709551615, not"),
        ({"plies": "20:40"}, r"like 31, \(20, 40\) or \(20, None\), not '20:40'"),
        ({"plies": range(3, 9, 2)}, "plies is a whole number or a pair of bounds"),
        ({"plies": range(3, 3)}, "plies is a whole number or a pair of bounds"),
        ({"moves": (1, 2, 3)}, "moves is a whole number or a pair of bounds"),
        ({"moves": (-1, 2)}, "moves is a whole number or a pair of bounds"),
        ({"moves": (5, 3)}, "moves: the range from 5 to 3 is empty"),
        ({"winning_moves": "2"}, "winning_moves is a whole number or a pair of bounds"),
        ({"result": 1}, "result is one of win, cursed_win, draw, blessed_loss, loss, not 1"),
        ({"result": ["win", None]}, "result is one of .*, not None"),
        ({"result": []}, "result names none: leave it out for all"),
        ({"zugzwang": True}, "zugzwang is one of any, white, black, both, not True"),
        ({"best_move": 3}, "best_move is one of .*, not 3"),
        ({"columns": 3}, "columns is one of orbit, split, best, help, not 3"),
        ({"on": "R=a1"}, "on is squares by letter, like .*, not 'R=a1'"),
        ({"on": {"P": 8}}, "on is squares by letter"),
        ({"on": {"P": ["a2", 8]}}, "on is squares by letter"),
        ({"on": {"P": ["a2", "j9"]}}, "'j9' is neither a square"),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused_in_one_line(condition, message):
    with pytest.raises(ValueError, match=message) as refused:
        find("KPK", DATA, **condition)
    assert "\n" not in str(refused.value)


def test_forms_with_one_meaning_are_read():
    counted = partial(find, "KPK", DATA, turn=True)
    assert len(counted(plies=range(3, 6))) == len(counted(plies=(3, 5))) > 0
    assert len(counted(plies=[41, None])) == len(counted(plies=(41, None))) > 0
    assert len(counted(on={"P": ["a2", "b3-c3"]})) == len(counted(on={"P": "a2,b3-c3"})) > 0
    assert len(counted(on=None, columns=None, result=None, limit=np.int64(7))) == 7
    assert len(counted(limit=0)) == len(counted(sample=0)) == 0


def test_other_functions_read_numbers_and_materials_alike():
    with pytest.raises(ValueError, match="limit is a whole number"):
        trial("KPK", RULE, "win", DATA, limit=-1)
    with pytest.raises(ValueError, match="rule50 is True or False, not 'no'"):
        trial("KPK", RULE, "win", DATA, rule50="no")
    for function in (find, load_table, lambda material, _: trial(material, RULE, "win", DATA)):
        with pytest.raises(TypeError, match="a material is a name like 'KRK' or a Material, not 5"):
            function(5, DATA)


def probing(name):
    def ask(**given):
        with open_tablebase(DATA) as tables:
            getattr(tables, name)([ROOK], **given)

    return ask


def listing(function):
    def ask(**given):
        function(read_table(DATA / "KRK.h5"), read_subtables(KRK, DATA), **given)

    return ask


def moving(function):
    def ask(**given):
        with open_tablebase(DATA) as tables:
            function(tables, chess.Board(f"{ROOK} - - 0 1"), **given)

    return ask


KRK = Material.from_name("KRK")
ROOK = "8/8/8/8/8/2k5/1R6/K7 w"
FUNCTIONS = {
    **{name: probing(name) for name in ("probe_dtm_many", "probe_wdl_many", "probe_wdl50_many")},
    "rank_moves": moving(Tablebase.rank_moves),
    "best_move": moving(Tablebase.best_move),
    "mainline": moving(Tablebase.mainline),
    "difficulty": moving(difficulty),
    "analyse": partial(analyse, DATA / "KRK.h5"),
    "trial": partial(trial, "KPK", RULE, "win", DATA),
    "find": partial(find, "KPK", DATA),
    "count_best_moves": listing(count_best_moves),
    "count_countermoves": listing(count_countermoves),
    "solve": lambda **given: solve(KRK, read_subtables(KRK, DATA), **given),
    "solve_by_slices": lambda **given: solve_by_slices(KRK, None, None, None, epochs=None, **given),
    "count_positions": partial(count_positions, KRK),
    "count_all": partial(count_all, 2),
    "annotate": lambda **given: annotate(chess.pgn.Game(), open_tablebase(DATA), **given),
    "prove": partial(prove, "KRK", [], DATA),
    "write_syzygy": partial(write_syzygy, KRK, [DATA], DATA),
    **{
        name: moving(getattr(Tablebase, name))
        for name in (
            "probe_helpmate",
            "can_mate",
            "help_line",
            "count_helpmates",
            "has_one_helpmate",
        )
    },
    "solve_position": partial(solve_position, chess.Board("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1")),
}
NO_THREADS = "2", 0, -1, 1.5
REFUSED = [
    *((name, {"threads": one}) for name in ("analyse", "probe_dtm_many") for one in NO_THREADS),
    *((name, {"threads": "2"}) for name in ("trial", "find", "solve_position", "probe_wdl_many")),
    *((name, {"skip_missing": "no"}) for name in ("probe_dtm_many", "probe_wdl_many")),
    *((name, {"rule50": 3}) for name in ("rank_moves", "best_move", "mainline", "difficulty")),
    *(("difficulty", {name: 0}) for name in ("sight", "moves")),
    *(("analyse", given) for given in ({"examples": -1}, {"butterfly": "no"})),
    ("probe_wdl50_many", {"threads": True}),
    *((name, {"threads": 0}) for name in ("solve", "solve_by_slices", "count_best_moves")),
    *(("count_best_moves", {name: "no"}) for name in ("draws", "threats")),
    ("count_countermoves", {"draws": "no"}),
    *((name, {"as_nulp": "no"}) for name in ("count_positions", "count_all")),
    *(("annotate", {name: "no"}) for name in ("only_results", "difficulty")),
    *(("solve_position", {"moves": 2}), ("prove", {"any_of": "no"})),
    ("write_syzygy", {"rounded": "no"}),
    *((name, {"color": "black"}) for name in FUNCTIONS if "mate" in name or name == "help_line"),
]


@pytest.mark.parametrize(("name", "given"), REFUSED)
def test_every_function_reads_numbers_and_flags_in_one_way(name, given):
    ((argument, value),) = given.items()
    with pytest.raises(ValueError, match=f"^{argument} is ") as refused:
        FUNCTIONS[name](**given)
    assert str(refused.value).endswith(f", not {value!r}")


def test_readers():
    with pytest.raises(ValueError, match=r"seed is a whole number, 0 to .*, not -1"):
        splits(np.zeros(1, np.uint64), seed=-1)
    assert as_flag("check", np.bool_(1)) is as_flag("check", 1) is True
    assert as_number("limit", np.int64(5)) == 5
    assert as_range("plies", (None, None)) == (None, None)


NOTHING = object()


@pytest.mark.parametrize("given", [None, 5, "x", [], NOTHING])
def test_what_is_no_table_path_or_function_is_refused_by_its_name(
    given, kpk, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    board = chess.Board(ROOK)
    asked = {
        "source is an open Tablebase": [partial(difficulty, given, board)],
        "tables is an open Tablebase": [partial(solve_position, board, "1s,2GB", tables=given)],
        "progress is a function": [partial(solve_position, board, "1s,2GB", progress=given)],
        "keep is a function": [partial(kpk.positions, keep=given)],
        "path is a path": [partial(read_table, given)],
        "directory is a path": [
            partial(find, "KRK", given),
            partial(load_table, "KRK", given),
            partial(open_tablebase, given),
        ],
        "directories is a list of paths": [partial(Tablebase, given)],
        "save is a path": [partial(solve_position, board, "1s,2GB", save=given)],
        "proof is a path": [partial(solve_position, board, "1s,2GB", proof=given)],
    }
    may_be_left_out = ("tables", "progress", "keep", "directory", "save", "proof")
    for words, functions in asked.items():
        if given is None and words.startswith(may_be_left_out):
            continue
        if (given == "x" and words.endswith("path")) or (given == [] and "directories" in words):
            continue
        for function in functions:
            with pytest.raises(TypeError, match=f"^{words}, not ") as refused:
                function()
            assert "\n" not in str(refused.value)
