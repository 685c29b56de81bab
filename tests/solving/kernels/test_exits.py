"""What can be captured at once, against the moves of python-chess."""

import random

import numpy as np
import pytest
from support.captures import prey_of
from support.random_positions import random_board

from tablebase.board import Material
from tablebase.solving.kernels.exits import POSITIONS, write_prey
from tablebase.solving.kernels.fields import make_men
from tablebase.solving.kernels.keys import read_codes
from tablebase.solving.kernels.planes import read_squares
from tablebase.solving.places import place_of
from tablebase.solving.region import Region


@pytest.mark.parametrize("name", ["KQPKRP", "KRKB", "KPPKPP", "KNKQ", "KBPKR", "KQKP"])
def test_what_can_be_captured(name):
    rng = random.Random(name)
    men = make_men()
    prey = np.empty(POSITIONS, dtype=np.int8)
    seen = set()
    for _ in range(100):
        board = random_board(rng, Material.from_name(name))
        board.ep_square = None
        place = place_of(board)
        region = Region(np.zeros(0, dtype=np.uint64))
        number = region.number_of(*place[:3])
        read_codes(region.record, number, men)
        read_squares(men, place.plane)
        write_prey(region.record, men, number, place.turn, prey)
        found = prey[64 * place.white_king + place.black_king]
        assert found == prey_of(board), board.fen()
        seen.add(int(found))
    assert len(seen) > 1
