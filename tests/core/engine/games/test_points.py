"""A game by modules of its own: what `Game` and `GameMoves` name is all that it has to tell."""

import random
from dataclasses import replace

import numpy as np
import pytest
from support.sanctuary import solving, walking
from support.sanctuary.rules import CORNERS, SANCTUARY, outcome_by_moves

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.checking.verify import check_table
from tablebase.core.engine.driver import solve
from tablebase.core.engine.games import every_game as solvers
from tablebase.core.moves.games import every_game as walks
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.positions.setup import Setup
from tablebase.core.rules.material import Material, closure, generation_order

POSITIONS = 400
NAMES = ("KRK", "KPK", "KQKN")


def is_sanctuary(rules):
    return rules == SANCTUARY


@pytest.fixture(scope="module")
def tables():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solvers, "GAMES", [(is_sanctuary, solving.GAME), *solvers.GAMES])
        patch.setattr(walks, "GAMES", [(is_sanctuary, walking.MOVES), *walks.GAMES])
        found = {}
        wanted = [Material.from_name(name, SANCTUARY) for name in NAMES]
        for material in generation_order(closure(wanted)):
            needed = {other: found[other] for other in material.dependencies()}
            found[material] = solve(material, needed, threads=1)
        yield found


def outcome_in(tables, position):
    """Return what a table says of a position."""
    if not position.material.is_normalized:
        position = position.swapped()
    table = tables[position.material]
    slot = table.index.encode_many(np.array([position.squares], dtype=np.uint8))[0]
    return int(table.outcomes[position.color][table.codes[position.color][slot]])


def random_positions(material, count):
    rng = random.Random(material.name)
    while count:
        squares = tuple(rng.sample(range(64), material.piece_count))
        if rng.random() < 0.3:  # where this game differs
            squares = (*squares[:-1], rng.choice(CORNERS))
        men = zip(squares, material.men, strict=True)
        if any(man is PieceType.PAWN and not 8 <= at < 56 for at, (_, man) in men):
            continue
        position = Setup(material, squares, rng.choice([*Color]))
        if len({*squares}) == len(squares) and position.is_legal():
            count -= 1
            yield position


@pytest.mark.thorough
def test_every_value_follows_from_the_moves_of_the_game(tables):
    seen = set()
    for name in NAMES:
        for position in random_positions(Material.from_name(name, SANCTUARY), POSITIONS):
            expected = outcome_by_moves(position, lambda after: outcome_in(tables, after))
            assert outcome_in(tables, position) == expected, position
            seen.add(np.sign(expected))
    assert seen == {-1, 0, 1}


@pytest.mark.thorough
def test_the_check_passes_and_finds_a_planted_value(tables):
    for material, table in tables.items():
        subtables = {other: tables[other] for other in material.dependencies()}
        assert check_table(table, subtables, threads=1).passed
    table = tables[Material.from_name("KQKN", SANCTUARY)]
    subtables = {other: tables[other] for other in table.material.dependencies()}
    won = (
        one for one in random_positions(table.material, POSITIONS) if outcome_in(tables, one) > 0
    )
    planted = next(one for one in won if one.color is Color.WHITE)
    white = table.codes[Color.WHITE].copy()
    white[table.index.encode_many(np.array([planted.squares], dtype=np.uint8))[0]] = DRAW
    assert not check_table(replace(table, white=white), subtables, threads=1).passed
