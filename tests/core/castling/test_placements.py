"""Castling sets: the published numbers of positions are found again, one by one."""

from collections import Counter
from itertools import pairwise
from math import factorial, prod

import chess
import pytest

from tablebase.core.board.geometry import PieceType
from tablebase.core.castling.placement_moves import NODES_AT_ONCE, moves_of
from tablebase.core.castling.placements import castling_set_of, castling_sets
from tablebase.core.rules.material import Material, all_materials


def positions(material):
    """Return how many positions have castling rights, once for exchanged colours."""
    total = 0
    for placed in castling_sets(material):
        free = Counter(material.men[number] for number in placed.free)
        nodes = placed.size if material.is_symmetric else 2 * placed.size
        bounds = pairwise(range(0, nodes + 1, min(NODES_AT_ONCE, nodes)))
        legal = sum(int(moves_of(placed, *both).is_legal.sum()) for both in bounds)
        count, rest = divmod(legal, prod(map(factorial, free.values())))
        assert not rest
        total += count
    return total


# NULP's numbers, by Kirill Kryukov, less positions with an en passant capture as well.
@pytest.mark.parametrize(
    ("men", "expected"),
    [(3, 211), (4, 113_158), pytest.param(5, 29_952_401, marks=pytest.mark.slow)],
)
def test_as_many_positions_as_published(men, expected):
    materials = [one for one in all_materials(men) if PieceType.ROOK in one.white + one.black]
    assert sum(map(positions, materials)) == expected


@pytest.mark.parametrize("name", ["KRRK", "KRKR", "KRPKP", "KPPKR"])
def test_each_set_is_that_of_its_boards(name):
    material = Material.from_name(name)
    sets = list(castling_sets(material))
    assert len(set(sets)) == len(sets)
    for placed in sets[:: 1 + len(sets) // 50]:
        for slot in range(0, placed.size, 1 + placed.size // 7):
            squares = placed.squares(slot)
            if len(set(squares)) == len(squares):
                board = placed.board(squares, chess.WHITE)
                assert castling_set_of(board, board.castling_rights) == placed
                assert board.clean_castling_rights() == board.castling_rights
