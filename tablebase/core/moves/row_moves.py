"""The moves of a row's men, and the squares that they attack, as if there were no kings.

A *row* is a run of slots that differ in the kings only, so all its positions share these lists.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.symmetry import DIAGONAL
from tablebase.core.index.combinations import MAX_PIECES
from tablebase.core.index.kings import NO_SYMMETRY
from tablebase.core.index.numbering import rank_image
from tablebase.core.index.pawns import (
    second_slice_symmetry,
    slice_entry,
    slice_number,
    slice_symmetry,
)
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import kernel
from tablebase.core.moves.move_lists import NO_MAN

WHITE = int(Color.WHITE)
PAWN, KING = int(PieceType.PAWN), int(PieceType.KING)
ONE = np.uint64(1)
NO_BASE = 1 << 40  # above all indices
NO_PIECE = np.int64(0)
# Symmetries, a bit each; numba would compile kernels once more for a literal. Kings that stay are
# canonical as they are, or as they are reflected.
EVERY_SYMMETRY, OF_KINGS_THAT_STAY = np.int64(255), np.int64(1 | 1 << DIAGONAL)


@kernel
def list_moves(successors, row):
    """List the moves of all men of a row; ``row.squares`` is given."""
    law = successors.law
    men = len(law.colors)
    row.man_at[:] = NO_MAN
    for man in range(men):
        row.man_at[row.squares[man + 2]] = man
    find_bases(successors, np.int64(0), row.squares, EVERY_SYMMETRY, row.king_bases[0])
    for captured in range(men):
        kind = successors.destinations.kind[1 - law.colors[captured], 1 << captured, 0, 0]
        if kind >= 0:  # else no king takes it
            find_bases(successors, kind, row.squares, EVERY_SYMMETRY, row.king_bases[captured + 1])
    count = np.int64(0)
    for man in range(men):
        row.bounds[man] = count
        if law.types[man] == PAWN:
            count = _list_pawn_moves(successors, row, count, man)
            continue
        splits_moves = law.splits_moves[man]
        for ray in successors.by_man.rays[man + 2, row.squares[man + 2]]:
            first = count
            for target in ray:
                if target < 0:
                    break
                other = row.man_at[target]
                if other == NO_MAN:
                    if not splits_moves:
                        count = _add_move(successors, row, count, man, np.int64(target), NO_PIECE)
                    continue
                if law.colors[other] != law.colors[man]:
                    count = _add_move(successors, row, count, man, np.int64(target), NO_PIECE)
                break
            row.next_ray[first:count] = count
        if splits_moves:
            count = _list_quiet_moves(successors, row, count, man)
    row.bounds[men] = count


@kernel
def find_bases(successors, kind, squares, wanted, bases):
    """Write to `bases` [8] the index of king pair 0 for each symmetric image, or NO_BASE.

    `squares` uint8 [men + 2] is the board after the move. Without pawns all images have a place of
    their own, but only those by the symmetries `wanted`, as bits, are written.
    """
    law, destinations = successors.law, successors.destinations
    flip = law.flip[np.int64(destinations.swapped[kind])]
    pieces = work_space(MAX_PIECES, np.uint8)[: destinations.piece_count[kind]]
    pawns = work_space(MAX_PIECES, np.uint8)[: destinations.pawn_count[kind]]
    for i in range(len(pieces)):
        pieces[i] = flip[squares[destinations.pieces[kind, i] + 2]]
    for i in range(len(pawns)):
        pawns[i] = flip[squares[destinations.pawns[kind, i] + 2]]
    images = work_space(MAX_PIECES, np.uint8)
    sizes = destinations.groups[kind, : destinations.group_count[kind]]
    slice_ = np.int64(0)
    if len(pawns):
        entry = slice_entry(destinations.slice_of[destinations.slice_start[kind] :], pawns)
        wanted, second = np.int64(1) << slice_symmetry(entry), second_slice_symmetry(entry)
        if second != NO_SYMMETRY:
            wanted |= np.int64(1) << second
        slice_ = slice_number(entry)
    wanted &= destinations.symmetries[kind]
    for t in range(8):
        bases[t] = NO_BASE
        if (wanted >> t) & 1:
            rank = rank_image(sizes, law.outside, pieces, pawns, t, images)
            bases[t] = (slice_ * destinations.ranks[kind] + rank) * destinations.pairs[kind]


@kernel
def _list_pawn_moves(successors, row, count, man):
    """List the moves of a pawn; return the new count."""
    law = successors.law
    color = law.colors[man]
    origin = np.int64(row.squares[man + 2])
    step = 8 if color == WHITE else -8
    for ray in successors.by_man.rays[man + 2, origin]:
        target = np.int64(ray[0])
        if target < 0:
            break
        other = row.man_at[target]
        if other != NO_MAN and law.colors[other] != color:
            count = _add_pawn_move(successors, row, count, man, target)
    if row.man_at[origin + step] != NO_MAN:
        return count
    count = _add_pawn_move(successors, row, count, man, origin + step)
    landing = origin + 2 * step
    if origin >> 3 != law.push_rank[color] or row.man_at[landing] != NO_MAN:
        return count
    count = _add_move(successors, row, count, man, landing, np.int64(0))
    row.next_ray[count - 2] = count  # a king before the pawn stops both steps
    for other in range(len(law.colors)):
        row.en_passant[count - 1] |= takes_en_passant(
            successors, row.squares, other, color, landing
        )
    return count


@kernel
def _add_pawn_move(successors, row, count, man, target):
    """List a pawn move, once for each piece that the pawn may become; return the new count."""
    law = successors.law
    if target >> 3 != law.promotion_rank[law.colors[man]]:
        return _add_move(successors, row, count, man, target, np.int64(0))
    for new in law.promotions:
        count = _add_move(successors, row, count, man, target, new)
    return count


@kernel
def _add_move(successors, row, count, man, target, new):
    """List a move of a man to a square that none of its own side holds; return the new count."""
    law, destinations = successors.law, successors.destinations
    captured = row.man_at[target]
    origin = row.squares[man + 2]
    removed = removed_men(successors, row, man, captured, target)
    kind = destinations.kind[law.colors[man], removed, 0, 0]
    if new and not (removed >> man) & 1:
        kind = destinations.kind[law.colors[man], removed, man + 1, new]
    row.squares[man + 2] = target
    wanted = EVERY_SYMMETRY if kind else OF_KINGS_THAT_STAY
    find_bases(successors, kind, row.squares, wanted, row.bases[count])
    row.squares[man + 2] = origin
    row.target[count] = target
    row.captured[count] = captured
    row.removed[count] = removed
    row.promotion[count] = new
    row.kind[count] = kind
    row.en_passant[count] = False
    row.next_ray[count] = count + 1
    return count + 1


@kernel
def removed_men(successors, row, man, captured, target):
    """Return as bits the men that a man's move to a square takes off; `captured` may be NO_MAN."""
    if captured == NO_MAN:
        return np.int64(0)
    return successors.game.taken_off(successors, row, man, captured, target)


@kernel
def takes_en_passant(successors, squares, man, color, target):
    """Return whether a man is an enemy pawn beside the square a pawn was pushed to."""
    law = successors.law
    square = np.int64(squares[man + 2])
    beside = square >> 3 == target >> 3 and abs(square - target) == 1
    return law.colors[man] != color and law.types[man] == PAWN and beside


@kernel
def _list_quiet_moves(successors, row, count, man):
    """List the moves to empty squares of a man that captures in another way."""
    for ray in successors.by_man.walks[man + 2, row.squares[man + 2]]:
        first = count
        for target in ray:
            if target < 0 or row.man_at[target] != NO_MAN:
                break
            count = _add_move(successors, row, count, man, np.int64(target), NO_PIECE)
        row.next_ray[first:count] = count
    return count


@kernel
def find_attacks(successors, row):
    """Find the squares that men attack; kings are left out, so they may be fewer in fact."""
    law = successors.law
    men = len(law.colors)
    row.danger[:] = 0
    row.pinned[:] = 0
    for lifted in range(-1, men):
        for man in range(men):
            if lifted >= 0 and law.colors[man] == law.colors[lifted]:
                continue
            attacks = np.uint64(0)
            for ray in successors.by_man.rays[man + 2, row.squares[man + 2]]:
                for target in ray:
                    if target < 0:
                        break
                    attacks |= ONE << np.uint64(target)
                    if row.man_at[target] not in (NO_MAN, lifted):
                        break
            if lifted < 0:
                row.danger[law.colors[man]] |= attacks
            else:
                row.pinned[lifted] |= attacks
