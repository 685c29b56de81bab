"""One move ahead: every position of a table against the best of its moves.

Moves are looked up in the table itself or in its sub-tables: a solved table is a fixed point of
that. The moves of a row's men are listed once, as if there were no kings on the board (see
`tablebase.core.moves.row_moves`); each pair of kings then cuts short the rays that it blocks.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.index.kings import MOST_KING_PAIRS
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import entry, inlined_kernel, kernel
from tablebase.core.moves.games.led_moves import best_led_move, place_leads
from tablebase.core.moves.games.points import BY_ZEROING, OPEN
from tablebase.core.moves.row_moves import NO_BASE
from tablebase.core.moves.walk import make_walk, place_kings, place_men
from tablebase.core.outcomes.metrics import DRAW_PREFERENCE, NO_MOVE


@inlined_kernel
def _prefer(_seen, best, _origin, _target, _captured, _promotion, _zeroing, preference):
    """Return the largest preference of all moves."""
    return max(best, preference)


_best_move = make_walk(_prefer)
_best_zeroing_move = make_walk(_prefer, only_zeroing=True)

# What `check_slots` counts.
POSITIONS, DIFFERENT = 0, 1


@entry
def check_slots(successors, row, boards, places, codes, slots, counts, found):
    """Check slots, int64 [n] in ascending order; `boards` uint8 [rows, men + 2] are their rows'.

    `codes` are two arrays, with White and with Black to move; `places` int32 [rows] has the place
    of each row in them, and is empty if they hold all. `counts` is int64 [2, 2] by side to move;
    each side's first differences go to `found` int64 [2, m, 2]: slot and expected preference.
    """
    law, destinations = successors.law, successors.destinations
    pairs = len(destinations.king_squares)
    chosen = work_space(MOST_KING_PAIRS, np.int64)
    expected = work_space(MOST_KING_PAIRS, np.int64)
    first = 0
    for board in boards:
        number = slots[first] // pairs
        row.layer[0] = number // destinations.layer_rows
        last = first
        while last < len(slots) and slots[last] // pairs == number:
            chosen[last - first] = slots[last] - number * pairs
            last += 1
        men, shift = np.uint64(0), np.int64(0)
        if law.royal:
            men = place_men(successors, row, board)
        if len(places):
            shift = (places[number] - number) * pairs
            if law.royal:
                _move_bases(row, places, pairs)
        count = last - first
        for side in range(2):
            part, codes_after = expected[:count], codes[1 - side]
            if law.royal:
                _expect(successors, row, codes_after, side, men, chosen[:count], part)
            else:
                _expect_led(successors, codes_after, places, side, board, chosen[:count], part)
            held, of_row = successors.preferences.held, slots[first:last]
            _compare(held, codes[side], shift, of_row, part, side, counts, found)
        first = last


@kernel
def _move_bases(row, places, pairs):
    """Replace the indices of the table's rows by the places of their codes."""
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


@kernel
def _expect(successors, row, codes_after, side, men, chosen, expected):
    """Write the preference of each position of a row by its moves; NO_MOVE if it is not legal.

    `codes_after` are the table's codes with the other side to move. The preferences of the
    pairs of kings `chosen` [n] are written to `expected` [n].
    """
    game, preferences = successors.game, successors.preferences
    for n in range(len(chosen)):
        expected[n] = NO_MOVE
        occupied = place_kings(successors, row, side, men, chosen[n])
        if not occupied:
            continue
        best, decided = np.int64(NO_MOVE), game.verdict(successors, row, side, occupied)
        if decided == OPEN:
            best = _best_move(successors, row, codes_after, side, occupied, 0, best)
        elif decided == BY_ZEROING:
            best = _best_zeroing_move(successors, row, codes_after, side, occupied, 0, best)
        if best == NO_MOVE:
            lost = decided or game.loses_unmoved(successors, row, side, occupied)
            best = np.int64(preferences.mated[side] if lost else DRAW_PREFERENCE)
        expected[n] = best


@kernel
def _expect_led(successors, codes_after, places, side, board, chosen, expected):
    """Do the work of `_expect` where no king is royal: all positions are legal.

    `board` uint8 [men] has the row's men; the leads are placed on it.
    """
    for n in range(len(chosen)):
        expected[n] = NO_MOVE
        if place_leads(successors, board, chosen[n]):
            expected[n] = best_led_move(successors, codes_after, places, side, board)


@kernel
def _compare(held, codes, shift, slots, expected, side, counts, found):
    """Count the positions of a row, and note where they differ from `expected`.

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
