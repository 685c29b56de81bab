"""Schedules: no build before its sub-tables, no worker at two builds, known bounds hold."""

from itertools import pairwise

import pytest

from tablebase.core.building.graph import plan
from tablebase.core.building.schedule import simulate
from tablebase.core.rules.material import all_materials


@pytest.fixture(scope="module")
def graph():
    return plan(all_materials(5))


@pytest.fixture(scope="module", params=[1, 2, 7, 64])
def schedule(graph, request):
    return simulate(graph, request.param)


def test_everything_is_built_once(graph, schedule):
    assert sorted(one.material.name for one in schedule.assignments) == sorted(
        m.name for m in graph
    )
    for one in schedule.assignments:
        assert one.end - one.start == pytest.approx(graph[one.material].seconds)


def test_sub_tables_are_finished_before(graph, schedule):
    end = {one.material: one.end for one in schedule.assignments}
    for one in schedule.assignments:
        assert all(end[needed] <= one.start for needed in graph[one.material].subtables)


def test_a_worker_builds_one_table_at_a_time(schedule):
    for worker in range(schedule.workers):
        own = sorted(
            (one for one in schedule.assignments if one.worker == worker), key=lambda one: one.start
        )
        assert all(before.end <= after.start for before, after in pairwise(own))


def test_bounds(graph, schedule):
    """No faster than the work shared out or the longest way, no slower than Graham's bound."""
    longest = max(graph.waiting_seconds().values())
    shared = graph.seconds / schedule.workers
    assert schedule.seconds >= max(longest, shared) * (1 - 1e-9)
    assert schedule.seconds <= shared + longest * (1 - 1 / schedule.workers) + 1e-6
    assert schedule.efficiency == pytest.approx(shared / schedule.seconds)


def test_overhead_is_added_to_each_build(graph):
    alone = simulate(graph, 1).seconds
    assert simulate(graph, 1, overhead=2.0).seconds == pytest.approx(alone + 2 * len(graph))


def test_nothing_takes_no_time():
    empty = simulate(plan([]), 4)
    assert (empty.seconds, empty.efficiency) == (0.0, 1.0)


def test_nobody_builds_nothing(graph):
    with pytest.raises(ValueError, match="at least one worker"):
        simulate(graph, 0)
