"""Extras: what errors say about packages that are missing."""

import sys
import tomllib
from pathlib import Path

import pytest

from tablebase.extras import PACKAGES, how_to_install

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
EXTRAS = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", PACKAGES)
def test_extras_are_installed_by_the_packages_that_they_bring(extra):
    assert PACKAGES[extra] == tuple(one.split(">=")[0] for one in EXTRAS[extra])


@pytest.mark.parametrize(
    ("python", "command"),
    [
        ("/opt/venv/bin/python", "/opt/venv/bin/python -m pip install h11 starlette uvicorn"),
        ("/my venv/python", '"/my venv/python" -m pip install h11 starlette uvicorn'),
        ("", "python -m pip install h11 starlette uvicorn"),  # embedded
    ],
)
def test_the_command_that_installs_is_for_the_python_that_runs(monkeypatch, python, command):
    monkeypatch.setattr(sys, "executable", python)
    assert how_to_install("web") == command
