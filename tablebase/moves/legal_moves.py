"""Every legal move of every position of a table, with the value it leads to.

Moves are made forwards, as `forward` does for checks, and looked up in the table or in
its sub-tables. Castling is left out, captures en passant count only in the value of the double
push that allows them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.board import ATTACKS, NO_MOVE, RAYS, Color, PieceType
from tablebase.index import is_counted, is_self_image, legality_tables, mark_rows
from tablebase.jit import KernelRecord, entry, kernel
from tablebase.moves.forward import after_double_push, is_attacked, slot_of
from tablebase.moves.row_moves import find_attacks, list_moves
from tablebase.moves.successors import (
    MAX_MOVES,
    NO_MAN,
    QUIET,
    code_starts,
    make_row,
    make_successors,
)
from tablebase.tables import Table, require_subtables

if TYPE_CHECKING:
    from tablebase.board import Material
    from tablebase.index import TableIndex

_KING, _QUEEN, _PAWN = int(PieceType.KING), int(PieceType.QUEEN), int(PieceType.PAWN)
# Kinds of moves. An underpromotion is a promotion, too, and each of them is one to some piece.
CAPTURE, PROMOTION, UNDERPROMOTION = 1, 2, 4
PROMOTIONS_TO = {piece: 4 << piece for piece in PieceType if piece not in {_KING, _PAWN}}
_ONE = np.uint64(1)


class _MoveLists(NamedTuple):
    """Where the moves of the positions of a row are written."""

    starts: NDArray[np.int64]  # [positions + 1] first move of each position
    origin: NDArray[np.uint8]  # [moves]
    target: NDArray[np.uint8]  # [moves]
    promotion: NDArray[np.uint8]  # [moves] piece type, 0 for none
    preference: NDArray[np.int64]  # [moves] see `tablebase.board.preference`


@dataclass(frozen=True, eq=False)
class Moves:
    """The legal moves of some positions with the same side to move.

    Attributes
    ----------
    white_to_move : bool
        The side to move.
    slots : NDArray[np.int64]
        Index of each position, shape [n].
    self_images : NDArray[np.bool_]
        Which positions a diagonal keeps, shape [n].
    starts : NDArray[np.int64]
        Moves ``starts[i]`` to ``starts[i + 1]`` are those of position ``i``, shape [n + 1].
    origin, target : NDArray[np.uint8]
        Squares of each move, shape [moves].
    promotion : NDArray[np.uint8]
        Piece type that a pawn becomes, 0 for none, shape [moves].
    best : NDArray[np.bool_]
        Whether no other move is better: it wins fastest, loses slowest, or keeps the draw; shape
        [moves].
    """

    white_to_move: bool
    slots: NDArray[np.int64]
    self_images: NDArray[np.bool_]
    starts: NDArray[np.int64]
    origin: NDArray[np.uint8]
    target: NDArray[np.uint8]
    promotion: NDArray[np.uint8]
    best: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.slots)


@kernel
def _list_king_moves(successors, row, own, side, kings, lists, count):
    """List the moves of the king of `side`; `kings` is 64 * white + black. Return the count."""
    white, black = kings >> 6, kings & 63
    king, other_king = (white, black) if side == 0 else (black, white)
    occupied = np.uint64(0)
    for square in row.squares:
        occupied |= _ONE << np.uint64(square)
    left = occupied & ~(_ONE << np.uint64(king))
    for direction in range(8):
        target = np.int64(RAYS[_KING, king, direction, 0])
        if target < 0:
            break
        captured = row.man_at[target]
        if (ATTACKS[_KING, other_king] >> np.uint64(target)) & _ONE:
            continue
        if captured != NO_MAN and successors.colors[captured] == side:
            continue
        if (row.danger[1 - side] >> np.uint64(target)) & _ONE and is_attacked(
            successors.colors, successors.types, row.squares, 1 - side, target, left, captured
        ):
            continue
        after = target * 64 + black if side == 0 else white * 64 + target
        kind = successors.kind[captured + 1, 0, 0]
        slot = slot_of(
            successors.places, successors.variant[kind], after, row.king_bases, captured + 1
        )
        code = successors.codes[successors.start[kind, 1 - side] + slot] if kind else own[slot]
        lists.origin[count], lists.target[count] = king, target
        lists.promotion[count] = 0
        lists.preference[count] = successors.before[kind + 1 if kind else QUIET, 1 - side, code]
        count += 1
    return count


@kernel
def _promotion(successors, row, man, i):
    """Return the piece type that the man becomes by move `i` of the row, 0 for none."""
    if successors.types[man] == _PAWN:
        for new in range(_PAWN + 1, _KING):
            if successors.kind[row.captured[i] + 1, man + 1, new] == row.kind[i]:
                return new
    return 0


@kernel
def _list_man_moves(successors, row, own, side, man, kings, lists, count):
    """List the moves of a man other than a king; return the count."""
    white, black = kings >> 6, kings & 63
    king, other_king = (white, black) if side == 0 else (black, white)
    without = np.uint64(0)
    for square in row.squares:
        without |= _ONE << np.uint64(square)
    without &= ~(_ONE << np.uint64(row.squares[man + 2]))
    # Only if the king is in check without this man can its moves be illegal.
    exposed = (row.pinned[man] >> np.uint64(king)) & _ONE
    i, last = row.bounds[man], row.bounds[man + 1]
    while i < last:
        target = row.target[i]
        if target in (king, other_king):
            i = row.next_ray[i]
            continue
        left = without | (_ONE << np.uint64(target))
        if exposed and is_attacked(
            successors.colors, successors.types, row.squares, 1 - side, king, left, row.captured[i]
        ):
            i += 1
            continue
        kind = row.kind[i]
        slot = slot_of(successors.places, successors.variant[kind], kings, row.bases, i)
        code = successors.codes[successors.start[kind, 1 - side] + slot] if kind else own[slot]
        zeroing = kind or successors.types[man] == _PAWN
        preference = np.int64(successors.before[kind + 1 if zeroing else QUIET, 1 - side, code])
        if row.passing[i]:
            preference = after_double_push(successors, row, code, man, target)
        lists.origin[count], lists.target[count] = row.squares[man + 2], target
        lists.promotion[count] = _promotion(successors, row, man, i)
        lists.preference[count] = preference
        count += 1
        i += 1
    return count


@kernel
def _list_positions(successors, row, own, side, board, chosen, lists):
    """List the moves of positions of a row.

    `own` are the table's codes with the other side to move, `board` uint8 [men + 2] the men, and
    `chosen` int64 [n] the pairs of kings, of legal positions.
    """
    for man in range(2, len(board)):
        row.squares[man] = board[man]
    list_moves(successors, row)
    find_attacks(successors, row)
    count = np.int64(0)
    lists.starts[0] = 0
    for i in range(len(chosen)):
        pair = chosen[i]
        row.squares[0], row.squares[1] = (
            successors.king_squares[pair, 0],
            successors.king_squares[pair, 1],
        )
        kings = np.int64(row.squares[0]) * 64 + row.squares[1]
        count = _list_king_moves(successors, row, own, side, kings, lists, count)
        for man in range(len(successors.colors)):
            if successors.colors[man] == side:
                count = _list_man_moves(successors, row, own, side, man, kings, lists, count)
        lists.starts[i + 1] = count


@entry
def _list_row(successors, row, own, side, board, chosen, lists):
    """List the moves of positions of a row, see `_list_positions`."""
    _list_positions(successors, row, own, side, board, chosen, lists)


@kernel
def _kinds_of(row, lists, i):
    """Return what kind of move `i` of the lists is, a sum of CAPTURE, PROMOTION and so on."""
    kinds = np.int64(0)
    if row.man_at[lists.target[i]] != NO_MAN:
        kinds |= CAPTURE
    if lists.promotion[i]:
        kinds |= PROMOTION | np.int64(4) << np.int64(lists.promotion[i])  # PROMOTIONS_TO
        if lists.promotion[i] != _QUEEN:
            kinds |= UNDERPROMOTION
    return kinds


@entry
def _count_rows(successors, row, own, side, boards, starts, chosen, lists, counts):
    """Count the moves of positions of some rows.

    `boards` uint8 [rows, men + 2] are the men of each row, and its positions the pairs of kings
    ``chosen[starts[i] : starts[i + 1]]``. `counts` int64 [positions, COUNTS] is written.
    """
    for number in range(len(boards)):
        first, last = starts[number], starts[number + 1]
        pairs = chosen[first:last]
        _list_positions(successors, row, own, side, boards[number], pairs, lists)
        for i in range(last - first):
            moves = lists.starts[i + 1] - lists.starts[i]
            best = np.int64(NO_MOVE)
            winning, losing = np.int64(0), np.int64(0)
            for move in range(lists.starts[i], lists.starts[i + 1]):
                preference = lists.preference[move]
                best = max(best, preference)
                winning += preference > 0
                losing += preference < 0
            kinds = np.int64(-1)
            for move in range(lists.starts[i], lists.starts[i + 1]):
                if lists.preference[move] == best:
                    kinds &= _kinds_of(row, lists, move)
            counts[first + i, 0] = moves
            counts[first + i, 1] = winning
            drawing = moves - winning - losing
            counts[first + i, 2] = winning if best > 0 else drawing if best == 0 else losing
            counts[first + i, 3] = max(kinds, np.int64(0))


@entry
def _mark_best(lists, positions, best):
    """Write to `best` bool [moves] which moves are preferred of the moves of their position."""
    for position in range(positions):
        first, last = lists.starts[position], lists.starts[position + 1]
        largest = np.int64(NO_MOVE)
        for i in range(first, last):
            largest = max(largest, lists.preference[i])
        for i in range(first, last):
            best[i] = lists.preference[i] == largest


def _filled_successors(table: Table, subtables: Mapping[Material, Table]) -> KernelRecord:
    """Return the successors of a table's material, with the codes of its sub-tables."""
    tables = {**subtables, table.material: table}
    successors = make_successors(table.material, table.metric, lambda one: tables[one].outcomes)
    codes = successors.fields.codes
    for needed, starts in code_starts(table.material)[0].items():
        for start, side in zip(starts, subtables[needed].codes, strict=True):
            codes[start : start + len(side)] = side
    return successors


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
        board = index.decode_many(slots[:1])[0][0]
        lists = scratch.lists
        own = self.table.codes[1 - side]
        _list_row(self.successors, scratch.row, own, side, board, chosen, scratch.record)
        total = int(lists.starts[len(chosen)])
        best = np.empty(total, dtype=np.bool_)
        _mark_best(scratch.record, len(chosen), best)
        return Moves(
            white_to_move=side == 0,
            slots=slots,
            self_images=is_self_image(marks[chosen]),
            starts=lists.starts[: len(chosen) + 1].copy(),
            origin=lists.origin[:total].copy(),
            target=lists.target[:total].copy(),
            promotion=lists.promotion[:total].copy(),
            best=best,
        )

    def counts(self, slots: NDArray[np.int64], side: int) -> NDArray[np.int64]:
        """Return the counts of `MoveCounter` for legal positions, whose slots ascend."""
        pairs, scratch = self.index.king_pairs, self._scratch
        numbers = slots // pairs
        _, starts = np.unique(numbers, return_index=True)
        boards, _ = self.index.decode_many(slots[starts])
        counts = np.empty((len(slots), len(MoveCounter.COLUMNS)), dtype=np.int64)
        bounds = np.append(starts, len(slots))
        chosen = slots - numbers * pairs
        own = self.table.codes[1 - side]
        record = scratch.record
        side = int(side)  # for a Color the kernel would be compiled once more
        _count_rows(self.successors, scratch.row, own, side, boards, bounds, chosen, record, counts)
        return counts


class MoveCounter:
    """Counts the legal moves of any positions of a table by what they lead to.

    Several threads may ask at once.

    Parameters
    ----------
    table
        The table.
    subtables
        The tables of `Material.dependencies`.

    Raises
    ------
    MissingTableError
        If a sub-table is missing.
    """

    # All moves, those that win, those that keep the result; and of which kinds all best moves are.
    COLUMNS = ("moves", "winning", "keeping", "best_kinds")

    def __init__(self, table: Table, subtables: Mapping[Material, Table]) -> None:
        self._lister = _Lister(table, subtables)

    def counts(self, slots: NDArray[np.int64], side: int) -> dict[str, NDArray[np.int64]]:
        """Return the counts of some positions.

        Parameters
        ----------
        slots
            Index of legal positions, ascending, shape [n].
        side
            The side to move, 0 for White.

        Returns
        -------
        dict
            By the names of `COLUMNS`, shape [n]: how many legal moves there are, how many win, and
            how many keep the result; and what all best moves (see `Moves`) are, a sum of CAPTURE,
            PROMOTION, UNDERPROMOTION and one of PROMOTIONS_TO.
        """
        counts = self._lister.counts(np.ascontiguousarray(slots), side)
        return dict(zip(self.COLUMNS, counts.T, strict=True))


def _new_lists(positions: int) -> _MoveLists:
    # Pages that are not written cost nothing.
    most = positions * MAX_MOVES
    return _MoveLists(
        starts=np.empty(positions + 1, np.int64),
        origin=np.empty(most, np.uint8),
        target=np.empty(most, np.uint8),
        promotion=np.empty(most, np.uint8),
        preference=np.empty(most, np.int64),
    )


def iter_moves(
    table: Table, subtables: Mapping[Material, Table], *, threads: int | None = None
) -> Iterator[Moves]:
    """Yield the legal moves of all inequivalent legal positions of a table.

    Parameters
    ----------
    table
        The table.
    subtables
        The tables of `Material.dependencies`.
    threads
        How many threads to use; by default one for each processor.

    Yields
    ------
    Moves
        Those of all positions with the same men besides the kings on the same squares, White to
        move first; in the order of the index. Positions without a legal move are among them.

    Raises
    ------
    MissingTableError
        If a sub-table is missing.
    """
    lister = _Lister(table, subtables)

    def moves(number: int) -> list[Moves | None]:
        return [lister.moves(number, side) for side in range(2)]

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        step = 256
        for first in range(0, lister.rows, step):
            for both in pool.map(moves, range(first, min(first + step, lister.rows))):
                yield from (found for found in both if found is not None)
