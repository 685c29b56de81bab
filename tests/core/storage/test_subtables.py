"""Sub-tables of a folder: whole or in part, and what is said of those that are missing."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.subtables import Subtables, read_subtables

KPK = Material.from_name("KPK")
KQK = Material.from_name("KQK")


def test_all_or_some_rows_are_read():
    subtables = Subtables(KPK, "data")
    whole = read_table("data/KQK.h5")
    rows = np.zeros(whole.index.ranks, dtype=np.bool_)
    rows[5] = True
    marked = np.repeat(rows, whole.index.king_pairs)
    for color in Color:
        assert np.array_equal(subtables.codes(KQK, color), whole.codes[color])
        part = subtables.codes(KQK, color, rows)
        assert np.array_equal(part[marked], whole.codes[color][marked])
    assert subtables.table(KQK) is subtables.table(KQK)


def test_bare_kings_need_no_file(tmp_path):
    found = read_subtables(KQK, tmp_path)
    assert [material.name for material in found] == ["KK"]
    assert np.all(found[Material()].white == DRAW)
    rows = np.ones(1, dtype=np.bool_)
    assert np.all(Subtables(KQK, tmp_path).codes(Material(), Color.BLACK, rows) == DRAW)


def test_folders_are_searched_in_order(tmp_path):
    for name in ("KQK", "KRK"):
        shutil.copy(f"data/{name}.h5", tmp_path)
    (tmp_path / "KRK.h5").write_bytes(b"another")
    paths = Subtables(KPK, tmp_path / "none", tmp_path, "data")._paths
    assert {path.parent for path in paths.values()} == {tmp_path, Path("data")}
    assert paths[KQK].parent == tmp_path
    assert Subtables(KPK, "data", tmp_path).table(Material.from_name("KRK"))


def test_missing_ones_are_named_with_a_remedy(tmp_path):
    folder = tmp_path / "my tables"
    with pytest.raises(MissingTableError) as caught:
        Subtables(KPK, folder)
    remedy = f"`tablebase build KBK KNK KQK KRK --dir '{folder}'`"
    assert str(caught.value).endswith(remedy)


def test_other_sub_tables_than_recorded_are_named():
    subtables = Subtables(KPK, "data")
    assert subtables.problems({"KK": read_digest("KK"), "KQK": read_digest("KQK")}) == []
    (problem,) = subtables.problems({"KQK": "0" * 64})
    assert problem.startswith("it was made from another KQK than data")


def read_digest(name):
    from tablebase.core.storage.reading import open_table

    with open_table(f"data/{name}.h5") as file:
        return file.sha256_of(DTM)
