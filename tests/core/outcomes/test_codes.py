"""Values: codes are read back, and impossible meanings refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.core.outcomes.codes import (
    CHECKMATED,
    DRAW,
    MAX_PLIES,
    SIGNED_PLIES,
    WDL_OF_CODE,
    Wdl,
    decode_dtm,
    encode_dtm,
    signed_plies,
)


@given(st.integers(0, 255))
def test_every_code_has_one_meaning(code):
    wdl, plies = decode_dtm(code)
    assert isinstance(wdl, Wdl)
    assert encode_dtm(wdl, plies) == code


def test_arrays_are_coded_like_numbers():
    codes = np.arange(256, dtype=np.uint8)
    wdl, plies = decode_dtm(codes)
    assert [(Wdl(w), p) for w, p in zip(wdl.tolist(), plies.tolist(), strict=True)] == [
        decode_dtm(code) for code in range(256)
    ]
    encoded = encode_dtm(wdl, plies)
    assert encoded.dtype == np.uint8
    assert np.array_equal(encoded, codes)


def test_a_draw_and_a_checkmate_are_told_apart():
    assert decode_dtm(DRAW) == (Wdl.DRAW, 0)
    assert decode_dtm(CHECKMATED) == (Wdl.LOSS, 0)


def test_the_longest_results_of_five_men_fit():
    assert encode_dtm(Wdl.LOSS, MAX_PLIES) == 254
    assert encode_dtm(Wdl.WIN, MAX_PLIES - 1) == 253


@pytest.mark.parametrize(
    ("wdl", "plies"), [(1, 2), (1, 0), (-1, 1), (0, 2), (1, 255), (-1, 256), (1, -1), (2, 3)]
)
def test_impossible_meanings_are_refused(wdl, plies):
    with pytest.raises(ValueError, match="no code for result"):
        encode_dtm(wdl, plies)
    with pytest.raises(ValueError, match="no code for result"):
        encode_dtm(np.array([0, wdl]), np.array([0, plies]))


@pytest.mark.parametrize("code", [-1, 1024])
def test_codes_are_bytes(code):
    with pytest.raises(ValueError, match="a stored code is a number from 0 to 1023"):
        decode_dtm(code)


def test_tables_by_code_say_what_decoding_says():
    codes = range(1024)
    assert WDL_OF_CODE.tolist() == [decode_dtm(code)[0] for code in codes]
    assert SIGNED_PLIES.tolist() == [signed_plies(code) for code in codes]
    assert (WDL_OF_CODE.dtype, SIGNED_PLIES.dtype) == (np.int8, np.int16)
