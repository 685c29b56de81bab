"""Moves of a position in order of preference: the best move, all moves, the line to mate."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Generic

from tablebase.core.ground.errors import (
    CorruptTableError,
    MissingTableError,
    UnsupportedPositionError,
)
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import (
    DTM,
    DTZ,
    FIFTY_MOVES,
    Outcome,
    Wdl50,
    preference,
    signed,
    wdl50_known,
)
from tablebase.core.positions.position import Board, M, Position

# From a legal position to its outcome, en passant considered.
OutcomeOf = Callable[[Board], int]
DifficultyOf = Callable[[Board], float]

# A game under the 50-move rule has fewer plies: no five men have so many captures and pawn moves.
_MAX_LINE = 4096
# By result, the negative ones from behind: faster than `Wdl50(-result)`.
_OPPOSITE = tuple(Wdl50(-result) for result in (0, 1, 2, -2, -1))


@dataclass(frozen=True, slots=True)
class KnownMove(Generic[M]):
    """A legal move and what is known of it, with or without tables, as in `RankedMove`."""

    move: M
    wdl: Wdl | None  # None if it is open
    dtm: int | None
    mate: bool
    zeroing: bool
    dtz: int | None = None
    wdl50: Wdl50 | None = None
    difficulty: float | None = None
    # Plies to the next capture, pawn move or mate on a line that is proven without tables, this
    # move included, positive for a win; where nothing is proven there may be a faster way. 0 for a
    # draw only, None if it is not known, or tables have the position.
    dtz_without_rule50: int | None = None

    @property
    def result(self) -> Wdl50 | None:
        """The result under the 50-move rule, or as if there were none if that is all."""
        return self.wdl50 if self.wdl is None or self.wdl50 is not None else Wdl50(2 * self.wdl)


@dataclass(frozen=True, slots=True)
class RankedMove(KnownMove[M]):
    """A legal move with its result and distances, from the point of view of its side.

    Attributes
    ----------
    move : chess.Move or SetupMove
        The move: one of python-chess, or of another game.
    wdl : Wdl
        The result with best play, without the 50-move rule.
    dtm : int or None
        Distance to mate in plies, this move included: positive for a win, negative for a loss,
        0 for a draw only. The best move has the distance of the position itself. None in games
        whose distances to the end do not tell who wins.
    mate : bool
        Whether the move gives checkmate, or wins by another rule of its game.
    zeroing : bool
        Whether it is a capture or a pawn move, which sets the count of the 50-move rule to 0.
    dtz : int or None
        Distance to zeroing in plies, this move included, as in `Tablebase.probe_dtz`; None if it
        was not requested or the table has none.
    wdl50 : Wdl50 or None
        The result under the 50-move rule, with the halfmove clock; None if it was not requested or
        needs a distance to zeroing that the table lacks.
    difficulty : float or None
        How hard the position after the move is for the opponent, from 0 to 1; see `difficulty`.
        None if it was not requested, the tables lack distances to zeroing, or there are castling
        rights.
    dtz_without_rule50 : None
        Only moves that `tablebase solve` has proven have one.
    """

    wdl: Wdl

    @property
    def result(self) -> Wdl50:
        """The result under the 50-move rule, or as if there were none if that is all."""
        return Wdl50(2 * self.wdl) if self.wdl50 is None else self.wdl50


def rank_move(
    position: Position[M], move: M, dtm_of: OutcomeOf, dtz_of: OutcomeOf | None = None
) -> RankedMove[M]:
    """Return a legal move with its value; all else is as in `rank_moves`."""
    after = position.after(move)
    return _rank(move, after, position.clock, dtm_of, dtz_of)


def _rank(
    move: M, position: Position[M], clock: int, dtm_of: OutcomeOf, dtz_of: OutcomeOf | None
) -> RankedMove[M]:
    """Return a legal move with its value, by the position after it and the clock before it."""
    board, zeroing, offset = position.board, not position.clock, position.rules.ply_offset
    after, has_dtm = Outcome(dtm_of(board)), position.rules.distance_tells
    metric = (DTM if has_dtm else DTZ).offset_by(offset)
    outcome = after.before(metric, zeroing=zeroing)
    plies = signed(outcome, metric)
    result, dtz = None, None if has_dtm else plies
    if dtz_of is not None:
        try:  # `suppress` would take a twentieth of the time
            there = Outcome(dtz_of(board))
            to_zeroing: Outcome | None = there
            metric = DTZ.offset_by(offset)
            dtz = signed(there.before(metric, zeroing=zeroing), metric)
        except MissingTableError:
            to_zeroing = None
        found = wdl50_known(after, to_zeroing, position.clock, offset)
        result = None if found is None else _OPPOSITE[found]
        if clock >= FIFTY_MOVES:  # a draw can be claimed before the move, whatever it is
            result = Wdl50(outcome.result)
    mate = after == ~offset  # the outcome of who has lost and is to move
    return RankedMove(move, outcome.result, plies if has_dtm else None, mate, zeroing, dtz, result)


def mainline(position: Position[M], dtm_of: OutcomeOf, dtz_of: OutcomeOf | None = None) -> list[M]:
    """Return the best moves of both sides from a won or lost position, none if it is drawn.

    They lead to checkmate, under the 50-move rule perhaps to the claim of a draw.
    `CorruptTableError` if moves contradict the tables; else errors of `rank_moves`.
    """
    line: list[M] = []
    start, has_dtm = position, position.rules.distance_tells
    outcome = Outcome(dtm_of(position.board))
    metric = (DTM if has_dtm else DTZ).offset_by(position.rules.ply_offset)
    plies = abs(signed(outcome, metric))
    if dtz_of is None and has_dtm:
        while len(line) < plies and (ranked := rank_moves(position, dtm_of)):
            line.append(ranked[0].move)
            position = position.after(ranked[0].move)
        if outcome and (not position.final_outcome() or len(line) != plies):
            raise _contradiction(start, f"mate in {plies} plies")
        return line
    if not plies:
        return line
    in_time = None
    while dtz_of is None or position.clock < FIFTY_MOVES:
        ranked = rank_moves(position, dtm_of, dtz_of)
        if not (ranked and ranked[0].wdl) or len(line) == _MAX_LINE:
            break
        best = ranked[0]
        in_time = best.wdl50 if in_time is None else in_time
        line.append(best.move)
        position = position.after(best.move)
    if in_time in {Wdl50.WIN, Wdl50.LOSS} and not position.final_outcome():
        raise _contradiction(start, "mate in time for the 50-move rule")
    return line


def rank_moves(
    position: Position[M],
    dtm_of: OutcomeOf,
    dtz_of: OutcomeOf | None = None,
    difficulty_of: DifficultyOf | None = None,
) -> list[RankedMove[M]]:
    """Return every legal move with its value, best first.

    With `dtz_of` the 50-move rule counts: wins, cursed wins, draws, blessed losses, losses. In
    each, the fastest mates and longest defences come first; equal moves keep the order of
    `Position.moves`.

    Raises `MissingTableError` if the best move's result depends on a distance to zeroing that the
    table lacks, `UnsupportedPositionError` if a king is marked as promoted.
    """
    clock = position.clock
    ranked = [_rank(step.move, step.after, clock, dtm_of, dtz_of) for step in position.moves()]
    ranked.sort(key=_order)
    if dtz_of is not None and ranked and ranked[0].wdl50 is None:
        dtz_of(position.after(ranked[0].move).board)
    if difficulty_of is None:
        return ranked
    return [_with_difficulty(position, one, difficulty_of) for one in ranked]


def _order(one: RankedMove[M]) -> tuple[float, int]:
    # What is not known is between the results that it may be.
    result = -1.5 * one.wdl if one.wdl50 is None else -one.wdl50
    plies = (one.dtz or 0) if one.dtm is None else one.dtm
    outcome = plies if plies >= 0 else ~-plies
    return result, -preference(outcome)


def _with_difficulty(
    position: Position[M], one: RankedMove[M], difficulty_of: DifficultyOf
) -> RankedMove[M]:
    """Return a move with the difficulty of the position after it, None where it is not known."""
    with suppress(MissingTableError, UnsupportedPositionError):
        return replace(one, difficulty=difficulty_of(position.after(one.move).board))
    return one


def _contradiction(position: Position[M], what: str) -> CorruptTableError:
    return CorruptTableError(
        f"tables contradict themselves, no {what} from {position.fen}: "
        "check them with `tablebase verify`"
    )
