"""Sheets of from-to pairs: of the right shape, and the same in every run."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tablebase.butterfly import drawing

pytest.importorskip("matplotlib")

IMAGES = ".//{http://www.w3.org/2000/svg}image"


@pytest.mark.thorough
def test_the_same_picture_in_every_run():
    assert drawing.draw_sheet() == drawing.draw_sheet()


def test_a_sheet_for_each_colour_that_moves():
    boards = np.zeros((2, 64, 64), dtype=np.uint64)
    boards[0, 0, 1] = 7
    one = ET.fromstring(drawing.draw_counters(boards, "KRK"))
    boards[1, 0, 1] = 7
    both = ET.fromstring(drawing.draw_counters(boards, "KRK"))
    assert len(both.findall(IMAGES)) == 2 * len(one.findall(IMAGES))
