"""Threads that work together: barriers, tasks and a common report.

Every thread runs the same kernel; what they share lies in `Sync`, what is each one's own in
`Team`. A phase of work is a number of tasks, taken from an atomic counter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.core.jit.barriers import barrier
from tablebase.core.jit.instructions import fetch_add
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.records import KernelRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEFORE_FIRST = np.int64(-1)  # of all tasks
PLANES_PER_TASK = 64
MAX_PHASES = 4096  # of a slice
CANCEL, PLY, SLICES_DONE, EPOCHS, UNFINISHED = 0, 1, 2, 3, 4
STATES = 5
NOTHING, FOUND, STOP = 0, 1, 2


class Sync(NamedTuple):
    """What threads share to work together."""

    tasks: NDArray[np.int64]  # [phases] next task of each phase of the work
    arrivals: NDArray[np.int64]  # [1] how often threads reached a barrier
    reports: NDArray[np.int64]  # [4, threads] NOTHING, FOUND or STOP, by the ply modulo 4:
    # a thread may be a ply ahead of one that still reads
    last_ply: NDArray[np.int64]  # [threads] last ply that a move out of the slice may bring
    state: NDArray[np.int64]  # [CANCEL, PLY, SLICES_DONE, EPOCHS, UNFINISHED] for the thread
    # that waits; unfinished is a slice that would need more epochs than there are


class Team(NamedTuple):
    """A thread's place in the team that solves a slice together, and its own counters."""

    thread: int
    threads: int
    phase: NDArray[np.int64]  # [1] phases begun
    barriers: NDArray[np.int64]  # [1] barriers passed


@kernel
def begin_phase(team):
    """Begin a `phase` of work; return its number."""
    team.phase[0] += 1
    return team.phase[0]


@kernel
def claim_task(sync, team, phase, previous):
    """Return the next of the `tasks` of a phase; `previous` is the last task or -1."""
    if team.threads == 1:
        return previous + 1
    return fetch_add(sync.tasks, phase, 1)


@kernel
def agree_on_report(sync, team, ply, found):
    """Return whether a ply had results or all must stop, with one answer for the whole team.

    Threads tell one another by `reports`; `state` has the order to stop.
    """
    report = FOUND if found else NOTHING
    if team.thread == 0 and sync.state[CANCEL]:
        report = STOP
    sync.reports[ply & 3, team.thread] = report
    barrier(sync, team)
    for thread in range(team.threads):
        report = max(report, sync.reports[ply & 3, thread])
    return report


def make_sync(threads: int, state: NDArray[np.int64], slices: int = 1) -> KernelRecord:
    """Return a new record of `Sync` for a number of threads, and of slices that they solve."""
    sync = Sync(
        tasks=np.zeros(MAX_PHASES * slices, dtype=np.int64),
        arrivals=np.zeros(1, dtype=np.int64),
        reports=np.zeros((4, threads), dtype=np.int64),
        last_ply=np.zeros(threads, dtype=np.int64),
        state=state,
    )
    return KernelRecord(sync)


def make_team(thread: int, threads: int) -> KernelRecord:
    """Return a new record of `Team`."""
    team = Team(
        thread=thread,
        threads=threads,
        phase=np.zeros(1, dtype=np.int64),
        barriers=np.zeros(1, dtype=np.int64),
    )
    return KernelRecord(team)
