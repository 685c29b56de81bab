"""What tables say of a position, under the 50-move rule as far as they know of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablebase.board import DTM, DTZ, MAX_PLIES, Wdl, Wdl50, fifty_move_warning, signed, wdl50
from tablebase.errors import MissingTableError

if TYPE_CHECKING:
    import chess

    from tablebase.probing import RankedMove, Tablebase


@dataclass(frozen=True)
class Answer:
    """The value of a position and of all its moves.

    Attributes
    ----------
    dtm : int
        Distance to mate in plies, as `Tablebase.probe_dtm` gives it.
    wdl : Wdl
        The result without the 50-move rule.
    dtz : int or None
        Distance to zeroing in plies, as `Tablebase.probe_dtz` gives it; None if no table has it.
    wdl50 : Wdl50 or None
        The result under the rule, the halfmove clock considered; None if that is not known.
    moves : list[RankedMove]
        All moves, best first.
    warning : str
        How the rule may interfere, as a sentence; empty if it cannot, or it is known what it does.
    """

    dtm: int
    wdl: Wdl
    dtz: int | None
    wdl50: Wdl50 | None
    moves: list[RankedMove]
    warning: str


def look_up(tables: Tablebase, board: chess.Board) -> Answer:
    """Return what there is to know about a position.

    Raises
    ------
    MissingTableError, UnsupportedPositionError, CorruptTableError
        As for `Tablebase.rank_moves`; distances to zeroing may be missing.
    """
    outcome = tables.probe_outcome(board)
    dtm, wdl = signed(outcome, DTM), Wdl((outcome > 0) - (outcome < 0))
    warning = fifty_move_warning(board, dtm)
    dtz, result = None, None
    try:
        to_zeroing = tables.probe_outcome(board, DTZ)
    except MissingTableError:
        if not warning:  # mate in time is in time for the rule, too
            result = wdl50(outcome, board.halfmove_clock)
        elif abs(dtm) <= MAX_PLIES:  # a longer line would take a minute to follow
            with suppress(MissingTableError):  # of a table that best play needs further on
                warning = fifty_move_warning(board, dtm, tables.mainline(board, rule50=False))
    else:
        dtz, result = signed(to_zeroing, DTZ), wdl50(to_zeroing, board.halfmove_clock)
        warning = ""
    if warning:
        warning = f"{warning[0].upper()}{warning[1:]}."
    return Answer(dtm, wdl, dtz, result, rank_moves(tables, board), warning)


def rank_moves(tables: Tablebase, board: chess.Board) -> list[RankedMove]:
    """Return all moves, best first, by the 50-move rule if the tables know of it."""
    with suppress(MissingTableError):
        return tables.rank_moves(board)
    return tables.rank_moves(board, rule50=False)


def best_line(tables: Tablebase, board: chess.Board) -> list[chess.Move]:
    """Return the best moves of both sides, by the 50-move rule if the tables know of it."""
    with suppress(MissingTableError):
        return tables.mainline(board)
    return tables.mainline(board, rule50=False)
