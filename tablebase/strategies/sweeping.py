"""The kernels of proofs: positions become known ply by ply, from what they lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.core.jit.kernels import entry

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEVER = np.iinfo(np.int16).max  # plies that no game takes
OUTSIDE = -1  # a move that leads to no position of the graph
_NEVER = np.int16(NEVER)


class Arcs(NamedTuple):
    """The moves of a side from the positions that keep the goal within reach.

    They lead to slots of positions of the other side, or OUTSIDE. A move counts as known to reach
    the goal once the position after it is, and not before `plies`, which alone count for OUTSIDE:
    NEVER if it gives the goal away.
    """

    slots: NDArray[np.int64]  # [n] ascending
    starts: NDArray[np.int64]  # [n + 1] moves starts[i] to starts[i + 1] are those of position i
    child: NDArray[np.int32]  # [moves]
    plies: NDArray[np.int16]  # [moves]
    # Only of the side that follows a strategy.
    move: NDArray[np.int32]  # [moves] see `game_graph.code_of`
    rule: NDArray[np.int16]  # [n] which rule allows the moves, -1 for none; [0] without rules

    def of(self, slot: int) -> range:
        """Return the numbers of the moves of a position, none if it is not among the slots."""
        row = int(np.searchsorted(self.slots, slot))
        if row == len(self.slots) or self.slots[row] != slot:
            return range(0)
        return range(int(self.starts[row]), int(self.starts[row + 1]))

    def only(self, chosen: NDArray[np.bool_], rows: NDArray[np.bool_]) -> Arcs:
        """Return the chosen moves, bool [moves], of some positions, bool [n]."""
        counts = np.diff(np.append(0, np.cumsum(chosen))[self.starts])
        starts = np.append(0, np.cumsum(counts[rows]))
        chosen = chosen & np.repeat(rows, np.diff(self.starts))
        child, plies, move = self.child[chosen], self.plies[chosen], self.move[chosen]
        return Arcs(self.slots[rows], starts, child, plies, move, self.rule)


def spread(
    arcs: tuple[Arcs, Arcs],
    plies: tuple[NDArray[np.int16], NDArray[np.int16]],
    every: tuple[bool, bool],
    known: NDArray[np.int16],
) -> None:
    """Write to `known`, int16 [2, slots], in how many plies positions are known, by side.

    `plies` are in place of those of the arcs. Known positions begin with their plies, all others
    are NEVER.
    """
    waiting = [np.flatnonzero(known[side][one.slots] == NEVER) for side, one in enumerate(arcs)]
    last = max(int(one[one < NEVER].max(initial=0)) for one in plies)
    ply, idle = 0, 0
    while idle < 2 or ply <= last:
        ply += 1
        idle += 1
        for side, one in enumerate(arcs):
            both = known if side == 0 else known[::-1]
            given = one.slots, one.starts, one.child, plies[side]
            left = _sweep(*given, waiting[side], every[side], np.int16(ply), both)
            if left < len(waiting[side]):
                waiting[side], idle = waiting[side][:left], 0


@entry
def _sweep(slots, starts, child, plies, waiting, every, ply, known):
    """Find the positions that become known in a ply; return how many are still `waiting`.

    `waiting` int64 [n] are rows, moved together. `known` is int16 [2, slots], of the side to move
    and the other one. A row needs `every` move known, one at least, or else any of them.
    """
    left = 0
    for i in range(len(waiting)):
        row = waiting[i]
        found = False
        for move in range(starts[row], starts[row + 1]):
            after = child[move]
            found = plies[move] < ply and (after < 0 or known[1, after] < ply)
            if found != every:
                break
        if found:
            known[0, slots[row]] = ply
        else:
            waiting[left] = row
            left += 1
    return left


def shortest_cycle(
    arcs: tuple[Arcs, Arcs],
    is_open: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    roots: NDArray[np.int64],
) -> int | None:
    """Return the slot of one of some rows that lies on a shortest cycle through open positions.

    `is_open` is bool [slots], by side; None if no cycle leads through the rows.
    """
    follower, other = arcs
    rows = len(follower.slots)
    seen, queue = np.full(rows, -1, dtype=np.int64), np.empty(rows, dtype=np.int64)
    for rounds in range(1, 1 + rows):
        seen[:] = -1
        row = _shortest_cycle(
            follower[:3], is_open[0], other[:3], is_open[1], roots, rounds, seen, queue
        )
        if row >= 0:
            return int(follower.slots[row])
    return None


@entry
def _shortest_cycle(follower, follower_open, other, other_open, roots, rounds, seen, queue):
    """Return one of the `roots`, rows, on a cycle of up to a number of rounds, or -1.

    `follower` and `other` are (slots, starts, child) of both sides, `open` uint8 [slots] says which
    positions a cycle may use. `seen` int64 [rows] and `queue` int64 [rows] are work space.
    """
    slots, starts, child = follower
    other_slots, other_starts, other_child = other
    for root in roots:
        first, last, depth = 0, 1, 0
        queue[0] = root
        while first < last and depth < rounds:
            depth += 1
            end = last
            for i in range(first, end):
                row = queue[i]
                for move in range(starts[row], starts[row + 1]):
                    after = child[move]
                    if after < 0 or not other_open[after]:
                        continue
                    at = np.searchsorted(other_slots, after)
                    for reply in range(other_starts[at], other_starts[at + 1]):
                        back = other_child[reply]
                        if back < 0 or not follower_open[back]:
                            continue
                        there = np.searchsorted(slots, back)
                        if there == root:
                            return root
                        if seen[there] != root:
                            seen[there] = root
                            queue[last] = there
                            last += 1
            first = end
    return -1
