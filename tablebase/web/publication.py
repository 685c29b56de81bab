"""Tables as files of any web host, with the small indexes by which a page reads them.

A folder of publication has the table files as they are, ``KRK.json`` for each, and ``tables.json``,
the list of all. The reader in JavaScript, `static/reader`, needs nothing else to value positions.
``KRK.summary.json`` and ``summaries.json`` have the figures that the server gives of tables: those
of its endpoints ``/table`` and ``/survey``, and of ``/tables``.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from tablebase.board import SIDES, Color
from tablebase.errors import TablebaseError
from tablebase.outcomes import DTZ
from tablebase.rules import Material, generation_key
from tablebase.storage import SUFFIX, TableFile, complete_or_absent, open_table, write_text
from tablebase.web.materials import summarize_table, survey_of
from tablebase.web.overview import state_of
from tablebase.web.site import TABLES_FOLDER

LIST_NAME, SUMMARIES_NAME, SUMMARY_SUFFIX = "tables.json", "summaries.json", ".summary.json"
INDEX_FORMAT, LIST_FORMAT = "chess-tablebase-index", "chess-tablebase-publication"
# The reader refuses other versions.
VERSION = 1
# Versions of table files that the reader knows: those of chess.
READER_VERSIONS = (3, 4)
# The index of a longer data set, as of six men, is divided into files of this many chunks each.
CHUNKS_OF_PART = 1 << 14
_BLOCK = 1 << 20
# Fields of a summary that the list of all leaves out, and the checksum of its file.
_DETAILS = {"crc32", "title", "symmetric", "histograms", "longest", "survey"}

# Called with the bytes that have been done since the last call.
Progress = Callable[[int], None]


class Published(NamedTuple):
    """A table that has been published.

    Attributes
    ----------
    material : Material
        The men.
    size, index_size : int
        Bytes of the table file and of its index.
    is_new : bool
        Whether it was written now; False if it was there already.
    """

    material: Material
    size: int
    index_size: int
    is_new: bool


def publish_table(
    source: Path,
    folder: Path,
    *,
    elsewhere: bool = False,
    force: bool = False,
    progress: Progress = lambda _: None,
) -> Published:
    """Publish a table: its file, linked or copied, its index and its summary.

    Parameters
    ----------
    source
        The table file.
    folder
        The folder of publication; its folder of tables is made if there is none.
    elsewhere
        Whether the table files lie on another host: only the index is written.
    force
        Whether to write what is there already.
    progress
        Called with numbers of bytes as they are checked, its size in total at most.

    Raises
    ------
    CorruptTableError
        If the source is damaged.
    TablebaseError
        If it is a table of another game than chess, or changes meanwhile.
    OSError
        If a file cannot be written.
    """
    tables = folder / TABLES_FOLDER
    tables.mkdir(parents=True, exist_ok=True)
    with open_table(source) as file:
        if file.version not in READER_VERSIONS:
            message = (
                f"{source} is a table of {file.material.rules.name}, and pages read chess alone: "
                "leave it out"
            )
            raise TablebaseError(message)
        material, size = file.material, source.stat().st_size
        index_path = tables / f"{material}.json"
        target = None if elsewhere else tables / f"{material}{SUFFIX}"
        summary_path = tables / f"{material}{SUMMARY_SUFFIX}"
        is_there = "survey" in (read_checked(summary_path) or {})
        if is_there and not force and _is_published(file, size, index_path, target):
            progress(size)
            return Published(material, size, index_path.stat().st_size, is_new=False)
        index, parts = _index_of(file, progress)
    if target is not None:
        _put(source, target, index["file_crc32"])
    for name, part in parts.items():
        write_checked(tables / name, part)
    write_checked(summary_path, _summary_of(material, target or source))
    write_checked(index_path, index)
    index_size = sum(path.stat().st_size for path in (index_path, *(tables / one for one in parts)))
    return Published(material, size, index_size, is_new=True)


def write_list(folder: Path, base: str | None = None) -> int:
    """Write the list of all tables in a folder of publication, and return their number.

    Parameters
    ----------
    folder
        The folder of publication.
    base
        Address of the table files, if they lie on another host.
    """
    tables = folder / TABLES_FOLDER
    listed, summaries = {}, []
    for path in sorted(tables.glob("K*.json")):
        index = read_checked(path)
        if index is None or index.get("format") != INDEX_FORMAT:
            continue
        summary = read_checked(path.with_suffix(SUMMARY_SUFFIX))
        if summary and (base or (tables / index["file"]).exists()):
            # By the checksum, pages tell that a table was replaced by one of the same size.
            listed[index["material"]] = {
                "bytes": index["file_size"],
                "crc32": index["file_crc32"],
                "metrics": index["metrics"],
            }
            summaries.append({name: summary[name] for name in summary if name not in _DETAILS})
    content: dict[str, Any] = {"format": LIST_FORMAT, "version": VERSION, "tables": listed}
    if base:
        content["base"] = base if base.endswith("/") else f"{base}/"
    summaries.sort(key=lambda one: generation_key(Material.from_name(one["material"])))
    for name, record in ((SUMMARIES_NAME, {"tables": summaries}), (LIST_NAME, content)):
        there = read_checked(tables / name) or {}
        if {key: there[key] for key in there if key != "crc32"} != record:
            write_checked(tables / name, record)
    return len(listed)


def write_checked(path: Path, content: dict[str, Any]) -> None:
    """Write a record as JSON whose first line has the CRC-32 of all that follows it."""
    text = json.dumps(content, separators=(",", ":"))[1:]
    write_text(path, f'{{"crc32": {crc32(text.encode())},\n{text}')


def read_checked(path: Path) -> dict[str, Any] | None:
    """Return the record of a file of `write_checked`, None if it is absent or damaged."""
    try:
        data = path.read_bytes()
        content: dict[str, Any] = json.loads(data)
        _, _, checked = data.partition(b"\n")
        is_whole = content["crc32"] == crc32(checked)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return content if is_whole else None


def _summary_of(material: Material, path: Path) -> dict[str, Any]:
    """Return the figures of a table, with what a pass over it finds if it is small."""
    state = state_of(path)
    return summarize_table(material, path, state) | {"survey": survey_of(path, state)}


def _is_published(file: TableFile, size: int, index_path: Path, target: Path | None) -> bool:
    """Return whether a table with the same values is there, and its index fits it."""
    index = read_checked(index_path)
    if index is None or index.get("version") != VERSION:
        return False
    if target is None:
        is_there = index["file_size"] == size
    else:
        is_there = target.exists() and target.stat().st_size == index["file_size"]
    parts = (run.get("part") for runs in index["datasets"].values() for run in runs)
    is_there &= all(read_checked(index_path.with_name(part)) for part in parts if part)
    return is_there and bool(index["sha256"] == _digests(file))


def _digests(file: TableFile) -> dict[str, str]:
    return {metric.name: file.sha256_of(metric) for metric in file.metrics}


def _index_of(file: TableFile, progress: Progress) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the index of a table, and its parts by the names of their files."""
    material = file.material
    datasets: dict[str, list[dict[str, Any]]] = {}
    parts: dict[str, Any] = {}
    for metric in file.metrics:
        for color in Color:
            if not file.side_stored(color):
                continue
            for part in file.parts(metric):
                for chunk in file.chunks.stored(color, part):
                    progress(len(chunk))
                datasets[f"{SIDES[color]}/{part}"] = runs = list(_runs(file, color, part))
                if file.chunk_count > CHUNKS_OF_PART:
                    prefix = f"{material}.{SIDES[color]}.{part}"
                    parts |= _moved_out(runs, prefix)
    meanings = {}
    if DTZ in file.metrics:
        meanings["dtz_outcomes"] = _meanings(file)
    size, checksum = _checksum(file.path)
    index = {
        "format": INDEX_FORMAT,
        "version": VERSION,
        "file": f"{material}{SUFFIX}",
        "file_size": size,
        "file_crc32": checksum,
        "format_version": file.version,
        "material": material.name,
        "men": material.piece_count,
        "symmetric": material.is_symmetric,
        "slots": file.size,
        "chunk_size": file.chunk_size,
        "metrics": [metric.name for metric in file.metrics],
        "sha256": _digests(file),
        **meanings,
        "datasets": datasets,
    }
    return index, parts


def _meanings(file: TableFile) -> dict[str, list[int]]:
    """Return the outcomes of the codes of DTZ by side to move, without those that have none."""
    found = {}
    for side, outcomes in zip(SIDES, file.outcomes(DTZ), strict=True):
        listed = outcomes.tolist()
        while listed and not listed[-1]:
            listed.pop()
        found[side] = listed
    return found


def _runs(file: TableFile, color: Color, part: str) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a data set in runs, none longer than a part.

    A run has no gaps, unless chunks of another data set lie between most of them, as epochs do.
    """
    offsets, sizes = [], []
    for offset, size, _ in file.chunks.extents(color, part):
        assert offset is not None  # or reading the chunk would have failed
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
    """Move the sizes and gaps of runs to files of their own, and return these by name."""
    parts = {}
    for number, run in enumerate(runs):
        name = f"{prefix}.{number}.json"
        parts[name] = {key: run.pop(key) for key in ("sizes", "gaps") if key in run}
        run |= {"count": len(parts[name]["sizes"]), "part": name}
    return parts


def _checksum(path: Path) -> tuple[int, int]:
    """Return the size and the CRC-32 of a file."""
    size = checksum = 0
    with path.open("rb") as data:
        while block := data.read(_BLOCK):
            size, checksum = size + len(block), crc32(block, checksum)
    return size, checksum


def _put(source: Path, target: Path, checksum: int) -> None:
    """Link or copy a table file, which is complete under its name or absent.

    Builders replace files and never change them, so a link keeps what was published.

    Raises
    ------
    TablebaseError
        If the source was replaced since its checksum was computed.
    """
    try:
        _link(source, target)
    except OSError:  # another file system, or one without links
        with complete_or_absent(target) as copy:
            shutil.copyfile(source, copy)
    if _checksum(target)[1] != checksum:
        target.unlink()
        message = f"{source} was replaced while it was published: run the same command again"
        raise TablebaseError(message)


def _link(source: Path, target: Path) -> None:
    """Make a hard link, which replaces another file of its name."""
    host, random = socket.gethostname(), secrets.token_hex(8)
    partial = target.with_name(f".{target.name}.{host}.{random}.partial")
    try:
        os.link(source, partial)
        partial.replace(target)
    finally:
        # Renaming a link to another link of the same file does nothing.
        partial.unlink(missing_ok=True)
