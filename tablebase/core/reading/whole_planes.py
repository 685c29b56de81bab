"""The results of whole planes: all placements of the kings, while the other men stay.

What does not depend on the kings is found once for a plane: its table, the slice of its pawns, the
ranks of its pieces, and the squares that they attack. See `locate` for `men` and `sides`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.symmetry import D4, FLIP
from tablebase.core.index.kings import NO_SYMMETRY
from tablebase.core.jit.instructions import count_bits, lowest_bit, work_space
from tablebase.core.jit.kernels import hot_entry, inlined_kernel
from tablebase.core.reading.catalog import MATERIAL_NUMBERS, Missing, Start
from tablebase.core.reading.locate import (
    ATTACKS,
    BETWEEN,
    FIRST_AND_LAST_RANK,
    PAGE_BITS,
    PAWNS,
    WHITE_TO_MOVE,
    canonical_by_kings,
    canonical_by_pawns,
    exchange_men,
    first_location,
    is_exchanged,
    number_of_men,
    rank_images,
    slot_at,
    split_words,
    stored_at,
)

_WHITE, _BLACK, _FLIP = int(Color.WHITE), int(Color.BLACK), int(FLIP)
_PAWN, _KNIGHT, _BISHOP, _ROOK, _QUEEN, _KING = map(int, PieceType)
# Rows of what `read_planes` writes.
WON, LOST, LEGAL = range(3)
BARE_KINGS = 0  # a record for planes without other men


@hot_entry
def read_planes(
    catalog,
    addresses,
    words,
    men,
    results,
    known,
    found,
    wanted,
):
    """Read the results of planes.

    `catalog`, `addresses` and `wanted` are as for `locate.outcomes_in_pages` and its pages.
    `words` uint64 [planes, 8] have the men besides the kings, `men` each, else the plane stays
    empty; `results` int8 the sign by value. `known` uint64 [planes, 64], bits of Black's king by
    White's, are left out and grow; `found` uint64 [planes, 3, 64] are the sets WON, LOST and LEGAL.
    """
    ranks = work_space(8, np.int64)
    for plane in range(len(words)):
        by_kind, sides = split_words(words[plane])
        white, black = sides
        if count_bits(white | black) != men or by_kind[PAWNS] & FIRST_AND_LAST_RANK:
            continue
        record = np.int64(BARE_KINGS)
        if men > 0:
            material = number_of_men(by_kind, sides)
            record = np.int64(catalog[Start.MATERIALS + material])
            if record == Missing.UNKNOWN:
                wanted[material] = True
                continue
        sets = known[plane], found[plane]
        _read_plane(catalog, addresses, record, words[plane], ranks, results, sets, wanted)


@inlined_kernel
def _read_plane(
    catalog: Any,
    addresses: Any,
    record: Any,
    words: Any,
    ranks: Any,
    results: Any,
    sets: Any,
    wanted: Any,
) -> Any:
    """Read a plane; `record` is its table's in the catalog, or BARE_KINGS.

    `words` are those of the men besides the kings; `ranks` int64 [8] is work space; `sets` are the
    plane's in `known` and in `found`. See `read_planes` for the others.
    """
    known, found = sets
    men, sides = split_words(words)
    white, black = sides
    white_to_move = words[WHITE_TO_MOVE] != np.uint64(0)
    movers, color = (white, _WHITE) if white_to_move else (black, _BLACK)
    # The men as the table has them; the kings below are turned likewise.
    own_men, own_sides, own_turn, own_record = men, sides, white_to_move, abs(record)
    is_turned = is_exchanged(catalog, record, white_to_move)
    if is_turned:
        own_turn = not white_to_move
        own_men, own_sides = exchange_men(men, sides)
    place = _place(catalog, own_record, own_men, own_sides, ranks)
    first = first_location(catalog, own_record, own_turn)
    for king in range(64):
        if ((white | black) >> np.uint64(king)) & np.uint64(1):
            continue
        others = ~_barred_squares(men, movers, color, white | black, king)
        while others:
            other = lowest_bit(others)
            others &= others - np.uint64(1)
            i, j = (king, other) if white_to_move else (other, king)
            here = np.uint64(1) << np.uint64(j)
            if known[i] & here:
                continue
            result = np.int64(0)
            if record != BARE_KINGS:
                kings = np.int64(i), np.int64(j)
                if is_turned:
                    kings = np.int64(D4[_FLIP, j]), np.int64(D4[_FLIP, i])
                location = first + _find_slot(catalog, own_record, place, ranks, kings)
                value = stored_at(addresses, location)
                if value < 0:
                    wanted[MATERIAL_NUMBERS + (location >> PAGE_BITS)] = True
                    continue
                result = np.int64(results[value])
            known[i] |= here
            found[LEGAL, i] |= here
            if result != 0:
                found[WON if result > 0 else LOST, i] |= here


@inlined_kernel
def _place(catalog: Any, record: Any, men: Any, sides: Any, ranks: Any) -> Any:
    """Return the slice of a plane and its symmetries; write its pieces' rank under each of them.

    `ranks` is as of `locate.rank_images`. Without pawns the kings decide which symmetries count:
    the ranks under all are written, and no symmetry is returned.
    """
    if men[PAWNS]:
        slice_, symmetries = canonical_by_pawns(catalog, record, men[PAWNS], sides)
        rank_images(men, sides, symmetries, ranks)
        return slice_, symmetries
    rank_images(men, sides, range(8), ranks)
    return np.int64(0), (np.int64(NO_SYMMETRY), np.int64(NO_SYMMETRY))


@inlined_kernel
def _barred_squares(men: Any, movers: Any, color: Any, occupied: Any, king: Any) -> Any:
    """Return the squares barred to a king while the other side is to move.

    That side has a colour, the men in the word `movers`, and its king on the square `king`.
    """
    pawns, knights, bishops, rooks, queens, _ = men
    occupied |= np.uint64(1) << np.uint64(king)
    barred = occupied | ATTACKS[_WHITE, _KING, king]
    while movers:
        square = lowest_bit(movers)
        man = np.uint64(1) << np.uint64(square)
        movers &= movers - np.uint64(1)
        if pawns & man:
            barred |= ATTACKS[color, _PAWN, square]
        elif knights & man:
            barred |= ATTACKS[_WHITE, _KNIGHT, square]
        lines = np.uint64(0)
        if (rooks | queens) & man:
            lines |= ATTACKS[_WHITE, _ROOK, square]
        if (bishops | queens) & man:
            lines |= ATTACKS[_WHITE, _BISHOP, square]
        lines &= ~barred
        while lines:
            target = lowest_bit(lines)
            lines &= lines - np.uint64(1)
            if not BETWEEN[square, target] & occupied:
                barred |= np.uint64(1) << np.uint64(target)
    return barred


@inlined_kernel
def _find_slot(catalog: Any, record: Any, place: Any, ranks: Any, kings: Any) -> Any:
    """Return the slot of two kings, White's and Black's square, in a plane placed by `_place`."""
    slice_, symmetries = place
    if symmetries[0] == NO_SYMMETRY:
        symmetries = canonical_by_kings(catalog, kings)
    return slot_at(catalog, record, slice_, kings, symmetries, ranks)
