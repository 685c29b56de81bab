"""Measure how good a guide to best moves butterfly boards are.

Half of the won and lost positions of a table, chosen at random, fill the boards. In the other
half the legal moves are put in order by them, and it is counted how often a best move is among the
first k; moves with equal scores come in any order. Other orders do the same for comparison:

- random: all scores are equal;
- centre: the gain in closeness to the centre, alike for all men;
- piece and to: counters by the man that moves and its to-square, filled like the boards;
- butterfly: counters by from-square and to-square over the whole board;
- butterfly, share: the same, divided by how often the move was legal;
- butterfly, turned: counters by from- and to-square of the one image that the table holds, as if
  each position were turned to it first;
- countermove: the answer that was best most often after the last move, a quiet one chosen by chance
  of those that may have led to the position; then as by share;
- after the last move: counters by from-to pair and that of the last move; then as by share;
- threats, share: four boards in place of one, by whether the other side attacks the from-square and
  the to-square; as by share.

Usage::

    python scripts/butterfly_experiment.py KRK KQKR [--dir data] [--seeds 3] [--save]
    python scripts/butterfly_experiment.py --every 5 --dir TABLES [--rows 200] [--save]

``--every`` measures all endings of up to that number of men, by rows chosen at random: in a row all
pairs of kings stand for one placement of the other men. It tells the mean rank of the best move
that comes first, and how often that is the first move. ``--save`` keeps the figures in
benchmarks/results, for ``scripts/figures.py``.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import measurement
import numpy as np
from numpy.typing import NDArray

from tablebase.butterfly.boards import (
    add_moves,
    add_threats,
    empty_sums,
    on_whole_board,
    threats_to,
)
from tablebase.butterfly.countermoves import CountermoveSums, last_moves, number_of_pair
from tablebase.cli.choice import Choice
from tablebase.core.board.geometry import Color, square_file, square_rank
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.index.orbits import over_the_board
from tablebase.core.moves.legal_moves import Moves, iter_moves
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.rules.material import all_materials
from tablebase.core.rules.rules import CHESS
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.subtables import read_subtables
from tablebase.core.storage.table_names import table_path
from tablebase.core.tables.table import Table

FIRST = (1, 2, 3, 5)
SHOWN = ("White, butterfly, share", "White, threats, share")
# Distance of each square from the centre, in king's moves from the four middle squares.
CENTRE = np.array(
    [max(abs(2 * square_file(s) - 7), abs(2 * square_rank(s) - 7)) // 2 for s in range(64)]
)


@dataclass
class Orders:
    """Scores of moves by what the learning half told.

    Shapes are [2, 64, 64], that of `piece_to` [2, men, 64] and that of `after` [2, pairs, pairs].
    """

    board: NDArray[np.int64]
    share: NDArray[np.float64]
    turned: NDArray[np.int64]
    piece_to: NDArray[np.int64]
    after: NDArray[np.uint32]  # by last move and answer
    threats: NDArray[np.float64]  # [2, 2, 2, 64, 64] share by colour and what is attacked

    def __post_init__(self) -> None:
        self.answers = np.where(self.after.any(axis=2), self.after.argmax(axis=2), -1)

    def scores(
        self,
        moves: Moves,
        movers: NDArray[np.int64],
        last: NDArray[np.int64],
        attacked: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    ) -> dict[str, NDArray[np.float64]]:
        """Return the scores of moves in every order.

        `last` is each move's last move, or -1, and `attacked` tells of from- and to-square.
        """
        side = 0 if moves.white_to_move else 1
        from_attacked, to_attacked = (ends.astype(int) for ends in attacked)
        origin, target = moves.origin, moves.target
        share, pair = self.share[side, origin, target], number_of_pair(origin, target)
        return {
            "random": np.zeros(len(origin)),
            "centre": (CENTRE[origin] - CENTRE[target]).astype(float),
            "piece and to": self.piece_to[side, movers, target].astype(float),
            "butterfly": self.board[side, origin, target].astype(float),
            "butterfly, share": share,
            "butterfly, turned": self.turned[side, origin, target].astype(float),
            # No share is more than 1.
            "countermove": 2.0 * ((self.answers[side, last] == pair) & (last >= 0)) + share,
            "after the last move": 2.0 * self.after[side, last, pair] * (last >= 0) + share,
            "threats, share": self.threats[side, from_attacked, to_attacked, origin, target],
        }


class Experiment:
    """A table, split into two halves by a `seed`, which also chooses the last moves.

    It takes all rows, or the given number of them, chosen at random.
    """

    def __init__(self, table: Table, subtables: dict, seed: int, most: int | None = None) -> None:
        self.table, self.subtables = table, subtables
        self.random = np.random.default_rng(seed)
        rows = table.index.slices * table.index.ranks
        self.rows = None
        if most is not None and most < rows:
            self.rows = np.sort(self.random.choice(rows, most, replace=False)).tolist()
        self.learning = self.random.random(table.index.size) < 0.5

    def chunks(self, *, learning: bool):  # noqa: ANN201 (pairs of moves and an array)
        """Yield the moves, and which positions of a half are decisive with a move to make."""
        for moves in iter_moves(self.table, self.subtables, rows=self.rows):
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

    def last(self, moves: Moves) -> NDArray[np.int64]:
        """Return for each move one that may have led to its position, -1 if there is none."""
        squares, _ = self.table.index.decode_many(moves.slots)
        last = last_moves(self.table.material, squares, 0 if moves.white_to_move else 1)
        order = self.random.permutation(len(last.position))
        chosen = np.full(len(moves), -1)
        chosen[last.position[order]] = number_of_pair(last.origin, last.target)[order]
        return np.repeat(chosen, np.diff(moves.starts))

    def attacked(self, moves: Moves) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return whether the other side attacks the from- and the to-square of each move."""
        slots = np.repeat(moves.slots, np.diff(moves.starts))
        pairs = moves.origin.astype(np.int64) * 64 + moves.target
        color = Color.WHITE if moves.white_to_move else Color.BLACK
        return threats_to(self.table.index, slots, pairs, color)

    def learn(self) -> Orders:
        """Fill the boards from the learning half."""
        best, legal = empty_sums(), empty_sums()
        best_apart, legal_apart = np.zeros((2, 2, 2, 2, 2, 64, 64), dtype=np.int64)
        answers = CountermoveSums(self.table.index)
        men = self.table.material.piece_count
        piece_to = np.zeros((2, men, 64), dtype=np.int64)
        for moves, chosen in self.chunks(learning=True):
            add_moves(best, moves, chosen)
            add_moves(legal, moves, chosen, only_best=False)
            answers.add(moves, chosen)
            add_threats(best_apart, moves, chosen, self.table.index)
            add_threats(legal_apart, moves, chosen, self.table.index, only_best=False)
            counted = np.repeat(chosen, np.diff(moves.starts)) & moves.best
            keys = self.movers(moves)[counted] * 64 + moves.target[counted]
            side = 0 if moves.white_to_move else 1
            piece_to[side] += np.bincount(keys, minlength=64 * men).reshape(men, 64)
        index = self.table.index
        board = on_whole_board(best, index)
        share = board / np.maximum(1, on_whole_board(legal, index))
        piece_to = over_the_board(piece_to, index, 2)
        apart, of = (on_whole_board(sums, index) for sums in (best_apart, legal_apart))
        after, threats = answers.on_whole_board(), apart / np.maximum(1, of)
        return Orders(board, share, best.sum(axis=0), piece_to, after, threats)

    def measure(self, orders: Orders) -> dict[int, dict[str, NDArray[np.float64]]]:
        """Return by side and order the share of positions with a best move among the first k.

        The last figure is the mean rank of the first best move.
        """
        hits: dict[int, dict[str, NDArray[np.float64]]] = {0: {}, 1: {}}
        positions = [0, 0]
        for moves, chosen in self.chunks(learning=False):
            side = 0 if moves.white_to_move else 1
            positions[side] += int(chosen.sum())
            known = self.movers(moves), self.last(moves), self.attacked(moves)
            for name, order in orders.scores(moves, *known).items():
                hits[side].setdefault(name, np.zeros(len(FIRST) + 1))
                hits[side][name] += _found(moves, order)[chosen].sum(axis=0)
        return {
            side: {name: total / max(1, positions[side]) for name, total in by_name.items()}
            for side, by_name in hits.items()
        }


def _found(moves: Moves, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the chance that a best move is among the first k of a position, shape [n, k + 1].

    The last column is the rank of the first best move, on average over all orders of equal scores.
    """
    lengths = np.diff(moves.starts)
    there = lengths > 0
    first = moves.starts[:-1][there]
    position = np.repeat(np.arange(len(first)), lengths[there])
    top = np.maximum.reduceat(np.where(moves.best, scores, -np.inf), first)[position]
    before = np.add.reduceat(scores > top, first, dtype=np.int64)
    equal = np.add.reduceat(scores == top, first, dtype=np.int64)
    best = np.add.reduceat((scores == top) & moves.best, first, dtype=np.int64)
    chances = np.zeros((len(moves), len(FIRST) + 1))
    chances[there, -1] = before + (equal + 1) / (best + 1)
    missed = np.ones(len(first))
    for tried in range(max(FIRST)):
        drawn = tried - before  # of the equal ones
        left = np.maximum(equal - drawn, 1)
        missed *= np.where(drawn < 0, 1, np.clip((equal - best - drawn) / left, 0, 1))
        if tried + 1 in FIRST:
            chances[there, FIRST.index(tried + 1)] = 1 - missed
    return chances


def markdown(name: str, measured: dict[str, list[list[float]]]) -> str:
    """Return the shares of one material, by side, order and seed, as a table in Markdown.

    Each is the mean over the seeds, and the largest deviation of one of them.
    """
    lines = [f"| {name}, % | " + " | ".join(f"first {k}" for k in FIRST) + " | rank |"]
    lines.append("|---|" + "---:|" * (len(FIRST) + 1))
    for order, seeds in measured.items():
        shares = np.array(seeds) * [*[100] * len(FIRST), 1]
        means = shares.mean(axis=0)
        cells = zip(means, np.abs(shares - means).max(axis=0), strict=True)
        lines.append(f"| {order} | " + " | ".join(f"{a:.1f} ± {b:.1f}" for a, b in cells) + " |")
    return "\n".join(lines)


def shares_by_order(
    table: Table, subtables: dict, seed: int, rows: int | None = None
) -> dict[str, list[float]]:
    """Return the shares of one seed, by side and order."""
    experiment = Experiment(table, subtables, seed, rows)
    return {
        f"{('White', 'Black')[side]}, {order}": [round(float(share), 4) for share in shares]
        for side, rows in experiment.measure(experiment.learn()).items()
        for order, shares in rows.items()
    }


def measure_every(arguments: argparse.Namespace) -> None:
    """Measure all endings: the mean rank of a best move, and how often it is the first."""
    found = {}
    for men in range(3, arguments.every + 1):
        for material in all_materials(men):
            path = table_path(Path(arguments.dir), material)
            table = read_table(path)
            subtables = read_subtables(material, path.parent)
            shares = shares_by_order(table, subtables, 1, arguments.rows)
            found[material.name] = {
                order: [row[-1], row[0]] for order, row in shares.items() if any(row)
            }
            print(material, {o: found[material.name].get(o) for o in SHOWN}, flush=True)
            if arguments.save:  # each time, because all take hours
                measurement.save("butterfly_every", {"rows": arguments.rows, "endings": found})


@reader_may_leave()
def main() -> None:
    """Print a table in Markdown for each material."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("materials", nargs="*", metavar="MATERIAL")
    parser.add_argument("--every", type=int, metavar="MEN", help="all endings of up to MEN men")
    parser.add_argument("--rows", type=int, default=200, help="of each ending, with --every")
    parser.add_argument("--dir", default="data")
    parser.add_argument("--seeds", type=int, default=3, help="how many halves to choose")
    parser.add_argument("--save", action="store_true", help="into benchmarks/results")
    arguments = parser.parse_args()
    found = {}
    if arguments.every:
        measure_every(arguments)
        return
    for path in Choice(CHESS, [Path(arguments.dir)], arguments.materials).paths:
        table = read_table(path)
        subtables = read_subtables(table.material, path.parent)
        runs = [shares_by_order(table, subtables, 1 + i) for i in range(arguments.seeds)]
        found[table.material.name] = {order: [run[order] for run in runs] for order in runs[0]}
        print(f"\n{markdown(table.material.name, found[table.material.name])}", flush=True)
    if arguments.save:
        print(measurement.save("butterfly", {"seeds": arguments.seeds, "materials": found}))


if __name__ == "__main__":
    main()
