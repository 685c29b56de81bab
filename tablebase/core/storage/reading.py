"""Whole tables, or parts of them, from files.

A table is one self-describing HDF5 file with checksums over everything, values by fletcher32,
metadata by HDF5 1.10 itself. ``docs/format.md`` describes it; `writing` makes such files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.ground.argument_readers import as_path
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.ground.closing import Closing
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.ground.parallel import map_blocks
from tablebase.core.index.numbering import slot_count, table_index
from tablebase.core.outcomes.metrics import DTM, Metric, make_outcomes, metric_named
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.rules.rules import CHESS, Rules
from tablebase.core.storage.damage import check_regular, damaged, naming_damage, require
from tablebase.core.storage.datasets import (
    all_attributes,
    find_attribute,
    open_to_read,
    read_attribute,
)
from tablebase.core.storage.encodings import EPOCH_SUFFIX
from tablebase.core.storage.format import (
    CHECKSUM,
    FORMAT,
    HELPMATES_STORED,
    RULES_VERSIONS,
    VALUED,
    ValueDigest,
    checksum,
    has_epoch_data,
    merge_counts,
    read_attributes,
    read_digest,
    read_helpmates,
    read_metrics,
    read_outcomes,
)
from tablebase.core.storage.memory import require_memory
from tablebase.core.storage.order import (
    any_marked,
    chunks_at_once,
    places_of,
    scatter_slots,
    slot_order,
)
from tablebase.core.storage.stored_chunks import StoredChunks
from tablebase.core.storage.table_names import refuse_other_material, tables_folder
from tablebase.core.tables.reserved import Reserved
from tablebase.core.tables.table import (
    Outcomes,
    Table,
    fixed_outcomes,
    stored_sides,
    swap_colors,
)


class TableFile(Closing):
    """An open table file, a context manager; use `open_table`.

    It has a `path`, a normalized `material`, `metrics`, `helpmates`, `size` codes for each side to
    move, and `chunks`. Raises `CorruptTableError` if the file is no complete table, or of another
    material than asked for.
    """

    def __init__(self, path: str | os.PathLike[str], material: Material | None = None) -> None:
        self.path = as_path("path", path)
        check_regular(self.path)
        with naming_damage(self.path):
            self.file = open_to_read(self.path)
        try:
            with naming_damage(self.path):
                self._check_header()
            refuse_other_material(self.path, self.material, material)
        except BaseException:
            self.file.close()
            raise

    def close(self) -> None:
        """Close the file; nothing happens if it is closed."""
        self.chunks.forget()
        if self.file.valid:
            self.file.close()

    def _check_header(self) -> None:
        require(
            read_attribute(self.file, "format") == FORMAT, "the attribute `format` is another one"
        )
        valued = {name: find_attribute(self.file, name) for name in VALUED}
        stated = find_attribute(self.file, CHECKSUM)
        require(stated in {None, checksum(valued)}, "attributes do not have their checksum")
        self.version = valued["format_version"]
        self.metrics = read_metrics(self.version, valued["metrics"])
        self.helpmates = read_helpmates(find_attribute(self.file, HELPMATES_STORED))
        name = str(valued["material"])
        self.material = Material.from_name(name, self._rules(valued["rules_sha256"]))
        require(
            self.material.is_normalized and self.material.name == name,
            f"{name} is not how a material is named",
        )
        require(
            self.material.piece_count <= MAX_MEN,
            f"{name} has {self.material.piece_count} pieces, but tables have up to {MAX_MEN}",
        )
        self.size = slot_count(self.material)
        parts = [part for metric in self.distances for part in self.parts(metric)]
        self.chunks = StoredChunks(self.path, self.file, parts, self.size)

    def _rules(self, digest: object) -> Rules:
        """Return the rules that the file states; files of chess state none."""
        if self.version not in RULES_VERSIONS:
            require(digest is None, "the attribute rules_sha256 is in a file of chess")
            return CHESS
        name, text = (str(read_attribute(self.file, f"rules{end}")) for end in ("_name", ""))
        rules = Rules.from_text(name, text)
        require(rules.mark and rules.digest == digest, "rules do not have their SHA-256")
        # A game that is built in has names of its kinds, which files do not.
        same = next((one for one in built_in_rules().values() if one == rules), rules)
        return replace(same, name=name)

    @property
    def distances(self) -> tuple[Metric, ...]:
        """All that the file holds: its `metrics`, and the helpmates of White and of Black."""
        return self.metrics + self.helpmates

    def parts(self, metric: Metric) -> list[str]:
        """Return the names of the data sets of a metric: codes, and epochs if there are any."""
        epochs = [f"{metric}{EPOCH_SUFFIX}"] if has_epoch_data(self.version, metric) else []
        return [metric.name, *epochs]

    @property
    def chunk_size(self) -> int:
        """Number of codes in a chunk; the last one may hold fewer."""
        return self.chunks.size

    @property
    def chunk_count(self) -> int:
        """The number of chunks of each stored side to move."""
        return self.chunks.count

    def sha256_of(self, metric: Metric) -> str:
        """Return the digest of a metric's stored values as the file states it, in hexadecimal."""
        with naming_damage(self.path):
            return read_digest(read_attribute(self.file, f"{metric.prefix}sha256"))

    def outcomes(self, metric: Metric) -> Outcomes:
        """Return the outcomes of the codes of a metric, with White and with Black to move."""
        if metric.outcomes is not None:
            return fixed_outcomes(metric, long=has_epoch_data(self.version, metric))
        with naming_damage(self.path):
            found = read_outcomes(read_attribute(self.file, f"{metric.prefix}outcomes"))
        white, black = (make_outcomes(found[side]) for side in SIDES)
        return white, black

    def require_metric(self, metric: Metric) -> None:
        """Raise `MissingTableError` unless the file has a metric."""
        if metric not in self.distances:
            raise MissingTableError.of(
                [self.material], [tables_folder(self.path, self.material)], metric=metric.name
            )

    def check(self) -> None:
        """Check everything but the values, which are checked as they are read.

        Raises `CorruptTableError` if the file is not a complete table.
        """
        with naming_damage(self.path):
            for metric in self.distances:
                for color in stored_sides(self.material):
                    for part in self.parts(metric):
                        self.chunks.dataset(color, part)
        _ = self.attributes

    def side_stored(self, color: Color) -> bool:
        """Return whether the values of a side to move are in the file.

        If both sides have the same men, only those with White to move are.
        """
        return color in stored_sides(self.material)

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the file by name, JSON as Python objects.

        Raises `CorruptTableError` if one is missing, malformed, or not that of the material.
        """
        with naming_damage(self.path):
            return read_attributes(self.stored_attributes(), self.material)

    @property
    def counts(self) -> dict[str, dict[str, Any]]:
        """Counts by side to move, all metrics together; see ``docs/format.md``."""
        counts: dict[str, dict[str, Any]] = {side: {} for side in SIDES}
        for metric in self.metrics:
            for side, found in self.attributes[f"{metric.prefix}counts"].items():
                merge_counts(counts[side], found, metric)
        return counts

    def stored_attributes(self) -> dict[str, str | int]:
        """Return the attributes of the file as they are stored, by name."""
        with naming_damage(self.path):
            return all_attributes(self.file)

    def chunk(self, color: Color, number: int, metric: Metric = DTM) -> NDArray[np.uint8]:
        """Return the read-only codes of a chunk, uint8, or uint16 where there are epochs.

        Its `number` is the slot of its first code, divided by `chunk_size`; the side to move must
        be stored. Raises `CorruptTableError` if it is damaged, `ValueError` if the file is closed.
        """
        if not self.file.valid:
            raise ValueError(f"{self.path} is closed")
        with naming_damage(self.path):
            packed = [self.chunks.read(color, number, part) for part in self.parts(metric)]
            return self.chunks.unpacked(number, packed)

    def codes(
        self,
        color: Color,
        *,
        metric: Metric = DTM,
        rows: NDArray[np.bool_] | None = None,
        threads: int | None = None,
    ) -> NDArray[np.uint8]:
        """Return the codes of a stored side to move, uint8 [size]; uint16 where there are epochs.

        Of `rows`, all pairs of kings each, those not asked for take no memory and mean nothing.
        Raises `CorruptTableError` if the file is damaged, `MissingTableError` without the metric.
        """
        self.require_metric(metric)
        return self._codes(color, metric, rows, threads)

    def _codes(
        self,
        color: Color,
        metric: Metric,
        rows: NDArray[np.bool_] | None,
        threads: int | None,
        digest: ValueDigest | None = None,
        *,
        together: bool = False,
    ) -> NDArray[np.uint8]:
        """Return codes, and add them as they lie in the file to a digest."""
        parts = self.parts(metric)
        stored = list(zip(*(self.chunks.extents(color, part) for part in parts), strict=True))
        order = slot_order(self.material)
        dtype = np.dtype(np.uint8 if len(parts) == 1 else np.uint16)
        row_count = self.size // order.king_pairs
        places = np.arange(row_count, dtype=np.int32)
        if rows is None:
            codes = np.empty(self.size, dtype=dtype)
            rows = np.ones(row_count, dtype=np.bool_)
        elif together:
            places = places_of(rows)
            codes = np.empty(np.count_nonzero(rows) * order.king_pairs, dtype=dtype)
        else:
            places[~rows] = -1
            codes = Reserved(self.size * dtype.itemsize).bytes.view(dtype)

        any_row = rows.any()
        if digest is None and not any_row:
            return codes

        def fill(numbers: range) -> NDArray[Any]:
            first = numbers.start * self.chunk_size
            read = np.empty(min(len(numbers) * self.chunk_size, self.size - first), dtype=dtype)
            for number in numbers:
                slot = number * self.chunk_size
                chunk = read[slot - first : slot - first + self.chunk_size]
                if digest is None and not any_marked(order, slot, len(chunk), rows):
                    continue
                with naming_damage(self.path):
                    packed = [self.chunks.read_at(number, *extent) for extent in stored[number]]
                    chunk[:] = self.chunks.unpacked(number, packed)
            if any_row:
                scatter_slots(order, first, read, places, codes)
            return read

        at_once = chunks_at_once(self.chunk_count, threads)
        for read in map_blocks(fill, range(self.chunk_count), at_once, threads):
            if digest is not None:
                digest.update(read)
        return codes

    def read_sides(
        self,
        sides: Iterable[Color],
        rows: NDArray[np.bool_] | None = None,
        *,
        metric: Metric = DTM,
        check: bool,
        together: bool = False,
        threads: int | None = None,
    ) -> tuple[NDArray[np.uint8] | None, NDArray[np.uint8] | None]:
        """Return the codes with White and with Black to move, None for sides not asked for.

        With `check`, all values are compared with their SHA-256, whatever is asked for. With
        `together`, the codes of the `rows` follow each other without gaps, see `places_of`.
        """
        self.require_metric(metric)
        digest = ValueDigest(metric, self.outcomes(metric), self.material.rules) if check else None
        found: list[NDArray[np.uint8] | None] = [None, None]
        for color in stored_sides(self.material):
            if color in sides:
                found[color] = self._codes(color, metric, rows, threads, digest, together=together)
            elif digest is not None:
                no_rows = np.zeros(
                    self.size // table_index(self.material).king_pairs, dtype=np.bool_
                )
                self._codes(color, metric, no_rows, threads, digest)
        if digest is not None and digest.hexdigest() != self.sha256_of(metric):
            raise damaged(self.path, "its values do not have their SHA-256")
        return found[Color.WHITE], found[Color.BLACK]

    def read(self, metric: Metric = DTM, *, threads: int | None = None) -> Table:
        """Return the whole table of a metric; see `read_table`."""
        require_memory(self.material, 2 * len(self.parts(metric)) * self.size)
        white, black = self.read_sides(Color, metric=metric, check=True, threads=threads)
        assert white is not None
        if black is None:
            swapped: NDArray[np.uint8] | None = white
            if metric.swapped != metric:
                swapped, _ = self.read_sides(
                    [Color.WHITE], metric=metric.swapped, check=True, threads=threads
                )
            assert swapped is not None
            black = swap_colors(self.material, swapped, threads=threads)
        outcomes, digest = self.outcomes(metric), self.sha256_of(metric)
        return Table(self.material, white, black, metric, outcomes, sha256=digest)


def read_table(
    path: str | os.PathLike[str], metric: Metric | str = DTM, *, threads: int | None = None
) -> Table:
    """Read a table into memory and compare its values with their SHA-256.

    Parameters
    ----------
    path
        The file.
    metric
        The metric to read, or its name: ``dtm``, to mate, or ``dtz``, to zeroing.
    threads
        Number of threads; by default one for each processor.

    Returns
    -------
    Table
        Its codes, uint8 [size], for both sides to move.

    Raises
    ------
    ValueError
        If there is no such metric.
    MissingTableError
        If there is no such file, or it lacks the metric.
    CorruptTableError
        If the file is damaged, truncated or no table.
    TablebaseError
        If the table does not fit in memory.

    Examples
    --------
    >>> read_table("data/KRK.h5").white.shape
    (29568,)
    """
    asked = metric if isinstance(metric, Metric) else metric_named(metric)
    with open_table(path) as file:
        return file.read(asked, threads=threads)


def open_table(path: str | os.PathLike[str], material: Material | None = None) -> TableFile:
    """Open a table file to read parts of it; a context manager.

    A table of another material than the given one, by default that of the file's name, is refused.
    Only what reading relies on is checked now; values are checked as they are read. Raises what
    `read_table` does, if there is no such file or it is no table.
    """
    return TableFile(path, material)
