"""Slices: placements of pawns, and what is left of them under the mirror."""

import numpy as np
import pytest

from tablebase.core.board.symmetry import D4, MIRROR
from tablebase.core.index.kings import NO_SYMMETRY
from tablebase.core.index.pawns import (
    second_slice_symmetry,
    slice_entry,
    slice_number,
    slice_symmetry,
    slice_tables,
)
from tablebase.core.rules.material import Material


@pytest.mark.parametrize("name", ["KPK", "KPPK", "KPKP"])
def test_entries_lead_to_canonical_pawns(name):
    material = Material.from_name(name)
    slice_of, slice_pawns = slice_tables(material)
    rng = np.random.default_rng(5)
    for _ in range(200):
        pawns = rng.choice(np.arange(8, 56), material.pawn_count, replace=False).astype(np.uint8)
        entry = np.int64(slice_entry(slice_of, pawns))
        canonical = slice_pawns[slice_number(entry)].tolist()
        for symmetry in (slice_symmetry(entry), second_slice_symmetry(entry)):
            if symmetry != NO_SYMMETRY:
                image = D4[symmetry, pawns].tolist()
                # Two pawns of one side may stand the other way round.
                assert canonical in ([image] if material.is_symmetric else [image, image[::-1]])
        mirrored = np.int64(slice_entry(slice_of, D4[MIRROR, pawns]))
        assert slice_number(mirrored) == slice_number(entry)


def test_what_is_no_placement_has_no_entry():
    slice_of, _ = slice_tables(Material.from_name("KPPK"))
    for squares in ([7, 20], [20, 56], [20, 20]):
        assert slice_entry(slice_of, np.array(squares, dtype=np.uint8)) < 0
