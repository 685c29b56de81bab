"""Expressions over the columns of positions: rules about squares, in the style of NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.shape import FULL_BOARD, BoardShape
from tablebase.core.ground.words import quoted, shortened

Columns = Mapping[str, NDArray[Any]]
Values = Callable[..., NDArray[Any]]
ANSWERS = ("dtm", "wdl", "dtz", "wdl50", "difficulty")
TURN = "white_to_move"
# Beyond the edges of the board, where files and ranks are counted on, each from -8191 to 8191, a
# square has a number that no square of the board has.
_FAR, _BITS = (1 << 13) - 1, 14


class ValueKind(StrEnum):
    """What an expression is. Conditions count as 0 and 1 where a number is needed."""

    CONDITION = "condition"
    NUMBER = "number"
    SQUARE = "square"  # of a man, or named: as a number 0 (a1) to 63 (h8)
    PLACE = "place"  # made of a file and a rank, which may be beyond the edge: not a number


def _compared(sign: str, function: Values, *, squares: bool = False) -> Any:
    """Return a comparison; `squares` says whether it needs no numbers."""

    def method(*given: Any) -> Expression:
        operands = [as_expression(one) for one in given]
        return _applied(
            f"({{}} {sign} {{}})", function, operands if squares else _numbers(sign, operands)
        )

    return method


def _calculated(text: str, function: Values, *, sign: str = "") -> Any:
    def method(*given: Any) -> Expression:
        operands = _numbers(sign or text, [as_expression(one) for one in given])
        return _applied(text, _of_integers(function), operands, ValueKind.NUMBER)

    return method


def _joined(sign: str, function: Values) -> Any:
    """Return a method that joins two conditions or the bits of two numbers, but no mixture."""

    def method(*given: Any) -> Expression:
        operands = _numbers(sign, [as_expression(one) for one in given])
        are_conditions = {one.kind is ValueKind.CONDITION for one in operands}
        if len(are_conditions) > 1:
            one, other = (shortened(each.text) for each in operands)
            message = (
                f"{sign} joins two conditions or two numbers, not {one} and {other}: "
                "put parentheses around each comparison"
            )
            raise TypeError(message)
        kind = ValueKind.CONDITION if are_conditions == {True} else ValueKind.NUMBER
        text = f"({{}} {sign} {{}})" if len(operands) > 1 else f"{sign}{{}}"
        return _applied(text, function, operands, kind)

    return method


def _of_square(text: str, function: Values, kind: ValueKind) -> Any:
    """Return a property of a square, from its coordinates."""

    def method(one: Expression) -> Expression:
        name = text.format("")
        return _applied(text, lambda at: function(*_coordinates(at)), _squares(name, [one]), kind)

    return method


@dataclass(frozen=True, eq=False, repr=False)
class Expression:
    """A number, square or truth value for each position, made by `col` and functions of squares.

    Operators are ``+ - % abs() < <= == != >= > & | ^ ~``; other operands are whole numbers, and
    names of squares like ``"a8"``. As in NumPy, ``& | ^ ~`` join conditions, or the bits of
    numbers, and a condition counts as 0 or 1 in a sum.

    Attributes
    ----------
    text, of, names
        The expression as Python, its values by columns of positions (see `columns_of`), and the
        columns that it reads.
    kind, squares
        What its values are, and the squares that it names.
    """

    text: str
    of: Callable[[Columns], NDArray[Any]]
    names: frozenset[str] = frozenset()
    kind: ValueKind = ValueKind.CONDITION
    squares: frozenset[str] = frozenset()

    __array_ufunc__ = None  # so that NumPy's numbers leave operators to this class
    __hash__ = None  # type: ignore[assignment]
    __eq__ = _compared("==", np.equal, squares=True)
    __ne__ = _compared("!=", np.not_equal, squares=True)
    __lt__ = _compared("<", np.less)
    __le__ = _compared("<=", np.less_equal)
    __gt__ = _compared(">", np.greater)
    __ge__ = _compared(">=", np.greater_equal)
    __add__ = __radd__ = _calculated("({} + {})", np.add, sign="+")
    __sub__ = _calculated("({} - {})", np.subtract, sign="-")
    __rsub__ = _calculated("({1} - {0})", lambda one, other: other - one, sign="-")
    __neg__ = _calculated("-{}", np.negative, sign="-")
    __abs__ = _calculated("abs({})", np.abs, sign="abs")
    __and__ = __rand__ = _joined("&", np.bitwise_and)
    __or__ = __ror__ = _joined("|", np.bitwise_or)
    __xor__ = __rxor__ = _joined("^", np.bitwise_xor)
    __invert__ = _joined("~", np.invert)
    file = property(
        _of_square("{}.file", lambda x, _: x + 1, ValueKind.NUMBER), doc="From 1 (a) on."
    )
    rank = property(_of_square("{}.rank", lambda _, y: y + 1, ValueKind.NUMBER), doc="From 1 on.")
    is_light = property(
        _of_square("{}.is_light", lambda x, y: (x + y) & 1 == 1, ValueKind.CONDITION),
        doc="Whether a square is light.",
    )

    def __mod__(self, divisor: Expression | int) -> Expression:
        """Return the remainder, from 0 to the divisor less 1, a positive number."""
        operands = _numbers("%", [self, as_expression(divisor)])
        known = operands[1]
        if known.names or known.kind is not ValueKind.NUMBER or int(known.of({})) < 1:
            message = f"% needs a positive number, as in {self.text} % 2, not {known}"
            raise ValueError(message)
        return _applied("({} % {})", _of_integers(np.remainder), operands, ValueKind.NUMBER)

    def __repr__(self) -> str:
        return self.text

    def __bool__(self) -> NoReturn:
        message = (
            "an expression is neither true nor false before it has positions: write & for and, "
            "| for or, ~ for not, and (a < b) & (b < c) for a < b < c"
        )
        raise TypeError(message)

    def check(self, names: Sequence[str], board: BoardShape = FULL_BOARD) -> None:
        """Raise a ValueError unless it is a condition on columns of these names, on a board."""
        for name in sorted(self.names.difference(names)):
            message = f"there is no column {quoted(name)}: the columns are {', '.join(names)}"
            raise ValueError(message)
        for name in sorted(self.squares.difference(board.numbers)):
            message = f"there is no square {name} on the board of {board.files}x{board.ranks}"
            raise ValueError(message)
        if self.kind is not ValueKind.CONDITION:
            what = "number" if self.kind is ValueKind.NUMBER else "square"
            message = f"{self.text} is a {what}, not a condition: compare it"
            raise ValueError(message)


def _applied(
    text: str,
    function: Values,
    operands: Sequence[Expression],
    kind: ValueKind = ValueKind.CONDITION,
) -> Expression:
    """Return a function of the values of some expressions."""

    def values(columns: Columns) -> NDArray[Any]:
        return np.asarray(function(*(one.of(columns) for one in operands)))

    names = frozenset[str]().union(*(one.names for one in operands))
    squares = frozenset[str]().union(*(one.squares for one in operands))
    return Expression(text.format(*operands), values, names, kind, squares)


def as_expression(given: Any) -> Expression:
    """Return an expression as it is, a number or a name of a square as one; else `TypeError`."""
    if isinstance(given, Expression):
        return given
    if isinstance(given, str) and given in FULL_BOARD.numbers:
        square = np.asarray(FULL_BOARD.numbers[given], dtype=np.int16)
        return Expression(
            repr(given), lambda _: square, kind=ValueKind.SQUARE, squares=frozenset((given,))
        )
    if isinstance(given, bool | np.bool_):
        truth = np.asarray(given, dtype=np.bool_)
        return Expression(repr(bool(given)), lambda _: truth)
    if not isinstance(given, Integral):
        message = f"{given!r} is neither an expression nor a number nor a square like 'a8'"
        raise TypeError(message)
    if abs(int(given)) > np.iinfo(np.int16).max:
        message = f"{quoted(int(given))} is larger than any number of squares, files or ranks"
        raise ValueError(message)
    number = np.asarray(int(given), dtype=np.int16)
    return Expression(repr(int(given)), lambda _: number, kind=ValueKind.NUMBER)


def _numbers(sign: str, operands: Sequence[Expression]) -> Sequence[Expression]:
    """Return operands that are numbers; a place, which may be beyond the edge, is none."""
    for one in operands:
        if one.kind is ValueKind.PLACE:
            message = (
                f"{sign} needs numbers, but {one} may be beyond the edge of the board, where no "
                "square has one: compare its .file and .rank, or a distance"
            )
            raise TypeError(message)
    return operands


def _squares(what: str, given: Sequence[Any]) -> Sequence[Expression]:
    """Return operands that are squares: of a man, named, made of numbers, or from 0 to 63."""
    operands = [as_expression(one) for one in given]
    for one in operands:
        is_named = one.kind is ValueKind.NUMBER and not one.names and 0 <= int(one.of({})) < 64
        if one.kind not in {ValueKind.SQUARE, ValueKind.PLACE} and not is_named:
            message = (
                f"{what} needs a square, and {one} is none: "
                "square_at(file, rank) is the square of two numbers"
            )
            raise TypeError(message)
    return operands


def _of_integers(function: Values) -> Values:
    """Return a function of numbers, for which truth values count as 0 and 1."""

    def counted(*values: NDArray[Any]) -> NDArray[Any]:
        integers = (one.astype(np.int16) if one.dtype == np.bool_ else one for one in values)
        return np.asarray(function(*integers))

    return counted


def _coordinates(at: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the file and the rank of squares, both from 0 on."""
    x, y = at & 7, at >> 3
    if at.dtype != np.int32:  # only `square_at` goes beyond the edge
        return x, y
    inside, beyond = at < 64, at - 64
    x = np.where(inside, x, (beyond & (1 << _BITS) - 1) - _FAR)
    return x, np.where(inside, y, (beyond >> _BITS) - _FAR)


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
    kind, dtype = (ValueKind.CONDITION, np.bool_) if name == TURN else (ValueKind.SQUARE, np.int16)
    return Expression(
        f"col({name!r})", lambda found: found[name].astype(dtype), frozenset((name,)), kind
    )


def columns_of(
    names: Sequence[str], squares: NDArray[np.uint8], white: NDArray[np.bool_], board: BoardShape
) -> Columns:
    """Return the columns that expressions read, of men on squares [men, n] of a board.

    There the first square of a smaller board is a1 as well, so that its file and rank are 1.
    """
    first = np.uint8(8 * board.first_rank + board.first_file)
    return {TURN: white, **dict(zip(names, squares - first if first else squares, strict=True))}


def square_at(file: Expression | int, rank: Expression | int) -> Expression:
    """Return the square of a file and a rank, such as rank 8 of a pawn's file.

    Beyond the edge of the board files and ranks are counted on: no man stands there, but distances
    to there are as on a larger board.

    >>> col("white_king") == square_at(col("white_pawn").file + 1, 8)
    (col('white_king') == square_at((col('white_pawn').file + 1), 8))
    """
    operands = [as_expression(one) for one in (file, rank)]
    for one in operands:
        if one.kind in {ValueKind.SQUARE, ValueKind.PLACE}:
            message = f"square_at takes the numbers of a file and a rank, not the square {one}"
            raise TypeError(message)
    return _applied("square_at({}, {})", _number_at, operands, ValueKind.PLACE)


def _number_at(file: NDArray[Any], rank: NDArray[Any]) -> NDArray[np.int32]:
    """Return the number of the square of a file and a rank, on the board or beyond its edges."""
    x, y = (np.clip(one.astype(np.int32) - 1, -_FAR, _FAR) for one in (file, rank))
    inside = (x & 7 == x) & (y & 7 == y)
    beyond = 64 + ((y + _FAR) << _BITS) + x + _FAR
    return np.where(inside, 8 * y + x, beyond).astype(np.int32)


def distance(one: Expression | str, other: Expression | str) -> Expression:
    """Return the number of king's moves between two squares on an empty board."""
    return _applied(
        "distance({}, {})",
        lambda x, y: np.maximum(*_apart(x, y)),
        _squares("distance", (one, other)),
        ValueKind.NUMBER,
    )


def _apart(one: NDArray[Any], other: NDArray[Any]) -> list[NDArray[Any]]:
    """Return by how many files and by how many ranks squares differ."""
    return [abs(x - y) for x, y in zip(_coordinates(one), _coordinates(other), strict=True)]


def opposition(one: Expression | str, other: Expression | str) -> Expression:
    """Return whether two squares face each other on a file or rank with one square between."""

    def values(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
        files, ranks = _apart(x, y)
        return np.asarray((np.minimum(files, ranks) == 0) & (np.maximum(files, ranks) == 2))

    return _applied("opposition({}, {})", values, _squares("opposition", (one, other)))


def minimum(one: Expression | int, other: Expression | int) -> Expression:
    """Return the smaller of two numbers."""
    return cast("Expression", _calculated("minimum({}, {})", np.minimum)(one, other))


def maximum(one: Expression | int, other: Expression | int) -> Expression:
    """Return the larger of two numbers."""
    return cast("Expression", _calculated("maximum({}, {})", np.maximum)(one, other))
