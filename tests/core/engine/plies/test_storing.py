"""Storing: what the codes of a table hold where there is no position, and of draws."""

import numpy as np
import pytest

from tablebase.core.board.geometry import Color
from tablebase.core.index.legality import is_legal, mark_slots
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.rules.material import Material


@pytest.mark.parametrize("name", ["KRK", "KPK", "KNNK"])
def test_what_is_not_legal_repeats_a_legal_value(name, solved):
    table = solved[Material.from_name(name)]
    marks = mark_slots(table.index)
    for color, codes in zip(Color, table.codes, strict=True):
        legal = is_legal(marks, color)
        assert set(np.unique(codes[~legal])) <= {*np.unique(codes[legal]), DRAW}


def test_what_nobody_wins_is_drawn(solved):
    table = solved[Material.from_name("KBK")]
    assert all((codes == DRAW).all() for codes in table.codes)
