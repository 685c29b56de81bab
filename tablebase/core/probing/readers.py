"""Which reader has the positions of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.core.positions import ChessPosition
from tablebase.core.probing.board_reader import BoardReader
from tablebase.core.probing.setup_reader import SetupReader
from tablebase.core.rules import Rules

if TYPE_CHECKING:
    from tablebase.core.outcomes import Metric
    from tablebase.core.probing.reader import CodeReader


def reader_of(rules: Rules, cache_size: int, metric: Metric) -> CodeReader:
    """Return a reader of a game's tables: in chess of boards, in any other of setups."""
    if rules == ChessPosition.rules:
        return BoardReader(cache_size, metric)
    return SetupReader(cache_size, metric, rules)
