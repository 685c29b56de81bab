"""Batches of positions in any container: what counts is what it holds."""

from collections import deque

import chess
import numpy as np
import pytest
from support.oracle import random_boards

from tablebase import open_tablebase
from tablebase.core.positions.chess_board import squares_of
from tablebase.core.reading.given import GivenPositions
from tablebase.core.rules.material import Material

KRK = Material.from_name("KRK")
BOARDS = list(random_boards(KRK, 20, seed=11))
FENS = [board.fen() for board in BOARDS]
SQUARES = [list(map(int, squares_of(board, KRK))) for board in BOARDS]
TURNS = [board.turn for board in BOARDS]
ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"


@pytest.fixture(scope="module")
def tables(tables_dir):
    with open_tablebase(tables_dir) as tables:
        yield tables


@pytest.fixture(scope="module")
def values(tables):
    return [tables.probe_dtm(board) for board in BOARDS]


def numpy_strings(fens):
    return np.array(fens, dtype=np.dtypes.StringDType(na_object=None))


# How a library holds a list of things; the library is the first word of the name.
COLUMNS = {
    "list": list,
    "tuple": tuple,
    "deque": deque,
    "iterator": iter,
    "numpy object": lambda them: np.array(them, dtype=object),
    "pandas series": lambda them: pandas().Series(them, dtype=object),
    "pandas index": lambda them: pandas().Index(them, dtype=object),
    "pandas array": lambda them: pandas().Series(them, dtype=object).array,
}
COLUMNS_OF_TEXT = COLUMNS | {
    "numpy str_": np.array,
    "numpy StringDType": numpy_strings,
    "pandas string": lambda fens: pandas().Series(fens, dtype="string"),
    "pandas category": lambda fens: pandas().Series(fens, dtype="category"),
    "polars series": lambda fens: polars().Series(fens),
    "polars category": lambda fens: polars().Series(fens, dtype=polars().Categorical),
    "pyarrow array": lambda fens: pyarrow().array(fens),
    "pyarrow large": lambda fens: pyarrow().array(fens, pyarrow().large_string()),
    "pyarrow dictionary": lambda fens: pyarrow().array(fens).dictionary_encode(),
    "pyarrow chunks": lambda fens: pyarrow().chunked_array([fens[:7], fens[7:]]),
}
FRAMES = {
    "list of lists": list,
    "list of tuples": lambda rows: list(map(tuple, rows)),
    "list of arrays": lambda rows: list(np.array(rows, np.int16)),
    "tuple of lists": tuple,
    "numpy object": lambda rows: np.array(rows, dtype=object),
    "pandas frame": lambda rows: pandas().DataFrame(rows, columns=["K", "k", "R"]),
    "pandas nullable": lambda rows: pandas().DataFrame(rows).astype("Int8"),
    "pandas series": lambda rows: pandas().Series(rows),
    "polars frame": lambda rows: polars().DataFrame(rows, orient="row"),
    "polars lists": lambda rows: polars().Series(rows),
    "polars arrays": lambda rows: polars().Series(rows, dtype=polars().Array(polars().Int8, 3)),
    "pyarrow table": lambda rows: pyarrow().table(np.array(rows).T.tolist(), names=list("KkR")),
    "pyarrow lists": lambda rows: pyarrow().array(rows),
    "pyarrow chunks": lambda rows: pyarrow().chunked_array([rows[:7], rows[7:]]),
}


def pandas():
    return pytest.importorskip("pandas")


def polars():
    return pytest.importorskip("polars")


def pyarrow():
    return pytest.importorskip("pyarrow")


@pytest.mark.parametrize("name", COLUMNS_OF_TEXT)
def test_fens_in_any_container(tables, values, name):
    column = COLUMNS_OF_TEXT[name]
    plies, valid = tables.probe_dtm_many(column(FENS))
    assert valid.all()
    assert plies.tolist() == values
    results, valid = tables.probe_wdl_many(column(FENS))
    assert valid.all()
    assert results.tolist() == [tables.probe_wdl(board) for board in BOARDS]
    assert len(GivenPositions(column(FENS))) == len(FENS)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("kind", ["boards", "both"])
def test_boards_in_any_container(tables, values, name, kind):
    given = BOARDS if kind == "boards" else [*FENS[:10], *BOARDS[10:]]
    plies, valid = tables.probe_dtm_many(COLUMNS[name](given))
    assert valid.all()
    assert plies.tolist() == values


@pytest.mark.parametrize("name", FRAMES)
def test_squares_in_any_container(tables, values, name):
    for turn in (TURNS, tuple(TURNS), np.array(TURNS), np.array(TURNS, np.uint8)):
        plies, valid = tables.probe_dtm_many(FRAMES[name](SQUARES), "KRK", turn)
        assert valid.all()
        assert plies.tolist() == values
    results, _ = tables.probe_wdl_many(FRAMES[name](SQUARES), KRK, TURNS)
    assert results.tolist() == [tables.probe_wdl(board) for board in BOARDS]


@pytest.mark.parametrize("dtype", [*"bhilqBHILQ", ">i4", ">u2"])
def test_squares_of_any_kind_of_integer(tables, values, dtype):
    plies, valid = tables.probe_dtm_many(np.array(SQUARES, dtype), "KRK", TURNS)
    assert valid.all()
    assert plies.tolist() == values


@pytest.mark.parametrize("name", COLUMNS)
def test_the_side_to_move_in_any_container(tables, values, name):
    turns = COLUMNS[name](TURNS) if name != "iterator" else TURNS
    assert tables.probe_dtm_many(SQUARES, "KRK", turns)[0].tolist() == values
    for turns in (pandas().array(TURNS, dtype="boolean"), polars().Series(TURNS)):
        assert tables.probe_dtm_many(SQUARES, "KRK", turns)[0].tolist() == values
    for turns in (pyarrow().array(TURNS), pyarrow().chunked_array([TURNS])):
        assert tables.probe_dtm_many(SQUARES, "KRK", turns)[0].tolist() == values


@pytest.mark.parametrize("name", COLUMNS_OF_TEXT)
def test_a_missing_fen_is_named_by_its_row(tables, name):
    given = [*FENS[:10], None, *FENS[11:]]
    if name == "numpy str_":  # has no missing values
        given[10] = ""
        with pytest.raises(ValueError, match="position 10: "):
            tables.probe_dtm_many(np.array(given))
        return
    with pytest.raises(TypeError, match=r"position 10: expected a chess\.Board or a FEN, not "):
        tables.probe_dtm_many(COLUMNS_OF_TEXT[name](given))


@pytest.mark.parametrize("missing", [None, np.nan, 5, b"bytes", [1.5]])
@pytest.mark.parametrize("place", [0, 3])
def test_what_is_no_position_is_named_by_its_row(tables, missing, place):
    given: list = FENS[:5]
    given[place] = missing
    with pytest.raises(TypeError, match=f"position {place}: expected a chess.Board or a FEN, not "):
        tables.probe_wdl_many(given)


EMPTY = {
    **{f"column, {name}": column for name, column in COLUMNS_OF_TEXT.items()},
    "numpy float": np.array,
    "numpy rows": lambda _: np.zeros((0, 3), np.uint8),
    "pandas frame": lambda _: pandas().DataFrame(),
    "polars frame": lambda _: polars().DataFrame(),
    "pyarrow table": lambda _: pyarrow().table({"a": []}),
}


@pytest.mark.parametrize("name", EMPTY)
@pytest.mark.parametrize("how", [(), ("KRK", True), ("KRK", [])])
def test_empty_batches(tables, name, how):
    for probe, dtype in ((tables.probe_dtm_many, np.int16), (tables.probe_wdl_many, np.int8)):
        answers, valid = probe(EMPTY[name]([]), *how)
        assert (answers.shape, answers.dtype) == ((0,), dtype)
        assert (valid.shape, valid.dtype) == ((0,), np.bool_)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((SQUARES[:1],), ValueError, r"need a material.*\[\d+, \d+, \d+\] came without"),
        ((np.array(SQUARES),), ValueError, r"need a material.*shape \[20, 3\] came without"),
        ((np.array(SQUARES), "KRK"), ValueError, "the side to move"),
        ((GivenPositions(BOARDS), "KRK", True), ValueError, "leave material and turn out"),
        ((np.array(FENS), "KRK", True), ValueError, "leave material and turn out"),
        ((np.array([FENS]),), TypeError, "position 0: .* not "),
        ((np.array(SQUARES, float), "KRK", True), ValueError, "integers .*, got float64"),
        (([["a1", "a2", "a3"]], "KRK", True), ValueError, "integers .*, got <U2"),
        (([1, 2, 3], "KRK", True), ValueError, r"shape \[n, 3\] for KRK, got \[3\]"),
        (([[1, 2, 3], [4, 5]], "KRK", True), ValueError, r"position 1: .* not \[4, 5\]"),
        (([[1, 2, 3], None], "KRK", True), ValueError, "position 1: .* not None"),
        (([[1, 2, None]], "KRK", True), ValueError, "integers .*, got object"),
        ((SQUARES, "KRK", "w"), ValueError, "turn is True for White and False for Black, not 'w'"),
        ((SQUARES, "KRK", [None] * 20), ValueError, "turn is True for White"),
        ((SQUARES, "KRK", [0.5] * 20), ValueError, "turn is True for White"),
        ((SQUARES, "KRK", [True] * 3), ValueError, r"turn has shape \[3\], .* 20 positions"),
        ((ROOK,), TypeError, "expected a list of boards and FENs, or squares, not '8/8"),
        ((chess.Board(),), TypeError, "expected a list of boards"),
        ((None,), TypeError, "expected a list of boards and FENs, or squares, not None"),
        ((np.array(ROOK),), TypeError, "expected a list of boards"),
        ((np.array(5), "KRK", True), ValueError, r"shape \[n, 3\] for KRK, got \[\]"),
    ],
)
def test_refusals_name_what_was_given(tables, arguments, error, message):
    with pytest.raises(error, match=message):
        tables.probe_dtm_many(*arguments)


@pytest.mark.thorough
def test_no_library_of_data_frames_is_imported():
    from support.commands import python

    code = f"""
import sys
from tablebase import open_tablebase
with open_tablebase("data") as tables:
    assert tables.probe_dtm_many([{ROOK!r}])[0] == [31]
print({{"pandas", "polars", "pyarrow"}} & {{*sys.modules}})
"""
    assert python("-c", code).stdout == "set()\n"
