"""Facts: the results that a Syzygy file must hold, and results that it may choose.

Probing programs try captures first, and for distances also pawn moves. So a file may store any
result up to the best capture's if that is right, no distance where a zeroing move keeps a win, and
anything for illegal positions and distances of draws.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.ground.parallel import as_threads
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import entry, inlined_kernel, kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.core.moves.games.led_moves import best_led_zeroing, place_leads
from tablebase.core.moves.move_lists import NO_MAN, make_row
from tablebase.core.moves.walk import make_walk, place_kings, place_men
from tablebase.core.outcomes.metrics import NO_MOVE, WON_OUTCOME, preference, wdl50_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.tables.table import Table

# The results that a file stores: loss, blessed loss, draw, cursed win, win.
SYZYGY_RESULTS = 5
SYZYGY_DRAW = 2
# Facts of a position. A fact below `SYZYGY_RESULTS` modulo `NO_DISTANCE` is the result a file must
# hold; else any up to the fact less `UP_TO` will do, so that 8 stands for any result at all.
UP_TO = 4
ANY = UP_TO + SYZYGY_RESULTS - 1
NO_DISTANCE = 16  # added if the distance may be anything
WHATEVER = ANY + NO_DISTANCE
_NO_MOVE = -1 - SYZYGY_DRAW  # below all results less SYZYGY_DRAW
_ROWS_PER_TASK = 256


@inlined_kernel
def _note_result(best, found, _origin, _target, captured, _promotion, _zeroing, result):
    """Raise `best` int64 [2] to the results of captures and of other moves of pawns."""
    place = 0 if captured != NO_MAN else 1
    best[place] = max(best[place], result)
    return found


_note_results = make_walk(_note_result, only_zeroing=True)


def find_facts(
    table: Table, successors: KernelRecord, color: Color, *, threads: int | None = None
) -> NDArray[np.uint8]:
    """Return the facts of all positions with a side to move, uint8 [size], see `UP_TO`.

    `successors` are of `tablebase.core.checking.reach.load_successors`.
    """
    index, rules, outcomes = table.index, table.material.rules, table.outcomes[color]
    own = table.codes[color].reshape(-1, index.king_pairs)
    other, offset = table.codes[1 - color], rules.ply_offset
    values = (SYZYGY_DRAW + wdl50_array(outcomes, offset=offset)).astype(np.uint8)
    of_results = _with_results(successors, offset)
    facts = np.empty(own.shape, dtype=np.uint8)
    everywhere = np.zeros(0, dtype=np.int32)  # as codes lie where all of them are in memory
    # Where a side has only pawns, every move is zeroing, and a game that is over has no distance.
    is_free = np.isin(outcomes, (WON_OUTCOME, ~WON_OUTCOME))
    is_free |= set(table.material.of(color)) == {PieceType.PAWN}

    def write(first: int) -> None:
        last = min(first + _ROWS_PER_TASK, len(own))
        boards, _ = index.decode_many(np.arange(first, last) * index.king_pairs)
        part, side = slice(first, last), int(color)
        if not rules.royal:
            codes = other, everywhere
            _write_led_facts(
                of_results, boards, own[part], codes, values, side, is_free, facts[part]
            )
            return
        row = make_row(table.material.piece_count - 2)
        _write_facts(of_results, row, boards, own[part], other, values, side, facts[part])

    with ThreadPoolExecutor(as_threads(threads)) as pool:
        list(pool.map(write, range(0, len(own), _ROWS_PER_TASK)))
    return facts.reshape(-1)


def _with_results(successors: KernelRecord, offset: int) -> KernelRecord:
    """Return successors with results, -2 to 2, in place of preferences: both have one order."""
    preferences = successors.fields.preferences.fields
    results = {
        name: wdl50_array(preference(of), offset=offset).astype(of.dtype)
        for name, of in preferences._asdict().items()
        if name in ("before", "answers", "exploded", "taken")
    }
    replaced = KernelRecord(preferences._replace(**results))
    return KernelRecord(successors.fields._replace(preferences=replaced))


@entry
def _write_facts(successors, row, boards, own, other, values, side, facts):
    """Write the facts of the positions of rows with a side to move.

    `successors` have results, less SYZYGY_DRAW, as preferences. `boards` uint8 [rows, men + 2];
    `own` and `facts` uint8 [rows, king pairs] are these rows', `other` uint8 [size] the codes with
    the other side to move, `values` [256] the results of codes.
    """
    best = work_space(2, np.int64)
    for n in range(len(boards)):
        men = place_men(successors, row, boards[n])
        for pair in range(len(successors.destinations.king_squares)):
            facts[n, pair] = WHATEVER
            occupied = place_kings(successors, row, side, men, pair)
            if occupied:
                best[:] = _NO_MOVE
                _note_results(successors, row, other, side, occupied, best, 0)
                value = np.int64(values[own[n, pair]])
                facts[n, pair] = _fact(value, SYZYGY_DRAW + best[0], SYZYGY_DRAW + best[1])


@entry
def _write_led_facts(successors, boards, own, codes, values, side, is_free, facts):
    """Do the work of `_write_facts` where no king is royal and captures are forced.

    Readers follow forced captures to their end, so that files may have anything there. `codes` are
    those with the other side to move and where its rows lie, `is_free` bool [256] says of which
    codes any distance will do.
    """
    best = work_space(2, np.int64)
    other, places = codes
    for n in range(len(boards)):
        for pair in range(len(successors.destinations.king_squares)):
            facts[n, pair] = WHATEVER
            if not place_leads(successors, boards[n], pair):
                continue
            best_led_zeroing(successors, other, places, side, boards[n], best)
            if best[0] != NO_MOVE:
                continue
            code = own[n, pair]
            value, by_pawn = np.int64(values[code]), best[1]
            if best[1] != NO_MOVE:
                by_pawn += SYZYGY_DRAW
            settled = is_free[code] or value == SYZYGY_DRAW
            settled = settled or (value > SYZYGY_DRAW and value == by_pawn)
            facts[n, pair] = value + NO_DISTANCE if settled else value


@kernel
def _fact(value, by_capture, by_pawn):
    """Return the fact of a legal position from its result and the results of its zeroing moves."""
    settled = value == SYZYGY_DRAW or (value > SYZYGY_DRAW and value in (by_capture, by_pawn))
    digit = value + UP_TO if by_capture == value and value > 0 else value
    return digit + NO_DISTANCE if settled else digit
