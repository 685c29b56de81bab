"""Expressions from text: the same as those of Python, and nothing else."""

from pathlib import Path

import pytest

from tablebase.finding.expression_text import read_expression
from tablebase.finding.expressions import (
    as_expression,
    col,
    distance,
    maximum,
    minimum,
    opposition,
    square_at,
)
from tablebase.finding.find import find
from tablebase.finding.trials import trial

DATA = Path(__file__).parents[2] / "data"
king, bare, pawn = col("white_king"), col("black_king"), col("white_pawn")
white = col("white_to_move")

SAME = {
    "white_king.rank == 6 and distance(black_king, white_pawn) > 3": (king.rank == 6)
    & (distance(bare, pawn) > 3),
    "white_to_move or not white_king == e4": white | ~(king == "e4"),
    "not white_to_move and white_king == 'e4'": ~white & (king == "e4"),
    "white_king.file > 1 < black_king.file <= 8": (king.file > 1)
    & (as_expression(1) < bare.file)
    & (bare.file <= 8),
    "white_king.rank == 6 or white_king.rank == 7 or white_to_move": (king.rank == 6)
    | (king.rank == 7)
    | white,
    "(white_king.rank - black_king.rank) % 2 == 0": (king.rank - bare.rank) % 2 == 0,
    "(white_king & 7 ^ 1 | 2) != ~black_king": (king & 7 ^ 1 | 2) != ~bare,
    "opposition(white_king, black_king) ^ white_to_move": opposition(king, bare) ^ white,
    "-white_king.rank < minimum(white_pawn.rank, 3) - maximum(1, 2)": -king.rank
    < minimum(pawn.rank, 3) - maximum(1, 2),
    "abs(white_king.file - white_pawn.file) <= 1": abs(king.file - pawn.file) <= 1,
    "white_king == square_at(white_pawn.file, white_pawn.rank + 1)": king
    == square_at(pawn.file, pawn.rank + 1),
    "square_at(white_pawn.file, 8).is_light == True": square_at(pawn.file, 8).is_light == True,  # noqa: E712
    "(white_king.rank > 4) + (white_pawn.rank > 4) >= 2": (king.rank > 4) + (pawn.rank > 4) >= 2,
    "white_king.rank\n  > 4": king.rank > 4,
}


@pytest.mark.parametrize(("text", "expression"), SAME.items(), ids=SAME)
def test_a_text_is_the_expression_of_python(text, expression):
    found = read_expression(text)
    assert repr(found) == repr(expression)
    assert (found.names, found.kind, found.squares) == (
        expression.names,
        expression.kind,
        expression.squares,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no expression"),
        ("white_king.rank = 6", "invalid syntax.*; write == for equal"),
        ("white_king.rank == 6) | (white_to_move", "unmatched"),
        ("white_king.rank==1if 1else 2", "is no part of an expression"),
        ("white_to_move # and more", "invalid syntax at '#'"),
        ("white_to_move; white_to_move", "invalid syntax"),
        ("white_king.rank and white_to_move", "and needs conditions, but white_king.rank is a num"),
        ("not white_king", "not needs conditions, but white_king is a square: compare it"),
        ("white_king.rank == 6 & black_king.rank == 3", "binds more tightly than a comparison"),
        ("white_to_move & white_king.rank == 6", "put parentheses around each comparison"),
        ("white_king.rnk == 6", "white_king.rnk is unknown: squares have .file, .rank, .is_light"),
        ("dist(white_king, e4) > 2", "dist.* is unknown: the functions are abs, distance, maximum"),
        ("distance == 2", "distance is a function, like distance\\(white_king, e4\\)"),
        ("distance(white_king) == 2", "distance takes two operands, not 1"),
        ("abs(white_king, e4) == 2", "abs takes one operand, not 2"),
        ("white_king == i9 - 'i9'", "'i9' is neither an expression nor a number nor a square"),
        ("white_king.rank > 1.5", "1.5 is no part of an expression"),
        ("white_king.rank * 2 > 4", "is no part of an expression"),
        ("2 ** 99 > 4", "is no part of an expression"),
        ("white_king.rank % 0 == 0", "% needs a positive number"),
        ("white_king in (e4, d4)", "is no part of an expression"),
        ("white_king is e4", "is no part of an expression"),
        ("dtm == 4", "cannot read 'dtm', which belongs to the answer"),
        ("(lambda: white_to_move)()", "is no part of an expression"),
        ("__import__('os').system('true')", "is no part of an expression|is unknown"),
        ("white_king.__class__", "white_king.__class__ is unknown"),
        ("distance(white_king, other=e4) == 1", "is no part of an expression"),
        ("distance(*white_king) == 1", "takes two operands"),
        ("[white_to_move][0]", "is no part of an expression"),
        ("white_to_move if white_to_move else white_to_move", "is no part of an expression"),
        ("(" * 500 + "white_to_move" + ")" * 500, "too many nested|nested too deeply"),
        ("not " * 50_000 + "white_to_move", "too many nested|nested too deeply|is no expression"),
        ("white_to_move\0", "null byte|is no expression"),
        ("white_king.rank < " + "9" * 5000, "larger than|is no expression"),
    ],
)
def test_other_texts_are_refused_in_one_line(text, message):
    with pytest.raises(ValueError, match=message) as refused:
        read_expression(text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_a_text_is_a_condition_everywhere():
    text = "distance(white_king, white_pawn) == 1 and white_pawn.rank > 4"
    rule = (distance(king, pawn) == 1) & (pawn.rank > 4)
    found = find("KPK", DATA, where=text, result="draw")
    assert 0 < len(found) == len(find("KPK", DATA, where=rule, result="draw"))
    tried = trial("KPK", text, "win", DATA, limit=0)
    assert tried.by_turn == trial("KPK", rule, "win", DATA, limit=0).by_turn
    with pytest.raises(ValueError, match="there is no column 'x': the columns are white_to_move"):
        trial("KPK", "x", "win", DATA)
    with pytest.raises(TypeError, match=r"where is an expression like .*, not 5"):
        trial("KPK", 5, "win", DATA)
