"""The adapters in examples/ ask other programs what these document, here stand-ins of them."""

import subprocess
import sys
from pathlib import Path
from shutil import which

import chess
import pytest
from support.examples import example

import tablebase
from tablebase.cli.program import main

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"
# It answers as src/prophet.h says, with a number that depends on all that it is given.
PROPHET = """
static int folders;
void prophet_tb_init(void) { folders = 0; }
void prophet_tb_deinit(void) { folders = -1; }
int prophet_tb_add_path(const char *path) { return ++folders * (path[0] == '/'); }
int prophet_tb_probe_dtm(const int pieces[6], const int squares[6], const int stm, const int ep) {
    int sum = 0;
    for (int i = 0; i < 6; i++) {
        if (pieces[i] == 13) return -1001;
        if (pieces[i] == 12) return 1000;
        sum += pieces[i] * pieces[i] * (squares[i] + 1);
    }
    return sum * (stm ? -1 : 1) + 7 * ep;
}
"""
# The output of probe_fen for the positions of data/, with the clock and the material left out.
PROBE_FEN = """#!{python}
import sys
import chess, tablebase
names = {{2: "WIN", 1: "CURSED_WIN", 0: "DRAW", -1: "BLESSED_LOSS", -2: "LOSE"}}
arguments = sys.argv[1:]
assert arguments[::2][:3] == ["--wdl", "--dtz", "--dtm"], arguments
with tablebase.open_tablebase({data!r}) as tables:
    for fen in arguments[6:]:
        board = chess.Board(fen)
        print("---- material\\n  input:", fen, "\\n  hmc=0")
        if tables.get_dtz(board) is None:
            print("  result: TB not found")
            continue
        dtz = 0 if board.is_checkmate() else abs(tables.probe_dtz(board))
        dtm = abs(tables.probe_dtm(board))
        print(f"  result: wdl={{names[tables.probe_wdl50(board)]}} dtz={{dtz}} dtm={{dtm}}")
"""


@pytest.fixture
def prophet(tmp_path, monkeypatch):
    if which("cc") is None:
        pytest.skip("needs a compiler of C named cc")
    source, library = tmp_path / "prophet.c", tmp_path / "libprophet.so"
    source.write_text(PROPHET)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    monkeypatch.setenv("PROPHET", str(library))
    return example("prophet_prober").Prophet(str(tmp_path))


@pytest.mark.parametrize(
    "fen",
    ["8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "8/8/2k5/3pP3/8/8/8/K7 w - d6 0 1",
     "8/8/2k5/3p4/8/8/8/K7 w - d6 0 1", "7k/8/8/8/3Pp3/8/8/K7 b - d3 0 1"],
)  # fmt: skip
def test_prophet_gets_men_squares_side_and_en_passant(fen, prophet):
    board = chess.Board(fen)
    codes = {
        square: "PNBRQK..pnbrqk".index(man.symbol()) + 1
        for square, man in board.piece_map().items()
    }
    total = sum(code**2 * (square + 1) for square, code in codes.items())
    ep = board.ep_square if board.has_legal_en_passant() else 64
    assert prophet.probe_dtm(board) == (total if board.turn else -total) + 7 * ep


def test_draws_and_missing_tables_of_prophet(prophet):
    assert prophet.probe_dtm(chess.Board("8/8/8/8/8/2k5/1r6/K7 b - - 0 1")) == 0
    for fen in ("8/8/8/8/8/2k5/1q6/7K b - - 0 1", "k7/8/8/8/8/8/PPPPP3/K7 w - - 0 1",
                "4k3/8/8/8/8/8/8/4K2R w K - 0 1"):  # fmt: skip
        with pytest.raises(KeyError):
            prophet.probe_dtm(chess.Board(fen))


def test_prophet_tells_what_it_needs(prophet, monkeypatch, tmp_path):
    prophet.close()
    module = example("prophet_prober")
    with pytest.raises(NotADirectoryError, match="is not a folder"):
        module.Prophet(str(tmp_path / "missing"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LookupError, match="no tables of Prophet in"):
        module.Prophet(".")
    monkeypatch.delenv("PROPHET")
    with pytest.raises(LookupError, match="set PROPHET to the path"):
        module.Prophet(str(tmp_path))


@pytest.fixture
def chesstb(tmp_path, monkeypatch):
    program = tmp_path / "probe_fen"
    program.write_text(PROBE_FEN.format(python=sys.executable, data=str(DATA)))
    program.chmod(0o755)
    monkeypatch.setenv("CHESSTB", str(program))
    return example("chesstb_prober").Chesstb(str(tmp_path))


def test_chesstb_answers_about_a_position_and_its_moves(chesstb):
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    assert (chesstb.probe_wdl(board), chesstb.probe_dtz(board), chesstb.probe_dtm(board)) == (
        2, 31, 31,
    )  # fmt: skip
    with tablebase.open_tablebase(DATA) as ours:
        for move in list(board.legal_moves):
            after = board.copy()
            after.push(move)
            assert chesstb.probe_wdl(after) == ours.probe_wdl50(after)
            assert chesstb.probe_dtz(after) == ours.probe_dtz(after)
            assert chesstb.probe_dtm(after) == ours.probe_dtm(after)
    mated = chess.Board("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1")
    assert (chesstb.probe_wdl(mated), chesstb.probe_dtz(mated), chesstb.probe_dtm(mated)) == (
        -2, -1, 0,
    )  # fmt: skip
    assert chesstb.probe_dtz(chess.Board("k7/8/1K6/8/8/8/8/8 b - - 0 1")) == 0


def test_a_program_that_never_answers_is_given_up(tmp_path, monkeypatch):
    script = tmp_path / "silent"
    script.write_text(f"#!{sys.executable}\nimport signal\nwhile True:\n    signal.pause()\n")
    script.chmod(0o755)
    monkeypatch.setenv("CHESSTB", str(script))
    module = example("chesstb_prober")
    monkeypatch.setattr(module, "LIMIT", 0.1)
    prober = module.Chesstb(str(tmp_path))
    with pytest.raises(tablebase.TablebaseError, match=r"silent gives no answer in 0\.1 seconds"):
        prober.probe_dtm(chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"))


def test_missing_tables_and_cursed_wins_of_chesstb(chesstb, tmp_path, monkeypatch):
    with pytest.raises(KeyError):
        chesstb.probe_wdl(chess.Board("8/8/8/8/8/2k5/1R6/KQ6 w - - 0 1"))
    script = tmp_path / "cursed"
    script.write_text(
        f"#!{sys.executable}\nimport sys\n"
        "for _ in sys.argv[7:]: print('  result: wdl=CURSED_WIN dtz=7 dtm=91')\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("CHESSTB", str(script))
    prober = example("chesstb_prober").Chesstb(str(tmp_path))
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    assert (prober.probe_wdl(board), prober.probe_dtm(board)) == (1, 91)
    with pytest.raises(KeyError):
        prober.probe_dtz(board)
    monkeypatch.delenv("CHESSTB")
    with pytest.raises(LookupError, match="set CHESSTB to the path"):
        example("chesstb_prober").Chesstb(str(tmp_path))


@pytest.mark.thorough
def test_an_audit_with_an_adapter(chesstb, tmp_path, capsys):
    prober = f"{ROOT}/examples/chesstb_prober.py:Chesstb"
    arguments = ["KRK", "--prober", prober, str(tmp_path), "--sample", "3", "--dir", str(DATA)]
    assert main(["audit", *arguments]) == 0
    assert capsys.readouterr().out.startswith("KRK: OK, 3 positions, 0 contradictions\n")
    del chesstb
