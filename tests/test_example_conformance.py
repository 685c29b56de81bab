"""examples/conformance.py: right readers pass, and liars are found."""

import json
import shutil
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import chess
import chess.gaviota
import chess.syzygy
import pytest
from support.commands import python, served
from support.suite import program

import tablebase
from tablebase.core.rules.material import Material, generation_order
from tablebase.export.gaviota_writing import write_gaviota
from tablebase.export.syzygy_writing import write_syzygy

ROOT = Path(__file__).parents[1]
DATA, PROGRAM = ROOT / "data", ROOT / "examples" / "conformance.py"
STOCKFISH = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
THREE_MEN = generation_order([Material.from_name(name) for name in ("KPK", "KRK")])[1:]
RESULTS = {2: "win", 1: "cursed-win", 0: "draw", -1: "blessed-loss", -2: "loss"}
POSITIONS = [
    ("pawn", "8/8/8/1k6/8/8/K5P1/8 w - - 0 1"),
    ("pawn", "8/8/8/8/8/1P3k2/2K5/8 w - - 98 80"),
    ("pawn", "8/8/1k6/8/8/8/K5p1/8 w - - 0 1"),
    ("pawn", "k7/2P5/1K6/8/8/8/8/8 w - - 0 1"),
    ("rook", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"),
    ("rook", "8/8/8/8/3k4/8/1R6/K7 b - - 0 1"),
    ("rook", "8/8/8/8/8/2K5/1r6/k7 w - - 0 1"),
    ("queen", "7k/8/5KQ1/8/8/8/8/8 w - - 99 148"),
    ("queen", "7k/8/5KQ1/8/8/8/8/8 w - - 100 148"),
    ("checkmate", "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"),
    ("stalemate", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
    ("bishop", "8/8/8/3k4/8/8/1B6/K7 b - - 0 1"),
]
ENGINE = """import sys, chess
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "uci": print("id name liar\\noption name UCI_Chess960 type check\\nuciok")
    elif word == "isready": print("readyok")
    elif word == "position": board = chess.Board(" ".join(rest.split()[1:7]))
    elif word == "go":
        moves = sorted(map(board.uci, board.legal_moves)) or ["(none)"]
        print("{said}")
        print("bestmove", moves[{chosen}])
    elif word == "quit": break
    sys.stdout.flush()
"""


def line_of(number, kind, fen, tables):
    """Return a line of a suite, with what our tables say."""
    board = chess.Board(fen)
    ranked = tables.rank_moves(board)
    wdl, dtm, dtz = (getattr(tables, f"probe_{name}")(board) for name in ("wdl", "dtm", "dtz"))
    rule50 = ranked[0].wdl50 if ranked else tables.probe_wdl50(board)
    fastest = [one.move.uci() for one in ranked if one.wdl == wdl and one.dtm == dtm]
    return {
        "id": f"{kind}-{number:02}",
        "kind": kind,
        "fen": fen,
        "men": 3,
        "needs": [],
        "legal": sorted(map(board.uci, board.legal_moves)),
        "wdl": RESULTS[2 * int(wdl)],
        "wdl50": RESULTS[int(rule50)],
        "dtm": dtm,
        "dtz": dtz,
        "keeping": [one.move.uci() for one in ranked if one.wdl == wdl],
        "keeping_rule50": [one.move.uci() for one in ranked if one.wdl50 == rule50],
        "fastest_dtm": fastest if wdl and ranked else None,
        "fastest_dtz": None,
        "source": "own",
        "why": "The tables say so.",
    }


@pytest.fixture(scope="module")
def lines():
    with tablebase.open_tablebase(DATA) as tables:
        return [line_of(number, *one, tables) for number, one in enumerate(POSITIONS)]


@pytest.fixture
def suite(lines, tmp_path):
    return written(tmp_path / "positions.jsonl", lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with our Syzygy and Gaviota files."""
    target = tmp_path_factory.mktemp("exported")
    for material in THREE_MEN:
        write_syzygy(material, [DATA], target)
        write_gaviota(material, DATA / f"{material.name}.h5", target, threads=1)
    return target


@pytest.fixture
def run(suite, capsys):
    """Return a function that runs the program on the suite: exit code, output, errors."""
    module = program()

    def run(*arguments):
        code = module.main(["--suite", str(suite), *map(str, arguments)])
        return code, *capsys.readouterr()

    return run


def written(path, lines):
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def numbers_in(output):
    """Return the last line of the table: asked, right, wrong, no answer."""
    line = next(line for line in output.splitlines() if line.startswith("all "))
    return [int(number) for number in line.split()[1:]]


ALL_RIGHT = [len(POSITIONS), len(POSITIONS), 0, 0]


@pytest.mark.parametrize("what", ["syzygy", "gaviota"])
def test_right_files_pass(what, run, folder):
    code, output, errors = run(f"--{what}", folder)
    assert (code, numbers_in(output), errors) == (0, ALL_RIGHT, "")


@pytest.mark.parametrize("what", ["syzygy", "gaviota"])
def test_what_a_folder_lacks_is_no_fault(what, run, folder, tmp_path):
    for path in folder.iterdir():
        if path.name.lower().startswith("kr"):
            shutil.copy(path, tmp_path)
    code, output, _ = run(f"--{what}", tmp_path)
    asked, right, wrong, unanswered = numbers_in(output)
    assert (code, asked, wrong) == (0, len(POSITIONS), 0)
    assert right >= 3
    assert unanswered > 0


@pytest.mark.parametrize(
    ("kind", "method", "says"),
    [
        (chess.syzygy.Tablebase, "probe_wdl", "WDL -2, right is 2"),
        (chess.syzygy.Tablebase, "get_dtz", "DTZ -31, right is 31"),
        (chess.gaviota.PythonTablebase, "probe_wdl", "WDL -1, right is 1"),
        (chess.gaviota.PythonTablebase, "probe_dtm", "DTM -31, right is 31"),
    ],
)
def test_exchanged_signs_are_found(kind, method, says, run, folder, monkeypatch):
    right = getattr(kind, method)
    monkeypatch.setattr(kind, method, lambda self, board: -right(self, board))
    what = "gaviota" if kind is chess.gaviota.PythonTablebase else "syzygy"
    code, output, _ = run(f"--{what}", folder, "--failures", "99")
    assert code == 1
    fen = dict.fromkeys(fen for _, fen in POSITIONS if "1R6/K7 w" in fen)
    assert all(one in output for one in (says, *fen, "The tables say so."))


def test_a_wrong_move_alone_is_found(run, folder, lines, suite):
    """Only the moves tell that a reader is wrong a ply ahead."""
    lines = [one | {"keeping": one["legal"], "why": "No."} for one in lines if one["legal"]]
    written(suite, lines)
    code, output, _ = run("--syzygy", folder, "--failures", "1")
    assert code == 1
    assert "moves that keep the result" in output


def test_an_error_of_a_reader_is_a_fault(run, folder, monkeypatch):
    def fail(*_):
        raise IndexError("list index out of range")

    monkeypatch.setattr(chess.syzygy.Tablebase, "probe_wdl", fail)
    code, output, _ = run("--syzygy", folder)
    assert (code, numbers_in(output)) == (1, [len(POSITIONS), 0, len(POSITIONS), 0])
    assert "IndexError: list index out of range" in output


def test_the_server_passes(run):
    with served("--dir", DATA) as (_, address):
        code, output, _ = run("--server", address)
    assert (code, numbers_in(output)) == (0, ALL_RIGHT)


@contextmanager
def stub(answer, status=200):
    """Serve the same answer to all."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_):
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


DRAWN = {"checkmate": False, "stalemate": False, "category": "draw", "dtz": 0, "moves": []}


@pytest.mark.parametrize(
    ("answer", "status", "code", "numbers"),
    [
        (DRAWN, 200, 1, [12, 0, 12, 0]),
        (DRAWN | {"category": "unknown", "moves": None}, 200, 1, [12, 0, 12, 0]),
        ("failed", 500, 1, [12, 0, 12, 0]),
        ("missing", 404, 2, [12, 0, 0, 12]),
    ],
)
def test_servers_that_know_little(answer, status, code, numbers, run):
    with stub(answer, status) as address:
        found, output, errors = run("--server", address)
    assert (found, numbers_in(output)) == (code, numbers)
    assert ("nothing was answered" in errors) == (code == 2)


@pytest.mark.parametrize(
    ("said", "chosen", "code"),
    [("info score cp 0", 0, 1), ("info score cp 0", -1, 1), ("info score mate 1", 0, 1),
     ("info score mate -9", -1, 1), ("info score mate 1 upperbound", 0, 1)],
)  # fmt: skip
def test_engines_that_lie_are_found(said, chosen, code, run, tmp_path):
    script = tmp_path / "liar.py"
    script.write_text(ENGINE.format(said=said, chosen=chosen))
    found, output, _ = run("--engine", f"'{sys.executable}' '{script}'", "--failures", "99")
    assert found == code
    assert "bestmove" in output
    is_announced = "mate" in said and "bound" not in said
    assert ("  score mate" in output) == is_announced


def test_our_engine_passes(run):
    command = f"'{sys.executable}' -m tablebase uci --dir '{DATA}'"
    code, output, _ = run("--engine", command)
    assert (code, numbers_in(output)) == (0, ALL_RIGHT), output


@pytest.mark.thorough
@pytest.mark.skipif(not STOCKFISH, reason="stockfish is not installed")
def test_stockfish_passes(run, folder):
    code, output, _ = run("--engine", STOCKFISH, "--option", f"SyzygyPath={folder}")
    assert (code, numbers_in(output)) == (0, ALL_RIGHT), output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--syzygy", "nowhere"], "name the folder"),
        (["--gaviota", DATA], "name the folder"),
        (["--gaviota", ROOT / "tests/data/gaviota", "--libgtb", "none.so"], "shared library"),
        (["--engine", "no-such-engine"], "no UCI engine"),
        (["--engine", "x", "--option", "SyzygyPath"], "write NAME=VALUE"),
        (["--engine", ""], "no UCI engine"),
        (["--engine", "'"], "mend the quotes"),
        (["--server", ""], "write http://"),
        (["--server", "localhost"], "write http://"),
        (["--server", "http://127.0.0.1:1"], "is it running?"),
        (["--syzygy", DATA, "--suite", "none.jsonl"], "--suite"),
        (["--syzygy", DATA, "--suite", DATA / "SHA256SUMS"], "--suite"),
        (["--syzygy", DATA, "--men", "2"], "--men"),
        (["--syzygy", DATA, "--kind", "bishops"], "choose from bishop, "),
    ],
)
def test_bad_input_is_told_in_one_line(arguments, says, run):
    code, output, errors = run(*arguments)
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert says in errors


def test_a_line_that_lacks_something(run, lines, suite, folder):
    first = {key: value for key, value in lines[0].items() if key != "keeping"}
    written(suite, [first, *lines[1:]])
    assert run("--syzygy", folder)[::2] == (
        2,
        f"conformance.py: {suite}, line 1: no keeping: download the file again\n",
    )


def test_kinds_and_men_are_chosen(run, folder):
    code, output, _ = run("--syzygy", folder, "--kind", "rook", "--men", "3")
    assert (code, numbers_in(output)) == (0, [3, 3, 0, 0])


def test_it_knows_nothing_of_the_package():
    text = PROGRAM.read_text(encoding="utf-8")
    assert "import tablebase" not in text
    assert "from tablebase" not in text
    assert python(PROGRAM, "--help").returncode == 0


@pytest.mark.skipif(
    not (DATA / "conformance" / "positions.jsonl").exists(), reason="needs the suite"
)
def test_official_files_pass_the_suite():
    for what in ("syzygy", "gaviota"):
        done = python(PROGRAM, f"--{what}", ROOT / "tests" / "data" / what)
        assert done.returncode == 0, done.stdout + done.stderr
