"""Positions of racing kings: found for both sides to move, numbered without exchanged colours."""

import pytest
from support.variants import RACING

from tablebase import find, open_tablebase
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material
from tablebase.finding.orbit_keys import orbit

KKN = Material.from_name("KKN", RACING)


@pytest.mark.thorough
def test_only_moves_are_those_of_probes(racing_dir):
    with open_tablebase(racing_dir, rules=RACING) as tables:
        for turn in (True, False):
            found = find(KKN, racing_dir, turn=turn, result="draw", only_move=True, sample=20)
            assert len(found) == 20
            for one in found:
                ranked = [int(move.wdl) for move in tables.rank_moves(one.setup())]
                assert (ranked[0], ranked.count(0)) == (0, 1)


def test_an_orbit_has_mirror_images_and_one_side_to_move():
    fens = [
        "8/8/8/8/2k5/8/8/K6n w", "8/8/8/8/5k2/8/8/n6K w", "8/8/8/8/2k5/8/8/K6n b",
        "k6N/8/8/2K5/8/8/8/8 b", "k6N/8/8/2K5/8/8/8/8 w",
    ]  # fmt: skip
    first, mirrored, *others = [orbit(read_setup(fen, RACING)) for fen in fens[:3]]
    assert first == mirrored
    assert first not in others


def test_hidden_mistakes_are_refused_by_name(racing_dir):
    with pytest.raises(InvalidRulesError, match="racingkings"):
        find(KKN, racing_dir, order="difficulty", limit=1)
