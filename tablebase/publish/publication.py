"""Tables as files of any web host, with the small indexes by which a page reads them.

A folder has the table files, ``KRK.json`` for each, the list ``tables.json`` and
``numbering.json``, and folders of other games with the same. `table_records` describes tables,
`site` has the pages beside them, and `own_files` tells all these files from foreign ones.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple, NoReturn

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Rules
from tablebase.core.storage.atomic import complete_or_absent, remove_leftovers, sole_writer
from tablebase.core.storage.reading import TableFile, open_table
from tablebase.publish.listing import (
    FILE_OF_TABLE,
    LISTS,
    Names,
    address_of,
    games_in,
    indexes_of,
    records_of,
    write_lists,
)
from tablebase.publish.own_files import OWN_LIST, Content, OwnFiles, checked_text
from tablebase.publish.site import page_texts
from tablebase.publish.table_index import index_record, read_index, sha256_by_metric
from tablebase.publish.table_records import exercises_record, summary_record, survey_record

# Called with the bytes that are done, and those of all tables.
Progress = Callable[[int, int], None]
# Called with a table file that cannot be published, and why.
Failed = Callable[[Path, Exception], None]


class _Files(Enum):
    """Where the table files are."""

    HERE = auto()
    ELSEWHERE = auto()
    NOWHERE = auto()  # pages solve the tables


class Published(NamedTuple):
    """A table that has been published."""

    material: Material
    size: int  # bytes of the table file, 0 if pages solve the table
    index_size: int  # bytes of its index
    is_new: bool  # it was written now


class _Planned(NamedTuple):
    """A table to publish."""

    source: Path
    material: Material
    size: int
    addresses: list[str]  # to be written; none if it is published

    @property
    def names(self) -> Names:
        return Names.of(self.material)

    @property
    def directory(self) -> Path:
        """The folder of tables of all games that has the source."""
        parent = self.source.parent
        return parent.parent if parent.name == self.material.rules.folder else parent


def _raise(_: Path, error: Exception) -> NoReturn:
    raise error


def publish_tables(
    sources: Sequence[Path],
    folder: Path,
    *,
    base: str | None = None,
    solved: bool = False,
    force: bool = False,
    progress: Progress = lambda _, __: None,
    failed: Failed = _raise,
) -> tuple[list[Published], int]:
    """Write the explorer and tables to a folder that any web host can serve.

    Tables in the folder stay, and get what an earlier version did not write. If a file would be
    overwritten that this function did not write, or that was changed since, nothing is written.

    Parameters
    ----------
    sources
        The table files. They are linked, or copied where links are impossible.
    folder
        The folder, which is made if there is none.
    base
        Address of the table files on another host: only indexes are written.
    solved
        Whether pages solve the tables themselves: only what describes them is written.
    force
        Whether to overwrite foreign files, and to write tables again.
    progress
        Called with the bytes that are done, and those of all tables.
    failed
        Called with a source that cannot be published, and why; by default the error is raised.

    Returns
    -------
    list[Published], int
        The tables, and the number of all tables in the folder.

    Raises
    ------
    TablebaseError
        If a file of somebody else would be overwritten, or a module to solve tables is missing.
    OSError
        If a file cannot be written.
    """
    _make_folder(folder)
    files = _Files.NOWHERE if solved else _Files.HERE if base is None else _Files.ELSEWHERE
    with sole_writer(folder / OWN_LIST):
        own, pages = OwnFiles(folder, force=force), page_texts()
        planned = _plan(sources, own, failed, files, force=force)
        bases = {one.material.rules: base for one in planned}
        planned += _unfinished(own, planned)
        games = games_in(folder, *(one.material.rules for one in planned))
        own.check([*(changed := own.changed(pages)), *_coming(planned, games)])
        for rules in games:
            remove_leftovers(folder / address_of(rules))
        own.write(changed)
        published = _publish(planned, own, progress, failed, files)
        kept, count = write_lists(own, games, bases)
        own.finish({*pages, *kept})
    return published, count


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        message = f"{folder} is not a folder: name another one"
        raise TablebaseError(message) from None


def _plan(
    sources: Sequence[Path], own: OwnFiles, failed: Failed, files: _Files, *, force: bool
) -> list[_Planned]:
    """Return the tables to publish, without tables that fail."""
    planned = []
    for source in sources:
        try:
            planned.append(_plan_one(source, own.folder, files, force=force))
        except (TablebaseError, OSError) as error:
            failed(source, error)
    return planned


def _plan_one(
    source: Path, folder: Path, files: _Files = _Files.HERE, *, force: bool = False
) -> _Planned:
    """Return a table with the files that have to be written; `TablebaseError` if damaged."""
    with open_table(source) as file:
        planned = _Planned(source, file.material, source.stat().st_size, [])
        if not force and _is_published(file, planned, folder, files):
            return planned
    table, *others = planned.names
    place = folder / address_of(file.material.rules)
    names = [one.name for one in place.glob(f"{file.material}.*.json")]
    others += [
        address_of(file.material.rules, one) for one in names if FILE_OF_TABLE.fullmatch(one)
    ]
    if files is _Files.HERE and not _are_equal(source, folder / table):
        others.append(table)
    return planned._replace(addresses=others)


def _is_published(file: TableFile, planned: _Planned, folder: Path, files: _Files) -> bool:
    """Return whether a folder has a table with the same values, its index and its records."""
    index = read_index(folder / planned.names.index_file, planned.material.rules)
    if index is None or records_of(folder, planned.material) is None:
        return False
    target = folder / planned.names.table_file
    size: int | None = planned.size
    if files is _Files.NOWHERE:
        size = 0
    elif files is _Files.HERE:
        size = target.stat().st_size if target.is_file() else None
    return index["file_size"] == size and bool(index["sha256"] == sha256_by_metric(file))


def _are_equal(source: Path, target: Path) -> bool:
    """Return whether a folder has a table file already, from anybody."""
    if not target.is_file():
        return False
    if source.samefile(target):
        return True
    is_as_long = source.stat().st_size == target.stat().st_size
    return is_as_long and Content.at(source) == Content.at(target)


def _unfinished(own: OwnFiles, planned: Sequence[_Planned]) -> list[_Planned]:
    """Return the other tables of a folder that lack what earlier versions did not write."""
    others = {one.material for one in planned}
    indexed = (
        Material.from_name(index["material"], rules)
        for rules in games_in(own.folder)
        for index in indexes_of(own.folder, rules)
    )
    paths = [own.folder / Names.of(one).table_file for one in indexed if one not in others]
    plans = [_plan_one(path, own.folder) for path in paths if path.is_file()]
    return [one for one in plans if one.addresses]


def _coming(planned: Sequence[_Planned], games: Sequence[Rules]) -> list[str]:
    """Return the addresses of the files of tables and lists that will be written."""
    tables = [address for one in planned for address in one.addresses]
    return [*tables, *(address_of(rules, name) for rules in games for name in LISTS), OWN_LIST]


def _publish(
    planned: Sequence[_Planned],
    own: OwnFiles,
    progress: Progress,
    failed: Failed,
    files: _Files,
) -> list[Published]:
    """Publish tables. A failure of one table leaves the others, but a full disk ends the work."""
    published = []
    total, done, end = sum(one.size for one in planned), 0, 0
    directories = list(dict.fromkeys(one.directory for one in planned))

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress(min(done, total), total)

    with ExitStack() as opened:
        tables = {
            rules: opened.enter_context(Tablebase(directories, rules=rules))
            for rules in {one.material.rules for one in planned}
        }
        for one in planned:
            try:
                used = tables[one.material.rules]
                index_size = _publish_one(one, own, used, advance, files)
            except TablebaseError as error:
                failed(one.source, error)
            else:
                size = 0 if files is _Files.NOWHERE else one.size
                published.append(Published(one.material, size, index_size, bool(one.addresses)))
            end += one.size
            advance(end - done)
    return published


def _publish_one(
    planned: _Planned,
    own: OwnFiles,
    tables: Tablebase,
    progress: Callable[[int], None],
    files: _Files,
) -> int:
    """Write the files of a table that has to be written; return the bytes of its index.

    Raises `TablebaseError` if the source is damaged or was replaced meanwhile.
    """
    names = planned.names
    if not planned.addresses:
        return (own.folder / names.index_file).stat().st_size
    with open_table(planned.source) as file:
        if file.material != planned.material:
            raise _replaced(planned.source)
        index, parts = index_record(file, progress=progress)
    # Before anything is written, because a pass over the table may find it damaged.
    directories = [planned.directory, *tables.directories]
    records = {
        names.survey_file: survey_record(planned.source, directories),
        names.summary_file: dict(summary_record(planned.source)),
        names.exercises_file: exercises_record(tables, planned.material),
    }
    if files is _Files.NOWHERE:
        parts = {}
        index |= {"file_size": 0, "file_crc32": 0, "datasets": {}}
        records[names.summary_file]["bytes"] = 0
    content = Content(index["file_size"], index["file_crc32"])
    if files is _Files.HERE and not own.has(names.table_file, content):
        with own.writing({names.table_file: content}):
            _put(planned.source, own.folder / names.table_file, content)
    rules = planned.material.rules
    texts = {address_of(rules, name): checked_text(part) for name, part in parts.items()}
    texts[names.index_file] = checked_text(index)
    own.write({name: checked_text(record) for name, record in records.items()} | texts)
    return sum(map(len, texts.values()))


def _replaced(source: Path) -> TablebaseError:
    return TablebaseError(
        f"{source} was replaced while it was published: run the same command again"
    )


def _put(source: Path, target: Path, content: Content) -> None:
    """Link or copy a table file, which is complete under its name or absent.

    Builders replace files and never change them, so a link keeps what was published. Raises
    `TablebaseError` if the source was replaced since its content was read.
    """
    try:
        _link(source, target, content)
    except OSError:  # another file system, or one without links
        with complete_or_absent(target) as copy:
            shutil.copyfile(source, copy)
            if Content.at(copy) != content:
                raise _replaced(source) from None


def _link(source: Path, target: Path, content: Content) -> None:
    """Make a hard link, which replaces any file of its name."""
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
