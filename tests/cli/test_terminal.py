"""Terminal: tables of numbers as people read them, whole on terminals of any width."""

import errno
import re
import warnings
from pathlib import Path

import pytest

from tablebase.cli.terminal import explain, longest_win, new_table, show, telling_warnings

FIGURES = ["952,620,123", "100.0%", "77.6%", "0.5%", "65", "1,573,862", "20,142,678"]
HEADINGS = ["positions", "White wins", "draw", "Black wins", "White mates in", "zugzwangs", "bytes"]


def wide_table():
    table = new_table("material", *HEADINGS)
    table.add_row("KRPKR", *FIGURES, end_section=True)
    table.add_row("KK", *["1"] * 7)
    return table


def words_of(text):
    return re.findall(r"[^\s─]+", text)


def test_the_longest_win_of_both_sides():
    wins = {"white_to_move": {"longest_win": {"plies": 31}}, "black_to_move": {"longest_win": None}}
    assert longest_win(wins) == "16 moves (31 plies)"
    assert longest_win({side: {"longest_win": None} for side in wins}) == "none"
    assert longest_win({side: {} for side in wins}) == "not known"


def test_a_deleted_working_directory_is_named(monkeypatch):
    """What asks for it raises an error without a name, which other files have."""
    nothing = FileNotFoundError(errno.ENOENT, "No such file or directory")
    assert explain(nothing) == "No such file or directory"

    def refuse():
        raise nothing

    monkeypatch.setattr(Path, "cwd", refuse)
    assert explain(nothing) == "the working directory was deleted: change to another"
    other = FileNotFoundError(errno.ENOENT, "No such file or directory", "KRK.h5")
    assert explain(other) == "there is no file KRK.h5"


def test_tables(capsys):
    table = new_table("material", "positions")
    table.add_row("KRK", "50,015")
    show(table)
    assert capsys.readouterr().out.split() == ["material", "positions", "─" * 22, "KRK", "50,015"]


@pytest.mark.parametrize("width", [25, 40, 60, 80, 200])
def test_no_digit_is_cut(capsys, width):
    show(wide_table(), width)
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= width
    words = words_of(text)
    assert set(FIGURES) < set(words)
    assert words.count("1") == 7
    assert set(" ".join(HEADINGS).split()) < set(words)
    # Each part names the rows again.
    assert words.count("KRPKR") == words.count("material") > (width < 80)


def test_what_does_not_fit_at_all_is_rather_too_wide(capsys):
    show(wide_table(), 5)
    assert set(FIGURES) < set(words_of(capsys.readouterr().out))


def test_where_there_is_no_terminal_a_row_is_a_line(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    show(wide_table())
    rows = capsys.readouterr().out.splitlines()
    assert ["KRPKR", *FIGURES] in [row.split() for row in rows]
    assert all(row == row.rstrip() for row in rows)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_text_is_broken_between_words(capsys, width):
    table = new_table("material", "needs", "positions", "time", left=2)
    needs = "KRKB KRKN KQKR KRK KBK KNK KQK KK " * 2
    table.add_row("KRPKR", needs, "952,620,123", "~2 h 30 min")
    show(table, width)
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= width
    assert sorted(set(words_of(text))) == sorted(
        {*needs.split(), "KRPKR", "952,620,123", "material", "needs", "positions", "time"}
        | {"~2", "h", "30", "min"}
    )
    assert "~2 h 30 min" in text


@pytest.mark.filterwarnings("default::RuntimeWarning")
def test_a_warning_is_told_once_whatever_is_compiled_in_between(capsys):
    with telling_warnings():
        for _ in range(2):
            warnings.warn("KPK.h5 is left out", RuntimeWarning, stacklevel=1)
            with warnings.catch_warnings():  # as numba does, after which Python warns again
                pass
    assert capsys.readouterr().err == "tablebase: KPK.h5 is left out\n"
