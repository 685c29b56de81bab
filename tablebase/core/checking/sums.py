"""Lists of the SHA-256 of tables' values, to compare builds of different people.

A line has the digest in hexadecimal, blanks, and the material, with ``.dtz`` for distances to
zeroing, ``.white_mates`` or ``.black_mates`` for helpmates; ``#`` begins a comment. Files state the
digest as ``sha256``, ``dtz_sha256``, ``white_mates_sha256`` or ``black_mates_sha256``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.streams import decoded
from tablebase.core.ground.verdicts import Checked
from tablebase.core.outcomes.metrics import DISTANCES, DTM, METRICS, Metric, distances_named
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table

_LINE = re.compile(rf"([0-9a-f]{{64}})\s+([^\s.]+)(?:\.({'|'.join(map(str, DISTANCES))}))?")


@dataclass(frozen=True)
class SumReport(Checked):
    """A table compared with a list."""

    material: Material
    metric: Metric
    path: Path
    sha256: str  # of the table's values
    expected: str | None  # what the list states; None if it does not name the material

    @property
    def name(self) -> str:
        """The name in a list: the material, and the metric unless it is the distance to mate."""
        return _name(self.material, self.metric)

    @property
    def counts(self) -> tuple[int, int]:
        """Digests that the list states, and those that differ: one or none."""
        is_listed = self.expected is not None
        return is_listed, is_listed and self.expected != self.sha256


def read_sums(path: str | os.PathLike[str]) -> dict[tuple[Material, Metric], str]:
    """Return the digests of a list by material and metric.

    A malformed line is a `TablebaseError`.
    """
    found = {}
    text = decoded(Path(path).read_bytes())
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        match = _LINE.fullmatch(content)
        if match is None:
            raise TablebaseError(
                f"{path}, line {number}: a SHA-256 in hexadecimal and a material are expected, "
                f"as `tablebase info --sums` prints them"
            )
        (metric,) = distances_named(match[3] or DTM.name)
        found[Material.from_name(match[2]).normalized(), metric] = match[1]
    return found


def format_sums(tables: Iterable[tuple[Material, Metric, str]]) -> str:
    """Return a list of materials, metrics and their digests."""
    return "".join(f"{digest}  {_name(material, metric)}\n" for material, metric, digest in tables)


def _name(material: Material, metric: Metric) -> str:
    return material.name if metric == DTM else f"{material}.{metric}"


def compare_sums(
    paths: Iterable[Path],
    expected: Mapping[tuple[Material, Metric], str],
    *,
    read_values: bool = False,
    threads: int | None = None,
) -> list[SumReport]:
    """Compare tables with a list.

    Parameters
    ----------
    paths
        The files.
    expected
        The digests of the list by material and metric; helpmates may be missing.
    read_values
        Also compute the digests of the values, and compare them with what the files state.
    threads
        How many threads read; by default one for each processor.

    Raises
    ------
    MissingTableError, CorruptTableError
        If a file is missing or damaged.
    """
    reports = []
    for path in paths:
        with open_table(path) as file:
            file.check()
            for metric in file.distances:
                stated = expected.get((file.material, metric))
                if metric not in METRICS and stated is None:
                    continue
                if read_values:
                    file.read_sides((), metric=metric, check=True, threads=threads)
                digest = file.sha256_of(metric)
                reports.append(SumReport(file.material, metric, path, digest, stated))
    return reports
