"""What leaks if images of positions are split at random: accuracy of small models by two splits.

Usage: python scripts/leaks.py --dir TABLES [--save]

It needs ``pip install --editable '.[learn]'``, and the table of `MATERIAL`. Models tell wins from
other results, White being to move. They learn from some positions with all their images, of which
a tenth is kept for a test: one drawn at random, or one by the column ``split``. What the accuracy
really is, positions of the table show that are images of none of these. With --save the results go
to benchmarks/results/leaks.json, from which ``figures.py`` makes the table of docs/data.md.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from measurement import load, save
from numpy.typing import NDArray

from tablebase.core.ground.streams import reader_may_leave
from tablebase.finding.dataset import load_table
from tablebase.finding.orbit_keys import SPLITS, splits
from tablebase.finding.positions import Positions

MATERIAL = "KRKN"
POSITIONS = 2_000  # with all images eight times as many
OTHERS = 20_000
SEEDS = range(5)
TEST = SPLITS.index("test")
SHARES = (0.8, 0.1, 0.1)


def coordinates(positions: Positions) -> NDArray[Any]:
    """Return file and rank of each man, [n, 2 * men]."""
    return np.column_stack((positions.squares & 7, positions.squares >> 3))


def distances(positions: Positions) -> NDArray[Any]:
    """Return how far men are from each other and from the edge: the same for all images."""
    files, ranks = (one.astype(np.int64) for one in (positions.squares & 7, positions.squares >> 3))
    columns = [np.minimum(np.minimum(files, 7 - files), np.minimum(ranks, 7 - ranks))]
    for one, other in combinations(range(files.shape[1]), 2):
        apart = [np.abs(axis[:, one] - axis[:, other]) for axis in (files, ranks)]
        columns += [np.maximum(*apart), np.minimum(*apart)]
    return np.column_stack(columns)


FEATURES = {"coordinates": coordinates, "distances": distances}


def models(seed: int) -> dict[str, Any]:
    """Return the models by name, which have learnt nothing yet."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    warnings.filterwarnings("ignore", message="Stochastic Optimizer: Maximum iterations")
    network = MLPClassifier((128,), max_iter=40, tol=0, n_iter_no_change=40, random_state=seed)
    return {
        "random forest": RandomForestClassifier(100, random_state=seed),
        "neural network": make_pipeline(StandardScaler(), network),
    }


def accuracies(every: Positions, seed: int) -> dict[str, dict[str, float]]:
    """Return accuracies by features and model: at random, by orbit, and of other positions."""
    choice = np.random.default_rng(seed)
    assert every.orbit is not None
    orbits = np.unique(every.orbit)
    known = np.isin(every.orbit, choice.choice(orbits, POSITIONS, replace=False))
    some, others = every[known], every[choice.choice(np.flatnonzero(~known), OTHERS, replace=False)]
    assert some.orbit is not None
    parts = {
        "random": choice.choice(len(SPLITS), len(some), p=SHARES),
        "orbit": splits(some.orbit, seed),
    }
    found: dict[str, dict[str, float]] = {}
    for name, features in FEATURES.items():
        for model in models(seed):
            one = found[f"{name}, {model}"] = {}
            for split, part in parts.items():
                learner = models(seed)[model]
                learner.fit(features(some[part == 0]), some.wdl[part == 0] > 0)
                tested = some[part == TEST]
                one[split] = learner.score(features(tested), tested.wdl > 0)
            one["others"] = learner.score(features(others), others.wdl > 0)
            print(seed, name, model, one, flush=True)
    return found


def leaks() -> str:
    """Return the table of accuracies: mean, least and most of all seeds."""
    results = load("leaks")["results"]
    rows = ["| model learns from | images split at random | split by orbit | other positions |",
            "|---|---:|---:|---:|"]  # fmt: skip
    for name in results["accuracies"][0]:
        cells = []
        for split in ("random", "orbit", "others"):
            values = [one[name][split] for one in results["accuracies"]]
            cells.append(f"{mean(values):.1%} ({min(values):.1%} to {max(values):.1%})")
        rows.append(f"| {' | '.join((name, *cells))} |")
    return "\n".join(rows)


def main() -> int:
    """Run the command line, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, required=True, help="folder of tables")
    parser.add_argument("--save", action="store_true", help="keep the results of the page")
    arguments = parser.parse_args()
    table = load_table(MATERIAL, arguments.dir)
    every = table.positions(turn=True, images="all", columns=("orbit",))
    found = [accuracies(every, seed) for seed in SEEDS]
    if arguments.save:
        stated = {"material": MATERIAL, "positions": POSITIONS, "others": OTHERS}
        learn = {"scikit-learn": version("scikit-learn")}
        save("leaks", {**stated, **learn, "accuracies": found})
    return 0


if __name__ == "__main__":
    with reader_may_leave():
        sys.exit(main())
