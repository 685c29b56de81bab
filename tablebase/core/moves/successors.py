"""What a material's moves lead to, as arrays for kernels.

`Successors` is a twin of `tablebase.core.engine.out.children.Children`, because a check shares no
move with what it checks. Men are numbered from 0 in the order of `Material.movers`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import MAX_KINDS, NOBODY, Color, PieceType
from tablebase.core.board.movement import movement_of
from tablebase.core.board.symmetry import D4, IDENTITY, MIRROR
from tablebase.core.index.combinations import MAX_PIECES
from tablebase.core.index.kings import NO_SYMMETRY, king_tables
from tablebase.core.index.numbering import slot_count, table_index
from tablebase.core.jit.records import KernelRecord
from tablebase.core.moves.games.every_game import moves_of_game
from tablebase.core.moves.move_lists import NO_MAN
from tablebase.core.outcomes.metrics import (
    DRAW_PREFERENCE,
    DTM,
    MATED_OUTCOME,
    NO_MOVE,
    Metric,
    Outcome,
    is_meant,
)
from tablebase.core.rules.law import make_law
from tablebase.core.rules.material import STAY, Material, MoveOut
from tablebase.core.rules.rules import Rules
from tablebase.core.tables.reserved import Reserved
from tablebase.core.tables.table import Outcomes, fixed_outcomes

LAST_CHECK = -(1 << 40)  # added to an index it stays negative

# What the codes of a table mean with White and with Black to move.
OutcomesOf = Callable[[Material], Outcomes]


class Destinations(NamedTuple):
    """In which tables the positions after moves lie, and where there.

    The *kind* of a move follows from its `MoveOut`; kind 0 stays in the table.
    """

    kind: NDArray[np.int64]  # [2, 1 << men, men + 1, 1 + MAX_KINDS] by `MoveOut`, -1 if impossible
    swapped: NDArray[np.bool_]  # [kinds]
    pieces: NDArray[np.int64]  # [kinds, MAX_PIECES] men that are the table's pieces, in its order
    piece_count: NDArray[np.int64]  # [kinds]
    pawns: NDArray[np.int64]  # [kinds, MAX_PIECES] the same for its pawns
    pawn_count: NDArray[np.int64]  # [kinds]
    groups: NDArray[np.int64]  # [kinds, MAX_PIECES] sizes of groups of identical pieces
    group_count: NDArray[np.int64]  # [kinds]
    ranks: NDArray[np.int64]  # [kinds] ranks of the table's index
    pairs: NDArray[np.int64]  # [kinds] pairs of kings
    slice_start: NDArray[np.int64]  # [kinds] where the table's part of `slice_of` begins
    slice_of: NDArray[np.int32]  # `Numbering.slice_of` of all tables
    start: NDArray[np.int64]  # [kinds, 2] where its codes begin, by side to move (our colours)
    symmetries: NDArray[np.int64]  # [kinds] bits of those that the sub-table uses
    variant: NDArray[np.int64]  # [kinds] which of `pair_at` are the table's
    pair_at: NDArray[np.int16]  # [variants, 4096, 4] see `_pairs_at`
    king_squares: NDArray[np.uint8]  # [king pairs, 2] of the table itself
    # Of other games:
    leads: NDArray[np.int64]  # [kinds, 2] men that lead each side there, or NO_MAN
    layer_rows: int  # rows of a layer of the table itself
    shifts: NDArray[np.int64]  # [layers, 4, kinds] by the checks that moves give (1 by White, 2 by
    #   Black): where the layer begins to which they lead; LAST_CHECK after that


class Preferences(NamedTuple):
    """What codes are worth to the side that moves, and what ends a game is.

    Rows of `before` are QUIET, then zeroing kinds from 1.
    """

    held: NDArray[np.int32]  # [2, 256] preference of a position of the table, by side to move and
    #   code; NO_MOVE for codes without a meaning
    before: NDArray[np.int32]  # [kinds + 1, 2, 256] that before a move, by side and code after it
    answers: NDArray[np.int32]  # [kinds, 2, 256] that before a double push, by those after a reply
    mated: NDArray[np.int64]  # [2] `Metric.mated_preferences`
    is_helpmate: bool  # whether both sides prefer the same, see `Metric.preferences`
    # Of other games:
    won_at_once: NDArray[np.int32]  # [2, 2] by the side that moves: that before a move that ends
    #   the game by itself, and that before a double push that allows it
    taken: NDArray[np.int32]  # [2] that before the capture of the last man, and that before a
    #   double push that allows it, where losing all men wins
    no_move: NDArray[np.int32]  # [2] that of each side if it has no move there
    lost_next: NDArray[np.int32]  # [2] that before a move, or zeroing move, after which the
    #   opponent has won


class Successors(NamedTuple):
    """A material and what its moves lead to, for kernels."""

    game: KernelRecord  # of `GameMoves`
    law: KernelRecord  # of `Law`
    by_man: KernelRecord  # of `Movement`, by man: of kings, then of the others
    destinations: KernelRecord  # of `Destinations`
    preferences: KernelRecord  # of `Preferences`
    codes: NDArray[np.uint8]  # the codes of all sub-tables; uint16 if some have two bytes


def make_successors(
    material: Material, metric: Metric = DTM, outcomes_of: OutcomesOf | None = None
) -> KernelRecord:
    """Return a record of `Successors`, the codes of sub-tables all zero.

    `outcomes_of` gives the meaning of codes, where the metric does not. If tables with the colours
    exchanged have another metric, `Metric.swapped`, its codes follow all of this one's.
    """
    metric = metric.offset_by(material.rules.ply_offset)
    men = material.movers
    kinds: dict[MoveOut, Material] = {STAY: material, **material.moves_out()}
    starts, length = code_starts(material)
    shift = length if metric.swapped != metric else 0
    slice_starts, slice_of = _slices([material, *starts])
    kind = np.full((2, 1 << len(men), len(men) + 1, 1 + MAX_KINDS), -1, dtype=np.int64)
    swapped, start, pieces, pawns, leads = [], [], [], [], []
    of_kinds = [after.normalized() for after in kinds.values()]
    indices = [table_index(table) for table in of_kinds]
    for number, (move, after) in enumerate(kinds.items()):
        kind[move] = number
        swapped.append(not after.is_normalized)
        order, leading = _order(material, move, of_kinds[number], swapped=swapped[-1])
        leads.append(leading)
        pieces.append([order[place - 2] for place in indices[number].numbering.piece_men])
        pawns.append([order[place - 2] for place in indices[number].numbering.pawn_men])
        first, second = starts.get(of_kinds[number], (0, 0))
        start.append((second + shift, first + shift) if swapped[-1] else (first, second))
    kind[:, STAY.removed, STAY.promoting, STAY.new] = 0
    read = outcomes_of or (lambda _: fixed_outcomes(metric))
    groups = [index.numbering.group_sizes.tolist() for index in indices]
    destinations = Destinations(
        kind=kind,
        swapped=np.array(swapped, dtype=np.bool_),
        pieces=_padded(pieces),
        piece_count=_integers([len(row) for row in pieces]),
        pawns=_padded(pawns),
        pawn_count=_integers([len(row) for row in pawns]),
        leads=_integers(leads),
        groups=_padded(groups),
        group_count=_integers([len(row) for row in groups]),
        ranks=_integers([index.ranks for index in indices]),
        pairs=_integers([index.king_pairs for index in indices]),
        slice_start=_integers([slice_starts[table] for table in of_kinds]),
        slice_of=slice_of,
        start=_integers(start),
        symmetries=_integers([sum(1 << t for t in table.symmetries) for table in of_kinds]),
        **_pairs_of(of_kinds, swapped),
        king_squares=indices[0].numbering.king_squares,
        layer_rows=indices[0].layer_size // indices[0].king_pairs,
        shifts=_shifts(material, of_kinds, swapped),
    )
    successors = Successors(
        game=KernelRecord(moves_of_game(material.rules)),
        law=make_law(material),
        by_man=KernelRecord(movement_of(material.men, material.rules.movement)),
        destinations=KernelRecord(destinations),
        preferences=KernelRecord(_preferences(material, metric, read, of_kinds, swapped)),
        codes=_codes(length + shift, [read(table) for table in starts]),
    )
    return KernelRecord(successors)


def code_starts(material: Material) -> tuple[dict[Material, tuple[int, int]], int]:
    """Return the places of each sub-table's codes in `Successors.codes`, and the length of all.

    Each has two places, with White and with Black to move.
    """
    starts = {}
    length = 0
    for needed in material.dependencies():
        size = slot_count(needed)
        starts[needed] = length, length + size
        length += 2 * size
    return starts, length


def _slices(tables: list[Material]) -> tuple[dict[Material, int], NDArray[np.int32]]:
    """Return the offset of each table's part in `Destinations.slice_of`, and that array."""
    starts: dict[Material, int] = {}
    slices: list[NDArray[np.int32]] = []
    for table in tables:
        starts[table] = sum(map(len, slices))
        slices.append(table_index(table).numbering.slice_of)
    return starts, np.concatenate(slices)


def _order(
    material: Material, move: MoveOut, table: Material, *, swapped: bool
) -> tuple[list[int], tuple[int, int]]:
    """Return the man of ours at each place of ``table.men[2:]`` after a move, and our leads there.

    A lead that stays one leads on, because it comes last among the men that are like it.
    """
    left = [
        (Color(color ^ swapped), PieceType(move.new) if n + 1 == move.promoting else man, n)
        for n, (color, man) in enumerate(material.movers)
        if not move.removed >> n & 1
    ]
    leads = [int(NO_MAN)] * 2
    for wanted in () if material.rules.royal else table.men[:2]:
        places = [i for i, found in enumerate(left) if found[:2] == wanted]
        if wanted[1] is not NOBODY:
            leads[wanted[0] ^ swapped] = left.pop(places[-1])[2]
    order = []
    for color, man in table.men[2:]:
        place = next(i for i, found in enumerate(left) if found[:2] == (color, man))
        order.append(left.pop(place)[2])
    return order, (leads[0], leads[1])


def _without_move(material: Material) -> NDArray[np.int32]:
    """Return `Preferences.no_move`: who has no move has won, or the side with fewer men has."""
    more = len(material.white) - len(material.black)
    outcomes = [1, 1]
    if material.rules.fewest_win:
        outcomes = [(0 if not by else 1 if by < 0 else ~1) for by in (more, -more)]
    return np.array([Outcome(one).preference for one in outcomes], dtype=np.int32)


def _shifts(
    material: Material, of_kinds: Sequence[Material], swapped: Sequence[bool]
) -> NDArray[np.int64]:
    """Return `Destinations.shifts`."""
    shifts = np.full((material.layer_count, 4, len(of_kinds)), LAST_CHECK, dtype=np.int64)
    for layer, given, kind in np.ndindex(shifts.shape):
        white, black = material.checks_of(layer)
        left = white - (given & 1), black - (given >> 1)
        if min(left) > 0:
            table = of_kinds[kind]
            number = table.layer_of(left[::-1] if swapped[kind] else left)
            shifts[layer, given, kind] = number * table_index(table).layer_size
    return shifts


def _integers(values: object) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _padded(rows: list[list[int]]) -> NDArray[np.int64]:
    padded = np.full((len(rows), MAX_PIECES), NO_MAN, dtype=np.int64)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row
    return padded


def _codes(length: int, outcomes: list[Outcomes]) -> NDArray[Any]:
    """Return memory for the codes of sub-tables, of two bytes if some have more than 256."""
    is_long = any(len(side) > 256 for both in outcomes for side in both)
    dtype = np.dtype(np.uint16 if is_long else np.uint8)
    return Reserved(length * dtype.itemsize).bytes.view(dtype)


def _preferences(
    material: Material,
    metric: Metric,
    read: OutcomesOf,
    of_kinds: Sequence[Material],
    swapped: Sequence[bool],
) -> Preferences:
    """Return the preferences from what the codes of each kind's table mean."""
    meanings = [read(table) for table in of_kinds]
    codes = max(len(side) for of_kind in meanings for side in of_kind)
    outcomes = np.zeros((len(meanings), 2, codes), dtype=np.int16)
    for row, of_kind, swap in zip(outcomes, meanings, swapped, strict=True):
        for side, known in zip(row, of_kind[:: -1 if swap else 1], strict=True):
            side[: len(known)] = known
    distinct, places = np.unique(outcomes, return_inverse=True)
    found = [Outcome(outcome) for outcome in distinct.tolist()]
    zeroing = [one.before(metric, zeroing=True) for one in found]

    def preferences(of: list[Outcome]) -> NDArray[np.int32]:
        values = metric.preferences(np.array(of, dtype=np.int16))
        return values[places].reshape(outcomes.shape)

    quiet = preferences([one.before(metric, zeroing=False) for one in found])
    at_once = Outcome(MATED_OUTCOME).before(metric, zeroing=True)
    allowed = at_once.before(metric, zeroing=True)
    ends = metric.preferences(np.array([at_once, allowed], dtype=np.int16))
    # Where both sides help one of them, only such a move by that one wins.
    wins = [metric.mating in {None, color} for color in Color]
    lost_next = [Outcome(1).before(metric, zeroing=zeroing) for zeroing in (False, True)]
    taken = lost_next[True]
    given = taken.before(metric, zeroing=True)
    return Preferences(
        held=np.where(is_meant(outcomes[0]), preferences(found)[0], np.int32(NO_MOVE)),
        before=np.concatenate([quiet[:1], preferences(zeroing)]),
        answers=preferences([one.before(metric, zeroing=True) for one in zeroing]),
        won_at_once=np.where(np.array(wins)[:, None], ends, np.int32(DRAW_PREFERENCE)),
        taken=np.array([taken.preference, given.preference], dtype=np.int32),
        no_move=_without_move(material),
        lost_next=np.array([one.preference for one in lost_next], dtype=np.int32),
        mated=_integers(metric.mated_preferences()),
        is_helpmate=metric.mating is not None,
    )


def _pairs_of(of_kinds: list[Material], swapped: list[bool]) -> dict[str, Any]:
    """Return the fields `variant` and `pair_at` of `Destinations`."""
    each = [(table.has_pawns, table.symmetries, table.nobody) for table in of_kinds]
    found = sorted(set(each))
    first, rules = 2 * _integers([found.index(one) for one in each]), of_kinds[0].rules
    return {
        "variant": first + swapped,
        "pair_at": np.concatenate(
            [
                _pairs_at(has_pawns=pawns, symmetries=group, nobody=nobody, rules=rules)
                for pawns, group, nobody in found
            ]
        ),
    }


@lru_cache(maxsize=8)
def _pairs_at(
    *, has_pawns: bool, symmetries: tuple[int, ...], nobody: tuple[bool, bool], rules: Rules
) -> NDArray[np.int16]:
    """Return the place of each pair of kings in the rows of a table, as they are and exchanged.

    Shape [2, 4096, 4]; columns: a symmetry that makes the position canonical and the pair's number
    under it, twice, as there may be two. With pawns both are listed, and the bases decide.
    """
    white, black = np.divmod(np.arange(64 * 64), 64)
    board = rules.board
    flip, mirror = board.flip.astype(np.int64), D4[MIRROR].astype(np.int64)
    kings = king_tables(
        has_pawns=has_pawns,
        symmetries=symmetries,
        board=board,
        touching=rules.leads_touch,
        nobody=nobody,
    )
    places = np.empty((2, 64 * 64, 4), dtype=np.int16)
    for swapped in range(2):
        first, second = (flip[black], flip[white]) if swapped else (white, black)
        pair = first * 64 + second
        places[swapped, :, 1] = places[swapped, :, 3] = kings.number[pair]
        symmetry, other = kings.symmetry[pair], kings.second[pair]
        places[swapped, :, 0] = symmetry
        places[swapped, :, 2] = np.where(other == NO_SYMMETRY, symmetry, other)
        if has_pawns:
            places[swapped, :, 0], places[swapped, :, 2] = IDENTITY, MIRROR
            places[swapped, :, 3] = kings.number[mirror[first] * 64 + mirror[second]]
    return places
