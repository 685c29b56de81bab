"""The build graph: what is in it, its order, its longest way, its forms for other programs."""

import json
from dataclasses import FrozenInstanceError, replace
from itertools import pairwise

import pytest

from tablebase.core.building.graph import BuildGraph, default_metrics, plan
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.rules.rules import CHESS

KPK = Material.from_name("KPK")


def up_to(men):
    return [material for count in range(3, men + 1) for material in all_materials(count)]


@pytest.fixture(scope="module")
def five():
    return plan(up_to(5))


def test_all_tables_of_up_to_five_men(five):
    men = [material.piece_count for material in five]
    assert [men.count(count) for count in (2, 3, 4, 5)] == [1, 5, 30, 110]


@pytest.mark.parametrize(
    ("men", "count"), [(6, 365), pytest.param(7, 1001, marks=pytest.mark.slow)]
)
def test_more_men_are_planned_too(men, count):
    graph = plan(all_materials(men))
    assert sum(material.piece_count == men for material in graph) == count
    assert min(build.memory for build in graph.builds if build.material.piece_count == men) > 1e9


def test_sub_tables_stand_first(five):
    seen = set()
    for build in five.builds:
        assert set(build.subtables) == set(build.material.dependencies()) <= seen
        seen.add(build.material)


@pytest.mark.parametrize("order", [[1, 0], [0, 0], [1]])
def test_an_order_that_cannot_be_is_refused(order):
    builds = plan([Material.from_name("KRK")]).builds
    with pytest.raises(ValueError, match="out of order"):
        BuildGraph(tuple(builds[number] for number in order))


def test_nothing_can_be_changed(five):
    with pytest.raises(FrozenInstanceError):
        five.builds = ()
    with pytest.raises(FrozenInstanceError):
        five[KPK].seconds = 0
    with pytest.raises(TypeError):
        five._by_material[KPK] = None


def test_totals_are_sums(five):
    assert five.slots == sum(build.slots for build in five.builds)
    assert five.seconds == pytest.approx(sum(build.seconds for build in five.builds))
    assert five.memory == max(build.memory for build in five.builds)
    assert plan([]).memory == 0


def test_threads_cost_memory():
    assert plan([KPK], threads=8).memory > plan([KPK], threads=1).memory


def longest_way(graph, material):
    """Return the longest way from a material on, by trying all of them."""
    parents = [build.material for build in graph.builds if material in build.subtables]
    return graph[material].seconds + max((longest_way(graph, p) for p in parents), default=0)


def test_waiting_is_the_longest_way():
    graph = plan([Material.from_name("KPKP"), Material.from_name("KQPK")])
    assert graph.waiting_seconds() == pytest.approx(
        {material: longest_way(graph, material) for material in graph}
    )


def test_the_critical_path_is_a_way_and_as_long_as_the_longest(five):
    path = five.critical_path()
    assert path[0].name == "KK"
    for needed, material in pairwise(path):
        assert needed in five[material].subtables
    assert sum(five[material].seconds for material in path) == pytest.approx(
        max(five.waiting_seconds().values())
    )
    assert plan([]).critical_path() == ()


def test_the_critical_path_follows_the_costs():
    graph = plan([KPK])
    for name in ("KBK", "KQK"):
        slow = tuple(
            replace(build, seconds=1000.0 if build.material.name == name else 1.0)
            for build in graph.builds
        )
        assert [m.name for m in BuildGraph(slow).critical_path()] == ["KK", name, "KPK"]


def test_json_tells_everything(five):
    told = json.loads(json.dumps(five.as_dict()))
    assert told["tables"] == len(told["builds"]) == 146
    assert told["critical_path"] == [material.name for material in five.critical_path()]
    for build in told["builds"]:
        material = Material.from_name(build["material"])
        assert build["subtables"] == [needed.name for needed in material.dependencies()]
        assert build["slots"] == five[material].slots


def test_dot_has_a_node_a_table_and_an_arrow_a_sub_table(five):
    lines = five.as_dot().splitlines()
    assert lines[0] == "digraph builds {"
    assert lines[-1] == "}"
    arrows = [line for line in lines if "->" in line]
    assert len(arrows) == sum(len(build.subtables) for build in five.builds)
    assert "  KK -> KQK" in five.as_dot()
    assert sum("color=red" in line for line in arrows) == len(five.critical_path()) - 1


@pytest.mark.parametrize(
    ("names", "game", "metrics"),
    [
        (["KRK", "KQQKR"], "", (DTM, DTZ)),
        (["KRK", "KQQKRR"], "", (DTM,)),
        (["KRK"], "kingofthehill", (DTM, DTZ)),
        (["KPK", "KQRKB"], "gardner", (DTM, DTZ)),
        (["KRK"], "shatranj", (DTM,)),
        (["KRK"], "makruk", (DTM,)),
    ],
)
def test_both_metrics_are_built_where_they_can_be(names, game, metrics):
    """As `tablebase build --help` says."""
    rules = built_in_rules()[game] if game else CHESS
    assert default_metrics([Material.from_name(name, rules) for name in names]) == metrics
