"""Games that were decided on time although mate was impossible."""

import io

import chess.pgn
import pytest

from tablebase import open_tablebase
from tablebase.annotate.annotation import annotate

FORCED = "k7/1R6/8/8/8/8/8/6K1 b - - 0 1"
PLAYERS = '[White "Ann"]\n[Black "Mr. Time"]\n'
GAME = PLAYERS + '[Result "{}"]\n[Termination "{}"]\n[SetUp "1"]\n[FEN "{}"]\n\n{}\n'


@pytest.mark.parametrize(
    ("fen", "result", "termination", "is_noted"),
    [
        (FORCED, "1-0", "Time forfeit", True),
        (FORCED, "1-0", "Normal", False),
        (FORCED, "1/2-1/2", "Time forfeit", False),
        ("8/8/8/8/8/2k5/1R6/K7 b - - 0 1", "1-0", "Time forfeit", False),
        (FORCED, "1-0", "time forfeit", True),
        ("2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 b - - 0 1", "1-0", "Time forfeit", True),
        ("4k3/8/8/1p1p1p2/1P1P1P1P/8/8/2B1K3 b - - 0 1", "1-0", "Time forfeit", False),
        (FORCED, "1-0", "Ann won on time", True),
        (FORCED, "1-0", "BulletTimeX won by resignation", False),
        (FORCED, "1-0", "Ann won on time won by resignation", False),
        (FORCED, "1-0", "Timeout", False),
    ],
)
def test_a_win_on_time_without_a_mate(helped_folder, fen, result, termination, is_noted):
    game = chess.pgn.read_game(io.StringIO(GAME.format(result, termination, fen, result)))
    with open_tablebase(helped_folder) as tables:
        for _ in range(2):  # once more changes nothing
            assert annotate(game, tables).on_time == is_noted
    assert game.end().comment.count("White can never mate") == is_noted


@pytest.mark.parametrize(
    ("comment", "termination", "is_noted"),
    [
        ("White wins on time.", "?", True),
        ("[%clk 0:00:01] White wins on time.", "?", True),
        ("Mr. Time forfeits on time", "?", True),
        ("Black forfeits on time", "?", True),
        ("Black forfeits on time", "Normal", False),
        ("Black wins on time.", "?", False),
        ("Ann forfeits on time", "?", False),
        ("Mr. Time resigns", "?", False),
        ("Black forfeits on time trouble too early", "?", False),
        ("They say that White wins on time.", "?", False),
    ],
)
def test_servers_that_write_no_tag_write_a_comment(helped_folder, comment, termination, is_noted):
    moves = f"{{ {comment} }} 1-0"
    game = chess.pgn.read_game(io.StringIO(GAME.format("1-0", termination, FORCED, moves)))
    with open_tablebase(helped_folder) as tables:
        for _ in range(2):
            assert annotate(game, tables).on_time == is_noted
    assert game.end().comment.count("White can never mate") == is_noted


def test_no_table_with_helpmates_is_needed():
    game = chess.pgn.read_game(io.StringIO(GAME.format("1-0", "Time forfeit", FORCED, "1-0")))
    with open_tablebase("data") as tables:
        assert annotate(game, tables).on_time
