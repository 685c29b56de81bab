"""Rules of thumb on trial: how often a rule about an ending is right, and where it fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.core.errors import MissingTableError
from tablebase.core.locations import default_directories
from tablebase.core.outcomes import DTZ
from tablebase.core.positions import board_of
from tablebase.core.rules import Material
from tablebase.study.choices import CANONICAL, DIFFICULTY, RESULT_NAMES
from tablebase.study.conditions import Conditions, check_choice
from tablebase.study.dataset import load_first
from tablebase.study.expressions import Columns, Expression
from tablebase.study.finding import count_and_take, mistake_counter
from tablebase.study.positions import Positions, man_names
from tablebase.study.searching import Search

if TYPE_CHECKING:
    import chess
    from numpy.typing import NDArray

CLAIMS = ("win", "draw", "loss")
MOST_MEN_FOR_FUNCTIONS = 4  # a function takes some microseconds for each position


class RuleCounts(NamedTuple):
    """How many positions a rule is right about.

    Attributes
    ----------
    right, exceptions : int
        Positions that meet the condition and have the claimed result, or another one.
    missed : int
        Positions that have the claimed result but do not meet the condition.
    """

    right: int
    exceptions: int
    missed: int

    @property
    def positions(self) -> int:
        """Positions that meet the condition."""
        return self.right + self.exceptions

    @property
    def precision(self) -> float | None:
        """The share of the positions that meet the condition which have the claimed result."""
        return self.right / self.positions if self.positions else None

    @property
    def coverage(self) -> float | None:
        """The share of the positions with the claimed result which meet the condition."""
        claimed = self.right + self.missed
        return self.right / claimed if claimed else None

    def __str__(self) -> str:
        # Rounded down, so that 100% has no exception.
        precision, coverage = (
            "-" if share is None else f"{int(share * 10_000) / 100:.2f}%"
            for share in (self.precision, self.coverage)
        )
        shares = f"precision {precision}, coverage {coverage}, {self.exceptions:,} exceptions"
        return f"{self.positions:,} positions, {shares}"


@dataclass(frozen=True, eq=False)
class Trial:
    """What a trial of a rule found.

    Attributes
    ----------
    material : Material
        The men.
    claims : str
        The result for White that the rule claims.
    by_turn : Mapping of bool to RuleCounts
        Counts by side to move, True for White.
    hardest : Positions
        Exceptions, the hardest for the side to move first, at most as many as the limit.
    """

    material: Material
    claims: str
    by_turn: Mapping[bool, RuleCounts]
    hardest: Positions = field(repr=False)

    @property
    def total(self) -> RuleCounts:
        """Counts of all positions, with either side to move."""
        return RuleCounts(*map(sum, zip(*self.by_turn.values(), strict=True)))

    def __str__(self) -> str:
        lines = [f"{self.material}, {self.claims}: {self.total}"]
        if len(self.by_turn) > 1:
            for turn, counts in self.by_turn.items():
                lines.append(f"  {'White' if turn else 'Black'} to move: {counts}")
        return "\n".join(lines)


def trial(
    material: str | Material,
    condition: Expression | Callable[[chess.Board], bool],
    claims: str,
    directory: str | os.PathLike[str] | None = None,
    *,
    turn: bool | None = None,
    images: str = CANONICAL,
    rule50: bool = False,
    limit: int | None = 10,
    threads: int | None = None,
) -> Trial:
    """Try a rule on every position of a table: those that meet a condition have a result.

    Parameters
    ----------
    material, directory, threads
        As of `tablebase.find`.
    condition
        An `Expression`, or up to four men a function of a board of python-chess.
    claims
        The result for White with either side to move: ``win``, ``draw`` or ``loss``.
    turn, images
        Which positions count, as of `Conditions`. The canonical one of symmetric images is
        arbitrary, so a condition that differs between them needs ``all``.
    rule50
        Whether cursed wins and blessed losses count as draws.
    limit
        Most exceptions to list, None for all, the hardest first; in the order of the table if it
        has no distances to zeroing.

    Raises
    ------
    ValueError
        If the claim or the condition makes no sense; other errors are those of `tablebase.find`.

    Examples
    --------
    A king in front of his pawn wins if he has the opposition:

    >>> from tablebase.study import col, opposition, square_at, trial
    >>> king, pawn = col("white_king"), col("white_pawn")
    >>> rule = (king == square_at(pawn.file, pawn.rank + 1)) & opposition(king, col("black_king"))
    >>> print(trial("KPK", rule & (pawn.file > 1) & (pawn.file < 8), "win", "data", turn=False))
    KPK, win: 60 positions, precision 100.00%, coverage 0.12%, 0 exceptions
    """
    check_choice("claims", claims, CLAIMS)
    wanted = (Material.from_name(material) if isinstance(material, str) else material).normalized()
    rule = condition if isinstance(condition, Expression) else _by_board(wanted, condition)
    directories = [Path(directory)] if directory is not None else default_directories()
    asked = Conditions(turn=turn, images=images, limit=limit, where=rule)
    return _tried(wanted, directories, asked, claims, rule50=rule50, threads=threads)


def _tried(
    material: Material,
    directories: Sequence[Path],
    asked: Conditions,
    claims: str,
    *,
    rule50: bool,
    threads: int | None,
) -> Trial:
    """Return what the trial of a rule finds, whose errors are those that `trial` names."""
    data = load_first(material, directories)
    if rule50 and data.zeroing is None:
        raise MissingTableError.of([material], directories, metric=DTZ.name)
    by_turn, taken = {}, []
    known: Sequence[str] = CLAIMS
    mistakes = None
    if data.zeroing is not None:
        known = RESULT_NAMES
        if asked.limit != 0:  # the counter goes through the whole table
            asked = replace(asked, order=DIFFICULTY)
            mistakes = mistake_counter(data, directories, threads)
    for turn in _turns(material, asked.turn):
        claimed = _results(claims, turn=turn, rule50=rule50)
        right = Conditions(turn=turn, images=asked.images, result=claimed)
        every, found = (
            sum(len(part.slots) for part in Search(data.table, data.zeroing, one).matches(threads))
            for one in (right, replace(right, where=asked.where))
        )
        wrong = replace(asked, turn=turn, result=[one for one in known if one not in claimed])
        search = Search(data.table, data.zeroing, wrong, None, mistakes)
        failed, first = count_and_take(search, wrong, threads)
        by_turn[turn] = RuleCounts(found, failed, every - found)
        taken.append(first)
    hardest = Positions.joined(taken)
    if hardest.difficulty is not None:
        hardest = hardest[np.argsort(-hardest.difficulty, kind="stable")]
    return Trial(material, claims, by_turn, hardest[: asked.limit])


def _turns(material: Material, turn: bool | None) -> tuple[bool, ...]:  # noqa: FBT001 (as a value)
    if turn is not None:
        return (turn,)
    return (True,) if material.is_symmetric else (True, False)


def _results(claims: str, *, turn: bool, rule50: bool) -> list[str]:
    """Return the results for the side to move that White's claim means."""
    if claims == "draw":
        return ["cursed_win", "draw", "blessed_loss"] if rule50 else ["draw"]
    if (claims == "win") == turn:
        return ["win"] if rule50 else ["win", "cursed_win"]
    return ["loss"] if rule50 else ["loss", "blessed_loss"]


def _by_board(material: Material, function: Callable[[chess.Board], bool]) -> Expression:
    """Return a function of a board as an expression, for few men."""
    if material.piece_count > MOST_MEN_FOR_FUNCTIONS:
        message = (
            f"a function tries up to {MOST_MEN_FOR_FUNCTIONS} men, not {material}: "
            "write the condition as an expression, see tablebase.study.col"
        )
        raise ValueError(message)
    men = man_names(material)

    def values(columns: Columns) -> NDArray[np.bool_]:
        rows = np.stack([columns[name] for name in men], axis=1).tolist()
        turns = columns["white_to_move"].tolist()
        boards = (board_of(material, *row) for row in zip(rows, turns, strict=True))
        return np.array([bool(function(board)) for board in boards], dtype=np.bool_)

    return Expression(getattr(function, "__name__", "function"), values)
