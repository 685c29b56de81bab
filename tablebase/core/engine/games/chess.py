"""Chess: kings that must not be lost, on any board, with any other men."""

from __future__ import annotations

from tablebase.core.engine.games.points import Game
from tablebase.core.engine.out.moves_out import (
    attacked_after,
    best_moves_out,
    note_answer,
    play,
    play_king,
    play_push,
    taken_off,
)
from tablebase.core.engine.sets.bits import attack_plane, king_lines, king_preimage, legal_plane
from tablebase.core.jit.kernels import hot_kernel, kernel


@kernel
def stand(law, men, color, occupied, scratch):
    """Write to `scratch.legal` where kings may stand beside `men` with `color` to move."""
    attacked, movement, shields = scratch.attacked, law.movement, law.shields
    attack_plane(movement, shields, color, men.colors, men.types, men.squares, attacked)
    legal_plane(movement, shields, occupied, attacked, scratch.legal)


@kernel
def move_out(problem, plane, worker, values, value_plane):  # noqa: ARG001 (see `Game`)
    """Raise `values`, in `value_plane`, to the best of the moves out of a plane."""
    best_moves_out(
        problem.children, worker.men, problem.stalemates, worker.scratch, values, value_plane
    )


@kernel
def nothing(problem, color, plane, worker):
    """Do nothing: moves decide every `plane`."""


@hot_kernel
def retreat(law, color, words, plane, k, occupied):  # noqa: ARG001
    """Return line `k` of the preimage of the set `words` of a plane under a king's moves."""
    return king_preimage(color, words, plane, k)


@kernel
def lines_back(law, color, lines):  # noqa: ARG001
    """Return as bits the lines of a plane from which a king reaches `lines`."""
    return king_lines(color, lines)


@kernel
def blocked(problem, plane, pawns):  # noqa: ARG001
    """Return `pawns`, since nobody stands between a king and the squares beside it."""
    return pawns


@kernel
def no_results(problem, result, color, ply, first, last, sets):
    """Do nothing: the results of a `ply` are all in this table."""


CHESS_GAME = Game(
    stand, nothing, move_out, nothing, nothing, retreat, lines_back, blocked, no_results,
    taken_off, attacked_after, play, play_king, play_push, note_answer,
)  # fmt: skip
