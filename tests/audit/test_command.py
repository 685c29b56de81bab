"""``tablebase audit`` of what others answer."""

import json
import shlex
from pathlib import Path

import pytest

from tablebase.cli.program import main

DATA = Path(__file__).parents[2] / "data"
THEIRS = Path(__file__).parents[1] / "data"
SYZYGY = f"--prober chess.syzygy:open_tablebase {shlex.quote(str(THEIRS / 'syzygy'))}"


WAITING = "checking tables of others", "asking about KRK"  # said where it takes long


def run(capsys, arguments):
    code = main(["audit", *shlex.split(arguments)])
    return code, *capsys.readouterr()


def refused(capsys, arguments):
    try:
        code, out, err = run(capsys, arguments)
    except SystemExit as error:
        code, (out, err) = error.code, capsys.readouterr()
    assert (code, out) == (2, "")
    (line,) = [one for one in err.splitlines() if not one.endswith(WAITING)]
    return line


def test_python_chess_is_right(capsys):
    code, out, _ = run(capsys, f"KRK KPvK {SYZYGY} --sample 24 --dir {DATA}")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "KRK: OK, 24 positions, 0 contradictions"
    assert lines[1] == "  tables: 24 compared, 0 differences"
    assert lines[2].startswith("  asked: probe_wdl, probe_dtz of ")
    assert lines[3].startswith("  kinds: capture 2, check 2, checkmate 2, ")
    assert "longest dtz" in lines[4]
    assert lines[5].startswith("KPK: OK, ")


def test_without_tables_of_ours(tmp_path, capsys):
    arguments = f"KRK {SYZYGY} --sample 24 --seed 2 --exact --dir {tmp_path} --json"
    code, out, _ = run(capsys, arguments)
    assert code == 0
    (found,) = json.loads(out)
    ended = found["positions"]["checkmate"] + found["positions"]["stalemate"]  # need no table
    assert (found["material"], found["passed"], found["compared"]) == ("KRK", True, ended)
    assert sum(found["positions"].values()) == found["answered"] == 24
    assert found["asked"] == ["probe_wdl", "probe_dtz"]
    assert found["findings"] == []


@pytest.fixture
def liar(tmp_path):
    """Return the file of a prober that calls all wins of White longer."""
    path = tmp_path / "liar.py"
    path.write_text(
        "import tablebase\n"
        "class Liar:\n"
        "    def __init__(self, folder):\n"
        "        self.tables = tablebase.open_tablebase(folder)\n"
        "    def probe_dtm(self, board):\n"
        "        plies = self.tables.probe_dtm(board)\n"
        "        return plies + 2 * (plies > 0 and board.turn)\n"
        "    def close(self):\n"
        "        self.tables.close()\n"
        "        print('closed')\n"
        "no_function = 7\n"
        "def fails(argument):\n"
        "    raise RuntimeError('never\\nworks')\n"
    )
    return path


def test_the_first_contradiction_is_shown_with_its_moves(liar, capsys):
    code, out, _ = run(capsys, f"KRK --prober {liar}:Liar {DATA} --sample 24 --dir {DATA}")
    assert code == 1
    lines = out.splitlines()
    assert lines[0].startswith("KRK: WRONG, 27 positions, ")
    assert "; its moves give " in lines[5]
    assert lines[6].startswith("    after ")
    assert ": dtm " in lines[6]
    assert lines[-1] == "closed"
    code, out, _ = run(capsys, f"KRK --prober {liar}:Liar {DATA} --sample 24 --json --dir {DATA}")
    assert code == 1
    (found,) = json.loads(out.removeprefix("closed\n"))
    first = found["findings"][0]
    assert not found["passed"]
    assert found["contradicting"] >= len(found["findings"]) / 2
    assert first["answer"]["probe_dtm"]
    assert {type(move["answer"]["probe_dtm"]) for move in first["moves"]} == {int}


@pytest.fixture
def alone(tmp_path):
    """Return the file of a prober that never knows a position after a move."""
    path = tmp_path / "alone.py"
    path.write_text(
        "import chess\n"
        "class Alone:\n"
        "    def __init__(self, known):\n"
        "        self.known, self.asked = int(known), 0\n"
        "    def probe_wdl(self, board):\n"
        "        self.asked += 1\n"
        "        if self.asked > self.known:\n"
        "            raise KeyError(board.fen())\n"
        "        return 0\n"
        "class Fails:\n"
        "    def __init__(self, _):\n"
        "        pass\n"
        "    def probe_dtm(self, board):\n"
        "        raise RuntimeError('\\x1b[32mOK\\n: right')\n"
        "class Endless(Fails):\n"
        "    def probe_dtm(self, board):\n"
        "        return float('inf')\n"
    )
    return path


def test_answers_that_nothing_is_held_against_are_no_success(alone, tmp_path, capsys):
    arguments = f"KQKQ --prober {alone}:Alone 1 --sample 1 --dir {tmp_path}"
    code, out, err = run(capsys, arguments)
    assert code == 2
    first = "KQKQ: NOT CHECKED, 1 position (1 of them without a value after any move)"
    assert out.startswith(first)
    assert "no value after a move of any position of KQKQ: check that 1 has these tables" in err
    code, out, _ = run(capsys, f"{arguments} --json")
    (found,) = json.loads(out)
    assert (code, found["passed"], found["answered"], found["judged"]) == (2, False, 1, 0)


@pytest.mark.parametrize("name", ["Fails", "Endless"])
def test_what_a_prober_says_is_not_printed_as_it_is(name, alone, tmp_path, capsys):
    code, out, _ = run(capsys, f"KQKQ --prober {alone}:{name} 1 --sample 2 --dir {tmp_path}")
    assert code == 1
    assert out.startswith("KQKQ: WRONG")
    assert out.replace("\n", "").isprintable()
    assert not [line for line in out.splitlines() if line.startswith(": right")]


@pytest.mark.thorough
def test_a_server(capsys, monkeypatch):
    pytest.importorskip("starlette")
    from support.browsing import serving

    from tablebase.audit import prober_server

    monkeypatch.setattr(prober_server, "PAUSE", 0.0)
    with serving(DATA) as address:
        code, out, _ = run(capsys, f"KRK --server {address} --exact --dir {DATA} --sample 12")
    assert code == 0
    assert out.startswith("KRK: OK, 13 positions, 0 contradictions\n  tables: 13 compared, 0 diff")


@pytest.fixture
def exploding(tmp_path):
    """Return the file of two probers of atomic chess, of which one calls wins longer."""
    path = tmp_path / "exploding.py"
    path.write_text(
        "import chess.variant, tablebase\n"
        "from tablebase.core.rules.rule_files import built_in_rules\n"
        "class Right:\n"
        "    variant = chess.variant.AtomicBoard\n"
        "    def __init__(self, folder):\n"
        "        self.tables = tablebase.open_tablebase(folder, rules=built_in_rules()['atomic'])\n"
        "    def probe_dtz(self, board):\n"
        "        return self.tables.probe_dtz(board)\n"
        "    def close(self):\n"
        "        self.tables.close()\n"
        "class Wrong(Right):\n"
        "    def probe_dtz(self, board):\n"
        "        value = super().probe_dtz(board)\n"
        "        return value + 2 * (value > 0)\n"
    )
    return path


def test_a_prober_of_atomic_chess(exploding, atomic_dir, capsys):
    asked = f"{atomic_dir} --rules atomic --dir {atomic_dir} --sample 24"
    code, out, _ = run(capsys, f"KQK --prober {exploding}:Right {asked} --exact")
    assert code == 0
    assert out.startswith("KQK: OK, 24 positions, 0 contradictions\n  tables: 24 compared, 0 diff")
    code, out, _ = run(capsys, f"KQK --prober {exploding}:Wrong {asked}")
    assert code == 1
    assert "its moves give " in out
    boards = f"KQK --prober chess.syzygy:open_tablebase {THEIRS / 'syzygy'} --rules atomic"
    assert "KQK is of atomic, but the prober reads Board: give it" in refused(capsys, boards)


@pytest.mark.thorough
def test_a_server_of_atomic_chess(atomic_dir, capsys, monkeypatch):
    pytest.importorskip("starlette")
    from support.browsing import serving

    from tablebase.audit import prober_server

    monkeypatch.setattr(prober_server, "PAUSE", 0.0)
    with serving(atomic_dir) as address:
        asked = f"KQK --server {address} --exact --dir {atomic_dir} --sample 12"
        code, out, _ = run(capsys, f"{asked} --rules atomic")
        assert code == 0
        assert out.startswith("KQK: OK, 12 positions, 0 contradictions\n  tables: 12 compared, 0 ")
        for game in ("makruk", "racingkings"):
            asked = f"KRK --server {address} --rules {game}"
            assert f"no server answers for {game}" in refused(capsys, asked)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (f"{SYZYGY}", "name the materials to ask about, like KRK KQKR"),
        (f"KZK {SYZYGY}", "unknown material"),
        ("KRK --prober chess.syzygy x", "'chess.syzygy' does not name a prober: write MODULE:NAME"),
        ("KRK --prober no.such:name x", "no.such cannot be imported: No module named 'no'"),
        ("KRK --prober missing.py:name x", "missing.py cannot be imported: "),
        ("KRK --prober chess:name x", "chess has no function or class 'name'"),
        ("KRK --prober {liar}:no_function x", "has no function or class 'no_function'"),
        ("KRK --prober {liar}:fails x", ":fails cannot open 'x': never works"),
        ("KRK --prober builtins:str x", "builtins:str returned no prober: str has no probe_wdl"),
        ("KRK --prober chess.gaviota:open_tablebase missing", "cannot open 'missing'"),
        ("KRK --server nowhere", "'nowhere' is not the address of a server"),
        (f"KRK --syzygy x {SYZYGY}", "not allowed with argument"),
        ("KRK", "one of the arguments --syzygy --gaviota --prober --server is required"),
        ("KRK --syzygy x --sample 7", "--sample, --seed and --exact need --prober or --server"),
        ("KRK --gaviota x --exact", "--sample, --seed and --exact need --prober or --server"),
        (f"KRK {SYZYGY} --sample 0", "0 is out of range: choose from 1 to"),
    ],
)
def test_what_cannot_be_done(arguments, message, liar, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert message in refused(capsys, arguments.format(liar=liar))


def test_nothing_is_right_of_which_nothing_is_known(capsys):
    code, out, err = run(capsys, f"KRRK KRK {SYZYGY} --sample 12")
    assert code == 2
    assert "KRRK: NOT CHECKED, 0 positions (12 others without a value)" in out
    assert "KRK: OK" in out
    assert "no value of any position of KRRK: check that" in err
