"""The programs in examples/ run, and print what is so."""

import random
import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import chess
import h5py
import numpy as np
import pytest
from measurement import load
from support.few import slow
from support.random_positions import random_board

from tablebase import Material, load_table, solve_position
from tablebase.core.answers.canonical import slot_of
from tablebase.core.building.generator import generate
from tablebase.finding.orbit_keys import orbit
from tablebase.finding.trials import trial

ROOT = Path(__file__).parents[1]
EXAMPLES = {
    "batch_probing": "100.0% won by the rook",
    "best_move": "Rg1# 1-0",
    "bisimulation": '"sets": [1, 1], "numbers": [462, 462]',
    "check_proof": "Black wins: 8/8/8/3pK3/2kP4/8/8/8 w - - 0 1",
    "check_table": "KK.h5: 462 positions, dtm and dtz and white_mates and black_mates right",
    "hardest_positions": "mate in 28 moves",
    "krkopt": "SHA-256 497b61d20d3d9e2ce310f9f4d2ca92dbdb0691d9e449d983ec6f7baf387dc7a9",
    "orbits": "0x24895e9196c7d366 train",
    "own_table": "1. ",
    "rules_of_thumb": "KRPKR: no table in",
    "three_kings": '{"board": "49", "quiet": 407782, "won": 407782}',
}


# What they take, if not a folder of tables.
OTHERS = {
    "bisimulation": ["chess", "KK"],
    "check_table": [ROOT / "data/KK.h5"],
    "orbits": [],
    "three_kings": ["49"],
}
# Those of other programs' readers are no programs, see test_example_probers.py; what asks readers
# and adjudicators has tests of its own, see test_example_conformance.py and test_adjudication.py.
PROGRAMS = sorted(
    path.stem
    for path in (ROOT / "examples").glob("*.py")
    if path.stem not in ("adjudicator", "conformance") and not path.stem.endswith("_prober")
)


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROGRAMS)
def test_example(name, tmp_path):
    others = OTHERS | {"own_table": [tmp_path]}
    if name == "check_proof":
        others[name] = [tmp_path / "a.proof"]
        solve_position(chess.Board("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"), proof=others[name][0])
    arguments = others.get(name, [ROOT / "data"])
    command = [sys.executable, ROOT / "examples" / f"{name}.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert EXAMPLES[name] in done.stdout
    assert not done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KPK", slow("KBPK"), slow("KBNK"), slow("KQKP")])
def test_rules_of_thumb_are_those_that_were_tried(monkeypatch, capsys, tmp_path, name):
    """Those of five men were tried by the same conditions."""
    monkeypatch.syspath_prepend(ROOT / "examples")
    import rules_of_thumb

    tried = load("rules-of-thumb")["results"]["rules"]
    assert [rule.name for rule in rules_of_thumb.RULES] == [*tried]
    folder = ROOT / "data"
    if name != "KPK":
        folder = tmp_path
        generate([Material.from_name(name)], folder)
    rules_of_thumb.main(folder, name)
    printed = capsys.readouterr().out
    found = re.findall(
        rf"^{name}, (\w+): ([\d,]+) positions, .* ([\d,]+) exceptions", printed, re.MULTILINE
    )
    assert found == [
        (one["claims"], f"{one['positions']:,}", f"{one['exceptions']:,}")
        for one in tried.values()
        if one["material"] == name
    ]


def test_orbits_are_those_of_the_program(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    import orbits

    rng = random.Random(3)
    for name in ("KRK", "KPKP", "KBNKQ") * 20:
        board = random_board(rng, Material.from_name(name))
        assert orbit(board) == orbits.orbit_of(board)
    assert orbits.split_of(0x24895E9196C7D366, seed=2) == "valid"


@pytest.mark.thorough
def test_rules_that_a_search_found_are_never_wrong(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    import rules_of_thumb

    page = " ".join((ROOT / "docs" / "rules-of-thumb.md").read_text(encoding="utf-8").split())
    for one in load("rules-of-thumb")["results"]["search"]:
        condition = rules_of_thumb.in_full(one["rule"])
        found = trial("KPK", condition, "win", ROOT / "data").total
        assert (found.exceptions, found.positions) == (0, one["positions"])
        assert f"{found.coverage:.2%}" in page


def run_in_node(*arguments):
    return subprocess.run(
        ["node", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(which("node") is None, reason="needs node")
@pytest.mark.parametrize("name", ["KK", "KRK", "KNNK", "KRNK"])
def test_a_reader_in_another_language(name):
    """It finds what `slot_of` says, by what docs/format.md says."""
    if run_in_node("--eval", "import('h5wasm/node')").returncode:
        pytest.skip("needs the package h5wasm: npm install h5wasm")
    path = ROOT / "data" / f"{name}.h5"
    positions = load_table(name, ROOT / "data").positions(
        images="all", turn=True if name == "KK" else None
    )
    choice = np.random.default_rng(3)
    boards = [one.board() for one in positions[choice.integers(0, len(positions), 60)]]
    read = run_in_node("examples/read_table.mjs", path, *(board.fen() for board in boards))
    assert read.returncode == 0, read.stderr
    with h5py.File(path) as file:
        for board, line in zip(boards, read.stdout.splitlines(), strict=True):
            _, dataset, slot = slot_of(board)
            assert line == f"{dataset[0]} {slot} {file[dataset][slot]}", board.fen()


def test_the_reader_in_another_language_is_short():
    assert len((ROOT / "examples/read_table.mjs").read_text().splitlines()) <= 30
