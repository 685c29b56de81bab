"""Hidden mistakes of whole tables against the definition, position by position."""

from itertools import pairwise

import numpy as np
import pytest
from support.few import few
from support.slow_difficulty import evident_moves, kinds_of_moves, slow_difficulty

from tablebase import open_tablebase
from tablebase.core.index.legality import is_counted, legality_tables, mark_rows
from tablebase.core.jit.records import KernelRecord
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material
from tablebase.practice.mistakes import MistakeCounter


@pytest.fixture(scope="module")
def tables(zeroing_dir):
    with open_tablebase(zeroing_dir) as tables:
        yield tables


def counter(zeroing, name, sight):
    def tables_of(material):
        return {needed: zeroing[needed] for needed in material.dependencies()}

    return MistakeCounter(zeroing[Material.from_name(name)], tables_of, sight=sight, threads=2)


def some_slots(index, side, number, seed):
    """Return slots of legal positions, ascending."""
    rng = np.random.default_rng(seed)
    rows = index.slices * index.ranks
    marks = np.empty(index.king_pairs, dtype=np.uint8)
    legality, found = KernelRecord(legality_tables(index)), set()
    while len(found) < number:
        row = int(rng.integers(rows))
        mark_rows(legality, index.ranks, row, row + 1, marks)
        legal = np.flatnonzero(is_counted(marks, side))
        if len(legal):
            found.add(row * index.king_pairs + int(rng.choice(legal)))
    return np.array(sorted(found), dtype=np.int64)


@pytest.mark.thorough
# KNNKP would need five men; KQKR has stalemates, KPKP en passant captures and promotions.
@pytest.mark.parametrize(
    "name", few(["KPK", "KRKN", "KQKR", "KRKP", "KPKP", "KQKP", "KBNK"], "KPKP")
)
@pytest.mark.parametrize("sight", [1, 4])
def test_difficulties_are_those_of_the_definition(tables, zeroing, name, sight):
    mistakes = counter(zeroing, name, sight)
    material = Material.from_name(name)
    index = zeroing[material].index
    for side in range(2):
        slots = some_slots(index, side, 30, 1)
        squares, _ = index.decode_many(slots)
        found = mistakes.difficulties(slots, side)
        keeping, hidden, evident = mistakes.counts(slots, side)
        for number, row in enumerate(squares.tolist()):
            board = board_of(material, row, side == 0)
            expected = slow_difficulty(tables, board, sight)
            assert found[number] == pytest.approx(expected), board.fen()
            kept, unseen, _ = kinds_of_moves(tables, board, sight)
            assert keeping[number] == len(kept), board.fen()
            if tables.probe_wdl50(board) > -2:
                assert hidden[number] == len(unseen), board.fen()
                seen = evident_moves(tables, board, kept, sight) if kept else []
                assert evident[number] == len(seen), board.fen()


@pytest.mark.slow
def test_a_mistake_is_hidden_less_often_the_farther_a_player_sees(zeroing):
    slots = some_slots(zeroing[Material.from_name("KPKP")].index, 0, 3000, 2)
    chances = [counter(zeroing, "KPKP", sight).difficulties(slots, 0) for sight in (1, 2, 6, 100)]
    for nearer, farther in pairwise(chances):
        assert (nearer >= farther).all()
        assert (nearer > farther).any()
    assert (chances[0] < 1).all()
