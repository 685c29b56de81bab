"""The sub-tables of builds to come, kept in memory as long as they are needed and have room.

Reading a sub-table of five men takes as long as solving some tables. If there is not room for all,
the part that is needed last goes; nothing does better (Belady, "A study of replacement algorithms
for a virtual-storage computer", 1966).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.building.estimate import MAX_KEPT_MEN, codes_size, part_memory
from tablebase.core.engine.needs import (
    SubtableNeed,
    is_read_by_slices,
    needed_positions,
    rows_after_promotion,
    rows_of_slices,
)
from tablebase.core.engine.requirements import is_solved_by_slices
from tablebase.core.outcomes.metrics import Metric
from tablebase.core.rules.material import Material
from tablebase.core.storage.order import places_of
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.table_names import table_path
from tablebase.core.tables.reserved import Reserved
from tablebase.core.tables.table import Outcomes, Table, TablePart

# Of what is needed less often than this, the rows are copied, so that the others can be forgotten.
# With more of them, few pages of memory are without any.
SHARE_TO_COPY = 0.4


Key = tuple[Material, Metric]


class _Part(NamedTuple):
    """The kept part of a large table."""

    part: TablePart | None  # None if the builds are only expected
    size: int  # bytes of memory


class SubtableStore:
    """The tables of a directory, and what the `coming` builds, in order, need of them.

    Tables of up to four men are kept whole, of larger ones the rows that known builds need.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        threads: int,
        coming: Sequence[Key] = (),
    ) -> None:
        self.directory = directory
        self.threads = threads
        self._tables: dict[Key, Table] = {}
        self._parts: dict[Key, _Part] = {}
        self._digests: dict[Key, str] = {}
        self._wanted: dict[Key, SubtableNeed] = {}  # by all builds to come together
        self._uses: dict[Key, list[int]] = {}  # which builds to come, the next one last
        self._sizes: dict[Key, int] = {}
        self._room = sys.maxsize  # bytes for what is kept of large tables
        for number, (material, metric) in reversed(list(enumerate(coming))):
            for key, need in _keys_needed(material, metric):
                self._uses.setdefault(key, []).append(number)
                self._wanted[key] = _union(self._wanted.get(key, need), need)

    def __contains__(self, key: Key) -> bool:
        """Return whether what the coming builds need of a table is in memory."""
        return key in self._tables or key in self._parts

    def subtables(self, material: Material, metric: Metric) -> dict[Material, Table | TablePart]:
        """Return the sub-tables of a build: whole ones, or the codes of some rows of large ones.

        A build by slices leaves large ones to `of_slices`. Raises `MissingTableError` or
        `CorruptTableError` if one is missing or damaged.
        """
        return {
            needed: self._get((needed, metric), need)
            for needed, need in _whole_needs(material, metric).items()
        }

    def of_slices(
        self, material: Material, metric: Metric, slices: Collection[int]
    ) -> dict[Material, TablePart]:
        """Return the rows of the other sub-tables that slices need; errors as of `subtables`."""
        found = {}
        for needed, need in _slice_needs(material, metric).items():
            rows = rows_of_slices(material, slices, needed)
            codes, outcomes = self._read((needed, metric), need, rows, together=True)
            found[needed] = TablePart(codes, outcomes, places_of(rows))
        return found

    def add(self, table: Table) -> None:
        """Keep of a table what the coming builds need."""
        key = table.material, table.metric
        if table.material.piece_count <= MAX_KEPT_MEN:
            self._tables[key] = table
        elif key in self._uses:
            rows = self._rows(key)
            kept: list[NDArray[np.uint8] | None] = [None, None]
            for side in self._wanted[key].sides:
                codes = table.codes[side]
                kept[side] = codes if _is_kept_whole(rows) else _copied(codes, rows)
            part = TablePart((kept[Color.WHITE], kept[Color.BLACK]), table.outcomes)
            self._parts[key] = _Part(part, self._size(key))

    def finish(self, material: Material, metric: Metric) -> None:
        """Forget what only this build needed; later builds need it no more."""
        for key, _ in _keys_needed(material, metric):
            uses = self._uses.get(key)
            if uses is None:
                continue
            uses.pop()
            if not uses:
                del self._uses[key]
                self._parts.pop(key, None)

    def expect(self, material: Material, metric: Metric) -> int:
        """Keep what this build would, without values; return the bytes beside what it needs.

        Estimates run through all builds in this way.
        """
        beside = 0
        for key, need in _keys_needed(material, metric):
            needed = key[0]
            if needed.piece_count > MAX_KEPT_MEN:
                if key not in self._parts and self._has_room(key):
                    self._parts[key] = _Part(None, self._size(key))
                if key in self._parts:
                    beside -= min(self._parts[key].size, part_memory(needed, need))
        beside += sum(part.size for part in self._parts.values())
        if material.piece_count > MAX_KEPT_MEN and (material, metric) in self._uses:
            self._parts[material, metric] = _Part(None, self._size((material, metric)))
        self.finish(material, metric)
        return beside

    def make_room(self, size: int) -> None:
        """Keep at most `size` bytes of large tables, the ones that are needed soonest."""
        self._room = size
        self._drop(size)

    def _drop(self, size: int, after: int = -1) -> bool:
        """Drop what is needed last until it takes `size` bytes; return whether it does now.

        What builds up to the number `after` need is not dropped.
        """
        kept = sum(part.size for part in self._parts.values())
        for key in sorted(self._parts, key=lambda one: -self._uses[one][-1]):
            if kept <= size or self._uses[key][-1] <= after:
                break
            kept -= self._parts.pop(key).size
        return kept <= size

    def _has_room(self, key: Key) -> bool:
        """Return whether a table that is read for the next build that needs it is kept for others.

        Tables that are needed later than these make room.
        """
        _, *others = reversed(self._uses.get(key, [0]))
        return bool(others) and self._drop(self._room - self._size(key), others[0])

    def _rows(self, key: Key) -> NDArray[np.bool_]:
        """Return a mark for each row of a table that the coming builds need."""
        return rows_after_promotion(key[0], self._wanted[key].promoted)

    def _size(self, key: Key) -> int:
        """Return the bytes of what the coming builds need of a table."""
        if key not in self._sizes:
            wanted = self._wanted[key]
            share = _share_of_rows(key[0], wanted)
            self._sizes[key] = int(len(wanted.sides) * share * codes_size(key[0]))
        return self._sizes[key]

    def set_digest(self, material: Material, metric: Metric, digest: str) -> None:
        """Note the SHA-256 of the values of a table that was added."""
        self._digests[material, metric] = digest

    def subtable_digests(self, material: Material, metric: Metric) -> dict[str, str]:
        """Return the SHA-256 of all sub-tables of a build, by name; all were read or added."""
        return {one.name: self._digests[one, metric] for one in material.dependencies()}

    def keep_only(self, digests: Mapping[Key, str]) -> None:
        """Drop all kept tables with other digests."""
        for key in list(self._tables):
            # One without a digest is from a build that was stopped before its file was complete.
            if key not in self._digests or self._digests[key] != digests.get(key):
                del self._tables[key]

    def _get(self, key: Key, need: SubtableNeed) -> Table | TablePart:
        if key in self._tables:
            return self._tables[key]
        if (kept := self._parts.get(key)) and kept.part:
            return kept.part
        material, metric = key
        path = table_path(self.directory, material)
        if material.piece_count <= MAX_KEPT_MEN:
            with open_table(path, material) as file:
                table, digest = file.read(metric, threads=self.threads), file.sha256_of(metric)
            self._tables[key] = table
            self._digests[key] = digest
            return self._tables[key]
        # Without room for what others need as well, it is no more than this build counts on.
        is_kept = self._has_room(key)
        if is_kept:
            need = self._wanted[key]
        part = TablePart(*self._read(key, need, rows_after_promotion(material, need.promoted)))
        if is_kept:
            self._parts[key] = _Part(part, self._size(key))
        return part

    def _read(
        self, key: Key, need: SubtableNeed, rows: NDArray[np.bool_], *, together: bool = False
    ) -> tuple[tuple[NDArray[np.uint8] | None, NDArray[np.uint8] | None], Outcomes]:
        """Return codes of some rows of a file, and what they mean."""
        material, metric = key
        with open_table(table_path(self.directory, material), material) as file:
            file.require_metric(metric)
            digest = file.sha256_of(metric)
            # Once in a process: nobody has compared the values of a file that was there.
            check = self._digests.get(key) != digest
            codes = file.read_sides(
                need.sides,
                rows,
                metric=metric,
                check=check,
                together=together,
                threads=self.threads,
            )
            self._digests[key] = digest
            return codes, file.outcomes(metric)


def _keys_needed(material: Material, metric: Metric) -> Iterator[tuple[Key, SubtableNeed]]:
    """Yield what a build reads from beginning to end: with colours exchanged, another metric."""
    for needed, need in _whole_needs(material, metric).items():
        for one in dict.fromkeys((metric, metric.swapped)):
            yield (needed, one), need


def _whole_needs(material: Material, metric: Metric) -> dict[Material, SubtableNeed]:
    """Return the other sub-tables, whose needed part stays the same from beginning to end."""
    by_slice = _slice_needs(material, metric)
    return {
        needed: need
        for needed, need in needed_positions(material).items()
        if needed not in by_slice
    }


def _slice_needs(material: Material, metric: Metric) -> dict[Material, SubtableNeed]:
    """Return the sub-tables of which slices get parts of their own."""
    by_slices = is_solved_by_slices(material, metric)
    return {
        needed: need
        for needed, need in needed_positions(material).items()
        if by_slices and is_read_by_slices(material, needed, need)
    }


def _union(one: SubtableNeed, other: SubtableNeed) -> SubtableNeed:
    """Return the union of two builds' needs of a table."""
    all_rows = not one.promoted or not other.promoted
    promoted = frozenset() if all_rows else one.promoted | other.promoted
    return SubtableNeed(one.sides | other.sides, promoted)


@cache
def _share_of_rows(material: Material, need: SubtableNeed) -> float:
    """Return the share of the rows of a table that is kept; to mark them takes long."""
    rows = rows_after_promotion(material, need.promoted)
    return 1.0 if _is_kept_whole(rows) else float(rows.mean())


def _is_kept_whole(rows: NDArray[np.bool_]) -> bool:
    """Return whether codes of which some rows are needed are kept with the others."""
    return float(rows.mean()) >= SHARE_TO_COPY


def _copied(codes: NDArray[np.uint8], rows: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return codes of which only some rows take memory; the others mean nothing."""
    copy = Reserved(codes.nbytes).bytes.view(codes.dtype)
    by_row, copy_by_row = (values.reshape(len(rows), -1) for values in (codes, copy))
    bounds = np.flatnonzero(np.diff(rows, prepend=False, append=False))
    for first, end in bounds.reshape(-1, 2).tolist():
        copy_by_row[first:end] = by_row[first:end]
    return copy
