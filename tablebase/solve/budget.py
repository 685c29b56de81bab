"""Budgets: how long solving may take, and how much memory."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.words import quoted

DEFAULT_SECONDS = 600.0
# What the program takes besides the region: Python, libraries, and the compiler of the kernels,
# which took 620 MB.
PROGRAM = 650_000_000
MEMORY_IS_USED = "the memory is used up"
LEAST_MEMORY = 1_000_000_000
# More is as good as no limit: thirty years, and memory that no machine has.
MOST_SECONDS, MOST_MEMORY = 1e9, 1e18
_SECONDS = {"s": 1, "m": 60, "h": 3600, "min": 60}
_BYTES = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_TIME = re.compile(r"(\d+(?:\.\d+)?)(s|m|min|h)")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([KMGT])i?B?")


class BudgetError(TablebaseError, ValueError):
    """A text is not a budget."""


class OutOfBudget(Exception):  # noqa: N818 (it is no error)
    """The result is not proven; the message names what was used up."""


class Budget(NamedTuple):
    """The time that solving may take, and the memory that the program may use."""

    seconds: float
    memory: int  # bytes

    @property
    def region_memory(self) -> int:
        """Memory left for a region, in bytes; there is never more than the machine has."""
        return min(self.memory, max(_machine_memory(), LEAST_MEMORY)) - PROGRAM


def read_budget(text: str | None) -> Budget:
    """Read a budget from a text like ``10m``, ``8GB`` or ``10m,8GB``.

    Raises
    ------
    BudgetError
        If it is no time or size, or too little memory.

    Examples
    --------
    >>> read_budget("90s,2GB")
    Budget(seconds=90.0, memory=2000000000)
    """
    if not isinstance(text, str | None):
        raise TypeError(f"a budget is a text like '90s,2GB', not {quoted(text)}")
    seconds, memory = DEFAULT_SECONDS, default_memory()
    for word in re.split(r"[,\s]+", text.strip()) if text else ():
        if found := _TIME.fullmatch(word):
            seconds = min(float(found[1]) * _SECONDS[found[2]], MOST_SECONDS)
        elif found := _SIZE.fullmatch(word):
            memory = int(min(float(found[1]) * _BYTES[found[2]], MOST_MEMORY))
        else:
            raise BudgetError(
                f"{quoted(word)} is not a budget: "
                "write a time like 10m, a size like 8GB, or 10m,8GB"
            )
    if seconds <= 0:
        raise BudgetError(f"{quoted(text)} leaves no time: write it like 10m")
    if memory < LEAST_MEMORY:
        raise BudgetError(f"{quoted(text)} is too little memory: at least 1GB is needed")
    return Budget(seconds, memory)


def default_memory() -> int:
    """Return half of the machine's memory, in bytes, at least what is needed."""
    return max(_machine_memory() // 2, LEAST_MEMORY)


def _machine_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # as on Windows
        return 4 * 10**9
