"""Expressions over the columns of positions: rules about squares, in the style of NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board import FULL_BOARD
from tablebase.core.words import quoted

Columns = Mapping[str, NDArray[Any]]
ANSWERS = ("dtm", "wdl", "dtz", "wdl50", "difficulty")


def _infix(sign: str, function: Callable[..., Any]) -> Any:
    def method(self: Expression, other: Any) -> Expression:
        return _applied(f"({{}} {sign} {{}})", function, self, other)

    return method


@dataclass(frozen=True, eq=False, repr=False)
class Expression:
    """A number or truth value for each position, made by `col` and the functions of squares.

    Operators are ``+ - abs() < <= == != >= > & | ~``; other operands are numbers, and names of
    squares like ``"a8"``.

    Attributes
    ----------
    text : str
        The expression as Python.
    of : Callable
        Its values, shape [n], by the columns of positions.
    names : frozenset of str
        The columns that it reads.
    """

    text: str
    of: Callable[[Columns], NDArray[Any]]
    names: frozenset[str] = frozenset()

    __hash__ = None  # type: ignore[assignment]
    __eq__ = _infix("==", np.equal)
    __ne__ = _infix("!=", np.not_equal)
    __lt__ = _infix("<", np.less)
    __le__ = _infix("<=", np.less_equal)
    __gt__ = _infix(">", np.greater)
    __ge__ = _infix(">=", np.greater_equal)
    __add__ = __radd__ = _infix("+", np.add)
    __sub__ = _infix("-", np.subtract)
    __and__ = __rand__ = _infix("&", np.logical_and)
    __or__ = __ror__ = _infix("|", np.logical_or)

    def __repr__(self) -> str:
        return self.text

    def __rsub__(self, other: Any) -> Expression:
        return _applied("({} - {})", np.subtract, other, self)

    def __invert__(self) -> Expression:
        return _applied("~{}", np.logical_not, self)

    def __abs__(self) -> Expression:
        return _applied("abs({})", np.abs, self)

    def __bool__(self) -> NoReturn:
        message = (
            "an expression is neither true nor false before it has positions: write & for and, "
            "| for or, ~ for not, and (a < b) & (b < c) for a < b < c"
        )
        raise TypeError(message)

    @property
    def file(self) -> Expression:
        """The file of a square, 1 (a) to 8 (h)."""
        return _applied("{}.file", lambda square: (square & 7) + 1, self)

    @property
    def rank(self) -> Expression:
        """The rank of a square, 1 to 8."""
        return _applied("{}.rank", lambda square: (square >> 3) + 1, self)

    @property
    def is_light(self) -> Expression:
        """Whether a square is light."""
        return _applied("{}.is_light", lambda square: (square ^ square >> 3) & 1 == 1, self)

    def check(self, names: list[str]) -> None:
        """Raise a ValueError unless it is a condition on columns of these names."""
        for name in sorted(self.names.difference(names)):
            message = f"there is no column {quoted(name)}: the columns are {', '.join(names)}"
            raise ValueError(message)
        if self.of({name: np.zeros(0, np.uint8) for name in names}).dtype != np.bool_:
            message = f"{self.text} is a number, not a condition: compare it"
            raise ValueError(message)


def _applied(text: str, function: Callable[..., Any], *given: Any) -> Expression:
    """Return a function of the values of some expressions, numbers or squares."""
    operands = [_as_expression(one) for one in given]

    def values(columns: Columns) -> NDArray[Any]:
        return np.asarray(function(*(one.of(columns) for one in operands)))

    names = frozenset[str]().union(*(one.names for one in operands))
    return Expression(text.format(*operands), values, names)


def _as_expression(given: Any) -> Expression:
    if isinstance(given, Expression):
        return given
    number = FULL_BOARD.numbers.get(given) if isinstance(given, str) else given
    if not isinstance(number, int):
        message = f"{given!r} is neither an expression nor a number nor a square like 'a8'"
        raise TypeError(message)
    value = np.asarray(number, dtype=np.bool_ if isinstance(number, bool) else np.int16)
    return Expression(repr(given), lambda _: value)


def col(name: str) -> Expression:
    """Return a column of `Positions.to_numpy` as an expression.

    It is ``white_to_move`` or a man such as ``white_king``, whose square is a number from 0 (a1) to
    63 (h8). Values such as ``dtm`` raise a `ValueError`, because a rule must not read the answer.

    >>> (col("white_pawn").rank == 7) & ~col("white_to_move")
    ((col('white_pawn').rank == 7) & ~col('white_to_move'))
    """
    if name in ANSWERS:
        message = f"a rule cannot read {quoted(name)}, which belongs to the answer"
        raise ValueError(message)
    # Signed, so that differences of squares, files and ranks may be negative.
    kind = np.bool_ if name == "white_to_move" else np.int16
    return Expression(f"col({name!r})", lambda found: found[name].astype(kind), frozenset((name,)))


def square_at(file: Expression | int, rank: Expression | int) -> Expression:
    """Return the square of a file and a rank, such as rank 8 of a pawn's file."""
    return _applied("square_at({}, {})", lambda x, y: 8 * (y - 1) + x - 1, file, rank)


def distance(one: Expression | str, other: Expression | str) -> Expression:
    """Return the number of king's moves between two squares on an empty board."""
    return _applied("distance({}, {})", _distance, one, other)


def _distance(one: NDArray[np.int16], other: NDArray[np.int16]) -> Any:
    return np.maximum(np.abs((one & 7) - (other & 7)), np.abs((one >> 3) - (other >> 3)))


def opposition(one: Expression | str, other: Expression | str) -> Expression:
    """Return whether two squares face each other on a file or rank with one square between."""

    def faces(one: NDArray[np.int16], other: NDArray[np.int16]) -> Any:
        away = np.abs(one - other)
        return ((away == 2) | (away == 16)) & (_distance(one, other) == 2)

    return _applied("opposition({}, {})", faces, one, other)


def minimum(one: Expression | int, other: Expression | int) -> Expression:
    """Return the smaller of two numbers."""
    return _applied("minimum({}, {})", np.minimum, one, other)


def maximum(one: Expression | int, other: Expression | int) -> Expression:
    """Return the larger of two numbers."""
    return _applied("maximum({}, {})", np.maximum, one, other)
