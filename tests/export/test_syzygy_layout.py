"""The numbering of Syzygy files, against python-chess's."""

import random
from math import comb

import chess.syzygy
import chess.variant
import numpy as np
import pytest
from support.few import few

from tablebase.core.board.geometry import PieceType
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.index.numbering import table_index
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.export.syzygy_cells import squares_at
from tablebase.export.syzygy_games import syzygy_games, syzygy_name, syzygy_names
from tablebase.export.syzygy_layout import (
    NO_ORDER,
    PAWN_FILES,
    Ordering,
    cell_count,
    make_cells,
    orderings,
    piece_code,
    with_other_leads,
)

VARIANTS = (chess.variant.AtomicBoard, chess.variant.AntichessBoard, chess.variant.SuicideBoard)
BOARDS = {"chess": chess.Board} | {board.uci_variant: board for board in VARIANTS}
ATOMIC = built_in_rules()["atomic"]


def of_three_to_five(rules):
    return [one for men in (3, 4, 5) for one in all_materials(men, rules) if one.piece_count == men]


MATERIALS = of_three_to_five(built_in_rules()["chess"])
EXPLOSIVE = of_three_to_five(ATOMIC)


def name_of(material):
    return f"{material.rules.name}-{material.name}"


def number_by_python_chess(material, ordering, file, squares):
    """Return the number that python-chess gives a position, and how many it counts."""
    variant = BOARDS[material.rules.name]  # no file is read yet
    table = chess.syzygy.WdlTable(syzygy_names(material)[0], variant=variant)
    pieces = [piece_code(material, man) for man in ordering.men]
    norm = [0] * table.num
    factor = [0] * chess.syzygy.TBPIECES
    if table.has_pawns:
        table.set_norm_pawn(norm, pieces)
        size = table.calc_factors_pawn(factor, ordering.lead, ordering.second, norm, file)
    else:
        table.set_norm_piece(norm, pieces)
        size = table.calc_factors_piece(factor, ordering.lead, norm)
    position = [squares[man] for man in ordering.men] + [0] * (chess.syzygy.TBPIECES - table.num)
    if table.has_pawns:
        assert table.pawn_file(position) == file
        return table.encode_pawn(norm, position, factor), size
    return table.encode_piece(norm, position, factor), size


@pytest.mark.thorough
@pytest.mark.parametrize(
    "material",
    [*few(MATERIALS, *MATERIALS[::5]), *few(EXPLOSIVE, *EXPLOSIVE[::20])],
    ids=name_of,
)
def test_cells_are_those_of_python_chess(material):
    """A position of which python-chess sees another cell is the same up to symmetry."""
    draw = random.Random(material.name)
    every = [
        one for first in orderings(material) for one in (first, *with_other_leads(material, first))
    ]
    index = table_index(material)
    for ordering in draw.sample(every, min(4, len(every))):
        for file in range(PAWN_FILES if material.has_pawns else 1):
            cells = make_cells(material, ordering, file)
            for cell in [0, cell_count(cells) - 1, *draw.choices(range(cell_count(cells)), k=25)]:
                squares = squares_at(material, cells, cell)
                assert len(set(squares)) == len(squares)
                number, size = number_by_python_chess(material, ordering, file, list(squares))
                assert size == cell_count(cells)
                if number == cell:
                    continue
                again = squares_at(material, cells, number)
                touching = material.rules != ATOMIC and any(
                    max(abs(a // 8 - b // 8), abs(a % 8 - b % 8)) < 2
                    for a, b in (squares[:2], again[:2])
                )
                assert touching or index.encode(squares) == index.encode(again)


def test_every_order_is_listed_once():
    for name, count in (
        ("KRK", 6),
        ("KQKR", 48),
        ("KRRK", 4),
        ("KPK", 6),
        ("KPKP", 24),
        ("KRPK", 24),
    ):
        material = Material.from_name(name)
        found = [
            one
            for first in orderings(material)
            for one in (first, *with_other_leads(material, first))
        ]
        assert len(found) == len(set(found)) == count, name


def test_the_first_digit_runs_fastest():
    material = Material.from_name("KQKR")
    for ordering in orderings(material):
        cells = make_cells(material, ordering, 0)
        before, after = squares_at(material, cells, 1000), squares_at(material, cells, 1001)
        changed = {man for man in range(4) if before[man] != after[man]}
        if ordering.lead == 0:
            assert changed & set(ordering.men[:3])
        else:
            assert changed <= {ordering.men[3]} | set(ordering.men[:3])


@pytest.mark.parametrize("game", syzygy_games(), ids=lambda game: game.rules.name)
def test_files_of_a_game_are_known_as_python_chess_knows_them(game):
    board = BOARDS[game.rules.name]
    results, distances = game.kinds
    assert (results.suffix, results.magic) == (board.tbw_suffix, board.tbw_magic)
    assert (distances.suffix, distances.magic) == (board.tbz_suffix, board.tbz_magic)
    assert game.kings_touch == board.connected_kings


def test_names():
    assert syzygy_names(Material.from_name("KRPKR")) == ["KRPvKR.rtbw", "KRPvKR.rtbz"]
    assert [piece_code(Material.from_name("KRPKR"), man) for man in range(5)] == [6, 14, 4, 1, 12]
    assert syzygy_names(Material.from_name("KQKR", ATOMIC)) == ["KQvKR.atbw", "KQvKR.atbz"]
    assert all(chess.syzygy.is_tablename(syzygy_name(material)) for material in MATERIALS)


@pytest.mark.parametrize(
    ("name", "ordering"),
    [
        ("KQKR", Ordering((0, 1, 2, 3), 2)),
        ("KQKR", Ordering((0, 1, 2, 3), 0, 1)),
        ("KPKP", Ordering((2, 3, 0, 1), 1, 1)),
        ("KPKP", Ordering((2, 3, 0, 1), 1, NO_ORDER)),
        ("KPKP", Ordering((2, 3, 0, 1), 1, 9)),
    ],
)
def test_impossible_orders_of_digits_are_damage(name, ordering):
    with pytest.raises(CorruptTableError, match="digits in such an order"):
        make_cells(Material.from_name(name), ordering, 0)


def test_leading_men_have_the_known_number_of_placements():
    sizes = {
        name: len(make_cells(Material.from_name(name), next(orderings(Material.from_name(name))), 0)
                  .fields.lead_squares)
        for name in ("KRK", "KRRK", "KPK", "KPPK")
    }  # fmt: skip
    assert sizes == {"KRK": 31332, "KRRK": 462, "KPK": 6, "KPPK": 252}
    touching = Material.from_name("KRRK", ATOMIC)
    leads = make_cells(touching, next(orderings(touching)), 0).fields.lead_squares
    assert len({*map(tuple, leads.tolist())}) == len(leads) == 518
    everywhere = Material((PieceType.PAWN,) * 3, ())
    leads = [
        make_cells(everywhere, next(orderings(everywhere)), file).fields.lead_squares
        for file in range(PAWN_FILES)
    ]
    # Half of all sets, but those with two foremost pawns left and right have two cells.
    assert sum(map(len, leads)) == comb(48, 3) // 2 + comb(24, 2)
    assert all((lead // 8 % 7 > 0).all() for lead in leads)
    assert np.concatenate(leads).max() < 56
