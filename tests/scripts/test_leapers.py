"""All leapers are there once, and the saved results are those of tables."""

import sys

import leapers
import pytest
from measurement import load

MULLER = "1,1+1,0+0,1+0,-1+-1,1"  # a gold general without two steps


def saved(name):
    """Return the saved results of leapers of five moves, by what they are kept for."""
    found = load("leapers")["results"]["5"][name]
    return {leapers.written(row[0]): leapers.Result(*row) for row in found}


def test_every_leaper_is_there_once():
    """By Burnside's lemma: of the 24 squares a turn keeps none, a mirror image four."""
    assert [sum(1 for _ in leapers.leapers(moves)) for moves in (1, 2, 3)] == [5, 44, 275]
    counts = [one["count"] for one in load("leapers")["results"].values()]
    assert counts == [5, 44, 275, 1391, 5423]


def test_saved_results_are_those_of_the_design():
    results = load("leapers")["results"]
    assert [one["over_half"] for one in results.values()] == [0, 0, 0, 0, 26]
    four = leapers.Result(*results["4"]["best"][0])
    assert (four.won, four.positions, four.plies) == (8569, four.positions, 75)
    (best, *_), (slowest, second, *_) = (list(saved(name).values()) for name in ("best", "slowest"))
    assert (round(best.share, 3), best.plies) == (0.965, 151)
    assert (round(slowest.share, 3), slowest.plies) == (0.946, 283)
    assert (round(second.share, 3), second.plies) == (0.871, 257)


def test_a_leaper_is_solved_again():
    """With its image, which wins as often."""
    found = leapers.measure(leapers.read(MULLER))
    image = leapers.images_of(leapers.read(MULLER))[0]
    assert (found.won, found.positions, found.plies) == (182297, 209040, 135)
    again = saved("within_king")[leapers.written(image)]
    assert again[1:] == found[1:]


def test_a_named_leaper_is_printed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["leapers.py", "1,0"])
    assert leapers.main() == 0
    assert capsys.readouterr().out == "1,0: 0.0% won, 0 moves (0 plies)\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["3,0"], "3,0 is no leaper: write squares like 0,1+1,0, up to 2 away"),
        (["1"], "1 is no leaper"),
        (["x"], "is no leaper"),
        (["--save", "1,0"], "--save keeps the results of all leapers: name none"),
        (["--save", "--moves", "2"], "--save keeps the results of all leapers: name none"),
    ],
)
def test_refusals(monkeypatch, capsys, arguments, message):
    monkeypatch.setattr(sys, "argv", ["leapers.py", *arguments])
    with pytest.raises(SystemExit) as end:
        leapers.main()
    assert end.value.code == 2
    assert message in capsys.readouterr().err
