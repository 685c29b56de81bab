"""The index: positions and numbers correspond, and symmetric images share a number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.core.board.geometry import PieceType
from tablebase.core.board.symmetry import D4
from tablebase.core.index import numbering
from tablebase.core.index.numbering import TableIndex, slot_count, table_index
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rule_files import built_in_rules

SMALL = [*all_materials(2), *all_materials(3)]
FOUR = all_materials(4)
FAST = ("KNNK", "KPPK")
# The five figures of 2004, as they should have been.
INEQUIVALENT = {"KK": 462, "KRK": 28_056, "KNNK": 854_238, "KRNK": 1_707_888, "KPK": 84_012}


@pytest.mark.parametrize(
    "material",
    [
        *SMALL,
        *(pytest.param(m, marks=() if m.name in FAST else pytest.mark.slow) for m in FOUR),
    ],
    ids=str,
)
def test_numbers_and_positions_correspond(material):
    index = table_index(material)
    assert index.size == slot_count(material)
    for first in range(0, index.size, 1 << 20):
        numbers = np.arange(first, min(first + (1 << 20), index.size))
        squares, valid = index.decode_many(numbers)
        assert np.array_equal(index.encode_many(squares[valid]), numbers[valid])


@pytest.mark.parametrize("game", ["gardner", "chess", "shatranj"])
@pytest.mark.parametrize("name", ["KRKP", "KNNK"])
def test_python_numbers_as_the_compiled_kernel(game, name):
    index = table_index(Material.from_name(name, built_in_rules()[game]))
    squares, valid = index.decode_many(np.arange(0, index.size, index.size // 20))
    numbers = np.empty(1, dtype=np.int64)
    for row, number in zip(squares[valid], index.encode_many(squares[valid]), strict=True):
        numbering._encode_many.in_python(index.numbering, row[None], numbers)
        assert numbers[0] == number


@pytest.mark.parametrize("men", [2, 3, 4])
def test_size_by_formula(men):
    for material in all_materials(men):
        assert slot_count(material) == table_index(material).size


@pytest.mark.parametrize("name", ["KPPKP", "KPPPK", "KRPKR", "KBBKN"])
def test_size_by_formula_with_five_men(name):
    material = Material.from_name(name)
    assert slot_count(material) == table_index(material).size


def materials():
    return st.sampled_from([*all_materials(3), *FOUR, *all_materials(5)])


@st.composite
def placements(draw):
    """Return a material and squares of its men, with kings apart and pawns where they may be."""
    material = draw(materials())
    squares = []
    for number, (_, man) in enumerate(material.men):
        allowed = range(8, 56) if man is PieceType.PAWN else range(64)
        taken = {
            s for s in range(64) if number == 1 and max(abs(s % 8 - squares[0] % 8),
            abs(s // 8 - squares[0] // 8)) < 2
        }  # fmt: skip
        squares.append(draw(st.sampled_from([s for s in allowed if s not in {*squares, *taken}])))
    return material, np.array(squares, dtype=np.uint8)


@given(placements())
def test_images_share_a_number(placement):
    material, squares = placement
    index = table_index(material)
    number = index.encode(squares)
    assert 0 <= number < index.size
    for symmetry in index.symmetries:
        assert index.encode(D4[symmetry][squares]) == number
    stored = index.decode(number)
    images = [D4[symmetry][squares] for symmetry in index.symmetries]
    assert any(same_men(material, stored, image) for image in images)


def same_men(material, one, other):
    """Return whether two lists of squares hold the same men, identical ones in any order."""
    return sorted(zip(material.men, one.tolist(), strict=True)) == sorted(
        zip(material.men, other.tolist(), strict=True)
    )


@given(placements(), st.randoms(use_true_random=False))
def test_identical_men_have_no_order(placement, random):
    material, squares = placement
    groups = {}
    for place, man in enumerate(material.men):
        groups.setdefault(man, []).append(place)
    shuffled = squares.copy()
    for places in groups.values():
        shuffled[places] = squares[random.sample(places, len(places))]
    index = table_index(material)
    assert index.encode(shuffled) == index.encode(squares)


@pytest.mark.parametrize("name", INEQUIVALENT)
def test_little_is_wasted(name):
    index = table_index(Material.from_name(name))
    assert 1 <= index.size / INEQUIVALENT[name] < 1.10


def test_squares_that_are_no_position_are_refused():
    index = TableIndex(Material.from_name("KRKP"))
    for squares, why in (
        ([0, 1, 20, 30], "kings touch"),
        ([0, 0, 20, 30], "kings on one square"),
        ([0, 20, 20, 30], "two men on one square"),
        ([0, 20, 30, 3], "a pawn on the first rank"),
        ([0, 20, 30, 60], "a pawn on the last rank"),
        ([0, 20, 30, 30], "rook and pawn on one square"),
    ):
        with pytest.raises(ValueError, match="are not a position of KRKP"):
            pytest.fail(f"{why}: {index.encode(np.array(squares))}")
    with pytest.raises(ValueError, match="squares are numbers from 0"):
        index.encode(np.array([0, 20, 30, 64]))
    with pytest.raises(ValueError, match=r"expected squares of shape \[n, 4\] for KRKP"):
        index.encode_many(np.zeros((2, 3), dtype=np.uint8))


def test_numbers_out_of_range_are_refused():
    index = table_index(Material.from_name("KRK"))
    for number in (-1, index.size):
        with pytest.raises(IndexError, match="indices of KRK run from 0 to 29567"):
            index.decode(number)


def test_broken_slots_have_no_position():
    index = table_index(Material.from_name("KRK"))
    squares, valid = index.decode_many(np.arange(index.size))
    assert index.decode(int(np.argmin(valid))) is None
    assert index.decode(int(np.argmax(valid))).tolist() == squares[np.argmax(valid)].tolist()


def test_more_men_than_kernels_have_room_for_are_refused():
    assert TableIndex(Material.from_name("KQQQQQQQQK")).king_pairs == 462
    with pytest.raises(ValueError, match="KQQQQQQQQQK has 11 pieces, but an index at most 10"):
        TableIndex(Material.from_name("KQQQQQQQQQK"))


def test_as_many_men_as_there_is_room_for_are_numbered():
    index = TableIndex(Material.from_name("KQQQQKRRRR"))
    squares = np.array([1, 30, 9, 17, 33, 41, 50, 51, 52, 53], dtype=np.uint8)
    assert index.decode(index.encode(squares)) is not None
