"""The coarsest relation between positions: against a search of whole boards, and the page."""

import csv
import json
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from examples import bisimulation
from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules

ROOT = Path(__file__).parents[2]
RESULTS = json.loads((ROOT / "benchmarks/results/bisimulation.json").read_text())["results"]
ROOK = [(1, 0), (-1, 0), (0, 1), (0, -1)]
QUEEN = [*ROOK, (1, 1), (1, -1), (-1, 1), (-1, -1)]
STEPS = {"KK": [], "KRK": ROOK, "KQK": QUEEN}


class WholeBoards:
    """All positions of two kings and perhaps a rook or queen of White, on a square board."""

    def __init__(self, size, steps):
        self.squares, self.steps = list(product(range(size), repeat=2)), steps
        self.on = set(self.squares)
        men = self.squares if steps else [None]
        self.positions = {
            position: None
            for position in product(self.squares, self.squares, men, (0, 1))
            if len({*position[:3]}) == 3 and not self._is_taken(*position)
        }
        for position in self.positions:
            self.positions[position] = list(self._moves(*position))

    def _near(self, one, other):
        return max(abs(one[0] - other[0]), abs(one[1] - other[1])) < 2

    def _reached(self, man, occupied):
        for x, y in self.steps:
            here = (man[0] + x, man[1] + y)
            while here in self.on:
                yield here
                if here in occupied:
                    break
                here = (here[0] + x, here[1] + y)

    def _is_taken(self, white, black, man, side):
        """Return whether the side to move could take a king."""
        attacked = side == 0 and man is not None and black in self._reached(man, {white, black})
        return self._near(white, black) or attacked

    def _moves(self, white, black, man, side):
        """Yield what moves lead to, None if only kings are left."""
        mover = black if side else white
        for x, y in QUEEN:
            to = (mover[0] + x, mover[1] + y)
            if to not in self.on or (side == 0 and to == man):
                continue
            left = None if to == man else man
            after = (white, to, left, 0) if side else (to, black, man, 1)
            if not self._is_taken(*after):
                yield None if self.steps and left is None else after
        if side == 0 and man is not None:
            for to in self._reached(man, {white, black}):
                if to not in (white, black):
                    yield (white, black, to, 1)

    def _end(self, position):
        """Return how a position without moves ends: None, or whether it is checkmate."""
        white, black, man, side = position
        return None if self.positions[position] else self._is_taken(white, black, man, 1 - side)

    def classes(self, kind):
        """Return the class of each position, told by the `kind` of what its moves lead to."""
        found = {one: (one[3], self._end(one)) for one in self.positions} | {None: "dead"}
        count = len(set(found.values()))
        while True:
            told = {one: (found[one], kind(found[to] for to in moves))
                    for one, moves in self.positions.items()}  # fmt: skip
            numbers = {one: i for i, one in enumerate(set(told.values()))}
            found = {one: numbers[of] for one, of in told.items()} | {None: "dead"}
            if len(set(found.values())) == count:
                return found
            count = len(set(found.values()))

    def count(self, side):
        """Return positions up to the eight symmetries, and classes by sets and by numbers."""
        own = [one for one in self.positions if one[3] == side]
        edge = max(self.squares)[0]

        def images(position):
            for mirrored, flipped, turned in product((0, 1), repeat=3):
                yield tuple(
                    one and (
                        (edge - one[0] if mirrored else one[0]),
                        (edge - one[1] if flipped else one[1]),
                    )[:: -1 if turned else 1]
                    for one in position[:3]
                )  # fmt: skip

        orbits = {min(images(one), key=repr) for one in own}
        return [len(orbits), *(len({of[one] for one in own}) for of in self._both)]

    @property
    def _both(self):
        yield self.classes(frozenset)
        yield self.classes(lambda classes: frozenset(Counter(classes).items()))


def told(game, name):
    (found,) = (one for one in RESULTS if (one["game"], one["material"]) == (game, name))
    return found


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "name", "size"), [("chess", "KK", 8), ("gardner", "KRK", 5), ("gardner", "KQK", 5)]
)
def test_whole_boards_have_as_many_classes(game, name, size):
    boards, found = WholeBoards(size, STEPS[name]), told(game, name)
    for side in (0, 1):
        expected = [found[key][side] for key in ("positions", "sets", "numbers")]
        assert boards.count(side) == expected


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "name"),
    [
        *(("chess", name) for name in ("KK", "KNK", "KBK", "KRK", "KQK", "KPK")),
        *(("gardner", name) for name in ("KRK", "KQK")),
    ],
)
def test_the_example_finds_what_the_file_says(game, name, tmp_path):
    material = Material.from_name(name, built_in_rules()[game])
    generate([material], tmp_path)
    assert bisimulation.measure(material, tmp_path) == told(game, name)


@pytest.mark.parametrize("name", ["KRKB", "KPPK"])
def test_no_such_graph(name):
    with pytest.raises(ValueError, match=f"{name}: take a bare king of Black"):
        bisimulation.move_graph(Material.from_name(name), {})


def test_the_page_has_the_numbers_of_the_file():
    page = (ROOT / "docs/symmetry.md").read_text(encoding="utf-8")
    with (ROOT / "docs/tables/bisimulation.csv").open(encoding="utf-8", newline="") as file:
        rows = {row[0]: row[1:] for row in csv.reader(file)}
    assert len(rows) == 1 + len(RESULTS)
    for one in RESULTS:
        name = one["material"] + (" on 5 x 5" if one["game"] == "gardner" else "")
        columns = zip(*(one[key] for key in ("positions", "sets", "numbers")), strict=True)
        cells = [f"{number:,}" for side in columns for number in side]
        assert rows[name] == cells
    kinds = told("chess", "KRK")["joined"][1]
    words = (
        f"In KRK {sum(kinds.values())} positions share classes: {kinds['checkmate']} checkmates, "
        f"{kinds['stalemate']} stalemates, {kinds['must take']} where the king must take the rook, "
        f"and {kinds['other']} others"
    )
    assert words in " ".join(page.split())
    joined = {one["material"]: one["joined"][0] for one in RESULTS if one["game"] == "chess"}
    assert joined["KPK"] == {"checkmate": 0, "stalemate": 2, "must take": 0, "other": 0}
    assert joined["KRNK"] == {"checkmate": 0, "stalemate": 0, "must take": 0, "other": 2}
