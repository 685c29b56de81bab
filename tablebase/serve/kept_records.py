"""Records that take seconds to make, kept in the cache folder for all servers of these sources."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.jit.cache import FOLDER
from tablebase.core.jit.kernel_sources import source_digest
from tablebase.core.rules.material import Material, generation_order
from tablebase.core.storage.atomic import write_text
from tablebase.publish.materials import summary_of
from tablebase.publish.own_files import checked_text, read_checked

RECORDS = FOLDER / "records"
_MONTH = 30 * 24 * 3600  # seconds; what was made earlier goes when something is kept
_unwritten: dict[str, str] = {}  # where no such folder can be written


def key_of(name: str, tables: Tablebase, make: Callable[..., Any]) -> str:
    """Return a digest of a file's name, like ``KRK.exercises.json``, and of what it is made of.

    Sub-tables count, since fewer exercises are found without one, and so do the sources of `make`.
    """
    material = Material.from_name(name.partition(".")[0], tables.rules)
    paths = tables.available_tables
    there = [paths[one.name] for one in generation_order([material]) if one.name in paths]
    facts = [source_digest(make), name, tables.rules.digest, *map(_facts_of, there)]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()


def kept_text(key: str) -> str | None:
    """Return the text of a file by its key, None if none is kept."""
    path = RECORDS / key
    return path.read_text(encoding="utf-8") if read_checked(path) else _unwritten.get(key)


def make_kept(key: str, make: Callable[[], dict[str, Any]]) -> str:
    """Return the text of a record that is made now, and keep it, in memory if not in the folder."""
    text = checked_text(make())
    try:
        RECORDS.mkdir(mode=0o700, exist_ok=True)
        for old in RECORDS.iterdir():
            if old.stat().st_mtime < time.time() - _MONTH:
                old.unlink()
        write_text(RECORDS / key, text)
    except OSError:
        _unwritten[key] = text
    return text


def _facts_of(path: Path) -> str:
    """Return the digests of a table, and the time of writing, since a damaged one has them, too."""
    facts = [path.stem, str(path.stat().st_mtime_ns)]
    with suppress(CorruptTableError):
        contents = summary_of(path).contents
        facts += [f"{one} {contents[one]}" for one in contents if one.endswith("sha256")]
    return " ".join(facts)
