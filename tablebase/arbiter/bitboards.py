"""Kernels: legal moves of chess but castling on bitboards, for any number of men.

A state is eight words: the squares of pawns, knights, bishops, rooks, queens and kings, those of
White, and 1 for White to move plus twice the en passant square and 2.
"""

from __future__ import annotations

from enum import IntEnum

import chess
import numpy as np

from tablebase.core.jit.instructions import count_bits, lowest_bit
from tablebase.core.jit.kernels import hot_kernel

WORDS = 8
MOST_MOVES = 256
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
NOTHING, ONE = np.uint64(0), np.uint64(1)
BITS = ONE << np.arange(64, dtype=np.uint64)
_SHIFTS = np.array([1, 2, 4, 8, 16, 32], np.uint64)


class Word(IntEnum):
    """Where a state has what is no kind of men."""

    WHITE = 6
    TURN = 7


def _way(square: int, file: int, rank: int) -> int:
    """Return the squares in a direction, up to the edge."""
    x, y = square % 8 + file, square // 8 + rank
    inside = 0 <= x < 8 and 0 <= y < 8
    return 1 << (8 * y + x) | _way(8 * y + x, file, rank) if inside else 0


# By direction: first those to higher squares; 0, 1, 4 and 5 are a rook's.
_DIRECTIONS = [(1, 0), (0, 1), (-1, 1), (1, 1), (-1, 0), (0, -1), (1, -1), (-1, -1)]
_RAYS = np.array([[_way(at, *step) for at in range(64)] for step in _DIRECTIONS], np.uint64)
_LEAPS = np.array(chess.BB_KNIGHT_ATTACKS, np.uint64)
AROUND = np.array(chess.BB_KING_ATTACKS, np.uint64)
_PAWN_TAKES = np.array(chess.BB_PAWN_ATTACKS, np.uint64)  # by colour, 1 for White


@hot_kernel
def _ray(direction, square, occupied):
    """Return the squares of a ray up to the first man, whose square is one of them."""
    ray = _RAYS[direction, square]
    men = ray & occupied
    if men == NOTHING:
        return ray
    if direction < 4:
        return ray ^ _RAYS[direction, lowest_bit(men)]
    for i in range(6):
        men |= men >> _SHIFTS[i]
    return ray ^ _RAYS[direction, count_bits(men) - 1]


@hot_kernel
def _slides(first, square, occupied):
    """Return the squares that a rook or a bishop attacks, by its first direction."""
    found = _ray(first, square, occupied) | _ray(first + 1, square, occupied)
    return found | _ray(first + 4, square, occupied) | _ray(first + 5, square, occupied)


@hot_kernel
def attacked_from(kind, square, occupied):
    """Return the squares that a man other than a pawn attacks."""
    if kind == KNIGHT:
        return _LEAPS[square]
    if kind == KING:
        return AROUND[square]
    found = NOTHING
    if kind != ROOK:
        found |= _slides(2, square, occupied)
    if kind != BISHOP:
        found |= _slides(0, square, occupied)
    return found


@hot_kernel
def occupied_in(state):
    """Return the squares of all men."""
    found = NOTHING
    for kind in range(6):
        found |= state[kind]
    return found


@hot_kernel
def occupied_by(state, color):
    """Return the squares of all men of a colour, 1 for White."""
    return state[Word.WHITE] if color else occupied_in(state) & ~state[Word.WHITE]


@hot_kernel
def is_hit(state, color, square, occupied):
    """Return whether a colour attacks a square, over a given occupation."""
    own = occupied_by(state, color)
    if (_PAWN_TAKES[1 - color, square] & state[PAWN] & own) != NOTHING:
        return True
    for kind in range(KNIGHT, KING + 1):
        men = state[kind] & own
        if men != NOTHING and (attacked_from(kind, square, occupied) & men) != NOTHING:
            return True
    return False


@hot_kernel
def turn_of(state):
    """Return 1 if White is to move, else 0."""
    return np.int64(state[Word.TURN] & ONE)


@hot_kernel
def king_of(state, color):
    """Return the square of a king."""
    return lowest_bit(state[KING] & occupied_by(state, color))


@hot_kernel
def is_checked(state, color):
    """Return whether a colour is in check."""
    return is_hit(state, 1 - color, king_of(state, color), occupied_in(state))


@hot_kernel
def _pawn_targets(state, origin, occupied, other):
    """Return the targets of a pawn of the side to move, en passant captures included."""
    turn = turn_of(state)
    ahead = 8 if turn else -8
    ep_square = np.int64(state[Word.TURN] >> ONE) - 1
    found = _PAWN_TAKES[turn, origin] & other
    if ep_square >= 0:
        found |= _PAWN_TAKES[turn, origin] & BITS[ep_square]
    if (occupied & BITS[origin + ahead]) == NOTHING:
        found |= BITS[origin + ahead]
        is_home = origin // 8 == (1 if turn else 6)
        if is_home and (occupied & BITS[origin + 2 * ahead]) == NOTHING:
            found |= BITS[origin + 2 * ahead]
    return found


@hot_kernel
def _make(state, after, kind, origin, target, becomes):
    """Write the state after a move; return whether it leaves the own king out of check."""
    turn = turn_of(state)
    ep_square = np.int64(state[Word.TURN] >> ONE) - 1
    gone = BITS[origin] | BITS[target]
    if kind == PAWN and target == ep_square:
        gone |= BITS[target - 8 if turn else target + 8]
    for i in range(WORDS):
        after[i] = state[i] & ~gone if i < Word.TURN else state[i]
    after[becomes] |= BITS[target]
    if turn:
        after[Word.WHITE] |= BITS[target]
    after[Word.TURN] = ONE - (state[Word.TURN] & ONE)
    if kind == PAWN and abs(target - origin) == 16:
        ep_square = (origin + target) // 2
        takers = _PAWN_TAKES[turn, ep_square] & after[PAWN] & occupied_by(after, 1 - turn)
        if takers != NOTHING:
            after[Word.TURN] |= np.uint64(2 * (ep_square + 1))
    return not is_checked(after, turn)


@hot_kernel
def children(state, rows, moves):
    """Write the states after all legal moves, and the moves; return how many there are.

    A move is its first square, 64 times its last one, and 4096 times the kind of a promoted man.
    """
    turn = turn_of(state)
    own, other = occupied_by(state, turn), occupied_by(state, 1 - turn)
    count, left = 0, own
    while left != NOTHING:
        origin = lowest_bit(left)
        left &= left - ONE
        kind = 0
        while (state[kind] & BITS[origin]) == NOTHING:
            kind += 1
        if kind == PAWN:
            targets = _pawn_targets(state, origin, own | other, other)
        else:
            targets = attacked_from(kind, origin, own | other) & ~own
        while targets != NOTHING:
            target = lowest_bit(targets)
            targets &= targets - ONE
            promotes = kind == PAWN and (target < 8 or target >= 56)
            becomes = QUEEN if promotes else kind
            last = KNIGHT if promotes else kind
            while becomes >= last and _make(state, rows[count], kind, origin, target, becomes):
                moves[count] = origin | target << 6 | (becomes << 12 if promotes else 0)
                count += 1
                becomes -= 1
    return count
