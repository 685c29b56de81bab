"""Arguments of functions: words, flags, numbers, paths, each read in one way everywhere."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from tablebase.core.ground.words import quoted

Range = int | tuple[int | None, int | None]


def as_words(name: str, given: Any, known: Sequence[str]) -> tuple[str, ...]:
    """Return one of the known words, or several in a sequence, as a tuple; else `ValueError`."""
    words = (given,) if isinstance(given, str) or not isinstance(given, Sequence) else tuple(given)
    for word in words:
        check_choice(name, word, known)
    return words


def check_choice(name: str, given: object, known: Sequence[str]) -> None:
    """Raise a ValueError if what is given for an argument is none of the known words."""
    if not isinstance(given, str) or given not in known:
        message = f"{name} is one of {', '.join(known)}, not {quoted(given)}"
        raise ValueError(message)


def as_flag(name: str, given: Any) -> bool:
    """Return True or False, which may also be of NumPy, or 1 and 0; else `ValueError`."""
    if (isinstance(given, int) or _is_of_numpy(given, "biu")) and given in (0, 1):
        return bool(given)
    message = f"{name} is True or False, not {quoted(given)}"
    raise ValueError(message)


def _is_of_numpy(given: Any, kinds: str) -> bool:
    """Return whether this is a scalar of NumPy of some kinds, without a need to import it."""
    kind = getattr(getattr(given, "dtype", None), "kind", None)
    return kind is not None and kind in kinds and not given.shape


def as_range(name: str, given: Any) -> Range:
    """Return a number, or its bounds as a pair with None for no bound; else `ValueError`.

    >>> as_range("plies", [41, None]), as_range("plies", range(3, 6)), as_range("plies", 31)
    ((41, None), (3, 5), 31)
    """
    bounds = given
    if isinstance(given, range) and given.step == 1 and len(given):
        bounds = given[0], given[-1]
    try:
        if not isinstance(bounds, list | tuple):
            return as_number(name, bounds)
        least, most = (None if one is None else as_number(name, one) for one in bounds)
    except ValueError:
        message = (
            f"{name} is a whole number or a pair of bounds, like 31, (20, 40) or (20, None), "
            f"not {quoted(given)}"
        )
        raise ValueError(message) from None
    if least is not None and most is not None and least > most:
        message = f"{name}: the range from {least} to {most} is empty"
        raise ValueError(message)
    return least, most


def as_number(name: str, given: Any, *, least: int = 0, most: int | None = None) -> int:
    """Return a whole number from 0 or more on, which may also be of NumPy; else `ValueError`."""
    try:
        is_flag = isinstance(given, bool) or _is_of_numpy(given, "b")
        number = -1 if is_flag else operator.index(given)
    except TypeError:
        number = -1
    if number < least or (most is not None and number > most):
        bounds = f"{least} or more" if most is None else f"{least} to {most}"
        message = f"{name} is a whole number, {bounds}, not {quoted(given)}"
        raise ValueError(message)
    return number


def as_path(name: str, given: Any) -> Path:
    """Return a path, which may be a text; else `TypeError`."""
    try:
        return Path(given)
    except TypeError:
        message = f"{name} is a path, not {quoted(given)}"
        raise TypeError(message) from None


def as_paths(name: str, given: Any) -> list[Path]:
    """Return paths, of which one alone is none; else `TypeError`."""
    if isinstance(given, str | bytes | PathLike) or not isinstance(given, Iterable):
        message = f"{name} is a list of paths, not {quoted(given)}"
        raise TypeError(message)
    return [as_path(name, one) for one in given]


def require_function(name: str, given: object) -> None:
    """Raise a TypeError if what is given for an argument can neither be called nor is None."""
    if given is not None and not callable(given):
        message = f"{name} is a function, not {quoted(given)}"
        raise TypeError(message)


def require_tables(name: str, given: object, ability: str) -> None:
    """Raise a TypeError if what is given as tables lacks an attribute that they have."""
    if not hasattr(given, ability):
        message = f"{name} is an open Tablebase, not {quoted(given)}"
        raise TypeError(message)
