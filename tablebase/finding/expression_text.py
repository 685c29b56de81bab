"""Expressions from text: what a person writes of squares, as the expressions of `col`."""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from typing import Any

from tablebase.core.board.shape import FULL_BOARD
from tablebase.core.ground.words import quoted, shortened
from tablebase.finding.expressions import (
    Expression,
    ValueKind,
    as_expression,
    col,
    distance,
    maximum,
    minimum,
    opposition,
    square_at,
)

_FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "abs": (abs, 1),
    "distance": (distance, 2),
    "maximum": (maximum, 2),
    "minimum": (minimum, 2),
    "opposition": (opposition, 2),
    "square_at": (square_at, 2),
}
_PROPERTIES = ("file", "rank", "is_light")
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mod: operator.mod,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.Invert: operator.invert, ast.USub: operator.neg,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
_ASSIGNED = re.compile("(?<![=!<>])=(?!=)")


def as_condition(given: Any) -> Expression:
    """Return a condition on squares that is an expression or a text; `TypeError` if neither."""
    if isinstance(given, Expression):
        return given
    if isinstance(given, str):
        return read_expression(given)
    message = (
        "where is an expression like col('white_king').rank > 4, or a text like "
        f"'white_king.rank > 4', not {quoted(given)}"
    )
    raise TypeError(message)


def read_expression(text: str) -> Expression:
    """Return the expression that a text writes.

    Columns and squares stand there by name, and besides the operators of `Expression` there are
    ``and or not`` and chains of comparisons. Nothing else of Python is read, and nothing is run.

    Raises `ValueError` if the text is no expression.

    >>> read_expression("1 < white_pawn.rank < 7 and not white_king == e4")
    (((1 < col('white_pawn').rank) & (col('white_pawn').rank < 7)) & ~(col('white_king') == 'e4'))
    """
    try:
        if "#" in text:  # what follows would pass for a comment
            raise SyntaxError("invalid syntax at '#'")  # noqa: TRY301
        with warnings.catch_warnings(action="ignore"):  # such as of `1if`
            return _read(ast.parse(" ".join(text.split()), mode="eval").body)
    except SyntaxError as error:
        message = f"{quoted(text)} is no expression: {error.msg}"
        if _ASSIGNED.search(text):
            message += "; write == for equal"
    except (TypeError, ValueError) as error:
        message = f"{quoted(text)}: {error}"
    except (RecursionError, MemoryError):
        message = f"{quoted(text)} is no expression: it is nested too deeply"
    raise ValueError(message)


def _read(node: ast.expr) -> Expression:
    match node:
        case ast.Constant(bool() | int() | str() as value):
            return as_expression(value)
        case ast.Name(name):
            return _named(name)
        case ast.Attribute(value, name) if name in _PROPERTIES:
            found: Expression = getattr(_read(value), name)
            return found
        case ast.Call(ast.Name("col"), [ast.Constant(str() as name)], []):
            return col(name)
        case ast.Call(ast.Name(name), operands, []) if name in _FUNCTIONS:
            return _called(name, operands)
        case ast.UnaryOp(ast.Not(), operand):
            return _apply(ast.Invert(), _condition("not", operand))
        case ast.BoolOp(joint, operands):
            is_and = isinstance(joint, ast.And)
            parts = [_condition("and" if is_and else "or", one) for one in operands]
            return reduce(operator.and_ if is_and else operator.or_, parts)
        case ast.UnaryOp(sign, operand) if type(sign) in _OPERATORS:
            return _apply(sign, _read(operand))
        case ast.BinOp(left, sign, right) if type(sign) in _OPERATORS:
            return _apply(sign, _read(left), _read(right))
        case ast.Compare(left, signs, rest) if all(type(one) in _OPERATORS for one in signs):
            return _compared([left, *rest], signs)
        case _:
            raise _refusal(node)


def _named(name: str) -> Expression:
    """Return a square or a column; only the material decides later which columns exist."""
    if name in FULL_BOARD.numbers:
        return as_expression(name)
    if name in _FUNCTIONS:
        operands = ", ".join(["white_king", "e4"][: _FUNCTIONS[name][1]])
        message = f"{name} is a function, like {name}({operands})"
        raise ValueError(message)
    return col(name)


def _called(name: str, operands: list[ast.expr]) -> Expression:
    function, number = _FUNCTIONS[name]
    if len(operands) != number:
        what = "one operand" if number == 1 else "two operands"
        message = f"{name} takes {what}, not {len(operands)}"
        raise ValueError(message)
    found: Expression = function(*map(_read, operands))
    return found


def _apply(sign: ast.AST, *operands: Expression) -> Expression:
    found: Expression = _OPERATORS[type(sign)](*operands)
    return found


def _condition(word: str, node: ast.expr) -> Expression:
    """Return an operand of ``and``, ``or`` or ``not``."""
    found = _read(node)
    if found.kind is not ValueKind.CONDITION:
        message = f"{word} needs conditions, but {_text(node)} is a {found.kind}: compare it"
        raise ValueError(message)
    return found


def _text(node: ast.expr) -> str:
    return shortened(ast.unparse(node))


def _compared(operands: list[ast.expr], signs: list[ast.cmpop]) -> Expression:
    """Return a comparison; in a chain each operand is compared with the next one."""
    joined = [one for one in operands if isinstance(one, ast.BinOp) and isinstance(one.op, _BITS)]
    if joined and len(signs) > 1:
        message = f"{_text(joined[0])} binds more tightly than a comparison: write and, or"
        raise ValueError(message)
    pairs = pairwise(map(_read, operands))
    parts = [_apply(sign, *pair) for sign, pair in zip(signs, pairs, strict=True)]
    return reduce(operator.and_, parts)


def _refusal(node: ast.expr) -> ValueError:
    """Return the error of what is not part of the language."""
    what = _text(node)
    if isinstance(node, ast.Attribute):
        message = f"{what} is unknown: squares have {', '.join(f'.{one}' for one in _PROPERTIES)}"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        message = f"{what} is unknown: the functions are {', '.join(_FUNCTIONS)}"
    else:
        signs = "and or not == != < <= > >= + - % & | ^ ~"
        message = f"{what} is no part of an expression, which has numbers, names and {signs}"
    return ValueError(message)
