"""Expressions: their values against plain Python, and how other texts are refused."""

from pathlib import Path

import chess
import numpy as np
import pytest

from tablebase.core.board.shape import FULL_BOARD
from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.finding.expression_text import NAME, read_expression
from tablebase.finding.expressions import columns_of
from tablebase.finding.find import find
from tablebase.finding.functions import FUNCTIONS
from tablebase.finding.trials import trial

DATA = Path(__file__).parents[2] / "data"
NAMES = {one: read_expression(text) for one, text in {"a": "white_king", "b": "black_king"}.items()}


def faces(x, y):
    between = chess.SquareSet.between(x, y)
    straight = chess.square_file(x) == chess.square_file(y) or x // 8 == y // 8
    return straight and len(between) == 1


def half_border(x, y):
    """Return half the border of the squares that a walk reaches past no line of a rook on x."""
    if x % 8 == y % 8 or x // 8 == y // 8:
        return 15
    reached, left = {y}, [y]
    while left:
        for one in chess.SquareSet(chess.BB_KING_ATTACKS[left.pop()]):
            if one not in reached and one % 8 != x % 8 and one // 8 != x // 8:
                reached.add(one)
                left.append(one)
    return len({one % 8 for one in reached}) + len({one // 8 for one in reached})


def to_edge(x):
    return next(n for n in range(8) if any(chess.square_distance(x, y) == n for y in EDGES))


EDGES = chess.SquareSet(chess.BB_RANK_1 | chess.BB_RANK_8 | chess.BB_FILE_A | chess.BB_FILE_H)

# Texts about two squares and a side to move, and the same in Python.
SAME = {
    "a.file": "chess.square_file(x) + 1",
    "a.rank": "chess.square_rank(x) + 1",
    "a.is_light": "bool(chess.BB_LIGHT_SQUARES >> x & 1)",
    "distance(a, b)": "chess.square_distance(x, y)",
    "distance(c3, b)": "chess.square_distance(chess.C3, y)",
    "steps(a, b)": "chess.square_manhattan_distance(x, y)",
    "opposition(a, b)": "faces(x, y)",
    "edge(a)": "to_edge(x)",
    "box(a, b)": "half_border(x, y)",
    "inner_corner(a, b) == b": "chess.square_distance(x, y) < 2",
    "distance(inner_corner(a, b), b)": "max(chess.square_distance(x, y) - 1, 0)",
    "between(a, b, c3)": "min(y % 8, 2) < x % 8 < max(y % 8, 2)"
    " or min(y // 8, 2) < x // 8 < max(y // 8, 2)",
    "safe(c3, a, b)": "not chess.BB_KING_ATTACKS[18] >> y & 1 and y != 18"
    " or chess.square_distance(x, 18) == 1",
    "square_at(a.file, b.rank) == e4": "chess.square(x % 8, y // 8) == chess.E4",
    "a == b": "x == y",
    "a != h8": "x != chess.H8",
    "where(a.rank < b.rank, a, b) == c3": "(x if x // 8 < y // 8 else y) == chess.C3",
    "where(a.file < 3, a.file, b.rank)": "x % 8 + 1 if x % 8 < 2 else y // 8 + 1",
    "9 - a.file * 2": "9 - (x % 8 + 1) * 2",
    "-a.file + b.rank + 1": "-(x % 8 + 1) + y // 8 + 2",
    "abs(a.file - b.file)": "abs(x % 8 - y % 8)",
    "minimum(a.file, b.file, 3)": "min(x % 8, y % 8, 2) + 1",
    "maximum(a.file, b.rank)": "max(x % 8, y // 8) + 1",
    "(a.file - b.file) % 3": "(x % 8 - y % 8) % 3",
    "ranks - a.rank + files": "8 - x // 8 + 7",
    "1 < a.file < b.file <= 6 and white_to_move": "0 < x % 8 < y % 8 < 6 and w",
    "a.file < b.file or not white_to_move": "x % 8 < y % 8 or not w",
    "(a.file < 4) != white_to_move": "(x % 8 < 3) != w",
    "white_to_move == True": "w",
    # Conditions that are counted
    "a.file - (not white_to_move)": "x % 8 + 1 - (not w)",
    "(a.file < 4) + (a.rank > 4) + white_to_move >= 2": "(x % 8 < 3) + (x // 8 > 3) + w > 1",
    # Numbers of which 16 bits have no room
    "a.rank + 32767 > 0": "True",
    "a.rank * 32767 * 2 - b.file": "(x // 8 + 1) * 65534 - y % 8 - 1",
    "-32768 - a.rank": "-32769 - x // 8",
    "where(white_to_move, 70000, 2) - 1": "69999 if w else 1",
    # Squares beyond the edge, as files and ranks
    "b == square_at(a.file + 1, a.rank)": "(y % 8, y // 8) == (x % 8 + 1, x // 8)",
    "square_at(a.file + 7, a.rank - 9).rank": "x // 8 - 8",
    "square_at(a.file - 3, a.rank - 2).is_light": "(x % 8 + x // 8) % 2 == 0",
    "distance(b, square_at(a.file + 3, a.rank - 5))": (
        "max(abs(x % 8 + 3 - y % 8), abs(x // 8 - 5 - y // 8))"
    ),
    " or ".join(f"a == {'abcdefgh'[n % 8]}{n // 8 % 3 + 1}" for n in range(1000)): "x < 24",
    " and ".join(["a.rank > 2"] * 1000): "x > 15",
}  # fmt: skip


@pytest.mark.parametrize(("text", "plain"), SAME.items(), ids=[one[:40] for one in SAME])
def test_values_are_those_of_plain_python(text, plain):
    squares = np.array([(x, y) for x in range(64) for y in range(0, 64, 3)], dtype=np.uint8)
    names = {"chess": chess, "faces": faces, "half_border": half_border, "to_edge": to_edge}
    code, rows = compile(plain, "plain", "eval"), squares.tolist()
    for white in (True, False):
        turn = np.full(len(squares), white)
        columns = columns_of(["white_king", "black_king"], squares.T, turn, FULL_BOARD)
        expected = [eval(code, names | {"x": x, "y": y, "w": white}) for x, y in rows]
        found = read_expression(text, NAMES)
        assert np.broadcast_to(found.of(columns), turn.shape).tolist() == expected
        least, most = found.bounds
        assert least <= min(expected)
        assert max(expected) <= most


def test_key_squares_are_those_of_the_books():
    """Two ranks in front of the pawn, from the fifth rank on also one, on the seventh beside it."""
    rule = read_expression("on_key_square(white_king, white_pawn)")
    names = ["white_king", "white_pawn"]
    for pawn, keys in {
        "a4": "b7 b8", "h6": "g7 g8", "c2": "b4 c4 d4", "e4": "d6 e6 f6",
        "b5": "a6 b6 c6 a7 b7 c7", "e7": "d7 e7 f7 d8 e8 f8",
    }.items():  # fmt: skip
        squares = np.array([range(64), [chess.parse_square(pawn)] * 64], dtype=np.uint8)
        found = rule.of(columns_of(names, squares, np.ones(64, np.bool_), FULL_BOARD))
        assert {chess.square_name(one) for one in np.flatnonzero(found)} == {*keys.split()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no expression"),
        ("white_king.rank = 6", "invalid syntax.*; write == for equal"),
        ("white_king.rank == 6) or (white_to_move", "unmatched"),
        ("white_king.rank==1if 1else 2", "is no part of an expression"),
        ("white_to_move # and more", "invalid syntax at '#'"),
        ("white_to_move; white_to_move", "invalid syntax"),
        (
            "white_king.rank and white_to_move",
            "and needs a condition, but white_king.rank is a num",
        ),
        ("not white_king", "not needs a condition, but white_king is a square: compare it"),
        ("white_king.rank == 6 & black_king.rank == 3", "is no part of an expression.*and or not"),
        ("~white_to_move", "is no part of an expression"),
        ("white_king.rnk == 6", "white_king.rnk is unknown: squares have .file, .rank, .is_light"),
        ("dist(white_king, e4) > 2", "dist.* is unknown: the functions are abs, between, box, dis"),
        ("distance == 2", "distance is a function, like distance\\(one, other\\)"),
        ("distance(white_king) == 2", "distance takes one, other, and not 1 operands"),
        ("abs(white_king, e4) == 2", "abs takes 1 operand, not 2"),
        ("minimum(2) == 2", "minimum takes 2 or more operands, not 1"),
        ("white_king == 'i9'", "'i9' is no part of an expression"),
        ("white_king == 4", "== needs a square, but 4 is a number: square_at"),
        ("white_king > e4", "> needs a number, but white_king is a square: it has .file and .rank"),
        ("distance(white_king, 64) == 1", "needs a square, but 64 is a number: square_at"),
        ("square_at(white_king, 3) == e4", "square_at needs a number, but white_king is a square"),
        ("where(1, 2, 3) == 2", "where needs a condition, but 1 is a number"),
        ("where(white_to_move, e4, 3) == e4", "where needs a square, but 3 is a number"),
        ("white_king.rank > 1.5", "1.5 is no part of an expression"),
        ("2 ** 99 > 4", "is no part of an expression"),
        ("white_king.rank % 0 == 0", "% needs a positive number"),
        ("white_king.rank % white_king.file == 0", "% needs a positive number"),
        ("white_king.rank * 40000 * 40000 > 1", r"\* may come to 1.28e\+10, and 1,000,000,000 is"),
        ("white_king in (e4, d4)", "is no part of an expression"),
        ("white_king is e4", "is no part of an expression"),
        ("after.mates_within > 2", r"takes a number of plies, like after.mates_within\(2\)"),
        ("dtm == 4", "cannot read 'dtm', which belongs to the answer"),
        ("(lambda: white_to_move)()", "is no part of an expression"),
        ("__import__('os').system('true')", "is no part of an expression|is unknown"),
        ("white_king.__class__", "white_king.__class__ is unknown"),
        ("distance(white_king, other=e4) == 1", "is no part of an expression"),
        ("distance(*white_king) == 1", "is no part of an expression"),
        ("[white_to_move][0]", "is no part of an expression"),
        ("white_to_move if white_to_move else white_to_move", "is no part of an expression"),
        ("(" * 500 + "white_to_move" + ")" * 500, "too many nested|nested too deeply"),
        ("-" * 500 + "1 < 2", "nested too deeply"),
        ("+".join(["1"] * 500) + " > 2", "nested too deeply"),
        ("not " * 50_000 + "white_to_move", "too many nested|nested too deeply|is no expression"),
        ("white_to_move\0", "null byte|is no expression"),
        ("white_king.rank < " + "9" * 5000, "may come to|is no expression"),
    ],
)
def test_other_texts_are_refused_in_one_line(text, message):
    with pytest.raises(ValueError, match=message) as refused:
        read_expression(text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500


def test_a_tree_says_the_same_as_the_text():
    text = "1 < a.rank < files and where(white_to_move, -2, distance(a, e4) * 3) % 2 == 1"
    assert read_expression(text, NAMES).tree == [
        "and",
        ["and", ["<", 1, ["rank", "a"]], ["<", ["rank", "a"], "files"]],
        ["==", ["%", ["where", "white_to_move", ["neg", 2],
                      ["*", ["distance", "a", ["square_at", 5, 4]], 3]], 2], 1],
    ]  # fmt: skip
    told = read_expression("after.mates_within(2) or after.is_check").tree
    assert told == ["or", ["mates_within", 2], "after.is_check"]


@pytest.mark.parametrize("name", ["e4", "white_king", "after", "then", "files", "Box", "a b", ""])
def test_a_name_is_never_that_of_something_else(name):
    assert not NAME.fullmatch(name)


def test_functions_are_about_squares_and_the_page_says_what_they_are():
    page = (DATA.parent / "docs/find.md").read_text(encoding="utf-8")
    for name, (takes, text) in FUNCTIONS.items():
        assert not read_expression(text, dict.fromkeys(takes, read_expression("e4"))).names
        assert name == "is_light" or f"| `{name}({', '.join(takes)})` | " in page


def test_a_text_is_a_condition_everywhere():
    text = "distance(white_king, white_pawn) == 1 and white_pawn.rank > 4"
    every = find("KPK", DATA, result="draw")
    king, pawn = every.squares[:, 0].astype(int), every.squares[:, 2].astype(int)
    near = np.maximum(abs(king % 8 - pawn % 8), abs(king // 8 - pawn // 8)) == 1
    found = find("KPK", DATA, where=text, result="draw")
    assert 0 < len(found) == (near & (pawn // 8 > 3)).sum()
    tried = trial("KPK", text, "draw", DATA, limit=0)
    assert tried.total.right == len(found)
    with pytest.raises(ValueError, match="there is no column 'x': the columns are white_to_move"):
        trial("KPK", "x", "win", DATA)
    with pytest.raises(TypeError, match=r"a condition is a text like .*, not 5"):
        trial("KPK", 5, "win", DATA)


def test_counts_are_those_of_numpy():
    """Parity, counted conditions and a square beside a pawn, in all images of a table."""
    every = find("KPK", DATA, images="all")
    x, y, p = every.squares.T.astype(int)
    for rule, expected in {
        "(white_king.rank - black_king.rank) % 2 == 0": (x // 8 - y // 8) % 2 == 0,
        "(white_king.rank > 4) + (white_pawn.rank > 4) + (black_king.rank < 4) >= 2":
         np.sum([x // 8 > 3, p // 8 > 3, y // 8 < 3], axis=0) >= 2,
        "white_king == square_at(white_pawn.file + 1, white_pawn.rank)":
         (x == p + 1) & (p % 8 < 7),
        "white_king.rank + 32767 > 0": x >= 0,
    }.items():  # fmt: skip
        assert expected.sum() > 0
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
        "white_king.file == 1 and white_king.rank == ranks": lambda king, *_: king == "a6",
        "black_king == square_at(6, 6)": lambda _, bare, __: bare == "f6",
        "distance(white_rook, f1) == 5": lambda *men: men[2][0] == "a" or men[2][1] == "6",
        "edge(black_king) == 0": lambda _, bare, __: bare[0] in "af" or bare[1] in "16",
        "black_king.is_light": lambda _, bare, __: (ord(bare[0]) + int(bare[1])) % 2 == 1,
    }
    for text, plain in rules_of_names.items():
        found = find(material, tmp_path, images="all", turn=True, where=text)
        assert len(found) == sum(plain(*row) for row in names) > 0
    with pytest.raises(ValueError, match="there is no square h8 on the board of 6x6"):
        find(material, tmp_path, where="white_king == h8")


def test_a_condition_knows_its_columns():
    columns = "white_to_move, white_king, black_king, white_pawn"
    for text, message in {
        "white_rook.rank == 1": f"no column 'white_rook': the columns are {columns}",
        "after.white_king == e4": f"no column 'after.white_king': the columns are {columns}",
        "after.mates_within(2)": f"no column 'after.mates_within': the columns are {columns}",
        "white_king.rank": "white_king.rank is a number, not a condition",
        "white_king": "white_king is a square, not a condition",
    }.items():
        with pytest.raises(ValueError, match=message):
            find("KPK", DATA, where=text)


@pytest.mark.parametrize("images", ["canonical", "all"])
@pytest.mark.parametrize("on", [{}, {"k": "a1-h2"}])
def test_where_chooses_among_what_is_found(images, on):
    asked = {"on": on, "images": images, "result": "draw"}
    every = find("KRK", DATA, **asked)
    king, bare, rook = every.squares.T.astype(int)
    apart = np.maximum(abs(king % 8 - rook % 8), abs(king // 8 - rook // 8))
    chosen = every[(king % 8 < bare % 8) & (apart > 1)]
    rule = "white_king.file < black_king.file and distance(white_king, white_rook) > 1"
    found = find("KRK", DATA, where=rule, **asked)
    assert 0 < len(found) < len(every)
    for name, column in found.columns().items():
        assert (column == chosen.columns()[name]).all()


def test_where_comes_before_conditions_on_moves():
    asked = {"only_move": True, "result": "win", "turn": True}
    every = find("KPK", DATA, **asked)
    found = find("KPK", DATA, where="white_king == c6", **asked)
    assert 0 < len(found) == (every.squares[:, 0] == chess.C6).sum()
