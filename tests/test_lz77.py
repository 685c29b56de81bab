"""LZ77: parses say what is written, the cheapest one is, and free codes follow it."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.lz77 import (
    BLOCK,
    LONGEST,
    SEGMENT,
    SHORTEST,
    START,
    WINDOW,
    Prices,
    cheapest,
    copy_free,
    empty_survey,
    examine,
    prices,
    search,
)

EVERYTHING = np.iinfo(np.uint64).max


def laid_out(codes, free=()):
    """Return codes and words of free ones as kernels take them: whole blocks from START on."""
    places = START + -(-len(codes) // BLOCK) * BLOCK
    work, is_free = np.zeros(places, np.uint8), np.ones(places, np.bool_)
    work[START : START + len(codes)] = codes
    is_free[START : START + len(codes)] = False
    is_free[START + np.array(free, dtype=np.int64)] = True
    return work, np.packbits(is_free, bitorder="little").view("<u8")


def steps(parse):
    """Return place, length and distance of all that a parse writes."""
    place, result = START, []
    while place < parse.shape[1]:
        length, distance = parse[:, place].tolist()
        assert length >= 1
        result.append((place, length, distance))
        place += length
    assert place == parse.shape[1]
    return result


def written(codes, parse):
    """Return the codes that a parse writes, its literals taken from `codes`."""
    result = np.zeros_like(codes)
    for place, length, distance in steps(parse):
        if distance == 0:
            assert length == 1
            result[place] = codes[place]
        else:
            assert SHORTEST <= length <= LONGEST
            assert 0 < distance <= min(WINDOW, place - START)
            for i in range(place, place + length):
                result[i] = result[i - distance]
    return result


def searched(codes):
    parse = np.empty((2, len(codes)), np.int32)
    search(codes, parse)
    return parse


def surveyed(codes, parse):
    survey = empty_survey(len(codes))
    examine(codes, parse, survey)
    return survey


def structured(seed, size):
    """Return codes with repetitions at many distances."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 9, (12, 37))
    rows = rows[rng.integers(0, 12, size // 37 + 1)].ravel()[:size]
    noise = rng.random(size) < 0.05
    return np.where(noise, rng.integers(0, 9, size), rows).astype(np.uint8)


CODES = st.lists(st.integers(0, 2), min_size=1, max_size=400)


@given(CODES)
def test_a_search_writes_the_codes(codes):
    work, _ = laid_out(codes)
    assert np.array_equal(written(work, searched(work)), work)


def test_a_search_finds_what_is_far_and_long():
    rng = np.random.default_rng(5)
    piece = rng.integers(0, 256, 300)
    codes = np.concatenate([piece, rng.integers(0, 256, WINDOW - 300), piece])
    work, _ = laid_out(codes)
    found = {(distance, length) for _, length, distance in steps(searched(work)) if distance}
    assert (WINDOW, LONGEST) in found
    far, _ = laid_out(np.insert(codes, 300, 7))
    assert WINDOW + 1 not in {distance for _, _, distance in steps(searched(far))}


def test_symbols_cost_what_the_format_says():
    survey = empty_survey(SEGMENT)
    costs = prices(survey)
    length, distance = -np.log2(1 / 286), -np.log2(1 / 30)
    assert costs.literal == pytest.approx(np.full(256, length))
    further = {3: 0, 10: 0, 11: 1, 18: 1, 19: 2, 34: 2, 35: 3, 130: 4, 131: 5, 257: 5, 258: 0}
    for number, bits in further.items():
        assert costs.length[number] == pytest.approx(length + bits)
    further = {1: 0, 4: 0, 5: 1, 8: 1, 9: 2, 256: 6, 257: 7, 24_577: 13, 32_768: 13}
    for number, bits in further.items():
        assert costs.distance[number] == pytest.approx(distance + bits)


def test_frequent_symbols_are_cheap():
    codes = structured(1, 5000)
    work, _ = laid_out(codes)
    parse = searched(work)
    survey = surveyed(work, parse)
    literals = [work[place] for place, _, distance in steps(parse) if distance == 0]
    assert survey.lengths[:256].tolist() == np.bincount(literals, minlength=256).tolist()
    references = len(steps(parse)) - len(literals)
    assert survey.lengths[257:].sum() == survey.distances.sum() == references
    costs = prices(survey)
    assert costs.literal[np.argmax(survey.lengths[:256])] == costs.literal.min()
    # The estimate is near what gzip makes of it.
    bits = sum(
        costs.literal[work[place]]
        if distance == 0
        else costs.length[length] + costs.distance[distance]
        for place, length, distance in steps(parse)
    )
    assert bits / 8 == pytest.approx(len(zlib.compress(codes.tobytes(), 9)), rel=0.15)


def test_useful_distances_are_those_that_save_most():
    codes = np.concatenate([structured(seed, 3000) for seed in range(4)])
    work, _ = laid_out(codes)
    parse = searched(work)
    survey = surveyed(work, parse)
    saved = [{} for _ in survey.number]
    for place, length, distance in steps(parse):
        if distance:
            of_segment = saved[place // SEGMENT]
            of_segment[distance] = of_segment.get(distance, 0) + length - SHORTEST + 1
    for of_segment, useful, number in zip(saved, survey.useful, survey.number, strict=True):
        assert useful[:number].tolist() == sorted(of_segment)
    # With room for a few, those that save least are left out.
    few = empty_survey(len(work))._replace(useful=np.zeros((len(saved), 20), np.int32))
    examine(work, parse, few)
    for of_segment, useful, number in zip(saved, few.useful, few.number, strict=True):
        left = [of_segment[d] for d in of_segment.keys() - set(useful[:number].tolist())]
        assert 0 < number <= 20
        assert max(left) <= min(of_segment[d] for d in useful[:number].tolist())


def cheapest_cost(codes, is_free, is_source, distances, costs):
    """Return the cost of the cheapest parse, by trying all references with some distances."""
    best = [0.0] * (len(codes) + 1)
    for place in range(len(codes) - 1, START - 1, -1):
        best[place] = best[place + 1] + (4.0 if is_free[place] else costs.literal[codes[place]])
        for distance in distances:
            end = place
            while end < min(place + LONGEST, len(codes)) and end - distance >= START:
                source = end - distance
                if not is_free[end] and not (is_source[source] and codes[source] == codes[end]):
                    break
                end += 1
            if end - place >= SHORTEST:
                price = costs.length[end - place] + costs.distance[distance]
                best[place] = min(best[place], best[end] + price)
    return best[START]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("free_sources", [False, True])
@pytest.mark.parametrize("size", [64, 300, 700])
def test_the_cheapest_parse_is(share, free_sources, size):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        free = np.flatnonzero(rng.random(size) < share)
        work, words = laid_out(structured(seed, size), free)
        distances = np.sort(rng.choice(np.arange(1, size + 30), 20, replace=False))
        distances = np.union1d(distances, [1, 37, 74]).astype(np.int32)
        survey = empty_survey(len(work))
        survey.useful[:, : len(distances)], survey.number[:] = distances, len(distances)
        # The kernel leaves out references that go farther back without being longer, though they
        # may end at a better place.
        costs = Prices(
            rng.uniform(3, 8, 256).astype(np.float32),
            np.linspace(4, 9, LONGEST + 1).astype(np.float32),
            np.linspace(3, 16, WINDOW + 1).astype(np.float32),
        )
        sources = np.full_like(words, EVERYTHING) if free_sources else ~words
        parse = np.empty((2, len(work)), np.int32)
        total = cheapest(work, words, sources, survey, costs, parse)
        is_free = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)
        is_source = np.unpackbits(sources.view(np.uint8), bitorder="little").astype(bool)
        expected = cheapest_cost(work, is_free, is_source, distances.tolist(), costs)
        assert total == pytest.approx(expected, rel=0.02)
        assert total >= expected - 0.01
        price = sum(
            (4.0 if is_free[place] else costs.literal[work[place]])
            if distance == 0
            else costs.length[length] + costs.distance[distance]
            for place, length, distance in steps(parse)
        )
        assert total == pytest.approx(price, rel=1e-4)


@given(CODES, st.data())
def test_free_codes_become_what_references_copy(codes, data):
    free = data.draw(st.lists(st.integers(0, len(codes) - 1), unique=True))
    work, words = laid_out(codes, free)
    before = work.copy()
    parse = searched(work)
    survey = surveyed(work, parse)
    cheapest(work, words, ~words, survey, prices(survey), parse)
    copy_free(work, words, parse)
    is_free = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)
    assert np.array_equal(work[~is_free], before[~is_free])
    assert np.array_equal(written(work, parse), work)
