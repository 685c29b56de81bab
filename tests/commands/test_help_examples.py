"""Every example of every help does what it promises, in a folder that has what it needs."""

import _thread
import io
import os
import re
import shlex
import threading
import urllib.request
import webbrowser
from contextlib import contextmanager
from pathlib import Path

import pytest
from support import in_process
from support.waiting import PATIENCE

from tablebase.cli.program import main, make_parser
from tablebase.core.building.generator import generate
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.rules.material import Material
from tablebase.serve import server

STRATEGIES = Path(__file__).parents[2] / "examples/strategies"
MATE_IN_16 = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
# What is not run, and why.
NOT_RUN = {
    "build KQKR KPPKP": "tables of five men take minutes",
    "publish site KRPKR --dir tables": "needs a table of five men",
    "publish site --rules shatranj": "needs tables of another game",
    "find KPK --never white --turn black": "needs helpmates",
    "find KQKN --helpmate 3 --unique --dir tables": "needs helpmates",
    'probe --flag black "8/8/8/8/8/2k5/1n6/KQ6 b - - 0 1"': "needs helpmates",
    "mcp": "waits for a client of its protocol",
    "mcp --dir ~/tables": "as well",
    "verify KRBKR --sample 100000": "needs a table of five men",
    "audit KRPKNP --server https://tablebase.lichess.ovh": "asks a server of others",
}
# What takes long, or all tables of four men.
SLOW = {
    *("report --out reports", "report --no-butterfly"),
    "report --explorer http://127.0.0.1:8080/",
    *("build --men 4 --dir tables", "publish site --men 4", "count KRPKR --csv"),
    *("count KRPPKRPP --json", "count --men 5", "report KQKR --markdown"),
    *("build --men 5 --estimate", "butterfly KRK --countermoves", "publish site", "plan --men 5"),
    *("solve --moves --budget 30m 8/5kpp/5p2/8/5P2/6PP/5K2/8", "info --sort zugzwangs --csv"),
    "audit KRK --prober chess.syzygy:open_tablebase syzygy",
    *("verify", "export --syzygy syzygy", "export --syzygy syzygy --rounded"),
    *("find KPK --result win --only-move --moves 10:15 --format pgn", "verify KRKP --castling"),
    *("find KRKP --best underpromotion --format epd", "verify KQKR mine/KRKN.h5"),
    *("publish site --base https://host.example/tables/", "publish site --men 4 --no-tables"),
}
THOROUGH = re.compile(
    "(audit|butterfly|plan|prove|solve) |find .*(html|sample)|export .*atomic"
)  # whose examples take seconds
# What an example reads, by name.
FILES = {
    "game.pgn": f'[FEN "{MATE_IN_16}"]\n[SetUp "1"]\n\n1. Kb1 Kd4 *\n',
    "positions.epd": f"{MATE_IN_16}\n8/8/8/8/8/2k5/1R6/K7 b - -\n",
    "mine.ini": "[fairy:chess]\nmaxRank = 6\nmaxFile = f\n",
    "mine.py": "def push(board):\n    return [next(iter(board.legal_moves))]\n",
    "mine.toml": (STRATEGIES / "kpk.toml").read_text(encoding="utf-8"),
    "examples/strategies/krk_bratko.toml": (STRATEGIES / "krk_bratko.toml").read_text("utf-8"),
}
# What ends with another code than 0: a strategy that is refuted.
CODES = {
    "prove KPK mine.py:push --goal promotion --pgn out.pgn": 1,
    "prove KPK mine.toml --start 'white_pawn.rank < 6'": 1,
}
# What is typed into an example, by its first words.
TYPED = {
    "annotate": FILES["game.pgn"],
    "probe": FILES["positions.epd"],
    "uci": "uci\nisready\nquit\n",
}
# Commands besides that make what examples read.
MADE_BEFORE = {
    "audit --syzygy": "export KRK KPK --syzygy syzygy",
    "audit KRK KPK --gaviota": "export KRK KPK --gaviota gaviota",
    "audit KRK --prober": "export KRK KPK --syzygy syzygy",
    "export --syzygy syzygy --rules atomic": "build KQK --rules atomic --dir data",
    "audit --syzygy syzygy --rules": "build KQK --rules atomic --dir data",
    "audit --syzygy syzygy --rules atomic": "export --syzygy syzygy --rules atomic",
}
NEEDED = {"--parquet": "pyarrow", "butterfly": "matplotlib", "report": "jinja2", "serve": "uvicorn"}


def examples():
    """Return the examples of all commands, as they are pasted, without the program's name."""
    (commands,) = [action.choices for action in make_parser()._actions if action.choices]
    found = []
    for parser in commands.values():
        lines = parser.format_help().partition("\nexamples:\n")[2].splitlines()
        own = [line.strip().partition("  ")[0] for line in lines if re.match(r"  \S", line)]
        assert own
        assert all(line.startswith("tablebase ") for line in own)
        found += [line.removeprefix("tablebase ") for line in own]
    return found


def test_every_exception_is_an_example():
    assert {*NOT_RUN, *SLOW, *CODES} <= set(examples())


def materials_in(texts):
    """Return the materials of up to four men that examples name."""
    names = re.findall(r"\bK[QRBNP]*K[QRBNP]*\b", " ".join(texts))
    return {Material.from_name(name).normalized() for name in names if len(name) <= 4}


@pytest.fixture(scope="session")
def named_tables(made_once):
    """Return a folder with the tables of these materials."""
    named = materials_in(examples())
    assert len(named) > 5
    return made_once("named", lambda folder: generate(named, folder, metrics=(DTM, DTZ)))


@pytest.fixture
def scratch(example, tmp_path, monkeypatch, named_tables, request):
    """Go to a folder with tables, as ``data`` and as ``tables``."""
    is_all = "--men 4" in example and example in SLOW
    tables = request.getfixturevalue("zeroing_dir") if is_all else named_tables
    for name in ("data", "tables"):
        (tmp_path / name).mkdir()
        for path in tables.glob("*.h5"):
            os.link(path, tmp_path / name / path.name)
    (tmp_path / "mine").mkdir()
    os.link(tables / "KRKN.h5", tmp_path / "mine/KRKN.h5")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLEBASE_PATH", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(webbrowser, "open", lambda _address: True)
    listen = server.listen
    monkeypatch.setattr(server, "listen", lambda host, _port: listen(host, 0))
    monkeypatch.setattr(server, "serve", ask)
    return tmp_path


def ask(app, _listener):
    """Serve as long as an answer takes."""
    with (
        in_process.serving(app) as address,
        urllib.request.urlopen(f"{address}/healthz", timeout=PATIENCE) as answer,
    ):
        assert answer.status == 200


@contextmanager
def limited():
    """Interrupt what takes so long that it hangs."""
    timer = threading.Timer(PATIENCE, _thread.interrupt_main)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def files_in(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def marks_of(example):
    if example in SLOW:
        return pytest.mark.slow
    return pytest.mark.thorough if THOROUGH.match(example) else ()


@pytest.mark.parametrize(
    "example",
    [pytest.param(one, marks=marks_of(one), id=one) for one in examples() if one not in NOT_RUN],
)
def test_an_example_runs(example, scratch, monkeypatch, capsys):
    for sign, package in NEEDED.items():
        if sign in example:
            pytest.importorskip(package)
    command, redirected, name = example.partition(" > ")
    for start, before in MADE_BEFORE.items():
        if example.startswith(start):
            assert main(shlex.split(before)) == 0
    typed = TYPED.get(example.partition(" ")[0], "")
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(typed.encode())), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", stdin)
    capsys.readouterr()
    before = files_in(scratch)
    with limited():
        code = main(shlex.split(command))
    captured = capsys.readouterr()
    assert code == CODES.get(example, 0), captured.out + captured.err
    assert "Traceback" not in captured.err
    if redirected:
        Path(name).write_text(captured.out)
    assert captured.out or files_in(scratch) != before
