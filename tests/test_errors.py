"""Errors: what each is caught as, and how it reads."""

import sys
import tomllib
from pathlib import Path

import pytest

from tablebase import errors
from tablebase.errors import (
    CorruptTableError,
    InvalidMaterialError,
    MissingTableError,
    TablebaseError,
    UnsupportedPositionError,
    how_to_install,
)


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


def test_extras_are_installed_by_the_packages_that_they_bring():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    for extra, packages in errors._PACKAGES.items():
        brought = project["optional-dependencies"][extra]
        assert packages == tuple(requirement.split(">=")[0] for requirement in brought)


@pytest.mark.parametrize(
    ("python", "command"),
    [
        ("/opt/venv/bin/python", "/opt/venv/bin/python -m pip install starlette uvicorn"),
        ("/my venv/python", '"/my venv/python" -m pip install starlette uvicorn'),
        ("", "python -m pip install starlette uvicorn"),  # embedded
    ],
)
def test_the_command_that_installs_is_for_the_python_that_runs(monkeypatch, python, command):
    monkeypatch.setattr(sys, "executable", python)
    assert how_to_install("web") == command
