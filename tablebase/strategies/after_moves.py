"""What a strategy may ask of a move: expressions over the position after it, in ranked lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board import Color, is_attacked_by
from tablebase.core.outcomes import DRAW_PREFERENCE, HORIZON
from tablebase.core.positions import Setup
from tablebase.study import Expression, man_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.rules import Material

_AFTER = "after."
PLIES = f"{_AFTER}plies"  # what `After.mates_within` reads, and a strategy must not
FACTS = ("is_capture", "is_check", "is_mate", "is_promotion", "is_stalemate")


class After:
    """Columns of the position after a move, as expressions: ``after.white_king`` is a square.

    Squares are those of `tablebase.study.col`, a captured man's being the one where it stood.
    ``is_check``, ``is_mate`` and ``is_stalemate`` tell of the side that is to move then;
    ``is_capture`` and ``is_promotion`` of the move itself.

    >>> (after.white_king.rank > 4) & ~after.is_stalemate
    ((after.white_king.rank > 4) & ~after.is_stalemate)
    """

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Expression:
        kind = np.bool_ if name in FACTS else np.int16
        column = f"{_AFTER}{name}"
        return Expression(column, lambda found: found[column].astype(kind), frozenset((column,)))

    def mates_within(self, plies: int) -> Expression:
        """Return whether the side that moved mates in so many plies after its move at the latest.

        It stands for a search of so many plies, because the distance to mate tells what that finds.
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


def minimise(value: Expression, among: Expression | None = None) -> Preference:
    """Return a rule that only moves with the smallest value fit, of those that meet `among`."""
    return Preference(f"minimise({value}{'' if among is None else f', {among}'})", value, among)


def maximise(value: Expression, among: Expression | None = None) -> Preference:
    """Return a rule that only moves with the largest value fit, of those that meet `among`."""
    return Preference(f"maximise({value}{'' if among is None else f', {among}'})", 0 - value, among)


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

    def at(self, chosen: NDArray[Any]) -> MoveColumns:
        """Return the columns of some moves."""
        given = {name: column[..., chosen] for name, column in self.given.items()}
        return MoveColumns(self.material, self.color, **given)

    def names(self) -> list[str]:
        """Return the names of the columns."""
        after_moves = [f"{_AFTER}{name}" for name in (*self._place, *FACTS)]
        return ["white_to_move", *self._place, *after_moves, PLIES]

    def __missing__(self, name: str) -> NDArray[Any]:
        self[name] = self._made(name)
        column: NDArray[Any] = self[name]
        return column

    def _made(self, name: str) -> NDArray[Any]:
        if name == "white_to_move":
            return np.full(len(self.given["promotion"]), self.color is Color.WHITE)
        if name in self._place:
            return self.given["before"][self._place[name]]
        if name == PLIES:
            preference = self.given["preference"]
            return np.where(preference > 0, HORIZON - 1 - preference, HORIZON).astype(np.int16)
        name = name.removeprefix(_AFTER)
        if name in FACTS:
            fact: NDArray[np.bool_] = getattr(self, f"_{name}")()
            return fact
        return self.given["squares"][self._place[name]]

    def _is_capture(self) -> NDArray[np.bool_]:
        return captures(self.given["before"], self.given["squares"])

    def _is_promotion(self) -> NDArray[np.bool_]:
        return self.given["promotion"] > 0

    def _is_mate(self) -> NDArray[np.bool_]:
        return self.given["preference"] == HORIZON - 1

    def _is_check(self) -> NDArray[np.bool_]:
        squares, movement = self.given["squares"], self.material.rules.movement
        occupied = np.bitwise_or.reduce(np.uint64(1) << squares.astype(np.uint64), axis=0)
        king = squares[self.color.opponent]
        checked = is_attacked_by(self.material.men, squares, self.color, king, occupied, movement)
        moved = (self.given["before"] != squares).argmax(axis=0)
        for new in np.unique(self.given["promotion"]).tolist():
            some = np.flatnonzero(self.given["promotion"] == new)
            if new and len(some):
                # The pawn stands there as what it became.
                queen = [(self.color, new)]
                at = [squares[moved[some], some]]
                where = king[some], occupied[some], movement
                checked[some] |= is_attacked_by(queen, at, self.color, *where)
        return checked

    def _is_stalemate(self) -> NDArray[np.bool_]:
        drawn = self.given["preference"] == DRAW_PREFERENCE
        found = np.zeros(len(drawn), dtype=np.bool_)
        for move in np.flatnonzero(drawn & ~self[f"{_AFTER}is_check"]).tolist():
            found[move] = self._after(move).end == "stalemate"
        return found

    def _after(self, move: int) -> Setup:
        """Return the position after a move."""
        before, squares = self.given["before"][:, move], self.given["squares"][:, move]
        setup = Setup(self.material, tuple(before.tolist()), self.color)
        man = int((before != squares).argmax())
        new = int(self.given["promotion"][move])
        return find_move(setup, int(before[man]), int(squares[man]), new).after


def find_move(setup: Setup, origin: int, target: int, promotion: int) -> Any:
    """Return the legal move of a position that has these squares, a `SetupMove`."""
    wanted = origin, target, promotion
    moves = setup.moves()
    return next(one for one in moves if (one.origin, one.target, one.promotion or 0) == wanted)


def captures(before: NDArray[np.uint8], squares: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which moves, uint8 [men, moves] before and after each, capture a man."""
    moved = before != squares
    target = (squares * moved).sum(axis=0, dtype=np.uint8)
    taken: NDArray[np.bool_] = ((before == target) & ~moved).any(axis=0)
    return taken


def check_rules(rules: Sequence[Rule], columns: MoveColumns) -> None:
    """Raise a ValueError unless rules are made for columns like these."""
    names = columns.names()
    for rule in rules:
        if isinstance(rule, Preference):
            ((rule.value == 0) if rule.among is None else (rule.value == 0) & rule.among).check(
                names
            )
        elif isinstance(rule, Expression):
            rule.check(names)
        else:
            message = f"{rule!r} is no rule: write an expression, or minimise(...)"
            raise ValueError(message)


def allowed_by(
    rules: Sequence[Rule], columns: MoveColumns, position: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which moves, bool [moves], the first rule that any move of its position fits allows.

    `position` is that of each move, ascending.
    """
    allowed = np.zeros(len(position), dtype=np.bool_)
    left = np.arange(len(position))
    for rule in rules:
        if not len(left):
            break
        here = columns.at(left)
        fits = _fitting(rule, here, position[left])
        chosen = left[fits]
        allowed[chosen] = True
        left = left[~np.isin(position[left], position[chosen])]
    return allowed


def _fitting(rule: Rule, columns: MoveColumns, position: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of some moves fit a rule."""
    if isinstance(rule, Expression):
        return np.broadcast_to(rule.of(columns), position.shape)
    fits = np.ones(len(position), dtype=np.bool_)
    if rule.among is not None:
        fits &= rule.among.of(columns)
    values = np.where(fits, rule.value.of(columns), np.int16(HORIZON))
    starts = np.flatnonzero(np.diff(position, prepend=-1))
    least = np.minimum.reduceat(values, starts)
    lengths = np.diff(np.append(starts, len(position)))
    return fits & (values == np.repeat(least, lengths))
