"""Five ways of looking up find the same, and the tree is that of all images."""

from pathlib import Path

import measurement
import numpy as np
import pytest

from scripts import ways_of_looking_up as ways
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import read_table


def test_a_tree_has_one_node_for_equal_subtrees_and_ends_early():
    codes = np.zeros((64, 64), dtype=np.uint8)
    codes[1:3, 5], codes[3] = 7, 9
    nodes = ways.grown(codes.ravel(), 2)
    assert nodes.shape == (2, 64)  # of lines 1 and 2, which are equal, and the root
    root = nodes[-1]
    assert root[[1, 2]].tolist() == [0, 0]
    assert (~root[[0, 3]]).tolist() == [0, 9]
    assert (~nodes[0, [4, 5]]).tolist() == [0, 7]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KRK", "KPK"])
def test_all_ways_find_what_the_table_holds(name, monkeypatch):
    monkeypatch.setattr(ways, "WALKS", 5)
    monkeypatch.setattr(ways, "REPEATS", 1)
    material = Material.from_name(name)
    found = ways.measure(material)  # refuses ways that differ
    assert list(found) == ["reduced", "in turn", "copies", "expanded", "tree"]
    table = read_table(ways.DATA / f"{name}.h5")
    whole, there = ways.spread(material, table.white)
    random = np.random.default_rng(2)
    places = random.choice(np.flatnonzero(there), 200)
    squares = (places[:, None] // ways.WEIGHTS[-3:] % 64).astype(np.uint8)
    assert (whole[places] == table.white[table.index.encode_many(squares)]).all()
    starts, steps = ways.walks(there, 3)
    for man, square in steps[:, 0]:
        starts[0, man] = square
        assert there[starts[0] @ ways.WEIGHTS[-3:]]


def test_the_page_has_the_ratios_of_the_file():
    page = Path("docs/symmetry.md").read_text(encoding="utf-8")
    found = measurement.load("ways_of_looking_up")["results"].values()

    def span(way, key, digits):
        ratios = [one[way][key] / one["reduced"][key] for one in found]
        return f"{min(ratios):.{digits}f} to {max(ratios):.{digits}f} times"

    for way, begin in (
        ("in turn", "| try the images"),
        ("copies", "| keep all images"),
        ("expanded", "| expand the table"),
        ("tree", "| build all images"),
    ):
        (row,) = (line for line in page.splitlines() if line.startswith(begin))
        assert f"takes {span(way, 'ns', 1)} as long" in row
        assert way in ("in turn", "copies") or f"{span(way, 'bytes', 0)} the memory" in row
