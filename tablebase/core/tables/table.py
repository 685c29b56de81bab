"""The solved values of one material."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.ground.parallel import run_blocks
from tablebase.core.index.legality import BLACK_MAY_MOVE, NO_POSITION, mark_slots
from tablebase.core.index.numbering import (
    MAX_MEN_OF_INDEX,
    TableIndex,
    encode_position,
    table_index,
)
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import entry
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTM, Metric
from tablebase.core.rules.material import Material

_ROWS_PER_TASK = 256

# What codes mean with White and with Black to move, int16 [256] each, or longer ones for codes of
# two bytes; see `outcomes.metrics`.
Outcomes = tuple[NDArray[np.int16], NDArray[np.int16]]


@dataclass(frozen=True, eq=False)
class TablePart:
    """Some of the codes of a table."""

    # with White and with Black to move, [size]; None for a side that is left out
    codes: tuple[NDArray[np.uint8] | None, NDArray[np.uint8] | None]
    outcomes: Outcomes
    # by row (see `tablebase.core.index.numbering`), its place among the rows whose codes are there,
    # or -1; None if all are at their own place
    places: NDArray[np.int32] | None = None
    # the upper bytes of codes, None if codes are whole; not with `places`
    epochs: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """The outcomes of all positions of a material by one metric.

    Attributes
    ----------
    material : Material
        The men, normalized.
    white, black : NDArray[np.uint8]
        Stored codes with White and with Black to move, by index, shape [size], read-only. Codes of
        illegal positions and broken slots mean nothing. They are uint16 if a distance does not fit
        in a byte, see `tablebase.core.outcomes.codes`.
    metric : Metric
        The metric: distance to mate or to zeroing, or of a helpmate.
    outcomes : Outcomes
        Meanings of the codes; by default those of the metric.
    epochs : tuple or None
        The upper bytes of the codes if `white` and `black` are the lower ones, else None.
    sha256 : str
        The digest of the values as the file states it from which they were read; else empty.
    """

    material: Material
    white: NDArray[np.uint8]
    black: NDArray[np.uint8]
    metric: Metric = DTM
    outcomes: Outcomes = ()  # type: ignore[assignment]
    epochs: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None = None
    sha256: str = ""

    def __post_init__(self) -> None:
        metric = self.metric.offset_by(self.material.rules.ply_offset)
        object.__setattr__(self, "metric", metric)
        if not self.outcomes:
            long = self.white.itemsize > 1 or self.epochs is not None
            outcomes = fixed_outcomes(self.metric, long=long)
            object.__setattr__(self, "outcomes", outcomes)
        for codes in (self.white, self.black):
            if codes.shape != (self.index.size,):
                raise ValueError(f"{self.material} has {self.index.size} slots, got {codes.shape}")
            codes.setflags(write=False)

    @property
    def index(self) -> TableIndex:
        """The numbering of the positions."""
        return table_index(self.material)

    @property
    def codes(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The codes with White and with Black to move."""
        return self.white, self.black

    def whole_codes(
        self, color: Color, slots: slice | NDArray[np.int64]
    ) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """Return the codes of some slots, of two bytes if any of them has an upper one."""
        codes = self.codes[color][slots]
        high = None if self.epochs is None else self.epochs[color][slots]
        return codes if high is None or not high.max(initial=0) else join_bytes(codes, high)

    def code(self, color: Color, outcome: int) -> int:
        """Return the code of an outcome with a side to move.

        Raises
        ------
        ValueError
            If no position of the table has it.
        """
        if outcome == 0:
            return DRAW
        found = np.flatnonzero(self.outcomes[color] == outcome)
        if not len(found):
            raise ValueError(f"{self.material} has no code for the outcome {outcome}")
        return int(found[0])


def fixed_outcomes(metric: Metric, *, long: bool = False) -> Outcomes:
    """Return the outcomes of codes, of two bytes if `long`, in all tables of a metric.

    Raises `ValueError` if each table of the metric has its own.
    """
    outcomes = metric.long_outcomes if long else metric.outcomes
    if outcomes is None:
        raise ValueError(f"what the codes of a {metric.title} mean depends on the table")
    return outcomes, outcomes


def join_bytes(low: NDArray[np.uint8], high: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return codes of two bytes from their lower and upper bytes."""
    wide = high.astype(np.uint16)
    wide <<= 8
    wide |= low
    return wide


def swap_colors(
    material: Material, codes: NDArray[np.uint8], *, threads: int | None = None
) -> NDArray[np.uint8]:
    """Return the codes, uint8 [size], of a symmetric material with Black to move, from White's.

    A position with Black to move is one with White to move, turned upside down with colours
    exchanged. Raises `ValueError` if the material is not symmetric.
    """
    if not material.is_symmetric:
        raise ValueError(f"the sides of {material} differ: each needs codes of its own")
    index = table_index(material)
    half = len(material.men) // 2 - 1
    order = np.array([1, 0, *range(2 + half, 2 + 2 * half), *range(2, 2 + half)], dtype=np.int64)
    marks = mark_slots(index, threads=threads)
    swapped = np.empty_like(codes)
    codes = codes.view()
    codes.setflags(write=False)

    flip = material.rules.board.flip
    rows = index.layer_size // index.king_pairs
    for layer in range(material.layer_count):
        first = index.layer_start(material.checks_of(layer)[::-1])
        others = codes[first : first + index.layer_size]

        def swap(block: range, others: NDArray[np.uint8] = others) -> None:
            boards, _ = index.decode_many(np.array(block) * index.king_pairs)
            start = block.start
            _swap_rows(index.record, order, flip, boards, start, marks, others, swapped)

        run_blocks(swap, range(layer * rows, (layer + 1) * rows), _ROWS_PER_TASK, threads)
    return swapped


@entry
def _swap_rows(tables, order, flip, boards, first, marks, codes, swapped):
    """Write to the rows from `first` on of `swapped` the codes with the colours exchanged.

    `boards` uint8 [rows, men] has a position of each row, `order` int64 [men] the man whose place
    each man takes, `flip` is of `BoardShape`, `marks` of `mark_slots`. Illegal slots are draws,
    and `codes` are those of the layer with the checks left exchanged.
    """
    pairs = len(tables.king_squares)
    images = work_space(MAX_MEN_OF_INDEX, np.uint8)[: len(order)]
    for row in range(len(boards)):
        squares = boards[row]
        start = (first + row) * pairs
        for slot in range(start, start + pairs):
            if marks[slot] == NO_POSITION or not marks[slot] & BLACK_MAY_MOVE:
                swapped[slot] = DRAW
                continue
            squares[0] = tables.king_squares[slot - start, 0]
            squares[1] = tables.king_squares[slot - start, 1]
            for man in range(len(squares)):
                images[order[man]] = flip[squares[man]]
            swapped[slot] = codes[encode_position(tables, images)]


def require_subtables(material: Material, given: Container[Material]) -> None:
    """Raise `MissingTableError` unless all sub-tables of a material are given."""
    missing = tuple(needed.name for needed in material.dependencies() if needed not in given)
    if missing:
        error = MissingTableError(
            f"{material} needs the sub-tables {' '.join(missing)}: build them first"
        )
        error.materials = missing
        raise error


def stored_sides(material: Material) -> tuple[Color, ...]:
    """Return the sides to move whose values are stored: one if both sides have the same men."""
    return (Color.WHITE,) if material.is_symmetric else (Color.WHITE, Color.BLACK)
