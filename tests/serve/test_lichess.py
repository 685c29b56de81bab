"""The JSON of lichess's tablebase server: what each field says, and the order of moves."""

import os
from pathlib import Path

import chess
import pytest
from support.kept import KEPT_FENS, Kept
from support.oracle import random_boards
from support.refused import REFUSED

import tablebase
from tablebase.core.building.generator import generate
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes.metrics import DTZ
from tablebase.core.rules.material import Material
from tablebase.serve.lichess import (
    CATEGORIES,
    category,
    describe_mainline,
    describe_position,
    describe_standard,
    men_in_words,
    read_legal,
)

DATA = Path(__file__).parents[2] / "data"
FIVE = os.environ.get("CHESS_TABLES")
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


# White mates in 55 plies, and has to move the pawn or to mate within 19.
PAWN = "8/8/8/1k6/8/8/K5P1/8 w - -"
# The fastest mate, in 27 plies, begins with a move of the king.
IN_SPITE = "8/8/8/8/5K2/3k4/5P2/8 w - -"


@pytest.fixture(scope="module")
def mate_tables(mate_dir):
    with tablebase.open_tablebase(mate_dir) as tables:
        yield tables


@pytest.fixture(scope="module")
def both_tables(both_dir):
    with tablebase.open_tablebase(both_dir) as tables:
        yield tables


@pytest.fixture(scope="module")
def zeroing_tables(zeroing_only_dir):
    with tablebase.open_tablebase(zeroing_only_dir) as tables:
        yield tables


def facts(tables, fen):
    return describe_position(tables, read_legal(fen))


def standard(tables, fen):
    return describe_standard(tables, read_legal(fen))


# Fields


def test_fields_are_those_of_lichess(tables):
    """Where no helpmates tell who can still win."""
    answer = standard(tables, "8/8/8/8/8/2k5/1R6/K6N w - - 0 1")
    assert set(answer) == FACTS | {"moves"}
    for move in answer["moves"]:
        assert set(move) == FACTS | {"uci", "san", "zeroing", "conversion"}
        assert all(isinstance(move[name], bool) for name in (*BOOLEANS, "zeroing", "conversion"))
        assert all(move[name] is None for name in ("dtw", "dtc"))


def test_without_distances_to_zeroing_there_are_none(mate_tables):
    answer = standard(mate_tables, "8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    for facts_ in (answer, *answer["moves"]):
        assert facts_["dtz"] is facts_["precise_dtz"] is None


def test_distances_to_zeroing_are_exact(both_tables):
    answer = standard(both_tables, f"{PAWN} 0 1")
    assert (answer["dtz"], answer["precise_dtz"], answer["dtm"]) == (19, 19, 55)
    moves = {move["san"]: move for move in answer["moves"]}
    for move in moves.values():
        assert move["dtz"] == move["precise_dtz"]
    assert (moves["Kb3"]["dtz"], moves["Kb3"]["dtm"]) == (-18, -54)
    assert moves["g4"]["dtz"] == 0


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
        ("k6R/8/K7/8/8/8/8/8 b - - 0 1", {"dtz": -1, "precise_dtz": -1}),
        ("k7/2Q5/K7/8/8/8/8/8 b - - 0 1", {"stalemate": True, "category": "draw", "dtm": 0}),
        ("8/8/8/8/8/k7/8/K7 w - - 0 1", {"insufficient_material": True, "category": "draw"}),
        ("8/8/8/8/8/k7/8/K7 w - - 0 1", {"dtz": 0, "precise_dtz": 0, "dtm": 0}),
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
    assert answer["category"] == "win"


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
    ("dtz", "clock", "expected"),
    [
        (100, 0, "win"),
        (101, 0, "cursed-win"),
        (31, 69, "win"),
        (31, 70, "cursed-win"),
        (1, 99, "win"),
        (1, 100, "cursed-win"),
        (1, 200, "cursed-win"),
        (0, 0, "draw"),
        (0, 100, "draw"),
        (-1, 99, "loss"),
        (-1, 100, "blessed-loss"),
        (-2, 99, "blessed-loss"),
        (-100, 0, "loss"),
        (-101, 0, "blessed-loss"),
        (None, 0, "unknown"),
    ],
)
def test_category_by_distance_to_zeroing(dtz, clock, expected):
    assert category(dtz, clock=clock) == expected
    # The distance to mate does not count, and is as long at least.
    assert category(dtz, dtz and 3 * dtz, clock=clock) == expected


@pytest.mark.parametrize(
    ("dtm", "clock", "expected"),
    [
        (31, 69, "win"),
        (31, 70, "maybe-win"),
        (31, 99, "maybe-win"),
        (31, 100, "cursed-win"),
        (101, 0, "maybe-win"),
        (1, 99, "win"),
        (0, 99, "draw"),
        (-30, 70, "loss"),
        (-30, 71, "maybe-loss"),
        (-30, 100, "blessed-loss"),
    ],
)
def test_category_by_distance_to_mate(dtm, clock, expected):
    assert category(None, dtm, clock=clock) == expected


@pytest.mark.parametrize(
    ("dtz", "before", "expected"),
    [
        (-5, 99, "loss"),
        (-5, 100, "blessed-loss"),
        (5, 99, "win"),
        (5, 100, "cursed-win"),
        (0, 100, "draw"),
        (None, 100, "unknown"),
    ],
)
def test_a_capture_that_comes_too_late_wins_nothing(dtz, before, expected):
    assert category(dtz, clock=0, clock_before=before) == expected
    assert category(None, dtz, clock=0, clock_before=before) == expected


def test_mate_on_the_hundredth_ply_counts():
    assert category(-1, clock=100, clock_before=99, checkmate=True) == "loss"
    assert category(-1, clock=100, checkmate=True) == "loss"
    assert category(-1, clock=101, checkmate=True) == "blessed-loss"
    assert category(-1, clock=0, clock_before=100, checkmate=True) == "blessed-loss"
    assert category(None, checkmate=True) == "loss"


@pytest.mark.parametrize(("clock", "expected"), [(0, "win"), (81, "win"), (82, "cursed-win")])
def test_category_of_a_win_depends_on_the_clock(both_tables, clock, expected):
    answer = standard(both_tables, f"{PAWN} {clock} 1")
    assert answer["category"] == expected
    assert answer["moves"][0]["san"] == "Kb3"
    opposite = {"win": "loss", "cursed-win": "blessed-loss"}[expected]
    assert answer["moves"][0]["category"] == opposite


@pytest.mark.parametrize(
    ("clock", "expected"), [(45, "win"), (46, "maybe-win"), (98, "maybe-win"), (100, "cursed-win")]
)
def test_distances_to_mate_alone_may_leave_it_open(mate_tables, clock, expected):
    answer = standard(mate_tables, f"{PAWN} {clock} 1")
    assert (answer["category"], answer["dtz"]) == (expected, None)


def test_category_of_moves_counts_from_the_clock_after_them(mate_tables):
    answer = standard(mate_tables, "8/8/8/8/8/2k5/1R6/K7 w - - 70 1")
    assert answer["moves"][0]["category"] == "maybe-loss"
    answer = standard(mate_tables, "8/8/8/8/8/2k5/1R6/K7 w - - 69 1")
    assert {m["category"] for m in answer["moves"] if m["dtm"] == -30} == {"loss"}
    assert {m["category"] for m in answer["moves"] if m["dtm"] == -32} == {"maybe-loss"}


def test_a_winning_pawn_move_settles_what_is_open(mate_tables):
    answer = standard(mate_tables, f"{IN_SPITE} 99 1")
    assert (answer["moves"][0]["san"], answer["moves"][0]["category"]) == ("f3", "loss")
    assert answer["category"] == "win"
    assert facts(mate_tables, f"{IN_SPITE} 99 1")["category"] == "maybe-win"


@pytest.mark.parametrize(("clock", "expected"), [(99, "win"), (100, "cursed-win")])
def test_the_last_pawn_move_in_time(both_tables, clock, expected):
    answer = standard(both_tables, f"{IN_SPITE} {clock} 1")
    assert (answer["category"], answer["dtz"], answer["dtm"]) == (expected, 1, 27)
    winning = {move["san"] for move in answer["moves"] if move["category"] == "loss"}
    assert winning == ({"f3"} if clock == 99 else set())
    assert answer["moves"][0]["san"] == ("f3" if clock == 99 else "Ke5")


@pytest.mark.parametrize("name", ["KRKN", "KPK"])
@pytest.mark.parametrize("clock", [0, 60, 90, 98, 99, 100, 120])
def test_the_result_is_that_of_the_best_move(both_tables, name, clock):
    """The category of a position and those of its moves are found apart."""
    opposite = {"loss": "win", "blessed-loss": "cursed-win", "draw": "draw"}
    opposite |= {theirs: ours for ours, theirs in opposite.items()}
    for board in random_boards(Material.from_name(name), 25, seed=clock):
        board.halfmove_clock = clock
        answer = describe_standard(both_tables, board)
        if not answer["moves"]:
            continue
        assert answer["category"] == opposite[answer["moves"][0]["category"]]
        if clock < 100:
            wdl50 = both_tables.rank_moves(board)[0].wdl50
            words = {2: "win", 1: "cursed-win", 0: "draw", -1: "blessed-loss", -2: "loss"}
            assert answer["category"] == words[wdl50]


@pytest.mark.slow
def test_positions_of_lichess(tmp_path):
    """Cited from the tests of lila-tablebase."""
    generate([Material.from_name("KBBKN"), Material.from_name("KNPKQ")], tmp_path, metrics=(DTZ,))
    with tablebase.open_tablebase(tmp_path) as tables:
        assert facts(tables, "4K1k1/1N1P4/8/8/8/1q6/8/8 w - - 0 1")["category"] == "blessed-loss"
        answer = standard(tables, "8/6B1/6B1/8/2K5/3nk3/8/8 b - - 0 1")
        assert answer["category"] == "loss"
        assert (answer["moves"][0]["san"], answer["moves"][0]["dtz"]) == ("Nf4", 99)


# What the moves tell where no table has the position


CASTLES = "4k3/8/8/8/8/8/8/4K2R"
FIVE = os.environ.get("CHESS_TABLES")
LILA_CASTLING = "4k3/5q2/8/8/8/8/8/R3K2R w KQ - 0 1"
MATES_IN_ONE = [
    ("8/4K2k/5Q1P/6P1/8/8/q7/8 w - - 99 148", "Qg7#"),
    ("7k/7p/1R6/6P1/P7/5n2/4r3/7K b - - 0 41", "Rh2#"),
    ("6k1/5ppp/8/8/8/8/5PPP/R3K2R w KQ - 3 30", "Ra8#"),  # castling rights stay
    ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "Qg7#"),  # a table has it
]


@pytest.mark.parametrize(("fen", "mate"), MATES_IN_ONE)
@pytest.mark.parametrize(
    ("clock", "expected", "after"),
    [(0, "win", "loss"), (99, "win", "loss"), (100, "cursed-win", "blessed-loss"),
     (101, "cursed-win", "blessed-loss")],
)  # fmt: skip
def test_a_mate_in_one_needs_no_table(both_tables, fen, mate, clock, expected, after):
    """From the tests of lila-tablebase, with positions of six and eight men."""
    board = read_legal(fen)
    board.halfmove_clock = clock
    answer = describe_standard(both_tables, board)
    assert (answer["category"], answer["dtm"], answer["dtz"]) == (expected, 1, 1)
    assert (answer["moves"][0]["san"], answer["moves"][0]["category"]) == (mate, after)
    line = describe_mainline(both_tables, board)
    assert (line["dtm"], line["dtz"], line["precise_dtz"]) == (1, 1, 1)
    played = [step["san"] for step in line["mainline"]]
    winner = "w" if board.turn else "b"
    assert (played, line["winner"]) == (([mate], winner) if clock < 100 else ([], None))


def test_other_moves_stay_unknown(tables):
    answer = standard(tables, "7k/7p/1R6/6P1/P7/5n2/4r3/7K b - - 0 41")
    assert {move["category"] for move in answer["moves"][1:]} == {"unknown"}
    answer = standard(tables, "4K1k1/1N1P4/8/8/8/1q6/5PPP/8 w - - 0 1")
    assert (answer["category"], answer["moves"][0]["category"]) == ("unknown", "unknown")
    assert answer["dtm"] is answer["dtz"] is None


def test_a_capture_that_wins_tells_the_result(both_tables):
    """KRKQ is missing, so how fast White could win otherwise is not known."""
    answer = standard(both_tables, "4R3/8/8/8/8/7k/8/K3q3 w - - 0 1")
    assert (answer["category"], answer["dtz"], answer["dtm"]) == ("win", 1, None)
    assert {move["category"] for move in answer["moves"]} == {"loss", "unknown"}


def moves_tell(tables, fen):
    """Return distances and result from those after all moves, by the definition of distances."""
    board = chess.Board(fen)
    found = []
    for move in board.legal_moves:
        zeroing = board.is_zeroing(move)
        board.push(move)
        dtm, dtz = tables.probe_dtm(board), tables.probe_dtz(board)
        assert abs(dtz) <= 100
        board.pop()
        sign = (dtm < 0) - (dtm > 0)
        found.append((sign, -sign * (abs(dtm) + 1), -sign * (1 if zeroing else abs(dtz) + 1)))
    result = max(sign for sign, _, _ in found)
    dtm = max(plies for sign, plies, _ in found if sign == result)
    dtz = max(plies for sign, _, plies in found if sign == result)
    return ["draw", "win", "loss"][result], abs(dtm) * result, abs(dtz) * result


@pytest.mark.parametrize(
    "fen",
    [
        "r3k3/8/8/8/8/8/8/4K3 b q - 0 1",
        "4k3/8/8/8/8/5n2/8/4K2R w K - 0 1",  # in check
        "8/8/8/8/8/5k2/8/4K2R w K - 0 1",
    ],
)
def test_castling_where_every_move_ends_the_rights(both_tables, fen):
    answer = standard(both_tables, fen)
    told = answer["category"], answer["dtm"], answer["dtz"]
    assert told == moves_tell(both_tables, fen)
    assert answer["precise_dtz"] == answer["dtz"]


def test_castling_itself_has_a_value(both_tables):
    moves = {move["san"]: move for move in standard(both_tables, f"{CASTLES} w K - 0 1")["moves"]}
    after = chess.Board(f"{CASTLES.replace('4K2R', '5RK1')} b - - 1 1")
    assert moves["O-O"]["dtm"] == both_tables.probe_dtm(after)
    assert moves["O-O"]["uci"] == "e1g1"
    assert not moves["O-O"]["zeroing"]


def test_rights_that_stay_have_values(both_tables, zeroing_dir):
    with tablebase.open_tablebase(zeroing_dir) as tables:
        answer = standard(tables, "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert "unknown" not in {move["category"] for move in answer["moves"]}
    assert (answer["category"], answer["dtm"], answer["dtz"]) == ("win", 3, 3)
    line = describe_mainline(both_tables, read_legal(f"{CASTLES} b K - 0 1"))
    assert (len(line["mainline"]), line["dtm"], line["winner"]) == (28, -28, "w")


def test_castling_without_the_tables_is_unknown(tmp_path):
    """From the tests of lila-tablebase, where one of the moves is a draw."""
    generate([Material.from_name("KRRK")], tmp_path)
    with tablebase.open_tablebase(tmp_path) as tables:
        answer = standard(tables, LILA_CASTLING)
    assert (answer["category"], answer["dtm"], answer["dtz"]) == ("unknown", None, None)


@pytest.mark.skipif(not FIVE, reason="CHESS_TABLES names no folder of five-man tables")
def test_castling_of_five_men():
    with tablebase.open_tablebase(FIVE) as tables:
        answer = standard(tables, LILA_CASTLING)
    assert (answer["category"], answer["dtm"], answer["dtz"]) == ("win", 27, 5)
    assert "draw" in {move["category"] for move in answer["moves"]}


def test_no_line_without_a_table(both_tables):
    with pytest.raises(MissingTableError, match="no table of KQRRBBNNPPPPPPPPv"):
        describe_mainline(both_tables, chess.Board())


# Cited from the tests of lila-tablebase: the position, its result, the first moves and their
# results, and those of other moves by place.
OF_LICHESS = [
    ("4k3/5q2/8/8/8/8/8/R3K2R w KQ - 0 1", "unknown", {0: (None, "unknown"), 19: (None, "draw")}),
    (
        "4k2q/5q2/8/8/8/8/8/R3K2R w K - 0 1",
        "win",
        {0: ("Rxh8+", "loss"), 1: (None, "unknown")},
    ),
    ("K7/2k5/3n4/8/2b5/8/8/8 w - - 97 128", "blessed-loss", {0: ("Ka7", "cursed-win")}),
    ("2n5/K1k5/8/8/2b5/8/8/8 w - - 99 129", "blessed-loss", {0: ("Ka8", "cursed-win")}),
    (
        "4K1k1/1N1P4/8/8/8/1q6/8/8 w - - 0 1",
        "blessed-loss",
        {0: ("d8=N", "cursed-win"), 1: ("Na5", "win")},
    ),
    ("8/6B1/6B1/8/2K5/3nk3/8/8 b - - 0 1", "loss", {0: ("Nf4", "win")}),
    ("8/6B1/6B1/8/2K2n2/4k3/8/8 w - - 1 2", "win", {0: (None, "loss")}),
]
DISTANCES_OF_LICHESS = {
    "K7/2k5/3n4/8/2b5/8/8/8 w - - 97 128": (2, 3),
    "2n5/K1k5/8/8/2b5/8/8/8 w - - 99 129": (1,),
    "8/6B1/6B1/8/2K5/3nk3/8/8 b - - 0 1": (99,),
    "8/6B1/6B1/8/2K2n2/4k3/8/8 w - - 1 2": (-98,),
}


@pytest.mark.slow
@pytest.mark.skipif(not FIVE, reason="CHESS_TABLES names no folder of tables of five men")
@pytest.mark.parametrize(("fen", "expected", "places"), OF_LICHESS)
def test_positions_of_lichess_by_tables_of_five_men(fen, expected, places):
    with tablebase.open_tablebase(FIVE) as tables:
        answer = standard(tables, fen)
    assert answer["category"] == expected
    for place, (san, category_) in places.items():
        move = answer["moves"][place]
        assert move["category"] == category_
        assert san in {None, move["san"]}
    if fen in DISTANCES_OF_LICHESS:
        assert answer["moves"][0]["dtz"] in DISTANCES_OF_LICHESS[fen]


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


@pytest.mark.parametrize("name", ["KRKN", "KPK"])
@pytest.mark.parametrize("clock", [0, 70, 90, 98])
def test_the_first_move_is_that_of_the_tables(both_tables, name, clock):
    for board in random_boards(Material.from_name(name), 25, seed=clock):
        board.halfmove_clock = clock
        first, best = (
            describe_standard(both_tables, board)["moves"][:1],
            both_tables.rank_moves(board),
        )
        if first and not first[0]["checkmate"]:
            assert -(first[0]["dtm"] or 0) == signed_after(best[0])


def signed_after(ranked):
    """Return the distance to mate after a move, seen from who made it."""
    return ranked.dtm - (ranked.dtm > 0) + (ranked.dtm < 0)


def test_with_distances_to_zeroing_alone_they_decide(zeroing_tables):
    answer = standard(zeroing_tables, f"{PAWN} 0 1")
    assert (answer["category"], answer["dtz"], answer["dtm"]) == ("win", 19, None)
    assert answer["moves"][0]["san"] == "Kb3"
    answer = standard(zeroing_tables, "8/8/8/8/8/2K5/1r6/k7 w - - 0 1")
    distances = [move["dtz"] for move in answer["moves"] if move["category"] == "win"]
    assert len(distances) > 1
    assert distances == sorted(distances, reverse=True)


# The line


def test_mainline(tables):
    board = read_legal("8/8/8/1k6/8/8/K5P1/8 w - - 0 1")
    answer = describe_mainline(tables, board)
    assert (answer["dtm"], answer["winner"]) == (55, "w")
    assert len(answer["mainline"]) == 55
    for number, step in enumerate(answer["mainline"], 1):
        assert board.parse_san(step["san"]) == chess.Move.from_uci(step["uci"])
        board.push_uci(step["uci"])
        assert step["dtm"] == (tables.probe_dtm(board) or None), number
    assert board.is_checkmate()


def test_mainline_of_a_lost_position_names_the_winner(tables):
    answer = describe_mainline(tables, read_legal("8/8/8/8/8/2K5/1r6/k7 w - - 0 1"))
    assert (answer["winner"], answer["dtm"] < 0, len(answer["mainline"]) % 2) == ("b", True, 0)


@pytest.mark.parametrize(
    ("fen", "winner"),
    [("8/8/8/8/8/k7/8/K7 w - - 0 1", None), ("k6R/8/K7/8/8/8/8/8 b - - 0 1", "w")],
)
def test_mainline_of_a_game_without_play(tables, fen, winner):
    answer = describe_mainline(tables, read_legal(fen))
    assert (answer["mainline"], answer["winner"]) == ([], winner)


@pytest.mark.parametrize(
    ("fen", "moves", "winner"),
    [
        (f"{PAWN} 0 1", 55, "w"),
        (f"{PAWN} 81 1", 59, "w"),
        (f"{PAWN} 90 1", 10, None),
        (f"{PAWN} 100 1", 0, None),
        (f"{IN_SPITE} 0 1", 27, "w"),
        (f"{IN_SPITE} 99 1", 33, "w"),
    ],
)
def test_mainline_under_the_fifty_move_rule(both_tables, fen, moves, winner):
    board = read_legal(fen)
    answer = describe_mainline(both_tables, board)
    assert (len(answer["mainline"]), answer["winner"]) == (moves, winner)
    assert (answer["dtz"], answer["dtm"]) == (
        both_tables.probe_dtz(board),
        both_tables.probe_dtm(board),
    )
    for step in answer["mainline"]:
        board.push_uci(step["uci"])
        assert step["dtm"] == (both_tables.probe_dtm(board) or None)
        assert step["dtz"] == step["precise_dtz"] == both_tables.probe_dtz(board)
    assert board.is_checkmate() == (winner is not None)
    assert winner or board.halfmove_clock == 100


def test_mainline_without_distances_to_zeroing_disregards_the_rule(mate_tables):
    answer = describe_mainline(mate_tables, read_legal(f"{PAWN} 90 1"))
    assert (len(answer["mainline"]), answer["winner"], answer["dtz"]) == (55, "w", None)


def test_mainline_needs_distances_to_mate(zeroing_tables):
    with pytest.raises(MissingTableError, match="no DTM of KPK"):
        describe_mainline(zeroing_tables, read_legal(f"{PAWN} 0 1"))


def test_mainline_needs_a_table(tables):
    with pytest.raises(MissingTableError, match="KRvKQ"):
        describe_mainline(tables, read_legal("8/8/8/8/8/2k5/1R6/K3q3 w - - 0 1"))


# FENs


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("", "empty"),
        ("nonsense", "not a valid FEN"),
        ("8/8/8/8/8/2k5/1R6/K7 w - z9 0 1", "en passant"),
        ("8/8/8/8/8/2k5/1R6/K7 w - - -1 1", "halfmove clock"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings"),
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "Black has 0 kings"),
        ("8/8/8/8/8/8/8/KK5k w - - 0 1", "White has 2 kings"),
        ("8/8/8/8/8/8/8/Kk6 w - - 0 1", "the kings stand next to each other"),
        ("k6P/8/8/8/8/8/8/K7 w - - 0 1", "first or last rank"),
        ("8/8/2K~5/3k~4/8/2B5/8/8 w - - 0 1", "the kings stand next to each other"),
    ],
)
def test_what_is_no_position_is_told_in_one_line(fen, reason):
    with pytest.raises(UnsupportedPositionError, match=reason) as caught:
        read_legal(fen)
    assert "\n" not in str(caught.value)


def test_rights_that_cannot_be_are_dropped():
    assert read_legal("8/8/8/8/8/2k5/1R6/K7 w KQ - 0 1").castling_rights == 0
    assert read_legal("8/8/8/8/8/2k5/1R6/K7 w - e6 0 1").ep_square is None


def test_positions_of_all_men(tables):
    answer = standard(tables, chess.STARTING_FEN)
    assert answer["category"] == "unknown"
    assert len(answer["moves"]) == 20


def test_promoted_men_are_men(tables):
    answer = standard(tables, "8/8/8/8/8/2k~5/1R~6/K~7 w - - 0 1")
    assert answer == standard(tables, "8/8/8/8/8/2k5/1R6/K7 w - - 0 1")


def test_names_of_men():
    assert men_in_words(chess.Board()) == "KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP"


@pytest.mark.parametrize("fen", KEPT_FENS)
def test_the_callers_board_is_never_changed(fen, tables_dir):
    board = Kept(fen)
    board.belongs_to_others = True
    with tablebase.open_tablebase(tables_dir) as tables:
        assert describe_standard(tables, board)["dtm"] == tables.probe_dtm(board)


@pytest.mark.parametrize(("fen", "meant"), REFUSED)
def test_a_refusal_ends_in_a_fen_to_paste(fen, meant):
    with pytest.raises(UnsupportedPositionError) as raised:
        read_legal(fen)
    assert str(raised.value).endswith(meant)
