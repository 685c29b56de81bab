"""Games that were decided on time although mate was impossible."""

import io

import chess.pgn
import pytest

from tablebase import open_tablebase
from tablebase.annotate.annotation import annotate

FORCED = "k7/1R6/8/8/8/8/8/6K1 b - - 0 1"
GAME = '[Result "{}"]\n[Termination "{}"]\n[SetUp "1"]\n[FEN "{}"]\n\n{}\n'


@pytest.mark.parametrize(
    ("fen", "result", "termination", "is_noted"),
    [
        (FORCED, "1-0", "Time forfeit", True),
        (FORCED, "1-0", "Normal", False),
        (FORCED, "1/2-1/2", "Time forfeit", False),
        ("8/8/8/8/8/2k5/1R6/K7 b - - 0 1", "1-0", "Time forfeit", False),
    ],
)
def test_a_win_on_time_without_a_mate(helped_folder, fen, result, termination, is_noted):
    game = chess.pgn.read_game(io.StringIO(GAME.format(result, termination, fen, result)))
    with open_tablebase(helped_folder) as tables:
        for _ in range(2):  # once more changes nothing
            assert annotate(game, tables).on_time == is_noted
    assert game.end().comment.count("White can never mate") == is_noted


def test_tables_without_helpmates_do_not_tell():
    game = chess.pgn.read_game(io.StringIO(GAME.format("1-0", "Time forfeit", FORCED, "1-0")))
    with open_tablebase("data") as tables:
        assert not annotate(game, tables).on_time
