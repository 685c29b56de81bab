"""Positions reached by moves that leave a slice: which table has them, where, and their values.

They lie in sub-tables, or in slices of the same table that were solved before. `Children` has a
twin for moves forwards, `tablebase.core.moves.successors.Successors`, on purpose: a check shares
nothing with the solver.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from tablebase.core.board import MAX_KINDS, Color, PieceType
from tablebase.core.engine.bits import PAWN
from tablebase.core.engine.far_kernels import BYTES, FAR, NUMBER, NUMBERS
from tablebase.core.engine.king_slots import king_numberings
from tablebase.core.engine.needs import side_to_move
from tablebase.core.engine.values import has_epochs, is_short, make_value_tables, values_of_codes
from tablebase.core.index import (
    MAX_PIECES,
    rank_image,
    slice_entry,
    slice_number,
    slice_symmetry,
    table_index,
)
from tablebase.core.jit import KernelRecord, byte_at, entry, kernel, work_space
from tablebase.core.outcomes import DRAW
from tablebase.core.tables import TablePart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tablebase.core.engine.values import ValueTables
    from tablebase.core.outcomes import Metric
    from tablebase.core.rules import Material, MoveOut
    from tablebase.core.tables import Table

# numba would compile kernels anew for each literal number they are called with, but not for these.
NO_MAN = np.int64(-1)
NO_PIECE = np.int64(0)
COLUMN, ROW = np.int64(0), np.int64(1)
OWN = np.int64(0)  # the kind of child that is another slice of the same table
# Whose value of a child is meant: that of the side to move, or of the one that moved there.
HERE, AFTER = np.int64(0), np.int64(1)
# What a clock tells: the epoch, and whether there were values that enter in a later one.
EPOCH, LATER = 0, 1
_CODES_PER_SCAN = 1 << 20


class Children(NamedTuple):
    """Where the positions reached by a move out of the slice find their values.

    `kind` tells, by captured man, promoting man (both counted from 0 in ``Material.men[2:]``, plus
    one, so that 0 is none) and new piece type (0 for none), which sub-table the move leads to.
    """

    kind: NDArray[np.int64]  # [men + 1, men + 1, 1 + MAX_KINDS] kind of child, -1 if impossible
    table: NDArray[np.int64]  # [kinds] sub-table of each kind of child
    swapped: NDArray[np.int64]  # [kinds] 1 if colours are exchanged in the sub-table
    pieces: NDArray[np.int64]  # [kinds, 8] men that are the sub-table's pieces in order, or NO_MAN
    pawns: NDArray[np.int64]  # [kinds, 8] men that are its pawns in order, or NO_MAN
    address: NDArray[np.int64]  # [tables, 2] memory address of the codes by side to move
    epoch_address: NDArray[np.int64]  # [tables, 2] and of their upper bytes, 0 if they have none
    stride: NDArray[np.int64]  # [tables] bytes from one code, or upper byte, to the next
    late: NDArray[np.int64]  # [tables] whether moves to some positions enter after the first epoch
    epoch_plies: int
    row_start: NDArray[np.int64]  # [tables] where its `row_place` begins in `row_place`; -1 if its
    # codes are all there
    row_place: NDArray[np.int32]  # `TablePart.places` of the others, one after the other
    values: NDArray[np.uint8]  # [tables, 2, 256] value for the side to move, by code
    values_after: NDArray[np.uint8]  # [tables, 2, 256] value for the side that moves there, by code
    negated: NDArray[np.uint8]  # [256] as in `ValueTables`
    ranks: NDArray[np.int64]  # [tables] ranks of the pieces
    pairs: NDArray[np.int64]  # [tables] number of pairs of kings
    group_count: NDArray[np.int64]  # [tables]
    group_sizes: NDArray[np.int64]  # [tables, 8]
    slice_start: NDArray[np.int64]  # [tables] where its `slice_of` begins in `slice_of`
    slice_of: NDArray[np.int32]  # `IndexTables.slice_of` of all tables, one after the other
    numbering: NDArray[np.int64]  # [tables] how kings are numbered in it
    symmetries: NDArray[np.int64]  # [numberings] bits of those that it uses
    slots: NDArray[np.uint16]  # [numberings, 2, 8, king pairs] place in a plane, by colour swap,
    # symmetry, king pair
    king_pair: NDArray[np.int16]  # [numberings, 4096] as in `IndexTables`
    king_symmetry: NDArray[np.uint8]  # [numberings, 4096] as in `IndexTables`
    movement: KernelRecord  # of `Movement`
    promotions: NDArray[np.int64]  # [promotions] kinds that pawns become
    push_rank: NDArray[np.int64]  # [2] `Rules.push_ranks`
    pawn_squares: NDArray[np.uint64]  # [2] words of `Rules.pawn_squares`
    exchange: NDArray[np.uint8]  # [2, 64] `BoardShape.exchange_if`
    outside: int  # `BoardShape.outside`


def _men_of_child(
    men: tuple[tuple[Color, PieceType], ...], move: MoveOut, *, swapped: bool
) -> tuple[list[int], list[int]]:
    """Return the pieces and the pawns among the men, in the table that a move leads to."""
    captured, promoting, new = move
    left = []
    for i, (color, man) in enumerate(men, 1):
        if i != captured:
            kind = PieceType(new) if i == promoting else man
            # The order of `Material.men`: White's men first, each side's by descending value.
            left.append((int(color) ^ swapped, -kind, i - 1))
    left.sort()
    pieces = [i for _, kind, i in left if -kind != PAWN]
    return pieces, [i for _, kind, i in left if -kind == PAWN]


def _addresses(parts: Sequence[Table | TablePart]) -> dict[str, Any]:
    """Return the fields `address`, `epoch_address` and `stride` of `Children`."""
    addresses = np.zeros((len(parts), 2), dtype=np.int64)
    epochs = np.zeros((len(parts), 2), dtype=np.int64)
    strides = np.ones(len(parts), dtype=np.int64)
    for i, part in enumerate(parts):
        for color, codes in zip(Color, part.codes, strict=True):
            if codes is None:
                continue
            low = codes.ctypes.data
            if codes.itemsize > 1:
                strides[i] = codes.itemsize
                low, high = (low, low + 1) if sys.byteorder == "little" else (low + 1, low)
                epochs[i, color] = high
            elif isinstance(part, TablePart) and part.epochs is not None:
                epochs[i, color] = part.epochs[color].ctypes.data
            addresses[i, color] = low
    return {"address": addresses, "epoch_address": epochs, "stride": strides}


# Sub-tables are the same for many groups of slices.
_LATE: WeakKeyDictionary[Table | TablePart, dict[int, bool]] = WeakKeyDictionary()


def _is_late(part: Table | TablePart, last_ply: int) -> bool:
    """Return whether moves to positions of a sub-table may take more plies than an epoch has."""

    def has_long(codes: NDArray[np.uint8]) -> bool:
        return codes.itemsize > 1 or any(
            (codes[first : first + _CODES_PER_SCAN] == last_ply).any()
            for first in range(0, len(codes), _CODES_PER_SCAN)
        )

    known = _LATE.setdefault(part, {})
    if last_ply not in known:
        known[last_ply] = any(has_long(codes) for codes in part.codes if codes is not None)
    return known[last_ply]


def _late_tables(
    material: Material, metric: Metric, parts: Mapping[Material, Table | TablePart], last_ply: int
) -> NDArray[np.int64]:
    """Return the field `late` of `Children`; of the material itself kernels will tell."""
    may_be = has_epochs(material, metric) and not is_short(material)
    late = [may_be and one != material and _is_late(part, last_ply) for one, part in parts.items()]
    return np.array(late, dtype=np.int64)


def _groups(sizes: Sequence[NDArray[np.int64]]) -> dict[str, Any]:
    """Return the fields `group_count` and `group_sizes` of `Children`."""
    padded = np.zeros((len(sizes), MAX_PIECES), dtype=np.int64)
    for i, of_table in enumerate(sizes):
        padded[i, : len(of_table)] = of_table
    counts = np.array([len(of_table) for of_table in sizes], dtype=np.int64)
    return {"group_count": counts, "group_sizes": padded}


def _places(parts: Sequence[Table | TablePart]) -> dict[str, Any]:
    """Return the fields `row_start` and `row_place` of `Children`."""
    starts, length = [], 0
    found = [np.empty(0, dtype=np.int32)]
    for part in parts:
        places = part.places if isinstance(part, TablePart) else None
        starts.append(-1 if places is None else length)
        if places is not None:
            found.append(places)
            length += len(places)
    return {
        "row_start": np.array(starts, dtype=np.int64),
        "row_place": np.concatenate(found),
    }


def _kinds(
    men: tuple[tuple[Color, PieceType], ...], kinds: Mapping[MoveOut, Material]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the fields `kind`, `swapped`, `pieces` and `pawns` of `Children`."""
    kind = np.full((len(men) + 1, len(men) + 1, 1 + MAX_KINDS), -1, dtype=np.int64)
    pieces = np.full((len(kinds), MAX_PIECES), NO_MAN, dtype=np.int64)
    pawns = np.full((len(kinds), MAX_PIECES), NO_MAN, dtype=np.int64)
    swapped = np.zeros(len(kinds), dtype=np.int64)
    for i, (move, child) in enumerate(kinds.items()):
        kind[move] = i
        swapped[i] = not child.is_normalized
        if child.is_symmetric and i != OWN:  # with White to move it tells all
            swapped[i] = side_to_move(men, move) is Color.BLACK
        own_pieces, own_pawns = _men_of_child(men, move, swapped=bool(swapped[i]))
        pieces[i, : len(own_pieces)] = own_pieces
        pawns[i, : len(own_pawns)] = own_pawns
    return kind, swapped, pieces, pawns


def _rules_of_moves(material: Material) -> dict[str, Any]:
    """Return the fields of `Children` that say how men move."""
    words = [sum(1 << square for square in squares) for squares in material.rules.pawn_squares]
    return {
        "movement": KernelRecord(material.rules.movement),
        "promotions": np.array(material.rules.promotions, dtype=np.int64),
        "push_rank": np.array(material.rules.push_ranks, dtype=np.int64),
        "pawn_squares": np.array(words, dtype=np.uint64),
        "exchange": material.rules.board.exchange_if,
        "outside": material.rules.board.outside,
    }


def make_children(
    material: Material,
    parts: Mapping[Material, Table | TablePart],
    metric: Metric,
) -> tuple[Children, ValueTables]:
    """Return the records that say where the moves out of a material's slices lead.

    Parameters
    ----------
    material
        The material to solve.
    parts
        The codes of the material itself (being filled) and of its sub-tables, as `driver.solve`
        takes them; they must stay alive and unmoved while the result is used.
    metric
        What is solved, and what the codes are of.

    Returns
    -------
    tuple[Children, ValueTables]
        Arrays for the kernels. The second one fills in the values of the material itself.
    """
    kinds: dict[MoveOut, Material] = {(0, 0, 0): material, **material.moves_out()}
    kind, swapped, pieces, pawns = _kinds(material.men[2:], kinds)
    tables = sorted({m.normalized() for m in kinds.values()}, key=lambda m: m.name)
    number = {table: i for i, table in enumerate(tables)}
    indices = [table_index(table) for table in tables]
    values = np.array(
        [[values_of_codes(metric, of[:256]) for of in parts[table].outcomes] for table in tables]
    )
    values_after = np.empty_like(values)
    value_tables = make_value_tables(
        metric, (values[number[material]], values_after[number[material]])
    )
    values_after[:] = value_tables.negated[values]
    children = Children(
        kind=kind,
        table=np.array([number[m.normalized()] for m in kinds.values()], dtype=np.int64),
        swapped=swapped,
        pieces=pieces,
        pawns=pawns,
        **_addresses([parts[table] for table in tables]),
        late=_late_tables(
            material, metric, {one: parts[one] for one in tables}, value_tables.last_ply
        ),
        epoch_plies=value_tables.last_ply,
        **_places([parts[table] for table in tables]),
        values=values,
        values_after=values_after,
        negated=value_tables.negated,
        ranks=np.array([index.ranks for index in indices], dtype=np.int64),
        pairs=np.array([index.king_pairs for index in indices], dtype=np.int64),
        **_groups([index.tables.group_sizes for index in indices]),
        slice_start=np.cumsum([0, *(len(index.tables.slice_of) for index in indices[:-1])]),
        slice_of=np.concatenate([index.tables.slice_of for index in indices]),
        **king_numberings(tables),
        **_rules_of_moves(material),
    )
    return children, value_tables


@kernel
def _squares_of(men, squares, exchange, found):
    """Write the images of the squares of some men to `found`; return how many there are."""
    count = 0
    for man in men:
        if man == NO_MAN:
            break
        found[count] = exchange[squares[man]]
        count += 1
    return count


@kernel
def _place_of_row(children, table, row):
    """Return the place of a row's codes among the codes of its table in memory."""
    start = children.row_start[table]
    return row if start < 0 else np.int64(children.row_place[start + row])


@entry
def find_child(children, kind, squares, bases):
    """Write to `bases` [8] the index of king pair 0 for each symmetry of a child, or -1.

    `squares` uint8 [men] are the squares of the men besides the kings after the move.
    """
    table = children.table[kind]
    exchange = children.exchange[children.swapped[kind]]
    pieces, pawns = work_space(MAX_PIECES, np.uint8), work_space(MAX_PIECES, np.uint8)
    pieces = pieces[: _squares_of(children.pieces[kind], squares, exchange, pieces)]
    pawns = pawns[: _squares_of(children.pawns[kind], squares, exchange, pawns)]
    images = work_space(MAX_PIECES, np.uint8)
    groups = children.group_sizes[table, : children.group_count[table]]
    for symmetry in range(8):
        bases[symmetry] = -1
    if len(pawns) == 0:
        symmetries = children.symmetries[children.numbering[table]]
        for symmetry in range(8):
            if not (symmetries >> symmetry) & 1:
                continue
            rank = rank_image(groups, children.outside, pieces, pawns, symmetry, images)
            bases[symmetry] = _place_of_row(children, table, rank) * children.pairs[table]
        return
    entry = slice_entry(children.slice_of[children.slice_start[table] :], pawns)
    symmetry = slice_symmetry(entry)
    rank = rank_image(groups, children.outside, pieces, pawns, symmetry, images)
    row = slice_number(entry) * children.ranks[table] + rank
    bases[symmetry] = _place_of_row(children, table, row) * children.pairs[table]


far_find_child = FAR.entry(find_child, "children", NUMBER, BYTES, NUMBERS)


@kernel
def _late_value(children, table, side, place, clock, view):
    """Return the value of a child, its plies counted from the beginning of an epoch on.

    A later result is a draw so far. A side that moves to an earlier result has a result, or a
    better move.
    """
    shift = place * children.stride[table]
    code = np.int64(byte_at(children.address[table, side], shift))
    if code != DRAW:
        epoch = np.int64(0)
        if children.epoch_address[table, side]:
            epoch = np.int64(byte_at(children.epoch_address[table, side], shift))
        code += (epoch - clock[EPOCH]) * children.epoch_plies + view
        if code >= children.epoch_plies:  # a ply before, that is later
            clock[LATER] = 1
        if code > children.epoch_plies:
            code = np.int64(DRAW)
        elif code < 0:
            code &= 1
    return children.values[table, side, code]


@kernel
def gather_plane(children, kind, side, bases, clock, view, values):
    """Write the value of a child for every pair of kings to `values` [4096].

    It is that of the epoch `clock` int64 [EPOCH, LATER], HERE or AFTER by `view`. `side` is the
    side to move in the child, in the colours of the parent. Kings that touch are left out.
    """
    table, swapped = children.table[kind], children.swapped[kind]
    address = children.address[table, side ^ swapped]
    pairs = children.pairs[table]
    lookup = children.values if view == HERE else children.values_after
    value_of = lookup[table, side ^ swapped]
    late = clock[EPOCH] > 0 or children.late[table] > 0
    for t in range(8):
        if bases[t] < 0:
            continue
        slots = children.slots[children.numbering[table], swapped, t]
        if late:
            for pair in range(pairs):
                place = bases[t] + pair
                value = _late_value(children, table, side ^ swapped, place, clock, view)
                values[slots[pair]] = value
            continue
        first = address + bases[t]
        for pair in range(pairs):
            values[slots[pair]] = value_of[byte_at(first, pair)]


@kernel
def gather_line(children, kind, side, bases, clock, target, along, values):
    """Write the values after the move to a child with one king on `target` to `values` [64].

    The other king stands on each square in turn: White's if `along` is ROW, else Black's. All else
    is as for `gather_plane`. Kings that touch get 0.
    """
    table, swapped = children.table[kind], children.swapped[kind]
    address = children.address[table, side ^ swapped]
    value_of = children.values_after[table, side ^ swapped]
    exchange = children.exchange[swapped]
    with_pawns = children.pawns[kind, 0] != NO_MAN
    mirrored = np.int64(0 if bases[0] >= 0 else 1)
    numbering = children.numbering[table]
    king_pair = children.king_pair[numbering]
    king_symmetry = children.king_symmetry[numbering]
    late = clock[EPOCH] > 0 or children.late[table] > 0
    # In the sub-table's colours the king on `target` is White's or Black's.
    target_is_black = (along == ROW) != (swapped != 0)
    target = np.int64(exchange[target])
    for other in range(64):
        square = np.int64(exchange[other])
        t = mirrored
        kings = square * 64 + target if target_is_black else target * 64 + square
        if with_pawns:
            if mirrored:
                kings ^= 7 * 64 + 7
        else:
            t = np.int64(king_symmetry[kings])
        pair = np.int64(king_pair[kings])
        value = np.uint8(0)
        if pair >= 0 and late:
            place = bases[t] + pair
            value = _late_value(children, table, side ^ swapped, place, clock, AFTER)
        elif pair >= 0:
            value = value_of[byte_at(address, bases[t] + pair)]
        values[other] = value
