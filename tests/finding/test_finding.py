"""Finding positions: every condition against a slow search with python-chess."""

import inspect
from typing import Unpack, get_type_hints

import chess
import numpy as np
import pytest
from support.few import few
from support.slow_search import every_placement, facts_of_placements, images_of, keys_of

import tablebase
from tablebase import difficulty
from tablebase.core.answers.opening import open_tablebase
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.rules.material import Material
from tablebase.finding.conditions import ConditionArguments, Conditions
from tablebase.finding.find import _pruned, find
from tablebase.finding.scan import SLOTS_PER_STEP


def within(value, least, most):
    return value is not None and least <= value <= most


# What `find` is asked, and the same of the facts of a position.
CASES = [
    ({}, lambda _: True),
    ({"result": "win"}, lambda f: f["result"] == "win"),
    ({"result": ["cursed_win", "blessed_loss"]}, lambda f: f["result"][1] in "ul"),
    ({"result": ("draw", "loss")}, lambda f: f["result"] in {"draw", "loss"}),
    ({"plies": 9}, lambda f: f["dtm"] == 9),
    ({"plies": (None, 4)}, lambda f: within(f["dtm"], 0, 4)),
    ({"plies": (20, None)}, lambda f: within(f["dtm"], 20, 999)),
    ({"moves": (3, 5)}, lambda f: within(f["dtm"], 5, 10)),
    ({"plies": (2, 6), "metric": "dtz"}, lambda f: within(f["dtz"], 2, 6)),
    ({"check": True}, lambda f: f["check"]),
    ({"check": False, "result": "draw"}, lambda f: not f["check"] and f["result"] == "draw"),
    ({"only_move": True}, lambda f: f["only"]),
    ({"only_move": False, "result": "win"}, lambda f: not f["only"] and f["result"] == "win"),
    ({"winning_moves": 0}, lambda f: f["winning"] == 0),
    ({"winning_moves": (2, 3)}, lambda f: within(f["winning"], 2, 3)),
    ({"best_move": "capture"}, lambda f: f["capture"]),
    ({"best_move": "promotion"}, lambda f: f["promotion"]),
    ({"best_move": "underpromotion"}, lambda f: f["underpromotion"]),
    ({"best_move": "queen"}, lambda f: f["promotions"] == {chess.QUEEN}),
    ({"best_move": "rook"}, lambda f: f["promotions"] == {chess.ROOK}),
    ({"zugzwang": "any"}, lambda f: f["zugzwang"]),
    ({"zugzwang": "white"}, lambda f: f["zugzwang"] == "white"),
    ({"zugzwang": "black"}, lambda f: f["zugzwang"] == "black"),
    ({"zugzwang": "both"}, lambda f: f["zugzwang"] == "both"),
    (
        {"only_move": True, "result": "win", "plies": (9, None), "check": False},
        lambda f: f["only"] and f["result"] == "win" and f["dtm"] >= 9 and not f["check"],
    ),
]


def keys_found(positions, among=None):
    """Return the keys and sides to move of positions, which are all different.

    Of some placements alone if their keys are given.
    """
    keys = keys_of(positions.material, positions.squares).tolist()
    found = set(zip(keys, positions.white_to_move.tolist(), strict=True))
    assert len(found) == len(positions)
    return found if among is None else {key for key in found if key[0] in among}


@pytest.fixture(scope="module", params=few([40, 1], 40))
def facts(folders_by_metric, request):
    """Return by material facts of every so many placements, and the keys of those."""
    found = {}
    with open_tablebase(folders_by_metric["both"]) as tables:
        for name in ("KRK", "KPK"):
            material = Material.from_name(name)
            placements = every_placement(material)[:: request.param]
            keys = set(keys_of(material, placements).tolist())
            found[name] = facts_of_placements(tables, material, placements), keys
    return found


@pytest.mark.parametrize("name", few(["KRK", "KPK"], "KPK"))
@pytest.mark.parametrize(("asked", "is_so"), CASES, ids=[str(asked) for asked, _ in CASES])
def test_what_is_found_in_whole_tables(facts, folders_by_metric, name, asked, is_so):
    known, among = facts[name]
    expected = {key for key, fact in known.items() if is_so(fact)}
    positions = find(name, folders_by_metric["both"], **asked)
    assert keys_found(positions, among) == expected
    for turn in chess.COLORS:
        with_turn = find(name, folders_by_metric["both"], turn=turn, **asked)
        assert keys_found(with_turn, among) == {key for key in expected if key[1] is turn}
    some = positions[:600]
    for key, position in zip(keys_of(some.material, some.squares).tolist(), some, strict=True):
        if key in among:
            assert position.dtm == known[key, position.white_to_move]["signed"]


@pytest.mark.parametrize(
    ("name", "on"),
    [
        ("KRK", {"R": "a1-h1", "k": "f7,f8"}),
        ("KRK", {"K": "e4-d5", "R": "c3"}),
        ("KPK", {"P": "g2", "k": "a8-c6", "K": "a1-h8"}),
    ],
)
def test_men_on_squares_in_some_image(facts, folders_by_metric, name, on):
    material = Material.from_name(name)
    men = "KkR" if name == "KRK" else "KkP"
    squares = {"a1-h1": range(8), "f7,f8": (53, 61), "e4-d5": (27, 28, 35, 36), "c3": (18,)}
    squares |= {
        "g2": (14,),
        "a1-h8": range(64),
        "a8-c6": [r * 8 + f for r in (5, 6, 7) for f in range(3)],
    }

    def stands(row):
        return all(row[men.index(man)] in squares[text] for man, text in on.items())

    known, among = facts[name]
    expected = {
        key
        for key, fact in known.items()
        if any(stands(image[fact["squares"]]) for image in images_of(material))
    }
    positions = find(name, folders_by_metric["both"], on=on)
    assert all(stands(row) for row in positions.squares.tolist())
    assert keys_found(positions, among) == expected
    every = find(name, folders_by_metric["both"], on=on, images="all")
    rows = list(zip(map(tuple, every.squares.tolist()), every.white_to_move.tolist(), strict=True))
    assert len(set(rows)) == len(rows)
    keys = keys_of(material, every.squares).tolist()
    assert {row for row, key in zip(rows, keys, strict=True) if key in among} == {
        (tuple(image[fact["squares"]].tolist()), key[1])
        for key, fact in known.items()
        for image in images_of(material)
        if stands(image[fact["squares"]])
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KQKR", "KPKP"])
def test_what_is_found_of_four_men(zeroing_dir, name):
    check_samples(zeroing_dir, name, 50_000)


def check_samples(directory, name, number):
    """Compare what is found with a slow search, for at least some number of random positions."""
    material = Material.from_name(name)
    choice = np.random.default_rng(8)
    # Of either side to move about half are legal, and few are images of others.
    squares = np.tile(np.arange(64, dtype=np.uint8), (6 * number // 5, 1))
    placements = choice.permuted(squares, axis=1)[:, :4]
    with open_tablebase(directory) as tables:
        facts = facts_of_placements(tables, material, placements)
    assert len(facts) >= number
    if material.is_symmetric:  # Black's are the same with the colours exchanged
        facts = {key: fact for key, fact in facts.items() if key[1]}
    keys = np.array([2 * key + turn for key, turn in facts])
    for asked, is_so in CASES:
        positions = find(name, directory, **asked)
        found = 2 * keys_of(material, positions.squares) + positions.white_to_move
        assert len(np.unique(found)) == len(found)
        expected = np.array([bool(is_so(fact)) for fact in facts.values()])
        assert (np.isin(keys, found) == expected).all(), asked


def test_the_longest_and_the_order():
    longest = find("KRK", "data", turn=True, longest=True)
    assert len(longest) == 121
    assert set(longest.dtm.tolist()) == {31}
    every = find("KRK", "data")
    shortest = find("KRK", "data", order="shortest")
    farthest = find("KRK", "data", order="longest", limit=300)
    distances = np.where((every.wdl == 0), 999, np.abs(every.dtm))
    assert np.where(shortest.wdl == 0, 999, np.abs(shortest.dtm)).tolist() == sorted(distances)
    assert np.abs(farthest.dtm).tolist() == sorted(np.abs(every.dtm), reverse=True)[:300]
    assert keys_found(find("KRK", "data", longest=True)) <= keys_found(every)


def test_limits_and_samples():
    every = find("KPK", "data", result="win")
    first = find("KPK", "data", result="win", limit=7)
    assert (first.squares == every.squares[:7]).all()
    assert len(find("KRK", "data", zugzwang="both", limit=5)) == 0
    one, same, other = (find("KPK", "data", sample=500, seed=seed, threads=n)
                        for seed, n in ((1, 1), (1, 3), (2, 2)))  # fmt: skip
    assert (one.squares == same.squares).all()
    assert len(keys_found(one)) == len(keys_found(other)) == 500
    assert keys_found(one) != keys_found(other)
    assert keys_found(one) <= keys_found(find("KPK", "data"))
    assert len(find("KRK", "data", sample=10, order="longest", limit=3)) == 3
    assert len(find("KRK", "data", sample=500, longest=True, turn=True)) == 121


def test_several_steps_give_what_one_gives(monkeypatch):
    at_once = find("KRK", "data", only_move=True)
    monkeypatch.setattr("tablebase.finding.scan.SLOTS_PER_STEP", 1000)
    monkeypatch.setattr("tablebase.finding.find._BLOCK", 100)
    assert SLOTS_PER_STEP > len(at_once) > 1000
    assert keys_found(find("KRK", "data", only_move=True)) == keys_found(at_once)
    assert len(find("KRK", "data", limit=250)) == 250


def test_the_hardest_first():
    found = find("KPK", "data", order="difficulty", result="draw", limit=300)
    assert len(found) == 300
    assert (np.diff(found.difficulty) <= 0).all()
    every = find("KPK", "data", order="difficulty")
    drawn = every.where(every.wdl50 == 0)
    assert found.difficulty.tolist() == drawn.difficulty[:300].tolist()
    with open_tablebase("data") as tables:
        for position in [*found[:20], *every[::3000]]:
            expected = difficulty(tables, position.board())
            assert position.difficulty == pytest.approx(expected)
    assert find("KPK", "data", limit=1).difficulty is None
    images = find("KPK", "data", order="difficulty", images="all", limit=40)
    assert {position.difficulty for position in images} == {every[0].difficulty}


def test_difficulty_needs_distances_to_zeroing(folders_by_metric):
    with pytest.raises(MissingTableError, match="dtz"):
        find("KPK", folders_by_metric["dtm"], order="difficulty")


def test_all_in_order_of_distance_come_from_several_steps(monkeypatch):
    expected = find("KRK", "data", order="longest")
    monkeypatch.setattr("tablebase.finding.scan.SLOTS_PER_STEP", 1000)
    monkeypatch.setattr("tablebase.finding.find._BLOCK", 100)
    joined = []
    monkeypatch.setattr(
        "tablebase.finding.find._pruned",
        lambda *given, **asked: joined.append(0) or _pruned(*given, **asked),
    )
    assert keys_found(find("KRK", "data", order="longest")) == keys_found(expected)
    assert 1 < len(joined) < 12  # not once a step


def test_either_side_may_be_named_the_stronger_and_symmetric_twins_come_once():
    assert len(find("KKR", "data", longest=True)) == len(find("KRK", "data", longest=True))
    assert find("KK", "data").white_to_move.all()
    assert not find("KK", "data", turn=False).white_to_move.any()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"result": "won"}, "result is one of win, cursed_win"),
        ({"best_move": "castling"}, "best_move is one of"),
        ({"zugzwang": "none"}, "zugzwang is one of"),
        ({"order": "random"}, "order is one of"),
        ({"images": "both"}, "images is one of"),
        ({"plies": (5, 3)}, "plies: the range from 5 to 3 is empty"),
        ({"metric": "dtc"}, "dtc"),
        ({"on": {"R": "a9"}}, "'a9' is neither a square"),
        ({"on": {"Q": "a1"}}, "no Q in KRK, whose pieces are K k R"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        find("KRK", "data", **wrong)


def test_what_is_missing_is_named(tmp_path, folders_by_metric):
    with pytest.raises(MissingTableError, match="tablebase build KRK"):
        find("KRK", tmp_path)
    with pytest.raises(MissingTableError, match="--metric"):
        find("KRK", folders_by_metric["dtm"], result="cursed_win")
    assert tablebase.find is find
    assert Conditions().results == ()


def test_a_misspelt_condition_is_named_as_an_argument_of_the_function():
    message = (
        r"^find\(\) got an unexpected keyword argument 'only_mov'; .*, difficulty, only_move, "
    )
    with pytest.raises(TypeError, match=message):
        find("KRK", "data", only_mov=True)


def test_type_checkers_know_every_condition():
    described = inspect.signature(find, eval_str=True).parameters["conditions"].annotation
    assert described == Unpack[ConditionArguments]
    assert get_type_hints(ConditionArguments) == get_type_hints(Conditions)
