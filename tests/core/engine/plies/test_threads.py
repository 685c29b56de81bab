"""Threads that share tasks, wait for each other and agree."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tablebase.core.engine.plies.threads import (
    BEFORE_FIRST,
    CANCEL,
    FOUND,
    NOTHING,
    STOP,
    agree_on_report,
    barrier,
    begin_phase,
    claim_task,
    make_sync,
    make_team,
)
from tablebase.core.jit.instructions import fetch_add
from tablebase.core.jit.kernels import kernel

TASKS = 500


@kernel
def share(sync, team, counts, sums):
    """Count in each of ten phases every task once; note in `sums` what was done before it."""
    for round_ in range(10):
        phase = begin_phase(team)
        task = claim_task(sync, team, phase, BEFORE_FIRST)
        while task < len(counts):
            fetch_add(counts, task, 1)
            task = claim_task(sync, team, phase, task)
        barrier(sync, team)
        if team.thread == 0:
            sums[round_] = counts.sum()
        barrier(sync, team)


def run(threads, function):
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, range(threads)))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_task_is_done_once_and_before_the_barrier(threads):
    sync = make_sync(threads, np.zeros(3, dtype=np.int64))
    counts, sums = np.zeros(TASKS, dtype=np.int64), np.zeros(10, dtype=np.int64)
    run(threads, lambda thread: share(sync, make_team(thread, threads), counts, sums))
    assert (counts == 10).all()
    assert sums.tolist() == [TASKS * n for n in range(1, 11)]


@pytest.mark.parametrize("cancelled", [False, True])
@pytest.mark.parametrize("found", [(False, False), (False, True), (True, False)])
def test_threads_agree(found, cancelled):
    state = np.zeros(3, dtype=np.int64)
    state[CANCEL] = cancelled
    sync = make_sync(2, state)
    reports = run(2, lambda n: agree_on_report(sync, make_team(n, 2), np.int64(5), found[n]))
    assert reports == [STOP if cancelled else FOUND if any(found) else NOTHING] * 2
