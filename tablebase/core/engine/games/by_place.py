"""Moves out of a slice position by position, where no king is royal.

Captures are forced, and a capture can take a lead or be made by one: what leads afterwards, and so
where the child lies, depends on the squares of both. That spares `moves_out` all of this, and it
costs little, because a position with a capture needs no other move.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.board.symmetry import D4, DIAGONAL
from tablebase.core.engine.out.child_places import NO_MAN, OWN, base_of, squares_after
from tablebase.core.engine.out.children import AFTER, EPOCH, HERE, late_value
from tablebase.core.engine.sets.bits import ONE, PAWN, WHITE
from tablebase.core.index.combinations import MAX_PIECES
from tablebase.core.index.numbering import MAX_MEN_OF_INDEX, rank_image
from tablebase.core.index.pawns import slice_entry, slice_number, slice_symmetry
from tablebase.core.jit.instructions import byte_at, lowest_bit, work_space
from tablebase.core.jit.kernels import kernel

NO_MOVE, MOVES, CAPTURES = np.int64(0), np.int64(1), np.int64(2)


@kernel
def moves_by_place(children, men, occupied, legal, moment, values, value_plane, decided):
    """Raise `values` [2], in `value_plane`, to the best of the moves out; mark the `decided` [2].

    That is a word for each square of White's lead, [2, 64], as are the `legal` ones. `men` are
    those besides the leads, and `occupied` has their squares; `moment` is of `Scratch`.
    """
    count = len(men.squares)
    squares = work_space(MAX_MEN_OF_INDEX, np.uint8)[: count + 2]
    man_at = work_space(64, np.int64)
    for square in range(64):
        man_at[square] = NO_MAN
    for man in range(count):
        squares[man] = men.squares[man]
        man_at[squares[man]] = man
    types = children.law.types
    for white in range(64):
        decided[0, white] = decided[1, white] = 0
        left = legal[white]
        while left:
            black = lowest_bit(left)
            left &= left - ONE
            taken = occupied
            squares[count], squares[count + 1] = white, black
            for lead in range(count, count + 2):
                if types[lead]:
                    man_at[squares[lead]] = lead
                    taken |= ONE << np.uint64(squares[lead])
            place = (np.int64(value_plane) * 64 + white) * 64 + black
            for color in range(2):
                best, found = _best_move_out(children, color, squares, man_at, taken, moment)
                if found != MOVES:
                    decided[color, white] |= ONE << np.uint64(black)
                values[color][place] = max(values[color][place], best)
            for lead in range(count, count + 2):
                if types[lead]:
                    man_at[squares[lead]] = NO_MAN


@kernel
def mirror_decided(decided, mirrored):
    """Write to `mirrored` the `decided` positions, both [2, 64], reflected in the diagonal."""
    for color in range(2):
        for white in range(64):
            left, word = decided[color, white], np.uint64(0)
            while left:
                word |= ONE << np.uint64(D4[DIAGONAL, lowest_bit(left)])
                left &= left - ONE
            mirrored[color, D4[DIAGONAL, white]] = word


@kernel
def _best_move_out(children, color, squares, man_at, occupied, moment):
    """Return the value of the best move out of a position, and which moves there are.

    Men are on `squares`, by square in `man_at`, and `moment` is of `Scratch`. Moves are NO_MOVE,
    MOVES, or CAPTURES, then nothing else counts.
    """
    law = children.law
    best = _best_capture(children, color, squares, man_at, occupied, moment)
    if best >= 0:
        return best, CAPTURES
    colors, types, movement = law.colors, law.types, law.movement
    best, found = np.int64(0), NO_MOVE
    for man in range(len(squares)):
        if colors[man] != color or not types[man]:
            continue
        if types[man] == PAWN:
            value = _best_push(children, color, man, squares, man_at, occupied, moment)
            if value >= 0:
                best, found = max(best, value), MOVES
            continue
        for ray in movement.walks[color, types[man], squares[man]]:
            if ray[0] >= 0 and not (occupied >> np.uint64(ray[0])) & ONE:
                found = MOVES
    return (best, found) if found else (np.int64(children.child_codes.no_move[color]), found)


@kernel
def _best_capture(children, color, squares, man_at, occupied, moment):
    """Return the value of the best capture of a position, -1 without any.

    The arguments are those of `_best_move_out`: `squares`, `man_at`, `moment`.
    """
    law = children.law
    colors, types, movement = law.colors, law.types, law.movement
    best = np.int64(-1)
    for man in range(len(squares)):
        if colors[man] != color or not types[man]:
            continue
        for ray in movement.rays[color, types[man], squares[man]]:
            target = _first_met(ray, occupied)
            if target >= 0 and colors[man_at[target]] != color:
                value = _arrive(children, color, man, target, man_at[target], squares, moment)
                best = max(best, value)
    return best


@kernel
def _can_capture(children, color, squares, occupied, own):
    """Return whether a side has a capture on `squares`, its men being `own`; en passant aside."""
    law = children.law
    colors, types, movement = law.colors, law.types, law.movement
    for man in range(len(squares)):
        if colors[man] != color or not types[man]:
            continue
        for ray in movement.rays[color, types[man], squares[man]]:
            target = _first_met(ray, occupied)
            if target >= 0 and not (own >> np.uint64(target)) & ONE:
                return True
    return False


@kernel
def _first_met(ray, occupied):
    """Return the first square of `ray` that is set in `occupied`, -1 if there is none."""
    for target in ray:
        if target < 0:
            break
        if (occupied >> np.uint64(target)) & ONE:
            return np.int64(target)
    return np.int64(-1)


@kernel
def _arrive(children, color, man, target, captured, squares, moment):
    """Return the value after a man of `squares` goes to another, by its best promotion if it must.

    Takes man `captured` there, or NO_MAN; `moment` is of `Scratch`.
    """
    law, removed = children.law, np.int64(0)
    if captured != NO_MAN:
        if law.counts[1 - color] == 1:
            return np.int64(children.child_codes.taken)
        removed = np.int64(1) << captured
    origin, best = squares[man], np.int64(0)
    squares[man] = target
    if law.types[man] != PAWN or target >> 3 != law.promotion_rank[color]:
        kind = children.places.kind[color, removed, 0, 0]
        best = _value_after(children, kind, 1 - color, squares, moment, AFTER)
    else:
        for new in law.promotions:
            kind = children.places.kind[color, removed, man + 1, new]
            value = _value_after(children, kind, 1 - color, squares, moment, AFTER)
            best = max(best, value)
    squares[man] = origin
    return best


@kernel
def _best_push(children, color, man, squares, man_at, occupied, moment):
    """Return the value of the best move of a pawn without a capture, -1 without any.

    The arguments are those of `_best_move_out`: `squares`, `man_at`, `moment`.
    """
    law = children.law
    origin = np.int64(squares[man])
    step = np.int64(8 if color == WHITE else -8)
    if (occupied >> np.uint64(origin + step)) & ONE:
        return np.int64(-1)
    best = _arrive(children, color, man, origin + step, NO_MAN, squares, moment)
    target = origin + 2 * step
    if origin >> 3 != law.push_rank[color] or (occupied >> np.uint64(target)) & ONE:
        return best
    squares[man] = target
    value = _value_after(children, OWN, 1 - color, squares, moment, HERE)
    answer = _best_answer(children, color, man, origin + step, squares, man_at, moment)
    if answer >= 0:
        moved = occupied & ~(ONE << np.uint64(origin)) | ONE << np.uint64(target)
        own = np.uint64(0)
        for other in range(len(squares)):
            if law.colors[other] != color and law.types[other]:
                own |= ONE << np.uint64(squares[other])
        # The stored value is that of another capture, or else does not count.
        is_free = not _can_capture(children, 1 - color, squares, moved, own)
        value = answer if is_free else max(value, answer)
    squares[man] = origin
    return max(best, np.int64(children.child_codes.negated[value]))


@kernel
def _best_answer(children, color, pushed, ep_square, squares, man_at, moment):
    """Return the opponent's value of the best capture en passant of a pawn, -1 without any.

    It is pushed on `squares` but not in `man_at`; `moment` is of `Scratch`.
    """
    law = children.law
    target, best = np.int64(squares[pushed]), np.int64(-1)
    for beside in (target - 1, target + 1):
        if beside < 0 or beside > 63 or beside >> 3 != target >> 3:
            continue
        taker = man_at[beside]
        if taker == NO_MAN or law.types[taker] != PAWN:
            continue
        if law.colors[taker] != color:
            value = _arrive(children, 1 - color, taker, ep_square, pushed, squares, moment)
            best = max(best, value)
    return best


@kernel
def _value_after(children, kind, side, squares, moment, view):
    """Return the value of a child by `view`, with `side` to move there.

    `squares` are those of the men, `Material.movers`, after the move; `moment` is of `Scratch`.
    """
    codes = children.child_codes
    place = _place_of(children, kind, squares)
    if moment[EPOCH] > 0 or codes.late[kind] > 0:
        return np.int64(late_value(codes, kind, side, place, moment, view))
    code = byte_at(codes.address[0, kind, side], place)
    if view == HERE:
        return np.int64(codes.values[kind, side, code])
    return np.int64(codes.values_after[kind, side, code])


@kernel
def _place_of(children, kind, squares):
    """Return the place of a child's code in memory, by the `squares` after the move."""
    places, law = children.places, children.law
    flip = law.flip[places.swapped[kind]]
    pieces, pawns = work_space(MAX_PIECES, np.uint8), work_space(MAX_PIECES, np.uint8)
    pieces = pieces[: squares_after(places.pieces[kind], squares, flip, pieces)]
    pawns = pawns[: squares_after(places.pawns[kind], squares, flip, pawns)]
    images = work_space(MAX_PIECES, np.uint8)
    slot = np.int64(0)
    for color in range(2):
        lead = places.leads[kind, color]
        slot = slot * 64 + (np.int64(squares[lead]) if lead != NO_MAN else 0)
    kings, variant = places.kings, places.kings.variant[kind]
    symmetry, row = np.int64(kings.symmetry[variant, slot]), np.int64(0)
    if len(pawns):
        entry = slice_entry(places.slice_of[places.slice_start[kind] :], pawns)
        symmetry = slice_symmetry(entry)
        row = slice_number(entry) * places.ranks[kind]
        if symmetry:
            slot ^= 7 * 64 + 7
    groups = places.group_sizes[kind, : places.group_count[kind]]
    row += rank_image(groups, law.outside, pieces, pawns, symmetry, images)
    return base_of(places, kind, row) + kings.pair[variant, slot]
