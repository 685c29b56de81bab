"""Tables as files of any web host, with the small indexes by which a page reads them.

A folder of publication has the table files as they are, ``KRK.json`` for each, and ``tables.json``,
the list of all. The reader in JavaScript, `static/reader`, needs nothing else to value positions.
``KRK.summary.json`` and ``summaries.json`` have the figures that the server gives of tables: those
of its endpoints ``/table`` and ``/survey``, and of ``/tables``. The pages of `site` are beside
them, and `own_files` tells all these files from those of others.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Self

from tablebase.core.errors import TablebaseError
from tablebase.core.rules import Material, generation_key
from tablebase.core.storage import (
    SUFFIX,
    TableFile,
    complete_or_absent,
    open_table,
    remove_leftovers,
    sole_writer,
)
from tablebase.web.materials import summary_of
from tablebase.web.own_files import (
    OWN_LIST,
    Content,
    OwnFiles,
    checked_text,
    is_regular,
    read_checked,
)
from tablebase.web.site import FIRST_PAGE, MARK, TABLES_FOLDER, page_texts
from tablebase.web.table_index import VERSION, index_of, parts_of, read_index, sha256_by_metric

LIST, SUMMARIES = f"{TABLES_FOLDER}/tables.json", f"{TABLES_FOLDER}/summaries.json"
LIST_FORMAT = "chess-tablebase-publication"
# Versions of table files that the reader knows: those of chess.
READER_VERSIONS = (3, 4)
# Fields of a summary that the list of all leaves out, and the checksum of its file.
_DETAILS = {"crc32", "title", "symmetric", "histograms", "longest", "survey"}
# What follows the material in the names of the files of a table.
_PART = r"\.\w+_to_move\.\w+\.\d+\.json"
_FILE_OF_TABLE = re.compile(rf"K\w+(?:\{SUFFIX}|\.json|\.summary\.json|{_PART})")

# Called with the bytes that are done, and those of all tables.
Progress = Callable[[int, int], None]
# Called with a table file that cannot be published, and why.
Failed = Callable[[Path, Exception], None]


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


class _Names(NamedTuple):
    """The addresses of the files of a table, but of the parts of its index."""

    table_file: str
    index_file: str
    summary_file: str

    @classmethod
    def of(cls, material: str) -> Self:
        """Return the addresses of a material."""
        suffixes = (SUFFIX, ".json", ".summary.json")
        return cls(*(f"{TABLES_FOLDER}/{material}{suffix}" for suffix in suffixes))


class _Planned(NamedTuple):
    """A table to publish."""

    source: Path
    material: Material
    size: int
    addresses: list[str]  # to be written; none if it is published

    @property
    def names(self) -> _Names:
        return _Names.of(self.material.name)


def _raise(_: Path, error: Exception) -> NoReturn:
    raise error


def publish_tables(
    sources: Sequence[Path],
    folder: Path,
    *,
    base: str | None = None,
    force: bool = False,
    progress: Progress = lambda _, __: None,
    failed: Failed = _raise,
) -> tuple[list[Published], int]:
    """Write the explorer and tables to a folder that any web host can serve.

    Tables in the folder stay. If a file would be overwritten that this function did not write, or
    that was changed since, nothing is written at all.

    Parameters
    ----------
    sources
        The table files. They are linked, or copied where links are impossible.
    folder
        The folder, which is made if there is none.
    base
        Address of the table files, if they lie on another host: only indexes are written.
    force
        Whether to overwrite files of others, and to write tables again.
    progress
        Called with the bytes that are done, and those of all tables.
    failed
        Called with a source that cannot be published, and why; the others are. By default the
        error is raised.

    Returns
    -------
    list[Published], int
        The tables, and the number of all tables in the folder.

    Raises
    ------
    TablebaseError
        If a file of somebody else would be overwritten.
    OSError
        If a file cannot be written.
    """
    _make_folder(folder)
    elsewhere = base is not None
    with sole_writer(folder / OWN_LIST):
        own, pages = OwnFiles(folder, force=force), page_texts()
        if not own.is_known and _is_publication(folder):
            own.adopt(_contents_of_our_names(folder, pages))
        planned = _plan(sources, own, failed, elsewhere=elsewhere, force=force)
        addresses = [address for one in planned for address in one.addresses]
        own.check([*own.changed(pages), *addresses, LIST, SUMMARIES, OWN_LIST])
        remove_leftovers(folder / TABLES_FOLDER)
        own.write(pages)
        published = _publish(planned, own, progress, failed, elsewhere=elsewhere)
        indexes = _indexes(folder)
        count = _write_list(own, indexes, base)
        own.finish(_kept(own, pages, indexes))
    return published, count


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        message = f"{folder} is no folder: name another one"
        raise TablebaseError(message) from None


def _is_publication(folder: Path) -> bool:
    """Return whether a folder without a list of own files has pages and tables of ours."""
    page = folder / FIRST_PAGE
    is_listed = (read_checked(folder / LIST) or {}).get("format") == LIST_FORMAT
    return is_listed and is_regular(page) and MARK.encode() in page.read_bytes()


def _contents_of_our_names(folder: Path, pages: Collection[str]) -> dict[str, Content]:
    """Return the contents of the files of a publication without a list of own files."""
    found = {}
    there = (path.name for path in (folder / TABLES_FOLDER).iterdir())
    tables = (f"{TABLES_FOLDER}/{name}" for name in there if _FILE_OF_TABLE.fullmatch(name))
    for address in (*pages, *tables, LIST, SUMMARIES):
        path = folder / address
        if not is_regular(path):
            continue
        index = read_index(path.with_suffix(".json")) if path.suffix == SUFFIX else None
        # The index spares reading a large file.
        found[address] = _content_in(index) if index else Content.at(path)
    return found


def _content_in(index: dict[str, Any]) -> Content:
    """Return the content of a table file by its index."""
    return Content(index["file_size"], index["file_crc32"])


def _plan(
    sources: Sequence[Path], own: OwnFiles, failed: Failed, *, elsewhere: bool, force: bool
) -> list[_Planned]:
    """Return the tables to publish, without those that fail."""
    planned = []
    for source in sources:
        try:
            planned.append(_plan_one(source, own.folder, elsewhere=elsewhere, force=force))
        except (TablebaseError, OSError) as error:
            failed(source, error)
    return planned


def _plan_one(source: Path, folder: Path, *, elsewhere: bool, force: bool) -> _Planned:
    """Return a table with the files that have to be written.

    Raises
    ------
    TablebaseError
        If it is damaged, or a table of another game than chess.
    """
    with open_table(source) as file:
        if file.version not in READER_VERSIONS:
            message = (
                f"{source} is a table of {file.material.rules.name}, and pages read chess alone: "
                "leave it out"
            )
            raise TablebaseError(message)
        planned = _Planned(source, file.material, source.stat().st_size, [])
        if not force and _is_published(file, planned, folder, elsewhere=elsewhere):
            return planned
    table, *others = planned.names
    parts = (folder / TABLES_FOLDER).glob(f"{file.material}.*.json")
    others += [f"{TABLES_FOLDER}/{one.name}" for one in parts if _FILE_OF_TABLE.fullmatch(one.name)]
    if not elsewhere and not _are_equal(source, folder / table):
        others.append(table)
    return planned._replace(addresses=others)


def _is_published(file: TableFile, planned: _Planned, folder: Path, *, elsewhere: bool) -> bool:
    """Return whether a folder has a table with the same values, its index and its summary."""
    index = read_index(folder / planned.names.index_file)
    if index is None or _read_summary(folder, index) is None:
        return False
    target = folder / planned.names.table_file
    size = planned.size if elsewhere else target.stat().st_size if target.is_file() else None
    return index["file_size"] == size and bool(index["sha256"] == sha256_by_metric(file))


def _are_equal(source: Path, target: Path) -> bool:
    """Return whether a folder has a table file already, from anybody."""
    if not target.is_file():
        return False
    if source.samefile(target):
        return True
    is_as_long = source.stat().st_size == target.stat().st_size
    return is_as_long and Content.at(source) == Content.at(target)


def _publish(
    planned: Sequence[_Planned],
    own: OwnFiles,
    progress: Progress,
    failed: Failed,
    *,
    elsewhere: bool,
) -> list[Published]:
    """Publish tables. What fails for one table leaves the others, but a full disk ends the work."""
    published = []
    total, done, end = sum(one.size for one in planned), 0, 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress(min(done, total), total)

    for one in planned:
        try:
            index_size = _publish_one(one, own, advance, elsewhere=elsewhere)
        except TablebaseError as error:
            failed(one.source, error)
        else:
            published.append(Published(one.material, one.size, index_size, bool(one.addresses)))
        end += one.size
        advance(end - done)
    return published


def _publish_one(
    planned: _Planned, own: OwnFiles, progress: Callable[[int], None], *, elsewhere: bool
) -> int:
    """Write the files of a table that has to be written; return the bytes of its index.

    Raises
    ------
    TablebaseError
        If the source is damaged or was replaced meanwhile.
    OSError
        If a file cannot be written.
    """
    names = planned.names
    if not planned.addresses:
        return (own.folder / names.index_file).stat().st_size
    with open_table(planned.source) as file:
        if file.material != planned.material:
            raise _replaced(planned.source)
        index, parts = index_of(file, progress=progress)
    # Before anything is written, because a pass over the table may find it damaged.
    table = summary_of(planned.source)
    summary = table.figures | {"survey": table.survey}
    content = _content_in(index)
    if not elsewhere and not own.has(names.table_file, content):
        with own.writing({names.table_file: content}):
            _put(planned.source, own.folder / names.table_file, content)
    texts = {f"{TABLES_FOLDER}/{name}": checked_text(part) for name, part in parts.items()}
    texts[names.index_file] = checked_text(index)
    own.write({names.summary_file: checked_text(summary)} | texts)
    return sum(map(len, texts.values()))


def _read_summary(folder: Path, index: dict[str, Any]) -> dict[str, Any] | None:
    """Return the summary of a table, None unless it is whole."""
    material = index["material"]
    summary = read_checked(folder / _Names.of(material).summary_file) or {}
    return summary if "survey" in summary and summary.get("material") == material else None


def _indexes(folder: Path) -> list[dict[str, Any]]:
    """Return all whole indexes in a folder of publication."""
    paths = sorted((folder / TABLES_FOLDER).glob("K*.json"))
    return [index for index in map(read_index, paths) if index]


def _write_list(own: OwnFiles, indexes: Iterable[dict[str, Any]], base: str | None) -> int:
    """Write the lists of tables and of their summaries, and return the number of tables."""
    listed, summaries = {}, []
    for index in indexes:
        material = index["material"]
        summary = _read_summary(own.folder, index)
        if summary and (base or (own.folder / _Names.of(material).table_file).is_file()):
            # By the checksum, pages tell that a table was replaced by one of the same size.
            listed[material] = {
                "bytes": index["file_size"],
                "crc32": index["file_crc32"],
                "metrics": index["metrics"],
            }
            summaries.append({name: summary[name] for name in summary if name not in _DETAILS})
    content: dict[str, Any] = {"format": LIST_FORMAT, "version": VERSION, "tables": listed}
    if base:
        content["base"] = base if base.endswith("/") else f"{base}/"
    summaries.sort(key=lambda one: generation_key(Material.from_name(one["material"])))
    own.write({SUMMARIES: checked_text({"tables": summaries}), LIST: checked_text(content)})
    return len(listed)


def _kept(own: OwnFiles, pages: Iterable[str], indexes: Iterable[dict[str, Any]]) -> set[str]:
    """Return the addresses of all files of a publication; tables always stay."""
    kept = {*pages, LIST, SUMMARIES}
    kept |= {address for address in own.addresses if address.endswith(SUFFIX)}
    for index in indexes:
        kept |= {*_Names.of(index["material"])}
        kept |= {f"{TABLES_FOLDER}/{part}" for part in parts_of(index)}
    return kept


def _put(source: Path, target: Path, content: Content) -> None:
    """Link or copy a table file, which is complete under its name or absent.

    Builders replace files and never change them, so a link keeps what was published.

    Raises
    ------
    TablebaseError
        If the source was replaced since its content was read.
    """
    try:
        _link(source, target, content)
    except OSError:  # another file system, or one without links
        with complete_or_absent(target) as copy:
            shutil.copyfile(source, copy)
            if Content.at(copy) != content:
                raise _replaced(source) from None


def _link(source: Path, target: Path, content: Content) -> None:
    """Make a hard link, which replaces another file of its name."""
    host, random = socket.gethostname(), secrets.token_hex(8)
    partial = target.with_name(f".{target.name}.{host}.{random}.partial")
    try:
        os.link(source.resolve(), partial)  # not a link to a symbolic link
        if Content.at(partial) != content:
            raise _replaced(source)
        partial.replace(target)
    finally:
        # Renaming a link to another link of the same file does nothing.
        partial.unlink(missing_ok=True)


def _replaced(source: Path) -> TablebaseError:
    return TablebaseError(
        f"{source} was replaced while it was published: run the same command again"
    )
