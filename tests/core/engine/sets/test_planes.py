"""Planes, and the tracks along which pieces move."""

import numpy as np
import pytest

from tablebase.core.board.geometry import PieceType
from tablebase.core.board.symmetry import ALL_SYMMETRIES, D4, TRIANGLE_SQUARES
from tablebase.core.engine.sets import planes as planes_module
from tablebase.core.engine.sets.planes import make_planes
from tablebase.core.rules.material import Material

NAMES = ["KK", "KRK", "KRRK", "KRKN", "KRKR", "KPK", "KRKP", "KRRKP", "KRBPK"]


def placement(pieces, squares):
    """Return which squares each kind of piece has."""
    return sorted(zip(pieces, squares, strict=True))


@pytest.fixture(params=[*NAMES, "large KRKP", "large KRRKP", "large KRBPK"])
def material(request, monkeypatch):
    """Return a material; slices of large ones count as large."""
    if request.param.startswith("large"):
        monkeypatch.setattr(planes_module, "LARGE_SLICE", 64)
    return Material.from_name(request.param.split()[-1])


def pieces_of(material):
    return [man for man in material.men[2:] if man[1] is not PieceType.PAWN]


def test_planes_are_placements_of_the_pieces(material):
    planes = make_planes(material)
    pieces = pieces_of(material)
    assert planes.plane_squares.shape[1] == len(pieces)
    placements = {tuple(placement(pieces, row)) for row in planes.plane_squares.tolist()}
    twins = planes.has_anchor and len(set(pieces)) < len(pieces)
    if not twins:  # where either rook may be the anchor, planes occur twice
        assert len(placements) == len(planes.plane_squares)
    is_large = planes_module.LARGE_SLICE == 64
    assert planes.has_anchor == bool(pieces and (is_large or not material.has_pawns))


def test_tracks_lead_to_the_plane_of_the_moved_piece(material):
    planes = make_planes(material)
    pieces = pieces_of(material)
    for mover in range(len(planes.mover_type)):
        man = (planes.mover_color[mover], planes.mover_type[mover])
        others = list(pieces)
        others.remove(man)
        first, last = planes.track_bounds[mover : mover + 2]
        assert first < last
        for track in np.random.default_rng(51).integers(first, last, 40):
            occupied = int(planes.track_occupied[track])
            rest = [s for s in range(64) if occupied >> s & 1]
            for square in range(64):
                plane = planes.track_planes[track, square]
                if plane < 0:
                    assert square in rest
                    continue
                symmetry = planes.track_symmetry[track, square]
                stored = placement(pieces, planes.plane_squares[plane].tolist())
                images = {int(D4[symmetry, s]) for s in (square, *rest)}
                assert {s for _, s in stored} == images
                assert (man, D4[symmetry, square]) in stored
                copy = planes.track_mirrored[track, square]
                if copy >= 0:
                    assert planes.has_anchor
                    mirrored = placement(pieces, planes.plane_squares[copy].tolist())
                    diagonal = [(piece, s % 8 * 8 + s // 8) for piece, s in stored]
                    assert mirrored == sorted(diagonal)


def test_every_plane_is_met_by_every_mover(material):
    planes = make_planes(material)
    for mover in range(len(planes.mover_type)):
        first, last = planes.track_bounds[mover : mover + 2]
        met = {*planes.track_planes[first:last].ravel(), *planes.track_mirrored[first:last].ravel()}
        apart = [len({*row}) == len(row) for row in planes.plane_squares.tolist()]
        assert {plane for plane, is_apart in enumerate(apart) if is_apart} <= met


def test_the_anchor_stays_in_the_triangle():
    material = Material.from_name("KRKN")
    planes = make_planes(material)
    assert planes.has_anchor
    assert planes.block_count == len(TRIANGLE_SQUARES)
    anchor = [man for _, man in pieces_of(material)].index(planes.mover_type[0])
    assert {*planes.plane_squares[:, anchor].tolist()} == {*TRIANGLE_SQUARES}
    assert len(planes.plane_squares) == 10 * 64
    assert len(ALL_SYMMETRIES) == 8


def test_other_movers_stay_in_their_block():
    planes = make_planes(Material.from_name("KQRKN"))
    per_block = len(planes.plane_squares) // planes.block_count
    for mover in range(1, len(planes.mover_type)):
        first, last = planes.track_bounds[mover : mover + 2]
        for track in planes.track_planes[first:last]:
            assert len({*(track[track >= 0] // per_block)}) == 1


def test_of_two_mirrored_planes_one_is_a_copy(material):
    planes = make_planes(material)
    numbers = {tuple(row): plane for plane, row in enumerate(planes.plane_squares.tolist())}
    for row, plane in numbers.items():
        mirrored = numbers.get(tuple(square % 8 * 8 + square // 8 for square in row))
        apart = len({*row}) == len(row)
        transformed = planes.has_anchor and not material.has_pawns
        if transformed and apart and mirrored is not None and mirrored != plane:
            assert planes.is_copy[plane] == (mirrored < plane)
        else:
            assert not planes.is_copy[plane]


def test_values_lie_with_planes_of_their_own(material):
    planes = make_planes(material)
    own = []
    for plane, row in enumerate(planes.plane_squares.tolist()):
        mirrored = planes.mirrored[plane]
        if mirrored >= 0:
            assert planes.mirrored[mirrored] == plane
        if len({*row}) < len(row):
            assert planes.value_plane[plane] == -1
        elif planes.is_copy[plane]:
            assert planes.value_plane[plane] == planes.value_plane[mirrored]
        else:
            own.append(planes.value_plane[plane])
    assert own == list(range(len(own)))
