"""The checkers of tables in examples/ know nothing of the package, and find every planted error."""

import ast
import importlib.util
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path
from shutil import copy, which

import chess
import h5py
import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"
IN_PYTHON, IN_C = ROOT / "examples/check_table.py", ROOT / "examples/check_table.c"
THREE_MEN = ["KK", "KBK", "KNK", "KPK", "KQK", "KRK"]
SAMPLE = ("--positions", "30", "--seed", "5")


def loaded():
    """Return check_table.py as a module, so that many files do not take many processes."""
    spec = importlib.util.spec_from_file_location("check_table", IN_PYTHON)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_table = loaded()


@pytest.fixture(params=["in Python", "in C"])
def check(request, monkeypatch, capsys):
    """Return a function that checks files: exit code, output and errors of one of the programs."""
    if request.param == "in C":
        program = request.getfixturevalue("program_in_c")

        def check(*paths):
            done = subprocess.run([program, *paths], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout, done.stderr

    else:

        def check(*paths):
            monkeypatch.setattr(sys, "argv", [str(IN_PYTHON), *SAMPLE, *map(str, paths)])
            try:
                code = check_table.main() or 0
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else 1
                if code == 1:  # Python would print it
                    sys.stderr.write(f"{stop.code}\n")
            for cached in (check_table.find, check_table.block):
                cached.cache_clear()
            return code, *capsys.readouterr()

    return check


def compile_command():
    """Return the command in the first comment of check_table.c."""
    (command,) = re.findall(r"^ \*     (cc .*) && ", IN_C.read_text(), re.MULTILINE)
    return command.split()


@pytest.fixture(scope="session")
def program_in_c(made_once):
    if which("cc") is None:
        pytest.skip("needs a compiler of C named cc")
    headers = ["cc", "-E", "-include", "zlib.h", "-x", "c", "/dev/null"]
    if subprocess.run(headers, capture_output=True, check=False).returncode:
        pytest.skip("needs zlib.h")

    def make(path):
        command = [str(path) if word == "check_table" else word for word in compile_command()]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    return made_once("check_table", make)


def test_it_is_compiled_with_warnings():
    assert {"-O2", "-Wall", "-Wextra", "-lz"} <= set(compile_command())


def test_the_checker_in_python_imports_nothing_of_the_package():
    tree = ast.walk(ast.parse(IN_PYTHON.read_text()))
    imports = [one for one in tree if isinstance(one, ast.Import | ast.ImportFrom)]
    names = {one.module for one in imports if isinstance(one, ast.ImportFrom)}
    names |= {alias.name for one in imports if isinstance(one, ast.Import) for alias in one.names}
    own = {name for name in names if name.partition(".")[0] not in sys.stdlib_module_names}
    assert own == {"chess", "h5py", "numpy"}
    assert not re.search(r"__import__|import_module|\btablebase\.", IN_PYTHON.read_text())


def test_the_checker_in_c_includes_the_standard_library_and_zlib():
    included = set(re.findall(r"#include (.*)", IN_C.read_text()))
    assert included == {f"<{name}.h>" for name in ("stdint", "stdio", "stdlib", "string", "zlib")}


@pytest.mark.parametrize(("path", "most"), [(IN_PYTHON, 200), (IN_C, 400)], ids=["Python", "C"])
def test_a_checker_is_short(path, most):
    lines = path.read_text().splitlines()
    assert len(lines) <= most
    assert max(map(len, lines)) <= 110


def test_honest_files_pass(check):
    code, output, errors = check(*(DATA / f"{name}.h5" for name in THREE_MEN))
    assert (code, errors) == (0, "")
    assert [line.split(":")[0] for line in output.splitlines()] == [
        str(DATA / f"{name}.h5") for name in THREE_MEN
    ]


@pytest.mark.parametrize("metric", ["dtm", "dtz", "both"])
def test_new_files_pass(metric, check, folders_by_metric):
    code, output, errors = check(folders_by_metric[metric] / "KPK.h5")
    assert (code, errors) == (0, ""), output


def test_all_positions_are_checked(program_in_c):
    """As many as python-chess calls legal, of images of each other some."""
    done = subprocess.run(
        [program_in_c, DATA / "KRK.h5"], capture_output=True, text=True, check=False
    )
    boards = check_table.positions(check_table.Table(DATA / "KRK.h5"), None)
    assert f" {sum(1 for _ in boards)} positions" in done.stdout


def with_epochs(folder):
    """Return a copy of KRK that has epochs, all of them zero."""
    for name in ("KK", "KRK"):
        copy(DATA / f"{name}.h5", folder)
    with h5py.File(folder / "KRK.h5", "r+", libver=("v110", "v110")) as file:
        file.attrs.modify("format_version", np.int64(4))
        for side in ("white_to_move", "black_to_move"):
            like = file[f"{side}/dtm"]
            file[side].create_dataset(
                "dtm_epoch", like.shape, "u1", chunks=like.chunks, compression=6, fletcher32=True
            )[:] = 0
    return folder / "KRK.h5"


@pytest.mark.parametrize("size", [17, 100, 20_000, 29_568])
def test_chunks_have_any_size(size, check, tmp_path):
    """The index of 1,740 chunks has pages."""
    for name in ("KK", "KRK"):
        copy(DATA / f"{name}.h5", tmp_path)
    path = tmp_path / "KRK.h5"
    datasets = [
        f"{side}_to_move/{metric}" for side in ("white", "black") for metric in ("dtm", "dtz")
    ]
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        for name in datasets:
            codes = file[name][:]
            del file[name]
            file.create_dataset(name, data=codes, chunks=(size,), compression=6, fletcher32=True)
    assert check(path)[0] == 0


def test_epochs_count(check, tmp_path):
    path = with_epochs(tmp_path)
    assert check(path)[0] == 0
    with h5py.File(path, "r+") as file:
        file["white_to_move/dtm_epoch"][:] = 1
    code, _, errors = check(path)
    assert code == 1
    assert "dtm" in errors


def test_captures_en_passant_count(zeroing_dir):
    metrics, differences = ["dtm", "dtz"], 0
    for white, black in ((chess.E2, chess.D4), (chess.A2, chess.B4), (chess.G2, chess.H4)):
        for kings in ((chess.E1, chess.E8), (chess.C3, chess.F5), (chess.H1, chess.A8)):
            board = chess.Board(None)
            for square, symbol in zip((*kings, white, black), "KkPp", strict=True):
                board.set_piece_at(square, chess.Piece.from_symbol(symbol))
            if chess.Move(white, white + 16) not in board.legal_moves:
                continue
            stored = check_table.values(zeroing_dir, board, metrics)
            assert stored == check_table.by_moves(zeroing_dir, board, metrics)
            board.push(chess.Move(white, white + 16))
            after = check_table.values(zeroing_dir, board, metrics)
            board.ep_square = None
            differences += after != check_table.values(zeroing_dir, board, metrics)
    assert differences


@pytest.mark.parametrize(
    ("name", "make", "said"),
    [
        ("KQK", lambda _: None, "no such file"),
        ("KQK", lambda path: copy(ROOT / "LICENSE", path), "KQK.h5"),
        ("KQK", lambda path: copy(DATA / "KRK.h5", path), "KQK"),
        ("KPK", lambda path: copy(DATA / "KPK.h5", path), "tablebase build"),
        ("KRK", lambda path: path.write_bytes((DATA / "KRK.h5").read_bytes()[:9000]), "KRK"),
    ],
    ids=["missing", "no table", "renamed", "without sub-tables", "cut off"],
)
def test_bad_input_is_one_line(name, make, said, check, tmp_path):
    copy(DATA / "KK.h5", tmp_path)
    path = tmp_path / f"{name}.h5"
    make(path)
    code, output, errors = check(path)
    assert (code, output) == (2, "")
    assert errors.count("\n") == 1
    assert said in errors
    assert str(path) in errors


def test_other_games_are_refused(check, tmp_path):
    copy(DATA / "KRK.h5", tmp_path)
    with h5py.File(tmp_path / "KRK.h5", "r+") as file:
        file.attrs.modify("format_version", np.int64(5))
    assert check(tmp_path / "KRK.h5")[0] == 2


@pytest.mark.slow
def test_all_tables_of_four_men_pass(check, zeroing_dir):
    code, output, errors = check(*sorted(zeroing_dir.glob("*.h5")))
    assert (code, errors) == (0, "")
    assert output.count("\n") == 36


def other_code(rng, code):
    return int(rng.choice([one for one in range(256) if one != code]))


def plant(number, folder):
    """Change the code of a position of the sample in a copy of a table; return path and FEN."""
    rng = np.random.default_rng(number)
    name = str(rng.choice(["KQK", "KRK", "KBK", "KNK", "KPK"]))
    folder.mkdir()
    for one in ("KK", "KQK", "KRK", "KBK", "KNK") if name == "KPK" else ("KK", name):
        copy(DATA / f"{one}.h5", folder)
    copy(DATA / f"{name}.h5", folder)
    path = folder / f"{name}.h5"
    table = check_table.Table(path)
    boards = [one.copy() for one in islice(check_table.positions(table, int(SAMPLE[3])), 30)]
    board = boards[rng.integers(len(boards))]
    slot = table.slot(check_table.men_of(board))
    table.file.close()
    dataset = f"{'white' if board.turn else 'black'}_to_move/{rng.choice(['dtm', 'dtz'])}"
    with h5py.File(path, "r+") as file:
        file[dataset][slot] = other_code(rng, file[dataset][slot])
    return path, board.fen()


def test_a_hundred_planted_errors_are_found(check, tmp_path):
    missed = []
    for number in range(100):
        path, fen = plant(number, tmp_path / str(number))
        code, output, errors = check(path)
        if code != 1 or output or errors.count("\n") != 1:
            missed.append((path, fen, code, output, errors))
        else:
            said = errors.removeprefix(f"{path}: ").split(": ")
            assert chess.Board(said[0]).king(chess.WHITE) is not None
            assert re.fullmatch(r"dt[mz] .*, but .* by its moves\n", said[1])
    assert not missed
