"""The walk: one loop over the legal moves of a row's positions, shared by all its visitors.

A *visitor* is an `inlined_kernel` ``visit(seen, found, origin, target, captured, promotion,
zeroing, preference)``: what it writes to and returned last, the captured man or NO_MAN, the new
type or 0, and the mover's preference of what the move leads to. Castling is left out; en passant
captures count only in the preference of the double push that allows them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.core.jit.kernels import inlined_kernel, kernel
from tablebase.core.moves.forward import (
    after_double_push,
    are_apart,
    check_by,
    explodes,
    gives_check,
    is_attacked,
    is_check,
    shift_of,
    slot_with_kings,
    without_men,
)
from tablebase.core.moves.row_moves import ONE, PAWN, WHITE, find_attacks, list_moves
from tablebase.core.moves.successors import NO_MAN, QUIET
from tablebase.core.outcomes.metrics import DRAW_PREFERENCE

# numba would compile kernels once more for a literal.
DRAW, NO_CHECK = np.int64(DRAW_PREFERENCE), np.int64(0)


@kernel
def place_men(successors, row, board):
    """Put the men of a board uint8 [men + 2] on a row and list their moves; return their squares.

    The kings are left out, here and in the set of squares.
    """
    men = np.uint64(0)
    for man in range(2, len(board)):
        row.squares[man] = board[man]
        men |= ONE << np.uint64(board[man])
    list_moves(successors, row)
    find_attacks(successors, row)
    return men


@kernel
def place_kings(successors, row, side, men, pair):
    """Put a pair of kings on a row; return all squares of men, 0 if `side` may not be to move."""
    tables = successors.tables
    white, black = tables.king_squares[pair, 0], tables.king_squares[pair, 1]
    row.squares[0], row.squares[1] = white, black
    kings = ONE << np.uint64(white) | ONE << np.uint64(black)
    if men & kings:
        return np.uint64(0)
    if has_won(successors, row, side):
        return np.uint64(0)
    other_king = np.int64(black if side == WHITE else white)
    if (row.danger[side] >> np.uint64(other_king)) & ONE and is_check(
        successors, row, 1 - side, men | kings
    ):
        return np.uint64(0)
    if not successors.law.checking and is_check(successors, row, side, men | kings):
        return np.uint64(0)
    return men | kings


@kernel
def has_won(successors, row, side):
    """Return whether the king of a side is on a square that it wins by reaching."""
    return (np.uint64(successors.law.goal) >> np.uint64(row.squares[side])) & ONE


@kernel
def is_raced(successors, row, side, occupied):
    """Return whether a side that is to move has lost by the other king's reaching the goal.

    See `Rules.flag_move`: Black may have an answer.
    """
    law, by_man = successors.law, successors.by_man
    if not has_won(successors, row, 1 - side):
        return False
    if not law.flag_move or side == WHITE:
        return True
    king, other_king = np.int64(row.squares[side]), np.int64(row.squares[1 - side])
    near = by_man.attacks[1 - side, other_king] | ONE << np.uint64(other_king)
    open_ = np.uint64(law.goal) & by_man.attacks[side, king] & ~near
    for target in range(64):
        bit, captured = ONE << np.uint64(target), row.man_at[target]
        if not open_ & bit or (captured != NO_MAN and law.colors[captured] == side):
            continue
        removed = np.int64(0) if captured == NO_MAN else np.int64(1) << captured
        left = occupied & ~(ONE << np.uint64(king)) | bit
        if not is_attacked(successors, row, 1 - side, target, left, removed) and not is_attacked(
            successors, row, side, other_king, left, removed
        ):
            return False
    return True


def make_walk(visit: Any, *, only_zeroing: bool = False) -> Any:
    """Return a kernel ``walk(successors, row, own, side, occupied, seen, found)``.

    It shows each move of a legal position to `visit` and returns what this returned last; `own` are
    the table's codes with the other side to move. All is inlined, which saves `verify` a seventh.
    """
    king_walk = _king_walk(visit, only_zeroing=only_zeroing)
    men_walk = _men_walk(visit, only_zeroing=only_zeroing)

    @inlined_kernel
    def walk(successors, row, own, side, occupied, seen, found):
        found = king_walk(successors, row, own, side, occupied, seen, found)
        return men_walk(successors, row, own, side, occupied, seen, found)

    return walk


def _king_walk(visit: Any, *, only_zeroing: bool) -> Any:
    """Return the walk over the moves of a king, see `make_walk`."""

    @inlined_kernel
    def walk(successors, row, own, side, occupied, seen, found):
        law, by_man = successors.law, successors.by_man
        tables, preferences = successors.tables, successors.preferences
        places, variant, kinds = tables.places, tables.variant, tables.kind
        codes, start, before = successors.codes, tables.start, preferences.before
        colors, man_at, king_bases = law.colors, row.man_at, row.king_bases
        other_side, danger = 1 - side, row.danger[1 - side]
        king, other_king = np.int64(row.squares[side]), np.int64(row.squares[1 - side])
        left = occupied & ~(ONE << np.uint64(king))
        rays, blast, shields = by_man.rays, law.blast, law.shields[other_king]
        near = by_man.attacks[other_side, other_king] & ~shields | ONE << np.uint64(other_king)
        checking, raced = law.checking, has_won(successors, row, other_side)
        counting = law.counting
        for direction in range(rays.shape[2]):
            target = np.int64(rays[side, king, direction, 0])
            if target < 0:
                break
            bit = ONE << np.uint64(target)
            captured = man_at[target]
            if near & bit:
                continue
            if blast or colors[captured] == side if captured != NO_MAN else only_zeroing:
                continue
            removed = np.int64(0) if captured == NO_MAN else np.int64(1) << captured
            if danger & bit & ~shields and is_attacked(
                successors, row, other_side, target, left, removed
            ):
                continue
            if not checking and is_attacked(successors, row, side, other_king, left | bit, removed):
                continue
            kings = target * 64 + other_king if side == WHITE else other_king * 64 + target
            kind = kinds[side, removed, 0, 0]
            slot = slot_with_kings(places, variant[kind], kings, king_bases, captured + 1)
            if counting:
                check = is_attacked(successors, row, side, other_king, left | bit, removed)
                slot += shift_of(successors, row, kind, check_by(side, check))
            if slot < 0:  # a discovered check, the last one
                preference = np.int64(preferences.exploded[side, 0])
            elif kind:
                code = codes[start[kind, other_side] + slot]
                preference = np.int64(before[kind + 1, other_side, code])
            else:
                preference = np.int64(before[QUIET, other_side, own[slot]])
            if raced:  # a king that follows to the goal draws
                draws = np.uint64(law.goal) & bit
                lost = np.int64(preferences.raced[np.int64(kind != 0)])
                preference = DRAW if draws else lost
            found = visit(seen, found, king, target, captured, np.int64(0), kind != 0, preference)
        return found

    return walk


@kernel
def _is_illegal(successors, row, man, i, occupied):
    """Return whether move `i`, of a man, leaves its own king in check, or explodes it.

    Or whether it gives check where no move may.
    """
    law = successors.law
    side, target, removed = law.colors[man], np.int64(row.target[i]), row.removed[i]
    if explodes(successors, row, removed, target, side):
        return True
    if not are_apart(successors, row) or explodes(successors, row, removed, target, 1 - side):
        return False
    left = occupied & ~(ONE << np.uint64(row.squares[man + 2])) | ONE << np.uint64(target)
    if law.blast:
        left = without_men(row, occupied, removed) if removed else left
    king, other_king = np.int64(row.squares[side]), np.int64(row.squares[1 - side])
    if is_attacked(successors, row, 1 - side, king, left, removed):
        return True
    if law.checking:
        return False
    origin, row.squares[man + 2] = row.squares[man + 2], target
    is_check = is_attacked(successors, row, side, other_king, left, removed)
    row.squares[man + 2] = origin
    return is_check


@kernel
def _counted_preference(successors, row, own, man, i, occupied):
    """Return the preference of what move `i` of a man leads to where checks are counted."""
    law, tables, preferences = successors.law, successors.tables, successors.preferences
    side, kind, target = law.colors[man], row.kind[i], np.int64(row.target[i])
    given = check_by(side, gives_check(successors, row, man, i, occupied))
    shift = shift_of(successors, row, kind, given)
    if shift < 0:
        return np.int64(preferences.exploded[side, 0])
    kings = np.int64(row.squares[0]) * 64 + row.squares[1]
    slot = slot_with_kings(tables.places, tables.variant[kind], kings, row.bases, i)
    if kind:
        code = successors.codes[tables.start[kind, 1 - side] + shift + slot]
        return np.int64(preferences.before[kind + 1, 1 - side, code])
    code = own[shift + slot]
    if row.passing[i]:
        return after_double_push(successors, row, code, man, target, given)
    zeroing = np.int64(law.types[man] == PAWN)
    return np.int64(preferences.before[zeroing, 1 - side, code])


def _men_walk(visit: Any, *, only_zeroing: bool) -> Any:
    """Return the walk over the moves of a side's men besides the king, see `make_walk`."""

    @inlined_kernel
    def walk(successors, row, own, side, occupied, seen, found):
        law, tables, preferences = successors.law, successors.tables, successors.preferences
        colors, types, places = law.colors, law.types, tables.places
        variant, codes, start = tables.variant, successors.codes, tables.start
        squares, pinned, bounds, next_ray = row.squares, row.pinned, row.bounds, row.next_ray
        targets, captures, kinds, removed = row.target, row.captured, row.kind, row.removed
        promotions, passing, bases = row.promotion, row.passing, row.bases
        before, between, other_side = preferences.before, successors.by_man.between, 1 - side
        king, other_king = np.int64(squares[side]), np.int64(squares[1 - side])
        kings = np.int64(squares[0]) * 64 + squares[1]
        symmetry, pair = places[variant[0], kings, 0], places[variant[0], kings, 1]
        second, second_pair = places[variant[0], kings, 2], places[variant[0], kings, 3]
        apart, raced = are_apart(successors, row), has_won(successors, row, other_side)
        for man in range(len(colors)):
            if colors[man] != side:
                continue
            origin, is_pawn = np.int64(squares[man + 2]), types[man] == PAWN
            # Only if the king is in check without this man can its moves be illegal.
            exposed = (apart and (pinned[man] >> np.uint64(king)) & ONE) or not law.checking
            i, last = bounds[man], bounds[man + 1]
            while i < last:
                target, captured, new = targets[i], captures[i], promotions[i]
                if target == king or target == other_king:  # noqa: PLR1714, SIM109 (a tuple is slower)
                    i = next_ray[i]
                    continue
                left_out = only_zeroing and captured == NO_MAN and not is_pawn
                is_open = exposed or (law.blast and captured != NO_MAN)
                if left_out or (is_open and _is_illegal(successors, row, man, i, occupied)):
                    i += 1
                    continue
                kind = kinds[i]
                if law.counting:
                    preference = _counted_preference(successors, row, own, man, i, occupied)
                elif kind == 0:  # by far the most; as in `slot_with_kings`
                    slot = min(bases[i, symmetry] + pair, bases[i, second] + second_pair)
                    code = own[slot]
                    preference = np.int64(before[1 if is_pawn else QUIET, other_side, code])
                else:
                    # Squares that it passes are not among the moves, and a king may be on one.
                    if law.splits_moves[man] and between[man + 2, origin, target] & occupied:
                        i += 1
                        continue
                    preference = np.int64(preferences.exploded[side, 0])
                    if not explodes(successors, row, removed[i], target, other_side):
                        slot = slot_with_kings(places, variant[kind], kings, bases, i)
                        code = codes[start[kind, other_side] + slot]
                        preference = np.int64(before[kind + 1, other_side, code])
                if passing[i] and not law.counting:
                    preference = after_double_push(successors, row, code, man, target, NO_CHECK)
                zeroing = kind != 0 or is_pawn
                preference = np.int64(preferences.raced[np.int64(zeroing)]) if raced else preference
                found = visit(seen, found, origin, target, captured, new, zeroing, preference)
                i += 1
        return found

    return walk
