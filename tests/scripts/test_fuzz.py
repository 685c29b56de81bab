"""Fuzzing: changes can be repeated, and whatever goes wrong is noticed."""

import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

pytest.importorskip("uvicorn")

import fuzz
from fuzzing import hdf5
from fuzzing.checkers import SANITIZED, Checkers, compiler, run_in_c
from fuzzing.exported import Exported
from fuzzing.games import Games
from fuzzing.mutations import change_text, damage
from fuzzing.proofs import Proofs, packed, with_header
from fuzzing.published import NODE, Published
from fuzzing.regions import EDITS, Regions, make_regions
from fuzzing.rule_files import RuleFiles
from fuzzing.servers import Servers
from fuzzing.tables import LongTables, Tables
from fuzzing.target import FAILURE, REFUSED, RIGHT, Ended, Mutant, WrongAnswerError, run_command
from fuzzing.uci import FENS, Uci
from fuzzing.web import Web
from fuzzing.worker import Outcome, Worker, judge
from support.fuzzed import Failing, Wrong

ROOT = Path(__file__).parents[2]
SEEDS = range(20)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed in groups")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Return a folder with tables, as the targets make it."""
    base = tmp_path_factory.mktemp("fuzz")
    (base / "tables").mkdir()  # where the target of requests adds a table of shatranj
    for path in (ROOT / "data").glob("*.h5"):
        (base / "tables" / path.name).symlink_to(path)
    return base


@pytest.fixture(scope="module")
def tables(base):
    return Tables(base)


@pytest.fixture(scope="module")
def content(tables):
    return tables.valid()[0].data


# Changes


def test_damage_and_texts_are_the_same_for_the_same_numbers(content):
    for seed in SEEDS:
        once, again = (damage(random.Random(seed), content, [content]) for _ in range(2))
        assert once == again
        once, again = (change_text(random.Random(seed), b'{"a": 1, "b": 22}') for _ in range(2))
        assert once == again
    changed = {damage(random.Random(seed), content, [content])[1] for seed in SEEDS}
    assert len(changed) > len(SEEDS) / 2


def test_mutants_are_the_same_for_the_same_numbers(base, tables):
    # Requests and lines are made without what answers them.
    for target in (tables, LongTables(base), Uci.__new__(Uci), Web.__new__(Web)):
        mutants = [target.mutant(random.Random(seed)) for seed in SEEDS]
        assert mutants == [target.mutant(random.Random(seed)) for seed in SEEDS]
        assert len({mutant.data for mutant in mutants}) > len(SEEDS) / 2
        assert len({mutant.how for mutant in mutants}) > 3


@pytest.mark.thorough
def test_regions_are_the_same_for_the_same_numbers(tmp_path):
    paths = [next(make_regions(tmp_path / name).iterdir()) for name in "ab" if not
             (tmp_path / name).mkdir()]  # fmt: skip
    once, again = (path.read_bytes() for path in paths)
    assert once == again
    for edit in EDITS.values():
        changed = [hdf5.rewrite(random.Random(3), once, edit) for _ in range(2)]
        assert changed[0] == changed[1] != once


def test_checksums_of_metadata_are_found_and_made_right(tmp_path, content):
    blocks = hdf5.sealed_blocks(content)
    assert len(blocks) >= content.count(b"OHDR") + 1
    path = tmp_path / "KRK.h5"
    for seed in SEEDS:
        changed = hdf5.change_metadata(random.Random(seed), content)
        assert len(changed) == len(content)
        assert sum(a != b for a, b in zip(changed, content, strict=True)) <= 8
    start, end = blocks[1]  # the root
    place = content.index(b"all eight of the square", start, end)
    edited = bytearray(content)
    edited[place : place + 3] = b"not"
    path.write_bytes(edited)
    with h5py.File(path) as file, pytest.raises((OSError, RuntimeError, KeyError)):
        dict(file.attrs)
    hdf5.seal(edited, start, end)
    path.write_bytes(edited)
    with h5py.File(path) as file:
        assert file.attrs["symmetry"] == b"not eight of the square"


# Judging


def test_valid_tables_are_right(base, tables, tmp_path):
    for target in (tables, LongTables(base), Uci(base)):
        for mutant in target.valid():
            assert judge(target, mutant, tmp_path / "case") == RIGHT


@pytest.mark.skipif(NODE is None, reason="needs node, 20 or later")
def test_published_tables_are_read_by_the_reader(base, tmp_path, monkeypatch):
    target = Published(base)
    for number, mutant in enumerate(target.valid()):
        assert judge(target, mutant, tmp_path / f"case {number}") == RIGHT
    table = next(one for one in target.valid() if one.name == "KRK.h5")
    cut = table._replace(how="cut", data=table.data[:-1])
    assert judge(target, cut, tmp_path / "cut") == REFUSED
    changed = [target.mutant(random.Random(seed)) for seed in SEEDS]
    assert changed == [target.mutant(random.Random(seed)) for seed in SEEDS]
    monkeypatch.setattr(target, "_truths", [[1, 1] for _ in target._truths])
    with pytest.raises(WrongAnswerError, match=r"instead of \[1, 1\]"):
        judge(target, table, tmp_path / "wrong")


def test_a_wrong_value_with_right_checksums_is_noticed(tables, content, tmp_path):
    def edit(_, file):
        values = file["white_to_move/dtm"]
        values[:] = values[:] % 254 + 2  # another value everywhere, of the same kind

    wrong = Mutant("KRK.h5", "flip bits", hdf5.rewrite(random.Random(0), content, edit))
    with pytest.raises(WrongAnswerError, match="instead of"):
        judge(tables, wrong, tmp_path / "case")
    # The SHA-256 of all values tells, and nothing else is asked of it.
    assert judge(tables, wrong._replace(how="values"), tmp_path / "case") == REFUSED


def test_a_file_that_is_cut_short_is_refused(tables, content, tmp_path):
    cut = Mutant("KRK.h5", "cut", content[: len(content) // 2])
    assert judge(tables, cut, tmp_path / "case") == REFUSED


def test_an_engine_that_loses_its_way_is_noticed(base, tmp_path, monkeypatch):
    target = Uci(base)
    monkeypatch.setattr("fuzzing.uci.FENS", FENS[1:])
    with pytest.raises(WrongAnswerError, match="mate in 16"):
        judge(target, target.valid()[0], tmp_path / "case")


def test_commands_with_internal_errors_are_noticed(monkeypatch):
    run_command("info", "no such file")

    def fail(_):
        raise KeyError("lost")

    monkeypatch.setattr("tablebase.cli.commands.info.choose", fail)
    with pytest.raises(WrongAnswerError, match="ended with 70"):
        run_command("info")


# Proofs, rules, checkers, games, servers


NEW = (Proofs, RuleFiles, Checkers, Games, Servers)


@pytest.fixture(scope="module")
def targets(base):
    """Return the targets by kind, each made once; they judge in this process."""
    made = {kind: kind(base) for kind in NEW}
    yield made
    for target in made.values():
        target.close()


@pytest.mark.parametrize("kind", NEW, ids=lambda kind: kind.name)
def test_valid_input_of_strangers_is_right(kind, targets, tmp_path):
    target = targets[kind]
    for number, mutant in enumerate(target.valid()):
        assert judge(target, mutant, tmp_path / str(number)) == RIGHT
    changed = [target.mutant(random.Random(seed)) for seed in SEEDS]
    assert changed == [target.mutant(random.Random(seed)) for seed in SEEDS]
    assert len({mutant.data for mutant in changed}) > len(SEEDS) / 2
    assert len({mutant.how for mutant in changed}) > 2


def test_a_false_proof_that_is_accepted_is_noticed(targets, tmp_path, monkeypatch):
    target = targets[Proofs]
    won = next(one for one in target.valid() if b"white_wins" in one.data)
    with np.load(io.BytesIO(won.data)) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(arrays["header"].tobytes()) | {"fen": "7k/8/8/8/8/8/8/K7 w - - 0 1"}
    data = packed(with_header(arrays, json.dumps(header).encode()))
    false = Mutant(won.name, "claim", data)
    assert judge(target, false, tmp_path / "case") == REFUSED
    monkeypatch.setattr("check_proof.Part.check", lambda *_: None)
    with pytest.raises(WrongAnswerError, match=r"it accepted .*White wins: 7k/8/8/8/8/8/8/K7 w"):
        judge(target, false, tmp_path / "case")


def test_names_of_tables_that_are_printed_are_noticed(targets, tmp_path, monkeypatch):
    target = targets[Proofs]
    proof = target.valid()[1]
    monkeypatch.setattr("check_proof.printable", lambda text: f"{text}\x1b[32m")
    with pytest.raises(WrongAnswerError, match="control characters"):
        judge(target, proof, tmp_path / "case")


def test_rules_that_change_are_noticed(targets, tmp_path, monkeypatch):
    target = targets[RuleFiles]
    monkeypatch.setattr("fuzzing.rule_files.Rules.from_text", lambda *_: None)
    with pytest.raises(WrongAnswerError, match="others when read from a table"):
        judge(target, target.valid()[0], tmp_path / "case")


def test_a_checker_that_compares_nothing_is_noticed(targets, tmp_path, monkeypatch):
    target = targets[Checkers]
    table = target.valid()[0]
    monkeypatch.setattr("check_table.check", lambda *_: "0 positions, dtm right")
    with pytest.raises(WrongAnswerError, match="0 positions, dtm are right, and not"):
        judge(target, table._replace(how="cut"), tmp_path / "case")
    monkeypatch.setattr("check_table.check", lambda *_: "20 positions,  right")
    with pytest.raises(WrongAnswerError, match="the checker printed"):
        judge(target, table, tmp_path / "case")


@pytest.mark.skipif(compiler() is None, reason="needs a compiler of C with its sanitizers")
def test_wrong_values_that_a_checker_calls_right_are_noticed(targets, base, tmp_path, monkeypatch):
    def edit(_, file):
        for side in ("white_to_move", "black_to_move"):
            file[f"{side}/dtm"][:] = 255

    target = targets[Checkers]
    table = target.valid()[0]
    wrong = table._replace(how="values", data=hdf5.rewrite(random.Random(0), table.data, edit))
    assert judge(target, wrong, tmp_path / "case") == REFUSED
    right = run_in_c(base / "check_table", base / "tables" / table.name)
    said = right._replace(out=right.out.replace(str(base / "tables"), str(tmp_path / "case")))
    monkeypatch.setattr("fuzzing.checkers.run_in_c", lambda *_: said)
    monkeypatch.setattr("fuzzing.checkers.run_program", lambda *_: Ended(1, "", "different\n"))
    with pytest.raises(WrongAnswerError, match="has other values, and the checker calls it right"):
        judge(target, wrong, tmp_path / "case")


@pytest.mark.skipif(compiler() is None, reason="needs a compiler of C with its sanitizers")
def test_reports_of_the_sanitizers_are_noticed(tmp_path):
    source, program = tmp_path / "a.c", tmp_path / "a"
    source.write_text("int main(int n, char **a) { return 1 << (n - 3) & a[0][0]; }\n")
    subprocess.run([compiler(), *SANITIZED, "-o", program, source], check=True)
    with pytest.raises(WrongAnswerError, match="runtime error: shift exponent"):
        run_in_c(program, tmp_path)


def test_a_game_that_is_lost_is_noticed(targets, tmp_path, monkeypatch):
    from tablebase.annotate import pgn

    target, split = targets[Games], pgn.split_games
    monkeypatch.setattr(pgn, "split_games", lambda lines: list(split(lines))[1:])
    with pytest.raises(WrongAnswerError, match="game 0 is missing"):
        judge(target, target.valid()[0], tmp_path / "case")


def test_an_audit_that_compares_nothing_is_noticed(targets, tmp_path, monkeypatch):
    target = targets[Servers]
    nothing = Ended(0, "KRK: OK, 0 positions, 0 contradictions\n", "")
    monkeypatch.setattr("fuzzing.servers.run_command", lambda *_: nothing)
    with pytest.raises(WrongAnswerError, match="audit passes with KRK: OK, 0"):
        judge(target, target.valid()[0], tmp_path / "case")


def test_a_server_without_an_end_is_refused(targets, tmp_path):
    endless = Mutant("answer", "dribble", b"HTTP/1.1 200 OK\r\n\r\n{")
    assert judge(targets[Servers], endless, tmp_path / "case") == REFUSED


# Processes


def cases_of(*kinds):
    """Return cases of seed 1 of each kind, in order."""
    found = {}
    for case in range(200):
        kind = random.Random(f"1 failing {case}").choice(Failing.kinds)
        found.setdefault(kind, case)
    return [found[kind] for kind in kinds]


def attack(tmp_path, limit, *kinds):
    """Try cases of some kinds; return what became of them."""
    tally = fuzz.Tally("failing")
    trial = fuzz.Attack(tmp_path / "base", tmp_path / "keep", 1, limit)
    trial.base.mkdir()
    trial.run(Failing, tally, cases_of(*kinds), float("inf"))
    return tally, trial


def test_failures_are_noticed_and_kept(tmp_path):
    kinds = ("right", "wrong", "error", "exit", "crash", "refused")
    tally, trial = attack(tmp_path, 600, *kinds)
    assert tally.counts == {RIGHT: 1, REFUSED: 1, FAILURE: 4}
    told = {outcome.how: outcome.what for _, outcome in tally.failures}
    assert told["wrong"] == "1 instead of 2"
    assert told["error"].startswith("KeyError in fuzzed.py:")
    assert told["exit"].startswith("SystemExit in fuzzed.py:")
    assert told["crash"] == "the process ended with SIGSEGV"
    for case, outcome in tally.failures:
        kept = trial.keep / trial.name_of("failing", case) / "input"
        assert kept.read_bytes() == outcome.how.encode()


@pytest.mark.skipif(sys.platform != "linux", reason="memory is not bounded here")
def test_too_much_memory_is_noticed(tmp_path):
    tally, _ = attack(tmp_path, 600, "memory")
    assert [outcome.what.split()[0] for _, outcome in tally.failures] == ["MemoryError"]


def test_a_hang_is_noticed(tmp_path):
    tally, _ = attack(tmp_path, 0.1, "hang")
    assert [outcome.what for _, outcome in tally.failures] == ["no answer in 0.1 seconds"]


def test_a_process_that_is_left_behind_is_noticed(tmp_path):
    tally, _ = attack(tmp_path, 600, "child")
    assert [outcome.what for _, outcome in tally.failures] == ["a process was left behind"]


def test_wrong_answers_to_valid_input_are_noticed(tmp_path):
    with pytest.raises(RuntimeError, match="input is refused as it is"):
        Worker(Wrong, tmp_path, 1, 600)


@pytest.mark.thorough
@pytest.mark.parametrize("target", [Regions, Exported, Web], ids=lambda target: target.name)
def test_valid_input_is_right_and_nothing_stays_behind(base, target):
    worker = Worker(target, base, 1, 600)
    assert worker.ask(0).verdict in {RIGHT, REFUSED, FAILURE}
    assert worker.stop()


# The table


def test_the_table_and_how_to_try_again(tmp_path):
    tally = fuzz.Tally("tables")
    for case in range(3):
        tally.add(case, Outcome(REFUSED, "cut"))
    tally.add(3, Outcome(RIGHT, "cut"))
    for case in (4, 17):
        tally.add(case, Outcome(FAILURE, "splice", f"{case} instead of 2", "where"))
    lines = fuzz.in_columns([tally, fuzz.Tally("uci")])
    assert [line.split() for line in lines] == [
        ["target", "cases", "refused", "right", "failures"],
        ["tables", "6", "3", "1", "2"],
        ["uci", "0", "0", "0", "0"],
    ]
    told = fuzz.of_failures(tally, fuzz.Attack(tmp_path, Path("kept"), 5))
    assert told[0] == "2 x tables, splice: 4 instead of 2"
    assert told[1].endswith("fuzz.py --only tables --seed 5 --case 4")
    assert told[2].strip() == str(Path("kept", "tables-5-4"))
    assert len(told) == 5


@pytest.mark.thorough
def test_a_run_prints_the_table(tmp_path, capsys):
    found = fuzz.main(["--seconds", "1", "--only", "uci", "--keep", str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    assert found == 0
    assert lines[0] == "seed 1, 1 seconds"
    assert lines[-1].split()[0] == "uci"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("length", "count"), [(["--cases", "3"], 3), (["--seconds", "0"], 1), (["--cases", "0"], 0)]
)
def test_each_target_is_tried(length, count, tmp_path, capsys):
    """However slow the machine is; a target of which no case was tried has failed."""
    found = fuzz.main([*length, "--only", "uci", "proofs", "--keep", str(tmp_path)])
    out = capsys.readouterr().out
    assert out.splitlines()[1:3] == [f"{name}: {count} cases" for name in ("uci", "proofs")]
    assert (out.count(": no case was tried"), found) == ((0, 0) if count else (2, 1))
