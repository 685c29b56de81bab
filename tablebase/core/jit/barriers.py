"""Threads that run the same kernel together, and wait for each other."""

from __future__ import annotations

from tablebase.core.jit.instructions import fetch_add, yield_thread
from tablebase.core.jit.kernels import kernel

SPINS_BEFORE_YIELD = 2000


@kernel
def barrier(sync, team):
    """Wait until every thread of the team is here.

    Threads share `sync`, with `arrivals` int64 [1]; each has its `team`, with the number of
    `threads` and `barriers` int64 [1]; both counters are zero at first.
    """
    team.barriers[0] += 1
    if team.threads == 1:
        return
    goal = team.barriers[0] * team.threads
    fetch_add(sync.arrivals, 0, 1)
    spins = 0
    while fetch_add(sync.arrivals, 0, 0) < goal:
        spins += 1
        if spins > SPINS_BEFORE_YIELD:
            yield_thread()
