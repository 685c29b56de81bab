"""Estimates of a build: positions, memory, disk space, time.

Memory follows from the engine's arrays. Times and file sizes of both metrics are in ``costs.json``,
as measured on one machine, or by a power law; one metric is a share.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

from tablebase.core.engine.needs import SubtableNeed, is_read_by_slices, needed_positions
from tablebase.core.engine.requirements import (
    batch_size,
    codes_memory,
    is_solved_by_slices,
    working_memory,
)
from tablebase.core.index.kings import king_pair_count
from tablebase.core.index.numbering import slice_count, slot_count
from tablebase.core.outcomes.metrics import DTM, Metric
from tablebase.core.rules.material import Material
from tablebase.core.tables.table import stored_sides

# Python, its libraries, the compiled kernels and small arrays: 200 MB measured, 290 while kernels
# are compiled; the rest is for memory given back that the system has not taken.
BASE_MEMORY = 350_000_000
# Tables of up to this many men stay in memory for the next builds; larger ones are read again.
MAX_KEPT_MEN = 4
# What a file takes besides its values.
METADATA_SIZE = 4_000
# Of a large table of which only positions just after a promotion are read: a fifth with pawns,
# without pawns a half (more for two identical pieces, but these tables are smaller).
PROMOTED_SHARE, PROMOTED_SHARE_WITHOUT_PAWNS = 0.2, 0.5
# Of a table of which slices need new pieces only: one piece on one file, or on some files beside
# pawns that some slices have in common (counted, see the tests).
NEW_PIECE_SHARE, NEW_PIECE_SHARE_WITH_PAWNS = 0.125, 0.025
SLICES_BY_CAPTURES = 3  # where pawns may stand after a slice's captures of pieces
ROW_MEMORY = 8  # bytes that each row takes besides its codes, where not all are read
MAX_COUNTED_PAWNS = 2
MAX_FITTED_MEN = 5


class Run(NamedTuple):
    """What the build of all tables of some men took in one process, both metrics, measured."""

    men: int
    memory: int  # bytes that were allowed
    seconds: float
    peak: int  # bytes that were resident at most


class Costs(NamedTuple):
    """Measured seconds, and the law fitted to them: see `estimated_seconds`."""

    machine: str
    date: str
    threads: int  # that each build used
    runs: list[Run]
    seconds: dict[str, float]  # measured, by material
    factor: float
    exponent: float
    pawn_factor: float
    spread: float  # typical ratio between the law and what was measured
    bytes: dict[str, int]  # sizes of files, by material
    bytes_a_slot: list[float]  # without pawns, with one, with more
    # All these are of both metrics; the share of each.
    metric_seconds: dict[str, float]
    metric_bytes: dict[str, float]
    # Of six men, which have distances to mate alone.
    dtm_seconds: dict[str, float]
    dtm_bytes: dict[str, int]
    # How many epochs of 254 plies those have that have more than one.
    epochs: dict[str, int]
    # How many times as many bytes a slot six men take.
    six_men_bytes: float
    # How many times as long as by the law games without royal kings take.
    seconds_without_kings: float


def is_measured(material: Material) -> bool:
    """Return whether `estimated_seconds` of a material was measured, not fitted."""
    costs, name = load_costs(), _name_in_costs(material)
    return name in costs.seconds or name in costs.dtm_seconds


@cache
def load_costs() -> Costs:
    """Return the measured costs that come with the program."""
    text = (
        resources.files("tablebase.core.building")
        .joinpath("costs.json")
        .read_text(encoding="utf-8")
    )
    content = json.loads(text)
    return Costs(**content | {"runs": [Run(**run) for run in content["runs"]]})


def _name_in_costs(material: Material) -> str:
    """Return by which name the measured costs have a material; other games have names alike."""
    return "" if material.rules.mark else material.normalized().name


def estimated_seconds(material: Material, metrics: Iterable[Metric] = (DTM,)) -> float:
    """Return the seconds of a build on the machine of `load_costs`, without its sub-tables.

    A material that was not measured takes ``factor * slots ** exponent * pawn_factor ** pawns``,
    more than two pawns counted as two, since too few tables with more were measured. Games without
    royal kings have a factor more.
    """
    costs, name = load_costs(), _name_in_costs(material)
    if name in costs.dtm_seconds:
        return costs.dtm_seconds[name]
    share = sum(costs.metric_seconds[metric.name] for metric in metrics)
    if not material.rules.royal:
        share *= costs.seconds_without_kings
    if name in costs.seconds:
        return share * costs.seconds[name]
    slots = math.log(slot_count(material))
    return share * math.exp(
        math.log(costs.factor)
        + costs.exponent * slots
        + math.log(costs.pawn_factor) * min(material.pawn_count, MAX_COUNTED_PAWNS)
    )


def saving_memory(material: Material) -> int:
    """Return the bytes of a table that is being saved: both sides to move, and what is legal."""
    return 3 * codes_size(material)


def codes_size(material: Material) -> int:
    """Return the bytes of the codes of a table with one side to move."""
    return slot_count(material) * (2 if epochs_of(material) > 1 else 1)


@cache
def epochs_of(material: Material) -> int:
    """Return the number of epochs that a table may have, by the tables its pawns lead to.

    By rules of which nothing was measured, there may be a second one.
    """
    known = load_costs().epochs.get(_name_in_costs(material), 2 if material.rules.mark else 1)
    if known > 1 or not material.has_pawns:
        return known
    return max(epochs_of(needed) for needed in material.dependencies())


def build_memory(material: Material, metrics: Sequence[Metric], threads: int) -> int:
    """Return most bytes that building one table takes, the whole process included."""
    small, large = read_memory(material)
    return BASE_MEMORY + len(metrics) * small + large + solving_memory(material, metrics, threads)


def read_memory(material: Material) -> tuple[int, int]:
    """Return the bytes of small and of large sub-tables in memory while a material is solved.

    Small ones are kept for other materials, large ones are not.
    """
    small = large = 0
    for needed, need in needed_positions(material).items():
        size = _read_memory(material, needed, need)
        if needed.piece_count <= MAX_KEPT_MEN:
            small += size
        else:
            large += size
    return small, large


def _read_memory(material: Material, needed: Material, need: SubtableNeed) -> int:
    """Return the bytes of a sub-table in memory while a table above it is solved.

    Slice by slice only some rows are read, but finding out which takes memory as well.
    """
    if needed.piece_count <= MAX_KEPT_MEN:
        return 2 * codes_size(needed)
    if is_solved_by_slices(material) and is_read_by_slices(material, needed, need):
        share = _slice_share(material, needed, need)
        return int(len(need.sides) * codes_size(needed) * share) + ROW_MEMORY * (
            slot_count(needed) // king_pair_count(needed)
        )
    return part_memory(needed, need)


def _slice_share(material: Material, needed: Material, need: SubtableNeed) -> float:
    """Return the share of a sub-table's codes that slices of a material need at once."""
    new_pieces = max((needed.men.count(man) for man in need.promoted), default=1)
    if not needed.has_pawns:
        return NEW_PIECE_SHARE * new_pieces
    if need.promoted:
        return NEW_PIECE_SHARE_WITH_PAWNS * new_pieces
    if needed.pawn_count == material.pawn_count:
        return min(1, SLICES_BY_CAPTURES * batch_size(material) / slice_count(material))
    return 1  # with a pawn less, nearly all slices were counted


def part_memory(needed: Material, need: SubtableNeed) -> int:
    """Return the bytes of what is needed of a large sub-table from beginning to end."""
    share = PROMOTED_SHARE if needed.has_pawns else PROMOTED_SHARE_WITHOUT_PAWNS
    return int((share if need.promoted else 1) * len(need.sides) * codes_size(needed))


def solving_memory(material: Material, metrics: Iterable[Metric], threads: int) -> int:
    """Return most bytes that solving takes besides sub-tables, of one metric after the other."""
    epochs = epochs_of(material.normalized())
    needed = (
        codes_memory(material, metric, epochs) + working_memory(material, threads, metric, epochs)
        for metric in metrics
    )
    return max(needed, default=0)


def file_size(material: Material, metrics: Iterable[Metric] = (DTM,)) -> int:
    """Return the bytes of a table's file: as measured, else on the average."""
    costs, name = load_costs(), _name_in_costs(material)
    if name in costs.dtm_bytes:
        return costs.dtm_bytes[name]
    share = sum(costs.metric_bytes[metric.name] for metric in metrics)
    if name in costs.bytes:
        return int(share * costs.bytes[name])
    slots = len(stored_sides(material.normalized())) * slot_count(material)
    each = costs.bytes_a_slot[min(material.pawn_count, MAX_COUNTED_PAWNS)]
    if material.piece_count > MAX_FITTED_MEN:
        each *= costs.six_men_bytes
    return METADATA_SIZE + int(share * each * slots)
