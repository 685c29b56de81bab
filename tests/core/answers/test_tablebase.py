"""Probing: known distances, tables made by others, and python-chess's rules as judges."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import chess
import chess.gaviota
import chess.syzygy
import chess.variant
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.kept import KEPT_FENS, Kept
from support.oracle import (
    GAVIOTA,
    NO_SYZYGY,
    SYZYGY,
    known_positions,
    minimax_outcome,
    random_boards,
)

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.answers.ranking import rank_move, rank_moves
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.positions.chess_board import board_of
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.rules.material import Material, all_materials

THREE_MEN = [material.name for material in all_materials(3)]
FOUR_MEN = [material.name for material in all_materials(4)]
UNSUPPORTED = {
    "castling of six men": "4k3/8/8/8/8/8/PP6/R3K2R w K - 0 1",
    "seven men": "4k3/8/8/8/8/8/PPPPP3/4K3 w - - 0 1",
    "all men": chess.STARTING_FEN,
    "two kings": "4k3/8/8/8/8/8/8/K3K3 w - - 0 1",
    "no king": "8/8/8/8/8/8/8/4K2R w - - 0 1",
    "pawn on the first rank": "4k3/8/8/8/8/8/8/4K2P w - - 0 1",
    "king can be taken": "4k2R/8/8/8/8/8/8/4K3 w - - 0 1",
    "kings touch": "8/8/8/8/8/8/8/3kK2R w - - 0 1",
    "promoted kings": "8/8/2K~5/3k~4/8/2B5/8/8 w - - 0 1",
    "no men": "8/8/8/8/8/8/8/8 w - - 0 1",
}


@pytest.fixture(scope="module")
def tablebase(tables_dir):
    with open_tablebase(tables_dir) as opened:
        yield opened


@pytest.mark.parametrize("fen", KEPT_FENS)
def test_the_callers_board_is_never_changed(tablebase, fen):
    board = Kept(fen)
    board.belongs_to_others = True
    plies = tablebase.probe_dtm(board)
    assert tablebase.rank_moves(board, rule50=False)[0].dtm == plies
    assert tablebase.best_move(board, rule50=False)
    assert len(tablebase.mainline(board, rule50=False)) == abs(plies)
    move = next(iter(board.legal_moves))
    assert rank_move(ChessPosition(board), move, tablebase.probe_outcome).move == move


def test_threads_may_share_a_board(tablebase):
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    ranked = tablebase.rank_moves(board, rule50=False)
    both = Barrier(2, timeout=600)

    def outcome_of(after):  # in the middle of each move the other thread has made its own, too
        both.wait()
        outcome = tablebase.probe_outcome(after)
        both.wait()
        return outcome

    def rank():
        try:
            return rank_moves(ChessPosition(board), outcome_of)
        except BaseException:
            both.abort()
            raise

    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(rank) for _ in range(2)]
        assert [one.result() for one in found] == [ranked, ranked]


def test_known_distances(tablebase):
    rows = known_positions()
    assert len(rows) == 4490
    boards = [chess.Board(row["fen"]) for row in rows]
    plies = [int(row["dtm_plies"]) for row in rows]
    results = [
        -1 if row["mated"] == "1" else (n > 0) - (n < 0) for row, n in zip(rows, plies, strict=True)
    ]
    assert [tablebase.probe_dtm(board) for board in boards] == plies
    assert [tablebase.probe_wdl(board) for board in boards] == results
    for positions in (boards, [row["fen"] for row in rows]):
        many, valid = tablebase.probe_dtm_many(positions)
        assert many.dtype == np.int16
        assert many.tolist() == plies
        assert valid.all()
    assert tablebase.probe_wdl_many(boards)[0].tolist() == results


@pytest.mark.parametrize("name", FOUR_MEN)
def test_values_of_four_men_follow_from_those_one_move_ahead(tablebase, name):
    for board in random_boards(Material.from_name(name), 50, seed=11):
        best = minimax_outcome(DTM, board, tablebase.probe_outcome)
        assert tablebase.probe_outcome(board) == best, board.fen()


@pytest.mark.parametrize("name", THREE_MEN)
def test_gaviota_agrees(tablebase, name):
    with chess.gaviota.open_tablebase(str(GAVIOTA), LibraryLoader=None) as gaviota:
        for board in random_boards(Material.from_name(name), 120, seed=13):
            for position in (board, board.mirror()):
                assert tablebase.probe_dtm(position) == gaviota.probe_dtm(position)
                assert tablebase.probe_wdl(position) == gaviota.probe_wdl(position)


@pytest.mark.skipif(not SYZYGY, reason=NO_SYZYGY)
@pytest.mark.parametrize("name", THREE_MEN + FOUR_MEN)
def test_syzygy_agrees(tablebase, name):
    with chess.syzygy.open_tablebase(SYZYGY) as syzygy:
        for board in random_boards(Material.from_name(name), 50, seed=14):
            wdl = syzygy.probe_wdl(board)
            assert tablebase.probe_wdl(board) == (wdl > 0) - (wdl < 0)


@pytest.mark.parametrize("fen", UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_positions_without_a_value(tablebase, fen):
    board = chess.Board(fen)
    for probe in (
        tablebase.probe_dtm,
        tablebase.probe_wdl,
        tablebase.probe_dtz,
        tablebase.probe_wdl50,
        tablebase.rank_moves,
        tablebase.best_move,
        tablebase.mainline,
        tablebase.canonical_position,
    ):
        with pytest.raises(UnsupportedPositionError):
            probe(board)
    assert tablebase.get_dtm(board) is None
    assert tablebase.get_dtm(board, 5) == 5
    assert tablebase.get_wdl(board, "none") == "none"
    assert tablebase.get_dtz(board) is None
    assert tablebase.get_wdl50(board, 7) == 7
    plies, valid = tablebase.probe_dtm_many([board, chess.Board("8/8/8/8/8/2k5/8/K7 w - - 0 1")])
    assert plies.tolist() == [0, 0]
    assert valid.tolist() == [False, True]


# The ends of games, which no table is needed for: the outcome is that of mate or of a draw.
MATE, DRAWN = (-1, 0, -1, -2), (0, 0, 0, 0)
ENDS = [
    ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", MATE),
    ("R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 120 90", MATE),
    ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", MATE),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", DRAWN),
    ("5bnr/4p1pq/4Qpkr/7p/7P/4P3/PPPP1PP1/RNB1KBNR b KQ - 2 10", DRAWN),  # stalemate in ten moves
    ("8/8/8/8/8/k7/8/K7 w - - 0 1", DRAWN),
]
NO_ENDS = [
    "8/8/8/8/8/2k5/1R6/K7 w - - 0 1",
    "7k/6Q1/6K1/8/8/8/8/8 w - - 0 1",  # the side to move could take the king
    "R5k1/5pp1/7p/8/8/8/5PPP/6K1 b - - 0 1",  # check
    "r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1",
    "8/8/8/8/4pP2/7k/5q2/7K b - f3 0 1",
]


def test_the_end_of_a_game_needs_no_table(tmp_path):
    with open_tablebase(tmp_path) as tables:
        for given in ([chess.Board(fen) for fen, _ in ENDS], [fen for fen, _ in ENDS]):
            many = [
                probe(given) for probe in (tables.probe_wdl_many, tables.probe_dtm_many,
                                           tables.probe_dtz_many, tables.probe_wdl50_many)
            ]  # fmt: skip
            assert all(valid.all() for _, valid in many)
            assert list(zip(*(values.tolist() for values, _ in many), strict=True)) == [
                values for _, values in ENDS
            ]
        for fen, values in ENDS:
            board = chess.Board(fen)
            assert values == (
                tables.probe_wdl(board),
                tables.probe_dtm(board),
                tables.probe_dtz(board),
                tables.probe_wdl50(board),
            )
            assert tables.mainline(board) == []
            if not any(board.legal_moves):
                assert tables.rank_moves(board) == []
                assert tables.best_move(board) is None


def test_other_positions_need_tables(tmp_path):
    with open_tablebase(tmp_path) as tables:
        for fen in NO_ENDS:
            board = chess.Board(fen)
            assert tables.get_wdl(board) is tables.get_dtz(board) is None
            assert not tables.probe_dtm_many([board], skip_missing=True)[1].any()


def test_a_missing_table_hides_no_end_in_a_batch(tmp_path):
    """Of all placements of a queen beside two kings, those without a move have values."""
    material = Material.from_name("KQK")
    squares = np.stack(np.meshgrid(*[np.arange(64)] * 3), axis=-1).reshape(-1, 3)
    squares = squares[np.isin(squares[:, 1], [7, 23, 56, 63, 28])]  # few of the king
    expected = []
    for row in squares.tolist():
        board = board_of(material, row, chess.BLACK)
        legal = len(set(row)) == 3 and board.is_valid()
        over = legal and not any(board.legal_moves)
        expected.append((-1 if board.is_check() else 0) if over else None)
    ends = np.array([one is not None for one in expected])
    assert ends.sum() > 100
    with open_tablebase(tmp_path) as tables:
        asked = squares, material, False
        results, valid = tables.probe_wdl_many(*asked, skip_missing=True)
        assert (valid == ends).all()
        assert results[valid].tolist() == [one for one in expected if one is not None]
        assert tables.probe_wdl_many(squares[ends], material, turn=False)[1].all()
        with pytest.raises(MissingTableError, match="KQK"):
            tables.probe_wdl_many(*asked)
        assert tables.probe_wdl_many(squares[ends], material, turn=False)[1].all()


def test_a_table_without_a_metric_hides_no_end(folders_by_metric):
    mate = chess.Board("R6k/8/6K1/8/8/8/8/8 b - - 0 1")
    for metric in ("dtm", "dtz"):
        with open_tablebase(folders_by_metric[metric]) as tables:
            assert (tables.probe_dtz(mate), tables.probe_dtm(mate)) == (-1, 0)
            assert tables.probe_dtz_many([mate])[0] == [-1]
            assert tables.probe_dtm_many([mate])[1].all()


def test_large_batches_are_cut_into_blocks(tablebase):
    rng = np.random.default_rng(17)
    squares = rng.integers(0, 64, (600_000, 4), dtype=np.uint8)
    whole = tablebase.probe_dtm_many(squares, "KRKN", turn=True)
    parts = [
        tablebase.probe_dtm_many(part, "KRKN", turn=True) for part in np.array_split(squares, 7)
    ]
    assert (whole[0] == np.concatenate([plies for plies, _ in parts])).all()
    assert (whole[1] == np.concatenate([valid for _, valid in parts])).all()


def test_empty_batches(tablebase):
    for plies, valid in (
        tablebase.probe_dtm_many([]),
        tablebase.probe_dtm_many(np.zeros((0, 3), np.uint8), "KRK", turn=True),
    ):
        assert plies.shape == valid.shape == (0,)


def test_batches_name_all_missing_tables(tablebase):
    fens = ("8/8/8/8/8/2k5/8/KR1RR3 w - - 0 1", "8/8/8/8/8/2k5/5p2/KR1R4 w - - 0 1")
    boards = [chess.Board(fen) for fen in fens]
    known = chess.Board("8/8/8/8/8/2k5/8/K2R4 w - - 0 1")
    with pytest.raises(MissingTableError, match="KRRRK KRRKP"):
        tablebase.probe_dtm_many([*boards, known])
    plies, valid = tablebase.probe_dtm_many([*boards, known], skip_missing=True)
    assert valid.tolist() == [False, False, True]
    assert plies[2] == tablebase.probe_dtm(known)
    with pytest.raises(MissingTableError, match="KRRKP"):
        tablebase.probe_dtm(boards[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((1, 3), np.uint8), "KRK"), "side to move"),
        ((np.zeros((1, 3), np.uint8), "KXK", True), "KXK"),
    ],
)
def test_batches_that_make_no_sense(tablebase, arguments, message):
    with pytest.raises(ValueError, match=message):
        tablebase.probe_dtm_many(*arguments)


@given(
    men=st.lists(st.tuples(st.integers(0, 63), st.sampled_from("KQRBNPkqrbnp")), max_size=6),
    turn=st.booleans(),
    ep_square=st.none() | st.integers(0, 63),
    castling=st.sampled_from([0, 0, 0, chess.BB_H1, chess.BB_A8]),
)
def test_whatever_stands_on_the_board(tablebase, men, turn, ep_square, castling):
    board = chess.Board(None)
    for square, symbol in men:
        board.set_piece_at(square, chess.Piece.from_symbol(symbol))
    board.turn, board.ep_square, board.castling_rights = turn, ep_square, castling
    try:
        plies = tablebase.probe_dtm(board)
    except UnsupportedPositionError:
        is_covered = not castling or board.occupied.bit_count() < 6
        assert board.status() != chess.STATUS_VALID or not is_covered
    except MissingTableError:
        assert board.occupied.bit_count() in {5, 6}
    else:
        assert not board.status() & ~(
            chess.STATUS_INVALID_EP_SQUARE
            | chess.STATUS_TOO_MANY_CHECKERS
            | chess.STATUS_IMPOSSIBLE_CHECK
        )
        assert tablebase.get_wdl(board) == (plies > 0) - (plies < 0) or not plies
        many, valid = tablebase.probe_dtm_many([board])
        assert (many[0], valid[0]) == (plies, True)


def test_moves_of_kings_marked_as_promoted_are_refused(tablebase):
    board = chess.Board("8/8/8/8/8/2k~5/1R6/K7 w - - 0 1")  # python-chess sees no check to it
    for moves in (tablebase.rank_moves, tablebase.best_move, tablebase.mainline):
        with pytest.raises(UnsupportedPositionError, match="promoted"):
            moves(board)
    fens = [board.fen(promoted=True), "8/8/2K~5/3k~4/8/2B5/8/8 w - - 0 1"]
    assert tablebase.probe_dtm_many(fens)[1].tolist() == [True, False]


@pytest.mark.parametrize(
    "variant",
    [chess.variant.AtomicBoard, chess.variant.AntichessBoard, chess.variant.CrazyhouseBoard],
)
def test_positions_of_variants_have_no_value(tablebase, variant):
    board = variant("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    for probe in (tablebase.probe_dtm, tablebase.rank_moves, tablebase.canonical_position):
        with pytest.raises(UnsupportedPositionError, match=variant.uci_variant):
            probe(board)
    assert tablebase.get_dtm(board) is None
    assert tablebase.probe_dtm_many([board, "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"])[1].tolist() == [
        False,
        True,
    ]


def test_boards_of_a_class_of_ones_own(tablebase):
    class Board(chess.Board):
        pass

    fen = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
    assert tablebase.probe_dtm(Board(fen)) == tablebase.probe_dtm(chess.Board(fen)) == 31
    assert tablebase.best_move(Board(fen)) == tablebase.best_move(chess.Board(fen))
    assert tablebase.probe_dtm_many([Board(fen)])[0] == [31]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rules": None}, "rules are a name like 'shatranj' or Rules, not None"),
        ({"rules": 5}, "rules are a name"),
        ({"cache_size": None}, "cache_size is a whole number"),
        ({"castling_size": "x"}, "castling_size is a whole number"),
    ],
)
def test_wrong_options_are_named(tmp_path, wrong, message):
    with pytest.raises((TypeError, ValueError), match=message):
        open_tablebase(tmp_path, **wrong)
