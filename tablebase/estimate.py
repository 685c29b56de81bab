"""What building one table takes, known before it is built: positions, memory, disk space, time.

Memory follows from the engine's arrays. Time and the sizes of files are taken from ``costs.json``:
what was measured for each material on one machine; for others a power law fitted to the seconds,
and the average number of bytes a slot (``scripts/fit_costs.py`` makes the file).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

from tablebase.children import Need, needed_positions
from tablebase.geometry import PieceType
from tablebase.index import KING_PAIRS_WITH_PAWNS, slot_count
from tablebase.layout import PAIRS
from tablebase.material import Material
from tablebase.retrograde import PASSING_SETS, make_sets
from tablebase.symmetry import TRIANGLE_SQUARES
from tablebase.table import stored_sides

# Python, its libraries, the compiled kernels, small tables kept, and memory given back that the
# system has not taken: what all builds of five men in one process took beyond the rest, at most.
BASE_MEMORY = 750_000_000
# Tables of so many men are kept in memory for the next ones; larger ones are read when needed.
MAX_KEPT_MEN = 4
# What a file takes besides its values.
METADATA_SIZE = 4_000
# Of a large table of which only positions just after a promotion are read: a fifth with pawns,
# without pawns a half (more for two identical pieces, but these tables are smaller).
PROMOTED_SHARE, PROMOTED_SHARE_WITHOUT_PAWNS = 0.2, 0.5
MAX_COUNTED_PAWNS = 2
_BYTES_OF_A_LINE = 64 * (4 + 1 + 4) + 8


class Costs(NamedTuple):
    """Measured seconds, and the law fitted to them: see `estimated_seconds`."""

    machine: str
    date: str
    threads: int  # that each build used
    seconds: dict[str, float]  # measured, by material
    factor: float
    exponent: float
    pawn_factor: float
    spread: float  # typical ratio between the law and what was measured
    bytes: dict[str, int]  # sizes of files, by material
    bytes_a_slot: list[float]  # without pawns, with one, with more


@cache
def load_costs() -> Costs:
    """Return the measured costs that come with the program."""
    text = resources.files("tablebase").joinpath("costs.json").read_text(encoding="utf-8")
    return Costs(**json.loads(text))


def is_measured(material: Material) -> bool:
    """Return whether `estimated_seconds` of a material was measured, not fitted."""
    return material.normalized().name in load_costs().seconds


def estimated_seconds(material: Material) -> float:
    """Return how long building takes on the machine of `load_costs`, sub-tables being there.

    A material that was not measured takes ``factor * slots ** exponent * pawn_factor ** pawns``,
    more than two pawns counted as two: of more, too few were measured to tell.
    """
    costs = load_costs()
    material = material.normalized()
    if material.name in costs.seconds:
        return costs.seconds[material.name]
    slots = math.log(slot_count(material))
    return math.exp(
        math.log(costs.factor)
        + costs.exponent * slots
        + math.log(costs.pawn_factor) * min(material.pawn_count, MAX_COUNTED_PAWNS)
    )


def _axis_sizes(material: Material) -> Iterator[tuple[int, int]]:
    """Yield the places of each axis of `tablebase.layout` and the squares of one of its men."""
    kinds = Counter(kind for kind in material.men[2:] if kind[1] is not PieceType.PAWN)
    if kinds and not material.has_pawns:
        lead = min(kinds, key=lambda kind: kinds[kind])
        kinds[lead] -= 1
        yield len(TRIANGLE_SQUARES), 8
    for count in kinds.values():
        yield from [(len(PAIRS), 64)] * (count // 2)
        yield from [(64, 1)] * (count % 2)


def plane_count(material: Material) -> int:
    """Return how many planes the engine's layout of a material has, without making it."""
    return math.prod(places for places, _ in _axis_sizes(material))


def line_count(material: Material) -> int:
    """Return about how many lines of planes the engine's layout has."""
    planes = plane_count(material)
    lines = 0
    for places, others in _axis_sizes(material):
        # The lead has a line for each orbit of the other pieces: an eighth, and a few more.
        lines += planes // places // 8 * 9 // 8 + 64 if others == 8 else planes // places * others
    return lines


# Sets in the memory of the codes leave some of it unused.
SHARE_OF_CODES_USED = 0.85


@cache
def _plane_sizes() -> tuple[float, float]:
    """Return how many bytes a plane takes in sets that last, and in those that may lie in codes."""
    planes = 4096
    sets = make_sets(planes)
    passing = sum(getattr(sets, name).nbytes for name in PASSING_SETS)
    return sum(array.nbytes for array in sets) / planes - passing / planes, passing / planes


def working_memory(material: Material, threads: int) -> int:
    """Return how many bytes solving a material takes besides tables."""
    # Without pawns all threads share one set of planes.
    sets = threads if material.has_pawns else 1
    planes = plane_count(material)
    stalemates = 0
    if material.pawn_count > 1:
        stalemates = 16 * 64 * (slot_count(material) // KING_PAIRS_WITH_PAWNS)
    lines = line_count(material) * _BYTES_OF_A_LINE
    lasting, passing = (size * planes for size in _plane_sizes())
    if not material.has_pawns and passing < SHARE_OF_CODES_USED * 2 * slot_count(material):
        passing = 0  # it lies where the codes will
    return int(sets * (lasting + passing)) + lines + stalemates + 8 * planes


def _read_memory(material: Material, need: Need) -> int:
    """Return how many bytes a sub-table takes while a table above it is solved."""
    size = slot_count(material)
    if material.piece_count <= MAX_KEPT_MEN:
        return 2 * size
    share = PROMOTED_SHARE if material.has_pawns else PROMOTED_SHARE_WITHOUT_PAWNS
    return int((share if need.promoted else 1) * len(need.sides) * size)


def read_memory(material: Material) -> tuple[int, int]:
    """Return how many bytes small and large sub-tables take while a material is solved.

    Small ones are kept for other materials, large ones are not.
    """
    small = large = 0
    for needed, need in needed_positions(material).items():
        if needed.piece_count <= MAX_KEPT_MEN:
            small += _read_memory(needed, need)
        else:
            large += _read_memory(needed, need)
    return small, large


def build_memory(material: Material, threads: int) -> int:
    """Return most bytes that building one table takes, the whole process included."""
    size = 2 * slot_count(material)
    return BASE_MEMORY + sum(read_memory(material)) + size + working_memory(material, threads)


def file_size(material: Material) -> int:
    """Return how many bytes the file of a table takes: as measured, else on the average."""
    costs = load_costs()
    material = material.normalized()
    if material.name in costs.bytes:
        return costs.bytes[material.name]
    slots = len(stored_sides(material)) * slot_count(material)
    share = costs.bytes_a_slot[min(material.pawn_count, MAX_COUNTED_PAWNS)]
    return METADATA_SIZE + int(share * slots)
