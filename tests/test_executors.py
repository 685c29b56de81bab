"""This machine as executor: limits of memory, what others finished, what is told."""

import pytest

from tablebase import executors
from tablebase.errors import TablebaseError
from tablebase.executors import LocalExecutor, Tally, available_memory, kept_memory
from tablebase.generate import generate, survey
from tablebase.material import Material, all_materials

KRK, KRRK = Material.from_name("KRK"), Material.from_name("KRRK")


def test_memory_that_is_not_allowed(tmp_path):
    with pytest.raises(TablebaseError, match=r"building KK takes up to .* raise --memory"):
        LocalExecutor(memory=1).check(survey([KRK], tmp_path))


def test_memory_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "available_memory", lambda: 1)
    with pytest.raises(TablebaseError, match="close other programs"):
        LocalExecutor().check(survey([KRK], tmp_path))


def test_memory_that_nobody_knows_is_enough(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "available_memory", lambda: None)
    LocalExecutor().check(survey([KRK], tmp_path))


def test_some_memory_is_available():
    assert available_memory() is None or available_memory() > 10_000_000


def test_what_another_process_finished_in_the_meantime_stays(tmp_path):
    steps = survey([KRK], tmp_path)
    generate([KRK], tmp_path)
    told = []
    built = LocalExecutor().execute(steps, force=False, report=told.append)
    assert [table.seconds for table in built] == [None, None]
    assert [(event.number, event.stage) for event in told] == [(1, None), (2, None)]
    again = LocalExecutor().execute(steps, force=True, report=None)
    assert all(table.seconds is not None for table in again)


def test_nothing_to_do(tmp_path):
    assert LocalExecutor().execute([], force=False, report=None) == []
    assert generate([], tmp_path) == []


def test_a_tally_counts_tables_and_positions(tmp_path):
    steps = survey([KRRK], tmp_path)
    told = []
    tally = Tally(steps, told.append)
    for step in steps:
        tally.finish(step.material, "somebody")
    assert [event.number for event in told] == [1, 2, 3]
    assert [event.positions for event in told] == [
        sum(step.positions for step in steps[: count + 1]) for count in range(3)
    ]
    assert {event.worker for event in told} == {"somebody"}


def test_tables_of_up_to_four_men_are_kept():
    materials = [*all_materials(2), *all_materials(3), Material.from_name("KRRRK"), KRRK]
    kept = kept_memory(materials, [1] * len(materials))
    assert kept == [0, 1, 2, 3, 4, 5, 6, 6]
