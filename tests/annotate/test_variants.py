"""Games of atomic chess, as lichess exports them."""

import pytest

from tablebase.cli.program import main

TAGS = """[Event "Rated Atomic game"]
[Site "https://lichess.org/abcdefgh"]
[Variant "Atomic"]
[FEN "8/8/8/3k4/8/2K5/1Q6/8 w - - 0 1"]
[SetUp "1"]
"""


@pytest.fixture
def annotate(atomic_dir, tmp_path, capsys):
    def run(moves):
        path = tmp_path / "game.pgn"
        path.write_text(f"{TAGS}\n{moves}\n")
        code = main(["annotate", str(path), "--dir", str(atomic_dir)])
        told = capsys.readouterr()
        return code, told.out, told.err.strip().splitlines()[-1]

    return run


def test_values_and_mistakes_are_those_of_atomic_chess(annotate):
    code, game, summary = annotate("1. Kc2 Ke4 2. Qe5+ Kf3 1/2-1/2")
    assert code == 0
    assert "[%eval #8]" in game
    assert "wins in" in game
    assert "5 of 5 positions known" in summary
    assert "lost the win" in summary


def test_an_illegal_move_is_named(annotate):
    code, _, error = annotate("1. Kc2 Ke4 2. Kxc8 1-0")
    assert code == 2
    assert "'Kxc8' is not a legal move in 8/8/8/8/4k3/8/1QK5/8 w" in error
