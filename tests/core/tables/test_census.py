"""Census: what a table holds, against a brute force over all placements and known figures."""

import json

import chess
import numpy as np
import pytest
from support.oracle import known_counts

from tablebase.core.engine.driver import solve
from tablebase.core.rules.material import Material
from tablebase.core.tables.census import take_census

# Whole-board win, draw, loss, illegal and the longest win and loss in plies, White to move then
# Black: from chesstb, an independent generator.
KNOWN = {
    "KBK": ((0, 193284, 0, 30660, None, None), (0, 223944, 0, 0, None, None)),
    "KQK": ((144508, 0, 0, 79436, 19, None), (0, 23048, 200896, 0, None, 20)),
    "KRK": ((175168, 0, 0, 48776, 31, None), (0, 22244, 201700, 0, None, 32)),
    "KPK": ((124960, 38368, 0, 4696, 55, None), (0, 70420, 97604, 0, None, 56)),
}


@pytest.fixture(scope="module")
def tables():
    solved = {}
    for name in ("KK", "KBK", "KNK", "KQK", "KRK", "KPK"):
        material = Material.from_name(name)
        solved[material] = solve(material, solved)
    return {material.name: table for material, table in solved.items()}


@pytest.mark.parametrize("name", KNOWN)
def test_known_counts(tables, name):
    census = take_census(tables[name])
    for side, known in zip((census.white_to_move, census.black_to_move), KNOWN[name], strict=True):
        counts = side.whole_board
        win = side.longest_win and side.longest_win.plies
        loss = side.longest_loss and side.longest_loss.plies
        assert (counts.win, counts.draw, counts.loss, counts.illegal, win, loss) == known


@pytest.mark.parametrize(("name", "mates", "mates_apart"), [("KRK", 216, 27), ("KK", 0, 0)])
def test_checkmates(tables, name, mates, mates_apart):
    side = take_census(tables[name]).black_to_move
    assert side.whole_board.checkmated == mates
    assert side.inequivalent.checkmated == mates_apart


@pytest.mark.parametrize("name", ["KK", "KBK", "KPK"])
def test_threads_make_no_difference(tables, name):
    assert take_census(tables[name], threads=1) == take_census(tables[name], threads=3)


@pytest.mark.parametrize("name", ["KRK", "KPK"])
def test_longest_positions_are_legal_and_have_that_distance(tables, name):
    table = tables[name]
    census = take_census(table)
    for color, side in enumerate((census.white_to_move, census.black_to_move)):
        for extreme in filter(None, (side.longest_win, side.longest_loss)):
            board = chess.Board(extreme.fen)
            assert board.is_valid()
            squares = [
                next(iter(board.pieces(man, owner == 0))) for owner, man in table.material.men
            ]
            slot = table.index.encode(np.array(squares, dtype=np.uint8))
            assert table.codes[color][slot] == extreme.plies


def test_json_has_the_documented_fields(tables):
    document = json.loads(json.dumps(take_census(tables["KRK"]).as_dict()))
    assert set(document) == {"white_to_move", "black_to_move"}
    side = document["black_to_move"]
    assert side["dtm_histogram"]["loss"]["0"] == 216
    assert side["inequivalent"]["dtm_histogram"]["loss"]["0"] == 27
    assert side["longest_win"] is None
    assert side["longest_loss"]["plies"] == 32
    keys = {"win", "draw", "loss", "illegal", "dtm_histogram"}
    assert set(side["inequivalent"]) == keys
    assert set(side) == keys | {"longest_win", "longest_loss", "inequivalent"}


def test_reference_counts_of_three_men(tables):
    materials = known_counts()
    for name in tables.keys() & materials.keys():
        census = take_census(tables[name])
        for side in ("white_to_move", "black_to_move"):
            counts = getattr(census, side).whole_board
            for result in ("win", "draw", "loss", "illegal", "checkmated"):
                assert getattr(counts, result) == materials[name][side][result]
