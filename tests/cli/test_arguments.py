"""Arguments: what sizes, materials, folders and files in text mean, and what is meant instead."""

import argparse
from pathlib import Path

import pytest

from tablebase.cli.arguments import (
    Parser,
    parse_size,
    positive_number,
    whole_number,
)
from tablebase.cli.choice import Choice, add_directory, add_rules, add_tables, choose
from tablebase.cli.commands.build import add_build_arguments
from tablebase.core.ground.errors import InvalidMaterialError, MissingTableError
from tablebase.core.ground.locations import ENVIRONMENT, provided_directory
from tablebase.core.ground.words import did_you_mean
from tablebase.core.rules.rule_files import read_rules
from tablebase.core.rules.rules import CHESS


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch, tmp_path):
    """Stand in an empty folder, with a user's folder of its own and no path of tables."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


def folder_of(path, *names):
    path.mkdir(parents=True)
    for name in names:
        (path / name).touch()
    return path


@pytest.mark.parametrize(("text", "size"), [("4G", 4 * 10**9), ("500 MB", 5 * 10**8), ("7", 7)])
def test_sizes(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "-1", "nan", "inf", "4X"])
def test_what_is_no_size(text):
    with pytest.raises(argparse.ArgumentTypeError, match="is not a size"):
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
    chosen = choose(parser.parse_args(words)).materials_to_build
    assert sorted(material.name for material in chosen) == sorted(names)


def path_of(name, directories):
    (path,) = Choice(CHESS, directories, [name]).paths
    return path


def paths_in(*directories):
    return Choice(CHESS, [*directories]).paths


def test_files(tmp_path):
    first, second = folder_of(tmp_path / "a", "KRK.h5"), folder_of(tmp_path / "b", "KQK.h5")
    assert path_of("KvKR", [first, second]) == first / "KRK.h5"
    assert path_of("KQK", [first, second]) == second / "KQK.h5"
    assert str(path_of("elsewhere/KRK.h5", [first])) == "elsewhere/KRK.h5"
    with pytest.raises(MissingTableError, match=rf"tablebase build KQK --dir {first}`"):
        path_of("KQK", [first])
    with pytest.raises(MissingTableError, match=r"no folder.*tablebase build KQK --dir none`"):
        path_of("KQK", [Path("none")])
    with pytest.raises(MissingTableError, match=r"7 pieces, but tables have up to 6$"):
        path_of("KPPPPPK", [first])


def test_files_of_a_folder_come_in_the_order_of_generation(tmp_path):
    order = ["KK.h5", "KRK.h5", "KPK.h5", "KRNK.h5", "KBPK.h5", "KPKP.h5", "KQQQK.h5"]
    foreign = ["Kxyz.h5", "KKR.h5", "notes.h5", "KQK.txt", ".KBK.h5.17.partial"]
    folder = folder_of(tmp_path / "a", *reversed(order), *foreign)
    assert paths_in(folder) == [folder / name for name in order]
    more = folder_of(tmp_path / "b", "KQK.h5", "KK.h5")
    assert paths_in(folder, more)[:3] == [folder / "KK.h5", more / "KQK.h5", folder / "KRK.h5"]


def test_no_tables_at_all(tmp_path):
    with pytest.raises(MissingTableError, match=r"there is no folder none: .*build --dir none`"):
        paths_in(Path("none"))
    empty = folder_of(tmp_path / "empty", "notes.txt")
    with pytest.raises(MissingTableError, match=rf"no tables in {empty}: .*build --dir {empty}`"):
        paths_in(empty)
    shatranj = argparse.Namespace(dir=[], rules="shatranj")  # no tables of it come along
    with pytest.raises(MissingTableError, match=r"tables of shatranj .* `tablebase build --rules"):
        assert choose(shatranj).paths


def test_tables_are_those_named_or_all_of_the_folder(tmp_path):
    folder = folder_of(tmp_path / "a", "KRK.h5", "KQK.h5")
    parser = argparse.ArgumentParser()
    add_tables(parser)

    def chosen(*words):
        return choose(parser.parse_args([*words, "--dir", str(folder)])).paths

    assert chosen() == [folder / "KQK.h5", folder / "KRK.h5"]
    assert chosen("KRK", "other/KNK.h5") == [folder / "KRK.h5", Path("other/KNK.h5")]


def test_tables_that_the_shell_completes(tmp_path):
    """Those of the game that is named so far, and none if there is no such game."""
    rules = tmp_path / "mine.ini"
    rules.write_text("[mine:chess]\nfers = F\n", encoding="utf-8")
    folder = folder_of(tmp_path / "a", "KRK.h5")
    folder_of(folder / read_rules(rules).folder, "KFK.h5")
    parser = argparse.ArgumentParser()
    add_tables(parser)
    add_rules(parser)
    (names,) = (action for action in parser._actions if action.dest == "names")

    def completed(*words):
        given = parser.parse_args(["--dir", str(folder), *words])
        return names.completer(prefix="K", parsed_args=given)

    assert completed() == ["KRK"]
    assert completed("--rules", str(rules)) == ["KFK"]
    assert completed("--rules", "none") == []


def chosen_folders(*words):
    """Return the folders that a command with --dir chooses, behind a program with --dir."""
    parser = Parser()
    add_directory(parser, where="dir_before")
    commands = parser.add_subparsers()
    command = commands.add_parser("info")
    command.set_up(lambda _: 0, {"": "all"})
    add_directory(command)
    return choose(parser.parse_args(words)).directories


def test_folders_before_and_after_the_command(monkeypatch, tmp_path):
    folders = chosen_folders("--dir", "a", "info", "--dir", "b", "--dir", "c")
    assert folders == [Path("a"), Path("b"), Path("c")]
    assert chosen_folders("info") == [provided_directory()]
    (tmp_path / "home" / "chess-tablebase").mkdir(parents=True)
    assert chosen_folders("info") == [tmp_path / "home" / "chess-tablebase", provided_directory()]
    folder_of(Path("data"), "KK.h5")
    assert chosen_folders("info") == [Path("data"), provided_directory()]
    monkeypatch.setenv(ENVIRONMENT, "x:y")
    assert chosen_folders("info") == [Path("x"), Path("y")]
    assert chosen_folders("info", "--dir", "z") == [Path("z")]


def test_the_same_folders_for_another_command():
    assert Choice(CHESS).directory_options == ""
    assert Choice(CHESS, [Path("a b"), Path("c")]).directory_options == " --dir 'a b' --dir c"


def test_a_table_that_no_folder_has(tmp_path):
    import chess

    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    for folder in (tmp_path / "none", folder_of(tmp_path / "empty")):
        with (
            pytest.raises(MissingTableError, match=f"{folder}: .*build KRK --dir {folder}`"),
            Choice(CHESS, [folder]).open_tables() as tables,
        ):
            tables.probe_dtm(board)


def test_numbers():
    assert (whole_number("0"), positive_number("12")) == (0, 12)
    for text in ("x", "--1", "-", "1.5", "", "²"):
        with pytest.raises(argparse.ArgumentTypeError, match="is not a whole number"):
            positive_number(text)
    for text in ("0", "-1", "-" + "9" * 5000):
        with pytest.raises(argparse.ArgumentTypeError, match=r"is out of range: choose from 1 to"):
            positive_number(text)


def test_what_was_meant():
    words = ["probe", "play", "plan"]
    assert did_you_mean("plya", words) == ": did you mean play or plan?"
    assert did_you_mean("xyz", words) == ""
    (material,) = Choice(CHESS, [], ["krvkn"]).materials
    assert material.name == "KRKN"
    with pytest.raises(InvalidMaterialError, match=r"'KRvKX': did you mean KRK"):
        assert Choice(CHESS, [], ["KRvKX"]).materials
    with pytest.raises(InvalidMaterialError, match="like KRK or KRvKN"):
        assert Choice(CHESS, [], ["data"]).materials


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["inof"], "tb: no command 'inof': did you mean info? (see `tb --help`)"),
        (["xyz"], "tb: no command 'xyz': choose from info (see `tb --help`)"),
        (["info", "--dri"], "tb info: unknown argument --dri: did you mean --dir?"),
        (["info", "KRK"], "tb info: unknown argument KRK (see `tb info --help`)"),
    ],
)
def test_wrong_arguments_take_one_line(capsys, words, message):
    parser = Parser(prog="tb")
    commands = parser.add_subparsers(metavar="COMMAND")
    command = commands.add_parser("info")
    command.set_up(lambda _: 0, {"": "all"})
    add_directory(command)
    with pytest.raises(SystemExit) as stopped:
        parser.parse_args(words)
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
