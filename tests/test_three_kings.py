"""Three kings against one in draughts: the example against a solver written without it."""

import json
from itertools import combinations
from pathlib import Path

import pytest

from examples import three_kings
from tablebase.butterfly.layouts import BoardLayout
from tablebase.core.board.movement import BISHOP_STEPS

ROOT = Path(__file__).parents[1]
RESULTS = json.loads((ROOT / "benchmarks/results/three_kings.json").read_text())["results"]
DIAGONALS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


class Solver:
    """All positions on squares given by coordinates, as sets of Black's squares by White's kings.

    A set is a number with a bit for each square.
    """

    def __init__(self, squares):
        self.squares = squares
        place = {square: i for i, square in enumerate(squares)}
        self.rays = [
            [
                [place[x + i * u, y + i * v] for i in range(1, _steps(place, x, y, u, v))]
                for u, v in DIAGONALS
            ]
            for x, y in squares
        ]
        n, self.all = len(squares), (1 << len(squares)) - 1
        self.kings = [kings for k in (1, 2, 3) for kings in combinations(range(n), k)]
        self.takes = {kings: self._white_takes(kings) for kings in self.kings}
        self.answers = {kings: self._answers(kings) for kings in self.kings}
        self.won, self.lost = dict(self.takes), dict.fromkeys(self.kings, 0)
        while self._sweep():
            pass

    def _free(self, square, occupied):
        """Yield each ray of a square up to what stands on it, and that, None at the edge."""
        for ray in self.rays[square]:
            end = next((i for i, there in enumerate(ray) if there in occupied), len(ray))
            yield ray[:end], ray[end:]

    def _white_takes(self, kings):
        """Return where Black is taken: on a free square of a king's ray before a free square."""
        found = 0
        for king in kings:
            for free, _ in self._free(king, kings):
                for square in free[:-1]:
                    found |= 1 << square
        return found

    def _captures(self, kings, square, taken=frozenset()):
        """Yield all ways of Black to take: the kings taken and where it ends, begun ways too."""
        for _, rest in self._free(square, kings):
            if not rest or rest[0] in taken:
                continue
            for landing in rest[1:]:
                if landing in kings:
                    break
                after = taken | {rest[0]}
                yield after, landing
                yield from self._captures(kings, landing, after)

    def _answers(self, kings):
        """Return by Black's square the kings left and the set of squares after each answer."""
        found = {}
        for black in set(range(len(self.squares))) - set(kings):
            captures = list(self._captures(kings, black))
            most = max((len(taken) for taken, _ in captures), default=0)
            ends = [(tuple(k for k in kings if k not in taken), 1 << end)
                    for taken, end in captures if len(taken) == most]  # fmt: skip
            moves = sum(1 << to for free, _ in self._free(black, kings) for to in free)
            found[black] = ends or [(kings, moves)]
        return found

    def _sweep(self):
        before = sum(map(int.bit_count, self.lost.values()))
        for kings in self.kings:
            for black, answers in self.answers[kings].items():
                if not self.lost[kings] >> black & 1 and all(
                    left and not squares & ~self.won[left] for left, squares in answers
                ):
                    self.lost[kings] |= 1 << black
        for kings in self.kings:
            for king in kings:
                others = tuple(k for k in kings if k != king)
                for free, _ in self._free(king, kings):
                    passed = 0
                    for to in free:
                        passed |= 1 << to
                        self.won[kings] |= self.lost[tuple(sorted((*others, to)))] & ~passed
        return sum(map(int.bit_count, self.lost.values())) > before

    def count(self):
        """Return how many quiet positions of three kings there are, and how many White wins."""
        quiet = won = 0
        for kings in self.kings[-len(list(combinations(self.squares, 3))) :]:
            calm = [black for black, answers in self.answers[kings].items()
                    if answers[0][0] == kings and not self.takes[kings] >> black & 1]  # fmt: skip
            quiet += len(calm)
            won += sum(self.won[kings] >> black & 1 for black in calm)
        return quiet, won


def _steps(place, x, y, u, v):
    return next(i for i in range(1, 99) if (x + i * u, y + i * v) not in place)


def dark(width, height):
    return [(x, y) for y in range(height) for x in range(width) if (x + y) % 2]


@pytest.mark.thorough
@pytest.mark.parametrize("left_out", [(), ((5, 0),), ((1, 2),)])
def test_all_positions_on_a_small_board(left_out):
    squares = [square for square in dark(6, 6) if square not in left_out]
    solver = Solver(squares)
    layout = BoardLayout(6, 6, 1, parity=1, excluded=frozenset(left_out))
    white, lost, *counts = three_kings.solve(layout)
    n = len(squares)
    for kings in solver.kings:
        place = (*kings, *[n] * (3 - len(kings)))
        for found, expected in (
            (white[place], solver.won[kings]),
            (lost[place], solver.lost[kings]),
        ):
            there = [black for black in range(n) if black not in kings]
            assert found[there].tolist() == [bool(expected >> black & 1) for black in there], kings
    assert tuple(counts) == solver.count()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "added", "left_out"),
    [
        ("49", [], (9, 0)),
        ("50", [], None),
        ("51", [(10, 1)], None),
        ("51-diagonal", [(10, -1)], None),
    ],
)
def test_the_boards_of_the_page(name, added, left_out):
    squares = [square for square in dark(10, 10) + added if square != left_out]
    (told,) = (one for one in RESULTS if one["board"] == name)
    assert (told["quiet"], told["won"]) == Solver(squares).count()


def test_the_page_has_the_numbers_of_the_file():
    page = (ROOT / "docs/layouts.md").read_text(encoding="utf-8")
    assert [one["board"] for one in RESULTS] == list(three_kings.BOARDS)
    for one in RESULTS:
        squares = len(three_kings.BOARDS[one["board"]].squares)
        cells = [squares, one["quiet"], one["won"]]
        assert f"| {' | '.join(f'{cell:,}' for cell in cells)} |" in page


@pytest.mark.parametrize("name", three_kings.BOARDS)
def test_rays_are_those_of_coordinates(name):
    layout = three_kings.BOARDS[name]
    rays, place = three_kings.rays_of(layout), {one: i for i, one in enumerate(layout.squares)}
    for (x, y), square in place.items():
        for row, (u, v) in zip(rays[square].tolist(), BISHOP_STEPS, strict=True):
            steps = range(1, _steps(place, x, y, u, v))
            assert row[: row.index(-1)] == [place[x + i * u, y + i * v] for i in steps]
