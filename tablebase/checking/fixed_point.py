"""One move ahead: what every position of a table must be by its moves.

This lists the moves of each position, looks up the positions that they lead to, in the table
itself or in its sub-tables, and takes the best: a solved table is a fixed point of that.

All moves of a row's men are listed once, as if there were no kings on the board (see
`tablebase.moves.row_moves`); each pair of kings then cuts short the rays that it blocks.
"""

from __future__ import annotations

import numpy as np

from tablebase.board import ATTACKS, DRAW_PREFERENCE, MATED_PREFERENCE, NO_MOVE, RAYS
from tablebase.index import KING_PAIRS_WITH_PAWNS
from tablebase.jit import entry, kernel, work_space
from tablebase.moves import (
    KING,
    NO_BASE,
    NO_MAN,
    ONE,
    PAWN,
    QUIET,
    WHITE,
    after_double_push,
    find_attacks,
    is_attacked,
    list_moves,
    slot_of,
)


@kernel
def _expected(successors, row, own, side, men_word, chosen, expected):
    """Write the preference of each position of a row by its moves; NO_MOVE if it is not legal.

    `own` are the table's codes with the other side to move. The pairs of kings `chosen` [n] are
    looked at, the preferences written to `expected` [n].
    """
    # One long loop over local arrays: handing them to functions for the king and for each man took
    # twice the time (measured before kernels were linked).
    colors, types, squares, man_at = successors.colors, successors.types, row.squares, row.man_at
    codes, start, before = successors.codes, successors.start, successors.before
    places, variant = successors.places, successors.variant
    bases, king_bases, kinds, targets = row.bases, row.king_bases, row.kind, row.target
    bounds, next_ray, captures, passing = row.bounds, row.next_ray, row.captured, row.passing
    king_kinds, king_squares, pinned = successors.kind, successors.king_squares, row.pinned
    other_side = 1 - side
    danger, threat = row.danger[other_side], row.danger[side]
    for n in range(len(chosen)):
        expected[n] = NO_MOVE
        white, black = np.int64(king_squares[chosen[n], 0]), np.int64(king_squares[chosen[n], 1])
        squares[0], squares[1] = white, black
        king, other_king = (white, black) if side == WHITE else (black, white)
        king_bit, other_bit = ONE << np.uint64(king), ONE << np.uint64(other_king)
        if men_word & (king_bit | other_bit):
            continue
        occupied = men_word | king_bit | other_bit
        if threat & other_bit and is_attacked(
            colors, types, squares, side, other_king, occupied, NO_MAN
        ):
            continue
        best = np.int64(NO_MOVE)
        left = occupied & ~king_bit
        for direction in range(8):
            target = np.int64(RAYS[KING, king, direction, 0])
            if target < 0:
                break
            bit = ONE << np.uint64(target)
            captured = man_at[target]
            if ATTACKS[KING, other_king] & bit:
                continue
            if captured != NO_MAN and colors[captured] == side:
                continue
            if danger & bit and is_attacked(
                colors, types, squares, other_side, target, left, captured
            ):
                continue
            kings = target * 64 + black if side == WHITE else white * 64 + target
            kind = king_kinds[captured + 1, 0, 0]
            slot = slot_of(places, variant[kind], kings, king_bases, captured + 1)
            if kind:
                code = codes[start[kind, other_side] + slot]
                best = max(best, before[kind + 1, other_side, code])
            else:
                best = max(best, before[QUIET, other_side, own[slot]])
        kings = white * 64 + black
        symmetry, pair = places[variant[0], kings, 0], places[variant[0], kings, 1]
        second, second_pair = places[variant[0], kings, 2], places[variant[0], kings, 3]
        for man in range(len(colors)):
            if colors[man] != side:
                continue
            # Only if the king is in check without this man can its moves be illegal.
            without = occupied & ~(ONE << np.uint64(squares[man + 2]))
            exposed = pinned[man] & king_bit != np.uint64(0)
            staying = 1 if types[man] == PAWN else QUIET
            i, last = bounds[man], bounds[man + 1]
            while i < last:
                target = targets[i]
                if target == king or target == other_king:  # noqa: PLR1714, SIM109 (a tuple is slower)
                    i = next_ray[i]
                    continue
                if exposed:
                    left = without | (ONE << np.uint64(target))
                    if is_attacked(colors, types, squares, other_side, king, left, captures[i]):
                        i += 1
                        continue
                kind = kinds[i]
                if kind == 0:  # by far the most; as in `slot_of`
                    slot = min(bases[i, symmetry] + pair, bases[i, second] + second_pair)
                    code = own[slot]
                    preference = np.int64(before[staying, other_side, code])
                else:
                    slot = slot_of(places, variant[kind], kings, bases, i)
                    code = codes[start[kind, other_side] + slot]
                    preference = np.int64(before[kind + 1, other_side, code])
                if passing[i]:
                    preference = after_double_push(successors, row, code, man, target)
                best = max(best, preference)
                i += 1
        if best == NO_MOVE:
            mated = is_attacked(colors, types, squares, other_side, king, occupied, NO_MAN)
            best = np.int64(MATED_PREFERENCE if mated else DRAW_PREFERENCE)
        expected[n] = best


# What `check_slots` counts.
POSITIONS, DIFFERENT = 0, 1


@kernel
def _compare(held, codes, shift, slots, expected, side, counts, found):
    """Count the positions of a row, and note those that are not as expected.

    The code of a slot lies `shift` behind it.
    """
    for i in range(len(slots)):
        if expected[i] == NO_MOVE:
            continue
        counts[side, POSITIONS] += 1
        if held[side, codes[slots[i] + shift]] != expected[i]:
            number = counts[side, DIFFERENT]
            if number < found.shape[1]:
                found[side, number, 0], found[side, number, 1] = slots[i], expected[i]
            counts[side, DIFFERENT] += 1


@kernel
def _move_bases(row, places, pairs):
    """Replace the indices of the table's rows by those of where their codes are."""
    for t in range(8):
        base = row.king_bases[0, t]
        if base != NO_BASE:
            row.king_bases[0, t] = np.int64(places[base // pairs]) * pairs
    for i in range(row.bounds[len(row.bounds) - 1]):
        if row.kind[i] == 0:
            for t in range(8):
                base = row.bases[i, t]
                if base != NO_BASE:
                    row.bases[i, t] = np.int64(places[base // pairs]) * pairs


@entry
def check_slots(successors, row, boards, places, white, black, slots, counts, found):
    """Check slots, int64 [n] in ascending order; `boards` uint8 [rows, men + 2] are their rows'.

    If not all codes of the table are there, `places` int32 [rows] tells where those of each row
    are in `white` and `black`, counted in rows; else it is empty.

    `counts` is int64 [2, 2] by side to move; the first differences of each side are written to
    `found` int64 [2, m, 2] as slot and expected preference.
    """
    pairs = len(successors.king_squares)
    chosen = work_space(KING_PAIRS_WITH_PAWNS, np.int64)
    expected = work_space(KING_PAIRS_WITH_PAWNS, np.int64)
    first = 0
    for board in boards:
        number = slots[first] // pairs
        last = first
        while last < len(slots) and slots[last] // pairs == number:
            chosen[last - first] = slots[last] - number * pairs
            last += 1
        men_word = np.uint64(0)
        for man in range(2, len(board)):
            row.squares[man] = board[man]
            men_word |= ONE << np.uint64(board[man])
        list_moves(successors, row)
        find_attacks(successors, row)
        shift = np.int64(0)
        if len(places):
            _move_bases(row, places, pairs)
            shift = (places[number] - number) * pairs
        count = last - first
        for side in range(2):
            codes, own = (white, black) if side == WHITE else (black, white)
            _expected(successors, row, own, side, men_word, chosen[:count], expected[:count])
            of_row, part = slots[first:last], expected[:count]
            _compare(successors.held, codes, shift, of_row, part, side, counts, found)
        first = last
