"""The points at which games differ."""

from __future__ import annotations

from typing import Any, NamedTuple


class Game(NamedTuple):
    """Kernels, which are constants of the type of a record of them."""

    stand: Any  # (law, men, color, occupied, scratch): write to `scratch.legal` [64] where kings or
    # leads may stand with `color` to move, beside `men` on the squares `occupied`
    begin: Any  # (problem, color, plane, worker): fill a plane's sets of what moves do not decide
    move_out: Any  # (problem, plane, worker, values, value_plane): raise that plane of `values` to
    # the best of the moves out of a plane, whose men stand there
    settle: Any  # (problem, color, plane, worker): write the `values` of what `begin` has found
    answer: Any  # (problem, color, plane, worker): change `values` by answers to an end of the game
    retreat: Any  # (law, color, words, plane, k, occupied): return line `k` of the preimage of the
    # set `words` of a plane under the moves of a king or lead
    lines_back: Any  # (law, color, lines): return as bits the lines from which that may lead here
    blocked: Any  # (problem, plane, pawns): return the squares that block them: `pawns` and others
    after_ply: Any  # (problem, result, color, ply, first, last, sets): change the `frontier` of the
    # planes ``first`` to ``last - 1`` after a ply by results from elsewhere
    taken_off: Any  # (law, men, captured, mover, target): return as bits the men that a capture
    # takes off the board
    attacked_after: Any  # (children, by, child, count, attacked): write to `attacked` [64] for
    # which squares of the kings that of the side not `by` is in check after a move
    play: Any  # (children, men, scratch, values, plane, move): raise `values` to those after a move
    play_king: Any  # (children, men, captured, scratch, values, plane): after a king takes a man
    play_push: Any  # (children, men, push, stalemates, scratch, values, plane): after a double push
    # that a capture en passant may answer
    note_answer: Any  # (children, move, scratch): note in `scratch.answered` where that is legal
