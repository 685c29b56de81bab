"""The best move of single positions in which no king is royal, and captures are forced.

What leads after a move depends on where all men stand, so nothing is listed for whole rows. Men
are numbered as in `Material.movers`, the leads last. As in `forward`, nothing is shared with the
solver.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.index.numbering import MAX_MEN_OF_INDEX
from tablebase.core.jit.instructions import work_space, work_table
from tablebase.core.jit.kernels import hot_kernel, kernel
from tablebase.core.moves.forward import slot_with_kings
from tablebase.core.moves.move_lists import NO_MAN, QUIET
from tablebase.core.moves.row_moves import ONE, PAWN, WHITE, find_bases
from tablebase.core.outcomes.metrics import HORIZON, NO_MOVE

PUSHED = np.int64(1)  # the row of `Preferences.before` of zeroing moves within the table


@kernel
def best_led_move(successors, codes_after, places, side, board):
    """Return the largest preference of all moves of a position, or what having no move is worth.

    `board` uint8 [men] has the squares in the order of `Material.men`; `codes_after` are the
    table's codes with the other side to move, and `places` where its rows lie, see
    `fixed_point.check_slots`.
    """
    law = successors.law
    count = len(law.colors)
    # What reads squares leaves room for two kings.
    squares = work_space(MAX_MEN_OF_INDEX, np.uint8)[: count + 2]
    occupied = _put_men(successors, board, squares)
    best = _best_of_captures(successors, codes_after, places, side, squares, occupied)
    if best != NO_MOVE:
        return best
    for man in range(count):
        if law.colors[man] != side or not law.types[man]:
            continue
        if law.types[man] == PAWN:
            found = _best_advance(successors, codes_after, places, man, squares, occupied)
        else:
            found = _best_quiet(successors, codes_after, places, man, squares, occupied)
        best = max(best, found)
    return np.int64(successors.preferences.no_move[side]) if best == NO_MOVE else best


@kernel
def best_led_zeroing(successors, codes_after, places, side, board, best):
    """Write the largest preference of captures, and of pawn moves, to `best` int64 [2].

    It is NO_MOVE where there is none, and of pawn moves where captures are forced. All else is as
    in `best_led_move`.
    """
    law = successors.law
    count = len(law.colors)
    squares = work_space(MAX_MEN_OF_INDEX, np.uint8)[: count + 2]
    occupied = _put_men(successors, board, squares)
    best[0] = _best_of_captures(successors, codes_after, places, side, squares, occupied)
    best[1] = NO_MOVE
    for man in range(count if best[0] == NO_MOVE else 0):
        if law.colors[man] == side and law.types[man] == PAWN:
            found = _best_advance(successors, codes_after, places, man, squares, occupied)
            best[1] = max(best[1], found)


@kernel
def place_leads(successors, board, pair):
    """Put a pair of leads on a board of the row's men; return whether no two men share a square."""
    for color in range(2):
        board[color] = successors.destinations.king_squares[pair, color]
    occupied = np.uint64(0)
    for man in range(len(board)):
        # The leads come last among the men.
        if successors.law.types[(man + len(board) - 2) % len(board)]:
            bit = ONE << np.uint64(board[man])
            if occupied & bit:
                return False
            occupied |= bit
    return True


@kernel
def _put_men(successors, board, squares):
    """Write the squares of men to `squares` uint8 [men + 2], and return all of them."""
    law = successors.law
    count = len(law.colors)
    squares[0] = squares[1] = 0
    occupied = np.uint64(0)
    for man in range(count):
        squares[man + 2] = board[(man + 2) % count]
        if law.types[man]:
            occupied |= ONE << np.uint64(squares[man + 2])
    return occupied


@kernel
def _best_of_captures(successors, codes_after, places, side, squares, occupied):
    """Return the largest preference of a side's captures, NO_MOVE without any."""
    law = successors.law
    best = np.int64(NO_MOVE)
    for man in range(len(law.colors)):
        if law.colors[man] == side and law.types[man]:
            best = max(best, _best_capture(successors, codes_after, places, man, squares, occupied))
    return best


@hot_kernel
def _best_capture(successors, codes_after, places, man, squares, occupied):
    """Return the largest preference of a man's captures, NO_MOVE without any."""
    best = np.int64(NO_MOVE)
    for other in range(len(successors.law.colors)):
        if _takes(successors, man, other, squares, occupied):
            target = np.int64(squares[other + 2])
            best = max(best, _move(successors, codes_after, places, man, target, other, squares))
    return best


@hot_kernel
def _takes(successors, man, other, squares, occupied):
    """Return whether a man can take another one."""
    law, by_man = successors.law, successors.by_man
    if law.colors[other] == law.colors[man] or not law.types[other]:
        return False
    place, origin = (man + 2) % len(law.colors), np.int64(squares[man + 2])
    target = np.int64(squares[other + 2])
    if not (by_man.attacks[place, origin] >> np.uint64(target)) & ONE:
        return False
    return not by_man.between[place, origin, target] & occupied


@hot_kernel
def _best_quiet(successors, codes_after, places, man, squares, occupied):
    """Return the largest preference of a piece's moves to empty squares, NO_MOVE without any."""
    best = np.int64(NO_MOVE)
    for ray in successors.by_man.walks[(man + 2) % len(successors.law.colors), squares[man + 2]]:
        for target in ray:
            if target < 0 or (occupied >> np.uint64(target)) & ONE:
                break
            found = _move(successors, codes_after, places, man, np.int64(target), NO_MAN, squares)
            best = max(best, found)
    return best


@kernel
def _best_advance(successors, codes_after, places, man, squares, occupied):
    """Return the largest preference of a pawn's moves without a capture, NO_MOVE without any."""
    law = successors.law
    side, origin = law.colors[man], np.int64(squares[man + 2])
    step = np.int64(8 if side == WHITE else -8)
    if (occupied >> np.uint64(origin + step)) & ONE:
        return np.int64(NO_MOVE)
    best = _move(successors, codes_after, places, man, origin + step, NO_MAN, squares)
    landing = origin + 2 * step
    if origin >> 3 != law.push_rank[side] or (occupied >> np.uint64(landing)) & ONE:
        return best
    without = _move(successors, codes_after, places, man, landing, NO_MAN, squares)
    squares[man + 2] = landing
    after = occupied & ~(ONE << np.uint64(origin)) | ONE << np.uint64(landing)
    # The opponent must take where it can, and chooses what is worst for the pushing side.
    worst, can_take = np.int64(HORIZON), False
    for taker in range(len(law.colors)):
        if law.colors[taker] == side:
            continue
        for other in range(len(law.colors)):
            can_take |= _takes(successors, taker, other, squares, after)
        beside = np.int64(squares[taker + 2])
        is_beside = beside >> 3 == landing >> 3 and abs(beside - landing) == 1
        if law.types[taker] == PAWN and is_beside:
            worst = min(worst, _answer(successors, taker, man, origin + step, squares))
    squares[man + 2] = origin
    if worst == HORIZON:
        worst = without
    elif can_take:
        worst = min(worst, without)
    return max(best, worst)


@kernel
def _answer(successors, taker, pushed, ep_square, squares):
    """Return the preference before a double push that a capture en passant answers."""
    law, destinations, preferences = successors.law, successors.destinations, successors.preferences
    side = law.colors[pushed]
    if law.counts[side] == 1:
        return np.int64(preferences.taken[1])
    kind = destinations.kind[1 - side, np.int64(1) << pushed, 0, 0]
    beside = squares[taker + 2]
    squares[taker + 2] = ep_square
    slot = _slot(successors, kind, squares)
    squares[taker + 2] = beside
    code = successors.codes[destinations.start[kind, side] + slot]
    return np.int64(preferences.answers[kind, side, code])


@hot_kernel
def _move(successors, codes_after, places, man, target, captured, squares):
    """Return the preference before a move, the largest of all promotions if it is one.

    It takes man `captured`, or NO_MAN.
    """
    law, destinations = successors.law, successors.destinations
    side, removed = law.colors[man], np.int64(0)
    is_pawn = law.types[man] == PAWN
    if captured != NO_MAN:
        if law.counts[1 - side] == 1:
            return np.int64(successors.preferences.taken[0])
        removed = np.int64(1) << captured
    origin, best = squares[man + 2], np.int64(NO_MOVE)
    squares[man + 2] = target
    if is_pawn and target >> 3 == law.promotion_rank[side]:
        for new in law.promotions:
            kind = destinations.kind[side, removed, man + 1, new]
            best = max(best, _after(successors, codes_after, places, kind, side, is_pawn, squares))
    else:
        kind = destinations.kind[side, removed, 0, 0]
        best = _after(successors, codes_after, places, kind, side, is_pawn, squares)
    squares[man + 2] = origin
    return best


@hot_kernel
def _after(successors, codes_after, places, kind, side, is_pawn, squares):
    """Return the preference before a move of `side`, by the squares after it."""
    destinations, preferences = successors.destinations, successors.preferences
    slot = _slot(successors, kind, squares)
    if kind:
        code = successors.codes[destinations.start[kind, 1 - side] + slot]
        return np.int64(preferences.before[kind + 1, 1 - side, code])
    if len(places):
        pairs = len(destinations.king_squares)
        slot = np.int64(places[slot // pairs]) * pairs + slot % pairs
    return np.int64(preferences.before[PUSHED if is_pawn else QUIET, 1 - side, codes_after[slot]])


@hot_kernel
def _slot(successors, kind, squares):
    """Return the index of a position in the table of its kind."""
    destinations, variant = successors.destinations, successors.destinations.variant[kind]
    kings = np.int64(0)
    for color in range(2):
        lead = destinations.leads[kind, color]
        kings = kings * 64 + (np.int64(squares[lead + 2]) if lead != NO_MAN else 0)
    wanted = np.int64(0)
    for column in (0, 2):
        wanted |= np.int64(1) << np.int64(destinations.pair_at[variant, kings, column])
    bases = work_table(1, 8, np.int64)
    find_bases(successors, kind, squares, wanted, bases[0])
    return slot_with_kings(destinations.pair_at, variant, kings, bases, np.int64(0))
