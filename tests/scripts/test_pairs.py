"""All pairs of kinds have a game, and the saved results are those of tables."""

import sys
from itertools import combinations_with_replacement

import pairs
import pytest
from measurement import load

from tablebase.core.rules.rule_files import parse_rules


def test_every_pair_has_a_game():
    kinds = [set(names) for names in pairs.games().values()]
    assert len(pairs.KINDS) == 33
    for pair in combinations_with_replacement(pairs.KINDS, 2):
        assert any(set(pair) <= names for names in kinds)


def test_rules_have_the_moves_of_the_kinds():
    for game, names in pairs.games().items():
        rules = parse_rules(pairs.rules_text(game))[game]
        assert len(rules.letters) == 1 + len(names)  # and the king
        queen = "queen" in names and rules.letters[pairs.LETTERS[names.index("queen")]]
        assert not queen or len(rules.steps[queen]) == 8


def test_saved_results_are_those_of_the_design():
    saved = [pairs.Result(*row) for row in load("pairs")["results"]["pairs"]]
    assert [one[:2] for one in saved] == list(combinations_with_replacement(pairs.KINDS, 2))
    assert list(pairs.classes(saved).values()) == [482, 3, 27, 49]
    longest = {one[:2]: one.plies for one in saved}
    assert longest["DD", "DD"] == 163
    assert longest["wazir", "camel"] == 153
    assert longest["knight", "DD"] == 127
    assert longest["camel", "DD"] == 119
    assert longest["alfil", "WC"] == 115


def test_results_are_solved_again(monkeypatch, capsys, tmp_path):
    chosen = [("rook", "gnu"), ("ferz", "ferz")]
    saved = [pairs.Result(*row) for row in load("pairs")["results"]["pairs"]]
    found = list(pairs.solved_pairs(chosen))
    assert found == [one for one in saved if one[:2] in chosen]
    assert (found[1].positions, found[1].won, found[1].plies) == (772359, 26, 3)
    monkeypatch.setattr(sys, "argv", ["pairs.py", "--rules", str(tmp_path), "ferz+ferz"])
    assert pairs.main() == 0
    assert capsys.readouterr().out.startswith("ferz+ferz: 0.0% won, 2 moves (3 plies)\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "pairs1.ini", "pairs2.ini", "pairs3.ini",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rook"], "'rook' is not two of queen, "),
        (["rook+unicorn"], "'rook+unicorn' is not two of queen, "),
        (["--save", "rook+rook"], "--save keeps the results of all pairs: name none"),
    ],
)
def test_refusals(monkeypatch, capsys, arguments, message):
    monkeypatch.setattr(sys, "argv", ["pairs.py", *arguments])
    with pytest.raises(SystemExit) as end:
        pairs.main()
    assert end.value.code == 2
    assert message in capsys.readouterr().err
