"""Errors: what each is caught as, and how it reads."""

import pickle

import pytest

from tablebase.core.ground.errors import (
    CorruptTableError,
    InvalidMaterialError,
    MissingTableError,
    TablebaseError,
    UnsupportedPositionError,
)
from tablebase.core.rules.material import Material


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (MissingTableError, KeyError),
        (UnsupportedPositionError, ValueError),
        (UnsupportedPositionError, KeyError),  # as chess.gaviota
        (InvalidMaterialError, ValueError),
        (CorruptTableError, OSError),
    ],
)
def test_errors_have_one_root_and_a_builtin_family(error, builtin):
    assert issubclass(error, TablebaseError)
    assert issubclass(error, builtin)
    assert str(error("KRK: no such table")) == "KRK: no such table"


KRK, KQK, KPK = (Material.from_name(name) for name in ("KRK", "KQK", "KPK"))


def test_missing_tables_are_named_with_the_command_that_builds_them(tmp_path):
    folder = tmp_path / "my tables"
    error = MissingTableError.of([KRK, KQK], [folder])
    assert str(error) == (
        f"there is no folder {folder}: make it with `tablebase build KRK KQK --dir '{folder}'`"
    )
    assert error.materials == ("KRK", "KQK")
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.materials, str(copied)) == (error.materials, str(error))
    folder.mkdir()
    assert str(MissingTableError.of([KRK, KQK], [folder], needed_by=KPK)) == (
        f"no tables of KRK KQK, which KPK needs, in {folder}: "
        f"build them with `tablebase build KRK KQK --dir '{folder}'`"
    )
    assert str(MissingTableError.of([KRK], [tmp_path / "none", folder])) == (
        f"no table of KRK in {tmp_path / 'none'}, {folder}: "
        f"build it with `tablebase build KRK --dir '{folder}'`"
    )


def test_the_default_folder_needs_no_option(tmp_path, monkeypatch):
    monkeypatch.setenv("TABLEBASE_PATH", str(tmp_path))
    assert str(MissingTableError.of([KRK], [tmp_path])).endswith("`tablebase build KRK`")


def test_what_cannot_be_built_is_not_advised(tmp_path):
    many = Material.from_name("KPPPPPK")
    assert str(MissingTableError.of([many], [tmp_path])) == (
        "no table of KPPPPPK: it has 7 pieces, but tables have up to 6"
    )
    file = tmp_path / "file"
    file.touch()
    assert str(MissingTableError.of([KRK], [file])) == f"no table of KRK: {file} is not a folder"
    assert str(MissingTableError.of([KRK])) == "no table of KRK: no folder of tables is open"
    assert MissingTableError("other words").materials == ()


def test_what_cannot_be_found_yet_is_not_advised(tmp_path):
    six = Material.from_name("KRNKNN")
    assert str(MissingTableError.of([six], [tmp_path], metric="dtz")) == (
        f"no DTZ of KRNKNN in {tmp_path}: it is not available for six pieces yet"
    )
