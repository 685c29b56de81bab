"""Values while solving: their order, and one ply more."""

import numpy as np
from support.oracle import worth

from tablebase.board.values import DRAW
from tablebase.engine import values as engine_values


def test_values_are_in_order_of_preference():
    codes = np.arange(256)
    values = engine_values.VALUE_OF_CODE[codes].tolist()
    assert sorted(codes.tolist(), key=worth) == sorted(codes.tolist(), key=values.__getitem__)
    assert len(set(values)) == 256
    assert [
        engine_values.code_of_value(value) for value in engine_values.VALUE_OF_CODE
    ] == codes.tolist()


def test_values_after_a_move_are_one_ply_longer():
    for code in range(255 - 1):
        after = engine_values.VALUE_AFTER_MOVE[code]
        assert engine_values.code_of_value(after) == code + 1
        assert engine_values.NEGATED[engine_values.VALUE_OF_CODE[code]] == after
    assert engine_values.code_of_value(engine_values.VALUE_AFTER_MOVE[DRAW]) == DRAW
