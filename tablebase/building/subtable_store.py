"""The sub-tables of builds to come, kept in memory as long as they are needed and have room.

Reading a sub-table of five men takes as long as solving some tables, and several builds need the
same one. So what the coming builds need of a table stays in memory when it is built or first read.
If there is not room for all, that goes which is needed last (Belady, "A study of replacement
algorithms for a virtual-storage computer", 1966, is the proof that nothing does better).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.board import Color
from tablebase.building.estimate import MAX_KEPT_MEN
from tablebase.engine import (
    SubtableNeed,
    is_read_by_slices,
    is_solved_by_slices,
    needed_positions,
    rows_after_promotion,
    rows_of_slices,
)
from tablebase.outcomes import Metric
from tablebase.rules import Material
from tablebase.storage import open_table, places_of, table_path
from tablebase.tables import Outcomes, Reserved, Table, TablePart

# Of what is needed less often than this, the rows are copied, so that the others can be forgotten.
# With more of them, few pages of memory are without any.
SHARE_TO_COPY = 0.4


Key = tuple[Material, Metric]


class _Part(NamedTuple):
    """The kept part of a large table."""

    part: TablePart
    size: int  # bytes of memory


class SubtableStore:
    """The tables of a directory, and what coming builds need of them.

    Tables of up to four men are kept whole. Of larger ones that is kept which the builds that are
    known to come need; without any known, nothing.

    Parameters
    ----------
    directory
        Where the files are.
    threads
        How many threads read.
    coming
        The builds to come, in order.
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
        for number, (material, metric) in reversed(list(enumerate(coming))):
            for needed, need in _whole_needs(material, metric).items():
                key = needed, metric
                self._uses.setdefault(key, []).append(number)
                self._wanted[key] = _union(self._wanted.get(key, need), need)

    def __contains__(self, key: Key) -> bool:
        """Return whether what the coming builds need of a table is in memory."""
        return key in self._tables or key in self._parts

    def subtables(self, material: Material, metric: Metric) -> dict[Material, Table | TablePart]:
        """Return the sub-tables of a build: whole ones, or the codes of some rows of large ones.

        If it is made slice by slice, large ones are left to `of_slices`.

        Raises
        ------
        MissingTableError, CorruptTableError
            If a sub-table is not there, or damaged.
        """
        return {
            needed: self._get((needed, metric), need)
            for needed, need in _whole_needs(material, metric).items()
        }

    def of_slices(
        self, material: Material, metric: Metric, slices: Collection[int]
    ) -> dict[Material, TablePart]:
        """Return the rows of the other sub-tables that some slices need.

        Raises
        ------
        MissingTableError, CorruptTableError
            If a sub-table is not there, or damaged.
        """
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
            need = self._wanted[key]
            rows = rows_after_promotion(table.material, need.promoted)
            self._keep(key, need, rows, TablePart(table.codes, table.outcomes))

    def finish(self, material: Material, metric: Metric) -> None:
        """Forget what only this build needed; those that come later need it no more."""
        for needed in _whole_needs(material, metric):
            key = needed, metric
            uses = self._uses.get(key)
            if uses is None:
                continue
            uses.pop()
            if not uses:
                del self._uses[key]
                self._parts.pop(key, None)

    def make_room(self, size: int) -> None:
        """Keep at most `size` bytes of large tables, those that are needed soonest."""
        kept = sum(part.size for part in self._parts.values())
        for key in sorted(self._parts, key=lambda one: -self._uses[one][-1]):
            if kept <= size:
                break
            kept -= self._parts.pop(key).size

    def set_digest(self, material: Material, metric: Metric, digest: str) -> None:
        """Note the SHA-256 of the values of a table that was added."""
        self._digests[material, metric] = digest

    def subtable_digests(self, material: Material, metric: Metric) -> dict[str, str]:
        """Return the SHA-256 of all sub-tables of a build, by name; all were read or added."""
        return {one.name: self._digests[one, metric] for one in material.dependencies()}

    def keep_only(self, digests: Mapping[Key, str]) -> None:
        """Drop all kept tables except those with these digests."""
        for key in list(self._tables):
            # One without a digest is from a build that was stopped before its file was complete.
            if key not in self._digests or self._digests[key] != digests.get(key):
                del self._tables[key]

    def _get(self, key: Key, need: SubtableNeed) -> Table | TablePart:
        if key in self._tables:
            return self._tables[key]
        if key in self._parts:
            return self._parts[key].part
        material, metric = key
        path = table_path(self.directory, material)
        if material.piece_count <= MAX_KEPT_MEN:
            with open_table(path, material) as file:
                table, digest = file.read(metric, threads=self.threads), file.sha256_of(metric)
            self._tables[key] = table
            self._digests[key] = digest
            return self._tables[key]
        need = self._wanted.get(key, need)
        rows = rows_after_promotion(material, need.promoted)
        part = TablePart(*self._read(key, need, rows))
        if key in self._uses:
            self._keep(key, need, rows, part)
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

    def _keep(self, key: Key, need: SubtableNeed, rows: NDArray[np.bool_], part: TablePart) -> None:
        share = float(rows.mean())
        kept: list[NDArray[np.uint8] | None] = [None, None]
        size = 0
        for side in need.sides:
            values = part.codes[side]
            assert values is not None
            if share >= SHARE_TO_COPY:
                kept[side], used = values, values.nbytes
            else:
                kept[side], used = _copied(values, rows), int(share * values.nbytes)
            size += used
        kept_part = TablePart((kept[Color.WHITE], kept[Color.BLACK]), part.outcomes)
        self._parts[key] = _Part(kept_part, size)


def _slice_needs(material: Material, metric: Metric) -> dict[Material, SubtableNeed]:
    """Return the sub-tables of which slices get parts of their own."""
    by_slices = is_solved_by_slices(material, metric)
    return {
        needed: need
        for needed, need in needed_positions(material).items()
        if by_slices and is_read_by_slices(material, needed, need)
    }


def _whole_needs(material: Material, metric: Metric) -> dict[Material, SubtableNeed]:
    """Return the other sub-tables, of which the same is needed from beginning to end."""
    by_slice = _slice_needs(material, metric)
    return {
        needed: need
        for needed, need in needed_positions(material).items()
        if needed not in by_slice
    }


def _union(one: SubtableNeed, other: SubtableNeed) -> SubtableNeed:
    """Return the union of two builds' needs of a table."""
    all_rows = not one.promoted or not other.promoted
    promoted = frozenset() if all_rows else one.promoted | other.promoted
    return SubtableNeed(one.sides | other.sides, promoted)


def _copied(codes: NDArray[np.uint8], rows: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return codes of which only some rows take memory; the others mean nothing."""
    copy = Reserved(codes.nbytes).bytes.view(codes.dtype)
    by_row, copy_by_row = (values.reshape(len(rows), -1) for values in (codes, copy))
    bounds = np.flatnonzero(np.diff(rows, prepend=False, append=False))
    for first, end in bounds.reshape(-1, 2).tolist():
        copy_by_row[first:end] = by_row[first:end]
    return copy
