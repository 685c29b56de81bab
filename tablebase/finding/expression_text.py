"""Expressions from text, as a person writes them of squares: the one language of conditions."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

from tablebase.core.board.shape import FULL_BOARD
from tablebase.core.ground.words import quoted, shortened
from tablebase.finding.expressions import (
    FILES,
    RANKS,
    TURN,
    WORDS,
    Expression,
    Tree,
    applied,
    constant,
    fact,
    named_square,
    number_column,
    square_column,
)
from tablebase.finding.functions import FUNCTIONS

ANSWERS = ("dtm", "wdl", "dtz", "wdl50", "difficulty")
AFTER = "after"  # before the names of what is read of the position after a move
FACTS = ("is_capture", "is_check", "is_mate", "is_stalemate")
PROMOTION = "promotion"
PLIES = "mates_within"  # of the names after moves the one that is compared with a number
_PROPERTIES = ("file", "rank", "is_light")
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%", ast.USub: "neg", ast.Not: "not",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.And: "and", ast.Or: "or",
}  # fmt: skip
_FUNCTIONS = sorted({*FUNCTIONS, *WORDS}.difference(_OPERATORS.values(), _PROPERTIES))
_TAKEN = "white_|black_|(after|among|then|minimise|files|ranks)$"
NAME = re.compile(rf"(?!{_TAKEN})[a-z][a-z_]+[0-9]*")  # that an expression may get
_ASSIGNED = re.compile("(?<![=!<>])=(?!=)")
_Names = Mapping[str, Expression]


def as_condition(given: Any) -> Expression:
    """Return a condition on squares that is read already, or a text; else `TypeError`."""
    if isinstance(given, Expression):
        return given
    if isinstance(given, str):
        return read_expression(given)
    message = f"a condition is a text like 'white_king.rank > 4', not {quoted(given)}"
    raise TypeError(message)


def read_expression(text: str, names: _Names = {}) -> Expression:  # noqa: B006  # only read
    """Return the expression that a text writes.

    It has the syntax of an expression of Python, of which nothing else is read and nothing is run:
    numbers, names, ``+ - * %``, comparisons, which may be chained, ``and or not``, and functions.
    A name is that of an expression in `names`, a square, a column, or ``files`` or ``ranks`` of the
    board; `after.` stands before the name of what is read after a move.

    Raises `ValueError` if the text is no expression.

    >>> read_expression("1 < white_pawn.rank < 7 and white_king != e4").tree
    ['and', ['and', ['<', 1, ['rank', 'white_pawn']], ['<', ['rank', 'white_pawn'], 7]], \
['!=', 'white_king', ['square_at', 5, 4]]]
    """
    try:
        if "#" in text:  # what follows would pass for a comment
            raise SyntaxError("invalid syntax at '#'")  # noqa: TRY301
        with warnings.catch_warnings(action="ignore"):  # such as of `1if`
            return _read(ast.parse(" ".join(text.split()), mode="eval").body, names)
    except SyntaxError as error:
        message = f"{quoted(text)} is no expression: {error.msg}"
        if _ASSIGNED.search(text):
            message += "; write == for equal"
    except ValueError as error:
        message = f"{quoted(text)}: {error}"
    except (RecursionError, MemoryError):
        message = f"{quoted(text)} is no expression: it is nested too deeply"
    raise ValueError(message)


def _read(node: ast.expr, names: _Names) -> Expression:
    found, tree = _made(node, names)
    return replace(found, text=ast.unparse(node), tree=tree)


def _made(node: ast.expr, names: _Names) -> tuple[Expression, Tree]:
    """Return an expression and its tree."""
    match node:
        case ast.Constant(bool() | int() as value):
            return constant(value), value
        case ast.Name(name):
            return _named(name, names)
        case ast.Attribute(ast.Name("after"), name):
            return _of_column(f"{AFTER}.{name}")
        case ast.Attribute(square, name) if name in _PROPERTIES:
            return _called(name, [_read(square, names)])
        case ast.Call(ast.Attribute(ast.Name("after"), "mates_within"), [ast.Constant(int(n))], []):
            return _mates_within(n), [PLIES, n]
        case ast.Call(ast.Name(word), operands, []) if word in _FUNCTIONS:
            return _called(word, [_read(one, names) for one in operands])
        case ast.UnaryOp(sign, operand) if type(sign) in _OPERATORS:
            return _called(_OPERATORS[type(sign)], [_read(operand, names)])
        case ast.BoolOp(joint, operands):
            return _called(_OPERATORS[type(joint)], [_read(one, names) for one in operands])
        case ast.BinOp(left, sign, right) if type(sign) in _OPERATORS:
            return _called(_OPERATORS[type(sign)], [_read(one, names) for one in (left, right)])
        case ast.Compare(left, signs, rest) if all(type(one) in _OPERATORS for one in signs):
            return _compared([left, *rest], [_OPERATORS[type(one)] for one in signs], names)
        case _:
            raise _refusal(node)


def _named(name: str, names: _Names) -> tuple[Expression, Tree]:
    if name in names:
        return names[name], name
    if name in FULL_BOARD.numbers:
        rank, file = divmod(FULL_BOARD.numbers[name], 8)
        return named_square(name), ["square_at", file + 1, rank + 1]
    if name in _FUNCTIONS:
        operands = ", ".join(FUNCTIONS[name][0] if name in FUNCTIONS else "...")
        message = f"{name} is a function, like {name}({operands})"
        raise ValueError(message)
    return _of_column(name)


def _of_column(name: str) -> tuple[Expression, Tree]:
    """Return a column; only the material decides later whether there is one."""
    if name in ANSWERS:
        message = f"a rule cannot read {quoted(name)}, which belongs to the answer"
        raise ValueError(message)
    last = name.removeprefix(f"{AFTER}.")
    if last == PLIES:
        message = f"{name} takes a number of plies, like {AFTER}.{PLIES}(2)"
        raise ValueError(message)
    if name == TURN or (last in FACTS and last != name):
        return fact(name), name
    if name in {FILES, RANKS}:
        return number_column(name), name
    if name == f"{AFTER}.{PROMOTION}":
        return number_column(name, (0, 63)), name
    return square_column(name), name


def _mates_within(plies: int) -> Expression:
    """Return whether the side that moved mates in a number of plies at most after its move.

    It stands for a search of that depth, because the distance to mate tells what that finds.
    """
    return applied("<=", [number_column(f"{AFTER}.{PLIES}", (0, 1 << 14)), constant(plies)])


def _called(word: str, operands: Sequence[Expression]) -> tuple[Expression, Tree]:
    tree = [word, *(one.tree for one in operands)]
    if word not in FUNCTIONS:
        return applied(word, operands), tree
    takes, _ = FUNCTIONS[word]
    if len(operands) != len(takes):
        message = f"{word} takes {', '.join(takes)}, and not {len(operands)} operands"
        raise ValueError(message)
    for one in operands:
        applied("file", [one])  # refuses what is no square
    return _read(_body(word), dict(zip(takes, operands, strict=True))), tree


@cache
def _body(word: str) -> ast.expr:
    return ast.parse(FUNCTIONS[word][1], mode="eval").body


def _compared(operands: list[ast.expr], signs: list[str], names: _Names) -> tuple[Expression, Tree]:
    """Return a comparison; in a chain each operand is compared with the next one."""
    some = [_read(one, names) for one in operands]
    pairs = zip(signs, pairwise(some), strict=True)
    parts = [replace(one, tree=tree) for one, tree in (_called(*pair) for pair in pairs)]
    return _called("and", parts) if len(parts) > 1 else (parts[0], parts[0].tree)


def _refusal(node: ast.expr) -> ValueError:
    """Return the error of what is not part of the language."""
    what = shortened(ast.unparse(node))
    if isinstance(node, ast.Attribute):
        message = f"{what} is unknown: squares have {', '.join(f'.{one}' for one in _PROPERTIES)}"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        message = f"{what} is unknown: the functions are {', '.join(_FUNCTIONS)}"
    else:
        signs = "and or not == != < <= > >= + - * %"
        message = f"{what} is no part of an expression, which has numbers, names and {signs}"
    return ValueError(message)
