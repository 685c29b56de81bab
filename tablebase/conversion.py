"""Moves that leave a slice: captures, promotions, pawn moves.

They lead to positions whose values are known already, in sub-tables or in slices solved before.
They enter once, before the first ply, as the best value they give (see `retrograde.Sets.values`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase._jit import Record, far, kernel
from tablebase._simd import byte_at, lowest_bit, raise_selected
from tablebase.bits import ONE, PAWN, WHITE, attack_plane, sliding_attacks
from tablebase.geometry import BETWEEN, KING_ATTACKS, PAWN_ATTACKS, Color, PieceType
from tablebase.index import (
    FIRST_PAWN_SQUARE,
    PAWN_BASE,
    SLICE_MIRRORED,
    SLICE_SHIFT,
    rank_pieces,
    table_index,
)
from tablebase.material import PROMOTIONS
from tablebase.retrograde import BEST_VALUE, DRAW_VALUE
from tablebase.symmetry import ALL_SYMMETRIES, D4, FLIP, INVERSE, PAWN_SYMMETRIES
from tablebase.values import DRAW

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tablebase.material import Material

FIRST_MAN = 2  # in `Material.men`, after the kings
_SLOT_COUNT = 8
# numba would compile kernels anew for each literal number they are called with, but not for these.
NO_MAN = np.int64(-1)
NO_PIECE = np.int64(0)
COLUMN, ROW = np.int64(0), np.int64(1)
OWN = np.int64(0)  # the kind of child that is another slice of the same table
FIRST_RANK_ABOVE, LAST_RANK_BELOW = 8, 56


def _best_values() -> NDArray[np.uint8]:
    """Return, by stored code, the value for the side to move."""
    values = np.empty(256, dtype=np.uint8)
    for code in range(256):
        wins = code % 2 == 1
        values[code] = BEST_VALUE - (code - 1) // 2 if wins else code // 2
    values[DRAW] = DRAW_VALUE
    return values


def _negated(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the values for the side that moves there, one ply longer."""
    wide = values.astype(np.int64)
    return np.where(wide < DRAW_VALUE, 255 - wide, 256 - wide).astype(np.uint8)


VALUE_OF_CODE = _best_values()
VALUE_AFTER_MOVE = _negated(VALUE_OF_CODE)  # by stored code of the position moved to
NEGATED = _negated(np.arange(256, dtype=np.uint8))  # by value of the position moved to
CODE_OF_VALUE = np.empty(256, dtype=np.uint8)
CODE_OF_VALUE[VALUE_OF_CODE] = np.arange(256, dtype=np.uint8)
for _constant in (VALUE_OF_CODE, VALUE_AFTER_MOVE, NEGATED, CODE_OF_VALUE):
    _constant.setflags(write=False)
del _constant


class Children(NamedTuple):
    """Where the positions reached by a move out of the slice find their values.

    `kind` tells, by captured man, promoting man (both counted from 0 in ``Material.men[2:]``, plus
    one, so that 0 is none) and new piece type (0 for none), which sub-table the move leads to.
    """

    kind: NDArray[np.int64]  # [men + 1, men + 1, 7] kind of child, -1 if impossible
    table: NDArray[np.int64]  # [kinds] sub-table of each kind of child
    swapped: NDArray[np.int64]  # [kinds] 1 if colours are exchanged in the sub-table
    pieces: NDArray[np.int64]  # [kinds, 8] men that are the sub-table's pieces in order, or NO_MAN
    pawns: NDArray[np.int64]  # [kinds, 8] men that are its pawns in order, or NO_MAN
    address: NDArray[np.int64]  # [tables, 2] memory address of the codes by side to move
    ranks: NDArray[np.int64]  # [tables] ranks of the pieces
    pairs: NDArray[np.int64]  # [tables] number of pairs of kings
    group_count: NDArray[np.int64]  # [tables]
    group_sizes: NDArray[np.int64]  # [tables, 8]
    slice_start: NDArray[np.int64]  # [tables] where its `slice_of` begins in `slice_of`
    slice_of: NDArray[np.int32]  # `IndexTables.slice_of` of all tables, one after the other
    slots: NDArray[np.uint16]  # [2, 8, 462] place in a plane, by colour swap, symmetry, king pair
    pawn_slots: NDArray[np.uint16]  # [2, 2, 3612] the same with pawns
    king_pair: NDArray[np.int16]  # [2, 4096] without and with pawns, as in `IndexTables`
    king_symmetry: NDArray[np.uint8]  # [4096] as in `IndexTables`, without pawns
    entries: NDArray[np.int64]  # addresses of kernels for far calls


def _child_kinds(material: Material) -> dict[tuple[int, int, int], Material]:
    """Return the material after each kind of move out of a slice, not normalized."""
    men = material.men[2:]
    found = {(0, 0, 0): material}
    for captured, (color, man) in enumerate(men, 1):
        found[captured, 0, 0] = material.without(color, man)
    for promoting, (color, man) in enumerate(men, 1):
        if man is not PieceType.PAWN:
            continue
        for new in PROMOTIONS:
            promoted = material.promoted(color, new)
            found[0, promoting, new] = promoted
            for captured, (other, target) in enumerate(men, 1):
                if other is not color and target is not PieceType.PAWN:
                    found[captured, promoting, new] = promoted.without(other, target)
    return found


class Need(NamedTuple):
    """Which positions of a sub-table the moves out of a material can lead to."""

    sides: frozenset[Color]  # to move, in the sub-table's own colours
    promoted: frozenset[tuple[Color, PieceType]]  # one of these has just promoted; if empty, any


def needed_positions(material: Material) -> dict[Material, Need]:
    """Return which part of each sub-table of a material is needed.

    White's promotion to a queen leads to positions with Black to move and a queen on the eighth
    rank: a small part of a table of five men.

    Returns
    -------
    dict[Material, Need]
        For each of `Material.dependencies`.
    """
    men = material.men[2:]
    sides: dict[Material, set[Color]] = {}
    promoted: dict[Material, set[tuple[Color, PieceType]]] = {}
    others = set()
    for (captured, promoting, new), child in _child_kinds(material).items():
        if not (captured or promoting):
            continue
        to_move = men[captured - 1][0] if captured else men[promoting - 1][0].opponent
        table = child.normalized()
        side = to_move if child.is_normalized else to_move.opponent
        sides.setdefault(table, set()).add(side)
        promoted.setdefault(table, set()).add((side.opponent, PieceType(new or PieceType.PAWN)))
        if child.is_symmetric:
            sides[table].add(side.opponent)
        if not promoting or child.is_symmetric:
            others.add(table)
    return {
        table: Need(frozenset(sides[table]), frozenset(() if table in others else promoted[table]))
        for table in sides
    }


def rows_after_promotion(
    material: Material, promoted: frozenset[tuple[Color, PieceType]]
) -> NDArray[np.bool_]:
    """Return which rows of a table (see `tablebase.index`) have a man that may just have promoted.

    Parameters
    ----------
    material
        The table's material.
    promoted
        Which men it may be; without any, all rows are meant.

    Returns
    -------
    NDArray[np.bool_]
        By rank and slice, shape [slices * ranks]: a row is the codes of all pairs of kings.
    """
    index = table_index(material)
    rows = np.arange(index.size // index.king_pairs)
    if not promoted:
        return np.ones(len(rows), dtype=np.bool_)
    squares, _ = index.decode_many(rows * index.king_pairs)
    found = np.zeros(len(rows), dtype=np.bool_)
    for man, (color, piece_type) in enumerate(material.men):
        if man >= FIRST_MAN and (color, piece_type) in promoted:
            file, rank = squares[:, man] % 8, squares[:, man] // 8
            last_rank = 7 if color is Color.WHITE else 0
            # Without pawns the symmetries turn the last rank into any edge.
            on_edge = (file % 7 == 0) | (rank % 7 == 0)
            found |= rank == last_rank if material.has_pawns else on_edge
    return found


def _men_of_child(
    men: tuple[tuple[Color, PieceType], ...], move: tuple[int, int, int], *, swapped: bool
) -> tuple[list[int], list[int]]:
    """Return which men are the pieces and which the pawns of the table that a move leads to."""
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


@lru_cache(maxsize=2)
def _slots(*, has_pawns: bool) -> NDArray[np.uint16]:
    """Return where each king pair of a table stands in a plane of its parent.

    A pair (by number) is the image under a symmetry t of some kings; these, with colours and ranks
    exchanged if the table is swapped, are the row and the bit.
    """
    from tablebase.material import Material  # noqa: PLC0415

    name = "KPK" if has_pawns else "KK"
    pairs = table_index(Material.from_name(name)).tables.king_squares
    symmetries = PAWN_SYMMETRIES if has_pawns else ALL_SYMMETRIES
    slots = np.empty((2, len(symmetries), len(pairs)), dtype=np.uint16)
    for t in symmetries:
        white, black = D4[INVERSE[t]].astype(np.uint16)[pairs.T]
        slots[0, t] = white * 64 + black
        flip = D4[FLIP].astype(np.uint16)
        slots[1, t] = flip[black] * 64 + flip[white]
    return slots


def make_children(
    material: Material,
    codes: Mapping[Material, Sequence[NDArray[np.uint8] | None]],
    entries: NDArray[np.int64],
) -> Children:
    """Return where the moves out of a material's slices lead.

    Parameters
    ----------
    material
        The material to solve.
    codes
        Stored codes for White and for Black to move, of the material itself (being filled) and of
        every normalized material in `Material.dependencies`; None for a side to move that is not
        in `needed_positions`. They must stay alive and unmoved while the result is used.
    entries
        Addresses of kernels, see `tablebase._jit.far`.

    Returns
    -------
    Children
        Arrays for the kernels.
    """
    men = material.men[2:]
    kinds = _child_kinds(material)
    tables = sorted({m.normalized() for m in kinds.values()}, key=lambda m: m.name)
    number = {table: i for i, table in enumerate(tables)}
    indices = [table_index(table) for table in tables]
    kind = np.full((len(men) + 1, len(men) + 1, 7), -1, dtype=np.int64)
    pieces = np.full((len(kinds), _SLOT_COUNT), NO_MAN, dtype=np.int64)
    pawns = np.full((len(kinds), _SLOT_COUNT), NO_MAN, dtype=np.int64)
    swapped = np.zeros(len(kinds), dtype=np.int64)
    for i, (move, child) in enumerate(kinds.items()):
        kind[move] = i
        swapped[i] = not child.is_normalized
        own_pieces, own_pawns = _men_of_child(men, move, swapped=bool(swapped[i]))
        pieces[i, : len(own_pieces)] = own_pieces
        pawns[i, : len(own_pawns)] = own_pawns
    group_sizes = np.zeros((len(tables), _SLOT_COUNT), dtype=np.int64)
    for i, index in enumerate(indices):
        group_sizes[i, : len(index.tables.group_sizes)] = index.tables.group_sizes
    lengths = [len(index.tables.slice_of) for index in indices]
    without, with_pawns = _king_tables(has_pawns=False), _king_tables(has_pawns=True)
    return Children(
        kind=kind,
        table=np.array([number[m.normalized()] for m in kinds.values()], dtype=np.int64),
        swapped=swapped,
        pieces=pieces,
        pawns=pawns,
        address=np.array(
            [
                [0 if side is None else side.ctypes.data for side in codes[table]]
                for table in tables
            ],
            dtype=np.int64,
        ),
        ranks=np.array([index.ranks for index in indices], dtype=np.int64),
        pairs=np.array([index.king_pairs for index in indices], dtype=np.int64),
        group_count=np.array([len(index.tables.group_sizes) for index in indices], dtype=np.int64),
        group_sizes=group_sizes,
        slice_start=np.cumsum([0, *lengths[:-1]], dtype=np.int64),
        slice_of=np.concatenate([index.tables.slice_of for index in indices]),
        slots=_slots(has_pawns=False),
        pawn_slots=_slots(has_pawns=True),
        king_pair=np.stack([without[0], with_pawns[0]]),
        king_symmetry=without[1],
        entries=entries,
    )


def _king_tables(*, has_pawns: bool) -> tuple[NDArray[np.int16], NDArray[np.uint8]]:
    from tablebase.material import Material  # noqa: PLC0415

    tables = table_index(Material.from_name("KPK" if has_pawns else "KK")).tables
    return tables.king_pair, tables.king_symmetry


@kernel
def find_child(children, kind, squares, bases):
    """Write to `bases` [8] the index of king pair 0 for each symmetry of a child, or -1.

    `squares` uint8 [men] are the squares of the men besides the kings after the move.
    """
    table = children.table[kind]
    flip = np.uint8(56 if children.swapped[kind] else 0)
    images = np.empty(_SLOT_COUNT, np.uint8)
    count = 0
    while children.pieces[kind, count] != NO_MAN:
        count += 1
    for symmetry in range(8):
        bases[symmetry] = -1
    groups = children.group_sizes[table, : children.group_count[table]]
    if children.pawns[kind, 0] == NO_MAN:
        for symmetry in range(8):
            for i in range(count):
                images[i] = D4[symmetry, squares[children.pieces[kind, i]] ^ flip]
            bases[symmetry] = rank_pieces(groups, images, np.uint64(0)) * children.pairs[table]
        return
    key, weight = np.int64(0), np.int64(1)
    taken = np.uint64(0)
    for i in range(_SLOT_COUNT):
        man = children.pawns[kind, i]
        if man == NO_MAN:
            break
        key += (np.int64(squares[man] ^ flip) - FIRST_PAWN_SQUARE) * weight
        weight *= PAWN_BASE
    entry = children.slice_of[children.slice_start[table] + key]
    t = np.int64(entry & SLICE_MIRRORED)
    for i in range(_SLOT_COUNT):
        man = children.pawns[kind, i]
        if man == NO_MAN:
            break
        taken |= ONE << np.uint64(D4[t, squares[man] ^ flip])
    for i in range(count):
        images[i] = D4[t, squares[children.pieces[kind, i]] ^ flip]
    rank = np.int64(entry >> SLICE_SHIFT) * children.ranks[table]
    bases[t] = (rank + rank_pieces(groups, images, taken)) * children.pairs[table]


ONE_MOVE_SLOT, FIND_CHILD_SLOT = 0, 8
_far_find_child = far(find_child, FIND_CHILD_SLOT)


@kernel
def gather_plane(children, kind, side, bases, lookup, values):
    """Write ``lookup[code]`` of a child for every pair of kings to `values` [4096].

    `side` is the side to move in the child, in the colours of the parent. Kings that touch are
    left out.
    """
    table, swapped = children.table[kind], children.swapped[kind]
    address = children.address[table, side ^ swapped]
    pairs = children.pairs[table]
    with_pawns = children.pawns[kind, 0] != NO_MAN
    for t in range(8):
        if bases[t] < 0:
            continue
        slots = children.pawn_slots[swapped, t] if with_pawns else children.slots[swapped, t]
        first = address + bases[t]
        for pair in range(pairs):
            values[slots[pair]] = lookup[byte_at(first, pair)]


@kernel
def _gather_line(children, kind, side, bases, target, along, values):
    """Write the values after the move to a child with one king on `target` to `values` [64].

    The other king stands on each square in turn: White's if `along` is ROW, else Black's. `side`
    is the side to move in the child, in the colours of the parent. Kings that touch get 0.
    """
    table, swapped = children.table[kind], children.swapped[kind]
    address = children.address[table, side ^ swapped]
    flip = np.int64(56 if swapped else 0)
    with_pawns = children.pawns[kind, 0] != NO_MAN
    mirrored = np.int64(0 if bases[0] >= 0 else 1)
    king_pair = children.king_pair[1 if with_pawns else 0]
    king_symmetry = children.king_symmetry
    # In the sub-table's colours the king on `target` is White's or Black's.
    target_is_black = (along == ROW) != (swapped != 0)
    target ^= flip
    for other in range(64):
        square = other ^ flip
        t = mirrored
        kings = square * 64 + target if target_is_black else target * 64 + square
        if with_pawns:
            if mirrored:
                kings ^= 7 * 64 + 7
        else:
            t = np.int64(king_symmetry[kings])
        pair = np.int64(king_pair[kings])
        value = np.uint8(0)
        if pair >= 0:
            value = VALUE_AFTER_MOVE[byte_at(address, bases[t] + pair)]
        values[other] = value


class Men(NamedTuple):
    """The men besides the kings of one plane: [men] colours, types and squares."""

    colors: NDArray[np.int64]
    types: NDArray[np.int64]
    squares: NDArray[np.uint8]


class Scratch(NamedTuple):
    """Work space of one thread for the moves out of a slice."""

    values: NDArray[np.uint8]  # [4096] of a child
    other_values: NDArray[np.uint8]  # [4096]
    attacked: NDArray[np.uint64]  # [64]
    legal: NDArray[np.uint64]  # [64]
    bases: NDArray[np.int64]  # [8]
    child: Record  # of `Men`


def make_scratch(men: int) -> Record:
    """Return work space, a record of `Scratch`, for a number of men besides the kings."""
    child = Men(
        np.zeros(men, dtype=np.int64),
        np.zeros(men, dtype=np.int64),
        np.zeros(men, dtype=np.uint8),
    )
    scratch = Scratch(
        values=np.zeros(4096, dtype=np.uint8),
        other_values=np.zeros(4096, dtype=np.uint8),
        attacked=np.zeros(64, dtype=np.uint64),
        legal=np.zeros(64, dtype=np.uint64),
        bases=np.zeros(8, dtype=np.int64),
        child=Record(child),
    )
    return Record(scratch)


@kernel
def _make_child(men, captured, mover, target, new_type, child):
    """Write the men after a move to `child`; return how many are left.

    Men keep their order; a captured one is dropped. `captured` or `mover` may be NO_MAN.
    """
    count = 0
    for i in range(len(men.squares)):
        if i == captured:
            continue
        child.colors[count] = men.colors[i]
        child.types[count] = men.types[i]
        child.squares[count] = men.squares[i]
        if i == mover:
            child.squares[count] = target
            if new_type:
                child.types[count] = new_type
        count += 1
    return count


@kernel
def _attacked_after(by, child, count, attacked):
    """Write the `attack_plane` of the first `count` men of a child."""
    attack_plane(by, child.colors[:count], child.types[:count], child.squares[:count], attacked)


@kernel
def _locate(children, men, captured, mover, target, new_type, bases):
    """Find the child of a move (see `find_child`); return its kind."""
    promoting = mover if new_type else NO_MAN
    kind = children.kind[captured + 1, promoting + 1, new_type]
    if mover == NO_MAN:
        _far_find_child(children.entries, (children, np.int64(kind), men.squares, bases))
        return kind
    origin = men.squares[mover]
    men.squares[mover] = target
    _far_find_child(children.entries, (children, np.int64(kind), men.squares, bases))
    men.squares[mover] = origin
    return kind


@kernel
def _raise_values(values, plane, path, child_values, attacked):
    """Raise the values of a plane to those after one move, where that is legal.

    `path` is the word of squares that the kings must leave free, `attacked` uint64 [64] the kings'
    squares for which the move leaves the mover's king in check.
    """
    for row in range(64):
        if not (path >> np.uint64(row)) & ONE:
            place = (np.int64(plane) * 64 + row) * 64
            raise_selected(values, place, child_values, row * 64, ~(attacked[row] | path))


@kernel
def one_move(children, men, scratch, values, plane, move):
    """Raise a plane's values to those after one move of a man besides the kings.

    `move` is (captured man or NO_MAN, mover, target, new piece type or 0, word of squares that the
    kings must leave free).
    """
    captured, mover, target, new_type, path = move
    opponent = 1 - men.colors[mover]
    kind = _locate(children, men, captured, mover, target, new_type, scratch.bases)
    gather_plane(children, kind, opponent, scratch.bases, VALUE_AFTER_MOVE, scratch.values)
    count = _make_child(men, captured, mover, target, new_type, scratch.child)
    _attacked_after(opponent, scratch.child, count, scratch.attacked)
    _raise_values(values, plane, path, scratch.values, scratch.attacked)


_far_one_move = far(one_move, ONE_MOVE_SLOT)


@kernel
def _play(children, men, scratch, values, plane, move):
    """Call `one_move` through its address."""
    _far_one_move(children.entries, (children, men, scratch, values, np.int64(plane), move))


@kernel
def _pawn_arrives(children, men, scratch, values, plane, move):
    """Play a pawn's move to its target, with all promotions if that is the last rank."""
    captured, mover, target, _, path = move
    if FIRST_RANK_ABOVE <= target < LAST_RANK_BELOW:
        _play(children, men, scratch, values, plane, (captured, mover, target, NO_PIECE, path))
    else:
        for new_type in range(NO_PIECE + 2, NO_PIECE + 6):
            _play(children, men, scratch, values, plane, (captured, mover, target, new_type, path))


@kernel
def _king_captures(children, men, captured, scratch, values, plane):
    """Raise a plane's values to those after the opponent's king takes a man."""
    target = np.int64(men.squares[captured])
    owner = men.colors[captured]
    kind = _locate(children, men, captured, NO_MAN, NO_MAN, NO_PIECE, scratch.bases)
    count = _make_child(men, captured, NO_MAN, NO_MAN, NO_PIECE, scratch.child)
    guarded = _guarded(target, owner, scratch.child, count)
    near = KING_ATTACKS[target]
    if owner != WHITE:  # White's king takes: rows near the target
        _gather_line(children, kind, owner, scratch.bases, target, COLUMN, scratch.values)
        while near:
            row = lowest_bit(near)
            near &= near - ONE
            place = (np.int64(plane) * 64 + row) * 64
            raise_selected(values, place, scratch.values, 0, ~guarded)
        return
    _gather_line(children, kind, owner, scratch.bases, target, ROW, scratch.values)
    for white in range(64):
        if (guarded >> np.uint64(white)) & ONE:
            continue
        value = scratch.values[white]
        left = near
        while left:
            place = (np.int64(plane) * 64 + white) * 64 + lowest_bit(left)
            left &= left - ONE
            values[place] = max(values[place], value)


@kernel
def _guarded(target, by, men, count):
    """Return the squares of the own king of `by` for which its men attack a square."""
    occupied = np.uint64(0)
    for i in range(count):
        occupied |= ONE << np.uint64(men.squares[i])
    guarded = np.uint64(0)
    for i in range(count):
        if men.colors[i] != by:
            continue
        origin = men.squares[i]
        if men.types[i] == PAWN:
            attacks = PAWN_ATTACKS[by, origin]
        else:
            attacks = sliding_attacks(men.types[i], origin, occupied)
        if (attacks >> np.uint64(target)) & ONE:
            guarded |= ~BETWEEN[origin, target]
    return guarded


@kernel
def best_moves_out(children, men, stalemates, scratch, values, plane):
    """Raise `values` [2, planes * 4096] of a plane to the best of the moves out of the slice.

    `men` are those of the plane; `stalemates` is used for en passant, see `_double_push`.
    """
    occupied = np.uint64(0)
    for square in men.squares:
        occupied |= ONE << np.uint64(square)
    for captured in range(len(men.squares)):
        taker = 1 - men.colors[captured]
        _king_captures(children, men, captured, scratch, values[taker], plane)
    for mover in range(len(men.squares)):
        own = values[men.colors[mover]]
        origin = np.int64(men.squares[mover])
        if men.types[mover] == PAWN:
            _pawn_moves(children, men, mover, occupied, stalemates, scratch, own, plane)
            continue
        attacks = sliding_attacks(men.types[mover], origin, occupied)
        for captured in range(len(men.squares)):
            target = np.int64(men.squares[captured])
            hit = (attacks >> np.uint64(target)) & ONE
            if hit and men.colors[captured] != men.colors[mover]:
                path = BETWEEN[origin, target]
                _play(children, men, scratch, own, plane, (captured, mover, target, NO_PIECE, path))


@kernel
def _pawn_moves(children, men, mover, occupied, stalemates, scratch, values, plane):
    """Raise a plane's values to those after the moves of one pawn."""
    color, origin = men.colors[mover], np.int64(men.squares[mover])
    for captured in range(len(men.squares)):
        target = np.int64(men.squares[captured])
        hit = (PAWN_ATTACKS[color, origin] >> np.uint64(target)) & ONE
        if hit and men.colors[captured] != color:
            move = (captured, mover, target, NO_PIECE, np.uint64(0))
            _pawn_arrives(children, men, scratch, values, plane, move)
    step = 8 if color == WHITE else -8
    target = origin + step
    path = ONE << np.uint64(target)
    if occupied & path:
        return
    _pawn_arrives(children, men, scratch, values, plane, (NO_MAN, mover, target, NO_PIECE, path))
    if origin >> 3 != (1 if color == WHITE else 6):
        return
    target += step
    path |= ONE << np.uint64(target)
    if not occupied & path:
        _double_push(children, men, mover, stalemates, scratch, values, plane, path)


@kernel
def _can_take_en_passant(men, taker, target, color):
    """Return whether man `taker` is an enemy pawn beside a pawn of `color` on `target`."""
    square = np.int64(men.squares[taker])
    return (
        men.types[taker] == PAWN
        and men.colors[taker] != color
        and square >> 3 == target >> 3
        and abs(square - target) == 1
    )


@kernel
def _double_push(children, men, mover, stalemates, scratch, values, plane, path):
    """Raise a plane's values to those after a pawn's double push, en passant included.

    The stored value of the position after the push knows nothing of the capture. The better of
    both counts, or the capture alone if it is the only legal move.
    """
    color, origin = men.colors[mover], np.int64(men.squares[mover])
    target = origin + (16 if color == WHITE else -16)
    answers = scratch.other_values
    found = False
    for taker in range(len(men.squares)):
        if _can_take_en_passant(men, taker, target, color):
            if not found:
                for slot in range(4096):
                    answers[slot] = 0
            found = True
            _en_passant_values(children, men, mover, taker, scratch)
    if not found:
        _play(children, men, scratch, values, plane, (NO_MAN, mover, target, NO_PIECE, path))
        return
    opponent = 1 - color
    kind = _locate(children, men, NO_MAN, mover, target, NO_PIECE, scratch.bases)
    gather_plane(children, kind, opponent, scratch.bases, VALUE_OF_CODE, scratch.values)
    t = np.int64(0 if scratch.bases[0] >= 0 else 1)
    row_of_slice = scratch.bases[t] // len(children.pawn_slots[0, 0])
    for white in range(64):
        row = stalemates[opponent, row_of_slice * 64 + D4[t, white]]
        for black in range(64):
            slot = white * 64 + black
            value, answer = scratch.values[slot], answers[slot]
            if answer and ((row >> np.uint64(D4[t, black])) & ONE):
                value = answer
            scratch.values[slot] = NEGATED[max(value, answer)]
    count = _make_child(men, NO_MAN, mover, target, NO_PIECE, scratch.child)
    _attacked_after(opponent, scratch.child, count, scratch.attacked)
    _raise_values(values, plane, path, scratch.values, scratch.attacked)


@kernel
def _en_passant_values(children, men, pushed, taker, scratch):
    """Raise `scratch.other_values` to the taker's values after it takes a pawn en passant."""
    color = men.colors[pushed]
    passed = np.int64(men.squares[pushed]) + (8 if color == WHITE else -8)
    kind = _locate(children, men, pushed, taker, passed, NO_PIECE, scratch.bases)
    gather_plane(children, kind, color, scratch.bases, VALUE_AFTER_MOVE, scratch.values)
    count = _make_child(men, pushed, taker, passed, NO_PIECE, scratch.child)
    _attacked_after(color, scratch.child, count, scratch.attacked)
    _raise_values(scratch.other_values, OWN, np.uint64(0), scratch.values, scratch.attacked)
