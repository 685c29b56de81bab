"""Planes packed as bytes, and sets that are packed and moved in memory: they stay what they are."""

import numpy as np
import pytest
from support.king_planes import Given, legal_boards, men_board, words_of

from tablebase.core.jit.kernels import entry
from tablebase.solve.kernels.fields import LOWER, NONE, UPPER, Number, State
from tablebase.solve.kernels.king_planes import WORDS
from tablebase.solve.kernels.packing import (
    AS_IT_IS,
    MOST_BYTES,
    Block,
    block_words,
    pack_plane,
    read_bound,
    squeeze,
    swap_packed,
    unpack_plane,
)

ALL = np.uint64(2**64 - 1)
ROOM = 4096  # words


def near():
    """Return the squares where no king may stand beside a white one, by its square."""
    steps = np.arange(64)
    files, ranks = steps % 8, steps // 8
    apart = np.maximum(abs(files - files[:, None]), abs(ranks - ranks[:, None]))
    return np.packbits(apart <= 1, axis=1, bitorder="little").view("<u8").ravel()


def kinds_of_planes(rng):
    """Yield planes, by what is special in them; in most, kings never stand side by side."""
    allowed = ~near()
    yield "empty", np.zeros(64, dtype=np.uint64)
    yield "all", allowed
    yield "anything", rng.integers(2**64, size=64, dtype=np.uint64) & allowed
    few = np.zeros(64, dtype=np.uint64)
    few[[0, 7, 8, 63]] = [1 << 63, 1 << 20, 3 << 40, 1]
    yield "few", few & allowed
    yield "kings side by side", few | ~allowed
    yield "one word", np.where(np.arange(64) == 62, ALL, np.uint64(0)) & allowed
    # White's king may not stand on some squares; elsewhere nothing depends on it.
    holes = np.full(64, rng.integers(2**64, dtype=np.uint64), dtype=np.uint64) & allowed
    holes[[5, 6, 20, 21, 22, 56]] = 0
    yield "holes", holes
    yield "legal", words_of(legal_boards(men_board("Qd4 pa5"), 0)) & allowed


@pytest.mark.parametrize("turned", [False, True])
def test_planes_are_unpacked_as_they_were(turned):
    rng, given = np.random.default_rng(5), Given()
    arena, octets, flip = given.fields.arena, given.fields.octets, ALL if turned else np.uint64(0)
    sizes, block, start = {}, 8, 8 * 256
    for name, plane in kinds_of_planes(rng):
        words = plane ^ flip
        for row in range(2):  # the other one's number must not be touched
            arena[:ROOM] = rng.integers(2**64, size=ROOM, dtype=np.uint64)
            after = octets[start + MOST_BYTES : 8 * ROOM].copy()
            end = pack_plane(words, 0, flip, octets, start)
            np.testing.assert_array_equal(octets[start + MOST_BYTES : 8 * ROOM], after)
            sizes[name] = (~end if end < 0 else end) - start
            number = 0 if end == start else start - 8 * block
            if end < 0:
                number |= AS_IT_IS
            arena[block + 1] = np.uint64(number) << np.uint64(32 * row)
            found = np.zeros(70, dtype=np.uint64)
            unpack_plane(given.record, block, row, flip, found, 3)
            np.testing.assert_array_equal(found[3:67], words)
            assert not found[:3].any()
            assert not found[67:].any()
    assert sizes["empty"] == 0
    assert sizes["one word"] < 20
    assert sizes["holes"] < 40
    assert sizes["anything"] == sizes["kings side by side"] == 512


def filled(given, men, rng):
    """Add a structure that is open, with bounds of which most says nothing."""
    number, _ = given.structure(men)
    allowed = np.tile(~near(), given.region.words_of(number) // 64)
    given.fields.state[number] = State.OPEN
    half = len(allowed) // 2
    for column in (given.fields.lower, given.fields.upper):
        for attacker in range(2):
            start = column[number, attacker] = given.room(number)
            words = rng.integers(2**64, size=len(allowed), dtype=np.uint64) & allowed
            words[rng.random(len(allowed)) < 0.95] = 0
            words[attacker * half : (attacker + 1) * half] ^= ALL
            given.fields.arena[start : start + len(words)] = words
    return number


def contents(given, numbers):
    """Return all bounds of structures, and stalemates."""
    fields, region, found = given.fields, given.region, []
    for number in numbers:
        rows = region.words_of(number) // 64
        for bound in (LOWER, UPPER):
            found += [region.bound(number, one, bound) for one in range(2)]
        if fields.stale[number] != NONE:
            found.append(region.planes(fields.stale[number], NONE, 0, rows))
    return [one.copy() for one in found]


@entry
def copy_bound(region, work, structure, bound, attacker, turn, plane, target):
    """Write a plane of a bound as kernels read it."""
    rows, first = read_bound(region, work, structure, bound, attacker, turn, plane)
    for k in range(WORDS):
        target[k] = rows[first + k]


def assert_kernels_read(given, number):
    """Check that kernels read what Python reads."""
    rows, found = given.region.words_of(number) // WORDS, np.empty(WORDS, dtype=np.uint64)
    for bound, attacker, turn in np.ndindex(2, 2, 2):
        planes = given.region.bound(number, attacker, bound).reshape(2, rows // 2, WORDS)
        for plane in range(rows // 2):
            copy_bound(given.record, given.work, number, bound, attacker, turn, plane, found)
            np.testing.assert_array_equal(found, planes[turn, plane])


@pytest.mark.thorough
def test_what_is_squeezed_can_still_be_read():
    rng, given = np.random.default_rng(7), Given()
    numbers = [filled(given, men, rng) for men in ("Pe4 pe5", "Rb1 pa3", "Pe4 pd4", "")]
    gone = filled(given, "Pa2 pa4", rng)
    passing = numbers[2]
    given.fields.stale[passing] = given.room(passing)
    given.plane_at(int(given.fields.stale[passing]) + 64)[9] = 1 << 62
    numbers.append(filled(given, "Nc3", rng))
    given.fields.upper[numbers[0], 1] = given.fields.lower[numbers[0], 1]  # one set is both
    given.fields.state[gone] = State.CLOSED
    before, words = contents(given, numbers), given.used
    for again in range(3):
        given.region.squeeze()
        fields = given.fields
        for old, new in zip(before, contents(given, numbers), strict=True):
            np.testing.assert_array_equal(new, old)
        for number in numbers:
            assert_kernels_read(given, number)
        assert fields.upper[numbers[0], 1] == fields.lower[numbers[0], 1]
        top = int(fields.numbers[Number.TOP])
        assert top < words / 4
        if again:
            continue
        assert given.region.words == words - 5 * given.region.words_of(gone)
        # One of them is solved once more, elsewhere; what it had is free afterwards.
        fields.arena[top:] = ALL
        for attacker in range(2):
            start = given.region.take(given.region.words_of(numbers[1]))
            new = given.region.bound(numbers[1], attacker, UPPER)
            fields.arena[start : start + len(new)] = new
            fields.upper[numbers[1], attacker] = start


def test_an_upper_bound_takes_what_it_differs_in():
    rng, given = np.random.default_rng(9), Given()
    near_lower = filled(given, "Rb1 pa3", rng)
    fields = given.fields
    for attacker in range(2):
        words = given.region.bound(near_lower, attacker, LOWER).copy()
        words[64 * 5 + 7] ^= np.uint64(1 << 60)
        start = int(fields.upper[near_lower, attacker])
        fields.arena[start : start + len(words)] = words
    before = contents(given, [near_lower])
    for _ in range(2):
        given.region.squeeze()
        for old, new in zip(before, contents(given, [near_lower]), strict=True):
            np.testing.assert_array_equal(new, old)
        assert_kernels_read(given, near_lower)
        for attacker in range(2):
            block = swap_packed(int(fields.upper[near_lower, attacker]))
            assert int(fields.arena[block]) & 0xFFFFFFFF == 1 + 64 + 1  # one bit in one plane
    # The lower bound alone is elsewhere in memory, and as it is.
    lower = given.region.bound(near_lower, 0, LOWER).copy()
    start = given.region.take(len(lower))
    fields.arena[start : start + len(lower)] = lower
    fields.lower[near_lower, 0] = start
    np.testing.assert_array_equal(contents(given, [near_lower]), before)


def test_what_does_not_get_shorter_is_moved_as_it_is():
    rng, given = np.random.default_rng(8), Given()
    number, _ = given.structure("Pa2")
    given.room(number)
    given.solved(number, rng)  # by chance, kings side by side included
    before = contents(given, [number])
    given.region.squeeze()
    assert given.fields.lower[number, 0] == 0
    np.testing.assert_array_equal(contents(given, [number]), before)


def test_numbers_of_blocks_have_room():
    """A block of one plane that is left as it is takes more than its words; others never do."""
    given, words = Given(), np.full(block_words(1), ALL)
    given.fields.arena[:128] = ALL
    blocks = np.zeros((1, len(Block)), dtype=np.int64)
    blocks[0] = 0, 1, NONE, NONE
    squeeze(given.record, blocks, words, words.view(np.uint8), np.empty(WORDS, dtype=np.uint64))
    assert blocks[0, Block.START] == 0
    assert given.fields.numbers[Number.TOP] == 128
    assert (given.fields.arena[:128] == ALL).all()
