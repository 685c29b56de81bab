"""One move forwards: what a result is worth, whether a king is attacked, double pushes.

This knows the rules of the game forwards only. Nothing of it is shared with the solver, which goes
backwards over sets of positions; both stand only on the same numbering of positions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase.board import ATTACKS, BETWEEN, DRAW, PAWN_ATTACKS
from tablebase.jit import kernel
from tablebase.moves.row_moves import KING, ONE, PAWN, WHITE, find_bases, takes_passing
from tablebase.moves.successors import NO_MAN

# A worth orders results as the side to move prefers them: a loss in n plies is n, a draw 500, a win
# in n plies 1000 - n. NO_MOVE is below all.
NO_MOVE, DRAW_WORTH, WIN_WORTH = -1, 500, 1000
# A value that no code can hold, such as a win in 255 plies.
UNSTORABLE = 256


def _worths() -> NDArray[np.int64]:
    """Return the worth of every stored code."""
    codes = np.arange(256)
    worths = np.where(codes % 2 == 1, WIN_WORTH - codes, codes)
    worths[DRAW] = DRAW_WORTH
    return worths


def _negated(worth: int) -> int:
    """Return the worth, for the side that moved there, of a position with this worth."""
    if worth == DRAW_WORTH:
        return DRAW_WORTH
    return WIN_WORTH - (worth + 1) if worth < DRAW_WORTH else WIN_WORTH - worth + 1


def _codes() -> NDArray[np.int64]:
    """Return the stored code of every worth, UNSTORABLE if there is none."""
    codes = np.full(WIN_WORTH + 1, UNSTORABLE)
    worths = _worths()
    codes[worths] = np.arange(256)
    return codes


WORTH_OF_CODE = _worths()
CODE_OF_WORTH = _codes()
WORTH_AFTER_MOVE = np.array([_negated(int(worth)) for worth in WORTH_OF_CODE])
NEGATED = np.array([_negated(worth) for worth in range(WIN_WORTH + 1)])
for _constant in (WORTH_OF_CODE, CODE_OF_WORTH, WORTH_AFTER_MOVE, NEGATED):
    _constant.setflags(write=False)
del _constant


@kernel
def slot_of(places, variant, kings, bases, i):
    """Return the index of the position with bases ``bases[i]`` and a pair of kings."""
    # Views of rows would be counted references, and cost more than all the rest.
    first = bases[i, places[variant, kings, 0]] + places[variant, kings, 1]
    second = bases[i, places[variant, kings, 2]] + places[variant, kings, 3]
    return min(first, second)


@kernel
def is_attacked(colors, types, squares, by, target, occupied, ignored):
    """Return whether men of colour `by` (no king) attack a square; `ignored` is a man or NO_MAN."""
    bit = ONE << np.uint64(target)
    for man in range(len(colors)):
        if colors[man] != by or man == ignored:
            continue
        square = squares[man + 2]
        if types[man] == PAWN:
            if PAWN_ATTACKS[by, square] & bit:
                return True
        elif ATTACKS[types[man], square] & bit and not BETWEEN[square, target] & occupied:
            return True
    return False


@kernel
def has_move(colors, types, squares, color, occupied):
    """Return whether a side has a legal move other than capturing en passant."""
    king = np.int64(squares[color])
    other_king = np.int64(squares[1 - color])
    for man in range(-1, len(colors)):
        if man >= 0 and colors[man] != color:
            continue
        origin = king if man < 0 else np.int64(squares[man + 2])
        for target in range(64):
            bit = ONE << np.uint64(target)
            captured = NO_MAN
            own = target in (king, other_king)
            for other in range(len(colors)):
                if squares[other + 2] == target:
                    captured = other
                    own |= colors[other] == color
            if own:
                continue
            if man >= 0 and types[man] == PAWN:
                step = 8 if color == WHITE else -8
                straight = target == origin + step or (
                    target == origin + 2 * step
                    and origin >> 3 == (1 if color == WHITE else 6)
                    and not (occupied >> np.uint64(origin + step)) & ONE
                )
                takes = PAWN_ATTACKS[color, origin] & bit != np.uint64(0)
                moves = (takes and captured != NO_MAN) or (straight and captured == NO_MAN)
            else:
                kind = KING if man < 0 else types[man]
                moves = (
                    ATTACKS[kind, origin] & bit != np.uint64(0)
                    and not BETWEEN[origin, target] & occupied
                )
            if not moves:
                continue
            at = target if man < 0 else king
            if (ATTACKS[KING, other_king] >> np.uint64(at)) & ONE:
                continue
            left = (occupied & ~(ONE << np.uint64(origin))) | bit
            if not is_attacked(colors, types, squares, 1 - color, at, left, captured):
                return True
    return False


@kernel
def after_double_push(successors, row, stored, man, target):
    """Return the worth of a double push, the answers en passant included.

    `stored` is the code of the position after it; the kings are on ``row.squares``.
    """
    color = successors.colors[man]
    king = np.int64(row.squares[1 - color])
    origin = np.int64(row.squares[man + 2])
    row.squares[man + 2] = target
    passed = (origin + target) // 2
    occupied = np.uint64(0)
    for square in row.squares:
        occupied |= ONE << np.uint64(square)
    answer = np.int64(NO_MOVE)
    for taker in range(len(successors.colors)):
        if not takes_passing(successors, row.squares, taker, color, target):
            continue
        beside = row.squares[taker + 2]
        left = occupied & ~(ONE << np.uint64(target)) & ~(ONE << np.uint64(beside))
        left |= ONE << np.uint64(passed)
        if is_attacked(successors.colors, successors.types, row.squares, color, king, left, man):
            continue
        row.squares[taker + 2] = passed
        kind = successors.kind[man + 1, 0, 0]
        find_bases(successors, kind, row.squares, True, row.scratch[0])  # noqa: FBT003
        row.squares[taker + 2] = beside
        kings = np.int64(row.squares[0]) * 64 + row.squares[1]
        slot = slot_of(successors.places, successors.variant[kind], kings, row.scratch, 0)
        code = successors.codes[successors.start[kind, color] + slot]
        answer = max(answer, WORTH_AFTER_MOVE[code])
    worth = WORTH_OF_CODE[stored]
    if answer != NO_MOVE:
        forced = stored == DRAW and not has_move(
            successors.colors, successors.types, row.squares, 1 - color, occupied
        )
        worth = answer if forced else max(worth, answer)
    row.squares[man + 2] = origin
    return NEGATED[worth]
