"""The laboratory's page makes of a game what Python does: its law, and its tables' bytes."""

import hashlib
import json
import random
import re
import subprocess
from functools import cache
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from tablebase.core.engine import driver
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.rules.law import make_law
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rule_files import built_in_rules, parse_rules
from tablebase.core.tables.census import take_census
from tablebase.publish.laboratory import template
from tablebase.publish.listing import laboratory
from tablebase.report.survey import survey_table

NODE = which("node")
SCRIPT = Path(__file__).parents[1] / "support" / "laboratory_in_node.mjs"
GAMES, SOLVED = 200, 10
ATOMS = "WFDNAHCZG"
pytestmark = [
    pytest.mark.skipif(NODE is None, reason="needs node, 20 or later"),
    pytest.mark.thorough,
]


@pytest.fixture(scope="module")
def site(page_modules, tmp_path_factory):  # noqa: ARG001 (they must be there)
    """Return a folder with the laboratory's files."""
    folder = tmp_path_factory.mktemp("site")
    for address, content in laboratory().items():
        (folder / address).parent.mkdir(exist_ok=True)
        (folder / address).write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def in_node(site):
    """Return a function of what node is asked."""

    def ask(**asked):
        command, question = [NODE, SCRIPT, site], json.dumps(asked)
        done = subprocess.run(command, input=question, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask


def test_both_templates_are_as_large_as_the_page_says(site):
    page = (Path(__file__).parents[2] / "docs" / "laboratory.md").read_text(encoding="utf-8")
    told = re.findall(r"A file of (\d+) kB.*A second template, of (\d+) kB", page, re.DOTALL)
    listed = json.loads((site / "laboratory" / "templates.json").read_text(encoding="utf-8"))
    files = [site / "laboratory" / one["problems"] for one in listed["templates"].values()]
    sizes = [path.stat().st_size / 1000 for path in files]
    assert sizes == pytest.approx([int(one) for one in told[0]], rel=0.05)


def described(movement):
    """Return names, shapes and digests of the arrays of movement."""
    return [
        [name, [*array.shape], hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()]
        for name, array in movement._asdict().items()
    ]


def random_piece(chance, *, alike):
    """Return the notation of a piece, perhaps one that moves in several ways to a square."""
    terms = []
    for _ in range(chance.randint(1, 3)):
        atom = chance.choice(ATOMS)
        times = chance.choice(["", "", "", atom, "2", "3"])
        oblique = ["f", "fs", "b", "bs", "s", "v"] if atom in "NCZ" else ["f", "b", "s", "v"]
        direction = "" if alike else chance.choice(["", *oblique])
        terms.append(chance.choice(["", "", "m", "c"]) + direction + atom + times)
    return "".join(terms)


def random_game(number):
    """Return the link of a random game, and what a file of rules says of it."""
    chance = random.Random(number)
    alike = number % 2 == 0
    pieces = [random_piece(chance, alike=alike) for _ in "ac"]
    loses, is_double = chance.random() < 0.3, chance.random() < 0.7
    goal = chance.choice(["", "", "d4.e4.d5.e5", "a1.h1.a8.h8", "c3.f3.c6.f6.d4.e4.d5.e5"])
    link = f"a={pieces[0]}&c={pieces[1]}&goal={goal}"
    link += "&stalemate=loss" * loses + "&step=single" * (not is_double)
    text = f"[laboratory:chess]\ncustomPiece1 = a:{pieces[0]}\ncustomPiece2 = c:{pieces[1]}\n"
    text += "promotionPieceTypes = acqrbn\n"
    text += "doubleStep = false\n" * (not is_double) + "stalemateValue = loss\n" * loses
    if goal:
        text += f"flagPiece = k\nflagRegion = {goal.replace('.', ' ')}\n"
    return link, text


def rules_of(text):
    return parse_rules(text)["laboratory"]


def test_movement_of_built_in_games_is_as_here(in_node):
    games = [one for one in built_in_rules().values() if one.files == one.ranks == 8]
    assert len(games) > 8
    kinds = [
        [{"captures": a, "quiet": b} for a, b in zip(one.steps, one.quiet_steps, strict=True)]
        for one in games
    ]
    found = in_node(movements=kinds)["movements"]
    for rules, one in zip(games, found, strict=True):
        assert one == described(rules.movement), rules.name


def test_the_law_of_random_games_is_as_here(in_node):
    """The page refuses what Python refuses, and writes a file of rules that says the same."""
    games = [random_game(number) for number in range(GAMES)]
    found = in_node(games=[{"link": link, "endings": []} for link, _ in games])["games"]
    taken = 0
    for (link, text), one in zip(games, found, strict=True):
        try:
            rules = rules_of(text)
        except InvalidRulesError:
            assert one.get("name") == "GameError", link
            continue
        assert "file" in one, (link, one)
        taken += 1
        assert rules_of(one["file"]) == rules, link
        law = make_law(Material.from_name("KCAK", rules)).fields
        assert one["movement"] == described(rules.movement), link
        assert int(one["goal"]) == law.goal, link
        assert one["push_rank"] == law.push_rank.tolist(), link
        assert one["stalemate_loses"] == law.stalemate_loses, link
        assert [one["splits"][kind] for kind in law.types] == law.splits_moves.tolist(), link
        assert one["symmetry"] == (
            "all" if len(Material.from_name("KCAK", rules).symmetries) == 8 else "sides"
        )
    assert taken > GAMES / 3


@cache
def native(material):
    """Return a table solved here."""
    subtables = {one: native(one) for one in material.dependencies()}
    return driver.solve(material, subtables, threads=1)


def figures_of(table):
    """Return the counts of a table as the page has them."""
    census = take_census(table)
    sides = {}
    for side, one in (("white", census.white_to_move), ("black", census.black_to_move)):
        board = one.whole_board
        sides[side] = {"win": board.win, "draw": board.draw, "loss": board.loss}
        sides[side]["longest"] = one.longest_win.plies if one.longest_win else 0
    return sides | {"zugzwangs": len(survey_table(table).zugzwangs)}


def test_tables_of_random_games_are_as_here(in_node):
    """Their bytes where both number positions alike, and their figures."""
    chance = random.Random(0)
    games, number = [], 0
    while len(games) < SOLVED:
        link, text = random_game(number)
        number += 1
        try:
            rules = rules_of(text)
        except InvalidRulesError:
            continue
        endings = [one.name for one in chance.sample(all_materials(4, rules), 2)]
        games.append((link, rules, ["KAK", "KPK", *endings]))
    found = in_node(games=[{"link": link, "endings": names} for link, _, names in games])["games"]
    alike = 0
    for (link, rules, names), one in zip(games, found, strict=True):
        for name in names:
            material = Material.from_name(name, rules)
            table, shown = native(material), one["endings"][name]
            numbered = Material.from_name(name, template(one["symmetry"]))
            if numbered.symmetries == material.symmetries:
                alike += 1
                codes = [(codes & 255).astype(np.uint8) for codes in table.codes]
                assert shown["codes"] == [hashlib.sha256(a.tobytes()).hexdigest() for a in codes], (
                    link,
                    name,
                )
                assert shown["figures"]["zugzwangs"] == len(survey_table(table).zugzwangs), (
                    link,
                    name,
                )
            expected = figures_of(table)
            for side in ("white", "black"):
                figures = shown["figures"][side]
                figures["longest"] = (figures["longest"] or {"plies": 0})["plies"]
                assert figures == expected[side], (link, name, side)
        native.cache_clear()
    assert alike > SOLVED
