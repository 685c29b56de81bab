"""How many moves keep the result, and how many mistakes a player of some sight does not see.

`tablebase.difficulty` has the definition. A move is judged by the *standing* of the side that
answers it, a code: its result under the 50-move rule, and how soon a player sees that. It follows
from distances to zeroing, but for whether a capture keeps a draw at once, which a pass over drawn
positions finds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.ground.parallel import map_on_threads
from tablebase.core.index.legality import is_counted, legality_tables, mark_rows
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import entry, inlined_kernel, kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.core.moves.forward import has_move
from tablebase.core.moves.move_lists import NO_MAN, make_row
from tablebase.core.moves.successors import (
    Preferences,
    Successors,
    code_starts,
    make_successors,
)
from tablebase.core.moves.walk import make_walk, place_kings, place_men
from tablebase.core.outcomes.metrics import DTZ, FIFTY_MOVES, MATED_OUTCOME, NO_MOVE
from tablebase.core.rules.refusals import require_mates

if TYPE_CHECKING:
    from tablebase.core.index.numbering import TableIndex
    from tablebase.core.rules.material import Material
    from tablebase.core.tables.table import Table

    TablesOf = Callable[[Material], Mapping[Material, Table]]

# Standings of the side to move. A result that takes 100 plies stands after a zeroing move only:
# after any other the 50-move rule comes first. PLAIN is added where a draw is seen at once, by
# stalemate or by a capture that keeps it.
LOST_NEAR, LOST, LOST_LATE, DRAWN, WON_LATE, WON_FAR, WON_NEAR = 0, 1, 2, 3, 5, 7, 8
PLAIN, _STANDINGS = 1, 9
# What a move leads to for the side that makes it, the better the larger. A plain draw is that of
# stalemate, DRAW_PREFERENCE, for which double pushes are looked at again.
_PLAIN_LOSS, _HIDDEN_LOSS, _PLAIN_DRAW, _HIDDEN_DRAW, _HIDDEN_WIN, _PLAIN_WIN = range(-2, 4)
_WINS = [_PLAIN_WIN, _HIDDEN_WIN]
_AFTER_QUIET = np.array(
    [
        *[*_WINS, *[_HIDDEN_DRAW] * 2],
        *[_PLAIN_DRAW, _HIDDEN_DRAW, _PLAIN_DRAW, _HIDDEN_LOSS, _PLAIN_LOSS],
    ],
    dtype=np.int32,
)
_AFTER_ZEROING = np.array(
    [*_WINS, _HIDDEN_WIN, _HIDDEN_DRAW, _PLAIN_DRAW, *[_HIDDEN_LOSS] * 3, _PLAIN_LOSS],
    dtype=np.int32,
)
# Beside the moves by their results, a tally counts those that are seen to win and to draw, and
# knows the square of a king that alone may catch a pawn, else NO_MAN, and where pawns promote.
_SEEN_WINS, _SEEN_DRAWS, _CATCHER, _LAST_RANK, _TALLIED = range(6, 11)
_BY_STALEMATE, _BY_CAPTURE = 1, 2
_PAWN = int(PieceType.PAWN)
_SLOTS_PER_STEP = 1 << 20


@inlined_kernel
def _note_draw(noted, count, _origin, _target, captured, _promotion, _zeroing, preference):
    """Note whether a capture keeps the draw; return how many moves there are."""
    if captured != NO_MAN and _PLAIN_DRAW <= preference <= _HIDDEN_DRAW:
        noted[0] = 1
    return count + 1


_note_draws = make_walk(_note_draw, only_zeroing=True)


@inlined_kernel
def _tally_result(tally, best, _origin, target, captured, promotion, zeroing, preference):
    """Count a move by its result, and whether it is seen to be good; return the best result."""
    tally[preference - _PLAIN_LOSS] += 1
    if preference >= _PLAIN_DRAW:
        seen = captured != NO_MAN or promotion != 0 or preference == _PLAIN_WIN
        if zeroing and not seen and tally[_CATCHER] != NO_MAN:  # a step of a pawn
            king, last = tally[_CATCHER], tally[_LAST_RANK]
            across = abs((king & 7) - (target & 7))
            seen = max(across, abs((king >> 3) - last)) > abs((target >> 3) - last) + 1
        if seen:
            tally[_SEEN_WINS if preference >= _HIDDEN_WIN else _SEEN_DRAWS] += 1
    return max(best, min(preference, _HIDDEN_WIN))


_tally_results = make_walk(_tally_result)


class _Rows(threading.local):
    """The row that each thread works on."""

    def __init__(self, material: Material) -> None:
        self.row = make_row(material.piece_count - 2)


class _Standings:
    """The standings of a table's positions by sub-table and side to move, and its moves."""

    def __init__(
        self, table: Table, standings: Mapping[Material, list[NDArray[np.uint8]]], sight: int
    ) -> None:
        self.index: TableIndex = table.index
        self.sight = sight
        self.codes = [_standings(table, side, sight) for side in range(2)]
        none = (np.zeros(_STANDINGS, dtype=np.int16),) * 2
        record = make_successors(table.material, DTZ, lambda _: none)
        for needed, starts in code_starts(table.material)[0].items():
            for start, codes in zip(starts, standings.get(needed, ()), strict=False):
                record.fields.codes[start : start + len(codes)] = codes
        self._successors = _preferences(record.fields, sight)
        self._rows = _Rows(table.material)
        self._legality = KernelRecord(legality_tables(self.index))

    def mark(self, side: int, threads: int | None) -> None:
        """Add PLAIN to the standings of draws that are seen at once."""
        rows = self.index.slices * self.index.ranks
        step = max(1, _SLOTS_PER_STEP // self.index.king_pairs)
        parts = [(first, min(first + step, rows)) for first in range(0, rows, step)]
        for _ in map_on_threads(lambda part: self._mark_rows(side, *part), parts, threads):
            pass

    def _mark_rows(self, side: int, first: int, last: int) -> None:
        pairs = self.index.king_pairs
        marks = np.empty((last - first) * pairs, dtype=np.uint8)
        mark_rows(self._legality, self.index.ranks, first, last, marks)
        standings = self.codes[side][first * pairs : last * pairs]
        asked = is_counted(marks, Color(side)) & ((standings == DRAWN) | (standings == WON_LATE))
        slots = np.flatnonzero(asked)
        if not len(slots):
            return
        plain = np.empty(len(slots), dtype=np.uint8)
        self._visit(_find_plain_draws, slots + first * pairs, side, plain)
        seen = plain > 0 if self.sight > 1 else plain == _BY_STALEMATE
        standings[slots[seen]] += PLAIN

    def divide(self, slots: NDArray[np.int64], side: int) -> NDArray[np.int64]:
        """Return the counts of `_divide_rows`, shape [n, 3]."""
        counts = np.empty((len(slots), 3), dtype=np.int64)
        if len(slots):
            self._visit(_divide_rows, slots, side, counts)
        return counts

    def _visit(self, kernel: Any, slots: NDArray[np.int64], side: int, found: NDArray[Any]) -> None:
        """Call a kernel for legal positions, whose slots ascend."""
        pairs = self.index.king_pairs
        numbers = slots // pairs
        _, starts = np.unique(numbers, return_index=True)
        boards, _ = self.index.decode_many(slots[starts])
        bounds = np.append(starts, len(slots))
        own = self.codes[1 - side]
        arguments = (boards, bounds, slots - numbers * pairs, found)
        kernel(self._successors, self._rows.row, own, int(side), *arguments)


class MistakeCounter:
    """Counts the moves of positions of a table that keep the result, and hidden mistakes.

    Tables have distances to zeroing; `tables_of` gives those that a material's moves lead to, else
    `MissingTableError`. `sight` is in plies, 1 to 100. Several threads may ask at once.
    """

    def __init__(
        self, table: Table, tables_of: TablesOf, *, sight: int, threads: int | None = None
    ) -> None:
        require_mates(table.material.rules, "counts of hidden mistakes do")
        subtables = tables_of(table.material)
        wins = [bool((table.outcomes[side] > 0)[table.codes[side]].any()) for side in range(2)]
        asked = _answering(table.material, wins)
        found = {
            needed: _standings_of(subtables[needed], tables_of, sides_asked, sight, threads)
            for needed, sides_asked in asked.items()
        }
        self._standings = _Standings(table, found, sight)
        for side in range(2):
            if wins[1 - side]:
                self._standings.mark(side, threads)

    def counts(
        self, slots: NDArray[np.int64], side: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of moves that keep the result, hidden mistakes and evident ones, [n].

        An evident move is seen to keep the result. Slots are of legal positions, ascending. Lost
        positions have no mistakes. Each of the three arrays has one number per slot.
        """
        counts = self._standings.divide(np.ascontiguousarray(slots), side)
        return counts[:, 0], counts[:, 1], counts[:, 2]

    def difficulties(self, slots: NDArray[np.int64], side: int) -> NDArray[np.float32]:
        """Return the difficulties of positions as in `tablebase.difficulty`, float32 [n].

        The halfmove clock is 0. The arguments are those of `counts`.
        """
        found = np.zeros(len(slots), dtype=np.float32)
        chosen = np.flatnonzero(self._standings.codes[side][slots] > LOST_LATE)
        keeping, hidden, evident = self.counts(slots[chosen], side)
        chances = hidden / np.maximum(1, keeping + hidden)
        found[chosen] = np.where(evident > 0, 0, chances)
        return found


@entry
def _find_plain_draws(successors, row, own, side, boards, starts, chosen, plain):
    """Write to `plain` uint8 [positions] whether a draw is seen: 1 by stalemate, 2 by a capture.

    `own` are the standings with the other side to move, `boards` uint8 [rows, men + 2] the men of
    each row, and its positions the pairs of kings ``chosen[starts[i] : starts[i + 1]]``.
    """
    noted = work_space(1, np.int64)
    for number in range(len(boards)):
        men = place_men(successors, row, boards[number])
        for i in range(starts[number], starts[number + 1]):
            noted[0] = 0
            occupied = place_kings(successors, row, side, men, chosen[i])
            count = _note_draws(successors, row, own, side, occupied, noted, np.int64(0))
            plain[i] = 0
            if noted[0]:
                plain[i] = _BY_CAPTURE
            elif count == 0 and not has_move(successors, row, side, occupied):
                plain[i] = _BY_STALEMATE


@entry
def _divide_rows(successors, row, own, side, boards, starts, chosen, counts):
    """Write to `counts` int64 [positions, 3] how many moves there are of three kinds.

    They keep the result, are hidden mistakes, and are seen to keep it. The other arguments are as
    in `_find_plain_draws`.
    """
    tally = work_space(_TALLIED, np.int64)
    may_catch, last = _is_alone(successors, 1 - side), successors.law.promotion_rank[side]
    for number in range(len(boards)):
        men = place_men(successors, row, boards[number])
        for i in range(starts[number], starts[number + 1]):
            tally[:] = 0
            occupied = place_kings(successors, row, side, men, chosen[i])
            tally[_CATCHER] = np.int64(row.squares[1 - side]) if may_catch else NO_MAN
            tally[_LAST_RANK] = last
            best = np.int64(NO_MOVE)
            best = _tally_results(successors, row, own, side, occupied, tally, best)
            wins, draws, losses = tally[4] + tally[5], tally[2] + tally[3], tally[1]
            if best == _HIDDEN_WIN:
                counts[i, 0], counts[i, 1] = wins, tally[3] + losses
                counts[i, 2] = tally[_SEEN_WINS]
            elif best >= _PLAIN_DRAW:
                counts[i, 0], counts[i, 1], counts[i, 2] = draws, losses, tally[_SEEN_DRAWS]
            else:
                counts[i, 0], counts[i, 1], counts[i, 2] = tally[0] + losses, 0, 0


@kernel
def _is_alone(successors, side):
    """Return whether a side has a king and pawns only."""
    for man in range(len(successors.law.colors)):
        if successors.law.colors[man] == side and successors.law.types[man] != _PAWN:
            return False
    return True


def _preferences(successors: Successors, sight: int) -> KernelRecord:
    """Return successors whose codes are standings."""
    preferences: Preferences = successors.preferences.fields
    before = np.empty((len(preferences.before), 2, _STANDINGS), dtype=np.int32)
    before[:] = _AFTER_ZEROING
    before[0] = _AFTER_QUIET
    answers = np.empty((len(preferences.answers), 2, _STANDINGS), dtype=np.int32)
    # An en passant capture leads to a loss, a draw or a win of the side that pushed the pawn.
    sees = sight > 1
    answers[..., : LOST_LATE + 1] = _PLAIN_LOSS if sees else _HIDDEN_LOSS
    answers[..., DRAWN : DRAWN + 2] = _PLAIN_DRAW if sees else _HIDDEN_DRAW
    answers[..., WON_LATE:] = _HIDDEN_WIN
    of_side = [_PLAIN_WIN, _PLAIN_LOSS if sees else _HIDDEN_LOSS]
    at_once = np.array([of_side, of_side], dtype=np.int32)
    standings = preferences._replace(before=before, answers=answers, won_at_once=at_once)
    return KernelRecord(successors._replace(preferences=KernelRecord(standings)))


def _answering(material: Material, wins: list[bool]) -> dict[Material, set[int]]:
    """Return the sides to move in each sub-table after a move of a side that wins somewhere."""
    asked: dict[Material, set[int]] = {needed: set() for needed in material.dependencies()}
    for move, after in material.moves_out().items():
        if wins[move.color]:
            answering = 1 - int(move.color)
            asked[after.normalized()].add(answering if after.is_normalized else 1 - answering)
    return asked


def _standings_of(
    table: Table, tables_of: TablesOf, sides: Iterable[int], sight: int, threads: int | None
) -> list[NDArray[np.uint8]]:
    """Return the standings of a sub-table, with plain draws where one of some sides is to move."""
    material = table.material
    if not sides or material.piece_count == 2:
        return [_standings(table, side, sight) for side in range(2)]
    # Only captures matter, which lead to fewer men.
    subtables = tables_of(material)
    found = {
        needed: [_standings(subtables[needed], side, sight) for side in range(2)]
        for needed in material.dependencies()
        if needed.piece_count < material.piece_count
    }
    standings = _Standings(table, found, sight)
    for side in sides:
        standings.mark(side, threads)
    return standings.codes


def _standings(table: Table, side: int, sight: int) -> NDArray[np.uint8]:
    """Return the standings of a table's positions by their distances to zeroing, uint8 [size]."""
    outcomes = table.outcomes[side].astype(np.int64)
    plies = np.where(outcomes < 0, ~outcomes, outcomes)
    standing = np.full(len(outcomes), DRAWN, dtype=np.uint8)
    in_time = plies <= FIFTY_MOVES
    standing[(outcomes < 0) & in_time] = LOST
    standing[(outcomes < 0) & (plies == FIFTY_MOVES)] = LOST_LATE
    standing[(outcomes > 0) & in_time] = WON_FAR
    standing[(outcomes > 0) & (plies == FIFTY_MOVES)] = WON_LATE
    standing[(outcomes > 0) & (plies + 1 <= sight)] = WON_NEAR
    standing[outcomes == MATED_OUTCOME] = LOST_NEAR
    found = standing[table.codes[side]]
    near = standing.copy()
    near[(outcomes < 0) & (plies + 1 <= sight)] = LOST_NEAR
    if (near != standing).any():
        index = table.index
        step = index.ranks * index.king_pairs  # slots of a placement of pawns
        for number in np.flatnonzero(_only_promote(index)).tolist():
            part = slice(number * step, (number + 1) * step)
            found[part] = near[table.codes[side][part]]
    return found


def _only_promote(index: TableIndex) -> NDArray[np.bool_]:
    """Return for each placement of pawns whether all stand one step before promotion, [slices]."""
    firsts = np.arange(index.slices, dtype=np.int64) * index.ranks * index.king_pairs
    squares, _ = index.decode_many(firsts)
    men, last = index.material.men, index.material.rules.promotion_ranks
    pawns = [number for number, (_, man) in enumerate(men) if man is PieceType.PAWN]
    to_go = [np.abs((squares[:, one] >> 3) - np.int64(last[men[one][0]])) for one in pawns]
    found: NDArray[np.bool_] = (np.array(to_go).reshape(len(pawns), index.slices) == 1).all(axis=0)
    return found
