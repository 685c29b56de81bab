"""Atomic chess: published counts, and values on noise and by wrong rules."""

import json
from pathlib import Path

import pytest
from support.few import few, slow
from support.noise import noise_table
from support.syzygy_counts import count_as_syzygy
from support.variants import ATOMIC

from tablebase.core.checking.verify import check_table
from tablebase.core.engine.driver import solve
from tablebase.core.engine.out import children
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.metrics import DTM, DTZ, METRICS
from tablebase.core.rules import material
from tablebase.core.rules.material import Material, MoveOut
from tablebase.core.rules.rule_files import parse_rules

DATA = Path(__file__).parents[3] / "data"
PUBLISHED = json.loads((DATA / "atomic_dtz.json").read_text(encoding="utf-8"))
FOUR = [name for name in PUBLISHED if len(name) <= 4]
FEW = ["KQK", "KPK", "KQKR"]
SMALL = parse_rules("[small:atomic]\nmaxFile = e\nmaxRank = 5\ndoubleStep = false\n")["small"]
FIVE = [name for name in PUBLISHED if len(name) == 5]


def named(name):
    return Material.from_name(name, ATOMIC)


@pytest.fixture
def solved(solve_with_parts):
    """Return what solves a material by name and metric."""
    return lambda name, metric=DTZ: solve_with_parts(name, ATOMIC, metric)[named(name)]


@pytest.mark.parametrize("name", [*few(FOUR, *FEW), *few(FIVE)])
def test_every_count_is_the_published_one(solved, name):
    counts = count_as_syzygy(solved(name))
    found = [
        [counts[side]["win"], counts[side]["loss"], counts[side]["draws"]]
        for side in ("white_to_move", "black_to_move")
    ]
    assert found == PUBLISHED[name]


def noise_below(men, metric):
    """Return noise in place of a material's sub-tables; bare kings draw."""
    bare = Material((), (), men.rules)
    noise = {one: noise_table(one, seed, metric) for seed, one in enumerate(men.dependencies())}
    assert not any(one.is_symmetric for one in noise if one.groups)  # half of it is not read
    if bare in noise:
        noise[bare] = solve(bare, {}, metric=metric)
    return noise


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(["KPKP", "KPPKN", "KQPKR", "KQKRP", "KPKRP"], "KPKP"))
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_whatever_the_subtables_say_every_value_follows_from_its_moves(name, metric):
    """By the walk, which knows explosions by itself."""
    men = named(name).normalized()
    noise = noise_below(men, metric)
    table = solve(men, noise, metric=metric)
    report = check_table(table, noise)
    assert report.passed, report.differences


def change_law(monkeypatch, **changed):
    """Give the engine a law of its own."""
    law_of = children.make_law

    def wrong_law(one):
        return KernelRecord(law_of(one).fields._replace(**changed))

    monkeypatch.setattr(children, "make_law", wrong_law)


def pawns_explode(monkeypatch):
    """Let explosions take pawns, too."""
    monkeypatch.setattr(material, "SPARED", frozenset())
    change_law(monkeypatch, spared=0)


def kings_take(monkeypatch):
    """Let a king take a man, and nothing explode then."""
    explosions = Material.moves_out

    def moves_out(self):
        found = explosions(self)
        for number, (color, man) in enumerate(self.men[2:]):
            found[MoveOut(color.opponent, 1 << number)] = self.without(color, man)
        return found

    monkeypatch.setattr(Material, "moves_out", moves_out)
    change_law(monkeypatch, king_takes=True)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("rules", "name", "mutate"),
    [
        (ATOMIC, "KPKP", kings_take),
        (SMALL, "KPPKP", pawns_explode),
        slow(ATOMIC, "KQPKR", pawns_explode),
    ],
    ids=["kings take", "pawns explode on a small board", "pawns explode"],
)
def test_wrong_rules_are_found(rules, name, mutate, monkeypatch):
    """A third pawn stands beside the two of a capture, which is quick to solve on a small board."""
    men = Material.from_name(name, rules)
    with monkeypatch.context() as patch:
        mutate(patch)
        noise = noise_below(men, DTM)
        table = solve(men, noise, metric=DTM)
    right = {one: noise[one] for one in men.dependencies()}
    report = check_table(table, right)
    assert not report.passed
    assert report.differences
