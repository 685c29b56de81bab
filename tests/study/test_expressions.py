"""Expressions over columns: their values against plain Python, and how they are refused."""

from pathlib import Path

import chess
import numpy as np
import pytest

from tablebase.study.expressions import (
    col,
    distance,
    maximum,
    minimum,
    opposition,
    square_at,
)
from tablebase.study.finding import find

DATA = Path(__file__).parents[2] / "data"
a, b, turn = col("white_king"), col("black_king"), col("white_to_move")


def faces(x, y):
    between = chess.SquareSet.between(x, y)
    straight = chess.square_file(x) == chess.square_file(y) or x // 8 == y // 8
    return straight and len(between) == 1


# Expressions, and the same of two squares and a side to move.
SAME = [
    (a.file, "chess.square_file(x) + 1"),
    (a.rank, "chess.square_rank(x) + 1"),
    (a.is_light, "bool(chess.BB_LIGHT_SQUARES >> x & 1)"),
    (distance(a, b), "chess.square_distance(x, y)"),
    (distance("c3", b), "chess.square_distance(chess.C3, y)"),
    (opposition(a, b), "faces(x, y)"),
    (square_at(a.file, b.rank), "chess.square(x % 8, y // 8)"),
    (square_at(a.file, 8), "chess.square(x % 8, 7)"),
    (a == b, "x == y"),
    (a != "h8", "x != chess.H8"),
    (a < b, "x < y"),
    (a <= b, "x <= y"),
    (a > b, "x > y"),
    (b <= 3, "y <= 3"),
    (a - b, "x - y"),
    (9 - a.file, "9 - (x % 8 + 1)"),
    (1 + a + b, "1 + x + y"),
    (a.file - ~turn, "x % 8 + 1 - (not w)"),
    (abs(a.file - b.file), "abs(x % 8 - y % 8)"),
    (minimum(a, b), "min(x, y)"),
    (maximum(a, 20), "max(x, 20)"),
    ((a < b) & turn, "x < y and w"),
    ((a < b) | turn, "x < y or w"),
    (True & ~(a < b), "x >= y"),
]


@pytest.mark.parametrize(("expression", "plain"), SAME, ids=[repr(one) for one, _ in SAME])
def test_values_are_those_of_plain_python(expression, plain):
    squares = np.array([(x, y) for x in range(64) for y in range(0, 64, 3)], dtype=np.uint8)
    for white in (True, False):
        columns = {"white_king": squares[:, 0], "black_king": squares[:, 1]}
        columns["white_to_move"] = np.full(len(squares), white)
        code = compile(plain, "plain", "eval")
        names = {"chess": chess, "faces": faces}
        rows = squares.tolist()
        expected = [eval(code, names | {"x": x, "y": y, "w": white}) for x, y in rows]
        assert expression.of(columns).tolist() == expected


@pytest.mark.parametrize("expression", [one for one, _ in SAME], ids=repr)
def test_texts_are_the_expressions_as_python(expression):
    names = {"col": col, "distance": distance, "opposition": opposition, "square_at": square_at}
    names |= {"minimum": minimum, "maximum": maximum}
    assert repr(eval(repr(expression), names)) == repr(expression)


@pytest.mark.parametrize(
    "refused",
    [
        lambda: a and b,
        lambda: 1 < a.file < 8,
        lambda: not turn,
        lambda: bool(a == b),
    ],
)
def test_truth_values_are_refused(refused):
    with pytest.raises(TypeError, match="write & for and"):
        refused()


@pytest.mark.parametrize("name", ["dtm", "wdl", "dtz", "wdl50", "difficulty"])
def test_a_rule_does_not_read_the_answer(name):
    with pytest.raises(ValueError, match=f"cannot read '{name}'"):
        col(name)


def test_operands_are_expressions_numbers_or_squares():
    for wrong in ("i9", None, 1.5):
        with pytest.raises(TypeError, match="neither an expression nor a number nor a square"):
            _ = a == wrong


def test_a_condition_knows_its_columns():
    columns = "white_to_move, white_king, black_king, white_pawn"
    with pytest.raises(ValueError, match=f"no column 'white_rook': the columns are {columns}"):
        find("KPK", DATA, where=col("white_rook").rank == 1)
    with pytest.raises(ValueError, match="is a number, not a condition"):
        find("KPK", DATA, where=a.rank)
    with pytest.raises(TypeError, match="where is an expression like"):
        find("KPK", DATA, where=lambda board: board.is_check())


@pytest.mark.parametrize("images", ["canonical", "all"])
@pytest.mark.parametrize("on", [{}, {"k": "a1-h2"}])
def test_where_chooses_among_what_is_found(images, on):
    asked = {"on": on, "images": images, "result": "draw"}
    every = find("KRK", DATA, **asked)
    rule = (a.file < b.file) & (distance(a, col("white_rook")) > 1)
    found = find("KRK", DATA, where=rule, **asked)
    expected = every[rule.of(every.to_numpy())]
    assert 0 < len(found) < len(every)
    for name, column in found.columns().items():
        assert (column == expected.columns()[name]).all()


def test_where_comes_before_conditions_on_moves():
    every = find("KPK", DATA, only_move=True, result="win", turn=True)
    found = find("KPK", DATA, only_move=True, result="win", turn=True, where=a == "c6")
    assert 0 < len(found) == (every.squares[:, 0] == chess.C6).sum()
