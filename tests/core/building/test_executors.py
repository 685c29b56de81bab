"""This machine as executor: limits of memory, what others finished, what is told."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from support.waiting import PATIENCE

from tablebase.core.building import executors
from tablebase.core.building.builder import Built, Header, Stage, save_table, solve_table
from tablebase.core.building.executors import LocalExecutor
from tablebase.core.building.generator import generate
from tablebase.core.building.progress import ProgressCounter
from tablebase.core.building.steps import kept_memory, plan_steps
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.storage.memory import available_memory
from tablebase.core.storage.table_names import table_path

KRK, KRRK = Material.from_name("KRK"), Material.from_name("KRRK")


def test_memory_that_is_not_allowed(tmp_path):
    with pytest.raises(TablebaseError, match=r"building KK takes about .* raise --memory"):
        LocalExecutor(memory=1).check(plan_steps([KRK], tmp_path))


def test_memory_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "available_memory", lambda: 1)
    with pytest.raises(TablebaseError, match="close other programs"):
        LocalExecutor().check(plan_steps([KRK], tmp_path))


def test_memory_that_nobody_knows_is_enough(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "available_memory", lambda: None)
    LocalExecutor().check(plan_steps([KRK], tmp_path))


def test_some_memory_is_available():
    assert available_memory() is None or available_memory() > 10_000_000


def test_what_another_process_finished_in_the_meantime_stays(tmp_path):
    steps = plan_steps([KRK], tmp_path)
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


def test_progress_is_counted_in_tables_and_estimated_seconds(tmp_path):
    steps = plan_steps([KRRK], tmp_path)
    told = []
    counter = ProgressCounter(steps, told.append)
    for step in steps:
        counter.tell(step.material, Stage.SOLVING)
        counter.finish(Built(step.material, step.path, 1.0, Header()), "somebody")
    begun, finished = told[::2], told[1::2]
    assert [event.number for event in finished] == [1, 2, 3]
    for count, event in enumerate(finished, 1):
        assert event.seconds == pytest.approx(sum(step.build.seconds for step in steps[:count]))
        assert event.part_done == 0
        assert event.built.material == event.material
    for event, step in zip(begun, steps, strict=True):
        assert 0 <= event.part_done <= step.build.seconds
    assert {event.worker for event in finished} == {"somebody"}


def test_listeners_are_called_by_one_thread_at_a_time(tmp_path):
    """A table is saved in another thread than the next one is solved in."""
    first, second = plan_steps([KRRK], tmp_path)[:2]
    here, together = Event(), Event()

    def listener(event):
        if event.material == first.material:
            here.set()
            assert not together.wait(0.1)
        else:
            together.set()

    counter = ProgressCounter([first, second], listener)
    with ThreadPoolExecutor(2) as pool:
        solving = pool.submit(counter.tell, first.material, Stage.SOLVING)
        assert here.wait(PATIENCE)
        pool.submit(counter.tell, second.material, Stage.WRITING).result()
        solving.result()


def test_a_table_is_solved_while_the_one_before_is_saved(tmp_path, monkeypatch):
    krk_is_solved = Event()

    def wait_for_krk(table, *arguments):
        assert table.material == KRK or krk_is_solved.wait(PATIENCE)
        return save_table(table, *arguments)

    def solve_and_tell(material, *arguments):
        table = solve_table(material, *arguments)
        if material == KRK:
            krk_is_solved.set()
        return table

    monkeypatch.setattr(executors, "save_table", wait_for_krk)
    monkeypatch.setattr(executors, "solve_table", solve_and_tell)
    built = LocalExecutor().execute(
        plan_steps([KRK], tmp_path, metrics=[DTM]), force=False, report=None
    )
    assert [one.material.name for one in built] == ["KK", "KRK"]
    assert all(one.seconds > 0 for one in built)


def test_without_memory_to_spare_tables_are_saved_first(tmp_path, monkeypatch):
    steps = plan_steps([KRK], tmp_path)
    most = max(step.memory for step in steps)

    def solve_and_look(material, *arguments):
        assert material != KRK or table_path(tmp_path, Material()).exists()
        return solve_table(material, *arguments)

    monkeypatch.setattr(executors, "solve_table", solve_and_look)
    LocalExecutor(memory=most).execute(steps, force=False, report=None)


def test_an_error_of_saving_ends_the_run(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(executors, "save_table", fail)
    with pytest.raises(OSError, match="No space"):
        LocalExecutor().execute(plan_steps([KRRK], tmp_path), force=False, report=None)
    assert not list(tmp_path.iterdir())


def test_tables_of_up_to_four_men_are_kept():
    materials = [*all_materials(2), *all_materials(3), Material.from_name("KRRRK"), KRRK]
    kept = kept_memory(materials, [1] * len(materials))
    assert kept == [0, 1, 2, 3, 4, 5, 6, 6]
