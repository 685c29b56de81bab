"""What people read is plain English, and fits their terminals."""

from pathlib import Path

import pytest

from tablebase.cli.program import make_parser

PACKAGE = Path(__file__).parents[1] / "tablebase"


def helps():
    """Return the parser of the program and of every command, by name."""
    parser = make_parser()
    (commands,) = [action.choices for action in parser._actions if action.choices]
    return {"tablebase": parser} | commands


@pytest.mark.parametrize("name", helps())
def test_help_fits_80_columns(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for line in helps()[name].format_help().splitlines():
        assert len(line) <= 80, line
