"""Expressions about squares: a condition, number or square for each of many positions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.shape import FULL_BOARD, BoardShape
from tablebase.core.ground.words import quoted, shortened

Columns = Mapping[str, Any]
Bounds = tuple[int, int]
Tree = int | str | list[Any]
TURN, FILES, RANKS = "white_to_move", "files", "ranks"
_SIZES = (1, 8)  # of files and ranks on a board
_LARGEST = 1_000_000_000  # number that an expression may come to, for which int32 has room
_DEEPEST = 100  # nested operations, far from what Python allows


class ValueKind(StrEnum):
    """What an expression is. Conditions count as 0 and 1 where a number is needed."""

    CONDITION = "condition"
    NUMBER = "number"
    SQUARE = "square"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Expression:
    """A condition, number or square for each position, which `read_expression` makes of a text.

    Attributes
    ----------
    kind, bounds
        What its values are, and the least and largest number that they can be.
    of
        Its values by columns of positions (see `columns_of`): bool, int16 or int32.
    parts
        File and rank of a square, from 1 on; they may be beyond the edge of the board.
    names, squares
        The columns that it reads, and the squares that it names.
    depth
        How many operations are nested in it.
    text, tree
        How it is written; and as JSON a number, a name, or a list of a word and its operands.
    """

    kind: ValueKind
    of: Callable[[Columns], Any]
    bounds: Bounds = (0, 1)
    parts: tuple[Expression, ...] = ()
    names: frozenset[str] = frozenset()
    squares: frozenset[str] = frozenset()
    depth: int = 0
    text: str = ""
    tree: Tree = ""

    def __repr__(self) -> str:
        return self.text

    def check(self, names: Sequence[str], board: BoardShape = FULL_BOARD) -> None:
        """Raise a ValueError unless it is a condition on columns of these names, on a board."""
        for name in sorted(self.names.difference(names)):
            message = f"there is no column {quoted(name)}: the columns are {', '.join(names)}"
            raise ValueError(message)
        for name in sorted(self.squares.difference(board.numbers)):
            message = f"there is no square {name} on the board of {board.files}x{board.ranks}"
            raise ValueError(message)
        if self.kind is not ValueKind.CONDITION:
            message = f"{shortened(self.text)} is a {self.kind}, not a condition: compare it"
            raise ValueError(message)


def columns_of(
    names: Sequence[str], squares: NDArray[np.uint8], white: NDArray[np.bool_], board: BoardShape
) -> Columns:
    """Return the columns that expressions read, of men on squares [men, n] of a board.

    There the first square of a smaller board is a1 as well, so that its file and rank are 1.
    """
    first = np.uint8(8 * board.first_rank + board.first_file)
    men = zip(names, squares - first if first else squares, strict=True)
    return {TURN: white, FILES: board.files, RANKS: board.ranks, **dict(men)}


def constant(value: int) -> Expression:
    """Return a number, or True or False."""
    if isinstance(value, bool):
        return Expression(kind=ValueKind.CONDITION, of=lambda _: np.bool_(value))
    number = _dtype("a number", [(value, value)])(value)
    return Expression(kind=ValueKind.NUMBER, of=lambda _: number, bounds=(value, value))


def fact(name: str) -> Expression:
    """Return a column of conditions."""
    return Expression(kind=ValueKind.CONDITION, of=lambda found: found[name], names=_only(name))


def number_column(name: str, bounds: Bounds = _SIZES) -> Expression:
    """Return a column of numbers within bounds; `FILES` and `RANKS` are in all columns."""
    names = frozenset[str]() if name in {FILES, RANKS} else _only(name)

    def values(columns: Columns) -> Any:
        return np.asarray(columns[name], dtype=np.int16)

    return Expression(kind=ValueKind.NUMBER, of=values, bounds=bounds, names=names)


def square_column(name: str) -> Expression:
    """Return a column of squares, numbered from 0 (a1) to 63 (h8)."""
    parts: list[Callable[[Columns], Any]] = [
        lambda found: np.add(found[name] & 7, 1, dtype=np.int16),
        lambda found: np.add(found[name] >> 3, 1, dtype=np.int16),
    ]
    read = _only(name)
    return _square(
        *(Expression(kind=ValueKind.NUMBER, of=of, bounds=_SIZES, names=read) for of in parts)
    )


def named_square(name: str) -> Expression:
    """Return a square by its name."""
    rank, file = divmod(FULL_BOARD.numbers[name], 8)
    parts = (replace(constant(one + 1), squares=_only(name)) for one in (file, rank))
    return _square(*parts)


def applied(word: str, operands: Sequence[Expression]) -> Expression:
    """Return one of the `WORDS` applied to operands; ValueError unless it takes such ones."""
    least, most = WORDS[word]
    if not least <= len(operands) <= most:
        number = f"{least} or more" if most > least else str(least)
        message = f"{word} takes {number} operand{'s' * (most > 1)}, not {len(operands)}"
        raise ValueError(message)
    if word in {"file", "rank"}:
        _require(word, operands, ValueKind.SQUARE)
        return operands[0].parts[word == "rank"]
    if word in {"and", "or", "not"}:
        _require(word, operands, ValueKind.CONDITION)
        return _condition(word, operands)
    if word == "where":
        _require(word, operands[:1], ValueKind.CONDITION)
    some = operands[word == "where" :]
    if word in {"==", "!=", "where"} and any(one.kind is ValueKind.SQUARE for one in some):
        _require(word, some, ValueKind.SQUARE)
        parts = zip(*(one.parts for one in some), strict=True)
        if word == "where":
            return _square(*(applied(word, [operands[0], *both]) for both in parts))
        same = _condition("and", [_condition("==", both) for both in parts])
        return same if word == "==" else _condition("not", [same])
    _require(word, some, ValueKind.NUMBER)
    if word == "square_at":
        return _square(*operands)
    return _condition(word, operands) if word in _CONDITIONS else _number(word, operands)


# What words take, at least and at most. Those that are no names of functions are operators.
_MANY = 1 << 30
WORDS = {
    **dict.fromkeys(("file", "rank", "not", "neg", "abs"), (1, 1)),
    **dict.fromkeys(("+", "-", "*", "%", "==", "!=", "<", "<=", ">", ">=", "square_at"), (2, 2)),
    **dict.fromkeys(("and", "or", "minimum", "maximum"), (2, _MANY)),
    "where": (3, 3),
}
_CONDITIONS: dict[str, Callable[..., Any]] = {
    "and": lambda *some: reduce(np.logical_and, some),
    "or": lambda *some: reduce(np.logical_or, some),
    "not": np.logical_not,
    "==": np.equal, "!=": np.not_equal,
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
_NUMBERS: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "neg": operator.neg,
    "minimum": lambda *some: reduce(np.minimum, some),
    "maximum": lambda *some: reduce(np.maximum, some),
    "abs": abs, "%": np.remainder, "where": np.where,
}  # fmt: skip


def _require(word: str, operands: Sequence[Expression], kind: ValueKind) -> None:
    for one in operands:
        counts = kind is ValueKind.NUMBER and one.kind is ValueKind.CONDITION
        if one.kind is not kind and not counts:
            message = f"{word} needs a {kind}, but {shortened(one.text)} is a {one.kind}"
            if kind is ValueKind.CONDITION:
                message += ": compare it"
            if kind is ValueKind.SQUARE and one.kind is ValueKind.NUMBER:
                message += ": square_at(file, rank) is the square of two numbers"
            if kind is ValueKind.NUMBER:
                message += ": it has .file and .rank"
            raise ValueError(message)


def _condition(word: str, operands: Sequence[Expression]) -> Expression:
    function = _CONDITIONS[word]
    return Expression(
        kind=ValueKind.CONDITION,
        of=lambda columns: function(*(one.of(columns) for one in operands)),
        **_read_by(operands),
    )


def _number(word: str, operands: Sequence[Expression]) -> Expression:
    function, bounds = _NUMBERS[word], _bounds(word, operands)
    some = operands[word == "where" :]
    dtype = _dtype(word, [bounds, *(one.bounds for one in some)])

    def values(columns: Columns) -> Any:
        numbers = (one.of(columns).astype(dtype, copy=False) for one in some)
        return function(*(one.of(columns) for one in operands[: -len(some)]), *numbers)

    return Expression(kind=ValueKind.NUMBER, of=values, bounds=bounds, **_read_by(operands))


def _bounds(word: str, operands: Sequence[Expression]) -> Bounds:
    """Return the least and the largest number that a word can come to."""
    every = [one.bounds for one in operands]
    if word == "%":
        (least, most) = every[1]
        if operands[1].names or least != most or least < 1:
            message = f"% needs a positive number, as in {operands[0]} % 2, not {operands[1]}"
            raise ValueError(message)
        return 0, most - 1
    if word == "where":
        return _around(every[1:])
    if word in {"minimum", "maximum"}:
        choose = min if word == "minimum" else max
        return choose(least for least, _ in every), choose(most for _, most in every)
    # Of these, what lies between two numbers comes to something between, but for abs at 0.
    ends = [int(_NUMBERS[word](*some)) for some in product(*every)]
    least, most = every[0]
    return (0 if word == "abs" and least < 0 < most else min(ends)), max(ends)


def _around(every: Sequence[Bounds]) -> Bounds:
    return min(least for least, _ in every), max(most for _, most in every)


def _dtype(word: str, every: Sequence[Bounds]) -> type[np.int16 | np.int32]:
    """Return the type with room for all numbers within some bounds."""
    least, most = _around(every)
    if max(-least, most) > _LARGEST:
        message = f"{word} may come to {max(-least, most):.3g}, and {_LARGEST:,} is the most"
        raise ValueError(message)
    return np.int16 if least >= -(1 << 15) and most < 1 << 15 else np.int32


def _square(file: Expression, rank: Expression) -> Expression:
    return Expression(
        kind=ValueKind.SQUARE,
        of=lambda columns: (file.of(columns), rank.of(columns)),
        parts=(file, rank),
        **_read_by((file, rank)),
    )


def _read_by(operands: Sequence[Expression]) -> dict[str, Any]:
    """Return the fields of an expression that follow from its operands."""
    depth = 1 + max(one.depth for one in operands)
    if depth > _DEEPEST:
        raise RecursionError
    names, squares = (
        frozenset[str]().union(*found)
        for found in zip(*((one.names, one.squares) for one in operands), strict=True)
    )
    return {"names": names, "squares": squares, "depth": depth}


def _only(name: str) -> frozenset[str]:
    return frozenset((name,))
