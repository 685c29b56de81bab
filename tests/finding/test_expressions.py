"""Expressions over columns: their values against plain Python, and how they are refused."""

from pathlib import Path

import chess
import numpy as np
import pytest

from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.finding.expression_text import read_expression
from tablebase.finding.expressions import col, distance, maximum, minimum, opposition, square_at
from tablebase.finding.find import find

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
    (a.rank == np.int64(6), "x // 8 == 5"),
    (np.int64(6) - a.rank, "6 - (x // 8 + 1)"),
    (-a.file, "-(x % 8 + 1)"),
    # Bits of numbers, as in NumPy
    ((a.rank - b.rank) & 1, "(x // 8 - y // 8) & 1"),
    (1 | a, "1 | x"),
    (a ^ b, "x ^ y"),
    (~a, "~x"),
    ((a.file - b.file) % 3, "(x % 8 - y % 8) % 3"),
    ((a < b) ^ turn, "(x < y) != w"),
    # Conditions that are counted
    ((a < b) + (a.rank > 4) + turn, "(x < y) + (x // 8 > 3) + w"),
    ((a < b) - turn, "(x < y) - w"),
    (sum([a < b, a == b, turn]), "(x < y) + (x == y) + w"),
    (maximum(a < b, turn) + turn, "max(x < y, w) + w"),
    # Squares beyond the edge, as files and ranks
    (b == square_at(a.file + 1, a.rank), "(y % 8, y // 8) == (x % 8 + 1, x // 8)"),
    (b != square_at(a.file - 1, a.rank + 1), "(y % 8, y // 8) != (x % 8 - 1, x // 8 + 1)"),
    (square_at(a.file + 7, a.rank - 9).file, "x % 8 + 8"),
    (square_at(a.file + 7, a.rank - 9).rank, "x // 8 - 8"),
    (square_at(a.file - 3, a.rank - 2).is_light, "(x % 8 + x // 8) % 2 == 0"),
    (
        distance(b, square_at(a.file + 3, a.rank - 5)),
        "max(abs(x % 8 + 3 - y % 8), abs(x // 8 - 5 - y // 8))",
    ),
    (
        opposition(square_at(b.file + 2, b.rank), square_at(a.file, a.rank + 9)),
        "{abs(y % 8 + 2 - x % 8), abs(y // 8 - x // 8 - 9)} == {0, 2}",
    ),
    (square_at(a.file + 1, a.rank) == square_at(b.file + 1, b.rank), "x == y"),
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
    assert repr(read_expression(repr(expression))) == repr(expression)


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
    for wrong in ("i9", None, 1.5, np.array([1, 2])):
        with pytest.raises(TypeError, match="neither an expression nor a number nor a square"):
            _ = a == wrong
    with pytest.raises(ValueError, match="40000 is larger than any number"):
        _ = a < 40000


BEYOND = square_at(a.file + 1, a.rank)


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (lambda: a.rank == 6 | turn, "| joins two conditions or two numbers, not"),
        (lambda: turn & (a.rank), "put parentheses around each comparison"),
        (lambda: BEYOND < 6, "< needs numbers, but square_at"),
        (lambda: BEYOND + 1, r"\+ needs numbers"),
        (lambda: BEYOND & 1, "& needs numbers"),
        (lambda: maximum(BEYOND, b), "compare its .file and .rank, or a distance"),
        (lambda: (a + 9).rank, r".rank needs a square, and \(col\('white_king'\) \+ 9\) is none"),
        (lambda: distance(a, 64), "distance needs a square, and 64 is none"),
        (lambda: opposition(a, b.file), "opposition needs a square"),
        (lambda: square_at(a, 3), "the numbers of a file and a rank, not the square"),
    ],
)
def test_an_operator_means_what_it_means_in_numpy_or_is_refused(refused, message):
    with pytest.raises(TypeError, match=message):
        refused()


@pytest.mark.parametrize("divisor", [0, -2, "e4", b.rank, turn])
def test_a_divisor_is_a_positive_number(divisor):
    with pytest.raises(ValueError, match="% needs a positive number"):
        _ = a % divisor


def test_counts_are_those_of_numpy():
    """Parity, counted conditions and a square beside a pawn, in all images of a table."""
    pawn, every = col("white_pawn"), find("KPK", DATA, images="all")
    found = every.to_numpy()
    x, y, p = (found[f"{name}"].astype(int) for name in ("white_king", "black_king", "white_pawn"))
    for rule, expected in (
        (((a.rank - b.rank) & 1) == 0, (x // 8 - y // 8) % 2 == 0),
        ((a & 7) == 0, x % 8 == 0),
        (((a.file + a.rank) & 1) == 1, (x % 8 + x // 8) % 2 == 1),
        ((a.rank > 4) + (pawn.rank > 4) + (b.rank < 4) >= 2,
         np.sum([x // 8 > 3, p // 8 > 3, y // 8 < 3], axis=0) >= 2),
        (a == square_at(pawn.file + 1, pawn.rank), (x == p + 1) & (p % 8 < 7)),
        (distance(a, square_at(pawn.file + 1, pawn.rank)) < 2,
         np.maximum(abs(x % 8 - p % 8 - 1), abs(x // 8 - p // 8)) < 2),
    ):  # fmt: skip
        assert 0 < expected.sum() < len(every)
        assert len(find("KPK", DATA, images="all", where=rule)) == expected.sum()


def test_a_smaller_board_has_its_own_squares(tmp_path):
    """Its first square is a1 although the numbers of squares begin elsewhere."""
    rules = built_in_rules()["losalamos"]
    material = Material.from_name("KRK", rules)
    generate([material], tmp_path)
    every = find(material, tmp_path, images="all", turn=True)
    names = [[rules.board.name_of(one) for one in row] for row in every.squares.tolist()]
    assert {name for row in names for name in row} == {
        f"{x}{y}" for x in "abcdef" for y in "123456"
    }
    rules_of_names = {
        "white_king.file == 1 and white_king.rank == 6": lambda king, *_: king == "a6",
        "black_king == square_at(6, 6)": lambda _, bare, __: bare == "f6",
        "distance(white_rook, f1) == 5": lambda *men: men[2][0] == "a" or men[2][1] == "6",
        "black_king.is_light": lambda _, bare, __: (ord(bare[0]) + int(bare[1])) % 2 == 1,
    }
    for text, plain in rules_of_names.items():
        found = find(material, tmp_path, images="all", turn=True, where=text)
        assert len(found) == sum(plain(*row) for row in names) > 0
    with pytest.raises(ValueError, match="there is no square h8 on the board of 6x6"):
        find(material, tmp_path, where="white_king == h8")


def test_a_condition_knows_its_columns():
    columns = "white_to_move, white_king, black_king, white_pawn"
    with pytest.raises(ValueError, match=f"no column 'white_rook': the columns are {columns}"):
        find("KPK", DATA, where=col("white_rook").rank == 1)
    with pytest.raises(ValueError, match="is a number, not a condition"):
        find("KPK", DATA, where=a.rank)
    with pytest.raises(ValueError, match="is a square, not a condition"):
        find("KPK", DATA, where=a)
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
