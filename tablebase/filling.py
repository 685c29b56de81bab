"""What to put where there is no position: that which compresses best.

Slots without a legal position may hold anything. Compression by LZ77 replaces a stretch of codes
by a reference to an equal one before it, so such slots are given the codes which let a reference
go on: those after the earlier place that agrees with most of what follows.
"""

# ruff: noqa: ANN001, ANN201, ANN202 (numba infers the types of kernels)

from __future__ import annotations

import numpy as np

from tablebase._jit import kernel
from tablebase.values import DRAW

# LZ77 as gzip has it refers to so many codes back, and to so many at a time.
WINDOW, LONGEST = 32_768, 258
# Earlier places are found by this many codes before them, and so many are tried.
CONTEXT, TRIES = 3, 64
_HASH_BITS = 15
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@kernel
def fill(codes, legal):
    """Fill slots of `codes` uint8 [n] without a position; `legal` bool [n] tells which have one.

    One loop goes from the first slot to the last. Where slots without a position begin, they
    repeat the code before them, or continue like an earlier place if that agrees with more.
    """
    size = len(codes)
    _repeat_first(codes, legal)
    newest = np.full(1 << _HASH_BITS, -1, np.int64)  # by hash of a context, the last place after it
    older = np.full(size, -1, np.int64)  # the place before with the same hash
    filled_to = np.int64(0)
    for place in range(size):
        context = _context(codes, place) if place >= CONTEXT else np.int64(-1)
        if not legal[place] and place >= filled_to and place > 0:
            end = np.int64(place)
            while end < size and not legal[end]:
                end += 1
            source = np.int64(-1)
            if context >= 0:
                source = _best_source(codes, legal, place, end, newest[context], older)
            for i in range(place, end):
                codes[i] = codes[place - 1] if source < 0 else codes[source + i - place]
            filled_to = end
        if context >= 0:
            older[place] = newest[context]
            newest[context] = place


@kernel
def _repeat_first(codes, legal):
    """Give slots before the first position its code."""
    first = np.int64(0)
    while first < len(codes) and not legal[first]:
        first += 1
    code = codes[first] if first < len(codes) else np.uint8(DRAW)
    codes[:first] = code


@kernel
def _context(codes, place):
    """Return a hash of the codes before a place."""
    word = np.uint64(0)
    for i in range(place - CONTEXT, place):
        word = (word << np.uint64(8)) | np.uint64(codes[i])
    return np.int64((word * _FACTOR) >> np.uint64(64 - _HASH_BITS))


@kernel
def _best_source(codes, legal, place, end, candidate, older):
    """Return an earlier place that agrees with the codes from `place` on for longest, or -1.

    Slots from `place` to `end` agree with anything. -1 means repeating the code before them.
    """
    best = end - place
    while best < LONGEST and place + best < len(codes):
        if legal[place + best] and codes[place + best] != codes[place - 1]:
            break
        best += 1
    source = np.int64(-1)
    for _ in range(TRIES):
        if candidate < 0 or place - candidate > WINDOW:
            break
        length = np.int64(0)
        while (
            length < LONGEST
            and place + length < len(codes)
            and candidate + length < place
            and (not legal[place + length] or codes[place + length] == codes[candidate + length])
        ):
            length += 1
        if length > best and length >= end - place:
            best, source = length, candidate
        candidate = older[candidate]
    return source
