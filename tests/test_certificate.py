"""The program proven in Coq accepts the five databases, and its laws are those of chess."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import chess
import h5py
import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "certificate"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
TABLES = ("KK", "KQK", "KRK", "KBK", "KNK", "KPK", "KNNK", "KRNK")
LINE = re.compile(r"(\w+): (\d+) positions compared, all right \((\d+) s of processor time\)")


def results():
    """Return positions compared and seconds of each table in the stored output of the program."""
    text = (FOLDER / "results.txt").read_text(encoding="utf-8")
    return {name: (int(n), int(seconds)) for name, n, seconds in LINE.findall(text)}


def need_coq():
    for program in ("coqc", "ocamlopt", "make"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: apt-get install coq ocaml-nox make")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the folder of the compiled proof and program, and what compiling them said."""
    need_coq()
    folder = tmp_path_factory.mktemp("certificate")
    command = ["make", "-C", FOLDER, f"B={folder}", f"PYTHON={sys.executable}"]
    made = subprocess.run(
        [*command, "all", folder / "plain.sums"], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    return folder, made.stdout


def run(folder, *arguments, text=None):
    """Return exit code and output of the program."""
    done = subprocess.run(
        [folder / "certificate", *arguments],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def placements(name):
    """Yield the squares of kings that do not touch and of the other men."""
    letters = name[1:-1]
    for white in range(64):
        apart = chess.SquareSet(~(chess.BB_KING_ATTACKS[white] | chess.BB_SQUARES[white]))
        for black in apart:
            kings = chess.BB_SQUARES[white] | chess.BB_SQUARES[black]
            for squares in combinations(chess.SquareSet(~kings), len(letters)):
                yield white, black, squares


def counted(name):
    """Count the legal positions: with White to move Black is in no check."""
    knights, ranks, files = chess.BB_KNIGHT_ATTACKS, chess.BB_RANK_ATTACKS, chess.BB_FILE_ATTACKS
    letters, total = name[1:-1], 0
    for white, black, squares in placements(name):
        kings = chess.BB_SQUARES[white]
        for order in [squares, squares[::-1]] if letters == "RN" else [squares]:
            if letters == "P" and not chess.BB_SQUARES[order[0]] & ~chess.BB_BACKRANKS:
                continue
            others = [kings, *(chess.BB_SQUARES[square] for square in order)]
            taken = sum(others)
            rank, file = chess.BB_RANK_MASKS[black] & taken, chess.BB_FILE_MASKS[black] & taken
            diagonal = chess.BB_DIAG_ATTACKS[black][chess.BB_DIAG_MASKS[black] & taken]
            straight = ranks[black][rank] | files[black][file]
            seen = {
                "R": straight, "B": diagonal, "Q": straight | diagonal, "N": knights[black],
                "P": chess.BB_PAWN_ATTACKS[chess.BLACK][black],
            }  # fmt: skip
            pairs = zip(letters, others[1:], strict=True)
            total += 2 - any(seen[letter] & one for letter, one in pairs)
    return total


def counted_by_the_generator(name):
    with h5py.File(ROOT / "data" / f"{name}.h5") as file:
        counts = json.loads(file.attrs["counts"])
    return sum(counts[side][result] for side in counts for result in ("win", "draw", "loss"))


def test_the_theorem_compiles(tmp_path):
    need_coq()
    shutil.copy(FOLDER / "Fixed.v", tmp_path)
    compiled = subprocess.run(
        ["coqc", "-q", "Fixed.v"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert compiled.returncode == 0, compiled.stderr


def test_stored_results_have_every_legal_position():
    found = results()
    assert tuple(sorted(found)) == tuple(sorted(TABLES))
    for name, (positions, _) in found.items():
        assert positions == counted_by_the_generator(name), name
    assert found["KRK"][0] == counted("KRK")


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_every_stored_count_is_that_of_a_count_by_python_chess(name):
    assert results()[name][0] == counted(name)


def test_the_page_has_the_stored_results():
    found = results().values()
    assert f"{sum(positions for positions, _ in found):,} positions" in PAGE
    minutes = sum(seconds for _, seconds in found) / 60
    assert f"{minutes:.0f} minutes of processor time" in PAGE


def test_the_page_has_the_stored_rejections():
    text = (FOLDER / "rejections.txt").read_text(encoding="utf-8")
    one_by_one = {
        name: int(count) for name, count in re.findall(r"^(\w+), (\d+) bytes:", text, re.MULTILINE)
    }
    lines = text.splitlines()
    assert all(": rejected: " in line for line in lines)
    with h5py.File(ROOT / "data" / "KRK.h5") as file:
        counts = json.loads(file.attrs["counts"])
    unique = [counts[side]["inequivalent"] for side in counts]
    assert one_by_one["KRK"] == sum(
        sides[result] for sides in unique for result in ("win", "draw", "loss")
    )
    assert f"{sum(one_by_one.values()):,} changes of one byte" in PAGE
    assert f"and {len(lines) - len(one_by_one)} whole runs" in PAGE


def test_proofs_have_no_gaps():
    """Neither an axiom nor an unproven sentence, and no table of the program's own."""
    for path in FOLDER.glob("*.v"):
        words = re.sub(r"\(\*.*?\*\)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"\b(Axiom|Parameter|Admitted|admit|Conjecture|Hypotheses)\b", words)


@pytest.mark.thorough
def test_the_theorem_rests_on_no_axiom(built):
    assert "Closed under the global context" in built[1]
    assert "Axioms:" not in built[1]


@pytest.mark.thorough
def test_tables_of_three_men_are_accepted(built):
    code, output = run(built[0], built[0] / "plain", *TABLES[:6])
    found = {name: int(positions) for name, positions, _ in LINE.findall(output)}
    assert code == 0, output
    assert found == {name: results()[name][0] for name in TABLES[:6]}


@pytest.mark.thorough
def test_wrong_tables_and_wrong_laws_are_rejected(built):
    command = [sys.executable, FOLDER / "rejections.py", "--build", built[0]]
    tried = subprocess.run(
        [*command, "--tables", "KQK", "KPK", "--changes", "40", "--runs", "1"],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert len(tried.stdout.splitlines()) == 12
    assert all(": rejected: " in line for line in tried.stdout.splitlines())


@pytest.mark.thorough
@pytest.mark.parametrize(("arguments", "said"), [
    (["nowhere", "KRK"], "nowhere/KK.white: No such file or directory: write it with plain.py"),
    (["nowhere", "KQKQ"], "nowhere/KK.white"),
    (["nowhere"], "usage: certificate FOLDER TABLE..."),
    ([], "usage: certificate FOLDER TABLE..."),
])  # fmt: skip
def test_bad_input_gets_a_line(built, arguments, said):
    code, output = run(built[0], *arguments)
    assert code == 2
    assert said in output
    assert len(output.splitlines()) == 1


@pytest.mark.thorough
def test_a_table_of_another_length_is_bad_input(built, tmp_path):
    shutil.copytree(built[0] / "plain", tmp_path / "plain")
    path = tmp_path / "plain" / "KRK.black"
    values = path.read_bytes()
    for wrong in (values[:-1], values + b"\xff"):
        path.write_bytes(wrong)
        code, output = run(built[0], tmp_path / "plain", "KRK")
        told = f"{path} has {len(wrong)} bytes, not {len(values)}: write it with plain.py"
        assert (code, output) == (2, f"certificate: {told}\n")


def test_the_program_knows_the_lengths_of_all_files():
    text = (FOLDER / "main.ml").read_text(encoding="utf-8")
    (line,) = re.findall(r"^let slots = function (.*)$", text, re.MULTILINE)
    pairs = [one.split(" -> ") for one in re.split(r"(?<=\d) \| ", line)]
    known = {name: int(n) for names, n in pairs for name in names.split(" | ")}
    assert known.keys() == {*TABLES}
    for name, slots in known.items():
        with h5py.File(ROOT / "data" / f"{name}.h5") as file:
            assert file["white_to_move/dtm"].size == slots


def test_tables_must_be_the_published_ones(tmp_path):
    """Also where a file states the SHA-256 of its own wrong values."""
    for name in TABLES:
        shutil.copy(ROOT / "data" / f"{name}.h5", tmp_path)
    command = [sys.executable, FOLDER / "plain.py", tmp_path, tmp_path / "plain"]
    right = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    published = (ROOT / "data" / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert {*right.splitlines()} == {line for line in published if "." not in line}
    digest = hashlib.sha256()
    with h5py.File(tmp_path / "KRK.h5", "r+", libver=("v110", "v110")) as file:
        file["white_to_move/dtm"][0] += 2
        for side in ("white", "black"):
            digest.update(file[f"{side}_to_move/dtm"][:])
        file.attrs["sha256"] = digest.hexdigest()
    wrong = subprocess.run(command, capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "KRK.h5: the values do not have the SHA-256 of SHA256SUMS" in wrong.stderr


def board_text(board):
    return "".join(
        f"{board.piece_at(square)}{chess.square_name(square)}"
        for square in chess.scan_forward(board.occupied)
    )


def by_python_chess(board):
    """Return what the program says of a position, the boards after the moves in any order."""
    ranks = board.pawns & chess.BB_BACKRANKS
    if ranks or board.was_into_check():
        return "illegal"
    after = []
    for move in board.legal_moves:
        board.push(move)
        after.append(board_text(board))
        board.pop()
    return "check" if board.is_check() else "quiet", sorted(after)


def boards(name, number):
    """Yield so many random placements with either side to move; all of them if none is given."""
    rng, letters = np.random.default_rng(79), f"Kk{name[1:-1]}"
    every = (
        (white, black, *squares)
        for white in range(64)
        for black in range(64)
        for squares in combinations(range(64), len(letters) - 2)
    )
    chosen = (rng.permutation(64)[: len(letters)].tolist() for _ in range(number or 0))
    for squares in chosen if number else every:
        if len(set(squares)) == len(letters):
            board = chess.Board(None)
            for square, letter in zip(squares, letters, strict=True):
                board.set_piece_at(square, chess.Piece.from_symbol(letter))
            for board.turn in chess.COLORS:
                yield board


def compare_laws(folder, name, number):
    """Compare moves and check with python-chess; return how many legal positions there were."""
    asked, expected = [], []
    for board in boards(name, number):
        asked.append(f"{'w' if board.turn else 'b'} {board_text(board)}\n")
        expected.append(by_python_chess(board))
    code, output = run(folder, "--moves", text="".join(asked))
    assert code == 0
    for line, said, right in zip(asked, output.splitlines(), expected, strict=True):
        first, *after = said.split(" ")
        found = first if first == "illegal" else (first, sorted(after))
        assert found == right, line
    return sum(one != "illegal" for one in expected)


@pytest.mark.thorough
@pytest.mark.parametrize("name", TABLES)
def test_laws_are_those_of_python_chess(built, name):
    assert compare_laws(built[0], name, 250) > 300


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("name", ["KRK", "KPK"])
def test_laws_are_those_of_python_chess_everywhere(built, name):
    assert compare_laws(built[0], name, None) == results()[name][0]


@pytest.mark.thorough
@pytest.mark.slow
def test_laws_are_those_of_python_chess_with_four_men(built):
    assert compare_laws(built[0], "KRNK", 7000) > 10_000
