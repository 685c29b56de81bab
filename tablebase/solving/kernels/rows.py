"""What a move out leads to, as bounds on all placements of the kings.

Four planes say it, seen by who moved. He wins by the move for sure (LOWER), or may win (UPPER):
these count for his own attack. The opponent is not sure to win (LOWER), or cannot win (UPPER):
these are the mover's defence against the opponent's bounds.
"""

from __future__ import annotations

import numpy as np

from tablebase.jit import empty_line, entry, hot_kernel, kernel, load_line, splat, store_line
from tablebase.solving.kernels.fields import (
    HOLD,
    SCRATCH,
    TURNS,
    WIN,
    How,
    Move,
    Out,
    State,
    place_in,
)
from tablebase.solving.kernels.keys import read_codes
from tablebase.solving.kernels.lists import list_captures
from tablebase.solving.kernels.planes import (
    KING_HITS,
    WORDS,
    ZERO,
    add_moved,
    add_moved_complement,
    add_word,
    bit,
    black_king_line,
    clear,
    is_empty,
    is_in,
    read_squares,
    write_legal,
)


@kernel
def legal_of(region, structure, plane, turn, codes, squares, rows, start):
    """Write the legal placements of kings in a plane of a structure; return the men's squares."""
    count = read_codes(region.keys[structure, 2], codes)
    stand = read_squares(plane, count, squares)
    white, black = region.keys[structure, 0], region.keys[structure, 1]
    write_legal(white, black, codes, squares, count, turn, rows, start)
    return stand | white | black


@hot_kernel
def add_answer(answer, first, out, i, target, start):
    """Add a plane of an answer to one of positions before the move."""
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
def add_answer_complement(answer, first, out, i, target, start):
    """Add the same of the positions that are not in a plane."""
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


@hot_kernel
def _bounds_of(region, structure, plane, mover, codes, squares, answer):
    """Write what a plane of a structure is worth for who moved there."""
    enemy = 1 - mover
    if (
        region.state[structure, mover] == State.CLOSED
        or region.state[structure, enemy] == State.CLOSED
    ):
        legal_of(region, structure, plane, enemy, codes, squares, answer, SCRATCH)
    if region.state[structure, mover] == State.CLOSED:
        for line in range(0, WORDS, 8):
            store_line(answer, WIN + line, empty_line())
            store_line(answer, WIN + 64 + line, load_line(answer, SCRATCH + line))
    else:
        for bound in range(2):
            win = place_in(region, structure, bound, mover, enemy, plane)
            for line in range(0, WORDS, 8):
                store_line(answer, WIN + 64 * bound + line, load_line(region.arena, win + line))
    if region.state[structure, enemy] == State.CLOSED:
        for line in range(0, WORDS, 8):
            store_line(answer, HOLD + line, load_line(answer, SCRATCH + line))
            store_line(answer, HOLD + 64 + line, empty_line())
    else:
        for bound in range(2):
            lose = place_in(region, structure, bound, enemy, enemy, plane)
            for line in range(0, WORDS, 8):
                store_line(answer, HOLD + 64 * bound + line, ~load_line(region.arena, lose + line))


@hot_kernel
def _remove(target, start, source, first):
    """Remove the positions of a plane from another."""
    for line in range(0, WORDS, 8):
        words = load_line(target, start + line) & ~load_line(source, first + line)
        store_line(target, start + line, words)


@hot_kernel
def _take_back(region, structure, back, plane, target, mover, codes, squares, out, answer):
    """Tighten the bounds of a closed structure by captures of the piece that is new on `target`.

    They lead to the structure `back`.
    """
    enemy = 1 - mover
    count = read_codes(region.keys[structure, 2], codes)
    stand = read_squares(plane, count, squares)
    pawns = region.keys[structure, 0] | region.keys[structure, 1]
    taken = 0
    while squares[taken] != target:
        taken += 1
    n = list_captures(codes, squares, count, stand | pawns, 0, taken, target, out, 0, enemy)
    saves, wins = SCRATCH, SCRATCH + 64
    clear(answer, saves)
    clear(answer, wins)
    for i in range(n):
        # For the enemy: not lost after all by the upper bound; won by the lower bound.
        if region.state[back, mover] != State.CLOSED:
            place = place_in(region, back, 1, mover, mover, out[i, Out.PLANE])
            add_answer_complement(region.arena, place, out, i, answer, saves)
        if region.state[back, enemy] != State.CLOSED:
            place = place_in(region, back, 0, enemy, mover, out[i, Out.PLANE])
            add_answer(region.arena, place, out, i, answer, wins)
    if region.state[structure, mover] == State.CLOSED:
        _remove(answer, WIN + 64, answer, saves)
    if region.state[structure, enemy] == State.CLOSED:
        _remove(answer, HOLD, answer, wins)


@hot_kernel
def _pass(region, plane, taken, mover, codes, squares, answer):
    """Let the enemy capture en passant, which leads to the structure `taken`."""
    enemy = 1 - mover
    if region.state[taken, mover] == State.CLOSED or region.state[taken, enemy] == State.CLOSED:
        legal_of(region, taken, plane, mover, codes, squares, answer, SCRATCH)
    if region.state[taken, mover] == State.CLOSED:
        _remove(answer, WIN, answer, SCRATCH)
    else:
        for bound in range(2):
            lost = place_in(region, taken, bound, mover, mover, plane)
            win = WIN + 64 * bound
            for line in range(0, WORDS, 8):
                words = load_line(answer, win + line) & load_line(region.arena, lost + line)
                store_line(answer, win + line, words)
    if region.state[taken, enemy] == State.CLOSED:
        _remove(answer, HOLD + 64, answer, SCRATCH)
    else:
        for bound in range(2):
            won = place_in(region, taken, bound, enemy, mover, plane)
            _remove(answer, HOLD + 64 * bound, region.arena, won)


@hot_kernel
def _unblock(region, structure, plane, taken, mover, codes, squares, answer):
    """Count stalemates with a capture en passant as lost; the capture may save them."""
    stale = region.stale[structure]
    if stale < 0 or (
        region.state[structure, 0] == State.CLOSED and region.state[structure, 1] == State.CLOSED
    ):
        return
    planes = 1 << (6 * np.int64(region.pieces[structure]))
    stale += ((1 - mover) * planes + plane) * WORDS
    if is_empty(region.arena, stale):
        return
    legal_of(region, taken, plane, mover, codes, squares, answer, SCRATCH)
    for line in range(0, WORDS, 8):
        words = load_line(region.arena, stale + line) & load_line(answer, SCRATCH + line)
        for win in (WIN + line, WIN + 64 + line):
            store_line(answer, win, load_line(answer, win) | words)


@kernel
def write_answer(region, moves, out, i, mover, codes, squares, spare, answer):
    """Write the bounds on what a move out of a plane leads to.

    Parameters
    ----------
    region
        A record of `RegionFields`.
    moves, out, i
        The lists of the structure and of the plane, and which of its moves.
    mover
        Who moves.
    codes, squares, spare
        Scratch: int64 [MAX_SQUARES] twice, and for a plane's list.
    answer
        uint64 [ANSWER_WORDS], written.
    """
    row, plane = out[i, Out.ROW], out[i, Out.PLANE]
    child, back = moves[row, Move.CHILD], moves[row, Move.BACK]
    _bounds_of(region, child, plane, mover, codes, squares, answer)
    is_outside = region.state[child, 0] == State.CLOSED or region.state[child, 1] == State.CLOSED
    if back >= 0 and is_outside:
        _take_back(
            region, child, back, plane, moves[row, Move.TO], mover, codes, squares, spare, answer
        )
    for column in (Move.PASSING, Move.PASSING_TOO):
        if moves[row, column] >= 0:
            _unblock(region, child, plane, moves[row, column], mover, codes, squares, answer)
    for column in (Move.PASSING, Move.PASSING_TOO):
        if moves[row, column] >= 0:
            _pass(region, plane, moves[row, column], mover, codes, squares, answer)


@entry
def write_unknown(region, structure, attacker, codes, squares, sets):
    """Write bounds of a structure that leave open wherever an attacker wins.

    Parameters
    ----------
    region, structure, attacker
        As in `attractor.attract`.
    codes, squares
        Scratch: int64 [MAX_SQUARES].
    sets
        uint64 [2 * TURNS * planes * 64], written: the lower bound, then the upper one.
    """
    count = read_codes(region.keys[structure, 2], codes)
    planes = 1 << (6 * count)
    white, black = region.keys[structure, 0], region.keys[structure, 1]
    for plane in range(planes):
        stand = read_squares(plane, count, squares)
        valid = (stand != ZERO or count == 0) and stand & (white | black) == ZERO
        for turn in range(2):
            lower = (turn * planes + plane) * WORDS
            upper = lower + TURNS * planes * WORDS
            clear(sets, upper)
            if valid:
                write_legal(white, black, codes, squares, count, turn, sets, upper)
            for line in range(0, WORDS, 8):
                legal = load_line(sets, upper + line)
                if turn == attacker:
                    store_line(sets, lower + line, ~legal)
                    store_line(sets, upper + line, ~empty_line())
                else:
                    store_line(sets, lower + line, empty_line())
