"""The JSON of lichess's tablebase server: what each field says, and the order of moves."""

from pathlib import Path

import chess
import pytest
from support.oracle import random_boards

import tablebase
from tablebase.board.material import Material
from tablebase.errors import MissingTableError, UnsupportedPositionError
from tablebase.web.lichess import (
    CATEGORIES,
    category,
    describe_mainline,
    describe_position,
    describe_standard,
    men_in_words,
    read_position,
)

DATA = Path(__file__).parents[2] / "data"
FACTS = {
    "checkmate",
    "stalemate",
    "variant_win",
    "variant_loss",
    "insufficient_material",
    "dtz",
    "precise_dtz",
    "dtm",
    "dtw",
    "dtc",
    "category",
}
BOOLEANS = ("checkmate", "stalemate", "variant_win", "variant_loss", "insufficient_material")


@pytest.fixture(scope="module")
def tables():
    with tablebase.open_tablebase(DATA) as tables:
        yield tables


def facts(tables, fen):
    return describe_position(tables, read_position(fen))


def standard(tables, fen):
    return describe_standard(tables, read_position(fen))


# Fields


def test_fields_are_those_of_lichess(tables):
    answer = standard(tables, "8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    assert set(answer) == FACTS | {"moves"}
    for move in answer["moves"]:
        assert set(move) == FACTS | {"uci", "san", "zeroing", "conversion"}
        assert all(isinstance(move[name], bool) for name in (*BOOLEANS, "zeroing", "conversion"))
        assert all(move[name] is None for name in ("dtz", "precise_dtz", "dtw", "dtc"))


def test_a_won_position(tables):
    answer = standard(tables, "8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1")
    assert (answer["dtm"], answer["category"]) == (31, "win")
    best = answer["moves"][0]
    assert (best["dtm"], best["category"]) == (-30, "loss")


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        ("k7/8/2K5/8/8/8/8/1R5R b - - 0 1", {"category": "unknown", "dtm": None}),  # KRRK
        ("k6R/8/K7/8/8/8/8/8 b - - 0 1", {"checkmate": True, "category": "loss", "dtm": None}),
        ("k7/2Q5/K7/8/8/8/8/8 b - - 0 1", {"stalemate": True, "category": "draw", "dtm": 0}),
        ("8/8/8/8/8/k7/8/K7 w - - 0 1", {"insufficient_material": True, "category": "draw"}),
        ("8/8/8/8/8/k7/8/K6N w - - 0 1", {"insufficient_material": True, "dtm": 0}),
        # Bishops on squares of one colour cannot mate, whether or not there is a table.
        ("8/8/8/b7/8/7k/8/K3B3 w - - 0 1", {"insufficient_material": True, "dtm": 0}),
        ("8/8/8/8/8/k7/8/K5NN w - - 0 1", {"insufficient_material": False, "category": "draw"}),
        (f"{chess.STARTING_BOARD_FEN} w - - 0 1", {"category": "unknown", "dtm": None}),
    ],
)
def test_special_positions(tables, fen, expected):
    answer = facts(tables, fen)
    assert answer | expected == answer


def test_no_moves_when_the_game_is_over(tables):
    assert standard(tables, "k6R/8/K7/8/8/8/8/8 b - - 0 1")["moves"] == []


def test_a_move_that_mates_comes_first(tables):
    first = standard(tables, "k7/8/K7/8/8/8/8/7R w - - 0 1")["moves"][0]
    assert (first["san"], first["checkmate"], first["dtm"]) == ("Rh8#", True, None)
    assert first["category"] == "loss"


def test_without_a_table_moves_into_others_are_still_known(tables):
    answer = standard(tables, "8/8/8/8/8/2k5/1R6/K3q3 w - - 0 1")
    assert answer["category"] == "unknown"
    assert {move["category"] for move in answer["moves"]} == {"unknown"}
    answer = standard(tables, "4R3/8/8/8/8/7k/8/K3q3 w - - 0 1")  # the rook may take
    known = {move["uci"]: move["category"] for move in answer["moves"]}
    assert known["e8e1"] == "loss"
    assert answer["moves"][0]["uci"] == "e8e1"


def test_captures_promotions_and_pawns_moves(tables):
    moves = {
        move["uci"]: (move["zeroing"], move["conversion"])
        for move in standard(tables, "4n3/3P3k/8/8/8/8/8/K7 w - - 0 1")["moves"]
    }
    assert moves["d7e8q"] == moves["d7d8n"] == (True, True)
    assert moves["a1a2"] == (False, False)
    moves = standard(tables, "8/7k/8/8/8/8/3P4/K7 w - - 0 1")["moves"]
    pawn = next(move for move in moves if move["uci"] == "d2d4")
    assert (pawn["zeroing"], pawn["conversion"]) == (True, False)


def test_capture_en_passant(tables):
    answer = standard(tables, "8/8/8/8/1pP5/8/8/K6k b - c3 0 1")
    capture = next(move for move in answer["moves"] if move["uci"] == "b4c3")
    assert (capture["zeroing"], capture["conversion"]) == (True, True)
    # Black's pawn is left, which KPK knows, while KPKP is not here.
    assert capture["dtm"] == tables.probe_dtm(chess.Board("8/8/8/8/8/2p5/8/K6k w - - 0 2"))
    assert answer["category"] == "unknown"


# The rule of fifty moves


@pytest.mark.parametrize(
    ("clock", "expected"), [(0, "win"), (69, "win"), (70, "maybe-win"), (200, "maybe-win")]
)
def test_category_of_a_win_depends_on_the_clock(tables, clock, expected):
    assert facts(tables, f"8/8/8/8/8/2k5/1R6/K7 w - - {clock} 1")["category"] == expected


def test_category_of_moves_counts_from_the_clock_after_them(tables):
    answer = standard(tables, "8/8/8/8/8/2k5/1R6/K7 w - - 70 1")
    assert answer["moves"][0]["category"] == "maybe-loss"
    answer = standard(tables, "8/8/8/8/8/2k5/1R6/K7 w - - 69 1")
    assert {m["category"] for m in answer["moves"] if m["dtm"] == -30} == {"loss"}
    assert {m["category"] for m in answer["moves"] if m["dtm"] == -32} == {"maybe-loss"}


def test_mate_on_the_hundredth_ply_counts():
    assert category(None, 100, checkmate=True) == "loss"
    assert category(1, 99) == "win"
    assert category(1, 100) == "maybe-win"
    assert category(-2, 99) == "maybe-loss"


# Order


@pytest.mark.parametrize("name", ["KRK", "KPK", "KRNK", "KNNK"])
def test_order_is_that_of_the_tables(tables, name):
    """Best first as `Tablebase.rank_moves` has it, up to moves of equal value."""
    for board in random_boards(Material.from_name(name), 25, seed=6):
        ranked = [one.dtm for one in tables.rank_moves(board)]
        answer = describe_standard(tables, board)
        before = []
        for move in answer["moves"]:
            after = move["dtm"]
            if move["checkmate"]:
                before.append(1)
            else:
                before.append(0 if after == 0 else (1 if after < 0 else -1) * (abs(after) + 1))
        assert before == ranked
        places = [CATEGORIES.index(move["category"]) for move in answer["moves"]]
        assert places == sorted(places)
        if ranked:
            assert (answer["dtm"] or 0) == ranked[0]


# The line


def test_mainline(tables):
    board = read_position("8/8/8/1k6/8/8/K5P1/8 w - - 0 1")
    answer = describe_mainline(tables, board)
    assert (answer["dtm"], answer["winner"]) == (55, "w")
    assert len(answer["mainline"]) == 55
    for number, step in enumerate(answer["mainline"], 1):
        assert board.parse_san(step["san"]) == chess.Move.from_uci(step["uci"])
        board.push_uci(step["uci"])
        assert step["dtm"] == (tables.probe_dtm(board) or None), number
    assert board.is_checkmate()


def test_mainline_of_a_lost_position_names_the_winner(tables):
    answer = describe_mainline(tables, read_position("8/8/8/8/8/2K5/1r6/k7 w - - 0 1"))
    assert (answer["winner"], answer["dtm"] < 0, len(answer["mainline"]) % 2) == ("b", True, 0)


@pytest.mark.parametrize(
    ("fen", "winner"),
    [("8/8/8/8/8/k7/8/K7 w - - 0 1", None), ("k6R/8/K7/8/8/8/8/8 b - - 0 1", "w")],
)
def test_mainline_of_a_game_without_play(tables, fen, winner):
    answer = describe_mainline(tables, read_position(fen))
    assert (answer["mainline"], answer["winner"]) == ([], winner)


def test_mainline_needs_a_table(tables):
    with pytest.raises(MissingTableError, match="KRvKQ"):
        describe_mainline(tables, read_position("8/8/8/8/8/2k5/1R6/K3q3 w - - 0 1"))


# FENs


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("", "empty"),
        ("nonsense", "not a valid FEN"),
        ("8/8/8/8/8/2k5/1R6/K7 w - z9 0 1", "en passant"),
        ("8/8/8/8/8/2k5/1R6/K7 w - - -1 1", "half-move"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings"),
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "Black has 0 kings"),
        ("8/8/8/8/8/8/8/KK5k w - - 0 1", "White has 2 kings"),
        ("8/8/8/8/8/8/8/Kk6 w - - 0 1", "could take the king"),
        ("k6P/8/8/8/8/8/8/K7 w - - 0 1", "first or last rank"),
        ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "castling"),
        ("8/8/2K~5/3k~4/8/2B5/8/8 w - - 0 1", "could take the king"),
    ],
)
def test_what_is_no_position_is_told_in_one_line(fen, reason):
    with pytest.raises(UnsupportedPositionError, match=reason) as caught:
        read_position(fen)
    assert "\n" not in str(caught.value)


def test_rights_that_cannot_be_are_dropped():
    assert read_position("8/8/8/8/8/2k5/1R6/K7 w KQ - 0 1").castling_rights == 0
    assert read_position("8/8/8/8/8/2k5/1R6/K7 w - e6 0 1").ep_square is None


def test_men_are_counted_before_castling_rights(tables):
    answer = standard(tables, chess.STARTING_FEN)
    assert answer["category"] == "unknown"
    assert len(answer["moves"]) == 20


def test_promoted_men_are_men(tables):
    answer = standard(tables, "8/8/8/8/8/2k~5/1R~6/K~7 w - - 0 1")
    assert answer == standard(tables, "8/8/8/8/8/2k5/1R6/K7 w - - 0 1")


def test_names_of_men():
    assert men_in_words(chess.Board()) == "KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP"
