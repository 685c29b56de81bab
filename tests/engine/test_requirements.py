"""Requirements: counts by formula against the arrays themselves."""

import pytest

from tablebase.board.material import Material, all_materials
from tablebase.engine.planes import make_planes
from tablebase.engine.requirements import line_count, plane_count, working_memory
from tablebase.engine.retrograde import make_sets, set_shapes

UP_TO_FOUR = [material for men in (2, 3, 4) for material in all_materials(men)]
SOME_OF_FIVE = [Material.from_name(name) for name in ("KQQQK", "KRRKN", "KPPPK", "KQPKQ", "KQBKR")]


@pytest.mark.parametrize("material", [*UP_TO_FOUR, *SOME_OF_FIVE], ids=str)
def test_planes_and_lines_are_as_many_as_are_made(material):
    planes = make_planes(material)
    assert plane_count(material) == len(planes.plane_squares)
    lines = len(planes.line_planes)
    assert lines <= line_count(material) <= 1.1 * lines + 64


@pytest.mark.parametrize("material", SOME_OF_FIVE, ids=str)
def test_pawns_let_each_thread_have_planes_of_its_own(material):
    more = working_memory(material, 4) - working_memory(material, 1)
    assert (more > 0) == material.has_pawns


@pytest.mark.parametrize("planes", [1, 64, 65])
def test_shapes_are_those_of_the_sets(planes):
    sets = make_sets(planes)
    assert {name: (a.shape, a.dtype) for name, a in sets._asdict().items()} == set_shapes(planes)


def test_planes_take_what_their_sets_take():
    material = Material.from_name("KRPKN")
    planes = plane_count(material)
    one = sum(array.nbytes for array in make_sets(planes))
    assert working_memory(material, 3) - working_memory(material, 2) == one
