"""The results of a move out, as bounds on all placements of the kings.

Four planes hold them, for the side that has just moved. For its attack: where the move surely wins
(LOWER) and may win (UPPER). For its defence: where the opponent is not sure to win (LOWER), and
cannot win (UPPER).
"""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.kernels import entry, hot_kernel, kernel
from tablebase.core.jit.vectors import empty_line, load_line, splat, store_line
from tablebase.solve.kernels.fields import (
    HOLD,
    LOWER,
    NONE,
    SCRATCH,
    TURNS,
    UPPER,
    WIN,
    How,
    Move,
    Out,
    State,
    answer_at,
    pawns_of,
    planes_of,
)
from tablebase.solve.kernels.keys import read_pieces
from tablebase.solve.kernels.king_planes import (
    KING_HITS,
    WORDS,
    ZERO,
    add,
    add_moved,
    add_moved_complement,
    add_word,
    bit,
    black_king_line,
    clear,
    copy,
    is_empty,
    is_in,
    keep,
    read_squares,
    remove,
    stand_apart,
    write_legal,
)
from tablebase.solve.kernels.lists import list_captures
from tablebase.solve.kernels.packing import read_bound, read_plane


@hot_kernel
def push_forward(source, start, out, i, target, first):
    """Write where a move leads to from the positions of a plane."""
    how, square = out[i, Out.HOW], out[i, Out.SQUARE]
    clear(target, first)
    if how == How.KINGS_STAY:
        add_moved(target, first, source, start, np.uint64(out[i, Out.MASK]))
    elif how == How.WHITE_KING:
        for k in range(64):
            if is_in(KING_HITS[square], k):
                target[first + square] |= source[start + k]
    else:
        for k in range(64):
            if source[start + k] & KING_HITS[square] != ZERO:
                target[first + k] = bit(square)


@kernel
def write_answer(region, work, i, mover):
    """Write the bounds on what move `i` of a plane's list leads to into the answer."""
    moves = work.moves
    row, plane = work.here.out[i, Out.ROW], work.here.out[i, Out.PLANE]
    child = moves[row, Move.CHILD]
    _bounds_of(region, work, child, plane, mover)
    is_outside = region.state[child, 0] == State.CLOSED or region.state[child, 1] == State.CLOSED
    if moves[row, Move.BACK] >= 0 and is_outside:
        _take_back(region, work, row, plane, mover)
    for column in (Move.EN_PASSANT, Move.EN_PASSANT_TOO):
        if moves[row, column] >= 0:
            _unblock(region, work, child, plane, moves[row, column], mover)
    for column in (Move.EN_PASSANT, Move.EN_PASSANT_TOO):
        if moves[row, column] >= 0:
            _pass(region, work, moves[row, column], plane, mover)


@hot_kernel
def _bounds_of(region, work, structure, plane, mover):
    """Write the bounds of a structure's plane into the answer, as `mover` sees them."""
    answer, enemy = work.answer, 1 - mover
    if (
        region.state[structure, mover] == State.CLOSED
        or region.state[structure, enemy] == State.CLOSED
    ):
        legal_of(region, work.there, structure, plane, enemy, answer, SCRATCH)
    if region.state[structure, mover] == State.CLOSED:
        clear(answer, WIN)
        copy(answer, answer_at(WIN, UPPER), answer, SCRATCH)
    else:
        for bound in range(2):
            rows, win = read_bound(region, work, structure, bound, mover, enemy, plane)
            copy(answer, answer_at(WIN, bound), rows, win)
    if region.state[structure, enemy] == State.CLOSED:
        copy(answer, HOLD, answer, SCRATCH)
        clear(answer, answer_at(HOLD, UPPER))
    else:
        for bound in range(2):
            rows, lose = read_bound(region, work, structure, bound, enemy, enemy, plane)
            here = answer_at(HOLD, bound)
            for line in range(0, WORDS, 8):
                store_line(answer, here + line, ~load_line(rows, lose + line))


@kernel
def legal_of(region, men, structure, plane, turn, rows, start):
    """Write the legal placements of kings in a plane of a structure, whose pieces `men` gets."""
    read_pieces(region, structure, men)
    read_squares(men, plane)
    write_legal(men, region.keys[structure, 0], region.keys[structure, 1], turn, rows, start)


@hot_kernel
def _take_back(region, work, row, plane, mover):
    """Tighten the bounds of what a promotion leads to by captures of the new piece."""
    answer, men, out, enemy = work.answer, work.there, work.there.out, 1 - mover
    structure, back = work.moves[row, Move.CHILD], work.moves[row, Move.BACK]
    taken, target = work.moves[row, Move.NEW], work.moves[row, Move.TO]
    read_pieces(region, structure, men)
    occupied = read_squares(men, plane) | pawns_of(region, structure)
    n = list_captures(men, 0, enemy, row, taken, target, occupied)
    saves, wins = SCRATCH, SCRATCH + WORDS
    clear(answer, saves)
    clear(answer, wins)
    for i in range(n):
        # For the enemy: not lost after all by the upper bound; won by the lower bound.
        if region.state[back, mover] != State.CLOSED:
            there = out[i, Out.PLANE]
            rows, base = read_bound(region, work, back, UPPER, mover, mover, there)
            add_answer_complement(rows, base, out, i, answer, saves)
        if region.state[back, enemy] != State.CLOSED:
            there = out[i, Out.PLANE]
            rows, base = read_bound(region, work, back, LOWER, enemy, mover, there)
            add_answer(rows, base, out, i, answer, wins)
    if region.state[structure, mover] == State.CLOSED:
        remove(answer, answer_at(WIN, UPPER), answer, saves)
    if region.state[structure, enemy] == State.CLOSED:
        remove(answer, HOLD, answer, wins)


@hot_kernel
def add_answer_complement(answer, first, out, i, target, start):
    """Add the complement of a plane of an answer to a plane of positions before the move."""
    how, square = out[i, Out.HOW], out[i, Out.SQUARE]
    if how == How.KINGS_STAY:
        add_moved_complement(target, start, answer, first, np.uint64(out[i, Out.MASK]))
    elif how == How.WHITE_KING:
        add_word(target, start, KING_HITS[square], ~answer[first + square])
    else:
        for line in range(0, WORDS, 8):
            words = splat(bit(square)) & ~load_line(answer, first + line)
            words = load_line(target, start + line) | black_king_line(words)
            store_line(target, start + line, words)


@hot_kernel
def add_answer(answer, first, out, i, target, start):
    """Add a plane of an answer to a plane of positions before the move."""
    how, square = out[i, Out.HOW], out[i, Out.SQUARE]
    if how == How.KINGS_STAY:
        add_moved(target, start, answer, first, np.uint64(out[i, Out.MASK]))
    elif how == How.WHITE_KING:
        add_word(target, start, KING_HITS[square], answer[first + square])
    else:
        for line in range(0, WORDS, 8):
            words = load_line(answer, first + line) & splat(bit(square))
            words = load_line(target, start + line) | black_king_line(words)
            store_line(target, start + line, words)


@hot_kernel
def _unblock(region, work, structure, plane, taken, mover):
    """Count stalemates with an en passant capture as lost; the capture may save them."""
    answer = work.answer
    if region.stale[structure] == NONE or (
        region.state[structure, 0] == State.CLOSED and region.state[structure, 1] == State.CLOSED
    ):
        return
    row = (1 - mover) * planes_of(region, structure) + plane
    rows, stale = read_plane(region, work, region.stale[structure], row, ZERO)
    if is_empty(rows, stale):
        return
    legal_of(region, work.there, taken, plane, mover, answer, SCRATCH)
    keep(answer, SCRATCH, rows, stale)
    for bound in range(2):
        add(answer, answer_at(WIN, bound), answer, SCRATCH)


@hot_kernel
def _pass(region, work, taken, plane, mover):
    """Let the enemy capture en passant, which leads to the structure `taken`."""
    answer, enemy = work.answer, 1 - mover
    if region.state[taken, mover] == State.CLOSED or region.state[taken, enemy] == State.CLOSED:
        legal_of(region, work.there, taken, plane, mover, answer, SCRATCH)
    if region.state[taken, mover] == State.CLOSED:
        remove(answer, WIN, answer, SCRATCH)
    else:
        for bound in range(2):
            rows, lost = read_bound(region, work, taken, bound, mover, mover, plane)
            keep(answer, answer_at(WIN, bound), rows, lost)
    if region.state[taken, enemy] == State.CLOSED:
        remove(answer, answer_at(HOLD, UPPER), answer, SCRATCH)
    else:
        for bound in range(2):
            rows, won = read_bound(region, work, taken, bound, enemy, mover, plane)
            remove(answer, answer_at(HOLD, bound), rows, won)


@entry
def write_unknown(region, men, structure, attacker, sets):
    """Write bounds of a structure that leave all open that an attacker may win to `sets`.

    They are uint64 [2 * TURNS * planes * WORDS], lower, then upper; `men` is written as well.
    """
    planes = planes_of(region, structure)
    white, black = region.keys[structure, 0], region.keys[structure, 1]
    read_pieces(region, structure, men)
    for plane in range(planes):
        valid = stand_apart(men, read_squares(men, plane), white | black)
        for turn in range(2):
            lower = (turn * planes + plane) * WORDS
            upper = lower + TURNS * planes * WORDS
            clear(sets, upper)
            if valid:
                write_legal(men, white, black, turn, sets, upper)
            for line in range(0, WORDS, 8):
                legal = load_line(sets, upper + line)
                if turn == attacker:
                    store_line(sets, lower + line, ~legal)
                    store_line(sets, upper + line, ~empty_line())
                else:
                    store_line(sets, lower + line, empty_line())
