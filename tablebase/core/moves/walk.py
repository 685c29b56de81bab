"""The walk: one loop over the legal moves of a row's positions, shared by all its visitors.

A *visitor* is an `inlined_kernel` ``visit(seen, found, origin, target, captured, promotion,
zeroing, preference)``: what it writes to and returned last, the captured man or NO_MAN, the new
type or 0, and the mover's preference of what the move leads to. Castling is left out; en passant
captures count only in the preference of the double push that allows them. What games do where they
differ are kernels of ``successors.game``, see `GameMoves`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.core.jit.kernels import inlined_kernel, kernel
from tablebase.core.moves.forward import after_double_push, slot_with_kings
from tablebase.core.moves.move_lists import NO_MAN, QUIET
from tablebase.core.moves.row_moves import NO_PIECE, ONE, PAWN, WHITE, find_attacks, list_moves


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
    destinations = successors.destinations
    white, black = destinations.king_squares[pair, 0], destinations.king_squares[pair, 1]
    row.squares[0], row.squares[1] = white, black
    kings = ONE << np.uint64(white) | ONE << np.uint64(black)
    if men & kings or not successors.game.may_move(successors, row, side, men | kings):
        return np.uint64(0)
    return men | kings


def make_walk(visit: Any, *, only_zeroing: bool = False) -> Any:
    """Return a kernel ``walk(successors, row, codes_after, side, occupied, seen, found)``.

    It shows each move of a legal position to `visit` and returns what this returned last.
    `codes_after` are the table's codes with the other side to move. All is inlined, which saves
    `verify` a seventh.
    """
    king_walk = _king_walk(visit, only_zeroing=only_zeroing)
    men_walk = _men_walk(visit, only_zeroing=only_zeroing)

    @inlined_kernel
    def walk(successors, row, codes_after, side, occupied, seen, found):
        found = king_walk(successors, row, codes_after, side, occupied, seen, found)
        return men_walk(successors, row, codes_after, side, occupied, seen, found)

    return walk


def _king_walk(visit: Any, *, only_zeroing: bool) -> Any:
    """Return the walk over the moves of a king, see `make_walk`."""

    @inlined_kernel
    def walk(successors, row, codes_after, side, occupied, seen, found):
        game, preferences = successors.game, successors.preferences
        destinations = successors.destinations
        pair_at, variant, kinds = destinations.pair_at, destinations.variant, destinations.kind
        codes, start, before = successors.codes, destinations.start, preferences.before
        colors, man_at, king_bases = successors.law.colors, row.man_at, row.king_bases
        other_side, danger = 1 - side, row.danger[1 - side]
        king, other_king = np.int64(row.squares[side]), np.int64(row.squares[1 - side])
        rays = successors.by_man.rays
        for direction in range(rays.shape[2]):
            target = np.int64(rays[side, king, direction, 0])
            if target < 0:
                break
            captured = man_at[target]
            if colors[captured] == side if captured != NO_MAN else only_zeroing:
                continue
            removed = np.int64(0) if captured == NO_MAN else np.int64(1) << captured
            kind = kinds[side, removed, 0, 0]
            left = occupied & ~(ONE << np.uint64(king)) | ONE << np.uint64(target)
            if kind < 0 or not game.may_step(successors, row, side, target, left, removed, danger):
                continue
            given = game.check_given(successors, row, side, NO_MAN, NO_PIECE, target, removed, left)
            shift = game.shift(successors, row, kind, given)
            kings = target * 64 + other_king if side == WHITE else other_king * 64 + target
            slot = shift + slot_with_kings(pair_at, variant[kind], kings, king_bases, captured + 1)
            if shift < 0:
                preference = np.int64(preferences.won_at_once[side, 0])
            elif kind:
                code = codes[start[kind, other_side] + slot]
                preference = np.int64(before[kind + 1, other_side, code])
            else:
                preference = np.int64(before[QUIET, other_side, codes_after[slot]])
            preference = game.judged(successors, row, side, target, kind != 0, preference)
            found = visit(seen, found, king, target, captured, np.int64(0), kind != 0, preference)
        return found

    return walk


@inlined_kernel
def _after_leaving(successors, row, i, side, kind, shift):
    """Return the preference of what move `i` of a row leads to in another table, by its kind."""
    destinations, preferences = successors.destinations, successors.preferences
    kings = np.int64(row.squares[0]) * 64 + row.squares[1]
    slot = slot_with_kings(destinations.pair_at, destinations.variant[kind], kings, row.bases, i)
    code = successors.codes[destinations.start[kind, 1 - side] + shift + slot]
    return np.int64(preferences.before[kind + 1, 1 - side, code])


def _men_walk(visit: Any, *, only_zeroing: bool) -> Any:
    """Return the walk over the moves of a side's men besides the king, see `make_walk`."""

    @inlined_kernel
    def walk(successors, row, codes_after, side, occupied, seen, found):
        game, law, preferences = successors.game, successors.law, successors.preferences
        pair_at, variant = successors.destinations.pair_at, successors.destinations.variant[0]
        bases = row.bases
        before, between, other_side = preferences.before, successors.by_man.between, 1 - side
        king, other_king = np.int64(row.squares[side]), np.int64(row.squares[1 - side])
        kings = np.int64(row.squares[0]) * 64 + row.squares[1]
        symmetry, pair = pair_at[variant, kings, 0], pair_at[variant, kings, 1]
        second, second_pair = pair_at[variant, kings, 2], pair_at[variant, kings, 3]
        for man in range(len(law.colors)):
            if law.colors[man] != side:
                continue
            origin, is_pawn = np.int64(row.squares[man + 2]), law.types[man] == PAWN
            exposed = (row.pinned[man] >> np.uint64(king)) & ONE != 0
            without = occupied & ~(ONE << np.uint64(origin))
            i, last = row.bounds[man], row.bounds[man + 1]
            while i < last:
                target, captured, new = row.target[i], row.captured[i], row.promotion[i]
                if target == king or target == other_king:  # noqa: PLR1714, SIM109 (a tuple is slower)
                    i = row.next_ray[i]
                    continue
                kind, removed = row.kind[i], row.removed[i]
                left = without | ONE << np.uint64(target)
                left_out = only_zeroing and captured == NO_MAN and not is_pawn
                if kind and law.splits_moves[man]:
                    # Squares that it passes are not among the moves, and a king may be on one.
                    left_out |= between[man + 2, origin, target] & left != 0
                if left_out or not game.may_go(
                    successors, row, man, target, removed, left, exposed
                ):
                    i += 1
                    continue
                given = game.check_given(successors, row, side, man, new, target, removed, left)
                shift = game.shift(successors, row, kind, given)
                if shift < 0:
                    preference = np.int64(preferences.won_at_once[side, 0])
                elif kind == 0:  # by far the most; as in `slot_with_kings`
                    slot = min(bases[i, symmetry] + pair, bases[i, second] + second_pair)
                    code = codes_after[shift + slot]
                    preference = np.int64(before[1 if is_pawn else QUIET, other_side, code])
                    if row.en_passant[i]:
                        preference = after_double_push(successors, row, code, man, target, given)
                else:
                    preference = _after_leaving(successors, row, i, side, kind, shift)
                zeroing = kind != 0 or is_pawn
                preference = game.judged(successors, row, side, king, zeroing, preference)
                found = visit(seen, found, origin, target, captured, new, zeroing, preference)
                i += 1
        return found

    return walk
