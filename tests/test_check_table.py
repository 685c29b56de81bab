"""The checkers of tables in examples/ know nothing of the package, and find every planted error."""

import ast
import re
import subprocess
import sys
import tracemalloc
import zlib
from collections import Counter
from itertools import islice
from pathlib import Path
from shutil import copy, which

import chess
import h5py
import numpy as np
import pytest
from fuzzing.checkers import compile_sanitized, compiler, run_in_c
from support.examples import example
from support.few import few

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"
IN_PYTHON, IN_C = ROOT / "examples/check_table.py", ROOT / "examples/check_table.c"
ALL_METRICS = "dtm and dtz and white_mates and black_mates"
THREE_MEN = ["KK", "KBK", "KNK", "KPK", "KQK", "KRK"]
SAMPLE = ("--positions", "30", "--seed", "5")


check_table = example("check_table")


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
            for cached in (check_table.find, check_table.chunk):
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


@pytest.fixture(scope="session")
def sanitized_in_c(made_once):
    """Return the program compiled with the sanitizers of memory and of undefined behaviour."""
    if compiler() is None:
        pytest.skip("needs a compiler of C with its sanitizers, and zlib.h")
    return made_once("check_table_sanitized", compile_sanitized)


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
    standard = ("ctype", "limits", "stdint", "stdio", "stdlib", "string")
    assert included == {f"<{name}.h>" for name in (*standard, "zlib")}


@pytest.mark.parametrize(("path", "most"), [(IN_PYTHON, 290), (IN_C, 445)], ids=["Python", "C"])
def test_a_checker_is_short(path, most):
    lines = path.read_text().splitlines()
    assert len(lines) <= most
    assert max(map(len, lines)) <= 110


def test_honest_files_pass(check):
    code, output, errors = check(*(DATA / f"{name}.h5" for name in THREE_MEN))
    assert (code, errors) == (0, "")
    for line, name in zip(output.splitlines(), THREE_MEN, strict=True):
        assert re.fullmatch(rf"(.*): [1-9]\d* positions, {ALL_METRICS} right", line)
        assert line.startswith(f"{DATA / name}.h5: ")


@pytest.mark.parametrize("metric", few(["dtm", "dtz", "both"], "both"))
def test_new_files_pass(metric, check, folders_by_metric):
    code, output, errors = check(folders_by_metric[metric] / "KPK.h5")
    assert (code, errors) == (0, ""), output
    assert output.endswith(f" positions, {'dtm and dtz' if metric == 'both' else metric} right\n")


@pytest.mark.thorough
def test_all_positions_are_checked(program_in_c, sanitized_in_c):
    """As many as python-chess calls legal, of images of each other some."""
    boards = check_table.positions(check_table.Table(DATA / "KRK.h5"), None)
    count = sum(1 for _ in boards)
    for program in (program_in_c, sanitized_in_c):
        done = run_in_c(program, DATA / "KRK.h5")
        assert done.out == f"{DATA / 'KRK.h5'}: {count} positions, {ALL_METRICS} right\n"


def all_drawn(path, *, black=True):
    """Make all values of a table draws, with all checksums of HDF5 right; return the data sets."""
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        for side in ("white_to_move", "black_to_move"):
            for metric in ("dtm", "dtz"):
                like = file[side][metric]
                options = {"chunks": like.chunks, "compression": 6, "fletcher32": True}
                codes = np.full(like.shape, 255, np.uint8)
                del file[side][metric]
                file[side].create_dataset(metric, data=codes, **options)
        if not black:
            del file["black_to_move"]


def without(*names):
    def make(path):
        with h5py.File(path, "r+") as file:
            for name in names:
                del file[name]

    return make


def with_attributes(**values):
    def make(path):
        with h5py.File(path, "r+") as file:
            for name, value in values.items():
                file.attrs.create(name, value, dtype=h5py.string_dtype("utf-8", len(value)))

    return make


def drawn_with(**values):
    def make(path):
        all_drawn(path)
        with_attributes(**values)(path)

    return make


# Of each, nothing or less than the file states would be compared.
EMPTY = {
    "no side of Black's": lambda path: all_drawn(path, black=False),
    "no metric of Black's": without("black_to_move/dtm"),
    "no metric of White's": without("white_to_move/dtm"),
    "no distances to zeroing": without("white_to_move/dtz", "black_to_move/dtz"),
    "no values at all": without("white_to_move", "black_to_move"),
    "no metrics": drawn_with(metrics=b" "),
    "metrics without a name": drawn_with(metrics=b"\0"),
    "fewer metrics": with_attributes(metrics=b"dtm"),
    "another order": with_attributes(metrics=b"dtz dtm"),
    "a metric twice": with_attributes(metrics=b"dtm dtm"),
}


@pytest.mark.parametrize("make", EMPTY.values(), ids=EMPTY)
def test_nothing_is_right_that_was_not_compared(make, check, tmp_path):
    for name in ("KK", "KRK"):
        copy(DATA / f"{name}.h5", tmp_path)
    path = tmp_path / "KRK.h5"
    make(path)
    code, output, errors = check(path)
    assert (code, output, errors.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("name", ["KKK", "K", "QK", "KKKK", "KBRK", "KKRRRRR"])
def test_files_must_have_the_name_of_their_material(name, check, tmp_path):
    """The positions of another file would be compared."""
    for one in ("KK", "KQK", "KRK", "KBK"):
        copy(DATA / f"{one}.h5", tmp_path)
    path = copy(DATA / "KK.h5", tmp_path / f"{name}.h5")
    with_attributes(material=name.encode())(path)
    code, output, errors = check(path)
    assert (code, output, errors) == (2, "", errors)
    assert f"{path}: not named like KRK.h5" in errors
    copy(DATA / "KRK.h5", tmp_path / "KRK.bak")
    assert check(tmp_path / "KRK.bak")[0] == 2


@pytest.mark.parametrize(
    ("option", "number", "reason"),
    [
        ("--positions", "0", "no position was compared"),
        ("--positions", "-5", "write numbers from 0 on"),
        ("--seed", "-1", "write numbers from 0 on"),
    ],
)
def test_no_position_is_no_success(option, number, reason, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["check_table.py", option, number, str(DATA / "KRK.h5")])
    with pytest.raises(SystemExit) as stopped:
        check_table.main()
    assert stopped.value.code == 2
    assert reason in capsys.readouterr().err


def rewritten(path, **options):
    """Write a data set anew with other options."""
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        codes = file["white_to_move/dtm"][:]
        del file["white_to_move/dtm"]
        usual = {"data": codes, "chunks": (1 << 14,), "compression": 6, "fletcher32": True}
        file.create_dataset("white_to_move/dtm", **usual | options)


def bomb(path):
    """Write a chunk that unpacks to 300 MB."""
    rewritten(path)
    with h5py.File(path, "r+") as file:
        packed = zlib.compress(bytes(300_000_000)) + bytes(4)
        file["white_to_move/dtm"].id.write_direct_chunk((0,), packed)


def huge(path):
    """State a data set of 1 GB, which takes little room."""
    rewritten(path, data=None, shape=(1 << 30,), dtype="u1", chunks=(1 << 30,))


# What would take memory, or make a program fail, if it were believed.
HOSTILE = {
    "deep text": with_attributes(dtz_outcomes=b"[" * 60_000),
    "odd meanings": with_attributes(
        dtz_outcomes=b'{"white_to_move": "\x1b[31m", "black_to_move": 7}'
    ),
    "no meanings": with_attributes(dtz_outcomes=b"7"),
    "large data set": huge,
    "large chunks": lambda path: rewritten(
        path, chunks=(1 << 21,), maxshape=(None,), data=np.zeros(1 << 21, np.uint8)
    ),
    "large content": bomb,
    "not packed": lambda path: rewritten(path, compression=None, fletcher32=False),
    "wider numbers": lambda path: rewritten(path, dtype="u2"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_bad_input(make, check, tmp_path):
    for name in ("KK", "KRK"):
        copy(DATA / f"{name}.h5", tmp_path)
    path = tmp_path / "KRK.h5"
    make(path)
    tracemalloc.start()
    try:
        code, output, errors = check(path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert code == 2 or (code, "meaning" in errors) == (1, True)
    assert (output, errors.count("\n")) == ("", 1)
    assert errors[:-1].isprintable()
    assert most < 100_000_000


def test_meanings_are_numbers(check, tmp_path):
    """Those that an int of C does not hold mean nothing."""
    for name in ("KK", "KRK"):
        copy(DATA / f"{name}.h5", tmp_path)
    numbers = ",".join([str(-(1 << 31)), str(1 << 62), "0", str(10**30)] * 60)
    text = f'{{"white_to_move":[{numbers}],"black_to_move":[{numbers}]}}'
    with_attributes(dtz_outcomes=text.encode())(tmp_path / "KRK.h5")
    code, output, errors = check(tmp_path / "KRK.h5")
    assert code in {1, 2}
    assert (output, errors.count("\n")) == ("", 1)


def test_names_are_not_printed_as_they_are(check, tmp_path):
    folder = tmp_path / "a\x1b[31m\xe9"  # some terminals cannot show it
    folder.mkdir()
    copy(DATA / "KRK.h5", folder)
    code, output, errors = check(folder / "KRK.h5", folder / "KPK.h5")
    assert code == 2
    assert (output + errors).replace("\n", "").isprintable()
    assert (output + errors).isascii()


def damaged(number, content):
    """Return a table with a few bytes changed, a run of bytes overwritten, or its end cut off."""
    rng = np.random.default_rng(number)
    data = bytearray(content)
    kind, start = number % 3, int(rng.integers(len(data)))
    if kind == 0:
        for place in rng.integers(len(data), size=3):
            data[place] ^= 1 << rng.integers(8)
    elif kind == 1:
        data[start : start + 40] = rng.bytes(40)
    else:
        del data[start:]
    return bytes(data)


@pytest.mark.thorough
@pytest.mark.parametrize("tries", few([12, 900], 12))
def test_no_damage_harms_the_program_in_c(sanitized_in_c, tmp_path, tries):
    """A table is refused, found different, or read whole: HDF5 has bytes that nothing needs."""
    for name in ("KK", "KRK"):
        copy(DATA / f"{name}.h5", tmp_path)
    path = tmp_path / "KRK.h5"
    content, right = path.read_bytes(), run_in_c(sanitized_in_c, path)
    assert right.code == 0
    codes = Counter()
    for number in range(tries):
        path.write_bytes(damaged(number, content))
        done = run_in_c(sanitized_in_c, path)
        assert done == right or (done.code in {1, 2} and not done.out and done.err.count("\n") == 1)
        codes[done.code] += 1
    assert codes[2] > tries / 3, codes


@pytest.mark.thorough
@pytest.mark.parametrize("make", [*EMPTY.values(), *HOSTILE.values()], ids=[*EMPTY, *HOSTILE])
def test_the_sanitizers_find_nothing(make, sanitized_in_c, tmp_path):
    for name in ("KK", "KRK"):
        copy(DATA / f"{name}.h5", tmp_path)
    path = tmp_path / "KRK.h5"
    make(path)
    done = run_in_c(sanitized_in_c, path)
    assert (done.code in {1, 2}, done.out, done.err.count("\n")) == (True, "", 1)


def test_what_is_no_file_is_bad_input(check, tmp_path):
    (tmp_path / "KRK.h5").mkdir()
    code, output, errors = check(tmp_path / "KRK.h5")
    assert (code, output, errors.count("\n")) == (2, "", 1)


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


@pytest.mark.parametrize("size", few([17, 100, 20_000, 29_568], 17, 20_000))
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


@pytest.mark.thorough
@pytest.mark.parametrize("planted", few([20, 100], 20))
def test_planted_errors_are_found(check, tmp_path, planted):
    missed = []
    for number in range(planted):
        path, fen = plant(number, tmp_path / str(number))
        code, output, errors = check(path)
        if code != 1 or output or errors.count("\n") != 1:
            missed.append((path, fen, code, output, errors))
        else:
            said = errors.removeprefix(f"{path}: ").split(": ")
            assert chess.Board(said[0]).king(chess.WHITE) is not None
            assert re.fullmatch(r"dt[mz] .*, but .* by its moves\n", said[1])
    assert not missed
