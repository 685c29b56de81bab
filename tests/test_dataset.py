"""Whole tables as data: the right positions, each with the value that probing gives."""

import chess
import numpy as np
import pytest

from tablebase.boards import board_of
from tablebase.dataset import load_table, man_names
from tablebase.errors import InvalidMaterialError, MissingTableError
from tablebase.material import Material
from tablebase.probe import open_tablebase
from tablebase.values import Wdl

# Black to move by depth in moves, draws as None: the UCI Machine Learning Repository's "krkopt".
KRKOPT = {None: 2796, 0: 27, 1: 78, 2: 246, 3: 81, 4: 198, 5: 471, 6: 592, 7: 683, 8: 1433}
KRKOPT |= {9: 1712, 10: 1985, 11: 2854, 12: 3597, 13: 4194, 14: 4553, 15: 2166, 16: 390}


def test_krkopt(tables_dir):
    positions = load_table("krk", tables_dir).positions(turn=chess.BLACK)
    assert len(positions) == 28056
    found = {None: int((positions.wdl == Wdl.DRAW).sum())}
    lost = -positions.dtm[positions.wdl == Wdl.LOSS] // 2
    found |= dict(enumerate(np.bincount(lost).tolist()))
    assert found == KRKOPT


@pytest.mark.parametrize("name", ["KPK", "KRK", "KNNK", "KQKQ"])
def test_values_are_those_of_probing(tables_dir, name):
    data = load_table(name, tables_dir)
    positions = data.positions()
    with open_tablebase(tables_dir) as tablebase:
        arguments = positions.squares, data.material, positions.white_to_move
        plies, valid = tablebase.probe_dtm_many(*arguments)
        assert valid.all()
        assert (plies == positions.dtm).all()
        assert (tablebase.probe_wdl_many(*arguments)[0] == positions.wdl).all()


def test_positions_are_legal_and_can_be_chosen(tables_dir):
    data = load_table("KPK", tables_dir)
    longest = data.positions(lambda some: some.dtm == some.dtm.max(), turn=chess.WHITE)
    assert set(longest.dtm.tolist()) == {55}
    for position in longest:
        board = board_of(data.material, position.squares, position.white_to_move)
        assert board.is_valid()
        assert (position.dtm, position.wdl) == (55, Wdl.WIN)


def test_positions_one_by_one_are_the_same(tables_dir):
    data = load_table("KBK", tables_dir)
    assert list(data.iter_positions()) == list(data.positions())
    black = list(data.iter_positions(turn=chess.BLACK))
    assert black
    assert not any(position.white_to_move for position in black)


def test_columns(tables_dir):
    columns = load_table("KNNK", tables_dir).positions(turn=chess.WHITE).to_numpy()
    assert list(columns) == ["white_to_move", *man_names(Material.from_name("KNNK")), "dtm", "wdl"]
    assert len({len(column) for column in columns.values()}) == 1


def test_data_frames(tables_dir):
    pytest.importorskip("pandas")
    frame = load_table("KRK", tables_dir).positions(turn=chess.BLACK).to_dataframe()
    assert len(frame) == 28056
    assert set(frame["white_king"]) == {"a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4"}


def test_tables_that_are_not_there(tmp_path):
    with pytest.raises(MissingTableError, match=r"tablebase build KRNK --dir"):
        load_table("KKNR", tmp_path)
    with pytest.raises(InvalidMaterialError):
        load_table("KXK", tmp_path)
