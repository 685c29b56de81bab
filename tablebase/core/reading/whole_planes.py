"""The results of whole planes: all placements of the kings, or leads, while the other men stay.

What does not depend on the kings is found once for a plane: the slice of its pawns, and the ranks
of its pieces under each symmetry.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.core.board.geometry import PieceType
from tablebase.core.board.symmetry import D4
from tablebase.core.index.combinations import MAX_PIECES
from tablebase.core.index.kings import NO_SYMMETRY
from tablebase.core.index.numbering import MAX_MEN_OF_INDEX, encode_position, rank_image
from tablebase.core.index.pawns import (
    second_slice_symmetry,
    slice_entry,
    slice_number,
    slice_symmetry,
)
from tablebase.core.jit.instructions import lowest_bit, work_space
from tablebase.core.jit.kernels import hot_entry, hot_kernel, inlined_kernel
from tablebase.core.reading.catalog import MAN_BITS, Start, game_at, table_at
from tablebase.core.reading.locate import (
    ILLEGAL,
    ONE,
    OVER,
    PAGE_BITS,
    WHITE_TO_MOVE,
    end_of,
    kings_stand,
    layer_of,
    slot_at,
    slot_numbered,
    stored_at,
)

_PAWN = int(PieceType.PAWN)
# Rows of what `read_planes` writes.
WON, LOST, LEGAL = range(3)


@hot_entry
def read_planes(catalog, addresses, rows, results, known, found, wanted):
    """Read the results of planes.

    `rows` are the address of the table's record in the `catalog`, 0 where bare kings need none,
    negative if it is not known, which marks `wanted` if there is a plane; the number of the
    material, the places of its men in a row int64 [men], the side, and the squares uint8
    [planes, men - 2]. `results` int8 has the sign by value. Pairs in `known` uint64 [planes, 64],
    bits of Black's lead by White's, are left out, and it grows; `found` uint64 [planes, 3, 64] are
    the sets WON, LOST and LEGAL. `wanted` bool [pages] marks pages without an address.
    """
    address, number, places, side, squares = rows
    game = game_at(catalog[Start.GAME])
    row, led = work_space(MAX_MEN_OF_INDEX, np.uint8), work_space(MAX_MEN_OF_INDEX, np.uint8)
    ranks = work_space(8, np.int64)
    for plane in range(len(squares)):
        for i in range(squares.shape[1]):
            row[places[i + 2]] = squares[plane, i]
        is_possible, occupied = _occupied(game, number, places, row)
        entry, start = np.int64(0), np.int64(0)
        if is_possible and address < 0:
            wanted[0] = True
            continue
        if is_possible and address:
            entry, start = _place(table_at(address), game, side, row, led, ranks)
        if not is_possible or entry < 0:
            continue
        for own in range(64):
            if occupied >> np.uint64(own) & ONE:
                continue
            others = _others(game, number, places, row, occupied, side, own)
            while others:
                other = lowest_bit(others)
                others &= others - ONE
                white, black = (own, other) if side & WHITE_TO_MOVE else (other, own)
                here = ONE << np.uint64(black)
                if known[plane, white] & here:
                    continue
                end = end_of(game, side, own, other) if game.royal else np.int64(0)
                if end == ILLEGAL:
                    continue
                result = np.int64(0)
                if end:
                    result = OVER - end
                elif address:
                    row[places[0]], row[places[1]] = white, black
                    at = _locate(table_at(address), game, side, row, led, ranks, entry)
                    if at < 0:
                        continue
                    at += start
                    value = stored_at(addresses, at)
                    if value < 0:
                        wanted[at >> PAGE_BITS] = True
                        continue
                    result = np.int64(results[value])
                known[plane, white] |= here
                found[plane, LEGAL, white] |= here
                if result:
                    found[plane, WON if result > 0 else LOST, white] |= here


@hot_kernel
def _others(game, number, places, row, occupied, side, own):
    """Return the squares that are left to the other lead while the mover's stands on `own`."""
    mover = 1 - (side & WHITE_TO_MOVE)
    row[places[mover]] = own
    occupied |= ONE << np.uint64(own)
    barred = occupied
    if game.plain:
        for i in range(len(places)):
            code, square = number >> MAN_BITS * places[i] & 63, np.int64(row[places[i]])
            if code >> 5 != mover or i == 1 - mover:
                continue
            targets = game.attacks[mover, code & 31, square] & ~barred
            while targets:
                target = lowest_bit(targets)
                targets &= targets - ONE
                if not game.between[mover, code & 31, square, target] & occupied:
                    barred |= ONE << np.uint64(target)
    elif game.royal:
        for other in range(64):
            here = ONE << np.uint64(other)
            if not barred & here:
                row[places[1 - mover]] = other
                kings = (other, own) if mover else (own, other)
                if kings_stand(game, number, row, occupied | here, side, kings) == ILLEGAL:
                    barred |= here
    return ~barred


@inlined_kernel
def _occupied(game: Any, number: Any, places: Any, row: Any) -> Any:
    """Return whether the men besides the leads of a row can stand there, and on which squares.

    Squares that are not on the board count as occupied.
    """
    occupied, is_possible = np.uint64(np.int64(game.outside)), True
    for i in range(2, len(places)):
        code, square = number >> MAN_BITS * places[i] & 63, np.int64(row[places[i]])
        bit = ONE << np.uint64(square & 63)
        if square > 63 or occupied & bit:
            is_possible = False
        if code & 31 == _PAWN and not game.pawn_squares[code >> 5] & bit:
            is_possible = False
        occupied |= bit
    return is_possible, occupied


@inlined_kernel
def _place(table: Any, game: Any, side: Any, row: Any, led: Any, ranks: Any) -> Any:
    """Write the men besides the leads to `led` as the table has them, and their ranks by symmetry.

    Returns the entry of their pawns, which is negative if no slice has them, and the location from
    which `_locate` counts.
    """
    own = 1 - (side & WHITE_TO_MOVE)
    is_swapped = table.is_swapped | table.is_symmetric & own
    men, images, index = table.row_men[is_swapped], game.images[is_swapped], table.numbering
    for i in range(2, len(men)):
        led[i] = images[row[men[i]]]
    pieces = work_space(MAX_PIECES, np.uint8)[: len(index.piece_men)]
    pawns = work_space(MAX_PIECES, np.uint8)[: len(index.pawn_men)]
    turned = work_space(MAX_PIECES, np.uint8)
    for i in range(len(pieces)):
        pieces[i] = led[index.piece_men[i]]
    for i in range(len(pawns)):
        pawns[i] = led[index.pawn_men[i]]
    for symmetry in range(8):
        sizes = index.group_sizes
        ranks[symmetry] = rank_image(sizes, index.outside, pieces, pawns, symmetry, turned)
    entry = slice_entry(index.slice_of, pawns) if len(pawns) else np.int64(0)
    start = table.pages[own ^ is_swapped] << PAGE_BITS
    if not index.twins.shape[1]:
        slice_ = slice_number(entry)
        if game.counting:
            layer = layer_of(table.layers, side, is_swapped)
            slice_ += layer * (len(index.slice_pawns) // (table.layers[0] * table.layers[1]))
        start += slice_ * len(table.first) * index.ranks
    return entry, start


@inlined_kernel
def _locate(table: Any, game: Any, side: Any, row: Any, led: Any, ranks: Any, entry: Any) -> Any:
    """Return the place of a row whose other men are placed, -1 if the leads cannot stand so."""
    is_swapped = table.is_swapped | table.is_symmetric & (1 - (side & WHITE_TO_MOVE))
    men, images, index = table.row_men[is_swapped], game.images[is_swapped], table.numbering
    led[0], led[1] = images[row[men[0]]], images[row[men[1]]]
    kings = np.int64(led[0]) * 64 + led[1]
    if index.king_pair[kings] < 0:
        return np.int64(-1)
    if index.twins.shape[1]:
        return slot_numbered(table, encode_position(index, led[: len(men)]))
    symmetry, second = np.int64(index.king_symmetry[kings]), np.int64(index.king_second[kings])
    if len(index.pawn_men):
        symmetry, second = slice_symmetry(entry), second_slice_symmetry(entry)
    rank, pair = ranks[symmetry], _pair_of_image(index, led, symmetry)
    if second != NO_SYMMETRY:  # of two images the one with the smaller index counts
        other = _pair_of_image(index, led, second)
        if ranks[second] < rank or (ranks[second] == rank and other < pair):
            rank, pair = ranks[second], other
    return slot_at(table, 0, rank, pair)


@inlined_kernel
def _pair_of_image(index: Any, led: Any, symmetry: Any) -> Any:
    """Return the number of the pair of kings, or leads, of an image."""
    return np.int64(index.king_pair[np.int64(D4[symmetry, led[0]]) * 64 + D4[symmetry, led[1]]])
