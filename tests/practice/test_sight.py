"""Difficulty of positions against its definition, and its laws."""

import random

import chess
import pytest
from support.few import few
from support.random_positions import random_board
from support.slow_difficulty import evident_moves, kinds_of_moves, slow_difficulty

from tablebase import difficulty, open_tablebase
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material
from tablebase.practice.sight import moves_by_sight, rank_by_difficulty

MATERIALS = few(
    ["KPK", "KRK", "KQK", "KRNK", "KRKN", "KRKP", "KQKR", "KPKP", "KQKP", "KBNK", "KNNK"],
    *("KRK", "KRKN", "KPKP", "KQKP"),
)


@pytest.fixture(scope="module")
def tables(zeroing_dir):
    with open_tablebase(zeroing_dir) as tables:
        yield tables


def boards_of(name, number, seed=1):
    """Return random positions, some with a halfmove clock close to the limit."""
    rng = random.Random(f"{name} {seed}")
    boards = [random_board(rng, Material.from_name(name)) for _ in range(number)]
    for board in boards:
        board.halfmove_clock = rng.choice((0, 0, 0, 40, 88, 96, 99, 100)) * (not board.ep_square)
    return boards


@pytest.mark.thorough
@pytest.mark.parametrize("name", MATERIALS)
def test_difficulty_is_that_of_the_definition(tables, name):
    hard = set()
    for board in boards_of(name, 30):
        fen = board.fen()
        for sight in (1, 2, 4, 7):
            expected = slow_difficulty(tables, board, sight)
            assert difficulty(tables, board, sight=sight) == pytest.approx(expected), fen
            hard.add(expected)
        assert board.fen() == fen
    assert len(hard) > 1 or name in {"KRK", "KQK", "KNNK"}


@pytest.mark.parametrize("name", ["KPK", "KRKN", "KPKP"])
def test_moves_are_divided_as_by_the_definition(tables, name):
    for board in boards_of(name, 40, seed=2):
        divided = moves_by_sight(tables, board, sight=4)
        kinds = kinds_of_moves(tables, board, 4)
        evident = evident_moves(tables, board, kinds[0], 4) if kinds[0] else []
        for found, expected in zip(divided, (*kinds, evident), strict=True):
            assert set(found) == set(expected), board.fen()


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KPK", "KQKP"])
def test_difficulty_over_several_moves(tables, name):
    for board in boards_of(name, 6, seed=3):
        expected = slow_difficulty(tables, board, 4, 2)
        assert difficulty(tables, board, moves=2) == pytest.approx(expected), board.fen()


@pytest.mark.thorough
@pytest.mark.parametrize("name", MATERIALS)
def test_laws(tables, name):
    """From 0 to 1; more for more moves, less for more sight; 0 if lost; equal for images."""
    for board in boards_of(name, 12, seed=4):
        chances = [difficulty(tables, board, sight=sight) for sight in (1, 2, 4, 8, 100)]
        assert all(0 <= one < 1 for one in chances)
        assert chances == sorted(chances, reverse=True)
        assert difficulty(tables, board, moves=2) >= difficulty(tables, board)
        assert difficulty(tables, board.mirror()) == difficulty(tables, board)
        if tables.probe_wdl(board) < 0 and board.halfmove_clock == 0:
            lost = tables.probe_wdl50(board) == -2
            assert not lost or difficulty(tables, board, moves=2) == 0


def test_the_end_of_a_game_is_not_difficult(tables):
    for fen in ("R1k5/8/2K5/8/8/8/8/8 b - - 0 1", "8/8/8/8/8/2k5/2p5/2K5 w - - 0 1"):
        assert difficulty(tables, chess.Board(fen), moves=3) == 0


def test_a_draw_that_can_be_claimed_is_not_difficult(tables):
    board = chess.Board("4k3/8/4K3/4P3/8/8/8/8 w - - 100 80")
    assert difficulty(tables, board) == 0
    assert difficulty(tables, board, rule50=False) == 0.5


def test_under_the_rule_a_cursed_win_cannot_be_thrown_away(tables):
    """White mates too late for the rule; without it, some moves give the win away."""
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 80 90")
    assert tables.rank_moves(board)[0].result == 1
    assert difficulty(tables, board) == 0


def test_moves_get_the_difficulty_of_the_position_after_them(tables):
    for board in boards_of("KRKN", 10, seed=5):
        for rule50 in (True, False):
            plain = tables.rank_moves(board, rule50=rule50)
            ranked = rank_by_difficulty(tables, board, rule50=rule50)
            assert [one.move for one in ranked] == [one.move for one in plain]
            assert {one.difficulty for one in plain} <= {None}
            for one in ranked:
                board.push(one.move)
                assert one.difficulty == difficulty(tables, board, rule50=rule50)
                board.pop()


def test_without_distances_to_zeroing_it_is_not_known(tables_dir):
    board = chess.Board("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1")
    with open_tablebase(tables_dir) as tables:
        ranked = rank_by_difficulty(tables, board)
        assert {one.difficulty for one in ranked} == {None}
        with pytest.raises(MissingTableError):
            difficulty(tables, board)


def test_refused_arguments(tables):
    board = chess.Board("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1")
    for sight in (0, 101):
        with pytest.raises(ValueError, match=f"sight is a whole number, 1 to 100, not {sight}"):
            difficulty(tables, board, sight=sight)
    with pytest.raises(ValueError, match="moves is a whole number, 1 or more, not 0"):
        difficulty(tables, board, moves=0)
    with pytest.raises(UnsupportedPositionError):
        difficulty(tables, chess.Board("4k2r/pp6/8/8/8/8/8/4K2R w k - 0 1"))


class Counted:
    """Counts the probes for distances to mate."""

    def __init__(self, tables):
        self.tables, self.to_mate = tables, 0

    def probe_outcome(self, board, metric=DTM):
        self.to_mate += metric == DTM
        return self.tables.probe_outcome(board, metric)


def test_only_distances_to_zeroing_are_needed(tables):
    counted = Counted(tables)
    assert difficulty(counted, chess.Board("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"), moves=2) > 0.5
    assert not counted.to_mate
