"""The files of a folder of publication that are its own, by a list in the folder.

``published.json`` has the size and the CRC-32 of each file that `publication` has written or is
about to write, so that after an interruption the old and the new file of a name are known. Every
other file is somebody else's. Files are written one by one and not in a new folder that takes the
place of this one, because the folder may be a mount or lie where nobody may write, because some of
its folders may be links, and because others may work in it at the same time.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self
from zlib import crc32

from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.words import counted
from tablebase.core.storage.atomic import complete_or_absent, write_text

OWN_LIST = "published.json"
_FORMAT, _VERSION = "chess-tablebase-files", 1
_BLOCK = 1 << 20
# Files that a refusal names; it counts the others.
_MOST_NAMED = 3


class Content(NamedTuple):
    """The number of bytes of a file, and their CRC-32."""

    size: int
    crc32: int

    @classmethod
    def of(cls, content: str | bytes) -> Self:
        """Return the content of a file of text or bytes."""
        data = _as_bytes(content)
        return cls(len(data), crc32(data))

    @classmethod
    def at(cls, path: Path) -> Self:
        """Return the content of a file."""
        size = checksum = 0
        with path.open("rb") as data:
            while block := data.read(_BLOCK):
                size, checksum = size + len(block), crc32(block, checksum)
        return cls(size, checksum)


class OwnFiles:
    """The own files of an existing folder, by their addresses in it, like ``web/board.js``.

    With `force`, foreign files are overwritten.
    """

    def __init__(self, folder: Path, *, force: bool = False) -> None:
        self.folder = folder
        self._force = force
        record = read_checked(folder / OWN_LIST) or {}
        self._is_listed = (record.get("format"), record.get("version")) == (_FORMAT, _VERSION)
        # By address what its file may have; if it was to be replaced, also the new content.
        self._contents: dict[str, list[Content]] = {}
        for part in ("files", "coming") if self._is_listed else ():
            for address, content in _entries(record.get(part)).items():
                self._contents.setdefault(address, []).append(content)

    def check(self, addresses: Iterable[str]) -> None:
        """Raise a `TablebaseError` if a file that will be written replaces a foreign file.

        It names the files. A folder where a file has to be raises it even with `force`.
        """
        foreign, changed = [], []
        listed: dict[Path, list[str]] = {}
        for address in addresses:
            path = self._require_place(address)
            if self._force or (address == OWN_LIST and self._is_listed):
                continue
            if other := self._other_case(address, listed):
                foreign.append(other)
            elif os.path.lexists(path):
                if not is_regular(path) or address not in self.addresses:
                    foreign.append(path)
                elif not self._is_own(address):
                    changed.append(path)
        for paths, what in (
            (foreign, "not written by publish"),
            (changed, "changed after publication"),
        ):
            if paths:
                raise TablebaseError(_refusal(paths, what))

    def write(self, texts: Mapping[str, str | bytes]) -> None:
        """Write texts or bytes by their addresses, in order, if they differ; errors as `check`."""
        changed = self.changed(texts)
        with self.writing({address: Content.of(text) for address, text in changed.items()}):
            for address, text in changed.items():
                with complete_or_absent(self.folder / address) as partial:
                    partial.write_bytes(_as_bytes(text))

    def changed(self, texts: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
        """Return the texts that differ from the files at their addresses.

        With `force`, equal files become own.
        """
        contents = {address: Content.of(text) for address, text in texts.items()}
        equal = {address: [one] for address, one in contents.items() if self.has(address, one)}
        if self._force:
            self._contents |= equal
        return {address: text for address, text in texts.items() if address not in equal}

    def has(self, address: str, content: Content) -> bool:
        """Return whether an address has this content, from anybody."""
        path = self.folder / address
        return (
            path.is_file() and path.stat().st_size == content.size and Content.at(path) == content
        )

    @contextmanager
    def writing(self, coming: Mapping[str, Content]) -> Iterator[None]:
        """Put files into the list, which are then written; their folders are made."""
        self.check(coming)
        for address, content in coming.items():
            self._contents[address] = [*self._contents.get(address, [])[:1], content]
        self._save()
        for address in coming:
            (self.folder / address).parent.mkdir(parents=True, exist_ok=True)
        yield
        for address, content in coming.items():
            self._contents[address] = [content]

    def finish(self, kept: Collection[str]) -> None:
        """Remove own files that are not kept and have not changed, and end the list."""
        # Where case does not matter, a file of another spelling may be one that is kept.
        spellings = {address.casefold() for address in kept}
        for address, contents in list(self._contents.items()):
            path = self.folder / address
            if address in kept and os.path.lexists(path):
                if len(contents) > 1:  # of an earlier run, or of a table that failed
                    self._is_own(address)
                    del self._contents[address][1:]
                continue
            if (
                address.casefold() not in spellings
                and self._is_own(address)
                and path.resolve().is_relative_to(self.folder.resolve())
            ):
                path.unlink()
            del self._contents[address]
        self._save()

    @property
    def addresses(self) -> Collection[str]:
        """The addresses of all own files, future ones included."""
        return self._contents.keys()

    def _is_own(self, address: str) -> bool:
        """Return whether a listed address has what the list says, and note which if it says two."""
        path, known = self.folder / address, self._contents[address]
        if not is_regular(path) or path.stat().st_size not in [one.size for one in known]:
            return False
        content = Content.at(path)
        if content in known:
            self._contents[address] = [content]
        return content in known

    def _require_place(self, address: str) -> Path:
        """Return the path of an address, or raise `TablebaseError` if no file can be there."""
        path = self.folder
        *folders, name = address.split("/")
        for one in folders:
            path /= one
            if os.path.lexists(path) and not path.is_dir():
                message = (
                    f"{path} is not a folder, but publish needs one there: name another folder"
                )
                raise TablebaseError(message)
        path /= name
        if path.is_dir() and not path.is_symlink():
            message = f"{path} is a folder, but publish needs a file there: name another folder"
            raise TablebaseError(message)
        return path

    def _other_case(self, address: str, listed: dict[Path, list[str]]) -> Path | None:
        """Return a path that some systems do not distinguish from the address, if there is one."""
        folder = self.folder
        for name in address.split("/"):
            if folder not in listed:
                listed[folder] = [one.name for one in folder.iterdir()]
            if name not in listed[folder]:
                like = (one for one in listed[folder] if one.casefold() == name.casefold())
                return next((folder / one for one in like), None)
            folder /= name
        return None

    def _save(self) -> None:
        """Write the list if it has changed."""
        record: dict[str, Any] = {"format": _FORMAT, "version": _VERSION}
        contents = sorted(self._contents.items())
        record["files"] = {address: old._asdict() for address, (old, *_) in contents}
        coming = {address: new[0]._asdict() for address, (_, *new) in contents if new}
        if coming:
            record["coming"] = coming
        text = checked_text(record)
        if not self.has(OWN_LIST, Content.of(text)):
            write_text(self.folder / OWN_LIST, text)


def _as_bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def _entries(value: object) -> dict[str, Content]:
    """Return the files of a list by their addresses; what has no content is left out."""
    if not isinstance(value, dict):
        return {}
    return {
        address: Content(**one)
        for address, one in value.items()
        if isinstance(one, dict) and one.keys() == set(Content._fields)
    }


def _refusal(paths: Sequence[Path], what: str) -> str:
    """Return the reason why files are not overwritten, and the remedy."""
    names, more = ", ".join(map(str, paths[:_MOST_NAMED])), len(paths) - _MOST_NAMED
    if more > 0:
        names += f" and {counted(more, 'other file')}"
    was, it = ("was", "it") if len(paths) == 1 else ("were", "them")
    return f"{names} {was} {what}: name another folder, or overwrite {it} with --force"


def checked_text(content: dict[str, Any]) -> str:
    """Return a record as JSON whose first line has the CRC-32 of all that follows it."""
    text = json.dumps(content, separators=(",", ":"))[1:]
    return f'{{"crc32": {crc32(text.encode())},\n{text}'


def read_checked(path: Path) -> dict[str, Any] | None:
    """Return the record of a file of `checked_text`, None if it is absent or damaged."""
    try:
        if not path.is_file():  # a pipe would make the reader wait
            return None
        data = path.read_bytes()
        content: dict[str, Any] = json.loads(data)
        _, _, checked = data.partition(b"\n")
        is_whole = content["crc32"] == crc32(checked)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return content if is_whole else None


def is_regular(path: Path) -> bool:
    """Return whether a path is a file, and no link or pipe."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):  # also a name that no file can have
        return False
