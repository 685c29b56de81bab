"""Measure how good a guide to best moves butterfly boards are.

Half of the won and lost positions of a table, chosen at random, fill the boards. In the other
half the legal moves are put in order by them, and it is counted how often a best move is among the
first k. Other orders do the same for comparison:

- random: the expectation over all orders;
- centre: the gain in closeness to the centre, alike for all men;
- piece and to: counters by the man that moves and its to-square, filled like the boards;
- butterfly: counters by from-square and to-square over the whole board;
- butterfly, share: the same, divided by how often the move was legal;
- butterfly, turned: counters by from- and to-square of the one image that the table holds, as if
  each position were turned to it first.

Usage: python scripts/butterfly_experiment.py KRK KQKR [--dir data] [--seed 1] [--save]

``--save`` keeps the figures in benchmarks/results, for ``scripts/figures.py``.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import measurement
import numpy as np
from numpy.typing import NDArray

from tablebase.board import DRAW, square_file, square_rank
from tablebase.cli.arguments import path_of
from tablebase.index import over_the_board
from tablebase.moves import Moves, iter_moves
from tablebase.storage import read_subtables, read_table
from tablebase.study.butterfly import add_moves, empty_sums, on_whole_board
from tablebase.tables import Table

FIRST = (1, 2, 3, 5)
# Distance of each square from the centre, in king's moves from the four middle squares.
CENTRE = np.array(
    [max(abs(2 * square_file(s) - 7), abs(2 * square_rank(s) - 7)) // 2 for s in range(64)]
)


@dataclass
class Orders:
    """Scores of moves by what the learning half told; shapes [2, 64, 64] and [2, men, 64]."""

    board: NDArray[np.int64]
    share: NDArray[np.float64]
    turned: NDArray[np.int64]
    piece_to: NDArray[np.int64]

    def scores(
        self, moves: Moves, movers: NDArray[np.int64], side: int
    ) -> dict[str, NDArray[np.float64]]:
        """Return the scores of moves in every order but the random one."""
        origin, target = moves.origin, moves.target
        return {
            "centre": (CENTRE[origin] - CENTRE[target]).astype(float),
            "piece and to": self.piece_to[side, movers, target].astype(float),
            "butterfly": self.board[side, origin, target].astype(float),
            "butterfly, share": self.share[side, origin, target],
            "butterfly, turned": self.turned[side, origin, target].astype(float),
        }


class Experiment:
    """A table, split into two halves.

    Parameters
    ----------
    table, subtables
        The table and those that its moves lead to.
    seed
        Chooses the halves, and the order of moves with equal scores.
    """

    def __init__(self, table: Table, subtables: dict, seed: int) -> None:
        self.table, self.subtables = table, subtables
        self.random = np.random.default_rng(seed)
        self.learning = self.random.random(table.index.size) < 0.5

    def chunks(self, *, learning: bool):  # noqa: ANN201 (pairs of moves and an array)
        """Yield the moves, and which positions of a half are decisive with a move to make."""
        for moves in iter_moves(self.table, self.subtables):
            side = 0 if moves.white_to_move else 1
            chosen = self.learning[moves.slots] == learning
            chosen &= self.table.codes[side][moves.slots] != DRAW
            chosen &= np.diff(moves.starts) > 0
            if chosen.any():
                yield moves, chosen

    def movers(self, moves: Moves) -> NDArray[np.int64]:
        """Return which man of `Material.men` makes each move."""
        squares, _ = self.table.index.decode_many(moves.slots)
        by_move = np.repeat(squares, np.diff(moves.starts), axis=0)
        return np.argmax(by_move == moves.origin[:, None], axis=1)

    def learn(self) -> Orders:
        """Fill the boards from the learning half."""
        best, legal = empty_sums(), empty_sums()
        men = self.table.material.piece_count
        piece_to = np.zeros((2, men, 64), dtype=np.int64)
        for moves, chosen in self.chunks(learning=True):
            add_moves(best, moves, chosen)
            add_moves(legal, moves, chosen, only_best=False)
            counted = np.repeat(chosen, np.diff(moves.starts)) & moves.best
            keys = self.movers(moves)[counted] * 64 + moves.target[counted]
            side = 0 if moves.white_to_move else 1
            piece_to[side] += np.bincount(keys, minlength=64 * men).reshape(men, 64)
        index = self.table.index
        board = on_whole_board(best, index)
        share = board / np.maximum(1, on_whole_board(legal, index))
        return Orders(board, share, best.sum(axis=0), over_the_board(piece_to, index, 2))

    def measure(self, orders: Orders) -> dict[int, dict[str, NDArray[np.float64]]]:
        """Return by side and order the share of positions with a best move among the first k."""
        hits: dict[int, dict[str, NDArray[np.float64]]] = {0: {}, 1: {}}
        positions = [0, 0]
        for moves, chosen in self.chunks(learning=False):
            side = 0 if moves.white_to_move else 1
            positions[side] += int(chosen.sum())
            found = {"random": _expected(moves)}
            for name, scores in orders.scores(moves, self.movers(moves), side).items():
                found[name] = _found(moves, scores, self.random)
            for name, ranks in found.items():
                hits[side].setdefault(name, np.zeros(len(FIRST)))
                hits[side][name] += ranks[chosen].sum(axis=0)
        return {
            side: {name: total / positions[side] for name, total in by_name.items()}
            for side, by_name in hits.items()
        }


def _found(
    moves: Moves, scores: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.float64]:
    """Return for each position whether a best move is among the first k, shape [n, k]."""
    lengths = np.diff(moves.starts)
    position = np.repeat(np.arange(len(moves)), lengths)
    order = np.lexsort((random.random(len(scores)), -scores, position))
    place = np.arange(len(scores)) - moves.starts[position]
    first = np.full(len(moves), 1 << 30)
    best = moves.best[order]
    np.minimum.at(first, position[best], place[best])
    return (first[:, None] < np.array(FIRST)).astype(float)


def _expected(moves: Moves) -> NDArray[np.float64]:
    """Return the chance that the first k of a random order hold a best move, shape [n, k]."""
    lengths = np.diff(moves.starts)
    best = np.array([moves.best[a:b].sum() for a, b in pairwise(moves.starts.tolist())])
    missed = np.ones(len(moves))
    chances = []
    for drawn in range(max(FIRST)):
        left = np.maximum(lengths - drawn, 1)
        missed = missed * np.clip((lengths - best - drawn) / left, 0, 1)
        if drawn + 1 in FIRST:
            chances.append(1 - missed)
    return np.stack(chances, axis=1)


def markdown(name: str, measured: dict[str, list[float]]) -> str:
    """Return the shares of one material, by side and order, as a table in Markdown."""
    lines = [f"| {name} | " + " | ".join(f"first {k}" for k in FIRST) + " |"]
    lines.append("|---|" + "---:|" * len(FIRST))
    for order, shares in measured.items():
        lines.append(f"| {order} | " + " | ".join(f"{share:.1%}" for share in shares) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print a table in Markdown for each material."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("materials", nargs="+", metavar="MATERIAL")
    parser.add_argument("--dir", default="data")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="into benchmarks/results")
    arguments = parser.parse_args()
    found = {}
    for name in arguments.materials:
        path = Path(path_of(name, [Path(arguments.dir)]))
        table = read_table(path)
        subtables = read_subtables(table.material, path.parent)
        experiment = Experiment(table, subtables, arguments.seed)
        found[table.material.name] = {
            f"{('White', 'Black')[side]}, {order}": [round(float(share), 4) for share in shares]
            for side, rows in experiment.measure(experiment.learn()).items()
            for order, shares in rows.items()
        }
        print(f"\n{markdown(table.material.name, found[table.material.name])}")
    if arguments.save:
        print(measurement.save("butterfly", {"seed": arguments.seed, "materials": found}))


if __name__ == "__main__":
    main()
