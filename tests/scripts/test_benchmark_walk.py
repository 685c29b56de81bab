"""The comparison of walks runs, all ways read the same; no time is asserted."""

import json
from pathlib import Path

import numpy as np
import pytest

from scripts import benchmark_walk
from tablebase.core.answers.opening import open_tablebase
from tablebase.core.board.symmetry import D4
from tablebase.core.rules.material import Material

ROOT = Path(__file__).parents[2]


def test_copies_are_the_images_of_each_square():
    bytes_of = benchmark_walk.COPIES.view(np.uint8).reshape(64, 8)
    assert (bytes_of == D4.T).all()


@pytest.mark.parametrize("name", ["KRK", "KPK"])
def test_one_man_moves_in_each_step(name):
    material = Material.from_name(name)
    with open_tablebase(ROOT / "data") as tablebase:
        starts, steps, positions = benchmark_walk.make_walks(tablebase, material, 20, 30)
        _, valid = tablebase.probe_dtm_many(positions.reshape(-1, 3), material, turn=True)
    assert valid.all()
    before = starts
    for step in range(30):
        moved = before.copy()
        moved[np.arange(20), steps[step, :, 0]] = steps[step, :, 1]
        assert (moved == positions[:, step]).all()
        assert ((moved != before).sum(axis=1) <= 1).all()
        before = moved
    assert (positions[:, 1:] != positions[:, :-1]).any(axis=2).mean() > 0.9


@pytest.mark.programs
def test_all_ways_are_measured_and_agree(monkeypatch, capsys):
    monkeypatch.setattr(benchmark_walk, "LOOKUP_MATERIALS", ("KRK", "KPK"))
    few = ["--walks", "20", "--length", "30", "--repeats", "1", "--dir", str(ROOT / "data")]
    benchmark_walk.main([*few, "--json"])  # fails if one way reads another value
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["walk KRK", "walk KPK"]
    for lines in found.values():
        assert [line["what"].partition(" ")[2] for line in lines] == list(benchmark_walk.WAYS)
        assert all(line["seconds"] > 0 for line in lines)
