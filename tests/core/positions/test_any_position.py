"""Positions from texts: FENs and EPDs as programs write them, of chess and of other games alike."""

import pytest

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.any_position import left_out, position_of_board, read_position
from tablebase.core.positions.chess_variants import boards_of_games, read_game_board
from tablebase.core.rules.rule_files import built_in_rules, parse_rules
from tablebase.core.rules.rules import CHESS

GAMES = built_in_rules()
PAWNS = parse_rules("[pawns:chess]\nfers = f\n")["pawns"]
MEN = "8/8/8/8/8/2k5/1R6/K7"
BOTH = pytest.mark.parametrize("rules", [CHESS, GAMES["makruk"]], ids=["chess", "makruk"])


@BOTH
@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("{men} w - - bm Ra2;", 0),
        ('{men} w - - bm Ra2; id "a;b";', 0),
        ("{men} w - -; bm #16;", 0),
        ("{men} w - -;", 0),
        ("{men} w;", 0),
        ("{men} w - - ;D1 16 ;D2 100", 0),
        ("{men} w - - 0 1;", 0),
        ("{men} w - - 0 1;id x", 0),
        ("{men} w - - 3 8 bm #2;", 3),
        ("{men} w - - 3 8 bm #2", 3),
        ("{men} w - - 80 12; bm #16;", 80),
        ("{men} w - - 80 bm #16;", 80),
        ("{men}_w_-_-_bm_Ra2;", 0),
        ("{men} w - - hmvc 7;", 7),
        ("{men} w - - hmvc 7; fmvn 30;", 7),
        ("{men} w - -; hmvc 7", 7),
        ("{men} w; hmvc 7", 7),
        ('{men} w - - id "a; hmvc 9;"; hmvc 7;', 7),
        ('{men} w - - id "no end; hmvc 9;', 0),
        ("{men} w - - 3 8; hmvc 7;", 7),
        ("\ufeff{men} w - - 7 8", 7),
        ("\ufeff{men} w - - hmvc 7;", 7),
    ],
)
def test_what_stands_before_the_operations_is_the_position(rules, text, clock):
    position = read_position(text.format(men=MEN), rules)
    assert position.fen.split()[:5] == [MEN, "w", "-", "-", str(clock)]


@BOTH
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{men} w - - 3 8 9", "parts"),
        ("{men} w - - 3 8 9; bm Ra2;", "parts"),
        ("{men} w - - x", "clock"),
        ("{men} w - - o 1", "clock"),
        ("{men} w - - 0 x", "number"),
        ("{men} w - - 1_000 1", "parts|number"),
        ("{men} w - - hmvc;", "'' is not a halfmove clock in"),
        ("{men} w - - hmvc x;", "'x' is not a halfmove clock in"),
        ('{men} w - - hmvc "3";', "'\"3\"' is not a halfmove clock in"),
        ("{men} w - - hmvc 3 4;", "'3 4' is not a halfmove clock in"),
        ("{men} w bm Ra2;", "castling|rights"),
        (";", "empty|not a FEN"),
    ],
)
def test_what_is_neither_is_refused(rules, text, message):
    with pytest.raises(UnsupportedPositionError, match=message):
        read_position(text.format(men=MEN), rules)


@BOTH
def test_marks_of_promoted_men_are_passed_over(rules):
    letter = "M" if rules.mark else "Q"
    assert read_position(f"8/8/8/8/4k3/8/1{letter}~6/K7 w", rules).fen.split()[0] == (
        f"8/8/8/8/4k3/8/1{letter}6/K7"
    )
    for wrong in (f"8/8/8/8/4k3/8/~1{letter}6/K7 w", f"8/8/8/8/4k3/8/1{letter}~~6/K7 w"):
        with pytest.raises(UnsupportedPositionError):
            read_position(wrong, rules)


def test_an_empty_hand_is_passed_over():
    """Fairy-Stockfish writes it for games in which men come from the hand."""
    seirawan = GAMES["seirawan"]
    assert read_position("8/8/8/3k4/8/8/8/3KQ3[] w - - 0 1", seirawan).material.name == "KQK"
    for wrong in ("8/8/8/3k4/8/8/8/3KQ3[H] w", "8/8/8/3k4/8/8/8[]/3KQ3 w"):
        with pytest.raises(UnsupportedPositionError):
            read_position(wrong, seirawan)


RIGHTS = [
    ("8/8/8/8/8/2k5/1R6/K7", "KQkq", False),
    ("4k3/8/8/8/8/8/8/4K2R", "Qkq", False),
    ("4k3/8/8/8/8/8/8/4KR2", "KQ", False),
    ("4k3/8/8/8/8/8/4K2R/8", "K", False),
    ("4k3/8/8/8/8/8/8/4K2r", "K", False),
    ("4k3/8/8/8/8/8/8/4K2R", "K", True),
    ("r3k3/8/8/8/8/8/8/4K3", "KQq", True),
    ("4k3/8/8/8/8/8/8/4KR2", "F", True),
    ("4k3/8/8/8/8/8/8/4KR2", "AG", False),
]


@pytest.mark.parametrize("rules", [CHESS, GAMES["kingofthehill"], GAMES["seirawan"]])
@pytest.mark.parametrize(("men", "rights", "stand"), RIGHTS)
def test_rights_without_king_and_rook_in_place_are_dropped(rules, men, rights, stand):
    text = f"{men} w {rights} - 0 1"
    if rules.mark and stand:
        with pytest.raises(UnsupportedPositionError, match="rights that tables do not know"):
            read_position(text, rules)
        return
    position = read_position(text, rules)
    assert (position.fen.split()[2] == "-") == (not stand)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{MEN} w KQ - 0 1", "castling rights KQ do not count, because "),
        (f"{MEN}_w_KQ_-_bm Ra2;", "castling rights KQ do not count, because "),
        (f"{MEN} w Bk - 0 1", "castling rights Bk do not count, because "),
        ("4k3/8/8/8/8/8/8/4K2R w KQk - 0 1", "castling rights Qk do not count, because "),
        ("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", ""),
        (f"{MEN} w - e6 0 1", "the en passant square e6 does not count, because no pawn has "),
        ("8/8/7k/8/1pP5/7K/8/8 b - c3 0 1", ""),
        (f"{MEN} w", ""),
        (MEN, ""),
    ],
)
def test_rights_that_do_not_count_are_told(text, words):
    assert left_out(text).startswith(words)
    assert bool(left_out(text)) == bool(words)


def test_rights_of_other_games_never_count():
    words = "castling rights Kq do not count, because king and rook are not in place"
    assert left_out(f"{MEN} w Kq - 0 1", GAMES["kingofthehill"]) == words
    assert not left_out(f"{MEN} w - 32 10 1", GAMES["makruk"])


WITHOUT_CASTLING = ["antichess", "suicide", "racingkings"]


@pytest.mark.parametrize("game", WITHOUT_CASTLING)
def test_rights_of_games_without_castling_are_dropped_and_told(game):
    rules, text = GAMES[game], "8/8/8/8/8/7k/8/R3K3 w Q - 0 1"
    position = read_position(text, rules)
    assert position.fen.split()[2] == "-"
    assert left_out(text, rules) == (
        f"castling rights Q do not count, because nobody castles in {game}"
    )
    board = boards_of_games()[rules](text)
    assert board.castling_rights
    assert position_of_board(board).board == position
    assert not read_game_board(text, rules).castling_rights


@pytest.mark.parametrize("game", ["atomic", "3check", "kingofthehill", "seirawan"])
def test_rights_of_games_with_castling_are_refused(game):
    rules, text = GAMES[game], "8/8/8/8/8/7k/8/R3K3 w Q - 0 1"
    with pytest.raises(UnsupportedPositionError, match="rights that tables do not know"):
        read_position(text, rules)
    assert left_out(text, rules) == ""
    if rules in boards_of_games():
        with pytest.raises(UnsupportedPositionError, match="castling rights are not covered"):
            position_of_board(boards_of_games()[rules](text))


def test_rights_of_chess960_count_where_kings_and_rooks_may_stand():
    text = "4k3/8/8/8/8/8/8/1R3K2 w Q - 0 1"
    assert left_out(text).startswith("castling rights Q do not count")
    assert not left_out(text, chess960=True)


def test_rights_of_smaller_boards_and_of_gating():
    assert read_position("4k/5/5/5/KR3 w KQkq - 0 1", GAMES["gardner"]).material.name == "KRK"
    gating = "4k3/8/8/8/8/8/8/4K2H w KQBCDFGkqbcdfg - 0 1"
    with pytest.raises(UnsupportedPositionError, match="rights that tables do not know"):
        read_position(gating, GAMES["seirawan"])  # hawk in the corner: what castles is not known
    men = "8/8/8/8/8/2k5/7H/K7"
    assert read_position(f"{men} w KQBCDFGkqbcdfg - 0 1", GAMES["seirawan"]).material.name == "KHK"
    for wrong in ("bm", "qK", "x", "KQ-"):
        with pytest.raises(UnsupportedPositionError, match="rights that tables do not know"):
            read_position(f"{MEN} w {wrong}", GAMES["makruk"])


def test_the_count_of_makruk_is_passed_over():
    """As soon as a king is bare, Fairy-Stockfish (pyffish 0.0.90) writes limit and count."""
    makruk = GAMES["makruk"]
    position = read_position("8/8/8/8/3k4/8/8/8 w - 32 10 1".replace("8 w", "3KR3 w"), makruk)
    assert position.fen == "8/8/8/8/3k4/8/8/3KR3 w - - 0 1"
    assert position == read_position("8/8/8/8/3k4/8/8/3KR3 w - - 0 1", makruk)
    for rules, wrong in ((makruk, "x"), (makruk, "\u0663"), (PAWNS, "32")):
        with pytest.raises(UnsupportedPositionError, match=f"no pawn has just passed '{wrong}'"):
            read_position(f"8/8/8/8/3k4/8/8/3KR3 w - {wrong} 10 1", rules)
