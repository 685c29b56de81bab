"""Where a side can force a win within a structure, given what its moves out are worth.

The attacker to move wins where a move leads to a position that is won; the defender to move loses
where every move does, unless it is stalemate. The least such sets are found by growing them from
the moves out and checkmates, plane by plane, until nothing is new.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.jit import KernelRecord, hot_kernel, kernel
from tablebase.solving.lists import COLUMNS, MOST_MOVES, OUT_COLUMNS
from tablebase.solving.planes import (
    MAX_SQUARES,
    PIECE_RAYS,
    WORDS,
    ZERO,
    add_king_moved,
    add_moved_complement,
    bit,
    clear,
    is_in,
    read_squares,
)
from tablebase.solving.region import place_in
from tablebase.solving.rows import ANSWER_WORDS

# Sets of the work space: legal positions by side to move, stalemates by side to move, what a
# defender's moves out save by bound and attacker, what is new of both sides to move, where a
# side to move may claim a draw since it might have promoted to a rook or bishop, and where a
# defender's move has just turned out to lose.
LEGAL, STALE, SAVED, FRESH, CLAIM, DOUBT = 0, 2, 4, 8, 10, 12
WORK_SETS = 13
# Planes of scratch.
_SAFE, _OTHER = 0, 64


class WorkFields(NamedTuple):
    """What one thread needs besides the region."""

    sets: NDArray[np.uint64]  # [WORK_SETS * planes * 64]
    queue: NDArray[np.int32]  # [2, planes] planes to look at
    queued: NDArray[np.uint8]  # [2, planes] whether they are in the queue
    valid: NDArray[np.uint8]  # [planes] whether no two men stand on one square
    moves: NDArray[np.int64]  # [MOST_MOVES, COLUMNS] the structure's list
    out: NDArray[np.int64]  # [MOST_MOVES, OUT_COLUMNS] a plane's list
    spare: NDArray[np.int64]  # [MOST_MOVES, OUT_COLUMNS]
    codes: NDArray[np.int64]  # [2, MAX_SQUARES] the pieces, and scratch
    squares: NDArray[np.int64]  # [2, MAX_SQUARES]
    answer: NDArray[np.uint64]  # [ANSWER_WORDS]
    scratch: NDArray[np.uint64]  # [4 * 64]
    ranks: NDArray[np.uint16]  # [2 * planes * 4096] rounds of the attack, or nothing
    numbers: NDArray[np.int64]  # [2] planes that there is room for, whether to record ranks


def work_bytes(planes: int) -> int:
    """Return the bytes of a thread's work space."""
    return WORK_SETS * planes * WORDS * 8 + 11 * planes + 300_000


def make_work(planes: int, *, ranks: bool = False) -> KernelRecord:
    """Return a thread's work space for structures of so many planes."""

    def lists(columns: int) -> NDArray[np.int64]:
        return np.zeros((MOST_MOVES, columns), dtype=np.int64)

    return KernelRecord(
        WorkFields(
            np.empty(WORK_SETS * planes * WORDS, dtype=np.uint64),
            np.zeros((2, planes), dtype=np.int32),
            np.zeros((2, planes), dtype=np.uint8),
            np.zeros(planes, dtype=np.uint8),
            lists(COLUMNS),
            lists(OUT_COLUMNS),
            lists(OUT_COLUMNS),
            np.zeros((2, MAX_SQUARES), dtype=np.int64),
            np.zeros((2, MAX_SQUARES), dtype=np.int64),
            np.zeros(ANSWER_WORDS, dtype=np.uint64),
            np.zeros(4 * WORDS, dtype=np.uint64),
            np.zeros(2 * planes * 4096 if ranks else 0, dtype=np.uint16),
            np.array([planes, 0], dtype=np.int64),
        )
    )


@kernel
def set_at(planes, number, plane):
    """Return where a plane of a set of the work space begins."""
    return (number * planes + plane) * WORDS


@hot_kernel
def _put_new(arena, place, sets, fresh, source, first, mask):
    """Add to a plane of the arena, and to its fresh positions, what a move reaches."""
    found = ZERO
    for k in range(64):
        lost = mask | (ZERO - ((mask >> np.uint64(k)) & np.uint64(1)))
        word = source[first + k] & ~(lost | arena[place + k])
        found |= word
        arena[place + k] |= word
        sets[fresh + k] |= word
    return found != ZERO


@hot_kernel
def _put_doubt(sets, doubt, source, first, mask, legal, saved, arena, lost):
    """Note a defender's positions, neither lost nor saved, before what a move reaches."""
    found = ZERO
    for k in range(64):
        away = mask | (ZERO - ((mask >> np.uint64(k)) & np.uint64(1)))
        word = source[first + k] & sets[legal + k] & ~(away | sets[saved + k] | arena[lost + k])
        found |= word
        sets[doubt + k] |= word
    return found != ZERO


@hot_kernel
def _is_safe(sets, doubt, scratch):
    """Return whether all positions in doubt are safe."""
    found = ZERO
    for k in range(64):
        found |= sets[doubt + k] & ~scratch[_SAFE + k]
    return found == ZERO


@kernel
def _enqueue(work, number, plane, count):
    if work.queued[number, plane] == 0:
        work.queued[number, plane] = 1
        work.queue[number, count] = plane
        return count + 1
    return count


@hot_kernel
def _find_lost(region, work, plane, planes, pieces, pawns, defender, bound, won, lost, draws):
    """Add the defender's positions in doubt that are lost; return whether there are any.

    They are also written to the fresh ones of the defender.
    """
    scratch, sets, arena = work.scratch, work.sets, region.arena
    doubt = set_at(planes, DOUBT, plane)
    drawn = set_at(planes, draws, plane)
    saved = set_at(planes, SAVED + 2 * bound + 1 - defender, plane)
    here = lost + plane * WORDS
    for k in range(64):
        scratch[_SAFE + k] = sets[saved + k] | (sets[drawn + k] if draws else ZERO)
        scratch[_OTHER + k] = ~arena[won + plane * WORDS + k]
    add_king_moved(scratch, _SAFE, scratch, _OTHER, defender)
    occupied = read_squares(plane, pieces, work.squares[0]) | pawns
    for i in range(pieces):
        if work.codes[0, i] // 4 != defender:
            continue
        if _is_safe(sets, doubt, scratch):
            break
        kind, start = work.codes[0, i] & 3, work.squares[0, i]
        for ray in range(8):
            mask = ZERO
            for step in range(7):
                target = np.int64(PIECE_RAYS[kind, start, ray, step])
                if target < 0 or is_in(occupied, target):
                    break
                mask |= bit(target)
                there = plane + ((target - start) << (6 * i))
                add_moved_complement(scratch, _SAFE, arena, won + there * WORDS, mask)
    fresh = set_at(planes, FRESH + defender, plane)
    found = ZERO
    for k in range(64):
        word = sets[doubt + k] & ~scratch[_SAFE + k]
        sets[doubt + k] = ZERO
        sets[fresh + k] = word
        arena[here + k] |= word
        found |= word
    return found != ZERO


@hot_kernel
def _win_before(region, work, plane, planes, pieces, pawns, attacker, won, count):
    """Add the attacker's positions before fresh lost ones; return the new length of the queue."""
    scratch, sets, arena = work.scratch, work.sets, region.arena
    lost = set_at(planes, FRESH + 1 - attacker, plane)
    clear(scratch, _OTHER)
    add_king_moved(scratch, _OTHER, sets, lost, attacker)
    fresh = set_at(planes, FRESH + attacker, 0)
    here = plane * WORDS
    if _put_new(arena, won + here, sets, fresh + here, scratch, _OTHER, ZERO):
        count = _enqueue(work, 1, plane, count)
    occupied = read_squares(plane, pieces, work.squares[0]) | pawns
    for i in range(pieces):
        if work.codes[0, i] // 4 != attacker:
            continue
        kind, start = work.codes[0, i] & 3, work.squares[0, i]
        for ray in range(8):
            mask = ZERO
            for step in range(7):
                target = np.int64(PIECE_RAYS[kind, start, ray, step])
                if target < 0 or is_in(occupied, target):
                    break
                mask |= bit(target)
                there = (plane + ((target - start) << (6 * i))) * WORDS
                if _put_new(arena, won + there, sets, fresh + there, sets, lost, mask):
                    count = _enqueue(work, 1, there // WORDS, count)
    return count


@hot_kernel
def _lose_before(region, work, plane, planes, pieces, pawns, defender, bound, lost, count):
    """Queue planes where fresh won positions may make the defender lose; return the length."""
    sets, arena, scratch = work.sets, region.arena, work.scratch
    won = set_at(planes, FRESH + 1 - defender, plane)
    legal = set_at(planes, LEGAL + defender, 0)
    saved = set_at(planes, SAVED + 2 * bound + 1 - defender, 0)
    doubt = set_at(planes, DOUBT, 0)
    clear(scratch, _OTHER)
    add_king_moved(scratch, _OTHER, sets, won, defender)
    at = plane * WORDS
    if _put_doubt(
        sets, doubt + at, scratch, _OTHER, ZERO, legal + at, saved + at, arena, lost + at
    ):
        count = _enqueue(work, 0, plane, count)
    occupied = read_squares(plane, pieces, work.squares[0]) | pawns
    for i in range(pieces):
        if work.codes[0, i] // 4 != defender:
            continue
        kind, start = work.codes[0, i] & 3, work.squares[0, i]
        for ray in range(8):
            mask = ZERO
            for step in range(7):
                target = np.int64(PIECE_RAYS[kind, start, ray, step])
                if target < 0 or is_in(occupied, target):
                    break
                mask |= bit(target)
                at = (plane + ((target - start) << (6 * i))) * WORDS
                if _put_doubt(
                    sets, doubt + at, sets, won, mask, legal + at, saved + at, arena, lost + at
                ):
                    count = _enqueue(work, 0, at // WORDS, count)
    clear(sets, won)
    return count


@kernel
def _record_ranks(work, sets, place, first, rank):
    """Write the round in which positions were found."""
    for k in range(64):
        word = sets[place + k]
        for square in range(64):
            if is_in(word, square):
                work.ranks[first + 64 * k + square] = rank


@kernel
def has_queen(pieces, side):
    """Return whether a side has a queen among the pieces of a structure."""
    return (pieces >> np.uint64(16 * side)) & np.uint64(15) != ZERO


@hot_kernel
def _begin(region, structure, work, planes, bound, attacker):
    """Queue all planes, with all that is not lost in doubt; return the length of the queue."""
    defender = 1 - attacker
    won = place_in(region, structure, bound, attacker, attacker, 0)
    lost = place_in(region, structure, bound, attacker, defender, 0)
    count = 0
    for plane in range(planes):
        if bound == 1:
            # What is won for sure may be won.
            sure_won = place_in(region, structure, 0, attacker, attacker, plane)
            sure_lost = place_in(region, structure, 0, attacker, defender, plane)
            for k in range(64):
                region.arena[won + plane * WORDS + k] |= region.arena[sure_won + k]
                region.arena[lost + plane * WORDS + k] |= region.arena[sure_lost + k]
        work.queued[0, plane] = 0
        work.queued[1, plane] = 0
        clear(work.sets, set_at(planes, FRESH + attacker, plane))
        legal = set_at(planes, LEGAL + defender, plane)
        doubt = set_at(planes, DOUBT, plane)
        for k in range(64):
            word = work.sets[legal + k] & ~region.arena[lost + plane * WORDS + k]
            work.sets[doubt + k] = word
        if work.valid[plane]:
            count = _enqueue(work, 0, plane, count)
    return count


@kernel
def attract(region, structure, work, pieces, planes, pawns, bound, attacker):
    """Find where a side wins in a structure by a bound.

    Parameters
    ----------
    region, work
        Records of `RegionFields` and `WorkFields`. In the region, the attacker's set has what he
        wins by moves out, and what is not legal; the defender's is empty.
    structure, pieces, planes, pawns
        The structure, its pieces, its planes, its pawns as a word.
    bound
        0 for the lower one, 1 for the upper one.
    attacker
        Who wins.
    """
    defender = 1 - attacker
    won = place_in(region, structure, bound, attacker, attacker, 0)
    lost = place_in(region, structure, bound, attacker, defender, 0)
    draws = STALE + defender
    if region.numbers[2]:
        # The attacker's queens may be rooks or bishops, which stalemate less often.
        if bound == 1 and has_queen(region.keys[structure, 2], attacker):
            draws = 0
        if bound == 0 and has_queen(region.keys[structure, 2], defender):
            draws = CLAIM + defender
    count = _begin(region, structure, work, planes, bound, attacker)
    rank = 0
    while count > 0:
        rank += 1
        # If ranks are wanted, all that is lost by now comes before what is won by it, so that they
        # are plies of best play. Else what is won at once makes more lost in the same round.
        losses = wins = 0
        for i in range(count):
            at = np.int64(work.queue[0, i])
            work.queued[0, at] = 0
            if _find_lost(
                region, work, at, planes, pieces, pawns, defender, bound, won, lost, draws
            ):
                if work.numbers[1]:
                    first = (defender * planes + at) * 4096
                    place = set_at(planes, FRESH + defender, at)
                    _record_ranks(work, work.sets, place, first, rank)
                    work.queue[0, losses] = at
                    losses += 1
                else:
                    wins = _win_before(region, work, at, planes, pieces, pawns, attacker, won, wins)
        for i in range(losses):
            at = np.int64(work.queue[0, i])
            wins = _win_before(region, work, at, planes, pieces, pawns, attacker, won, wins)
        count = 0
        for i in range(wins):
            at = np.int64(work.queue[1, i])
            work.queued[1, at] = 0
            if work.numbers[1]:
                first = (attacker * planes + at) * 4096
                place = set_at(planes, FRESH + attacker, at)
                _record_ranks(work, work.sets, place, first, rank)
            count = _lose_before(
                region, work, at, planes, pieces, pawns, defender, bound, lost, count
            )
