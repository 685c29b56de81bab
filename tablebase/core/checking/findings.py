"""What a check finds, as records and in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.ground.verdicts import Checked
from tablebase.core.ground.words import moves_in_words, plies_in_words
from tablebase.core.outcomes.metrics import DTM, DTZ, FIFTY_MOVES, Metric, Outcome
from tablebase.core.positions.setup import Setup
from tablebase.core.rules.material import Material
from tablebase.core.tables.table import Table


@dataclass(frozen=True)
class Difference:
    """A position whose stored outcome is not the one that its moves give."""

    fen: str
    index: int  # its slot in the table
    # n for a win in n plies, ~n for a loss in n, 0 for a draw; None: code without a meaning
    stored: int | None
    expected: int
    metric: Metric = DTM

    def __str__(self) -> str:
        stored, expected = (in_words(one, self.metric) for one in (self.stored, self.expected))
        return f"{self.fen}: stored {stored}, should be {expected}"


@dataclass(frozen=True)
class Contradiction:
    """A position whose outcomes to mate and to zeroing cannot both be right."""

    fen: str
    index: int  # its slot in the table
    dtm: int
    dtz: int

    def __str__(self) -> str:
        mate, zeroing = in_words(self.dtm, DTM), in_words(self.dtz, DTZ)
        return f"{self.fen}: {mate}, but {zeroing} by {DTZ.title}"


@dataclass(frozen=True)
class Report(Checked):
    """The result of a check."""

    material: Material
    metrics: tuple[Metric, ...]
    checked: int  # legal positions compared, both sides to move together; of each distance
    different: int  # wrong values
    differences: tuple[Difference, ...] = ()  # the first of each distance
    contradicting: int = 0  # positions whose distances do not go together
    contradictions: tuple[Contradiction, ...] = ()
    problems: tuple[str, ...] = ()  # of a file, each in a sentence
    is_complete: bool = True  # every slot was checked, not a sample only

    @property
    def counts(self) -> tuple[int, int]:
        """Values checked, and whatever is wrong."""
        wrong = self.different + self.contradicting + len(self.problems)
        return self.checked * len(self.metrics), wrong


def in_words(outcome: int | None, metric: Metric) -> str:
    """Return an outcome in words.

    >>> in_words(31, DTM), in_words(~101, DTZ), in_words(0, DTZ)
    ('won in 16 moves (31 plies)', 'lost in 101 plies but for the 50-move rule', 'a draw')
    """
    if outcome is None:
        return "a code without a meaning"
    if outcome == 0:
        return "a draw"
    plies = Outcome(outcome).plies
    result = "won" if outcome > 0 else "lost"
    if metric == DTM:
        return f"{result} in {moves_in_words(plies)}"
    rule = " but for the 50-move rule" if plies > FIFTY_MOVES else ""
    return f"{result} in {plies_in_words(plies)}{rule}"


def fen_of(table: Table, slot: int, color: Color) -> str:
    """Return the position of a slot, redundant or not, with a side to move."""
    squares, _ = table.index.decode_many(np.array([slot]))
    checks = table.index.checks_of(slot)
    return Setup(table.material, tuple(squares[0].tolist()), color, checks=checks).fen
