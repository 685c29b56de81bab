"""The UCI engine in a variant that python-chess knows."""

import chess.engine
import pytest

from tablebase.uci.engine import Engine

WON = "8/8/8/3k4/8/2K5/1Q6/8 w - - 0 1"
ATOMIC = "setoption name UCI_Variant value atomic"


def answers(*lines, path):
    said = []
    Engine(said.append, str(path)).run(lines)
    return said


def test_it_plays_atomic_chess(atomic_dir):
    *_, info, best = answers(ATOMIC, "isready", f"position fen {WON}", "go", path=atomic_dir)
    assert " score mate 8 " in info
    assert best == "bestmove c3c2 ponder d5e4"
    draw = answers(ATOMIC, f"position fen {WON} moves b2d2", "go", path=atomic_dir)
    assert " score cp 0 " in draw[-2]


def test_a_king_that_has_exploded_has_lost(atomic_dir):
    over = answers(ATOMIC, "position fen 8/8/8/8/8/2Q5/8/1K6 b - - 0 1", "go", path=atomic_dir)
    assert over == ["info depth 0 score mate 0", "bestmove (none)"]


def test_it_moves_from_the_start(atomic_dir):
    """With rights to castle, which tables do not know."""
    *_, best = answers(ATOMIC, "position startpos moves e2e4", "go", path=atomic_dir)
    assert best.startswith("bestmove ")
    assert "(none)" not in best


def test_an_unknown_variant_is_named(atomic_dir):
    said = answers("setoption name UCI_Variant value horde", path=atomic_dir)
    known = "chess or kingofthehill or atomic or antichess or suicide or racingkings or 3check"
    assert said == [f"info string option UCI_Variant is {known}, not 'horde'"]


# Who has no pieces left has won, in 45 plies.
PAWN = "8/8/8/8/8/P7/8/7k b - - 0 1"


def in_game(game, *lines, path):
    return answers(f"setoption name UCI_Variant value {game}", *lines, path=path)


def test_it_plays_antichess(antichess_dir):
    *_, info, best = in_game("antichess", f"position fen {PAWN}", "go", path=antichess_dir)
    assert " score mate -23 " in info
    assert best.startswith("bestmove h1")
    line = info.split(" pv ")[1].split()
    assert len(line) == 45
    *_, info, best = in_game(
        "antichess",
        "position fen 8/8/8/8/8/1r6/K7/8 w - - 0 1 moves a2b3",
        "go",
        path=antichess_dir,
    )
    assert (info, best) == ("info depth 0 score mate 1", "bestmove (none)")


def test_who_has_won_and_is_to_move_has_the_score_of_a_win(antichess_dir, racing_dir):
    """Mate 0 is the score of who has lost."""
    blocked, raced = "8/8/8/p7/P7/8/8/8 w - - 0 1", "1K6/8/7k/8/8/8/R7/8 w - - 0 1"
    for game, fen, path in (
        ("antichess", blocked, antichess_dir),
        ("racingkings", raced, racing_dir),
    ):
        over = in_game(game, f"position fen {fen}", "go", path=path)
        assert over == ["info depth 0 score mate 1", "bestmove (none)"]
        score = chess.engine._parse_uci_info(over[0].removeprefix("info "), chess.Board())["score"]
        assert score.relative > chess.engine.Cp(0)


def test_resistance_without_kings(antichess_dir):
    """It needs no king whose way to a pawn could count."""
    for fen in (PAWN, "8/8/8/p7/8/8/P7/8 w - - 0 1"):
        resisting = "setoption name Resistance value practical", f"position fen {fen}", "go"
        *_, best = in_game("antichess", *resisting, path=antichess_dir)
        assert best.startswith("bestmove ")
        assert "(none)" not in best


def test_nobody_castles_in_antichess(antichess_dir):
    given = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1"
    said = in_game("antichess", given, "go", path=antichess_dir)
    assert any("illegal position: 'e1g1' is not a legal move" in line for line in said)
    said = in_game("antichess", given.partition(" moves")[0], path=antichess_dir)
    assert said == [
        "info string castling rights K do not count, because nobody castles in antichess"
    ]


def test_suicide_is_played_without_distances_to_the_end(suicide_dir):
    *_, info, best = in_game("suicide", f"position fen {PAWN}", "go", path=suicide_dir)
    line = info.split(" pv ")[1].split()
    assert f" score mate -{(len(line) + 1) // 2} " in info
    assert best.startswith("bestmove h1")


def test_it_races(racing_dir):
    given = "position fen 8/8/1K4k1/8/8/8/R7/8 w - - 0 1 moves b6b7 g6g7"
    *_, info, best = in_game("racingkings", given, "go", path=racing_dir)
    assert " score mate 3 " in info
    assert len(info.split(" pv ")[1].split()) == 5
    assert best.startswith("bestmove a2a8 ")


@pytest.mark.parametrize(
    ("game", "fen"),
    [
        ("racingkings", "1K6/8/7k/8/8/8/R7/8 b - - 0 1"),
        ("kingofthehill", "8/8/8/3K4/8/8/8/r6k b - - 0 1"),
    ],
)
def test_nothing_is_played_after_a_king_has_arrived(game, fen, racing_dir):
    over = in_game(game, f"position fen {fen}", "go", path=racing_dir)
    assert over == ["info depth 0 score mate 0", "bestmove (none)"]
    said = in_game(game, f"position fen {fen} moves h6h5 h1h2", path=racing_dir)
    assert "is not a legal move" in said[0]


def test_black_answers_an_arrival(racing_dir):
    given = "position fen 1K6/7k/8/8/8/8/R7/8 b - - 0 1"
    *_, info, best = in_game("racingkings", given, "go", path=racing_dir)
    assert " score cp 0 " in info
    assert best in {"bestmove h7g8", "bestmove h7h8"}
    over = in_game("racingkings", f"{given} moves h7h8", "go", path=racing_dir)
    assert over == ["info depth 0 score cp 0", "bestmove (none)"]


def test_racing_kings_begin_on_two_ranks(racing_dir):
    *_, best = in_game("racingkings", "position startpos moves h2h3", "go", path=racing_dir)
    assert best.startswith("bestmove ")
    assert "(none)" not in best


CHECKED = "8/8/8/3k4/8/2K5/1R6/8 w - -"


@pytest.mark.parametrize("fen", [f"{CHECKED} 3+3 0 1", f"{CHECKED} 0 1 +0+0"])
def test_checks_are_counted_through_the_moves_of_a_game(fen, checks_dir):
    given = f"position fen {fen} moves b2d2 d5e4 d2e2 e4f3"
    *_, info, best = in_game("3check", given, "go", path=checks_dir)
    assert " score mate 1 " in info
    assert best == "bestmove e2e3"
    over = in_game("3check", f"{given} e2e3", "go", path=checks_dir)
    assert over == ["info depth 0 score mate 0", "bestmove (none)"]
    said = in_game("3check", f"{given} e2e3 f3e3", path=checks_dir)
    assert "is not a legal move" in said[0]


def test_a_position_of_three_check_has_the_checks_left(checks_dir):
    scores = []
    for left in ("3+3", "2+1", "1+3"):
        *_, info, _ = in_game("3check", f"position fen {CHECKED} {left} 0 1", "go", path=checks_dir)
        scores.append(info.split(" score ")[1].split(" nodes")[0])
    assert scores == ["mate 4", "mate 2", "mate 1"]
    said = in_game("3check", f"position fen {CHECKED} 4+3 0 1", path=checks_dir)
    assert "'4+3' is no number of checks" in said[0]


def test_kings_castle_in_three_check(checks_dir):
    given = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 3+3 0 1 moves e1g1"
    *_, best = in_game("3check", given, "go", path=checks_dir)
    assert best.startswith("bestmove e8")
    (said,) = in_game("3check", given.partition(" moves")[0], path=checks_dir)
    assert said == (
        "info string castling rights K do not count, because tables of 3check have none: "
        "results and moves are those without them"
    )
