"""The build graph: which tables need which, and what each takes, as plain immutable data.

The graph's order has tables of up to four men first, and larger ones just before they are needed,
so that little is kept or read twice. With many workers see `BuildGraph.waiting_seconds`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from tablebase.core.building.estimate import (
    MAX_KEPT_MEN,
    build_memory,
    estimated_seconds,
    file_size,
    is_measured,
)
from tablebase.core.engine.requirements import obstacle
from tablebase.core.index.numbering import slot_count
from tablebase.core.outcomes.metrics import DTM, METRICS, Metric
from tablebase.core.rules.material import Material, generation_order


@dataclass(frozen=True)
class Build:
    """One table to build."""

    material: Material  # normalized
    subtables: tuple[Material, ...]  # each before those that need it
    slots: int  # both sides to move together
    memory: int  # most bytes that a process takes
    disk: int  # bytes of the file, at most
    seconds: float  # on the machine of `estimate.load_costs`
    is_measured: bool  # the time was measured there
    obstacle: str = ""  # why it cannot be built in any memory, else empty


@dataclass(frozen=True)
class BuildGraph(Mapping[Material, Build]):
    """Builds by material, each after its sub-tables' builds, and once; else `ValueError`.

    >>> graph = plan([Material.from_name("KPK")])
    >>> [material.name for material in graph]
    ['KK', 'KBK', 'KNK', 'KQK', 'KRK', 'KPK']
    >>> [material.name for material in graph[Material.from_name("KRK")].subtables]
    ['KK']
    """

    builds: tuple[Build, ...]
    _by_material: Mapping[Material, Build] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found: dict[Material, Build] = {}
        for build in self.builds:
            if build.material in found or not found.keys() >= set(build.subtables):
                raise ValueError(f"{build.material} is out of order in a build graph")
            found[build.material] = build
        object.__setattr__(self, "_by_material", MappingProxyType(found))

    def __getitem__(self, material: Material) -> Build:
        return self._by_material[material]

    def __iter__(self) -> Iterator[Material]:
        return iter(self._by_material)

    def __len__(self) -> int:
        return len(self.builds)

    @property
    def slots(self) -> int:
        """Slots of all tables, both sides to move together."""
        return sum(build.slots for build in self.builds)

    @property
    def seconds(self) -> float:
        """Estimated time of all builds one after the other."""
        return sum(build.seconds for build in self.builds)

    @property
    def memory(self) -> int:
        """Most bytes of memory that one of the builds takes."""
        return max((build.memory for build in self.builds), default=0)

    @property
    def disk(self) -> int:
        """Bytes of all files together, an estimate from above."""
        return sum(build.disk for build in self.builds)

    def waiting_seconds(self) -> dict[Material, float]:
        """Return the seconds of work from each build's beginning on, on any number of workers.

        It is the longest way through the graph from a build on, by which builds should begin (the
        *upward rank* of Topcuoglu, Hariri and Wu, 2002).
        """
        longest = dict.fromkeys(self, 0.0)
        for build in reversed(self.builds):
            longest[build.material] += build.seconds
            for needed in build.subtables:
                longest[needed] = max(longest[needed], longest[build.material])
        return longest

    def critical_path(self) -> tuple[Material, ...]:
        """Return the builds of the longest way through the graph, first to last.

        No number of workers makes the whole faster than these one after the other.
        """
        longest = self.waiting_seconds()
        path: list[Material] = []
        choices = list(self)
        while choices:
            path.append(max(choices, key=lambda material: longest[material]))
            choices = [build.material for build in self.builds if path[-1] in build.subtables]
        return tuple(path)

    def as_dict(self) -> dict[str, Any]:
        """Return the whole graph in types that JSON knows."""
        path = self.critical_path()
        return {
            "tables": len(self),
            "slots": self.slots,
            "seconds": round(self.seconds, 2),
            "memory_bytes": self.memory,
            "disk_bytes": self.disk,
            "critical_path": [material.name for material in path],
            "critical_path_seconds": round(sum(self[material].seconds for material in path), 2),
            "builds": [
                {
                    "material": build.material.name,
                    "men": build.material.piece_count,
                    "subtables": [needed.name for needed in build.subtables],
                    "slots": build.slots,
                    "seconds": round(build.seconds, 3),
                    "measured": build.is_measured,
                    "memory_bytes": build.memory,
                    "disk_bytes": build.disk,
                    "obstacle": build.obstacle or None,
                }
                for build in self.builds
            ],
        }

    def as_dot(self) -> str:
        """Return the graph for Graphviz, an arrow from each sub-table; the critical path in red."""
        path = self.critical_path()
        steps = set(pairwise(path))
        lines = ["digraph builds {", "  rankdir=LR;", "  node [shape=box];"]
        lines += [f"  {material}{' [color=red]' * (material in path)};" for material in self]
        lines += [
            f"  {needed} -> {build.material}{' [color=red]' * ((needed, build.material) in steps)};"
            for build in self.builds
            for needed in build.subtables
        ]
        return "\n".join([*lines, "}"])


def plan(
    materials: Iterable[Material], *, metrics: Sequence[Metric] | None = None, threads: int = 1
) -> BuildGraph:
    """Return the builds of some tables and of all that they need.

    Parameters
    ----------
    materials
        What is wanted, of any number of men; sub-tables are added.
    metrics
        Which distances each table will hold; by default `default_metrics`.
    threads
        How many threads one build will use; this changes memory only.

    Returns
    -------
    BuildGraph
        Each build after those of its sub-tables.
    """
    wanted = list(materials)
    metrics = metrics or default_metrics(wanted)
    return BuildGraph(
        tuple(
            Build(
                material=material,
                subtables=material.dependencies(),
                slots=2 * slot_count(material),
                memory=build_memory(material, metrics, threads),
                disk=file_size(material, metrics),
                seconds=estimated_seconds(material, metrics),
                is_measured=is_measured(material),
                obstacle=next(filter(None, (obstacle(material, one) for one in metrics)), ""),
            )
            for material in _build_order(wanted)
        )
    )


def default_metrics(materials: Iterable[Material]) -> tuple[Metric, ...]:
    """Return the metrics that are built unless others are asked for.

    These are both, but only distances to mate for six men, whose distances to zeroing do not fit
    in a byte yet, and for games without the 50-move rule, which have no others. Suicide has only
    distances to zeroing, since its others do not tell who wins.
    """
    chosen = list(materials)
    return tuple(one for one in METRICS if not any(obstacle(each, one) for each in chosen)) or (
        DTM,
    )


def _build_order(materials: Iterable[Material]) -> list[Material]:
    """Return the closure of materials in the order in which this machine builds them."""
    by_size = generation_order(materials)
    found = dict.fromkeys(one for one in by_size if one.piece_count <= MAX_KEPT_MEN)

    def add(material: Material) -> None:
        if material not in found:
            for needed in material.dependencies():
                add(needed)
            found[material] = None

    for material in reversed(by_size):
        add(material)
    return list(found)
