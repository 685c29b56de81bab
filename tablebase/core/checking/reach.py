"""The part of the sub-tables that a check reads: the rows that moves of the table lead to.

A promotion leads to few rows of a table of as many men; they are found by listing the moves of
every row. Rows that are not read stay zero, checkmates, so that a move there shows as a difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.ground.parallel import run_blocks
from tablebase.core.index.numbering import table_index
from tablebase.core.jit.kernels import entry
from tablebase.core.jit.records import KernelRecord
from tablebase.core.moves.move_lists import make_row
from tablebase.core.moves.row_moves import NO_BASE, list_moves
from tablebase.core.moves.successors import (
    OutcomesOf,
    Successors,
    code_starts,
    make_successors,
)
from tablebase.core.rules.material import Material
from tablebase.core.tables.table import Table

# The codes of a sub-table with a side to move, of the given rows only if there are any.
ReadCodes = Callable[[Material, Color, NDArray[np.bool_] | None], NDArray[np.uint8]]

ROWS_PER_TASK = 1024
NOT_MARKED = -1


class _Part(NamedTuple):
    """The codes of a sub-table with a side to move."""

    material: Material
    color: Color
    start: int  # where they begin in `Successors.codes`
    first_mark: int  # where their rows begin among the marks


class Reach:
    """The `successors` of a table, a record of `Successors`, and how their codes are read.

    `read` gives the codes of a sub-table, [size], of which only the rows asked for count;
    `outcomes_of` their meaning. Helpmates need `if_swapped`, which reads those of
    `Metric.swapped`, too. The table's own codes are not read.
    """

    def __init__(
        self,
        table: Table,
        read: ReadCodes,
        outcomes_of: OutcomesOf,
        *,
        if_swapped: ReadCodes | None = None,
        threads: int | None = None,
    ) -> None:
        self._material = table.material
        # Each with the place of what it reads in `Successors.codes`, see `make_successors`.
        self._reads = [(read, 0)]
        if table.metric.swapped != table.metric:
            if if_swapped is None:
                raise ValueError(f"{table.metric} also needs {table.metric.swapped}")
            self._reads.append((if_swapped, code_starts(table.material)[1]))
        self._threads = threads
        self._parts, self._mark_count = _large_parts(table.material)
        self.successors = make_successors(
            table.material,
            table.metric,
            lambda one: table.outcomes if one == table.material else outcomes_of(one),
        )

    def load_small(self) -> None:
        """Read the sub-tables of fewer men."""
        codes = self.successors.fields.codes
        large = {part.material for part in self._parts}
        for needed, starts in code_starts(self._material)[0].items():
            for color, start in zip(Color, starts, strict=True):
                if needed not in large:
                    for read, first in self._reads:
                        found = read(needed, color, None)
                        codes[first + start : first + start + len(found)] = found

    def load_large(self, rows: NDArray[np.int64]) -> None:
        """Read of the sub-tables of as many men what moves from some rows lead to."""
        if not self._parts:
            return
        codes = self.successors.fields.codes
        marks = np.zeros(self._mark_count, dtype=np.bool_)
        _reached_rows(self._material, self.successors, self._parts, rows, marks, self._threads)
        for part in self._parts:
            size = _row_count(part.material)
            reached = marks[part.first_mark : part.first_mark + size]
            for read, first in self._reads if reached.any() else ():
                found = read(part.material, part.color, reached).reshape(size, -1)
                place = slice(first + part.start, first + part.start + found.size)
                codes[place].reshape(size, -1)[reached] = found[reached]

    def own_rows(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether each row of the table is in `rows` or is reached from there."""
        index = table_index(self._material)
        boards, _ = index.decode_many(rows * index.king_pairs)
        marks = np.zeros(_row_count(self._material), dtype=np.bool_)
        marks[rows] = True
        mark_own_rows(self.successors, make_row(self._material.piece_count - 2), boards, marks)
        return marks


def _large_parts(material: Material) -> tuple[list[_Part], int]:
    """Return the tables of as many men, which only promotions lead to, with the rows to be read.

    Tables of fewer men are small.
    """
    parts, marks = [], 0
    for needed, starts in code_starts(material)[0].items():
        has_rows = material.rules.royal and not material.rules.check_counting
        is_large = needed.piece_count == material.piece_count and has_rows
        if is_large and not needed.is_symmetric:
            for color in Color:
                parts.append(_Part(needed, color, starts[color], marks))
                marks += _row_count(needed)
    return parts, marks


def _row_count(material: Material) -> int:
    index = table_index(material)
    return index.size // index.king_pairs


def _reached_rows(
    material: Material,
    successors: KernelRecord,
    parts: list[_Part],
    rows: NDArray[np.int64],
    marks: NDArray[np.bool_],
    threads: int | None,
) -> None:
    """Mark the rows of the large parts that moves of some rows lead to."""
    fields: Successors = successors.fields
    _, length = code_starts(material)
    places = {part.start: part.first_mark for part in parts}
    # With the colours exchanged there may be other codes, which lie as far behind these.
    places |= {length + start: first for start, first in places.items()}
    # Kind 0 stays in the table; its codes seem to begin at 0 as well.
    starts = np.array(
        [[places.get(start, NOT_MARKED) if kind else NOT_MARKED for start in both]
         for kind, both in enumerate(fields.destinations.fields.start.tolist())],
        dtype=np.int64,
    )  # fmt: skip
    index = table_index(material)

    def mark(block: range) -> None:
        chosen = rows[block.start : block.stop]
        boards, _ = index.decode_many(chosen * index.king_pairs)
        mark_reached_rows(successors, make_row(material.piece_count - 2), boards, starts, marks)

    run_blocks(mark, range(len(rows)), ROWS_PER_TASK, threads)


@entry
def mark_reached_rows(successors, row, boards, starts, marks):
    """Mark the rows of sub-tables that moves of men other than kings lead to.

    `boards` uint8 [n, men + 2] are rows of the table. `starts` int64 [kinds, 2] is where the rows
    of a kind's table begin in `marks` bool [rows] by side to move, or NOT_MARKED.
    """
    law = successors.law
    for board in boards:
        for man in range(2, len(board)):
            row.squares[man] = board[man]
        list_moves(successors, row)
        for man in range(len(law.colors)):
            for i in range(row.bounds[man], row.bounds[man + 1]):
                kind = row.kind[i]
                first = starts[kind, 1 - law.colors[man]]
                if first == NOT_MARKED:
                    continue
                for base in row.bases[i]:
                    if base != NO_BASE:
                        marks[first + base // successors.destinations.pairs[kind]] = True


@entry
def mark_own_rows(successors, row, boards, marks):
    """Mark, in bool [rows], the rows of the table itself that moves from some rows lead to."""
    pairs = successors.destinations.pairs[0]
    for board in boards:
        for man in range(2, len(board)):
            row.squares[man] = board[man]
        list_moves(successors, row)
        for base in row.king_bases[0]:
            if base != NO_BASE:
                marks[base // pairs] = True
        for i in range(row.bounds[len(successors.law.colors)]):
            if row.kind[i] == 0:
                for base in row.bases[i]:
                    if base != NO_BASE:
                        marks[base // pairs] = True


def load_successors(
    table: Table,
    read: ReadCodes,
    outcomes_of: OutcomesOf,
    *,
    if_swapped: ReadCodes | None = None,
    threads: int | None = None,
) -> KernelRecord:
    """Return the successors of a table, with the codes of its sub-tables that a check reads.

    See `Reach`; each side to move of a sub-table is read once at most.
    """
    reach = Reach(table, read, outcomes_of, if_swapped=if_swapped, threads=threads)
    reach.load_large(np.arange(_row_count(table.material)))
    reach.load_small()
    return reach.successors
