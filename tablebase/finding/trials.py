"""Rules of thumb on trial: how often a rule about an ending is right, and where it fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.ground.argument_readers import as_flag, check_choice
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.ground.locations import folders_of
from tablebase.core.ground.words import counted
from tablebase.core.outcomes.metrics import DTZ, wdl50_array
from tablebase.core.positions.any_position import read_position
from tablebase.core.positions.chess_board import board_of
from tablebase.core.reading.given import as_material
from tablebase.core.rules.material import Material
from tablebase.finding.choices import CANONICAL, DIFFICULTY
from tablebase.finding.conditions import Conditions
from tablebase.finding.dataset import TableData, load_first
from tablebase.finding.expression_text import as_condition
from tablebase.finding.expressions import TURN, Columns, Expression, ValueKind
from tablebase.finding.find import gathered, mistake_counter
from tablebase.finding.positions import Positions, man_names
from tablebase.finding.scan import Matches, Search, outcomes_at
from tablebase.practice.sight import difficulty

CLAIMS = {"win": 1, "draw": 0, "loss": -1}
FEW_MEN = 4  # with more, functions and the difficulties of all exceptions take too long
SAMPLE = 300  # exceptions of more men


class RuleCounts(NamedTuple):
    """How many positions a rule is right about.

    Attributes
    ----------
    right, exceptions, missed
        Positions that meet the condition and have the claimed result, that have another one, and
        that have the claimed result but do not meet the condition.
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
        shares = f"precision {_percent(self.precision)}, coverage {_percent(self.coverage)}"
        positions = counted(self.positions, "position")
        return f"{positions}, {shares}, {counted(self.exceptions, 'exception')}"


@dataclass(frozen=True, eq=False)
class Trial:
    """What a trial of a rule found.

    Attributes
    ----------
    material, claims
        The men, and the result for White that the rule claims.
    by_turn, hardest
        Counts by side to move, True for White, and the first exceptions.
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
        text = f"{self.material}, {self.claims}: {self.total}"
        for turn, counts in self.by_turn.items() if len(self.by_turn) > 1 else ():
            text += f"\n  {'White' if turn else 'Black'} to move: {counts}"
        return text


def _percent(share: float | None) -> str:
    # Rounded down, so that 100% has no exception.
    return "-" if share is None else f"{int(share * 10_000) / 100:.2f}%"


def trial(
    material: str | Material,
    condition: str | Callable[[chess.Board], bool],
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
        A text like ``"white_king.rank > 4"``, or up to four men a function of a board of
        python-chess.
    claims
        The result for White with either side to move: ``win``, ``draw`` or ``loss``.
    turn, images
        Which positions count, as in `Conditions`. The canonical one of symmetric images is
        arbitrary, so a condition that differs between them needs ``all``.
    rule50
        Whether cursed wins and blessed losses count as draws.
    limit
        Most exceptions to list, None for all, the hardest first: beyond four men, of 300 drawn at
        random. They come in the order of the table if it has no distances to zeroing.

    Raises
    ------
    ValueError
        If the claim or the condition makes no sense; other errors are those of `tablebase.find`.

    Examples
    --------
    >>> from tablebase.finding.trials import trial
    >>> print(trial("KPK", "white_king.rank > white_pawn.rank", "win", "data", turn=True))
    KPK, win: 36,430 positions, precision 76.74%, coverage 44.74%, 8,473 exceptions
    """
    check_choice("claims", claims, [*CLAIMS])
    wanted = as_material(material).normalized()
    rule = _by_board(wanted, condition) if callable(condition) else as_condition(condition)
    directories = folders_of(directory)
    data = load_first(wanted, directories)
    asked = Conditions(turn=turn, images=images, limit=limit, where=rule)
    return _tried(data, asked, claims, rule50=as_flag("rule50", rule50), threads=threads)


def _by_board(material: Material, function: Callable[[chess.Board], bool]) -> Expression:
    """Return a function of a board as an expression, for few men."""
    if material.piece_count > FEW_MEN:
        message = (
            f"a function tries up to {FEW_MEN} men, not {material}: "
            "write the condition as a text, see tablebase.finding.expression_text"
        )
        raise ValueError(message)
    men = man_names(material)

    def values(columns: Columns) -> NDArray[np.bool_]:
        rows = np.stack([columns[name] for name in men], axis=1).tolist()
        boards = map(partial(board_of, material), rows, columns[TURN].tolist())
        return np.array([bool(function(board)) for board in boards], dtype=np.bool_)

    return Expression(kind=ValueKind.CONDITION, of=values)


def _tried(
    data: TableData, asked: Conditions, claims: str, *, rule50: bool, threads: int | None
) -> Trial:
    """Return the trial of the condition `where`, in two passes over the table."""
    if rule50 and data.zeroing is None:
        raise MissingTableError.of([data.material], data.directories, metric=DTZ.name)
    limit, mistakes = asked.limit, None
    if data.zeroing is not None and limit != 0:
        if data.material.piece_count > FEW_MEN:
            asked = replace(asked, sample=SAMPLE, limit=None)
        else:
            asked = replace(asked, order=DIFFICULTY)
            mistakes = mistake_counter(data, data.directories, threads)

    def exceptions(search: Search, counts: NDArray[np.int64]) -> Iterator[Matches]:
        """Yield positions with another result than claimed; count both kinds by side to move."""
        for part in search.matches(threads):
            white = part.colors == Color.WHITE
            outcomes = outcomes_at(data.zeroing or data.table, part.slots, white)
            in_time = wdl50_array(outcomes, offset=data.table.metric.offset)
            results = np.trunc(in_time / 2) if rule50 else np.sign(outcomes)
            right = results * np.where(white, 1, -1) == CLAIMS[claims]
            counts += np.bincount(2 * part.colors + right, minlength=4).reshape(2, 2)
            yield part.at(~right)

    every, met = np.zeros((2, 2, 2), dtype=np.int64)
    search = Search(data.table, data.zeroing, asked, None, mistakes)
    hardest = search.positions_of(gathered(exceptions(search, met), asked))
    for _ in exceptions(Search(data.table, data.zeroing, replace(asked, where=None)), every):
        pass
    if asked.sample is not None:
        hardest = _by_difficulty(hardest, data.directories)
    sides = zip((True, False), met.tolist(), every.tolist(), strict=True)
    by_turn = {
        turn: RuleCounts(right, wrong, claimed - right)
        for turn, (wrong, right), (others, claimed) in sides
        if others or claimed
    }
    return Trial(data.material, claims, by_turn, hardest[:limit])


def _by_difficulty(some: Positions, directories: Sequence[Path]) -> Positions:
    """Return positions with their difficulties, the hardest first."""
    there, rules = [one for one in directories if one.is_dir()], some.material.rules
    with Tablebase(there, rules=rules) as tables:
        boards = [read_position(fen, rules).board for fen in some.fens()]
        hard = np.array([difficulty(tables, board) for board in boards], dtype=np.float32)
    return replace(some, difficulty=hard)[np.argsort(-hard, kind="stable")]
