"""Knowledge of a position in one record: from tables of both metrics or of one, or a region.

Everything that shows positions, for people or programs, is a formatter of this record.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from tablebase.errors import MissingTableError, UnsupportedPositionError
from tablebase.outcomes import DTM, DTZ, FIFTY_MOVES, Wdl, Wdl50, signed, wdl50
from tablebase.probing import sight
from tablebase.probing.ranking import RankedMove, mainline, rank_moves
from tablebase.solving import ProvenMove, dtz_of_position, proven_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import chess

Found = TypeVar("Found")
KnownMove = RankedMove | ProvenMove


class Source(sight.Probe, Protocol):
    """A `tablebase.Tablebase`, or an object with these methods of it.

    Its methods raise `MissingTableError` and `UnsupportedPositionError` as those of `Tablebase` do.
    """

    def probe_wdl(self, board: chess.Board) -> int:
        """Return the result of a position, of a table or proven."""

    def rank_proven(self, board: chess.Board) -> list[ProvenMove]:
        """Return every legal move with what is proven of it, best first."""


@dataclass(frozen=True, slots=True)
class Known:
    """Knowledge of a position and of all its moves, seen from the side to move.

    Attributes
    ----------
    wdl : Wdl
        The result without the 50-move rule.
    wdl50 : Wdl50 or None
        The result under the rule, the halfmove clock considered; None if that is not known.
    dtm, dtz : int or None
        Distances to mate and to zeroing in plies, as `tablebase.Tablebase` gives them; None if no
        table has them.
    dtz_without_rule50 : int or None
        Distance to zeroing without the 50-move rule along the proven line, signed as in
        `ProvenMove`; None if that is not known, or if tables have the position.
    moves : Sequence[KnownMove]
        All moves, best first: by the 50-move rule if the tables know of it.
    no_table : MissingTableError, UnsupportedPositionError or None
        The error of the tables, if the result comes from a region; None if it comes from tables.
    """

    wdl: Wdl
    wdl50: Wdl50 | None
    dtm: int | None
    dtz: int | None
    dtz_without_rule50: int | None
    moves: Sequence[KnownMove]
    no_table: MissingTableError | UnsupportedPositionError | None = None

    @property
    def is_proven(self) -> bool:
        """Whether a region has proven the result, and no table has it."""
        return self.no_table is not None


def look_up(
    source: Source, board: chess.Board, *, rule50: bool = True, difficulty: bool = False
) -> Known:
    """Look a position up in tables, or else in regions.

    Parameters
    ----------
    source
        Where to look it up.
    board
        The position.
    rule50
        Whether the 50-move rule is in force. Tables need not know of it.
    difficulty
        Whether each move gets the difficulty of the position after it, if tables know it.

    Raises
    ------
    MissingTableError, UnsupportedPositionError
        Why tables do not have the position and its moves, if no region has them either.
    CorruptTableError
        If a file is damaged.
    """
    try:
        return _of_tables(source, board, rule50=rule50, difficulty=difficulty)
    except (MissingTableError, UnsupportedPositionError) as error:
        try:
            wdl, moves = source.probe_wdl(board), source.rank_proven(board)
        except (MissingTableError, UnsupportedPositionError):
            raise error from None
        in_time = None if wdl else Wdl50.DRAW
        return Known(Wdl(wdl), in_time, None, None, dtz_of_position(moves), moves, no_table=error)


def _of_tables(source: Source, board: chess.Board, *, rule50: bool, difficulty: bool) -> Known:
    outcome = source.probe_outcome(board)
    result, dtz = None, None
    if rule50:
        result = wdl50(outcome, board.halfmove_clock)
        try:
            to_zeroing = source.probe_outcome(board, DTZ)
        except MissingTableError:
            # A capture or pawn move may reset the clock before a draw can be claimed.
            if abs(result) == Wdl50.CURSED_WIN and board.halfmove_clock < FIFTY_MOVES:
                result = None
        else:
            dtz, result = signed(to_zeroing, DTZ), wdl50(to_zeroing, board.halfmove_clock)
    hard = partial(sight.difficulty, source, rule50=rule50) if difficulty else None
    moves = by_tables(source, partial(rank_moves, board, difficulty_of=hard), rule50=rule50)
    wdl = Wdl((outcome > 0) - (outcome < 0))
    return Known(wdl, result, signed(outcome, DTM), dtz, None, moves)


def rank_by_tables(source: Source, board: chess.Board) -> list[RankedMove]:
    """Return all moves by tables alone, best first; errors are those of `look_up`."""
    source.probe_outcome(board)
    return by_tables(source, partial(rank_moves, board))


def by_tables(source: Source, find: Callable[..., Found], *, rule50: bool = True) -> Found:
    """Call a function of `ranking` with tables, under the 50-move rule if they have DTZ.

    Parameters
    ----------
    source
        Where to look positions up.
    find
        Takes what gives outcomes by distance to mate and, under the rule, those to zeroing.
    rule50
        Whether the rule is in force.
    """
    if rule50:
        with suppress(MissingTableError):
            return find(source.probe_outcome, partial(source.probe_outcome, metric=DTZ))
    return find(source.probe_outcome)


def best_line(source: Source, board: chess.Board) -> list[chess.Move]:
    """Return the mainline of `tablebase.Tablebase`, under the 50-move rule if tables have DTZ."""
    return line_from(source, board, lambda board: by_tables(source, partial(mainline, board)))


def line_from(
    source: Source,
    board: chess.Board,
    line_of_tables: Callable[[chess.Board], list[chess.Move]],
) -> list[chess.Move]:
    """Return the best moves of both sides: of regions, and from there by a line of tables."""

    def rest_of_line(board: chess.Board) -> list[chess.Move] | None:
        try:
            source.probe_outcome(board)
        except (MissingTableError, UnsupportedPositionError):
            return None
        return line_of_tables(board)

    def rank(board: chess.Board) -> list[ProvenMove]:
        try:
            return source.rank_proven(board)
        except (MissingTableError, UnsupportedPositionError):
            return []

    source.probe_wdl(board)  # raises the error for an unknown position
    return proven_line(board, rank, rest_of_line)
