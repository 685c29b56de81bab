"""The cheapest way to write codes as literals and references, where some codes may be anything.

LZ77, which gzip is made of, writes a code as it is (a literal) or refers to codes before it: so
many of them, from so far back. The cheapest way to write all codes is found backwards, since that
of writing those from one place on does not depend on the ones before. Codes that nobody reads are
*free*: they agree with any other, so that references go on over them.

Trying all references would take hours. Those are tried whose distances have proved useful nearby,
64 places at a time: a word has a bit for each place that agrees with the one so far before it, and
each run of set bits is a reference.

Codes lie in whole blocks of 64 after a first block that is not used, `free` and `sources` are
words with a bit for each of them. A *parse* is int32 [2, places]: how many codes are written at a
place, and how far back they are found, 0 for a literal. It is read from `START` on, going on by
the lengths; what it holds for other places means nothing.
"""

# ruff: noqa: ANN001, ANN201, ANN202 (numba infers the types of kernels)

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase._instructions import lowest_bit, work_space, work_table
from tablebase._jit import hot_entry, hot_kernel
from tablebase._vectors import bytes_alike

START = BLOCK = 64
# What gzip allows.
WINDOW, SHORTEST, LONGEST = 32_768, 3, 258
# Distances are chosen for so many places together, at most so many.
SEGMENT, MOST_DISTANCES = 4096, 512
# A free literal takes the form of what is common.
FREE_LITERAL_BITS = np.float32(4.0)
# Symbols of literals and lengths, and of distances.
LENGTH_SYMBOLS, DISTANCE_SYMBOLS = 286, 30
_FIRST_LENGTH_SYMBOL = 257
# The search for references looks at so many places with the same codes, found by a hash of the next
# few, until it has a reference of some length.
_TRIES, _HASHED, _LONG_ENOUGH = 128, 4, 32
_HASH_BITS = 15
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
# So many references from one place are compared at most.
_MOST_CHOICES = 24
_CHOICE_COLUMNS = 2 * _MOST_CHOICES
_SAVINGS = SEGMENT + LONGEST
_ONE, _ALL = np.uint64(1), ~np.uint64(0)


def _symbols() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the symbols of lengths and distances, see RFC 1951, section 3.2.5.

    A symbol stands for a range of values, and further bits tell which of them it is.
    """
    lengths = np.zeros(LONGEST + 1, dtype=np.int64)
    distances = np.zeros(WINDOW + 1, dtype=np.int64)
    for symbols, least, number, of_a_size in ((lengths, SHORTEST, 28, 4), (distances, 1, 30, 2)):
        first = least
        for symbol in range(number):
            size = 1 << max(0, symbol // of_a_size - 1)
            symbols[first : first + size] = symbol
            first += size
    lengths[LONGEST] = 28
    return lengths, distances


_LENGTH_SYMBOL, _DISTANCE_SYMBOL = _symbols()


class Prices(NamedTuple):
    """What to write costs, in bits, float32."""

    literal: NDArray[np.float32]  # [256] by code
    length: NDArray[np.float32]  # [LONGEST + 1]
    distance: NDArray[np.float32]  # [WINDOW + 1]


class Survey(NamedTuple):
    """What a parse is made of."""

    lengths: NDArray[np.int64]  # [LENGTH_SYMBOLS] how often each symbol is written
    distances: NDArray[np.int64]  # [DISTANCE_SYMBOLS]
    useful: NDArray[np.int32]  # [segments, MOST_DISTANCES] distances, ascending
    number: NDArray[np.int64]  # [segments] of distances


def empty_survey(places: int) -> Survey:
    """Return a survey of nothing yet, for so many places."""
    segments = -(-places // SEGMENT)
    return Survey(
        np.zeros(LENGTH_SYMBOLS, np.int64),
        np.zeros(DISTANCE_SYMBOLS, np.int64),
        np.zeros((segments, MOST_DISTANCES), np.int32),
        np.zeros(segments, np.int64),
    )


def prices(survey: Survey) -> Prices:
    """Return what literals and references cost if symbols are as frequent as in a parse."""
    length, distance = _bits(survey.lengths), _bits(survey.distances)
    extra_length = np.maximum(0, _LENGTH_SYMBOL // 4 - 1)
    extra_length[LONGEST] = 0
    extra_distance = np.maximum(0, _DISTANCE_SYMBOL // 2 - 1)
    return Prices(
        length[:256],
        (length[_FIRST_LENGTH_SYMBOL + _LENGTH_SYMBOL] + extra_length).astype(np.float32),
        (distance[_DISTANCE_SYMBOL] + extra_distance).astype(np.float32),
    )


def _bits(counts: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the bits of symbols by their frequency, of those that do not occur as well."""
    frequencies = counts + 0.5
    bits: NDArray[np.float32] = -np.log2(frequencies / frequencies.sum()).astype(np.float32)
    return bits


def search(codes: NDArray[np.uint8], parse: NDArray[np.int32]) -> None:
    """Write to `parse` references found one after the other, at each place the longest seen."""
    newest = np.full(1 << _HASH_BITS, -1, np.int64)  # by hash, the last such place
    older = np.full(len(codes), -1, np.int64)  # the one before with the same hash
    _search(codes, newest, older, parse)


@hot_entry
def _search(codes, newest, older, parse):
    """Do the work of `search`."""
    end = len(codes)
    hashed = np.int64(START)
    place = np.int64(START)
    while place < end:
        while hashed < place and hashed <= end - _HASHED:
            mark = _hash(codes, hashed)
            older[hashed] = newest[mark]
            newest[mark] = hashed
            hashed += 1
        best, distance = np.int64(1), np.int64(0)
        other = newest[_hash(codes, place)] if place + _HASHED <= end else np.int64(-1)
        for _ in range(_TRIES):
            if other < 0 or place - other > WINDOW:
                break
            length = np.int64(0)
            while length < LONGEST and place + length < end:
                if codes[place + length] != codes[other + length]:
                    break
                length += 1
            if length > best and length >= SHORTEST:
                best, distance = length, place - other
                if length >= _LONG_ENOUGH:
                    break
            other = older[other]
        parse[0, place], parse[1, place] = best, distance
        place += best


@hot_kernel
def _hash(codes, place):
    word = np.uint64(0)
    for i in range(_HASHED):
        word = word << np.uint64(8) | np.uint64(codes[place + i])
    return np.int64((word * _FACTOR) >> np.uint64(64 - _HASH_BITS))


def examine(codes: NDArray[np.uint8], parse: NDArray[np.int32], survey: Survey) -> None:
    """Count the symbols of a parse, and choose for each segment the distances that save most.

    `survey` is to be one of nothing.
    """
    saved = np.zeros(WINDOW + 1, np.int64)  # codes that need not be written, by distance
    used = np.zeros(WINDOW // 64 + 1, np.uint64)  # a bit for each distance
    _examine(codes, parse, saved, used, survey)


@hot_entry
def _examine(codes, parse, saved, used, survey):
    """Do the work of `examine`."""
    lengths, distances = survey.lengths, survey.distances
    place = np.int64(START)
    for segment in range(len(survey.number)):
        end = min((segment + 1) * SEGMENT, len(codes))
        while place < end:
            length, distance = np.int64(parse[0, place]), np.int64(parse[1, place])
            if distance == 0:
                lengths[codes[place]] += 1
            else:
                lengths[_FIRST_LENGTH_SYMBOL + _LENGTH_SYMBOL[length]] += 1
                distances[_DISTANCE_SYMBOL[distance]] += 1
                saved[distance] += length - SHORTEST + 1
                used[distance >> 6] |= _ONE << np.uint64(distance & 63)
            place += length
        survey.number[segment] = _choose(saved, used, survey.useful[segment])


@hot_kernel
def _choose(saved, used, useful):
    """Write the distances that save most to `useful`, ascending; return their number.

    Empties `saved` and `used` for the next segment.
    """
    having = work_space(_SAVINGS, np.int64)  # how many distances save so much
    having[:] = 0
    for word in range(len(used)):
        bits = used[word]
        while bits != np.uint64(0):
            having[saved[word * 64 + lowest_bit(bits)]] += 1
            bits &= bits - _ONE
    least, more = np.int64(len(having)), np.int64(0)
    while least > 1 and more + having[least - 1] <= len(useful):
        least -= 1
        more += having[least]
    number = np.int64(0)
    for word in range(len(used)):
        bits = used[word]
        while bits != np.uint64(0):
            distance = word * 64 + lowest_bit(bits)
            if saved[distance] >= least:
                useful[number] = distance
                number += 1
            saved[distance] = 0
            bits &= bits - _ONE
        used[word] = 0
    return number


def cheapest(
    codes: NDArray[np.uint8],
    free: NDArray[np.uint64],
    sources: NDArray[np.uint64],
    survey: Survey,
    prices: Prices,
    parse: NDArray[np.int32],
) -> float:
    """Write to `parse` the cheapest one with the useful distances of each segment.

    Codes that are not free are referred to codes in `sources` alone. `survey` and `prices` are
    those of an earlier parse. Returns the bits.
    """
    costs = np.zeros(len(codes) + 1, np.float32)  # of writing all codes from a place on
    _cheapest(codes, free, sources, survey, prices, costs, parse)
    return float(costs[START])


@hot_entry
def _cheapest(codes, free, sources, survey, prices, costs, parse):
    """Do the work of `cheapest`."""
    blocks = len(codes) // BLOCK
    ends = work_space(MOST_DISTANCES, np.int64)  # of runs that reach the block last looked at
    # References to choose from: their ends and distances in turn, how many, and the farthest end.
    choices = work_table(BLOCK, _CHOICE_COLUMNS, np.int64)
    counts, reach = work_space(BLOCK, np.int64), work_space(BLOCK, np.int64)
    segment = np.int64(-1)
    for block in range(blocks - 1, 0, -1):
        start = block * BLOCK
        if start // SEGMENT != segment:
            segment = np.int64(start // SEGMENT)
            distances = survey.useful[segment, : survey.number[segment]]
            for i in range(len(distances)):
                ends[i] = _end(codes, free, sources, start + BLOCK, distances[i])
        counts[:] = 0
        for i in range(BLOCK):
            reach[i] = start + i + SHORTEST - 1
        for i in range(len(distances)):
            distance = np.int64(distances[i])
            agreeing = _agreeing(codes, free, sources, start, distance)
            _add_choices(agreeing, start, distance, ends[i], choices, counts, reach)
            if agreeing != _ALL:
                ends[i] = start + _ones(agreeing)
        for i in range(BLOCK - 1, -1, -1):
            place = start + i
            best = FREE_LITERAL_BITS
            if not free[block] >> np.uint64(i) & _ONE:
                best = prices.literal[codes[place]]
            best += costs[place + 1]
            parse[0, place], parse[1, place] = 1, 0
            for k in range(counts[i]):
                length = min(choices[i, 2 * k] - place, LONGEST)
                distance = choices[i, 2 * k + 1]
                cost = prices.length[length] + prices.distance[distance] + costs[place + length]
                if cost < best:
                    best = cost
                    parse[0, place], parse[1, place] = length, distance
            costs[place] = best


@hot_kernel
def _agreeing(codes, free, sources, start, distance):
    """Return which places of the block from `start` on agree with those `distance` before."""
    source = start - distance
    if source <= START - BLOCK:
        return np.uint64(0)
    word, shift = source >> 6, np.uint64(source & 63)
    known = sources[word] >> shift | sources[word + 1] << _ONE << (np.uint64(63) - shift)
    agreeing = free[start >> 6] | (bytes_alike(codes, start, codes, source) & known)
    if source < START:
        agreeing &= _ALL << np.uint64(START - source)
    return agreeing


@hot_kernel
def _end(codes, free, sources, place, distance):
    """Return where places that agree with those `distance` before end, from `place` on."""
    most = min(place + LONGEST, len(codes))
    while place < most:
        agreeing = _agreeing(codes, free, sources, place, distance)
        if agreeing != _ALL:
            return place + _ones(agreeing)
        place += BLOCK
    return place


@hot_kernel
def _add_choices(agreeing, start, distance, end, choices, counts, reach):
    """Note the references of one distance, unless one no farther back is as long.

    `end` is where the run that goes on after the block ends.
    """
    # Bits where three places or more agree.
    after = np.uint64(min(end - start - BLOCK, 2))
    after = (_ONE << after) - _ONE
    long = agreeing & (agreeing >> _ONE | after << np.uint64(63))
    long &= agreeing >> np.uint64(2) | after << np.uint64(62)
    while long != np.uint64(0):
        first = lowest_bit(long)
        stop = first + _ones(agreeing >> np.uint64(first))
        run_end = end if stop == BLOCK else start + stop
        # References that begin later in the run end at the same place.
        i = first
        while i < stop and reach[i] < run_end:
            reach[i] = run_end
            count = min(counts[i], _MOST_CHOICES - 1)
            choices[i, 2 * count], choices[i, 2 * count + 1] = run_end, distance
            counts[i] = count + 1
            i += 1
        if stop == BLOCK:
            break
        long &= _ALL << np.uint64(stop)


@hot_kernel
def _ones(word):
    """Return how many of the lowest bits are set before the first that is not."""
    return BLOCK if word == _ALL else lowest_bit(~word)


@hot_entry
def copy_free(codes, free, parse):
    """Give free codes of references the codes referred to, and free literals those before."""
    place = np.int64(START)
    while place < len(codes):
        distance = np.int64(parse[1, place])
        for i in range(place, place + parse[0, place]):
            if free[i // BLOCK] >> np.uint64(i % BLOCK) & _ONE:
                codes[i] = codes[i - distance] if distance else codes[i - 1]
        place += parse[0, place]
