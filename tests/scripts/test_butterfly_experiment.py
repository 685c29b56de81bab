"""The experiment with butterfly boards counts what it says."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from measurement import load

from scripts import butterfly_experiment as experiment
from tablebase.core.moves.legal_moves import Moves
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.subtables import read_subtables


def test_the_page_says_how_often_the_first_guess_was_right():
    found = load("butterfly")["results"]["materials"]

    def right(name, order):
        return round(100 * np.mean([one[0] for one in found[name][f"White, {order}"]]))

    page = Path(__file__).parents[2] / "docs" / "butterfly.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    names = ("KRK", "KPK", "KBNK")
    boards, squares = (
        "{}, {} and {} %".format(*(right(name, order) for name in names))
        for order in ("butterfly, share", "centre")
    )
    assert f"in {boards} of the positions, instead of {squares}" in text
    last, first = (
        [right(name, order) for name in ("KRK", "KQKR")]
        for order in ("after the last move", "butterfly, share")
    )
    assert f"right in {last[0]} instead of {first[0]} % for White in KRK" in text
    assert f"in {last[1]} instead of {first[1]} % in KQKR" in text


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
