"""Positions of three-check that are found: in every layer, and with the checks left."""

import numpy as np
from support.variants import CHECKS

from tablebase import open_tablebase
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material
from tablebase.finding.find import find
from tablebase.finding.orbit_keys import orbit

KRK = Material.from_name("KRK", CHECKS)


def test_positions_are_found_with_the_checks_left(checks_dir):
    found = find(KRK, checks_dir, plies=(5, 9), turn=True, check=False, columns=["orbit"])
    assert {*found.checks[:, 0].tolist()} == {2, 3}
    assert {*found.checks[:, 1].tolist()} == {3}
    some = found[np.random.default_rng(2).integers(0, len(found), 200)]
    fens = some.fens()
    assert fens == [one.setup().fen for one in some]
    with open_tablebase(checks_dir, rules=CHECKS) as tables:
        assert (tables.probe_dtm_many(fens)[0] == some.dtm).all()
    assert len({*found.orbit.tolist()}) == len(found)
    columns = found.to_numpy()
    assert (np.stack([columns["checks_white"], columns["checks_black"]], 1) == found.checks).all()


def test_an_orbit_is_that_of_the_exchanged_colours_and_checks():
    setup = read_setup("8/8/8/8/8/2k5/1R6/K7 w - - 2+3", CHECKS)
    assert orbit(setup) == orbit(setup.swapped())
    assert orbit(setup) != orbit(setup._replace(checks=(1, 3)))
    assert orbit(setup) == orbit(setup._replace(checks=(2, 1)))
