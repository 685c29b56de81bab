"""The memory of a problem as data: what kernels elsewhere, as in a web page, solve a material from.

A *region* is an array or a record, with all that lies in it: data or zeros. Records point from one
region into another, and arrays of addresses point to the codes of tables.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from ctypes import string_at
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.engine.driver import check_obstacle, make_problem
from tablebase.core.engine.needs import needed_positions
from tablebase.core.engine.out.children import choose_layer
from tablebase.core.engine.plies.threads import STATES
from tablebase.core.engine.running import Runner
from tablebase.core.engine.sets.values import has_epochs, is_short
from tablebase.core.index.numbering import table_index
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.metrics import make_outcomes
from tablebase.core.tables.table import TablePart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tablebase.core.engine.plies.problem import Problem, Worker
    from tablebase.core.outcomes.metrics import Metric
    from tablebase.core.rules.material import Material

# Sets whose contents at first mean nothing: here zeros, so that the same problem is the same data.
_ANY = ("values", "not_won", "refuge", "checked", "imported", "not_lost", "decided", "may_lose",
        "frontier", "presence")  # fmt: skip

Place = tuple[int, int]  # region, bytes from its start


class MemoryRegion(NamedTuple):
    """A region of memory."""

    size: int  # bytes
    data: bytes | None  # None for zeros
    width: int = 1  # bytes of its numbers


class TablePointer(NamedTuple):
    """An address of codes."""

    place: Place  # where it stands
    table: tuple[Material, Metric]
    side: Color
    is_epoch: bool  # whether it is that of their upper bytes
    offset: int  # codes before


class _Owner(NamedTuple):
    """Whose codes lie at an address."""

    table: tuple[Material, Metric]
    side: Color
    is_epoch: bool
    codes: int


class ProblemImage(NamedTuple):
    """All that the kernels need to solve a material, but the codes of its sub-tables."""

    material: Material
    metric: Metric
    size: int  # codes of a side
    king_pairs: int
    epochs: int  # 0 if none is noted; 1 if in arrays like the codes; 2 if in `undecided`
    regions: list[MemoryRegion]
    pointers: list[tuple[Place, Place]]
    arguments: list[Place]  # of `solve_slices`
    late: int  # a code of sub-tables by which moves may enter after the first epoch; 0 if none may
    layers: list[list[TablePointer]]  # by layer, in the order in which they are solved
    # The sub-tables by kind, with `swapped`: whether their colours are exchanged.
    kinds: list[tuple[tuple[Material, Metric], bool]]
    # Places of arrays that are read or written between layers or tables, and of the fields of the
    # law, by their names: other rules change these.
    places: dict[str, Place]


def image_of(material: Material, metric: Metric) -> ProblemImage:
    """Return the memory of a material's problem, to be solved by one thread. Nothing is solved.

    Raises `UnsupportedPositionError` if it cannot be solved.
    """
    check_obstacle(material, metric)
    metric = metric.offset_by(material.rules.ply_offset)
    parts, if_swapped = _parts(material, metric), _parts(material, metric.swapped)
    if metric.swapped == metric:
        if_swapped = parts
    problem, together, alone = _arguments_of(material, metric, parts, if_swapped)
    memory = _Memory((problem, together, alone), problem.fields)
    fields, codes = problem.fields, problem.fields.children.fields.child_codes.fields
    places = {
        "state": together.fields.sync.fields.state,
        "results": fields.found.fields.results,
        "value_of_code": fields.value_of_code,
        "last_import": fields.last_import,
        "undecided": fields.undecided,
        "late": codes.late,
        "values": codes.values,
        "values_after": codes.values_after,
    }
    addresses = {name: int(array.ctypes.data) for name, array in places.items() if array.size}
    addresses |= _addresses_of(fields.law)
    owners = _owners(parts, metric) | _owners(if_swapped, metric.swapped)
    children = problem.fields.children.fields
    order = sorted(range(material.layer_count), key=lambda layer: sum(material.checks_of(layer)))
    layers = []
    for layer in order:
        if material.rules.check_counting:
            choose_layer(children, material, parts, material.checks_of(layer))
        layers.append(list(memory.table_pointers(codes, owners)))
    tables = [material, *(child.normalized() for child in material.moves_out().values())]
    swapped = children.places.fields.swapped.astype(bool).tolist()
    regions, pointers = memory.content([together.fields, alone.fields])
    index, epochs = table_index(material), _epochs_of(material, metric)
    return ProblemImage(
        material=material,
        metric=metric,
        size=index.size,
        king_pairs=index.king_pairs,
        epochs=epochs,
        regions=regions,
        pointers=pointers,
        arguments=[memory.place(one.address) for one in (problem, together, alone)],
        late=fields.metric.fields.last_ply if epochs else 0,
        layers=layers,
        kinds=[
            ((table, metric.swapped if swap else metric), swap)
            for table, swap in zip(tables, swapped, strict=True)
        ],
        places={name: memory.place(address) for name, address in addresses.items()},
    )


def _addresses_of(record: KernelRecord) -> dict[str, int]:
    """Return the addresses of the fields of a record: of arrays and records, of their contents."""
    found, word = {}, 0
    for name, value in zip(record.fields._fields, record.fields, strict=True):
        if isinstance(value, KernelRecord):
            found[name] = value.address
        elif not isinstance(value, np.ndarray):
            found[name] = record.address + 8 * word
        elif value.size:
            found[name] = int(value.ctypes.data)
        word += 1 + (2 * value.ndim if isinstance(value, np.ndarray) else 0)
    return found


def kernel_arguments(material: Material, metric: Metric) -> tuple[KernelRecord, ...]:
    """Return the records that `solve_slices` takes for a material."""
    parts = _parts(material, metric)
    return _arguments_of(material, metric, parts, parts)


def _arguments_of(
    material: Material,
    metric: Metric,
    parts: Mapping[Material, TablePart],
    if_swapped: Mapping[Material, TablePart],
) -> tuple[KernelRecord, KernelRecord, KernelRecord]:
    problem = make_problem(material, parts, metric, if_swapped)
    ((together, alone),) = Runner(material, problem, metric, 1).workers(
        np.zeros(STATES, dtype=np.int64), len(problem.fields.slice_order)
    )
    return problem, together, alone


def _epochs_of(material: Material, metric: Metric) -> int:
    """Return the field `epochs` of a `ProblemImage`."""
    if not has_epochs(material, metric) or is_short(material):
        return 0
    return 1 if material.has_pawns else 2


def _parts(material: Material, metric: Metric) -> dict[Material, TablePart]:
    """Return parts with places of codes, but no codes, of all tables that a material needs."""
    outcomes = make_outcomes([]) if metric.outcomes is None else metric.outcomes
    parts = {}
    for table in (material, *needed_positions(material)):
        size = table_index(table).size

        def both(size: int = size) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
            return np.zeros(size, dtype=np.uint8), np.zeros(size, dtype=np.uint8)

        is_own = table == material and not table.has_pawns  # whose upper bytes are found in the end
        is_long = _epochs_of(table, metric) > 0 and not is_own
        parts[table] = TablePart(both(), (outcomes, outcomes), epochs=both() if is_long else None)
    return parts


def _owners(parts: Mapping[Material, TablePart], metric: Metric) -> dict[int, _Owner]:
    """Return whose codes begin at an address."""
    owners = {}
    for table, part in parts.items():
        for is_epoch, both in ((False, part.codes), (True, part.epochs or ())):
            for side, codes in zip(Color, both, strict=False):
                assert codes is not None
                owners[int(codes.ctypes.data)] = _Owner((table, metric), side, is_epoch, len(codes))
    return owners


def _extent(array: NDArray[Any]) -> tuple[int, int]:
    """Return the first address of an array and the one after the last; none is empty."""
    first = int(array.ctypes.data)
    steps = zip(array.shape, array.strides, strict=True)
    return first, first + sum((count - 1) * step for count, step in steps) + array.itemsize


class _Memory:
    """Regions of all arrays and records that records lead to, in the order of their fields."""

    def __init__(self, roots: Sequence[KernelRecord], problem: Problem) -> None:
        self._records: dict[int, KernelRecord] = {}
        arrays: list[NDArray[Any]] = []
        for root in roots:
            self._walk(root, arrays)
        self._problem = problem
        merged: list[list[int]] = []  # first, after, width, number of the first array
        extents = sorted((*_extent(one), one.itemsize, i) for i, one in enumerate(arrays))
        for first, after, width, number in extents:
            if merged and first < merged[-1][1]:
                last = merged[-1]
                merged[-1] = [last[0], max(after, last[1]), last[2], min(number, last[3])]
            else:
                merged.append([first, after, width, number])
        self._starts = [first for first, *_ in merged]
        self._merged = merged
        order = sorted(range(len(merged)), key=lambda i: merged[i][3])
        self._number = {i: number for number, i in enumerate(order)}
        self._order = order

    def _walk(self, record: KernelRecord, arrays: list[NDArray[Any]]) -> None:
        if record.address in self._records:
            return
        self._records[record.address] = record
        arrays.append(record.words)
        for value in record.fields:
            if isinstance(value, KernelRecord):
                self._walk(value, arrays)
            elif isinstance(value, np.ndarray) and value.size:
                arrays.append(value)

    def place(self, address: int) -> Place:
        """Return the place of an address, which is in a region."""
        i = bisect_right(self._starts, address) - 1
        first, after, *_ = self._merged[i]
        assert first <= address < after
        return self._number[i], address - first

    def table_pointers(self, codes: Any, owners: Mapping[int, _Owner]) -> Iterator[TablePointer]:
        """Yield the pointers to codes, as they are now."""
        starts = sorted(owners)
        for array in (codes.address, codes.epoch_address):
            for i, address in enumerate(array.ravel().tolist()):
                if address:
                    start = starts[bisect_right(starts, address) - 1]
                    table, side, is_epoch, size = owners[start]
                    assert address - start < size
                    where = self.place(int(array.ctypes.data) + 8 * i)
                    yield TablePointer(where, table, side, is_epoch, address - start)

    def content(
        self, workers: Sequence[Worker]
    ) -> tuple[list[MemoryRegion], list[tuple[Place, Place]]]:
        """Return the regions without addresses, and the pointers of records."""
        sets = [worker.sets.fields for worker in workers]
        anything = {getattr(one, name).ctypes.data for one in sets for name in _ANY}
        anything |= {worker.undecided.ctypes.data for worker in workers}
        data = [
            bytearray(string_at(first, after - first)) if first not in anything else None
            for first, after, *_ in (self._merged[i] for i in self._order)
        ]  # fmt: skip
        codes = self._problem.children.fields.child_codes.fields
        for array in (codes.address, codes.epoch_address):
            region, offset = self.place(array.ctypes.data)
            self._clear(data[region], offset, array.nbytes)
        pointers = []
        for record in self._records.values():
            for word, address in record.pointers():
                region, offset = self.place(record.address + 8 * word)
                self._clear(data[region], offset, 8)
                if address:
                    pointers.append(((region, offset), self.place(address)))
        regions = []
        for content, i in zip(data, self._order, strict=True):
            first, after, width, _ = self._merged[i]
            some = bytes(content) if content and any(content) else None
            regions.append(MemoryRegion(after - first, some, width))
        return regions, pointers

    @staticmethod
    def _clear(data: bytearray | None, offset: int, size: int) -> None:
        assert data is not None
        data[offset : offset + size] = bytes(size)
