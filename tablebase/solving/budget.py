"""Budgets: how long solving may take, and how much memory."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from tablebase.errors import TablebaseError

DEFAULT_SECONDS = 600.0
# What the program takes besides the region: Python, libraries, and the compiler of the kernels,
# which took 620 MB.
PROGRAM = 650_000_000
MEMORY_IS_USED = "the memory is used up"
LEAST_MEMORY = 1_000_000_000
_SECONDS = {"s": 1, "m": 60, "h": 3600, "min": 60}
_BYTES = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_TIME = re.compile(r"(\d+(?:\.\d+)?)(s|m|min|h)")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([KMGT])i?B?")


class BudgetError(TablebaseError, ValueError):
    """A budget is not one."""


class OutOfBudget(Exception):  # noqa: N818 (it is no error)
    """The result is not proven; the message names what was used up."""


class Budget(NamedTuple):
    """The time that solving may take, and the memory that the program may use."""

    seconds: float
    memory: int  # bytes

    @property
    def region_memory(self) -> int:
        """Memory left for a region, in bytes."""
        return self.memory - PROGRAM


def default_memory() -> int:
    """Return half of the machine's memory, in bytes, at least what is needed."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # as on Windows
        size = 4 * 10**9
    return max(size // 2, LEAST_MEMORY)


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
    seconds, memory = DEFAULT_SECONDS, default_memory()
    for word in re.split(r"[,\s]+", text.strip()) if text else ():
        if found := _TIME.fullmatch(word):
            seconds = float(found[1]) * _SECONDS[found[2]]
        elif found := _SIZE.fullmatch(word):
            memory = int(float(found[1]) * _BYTES[found[2]])
        else:
            raise BudgetError(
                f"{word!r} is not a budget: write a time like 10m, a size like 8GB, or 10m,8GB"
            )
    if seconds <= 0:
        raise BudgetError(f"{text!r} leaves no time: write it like 10m")
    if memory < LEAST_MEMORY:
        raise BudgetError(f"{text!r} is too little memory: at least 1GB is needed")
    return Budget(seconds, memory)
