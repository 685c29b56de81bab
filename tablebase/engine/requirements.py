"""What solving a material takes, known before any array is made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from tablebase.board import DTM, TRIANGLE_SQUARES, Material, Metric, PieceType
from tablebase.engine.planes import PAIRS
from tablebase.engine.retrograde import PASSING_SETS, set_shapes
from tablebase.engine.values import frontier_count
from tablebase.index import KING_PAIRS_WITH_PAWNS, slot_count

# Planes, symmetries, copies and occupied squares, see `planes.Planes`.
_BYTES_OF_A_LINE = 64 * (4 + 1 + 4) + 8
# Sets in the memory of the codes leave some of it unused.
SHARE_OF_CODES_USED = 0.85


def _axis_sizes(material: Material) -> Iterator[tuple[int, int]]:
    """Yield the places of each axis of `planes` and the squares of one of its men."""
    kinds = Counter(kind for kind in material.men[2:] if kind[1] is not PieceType.PAWN)
    if kinds and not material.has_pawns:
        lead = min(kinds, key=lambda kind: kinds[kind])
        kinds[lead] -= 1
        yield len(TRIANGLE_SQUARES), 8
    for count in kinds.values():
        yield from [(len(PAIRS), 64)] * (count // 2)
        yield from [(64, 1)] * (count % 2)


def plane_count(material: Material) -> int:
    """Return how many planes the engine has of a material, without making them."""
    return math.prod(places for places, _ in _axis_sizes(material))


def line_count(material: Material) -> int:
    """Return about how many lines of planes the engine has."""
    planes = plane_count(material)
    lines = 0
    for places, others in _axis_sizes(material):
        # The lead has a line for each orbit of the other pieces: an eighth, and a few more.
        lines += planes // places // 8 * 9 // 8 + 64 if others == 8 else planes // places * others
    return lines


def _plane_sizes(frontiers: int) -> tuple[float, float]:
    """Return how many bytes a plane takes in sets that last, and in those that may lie in codes."""
    planes = 64  # whose presence is told together
    lasting = passing = 0
    for name, (shape, dtype) in set_shapes(planes, frontiers).items():
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if name in PASSING_SETS:
            passing += size
        else:
            lasting += size
    return lasting / planes, passing / planes


def working_memory(material: Material, threads: int, metric: Metric = DTM) -> int:
    """Return how many bytes solving a material takes besides tables."""
    # Without pawns all threads share one set of planes.
    sets = threads if material.has_pawns else 1
    planes = plane_count(material)
    stalemates = 0
    if material.pawn_count > 1:
        stalemates = 16 * 64 * (slot_count(material) // KING_PAIRS_WITH_PAWNS)
    lines = line_count(material) * _BYTES_OF_A_LINE
    lasting, passing = (size * planes for size in _plane_sizes(frontier_count(metric)))
    if not material.has_pawns and passing < SHARE_OF_CODES_USED * 2 * slot_count(material):
        passing = 0  # it lies where the codes will
    return int(sets * (lasting + passing)) + lines + stalemates + 8 * planes
