"""The checker of proofs in examples/ knows nothing of the package, and refuses false proofs."""

import ast
import io
import json
import re
import sys
import tracemalloc
import zipfile
from pathlib import Path

import chess
import numpy as np
import pytest
from support.examples import example
from support.few import few

import tablebase
from tablebase.solve.answers import solve_position

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"
PROGRAM = ROOT / "examples/check_proof.py"
BUDGET = "10h,2GB"
DRAW = "8/k7/8/1PK5/8/8/8/8 b - - 0 1"
PROMOTION = "8/1P1k4/8/1K6/8/8/8/8 b - - 0 1"
TREBUCHET = "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"
# Which parts a proof has, and what is said of it.
POSITIONS = {
    DRAW: ("the position is a draw", {"white_holds", "black_holds"}),
    PROMOTION: ("the position is a draw", {"white_holds", "black_holds"}),
    TREBUCHET: ("Black wins", {"black_wins"}),
    "k7/8/8/8/8/5p2/5P2/5K2 w - - 0 1": ("White wins", {"white_wins"}),
    # Black may promote to a rook or a bishop: the region has no such positions.
    "8/8/8/8/8/2K5/Q4p2/3k4 b - - 0 1": ("White wins", {"white_wins"}),
    # a draw by stalemate, for either side; checkmate
    "8/8/8/8/8/k7/p7/K7 w - - 0 1": ("the position is a draw", {"white_holds", "black_holds"}),
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1": ("the position is a draw", {"white_holds", "black_holds"}),
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1": ("White wins", {"white_wins"}),
    # the root has a right to capture en passant, which is the only move that does not lose
    "8/8/8/8/1pPk4/8/8/3K4 b - c3 0 1": ("the position is a draw", {"white_holds", "black_holds"}),
}

FEW = [fen for fen in POSITIONS if "p2" not in fen]  # of the others regions are large


check_proof = example("check_proof")


@pytest.fixture(scope="session")
def few_tables(tmp_path_factory):
    """Return a folder of the tables that KPK leads to."""
    folder = tmp_path_factory.mktemp("few")
    for name in ("KK", "KBK", "KNK", "KQK", "KRK"):
        (folder / f"{name}.h5").symlink_to(DATA / f"{name}.h5")
    return folder


@pytest.fixture
def check(monkeypatch, capsys):
    """Return a function that runs the checker: exit code, output and errors."""
    monkeypatch.syspath_prepend(PROGRAM.parent)

    def check(*arguments):
        monkeypatch.setattr(sys, "argv", [str(PROGRAM), *map(str, arguments)])
        try:
            code = check_proof.main() or 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
            if code == 1:  # Python would print it
                sys.stderr.write(f"{stop.code}\n")
        return code, *capsys.readouterr()

    return check


def proven(path, fen, folder=None):
    """Return a proof as arrays, and what `solve_position` says of it."""
    board = chess.Board(fen)
    if folder is None:
        solution = solve_position(board, BUDGET, proof=path, threads=1)
    else:
        with tablebase.open_tablebase(folder) as tables:
            solution = solve_position(board, BUDGET, proof=path, tables=tables, threads=1)
    with np.load(path) as file:
        return {name: file[name] for name in file.files}, solution


@pytest.fixture(scope="session")
def small(few_tables, tmp_path_factory):
    """Return proofs as arrays: with exits and without, with ranks and without."""
    path = tmp_path_factory.mktemp("small") / "a.proof"
    return {
        "draw": proven(path, DRAW)[0],
        "draw with exits": proven(path, PROMOTION, few_tables)[0],
        "win with exits": proven(path, TREBUCHET, few_tables)[0],
    }


def written(path, arrays):
    with path.open("wb") as file:
        np.savez(file, **arrays)
    return path


def test_the_checker_imports_nothing_of_the_package():
    """Only with tables it needs the checker of tables beside it, and h5py."""
    tree = ast.parse(PROGRAM.read_text())
    found = {"at once": set(), "for tables": set()}
    for node in ast.walk(tree):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        own = {name for name in names if name.partition(".")[0] not in sys.stdlib_module_names}
        found["at once" if node in tree.body else "for tables"] |= own
    assert found == {"at once": {"chess", "numpy"}, "for tables": {"check_table", "h5py"}}
    assert not re.search(r"__import__|import_module|\btablebase\.", PROGRAM.read_text())


def test_the_checker_is_short():
    lines = PROGRAM.read_text().splitlines()
    assert len(lines) <= 300
    assert max(map(len, lines)) <= 110


@pytest.mark.parametrize("fen", few(POSITIONS, *FEW))
@pytest.mark.parametrize("complete", [True, False], ids=["complete", "with tables"])
def test_honest_proofs_pass(check, few_tables, tmp_path, fen, complete):
    path = tmp_path / "a.proof"
    arrays, solution = proven(path, fen, None if complete else few_tables)
    said, parts = POSITIONS[fen]
    code, output, errors = check(path, *([] if complete else ["--tables", few_tables]))
    assert (code, errors) == (0, "")
    assert output.splitlines()[0] == f"{path}: {said}: {fen}"
    assert {name.split("/")[0] for name in arrays} == {"header", "exits", *parts}
    size = solution.proof
    checked = f"{size.positions:,} positions" if size.positions else "only the position itself"
    assert output.splitlines()[1] == f"{checked} checked, {size.exits:,} exits into tables"
    assert re.findall(r"looked up: (\w+) [0-9a-f]{64}", output) == list(size.tables)
    assert size.exits == len(arrays["exits/turns"])
    if complete:
        assert size.exits == 0
    assert solution.as_dict()["proof"]["claim"] == json.loads(arrays["header"].tobytes())["claim"]


def test_a_proof_names_the_tables_that_it_assumes(check, few_tables, tmp_path):
    path = tmp_path / "a.proof"
    proven(path, PROMOTION, few_tables)
    code, output, _ = check(path)
    assert code == 0
    sums = dict(line.split()[::-1] for line in (DATA / "SHA256SUMS").read_text().splitlines())
    assumed = re.findall(r"^assumed: (\w+) (\w+)$", output, re.MULTILINE)
    assert assumed == [(name, sums[name]) for name in ("KQK", "KRK")]


def test_ranks_fall_to_one(small):
    ranks = small["win with exits"]["black_wins/ranks"]
    assert set(ranks.tolist()) == set(range(1, int(ranks.max()) + 1))


def changed_bit(rng, arrays):
    """Return the arrays with one bit changed, in an array chosen by size and kind."""
    names = [name for name, array in arrays.items() if array.size]
    name = names[rng.integers(len(names))]
    array = np.frombuffer(arrays[name].tobytes(), dtype=np.uint8).copy()
    array[rng.integers(len(array))] ^= 1 << rng.integers(8)
    other = np.frombuffer(array.tobytes(), dtype=arrays[name].dtype).reshape(arrays[name].shape)
    return name, arrays | {name: other}


def is_true(arrays):
    """Return whether the claim of a proof is true, by the tables in data/."""
    header = json.loads(arrays["header"].tobytes())
    board = chess.Board(header["fen"])
    if board.epd() == chess.Board(TREBUCHET).epd():
        return header["claim"] == "loss"
    with tablebase.open_tablebase(DATA) as tables:
        wdl = tables.probe_wdl(board)
    least, most = {
        "win": (1, 1), "draw": (0, 0), "loss": (-1, -1),
        "at_least_draw": (0, 1), "at_most_draw": (-1, 0),
    }[header["claim"]]  # fmt: skip
    return least <= wdl <= most


def test_a_changed_bit_is_found_or_does_no_harm(check, small, tmp_path):
    rng = np.random.default_rng(37)
    refused = {}
    for number in range(90):
        kind = list(small)[number % len(small)]
        name, arrays = changed_bit(rng, small[kind])
        code, output, errors = check(written(tmp_path / "a.proof", arrays))
        assert (code == 0) == bool(output), errors
        assert code in {0, 1, 2}
        assert code or is_true(arrays), (kind, name)
        refused[name.rpartition("/")[2]] = refused.get(name.rpartition("/")[2], 0) + bool(code)
    # Ranks may be larger, a digest or a result may be wrong: only --tables tells.
    assert refused["positions"] > 12
    assert refused["moves"] > 12
    assert refused["header"] > 8


def test_a_changed_bit_of_the_file_is_found(check, small, tmp_path):
    content = bytearray(written(tmp_path / "a.proof", small["draw with exits"]).read_bytes())
    rng = np.random.default_rng(5)
    for _ in range(30):
        changed = content.copy()
        changed[rng.integers(len(content))] ^= 1 << rng.integers(8)
        path = tmp_path / "b.proof"
        path.write_bytes(changed)
        code, output, _ = check(path)
        assert code in {0, 1, 2}
        assert code or "the position is a draw" in output


def without(arrays, part, number):
    return arrays | {
        name: np.delete(array, number, axis=0)
        for name, array in arrays.items()
        if name.startswith(f"{part}/")
    }


def test_every_position_is_needed(check, small, tmp_path):
    """The prover's moves lead to all of them, and the checker follows all replies."""
    for number in range(len(small["draw"]["white_holds/moves"])):
        path = written(tmp_path / "a.proof", without(small["draw"], "white_holds", number))
        code, _, errors = check(path)
        assert (code, "no move is given" in errors) == (1, True)


def test_ranks_must_fall(check, small, tmp_path):
    arrays = small["win with exits"]
    for ranks in (np.full_like(arrays["black_wins/ranks"], 7), arrays["black_wins/ranks"][::-1]):
        path = written(tmp_path / "a.proof", arrays | {"black_wins/ranks": ranks})
        code, _, errors = check(path)
        assert (code, "the rank does not fall" in errors) == (1, True)


def test_exits_must_have_results_that_help(check, small, tmp_path):
    arrays = small["win with exits"]
    path = written(tmp_path / "a.proof", arrays | {"exits/results": 0 * arrays["exits/results"]})
    code, _, errors = check(path)
    assert (code, "no move is given" in errors) == (1, True)


def with_header(arrays, **changes):
    """Return a proof with other fields in its header."""
    header = json.loads(arrays["header"].tobytes()) | changes
    return arrays | {"header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)}


def test_exits_are_looked_up(check, small, few_tables, tmp_path):
    """Black holds, and the exits claim more than that: only the tables tell."""
    arrays = {
        name: array for name, array in small["draw with exits"].items() if "white_holds" not in name
    }
    assert set(arrays["exits/results"].tolist()) == {0}
    won = np.where(arrays["exits/turns"] == 1, 1, -1).astype(np.int8)
    arrays = with_header(arrays | {"exits/results": won}, claim="at_least_draw")
    path = written(tmp_path / "a.proof", arrays)
    assert check(path)[0] == 0
    code, _, errors = check(path, "--tables", few_tables)
    assert (code, "the table has another result" in errors) == (1, True)


def test_tables_must_be_those_that_are_assumed(check, small, few_tables, tmp_path):
    arrays = with_header(small["draw with exits"], tables={"KQK": "0" * 64, "KRK": "0" * 64})
    path = written(tmp_path / "a.proof", arrays)
    assert check(path)[0] == 0
    code, _, errors = check(path, "--tables", few_tables)
    assert (code, "has other values than the proof assumes" in errors) == (1, True)
    path = written(tmp_path / "a.proof", with_header(small["draw with exits"], tables={}))
    code, _, errors = check(path)
    assert (code, "the proof names no table of" in errors) == (1, True)


def test_a_part_that_is_not_needed_is_refused(check, small, tmp_path):
    arrays = with_header(small["draw"], claim="at_least_draw")
    code, _, errors = check(written(tmp_path / "a.proof", arrays))
    assert (code, "white_holds" in errors) == (2, True)


def test_half_a_result_has_one_part(check, small, tmp_path):
    arrays = with_header(small["draw"], claim="at_least_draw")
    half = {name: array for name, array in arrays.items() if "white_holds" not in name}
    path = written(tmp_path / "a.proof", half)
    code, output, _ = check(path)
    said, sizes = output.splitlines()
    assert (code, said) == (0, f"{path}: Black does not lose: {DRAW}")
    assert sizes == f"{len(half['black_holds/moves'])} positions checked, 0 exits into tables"


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\3\4"])
def test_what_is_no_proof_is_bad_input(check, tmp_path, content):
    path = tmp_path / "a.proof"
    path.write_bytes(content)
    code, _, errors = check(path)
    assert (code, str(path) in errors) == (2, True)
    assert check(tmp_path / "b.proof")[0] == 2


def empty_proof(**changes):
    """Return the proof of a draw of two kings: the position itself is enough."""
    header = {"format": "chess-tablebase proof", "version": 1, "claim": "draw", "tables": {}}
    header |= {"fen": "8/8/8/8/8/8/k7/2K5 w - - 0 1"} | changes
    arrays = {"header": np.frombuffer(json.dumps(header).encode(), np.uint8)}
    for part in ("white_holds", "black_holds"):
        arrays |= {
            f"{part}/positions": np.zeros((0, 8), "<u8"),
            f"{part}/moves": np.zeros(0, "<u2"),
        }
    exits = {"positions": np.zeros((0, 8), "<u8"), "turns": np.zeros(0, "u1")}
    exits["results"] = np.zeros(0, "i1")
    return arrays | {f"exits/{name}": array for name, array in exits.items()}


def test_a_proof_without_moves_says_so(check, tmp_path):
    code, output, errors = check(written(tmp_path / "a.proof", empty_proof()))
    assert (code, errors) == (0, "")
    assert output.splitlines()[1] == "only the position itself checked, 0 exits into tables"


@pytest.mark.parametrize(
    "tables",
    [
        {"KPK": "x\nlooked up: KRK 1234\n\x1b[32mProof verified\x1b[0m"},
        {"KPK\n\x1b[32mProof verified": "0" * 64},
        {"KPK": "0" * 64},  # no exit needs it
        {"KPK": "0" * 63 + "\n"},
        {"KPK": 7},
        {"KPK": None},
        [],
        "KPK",
    ],
)
def test_tables_are_not_believed(check, tmp_path, tables):
    path = written(tmp_path / "a.proof", empty_proof(tables=tables))
    code, output, errors = check(path)
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert errors[:-1].isprintable()


def test_digests_of_tables_that_exits_use_are_not_believed(check, small, tmp_path):
    odd = with_header(small["draw with exits"], tables={"KQK": "\x1b[32m", "KRK": "0" * 64})
    code, output, errors = check(written(tmp_path / "a.proof", odd))
    assert (code, output) == (2, "")
    assert "no SHA-256" in errors


@pytest.mark.parametrize("header", [b'{"a":' + b"[" * 200_000, b"[" * 200_000, b"7", b"\xff", b""])
def test_odd_headers_are_bad_input(check, tmp_path, header):
    arrays = empty_proof() | {"header": np.frombuffer(header, np.uint8)}
    code, output, errors = check(written(tmp_path / "a.proof", arrays))
    assert (code, output, errors.count("\n")) == (2, "", 1)


def with_member(path, name, data, arrays=None, packing=zipfile.ZIP_DEFLATED):
    """Write a proof with another member."""
    written(path, empty_proof() if arrays is None else arrays)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(zipfile.ZipInfo(name), data, packing)
    return path


def claiming(shape, dtype="<u8"):
    """Return the content of a member that claims a shape, and has no numbers."""
    file = io.BytesIO()
    head = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, head)
    return file.getvalue()


LEFT = {name: array for name, array in empty_proof().items() if name != "exits/turns"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "make",
    [
        lambda path: with_member(path, "other.npy", b""),
        lambda path: with_member(path, "\x1b[31m.npy", bytes(1 << 20)),
        lambda path: with_member(path, "../header.npy", b"{}"),
        lambda path: with_member(path, "white_wins/ranks.npy", bytes(500_000_000)),
        lambda path: with_member(path, "exits/turns.npy", claiming((1 << 40,)), LEFT),
        lambda path: with_member(path, "exits/turns.npy", claiming((1 << 62, 8)), LEFT),
        lambda path: with_member(path, "exits/turns.npy", claiming((0,), "|O"), LEFT),
        lambda path: with_member(path, "exits/turns.npy", b"\x93NUMPY\x03\x00" + bytes(99), LEFT),
        lambda path: with_member(path, "exits/turns.npy", b"", LEFT, zipfile.ZIP_LZMA),
    ],
)
def test_sizes_and_names_are_not_believed(check, tmp_path, make):
    path = make(tmp_path / "a.proof")
    tracemalloc.start()
    try:
        code, output, errors = check(path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert errors[:-1].isprintable()
    assert most < 10_000_000


def test_a_member_comes_once(check, tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = with_member(tmp_path / "a.proof", "header.npy", b"")
    assert check(path)[0] == 2


def test_too_little_memory_is_bad_input(check, tmp_path, monkeypatch):
    path = written(tmp_path / "a.proof", empty_proof())
    for where in ("read_arrays", "Part"):

        def fail(*_):
            raise MemoryError

        monkeypatch.setattr(check_proof, where, fail)
        code, output, errors = check(path)
        assert (code, output, errors.count("\n")) == (2, "", 1)
        monkeypatch.undo()
        monkeypatch.syspath_prepend(PROGRAM.parent)


def test_a_move_of_no_piece_is_not_legal(check, small, tmp_path):
    arrays = small["draw"] | {"black_holds/moves": small["draw"]["black_holds/moves"] | 0xF000}
    code, _, errors = check(written(tmp_path / "a.proof", arrays))
    assert (code, " is not legal: " in errors) == (1, True)


SHOWPIECES = {
    "Fahrni-Alapin": "2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1",
    "opposite-coloured bishops": "8/2B2k2/5P2/4K2p/7P/3b4/8/8 b - - 0 1",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWPIECES)
def test_showpieces(check, tmp_path, name):
    path = tmp_path / "a.proof"
    _, solution = proven(path, SHOWPIECES[name])
    assert solution.proven
    assert check(path)[0] == 0
