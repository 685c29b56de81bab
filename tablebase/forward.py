"""One move ahead: what every position of a table is worth by its moves.

This knows the rules of the game forwards only. It lists the moves of each position, looks up the
positions that they lead to, in the table itself or in its sub-tables, and takes the best. Nothing
of it is shared with the solver, which goes backwards over sets of positions; both stand only on
the same numbering of positions.

All moves of a row's men are listed once, as if there were no kings on the board (see
`tablebase.row_moves`); each pair of kings then cuts short the rays that it blocks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tablebase._instructions import work_space
from tablebase._jit import entry, kernel
from tablebase.geometry import ATTACKS, BETWEEN, PAWN_ATTACKS, RAYS
from tablebase.index import KING_PAIRS_WITH_PAWNS
from tablebase.row_moves import (
    KING,
    ONE,
    PAWN,
    WHITE,
    find_attacks,
    find_bases,
    list_moves,
    takes_passing,
)
from tablebase.rules import NO_MAN
from tablebase.values import DRAW

# Scores order results as the side to move prefers them: a loss in n plies is n, a draw 500, a win
# in n plies 1000 - n. NO_MOVE is below all.
NO_MOVE, DRAW_SCORE, WIN_SCORE = -1, 500, 1000
# A value that no code can hold, such as a win in 255 plies.
UNSTORABLE = 256


def _scores() -> NDArray[np.int64]:
    """Return the score of every stored code."""
    codes = np.arange(256)
    scores = np.where(codes % 2 == 1, WIN_SCORE - codes, codes)
    scores[DRAW] = DRAW_SCORE
    return scores


def _negated(score: int) -> int:
    """Return the score, for the side that moved there, of a position with this score."""
    if score == DRAW_SCORE:
        return DRAW_SCORE
    return WIN_SCORE - (score + 1) if score < DRAW_SCORE else WIN_SCORE - score + 1


def _codes() -> NDArray[np.int64]:
    """Return the stored code of every score, UNSTORABLE if there is none."""
    codes = np.full(WIN_SCORE + 1, UNSTORABLE)
    scores = _scores()
    codes[scores] = np.arange(256)
    return codes


SCORE_OF_CODE = _scores()
CODE_OF_SCORE = _codes()
SCORE_AFTER_MOVE = np.array([_negated(int(score)) for score in SCORE_OF_CODE])
NEGATED = np.array([_negated(score) for score in range(WIN_SCORE + 1)])
for _constant in (SCORE_OF_CODE, CODE_OF_SCORE, SCORE_AFTER_MOVE, NEGATED):
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
def _has_move(colors, types, squares, color, occupied):
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
def after_double_push(rules, row, stored, man, target):
    """Return the score of a double push, the answers en passant included.

    `stored` is the code of the position after it; the kings are on ``row.squares``.
    """
    color = rules.colors[man]
    king = np.int64(row.squares[1 - color])
    origin = np.int64(row.squares[man + 2])
    row.squares[man + 2] = target
    passed = (origin + target) // 2
    occupied = np.uint64(0)
    for square in row.squares:
        occupied |= ONE << np.uint64(square)
    answer = np.int64(NO_MOVE)
    for taker in range(len(rules.colors)):
        if not takes_passing(rules, row.squares, taker, color, target):
            continue
        beside = row.squares[taker + 2]
        left = occupied & ~(ONE << np.uint64(target)) & ~(ONE << np.uint64(beside))
        left |= ONE << np.uint64(passed)
        if is_attacked(rules.colors, rules.types, row.squares, color, king, left, man):
            continue
        row.squares[taker + 2] = passed
        kind = rules.kind[man + 1, 0, 0]
        find_bases(rules, kind, row.squares, True, row.scratch[0])  # noqa: FBT003
        row.squares[taker + 2] = beside
        kings = np.int64(row.squares[0]) * 64 + row.squares[1]
        slot = slot_of(rules.places, rules.variant[kind], kings, row.scratch, 0)
        code = rules.codes[rules.start[kind, color] + slot]
        answer = max(answer, SCORE_AFTER_MOVE[code])
    score = SCORE_OF_CODE[stored]
    if answer != NO_MOVE:
        forced = stored == DRAW and not _has_move(
            rules.colors, rules.types, row.squares, 1 - color, occupied
        )
        score = answer if forced else max(score, answer)
    row.squares[man + 2] = origin
    return NEGATED[score]


@kernel
def _expected_codes(rules, row, own, side, men_word, chosen, expected):
    """Write the code that each position of a row must have, or -1 if it is not legal or none.

    `own` are the table's codes with the other side to move. The pairs of kings `chosen` [n] are
    looked at, the codes written to `expected` [n].
    """
    # One loop with all arrays at hand: passing them on for each position would cost as much again.
    colors, types, squares, man_at = rules.colors, rules.types, row.squares, row.man_at
    codes, start, places, variant = rules.codes, rules.start, rules.places, rules.variant
    bases, king_bases, kinds, targets = row.bases, row.king_bases, row.kind, row.target
    bounds, next_ray, captures, passing = row.bounds, row.next_ray, row.captured, row.passing
    king_kinds, king_squares, pinned = rules.kind, rules.king_squares, row.pinned
    other_side = 1 - side
    danger, threat = row.danger[other_side], row.danger[side]
    for n in range(len(chosen)):
        expected[n] = -1
        white, black = np.int64(king_squares[chosen[n], 0]), np.int64(king_squares[chosen[n], 1])
        squares[0], squares[1] = white, black
        king, other_king = (white, black) if side == WHITE else (black, white)
        king_bit, other_bit = ONE << np.uint64(king), ONE << np.uint64(other_king)
        if men_word & (king_bit | other_bit):
            continue
        occupied = men_word | king_bit | other_bit
        if threat & other_bit and is_attacked(
            colors, types, squares, side, other_king, occupied, NO_MAN
        ):
            continue
        best = np.int64(NO_MOVE)
        left = occupied & ~king_bit
        for direction in range(8):
            target = np.int64(RAYS[KING, king, direction, 0])
            if target < 0:
                break
            bit = ONE << np.uint64(target)
            captured = man_at[target]
            if ATTACKS[KING, other_king] & bit:
                continue
            if captured != NO_MAN and colors[captured] == side:
                continue
            if danger & bit and is_attacked(
                colors, types, squares, other_side, target, left, captured
            ):
                continue
            kings = target * 64 + black if side == WHITE else white * 64 + target
            kind = king_kinds[captured + 1, 0, 0]
            slot = slot_of(places, variant[kind], kings, king_bases, captured + 1)
            code = codes[start[kind, other_side] + slot] if kind else own[slot]
            best = max(best, SCORE_AFTER_MOVE[code])
        kings = white * 64 + black
        symmetry, pair = places[variant[0], kings, 0], places[variant[0], kings, 1]
        second, second_pair = places[variant[0], kings, 2], places[variant[0], kings, 3]
        for man in range(len(colors)):
            if colors[man] != side:
                continue
            # Only if the king is in check without this man can its moves be illegal.
            without = occupied & ~(ONE << np.uint64(squares[man + 2]))
            exposed = pinned[man] & king_bit != np.uint64(0)
            i, last = bounds[man], bounds[man + 1]
            while i < last:
                target = targets[i]
                if target == king or target == other_king:  # noqa: PLR1714, SIM109 (a tuple is slower)
                    i = next_ray[i]
                    continue
                if exposed:
                    left = without | (ONE << np.uint64(target))
                    if is_attacked(colors, types, squares, other_side, king, left, captures[i]):
                        i += 1
                        continue
                kind = kinds[i]
                if kind == 0:  # by far the most; as in `slot_of`
                    slot = min(bases[i, symmetry] + pair, bases[i, second] + second_pair)
                    code = own[slot]
                else:
                    slot = slot_of(places, variant[kind], kings, bases, i)
                    code = codes[start[kind, other_side] + slot]
                score = SCORE_AFTER_MOVE[code]
                if passing[i]:
                    score = after_double_push(rules, row, code, man, target)
                best = max(best, score)
                i += 1
        if best != NO_MOVE:
            expected[n] = CODE_OF_SCORE[best]
        else:
            mated = is_attacked(colors, types, squares, other_side, king, occupied, NO_MAN)
            expected[n] = 0 if mated else DRAW


# What `check_slots` counts.
POSITIONS, DIFFERENT = 0, 1


@kernel
def _compare(codes, slots, expected, side, counts, found):
    """Count the positions of a row, and note those whose code is not the expected one."""
    for i in range(len(slots)):
        if expected[i] < 0:
            continue
        counts[side, POSITIONS] += 1
        if codes[slots[i]] != expected[i]:
            number = counts[side, DIFFERENT]
            if number < found.shape[1]:
                found[side, number, 0], found[side, number, 1] = slots[i], expected[i]
            counts[side, DIFFERENT] += 1


@entry
def check_slots(rules, row, boards, white, black, slots, counts, found):
    """Check slots, int64 [n] in ascending order; `boards` uint8 [rows, men + 2] are their rows'.

    `counts` is int64 [2, 2] by side to move; the first differences of each side are written to
    `found` int64 [2, m, 2] as slot and expected code.
    """
    pairs = len(rules.king_squares)
    chosen = work_space(KING_PAIRS_WITH_PAWNS, np.int64)
    expected = work_space(KING_PAIRS_WITH_PAWNS, np.int64)
    first = 0
    for board in boards:
        number = slots[first] // pairs
        last = first
        while last < len(slots) and slots[last] // pairs == number:
            chosen[last - first] = slots[last] - number * pairs
            last += 1
        men_word = np.uint64(0)
        for man in range(2, len(board)):
            row.squares[man] = board[man]
            men_word |= ONE << np.uint64(board[man])
        list_moves(rules, row)
        find_attacks(rules, row)
        count = last - first
        for side in range(2):
            codes, own = (white, black) if side == WHITE else (black, white)
            _expected_codes(rules, row, own, side, men_word, chosen[:count], expected[:count])
            _compare(codes, slots[first:last], expected[:count], side, counts, found)
        first = last
