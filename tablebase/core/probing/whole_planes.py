"""The values of whole planes: all placements of the kings, while the other men stay.

What does not depend on the kings is found once for a plane: the table, the ranks of its pieces, and
the squares that they attack. See `locate`, which finds the same for a single position.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.core.board import D4, FLIP, Color
from tablebase.core.index import NO_SYMMETRY, second_slice_symmetry, slice_number, slice_symmetry
from tablebase.core.jit import byte_at, count_bits, hot_entry, hot_kernel, work_space
from tablebase.core.probing.catalog import MATERIAL_NUMBERS, KingBit, Missing, Record, Start
from tablebase.core.probing.locate import (
    FIRST_AND_LAST_RANK,
    PAGE_BITS,
    PAGE_SIZE,
    PAWNS,
    WHITE_MEN,
    WHITE_TO_MOVE,
    barred_squares,
    colors_exchanged,
    king_slot,
    men_number,
    pawn_digits,
    rank_of,
)

_WHITE, _BLACK, _FLIP = int(Color.WHITE), int(Color.BLACK), int(FLIP)
# Rows of what `read_planes` writes.
WON, LOST, LEGAL = range(3)


@hot_kernel
def _place(catalog: Any, record: Any, words: Any, black: Any, ranks: Any) -> Any:
    """Write to `ranks` int64 [8] the rank of the pieces by symmetry; return what pawns decide.

    It is the slice and its symmetries; without pawns the symmetries are those of the kings.
    """
    pawns, white = words[PAWNS], words[WHITE_MEN]
    if pawns == np.uint64(0):
        for t in range(8):
            ranks[t] = rank_of(words, black, t)
        return np.int64(0), np.int64(NO_SYMMETRY), np.int64(NO_SYMMETRY)
    white_digits, weight = pawn_digits(pawns & white)
    black_digits, _ = pawn_digits(pawns & black)
    flagged = np.int64(catalog[record + Record.SLICES + white_digits + weight * black_digits])
    first, second = slice_symmetry(flagged), second_slice_symmetry(flagged)
    ranks[first] = rank_of(words, black, first)
    if second != NO_SYMMETRY:
        ranks[second] = rank_of(words, black, second)
    return slice_number(flagged), first, second


@hot_kernel
def _slot(catalog: Any, record: Any, place: Any, ranks: Any, kings: Any) -> Any:
    """Return the slot of a placement of the kings, of White's and Black's."""
    white, black = kings
    slice_, symmetry, second = place
    has_pawns = symmetry != NO_SYMMETRY
    start = Start.KINGS_AND_PAWNS if has_pawns else Start.KINGS
    entry = np.int64(catalog[start + white * 64 + black])
    if not has_pawns:
        symmetry = entry >> KingBit.SYMMETRY & 7
        if entry >> KingBit.HAS_SECOND & 1:
            second = entry >> KingBit.SECOND & 7
    best = slot = np.int64(-1)
    for t in (symmetry, second):
        if t == NO_SYMMETRY:
            continue
        if has_pawns:
            squares = np.int64(D4[t, white]) * 64 + np.int64(D4[t, black])
            entry = np.int64(catalog[start + squares])
        number, found = king_slot(catalog, record, slice_, ranks[t], entry)
        if best < 0 or number < best:
            best, slot = number, found
    return slot


@hot_kernel
def _code(addresses: Any, location: Any) -> Any:
    """Return the code at a location, -1 if its page is not in memory."""
    address, offset = addresses[location >> PAGE_BITS], location & (PAGE_SIZE - 1)
    if address == 0:
        return np.int64(-1)
    if address > 0:
        return np.int64(byte_at(address, offset))
    low = np.int64(byte_at(-address, 2 * offset))
    return low | np.int64(byte_at(-address, 2 * offset + 1)) << 8


@hot_kernel
def _read_plane(
    catalog: Any,
    addresses: Any,
    record: Any,
    given: Any,
    ranks: Any,
    results: Any,
    sets: Any,
    wanted: Any,
) -> Any:
    """Read a plane; `record` is that of its table in the catalog, zero for bare kings.

    `sets` are those of the plane: what is known, and what is found.
    """
    known, found = sets
    pawns, knights, bishops, rooks, queens, _, white, white_to_move = given
    occupied = pawns | knights | bishops | rooks | queens
    black, own = occupied & ~white, given
    movers, side = (white, _WHITE) if white_to_move else (black, _BLACK)
    is_bare = record == 0
    is_turned = record < 0 or (catalog[record + Record.IS_SYMMETRIC] and not white_to_move)
    if is_turned:
        record = abs(record)
        own, black = colors_exchanged(given, black)
    place = _place(catalog, record, own, black, ranks)
    column = Record.WHITE_PAGES if own[WHITE_TO_MOVE] else Record.BLACK_PAGES
    first = np.int64(catalog[record + column]) << PAGE_BITS
    for king in range(64):
        if occupied & (np.uint64(1) << np.uint64(king)):
            continue
        barred = barred_squares(given, movers, side, occupied, king)
        for other in range(64):
            if (barred >> np.uint64(other)) & np.uint64(1):
                continue
            i, j = (king, other) if white_to_move else (other, king)
            here = np.uint64(1) << np.uint64(j)
            if known[i] & here:
                continue
            code = np.int64(0)
            if not is_bare:
                kings = np.int64(i), np.int64(j)
                if is_turned:
                    kings = np.int64(D4[_FLIP, j]), np.int64(D4[_FLIP, i])
                location = first + _slot(catalog, record, place, ranks, kings)
                code = _code(addresses, location)
                if code < 0:
                    wanted[MATERIAL_NUMBERS + (location >> PAGE_BITS)] = True
                    continue
            known[i] |= here
            found[LEGAL, i] |= here
            if is_bare or results[code] == 0:
                continue
            found[WON if results[code] > 0 else LOST, i] |= here


@hot_entry
def read_planes(
    catalog: Any,
    addresses: Any,
    words: Any,
    men: Any,
    results: Any,
    known: Any,
    found: Any,
    wanted: Any,
) -> Any:
    """Read the results of planes.

    Parameters
    ----------
    catalog, addresses, wanted
        As of `locate.read_codes`.
    words
        uint64 [planes, 8], the men besides the kings and the side to move, as columns of `locate`.
    men
        How many men besides the kings there must be. Planes with another number, or with a pawn on
        the first or last rank, stay empty.
    results
        int8 by code, of which only the sign counts.
    known
        uint64 [planes, 64]: word i has a bit for each square of Black's king, with White's king on
        square i. Positions that are known are left out, and those that are read become known.
    found
        uint64 [planes, 3, 64], sets like `known`: positions that are WON for the side to move, LOST
        and LEGAL; others stay as they are.
    """
    ranks = work_space(8, np.int64)
    for plane in range(len(words)):
        row = words[plane]
        given = (row[0], row[1], row[2], row[3], row[4], np.uint64(0), row[6], row[7])
        pawns, knights, bishops, rooks, queens, _, white, _ = given
        occupied = pawns | knights | bishops | rooks | queens
        if count_bits(occupied) != men or pawns & FIRST_AND_LAST_RANK:
            continue
        record = np.int64(0)
        if men > 0:
            material = men_number(given, occupied & ~white)
            record = np.int64(catalog[Start.MATERIALS + material])
            if record == Missing.UNKNOWN:
                wanted[material] = True
                continue
        sets = known[plane], found[plane]
        _read_plane(catalog, addresses, record, given, ranks, results, sets, wanted)
