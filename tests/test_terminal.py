"""Terminal: numbers, results and tables as people read them."""

import pytest

from tablebase.terminal import (
    longest_win,
    moves_in_words,
    new_table,
    result_in_words,
    show,
    size_in_words,
)


@pytest.mark.parametrize(
    ("plies", "words"),
    [(1, "1 move (1 ply)"), (2, "1 move (2 plies)"), (-30, "15 moves (30 plies)")],
)
def test_distances(plies, words):
    assert moves_in_words(plies) == words


@pytest.mark.parametrize(
    ("dtm", "white", "checkmate", "words"),
    [
        (3, True, False, "White wins: mate in 2 moves (3 plies)"),
        (-2, True, False, "Black wins: mate in 1 move (2 plies)"),
        (3, False, False, "Black wins: mate in 2 moves (3 plies)"),
        (0, True, False, "Draw"),
        (0, False, True, "Black is checkmated"),
    ],
)
def test_results(dtm, white, checkmate, words):
    assert result_in_words(dtm, white=white, checkmate=checkmate) == words


def test_sizes():
    assert size_in_words(1_048_095) == "1.0 MB"


def test_the_longest_win_of_both_sides():
    wins = {"white_to_move": {"plies": 31}, "black_to_move": None}
    assert longest_win({"longest_wins": wins}) == "16 moves (31 plies)"
    assert longest_win({"longest_wins": dict.fromkeys(wins)}) == "none"


def test_tables(capsys):
    table = new_table("material", "positions")
    table.add_row("KRK", "50,015")
    show(table)
    assert capsys.readouterr().out.split() == ["material", "positions", "─" * 22, "KRK", "50,015"]
