"""Values of small graphs, compared with those of games that end after a number of plies."""

import numpy as np
import pytest
from support.zeroing import before, preference

from tablebase.core.castling.graph_values import solve_graph
from tablebase.core.outcomes.metrics import NO_MOVE
from tablebase.core.outcomes.metrics import preference as preference_of


def by_rounds(edges, exits):
    """Return the outcomes of a graph: of the game that is a draw after 1, 2, ... plies."""
    values = [0] * len(edges)
    while True:
        found = []
        for targets, out in zip(edges, exits, strict=True):
            moves = [before(values[target], zeroing=False) for target in targets]
            found.append(max(moves + ([] if out is None else [out]), key=preference))
        if found == values:
            return values
        values = found


@pytest.mark.parametrize("seed", range(40))
def test_values_are_those_of_longer_and_longer_games(seed):
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(1, 60))
    edges = [rng.integers(0, nodes, rng.integers(0, 4)).tolist() for _ in range(nodes)]
    kinds = [lambda: None, lambda: 0, lambda: 1 + 2 * int(rng.integers(20)),
             lambda: ~(2 * int(rng.integers(20)))]  # fmt: skip
    exits = [kinds[rng.choice(4, p=(0.5, 0.1, 0.1, 0.3))]() for _ in range(nodes)]
    exits = [(~0 if rng.random() < 0.5 else 0) if out is None and not targets else out
             for out, targets in zip(exits, edges, strict=True)]  # fmt: skip
    starts = np.cumsum([0, *map(len, edges)]).astype(np.int32)
    targets = np.array([one for row in edges for one in row], dtype=np.int32)
    worth = [NO_MOVE if out is None else preference_of(out) for out in exits]
    found = solve_graph(starts, targets, np.array(worth, dtype=np.int32))
    assert found.tolist() == by_rounds(edges, exits)
