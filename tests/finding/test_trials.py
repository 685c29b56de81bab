"""Rules on trial: every count against a slow one with python-chess and probing."""

from pathlib import Path

import chess
import numpy as np
import pytest
from support.slow_search import every_placement, images_of, is_legal

from tablebase import difficulty
from tablebase.core.board.shape import FULL_BOARD
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material
from tablebase.finding import trials
from tablebase.finding.dataset import load_table
from tablebase.finding.expression_text import read_expression
from tablebase.finding.expressions import columns_of
from tablebase.finding.positions import man_names
from tablebase.finding.trials import RuleCounts, trial

DATA = Path(__file__).parents[2] / "data"


def runs(board):
    """Return whether a king is outside the square of a pawn, as far as rank 3."""
    [at] = board.pieces(chess.PAWN, chess.WHITE)
    goal = chess.square(chess.square_file(at), 7)
    away = chess.square_distance(board.king(chess.BLACK), goal) - (not board.turn)
    return away > 7 - max(chess.square_rank(at), 2)


def near(board):
    return chess.square_distance(board.king(chess.WHITE), board.king(chess.BLACK)) == 2


NEAR = "distance(white_king, black_king) == 2"
RUNS = (
    "distance(black_king, square_at(white_pawn.file, 8)) - (not white_to_move)"
    " > 8 - (white_pawn.rank + (white_pawn.rank == 2))"
)
# A material, a claim, a rule that is the same for all images, and the same of a board.
TRIALS = [
    ("KPK", "win", RUNS, runs),
    ("KPK", "draw", NEAR, near),
    ("KRK", "win", NEAR, near),
    ("KRK", "draw", "not white_to_move and distance(black_king, white_rook) == 1",
     lambda board: not board.turn and bool(chess.BB_KING_ATTACKS[board.king(chess.BLACK)]
                                           & board.rooks)),
    ("KPK", "loss", NEAR, near),
]  # fmt: skip
RESULTS = {"win": 1, "draw": 0, "loss": -1}
IDS = [f"{name}-{claims}-{plain.__name__}" for name, claims, _, plain in TRIALS]


def slow_trial(tables, name, claims, plain, *, every=False):
    """Return counts by side to move, and the exceptions."""
    material = Material.from_name(name)
    counts = {turn: [0, 0, 0] for turn in chess.COLORS}
    exceptions = []
    placements = every_placement(material).tolist()
    for row in placements:
        images = {tuple(image[row].tolist()) for image in images_of(material)} if every else [row]
        for image in images:
            for turn in chess.COLORS:
                board = board_of(material, image, turn)
                if not is_legal(board):
                    continue
                wdl = int(tables.probe_wdl(board)) * (1 if turn else -1)
                claimed = {1: "win", 0: "draw", -1: "loss"}[wdl] == claims
                if plain(board):
                    counts[turn][0 if claimed else 1] += 1
                    if not claimed:
                        exceptions.append(board)
                elif claimed:
                    counts[turn][2] += 1
    return {turn: RuleCounts(*row) for turn, row in counts.items()}, exceptions


@pytest.mark.parametrize(("name", "claims", "rule", "plain"), TRIALS, ids=IDS)
def test_counts_are_those_of_the_columns(name, claims, rule, plain):
    positions = load_table(name, DATA).positions()
    claimed = positions.wdl * np.where(positions.white_to_move, 1, -1) == RESULTS[claims]
    names = man_names(positions.material)
    squares, turn = positions.squares.T, positions.white_to_move
    meets = read_expression(rule).of(columns_of(names, squares, turn, FULL_BOARD))
    some = np.arange(0, len(positions), 997)
    assert [plain(one.board()) for one in positions[some]] == meets[some].tolist()
    found = trial(name, rule, claims, DATA, limit=3)
    for turn in chess.COLORS:
        here = positions.white_to_move == turn
        expected = (meets & claimed, meets & ~claimed, ~meets & claimed)
        assert found.by_turn[turn] == tuple(int((here & one).sum()) for one in expected)
        one = trial(name, rule, claims, DATA, turn=turn, limit=0)
        assert one.by_turn == {turn: found.by_turn[turn]}
    assert found.total.exceptions == (meets & ~claimed).sum()
    assert set(found.hardest.fens()) <= set(positions[meets & ~claimed].fens())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "claims", "rule", "plain"), TRIALS, ids=IDS)
def test_every_position_is_counted(tables, name, claims, rule, plain):
    by_turn, _ = slow_trial(tables, name, claims, plain)
    found = trial(name, rule, claims, DATA, limit=0)
    assert found.by_turn == by_turn
    assert len(found.hardest) == 0
    assert found.total == tuple(map(sum, zip(*by_turn.values(), strict=True)))
    by_board = trial(name, plain, claims, DATA, limit=0)
    assert by_board.by_turn == by_turn


def test_a_function_of_a_board_is_a_rule(tables):
    found = trial("KRK", near, "draw", DATA, turn=False, limit=None)
    rule = trial("KRK", NEAR, "draw", DATA, turn=False, limit=None)
    assert found.by_turn == rule.by_turn
    assert found.hardest.fens() == rule.hardest.fens()
    hard = found.hardest.difficulty
    assert (np.diff(hard) <= 0).all()
    for one in found.hardest[:5]:
        assert one.difficulty == pytest.approx(difficulty(tables, one.board()))


@pytest.mark.slow
@pytest.mark.parametrize("images", ["canonical", "all"])
def test_exceptions_are_listed_by_difficulty(tables, images):
    every = images == "all"
    rule = "opposition(white_king, black_king) and white_pawn.rank == 6"

    def plain(board):
        x, y = board.king(chess.WHITE), board.king(chess.BLACK)
        [at] = board.pieces(chess.PAWN, chess.WHITE)
        return abs(x - y) in {2, 16} and chess.square_distance(x, y) == 2 and at // 8 == 5

    found = trial("KPK", rule, "win", DATA, images=images, limit=None)
    by_turn, exceptions = slow_trial(tables, "KPK", "win", plain, every=every)
    assert found.by_turn == by_turn
    difficulties = found.hardest.difficulty
    assert len(found.hardest) == len(exceptions) == found.total.exceptions > 0
    assert (np.diff(difficulties) <= 0).all()
    expected = sorted(round(difficulty(tables, board), 4) for board in exceptions)
    assert sorted(round(one, 4) for one in difficulties.tolist()) == expected
    if every:
        assert set(found.hardest.fens()) == {board.fen() for board in exceptions}
    few_of_them = trial("KPK", rule, "win", DATA, images=images, limit=2)
    assert few_of_them.hardest.difficulty.tolist() == difficulties[:2].tolist()


def test_with_more_men_some_exceptions_are_listed_by_difficulty(monkeypatch):
    asked = "KPK", RUNS, "win", DATA
    every = trial(*asked, limit=None)
    monkeypatch.setattr(trials, "FEW_MEN", 2)
    for sample, limit in ((1000, None), (300, None), (300, 5), (300, 0)):
        monkeypatch.setattr(trials, "SAMPLE", sample)
        found = trial(*asked, limit=limit)
        assert found.by_turn == every.by_turn
        expected = min(sample, every.total.exceptions)
        assert len(found.hardest) == (expected if limit is None else limit)
        assert set(found.hardest.fens()) <= set(every.hardest.fens())
        if sample == 1000:
            assert found.hardest.difficulty == pytest.approx(every.hardest.difficulty)


def test_without_zeroing_exceptions_come_in_the_order_of_the_table(tables_dir):
    asked = "KBK", NEAR, "win", tables_dir
    found = trial(*asked, limit=None)
    assert found.hardest.difficulty is None
    assert len(found.hardest) == found.total.exceptions > 0
    with pytest.raises(MissingTableError, match="dtz"):
        trial(*asked, rule50=True)


def test_shares_of_nothing_are_none():
    found = trial("KRK", "white_king == black_king", "loss", DATA)
    assert (found.total.precision, found.total.coverage) == (None, None)
    assert "precision -" in str(found)


def test_colours_and_names_are_turned_round():
    stronger = trial("KRK", NEAR, "win", DATA)
    assert trial("KKR", NEAR, "win", DATA).by_turn == stronger.by_turn
    text = str(stronger)
    assert text.startswith("KRK, win: ")
    assert "White to move" in text
    assert "Black to move" in text


def test_white_is_to_move_if_both_have_the_same_men(tables_dir):
    found = trial("KQKQ", "distance(white_king, black_king) > 1", "draw", tables_dir, limit=0)
    assert list(found.by_turn) == [True]
    assert found.total.missed == 0


@pytest.mark.slow
def test_the_fifty_move_rule_makes_draws(zeroing_dir):
    by_claim = {
        claims: [
            trial("KPKP", "True", claims, zeroing_dir, rule50=rule, limit=0).total.right
            for rule in (False, True)
        ]
        for claims in ("win", "draw", "loss")
    }
    assert len({sum(counts) for counts in zip(*by_claim.values(), strict=True)}) == 1
    assert by_claim["win"][0] >= by_claim["win"][1]


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="claims is one of win, draw, loss, not 'wins'"):
        trial("KRK", "not white_to_move", "wins", DATA)
    with pytest.raises(ValueError, match=r"a function tries up to 4 men, not KRPKR: .*as a text"):
        trial("KRPKR", near, "win", DATA)
    with pytest.raises(ValueError, match="no column 'white_pawn'"):
        trial("KRK", "white_pawn.rank == 2", "win", DATA)
    with pytest.raises(MissingTableError):
        trial("KRPKR", "not white_to_move", "win", DATA)
