"""Boards: conversions to and from python-chess, and which positions have a value."""

import random
import re

import chess
import chess.variant
import pytest
from support.oracle import random_boards
from support.refused import REFUSED

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.chess_board import (
    board_of,
    board_of_words,
    board_words,
    check_supported,
    final_outcome,
    illegality,
    material_of,
    read_fen,
    squares_of,
    words_of_boards,
)
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.fifty_moves import fifty_move_warning
from tablebase.core.reading.given import GivenPositions
from tablebase.core.rules.material import Material

MEN = "8/8/8/8/8/2k5/1R6/K7"
NAMES = ("KRK", "KPK", "KNNK", "KQKP", "KPKP", "KRBKN", "KK")


@pytest.mark.parametrize("name", NAMES)
def test_squares_and_boards_convert_into_each_other(name):
    material = Material.from_name(name)
    for board in random_boards(material, 20, seed=1):
        assert material_of(board) == material
        assert board_of(material, squares_of(board, material).tolist(), board.turn) == board


def test_words_are_the_bitboards():
    board = chess.Board("8/8/8/8/8/2k1n3/8/K2R4 b - - 0 1")
    assert words_of_boards([board, board]).tolist() == [list(board_words(board))] * 2
    assert words_of_boards([]).shape == (0, 8)
    assert words_of_boards([chess.Board()])[0, 6] == 0xFFFF


UNSUPPORTED = {
    "7 pieces": "4k3/8/8/8/8/8/PPPPP3/4K3 w - - 0 1",
    "White has 2 kings": "4k3/8/8/8/8/8/8/K3K3 w - - 0 1",
    "Black has 0 kings": "8/8/8/8/8/8/8/4K2R w - - 0 1",
    "first or last rank": "4k3/8/8/8/8/8/8/4K2P w - - 0 1",
    "could take the king": "4k2R/8/8/8/8/8/8/4K3 w - - 0 1",
    "promoted": "8/8/2K~5/3k~4/8/2B5/8/8 w - - 0 1",
    "32 pieces": chess.STARTING_FEN,
    "en-passant square": "4k3/8/8/3P4/8/8/8/4K3 w - e6 0 1",
}


@pytest.mark.parametrize(("reason", "fen"), UNSUPPORTED.items())
def test_unsupported_positions_are_named(reason, fen):
    with pytest.raises(UnsupportedPositionError, match=reason) as raised:
        check_supported(chess.Board(fen))
    assert fen.split()[0] in str(raised.value)


@pytest.mark.parametrize(("fen", "meant"), REFUSED)
def test_a_refusal_ends_in_a_fen_to_paste(fen, meant):
    with pytest.raises(UnsupportedPositionError) as raised:
        check_supported(chess.Board(fen))
    assert str(raised.value).endswith(meant)


def test_a_setup_has_no_castling_rights():
    fen = "r3k3/8/4K3/8/8/8/8/4Q3 w q - 0 1"
    with pytest.raises(UnsupportedPositionError) as raised:
        ChessPosition(chess.Board(fen)).setup()
    assert str(raised.value) == f"positions with castling rights are not covered: {fen}"


def test_positions_of_variants_are_not_supported():
    for variant in (chess.variant.AtomicBoard, chess.variant.GiveawayBoard):
        with pytest.raises(UnsupportedPositionError, match=variant.uci_variant):
            check_supported(variant("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"))
    check_supported(chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", chess960=True))


@pytest.mark.parametrize(
    ("text", "fen"),
    [
        ("8/8/8/8/8/2k5/1R6/K7 b", "8/8/8/8/8/2k5/1R6/K7 b - - 0 1"),
        ("8/8/8/8/8/2k5/1R6/K7_b_-_-_3_4", "8/8/8/8/8/2k5/1R6/K7 b - - 3 4"),
        ("8/8/2K~5/3k~4/8/2B~5/8/8 w - - 0 1", "8/8/2K5/3k4/8/2B5/8/8 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("4k3/8/8/3P4/8/8/8/4K3 w - e6 0 1", "4k3/8/8/3P4/8/8/8/4K3 w - - 0 1"),
        ("8/8/7k/8/1pP5/7K/8/8 b - c3 0 1", "8/8/7k/8/1pP5/7K/8/8 b - c3 0 1"),
    ],
)
def test_fens_are_read_as_on_lichess(text, fen):
    board = read_fen(text)
    assert board.fen(promoted=True) == fen
    assert not board.promoted


@pytest.mark.parametrize(
    ("text", "is_chess960", "rights"),
    [
        # A right that names the file of its rook is never dropped in silence.
        ("1r2k3/8/8/8/8/8/8/4K3 b b - 0 1", True, chess.BB_B8),
        ("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", True, chess.BB_B1 | chess.BB_G1),
        ("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", False, chess.BB_A1 | chess.BB_H1),
        ("4k3/8/8/8/8/8/8/1R2K2R w HB - 0 1", True, chess.BB_B1 | chess.BB_H1),
        ("4k3/8/8/8/8/8/8/1R2K3 w C - 0 1", False, 0),
        ("4k3/8/8/4K3/8/8/8/1R6 w B - 0 1", False, 0),
        # Other letters without king and rook at home are leftovers, as they are on lichess.
        ("4k3/8/8/8/8/8/8/1R3K2 w KQkq - 0 1", False, 0),
    ],
)
def test_castling_rights_of_shredder_fens(text, is_chess960, rights):
    board = read_fen(text)
    assert (board.chess960, board.castling_rights) == (is_chess960, rights)
    given = GivenPositions([text])
    assert not given.errors
    assert (given.singles[0].castling_rights if rights else not given.singles) == (rights or True)
    if rights:
        with pytest.raises(UnsupportedPositionError, match="castling rights"):
            ChessPosition(board).setup()
    assert read_fen("4k3/8/8/8/8/8/8/1R3K2 w Q - 0 1", chess960=True).castling_rights == chess.BB_B1


@pytest.mark.parametrize(
    "text",
    [
        "", "foo", "8/8/8 w - - 0 1", "8/8/8/8/8/2k5/1R6/K7 x - - 0 1",
        # Numbers are written in ASCII, without a sign.
        *(f"8/8/8/8/8/2k5/1R6/K7 w - - {clock}" for clock in ("+3 1", "-0 1", "3 +1", "٣ 1")),
    ],
)  # fmt: skip
def test_what_is_not_a_fen(text):
    with pytest.raises(UnsupportedPositionError, match="not a valid FEN: "):
        read_fen(text)


def test_every_fault_of_a_fen_is_told_in_our_words():
    """What python-chess refuses is refused, and it never says so itself."""
    chance = random.Random(5)
    signs, given = "wb-KQkqxR/ ~01289a36", ["8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]
    given.append("r3k2r/8/8/8/3Pp3/8/8/R3K2R b KQkq d3 3 9")
    refused = 0
    for _ in range(3000):
        changed = list(chance.choice(given))
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(changed))
            changed[at : at + chance.randint(0, 1)] = chance.choice(signs) * chance.randint(0, 1)
        text = " ".join("".join(changed).split())
        try:
            chess.Board(text)
            fault = re.search(" -[0-9]+", text[text.index(" ") :] if " " in text else "")
        except ValueError as error:
            fault = str(error).partition(":")[0]
        if not fault:
            read_fen(text)
            continue
        refused += 1
        with pytest.raises(UnsupportedPositionError, match="not a valid FEN: ") as raised:
            read_fen(text)
        assert isinstance(fault, re.Match) or fault not in str(raised.value)
    assert 1000 < refused < 3000


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "it is empty: write pieces and side to move, like 8/8/8/8/8/2k5/1R6/K7 w"),
        ("8/8 w", "'8/8' has 2 ranks, not 8"),
        ("foo w", "'foo' has 1 rank, not 8"),
        (f"{MEN} x", f"'x' is not a side to move in '{MEN} x': write w or b"),
        (
            f"{MEN} w X",
            f"'X' is not castling rights in '{MEN} w X': write -, or those of KQkq that there are",
        ),
        (f"{MEN} w - e9", f"'e9' is not an en passant square in '{MEN} w - e9': write -"),
        (f"{MEN} w - - -1", f"'-1' is not a halfmove clock in '{MEN} w - - -1': write 0"),
        (f"{MEN} w - - 0 x", f"'x' is not the number of a move in '{MEN} w - - 0 x': write 1"),
        (f"{MEN} w - - 0 1 2", f"'{MEN} w - - 0 1 2' has 7 parts, not 6"),
        (
            "8/8/8/8/8/2kX4/8/K7 w",
            (
                "'X' in the rank '2kX4' is neither a piece nor a number of empty squares: "
                "write PNBRQK, pnbrqk and 1 to 8"
            ),
        ),
        ("8/8/8/8/44/2k5/8/K7 w", "the rank '44' has two numbers side by side: write their sum"),
        ("8/8/8/8/8/~2k5/8/K7 w", "'~' in the rank '~2k5' follows no piece: leave it out"),
        ("8/8/8/8/8/2k5/8/KK7 w", "the rank 'KK7' has 9 squares, not 8"),
    ],
)
def test_a_fault_of_a_fen_names_what_is_wrong(text, fault):
    with pytest.raises(UnsupportedPositionError) as raised:
        read_fen(text)
    assert str(raised.value) == f"not a valid FEN: {fault}"


def test_legal_positions_have_no_illegality():
    assert not illegality(chess.Board())
    assert illegality(chess.Board(None)) == "White has 0 kings instead of one"
    assert "eight pawns" in illegality(chess.Board("k7/8/P7/PPPPPPPP/8/8/8/K7 w - - 0 1"))


def test_the_fifty_move_rule_is_mentioned_if_it_may_come_before_mate():
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 69 90")
    assert not fifty_move_warning(board, 31)
    assert not fifty_move_warning(board, 0)
    assert not fifty_move_warning(board, None)
    board.halfmove_clock = 70
    for plies in (31, -31):
        assert "31 plies to mate, 70 since" in fifty_move_warning(board, plies)


def test_a_line_tells_whether_the_clock_is_reset():
    board = chess.Board("8/8/8/8/8/k7/2P5/K7 w - - 98 90")
    shuffle = [chess.Move.from_uci(move) for move in ("a1b1", "a3b4", "b1b2")]
    assert fifty_move_warning(board, 3, shuffle)
    push = [chess.Move.from_uci(move) for move in ("c2c4", "a3b4", "a1b1")]
    assert not fifty_move_warning(board, 3, push)
    assert fifty_move_warning(board, 3, push[:1])  # a part of the line tells nothing


def test_boards_of_words():
    board = chess.Board("8/8/8/8/1pP5/8/2Q5/K5k1 b - - 7 20")
    again = board_of_words(board_words(board))
    assert (again.board_fen(), again.turn) == (board.board_fen(), board.turn)
    assert set(again.legal_moves) == set(board.legal_moves)


@pytest.mark.parametrize(
    ("fen", "outcome"),
    [
        ("R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", -1),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", -1),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0),
        ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", None),
        ("7k/6Q1/6K1/8/8/8/8/8 w - - 0 1", None),  # illegal
        ("8/8/8/8/8/8/8/K7 w - - 0 1", None),
    ],
)
def test_outcomes_at_the_end_of_a_game(fen, outcome):
    assert final_outcome(chess.Board(fen)) == outcome
    assert final_outcome(chess.variant.AtomicBoard(fen)) is None
