"""What a strategy may ask of a move: expressions over the position after it, in ranked lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.movement import is_attacked_by
from tablebase.core.outcomes.metrics import DRAW_PREFERENCE, HORIZON
from tablebase.core.positions.setup import Setup, arranged
from tablebase.finding.expressions import Expression, ValueKind, as_expression
from tablebase.finding.positions import man_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.rules.material import Material

_AFTER = "after."
PLIES = f"{_AFTER}plies"  # what `After.mates_within` reads, and a strategy must not
FACTS = ("is_capture", "is_check", "is_mate", "is_stalemate")
PROMOTION = "promotion"
_KING = "can_king_move"  # which no expression reads


class After:
    """Columns of the position after a move, as expressions: ``after.white_king`` is a square.

    Squares are those of `col`, a captured man's being the one where it stood.
    ``is_check``, ``is_mate`` and ``is_stalemate`` are about the side that is to move then,
    ``is_capture`` of the move itself, and ``promotion`` what a pawn becomes, numbered as by
    python-chess: 5 for a queen, 0 for no promotion.

    >>> (after.white_king.rank > 4) & ~after.is_stalemate
    ((after.white_king.rank > 4) & ~after.is_stalemate)
    """

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Expression:
        kind = ValueKind.CONDITION if name in FACTS else ValueKind.SQUARE
        if name == PROMOTION:
            kind = ValueKind.NUMBER
        dtype = np.bool_ if name in FACTS else np.int16
        column = f"{_AFTER}{name}"
        read = frozenset((column,))
        return Expression(column, lambda found: found[column].astype(dtype), read, kind)

    def mates_within(self, plies: int) -> Expression:
        """Return whether the side that moved mates in a number of plies at most after its move.

        It stands for a search of that depth, because the distance to mate tells what that finds.
        """
        text = f"after.mates_within({plies})"
        return Expression(text, lambda found: found[PLIES] <= plies, frozenset((PLIES,)))


after = After()


@dataclass(frozen=True, eq=False)
class Preference:
    """Of the moves that meet a condition, or of all, those with the smallest value fit."""

    text: str
    value: Expression
    among: Expression | None

    def __repr__(self) -> str:
        return self.text


Rule = Expression | Preference


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
        after_moves = [f"{_AFTER}{name}" for name in (*self._place, *FACTS, PROMOTION)]
        return ["white_to_move", *self._place, *after_moves, PLIES]

    def __missing__(self, name: str) -> NDArray[Any]:
        self[name] = self._made(name)
        column: NDArray[Any] = self[name]
        return column

    def _made(self, name: str) -> NDArray[Any]:
        if name == "white_to_move":
            return np.full(len(self.given["promotion"]), self.color is Color.WHITE)
        if name in self._place:
            before: NDArray[np.uint8] = self.given["before"][self._place[name]] - self._first
            return before
        if name == PLIES:
            preference = self.given["preference"]
            return np.where(preference > 0, HORIZON - 1 - preference, HORIZON).astype(np.int16)
        name = name.removeprefix(_AFTER)
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
        found[found] = ~self.at(found)[f"{_AFTER}is_check"]
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


def where(condition: Expression, one: Expression | int, other: Expression | int) -> Expression:
    """Return one number or square where a condition holds, another one elsewhere."""
    operands = [condition, as_expression(one), as_expression(other)]
    kinds = {operand.kind for operand in operands[1:]}

    def values(columns: Any) -> NDArray[Any]:
        return np.where(*(operand.of(columns) for operand in operands))

    return Expression(
        f"where({condition}, {one}, {other})",
        values,
        frozenset[str]().union(*(operand.names for operand in operands)),
        kinds.pop() if len(kinds) == 1 else ValueKind.NUMBER,
        frozenset[str]().union(*(operand.squares for operand in operands)),
    )


def minimise(value: Expression, among: Expression | None = None) -> Preference:
    """Return a rule that only moves with the smallest value fit, of those that meet `among`."""
    return Preference(f"minimise({value}{'' if among is None else f', {among}'})", value, among)


def maximise(value: Expression, among: Expression | None = None) -> Preference:
    """Return a rule that only moves with the largest value fit, of those that meet `among`."""
    return Preference(f"maximise({value}{'' if among is None else f', {among}'})", -value, among)


def captures(before: NDArray[np.uint8], squares: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether each move, uint8 [men, moves] before and after it, captures a man."""
    moved = before != squares
    target = (squares * moved).sum(axis=0, dtype=np.uint8)
    taken: NDArray[np.bool_] = ((before == target) & ~moved).any(axis=0)
    return taken


def check_rules(rules: Sequence[Rule], columns: MoveColumns) -> None:
    """Raise a ValueError or TypeError unless rules are made for columns like these."""
    for rule in rules:
        condition = rule
        if isinstance(rule, Preference):
            condition = rule.value < 0 if rule.among is None else (rule.value < 0) & rule.among
        if not isinstance(condition, Expression):
            message = f"{rule!r} is no rule: write an expression, or minimise(...)"
            raise TypeError(message)
        condition.check(columns.names(), columns.material.rules.board)


def allowed_by(
    rules: Sequence[Rule], columns: MoveColumns, position: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether the first rule that any move of its position fits allows each, bool [moves].

    `position` is that of each move, ascending.
    """
    allowed = np.zeros(len(position), dtype=np.bool_)
    left, decided = np.arange(len(position)), np.zeros(position.max(initial=0) + 1, np.bool_)
    for rule in rules:
        chosen = left[_fitting(rule, columns, position[left])]
        allowed[chosen] = True
        decided[position[chosen]] = True
        stays = ~decided[position[left]]
        if not stays.all():
            left, columns = left[stays], columns.at(stays)
        if not len(left):
            break
    return allowed


def _fitting(rule: Rule, columns: MoveColumns, position: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each move fits a rule."""
    if isinstance(rule, Expression):
        return np.broadcast_to(rule.of(columns), position.shape)
    fits = np.ones(len(position), dtype=np.bool_)
    if rule.among is not None:
        fits &= rule.among.of(columns)
    values = np.where(fits, rule.value.of(columns), np.int16(HORIZON))
    starts = np.flatnonzero(np.diff(position, prepend=-1))
    least = np.minimum.reduceat(values, starts)
    lengths = np.diff(np.append(starts, len(position)))
    fits &= values == np.repeat(least, lengths)
    return fits
