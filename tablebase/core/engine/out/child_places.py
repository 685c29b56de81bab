"""Where children lie, the positions after a move out of a slice: in which table and which rows.

What such a move changes (a capture, a promotion, a push) is the *kind* of the child. All children
of a kind lie in one normalized table, whose colours may be exchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.core.board.geometry import MAX_KINDS, NOBODY, Color, PieceType
from tablebase.core.engine.out.king_slots import make_king_slots
from tablebase.core.engine.sets.bits import PAWN
from tablebase.core.index.combinations import MAX_PIECES
from tablebase.core.index.numbering import rank_image, table_index
from tablebase.core.index.pawns import slice_entry, slice_number, slice_symmetry
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.core.tables.table import TablePart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tablebase.core.rules.material import Material, MoveOut
    from tablebase.core.tables.table import Table

# numba would compile kernels anew for each literal number they are called with, but not for these.
NO_MAN = np.int64(-1)
OWN = np.int64(0)  # the kind of the children in other slices of the same table
ONLY_PLANE = np.int64(0)  # of an array of the values of one plane


class Places(NamedTuple):
    """Where children lie, by kind; see `tablebase.core.index.numbering` for the order of a table.

    Men are those of `Material.movers`, numbered from 0: besides the kings, or with the leads last.
    """

    kind: NDArray[np.int64]  # [2, 1 << men, men + 1, 1 + MAX_KINDS] by `MoveOut`, -1 if impossible
    swapped: NDArray[np.int64]  # [kinds] 1 if colours are exchanged in the table
    pieces: NDArray[np.int64]  # [kinds, 8] men that are the table's pieces in order, or NO_MAN
    pawns: NDArray[np.int64]  # [kinds, 8] men that are its pawns in order, or NO_MAN
    leads: NDArray[np.int64]  # [kinds, 2] men that lead each side there, or NO_MAN
    group_count: NDArray[np.int64]  # [kinds] groups of identical pieces
    group_sizes: NDArray[np.int64]  # [kinds, 8] pieces in each group
    ranks: NDArray[np.int64]  # [kinds] rows of a slice
    pairs: NDArray[np.int64]  # [kinds] pairs of kings: codes of a row
    slice_start: NDArray[np.int64]  # [kinds] where its `Numbering.slice_of` begins in `slice_of`
    slice_of: NDArray[np.int32]  # of all tables, one after the other
    row_start: NDArray[np.int64]  # [kinds] where its `TablePart.places` begins in `row_place`; -1
    # if it has none, since all its rows are in memory
    row_place: NDArray[np.int32]  # of all tables that have one, one after the other
    kings: KernelRecord  # of `KingSlots`


def make_places(
    material: Material,
    kinds: Mapping[MoveOut, Material],
    of_kinds: Sequence[Material],
    parts: Mapping[Material, Table | TablePart],
) -> Places:
    """Return the places of a material's children, `of_kinds` by table, whose codes are `parts`."""
    count = len(material.movers)
    number = np.full((2, 1 << count, count + 1, 1 + MAX_KINDS), -1, dtype=np.int64)
    for kind, move in enumerate(kinds):
        number[move] = kind
    number[:, 0, 0, 0] = OWN
    swapped = [_is_swapped(material, move, child) for move, child in kinds.items()]
    men = [
        _men_in_order(material, *of_kind, swapped=swap)
        for of_kind, swap in zip(kinds.items(), swapped, strict=True)
    ]
    indices = [table_index(table) for table in of_kinds]
    groups = [index.numbering.group_sizes.tolist() for index in indices]
    slice_starts, slice_of = _end_to_end(
        {table: index.numbering.slice_of for table, index in zip(of_kinds, indices, strict=True)}
    )
    row_starts, row_place = _end_to_end(
        {
            table: part.places
            for table, part in parts.items()
            if isinstance(part, TablePart) and part.places is not None
        }
    )
    return Places(
        kind=number,
        swapped=_integers(swapped),
        pieces=_padded([pieces for pieces, _, _ in men]),
        pawns=_padded([pawns for _, pawns, _ in men]),
        leads=_integers([leads for _, _, leads in men]),
        group_count=_integers([len(sizes) for sizes in groups]),
        group_sizes=_padded(groups),
        ranks=_integers([index.ranks for index in indices]),
        pairs=_integers([index.king_pairs for index in indices]),
        slice_start=_integers([slice_starts[table] for table in of_kinds]),
        slice_of=slice_of,
        row_start=_integers([row_starts.get(table, -1) for table in of_kinds]),
        row_place=row_place,
        kings=KernelRecord(make_king_slots(of_kinds, swapped)),
    )


def _is_swapped(material: Material, move: MoveOut, child: Material) -> bool:
    """Return whether the colours of a child are exchanged in its table."""
    if child.is_symmetric and child != material:  # codes with White to move serve for both sides
        return move.color is Color.WHITE
    return not child.is_normalized


def _men_in_order(
    material: Material, move: MoveOut, child: Material, *, swapped: bool
) -> tuple[list[int], list[int], list[int]]:
    """Return the men of a child in the order of its table: pieces, pawns, and its leads."""
    men = {n: man for n, man in enumerate(material.movers) if not move.removed >> n & 1}
    if move.promoting:
        men[move.promoting - 1] = men[move.promoting - 1][0], PieceType(move.new)
    leads = [int(NO_MAN), int(NO_MAN)]
    if not material.rules.royal:
        men = {n: man for n, man in men.items() if man[1] is not NOBODY}
        for lead in child.men[:2]:
            if lead[1] is not NOBODY:  # the last one, so that leads that stay lead
                leads[lead[0]] = max(n for n, man in men.items() if man == lead)
                del men[leads[lead[0]]]
    # The order of `Material.men`: White's men first, each side's by descending value.
    order = sorted(men, key=lambda number: (men[number][0] ^ swapped, -men[number][1]))
    pieces = [number for number in order if men[number][1] != PAWN]
    return pieces, [number for number in order if men[number][1] == PAWN], leads


def _end_to_end(
    arrays: Mapping[Material, NDArray[np.int32]],
) -> tuple[dict[Material, int], NDArray[np.int32]]:
    """Join the arrays of tables; return the start of each, and the whole."""
    starts, length = {}, 0
    for table, array in arrays.items():
        starts[table] = length
        length += len(array)
    return starts, np.concatenate([np.empty(0, dtype=np.int32), *arrays.values()])


def _integers(values: object) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Return rows of several lengths as one array, filled up with NO_MAN."""
    padded = np.full((len(rows), MAX_PIECES), NO_MAN, dtype=np.int64)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row
    return padded


@kernel
def find_child(children, kind, squares, bases):
    """Write to `bases` [8], by symmetry, where a child's row of codes begins, or -1.

    `squares` uint8 [men] are those of the men after the move.
    """
    places = children.places
    flip = children.law.flip[places.swapped[kind]]
    pieces, pawns = work_space(MAX_PIECES, np.uint8), work_space(MAX_PIECES, np.uint8)
    pieces = pieces[: squares_after(places.pieces[kind], squares, flip, pieces)]
    pawns = pawns[: squares_after(places.pawns[kind], squares, flip, pawns)]
    images = work_space(MAX_PIECES, np.uint8)
    groups = places.group_sizes[kind, : places.group_count[kind]]
    symmetries, first = places.kings.symmetries[places.kings.variant[kind]], np.int64(0)
    if len(pawns):  # they leave one
        entry = slice_entry(places.slice_of[places.slice_start[kind] :], pawns)
        symmetries = np.int64(1) << np.int64(slice_symmetry(entry))
        first = slice_number(entry) * places.ranks[kind]
    for symmetry in range(8):
        bases[symmetry] = -1
        if (symmetries >> symmetry) & 1:
            rank = rank_image(groups, children.law.outside, pieces, pawns, symmetry, images)
            bases[symmetry] = base_of(places, kind, first + rank)


@kernel
def squares_after(men, squares, flip, found):
    """Write to `found` the images by `flip` of the `squares` of `men`; return their number."""
    count = 0
    for man in men:
        if man == NO_MAN:
            break
        found[count] = flip[squares[man]]
        count += 1
    return count


@kernel
def base_of(places, kind, row):
    """Return the place in memory of a row's codes, by `row_place`; negative if not there."""
    start = places.row_start[kind]
    place = row if start < 0 else np.int64(places.row_place[start + row])
    return place * places.pairs[kind]
