"""Names of table files: any case, one file for a material, and entries that cannot be read."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.rules.rules import CHESS
from tablebase.core.storage import table_names
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.table_names import (
    find_table,
    how_to_build_again,
    material_named,
    scan_folder,
    table_path,
    tables_in,
)

KRK, KPK, KRKN = (Material.from_name(name) for name in ("KRK", "KPK", "KRKN"))
SHATRANJ = built_in_rules()["shatranj"]


def names_in(folder):
    return {material.name: path.name for material, path in tables_in(folder, CHESS).items()}


@pytest.mark.parametrize("name", ["KRKN.h5", "krkn.h5", "KrvKn.H5", "KRvKN.h5", "krvkn.H5"])
def test_a_name_in_any_case_is_that_of_a_material(name):
    assert material_named(name, CHESS) == KRKN


@pytest.mark.parametrize(
    "name", ["KNKR.h5", "KRKN", "KRKN.h5x", "KXKN.h5", "notes.h5", "KQQQQQK.h5"]
)
def test_other_names_are_of_no_table(name):
    assert material_named(name, CHESS) is None


def test_the_usual_name_counts_before_others(tmp_path):
    for name in ("krk.h5", "KRvK.h5", "KPvK.h5", "kpk.h5"):
        (tmp_path / name).touch()
    (tmp_path / "KNK.h5").mkdir()
    assert names_in(tmp_path).keys() == {"KRK", "KPK"}
    if not (tmp_path / "KRK.h5").exists():  # unless the file system takes all cases for one
        assert names_in(tmp_path) == {"KRK": "KRvK.h5", "KPK": "KPvK.h5"}
    (tmp_path / "KRK.h5").touch()
    assert (tmp_path / names_in(tmp_path)["KRK"]).samefile(tmp_path / "KRK.h5")


def test_a_table_is_found_by_any_name_and_written_by_the_usual_one(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    assert table_path(first, KRK) == first / "KRK.h5"
    assert find_table(KRK, [first, second, tmp_path / "none"]) is None
    (second / "krvk.h5").touch()
    assert table_path(second, KRK.swapped()) == second / "krvk.h5"
    assert find_table(KRK, [first, second]) == second / "krvk.h5"
    (first / "KRK.h5").touch()
    assert find_table(KRK, [first, second]) == first / "KRK.h5"


def test_a_link_to_itself_does_not_hide_the_others(tmp_path):
    (tmp_path / "KRK.h5").touch()
    (tmp_path / "KPK.h5").symlink_to("KPK.h5")
    (tmp_path / "KNK.h5").symlink_to("nowhere")
    (tmp_path / "notes.txt").symlink_to("notes.txt")
    with pytest.warns(RuntimeWarning) as warned:
        assert names_in(tmp_path) == {"KRK": "KRK.h5"}
    assert sorted(str(one.message) for one in warned) == [
        f"{tmp_path / 'KNK.h5'} is left out: {os.strerror(errno.ENOENT)}",
        f"{tmp_path / 'KPK.h5'} is left out: {os.strerror(errno.ELOOP)}",
    ]


class Entry:
    """An entry of a folder; asking for its state may fail."""

    def __init__(self, path, problem=0):
        self.name, self._path, self._problem = path.name, path, problem

    def stat(self):
        if self._problem:
            raise OSError(self._problem, os.strerror(self._problem))
        return self._path.stat()

    def is_symlink(self):
        return False


class Entries(list):
    """What a folder gives; reading it may fail at the end."""

    def __init__(self, entries, problem=0):
        super().__init__(entries)
        self._problem = problem

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def __iter__(self):
        yield from super().__iter__()
        if self._problem:
            raise OSError(self._problem, os.strerror(self._problem))


@pytest.mark.parametrize("problem", [errno.ESTALE, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("at_the_end", [False, True])
def test_what_the_system_refuses_does_not_hide_the_others(
    tmp_path, monkeypatch, problem, at_the_end
):
    for name in ("KRK.h5", "KQK.h5"):
        (tmp_path / name).touch()
    sound = [Entry(tmp_path / "KRK.h5"), Entry(tmp_path / "KQK.h5")]
    wrong = [] if at_the_end else [Entry(tmp_path / "KPK.h5", problem)]
    entries = Entries([*wrong, *sound], problem * at_the_end)
    monkeypatch.setattr(table_names.os, "scandir", lambda _: entries)
    named = tmp_path if at_the_end else tmp_path / "KPK.h5"
    with pytest.warns(RuntimeWarning, match=f"^{named} is left out: {os.strerror(problem)}$"):
        states, is_whole = scan_folder(tmp_path, lambda _: True)
    assert list(states) == ["KQK.h5", "KRK.h5"]
    assert not is_whole


@pytest.mark.parametrize("problem", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_a_folder_is_not_empty_because_descriptors_are_used_up(tmp_path, monkeypatch, problem):
    monkeypatch.setattr(table_names.os, "scandir", lambda _: Entries([], problem))
    with pytest.raises(OSError, match=os.strerror(problem)):
        scan_folder(tmp_path, lambda _: True)


def test_an_entry_that_vanishes_is_no_problem(tmp_path, monkeypatch):
    entries = Entries([Entry(tmp_path / "KRK.h5", errno.ENOENT)])
    monkeypatch.setattr(table_names.os, "scandir", lambda _: entries)
    assert scan_folder(tmp_path, lambda _: True) == ({}, True)


def test_a_file_of_another_material_is_refused(tmp_path):
    path = tmp_path / "KBNK.h5"
    shutil.copy("data/KRK.h5", path)
    with pytest.raises(CorruptTableError) as raised:
        open_table(path)
    assert str(raised.value) == (
        f"{path}: this is the table of KRK, not of KBNK: rename it to {tmp_path / 'KRK.h5'}, or "
        f"build it again with `tablebase build --force KBNK --dir {tmp_path}`"
    )
    with pytest.raises(CorruptTableError, match="this is the table of KRK, not of KPK"):
        open_table("data/KRK.h5", KPK)
    of_shatranj = Material.from_name("KRK", SHATRANJ)
    place = tmp_path / SHATRANJ.folder / "KRK.h5"
    place.parent.mkdir()
    shutil.copy("data/KRK.h5", place)
    with pytest.raises(CorruptTableError, match="KRK of chess, not of KRK of shatranj: rename it"):
        open_table(place, of_shatranj)
    shutil.copy("data/KRK.h5", tmp_path / "krvk.h5")
    shutil.copy("data/KRK.h5", tmp_path / "copy of rook.h5")
    for name in ("krvk.h5", "copy of rook.h5"):
        with open_table(tmp_path / name, KRK.swapped()) as file:
            assert file.material == KRK


def test_how_a_table_is_built_again():
    again = "build it again with `tablebase build --force"
    assert how_to_build_again(Path("my data/krvk.h5")) == f"{again} KRK --dir 'my data'`"
    inside = Path("games", SHATRANJ.folder, "KRK.h5")
    assert how_to_build_again(inside) == f"{again} KRK --rules shatranj --dir games`"
    for other in ("games/own-01234567/KRK.h5", "notes.h5", "KNKR.h5", "a.region"):
        assert how_to_build_again(Path(other)) == ""
