"""Countermove boards: last moves against python-chess, counters against counting one by one."""

from collections import Counter
from itertools import islice

import chess
import numpy as np
import pytest
from support.few import few

from tablebase.butterfly.countermoves import (
    NO_REPLY,
    CountermoveSums,
    count_countermoves,
    last_moves,
    number_of_pair,
)
from tablebase.core.board.movement import from_to_pairs
from tablebase.core.board.symmetry import D4
from tablebase.core.moves.legal_moves import iter_moves
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.positions.chess_board import board_of
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.subtables import read_subtables


def table_of(name):
    table = read_table(f"data/{name}.h5")
    return table, read_subtables(table.material, "data")


@pytest.fixture(scope="module")
def krk():
    return count_countermoves(*table_of("KRK"))


def slow_last_moves(board):
    """Return the quiet moves that lead to a board from a legal position, by python-chess."""
    found = set()
    for target in chess.SquareSet(board.occupied_co[not board.turn]):
        for origin in chess.SquareSet(~board.occupied):
            before = board.copy(stack=False)
            before.set_piece_at(origin, before.remove_piece_at(target))
            before.turn = not board.turn
            move = chess.Move(origin, target)
            if before.is_valid() and before.is_legal(move):
                found.add((origin, target))
    return found


@pytest.mark.parametrize("name", few(["KRK", "KPK", "KRNK"], "KPK"))
@pytest.mark.parametrize("side", [0, 1])
def test_last_moves_are_those_of_python_chess(name, side):
    table, _ = table_of(name)
    slots = np.random.default_rng(side).integers(0, table.index.size, 120)
    squares, valid = table.index.decode_many(slots)
    turn = side == 0
    boards = [board_of(table.material, row, turn) for row in squares[valid].tolist()]
    legal = np.array([board.is_valid() for board in boards])
    last = last_moves(table.material, squares[valid][legal], side)
    found = [set() for _ in range(int(legal.sum()))]
    for position, origin, target in zip(*last, strict=True):
        found[position].add((int(origin), int(target)))
    assert found == [slow_last_moves(b) for b, kept in zip(boards, legal, strict=True) if kept]
    assert any(found)


def test_a_pawn_may_have_come_two_squares():
    table, _ = table_of("KPK")
    squares = np.array([[chess.A1, chess.H8, chess.E4]], dtype=np.uint8)
    last = last_moves(table.material, squares, 1)
    pawn = {int(o) for o, t in zip(last.origin, last.target, strict=True) if t == chess.E4}
    assert pawn == {chess.E2, chess.E3}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KPK", "KRK"])
def test_counters_agree_with_counting_every_image(name):
    table, subtables = table_of(name)
    sums, expected = CountermoveSums(table.index), Counter()
    for moves in islice(iter_moves(table, subtables), 4):
        side = 0 if moves.white_to_move else 1
        chosen = table.codes[side][moves.slots] != DRAW
        sums.add(moves, chosen)
        squares, _ = table.index.decode_many(moves.slots)
        last = last_moves(table.material, squares, side)
        for position, *last_move in zip(*map(np.ndarray.tolist, last), strict=True):
            if not chosen[position]:
                continue
            own = slice(moves.starts[position], moves.starts[position + 1])
            columns = moves.origin[own], moves.target[own], moves.best[own]
            replies = {(int(o), int(t)) for o, t, best in zip(*columns, strict=True) if best}
            images = {tuple(D4[t, squares[position]]): t for t in table.index.symmetries}
            for image in map(D4.__getitem__, images.values()):
                for reply in replies:
                    key = tuple(int(image[square]) for square in (*last_move, *reply))
                    expected[side, *key] += 1
    found = sums.on_whole_board()
    assert found.sum() == expected.total()
    assert expected
    for (side, a, b, c, d), number in expected.items():
        assert found[side, number_of_pair([a], [b])[0], number_of_pair([c], [d])[0]] == number
    boards = sums.boards()
    best = Counter()
    for (side, a, b, _, _), number in expected.items():
        best[side, a, b] = max(best[side, a, b], number)
    for (side, a, b), number in best.items():
        assert boards.times[side, a, b] == number
        reply = divmod(int(boards.replies[side, a, b]), 64)
        assert expected[side, a, b, *reply] == number
    assert (boards.replies != NO_REPLY).sum() == len(best)


@pytest.mark.thorough
def test_answers_are_moves_and_not_more_often_best_than_there_are_positions(krk):
    replied = krk.replies != NO_REPLY
    assert from_to_pairs().ravel()[krk.replies[replied]].all()
    assert ((krk.times > 0) == replied).all()
    assert (krk.times <= krk.positions).all()
    assert not krk.positions[:, ~from_to_pairs()].any()


def test_commonest_answers(krk):
    assert krk.commonest(0, 1) == [("a1b1", "d3c3", 62, 2820)]
    assert krk.commonest(1, 1) == [("c2c1", "h1g2", 89, 5039)]
    assert [times for *_, times, _ in krk.commonest(1, 9)] == [89] * 9
    assert krk.hits(0) == krk.times[0].sum() / krk.positions[0].sum()


@pytest.mark.thorough
def test_draws_count_only_if_asked_for(krk):
    decisive, every = krk, count_countermoves(*table_of("KRK"), draws=True)
    # White to move wins everything; Black draws some by a capture.
    assert (decisive.positions[0] == every.positions[0]).all()
    assert decisive.positions[1].sum() < every.positions[1].sum()
    assert (decisive.times <= every.times).all()
