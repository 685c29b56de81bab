"""What a Syzygy file must say of each position, and what it may leave open.

Who probes Syzygy files tries captures first, and for distances also moves of pawns. So a file need
not hold what these tell: it may store any result up to that of the best capture if that is the
right one, and no distance where a zeroing move keeps a win. Nor does it matter what it says of
positions that are not legal, or of the distance of draws.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from tablebase.board import (
    ATTACKS,
    BETWEEN,
    FIFTY_MOVES,
    HORIZON,
    RAYS,
    Color,
    preference,
    wdl50_array,
)
from tablebase.jit import KernelRecord, entry, kernel, work_space
from tablebase.moves import (
    KING,
    NO_MAN,
    ONE,
    PAWN,
    WHITE,
    after_double_push,
    find_attacks,
    is_attacked,
    list_moves,
    make_row,
    slot_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.tables import Table

# The results that a file stores: loss, blessed loss, draw, cursed win, win.
RESULTS = 5
DRAWN = 2
# Facts of a position. The low digit is the result a file must hold if below `RESULTS`; else any
# up to that of the digit less `UP_TO` will do, so that 8 stands for any result at all.
UP_TO = 4
ANY = UP_TO + RESULTS - 1
NO_DISTANCE = 16  # added if the distance may be anything
WHATEVER = ANY + NO_DISTANCE
_NO_MOVE = -1
_ROWS_PER_TASK = 256


def result_of_preference(preferences: NDArray[np.int32]) -> NDArray[np.int8]:
    """Return the result that a preference stands for, 0 to 4, of any shape."""
    return (DRAWN + wdl50_array(preference(preferences))).astype(np.int8)


@kernel
def _result(preference):
    """Return the result of a preference, as `result_of_preference`."""
    if preference == 0:
        return np.int64(DRAWN)
    strength = 2 if HORIZON - abs(preference) <= FIFTY_MOVES else 1
    return DRAWN + strength if preference > 0 else np.int64(DRAWN - strength)


@kernel
def _by_king(successors, row, results, side, white, black, occupied):
    """Return the best result that captures by the king reach, or -1."""
    king, other_king = (white, black) if side == WHITE else (black, white)
    best = np.int64(_NO_MOVE)
    left = occupied & ~(ONE << np.uint64(king))
    for direction in range(8):
        target = np.int64(RAYS[KING, king, direction, 0])
        if target < 0:
            break
        captured = row.man_at[target]
        if captured == NO_MAN or successors.colors[captured] == side:
            continue
        if (ATTACKS[KING, other_king] >> np.uint64(target)) & ONE:
            continue
        if is_attacked(
            successors.colors, successors.types, row.squares, 1 - side, target, left, captured
        ):
            continue
        kings = target * 64 + black if side == WHITE else white * 64 + target
        kind = successors.kind[captured + 1, 0, 0]
        slot = slot_of(
            successors.places, successors.variant[kind], kings, row.king_bases, captured + 1
        )
        code = successors.codes[successors.start[kind, 1 - side] + slot]
        best = max(best, np.int64(results[kind + 1, 1 - side, code]))
    return best


@kernel
def _by_men(successors, row, results, own, side, white, black, occupied, chosen, count, best):
    """Raise `best` int64 [2] to the results of captures and of other moves of pawns.

    `chosen` int64 [count] are the zeroing moves of the row's men, their man and number.
    """
    king, other_king = (white, black) if side == WHITE else (black, white)
    kings = white * 64 + black
    for n in range(count):
        man, i = chosen[n] >> 16, chosen[n] & 0xFFFF
        target, captured, kind = row.target[i], row.captured[i], row.kind[i]
        origin = np.int64(row.squares[man + 2])
        # A king in the way stops a ray, or both steps of a pawn.
        if BETWEEN[origin, target] & occupied or target in (king, other_king):
            continue
        without = occupied & ~(ONE << np.uint64(origin))
        if (row.pinned[man] >> np.uint64(king)) & ONE and is_attacked(
            successors.colors,
            successors.types,
            row.squares,
            1 - side,
            king,
            without | (ONE << np.uint64(target)),
            captured,
        ):
            continue
        slot = slot_of(successors.places, successors.variant[kind], kings, row.bases, i)
        code = successors.codes[successors.start[kind, 1 - side] + slot] if kind else own[slot]
        if row.passing[i]:
            result = _result(after_double_push(successors, row, code, man, target))
        else:
            result = np.int64(results[kind + 1, 1 - side, code])
        place = 0 if captured != NO_MAN else 1
        best[place] = max(best[place], result)


@kernel
def _zeroing_moves(successors, row, side, chosen):
    """List the captures and the moves of pawns of a side's men; return how many there are."""
    count = 0
    for man in range(len(successors.colors)):
        if successors.colors[man] != side:
            continue
        for i in range(row.bounds[man], row.bounds[man + 1]):
            if row.captured[i] != NO_MAN or successors.types[man] == PAWN:
                chosen[count] = man << 16 | i
                count += 1
    return count


@kernel
def _fact(value, by_capture, by_pawn):
    """Return the fact of a legal position from its result and those of its zeroing moves."""
    settled = value == DRAWN or (value > DRAWN and value in (by_capture, by_pawn))
    digit = value + UP_TO if by_capture == value and value > 0 else value
    return digit + NO_DISTANCE if settled else digit


@entry
def _write_facts(successors, row, boards, own, other, values, results, side, chosen, facts):
    """Write the facts of the positions of rows with a side to move.

    `boards` uint8 [rows, men + 2]; `own` and `facts` uint8 [rows, king pairs] are these rows',
    `other` uint8 [size] the codes of the table with the other side to move, `values` [256] the
    results of codes, `results` [kinds + 1, 2, 256] those before zeroing moves.
    """
    best = work_space(2, np.int64)
    for n in range(len(boards)):
        men_word = np.uint64(0)
        for man in range(2, boards.shape[1]):
            row.squares[man] = boards[n, man]
            men_word |= ONE << np.uint64(boards[n, man])
        list_moves(successors, row)
        find_attacks(successors, row)
        count = _zeroing_moves(successors, row, side, chosen)
        for pair in range(len(successors.king_squares)):
            facts[n, pair] = WHATEVER
            white = np.int64(successors.king_squares[pair, 0])
            black = np.int64(successors.king_squares[pair, 1])
            row.squares[0], row.squares[1] = white, black
            kings_word = ONE << np.uint64(white) | ONE << np.uint64(black)
            occupied = men_word | kings_word
            other_king = black if side == WHITE else white
            if men_word & kings_word or is_attacked(
                successors.colors, successors.types, row.squares, side, other_king, occupied, NO_MAN
            ):
                continue
            best[0] = _by_king(successors, row, results, side, white, black, occupied)
            best[1] = _NO_MOVE
            _by_men(
                successors, row, results, other, side, white, black, occupied, chosen, count, best
            )
            facts[n, pair] = _fact(np.int64(values[own[n, pair]]), best[0], best[1])


def find_facts(
    table: Table, successors: KernelRecord, color: Color, *, threads: int | None = None
) -> NDArray[np.uint8]:
    """Return what a file must say of each position with a side to move.

    Parameters
    ----------
    table
        Distances to zeroing.
    successors
        What its moves lead to, from `tablebase.checking.load_successors`.
    color
        The side to move.
    threads
        How many threads to use; by default one for each processor.

    Returns
    -------
    NDArray[np.uint8]
        Facts by slot, shape [size]: a digit as described beside `UP_TO`, with `NO_DISTANCE`.
    """
    index = table.index
    own = table.codes[color].reshape(-1, index.king_pairs)
    other = table.codes[1 - color]
    values = (DRAWN + wdl50_array(table.outcomes[color])).astype(np.uint8)
    results = np.ascontiguousarray(result_of_preference(successors.fields.before))
    facts = np.empty(own.shape, dtype=np.uint8)

    def write(first: int) -> None:
        last = min(first + _ROWS_PER_TASK, len(own))
        boards, _ = index.decode_many(np.arange(first, last) * index.king_pairs)
        row = make_row(table.material.piece_count - 2)
        chosen = np.empty(len(row.fields.target), dtype=np.int64)
        part = slice(first, last)
        _write_facts(
            successors, row, boards, own[part], other, values, results, int(color), chosen,
            facts[part],
        )  # fmt: skip

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        list(pool.map(write, range(0, len(own), _ROWS_PER_TASK)))
    return facts.reshape(-1)
