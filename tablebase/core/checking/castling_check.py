"""Values of positions with castling rights, checked against those after each move.

The moves are python-chess's, since those of `tablebase.core.castling` found the values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tablebase.core.ground.verdicts import Checked
from tablebase.core.ground.words import counted

ALL_OF_MEN = 4
SAMPLE = 1000
_MOST_SETS = 20  # of which positions of a sample are: each may need many others
_MOST_SHOWN = 10

if TYPE_CHECKING:
    import chess

    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.core.castling.placements import CastlingSet
    from tablebase.core.outcomes.metrics import Metric
    from tablebase.core.rules.material import Material


@dataclass(frozen=True)
class CastlingReport(Checked):
    """What a check found, its counts by metric added together."""

    material: str
    metrics: tuple[str, ...]
    complete: bool
    checked: int  # positions
    different: int  # values
    differences: tuple[str, ...]  # the first of them

    @property
    def counts(self) -> tuple[int, int]:
        """Positions checked, and wrong values."""
        return self.checked, self.different

    def __str__(self) -> str:
        kind = "" if self.complete else "a sample of "
        positions = f"{kind}{counted(self.checked, 'position')} with castling rights"
        metrics = " and ".join(self.metrics)
        differences = counted(self.different, "difference")
        first = f"{self.material}: {self.verdict}, {metrics} of {positions}, {differences}"
        return "\n  ".join((first, *self.differences))


def has_castling(material: Material) -> bool:
    """Return whether positions of a material with castling rights have values."""
    from tablebase.core.board.geometry import PieceType
    from tablebase.core.castling.solved_sets import MOST_CASTLING_MEN

    rooks = (material.white + material.black).count(PieceType.ROOK)
    return rooks > 0 and material.piece_count <= MOST_CASTLING_MEN


def check_castling_values(
    tables: Tablebase, material: Material, metrics: tuple[Metric, ...], sample: int | None = None
) -> CastlingReport:
    """Check all positions of a material that have castling rights, or about `sample` of them.

    By default these are all positions of up to four men, 1,000 of more. Raises `MissingTableError`.
    """
    if sample is None and material.piece_count > ALL_OF_MEN:
        sample = SAMPLE
    checked = different = 0
    shown: list[str] = []
    for board in _boards(material, sample):
        checked += 1
        for metric in metrics:
            stored = tables.probe_outcome(board, metric)
            expected = _by_moves(tables, board, metric)
            if stored != expected:
                different += 1
                shown.append(f"{board.fen()}: {metric} {stored} instead of {expected}")
                del shown[_MOST_SHOWN:]
    names = tuple(metric.name for metric in metrics)
    return CastlingReport(material.name, names, sample is None, checked, different, tuple(shown))


def _boards(material: Material, sample: int | None) -> Iterator[chess.Board]:
    """Yield the legal positions with castling rights, or some of them chosen at random."""
    import numpy as np

    from tablebase.core.castling.placements import castling_sets

    sets = list(castling_sets(material))
    rng = np.random.default_rng(62)
    if sample is not None:
        chosen = rng.permutation(len(sets))[:_MOST_SETS]
        sets = [sets[number] for number in chosen.tolist()]
    for placed in sets:
        slots = np.arange(placed.size)
        if sample is not None:
            slots = rng.integers(0, placed.size, 4 * -(-sample // len(sets)))
        found = 0
        for slot in slots.tolist():
            squares = placed.squares(slot)
            if len(set(squares)) < len(squares) or not _is_first(placed, squares):
                continue
            for turn in (True, False):
                board = placed.board(squares, turn)
                if not board.was_into_check():
                    found += 1
                    yield board
            if sample is not None and found * len(sets) >= sample:
                break


def _is_first(placed: CastlingSet, squares: list[int]) -> bool:
    """Return whether identical men without a home stand in the order of their squares."""
    men = placed.material.men
    return all(
        men[one] != men[other] or squares[one] < squares[other]
        for one, other in pairwise(placed.free)
    )


def _by_moves(tables: Tablebase, board: chess.Board, metric: Metric) -> int:
    """Return the outcome that follows from those after each move."""
    from tablebase.core.outcomes.metrics import MATED_OUTCOME, Outcome, preference

    found = []
    for move in list(board.legal_moves):
        zeroing = board.is_zeroing(move)
        board.push(move)
        after = Outcome(tables.probe_outcome(board, metric))
        found.append(int(after.before(metric, zeroing=zeroing)))
        board.pop()
    if not found:
        return MATED_OUTCOME if board.is_check() else 0
    return max(found, key=preference)
