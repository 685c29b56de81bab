"""What a strategy asks of a move: rules about the positions before and after it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.movement import is_attacked_by
from tablebase.core.ground.words import quoted
from tablebase.core.outcomes.metrics import DRAW_PREFERENCE, HORIZON
from tablebase.core.positions.setup import Setup, arranged
from tablebase.finding.expression_text import AFTER, FACTS, PLIES, PROMOTION, read_expression
from tablebase.finding.expressions import FILES, RANKS, TURN, Expression, ValueKind, applied
from tablebase.finding.positions import man_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.rules.material import Material

_KING = "can_king_move"  # which no expression reads
_PREFERRED = re.compile(r"\s*minimise\b(.*?)(?:\bamong\b(.*))?", re.DOTALL)
_THEN = re.compile(r"\bthen\b")
_LARGEST = np.iinfo(np.int32).max  # more than any number of an expression


class Rule(NamedTuple):
    """What moves a strategy allows, of which some fit better than others.

    Attributes
    ----------
    text
        How it is written.
    condition
        What a move that fits has to meet.
    numbers
        Of these moves only those fit with the smallest first number; of them, with the second one.
    """

    text: str
    condition: Expression
    numbers: tuple[Expression, ...]


def read_rule(text: str, names: Mapping[str, Expression]) -> Rule:
    """Return the rule that a text writes, ``CONDITION`` or ``minimise A then B among CONDITION``.

    Names are those of expressions, see `read_expression`, and ``after.`` stands before what is read
    of the position after the move: squares of men, a captured man's being the one where it stood;
    ``is_check``, ``is_mate`` and ``is_stalemate`` of the side that is to move then, ``is_capture``
    of the move itself; and ``promotion``, what a pawn becomes, numbered as by python-chess: 5 for a
    queen, 0 for no promotion. ``after.mates_within(2)`` is whether the side that moved mates in two
    plies at most after its move.

    Raises `ValueError` if the text is no rule.

    >>> rule = read_rule("minimise distance(after.white_king, e4) among not after.is_check", {})
    >>> rule.condition, rule.numbers
    (not after.is_check, (distance(after.white_king, e4),))
    """
    if not isinstance(text, str):
        message = f"a rule is a text like 'after.is_check', not {quoted(text)}"
        raise TypeError(message)
    preferred = _PREFERRED.fullmatch(text)
    if preferred is None:
        return Rule(text, read_expression(text, names), ())
    numbers = tuple(read_expression(one, names) for one in _THEN.split(preferred[1]))
    for one in numbers:
        if one.kind is ValueKind.SQUARE:
            message = f"{quoted(text)}: {one} is a square, of which nothing is the smallest"
            raise ValueError(message)
    return Rule(text, read_expression(preferred[2] or "True", names), numbers)


class MoveColumns(dict[str, Any]):
    """Columns of moves by name, each made when it is first read.

    `before` and `squares` are uint8 [men, moves], before and after the moves; `promotion` [moves]
    is what a pawn becomes, and `preference` [moves] the mover's of each move.
    """

    def __init__(self, material: Material, color: Color, **given: NDArray[Any]) -> None:
        super().__init__()
        self.material, self.color, self.given = material, color, given
        self._place = {name: man for man, name in enumerate(man_names(material))}
        board = material.rules.board  # as of `tablebase.finding.expressions.columns_of`
        self._first = np.uint8(8 * board.first_rank + board.first_file)

    def at(self, chosen: NDArray[Any]) -> MoveColumns:
        """Return the columns of some moves."""
        given = {name: column[..., chosen] for name, column in self.given.items()}
        columns = MoveColumns(self.material, self.color, **given)
        columns.update({name: column[chosen] for name, column in self.items()})
        return columns

    def names(self) -> list[str]:
        """Return the names of the columns."""
        after_moves = [f"{AFTER}.{name}" for name in (*self._place, *FACTS, PROMOTION, PLIES)]
        return [TURN, *self._place, *after_moves]

    def __missing__(self, name: str) -> Any:
        if name in {FILES, RANKS}:
            return getattr(self.material.rules.board, name)
        self[name] = self._made(name)
        column: NDArray[Any] = self[name]
        return column

    def _made(self, name: str) -> NDArray[Any]:
        if name == TURN:
            return np.full(len(self.given["promotion"]), self.color is Color.WHITE)
        if name in self._place:
            before: NDArray[np.uint8] = self.given["before"][self._place[name]] - self._first
            return before
        name = name.removeprefix(f"{AFTER}.")
        if name == PLIES:
            preference = self.given["preference"]
            return np.where(preference > 0, HORIZON - 1 - preference, HORIZON).astype(np.int16)
        if name == PROMOTION:
            return self.given[name]
        if name in (*FACTS, _KING):
            fact: NDArray[np.bool_] = getattr(self, f"_{name}")()
            return fact
        squares: NDArray[np.uint8] = self.given["squares"][self._place[name]] - self._first
        return squares

    def _is_capture(self) -> NDArray[np.bool_]:
        return captures(self.given["before"], self.given["squares"])

    def _is_mate(self) -> NDArray[np.bool_]:
        mates: NDArray[np.bool_] = self.given["preference"] == HORIZON - 1
        return mates

    def _is_check(self) -> NDArray[np.bool_]:
        squares = self.given["squares"]
        return self._attacked(squares[self.color.opponent], _words(squares))

    def _attacked(
        self, target: NDArray[np.uint8], occupied: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        """Return after which moves the side that moved attacks a square of each position."""
        men, squares, new = [*self.material.men], self.given["squares"], self.given["promotion"]
        movement = self.material.rules.movement
        found = is_attacked_by(men, squares, self.color, target, occupied, movement)
        pawns = (self.given["before"] != squares).argmax(axis=0)
        for pawn, became in {*zip(pawns[new > 0].tolist(), new[new > 0].tolist(), strict=True)}:
            # The pawn stands there as what it became.
            some = (new == became) & (pawns == pawn)
            changed = [*men[:pawn], (self.color, PieceType(became)), *men[pawn + 1 :]]
            there = squares[:, some], self.color, target[some], occupied[some], movement
            found[some] = is_attacked_by(changed, *there)
        return found

    def _is_stalemate(self) -> NDArray[np.bool_]:
        over = HORIZON - 1 if self.material.rules.stalemate == "loss" else DRAW_PREFERENCE
        found: NDArray[np.bool_] = self.given["preference"] == over
        found[found] = ~self.at(found)[f"{AFTER}.is_check"]
        found[found] = ~self.at(found)[_KING]
        men, bare = self.material.men, any(self.material.bared)
        if bare or sum(color is not self.color for color, _ in men) > 1:  # others may move
            for move in np.flatnonzero(found).tolist():
                found[move] = self._after(move).end == "stalemate"
        return found

    def _can_king_move(self) -> NDArray[np.bool_]:
        """Return after which moves the other side's king can go to a square that it may enter."""
        other, squares = self.color.opponent, self.given["squares"]
        king = squares[other]
        without = _words(squares) & ~(np.uint64(1) << king.astype(np.uint64))
        own = [man for man, (color, _) in enumerate(self.material.men) if color is other]
        found = np.zeros(len(king), dtype=np.bool_)
        for target in self.material.rules.movement.rays[other, PieceType.KING][king][..., 0].T:
            free = (target >= 0) & (squares[own] != target).all(axis=0)
            found |= free & ~self._attacked(np.maximum(target, 0).astype(np.uint8), without)
        return found

    def _after(self, move: int) -> Setup:
        """Return the position after a move."""
        before, squares = self.given["before"][:, move], self.given["squares"][:, move]
        man = int((before != squares).argmax())
        new = int(self.given["promotion"][move]) or self.material.men[man][1]
        men = dict(zip(before.tolist(), self.material.men, strict=True))
        men.pop(int(before[man]))
        men[int(squares[man])] = self.color, PieceType(new)
        return arranged(men, self.color.opponent, self.material.rules)


def _words(squares: NDArray[np.uint8]) -> NDArray[np.uint64]:
    words: NDArray[np.uint64] = np.bitwise_or.reduce(
        np.uint64(1) << squares.astype(np.uint64), axis=0
    )
    return words


def captures(before: NDArray[np.uint8], squares: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether each move, uint8 [men, moves] before and after it, captures a man."""
    moved = before != squares
    target = (squares * moved).sum(axis=0, dtype=np.uint8)
    taken: NDArray[np.bool_] = ((before == target) & ~moved).any(axis=0)
    return taken


def check_rules(rules: Sequence[Rule], columns: MoveColumns) -> None:
    """Raise a ValueError unless rules are made for columns like these."""
    board = columns.material.rules.board
    for rule in rules:
        rule.condition.check(columns.names(), board)
        for one in rule.numbers:
            applied("<", [one, one]).check(columns.names(), board)


def allowed_by(
    rules: Sequence[Rule], columns: MoveColumns, position: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int16]]:
    """Return the moves that the first rule allows which any move of their position fits.

    They are marked, bool [moves]; and for each position comes the number of this rule from 0 on, -1
    if no move fits any. `position` is that of each move, ascending.
    """
    allowed = np.zeros(len(position), dtype=np.bool_)
    decided = np.full(position.max(initial=-1) + 1, -1, dtype=np.int16)
    left = np.arange(len(position))
    for number, rule in enumerate(rules):
        chosen = left[_fitting(rule, columns, position[left])]
        allowed[chosen] = True
        decided[position[chosen]] = number
        stays = decided[position[left]] < 0
        if not stays.all():
            left, columns = left[stays], columns.at(stays)
        if not len(left):
            break
    return allowed, decided


def _fitting(rule: Rule, columns: MoveColumns, position: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each move fits a rule."""
    fits = np.broadcast_to(rule.condition.of(columns), position.shape)
    starts = np.flatnonzero(np.diff(position, prepend=-1))
    lengths = np.diff(np.append(starts, len(position)))
    for number in rule.numbers:
        values = np.where(fits, number.of(columns), np.int32(_LARGEST))
        fits = fits & (values == np.repeat(np.minimum.reduceat(values, starts), lengths))
    return fits
