"""One move ahead: on tables of noise, the best move is the one that python-chess finds."""

import chess
import numpy as np
import pytest
from support.noise import noise_table, outcome_of
from support.oracle import minimax_outcome

from tablebase.core.checking import fixed_point, verify
from tablebase.core.checking.reach import load_successors
from tablebase.core.outcomes.metrics import DTM, DTZ, METRICS
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material

# Every piece on either side, promotions with and without capture.
MATERIALS = ["KK", "KPK", "KRKN", "KQKB", "KNNK", "KBPK", "KQKP", "KNKP", "KPKP", "KPPK"]
FEW = {DTM: ["KK", "KNKP"], DTZ: ["KBPK"]}


def noise(name, metric):
    material = Material.from_name(name)
    needed = material.dependencies()
    subtables = {one: noise_table(one, seed, metric) for seed, one in enumerate(needed)}
    return noise_table(material, 1001, metric), subtables


def check_slots(table, subtables, slots):
    """Return the number of legal positions in some slots, and the differences."""
    successors = load_successors(
        table,
        lambda needed, color, _: subtables[needed].codes[color],
        lambda needed: subtables[needed].outcomes,
    )
    check = verify._Check(table, successors, slots, 2 * len(slots))
    counts, found = check.run((0, len(slots)))
    return counts[:, fixed_point.POSITIONS].sum(), check.differences(counts, found)


def assert_best_moves(table, subtables, differences):
    tables = {table.material: table, **subtables}
    for difference in differences:
        board = chess.Board(difference.fen)
        expected = minimax_outcome(table.metric, board, lambda after: outcome_of(tables, after))
        assert difference.expected == expected, board.fen()


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "metric"), [
    pytest.param(name, metric, marks=() if name in FEW[metric] else pytest.mark.slow)
    for metric in METRICS for name in MATERIALS
], ids=str)  # fmt: skip
def test_best_moves_are_those_of_python_chess(name, metric):
    table, subtables = noise(name, metric)
    slots = np.unique(np.random.default_rng(7).integers(table.index.size, size=80))
    squares, _ = table.index.decode_many(slots)
    boards = [board_of(table.material, row, turn) for row in squares for turn in chess.COLORS]
    legal = [
        not board.was_into_check()
        for board in boards
        if board.occupied.bit_count() == table.material.piece_count
    ]
    count, differences = check_slots(table, subtables, slots)
    assert count == sum(legal)
    # In noise nearly every value is wrong, so nearly every position is described.
    assert len(differences) > 0.8 * count
    assert_best_moves(table, subtables, differences)


def beside_a_double_push(squares):
    """Return which positions of KPKP have a pawn that may be taken after its double push."""
    white, black = squares[:, 2].astype(int), squares[:, 3].astype(int)
    beside = abs(white % 8 - black % 8) == 1
    return beside & (
        ((white // 8 == 1) & (black // 8 == 3)) | ((black // 8 == 6) & (white // 8 == 4))
    )


@pytest.mark.thorough
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_en_passant_is_that_of_python_chess(metric):
    table, subtables = noise("KPKP", metric)
    slots = np.unique(np.random.default_rng(8).integers(table.index.size, size=100_000))
    squares, valid = table.index.decode_many(slots)
    slots = slots[valid & beside_a_double_push(squares)][:100]
    _, differences = check_slots(table, subtables, slots)
    assert len(differences) > 120
    assert_best_moves(table, subtables, differences)
