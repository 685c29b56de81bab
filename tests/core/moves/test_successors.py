"""Successors: every kind of move leads to its table, with the right men in the right places."""

import numpy as np
import pytest
from support.few import few

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.symmetry import D4, FLIP
from tablebase.core.index.numbering import table_index
from tablebase.core.moves.move_lists import NO_MAN
from tablebase.core.moves.successors import _order, _pairs_at, make_successors
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rule_files import parse_rules


@pytest.mark.parametrize("material", few(all_materials(5), *all_materials(5)[::9]), ids=str)
def test_men_keep_their_colour_and_kind(material):
    men = material.men[2:]
    for move, after in material.moves_out().items():
        _, removed, promoting, new = move
        table = after.normalized()
        swapped = table != after
        order, leads = _order(material, move, table, swapped=swapped)
        assert leads == (-1, -1)
        assert sorted(order) == [n for n in range(len(men)) if not removed >> n & 1]
        for man, (color, kind) in zip(order, table.men[2:], strict=True):
            assert color == Color(men[man][0] ^ swapped)
            assert kind == (PieceType(new) if man == promoting - 1 else men[man][1])


def test_colours_are_exchanged_if_black_becomes_the_stronger_side():
    material = Material.from_name("KRKP")
    tables = make_successors(material).fields.destinations.fields
    without_rook = tables.kind[Color.BLACK, 1, 0, 0]
    assert tables.swapped[without_rook]
    assert tables.pawns[without_rook].tolist() == [1] + [NO_MAN] * 7
    white, black = tables.start[without_rook]
    assert white == black + table_index(Material.from_name("KPK")).size


def test_kings_are_placed_as_by_the_index():
    rng = np.random.default_rng(3)
    gold = parse_rules("[shogi:chess]\ngold = g")["shogi"]
    for material in (*map(Material.from_name, ("KRK", "KPK")), Material.from_name("KGK", gold)):
        index = table_index(material)
        places = _pairs_at(
            has_pawns=material.has_pawns,
            symmetries=material.symmetries,
            nobody=material.nobody,
            rules=material.rules,
        )
        for swapped in range(2):
            for white, black in rng.integers(64, size=(200, 2)).tolist():
                first, second = white, black
                if swapped:
                    first, second = int(D4[FLIP, black]), int(D4[FLIP, white])
                t, pair, other, other_pair = places[swapped, white * 64 + black]
                if pair < 0:
                    continue
                kings = index.numbering.king_squares
                assert kings[pair].tolist() == [D4[t, first], D4[t, second]]
                assert kings[other_pair].tolist() == [D4[other, first], D4[other, second]]
