"""One move forwards: where it leads, whether a king is attacked, double pushes.

This knows the rules of the game forwards only. Nothing of it is shared with the solver, which goes
backwards over sets of positions; both stand only on the same law and numbering of positions.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.kernels import kernel
from tablebase.core.moves.move_lists import NO_MAN
from tablebase.core.moves.row_moves import (
    EVERY_SYMMETRY,
    NO_PIECE,
    ONE,
    PAWN,
    WHITE,
    find_bases,
    removed_men,
    takes_en_passant,
)
from tablebase.core.outcomes.metrics import DRAW_PREFERENCE, HORIZON

# numba would compile kernels once more for a literal.
NO_MEN, EXPOSED, ANYWHERE = np.int64(0), np.bool_(True), ~np.uint64(0)  # noqa: FBT003


@kernel
def after_double_push(successors, row, stored, man, target, given):
    """Return the preference before a double push, the answers en passant included.

    `stored` is the code of the position after it; the kings are on ``row.squares``. `given` is the
    check that it gives, 0 where that is none or does not matter.
    """
    game, destinations, preferences = (
        successors.game,
        successors.destinations,
        successors.preferences,
    )
    color = successors.law.colors[man]
    origin = np.int64(row.squares[man + 2])
    row.squares[man + 2] = target
    ep_square = (origin + target) // 2
    occupied = np.uint64(0)
    for square in row.squares:
        occupied |= ONE << np.uint64(square)
    best = np.int64(HORIZON)
    # The opponent chooses, against the pushing side's preference or for it.
    sense = np.int64(-1 if preferences.is_helpmate else 1)
    for taker in range(len(successors.law.colors)):
        if not takes_en_passant(successors, row.squares, taker, color, target):
            continue
        beside = row.squares[taker + 2]
        removed = removed_men(successors, row, taker, man, ep_square)
        left = occupied & ~(ONE << np.uint64(beside) | ONE << np.uint64(target))
        left |= ONE << np.uint64(ep_square)
        if not game.may_go(successors, row, taker, ep_square, removed, left, EXPOSED):
            continue
        check = game.check_given(
            successors, row, 1 - color, taker, NO_PIECE, ep_square, removed, left
        )
        kind = destinations.kind[1 - color, removed, 0, 0]
        shift = game.shift(successors, row, kind, given | check)
        if shift < 0:
            best = min(best, sense * np.int64(preferences.won_at_once[1 - color, 1]))
            continue
        row.squares[taker + 2] = ep_square
        find_bases(successors, kind, row.squares, EVERY_SYMMETRY, row.answer_bases[0])
        row.squares[taker + 2] = beside
        kings = np.int64(row.squares[0]) * 64 + row.squares[1]
        slot = slot_with_kings(
            destinations.pair_at, destinations.variant[kind], kings, row.answer_bases, np.int64(0)
        )
        code = successors.codes[destinations.start[kind, color] + slot + shift]
        best = min(best, sense * np.int64(preferences.answers[kind, color, code]))
    without = sense * np.int64(preferences.before[1, 1 - color, stored])
    # A mate that is none stands for more than the capture only where the opponent helps.
    has_no_other = (
        best != HORIZON
        and (without == DRAW_PREFERENCE or preferences.is_helpmate)
        and not has_move(successors, row, 1 - color, occupied)
    )
    row.squares[man + 2] = origin
    return sense * (best if has_no_other else min(best, without))


@kernel
def is_attacked(successors, row, by, target, occupied, removed):
    """Return whether men of colour `by` (no king) attack a square, but for some `removed`, as bits.

    Lines are blocked by what is `occupied`.
    """
    by_man = successors.by_man
    colors, squares = successors.law.colors, row.squares
    attacks, between = by_man.attacks, by_man.between
    bit = ONE << np.uint64(target)
    for man in range(len(colors)):
        if colors[man] != by or (removed >> man) & 1:
            continue
        origin = squares[man + 2]
        if attacks[man + 2, origin] & bit and not between[man + 2, origin, target] & occupied:
            return True
    return False


@kernel
def slot_with_kings(pair_at, variant, kings, bases, i):
    """Return the index of the position with bases ``bases[i]`` and a pair of kings."""
    # Views of rows would be counted references, and cost more than all the rest.
    first = bases[i, pair_at[variant, kings, 0]] + pair_at[variant, kings, 1]
    second = bases[i, pair_at[variant, kings, 2]] + pair_at[variant, kings, 3]
    return min(first, second)


@kernel
def has_move(successors, row, color, occupied):
    """Return whether a side has a legal move other than capturing en passant."""
    colors, squares = successors.law.colors, row.squares
    kinds = successors.destinations.kind
    for man in range(-1, len(colors)):
        if man >= 0 and colors[man] != color:
            continue
        origin = np.int64(squares[color] if man < 0 else squares[man + 2])
        for target in range(64):
            captured = NO_MAN
            own = target in (squares[0], squares[1])
            for other in range(len(colors)):
                if squares[other + 2] == target:
                    captured = np.int64(other)
                    own |= colors[other] == color
            if own or not _goes_to(successors, color, man, origin, target, captured, occupied):
                continue
            left = occupied & ~(ONE << np.uint64(origin)) | ONE << np.uint64(target)
            if man < 0:
                removed = np.int64(0) if captured == NO_MAN else np.int64(1) << captured
                if kinds[color, removed, 0, 0] >= 0 and successors.game.may_step(
                    successors, row, color, target, left, removed, ANYWHERE
                ):
                    return True
                continue
            removed = removed_men(successors, row, man, captured, target)
            if successors.game.may_go(successors, row, man, target, removed, left, EXPOSED):
                return True
    return False


@kernel
def _goes_to(successors, color, man, origin, target, captured, occupied):
    """Return whether a man, or the king (-1), moves from one square to another, checks aside.

    It takes man `captured`, or NO_MAN.
    """
    law, by_man = successors.law, successors.by_man
    mover = color if man < 0 else man + 2
    if man >= 0 and captured == NO_MAN:
        if law.types[man] == PAWN:
            step = 8 if color == WHITE else -8
            return target == origin + step or (
                target == origin + 2 * step
                and origin >> 3 == law.push_rank[color]
                and not (occupied >> np.uint64(origin + step)) & ONE
            )
        if law.splits_moves[man]:
            return _walks_to(successors, mover, origin, target, occupied)
    if not (by_man.attacks[mover, origin] >> np.uint64(target)) & ONE:
        return False
    return not by_man.between[mover, origin, target] & occupied


@kernel
def _walks_to(successors, mover, origin, target, occupied):
    """Return whether a man can move to an empty square."""
    for ray in successors.by_man.walks[mover, origin]:
        for square in ray:
            if square < 0 or (occupied >> np.uint64(square)) & ONE:
                break
            if square == target:
                return True
    return False
