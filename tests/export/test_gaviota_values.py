"""Bytes of Gaviota files: python-chess understands them as they are meant."""

import chess.gaviota
import numpy as np
import pytest
from support.made_up import made_up_table

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.index.legality import is_legal, mark_slots
from tablebase.core.outcomes.metrics import DTM, Outcome
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.table import Table
from tablebase.export.gaviota_values import (
    ILLEGAL,
    VALUES_OF_CODES,
    fill_illegal,
    gather,
    outcome_of,
    read_values,
    value_in_words,
)

BYTES = [value for value in range(256) if value != ILLEGAL]


def outcome_of_python_chess(value, color):
    """Return the outcome of a byte: n for a win in n plies, ``~n`` for a loss, 0 for a draw."""
    unpacked = chess.gaviota.dtm_unpack(int(color), value)
    plies, mates = unpacked >> chess.gaviota.PLYSHIFT, unpacked & chess.gaviota.INFOMASK
    if mates == chess.gaviota.tb_DRAW:
        return 0
    return plies if mates == color + 1 else ~plies


@pytest.mark.parametrize("color", Color)
def test_bytes_mean_what_python_chess_reads(color):
    outcomes = [outcome_of(value, color) for value in BYTES]
    assert outcomes == [outcome_of_python_chess(value, color) for value in BYTES]
    assert len(set(outcomes)) == 255


@pytest.mark.parametrize(("color", "unsaid"), [(Color.WHITE, 254), (Color.BLACK, 253)])
def test_every_code_has_its_byte_but_one(color, unsaid):
    for code, value in enumerate(VALUES_OF_CODES[color].tolist()):
        if code == unsaid:
            assert value == ILLEGAL
        else:
            assert outcome_of(value, color) == DTM.outcomes[code]


def test_words():
    assert value_in_words(0, Color.WHITE) == "Draw"
    assert value_in_words(1, Color.BLACK) == "Black is checkmated"
    assert value_in_words(2, Color.BLACK) == "Black wins: mate in 1 move (1 ply)"
    assert value_in_words(ILLEGAL, Color.BLACK) == "that it is illegal"
    for color in Color:
        for value in BYTES:
            plies = Outcome(outcome_of(value, color)).plies
            assert not plies or f"({plies} pl" in value_in_words(value, color)


@pytest.mark.parametrize("name", ["KRK", "KPK", "KRKR"])
def test_tables_in_bytes(tmp_path, name):
    table = made_up_table(name)
    path = tmp_path / f"{name}.h5"
    write_table(table, path, subtables={})
    stored = read_table(path)
    values = read_values(path, table.material, threads=2)
    marks = mark_slots(table.index)
    for color in Color:
        legal = is_legal(marks, color)
        assert (values[color][~legal] == ILLEGAL).all()
        expected = VALUES_OF_CODES[color][stored.codes[color][legal]]
        assert np.array_equal(values[color][legal], expected)


@pytest.mark.parametrize(("color", "code"), [(Color.WHITE, 254), (Color.BLACK, 253)])
def test_a_distance_that_no_byte_says(tmp_path, color, code):
    table = made_up_table("KRK")
    codes = [side.copy() for side in table.codes]
    codes[color][np.flatnonzero(is_legal(mark_slots(table.index), color))[1000]] = code
    path = tmp_path / "KRK.h5"
    write_table(Table(table.material, *codes), path, subtables={})
    with pytest.raises(TablebaseError, match=f"KRK has a position.*127 moves \\({code} plies\\)"):
        read_values(path, table.material, threads=1)


def test_gathering_and_filling():
    values = np.array([5, 6, ILLEGAL], dtype=np.uint8)
    gathered = gather(values, np.array([-1, 2, 1, -1, 2, 0, 0, -1], dtype=np.int64))
    assert gathered.tolist() == [3, 3, 6, 3, 3, 5, 5, 3]
    fill_illegal(gathered)
    assert gathered.tolist() == [6, 6, 6, 6, 6, 5, 5, 5]
    nothing = np.full(4, ILLEGAL, dtype=np.uint8)
    fill_illegal(nothing)
    assert not nothing.any()
