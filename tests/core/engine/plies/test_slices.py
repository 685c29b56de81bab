"""Slices: what is reported, and told about wrong sub-tables."""

import numpy as np
import pytest

from tablebase.core.board.geometry import Color
from tablebase.core.engine.driver import solve
from tablebase.core.engine.running import Progress
from tablebase.core.engine.sets import values
from tablebase.core.index.legality import is_legal, mark_slots
from tablebase.core.outcomes.codes import SIGNED_PLIES
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material
from tablebase.core.tables.table import Table, TablePart, fixed_outcomes


def test_report_tells_slices(solved):
    seen = []
    material = Material.from_name("KPKP")
    solve(material, solved, report=seen.append)
    slices = solved[material].index.slices
    assert seen[-1] == Progress(slices, slices, seen[-1].ply)


class Stop(Exception):  # noqa: N818
    """What a caller raises to stop."""


def test_a_report_may_stop_the_work(solved):
    def stop(_):
        raise Stop

    with pytest.raises(Stop):
        solve(Material.from_name("KQKR"), solved, threads=2, report=stop)


def test_codes_of_another_size_are_refused():
    material = Material.from_name("KRK")
    codes = np.zeros(3, dtype=np.uint8)
    wrong = {Material.from_name("KK"): TablePart((codes, codes), fixed_outcomes(DTM))}
    with pytest.raises(ValueError, match="sub-table KK needs 462 codes"):
        solve(material, wrong)


def solved_after_promotions(solved, plies):
    """Return the table of KPK if all promotions lead to losses in some plies."""
    material = Material.from_name("KPK")
    subtables = {m: solved[m] for m in material.dependencies()}
    for name in ("KQK", "KRK", "KBK", "KNK"):
        queen = Material.from_name(name)
        black = np.full_like(solved[queen].black, plies)
        subtables[queen] = Table(queen, solved[queen].white, black)
    return solve(material, subtables)


def test_the_longest_distances_stay_apart_from_draws(solved):
    """Promotion wins in 253 plies here; what would take 255 has no code and becomes a draw."""
    white, black = solved_after_promotions(solved, 252).codes
    assert set(np.unique(white).tolist()) == {253, 255}
    assert set(np.unique(black).tolist()) == {254, 255}


def test_promotions_to_the_longest_distances_of_a_byte_win_in_the_next_epoch(solved, monkeypatch):
    monkeypatch.setattr(values, "SHORT_MEN", {})
    near, far = (solved_after_promotions(solved, plies) for plies in (100, 254))
    marks = mark_slots(far.index)
    for color, codes, others in zip(Color, far.codes, near.codes, strict=True):
        legal = is_legal(marks, color)
        plies, of_others = SIGNED_PLIES[codes[legal]], SIGNED_PLIES[others[legal]]
        assert np.array_equal(plies, of_others + 154 * np.sign(of_others))
        assert np.abs(plies).max() > 254
