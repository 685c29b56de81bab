"""The partner who fights: which moves it may choose, and that it does not repeat."""

import random

import chess
import pytest
from support.few import few
from support.random_positions import random_board
from support.slow_difficulty import slow_difficulty
from support.variants import RACING, material_board

from tablebase import open_tablebase
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.positions.any_position import as_position
from tablebase.core.rules.material import Material
from tablebase.practice.resistance import practical_move
from tablebase.practice.sight import difficulty


@pytest.fixture(scope="module")
def tables(zeroing_dir):
    with open_tablebase(zeroing_dir) as tables:
        yield tables


def boards_with_moves(name, number):
    rng = random.Random(name)
    while number:
        board = random_board(rng, Material.from_name(name))
        if any(board.legal_moves):
            number -= 1
            yield board


def can_disarm(board, moves):
    """Return whether the side to move can take within some moves all that could win against it."""
    color = not board.turn

    def wins(after):
        own = [one.piece_type for one in after.piece_map().values() if one.color == color]
        return len(own) > 2 or not set(own) <= {chess.KING, chess.KNIGHT, chess.BISHOP}

    if not wins(board):
        return False
    for after in positions_after(board):
        if not wins(after):
            return True
        if moves > 1 and all(can_disarm(one, moves - 1) for one in positions_after(after)):
            return True
    return False


def positions_after(board):
    for move in list(board.legal_moves):
        after = board.copy(stack=False)
        after.push(move)
        yield after


def way_to_pawn(board):
    king = board.king(not board.turn)
    pawns = board.pieces(chess.PAWN, chess.WHITE) | board.pieces(chess.PAWN, chess.BLACK)
    return min((chess.square_distance(king, pawn) for pawn in pawns), default=0)


def steps_left(board):
    """Return the steps of pawns of the side that has just moved up to their promotion."""
    pawns = board.pieces(chess.PAWN, not board.turn)
    return sum(abs((0 if board.turn else 7) - chess.square_rank(at)) for at in pawns)


@pytest.mark.parametrize(
    "name", few(["KPK", "KRK", "KRKN", "KRKP", "KQKR", "KPKP", "KBNK"], "KPK", "KRKN")
)
def test_it_is_the_hardest_of_the_moves_that_hold(tables, name):
    """In draws what could win is kept and pawns go on; of equal ones the king stays near a pawn."""
    results = set()
    for board in boards_with_moves(name, 20):
        ranked = tables.rank_moves(board)
        found = practical_move(tables, board, ranked)
        best = ranked[0]
        results.add(best.result)
        assert found.result == best.result
        if best.result == Wdl50.WIN:
            assert found == best
            continue
        worth = {}
        for one in ranked:
            board.push(one.move)
            takes = [can_disarm(board, moves) for moves in (1, 2) if best.result == Wdl50.DRAW]
            left = steps_left(board) / 2 if best.result == Wdl50.DRAW else 0
            hard = slow_difficulty(tables, board, 4)
            worth[one.move] = sum(takes), left - hard, way_to_pawn(board)
            board.pop()
        holding = [one for one in ranked if one.result == best.result]
        if best.result == Wdl50.LOSS:
            holding = [one for one in holding if one.dtm <= 0.9 * best.dtm]
        assert found == min(holding, key=lambda one: worth[one.move]), board.fen()
    assert len(results) > 1


def test_in_another_game_it_is_the_hardest_move_that_holds(racing_tables):
    rng, compared = random.Random(7), 0
    material = Material.from_name("KRK", RACING)
    while compared < 20:
        board = material_board(material, rng.sample(range(48), 3), rng.random() < 0.5)
        ranked = racing_tables.rank_moves(board) if board.is_valid() else []
        if len(ranked) < 2 or ranked[0].result != Wdl50.LOSS:
            continue
        found = practical_move(racing_tables, board, ranked)
        position = as_position(board)
        hard = {
            one.move: difficulty(racing_tables, position.after(one.move))
            for one in ranked
            if one.dtm <= 0.9 * ranked[0].dtm
        }
        assert hard[found.move] == max(hard.values()), board.fen()
        compared += 1


def test_a_position_is_not_repeated_where_another_move_keeps_the_result(tables):
    """In a drawn game against moves by chance, every position comes once while that is possible."""
    rng = random.Random(5)
    board = chess.Board("8/8/4k3/8/8/2n5/1R6/K7 b - - 0 1")
    assert tables.probe_wdl(board) == 0
    seen = {board.epd()}
    for _ in range(60):
        ranked = tables.rank_moves(board)
        if board.turn == chess.BLACK:
            keeping = [one.move for one in ranked if one.result == ranked[0].result]
            fresh = []
            for move in keeping:
                board.push(move)
                fresh += [move] if board.epd() not in seen else []
                board.pop()
            move = practical_move(tables, board, ranked).move
            assert move in (fresh or keeping)
        else:
            move = rng.choice([one.move for one in ranked if one.wdl == ranked[0].wdl])
        board.push(move)
        seen.add(board.epd())
        assert tables.probe_wdl(board) == 0


@pytest.mark.parametrize(
    "fen", ["8/8/6k1/8/3P1K2/8/8/8 b - - 0 1", "8/5k2/8/8/8/4P2K/8/8 b - - 0 1"]
)
def test_a_pawn_that_could_win_is_not_given_away(tables, fen):
    """Who holds the draw by the first good move that there is does not win the pawn."""
    board = chess.Board(fen)
    for _ in range(10):
        board.push(tables.rank_moves(board)[0].move)
        board.push(practical_move(tables, board, tables.rank_moves(board)).move)
        assert board.pieces(chess.PAWN, chess.WHITE)
        assert not can_disarm(board, 2)


def test_a_king_stays_near_the_pawn_that_it_cannot_stop(tables):
    board = chess.Board("8/8/3k2P1/5K2/8/8/8/8 b - - 0 3")
    move = practical_move(tables, board, tables.rank_moves(board)).move
    assert board.san(move) == "Ke7"


def test_without_distances_to_zeroing_there_is_none(tables_dir):
    board = chess.Board("8/8/4k3/8/8/2n5/1R6/K7 b - - 0 1")
    with open_tablebase(tables_dir) as tables:
        assert practical_move(tables, board, tables.rank_moves(board)) is None
        assert practical_move(tables, board, tables.rank_moves(board, rule50=False)) is None


def test_the_rule_may_be_left_out(tables):
    board = chess.Board("8/8/4k3/8/8/2n5/1R6/K7 b - - 99 80")
    ranked = tables.rank_moves(board, rule50=False)
    found = practical_move(tables, board, ranked, rule50=False)
    assert found in ranked
    assert found.wdl == 0
