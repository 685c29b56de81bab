"""Words: moves, results, times and bytes as people say them."""

import pytest

from tablebase.core.board.geometry import SIDES
from tablebase.core.ground.words import (
    MOST_REPEATED,
    bytes_in_words,
    moves_in_words,
    quoted,
    result_in_words,
    shortened,
    side_in_words,
    time_in_words,
    winner_moves,
)


@pytest.mark.parametrize(
    ("plies", "moves", "words"),
    [(1, 1, "1 move (1 ply)"), (2, 1, "1 move (2 plies)"), (-30, 15, "15 moves (30 plies)")],
)
def test_distances(plies, moves, words):
    assert winner_moves(plies) == moves
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
    by_rule = result_in_words(dtm, white=white, checkmate=checkmate, drawn_by_rule=True)
    if ":" in words:
        words = words.replace("wins: mate", "would mate").partition(" move")[0]
        words += ", but the 50-move rule draws"
    assert by_rule == words


def test_sides():
    assert [side_in_words(side) for side in SIDES] == ["White to move", "Black to move"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0.00 s"),
        (59.99, "59.99 s"),
        (59.999, "1 min 0 s"),
        (75, "1 min 15 s"),
        (3599.9, "1 h 0 min"),
        (9000, "2 h 30 min"),
        (86_399, "1 d 0 h"),
        (200_000, "2 d 8 h"),
        (1e9, "11,574 d 2 h"),
    ],
)
def test_times(seconds, words):
    assert time_in_words(seconds) == words


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (999.9, "1.0 kB"),
        (1000, "1.0 kB"),
        (999_960, "1.0 MB"),
        (2_500_000, "2.5 MB"),
        (331_136.4e9, "331.1 TB"),
        (5e18, "5,000,000.0 TB"),
    ],
)
def test_sizes(size, words):
    assert bytes_in_words(size) == words


def test_texts_of_others_are_cut():
    whole = "x" * MOST_REPEATED
    assert (shortened(whole), quoted(whole)) == (whole, repr(whole))
    assert shortened(whole + "y") == f"{whole}... (101 characters)"
    assert quoted(whole + "y") == f"'{whole}'... (101 characters)"
    assert (quoted(31), quoted(None), quoted("\x1b[2J'")) == ("31", "None", repr("\x1b[2J'"))
    assert len(quoted(["x" * 1000])) < 150
