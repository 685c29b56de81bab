"""What the program says is plain English, and fits a terminal."""

import ast
import re
from pathlib import Path

import pytest

from tablebase.cli.program import make_parser

PACKAGE = Path(__file__).parents[1] / "tablebase"
MODULES = sorted(PACKAGE.rglob("*.py"))
# Phrases that read like a translation. Better: a subject that is named, and the usual term.
BANNED = (
    *("is said", "are said", "is told", "are told", "so many", "whoever", "goes on", "gone on"),
    *("by now", "at hand", "of its own accord", "what becomes of", "brings along", "brought along"),
    *("that are there", "that is there", "is looked at", "is made use of"),
    *("made use of", "which first", "by chance", "on the proven way", "below this stand", "anew"),
    *("for who", "who moved there", r"\d+ or so"),
    *("of the first of which", "such a one", "but for its", "are others", "tells? of"),
)
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
    """Return the banned phrases in a text."""
    return PATTERN.findall(" ".join(text.split()))


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


@pytest.mark.parametrize("path", sorted((PACKAGE / "explorer").rglob("*.html")))
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
    assert old_phrases(text) == found
