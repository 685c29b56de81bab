"""Every game: what the rules of its law ask for, at each of the points of `Game`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.core.engine.games.by_place import mirror_decided, moves_by_place
from tablebase.core.engine.games.checks import (
    checked_squares,
    find_checked,
    import_plane,
    import_results,
    raise_checked,
    with_check,
)
from tablebase.core.engine.games.chess import CHESS_GAME
from tablebase.core.engine.games.explosions import (
    blast_of,
    blown_up,
    note_exploding,
    raise_exploding,
)
from tablebase.core.engine.games.goals import draw_answers, on_goal
from tablebase.core.engine.games.points import Game
from tablebase.core.engine.out.children import AFTER, gather_plane
from tablebase.core.engine.out.moves_out import (
    NONE,
    answer_push,
    best_moves_out,
    capture_by_king,
    look_ahead,
    protecting_squares,
    raise_by_king,
    raise_values,
)
from tablebase.core.engine.out.moves_out import attacked_after as attacked_by
from tablebase.core.engine.sets.bits import (
    ALL,
    EITHER,
    ONE,
    WHITE,
    attack_plane,
    king_lines,
    king_preimage,
    legal_plane,
)
from tablebase.core.engine.sets.leads import lead_plane, lead_preimage
from tablebase.core.engine.sets.values import LOST_AT_ONCE
from tablebase.core.jit.kernels import hot_kernel, kernel
from tablebase.core.jit.vectors import write_selected

if TYPE_CHECKING:
    from collections.abc import Callable

    from tablebase.core.rules.rules import Rules


@kernel
def stand(law, men, color, occupied, scratch):
    """Write to `scratch.legal` where kings or leads may stand beside `men` with `color` to move."""
    legal = scratch.legal
    if not law.royal:
        lead_plane(law.nobody, occupied, legal)
        return
    attacked, movement, shields = scratch.attacked, law.movement, law.shields
    by = color if law.checking else EITHER
    attack_plane(movement, shields, by, men.colors, men.types, men.squares, attacked)
    legal_plane(movement, shields, occupied, attacked, legal)
    for white in range(64):
        legal[white] &= ~on_goal(law, color, white)


@kernel
def begin(problem, color, plane, worker):
    """Make `decided` what the rules decide of `not_won` in a plane, and find what is `checked`.

    Where no king is royal, moves out tell what is `decided`.
    """
    law, sets, base = problem.law, worker.sets, np.int64(plane) * 64
    if len(sets.decided[color]):
        for white in range(64):
            decided = sets.not_won[color, base + white]
            if not law.bared[color]:
                decided &= on_goal(law, 1 - color, white)
            sets.decided[color, base + white] = decided
    if len(sets.checked[color]):
        find_checked(problem, color, plane, worker)


@kernel
def move_out(problem, plane, worker, values, value_plane):
    """Raise `values`, in `value_plane`, to the best of the moves out of a plane.

    Where no king is royal, also note in `decided` where captures are forced, or there is no move.
    """
    planes, law = problem.planes, problem.law
    sets, men, scratch = worker.sets, worker.men, worker.scratch
    if law.royal:
        best_moves_out(problem.children, men, problem.stalemates, scratch, values, value_plane)
        return
    base, occupied = np.int64(plane) * 64, np.uint64(law.outside)
    for square in men.squares:
        occupied |= ONE << np.uint64(square)
    legal, decided = scratch.legal, scratch.decided
    lead_plane(law.nobody, occupied, legal)
    moves_by_place(
        problem.children, men, occupied, legal, scratch.moment, values, value_plane, decided
    )
    for color in range(2):
        for white in range(64):
            sets.decided[color, base + white] = decided[color, white]
    if planes.mirrored[plane] >= 0:
        mirror_decided(decided, scratch.mirrored)
        copy = np.int64(planes.mirrored[plane]) * 64
        for color in range(2):
            for white in range(64):
                sets.decided[color, copy + white] = scratch.mirrored[color, white]


@kernel
def settle(problem, color, plane, worker):
    """Let what a goal or a bare king decides be lost by `values`, and import what is `checked`."""
    law, sets, value_plane = problem.law, worker.sets, np.int64(problem.planes.value_plane[plane])
    if len(sets.checked[color]):
        import_plane(problem, color, plane, worker)
    for white in range(64):
        lost = on_goal(law, 1 - color, white)
        if law.bared[color] > 1:  # no capture can save it
            lost = ALL
        write_selected(sets.values[color], (value_plane * 64 + white) * 64, lost, LOST_AT_ONCE)


@kernel
def answer(problem, color, plane, worker):
    """Let Black's `values` be draws where its king can follow White's to the goal."""
    if problem.law.flag_move and color != WHITE:
        value_plane = np.int64(problem.planes.value_plane[plane])
        draw_answers(problem, worker, worker.sets.values[color], value_plane)


@hot_kernel
def retreat(law, color, words, plane, k, occupied):
    """Return line `k` of the preimage of the set `words` of a plane under the moves of a lead.

    Its way is blocked by what is `occupied`.
    """
    if law.royal:
        return king_preimage(color, words, plane, k)
    return lead_preimage(law, color, words, plane, k, occupied)


@kernel
def lines_back(law, color, lines):
    """Return as bits the lines of a plane from which a king or lead may reach `lines`."""
    if law.royal or color != WHITE:
        return king_lines(color, lines)
    return np.int64(255 if lines else 0)


@kernel
def blocked(problem, plane, pawns):
    """Return the squares of the men besides the leads, of which `pawns` are some."""
    if not problem.law.royal:
        squares = problem.planes.plane_squares[plane]
        for i in range(len(squares)):
            pawns |= ONE << np.uint64(squares[i])
    return pawns


@kernel
def after_ply(problem, result, color, ply, first, last, sets):
    """Change the `frontier` by what is `checked`, where checks are counted."""
    if len(sets.checked[color]):
        import_results(problem, result, color, ply, first, last, sets)


@kernel
def taken_off(law, men, captured, mover, target):
    """Return as bits the men that a capture on `target` takes off the board."""
    if law.blast:
        return blown_up(law, men, captured, mover, target)
    return np.int64(1) << captured


@kernel
def attacked_after(children, by, child, count, attacked):
    """Write to `attacked` the `attack_plane` of side `by`, of the first `count` men of `child`.

    Where no move may give check, it is that of both sides.
    """
    by = by if children.law.checking else EITHER
    attacked_by(children, by, child, count, attacked)


@kernel
def play(children, men, scratch, values, plane, move):
    """Raise `values` of a plane to the values after a `Move`."""
    kind, count = look_ahead(children, men, scratch, move)
    blast = blast_of(children, move)
    if blast:
        raise_exploding(children, values, plane, move, blast)
    if not children.law.counting:
        raise_values(values, plane, move.path | blast, scratch.values, scratch.attacked)
        return
    check = with_check(move)
    children.game.attacked_after(children, move.color, scratch.child, count, scratch.checked)
    raise_checked(values, plane, move.path, NONE, scratch)
    gather_plane(children, kind, 1 - move.color, check.given, AFTER, scratch)
    raise_checked(values, plane, move.path, check.given, scratch)


@kernel
def play_king(children, men, captured, scratch, values, plane):
    """Raise `values` of a plane to the values after the opponent's king takes man `captured`."""
    law, owner = children.law, men.colors[captured]
    if not law.king_takes:
        return
    move, kind, count = capture_by_king(children, men, captured, scratch)
    target = move.target
    if law.checking:
        guarded = protecting_squares(law.movement, target, owner, scratch.child, count)
    else:
        guarded = checked_squares(children, target, owner, owner, count, scratch)
    if not law.counting:
        raise_by_king(children, kind, move, guarded, scratch, values, plane)
        return
    checked = checked_squares(children, target, owner, 1 - owner, count, scratch)
    raise_by_king(children, kind, move, guarded | checked, scratch, values, plane)
    if checked:
        check = with_check(move)
        raise_by_king(children, kind, check, guarded | ~checked, scratch, values, plane)


@kernel
def play_push(children, men, push, stalemates, scratch, values, plane):
    """Raise `values` as `double_push` where en passant may be the answer to a `push`.

    For `stalemates` see there.
    """
    if not children.law.counting:
        answer_push(children, men, push, stalemates, scratch)
        raise_values(values, plane, push.path, scratch.values, scratch.attacked)
        return
    for move in (push, with_check(push)):
        count = answer_push(children, men, move, stalemates, scratch)
        children.game.attacked_after(children, push.color, scratch.child, count, scratch.checked)
        raise_checked(values, plane, push.path, move.given, scratch)


EVERY_GAME = Game(
    stand, begin, move_out, settle, answer, retreat, lines_back, blocked, after_ply,
    taken_off, attacked_after, play, play_king, play_push, note_exploding,
)  # fmt: skip


def solves_like_chess(rules: Rules) -> bool:
    """Return whether rules have only what the solver of chess knows."""
    return not rules.ends and rules.checks == "free" and rules.captures == "plain"


# The first one counts whose test rules pass: chess has a solver of its own, other games share one.
GAMES: list[tuple[Callable[[Rules], bool], Game]] = [
    (solves_like_chess, CHESS_GAME),
    (lambda _: True, EVERY_GAME),
]


def game_of(rules: Rules) -> Game:
    """Return the game of some rules."""
    return next(game for fits, game in GAMES if fits(rules))
