"""Where tables are looked for: named folders, the environment, the current one, the user's."""

import os
from pathlib import Path

import pytest

from tablebase.core.ground import locations
from tablebase.core.ground.locations import (
    ENVIRONMENT,
    build_directory,
    default_directories,
    provided_directory,
    user_directory,
)


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """Stand in an empty folder, with another one as the user's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    monkeypatch.setattr(locations, "user_directory", lambda: tmp_path / "user")
    return tmp_path


def test_named_folders_come_first(monkeypatch):
    monkeypatch.setenv(ENVIRONMENT, "elsewhere")
    assert default_directories(["b", "a"]) == [Path("b"), Path("a")]
    assert build_directory(["b", "a"]) == Path("b")


def test_the_environment_names_several(monkeypatch):
    monkeypatch.setenv(ENVIRONMENT, os.pathsep.join(("a", "", "~/b ")))
    monkeypatch.setenv("HOME", "/home/me")
    assert default_directories() == [Path("a"), Path("/home/me/b ")]
    monkeypatch.setenv(ENVIRONMENT, "")
    assert default_directories() == [provided_directory()]


def test_data_of_a_clone_counts_if_it_holds_tables(somewhere):
    (somewhere / "data").mkdir()
    (somewhere / "data" / "notes.txt").touch()
    assert build_directory() == somewhere / "user"
    (somewhere / "data" / "KRK.h5").touch()
    assert default_directories() == [Path("data"), provided_directory()]
    assert build_directory() == Path("data")


def test_what_comes_with_the_program_is_searched_last(somewhere, monkeypatch):
    assert {path.name for path in provided_directory().glob("K?K.h5")} == {
        f"K{man}K.h5" for man in "QRBNP"
    }
    (somewhere / "user").mkdir()
    assert default_directories() == [somewhere / "user", provided_directory()]
    assert build_directory() == somewhere / "user"
    monkeypatch.chdir(provided_directory().parent)  # as in a clone
    assert default_directories() == [Path("data")]


def test_no_home_is_no_error():
    assert default_directories(["~nobody-of-this-name/tables"]) == [
        Path("~nobody-of-this-name/tables")
    ]
    (Path.cwd() / "data").touch()  # a file
    assert default_directories() == [provided_directory()]


def test_the_users_folder_is_absolute():
    assert user_directory().is_absolute()
    assert "chess-tablebase" in str(user_directory())
