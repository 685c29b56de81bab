"""Filling: positions keep their codes, and what is filled in compresses better than repetition."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.filling import fill
from tablebase.values import DRAW


def filled(codes, legal):
    """Return codes filled in place."""
    codes = np.array(codes, dtype=np.uint8)
    fill(codes, np.array(legal, dtype=np.bool_))
    return codes


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=300))
def test_codes_of_positions_are_kept(slots):
    codes, legal = np.array([code for code, _ in slots]), np.array([legal for _, legal in slots])
    result = filled(codes, legal)
    assert np.array_equal(result[legal], codes[legal])
    present = set(codes[legal].tolist()) or {DRAW}
    assert set(result.tolist()) == present


def test_slots_repeat_the_one_before():
    assert filled([9, 9, 5, 0, 0, 7, 0], [0, 0, 1, 0, 0, 1, 0]).tolist() == [5, 5, 5, 5, 5, 7, 7]
    assert filled([1, 2, 3], [0, 0, 0]).tolist() == [DRAW] * 3


def test_slots_continue_an_earlier_place():
    # The second time the pattern comes, its middle has no position.
    pattern = [4, 8, 6, 2, 11, 13, 15]
    codes = [*pattern, 90, *pattern]
    legal = np.ones(len(codes), dtype=bool)
    legal[8 + 4 : 8 + 6] = False
    broken = np.where(legal, codes, 0)
    assert filled(broken, legal).tolist() == codes


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_the_result_compresses_better_than_repetition(share):
    rng = np.random.default_rng(3)
    rows = np.repeat(rng.integers(0, 40, (12, 64)), 20, axis=0)
    codes = rows[rng.permutation(len(rows))].ravel().astype(np.uint8)
    legal = rng.random(len(codes)) >= share
    last = np.maximum.accumulate(np.where(legal, np.arange(len(codes)), 0))
    assert len(zlib.compress(filled(codes, legal).tobytes())) < 0.9 * len(
        zlib.compress(codes[last].tobytes())
    )
