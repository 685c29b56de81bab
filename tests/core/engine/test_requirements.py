"""Requirements: counts by formula against the arrays themselves."""

from math import prod

import pytest
from support.variants import CHECKS

from tablebase.core.engine.plies.sets import TRANSIENT_SETS, make_sets, set_shapes
from tablebase.core.engine.requirements import (
    obstacle,
    plane_count,
    track_count,
    value_plane_count,
    working_memory,
)
from tablebase.core.engine.sets.metric_tables import frontier_count
from tablebase.core.engine.sets.planes import make_planes
from tablebase.core.index.numbering import slot_count
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.rules.material import Material, all_materials

UP_TO_FOUR = [material for men in (2, 3, 4) for material in all_materials(men)]
SOME_OF_FIVE = [Material.from_name(name) for name in ("KQQQK", "KRRKN", "KPPPK", "KQPKQ", "KQBKR")]


@pytest.mark.parametrize("material", [*UP_TO_FOUR, *SOME_OF_FIVE], ids=str)
def test_planes_and_tracks_are_as_many_as_are_made(material):
    planes = make_planes(material)
    assert plane_count(material) == len(planes.plane_squares)
    tracks = len(planes.track_planes)
    assert tracks <= track_count(material) <= 1.1 * tracks + 64
    assert value_plane_count(material) == planes.value_plane.max() + 1


@pytest.mark.parametrize("material", SOME_OF_FIVE, ids=str)
def test_pawns_let_each_thread_have_planes_of_its_own(material):
    more = working_memory(material, 4) - working_memory(material, 1)
    assert (more > 0) == material.has_pawns


@pytest.mark.parametrize("counting", [False, True])
@pytest.mark.parametrize("frontiers", [2, 3])
@pytest.mark.parametrize("planes", [1, 64, 65])
def test_shapes_are_those_of_the_sets(planes, frontiers, counting):
    sets = make_sets(planes, planes, frontiers, has_layers=counting)
    shapes = {name: (a.shape, a.dtype) for name, a in own_sets(sets).items()}
    assert shapes == set_shapes(planes, planes, frontiers, has_layers=counting)


def own_sets(sets):
    """Return arrays by name, without the refuges, which are no sets of their own in chess."""
    return {
        name: array
        for name, array in sets._asdict().items()
        if name != "refuge" or array is not sets.not_won
    }


@pytest.mark.parametrize(("metric", "frontiers"), [(DTM, 2), (DTZ, 3)])
def test_planes_take_what_their_sets_take(metric, frontiers):
    material = Material.from_name("KRPKN")
    assert frontier_count(metric) == frontiers
    counts = plane_count(material), value_plane_count(material)
    one = sum(array.nbytes for array in own_sets(make_sets(*counts, frontiers)).values())
    three, two = (working_memory(material, threads, metric) for threads in (3, 2))
    assert three - two == one


@pytest.mark.parametrize("name", ["KRKN", "KRRKBB", "KRNKNN"])
def test_memory_without_pawns_is_that_of_the_sets_beside_the_codes(name):
    """Of two pairs the codes are too small for all that passes (KRRKBB: 16.6 GB with codes)."""
    material = Material.from_name(name)
    sizes = plane_count(material), value_plane_count(material), 2
    sets = {
        key: prod(shape) * dtype().itemsize for key, (shape, dtype) in set_shapes(*sizes).items()
    }
    passing = sum(sets[key] for key in TRANSIENT_SETS)
    tracks = 584 * track_count(material) + 16 * plane_count(material)
    beside = working_memory(material, 2) - tracks
    lasting = sum(sets.values()) - passing
    assert beside == lasting + (sets["frontier"] if name == "KRRKBB" else 0)
    assert passing > sets["frontier"]
    if material.piece_count == 6:
        assert beside + 2 * slot_count(material) < 17.6e9


def test_five_men_of_three_check_are_refused_with_the_memory_that_they_would_need():
    named = [Material.from_name(name, CHECKS) for name in ("KQKR", "KQRKR", "KPPPK")]
    four, *five = map(obstacle, named)
    assert not four
    for reason in five:
        assert "tables of 3check have up to 4, and this one would take " in reason
        assert reason.endswith("B of memory")
