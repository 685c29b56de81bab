"""The machine's memory, and whether a whole table has room in it."""

from __future__ import annotations

from pathlib import Path

from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.words import bytes_in_words
from tablebase.core.rules.material import Material

# What takes less is read without asking.
ALWAYS_THERE = 1_000_000_000


def require_memory(material: Material, size: int) -> None:
    """Refuse to read a whole table whose codes, `size` bytes, do not fit in memory.

    It raises `TablebaseError`.
    """
    free = available_memory() if size > ALWAYS_THERE else None
    if free is not None and size > free:
        raise TablebaseError(
            f"the whole table of {material} takes {bytes_in_words(size)} of memory, but only "
            f"{bytes_in_words(free)} is available: close other programs, or probe positions"
        )


def available_memory() -> int | None:
    """Return the bytes of memory that the machine and its limits leave, None if unknown."""
    free = []
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free += [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")]
    except (OSError, ValueError, IndexError):
        pass
    group = Path("/sys/fs/cgroup")
    try:
        limit = int((group / "memory.max").read_text(encoding="ascii"))
        free.append(limit - int((group / "memory.current").read_text(encoding="ascii")))
    except (OSError, ValueError):  # no such limit
        pass
    return max(min(free), 0) if free else None
