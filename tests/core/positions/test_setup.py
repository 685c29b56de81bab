"""Positions by any rules: FENs and moves, those of chess as python-chess has them."""

import random
import re

import chess
import pytest
from support.games import NAMED, names_by_python_chess, random_setups, setups_to_name

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.setup import Setup
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules, parse_rules
from tablebase.core.rules.rules import CHESS

RIDERS = parse_rules("[riders:chess]\ncustomPiece1 = h:NN\nfers = f")["riders"]
SHATRANJ = built_in_rules()["shatranj"]


def names(setup):
    return [setup.name_of(move) for move in setup.moves()]


def random_boards(count, rng):
    while count:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, rng.randint(2, 6))
        kings = [chess.Piece(chess.KING, color) for color in chess.COLORS]
        others = [chess.Piece(rng.randint(1, 5), rng.random() < 0.5) for _ in squares[2:]]
        board.set_piece_map(dict(zip(squares, kings + others, strict=True)))
        board.turn = rng.random() < 0.5
        board.halfmove_clock = rng.choice((0, 7, 99, 120))
        if board.is_valid():
            count -= 1
            yield board


@pytest.mark.thorough
def test_moves_of_chess_are_those_of_python_chess():
    passing = 0
    boards = list(random_boards(400, random.Random(1)))
    for setup in random_setups("KPKP", CHESS, 60, passing=True):
        board = chess.Board(setup.fen)
        board.ep_square = setup.ep_square
        boards.append(board)
    for board in boards:
        setup = read_setup(board.fen(en_passant="fen"))
        assert setup.fen == board.fen()
        assert setup.ep_square == board.ep_square
        assert setup.is_check() == board.is_check()
        found = {}
        for move in setup.moves():
            uci = chess.Move(move.origin, move.target, move.promotion).uci()
            found[uci] = move.after.fen, move.zeroing
        expected = {}
        for move in board.legal_moves:
            after = board.copy()
            after.push(move)
            after.fullmove_number = 1
            expected[move.uci()] = after.fen(), board.is_zeroing(move)
        assert found == expected
        assert len(list(setup.en_passant())) == sum(map(board.is_en_passant, board.legal_moves))
        passing += board.has_legal_en_passant()
    assert passing > 25


def test_captures_en_passant_are_those_of_python_chess():
    board = chess.Board("8/8/8/k7/1p1p4/8/2P5/6K1 w - - 0 1")
    push = next(move for move in read_setup(board.fen()).moves() if move.after.ep_square)
    board.push_san("c4")
    expected = {}
    for move in board.legal_moves:
        if board.is_en_passant(move):
            after = board.copy()
            after.push(move)
            expected[move.uci()] = after.board_fen()
    found = {
        chess.Move(move.origin, move.target).uci(): move.after.fen.split()[0]
        for move in push.after.en_passant()
    }
    assert found == expected
    assert len(found) == 2


@pytest.mark.thorough
@pytest.mark.parametrize("game", NAMED)
def test_names_of_moves_are_those_of_python_chess(game):
    setups = setups_to_name(game)
    for setup, expected in zip(setups, names_by_python_chess(setups), strict=True):
        assert {str(move): setup.name_of(move) for move in setup.moves()} == expected, setup.fen


def test_names_of_moves_on_a_small_board_tell_men_apart():
    setup = read_setup("k4/5/N3N/5/N3K w", built_in_rules()["gardner"])
    assert {"N1c2", "Na3c2", "Nec2"} <= {*names(setup)}


def test_letters_are_those_of_the_rules():
    fen = "8/8/2h5/8/3k4/8/1KF5/8 w - - 0 1"
    setup = read_setup(fen, RIDERS)
    assert setup.material == Material.from_name("KFKH", RIDERS)
    assert setup.fen == str(setup) == fen
    assert {name for name in names(setup) if name[0] == "F"} == {"Fb1", "Fd1", "Fb3", "Fd3"}
    with pytest.raises(
        UnsupportedPositionError, match="'h' in the rank '2h5' is not a piece of chess"
    ):
        read_setup(fen)


def test_a_nightrider_rides_until_it_meets_a_man():
    setup = read_setup("8/8/8/8/2p1k3/8/8/H6K w", RIDERS)
    assert {name for name in names(setup) if name[0] == "H"} == {
        "Hb3", "Hc5+", "Hd7", "Hc2", "He3", "Hg4"
    }  # fmt: skip


def test_a_bare_king_can_only_bare_the_other():
    assert not list(read_setup("8/8/8/3k4/8/1KQ5/2Q5/8 b", SHATRANJ).moves())
    assert not list(read_setup("8/8/8/3k4/8/1KQ5/8/8 b", SHATRANJ).moves())
    assert names(read_setup("8/8/8/8/3k4/2Q5/8/K7 b", SHATRANJ)) == ["Kxc3"]
    assert "Kxc3#" in names(read_setup("8/8/8/8/8/2q5/1K1Q4/7k w", SHATRANJ))
    assert Material.from_name("KQQK", SHATRANJ).bared == (0, 2)
    assert Material.from_name("KQK", SHATRANJ).bared == (0, 1)
    assert Material.from_name("KQKB", SHATRANJ).bared == (0, 0)
    assert Material.from_name("KQK").bared == (0, 0)


def test_pawns_of_makruk_promote_on_the_sixth_rank():
    rules = built_in_rules()["makruk"]
    moves = {*names(read_setup("k7/8/p7/1P6/8/8/8/7K w", rules))}
    assert {"b6=M", "bxa6=M"} < moves
    with pytest.raises(UnsupportedPositionError, match="a pawn stands on b6"):
        read_setup("k7/8/1P6/8/8/8/8/7K w", rules)
    read_setup("k7/8/1p6/8/8/8/8/7K w", rules)


def test_shatranj_has_no_double_push_and_one_promotion():
    moves = names(read_setup("8/3P4/8/8/8/8/P6p/K6k w", SHATRANJ))
    assert "a3" in moves
    assert "a4" not in moves
    assert [move for move in moves if move.startswith("d")] == ["d8=Q"]


@pytest.mark.parametrize(
    ("fen", "message"),
    [
        ("", "'' is not a FEN"),
        ("8/8/8/8/8/2k5/1R6/K7", "is not a FEN: write pieces and side to move"),
        ("8/8/8/8/8/2k5/1R6/K7 x", "is not a FEN: write pieces and side to move"),
        ("8/8/8/8/2k5/1R6/K7 w", "has 7 ranks, not 8"),
        ("8/8/8/8/8/2k5/1R7/K7 w", "the rank '1R7' has 9 squares, not 8"),
        ("8/8/8/8/8/2k5/1RRRRRRRR/K7 w", "the rank '1RRRRRRRR' has 9 squares, not 8"),
        ("8/8/8/8/8/2k5/1R5/K7 w", "the rank '1R5' has 7 squares, not 8"),
        (
            "8/8/8/8/8/2k5/1X6/K7 w",
            "'X' in the rank '1X6' is not a piece of chess, which has P N B R",
        ),
        ("8/8/8/8/8/2k5/1R6/K6K w", "white has 2 kings"),
        ("8/8/8/8/8/8/1R6/K7 w", "black has 0 kings"),
        ("8/8/8/8/8/2k5/8/K6P w", "a pawn stands on h1"),
        (
            "8/8/8/8/8/2k5/2R5/K7 w",
            "could take the king, try b instead of w: 8/8/8/8/8/2k5/2R5/K7 b - - 0 1",
        ),
        ("8/8/8/8/8/1R6/2k5/1K6 w", "the kings stand next to each other: 8/8/8/8/8/1R6/2k5/1K6 w"),
        ("8/8/8/8/8/2k5/8/K6R w K - 0 1", "has rights that tables do not know: write - -"),
        ("8/8/8/8/8/2k5/1R6/K7 w - e3 0 1", "no pawn has just passed 'e3' in"),
        ("8/8/8/8/8/2k5/1R6/K7 w - - x 1", "'x' is not a halfmove clock in"),
        ("8/8/8/8/8/2k5/1R6/K7 w - - -3 1", "'-3' is not a halfmove clock in"),
    ],
)
def test_bad_positions_are_refused(fen, message):
    with pytest.raises(UnsupportedPositionError, match=re.escape(message)):
        read_setup(fen)


def test_a_setup_knows_its_men():
    setup = Setup(Material.from_name("KRK"), (0, 18, 9), Color.WHITE)
    assert setup.fen == "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
    assert setup.is_legal()
    assert setup.material.rules is CHESS


@pytest.mark.parametrize("passed", ["e3", "d3", "e6", "x9", "e", "--"])
def test_only_what_a_pawn_passed_can_be_captured_so(passed):
    """White's pawn may make a double step, past one that may capture it, but has not yet."""
    rules = parse_rules("[pawns:chess]\nfers = f\n")["pawns"]
    with pytest.raises(UnsupportedPositionError, match=f"no pawn has just passed '{passed}'"):
        read_setup(f"4k3/8/8/8/3p4/8/4P3/4K3 b - {passed}", rules)


def test_a_passed_square_is_shown_if_it_is_of_use():
    pushed = "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"
    assert read_setup(pushed).fen == pushed
    for fen in ("4k3/8/8/8/2p1P3/8/8/4K3 b - e3 0 1", "3rk3/8/8/8/3pP3/8/8/3RK3 b - e3 0 1"):
        setup = read_setup(fen)
        assert setup.ep_square == chess.E3
        assert setup.fen == chess.Board(fen).fen()
    with pytest.raises(UnsupportedPositionError, match="no pawn has just passed 'e3'"):
        read_setup(pushed, SHATRANJ)  # pawns go by single steps


def test_clocks_count_plies_since_the_last_capture_or_pawn_move():
    setup = read_setup("7k/8/8/8/8/8/n1P5/K7 w - - 37 60")
    assert setup.clock == 37
    clocks = {move.uci(): move.after.clock for move in setup.moves()}
    assert clocks == {"a1a2": 0, "a1b1": 38, "a1b2": 38, "c2c3": 0, "c2c4": 0}


@pytest.mark.parametrize(
    ("game", "fen", "end", "outcome"),
    [
        ("gardner", "R3k/5/4K/5/5 b", "checkmate", ~0),
        ("gardner", "4k/2Q2/4K/5/5 b", "stalemate", 0),
        ("shatranj", "k7/2R5/1K6/8/8/8/p7/8 b", None, None),
        ("shatranj", "8/8/8/3k4/8/1KQ5/8/8 b", "bare king", ~0),
        ("kingofthehill", "8/8/8/3K4/8/8/8/r6k b", "goal", ~0),
    ],
)
def test_why_no_move_is_left(game, fen, end, outcome):
    setup = read_setup(fen, built_in_rules()[game])
    assert (setup.end, setup.final_outcome()) == (end, outcome)
    assert (end is None) == any(setup.moves())
