"""Which reader has the positions of a game, and its answers with a default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.reading.board_reader import BoardReader
from tablebase.core.reading.setup_reader import SetupReader
from tablebase.core.rules.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from tablebase.core.castling.solved_sets import SolvedSets
    from tablebase.core.outcomes.metrics import Metric
    from tablebase.core.reading.reader import OutcomeReader


def reader_of(rules: Rules, cache_size: int, castling_size: int, metric: Metric) -> OutcomeReader:
    """Return a reader of a game's tables: in chess of boards, in any other of setups."""
    if rules == ChessPosition.rules:
        return BoardReader(cache_size, metric, castling_size)
    return SetupReader(cache_size, metric, rules)


def castling_sets_of(*readers: OutcomeReader) -> dict[str, SolvedSets]:
    """Return the values of positions with castling rights of some readers, by metric."""
    return {one.metric.name: one.castling for one in readers if isinstance(one, BoardReader)}


def answer_or_default(probe: Callable[[Any], int], board: Any, default: int | None) -> int | None:
    """Return the answer of a probe, or a default if there is none."""
    try:
        return probe(board)
    except (MissingTableError, UnsupportedPositionError):
        return default
