"""Every legal move of every position of a table, with the value it leads to.

`walk` decides which moves are legal, and what they lead to.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.ground.parallel import as_threads
from tablebase.core.index.legality import is_counted, is_self_image, legality_tables, mark_rows
from tablebase.core.index.numbering import TableIndex
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import entry, inlined_kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.core.moves.games.points import BY_ZEROING, OPEN
from tablebase.core.moves.move_lists import MAX_MOVES, NO_MAN, make_row
from tablebase.core.moves.successors import code_starts, make_successors
from tablebase.core.moves.walk import make_walk, place_kings, place_men
from tablebase.core.outcomes.metrics import NO_MOVE
from tablebase.core.rules.material import Material
from tablebase.core.rules.refusals import require_royal
from tablebase.core.tables.table import Table, require_subtables

_QUEEN = int(PieceType.QUEEN)
# Kinds of moves. An underpromotion is a promotion, too, and each of them is one to some piece.
CAPTURE, PROMOTION, UNDERPROMOTION = 1, 2, 4
PROMOTIONS_TO = {
    piece: 4 << piece for piece in PieceType if PieceType.PAWN < piece < PieceType.KING
}
# What is counted of the moves of a position; of what kinds all best moves are.
_MOVES, _WINNING, _DRAWING, _BEST_KINDS, _TALLIED = range(5)


class _MoveLists(NamedTuple):
    """Where the moves of the positions of a row are written."""

    starts: NDArray[np.int64]  # [positions + 1] first move of each position
    origin: NDArray[np.uint8]  # [moves]
    target: NDArray[np.uint8]  # [moves]
    promotion: NDArray[np.uint8]  # [moves] piece type, 0 for none
    preference: NDArray[np.int64]  # [moves] see `tablebase.core.outcomes.metrics.preference`
    best: NDArray[np.bool_]  # [moves] see `Moves`
    keeping: NDArray[np.bool_]  # [moves] whether it keeps the result


@dataclass(frozen=True, eq=False)
class Moves:
    """The legal moves of some positions with the same side to move."""

    white_to_move: bool
    slots: NDArray[np.int64]  # [n] index of each position
    self_images: NDArray[np.bool_]  # [n] which positions a diagonal keeps
    starts: NDArray[np.int64]  # [n + 1] moves starts[i] to starts[i + 1] are those of position i
    origin: NDArray[np.uint8]  # [moves]
    target: NDArray[np.uint8]  # [moves]
    promotion: NDArray[np.uint8]  # [moves] piece type that a pawn becomes, 0 for none
    # [moves] whether no other move wins faster, loses slower, or keeps a draw
    best: NDArray[np.bool_]
    preference: NDArray[np.int16]  # [moves] see `tablebase.core.outcomes.metrics.preference`

    def __len__(self) -> int:
        return len(self.slots)


@inlined_kernel
def _list_move(lists, count, origin, target, _captured, promotion, _zeroing, preference):
    """List a move; return how many are listed."""
    lists.origin[count], lists.target[count] = origin, target
    lists.promotion[count], lists.preference[count] = promotion, preference
    return count + 1


_list_moves = make_walk(_list_move)
_list_zeroing_moves = make_walk(_list_move, only_zeroing=True)


@inlined_kernel
def _tally_move(tally, best, _origin, _target, captured, promotion, _zeroing, preference):
    """Count a move by its preference; return the largest of all."""
    kinds = np.int64(0 if captured == NO_MAN else CAPTURE)
    if promotion:
        kinds |= PROMOTION | np.int64(4) << np.int64(promotion)  # PROMOTIONS_TO
        if promotion != _QUEEN:
            kinds |= UNDERPROMOTION
    tally[_MOVES] += 1
    tally[_WINNING] += preference > 0
    tally[_DRAWING] += preference == 0
    if preference > best:
        tally[_BEST_KINDS] = kinds
    elif preference == best:
        tally[_BEST_KINDS] &= kinds
    return max(best, preference)


_tally_moves = make_walk(_tally_move)
_tally_zeroing_moves = make_walk(_tally_move, only_zeroing=True)


class _Scratch(threading.local):
    """What each thread writes to; making records costs more than listing a row."""

    def __init__(self, index: TableIndex) -> None:
        self.lists = _new_lists(index.king_pairs)
        self.record = KernelRecord(self.lists)
        self.row = make_row(index.material.piece_count - 2)
        self.marks = np.empty(index.king_pairs, dtype=np.uint8)


class _Lister:
    """Lists the moves of a table row by row.

    A *row* is a run of slots that differ in the kings only.
    """

    def __init__(self, table: Table, subtables: Mapping[Material, Table]) -> None:
        material = table.material
        require_subtables(material, subtables)
        self.table, self.index = table, table.index
        self.successors = _filled_successors(table, subtables)
        self.rows = self.index.slices * self.index.ranks
        self._scratch = _Scratch(self.index)
        self._legality = KernelRecord(legality_tables(self.index))

    def moves(self, number: int, side: int) -> Moves | None:
        """Return the moves of a row, None if it has no legal positions."""
        index, scratch = self.index, self._scratch
        marks = scratch.marks
        mark_rows(self._legality, index.ranks, number, number + 1, marks)
        chosen = np.flatnonzero(is_counted(marks, Color(side)))
        if not len(chosen):
            return None
        slots = number * index.king_pairs + chosen
        lists, total = self.listed(slots, side)
        return Moves(
            white_to_move=side == 0,
            slots=slots,
            self_images=is_self_image(marks[chosen]),
            starts=lists.starts[: len(chosen) + 1].copy(),
            origin=lists.origin[:total].copy(),
            target=lists.target[:total].copy(),
            promotion=lists.promotion[:total].copy(),
            best=lists.best[:total].copy(),
            preference=lists.preference[:total].astype(np.int16),
        )

    def listed(self, slots: NDArray[np.int64], side: int) -> tuple[_MoveLists, int]:
        """List the moves of positions of one row; return this thread's lists, and their length."""
        scratch, codes_after = self._scratch, self.table.codes[1 - side]
        board = self.index.decode_many(slots[:1])[0][0]
        side = int(side)  # as in `counts`
        _list_row(self.successors, scratch.row, codes_after, side, board, slots, scratch.record)
        return scratch.lists, int(scratch.lists.starts[len(slots)])

    def counts(self, slots: NDArray[np.int64], side: int) -> NDArray[np.int64]:
        """Return the counts of `MoveCounter` for legal positions, whose slots ascend."""
        scratch = self._scratch
        _, starts = np.unique(slots // self.index.king_pairs, return_index=True)
        boards, _ = self.index.decode_many(slots[starts])
        counts = np.empty((len(slots), len(MoveCounter.COLUMNS)), dtype=np.int64)
        bounds = np.append(starts, len(slots))
        codes_after = self.table.codes[1 - side]
        side = int(side)  # for a Color the kernel would be compiled once more
        _count_rows(self.successors, scratch.row, codes_after, side, boards, bounds, slots, counts)
        return counts


class MoveCounter:
    """Counts the legal moves of any positions of a table by what they lead to, for several threads.

    `subtables` are of all `Material.dependencies`; `MissingTableError` if one is missing.
    """

    # All moves, those that win, those that keep the result; and of which kinds all best moves are.
    COLUMNS = ("moves", "winning", "keeping", "best_kinds")

    def __init__(self, table: Table, subtables: Mapping[Material, Table]) -> None:
        self._lister = _Lister(table, subtables)

    def counts(self, slots: NDArray[np.int64], side: int) -> dict[str, NDArray[np.int64]]:
        """Return counts, [n], of legal positions at ascending slots, by the names of `COLUMNS`.

        They are legal, winning, and result-keeping moves, and what all best moves (see `Moves`)
        are: a sum of CAPTURE, PROMOTION, UNDERPROMOTION and one of PROMOTIONS_TO.
        """
        counts = self._lister.counts(np.ascontiguousarray(slots), side)
        return dict(zip(self.COLUMNS, counts.T, strict=True))

    def kept(self, slots: NDArray[np.int64], side: int) -> list[NDArray[Any]]:
        """Return the moves that keep the result at ascending slots of legal positions, one or more.

        First comes how many each position has, then of all moves origin, target, promotion, best.
        """
        parts, rows = [], slots // self._lister.index.king_pairs
        for row in np.split(slots, np.flatnonzero(np.diff(rows)) + 1):
            lists, total = self._lister.listed(row, side)
            kept = np.flatnonzero(lists.keeping[:total])
            counts = np.diff(np.searchsorted(kept, lists.starts[: len(row) + 1]))
            columns = (lists.origin, lists.target, lists.promotion, lists.best)
            parts.append((counts, *(column[kept] for column in columns)))
        return [np.concatenate(columns) for columns in zip(*parts, strict=True)]


@entry
def _list_row(successors, row, codes_after, side, board, slots, lists):
    """List the moves of positions of a row.

    `codes_after` are the table's codes with the other side to move, `board` uint8 [men + 2] the
    men, and `slots` int64 [n] those of legal positions.
    """
    destinations = successors.destinations
    men, pairs = place_men(successors, row, board), len(destinations.king_squares)
    row.layer[0] = slots[0] // pairs // destinations.layer_rows
    count = np.int64(0)
    lists.starts[0] = 0
    for i in range(len(slots)):
        occupied = place_kings(successors, row, side, men, slots[i] % pairs)
        decided = successors.game.verdict(successors, row, side, occupied)
        if decided == OPEN:
            count = _list_moves(successors, row, codes_after, side, occupied, lists, count)
        elif decided == BY_ZEROING:
            count = _list_zeroing_moves(successors, row, codes_after, side, occupied, lists, count)
        lists.starts[i + 1] = count
        largest = np.int64(NO_MOVE)
        for move in range(lists.starts[i], count):
            largest = max(largest, lists.preference[move])
        for move in range(lists.starts[i], count):
            lists.best[move] = lists.preference[move] == largest
            lists.keeping[move] = np.sign(lists.preference[move]) == np.sign(largest)


@entry
def _count_rows(successors, row, codes_after, side, boards, starts, slots, counts):
    """Count the moves of positions of some rows.

    `boards` uint8 [rows, men + 2] are the men of each row, and its positions the `slots` from
    ``starts[i]`` to ``starts[i + 1]``. `counts` int64 [positions, COLUMNS] is written.
    """
    destinations = successors.destinations
    tally, pairs = work_space(_TALLIED, np.int64), len(destinations.king_squares)
    for number in range(len(boards)):
        men = place_men(successors, row, boards[number])
        row.layer[0] = slots[starts[number]] // pairs // destinations.layer_rows
        for i in range(starts[number], starts[number + 1]):
            tally[:] = 0
            occupied = place_kings(successors, row, side, men, slots[i] % pairs)
            best = np.int64(NO_MOVE)
            decided = successors.game.verdict(successors, row, side, occupied)
            if decided == OPEN:
                best = _tally_moves(successors, row, codes_after, side, occupied, tally, best)
            elif decided == BY_ZEROING:
                best = _tally_zeroing_moves(
                    successors, row, codes_after, side, occupied, tally, best
                )
            losing = tally[_MOVES] - tally[_WINNING] - tally[_DRAWING]
            keeping = tally[_WINNING] if best > 0 else tally[_DRAWING] if best == 0 else losing
            counts[i, 0], counts[i, 1] = tally[_MOVES], tally[_WINNING]
            counts[i, 2], counts[i, 3] = keeping, tally[_BEST_KINDS]


def _filled_successors(table: Table, subtables: Mapping[Material, Table]) -> KernelRecord:
    """Return the successors of a table's material, with the codes of its sub-tables."""
    require_royal(table.material.rules, "lists of all moves do")
    tables = {**subtables, table.material: table}
    successors = make_successors(table.material, table.metric, lambda one: tables[one].outcomes)
    codes = successors.fields.codes
    for needed, starts in code_starts(table.material)[0].items():
        for start, side in zip(starts, subtables[needed].codes, strict=True):
            codes[start : start + len(side)] = side
    return successors


def _new_lists(positions: int) -> _MoveLists:
    # Pages that are not written cost nothing.
    most = positions * MAX_MOVES
    return _MoveLists(
        starts=np.empty(positions + 1, np.int64),
        origin=np.empty(most, np.uint8),
        target=np.empty(most, np.uint8),
        promotion=np.empty(most, np.uint8),
        preference=np.empty(most, np.int64),
        best=np.empty(most, np.bool_),
        keeping=np.empty(most, np.bool_),
    )


def iter_moves(
    table: Table,
    subtables: Mapping[Material, Table],
    *,
    threads: int | None = None,
    sides: Sequence[int] = (0, 1),
    rows: Sequence[int] | None = None,
) -> Iterator[Moves]:
    """Yield the legal moves of all inequivalent legal positions of a table, by index.

    A part has all kings for the other men's squares, White to move first, positions without moves
    included; `sides` are those to move, and `rows` some of the rows. `subtables` are of all
    `Material.dependencies`; `MissingTableError` if one is missing.
    """
    lister = _Lister(table, subtables)

    def moves(number: int) -> list[Moves | None]:
        return [lister.moves(number, side) for side in sides]

    with ThreadPoolExecutor(as_threads(threads)) as pool:
        every, step = range(lister.rows) if rows is None else rows, 256
        for first in range(0, len(every), step):
            for both in pool.map(moves, every[first : first + step]):
                yield from (found for found in both if found is not None)
