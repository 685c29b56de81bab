"""Values: codes are read back, and impossible meanings refused."""

import numpy as np
import pytest

from tablebase.core.outcomes.codes import (
    CHECKMATED,
    DRAW,
    MAX_PLIES,
    SIGNED_PLIES,
    WDL_OF_CODE,
    Wdl,
    decode_dtm,
    signed_plies,
)


def test_a_code_is_the_distance_whose_parity_tells_the_result():
    for code in range(MAX_PLIES + 1):
        assert decode_dtm(code) == (Wdl.WIN if code % 2 else Wdl.LOSS, code)


def test_arrays_are_coded_like_numbers():
    codes = np.arange(256, dtype=np.uint8)
    wdl, plies = decode_dtm(codes)
    assert [(Wdl(w), p) for w, p in zip(wdl.tolist(), plies.tolist(), strict=True)] == [
        decode_dtm(code) for code in range(256)
    ]
    assert (wdl.dtype, plies.dtype) == (np.int8, np.uint8)


def test_a_draw_and_a_checkmate_are_told_apart():
    assert decode_dtm(DRAW) == (Wdl.DRAW, 0)
    assert decode_dtm(CHECKMATED) == (Wdl.LOSS, 0)


@pytest.mark.parametrize("code", [-1, 1024])
def test_codes_are_bytes(code):
    with pytest.raises(ValueError, match="a stored code is a number from 0 to 1023"):
        decode_dtm(code)


def test_tables_by_code_say_what_decoding_says():
    codes = range(1024)
    assert WDL_OF_CODE.tolist() == [decode_dtm(code)[0] for code in codes]
    assert SIGNED_PLIES.tolist() == [signed_plies(code) for code in codes]
    assert (WDL_OF_CODE.dtype, SIGNED_PLIES.dtype) == (np.int8, np.int16)
