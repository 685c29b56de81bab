"""The methods of lessons: in JavaScript as in Python."""

import json
import random
from pathlib import Path

import pytest
import write_methods
from support.published import in_node, needs_node
from support.random_positions import random_board

import tablebase
from tablebase.core.rules.material import Material
from tablebase.serve.lichess import describe_standard
from tablebase.strategies.methods import advise, shipped_methods

DATA = Path(__file__).parents[2] / "data"


def advice_of_pages(tables, boards):
    """Return what the explorer advises in some positions."""
    answers = [describe_standard(tables, board)["moves"] for board in boards]
    lines = [
        json.dumps({"fen": board.fen(), "moves": moves})
        for board, moves in zip(boards, answers, strict=True)
    ]
    return [json.loads(line) for line in in_node("method_in_node.mjs", lines=lines)]


def stronger_to_move(name, number):
    """Return random positions of an ending, of both colours."""
    rng, material = random.Random(name), Material.from_name(name)
    boards = []
    while len(boards) < number:
        board = random_board(rng, material)
        if board.turn and any(board.legal_moves):
            boards.append(board if rng.random() < 0.5 else board.mirror())
    return boards


@pytest.mark.thorough
@needs_node
@pytest.mark.parametrize("name", [*shipped_methods()])
def test_pages_name_the_same_rule_and_moves(name):
    method = shipped_methods()[name]
    boards = stronger_to_move(name, 500)
    with tablebase.open_tablebase(DATA) as tables:
        expected = []
        for board in boards:
            rule, moves = advise(method, tables, board)
            expected.append([rule, sorted(move.uci() for move in moves)])
        assert advice_of_pages(tables, boards) == expected
    assert {rule for rule, _ in expected} >= set(range(len(method.rules) - (name == "KPK")))


@needs_node
def test_the_weaker_side_and_other_endings_have_no_method():
    with tablebase.open_tablebase(DATA) as tables:
        boards = [random_board(random.Random(1), Material.from_name("KRNK"))]
        for weaker in stronger_to_move("KRK", 3):
            weaker.turn = not weaker.turn
            boards += [weaker] if weaker.is_valid() else []
        assert advice_of_pages(tables, boards) == [None] * len(boards)


def test_the_pages_have_the_methods_of_the_program():
    """Else run: python scripts/write_methods.py."""
    assert write_methods.PLACE.read_text(encoding="utf-8") == write_methods.written()
