"""Threads that solve a structure together: the planes that each of them gets.

The work is a number of *phases*, loops over the planes, which end for all threads at once. A phase
in which moves write to planes gives each thread all planes with the same squares of the other side,
so that no two threads write to one plane.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.jit.barriers import barrier
from tablebase.core.jit.instructions import fetch_add
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.solve.kernels.king_planes import BLACK, WHITE

# In place of a side: planes are written to by nobody else.
NO_SIDE = -1
# A phase has at most MOST_TASKS tasks. A task has at least LEAST_WIDTH planes next to each other.
MOST_TASKS, LEAST_WIDTH = 64, 4
# Counters of tasks, used by phases in turn.
COUNTERS = 4


class _Walk(NamedTuple):
    """A thread's place in a phase. A task has strips of planes, each as wide as the others."""

    TASK: int = 0
    PLANE: int = 1
    END: int = 2  # of the strip
    STRIPS: int = 3  # that follow
    STEP: int = 4  # from strip to strip
    WIDTH: int = 5  # of a strip


Walk = _Walk()


class SyncFields(NamedTuple):
    """Counters that the threads share."""

    tasks: NDArray[np.int64]  # [COUNTERS] the next task of a phase
    arrivals: NDArray[np.int64]  # [1] how often threads came to a barrier
    counts: NDArray[np.int64]  # [2, threads] what is added up


class TeamFields(NamedTuple):
    """A thread's place among the threads, and its own counters."""

    thread: int
    threads: int
    barriers: NDArray[np.int64]  # [1] that it passed
    phase: NDArray[np.int64]  # [1] phases that ended
    walk: NDArray[np.int64]  # [Walk] its place in the phase


def new_sync(threads: int) -> KernelRecord:
    """Return a record of `SyncFields` for a number of threads."""

    def zeros(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    return KernelRecord(SyncFields(zeros(COUNTERS), zeros(1), zeros(2, threads)))


def new_team(thread: int, threads: int) -> KernelRecord:
    """Return a record of `TeamFields` for one of some threads."""
    return KernelRecord(
        TeamFields(
            thread=thread,
            threads=threads,
            barriers=np.zeros(1, dtype=np.int64),
            phase=np.zeros(1, dtype=np.int64),
            walk=np.array([-1, -1, 0, 0, 0, 0]),
        )
    )


@kernel
def next_plane(work, side):
    """Return the next plane of a phase for a thread, -1 when the phase has ended for all threads.

    Pieces of `side` stand on the same squares in all planes that are written to; NO_SIDE if each
    plane is written to separately.
    """
    walk = work.team.walk
    walk[Walk.PLANE] += 1
    if walk[Walk.PLANE] < walk[Walk.END]:
        return walk[Walk.PLANE]
    if walk[Walk.STRIPS] > 0:
        walk[Walk.STRIPS] -= 1
        walk[Walk.END] += walk[Walk.STEP]
        walk[Walk.PLANE] = walk[Walk.END] - walk[Walk.WIDTH]
        return walk[Walk.PLANE]
    return _next_task(work, side)


@kernel
def _next_task(work, side):
    """Return the first plane of another task; -1 at the end of the phase, if there is none."""
    walk, team, sync = work.team.walk, work.team, work.sync
    if team.threads == 1:
        walk[Walk.TASK] += 1
    else:
        walk[Walk.TASK] = fetch_add(sync.tasks, team.phase[0] % COUNTERS, 1)
    if _enter_task(work, side, walk[Walk.TASK]):
        return walk[Walk.PLANE]
    walk[Walk.TASK], walk[Walk.PLANE], walk[Walk.END] = -1, -1, 0
    barrier(sync, team)
    team.phase[0] += 1
    if team.thread == 0:
        sync.tasks[(team.phase[0] + 2) % COUNTERS] = 0  # nobody is there
    return np.int64(-1)


@kernel
def _enter_task(work, side, task):
    """Write the strips of a task; return whether there is such a task."""
    walk, men = work.team.walk, work.here
    black = np.int64(0)
    for i in range(men.size[0]):
        black += men.codes[i] // 4
    low, planes = 1 << (6 * (men.size[0] - black)), 1 << (6 * men.size[0])
    groups, group = planes, np.int64(1)  # which are to be kept together, and how large they are
    if side == BLACK:
        groups, group = planes // low, low
    elif side == WHITE:
        groups = low
    width = groups
    if work.team.threads > 1:
        width = max(groups // MOST_TASKS, min(groups, LEAST_WIDTH))
    if task * width >= groups:
        return False
    width *= group
    walk[Walk.STRIPS] = planes // low - 1 if side == WHITE else 0
    walk[Walk.STEP], walk[Walk.WIDTH] = low, width
    walk[Walk.PLANE] = task * width
    walk[Walk.END] = walk[Walk.PLANE] + width
    return True


@kernel
def add_up(work, count):
    """Return the sum of the counts of all threads."""
    team, sync = work.team, work.sync
    if team.threads == 1:
        return np.int64(count)
    row = team.barriers[0] & 1
    sync.counts[row, team.thread] = count
    barrier(sync, team)
    total = np.int64(0)
    for thread in range(team.threads):
        total += sync.counts[row, thread]
    return total
