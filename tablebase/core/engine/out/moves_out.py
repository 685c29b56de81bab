"""Moves that leave a slice: captures, promotions, pawn moves.

They lead to positions whose values are known already (see `children`). They enter once,
before the first ply of an epoch, as the best value they give (see `retrograde.Sets.values`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tablebase.core.board.symmetry import D4
from tablebase.core.engine.out.child_places import NO_MAN, ONLY_PLANE, OWN, find_child
from tablebase.core.engine.out.children import (
    AFTER,
    HERE,
    gather_line,
    gather_plane,
)
from tablebase.core.engine.sets.bits import KING, ONE, PAWN, WHITE, attack_plane, attacks_square
from tablebase.core.jit.instructions import lowest_bit
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.vectors import raise_selected

NO_PIECE, NONE = np.int64(0), np.int64(0)


class Move(NamedTuple):
    """A move of a man besides the kings, integers for kernels."""

    color: Any  # the side that moves
    removed: Any  # the men that it takes off the board, a bit each
    mover: Any  # or NO_MAN, a king
    target: Any  # square
    new_type: Any  # that a pawn becomes, or NO_PIECE
    path: Any  # word of squares that the kings must leave free
    # Of other games:
    given: Any  # the checks of moves before it, see `checks_given`


@kernel
def best_moves_out(children, men, stalemates, scratch, values, plane):
    """Raise `values` [2, planes * 4096] of a plane to the best of the moves out of the slice.

    `men` are those of the plane; `stalemates` is used for en passant, see `double_push`.
    """
    game, movement = children.game, children.law.movement
    occupied = np.uint64(0)
    for square in men.squares:
        occupied |= ONE << np.uint64(square)
    for captured in range(len(men.squares)):
        of_mover = values[1 - men.colors[captured]]
        children.game.play_king(children, men, captured, scratch, of_mover, plane)
    for mover in range(len(men.squares)):
        color, man_type = men.colors[mover], men.types[mover]
        origin = np.int64(men.squares[mover])
        of_mover = values[color]
        if man_type == PAWN:
            pawn_moves(children, men, mover, occupied, stalemates, scratch, of_mover, plane)
            continue
        for captured in range(len(men.squares)):
            target = np.int64(men.squares[captured])
            if men.colors[captured] != color and attacks_square(
                movement, color, man_type, origin, target, occupied
            ):
                path = movement.between[color, man_type, origin, target]
                removed = game.taken_off(children.law, men, captured, mover, target)
                move = Move(color, removed, mover, target, NO_PIECE, path, NONE)
                game.play(children, men, scratch, of_mover, plane, move)


@kernel
def play_king(children, men, captured, scratch, values, plane):
    """Raise `values` of a plane to the values after the opponent's king takes man `captured`."""
    move, kind, count = capture_by_king(children, men, captured, scratch)
    owner, movement = men.colors[captured], children.law.movement
    guarded = protecting_squares(movement, move.target, owner, scratch.child, count)
    raise_by_king(children, kind, move, guarded, scratch, values, plane)


@kernel
def capture_by_king(children, men, captured, scratch):
    """Return a king's capture of man `captured`, its kind, and how many men are left.

    These are in ``scratch.child``, and `scratch.bases` has where the child lies.
    """
    removed, target = np.int64(1) << captured, np.int64(men.squares[captured])
    color = 1 - men.colors[captured]
    move = Move(color, removed, NO_MAN, target, NO_PIECE, np.uint64(0), NONE)
    kind = locate_child(children, men, move, scratch.bases)
    return move, kind, make_child(men, move, scratch.child)


@kernel
def raise_by_king(children, kind, move, guarded, scratch, values, plane):
    """Raise `values` of a plane to those after a king's `move`, a capture.

    Positions count in which the other king is not on a square of `guarded`.
    """
    owner, target = 1 - move.color, move.target
    near = children.law.movement.attacks[WHITE, KING, target]
    if owner != WHITE:  # White's king takes: words near the target
        gather_line(children, kind, owner, move.given, target, scratch)
        while near:
            white = lowest_bit(near)
            near &= near - ONE
            place = (np.int64(plane) * 64 + white) * 64
            raise_selected(values, place, scratch.values, 0, ~guarded)
        return
    gather_line(children, kind, owner, move.given, target, scratch)
    for white in range(64):
        if (guarded >> np.uint64(white)) & ONE:
            continue
        value = scratch.values[white]
        left = near
        while left:
            place = (np.int64(plane) * 64 + white) * 64 + lowest_bit(left)
            left &= left - ONE
            values[place] = max(values[place], value)


@kernel
def locate_child(children, men, move, bases):
    """Write to `bases` where the child of a `Move` lies (see `find_child`); return its kind.

    Meanwhile the mover stands on its target in `squares`.
    """
    promoting = move.mover if move.new_type else NO_MAN
    kind = children.places.kind[move.color, move.removed, promoting + 1, move.new_type]
    if move.mover == NO_MAN:
        find_child(children, kind, men.squares, bases)
        return kind
    origin = men.squares[move.mover]
    men.squares[move.mover] = move.target
    find_child(children, kind, men.squares, bases)
    men.squares[move.mover] = origin
    return kind


@kernel
def make_child(men, move, child):
    """Write `colors`, `types` and `squares` of the men after a `Move`; return how many are left.

    Men keep their order; those that it takes off are dropped.
    """
    count = 0
    for i in range(len(men.squares)):
        if (move.removed >> i) & 1:
            continue
        child.colors[count] = men.colors[i]
        child.types[count] = men.types[i]
        child.squares[count] = men.squares[i]
        if i == move.mover:
            child.squares[count] = move.target
            if move.new_type:
                child.types[count] = move.new_type
        count += 1
    return count


@kernel
def protecting_squares(movement, target, by, men, count):
    """Return the squares of the own king of `by` for which its men attack square `target`.

    The men are the first `count` of `men`.
    """
    occupied = np.uint64(0)
    for i in range(count):
        occupied |= ONE << np.uint64(men.squares[i])
    guarded = np.uint64(0)
    for i in range(count):
        man_type, origin = men.types[i], np.int64(men.squares[i])
        if men.colors[i] == by and attacks_square(movement, by, man_type, origin, target, occupied):
            guarded |= ~movement.between[by, man_type, origin, target]
    return guarded


@kernel
def pawn_moves(children, men, mover, occupied, stalemates, scratch, values, plane):
    """Raise `values` of a plane to the values after the moves of one pawn.

    `occupied` is the word of the men's squares; for `stalemates` see `double_push`.
    """
    law = children.law
    color, origin = men.colors[mover], np.int64(men.squares[mover])
    for captured in range(len(men.squares)):
        target = np.int64(men.squares[captured])
        hit = (law.movement.attacks[color, PAWN, origin] >> np.uint64(target)) & ONE
        if hit and men.colors[captured] != color:
            removed = children.game.taken_off(law, men, captured, mover, target)
            move = Move(color, removed, mover, target, NO_PIECE, np.uint64(0), NONE)
            _pawn_arrives(children, men, scratch, values, plane, move)
    step = 8 if color == WHITE else -8
    target = origin + step
    path = ONE << np.uint64(target)
    if occupied & path:
        return
    step_on = Move(color, NONE, mover, target, NO_PIECE, path, NONE)
    _pawn_arrives(children, men, scratch, values, plane, step_on)
    if origin >> 3 != law.push_rank[color]:
        return
    target += step
    path |= ONE << np.uint64(target)
    if not occupied & path:
        double_push(children, men, mover, stalemates, scratch, values, plane, path)


@kernel
def _pawn_arrives(children, men, scratch, values, plane, move):
    """Raise `values` of a plane to the values after a pawn's `move`, or after its promotions."""
    law, play = children.law, children.game.play
    stays = move.target >> 3 != law.promotion_rank[move.color]
    if stays or (move.removed >> move.mover) & 1:
        play(children, men, scratch, values, plane, move)
    else:
        for new_type in law.promotions:
            color, removed, mover, target, _, path, given = move
            promotion = Move(color, removed, mover, target, new_type, path, given)
            play(children, men, scratch, values, plane, promotion)


@kernel
def play(children, men, scratch, values, plane, move):
    """Raise `values` of a plane to the values after a `Move`."""
    look_ahead(children, men, scratch, move)
    raise_values(values, plane, move.path, scratch.values, scratch.attacked)


@kernel
def look_ahead(children, men, scratch, move):
    """Write to `scratch.values` those after a `Move`; return its kind, and how many men are left.

    They are in ``scratch.child``, and `scratch.attacked` has where the mover's king is in check.
    """
    opponent = 1 - move.color
    kind = locate_child(children, men, move, scratch.bases)
    gather_plane(children, kind, opponent, move.given, AFTER, scratch)
    count = make_child(men, move, scratch.child)
    children.game.attacked_after(children, opponent, scratch.child, count, scratch.attacked)
    return kind, count


@kernel
def attacked_after(children, by, child, count, attacked):
    """Write to `attacked` the `attack_plane` of side `by`, of the first `count` men of `child`."""
    colors, types, squares = child.colors[:count], child.types[:count], child.squares[:count]
    law = children.law
    attack_plane(law.movement, law.shields, by, colors, types, squares, attacked)


@kernel
def note_answer(children, move, scratch):  # noqa: ARG001 (see `Game`)
    """Note in `answered` for which kings an answer is legal, by what is `attacked` after it."""
    for white in range(64):
        scratch.answered[white] |= ~scratch.attacked[white]


@kernel
def taken_off(law, men, captured, mover, target):  # noqa: ARG001 (see `Game`)
    """Return as bits the men that a capture takes off the board: that which is `captured`."""
    return np.int64(1) << captured


@kernel
def raise_values(values, plane, path, child_values, attacked):
    """Raise `values` of a plane to `child_values`, the values after one move, where it is legal.

    `path` is the word of squares that the kings must leave free, `attacked` uint64 [64] the kings'
    squares for which the move leaves the mover's king in check.
    """
    for white in range(64):
        if not (path >> np.uint64(white)) & ONE:
            place = (np.int64(plane) * 64 + white) * 64
            raise_selected(values, place, child_values, white * 64, ~(attacked[white] | path))


@kernel
def double_push(children, men, mover, stalemates, scratch, values, plane, path):
    """Raise `values` of a plane to the values after a pawn's double push, en passant included.

    The stored value of the position after the push knows nothing of the capture. The better of both
    counts, or only the capture where `stalemates` has the position: no other move is legal.
    """
    color, origin = men.colors[mover], np.int64(men.squares[mover])
    target = origin + (16 if color == WHITE else -16)
    push = Move(color, NONE, mover, target, NO_PIECE, path, NONE)
    found = False
    for taker in range(len(men.squares)):
        found |= _can_take_en_passant(men, taker, target, color)
    if not found:
        children.game.play(children, men, scratch, values, plane, push)
        return
    children.game.play_push(children, men, push, stalemates, scratch, values, plane)


@kernel
def play_push(children, men, push, stalemates, scratch, values, plane):
    """Raise `values` as `double_push` where en passant may be the answer to a `push`."""
    answer_push(children, men, push, stalemates, scratch)
    raise_values(values, plane, push.path, scratch.values, scratch.attacked)


@kernel
def answer_push(children, men, push, stalemates, scratch):
    """Write to `scratch.values` what a `push` is worth that en passant may answer.

    For `stalemates` see `double_push`. Returns how many men are left, as `look_ahead`.
    """
    color, target = push.color, push.target
    opponent, given = 1 - color, push.given
    answers, over = scratch.other_values, not children.child_codes.address[given, OWN, opponent]
    for slot in range(4096):
        answers[slot] = 0
    for white in range(64):
        scratch.answered[white] = 0
    for taker in range(len(men.squares)):
        if not over and _can_take_en_passant(men, taker, target, color):
            _en_passant_values(children, men, push, taker, scratch)
    kind = locate_child(children, men, push, scratch.bases)
    gather_plane(children, kind, opponent, given, HERE, scratch)
    t = np.int64(0 if scratch.bases[0] >= 0 else 1)
    table_row = scratch.bases[t] // children.places.pairs[kind]
    for white in range(64):
        stalemated = stalemates[opponent, table_row * 64 + D4[t, white]]
        answered = scratch.answered[white]
        for black in range(64):
            slot = white * 64 + black
            value, answer = scratch.values[slot], answers[slot]
            has_answer = (answered >> np.uint64(black)) & ONE
            if has_answer and ((stalemated >> np.uint64(D4[t, black])) & ONE):
                value = answer
            scratch.values[slot] = children.child_codes.negated[max(value, answer)]
    count = make_child(men, push, scratch.child)
    children.game.attacked_after(children, opponent, scratch.child, count, scratch.attacked)
    return count


@kernel
def _can_take_en_passant(men, taker, target, color):
    """Return whether man `taker` is an enemy pawn beside a pawn of `color` on `target`."""
    square = np.int64(men.squares[taker])
    return (
        men.types[taker] == PAWN
        and men.colors[taker] != color
        and square >> 3 == target >> 3
        and abs(square - target) == 1
    )


@kernel
def _en_passant_values(children, men, push, taker, scratch):
    """Raise `other_values` to the taker's values after it answers a `push` by a capture en passant.

    Where that is legal is noted in `answered`.
    """
    color = men.colors[taker]
    ep_square = np.int64(men.squares[push.mover]) + (-8 if color == WHITE else 8)
    removed = children.game.taken_off(children.law, men, push.mover, taker, ep_square)
    move = Move(color, removed, taker, ep_square, NO_PIECE, np.uint64(0), push.given)
    children.game.play(children, men, scratch, scratch.other_values, ONLY_PLANE, move)
    children.game.note_answer(children, move, scratch)
