"""What solving a material takes, known before any array is made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.symmetry import D4, DIAGONAL, first_of_orbits
from tablebase.core.engine.plies.arrays import CACHE_LINE
from tablebase.core.engine.plies.epochs import bytes_of_row
from tablebase.core.engine.plies.sets import TRANSIENT_SETS, set_shapes
from tablebase.core.engine.sets.metric_tables import frontier_count
from tablebase.core.engine.sets.planes import LARGE_SLICE
from tablebase.core.ground.capacity import (
    MAX_MEN,
    MAX_MEN_OF_DTZ,
    MAX_MEN_OF_HELPMATES,
)
from tablebase.core.ground.words import bytes_in_words
from tablebase.core.index.kings import king_pair_count
from tablebase.core.index.numbering import slice_count, slot_count
from tablebase.core.outcomes.metrics import DTM, Metric
from tablebase.core.rules.material import Material
from tablebase.core.rules.refusals import without_helpmates

# Planes, symmetries, copies and occupied squares, see `planes.Planes`.
_BYTES_OF_A_LINE = 64 * (4 + 1 + 4) + 8
# Tables with pawns of up to so many slots are solved whole: five men, and six with four pawns.
WHOLE_SLOTS = 2_500_000_000
# Sides of slices whose codes are in memory at once, by the number of pawns, if batches of slices
# are as large as `batch_size`: counted. Of one pawn it is when it may promote: its other slices
# have two more, but what promotions lead to takes more memory than these.
_SIDES_AT_ONCE = {1: 2, 2: 90, 3: 6000}


class _AxisSize(NamedTuple):
    """How large an axis of `planes` is."""

    places: int
    men: int
    tracks: int  # for each place of the others, but for the anchor: it has fewer
    is_anchor: bool = False


def obstacle(material: Material, metric: Metric = DTM) -> str:
    """Return the reason why a material cannot be solved, whatever memory there is; else nothing.

    >>> obstacle(Material.from_name("KRPPKNP"))
    'KRPPKNP has 7 pieces: tables have up to 6'
    """
    men = material.piece_count
    if men > MAX_MEN:
        return f"{material} has {men} pieces: tables have up to {MAX_MEN}"
    if men > material.rules.most_men:
        needed = 2 * slot_count(material) + working_memory(material, 1, metric)
        return (
            f"{material} has {men} pieces: tables of {material.rules.name} have up to "
            f"{material.rules.most_men}, and this one would take {bytes_in_words(needed)} of memory"
        )
    if material.has_pawns and material.rules.walls:
        return (
            f"{material} has pawns, and the board of {material.rules.name} has walls: leave pawns "
            "out"
        )
    if metric == DTM and not material.rules.distance_tells:
        return f"{material.rules.name} has distances that do not tell who wins: use --metric dtz"
    if metric.counts_zeroing and not material.rules.fifty_moves:
        return (
            f"{material.rules.name} has no 50-move rule, so {material} has no DTZ: use --metric dtm"
        )
    if metric.mating is not None and (why := without_helpmates(material.rules)):
        return f"{why}: leave --metric out"
    if men > MAX_MEN_OF_HELPMATES and metric.mating is not None:
        return f"{material} has {men} pieces: helpmates are for up to {MAX_MEN_OF_HELPMATES}"
    if men > MAX_MEN_OF_DTZ and metric.counts_zeroing:
        return f"{material}: DTZ is not available for six pieces yet; use --metric dtm"
    return ""


def batch_size(material: Material) -> int:
    """Return the number of slices solved at a time where a table is solved slice by slice."""
    return max(1, LARGE_SLICE // plane_count(material))


def plane_count(material: Material) -> int:
    """Return the number of planes that the engine has of a material, without making them."""
    return math.prod(axis.places for axis in _axis_sizes(material))


def _axis_sizes(material: Material) -> Iterator[_AxisSize]:
    """Yield the sizes of the axes of `planes`."""
    kinds = Counter(kind for kind in material.men[2:] if kind[1] is not PieceType.PAWN)
    board = material.rules.board.squares
    if kinds and not material.has_pawns:
        anchor = min(kinds, key=lambda kind: kinds[kind])
        kinds[anchor] -= 1
        yield _AxisSize(len(first_of_orbits(material.symmetries, board)), 1, 1, is_anchor=True)
    for count in kinds.values():
        yield from [_AxisSize(math.comb(len(board), 2), 2, len(board))] * (count // 2)
        yield from [_AxisSize(len(board), 1, 1)] * (count % 2)


def codes_memory(material: Material, metric: Metric = DTM, epochs: int = 1) -> int:
    """Return most bytes of a table's own codes that are in memory while it is solved.

    By slices only those being solved and those that pushes lead to are there. With several epochs,
    codes with pawns have upper bytes from the start, others only when all else is given back.
    """
    size = slot_count(material)
    width = 2 if epochs > 1 and material.has_pawns else 1
    if not is_solved_by_slices(material, metric):
        return 2 * width * size
    return (width * _sides_at_once(material) + 1) * (size // slice_count(material))


def is_solved_by_slices(material: Material, metric: Metric = DTM) -> bool:
    """Return whether a table has no room in memory, and is solved slice by slice."""
    large = material.has_pawns and slot_count(material) > WHOLE_SLOTS
    return large and metric.outcomes is not None


def _sides_at_once(material: Material) -> int:
    """Return the number of sides of slices that are in memory at once."""
    return _SIDES_AT_ONCE.get(material.pawn_count, 2 * slice_count(material))


def working_memory(material: Material, threads: int, metric: Metric = DTM, epochs: int = 1) -> int:
    """Return the bytes that solving a material takes besides tables.

    How many `epochs` of 254 plies each there are is known only after solving.
    """
    sets = _set_sizes(material, metric)
    if material.has_pawns:  # each thread has sets of its own, unless slices are large
        together = plane_count(material) >= LARGE_SLICE
        undecided = 2 * (epochs - 1) * plane_count(material) * 64 * 8
        size = (1 if together else threads) * (undecided + sum(own for _, own in sets))
    else:
        size = _beside_codes(sets, slot_count(material))
        pairs = king_pair_count(material)
        rows = slot_count(material) // pairs
        size += 2 * (epochs - 1) * rows * bytes_of_row(pairs)
    stalemates = 0.0
    if material.rules.royal and all(PieceType.PAWN in material.of(color) for color in Color):
        rows = slot_count(material) // king_pair_count(material)
        stalemates = 2 * 8 * 64 * rows
        if is_solved_by_slices(material, metric):
            stalemates *= _sides_at_once(material) / (2 * slice_count(material))
    tracks = track_count(material) * _BYTES_OF_A_LINE
    return size + tracks + int(stalemates) + 16 * plane_count(material)


def _set_sizes(material: Material, metric: Metric) -> Iterator[tuple[str, int]]:
    """Yield the name and the bytes of each of the `Sets`, in the order in which they are made."""
    sizes = plane_count(material), value_plane_count(material), frontier_count(metric)
    shapes = set_shapes(
        *sizes, has_decided=material.has_decided, has_layers=material.rules.check_counting
    )
    for name, (shape, dtype) in shapes.items():
        yield name, math.prod(shape) * np.dtype(dtype).itemsize


def value_plane_count(material: Material) -> int:
    """Return the number of planes with values of their own, see `planes.Planes.value_plane`."""
    squares = material.rules.board.squares
    axes = [axis.men for axis in _axis_sizes(material)]
    if not axes or material.has_pawns:
        return _apart(axes, len(squares))
    rest, free = axes[1:], len(squares) - 1
    anchor = first_of_orbits(material.symmetries, squares)
    every = len(anchor) * _apart(rest, free)
    if DIAGONAL not in material.symmetries:
        return every
    on = sum(int(D4[DIAGONAL, square] == square) for square in squares)
    mirrored = _apart(rest, free) - _kept_by_diagonal(rest, on - 1, (len(squares) - on) // 2)
    return every - sum(int(D4[DIAGONAL, square] == square) for square in anchor) * mirrored // 2


def _apart(axes: list[int], free: int) -> int:
    """Return in how many ways pieces can stand on distinct squares; an axis has one or two."""
    count = 1
    for men in axes:
        count *= math.comb(free, men)
        free -= men
    return count


def _kept_by_diagonal(axes: list[int], on: int, couples: int) -> int:
    """Return in how many ways of `_apart` the a1-h8 diagonal is an axis of symmetry.

    `on` squares of the diagonal are free, and `couples` of squares that mirror each other.
    """
    if not axes:
        return 1
    men, *rest = axes
    if men == 1:
        return on * _kept_by_diagonal(rest, on - 1, couples)
    both_on = math.comb(on, 2) * _kept_by_diagonal(rest, on - 2, couples)
    return both_on + couples * _kept_by_diagonal(rest, on, couples - 1)


def _beside_codes(sets: Iterator[tuple[str, int]], codes: int) -> int:
    """Return the bytes that sets take beside the codes of a table without pawns.

    `codes` are the bytes of each side to move; passing sets lie in them as far as they have room.
    """
    spare = [codes - CACHE_LINE] * 2
    size = 0
    for name, own in sets:
        room = (i for i in range(2) if name in TRANSIENT_SETS and spare[i] >= own)
        place = next(room, None)
        if place is None:
            size += own
        else:
            spare[place] -= own + CACHE_LINE
    return size


def track_count(material: Material) -> int:
    """Return about how many tracks the engine has."""
    planes = plane_count(material)
    tracks = 0
    for axis in _axis_sizes(material):
        each = planes // axis.places
        if axis.is_anchor:  # a track for each orbit of the other pieces, and a few more
            each = each // len(material.symmetries) * 9 // 8 + 64
        tracks += each * axis.tracks
    return tracks
