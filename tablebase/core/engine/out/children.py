"""Children: the positions that moves out of a slice lead to, and their values.

Sides are those of the slice, not of a sub-table whose colours are exchanged. `Children` has a twin
for moves forwards, `core.moves.successors`: a check and the solver share no move.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.engine.out.child_places import NO_MAN, OWN, make_places
from tablebase.core.engine.sets.bits import WHITE
from tablebase.core.engine.sets.metric_tables import make_metric_tables, values_of_codes
from tablebase.core.engine.sets.values import FoundValues, has_epochs, is_short, over_values
from tablebase.core.index.numbering import table_index
from tablebase.core.jit.instructions import byte_at
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import MATED_OUTCOME
from tablebase.core.rules.law import make_law
from tablebase.core.rules.material import STAY
from tablebase.core.tables.table import TablePart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tablebase.core.engine.out.child_places import Places
    from tablebase.core.engine.sets.values import MetricTables
    from tablebase.core.outcomes.metrics import Metric
    from tablebase.core.rules.material import Checks, Material
    from tablebase.core.tables.table import Table

# numba would compile kernels anew for each literal number they are called with, but not for these.
# Whose value of a child is meant: that of the side to move, or of the one that moved there.
HERE, AFTER = np.int64(0), np.int64(1)
# What a moment tells: the epoch, and whether there were values that enter in a later one.
EPOCH, LATER = 0, 1
_CODES_PER_SCAN = 1 << 20


class Codes(NamedTuple):
    """The codes of children, by kind and side to move, and the values that they stand for."""

    address: NDArray[np.int64]  # [checks given, kinds, 2] memory address of the codes, in the layer
    # that is left; 0 after the last check, which wins. One without layers, else by `checks_given`
    epoch_address: NDArray[np.int64]  # [kinds, 2] and of their upper bytes, 0 if they have none
    stride: NDArray[np.int64]  # [kinds, 2] bytes from one code, or upper byte, to the next
    late: NDArray[np.int64]  # [kinds] whether moves to some positions enter after the first epoch
    epoch_plies: int
    values: NDArray[np.uint8]  # [kinds, 2, 256] value for the side to move, by code
    values_after: NDArray[np.uint8]  # [kinds, 2, 256] value for the side that moves there, by code
    negated: NDArray[np.uint8]  # [256] as in `MetricTables`
    # Of other games:
    mated: int  # value for the side that it has lost to
    taken: int  # value for the side that takes the opponent's last man, where that loses
    no_move: NDArray[np.uint8]  # [2] value of a side that has no move, where that can win
    won_at_once: NDArray[np.uint8]  # [2] value for the side whose move ends the game by itself
    drawn: int  # value of a position that is drawn before the first ply


class Children(NamedTuple):
    """The moves out of a slice and the positions after them, for kernels."""

    places: KernelRecord  # of `Places`
    child_codes: KernelRecord  # of `Codes`
    game: KernelRecord  # of `Game`
    law: KernelRecord  # of `Law`


class Men(NamedTuple):
    """The men besides the kings of one plane: [men] colours, types and squares."""

    colors: NDArray[np.int64]
    types: NDArray[np.int64]
    squares: NDArray[np.uint8]


class Scratch(NamedTuple):
    """Work space of one thread for the moves out of a slice."""

    values: NDArray[np.uint8]  # [4096] of a child
    other_values: NDArray[np.uint8]  # [4096]
    answered: NDArray[np.uint64]  # [64] which of these mean something
    best: NDArray[np.uint8]  # [2, 4096] of a plane's moves out, after the first epoch
    moment: NDArray[np.int64]  # [2] see `children`
    attacked: NDArray[np.uint64]  # [64]
    legal: NDArray[np.uint64]  # [64]
    bases: NDArray[np.int64]  # [8]
    child: KernelRecord  # of `Men`
    # Of other games:
    checked: NDArray[np.uint64]  # [64] kings' squares for which a move gives check
    left_out: NDArray[np.uint64]  # [64]
    decided: NDArray[np.uint64]  # [2, 64]
    mirrored: NDArray[np.uint64]  # [2, 64] the same in the plane's image


def make_scratch(men: int) -> KernelRecord:
    """Return work space, a record of `Scratch`, for a number of men besides the kings."""
    child = Men(
        np.zeros(men, dtype=np.int64),
        np.zeros(men, dtype=np.int64),
        np.zeros(men, dtype=np.uint8),
    )
    scratch = Scratch(
        values=np.zeros(4096, dtype=np.uint8),
        other_values=np.zeros(4096, dtype=np.uint8),
        answered=np.zeros(64, dtype=np.uint64),
        best=np.zeros((2, 4096), dtype=np.uint8),
        moment=np.zeros(2, dtype=np.int64),
        attacked=np.zeros(64, dtype=np.uint64),
        checked=np.zeros(64, dtype=np.uint64),
        left_out=np.zeros(64, dtype=np.uint64),
        legal=np.zeros(64, dtype=np.uint64),
        decided=np.zeros((2, 64), dtype=np.uint64),
        mirrored=np.zeros((2, 64), dtype=np.uint64),
        bases=np.zeros(8, dtype=np.int64),
        child=KernelRecord(child),
    )
    return KernelRecord(scratch)


# Sub-tables are the same for many batches of slices.
_LATE: WeakKeyDictionary[Table | TablePart, dict[int, bool]] = WeakKeyDictionary()


def make_children(
    material: Material,
    game: KernelRecord,
    parts: Mapping[Material, Table | TablePart],
    metric: Metric,
    if_swapped: Mapping[Material, Table | TablePart] | None = None,
) -> Children:
    """Return the records that say where the moves out of a material's slices lead.

    `parts` has the codes of its sub-tables and its own, being filled, `if_swapped` those of
    sub-tables with the colours exchanged, by default the same; all stay alive and unmoved while the
    result is used.
    """
    if if_swapped is None:
        if_swapped = parts
    kinds = {STAY: material, **material.moves_out()}
    tables = [child.normalized() for child in kinds.values()]
    places = make_places(material, kinds, tables, parts)
    of_kinds = [
        (if_swapped if swapped else parts)[table]
        for table, swapped in zip(tables, places.swapped, strict=True)
    ]
    codes = _make_codes(material, places, tables, of_kinds, metric)
    law = make_law(material)
    return Children(KernelRecord(places), KernelRecord(codes), game, law)


def make_found(metric: MetricTables, codes: Codes) -> FoundValues:
    """Return the values of the results that a metric knows before the first ply.

    Those of results that are found later enter `codes` as well.
    """
    return FoundValues(
        results=np.repeat(metric.results[:, np.newaxis], 2, axis=1).ravel(),
        claims=np.zeros(4 * 256, dtype=np.int64),
        claimed=np.zeros(2, dtype=np.int64),
        own_values=codes.values[OWN],
        own_values_after=codes.values_after[OWN],
    )


def _make_codes(
    material: Material,
    places: Places,
    tables: Sequence[Material],
    parts: Sequence[Table | TablePart],
    metric: Metric,
) -> Codes:
    """Return the codes of children, `parts` of `tables` by kind, and what they stand for."""
    known = {
        table: [values_of_codes(metric, outcomes[:256]) for outcomes in part.outcomes]
        for table, part in zip(tables, parts, strict=True)
    }
    # From a table's sides to those of the slice: in the same order, or exchanged.
    order = [slice(None, None, -1 if swapped else 1) for swapped in places.swapped]
    values = np.array([known[table][one] for table, one in zip(tables, order, strict=True)])
    metric_tables = make_metric_tables(metric)
    negated, last_ply = metric_tables.negated, metric_tables.last_ply
    addresses = np.array(
        [
            [_addresses(part, side) for side in Color][one]
            for part, one in zip(parts, order, strict=True)
        ],
        dtype=np.int64,
    )
    address, epoch_address, stride = map(np.ascontiguousarray, np.moveaxis(addresses, -1, 0))
    mated = int(values_of_codes(metric, np.array([MATED_OUTCOME]))[0])
    may_be_late = has_epochs(material, metric) and not is_short(material)
    # Whether positions of the material itself are late the kernels find out.
    late = [may_be_late and table != material and _is_late(part, last_ply)
            for table, part in zip(tables, parts, strict=True)]  # fmt: skip
    return Codes(
        address=np.tile(address, (4 if material.rules.check_counting else 1, 1, 1)),
        epoch_address=epoch_address,
        stride=stride,
        late=np.array(late, dtype=np.int64),
        epoch_plies=last_ply,
        values=values,
        values_after=negated[values],
        negated=negated,
        # Where both sides help one of them, only such a move by that one wins.
        won_at_once=np.array(
            [
                negated[mated] if metric.mating in {None, color} else metric_tables.draw_value
                for color in Color
            ],
            dtype=np.uint8,
        ),
        mated=mated,
        taken=int(negated[values_of_codes(metric, np.array([1]))[0]]),
        no_move=np.array([_without_move(material, color, metric) for color in Color], np.uint8),
        drawn=over_values(metric)[1],
    )


def _without_move(material: Material, color: Color, metric: Metric) -> int:
    """Return the value of a side that has no move and is not in check, where that may win."""
    lost, drawn, won = over_values(metric)
    own, others = len(material.of(color)), len(material.of(color.opponent))
    if not material.rules.fewest_win or own < others:
        return won
    return drawn if own == others else lost


def _addresses(part: Table | TablePart, side: Color) -> tuple[int, int, int]:
    """Return `address`, `epoch_address` and `stride` of `Codes` for one side of a table."""
    codes = part.codes[side]
    if codes is None:
        return 0, 0, 1
    first = int(codes.ctypes.data)
    if codes.itemsize > 1:
        low, high = (first, first + 1) if sys.byteorder == "little" else (first + 1, first)
        return low, high, codes.itemsize
    epochs = part.epochs if isinstance(part, TablePart) else None
    return first, 0 if epochs is None else epochs[side].ctypes.data, 1


def _is_late(part: Table | TablePart, last_ply: int) -> bool:
    """Return whether moves to positions of a sub-table may take more plies than an epoch has."""

    def has_long(codes: NDArray[np.uint8]) -> bool:
        return codes.itemsize > 1 or any(
            (codes[first : first + _CODES_PER_SCAN] == last_ply).any()
            for first in range(0, len(codes), _CODES_PER_SCAN)
        )

    known = _LATE.setdefault(part, {})
    if last_ply not in known:
        known[last_ply] = any(has_long(codes) for codes in part.codes if codes is not None)
    return known[last_ply]


def choose_layer(
    children: Children,
    material: Material,
    parts: Mapping[Material, Table | TablePart],
    checks: Checks,
) -> None:
    """Point `children` to the codes of a material's layer, where some `checks` are left."""
    places, codes = children.places.fields, children.child_codes.fields
    tables = [child.normalized() for child in (material, *material.moves_out().values())]
    for kind, (table, swapped) in enumerate(zip(tables, places.swapped, strict=True)):
        for given in range(len(codes.address)):
            left = [one - (given >> side & 1) for side, one in enumerate(checks)]
            shift = table.layer_of((left[1], left[0]) if swapped else (left[0], left[1]))
            for side in Color:
                first, _, stride = _addresses(parts[table], Color(side ^ swapped))
                place = first + shift * table_index(table).layer_size * stride
                codes.address[given, kind, side] = place if first and min(left) > 0 else 0


@kernel
def checks_given(color):
    """Return the number of a check by `color`; numbers of both sides add up."""
    return np.int64(1) << np.int64(color)


@kernel
def gather_plane(children, kind, side, given, view, scratch):
    """Read the codes of a kind of child from `scratch.bases` on, with `side` to move there.

    Writes to `scratch.values` [4096] the value by `view` for each pair of kings that there is.
    Moves to the child have `given` some checks, see `checks_given`.
    """
    places, codes, values = children.places, children.child_codes, scratch.values
    address = codes.address[given, kind, side]
    if not address:  # by the last check
        values[:] = np.uint8(codes.mated if view == HERE else codes.won_at_once[1 - side])
        return
    kings, variant = places.kings, places.kings.variant[kind]
    lookup = codes.values if view == HERE else codes.values_after
    value_of = lookup[kind, side]
    is_late = scratch.moment[EPOCH] > 0 or codes.late[kind] > 0
    for symmetry in range(8):
        base = scratch.bases[symmetry]
        if base < 0:
            continue
        slots = kings.slots[variant, symmetry]
        if is_late:
            for pair in range(places.pairs[kind]):
                value = late_value(codes, kind, side, base + pair, scratch.moment, view)
                values[slots[pair]] = value
        else:
            first = address + base
            for pair in range(places.pairs[kind]):
                values[slots[pair]] = value_of[byte_at(first, pair)]


@kernel
def late_value(codes, kind, side, place, moment, view):
    """Return the value of a child by `view`, with its plies counted from the epoch of `moment` on.

    Reads a code and its upper byte; notes in `moment` if the result is of a later epoch.
    """
    offset = place * codes.stride[kind, side]
    plies = np.int64(byte_at(codes.address[0, kind, side], offset))
    if plies != DRAW:
        epoch = np.int64(0)
        if codes.epoch_address[kind, side]:
            epoch = np.int64(byte_at(codes.epoch_address[kind, side], offset))
        plies += (epoch - moment[EPOCH]) * codes.epoch_plies
        plies += np.int64(1 if view == AFTER else 0)  # the move that leads there
        if plies >= codes.epoch_plies:  # a ply before, that is later
            moment[LATER] = 1
        if plies > codes.epoch_plies:  # a draw so far
            plies = np.int64(DRAW)
        elif plies < 0:  # who moves to an earlier result has a result, or a better move
            plies &= 1
    return codes.values[kind, side, plies]


@kernel
def gather_line(children, kind, side, given, target, scratch):
    """Read codes as `gather_plane` does, where the king of the side that moved is on `target`.

    Writes to `scratch.values` [64] the value after that move for each square of the king of `side`;
    0 where kings touch.
    """
    places, codes, bases = children.places, children.child_codes, scratch.bases
    variant = places.kings.variant[kind]
    pair_of, symmetry_of = places.kings.pair[variant], places.kings.symmetry[variant]
    address = codes.address[given, kind, side]
    value_of = codes.values_after[kind, side]
    is_late = scratch.moment[EPOCH] > 0 or codes.late[kind] > 0
    has_pawns = places.pawns[kind, 0] != NO_MAN
    for other in range(64):
        slot = other * 64 + target if side == WHITE else target * 64 + other
        symmetry = np.int64(symmetry_of[slot])
        if has_pawns:  # they tell the symmetry: none, or left and right exchanged
            symmetry = np.int64(0 if bases[0] >= 0 else 1)
            if symmetry:
                slot ^= 7 * 64 + 7
        pair = np.int64(pair_of[slot])
        value = np.uint8(0)
        if pair >= 0 and not address:  # by the last check
            value = codes.won_at_once[1 - side]
        elif pair >= 0:
            place = bases[symmetry] + pair
            if is_late:
                value = late_value(codes, kind, side, place, scratch.moment, AFTER)
            else:
                value = value_of[byte_at(address, place)]
        scratch.values[other] = value
