"""Moves of a position in order of preference: the best one, all of them, the line to mate."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from tablebase.core.errors import CorruptTableError, MissingTableError
from tablebase.core.outcomes import (
    DTM,
    DTZ,
    FIFTY_MOVES,
    MATED_OUTCOME,
    Metric,
    Outcome,
    Wdl,
    Wdl50,
    preference,
    signed,
    wdl50,
)
from tablebase.core.positions import check_supported

if TYPE_CHECKING:
    from collections.abc import Callable

    import chess

    # From a legal position to its outcome, en passant considered.
    OutcomeOf = Callable[[chess.Board], int]
    DifficultyOf = Callable[[chess.Board], float]

# A game under the 50-move rule has fewer plies: no five men have so many captures and pawn moves.
_MAX_LINE = 4096
# By result, the negative ones from behind: faster than `Wdl50(-result)`.
_OPPOSITE = tuple(Wdl50(-result) for result in (0, 1, 2, -2, -1))


@dataclass(frozen=True, slots=True)
class RankedMove:
    """A legal move with its result and distances, from the point of view of its side.

    Attributes
    ----------
    move : chess.Move
        The move.
    wdl : Wdl
        The result with best play, without the 50-move rule.
    dtm : int
        Distance to mate in plies, this move included: positive for a win, negative for a loss,
        0 for a draw only. The best move has the distance of the position itself.
    mate : bool
        Whether the move gives checkmate.
    zeroing : bool
        Whether it is a capture or a pawn move, which sets the count of the 50-move rule to 0.
    dtz : int or None
        Distance to zeroing in plies, this move included, as of `Tablebase.probe_dtz`; None if it
        was not requested or the table has none.
    wdl50 : Wdl50 or None
        The result under the 50-move rule, with the halfmove clock; None if it was not requested or
        needs a distance to zeroing that the table lacks.
    difficulty : float or None
        How hard the position after the move is for the opponent, from 0 to 1; see `difficulty`.
        None if it was not requested, or the tables lack distances to zeroing.
    dtz_without_rule50, given_up : None and 0
        Distance and cost of a `ProvenMove`, which tables do not have.
    """

    move: chess.Move
    wdl: Wdl
    dtm: int
    mate: bool
    zeroing: bool
    dtz: int | None = None
    wdl50: Wdl50 | None = None
    difficulty: float | None = None
    dtz_without_rule50: ClassVar[None] = None
    given_up: ClassVar[int] = 0

    @property
    def result(self) -> Wdl50:
        """The result under the 50-move rule, or as if there were none if that is all."""
        return Wdl50(2 * self.wdl) if self.wdl50 is None else self.wdl50


def _copy_of(board: chess.Board) -> chess.Board:
    """Return a copy to make moves on, since others may use the board at the same time.

    Raises
    ------
    UnsupportedPositionError
        If a king is marked as promoted: python-chess overlooks checks to it, so moves are wrong.
    """
    if board.kings & board.promoted:
        check_supported(board)
    return board.copy(stack=False)


def rank_moves(
    board: chess.Board,
    dtm_of: OutcomeOf,
    dtz_of: OutcomeOf | None = None,
    difficulty_of: DifficultyOf | None = None,
) -> list[RankedMove]:
    """Return every legal move with its value, best first.

    Parameters
    ----------
    board
        A legal position; it is never changed.
    dtm_of
        Probes a position for its distance to mate.
    dtz_of
        Probes a position for its distance to zeroing. If it is given, the 50-move rule counts.
    difficulty_of
        Gives the difficulty of a position. If it is given, every move gets it.

    Returns
    -------
    list[RankedMove]
        Under the 50-move rule wins that it lets pass come first, then cursed wins, draws, blessed
        losses, losses. Of each, fastest mates come first, longest defences; of equal moves zeroing
        ones, then the order of their UCI notation.

    Raises
    ------
    MissingTableError
        If the result of the best move depends on a distance to zeroing, and the table has none.
        Where mate comes in time, it does not.
    UnsupportedPositionError
        If a king is marked as promoted.
    """
    board = _copy_of(board)
    ranked = [_rank(board, move, dtm_of, dtz_of) for move in list(board.legal_moves)]
    ranked.sort(key=_order)
    if dtz_of is not None and ranked and ranked[0].wdl50 is None:
        board.push(ranked[0].move)
        dtz_of(board)
        board.pop()
    return ranked if difficulty_of is None else _with_difficulty(board, ranked, difficulty_of)


def _with_difficulty(
    board: chess.Board, ranked: list[RankedMove], difficulty_of: DifficultyOf
) -> list[RankedMove]:
    """Return moves with the difficulty of the positions after them, None where it is not known."""
    found = []
    for one in ranked:
        board.push(one.move)
        with suppress(MissingTableError):
            one = replace(one, difficulty=difficulty_of(board))  # noqa: PLW2901
        board.pop()
        found.append(one)
    return found


def rank_move(
    board: chess.Board, move: chess.Move, dtm_of: OutcomeOf, dtz_of: OutcomeOf | None = None
) -> RankedMove:
    """Return a legal move with its value; all else is as in `rank_moves`."""
    return _rank(_copy_of(board), move, dtm_of, dtz_of)


def _rank(
    board: chess.Board, move: chess.Move, dtm_of: OutcomeOf, dtz_of: OutcomeOf | None
) -> RankedMove:
    """Return a legal move with its value; it is made and taken back on the board."""
    zeroing = board.is_zeroing(move)
    board.push(move)
    after = Outcome(dtm_of(board))
    result, to_zeroing = None, None
    if dtz_of is not None:
        result, to_zeroing = _under_the_rule(board, after, dtz_of)
    board.pop()
    outcome = after.before(DTM, zeroing=zeroing)
    if dtz_of is not None and board.halfmove_clock >= FIFTY_MOVES:
        # A draw can be claimed before the move, whatever it is.
        result = Wdl50(outcome.result)
    dtz = None
    if to_zeroing is not None:
        dtz = signed(to_zeroing.before(DTZ, zeroing=zeroing), DTZ)
    mate = after == MATED_OUTCOME
    return RankedMove(move, outcome.result, signed(outcome, DTM), mate, zeroing, dtz, result)


def _order(one: RankedMove) -> tuple[float, int, bool, str]:
    # What is not known is between the results that it may be.
    result = -1.5 * one.wdl if one.wdl50 is None else -one.wdl50
    outcome = one.dtm if one.dtm >= 0 else ~-one.dtm
    return result, -preference(outcome), not one.zeroing, one.move.uci()


def _under_the_rule(
    board: chess.Board, outcome: Outcome, dtz_of: OutcomeOf
) -> tuple[Wdl50 | None, Outcome | None]:
    """Return the result for the side that has just moved, and the outcome to zeroing, if known."""
    clock = board.halfmove_clock
    try:
        to_zeroing = Outcome(dtz_of(board))
    except MissingTableError:
        if outcome and outcome.plies + clock > FIFTY_MOVES:
            return None, None
        # What is mate in time is in time for the rule, too.
        return _OPPOSITE[wdl50(outcome, clock)], None
    return _OPPOSITE[wdl50(to_zeroing, clock)], to_zeroing


def mainline(
    board: chess.Board, dtm_of: OutcomeOf, dtz_of: OutcomeOf | None = None
) -> list[chess.Move]:
    """Return the best moves of both sides from a won or lost position on.

    Parameters
    ----------
    board
        A legal position; it is never changed.
    dtm_of, dtz_of
        As for `rank_moves`.

    Returns
    -------
    list[chess.Move]
        Up to checkmate, as many moves as the distance to mate. Under the 50-move rule, as many as
        it takes, or up to the claim of a draw. None if the position is drawn or checkmate.

    Raises
    ------
    CorruptTableError
        If the best moves do not lead to what the tables say.
    UnsupportedPositionError
        As for `rank_moves`.
    """
    line: list[chess.Move] = []
    start, board = board, _copy_of(board)
    outcome = Outcome(dtm_of(board))
    plies = outcome.plies
    if dtz_of is None:
        while len(line) < plies and (ranked := rank_moves(board, dtm_of)):
            line.append(ranked[0].move)
            board.push(ranked[0].move)
        if outcome and (not board.is_checkmate() or len(line) != plies):
            raise _contradiction(start, f"mate in {plies} plies")
        return line
    if not plies:
        return line
    in_time = None
    while board.halfmove_clock < FIFTY_MOVES and (ranked := rank_moves(board, dtm_of, dtz_of)):
        best = ranked[0]
        in_time = best.wdl50 if in_time is None else in_time
        if not best.dtm or len(line) == _MAX_LINE:
            break
        line.append(best.move)
        board.push(best.move)
    if in_time in {Wdl50.WIN, Wdl50.LOSS} and not board.is_checkmate():
        raise _contradiction(start, "mate in time for the 50-move rule")
    return line


def _contradiction(board: chess.Board, what: str) -> CorruptTableError:
    return CorruptTableError(
        f"tables contradict themselves, no {what} from {board.fen()}: "
        "check them with `tablebase verify`"
    )


def en_passant_outcome(
    board: chess.Board, stored: int, outcome_of: OutcomeOf, metric: Metric
) -> int:
    """Return the outcome of a position in which an en passant capture is legal.

    Tables know nothing of that right: its captures are valued here, by one ply.

    Parameters
    ----------
    board
        A legal position; it is never changed.
    stored
        The outcome of the position without the right.
    outcome_of
        Probes a position.
    metric
        Which distance it is.
    """
    outcomes: list[int] = []
    for move in board.generate_legal_ep():
        after = board.copy(stack=False)
        after.push(move)
        outcomes.append(Outcome(outcome_of(after)).before(metric, zeroing=True))
    # Without another move, the stored outcome is that of a mate or stalemate that is none.
    if any(not board.is_en_passant(move) for move in board.legal_moves):
        outcomes.append(stored)
    return max(outcomes, key=preference)
