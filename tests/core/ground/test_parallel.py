"""Work on threads: order, bounds, and how it ends."""

import threading

import pytest

from tablebase.core.ground.parallel import (
    default_threads,
    map_blocks,
    map_on_threads,
    run_blocks,
    with_deadline,
)


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_results_come_in_order(threads):
    assert list(map_on_threads(lambda number: number**2, range(100), threads)) == [
        number**2 for number in range(100)
    ]


@pytest.mark.parametrize(("numbers", "size"), [(range(10), 3), (range(4, 9), 5), (range(0), 1)])
def test_blocks_cover_all_numbers_once(numbers, size):
    blocks = list(map_blocks(lambda block: block, numbers, size, 2))
    assert [one for block in blocks for one in block] == list(numbers)
    assert all(len(block) == size for block in blocks[:-1])
    seen = set()
    run_blocks(seen.update, numbers, size, 2)
    assert seen == set(numbers)


def test_a_function_has_a_deadline():
    never = threading.Event()
    with pytest.raises(TimeoutError):
        with_deadline(0.1, never.wait)
    never.set()  # its thread ends
    assert with_deadline(600, lambda: 7) == 7
    with pytest.raises(KeyError, match="lost"):
        with_deadline(600, lambda: {}["lost"])


def test_few_items_are_taken_ahead():
    taken = []
    items = (taken.append(number) or number for number in range(100))
    results = map_on_threads(lambda number: number, items, 2, ahead=3)
    assert next(results) == 0
    assert len(taken) == 7
    results.close()


@pytest.mark.parametrize("inside", [True, False])
def test_what_was_not_begun_is_dropped(inside):
    before, begun = threading.active_count(), []

    def work(number):
        begun.append(number)
        if inside and number == 5:
            raise KeyboardInterrupt

    def use():
        for number, _ in enumerate(map_on_threads(work, range(1000), 1, ahead=100)):
            if number == 5:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        use()
    assert len(begun) < 200
    assert threading.active_count() == before


def test_there_is_a_thread():
    assert default_threads() >= 1
