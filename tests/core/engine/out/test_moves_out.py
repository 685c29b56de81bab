"""Moves out of a slice: whole tables on top of noise."""

import itertools

import chess
import numpy as np
import pytest
from support.few import few
from support.lookup import noise_table

from tablebase.core.checking.verify import check_table
from tablebase.core.engine.driver import solve
from tablebase.core.engine.games.chess import CHESS_GAME
from tablebase.core.engine.out import moves_out
from tablebase.core.engine.out.children import EPOCH, Men, make_children, make_scratch
from tablebase.core.engine.sets import values
from tablebase.core.engine.sets.bits import PAWN
from tablebase.core.index.numbering import table_index
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material
from tablebase.core.tables.table import Table

NAMES = ["KPK", "KRKN", "KPKP", "KNNK", "KQKP", "KBPK", "KPPK", "KNKP"]
WON_IN_ONE, DRAWN = 255, 128  # as values, see `values`


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(NAMES, "KRKN", "KPKP"))
def test_whatever_the_subtables_say_counts(name):
    """On sub-tables of noise every capture and promotion has a value of its own."""
    material = Material.from_name(name)
    subtables = {m: noise_table(m, n) for n, m in enumerate(material.dependencies())}
    table = solve(material, subtables)
    report = check_table(table, subtables)
    assert report.passed, report.differences


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(NAMES, "KPKP"))
def test_whatever_the_subtables_say_counts_in_every_epoch(name, long_noise):
    table, subtables = long_noise(Material.from_name(name))
    assert table.white.itemsize > 1
    report = check_table(table, subtables)
    assert report.passed, report.differences


@pytest.mark.thorough
@pytest.mark.parametrize("only", [False, True])
@pytest.mark.parametrize("epoch", [0, 1])
def test_a_pawn_that_must_be_taken_where_an_epoch_ends(epoch, only, monkeypatch):
    """Taken en passant, it wins in 253 plies: the push in 255, the first ply of another epoch."""
    monkeypatch.setattr(values, "SHORT_MEN", {})
    material, pawns = Material.from_name("KPKP"), [chess.E2, chess.D4]
    tables = {needed: noise_table(needed, 1) for needed in material.dependencies()}
    for needed, code in ((Material.from_name("KPK"), 253), (material, DRAW)):
        codes = np.full(table_index(needed).size, code, dtype=np.uint8)
        tables[needed] = Table(needed, codes, codes.copy())
    made = make_children(material, KernelRecord(CHESS_GAME), tables, DTM)
    men = Men(np.array([0, 1]), np.full(2, PAWN), np.array(pawns, dtype=np.uint8))
    scratch = make_scratch(2)
    scratch.fields.moment[EPOCH] = epoch
    # Whether the opponent, once pushed, has no other move.
    stalemates = np.full((2, 64 * table_index(material).slices), -int(only)).view(np.uint64)
    found, path = np.zeros(4096, dtype=np.uint8), np.uint64(chess.BB_E3 | chess.BB_E4)
    moves_out.double_push(
        KernelRecord(made), KernelRecord(men), 0, stalemates, scratch, found, 0, path
    )
    taken = 0
    for kings in itertools.permutations(range(64), 2):
        if {*kings} & {*pawns}:
            continue
        board = board_of(material, [*kings, *pawns], chess.WHITE)
        if not board.is_valid() or not board.is_legal(chess.Move(chess.E2, chess.E4)):
            continue
        board.push(chess.Move(chess.E2, chess.E4))
        wins = only and epoch == 1 and board.has_legal_en_passant()
        assert found[64 * kings[0] + kings[1]] == (WON_IN_ONE if wins else DRAWN), board
        taken += wins
    assert (taken > 1000) == (only and epoch == 1)
