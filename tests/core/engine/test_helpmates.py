"""Helpmates: a census found by another program, and python-chess's moves on tables of noise."""

import json
from collections import Counter
from pathlib import Path

import chess
import numpy as np
import pytest
from support.few import slow
from support.games import random_setups
from support.helpmates import forward_plies, noise_helpmates, plies_of, solve_helpmates
from support.oracle import random_boards

from tablebase.core.board.geometry import Color
from tablebase.core.checking.verify import check_table
from tablebase.core.engine.driver import solve
from tablebase.core.engine.requirements import obstacle
from tablebase.core.outcomes.metrics import HELPMATES
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.tables.census import take_census
from tablebase.core.tables.table import swap_colors

CENSUS = json.loads((Path(__file__).parents[2] / "data" / "helpmate_census.json").read_text())
SMALL = ["KQK", "KRK", "KPK", "KNKN"]


@pytest.fixture(scope="module")
def helped():
    """Return the tables of helpmates of some materials by metric."""
    return solve_helpmates(SMALL, threads=2)


def counted(tables, metric, name):
    """Return never, all, and the longest of a table, with White and with Black to move."""
    census = take_census(tables[metric][Material.from_name(name)])
    found = []
    for side in (census.white_to_move, census.black_to_move):
        counts = side.inequivalent.as_dict()
        longest = side.as_dict()["longest"]
        all_of_them = counts["mates"] + counts["never"]
        found.append([counts["never"], all_of_them, longest and longest["plies"]])
    return found


@pytest.mark.parametrize("name", SMALL)
def test_a_census_by_another_program(helped, name):
    for metric in HELPMATES:
        known = CENSUS[metric.name].get(name)
        assert known is None or counted(helped, metric, name) == known


@pytest.mark.slow
def test_the_whole_census():
    names = {*CENSUS["white_mates"], *CENSUS["sums_of_both_sides"]}
    tables = solve_helpmates(sorted(names), threads=2)
    for metric in HELPMATES:
        for name, known in CENSUS[metric.name].items():
            assert counted(tables, metric, name) == known, name
    for name, sums in CENSUS["sums_of_both_sides"].items():
        for metric, known in zip(HELPMATES, sums, strict=True):
            found = sum(never for never, _, _ in counted(tables, metric, name))
            assert known in (found, None), name


@pytest.mark.thorough
def test_every_distance_follows_from_the_moves_of_python_chess(helped):
    for name in SMALL:
        for board in random_boards(Material.from_name(name), 150, seed=77):
            for color in chess.COLORS:
                after = forward_plies(board, color, lambda b, c=color: plies_of(helped, b, c))
                assert plies_of(helped, board, color) == after, board.fen()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KQK", "KPK"])
def test_every_position_of_three_men(helped, name):
    material = Material.from_name(name)
    index = helped[HELPMATES[0]][material].index
    squares, valid = index.decode_many(np.arange(index.size))
    for turn in chess.COLORS:
        for row in squares[valid].tolist():
            board = board_of(material, row, turn)
            if not board.is_valid():
                continue
            after = forward_plies(board, chess.WHITE, lambda b: plies_of(helped, b, chess.WHITE))
            assert plies_of(helped, board, chess.WHITE) == after, board.fen()


def before_double_pushes(rng, count):
    """Yield boards of KPKP on which a double push can be answered en passant."""
    material = Material.from_name("KPKP")
    while count:
        file, beside = int(rng.integers(8)), int(rng.choice([-1, 1]))
        kings = rng.choice(64, 2, replace=False).tolist()
        squares = [*kings, 8 + file, 24 + file + beside]
        if not 0 <= file + beside < 8 or len(set(squares)) < 4:
            continue
        board = board_of(material, squares, chess.WHITE)
        if board.is_valid():
            count -= 1
            yield from (board, board.mirror())


@pytest.fixture(scope="module")
def on_noise():
    """Return KPKP, solved on sub-tables of random plies."""
    material = Material.from_name("KPKP")
    tables = {metric: {} for metric in HELPMATES}
    for seed, needed in enumerate(material.dependencies()):
        for metric, table in noise_helpmates(needed, seed).items():
            tables[metric][needed] = table
    return solve_helpmates(["KPKP"], tables, threads=2)


@pytest.mark.thorough
def test_double_pushes_that_can_be_answered_en_passant(on_noise):
    boards = list(before_double_pushes(np.random.default_rng(7), 150))
    for board in boards:
        for color in chess.COLORS:
            after = forward_plies(board, color, lambda b, c=color: plies_of(on_noise, b, c))
            assert plies_of(on_noise, board, color) == after, board.fen()


@pytest.mark.thorough
@pytest.mark.parametrize("metric", HELPMATES, ids=str)
def test_the_check_forwards_agrees_on_noise(on_noise, metric):
    table = on_noise[metric][Material.from_name("KPKP")]
    how = {"if_swapped": on_noise[metric.swapped], "threads": 2}
    assert check_table(table, on_noise[metric], **how).passed


def test_sides_with_the_same_men_are_each_other_exchanged(helped):
    material = Material.from_name("KNKN")
    white, black = (helped[metric][material] for metric in HELPMATES)
    marks = swap_colors(material, white.white)
    legal = marks != 255
    assert np.array_equal(marks[legal], black.black[legal])


def test_threads_make_no_difference(helped):
    material = Material.from_name("KPK")
    for threads in (1, 3):
        for metric in HELPMATES:
            table = solve(
                material,
                helped[metric],
                if_swapped=helped[metric.swapped],
                metric=metric,
                threads=threads,
            )
            for codes, known in zip(table.codes, helped[metric][material].codes, strict=True):
                assert np.array_equal(codes, known)


def test_six_men_are_refused():
    assert "up to 5" in obstacle(Material.from_name("KRNKNN"), HELPMATES[0])


@pytest.mark.parametrize(
    ("game", "name"), [("antichess", "RvK"), ("racingkings", "KRK"), ("3check", "KRK")]
)
def test_games_without_mates_have_no_helpmates(game, name):
    material = Material.from_name(name, built_in_rules()[game])
    assert f"{game} has no helpmates, because" in obstacle(material, HELPMATES[0])
    assert obstacle(material) == ""


def forward_setup(tables, setup, color):
    """Return the plies of a helpmate by those of the positions after each move, None for none."""
    outcome = setup.final_outcome()
    if outcome is not None:
        return 0 if outcome and setup.color is not color else None
    after = [plies_of_setup(tables, move.after, color) for move in setup.moves()]
    return min((plies + 1 for plies in after if plies is not None), default=None)


def plies_of_setup(tables, setup, color):
    """Return the plies of a helpmate; a king that has exploded has no table."""
    if any(setup.en_passant()) or min(setup.squares) < 0:
        return forward_setup(tables, setup, color)
    setup = setup._replace(ep_square=None)
    material = setup.material.normalized()
    if setup.material != material or (material.is_symmetric and setup.color is Color.BLACK):
        setup, color = setup.swapped(), color.opponent
    table = tables[HELPMATES[color]][material]
    code = table.codes[setup.color][table.index.encode(np.array(setup.squares, dtype=np.uint8))]
    outcome = int(table.outcomes[setup.color][code])
    return None if outcome == 0 else max(outcome, ~outcome)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "name"),
    [
        *[("kingofthehill", "KPK"), ("atomic", "KPKP"), ("shatranj", "KPK")],
        *[slow("shatranj", "KQKN"), slow("kingofthehill", "KNKN"), slow("makruk", "KRK")],
        *[slow("atomic", "KPK"), slow("atomic", "KQKR"), slow("shatranj", "KPKP")],
    ],
)
def test_other_ways_to_win_count_as_mates(game, name):
    rules = built_in_rules()[game]
    material = Material.from_name(name, rules)
    tables = solve_helpmates([material], threads=2)
    seen = Counter()
    for setup in random_setups(name, rules, 100, seed=5):
        for color in Color:
            known = plies_of_setup(tables, setup, color)
            assert known == forward_setup(tables, setup, color), setup.fen
            seen[known is None] += 1
    assert seen[False]
    for metric in HELPMATES:
        how = {"if_swapped": tables[metric.swapped], "threads": 2}
        assert check_table(tables[metric][material], tables[metric], **how).passed
