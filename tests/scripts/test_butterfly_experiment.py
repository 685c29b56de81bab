"""The experiment with butterfly boards counts what it says."""

from itertools import permutations

import numpy as np
import pytest

from scripts import butterfly_experiment as experiment
from tablebase.core.moves.legal_moves import Moves
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.subtables import read_subtables


def moves_of(*positions):
    """Return moves of positions, each told by which of its moves are best."""
    total = sum(map(len, positions))
    zeros = np.zeros(total, dtype=np.uint8)
    return Moves(
        white_to_move=True,
        slots=np.arange(len(positions)),
        self_images=np.zeros(len(positions), dtype=np.bool_),
        starts=np.cumsum([0, *map(len, positions)]),
        origin=zeros,
        target=zeros,
        promotion=zeros,
        best=np.array([best for moves in positions for best in moves], dtype=np.bool_),
        preference=zeros.astype(np.int16),
    )


@pytest.mark.parametrize("best", [(1, 0, 0, 0), (1, 1, 0, 0, 0, 0), (1, 1), (0, 0, 1)])
def test_the_random_order_is_the_mean_of_all_orders(best):
    orders = list(permutations(best))
    means = [np.mean([any(order[:k]) for order in orders]) for k in experiment.FIRST]
    moves = moves_of((1,), (), best)
    found = experiment._found(moves, np.zeros(len(best) + 1))[2]
    assert np.allclose(found[:-1], means)
    assert np.isclose(found[-1], np.mean([order.index(1) + 1 for order in orders]))


def test_the_first_moves_are_those_with_the_largest_scores():
    moves = moves_of((0, 0, 1, 0), (1, 0))
    scores = np.array([4.0, 3.0, 2.0, 1.0, 5.0, 6.0])
    found = experiment._found(moves, scores)
    assert found.tolist() == [[0, 0, 1, 1, 3], [0, 1, 1, 1, 2]]


def test_moves_with_equal_scores_come_in_any_order():
    moves = moves_of((0, 0, 1, 0))
    found = experiment._found(moves, np.array([4.0, 2.0, 2.0, 1.0]))
    assert found.tolist() == [[0, 0.5, 1, 1, 2.5]]


def test_the_table_has_mean_and_largest_deviation():
    measured = {"White, random": [[0.1, 0.2, 0.3, 0.4, 4], [0.2, 0.2, 0.3, 0.4, 6]]}
    *_, row = experiment.markdown("KRK", measured).splitlines()
    assert (
        row == "| White, random | 15.0 ± 5.0 | 20.0 ± 0.0 | 30.0 ± 0.0 | 40.0 ± 0.0 | 5.0 ± 1.0 |"
    )


@pytest.mark.thorough
def test_the_halves_are_disjoint_and_better_than_chance():
    table = read_table("data/KRK.h5")
    trial = experiment.Experiment(table, read_subtables(table.material, "data"), seed=1)
    seen = [
        {(moves.white_to_move, slot) for moves, chosen in chunks for slot in moves.slots[chosen]}
        for chunks in (trial.chunks(learning=True), trial.chunks(learning=False))
    ]
    assert not seen[0] & seen[1]
    assert sum(map(len, seen)) == 21_959 + 25_260 - 27  # all decisive ones but checkmates
    for by_order in trial.measure(trial.learn()).values():
        for name, shares in by_order.items():
            assert (np.diff(shares[:-1]) >= 0).all()
            assert 1 <= shares[-1] < 12
            assert name == "random" or shares[0] > by_order["random"][0]
