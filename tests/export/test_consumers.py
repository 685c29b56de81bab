"""Programs that read our files: Stockfish and Fathom, where they are installed."""

import re
import shutil
import subprocess

import chess
import chess.engine
import pytest
from support.waiting import PATIENCE

from tablebase import open_tablebase
from tablebase.core.building.generator import generate
from tablebase.core.outcomes.metrics import DTZ
from tablebase.core.rules.material import Material, generation_order
from tablebase.export.syzygy_writing import write_syzygy

STOCKFISH = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
FATHOM = shutil.which("fathom") or shutil.which("fathom", path="/usr/games")
pytestmark = pytest.mark.thorough
MATERIALS = ("KQKR", "KPK")
DECIDED = 5000  # centipawns: Stockfish has no mate in sight, but a table says so
POSITIONS = [
    "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1",
    "8/8/8/8/4k3/8/4p3/4K3 w - - 0 1",
    "6k1/8/8/8/8/8/1r6/K6Q w - - 0 1",
    "8/8/8/1k6/8/8/K5P1/8 w - - 0 1",
    "k7/8/8/8/8/8/6r1/K6Q b - - 0 1",
]
# Won and lost but for the 50-move rule, then in spite of it.
OF_FIVE_MEN = [
    "3K4/8/4n3/2k5/8/2B5/8/5B2 w - - 0 1",
    "2n5/8/6k1/8/1B4B1/8/8/5K2 b - - 0 1",
    "3B4/8/6B1/8/4n2K/8/8/2k5 b - - 0 1",
    "6B1/8/1K6/n1B5/7k/8/8/8 w - - 0 1",
]


@pytest.fixture(scope="module")
def folder(zeroing_dir, tmp_path_factory):
    """Return a folder with our Syzygy files of some materials and all that they turn into."""
    target = tmp_path_factory.mktemp("syzygy")
    for material in generation_order(map(Material.from_name, MATERIALS))[1:]:
        write_syzygy(material, [zeroing_dir], target)
    return target


@pytest.fixture
def engine(folder):
    with chess.engine.SimpleEngine.popen_uci(STOCKFISH, timeout=PATIENCE) as found:
        found.configure({"SyzygyPath": str(folder), "Threads": 1, "Hash": 16})
        yield found


@pytest.mark.skipif(not STOCKFISH, reason="stockfish is not installed")
class TestStockfish:
    def test_it_finds_all_tables(self, folder):
        commands = f"uci\nsetoption name SyzygyPath value {folder}\nisready\nquit\n"
        said = subprocess.run(
            [STOCKFISH],
            input=commands,
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
        count = len(list(folder.glob("*.rtbw")))
        assert f"Found {count} tablebases" in said.stdout

    @pytest.mark.parametrize("fen", POSITIONS)
    def test_it_sees_the_result(self, engine, zeroing_dir, fen):
        board = chess.Board(fen)
        with open_tablebase(zeroing_dir) as ours:
            result = int(ours.probe_wdl50(board))
            ranked = ours.rank_moves(board, rule50=True)
            best = {one.move.uci() for one in ranked if one.wdl50 == result}
        found = engine.play(board, chess.engine.Limit(depth=12), info=chess.engine.INFO_ALL)
        assert found.info["tbhits"] > 0
        score = found.info["score"].pov(board.turn).score(mate_score=100_000)
        assert (score > DECIDED) == (result == 2), score
        assert (score < -DECIDED) == (result == -2), score
        assert found.move.uci() in best or result == -2


@pytest.mark.skipif(not FATHOM, reason="fathom is not installed")
@pytest.mark.parametrize("fen", POSITIONS)
def test_fathom_reads_results_and_distances(folder, zeroing_dir, fen):
    said = subprocess.run(
        [FATHOM, f"--path={folder}", fen],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    ).stdout
    words = {"Win": 2, "CursedWin": 1, "Draw": 0, "BlessedLoss": -1, "Loss": -2}
    with open_tablebase(zeroing_dir) as ours:
        board = chess.Board(fen)
        assert words[re.search(r'WDL "(\w+)"', said)[1]] == ours.probe_wdl50(board)
        dtz = int(re.search(r'DTZ "(-?\d+)"', said)[1])
        assert dtz in (ours.probe_dtz(board), abs(ours.probe_dtz(board)))


@pytest.mark.slow
@pytest.mark.skipif(not STOCKFISH, reason="stockfish is not installed")
def test_stockfish_knows_which_wins_the_rule_spoils(tmp_path):
    tables, files = tmp_path / "tables", tmp_path / "files"
    material = Material.from_name("KBBKN")
    generate([material], tables, metrics=[DTZ])
    for needed in generation_order([material])[1:]:
        write_syzygy(needed, [tables], files)
    decided = []
    with chess.engine.SimpleEngine.popen_uci(STOCKFISH, timeout=PATIENCE) as engine:
        engine.configure({"SyzygyPath": str(files), "Threads": 1, "Hash": 16})
        for fen in OF_FIVE_MEN:
            found = engine.analyse(chess.Board(fen), chess.engine.Limit(depth=8))
            assert found["tbhits"] > 0
            score = found["score"].pov(chess.WHITE).score(mate_score=100_000)
            decided.append(score > DECIDED)
    assert decided == [False, False, True, True]
