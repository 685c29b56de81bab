"""What can be captured at once, against the moves of python-chess."""

import random

import numpy as np
import pytest
from support.captures import prey_of
from support.random_positions import random_board

from tablebase.board import Material
from tablebase.solving.kernels.exits import POSITIONS, write_prey
from tablebase.solving.kernels.keys import read_codes
from tablebase.solving.places import place_of
from tablebase.solving.region import Region


@pytest.mark.parametrize("name", ["KQPKRP", "KRKB", "KPPKPP", "KNKQ", "KBPKR", "KQKP"])
def test_what_can_be_captured(name):
    rng = random.Random(name)
    codes, squares = np.zeros((2, 8), dtype=np.int64)
    prey = np.empty(POSITIONS, dtype=np.int8)
    seen = set()
    for _ in range(100):
        board = random_board(rng, Material.from_name(name))
        board.ep_square = None
        place = place_of(board)
        region = Region(np.zeros(0, dtype=np.uint64))
        number = region.number_of(*place[:3])
        count = read_codes(np.uint64(place.pieces), codes)
        squares[:count] = [place.plane >> 6 * i & 63 for i in range(count)]
        write_prey(region.record, number, codes, squares, place.turn, prey)
        found = prey[64 * place.white_king + place.black_king]
        assert found == prey_of(board), board.fen()
        seen.add(int(found))
    assert len(seen) > 1
