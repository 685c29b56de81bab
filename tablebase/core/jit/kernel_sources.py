"""The sources that a kernel is compiled from: of its module, and of all modules that it imports."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[3]
_COMPILERS = frozenset(Path(__file__).resolve().parent.glob("*.py"))
# Imports inside functions and those for types count as well: a needless one costs little.
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(tablebase[\w.]*)", re.MULTILINE)


@cache
def source_digest(function: Callable[..., Any]) -> str:
    """Return a digest of the sources that a function depends on, and of the kernels' compiler."""
    return hashlib.sha256(b"".join(compiled_sources(function).values())).hexdigest()


def compiled_sources(function: Callable[..., Any]) -> dict[str, bytes]:
    """Return the sources that a kernel is compiled from, by their paths in the package.

    What a kernel calls and the constants that it names become part of it.
    """
    paths = _COMPILERS.union(*map(_imported_from, _files_of(function)))
    return {_name(path): _read(path) for path in sorted(paths)}


def _files_of(function: Callable[..., Any]) -> Iterator[Path]:
    """Yield the files of a function and of the kernels that a factory has closed in it."""
    yield Path(function.__code__.co_filename).resolve()
    for cell in function.__closure__ or ():
        contents = cell.cell_contents
        for value in contents if isinstance(contents, tuple) else (contents,):
            if hasattr(value, "py_func"):
                yield from _files_of(value.py_func)


@cache
def _imported_from(path: Path) -> frozenset[Path]:
    """Return a file with the modules of the package that it imports, directly or not."""
    found: set[Path] = set()
    left = [path]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += _imports(path)
    return frozenset(found)


@cache
def _imports(path: Path) -> list[Path]:
    """Return the files of the package's modules that a file imports."""
    found: list[Path] = []
    for name in {match.decode() for match in _IMPORT.findall(_read(path))}:
        place = _ROOT.joinpath(*name.split("."))
        # Of a package, any of its modules may be meant.
        found += place.glob("*.py") if place.is_dir() else [place.with_suffix(".py")]
    return [path for path in found if path.is_file()]


@cache
def _read(path: Path) -> bytes:
    return path.read_bytes()


def _name(path: Path) -> str:
    return path.relative_to(_ROOT).as_posix() if path.is_relative_to(_ROOT) else str(path)
