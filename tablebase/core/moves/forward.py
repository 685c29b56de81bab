"""One move forwards: where it leads, whether a king is attacked, double pushes.

This knows the rules of the game forwards only. Nothing of it is shared with the solver, which goes
backwards over sets of positions; both stand only on the same numbering of positions.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.jit.kernels import kernel
from tablebase.core.moves.row_moves import (
    EVERY_SYMMETRY,
    ONE,
    PAWN,
    WHITE,
    find_bases,
    removed_men,
    takes_passing,
)
from tablebase.core.moves.successors import NO_MAN
from tablebase.core.outcomes.metrics import DRAW_PREFERENCE, HORIZON

NO_MEN = np.int64(0)  # numba would compile kernels once more for a literal


@kernel
def after_double_push(successors, row, stored, man, target, given):
    """Return the preference before a double push, the answers en passant included.

    `stored` is the code of the position after it; the kings are on ``row.squares``. `given` is the
    check that it gives, 0 where that is none or does not matter.
    """
    law, tables, preferences = successors.law, successors.tables, successors.preferences
    color = law.colors[man]
    king = np.int64(row.squares[1 - color])
    origin = np.int64(row.squares[man + 2])
    row.squares[man + 2] = target
    passed = (origin + target) // 2
    occupied = np.uint64(0)
    for square in row.squares:
        occupied |= ONE << np.uint64(square)
    best = np.int64(HORIZON)
    # The opponent chooses, against the pushing side's preference or for it.
    sense = np.int64(-1 if preferences.is_helped else 1)
    for taker in range(len(law.colors)):
        if not takes_passing(successors, row.squares, taker, color, target):
            continue
        beside = row.squares[taker + 2]
        removed = removed_men(successors, row, taker, man, passed)
        if explodes(successors, row, removed, passed, 1 - color):
            continue
        if explodes(successors, row, removed, passed, color):
            best = min(best, sense * np.int64(preferences.exploded[1 - color, 1]))
            continue
        row.squares[taker + 2] = passed
        left = occupied & ~(ONE << np.uint64(beside)) | ONE << np.uint64(passed)
        left = without_men(row, left, removed)
        if are_apart(successors, row) and is_attacked(successors, row, color, king, left, removed):
            row.squares[taker + 2] = beside
            continue
        kind, shift = tables.kind[1 - color, removed, 0, 0], np.int64(0)
        if law.counting:
            other = np.int64(row.squares[color])
            check = is_attacked(successors, row, 1 - color, other, left, removed)
            shift = shift_of(successors, row, kind, given | check_by(1 - color, check))
        if shift < 0:
            row.squares[taker + 2] = beside
            best = min(best, sense * np.int64(preferences.exploded[1 - color, 1]))
            continue
        find_bases(successors, kind, row.squares, EVERY_SYMMETRY, row.scratch[0])
        row.squares[taker + 2] = beside
        kings = np.int64(row.squares[0]) * 64 + row.squares[1]
        slot = slot_with_kings(tables.places, tables.variant[kind], kings, row.scratch, np.int64(0))
        code = successors.codes[tables.start[kind, color] + slot + shift]
        best = min(best, sense * np.int64(preferences.answers[kind, color, code]))
    without = sense * np.int64(preferences.before[1, 1 - color, stored])
    # A mate that is none stands for more than the capture only where the opponent helps.
    forced = (
        best != HORIZON
        and (without == DRAW_PREFERENCE or preferences.is_helped)
        and not has_move(successors, row, 1 - color, occupied)
    )
    row.squares[man + 2] = origin
    return sense * (best if forced else min(best, without))


@kernel
def check_by(color, gives_check):
    """Return the check that a side gives, if it does, as `Destinations.shifts` has it, else 0."""
    return np.int64(gives_check) << np.int64(color)


@kernel
def shift_of(successors, row, kind, given):
    """Return the first slot of the layer of a kind's table, by the checks `given`.

    It is negative after the last check, which wins.
    """
    return successors.tables.shifts[row.layer[0], given, kind]


@kernel
def gives_check(successors, row, man, i, occupied):
    """Return whether move `i` of a row, of a man, gives check."""
    law = successors.law
    side, target, removed = law.colors[man], np.int64(row.target[i]), row.removed[i]
    king, new = np.int64(row.squares[1 - side]), row.promotion[i]
    left = occupied & ~(ONE << np.uint64(row.squares[man + 2])) | ONE << np.uint64(target)
    if new:
        movement = law.movement
        hit = (movement.attacks[side, new, target] >> np.uint64(king)) & ONE != np.uint64(0)
        if hit and not movement.between[side, new, target, king] & left:
            return True
        removed |= np.int64(1) << man
    origin, row.squares[man + 2] = row.squares[man + 2], target
    found = is_attacked(successors, row, side, king, left, removed)
    row.squares[man + 2] = origin
    return found


@kernel
def explodes(successors, row, removed, target, side):
    """Return whether the king of a side stands beside a capture that explodes."""
    if not (successors.law.blast and removed):
        return False
    near = successors.by_man.attacks[0, target]
    return (near >> np.uint64(row.squares[side])) & ONE != np.uint64(0)


@kernel
def are_apart(successors, row):
    """Return whether the kings do not shield each other from check, see `Rules.shields`."""
    return not (successors.law.shields[row.squares[0]] >> np.uint64(row.squares[1])) & ONE


@kernel
def without_men(row, occupied, removed):
    """Return the squares `occupied` by other men than the `removed` ones, a bit for each."""
    man = np.int64(2)
    while removed:
        if removed & 1:
            occupied &= ~(ONE << np.uint64(row.squares[man]))
        removed >>= 1
        man += 1
    return occupied


@kernel
def is_check(successors, row, side, occupied):
    """Return whether the king of a side is in check."""
    king = np.int64(row.squares[side])
    return are_apart(successors, row) and is_attacked(
        successors, row, 1 - side, king, occupied, NO_MEN
    )


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
def slot_with_kings(places, variant, kings, bases, i):
    """Return the index of the position with bases ``bases[i]`` and a pair of kings."""
    # Views of rows would be counted references, and cost more than all the rest.
    first = bases[i, places[variant, kings, 0]] + places[variant, kings, 1]
    second = bases[i, places[variant, kings, 2]] + places[variant, kings, 3]
    return min(first, second)


@kernel
def has_move(successors, row, color, occupied):
    """Return whether a side has a legal move other than capturing en passant."""
    law, by_man = successors.law, successors.by_man
    colors, types, squares = law.colors, law.types, row.squares
    attacks, between = by_man.attacks, by_man.between
    king = np.int64(squares[color])
    other_king = np.int64(squares[1 - color])
    shields = law.shields[other_king]
    for man in range(-1, len(colors)):
        if man >= 0 and colors[man] != color:
            continue
        origin = king if man < 0 else np.int64(squares[man + 2])
        mover = color if man < 0 else man + 2
        for target in range(64):
            bit = ONE << np.uint64(target)
            captured = NO_MAN
            own = target in (king, other_king)
            for other in range(len(colors)):
                if squares[other + 2] == target:
                    captured = np.int64(other)
                    own |= colors[other] == color
            if own:
                continue
            hit = attacks[mover, origin] & bit != np.uint64(0)
            moves = hit and between[mover, origin, target] & occupied == np.uint64(0)
            if man >= 0 and law.splits_moves[man] and captured == NO_MAN:
                moves = _walks_to(successors, mover, origin, target, occupied)
            if man >= 0 and types[man] == PAWN:
                step = 8 if color == WHITE else -8
                straight = target == origin + step or (
                    target == origin + 2 * step
                    and origin >> 3 == law.push_rank[color]
                    and not (occupied >> np.uint64(origin + step)) & ONE
                )
                moves = moves if captured != NO_MAN else straight
            if not moves:
                continue
            at = target if man < 0 else king
            if ((attacks[1 - color, other_king] & ~shields) >> np.uint64(at)) & ONE:
                continue
            left = (occupied & ~(ONE << np.uint64(origin))) | bit
            removed = np.int64(0) if captured == NO_MAN else np.int64(1) << captured
            if law.blast and captured != NO_MAN:
                if man < 0:
                    continue
                removed = removed_men(successors, row, man, captured, target)
                if explodes(successors, row, removed, target, color):
                    continue
                if explodes(successors, row, removed, target, 1 - color):
                    return True
                left = without_men(row, occupied, removed)
            if (shields >> np.uint64(at)) & ONE:
                return True
            if not is_attacked(successors, row, 1 - color, at, left, removed):
                return True
    return False


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
