"""Arguments: what sizes, materials, files and boards in text mean."""

import argparse
from pathlib import Path

import pytest

from tablebase.arguments import (
    add_build_arguments,
    add_tables,
    board_of,
    chosen_materials,
    chosen_paths,
    parse_size,
    path_of,
    paths_in,
)
from tablebase.errors import TablebaseError


@pytest.mark.parametrize(("text", "size"), [("4G", 4 * 10**9), ("500 MB", 5 * 10**8), ("7", 7)])
def test_sizes(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "-1", "nan", "inf", "4X"])
def test_what_is_no_size(text):
    with pytest.raises(argparse.ArgumentTypeError, match="is no size"):
        parse_size(text)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ([], ["KK", "KRK", "KNNK", "KRNK", "KPK"]),
        (["KRvKN", "kqk"], ["KRKN", "KQK"]),
        (["--men", "3"], ["KK", "KBK", "KNK", "KPK", "KQK", "KRK"]),
    ],
)
def test_materials_to_build(words, names):
    parser = argparse.ArgumentParser()
    add_build_arguments(parser)
    chosen = [material.name for material in chosen_materials(parser.parse_args(words))]
    assert sorted(chosen) == sorted(names)


def test_files(tmp_path):
    (tmp_path / "KRK.h5").touch()
    assert path_of("KvKR", str(tmp_path)) == tmp_path / "KRK.h5"
    assert str(path_of("elsewhere/KRK.h5", str(tmp_path))) == "elsewhere/KRK.h5"
    with pytest.raises(TablebaseError, match="no table of KQK"):
        path_of("KQK", str(tmp_path))


def test_files_of_a_folder_come_in_the_order_of_generation(tmp_path):
    order = ["KK.h5", "KRK.h5", "KPK.h5", "KRNK.h5", "KBPK.h5", "KPKP.h5", "KQQQK.h5"]
    foreign = ["Kxyz.h5", "KKR.h5", "notes.h5", "KQK.txt", ".KBK.h5.17.partial"]
    for name in [*reversed(order), *foreign]:
        (tmp_path / name).touch()
    assert paths_in(str(tmp_path)) == [tmp_path / name for name in order]
    with pytest.raises(TablebaseError, match="there is no folder"):
        paths_in(str(tmp_path / "missing"))


def test_tables_are_those_named_or_all_of_the_folder(tmp_path):
    for name in ("KRK.h5", "KQK.h5"):
        (tmp_path / name).touch()
    parser = argparse.ArgumentParser()
    add_tables(parser)

    def chosen(*words):
        return chosen_paths(parser.parse_args([*words, "--dir", str(tmp_path)]))

    assert chosen() == [tmp_path / "KQK.h5", tmp_path / "KRK.h5"]
    assert chosen("KRK", "other/KNK.h5") == [tmp_path / "KRK.h5", Path("other/KNK.h5")]


def test_boards():
    fen = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
    assert board_of(fen).fen() == fen
    with pytest.raises(TablebaseError, match="is no position"):
        board_of("8/8")
