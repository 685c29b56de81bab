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


def _method(text: str, function: Callable[..., Any]) -> Any:
    return lambda *operands: _applied(text, function, *operands)


@dataclass(frozen=True, eq=False, repr=False)
class Expression:
    """A number or truth value for each position, made by `col` and the functions of squares.

    Operators are ``+ - abs() < <= == != >= > & | ~``; other operands are numbers, and names of
    squares like ``"a8"``.

    Attributes
    ----------
    text, of, names
        The expression as Python, its values by columns of positions, and the columns that it reads.
    """

    text: str
    of: Callable[[Columns], NDArray[Any]]
    names: frozenset[str] = frozenset()

    __hash__ = None  # type: ignore[assignment]
    __eq__ = _method("({} == {})", np.equal)
    __ne__ = _method("({} != {})", np.not_equal)
    __lt__ = _method("({} < {})", np.less)
    __le__ = _method("({} <= {})", np.less_equal)
    __gt__ = _method("({} > {})", np.greater)
    __ge__ = _method("({} >= {})", np.greater_equal)
    __add__ = __radd__ = _method("({} + {})", np.add)
    __sub__ = _method("({} - {})", np.subtract)
    __rsub__ = _method("({1} - {0})", lambda one, other: other - one)
    __and__ = __rand__ = _method("({} & {})", np.logical_and)
    __or__ = __ror__ = _method("({} | {})", np.logical_or)
    __invert__ = _method("~{}", np.logical_not)
    __abs__ = _method("abs({})", np.abs)
    file = property(_method("{}.file", lambda at: (at & 7) + 1), doc="The file, 1 (a) to 8 (h).")
    rank = property(_method("{}.rank", lambda at: (at >> 3) + 1), doc="The rank, 1 to 8.")
    is_light = property(
        _method("{}.is_light", lambda at: (at ^ at >> 3) & 1 == 1), doc="Whether a square is light."
    )

    def __repr__(self) -> str:
        return self.text

    def __bool__(self) -> NoReturn:
        message = (
            "an expression is neither true nor false before it has positions: write & for and, "
            "| for or, ~ for not, and (a < b) & (b < c) for a < b < c"
        )
        raise TypeError(message)

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
    return _applied("distance({}, {})", lambda x, y: _apart(x, y).max(axis=0), one, other)


def opposition(one: Expression | str, other: Expression | str) -> Expression:
    """Return whether two squares face each other on a file or rank with one square between."""
    return _applied(
        "opposition({}, {})", lambda x, y: (_apart(x, y) ** 2).sum(axis=0) == 4, one, other
    )


def _apart(one: NDArray[np.int16], other: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return by how many files and ranks squares differ, shape [2, n]."""
    apart = (one & 7) - (other & 7), (one >> 3) - (other >> 3)
    return np.abs(np.array(apart, dtype=np.int16))


def minimum(one: Expression | int, other: Expression | int) -> Expression:
    """Return the smaller of two numbers."""
    return _applied("minimum({}, {})", np.minimum, one, other)


def maximum(one: Expression | int, other: Expression | int) -> Expression:
    """Return the larger of two numbers."""
    return _applied("maximum({}, {})", np.maximum, one, other)
