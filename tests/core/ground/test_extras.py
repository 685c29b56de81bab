"""Extras: what errors say about packages that are missing."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from tablebase.core.ground.extras import (
    PACKAGES,
    MissingPackageError,
    how_to_install,
    require_packages,
)

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


@pytest.mark.parametrize("extra", PACKAGES)
def test_extras_are_installed_by_the_packages_that_they_bring(extra):
    assert PACKAGES[extra] == tuple(one.split(">=")[0] for one in EXTRAS[extra])


def test_the_oldest_versions_are_those_that_are_allowed():
    """Of all that the tests need, so that a run with them tries what is promised."""
    inner = re.fullmatch(r"chess-tablebase\[(.*)\]", EXTRAS["test"][0])[1].split(",")
    needed = [*PROJECT["dependencies"], *EXTRAS["test"][1:]]
    needed += [one for extra in inner for one in EXTRAS[extra]]
    lines = (ROOT / ".ci" / "oldest.txt").read_text().splitlines()
    pinned = [line for line in lines if not line.startswith("#")]
    assert sorted(pinned) == sorted(one.replace(">=", "==") for one in needed)


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
    assert how_to_install(PACKAGES["web"]) == command


def test_all_missing_packages_are_named_at_once(monkeypatch):
    monkeypatch.setattr(sys, "executable", "python")
    require_packages("this needs", "chess", "numpy")
    for name in ("jinja2", "pyarrow", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingPackageError, match=r"^reports need jinja2: python ") as one:
        require_packages("reports need", "chess", "jinja2")
    assert isinstance(one.value, ImportError)
    with pytest.raises(MissingPackageError) as several:
        require_packages("all need", "jinja2", "chess", "matplotlib", "pyarrow")
    install = "python -m pip install jinja2 matplotlib pyarrow"
    assert str(several.value) == f"all need jinja2, matplotlib and pyarrow: {install}"
