"""The values of a small graph of positions, whatever game they are of.

A node is a position, an edge a move from node to node that takes one ply. All other moves lead out
of the graph, and only the best of these counts. Values are found from the shortest distance to the
longest: a node is won one ply after a move leads to a lost node, and lost as soon as every move
leads to a won one. What is never reached is a draw.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.core.jit.kernels import entry
from tablebase.core.outcomes.metrics import DRAW_PREFERENCE, HORIZON, NO_MOVE

_NONE = np.int32(-1)


def solve_graph(
    starts: NDArray[np.int32], targets: NDArray[np.int32], exits: NDArray[np.int32]
) -> NDArray[np.int16]:
    """Return the outcome of each node, int16 [nodes].

    The edges of node i are ``targets[starts[i] : starts[i + 1]]``, int32. `exits` int32 [nodes] is
    the preference of the best way out, `NO_MOVE` if there is none; a node without any move has the
    preference of what it is, checkmate or a draw. Here two nodes lead to each other, and from the
    second one a move gives mate:

    >>> edges = np.array([0, 1, 2], np.int32), np.array([1, 0], np.int32)
    >>> solve_graph(*edges, np.array([NO_MOVE, HORIZON - 1], np.int32)).tolist()
    [-3, 1]
    """
    nodes = len(exits)
    back = np.zeros(nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(targets, minlength=nodes), out=back[1:])
    sources = np.empty(len(targets), dtype=np.int32)
    _reverse(starts, targets, back[:-1].copy(), sources)
    outcomes = np.zeros(nodes, dtype=np.int16)
    left = np.diff(starts).astype(np.int32)
    due = np.full(nodes, HORIZON, dtype=np.int32)
    heads = np.full(HORIZON + 1, _NONE, dtype=np.int32)
    queued = np.empty((2 * nodes + 1, 2), dtype=np.int32)
    _solve(back, sources, exits, left, due, heads, queued, outcomes)
    return outcomes


@entry
def _reverse(starts, targets, places, sources):
    """Write sources int32 [edges]: where edges come from, by the nodes that they lead to.

    ``places[i]`` int64 is where those that lead to node i begin; it is moved on.
    """
    for node in range(len(starts) - 1):
        for edge in range(starts[node], starts[node + 1]):
            place = places[targets[edge]]
            sources[place] = node
            places[targets[edge]] = place + 1


@entry
def _solve(back, sources, exits, left, due, heads, queued, outcomes):
    """Write outcomes int16 [nodes], which are 0.

    The nodes with an edge to node i are ``sources[back[i] : back[i + 1]]``; `left` int32 [nodes] is
    how many edges of a node lead to nodes not known to be won; `due` int32 [nodes] the plies in
    which it is known to be won. ``heads[plies]`` int32 is the last node queued for a distance, a
    row of `queued` int32 [2 nodes + 1, 2] a node and the row before it.
    """
    count = np.int32(0)
    for node in range(len(exits)):
        exit_value = exits[node]
        if exit_value > DRAW_PREFERENCE:
            first = np.int64(HORIZON - exit_value)
            due[node] = first
        elif exit_value < DRAW_PREFERENCE and left[node] == 0 and exit_value != NO_MOVE:
            first = np.int64(HORIZON + exit_value)
        else:
            continue
        queued[count, 0], queued[count, 1] = node, heads[first]
        heads[first] = count
        count += 1
    for plies in range(HORIZON):
        row = heads[plies]
        while row >= 0:
            node, row = queued[row, 0], queued[row, 1]
            if outcomes[node] != 0:
                continue
            is_won = due[node] != HORIZON
            outcomes[node] = plies if is_won else ~plies
            for edge in range(back[node], back[node + 1]):
                source = sources[edge]
                later = np.int64(plies + 1)
                if is_won:
                    left[source] -= 1
                    exit_value = exits[source]
                    if left[source] > 0 or due[source] != HORIZON or exit_value == DRAW_PREFERENCE:
                        continue
                    if exit_value != NO_MOVE:
                        later = max(later, np.int64(HORIZON + exit_value))
                elif due[source] > later:
                    due[source] = later
                else:
                    continue
                queued[count, 0], queued[count, 1] = source, heads[later]
                heads[later] = count
                count += 1
