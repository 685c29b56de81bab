"""Probing under the 50-move rule: distances to zeroing, five results, and play by the clock."""

import chess
import numpy as np
import pytest
from support.lookup import outcome_of
from support.oracle import random_boards
from support.zeroing import result_of

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material, all_materials

THREE_AND_FOUR = [material for material in all_materials(4) if material.piece_count > 2]


@pytest.fixture(scope="module")
def tablebase(zeroing_dir):
    with open_tablebase(zeroing_dir) as opened:
        yield opened


def signed(outcome):
    return outcome if outcome >= 0 else -~outcome or -1


def with_en_passant_rights(count, seed):
    """Return positions of KPKP in which a pawn may be taken in passing."""
    rng = np.random.default_rng(seed)
    boards = []
    while len(boards) < count:
        file, taker = rng.integers(0, 8, 2).tolist()
        kings = rng.choice(64, 2, replace=False).tolist()
        squares = [*kings, chess.square(file, 3), chess.square(taker, 3)]
        if len(set(squares)) < 4:
            continue
        board = board_of(Material.from_name("KPKP"), squares, chess.BLACK)
        board.ep_square = chess.square(file, 2)
        if board.is_valid() and board.has_legal_en_passant():
            boards += [board, board.mirror()]
    return boards


def drawn_at_random():
    boards = [b for m in THREE_AND_FOUR for b in random_boards(m, 12, seed=35)]
    return [*boards, *(board.mirror() for board in boards), *with_en_passant_rights(60, 36)]


def test_probes_give_what_was_solved(tablebase, zeroing):
    boards = drawn_at_random()
    outcomes = [outcome_of(zeroing, board) for board in boards]
    distances = [signed(outcome) for outcome in outcomes]
    results = [result_of(outcome) for outcome in outcomes]
    assert [tablebase.probe_dtz(board) for board in boards] == distances
    assert [tablebase.probe_wdl50(board) for board in boards] == results
    assert [tablebase.get_dtz(board) for board in boards] == distances
    assert [tablebase.get_wdl50(board) for board in boards] == results
    for positions in (boards, [board.fen() for board in boards]):
        many, valid = tablebase.probe_dtz_many(positions)
        assert valid.all()
        assert many.tolist() == distances
        many, valid = tablebase.probe_wdl50_many(positions)
        assert valid.all()
        assert many.tolist() == results


def test_the_sign_and_more_is_that_of_the_distance_to_mate(tablebase):
    for board in drawn_at_random():
        dtm, dtz = tablebase.probe_dtm(board), tablebase.probe_dtz(board)
        if board.is_checkmate():
            assert (dtm, dtz) == (0, -1)
            continue
        assert np.sign(dtm) == np.sign(dtz), board.fen()
        assert abs(dtz) <= abs(dtm), board.fen()


def test_the_clock_does_not_count_in_distances(tablebase):
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 90 120")
    assert tablebase.probe_dtz(board) == 31
    assert tablebase.probe_wdl50(board) is Wdl50.WIN


def far_from_zeroing(zeroing, count):
    """Yield won positions whose mate takes longer than zeroing, and the distance to that."""
    for name in ("KPKP", "KRKP", "KNPK", "KBPK", "KQKR", "KRKN", "KBNK", "KQKP"):
        left = count
        for board in random_boards(Material.from_name(name), 120, seed=38):
            plies = outcome_of(zeroing, board)
            if plies > 4 and left:
                left -= 1
                yield board, plies


@pytest.mark.thorough
def test_a_win_that_can_be_kept_is_kept(tablebase, zeroing):
    spoiling = 0
    for board, plies in far_from_zeroing(zeroing, 6):
        board.halfmove_clock = 100 - plies
        ranked = tablebase.rank_moves(board)
        fastest = tablebase.best_move(board, rule50=False)
        spoiling += next(one.wdl50 for one in ranked if one.move == fastest) is not Wdl50.WIN
        assert ranked[0].wdl50 is Wdl50.WIN, board.fen()
        assert ranked[0].move == tablebase.best_move(board)
        kept = [one for one in ranked if one.wdl50 is Wdl50.WIN]
        assert kept[0].dtm == min(one.dtm for one in kept)
        end = board.copy(stack=False)
        for move in tablebase.mainline(board):
            assert end.is_legal(move)
            assert end.halfmove_clock < 100
            end.push(move)
        assert end.is_checkmate(), board.fen()
    assert spoiling > 3  # times that the fastest mate would have come too late


def test_a_win_that_takes_too_long_is_cursed(tablebase, zeroing):
    for board, plies in far_from_zeroing(zeroing, 4):
        board.halfmove_clock = 101 - plies
        ranked = tablebase.rank_moves(board)
        assert ranked[0].wdl50 is Wdl50.CURSED_WIN, board.fen()
        end = board.copy(stack=False)
        for move in tablebase.mainline(board):
            end.push(move)
        assert end.halfmove_clock == 100
        assert tablebase.rank_moves(board, rule50=False)[0].wdl == 1


def test_checkmate_comes_before_the_claim(tablebase):
    board = chess.Board("7k/5R2/6K1/8/8/8/8/8 w - - 99 150")
    assert tablebase.rank_moves(board)[0].wdl50 is Wdl50.WIN
    board.push(tablebase.best_move(board))
    assert board.is_checkmate()
    assert tablebase.probe_wdl50(board) is Wdl50.LOSS


def test_tables_without_distances_to_zeroing_are_named(tables_dir):
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    with open_tablebase(tables_dir) as tablebase:
        with pytest.raises(MissingTableError, match="KRK"):
            tablebase.probe_dtz(board)
        assert tablebase.get_dtz(board) is None
        assert tablebase.probe_dtm(board) == 31
        assert tablebase.best_move(board) is not None
        board.halfmove_clock = 90
        with pytest.raises(MissingTableError, match="KRK"):
            tablebase.best_move(board)
        assert tablebase.best_move(board, rule50=False) is not None


def test_a_missing_table_names_the_folder_as_it_was_given(tmp_path, monkeypatch):
    """Whichever method misses it, even after the process has gone elsewhere."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    with open_tablebase("mine") as tables:
        monkeypatch.chdir("/")
        names = ("dtm", "wdl", "dtz", "wdl50", "outcome")
        probes = [getattr(tables, f"probe_{name}") for name in names]
        many = [getattr(tables, f"probe_{name}_many") for name in ("dtm", "wdl", "dtz")]
        calls = [(one, board) for one in (*probes, tables.rank_moves, tables.best_move)]
        for call, given in [*calls, *((one, [board]) for one in many)]:
            with pytest.raises(MissingTableError, match=r"(no table of KRK in|no folder) mine: "):
                call(given)
