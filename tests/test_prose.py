"""What the program says is plain English, and fits a terminal."""

import ast
import re
from pathlib import Path

import pytest

from tablebase.cli.program import make_parser

PACKAGE = Path(__file__).parents[1] / "tablebase"
# Parts of the package whose docstrings and messages are plain.
PLAIN = ("cli", "web")
MODULES = sorted(
    {*PACKAGE.glob("*.py"), *(path for wing in PLAIN for path in (PACKAGE / wing).rglob("*.py"))}
)
# What names neither who acts nor the thing, and what to write instead.
BANNED = {
    "is said": "the output shows",
    "is told": "the output shows",
    "so many": "a number of",
    "whoever": "the side that",
    "goes on": "continues",
    "gone on from": "resumed",
    "by now": "so far",
    "at hand": "present",
    "or so": "about",
    "of its own accord": "by itself",
    "what becomes of": "the effect on",
    "brings along": "includes",
    "that are there": "existing",
    "as far as": "where, if, up to",
    "is looked at": "is checked",
    "is made use of": "is used",
    "which first": "the order",
    "by chance": "at random",
    "on the proven way": "along the proven line",
    "below this stand": "below are",
    "anew": "again",
    "for who": "for the side that",
    "who moved there": "the side that has just moved",
}
PATTERN = re.compile(rf"\b({'|'.join(BANNED)})\b", re.IGNORECASE)


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


def old_phrases(text):
    """Return the banned phrases in a text, with better ones."""
    text = " ".join(text.split())
    return [(one[0], BANNED[one[0].lower()]) for one in PATTERN.finditer(text)]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_docstrings_and_messages_are_plain(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [
        one.value
        for one in ast.walk(tree)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]
    assert [found for text in texts for found in old_phrases(text)] == []
    vague = [text for text in texts if re.match(r"Return (what|which|how|where|why|who)\b", text)]
    assert vague == []


@pytest.mark.parametrize("path", sorted((PACKAGE / "web" / "static").glob("*.html")))
def test_pages_are_plain(path):
    assert old_phrases(path.read_text(encoding="utf-8")) == []


def test_public_docstrings_are_plain():
    import tablebase

    for name in tablebase.__all__:
        one = getattr(tablebase, name)
        methods = [getattr(one, each) for each in dir(one) if not each.startswith("_")]
        texts = [each.__doc__ for each in (one, *methods) if isinstance(each.__doc__, str)]
        assert [found for text in texts for found in old_phrases(text)] == [], name


@pytest.mark.parametrize(
    ("text", "found"), [("it goes\n on", ["goes on"]), ("the forward walk", []), ("Anew", ["Anew"])]
)
def test_phrases_are_found_across_lines(text, found):
    assert [one for one, _ in old_phrases(text)] == found
