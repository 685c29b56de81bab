"""Knowledge of a position in one record: from tables of both metrics or of one, or proven.

Everything that shows positions, for people or programs, is a formatter of this record.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from tablebase.core.answers.proven import dtz_of_position, proven_line
from tablebase.core.answers.ranking import KnownMove, RankedMove, mainline, rank_moves
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import (
    DTM,
    DTZ,
    FIFTY_MOVES,
    Metric,
    Wdl50,
    signed,
    wdl50,
    wdl50_known,
)
from tablebase.core.positions.position import M

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tablebase.core.answers.ranking import DifficultyOf
    from tablebase.core.answers.sources import ProvenResults
    from tablebase.core.positions.position import Board, Position

Found = TypeVar("Found")


class Outcomes(Protocol):
    """A `tablebase.Tablebase`, or an object with its method here."""

    def probe_outcome(self, board: Board, metric: Metric | None = None) -> int:
        """Return the outcome of a position by tables."""


class Results(Outcomes, Protocol):
    """A `tablebase.Tablebase`, or an object with the members named here.

    Its methods raise `MissingTableError` and `UnsupportedPositionError` as those of `Tablebase` do.
    """

    sources: ProvenResults

    def probe_wdl(self, board: Board) -> int:
        """Return the result of a position, of a table or proven."""


@dataclass(frozen=True, slots=True)
class Known(Generic[M]):
    """Knowledge of a position and of all its moves, seen from the side to move."""

    wdl: Wdl  # without the 50-move rule
    wdl50: Wdl50 | None  # under the rule, with the halfmove clock; None if not known
    # in plies, signed as in `Tablebase`; None without a table of it, or where no table has it
    dtm: int | None
    dtz: int | None  # likewise
    dtz_without_rule50: int | None  # signed as in KnownMove; None if tables have the position
    moves: Sequence[KnownMove[M]]  # best first, by the 50-move rule if the tables know of it
    # the error of the tables, if the result is proven instead
    no_table: MissingTableError | UnsupportedPositionError | None = None

    @property
    def result(self) -> Wdl50:
        """The result as if there were no 50-move rule."""
        return Wdl50(2 * self.wdl)

    @property
    def is_proven(self) -> bool:
        """Whether the result is proven, and no table has it."""
        return self.no_table is not None


def look_up(
    tables: Results,
    position: Position[M],
    *,
    rule50: bool = True,
    difficulty_of: DifficultyOf | None = None,
) -> Known[M]:
    """Look a position of any game up in tables, or else among proven results.

    `difficulty_of` gives the difficulty after each move, if tables have distances to zeroing.
    Raises why tables do not have the position or its moves, if nothing is proven either.
    """
    try:
        return _of_tables(tables, position, rule50=rule50, difficulty_of=difficulty_of)
    except (MissingTableError, UnsupportedPositionError) as error:
        try:
            wdl, moves = tables.probe_wdl(position.board), tables.sources.rank(position.board)
        except (MissingTableError, UnsupportedPositionError):
            raise error from None
        in_time = None if wdl else Wdl50.DRAW
        return Known(Wdl(wdl), in_time, None, None, dtz_of_position(moves), moves, no_table=error)


def _of_tables(
    tables: Outcomes, position: Position[M], *, rule50: bool, difficulty_of: DifficultyOf | None
) -> Known[M]:
    board = position.board
    outcome, offset = tables.probe_outcome(board), position.rules.ply_offset
    rule50 = rule50 and position.rules.fifty_moves
    result, dtz = None, None
    if rule50:
        to_zeroing = None
        with suppress(MissingTableError):
            to_zeroing = tables.probe_outcome(board, DTZ)
            dtz = signed(to_zeroing, DTZ.offset_by(offset))
        result = wdl50_known(outcome, to_zeroing, position.clock, offset)
        if result is None and position.clock >= FIFTY_MOVES:  # a draw can be claimed at once
            result = wdl50(outcome, position.clock, offset)
    find = partial(rank_moves, position, difficulty_of=difficulty_of)
    moves: list[RankedMove[M]] = by_tables(tables, find, rule50=rule50)
    wdl = Wdl((outcome > 0) - (outcome < 0))
    if dtz is None and rule50 and moves and moves[0].mate:  # which also ends the count
        dtz = moves[0].dtz
    if position.rules.distance_tells:
        return Known(wdl, result, signed(outcome, DTM.offset_by(offset)), dtz, None, moves)
    return Known(wdl, result, None, signed(outcome, DTZ.offset_by(offset)), None, moves)


def by_tables(tables: Outcomes, find: Callable[..., Found], *, rule50: bool = True) -> Found:
    """Call a function of `ranking` with tables, under the 50-move rule if they have DTZ.

    `find` takes the functions that give outcomes to the end, or those that tell who wins, and,
    under the rule, to zeroing.
    """
    if rule50:
        with suppress(MissingTableError):
            return find(tables.probe_outcome, partial(tables.probe_outcome, metric=DTZ))
    return find(tables.probe_outcome)


def rank_by_tables(tables: Outcomes, position: Position[M]) -> list[RankedMove[M]]:
    """Return all moves by tables, best first, without proven results; errors as `look_up`."""
    tables.probe_outcome(position.board)
    return by_tables(tables, partial(rank_moves, position), rule50=position.rules.fifty_moves)


def best_line(tables: Results, position: Position[M], *, rule50: bool = True) -> list[M]:
    """Return the mainline of `tablebase.Tablebase`, under the 50-move rule if tables have DTZ."""
    rule50 = rule50 and position.rules.fifty_moves
    return line_from(
        tables, position, lambda here: by_tables(tables, partial(mainline, here), rule50=rule50)
    )


def line_from(
    tables: Results, position: Position[M], line_of_tables: Callable[[Position[M]], list[M]]
) -> list[M]:
    """Return the best moves of both sides: proven moves, then a line of tables."""

    def rest_of_line(here: Position[M]) -> list[M] | None:
        try:
            tables.probe_outcome(here.board)
        except (MissingTableError, UnsupportedPositionError):
            return None
        return line_of_tables(here)

    def rank(board: Board) -> list[KnownMove[M]]:
        try:
            return tables.sources.rank(board)
        except (MissingTableError, UnsupportedPositionError):
            return []

    tables.probe_wdl(position.board)  # raises the error for an unknown position
    return proven_line(position, rank, rest_of_line)
