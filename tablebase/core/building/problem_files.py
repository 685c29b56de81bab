"""The problems of endings in one file, from which a web page solves them by the engine's kernels.

The file is a stream of zlib: the length of a record in JSON, uint32, and the record; the numbers of
the *pages*, of 512 bytes, that all data consist of; the pages, each kept once. `docs/format.md`
describes it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from tablebase.core.engine.driver import check_obstacle
from tablebase.core.engine.problem_images import MemoryRegion, ProblemImage, image_of
from tablebase.core.engine.requirements import codes_memory, working_memory
from tablebase.core.outcomes.metrics import Metric
from tablebase.core.rules.material import Material, generation_order

PROBLEMS_FORMAT, PROBLEMS_VERSION = "chess-tablebase-problems", 1
PAGE_MEMORY = 4 << 30  # bytes that kernels can address in a page
_PAGE = 512


def problems_of(tables: Iterable[tuple[Material, Metric]]) -> bytes:
    """Return the file of the problems of tables and of all that they need.

    Nothing is solved. The same tables give the same bytes. Of what takes more memory than a page
    can have, it says how much that is. Raises `UnsupportedPositionError` for what has no table.
    """
    metrics: dict[Material, list[Metric]] = {}
    for material, metric in tables:
        check_obstacle(material, metric)
        for one in (metric, metric.swapped):
            for needed in generation_order([material]):
                metrics.setdefault(needed, []).append(one)
    pack = _Pack()
    endings = {}
    for material in generation_order(metrics):
        for metric in dict.fromkeys(metrics[material]):
            memory = codes_memory(material, metric) + working_memory(material, 1, metric)
            endings[problem_key(material, metric)] = (
                {"bytes": memory}
                if memory > PAGE_MEMORY
                else _ending_of(image_of(material, metric), pack)
            )
    record = {"format": PROBLEMS_FORMAT, "version": PROBLEMS_VERSION, "blobs": pack.blobs,
              "shapes": pack.shapes, "endings": endings}  # fmt: skip
    text = json.dumps(record, separators=(",", ":")).encode()
    length = len(text).to_bytes(4, "little")
    return zlib.compress(length + text + pack.pages(), 9)


def problem_key(material: Material, metric: Metric) -> str:
    """Return the name of the problem of a material and a metric in a file."""
    return f"{material} {metric}"


def _ending_of(image: ProblemImage, pack: _Pack) -> dict[str, Any]:
    """Return the record of a problem, whose data go into a pack."""
    layers = [
        [
            [*one.place, problem_key(*one.table), int(one.side), int(one.is_epoch), one.offset]
            for one in layer
        ]
        for layer in image.layers
    ]
    return {
        "slots": image.size,
        "pairs": image.king_pairs,
        "epochs": image.epochs,
        "late": image.late,
        "numbered": image.metric.outcomes is None,
        "regions": [pack.add(one) for one in image.regions],
        "shape": pack.shape(image),
        "layers": layers,
        "kinds": [[problem_key(*table), int(swapped)] for table, swapped in image.kinds],
    }  # fmt: skip


class _Pack:
    """Data of regions, each kept once, and what many problems have in common."""

    def __init__(self) -> None:
        self.blobs: list[tuple[int, int]] = []  # bytes, and bytes of a number
        self.shapes: list[dict[str, Any]] = []  # where pointers stand and what they point to
        self._numbers: dict[MemoryRegion, int] = {}
        self._shapes: dict[str, int] = {}
        self._pages: dict[bytes, int] = {}
        self._order: list[int] = []

    def add(self, region: MemoryRegion) -> int:
        """Return the number of the data of a region; of zeros the bytes, negative."""
        if region.data is None:
            return -region.size
        if region not in self._numbers:
            self._numbers[region] = len(self.blobs)
            self.blobs.append((region.size, region.width))
            data = _planes(region.data, region.width)
            for first in range(0, len(data), _PAGE):
                page = data[first : first + _PAGE].ljust(_PAGE, b"\0")
                self._order.append(self._pages.setdefault(page, len(self._pages)))
        return self._numbers[region]

    def shape(self, image: ProblemImage) -> int:
        """Return the number of the shape of a problem."""
        shape = {
            "pointers": [number for both in image.pointers for place in both for number in place],
            "arguments": image.arguments,
            "places": image.places,
        }
        text = json.dumps(shape)
        if text not in self._shapes:
            self._shapes[text] = len(self.shapes)
            self.shapes.append(shape)
        return self._shapes[text]

    def pages(self) -> bytes:
        """Return the numbers of pages, each from the one before, and the pages."""
        numbers = np.array(self._order, dtype="<i4")
        steps = np.diff(numbers, prepend=np.int32(0)).astype("<i4")
        return _planes(steps.tobytes(), 4) + b"".join(self._pages)


def _planes(data: bytes, width: int) -> bytes:
    """Return the first bytes of all numbers, then their second bytes, and so on."""
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, width).T.tobytes()
