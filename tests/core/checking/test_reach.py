"""Reach: all that moves lead to is read, and little else."""

import chess
import numpy as np
import pytest
from support.few import few
from support.lookup import noise_table

from tablebase.core.board.geometry import Color
from tablebase.core.checking.reach import load_successors
from tablebase.core.index.numbering import table_index
from tablebase.core.moves.successors import code_starts
from tablebase.core.positions.chess_board import board_of, material_of, squares_of
from tablebase.core.rules.material import Material

MATERIALS = ["KPK", "KBPK", "KQKP", "KPKP", "KPPK"]


def load(name):
    """Return successors on noise, the tables of noise, and which rows were asked for."""
    material = Material.from_name(name)
    tables = {m: noise_table(m, seed) for seed, m in enumerate(material.dependencies())}
    asked = {}

    def read(needed, color, rows):
        assert (needed, color) not in asked
        asked[needed, color] = rows
        return tables[needed].codes[color]

    table = noise_table(material, 1001)
    return load_successors(table, read, lambda needed: tables[needed].outcomes), tables, asked


@pytest.mark.parametrize("name", few(MATERIALS, "KPKP"))
def test_what_promotions_lead_to_is_read(name):
    successors, tables, _ = load(name)
    material = Material.from_name(name)
    starts, _ = code_starts(material)
    codes = successors.fields.codes
    rng = np.random.default_rng(22)
    seen = 0
    while seen < 300:
        squares = rng.choice(64, material.piece_count, replace=False)
        pawn = next(i for i, (_, man) in enumerate(material.men) if man.letter == "P")
        white = material.men[pawn][0] is Color.WHITE
        squares[pawn] = rng.integers(48, 56) if white else rng.integers(8, 16)
        if len(set(squares.tolist())) < len(squares):
            continue
        board = board_of(material, squares.tolist(), chess.WHITE if white else chess.BLACK)
        if not board.is_valid():
            continue
        for move in board.legal_moves:
            if move.promotion is None:
                continue
            after = board.copy()
            after.push(move)
            table = material_of(after).normalized()
            if table != material_of(after):
                after = after.mirror()
            slot = table_index(table).encode(squares_of(after, table))
            color = Color.WHITE if after.turn else Color.BLACK
            assert codes[starts[table][color] + slot] == tables[table].codes[color][slot], move
            seen += 1


@pytest.mark.parametrize(("name", "most"), [("KPK", 0.5), ("KPPK", 0.16), ("KPKP", 0.16)])
def test_little_else_is_read(name, most):
    successors, tables, asked = load(name)
    material = Material.from_name(name)
    starts, length = code_starts(material)
    assert len(successors.fields.codes) == length
    large = [table for table in tables if table.piece_count == material.piece_count]
    assert large
    for table in large:
        for color in Color:
            size = table_index(table).size
            pairs = table_index(table).king_pairs
            rows = asked.get((table, color), np.zeros(size // pairs, dtype=bool))
            assert rows.mean() <= most
            start = starts[table][color]
            held = successors.fields.codes[start : start + size].reshape(-1, pairs)
            assert not held[~rows].any()
            assert (held[rows] == tables[table].codes[color].reshape(-1, pairs)[rows]).all()
    # A promotion hands the move over: White's leads to positions with Black to move only.
    if name == "KPPK":
        assert {color for table, color in asked if table in large} == {Color.BLACK}


@pytest.mark.thorough
def test_smaller_tables_are_read_whole():
    _, tables, asked = load("KQKP")
    small = {table for table in tables if table.piece_count < 4}
    assert small
    for table in small:
        assert asked[table, Color.WHITE] is None
        assert asked[table, Color.BLACK] is None
