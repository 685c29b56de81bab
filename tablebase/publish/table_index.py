"""The index of a published table: where its chunks lie in the file, for readers over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.outcomes.metrics import DTZ
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Rules
from tablebase.core.storage.damage import damaged
from tablebase.core.storage.reading import TableFile
from tablebase.core.storage.table_names import SUFFIX
from tablebase.publish.own_files import Content, read_checked

INDEX_FORMAT = "chess-tablebase-index"
# The reader refuses other versions.
VERSION = 1
# The index of a longer data set, as of six men, is divided into files of this many chunks each.
CHUNKS_OF_PART = 1 << 14
# What an index must have beside its format and the names of its table, with the type of each value.
_FIELDS = {
    "file_size": int, "file_crc32": int, "format_version": int, "men": int, "symmetric": bool,
    "slots": int, "chunk_size": int, "metrics": list, "sha256": dict, "datasets": dict,
}  # fmt: skip


def index_record(
    file: TableFile, *, check: bool = True, progress: Callable[[int], None] = lambda _: None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the index of a table, and its parts by the names of their files.

    With `check`, every chunk is checked and the file's checksum stated; else it is None, and only
    places are read. `progress` gets numbers of bytes. `CorruptTableError` if a chunk is damaged.
    """
    material = file.material
    datasets: dict[str, list[dict[str, Any]]] = {}
    parts: dict[str, Any] = {}
    for metric in file.distances:
        for color in Color:
            if not file.side_stored(color):
                continue
            for part in file.parts(metric):
                for chunk in file.chunks.stored(color, part) if check else ():
                    progress(len(chunk))
                datasets[f"{SIDES[color]}/{part}"] = runs = list(_runs(file, color, part))
                if file.chunk_count > CHUNKS_OF_PART:
                    prefix = f"{material}.{SIDES[color]}.{part}"
                    parts |= _moved_out(runs, prefix)
    meanings = {}
    if DTZ in file.metrics:
        meanings["dtz_outcomes"] = _meanings(file)
    content = Content.at(file.path) if check else None
    index = {
        "format": INDEX_FORMAT,
        "version": VERSION,
        "file": f"{material}{SUFFIX}",
        "file_size": content.size if content else file.path.stat().st_size,
        "file_crc32": content and content.crc32,
        "format_version": file.version,
        "material": material.name,
        "men": material.piece_count,
        "symmetric": material.is_symmetric,
        "slots": file.size,
        "chunk_size": file.chunk_size,
        "metrics": [metric.name for metric in file.metrics],
        "helpmates": [metric.name for metric in file.helpmates],
        "sha256": sha256_by_metric(file),
        **meanings,
        "datasets": datasets,
    }
    return index, parts


def _runs(file: TableFile, color: Color, part: str) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a data set in runs, none longer than a part.

    A run has no gaps, unless chunks of another data set lie between most of them, as epochs do.
    """
    offsets, sizes = [], []
    for offset, size, _ in file.chunks.extents(color, part):
        if offset is None:
            raise damaged(file.path, f"a chunk of {part} is missing")
        offsets.append(offset)
        sizes.append(size)
    ends = [offset + size for offset, size in zip(offsets, sizes, strict=True)]
    gaps = [0, *(offset - end for offset, end in zip(offsets[1:], ends, strict=False))]
    starts = [number for number, gap in enumerate(gaps) if gap]
    has_gaps = 2 * len(starts) > len(gaps)
    cuts = [0, *(() if has_gaps else starts), len(gaps)]
    for first, after in pairwise(cuts):
        for begin in range(first, after, CHUNKS_OF_PART):
            end = min(begin + CHUNKS_OF_PART, after)
            run = {"chunk": begin, "offset": offsets[begin], "sizes": sizes[begin:end]}
            yield run | ({"gaps": [0, *gaps[begin + 1 : end]]} if has_gaps else {})


def _moved_out(runs: list[dict[str, Any]], prefix: str) -> dict[str, Any]:
    """Move the sizes and gaps of runs to files of their own, and return the files by name."""
    parts = {}
    for number, run in enumerate(runs):
        name = f"{prefix}.{number}.json"
        parts[name] = {key: run.pop(key) for key in ("sizes", "gaps") if key in run}
        run |= {"count": len(parts[name]["sizes"]), "part": name}
    return parts


def _meanings(file: TableFile) -> dict[str, list[int]]:
    """Return the outcomes of the codes of DTZ by side to move, without codes that have none."""
    found = {}
    for side, outcomes in zip(SIDES, file.outcomes(DTZ), strict=True):
        listed = outcomes.tolist()
        while listed and not listed[-1]:
            listed.pop()
        found[side] = listed
    return found


def sha256_by_metric(file: TableFile) -> dict[str, str]:
    """Return the SHA-256 of the values of each metric."""
    return {metric.name: file.sha256_of(metric) for metric in file.metrics}


def read_index(path: Path, rules: Rules) -> dict[str, Any] | None:
    """Return an index, None unless it is whole: of this version, with all its parts.

    The file is named after the material.
    """
    index = read_checked(path) or {}
    stated = [index.get(name) for name in ("format", "version", "material", "file")]
    if stated != [INDEX_FORMAT, VERSION, path.stem, f"{path.stem}{SUFFIX}"]:
        return None
    if not all(isinstance(index.get(name), kind) for name, kind in _FIELDS.items()):
        return None
    runs = index["datasets"].values()
    if not all(isinstance(one, list) and all(isinstance(run, dict) for run in one) for one in runs):
        return None
    try:
        Material.from_name(path.stem, rules)
    except InvalidMaterialError:
        return None
    return index if all(read_checked(path.with_name(part)) for part in parts_of(index)) else None


def parts_of(index: dict[str, Any]) -> list[str]:
    """Return the names of the files that have the parts of an index."""
    runs = [run for runs in index["datasets"].values() for run in runs]
    return [str(run["part"]) for run in runs if "part" in run]
