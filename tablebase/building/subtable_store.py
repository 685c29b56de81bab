"""The sub-tables of builds to come, kept in memory as long as they are needed and have room.

Reading a sub-table of five men takes as long as solving some tables, and several builds need the
same one. So what the coming builds need of a table stays in memory when it is built or first read.
If there is not room for all, that goes which is needed last (Belady, "A study of replacement
algorithms for a virtual-storage computer", 1966, is the proof that nothing does better).
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.board import Color, Material
from tablebase.building.estimate import MAX_KEPT_MEN
from tablebase.engine import Codes, SubtableNeed, needed_positions, rows_after_promotion
from tablebase.storage import open_table, read_table, table_path
from tablebase.tables import Table

# Of what is needed less often than this, the rows are copied, so that the others can be forgotten.
# With more of them, few pages of memory are without any.
SHARE_TO_COPY = 0.4


class _Part(NamedTuple):
    """What is kept of a large table."""

    codes: Codes
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
        coming: Sequence[Material] = (),
    ) -> None:
        self.directory = directory
        self.threads = threads
        self._tables: dict[Material, Table] = {}
        self._parts: dict[Material, _Part] = {}
        self._digests: dict[Material, str] = {}
        self._wanted: dict[Material, SubtableNeed] = {}  # by all builds to come together
        self._uses: dict[Material, list[int]] = {}  # which builds to come, the next one last
        for number, material in reversed(list(enumerate(coming))):
            for needed, need in needed_positions(material).items():
                self._uses.setdefault(needed, []).append(number)
                self._wanted[needed] = _union(self._wanted.get(needed, need), need)

    def __contains__(self, material: Material) -> bool:
        """Return whether what the coming builds need of a table is in memory."""
        return material in self._tables or material in self._parts

    def subtables(self, material: Material) -> dict[Material, Table | Codes]:
        """Return what a build needs: tables, or the codes of some rows of large ones.

        Raises
        ------
        MissingTableError, CorruptTableError
            If a sub-table is not there, or damaged.
        """
        return {
            needed: self._get(needed, need) for needed, need in needed_positions(material).items()
        }

    def add(self, table: Table) -> None:
        """Keep of a table what the coming builds need."""
        material = table.material
        if material.piece_count <= MAX_KEPT_MEN:
            self._tables[material] = table
        elif material in self._uses:
            need = self._wanted[material]
            rows = rows_after_promotion(material, need.promoted)
            self._keep(material, need, rows, table.codes)

    def finish(self, material: Material) -> None:
        """Forget what only this build needed; those that come later need it no more."""
        for needed in needed_positions(material):
            uses = self._uses.get(needed)
            if uses is None:
                continue
            uses.pop()
            if not uses:
                del self._uses[needed]
                self._parts.pop(needed, None)

    def make_room(self, size: int) -> None:
        """Keep at most `size` bytes of large tables, those that are needed soonest."""
        kept = sum(part.size for part in self._parts.values())
        for material in sorted(self._parts, key=lambda one: -self._uses[one][-1]):
            if kept <= size:
                break
            kept -= self._parts.pop(material).size

    def set_digest(self, material: Material, digest: str) -> None:
        """Note the SHA-256 of the values of a table that was added."""
        self._digests[material] = digest

    def digest(self, material: Material) -> str:
        """Return the SHA-256 of the values of a table that was read or added."""
        return self._digests[material]

    def keep_only(self, digests: Mapping[Material, str]) -> None:
        """Drop all kept tables except those with these digests."""
        for material in list(self._tables):
            # One without a digest is from a build that was stopped before its file was complete.
            if material not in self._digests or self._digests[material] != digests.get(material):
                del self._tables[material]

    def _get(self, material: Material, need: SubtableNeed) -> Table | Codes:
        if material in self._tables:
            return self._tables[material]
        if material in self._parts:
            return self._parts[material].codes
        path = table_path(self.directory, material)
        if material.piece_count <= MAX_KEPT_MEN:
            with open_table(path) as file:
                digest = file.sha256
            self._tables[material] = read_table(path, threads=self.threads)
            self._digests[material] = digest
            return self._tables[material]
        need = self._wanted.get(material, need)
        rows = rows_after_promotion(material, need.promoted)
        with open_table(path) as file:
            # Once in a process: nobody has compared the values of a file that was there.
            checked = self._digests.get(material) == file.sha256
            codes = file.read_sides(need.sides, rows, check=not checked, threads=self.threads)
            self._digests[material] = file.sha256
        if material in self._uses:
            self._keep(material, need, rows, codes)
        return codes

    def _keep(
        self, material: Material, need: SubtableNeed, rows: NDArray[np.bool_], codes: Codes
    ) -> None:
        share = float(rows.mean())
        kept: list[NDArray[np.uint8] | None] = [None, None]
        size = 0
        for side in need.sides:
            values = codes[side]
            assert values is not None
            if share >= SHARE_TO_COPY:
                kept[side], used = values, len(values)
            else:
                kept[side], used = _copied(values, rows), int(share * len(values))
            size += used
        self._parts[material] = _Part((kept[Color.WHITE], kept[Color.BLACK]), size)


def _union(one: SubtableNeed, other: SubtableNeed) -> SubtableNeed:
    """Return what either of two builds needs of a table."""
    all_rows = not one.promoted or not other.promoted
    promoted = frozenset() if all_rows else one.promoted | other.promoted
    return SubtableNeed(one.sides | other.sides, promoted)


def _copied(codes: NDArray[np.uint8], rows: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return codes of which only some rows take memory; the others mean nothing."""
    copy = np.frombuffer(mmap.mmap(-1, len(codes)), dtype=np.uint8)
    by_row, copy_by_row = (values.reshape(len(rows), -1) for values in (codes, copy))
    bounds = np.flatnonzero(np.diff(rows, prepend=False, append=False))
    for first, end in bounds.reshape(-1, 2).tolist():
        copy_by_row[first:end] = by_row[first:end]
    return copy
