"""The moves that keep the result as columns of data, whose codes `Positions` explains."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.board.symmetry import D4
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.moves.legal_moves import MoveCounter
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Rules

_CODES = 1 << 16
_NONE = _CODES - 1  # no man moves from h8 to h8


def moves_kept(
    material: Material,
    counter: MoveCounter,
    slots: NDArray[np.int64],
    colors: NDArray[np.uint8],
    symmetries: NDArray[np.uint8],
) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Return the moves that keep the result, and those that are best as well, uint16 [n, most].

    Positions are legal ones at slots of a table, with a side to move, seen by a symmetry.
    """
    new = material.rules.promotions
    if len(new) > 15:
        raise InvalidRulesError(
            f"{material.rules.name} has more than 15 promotions: leave the column best out"
        )
    size = int(slots.max(initial=0)) + 1
    different, rows = np.unique(colors.astype(np.int64) * size + slots, return_inverse=True)
    by_side = [(different[different // size == color] % size, color) for color in Color]
    found = [counter.kept(some, color) for some, color in by_side if len(some)]
    if not found:
        return np.empty((0, 0), np.uint16), np.empty((0, 0), np.uint16)
    counts, origin, target, promotion, best = map(np.concatenate, zip(*found, strict=True))
    place = np.zeros(max((0, *new)) + 1, dtype=np.uint16)
    place[list(new)] = np.arange(1, len(new) + 1)
    codes = origin.astype(np.uint16) << 10 | target.astype(np.uint16) << 4 | place[promotion]
    best_counts = np.diff(np.searchsorted(np.flatnonzero(best), np.append(0, np.cumsum(counts))))
    images = symmetries[:, None]
    keeping, fastest = _in_rows(counts, codes)[rows], _in_rows(best_counts, codes[best])[rows]
    return np.sort(_images()[images, keeping]), np.sort(_images()[images, fastest])


def _in_rows(counts: NDArray[np.int64], codes: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Return the moves of each position in a row, [n, most]."""
    found = np.full((len(counts), int(counts.max(initial=0))), _NONE, dtype=np.uint16)
    found[np.arange(found.shape[1]) < counts[:, None]] = codes
    return found


@cache
def _images() -> NDArray[np.uint16]:
    """Return the image of each code under each symmetry, [8, codes]."""
    codes, places = np.arange(_CODES, dtype=np.uint16), D4.astype(np.uint16)
    moved: NDArray[np.uint16] = codes & np.uint16(15) | places[:, codes >> 4 & 63] << np.uint16(4)
    moved |= places[:, codes >> 10] << np.uint16(10)
    moved[:, _NONE] = _NONE
    return moved


def as_wide(columns: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return columns of moves filled up to the widest of them, other columns as they are."""
    widths = {one.shape[1:] for one in columns}
    if len(widths) == 1:
        return list(columns)
    more = [((0, 0), (0, max(widths)[0] - one.shape[1])) for one in columns]
    return [np.pad(*one, constant_values=_NONE) for one in zip(columns, more, strict=True)]


def move_texts(
    rules: Rules, codes: NDArray[np.uint16]
) -> tuple[NDArray[np.int32], NDArray[np.int16], list[str]]:
    """Return moves as texts of UCI.

    These are where those of each position begin, [n + 1], the number of each one's text, and texts.
    """
    there = codes != _NONE
    seen = np.bincount(codes[there], minlength=_CODES) > 0
    name_of = rules.board.name_of
    letters = ["", *(rules.letter_of(new).lower() for new in rules.promotions)]
    words = [
        f"{name_of(code >> 10)}{name_of(code >> 4 & 63)}{letters[code & 15]}"
        for code in np.flatnonzero(seen).tolist()
    ]
    starts = np.append(0, np.cumsum(there.sum(axis=1))).astype(np.int32)
    return starts, (np.cumsum(seen) - 1).astype(np.int16)[codes[there]], words


def lists_of(
    starts: NDArray[np.int32], places: NDArray[np.int16], words: Sequence[str]
) -> list[list[str]]:
    """Return moves as `move_texts` gives them as lists of Python."""
    texts = [words[place] for place in places.tolist()]
    return [texts[start:end] for start, end in pairwise(starts.tolist())]
