"""Methods of the program: each is proven, in all images; and files that are none."""

import re
from pathlib import Path

import chess
import numpy as np
import pytest
from support.few import thorough

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.board.symmetry import D4
from tablebase.strategies import game_graph
from tablebase.strategies.after_moves import MoveColumns, allowed_by
from tablebase.strategies.methods import (
    advise,
    export_methods,
    method_for,
    read_method,
    shipped_methods,
)
from tablebase.strategies.proving import prove

DATA = Path(__file__).parents[2] / "data"
# Endings with their methods: the positions that the rules decide one after another.
DECIDED = {
    "KPK": [12_749, 34_485, 206],
    "KQK": [306, 629, 1_135, 15_203, 677, 78, 53],
    "KRK": [189, 587, 14_589, 3_583, 3_011],
}
SLOW_MATE = "8/8/8/3R4/8/8/2k5/K7 w - - 0 1"


def test_each_method_is_proven_here():
    assert [*shipped_methods()] == [*DECIDED]


@pytest.mark.parametrize("name", ["KPK", thorough("KQK"), thorough("KRK")])
def test_a_method_is_proven_in_all_images_and_takes_as_long_as_it_says(name, monkeypatch):
    method, tried = shipped_methods()[name], 0

    def allowed_in_all_images(rules, columns, position):
        nonlocal tried
        found = allowed_by(rules, columns, position)
        images = [0, 1] if name == "KPK" else range(8)  # left and right, or all
        for image in images:
            squares = {key: D4[image][columns.given[key]] for key in ("before", "squares")}
            turned = MoveColumns(columns.material, columns.color, **{**columns.given, **squares})
            for one, other in zip(found, allowed_by(rules, turned, position), strict=True):
                assert np.array_equal(one, other)
            tried += 1
        return found

    monkeypatch.setattr(game_graph, "allowed_by", allowed_in_all_images)
    proof = prove(name, method, DATA)
    assert tried
    assert proof.is_proven
    assert (proof.positions, (proof.longest + 1) // 2) == (method.positions, method.moves)
    assert [rule.positions for rule in proof.rules] == DECIDED[name]
    assert [rule.text for rule in proof.rules] == method.sentences
    assert not any(rule.unproven or rule.lost for rule in proof.rules)
    board = chess.Board(proof.longest_game.fen)
    for move in proof.longest_game.moves:
        board.push_uci(move)
    assert board.is_checkmate() == (method.goal == "mate")


def test_the_page_says_what_is_proven():
    page = (DATA.parent / "docs/strategies.md").read_text(encoding="utf-8")
    for name, method in shipped_methods().items():
        verdict = f"| {name} | {method.goal} | **proven** | {method.positions:,} | "
        assert re.search(rf"{re.escape(verdict)}.* {method.moves} moves \|", page)
        for number, sentence in enumerate(method.sentences, 1):
            assert f"| {number}. {sentence} |" in page
    assert "need five rules and 35 moves at most" in page
    assert "need seven rules and 25 moves" in page
    assert "from 47,440 of\n  the 62,480 won" in page


def test_a_refuted_list_says_which_rule_loses():
    rules = ["after.is_mate", "minimise distance(after.white_rook, black_king)"]
    proof = prove("KRK", rules, DATA)
    first, second = proof.rules
    assert (first.positions, first.unproven, first.lost) == (189, 0, 0)
    assert second.positions == 21_959 - 189
    assert second.unproven == proof.failures["slip"]
    assert 0 < second.lost <= second.unproven
    assert f"rule 2 decides {second.positions:,} ({second.unproven:,} not proven, " in str(proof)
    slips = prove("KRK", ["after.is_stalemate", "True"], DATA, any_of=True).rules[0]
    assert 0 < slips.positions == slips.lost


def test_advice_is_the_same_in_all_images_and_colours():
    method, board = method_for("KRK"), chess.Board(SLOW_MATE)
    images = [chess.flip_horizontal, chess.flip_diagonal, chess.flip_anti_diagonal]
    with open_tablebase(DATA) as tables:
        rule, moves = advise(method, tables, board)
        assert (rule, {move.uci() for move in moves}) == (4, {"a1a2", "d5a5", "d5d4"})
        for image in images:
            for mirror in (chess.Board.copy, chess.Board.mirror):
                turned = mirror(board.transform(image))
                rule, allowed = advise(method, tables, turned)
                found = {mirror(_after(board, move).transform(image)).epd() for move in moves}
                assert {_after(turned, move).epd() for move in allowed} == found
                assert (rule, len(found)) == (4, 3)
        mate = chess.Board("7k/8/6K1/8/8/8/8/R7 w - - 0 1")
        assert advise(method, tables, mate) == (0, [chess.Move.from_uci("a1a8")])
        with pytest.raises(ValueError, match="the method is for white: the other side is to move"):
            advise(method, tables, chess.Board("7k/8/6K1/8/8/8/8/R7 b - - 0 1"))
        with pytest.raises(ValueError, match=r"there is no column 'after.white_rook'"):
            advise(method, tables, chess.Board("7k/8/6K1/8/8/8/Q7/8 w - - 0 1"))
        far = chess.Board("8/8/8/k7/7P/8/8/K7 w - - 0 1")
        near = chess.Board("8/8/4k3/8/8/8/4P3/4K3 w - - 0 1")
        method = method_for("KPK")
        assert advise(method, tables, far)[0] == 1
        assert advise(method, tables, near) == (None, [])


def _after(board, move):
    board = board.copy(stack=False)
    board.push(move)
    return board


def test_the_export_has_what_the_trees_call():
    told = export_methods()
    assert [*told["methods"]] == [*DECIDED]
    rook = told["methods"]["KRK"]
    assert rook["rules"][0] == {
        "sentence": "Give mate if you can.", "condition": "after.is_mate", "minimise": []
    }  # fmt: skip
    assert rook["names"]["enemy"] == "black_king"
    assert rook["rules"][2]["minimise"] == [["box", "rook", "enemy"]]
    assert told["functions"]["safe"]["takes"] == ("man", "king", "enemy")
    assert {"steps", "distance"} <= told["functions"].keys()  # which other ones call
    assert "on_key_square" not in told["functions"]


GOOD = "goal = 'mate'\n[[rules]]\nsentence = 'Mate.'\nrule = 'after.is_mate'\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "a method needs the key goal"),
        ("goal = 'mate'", "a method needs the key rules"),
        (GOOD.replace("'mate'", "'draw'"), "there is no goal 'draw': choose from mate, win, pro"),
        (f"side = 'red'\n{GOOD}", "there is no side 'red': choose from white, black"),
        (f"moves = 'few'\n{GOOD}", "moves is of the type int, not 'few'"),
        (f"speed = 3\n{GOOD}", "a method has no key 'speed': the keys are goal, rules, side"),
        (f"{GOOD}when = 'now'\n", "a rule has no key 'when': the keys are sentence, rule"),
        (f"{GOOD}[names]\ne4 = 'e5'\n", "'e4' is no name of an expression, like king ="),
        (f"{GOOD}[names]\none = 3\n", "'one' is no name of an expression"),
        (f"{GOOD}[names]\none = 'e5 +'\n", "'e5 \\+' is no expression"),
        ("goal = 'mate'\nrules = [3]", "a rule has keys, such as sentence"),
        ("goal = ", "Invalid value"),
    ],
)
def test_what_is_no_method_is_refused_in_one_line(content, message, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    assert read_method(path).sentences == ["Mate."]
    path.write_text(content)
    with pytest.raises(ValueError, match=message) as refused:
        read_method(path)
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)


def test_an_ending_without_a_method_says_which_have_one():
    with pytest.raises(ValueError, match="there is no method for KNK, only for KPK, KQK, KRK"):
        method_for("KNK")
