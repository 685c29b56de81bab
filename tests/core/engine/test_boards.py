"""Tables on smaller boards, and on boards with walls."""

import numpy as np
import pytest
from support.few import few, thorough
from support.slow_rules import NEAR, SlowEnding, assert_values_are

from tablebase.core.board.geometry import Color
from tablebase.core.board.symmetry import GROUPS
from tablebase.core.engine.driver import solve
from tablebase.core.engine.requirements import obstacle
from tablebase.core.index.legality import is_legal, mark_slots
from tablebase.core.rules.material import Material, generation_order
from tablebase.core.rules.rule_files import built_in_rules, parse_rules
from tablebase.core.tables.census import take_census

PIECES = """
    customPiece1 = a:BN
    customPiece2 = c:RN
    customPiece3 = s:K
    gold = g
    silver = t
"""
HOLE = "8/8/8/3**3/3**3/8/8/8"


def on_board(files, ranks, walls=HOLE[:0]):
    size = f"maxFile = {'abcdefgh'[files - 1]}\nmaxRank = {ranks}\n"
    start = f"startFen = {walls} w - - 0 1\n" if walls else ""
    return parse_rules(f"[board:chess]\n{size}{start}{PIECES}")["board"]


BOARDS = {
    "3x3": (on_board(3, 3), GROUPS[2]),
    "4x4": (on_board(4, 4), GROUPS[0]),
    "4x5": (on_board(4, 5), GROUPS[3]),
    "5x5": (on_board(5, 5), GROUPS[2]),
    "5x6": (on_board(5, 6), GROUPS[4]),
    "6x6": (on_board(6, 6), GROUPS[0]),
    "7x7": (on_board(7, 7), GROUPS[2]),
    "4x8": (on_board(4, 8), GROUPS[1]),
    "hole": (on_board(8, 8, HOLE), GROUPS[0]),
    "8x8": (on_board(8, 8), GROUPS[0]),
}
# The longest wins of KRK, KQK, KAK (bishop and knight in one), KCK (rook and knight) and KSK (a
# piece that moves as a king) in plies, by an earlier program of which every value was compared with
# a slow solver. For KRK and KQK on square boards they are those of V. Kotesovec.
LONGEST = {
    "3x3": (5, 1, 5, 5, 1),
    "4x4": (13, 7, 15, 9, 7),
    "4x5": (17, 9, 17, 11, 13),
    "5x5": (19, 11, 17, 13, 15),
    "5x6": (21, 11, 21, 13, 19),
    "6x6": (23, 13, 21, 15, 21),
    "7x7": (27, 15, 27, 19, 29),
    "4x8": (23, 15, 25, 19, 23),
    "hole": (45, 19, 39, 23, 37),
    "8x8": (31, 19, 33, 21, 35),
}
# Positions by plies to mate, up to the symmetries of the square.
DISTANCES = {
    (3, "KRK"): "2 4 3 5 9 5 4",
    (3, "KQK"): "9 6 7",
    (4, "KRK"): "5 15 10 51 30 40 26 30 31 22 65 7 25 2 6",
    (4, "KQK"): "14 23 21 27 34 43 76 9 37",
    (5, "KRK"): "9 36 21 122 59 97 39 87 79 174 178 180 206 125 243 49 136 19 70 2 7",
    (5, "KQK"): "21 58 47 102 88 173 238 251 447 41 165 1 7",
    (6, "KRK"): "14 70 36 231 101 181 53 134 116 310 262 492 291 461 397 447 619 473 698 292 782 "
    "96 313 13 45",
    (6, "KQK"): "28 115 81 225 161 387 443 740 863 737 1191 220 898 1 8",
    (7, "KRK"): "20 120 55 384 165 311 67 184 156 449 365 795 449 1002 552 1147 986 1303 1207 1154 "
    "1515 1124 2116 832 2002 258 773 32 119",
    (7, "KQK"): "37 197 123 402 254 705 678 1471 1271 1775 2168 1851 3070 793 2669 46 201",
    (8, "KRK"): "27 189 78 587 246 484 81 238 198 607 471 1091 592 1418 683 2149 1433 2514 1712 "
    "2382 1985 2565 2854 2691 3597 2234 4194 2027 4553 662 2166 121 390",
}


def solved(name, rules):
    tables = {}
    for one in generation_order([Material.from_name(name, rules)]):
        tables[one] = solve(one, {needed: tables[needed] for needed in one.dependencies()})
    return tables[Material.from_name(name, rules).normalized()]


def everywhere(table):
    """Return all positions on distinct squares with kings apart, [n, 3]."""
    squares = np.array(table.material.rules.board.squares)
    every = np.stack(np.meshgrid(squares, squares, squares, indexing="ij"), axis=-1).reshape(-1, 3)
    white, black, man = every.T
    apart = np.maximum(abs(white % 8 - black % 8), abs(white // 8 - black // 8)) > 1
    return every[apart & (white != man) & (black != man)].astype(np.uint8)


def wins_and_losses(table, positions):
    """Return the plies to mate with each side to move, -1 for draws and illegal positions."""
    slots, marks = table.index.encode_many(positions), mark_slots(table.index)
    for color in Color:
        outcomes = table.outcomes[color][table.codes[color][slots]].astype(int)
        plies = np.where(outcomes > 0, outcomes, np.where(outcomes < 0, ~outcomes, -1))
        yield np.where(is_legal(marks[slots], color), plies, -1)


@pytest.mark.parametrize("board", few(BOARDS, "4x5", "5x5", "hole", others=thorough))
def test_longest_wins(board):
    rules, symmetries = BOARDS[board]
    found = []
    for letter in "RQACS":
        table = solved(f"K{letter}K", rules)
        assert table.material.symmetries == symmetries
        white, _ = wins_and_losses(table, everywhere(table))
        found.append(white.max())
    assert tuple(found) == LONGEST[board]


@pytest.mark.parametrize(("size", "name"), DISTANCES)
def test_positions_by_distance(size, name):
    """Whatever symmetries the table has, those of the square are taken here."""
    rules, _ = BOARDS[f"{size}x{size}"]
    table = solved(name, rules)
    positions = everywhere(table)
    first = rules.board.squares[0]
    files, ranks = positions % 8 - first % 8, positions // 8 - first // 8
    keys = [
        (one + 8 * other) @ [1 << 12, 1 << 6, 1]
        for x, y in ((files, ranks), (ranks, files))
        for one in (x, size - 1 - x)
        for other in (y, size - 1 - y)
    ]
    is_least = keys[0] == np.min(keys, axis=0)
    white, black = wins_and_losses(table, positions[is_least])
    counts = np.bincount(white[white > 0], minlength=99)
    counts += np.bincount(black[(black >= 0) & (black % 2 == 0)], minlength=99)
    expected = [*map(int, DISTANCES[size, name].split())]
    assert counts[: len(expected)].tolist() == expected
    assert not counts[len(expected) :].any()


@pytest.mark.parametrize(
    ("board", "name"),
    [
        thorough("5x5", "KRK"),
        ("4x5", "KGK"),
        ("hole", "KAK"),
        thorough("5x6", "KCK"),
        thorough("7x7", "KTK"),
    ],
)
def test_every_value_is_that_of_a_slow_solver(board, name):
    rules, _ = BOARDS[board]
    table = solved(name, rules)
    slow = SlowEnding(rules.steps[rules.letters[name[1]]], rules.board.squares)
    assert_values_are(table, slow)


def test_pawns_beside_walls_are_refused():
    rules, _ = BOARDS["hole"]
    assert "leave pawns out" in obstacle(Material.from_name("KPK", rules))


def test_kings_that_reach_the_middle_win():
    """Two kings alone, by playing all moves of all positions forwards until nothing changes."""
    table = solved("KK", built_in_rules()["kingofthehill"])
    goal = {27, 28, 35, 36}
    near = {s: {t for t in range(64) if NEAR[s, t] and s != t} for s in range(64)}
    legal = {
        (own, other)
        for own in set(range(64)) - goal
        for other in set(range(64)) - near[own] - {own}
    }
    plies_of = {one: 0 for one in legal if one[1] in goal}
    for plies in range(1, 40):
        found = {}
        for own, other in legal - plies_of.keys():
            after = [plies_of.get((other, to)) for to in near[own] - near[other]]
            if plies % 2 and any(one is not None and one % 2 == 0 for one in after):
                found[own, other] = plies
            if plies % 2 == 0 and after and all(one is not None and one % 2 for one in after):
                found[own, other] = plies
        plies_of |= found
    positions = np.array(sorted(legal), dtype=np.uint8)
    slots = table.index.encode_many(positions)
    assert is_legal(mark_slots(table.index)[slots], Color.WHITE).all()
    outcomes = table.outcomes[Color.WHITE][table.white[slots]]
    expected = [plies_of.get(tuple(one)) for one in positions.tolist()]
    expected = [0 if one is None else one if one % 2 else ~one for one in expected]
    assert outcomes.tolist() == expected
    assert min(expected) < -1
    assert max(expected) > 1


# On 6 x 6, with men that know forward from back on one side or both: win, draw, loss and longest
# win with each side to move, by an earlier program of which every value was compared.
DIRECTED = parse_rules(
    """
    [directed:chess]
    maxFile = f
    maxRank = 6
    gold = g
    silver = s
    lance = l
    customPiece1 = c:fRsRbK
    """
)["directed"]


@pytest.mark.parametrize(
    ("name", "white", "black"),
    [
        ("KSKG", (1272, 463833, 57747, 11), (197018, 306391, 303, 75)),
        ("KGKR", (113906, 154911, 234895, 47), (341734, 83940, 526, 89)),
        ("KCKL", (426088, 1846, 220, 31), None),
    ],
)
def test_men_that_know_directions_on_a_small_board(name, white, black):
    table = solved(name, DIRECTED)
    assert table.material.name == name
    counts = take_census(table).as_dict()
    for side, expected in zip(counts.values(), (white, black), strict=True):
        found = side["inequivalent"]
        results = tuple(found[one] for one in ("win", "draw", "loss"))
        assert expected is None or (*results, side["longest_win"]["plies"]) == expected
