"""The UCI engine: line by line, and as a process with python-chess as its GUI."""

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import pytest
from support.waiting import PATIENCE

import tablebase
from tablebase.core.answers.opening import open_tablebase
from tablebase.practice.resistance import practical_move
from tablebase.uci.engine import Engine, score_of
from tablebase.uci.gui_words import read_option, read_position_command, read_searchmoves

ROOT = Path(__file__).parents[2]
DATA = str(ROOT / "data")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
COMMAND = [sys.executable, "-m", "tablebase", "uci", "--dir", DATA]
MATE_IN_16 = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
BEST = ("a1a2", "a1b1", "b2a2", "b2b1", "b2b7", "b2b8", "b2g2", "b2h2")
# The fastest mate begins with Kd3; at the end of the count only a move of the pawn keeps the win.
LAST_CALL = "8/8/8/8/8/1P3k2/2K5/8 w - - 99 80"
GAMES = 10


def answers(*lines, path=DATA):
    """Return what an engine says to lines of a GUI."""
    said = []
    Engine(said.append, path).run(lines)
    return said


def ask(fen, go="go", *, options=(), path=DATA):
    """Return the info lines with a score and the answer to one question."""
    said = answers(*options, f"position fen {fen}", go, path=path)
    return [line for line in said if " pv " in line or " depth 0 " in line], said[-1]


# Line by line


def test_introduction():
    said = answers("uci")
    assert said[0] == f"id name chess-tablebase {tablebase.__version__}"
    assert f"option name TablebasePath type string default {DATA}" in said
    assert said[-1] == "uciok"
    assert answers("isready")[-1] == "readyok"


def test_score_and_line(tables):
    infos, best = ask(MATE_IN_16)
    assert len(infos) == 1
    words = infos[0].split()
    assert words[words.index("score") :][:3] == ["score", "mate", "16"]
    assert words[words.index("depth") + 1] == "31"
    line = words[words.index("pv") + 1 :]
    assert line == [move.uci() for move in tables.mainline(chess.Board(MATE_IN_16))]
    assert best == f"bestmove {line[0]} ponder {line[1]}"


def test_of_a_very_long_line_two_moves_are_shown(tables, monkeypatch):
    monkeypatch.setattr("tablebase.uci.engine.MAX_PLIES", 29)
    infos, best = ask(MATE_IN_16)
    line = infos[0].split(" pv ")[1].split()
    assert line == [move.uci() for move in tables.mainline(chess.Board(MATE_IN_16))[:2]]
    assert "score mate 16" in infos[0]
    assert best == f"bestmove {line[0]} ponder {line[1]}"


@pytest.mark.parametrize(
    ("fen", "score", "best"),
    [
        ("8/8/8/8/8/2k5/1R6/1K6 b - - 0 1", "mate -", "bestmove"),
        ("k7/8/1K6/8/8/8/8/7R w - - 0 1", "mate 1", "bestmove h1h8"),
        ("k7/8/1K6/8/8/8/8/6R1 b - - 0 1", "mate -1", "bestmove a8b8 ponder g1g8"),
        ("8/8/8/8/8/1r6/2K5/k7 w - - 0 1", "cp 0", "bestmove c2b3"),
        ("7R/8/8/8/8/8/2K5/k7 b - - 0 1", "mate -1", "bestmove a1a2 ponder h8a8"),
        ("k6R/8/1K6/8/8/8/8/8 b - - 0 1", "mate 0", "bestmove (none)"),
        ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", "cp 0", "bestmove (none)"),
    ],
)
def test_scores(fen, score, best):
    infos, answer = ask(fen)
    assert f" score {score}" in infos[0]
    assert answer.startswith(best)


@pytest.mark.parametrize(
    ("dtm", "score"),
    [
        (1, " score mate 1"),
        (3, " score mate 2"),
        (-2, " score mate -1"),
        (-30, " score mate -15"),
        (0, " score cp 0"),
        (None, ""),
    ],
)
def test_mates_count_moves(dtm, score):
    assert score_of(dtm) == score


def test_many_lines_are_ranked():
    options = ("setoption name MultiPV value 256",)
    infos, answer = ask(MATE_IN_16, options=options)
    first = [line.split(" pv ")[1].split()[0] for line in infos]
    assert tuple(first[:8]) == BEST
    assert len(set(first)) == 16
    assert [int(line.split("multipv ")[1].split()[0]) for line in infos] == list(range(1, 17))
    assert sum("score cp 0" in line for line in infos) == 4
    assert answer.startswith(f"bestmove {first[0]}")


@pytest.mark.parametrize(
    "go",
    [
        "go movetime 1",
        "go depth 1",
        "go mate 3",
        "go nodes 1",
        "go wtime 100 btime 100 winc 0 binc 0 movestogo 1",
        "go perhaps",
    ],
)
def test_limits_change_nothing(go):
    _, answer = ask(MATE_IN_16, go)
    assert answer == "bestmove a1a2 ponder c3d4"


def test_searchmoves():
    _, answer = ask(MATE_IN_16, "go searchmoves b2b4 b2b5 a1a8 depth 5")
    assert answer.startswith("bestmove b2b5")
    board = chess.Board(MATE_IN_16)
    assert read_searchmoves(["depth", "5"], board) == set(board.legal_moves)
    assert read_searchmoves(["searchmoves", "depth", "5"], board) == set(board.legal_moves)
    assert read_searchmoves(["searchmoves", "a1a8", "B2B5"], board) == {chess.Move.from_uci("b2b5")}
    # As in Stockfish, nothing is played if none of them is legal.
    said = answers(f"position fen {MATE_IN_16}", "go searchmoves a1a8 a1a1")
    assert said == ["info string no move of searchmoves is legal here", "bestmove (none)"]


@pytest.mark.parametrize(
    ("go", "kept", "release"),
    [
        ("go infinite", ("isready", "ponderhit"), "stop"),
        ("go ponder wtime 1000", ("isready",), "ponderhit"),
        ("go ponder", ("isready",), "stop"),
        ("go infinite", (), "quit"),
    ],
)
def test_the_answer_is_held_back(go, kept, release):
    said = []
    engine = Engine(said.append, DATA)
    for line in (f"position fen {MATE_IN_16}", go, *kept):
        engine.handle(line)
    assert not [line for line in said if line.startswith("bestmove")]
    assert [line for line in said if " pv " in line]
    engine.run([release])
    assert said[-1] == "bestmove a1a2 ponder c3d4"
    assert len([line for line in said if line.startswith("bestmove")]) == 1


def test_every_go_has_one_answer():
    said = answers("go infinite", "go infinite", "stop", "stop", "ponderhit", "go")
    assert len([line for line in said if line.startswith("bestmove")]) == 3


def test_positions_with_moves():
    board = read_position_command("startpos moves e2e4 e7e5 g1f3")
    assert board.ply() == 3
    assert read_position_command(f"fen {MATE_IN_16} moves a1a2").piece_at(chess.A2)
    assert not read_position_command("fen 4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1").castling_rights
    board = read_position_command("fen 8/P7/8/8/8/8/7k/K7 w - - 0 1 moves a7a8Q")
    assert board.piece_at(chess.A8) == chess.Piece.from_symbol("Q")


def test_rights_that_do_not_count_are_told():
    given = "8/8/8/8/8/2k5/1R6/K7 w KQ - 0 1"
    for moves in ("", " moves a1a2", "\tmoves a1a2"):
        assert answers(f"position fen {given}{moves}") == [
            "info string castling rights KQ do not count, because king and rook are not in place"
        ]
    assert answers(f"position fen {MATE_IN_16}", "position startpos moves e2e4") == []


def test_a_move_that_is_none_is_named():
    for move in ("a1a8", "0000", "nonsense"):
        assert answers(f"position fen {MATE_IN_16} moves {move}") == [
            f"info string illegal position: '{move}' is not a legal move in {MATE_IN_16}"
        ]


@pytest.mark.parametrize("blank", ["\t", "  ", " \t "])
def test_any_white_space_parts_words(blank):
    for text in (
        "startpos moves e2e4 e7e5",
        f"fen {MATE_IN_16} moves a1a2 c3d4",
        f"fen {MATE_IN_16.rsplit(' ', 2)[0]} moves a1a2",
    ):
        expected = read_position_command(text)
        read = read_position_command(text.replace(" ", blank))
        assert (read.fen(), read.move_stack) == (expected.fen(), expected.move_stack)
        assert read.move_stack
    lines = [
        line.replace(" ", blank)
        for line in (
            "setoption name MultiPV value 3",
            f"position fen {MATE_IN_16} moves a1a2 c3d4",
            "go infinite",
            "stop",
        )
    ]
    said = answers(*lines)
    assert len([line for line in said if " multipv " in line]) == 3
    assert said[-1].startswith("bestmove a2")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "fen",
        "fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "fen kk6/8/8/8/8/8/8/K7 w - - 0 1",
        "fen kP6/8/8/8/8/8/8/K7 w - - 0 1",
        "fen kR6/8/8/8/8/8/8/K7 w - - 0 1",
        "fen k~R6/8/8/8/8/8/8/K7 w - - 0 1",
        "fen 8/8/8/8/8/2k5/1R6/K7 x - - 0 1",
        "startpos moves e2e5",
        "startpos moves 0000",
        "startpos moves \udcff",
    ],
)
def test_illegal_positions_have_no_move(text):
    said = answers(f"position {text}", "go")
    assert said[0].startswith("info string illegal position: ")
    assert said[-1] == "bestmove (none)"
    assert answers(f"position {text}", f"position fen {MATE_IN_16}", "go")[-1].startswith(
        "bestmove a1a2"
    )


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        (chess.STARTING_FEN, "32 pieces, but tables have at most 6"),
        ("k7/pppppppp/8/8/8/8/PPPPPPPP/K7 w - - 0 1", "18 pieces"),
        ("8/8/3k4/8/8/8/8/K1N1B3 w - - 0 1", "tablebase build KBNK"),
    ],
)
def test_outside_the_tables_a_legal_move(fen, reason):
    said = answers(f"position fen {fen}", "go")
    assert said[0].startswith("info string ")
    assert reason in said[0]
    assert chess.Move.from_uci(said[-1].split()[1]) in chess.Board(fen).legal_moves
    assert "score" not in said[1]


def test_castling_rights_are_named():
    said = answers("position fen 4k3/8/8/8/8/8/PP6/4K2R w K - 0 1", "go")
    assert "castling rights" in said[0] or "no table" in said[0]
    assert said[-1].startswith("bestmove ")
    said = answers("position fen 4k3/8/8/8/8/8/8/4K2R b K - 0 1", "go")
    assert " score mate -14 " in said[-2]


def test_outside_the_tables_known_moves_count():
    # The black knight can be taken, which leads to a won KQK; anything else is unknown.
    infos, answer = ask("8/8/8/8/2k5/8/6n1/K5Q1 w - - 0 1")
    assert answer.startswith("bestmove g1g2")
    assert " score mate " in infos[0]


def test_proven_results_are_kept(tmp_path):
    board = chess.Board("2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1")
    solved = tablebase.solve_position(board, "10h,2GB", moves=True, save=tmp_path / "a.region")
    results = {move.uci: move.result for move in solved.moves}
    said = answers("setoption name MultiPV value 9", f"position fen {board.fen()}", "go",
                   path=str(tmp_path))  # fmt: skip
    assert any("proved results here, without distances to mate" in line for line in said)
    lines = [line for line in said if " pv " in line]
    moves = [line.partition(" pv ")[2].split()[0] for line in lines]
    ranks = ["win", "draw", "loss"]
    assert [results[move] for move in moves] == sorted(results.values(), key=ranks.index)
    assert all("score mate" not in line for line in lines)
    assert " score cp 0 " in lines[-1]
    # Of moves that win, a capture or pawn's move comes first.
    after = chess.Board("8/8/p1PK4/P7/8/8/8/1k6 w - - 0 1")
    said = answers(f"position fen {after.fen()}", "go", path=str(tmp_path))
    assert said[-1].startswith("bestmove c6c7 ponder ")
    # Each move makes progress: both sides together play on to the queen, or to mate.
    game = board.copy()
    while not game.move_stack or not game.peek().promotion:
        said = answers(f"position fen {game.fen()}", "go", path=str(tmp_path))
        game.push_uci(said[-1].split()[1])
        assert len(game.move_stack) < 60
    assert game.turn == chess.BLACK


def test_moves_into_tables_have_their_distances(tmp_path):
    board = chess.Board("8/2p5/8/1P6/2k5/8/8/2K5 b - - 0 1")
    tablebase.solve_position(board, "10h,2GB", moves=True, save=tmp_path / "a.region")
    for name in ("KPK", "KQK", "KRK", "KNK", "KBK", "KK"):
        (tmp_path / f"{name}.h5").write_bytes(Path(DATA, f"{name}.h5").read_bytes())
    said = answers(f"position fen {board.fen()}", "go", path=str(tmp_path))
    lines = [line for line in said if " pv " in line]
    assert " score mate " in lines[0]
    assert lines[0].partition(" pv ")[2].startswith("c4b5 ")
    assert said[-1].startswith("bestmove c4b5 ")


def test_mates_need_no_table():
    infos, answer = ask("k7/8/8/8/8/8/8/KQQ5 w - - 0 1")
    board = chess.Board("k7/8/8/8/8/8/8/KQQ5 w - - 0 1")
    board.push_uci(answer.split()[1])
    assert board.is_checkmate()
    assert " score mate 1 " in infos[0]
    infos, answer = ask("k1K5/8/8/8/8/8/8/RR6 b - - 0 1")
    assert infos[0].endswith("score mate 0")
    assert answer == "bestmove (none)"


def test_mate_without_any_table(tmp_path):
    infos, answer = ask("k7/8/1K6/8/8/8/8/7R w - - 0 1", path=str(tmp_path))
    assert answer == "bestmove h1h8"
    assert " score mate 1 " in infos[0]


def test_a_damaged_file_does_not_end_it(tmp_path):
    (tmp_path / "KRK.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(1000))
    said = answers(f"position fen {MATE_IN_16}", "go", path=str(tmp_path))
    assert "KRK.h5" in said[0]
    assert chess.Move.from_uci(said[-1].split()[1]) in chess.Board(MATE_IN_16).legal_moves


def test_kings_marked_as_promoted_are_kings():
    infos, answer = ask(MATE_IN_16.replace("K7", "K~7").replace("2k5", "2k~5"))
    assert " score mate 16 " in infos[0]
    assert answer == "bestmove a1a2 ponder c3d4"


def test_look_ups_are_counted(tables):
    infos, _ = ask(MATE_IN_16)
    words = infos[0].split()
    nodes, hits = (int(words[words.index(word) + 1]) for word in ("nodes", "tbhits"))
    board = chess.Board(MATE_IN_16)
    assert nodes == hits > board.legal_moves.count() + len(tables.mainline(board))
    infos, _ = ask("8/8/3k4/8/8/8/8/K1N1B3 w - - 0 1")
    assert " tbhits 0 " in infos[0]


def test_folders_are_found_without_being_named(tmp_path, monkeypatch):
    go = (f"position fen {MATE_IN_16}", "go")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TABLEBASE_PATH", f"{tmp_path}{os.pathsep}{DATA}")
    said = answers("isready", "isready", path="")
    assert said == [f"info string 8 tables in {tmp_path}{os.pathsep}{DATA}", "readyok", "readyok"]
    for lines in (go, ("setoption name TablebasePath value <empty>", *go)):
        assert answers(*lines, path="" if lines is go else "/nowhere")[-1].startswith("bestmove a1")
    monkeypatch.setenv("TABLEBASE_PATH", "missing")
    said = answers("isready", path="")
    assert said[0] == (
        "info string no tables in missing: No such file or directory; set option TablebasePath"
    )


def test_new_tables_are_seen(tmp_path):
    said = []
    engine = Engine(said.append, str(tmp_path))
    engine.handle(f"position fen {MATE_IN_16}")
    engine.handle("go")
    assert "no table of KRK" in said[0]
    shutil.copy(Path(DATA) / "KRK.h5", tmp_path)
    engine.handle("go")
    assert said[-1] == "bestmove a1a2 ponder c3d4"


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("name MultiPV value 3", ("MultiPV", "3")),
        ("name  TablebasePath \t value  /a  b ", ("TablebasePath", "/a  b")),
        ("name TablebasePath value", ("TablebasePath", "")),
        ("name\tMultiPV\tvalue\t3", ("MultiPV", "3")),
        ("name", ("", "")),
        ("name a value valued value", ("a", "valued value")),
        ("name values", ("values", "")),
        ("", ("", "")),
        ("value 3", ("", "")),
        (f"name x{' ' * 1_000_000}y", (f"x{' ' * 1_000_000}y", "")),
    ],
)
def test_options_are_read(text, option):
    assert read_option(text) == option


def test_the_fifty_move_rule_is_mentioned(folders_by_metric):
    late = MATE_IN_16.replace("0 1", "80 90")
    for fen, metric, mentioned in (
        (late, "dtm", True),
        (MATE_IN_16, "dtm", False),
        (late, "both", False),
    ):
        said = answers(f"position fen {fen}", "go", path=str(folders_by_metric[metric]))
        assert any("50-move rule" in line for line in said) == mentioned
    off = "setoption name Syzygy50MoveRule value false"
    said = answers(off, f"position fen {late}", "go", path=str(folders_by_metric["dtm"]))
    assert not [line for line in said if "50-move rule" in line]


@pytest.mark.parametrize(
    ("fen", "value", "score", "move"),
    [
        (LAST_CALL, "true", "mate 23", "b3b4"),
        (LAST_CALL, "false", "mate 16", "c2d3"),
        (LAST_CALL.replace("99", "90"), "true", "mate 16", "c2d3"),
        (MATE_IN_16.replace("0 1", "69 90"), "true", "mate 16", "a1a2"),
        (MATE_IN_16.replace("0 1", "70 90"), "true", "cp 0", "a1a2"),
        (MATE_IN_16.replace("0 1", "70 90"), "false", "mate 16", "a1a2"),
        ("8/8/8/8/8/2k5/K1R5/8 b - - 99 90", "true", "cp 0", "c3c2"),
        ("8/8/8/3k4/8/8/K1R5/8 b - - 99 90", "true", "cp 0", ""),
        ("8/8/8/3k4/8/8/K1R5/8 b - - 99 90", "false", "mate -", ""),
    ],
)
def test_it_plays_by_the_clock(folders_by_metric, fen, value, score, move):
    options = [f"setoption name Syzygy50MoveRule value {value}"]
    infos, best = ask(fen, options=options, path=str(folders_by_metric["both"]))
    assert f" score {score}" in infos[0]
    assert best.startswith(f"bestmove {move}")


def test_the_line_by_the_clock_ends_in_mate(folders_by_metric):
    infos, _ = ask(LAST_CALL, path=str(folders_by_metric["both"]))
    board = chess.Board(LAST_CALL)
    line = infos[0].split(" pv ")[1].split()
    for move in line:
        assert board.halfmove_clock < 100
        board.push_uci(move)
    assert board.is_checkmate()
    assert infos[0].startswith(f"info depth {len(line)} ")


def test_a_win_that_the_clock_bars_is_worth_less_than_the_unknown(folders_by_metric, tmp_path):
    for name in ("KRK", "KPK", "KQK", "KNK"):  # not KBK
        shutil.copy(folders_by_metric["both"] / f"{name}.h5", tmp_path)
    fen = "8/P7/8/8/8/3k4/8/K7 w - - {} 80"
    for clock in (0, 99):
        infos, best = ask(fen.format(clock), path=str(tmp_path))
        assert best.startswith("bestmove a7a8q")
        assert " score mate " in infos[0]
    tried = ("setoption name MultiPV value 9",)
    infos, _ = ask(fen.format(99), options=tried, path=str(tmp_path))
    order = [line.split(" pv ")[1].split()[0] for line in infos]
    assert order[:2] == ["a7a8q", "a7a8r"]
    assert order[2] == "a7a8b"  # the unknown
    assert all("score cp 0" in line for line in infos[3:])


def test_practical_resistance(folders_by_metric):
    """The hardest move comes first; without distances to zeroing the engine says why it is not."""
    board = chess.Board("8/8/8/2k2p2/8/5K2/8/8 b - - 0 1")
    practical = ("setoption name Resistance value practical", "setoption name MultiPV value 20")
    folder = str(folders_by_metric["both"])
    with open_tablebase(folder) as tables:
        ranked = tables.rank_moves(board)
        hardest = practical_move(tables, board, ranked).move.uci()
    assert hardest != ranked[0].move.uci()
    for options, first in (((), ranked[0].move.uci()), (practical, hardest)):
        infos, best = ask(board.fen(), options=options, path=folder)
        assert best.split()[1] == first
        assert infos[0].split(" pv ")[1].split()[0] == first
    assert sorted(line.split(" pv ")[1].split()[0] for line in infos) == sorted(
        one.move.uci() for one in ranked
    )
    _, best = ask(board.fen(), f"go searchmoves {ranked[0].move.uci()}", options=practical)
    assert best.split()[1] == ranked[0].move.uci()
    said = answers(*practical, f"position fen {board.fen()}", "go",
                   path=str(folders_by_metric["dtm"]))  # fmt: skip
    assert sum("Resistance is longest here" in line for line in said) == 1


def test_options(tmp_path):
    go = (f"position fen {MATE_IN_16}", "go")
    path = f"setoption name TablebasePath value {DATA}"
    both = f"setoption name tablebasepath value {tmp_path}{os.pathsep}{DATA}"
    for line in (path, both):
        assert answers(line, *go, path="")[-1] == "bestmove a1a2 ponder c3d4"
    said = answers("setoption name Resistance value practical", *go)
    assert said[-1] == "bestmove a1a2 ponder c3d4"  # a win, played as ever
    said = answers(f"setoption name TablebasePath value {tmp_path}", *go)
    assert f"no table of KRK in {tmp_path}" in said[0]
    said = answers(f"setoption name TablebasePath value {tmp_path / 'none'}", "isready")
    assert "set option TablebasePath" in said[0]
    assert said[-1] == "readyok"
    assert not answers("setoption name Hash value 1", "setoption name Ponder value true")


@pytest.mark.parametrize(
    "line",
    [
        "setoption",
        "setoption name",
        "setoption name Nothing value 3",
        "setoption name Resistance value strong",
        "setoption name MultiPV value many",
        "setoption name MultiPV value 0",
        "setoption name MultiPV",
        "setoption name Hash value 9999999999999",
        "setoption name Hash value \u00b2",
        "setoption name Syzygy50MoveRule value perhaps",
    ],
)
def test_wrong_options_are_told(line):
    said = answers(line, f"position fen {MATE_IN_16}", "go")
    assert said[0].startswith("info string ")
    assert said[-1] == "bestmove a1a2 ponder c3d4"


def test_chess960():
    """Castling is the king's move onto its rook if the program says so."""
    fen = "1r2k3/8/8/8/8/8/8/4K3 b b - 0 1"
    question = (f"position fen {fen}", "go searchmoves e8b8")
    said = answers("setoption name UCI_Chess960 value true", *question)
    assert " score mate " in said[-2]
    assert said[-1].startswith("bestmove e8b8")
    start = "position startpos moves g1f3 g8f6 g2g3 g7g6 f1g2 f8g7"
    for chess960, castling in (("true", "e1h1"), ("false", "e1g1")):
        option = f"setoption name UCI_Chess960 value {chess960}"
        said = answers(option, start, f"go searchmoves {castling}")
        assert said[-1] == f"bestmove {castling}"
    assert "is true or false" in answers("setoption name UCI_Chess960 value perhaps")[0]


def test_options_are_named_as_they_were_given():
    (said,) = answers("setoption name hASH value many")
    assert said == "info string option hASH is a number from 1 to 65536, not 'many'"
    (said,) = answers("setoption name NoSuchThing value 1")
    assert said == "info string no such option: NoSuchThing"


def test_unknown_words_are_skipped():
    assert answers("hello", "", "register later", "ucinewgame", "debug off") == []
    assert answers("joho isready")[-1] == "readyok"
    assert answers("debug on", "hello") == ["info string unknown command: hello"]


def test_noise_never_ends_it():
    rng = random.Random(1)
    text = (
        "uci isready setoption name value TablebasePath MultiPV 0 -1 3 Hash position startpos fen "
        "moves e2e4 0000 e7e8k 8/8/8/8/8/2k5/1R6/K7 w b - KQkq e3 1 go infinite ponder searchmoves "
        "a1a2 a1a1 depth mate stop ponderhit ucinewgame debug on off register \udcff \0 P7/k1K5"
    )
    words = text.split(" ")
    said = []
    engine = Engine(said.append, DATA)
    for _ in range(600):
        assert engine.handle(" ".join(rng.choices(words, k=rng.randrange(1, 9))))
    engine.handle("stop")
    said.clear()
    for line in ("setoption name MultiPV value 1", f"setoption name TablebasePath value {DATA}"):
        engine.handle(line)
    engine.handle(f"position fen {MATE_IN_16}")
    engine.handle("go")
    assert said[-1] == "bestmove a1a2 ponder c3d4"


def test_the_example_of_the_documentation(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "uci.md").read_text()
    rows = text.split("```text\n")[1].split("```")[0].splitlines()
    asked = [row[2:] for row in rows if row.startswith("> ")]
    told = [row for row in rows if not row.startswith("> ")]

    def timeless(lines):
        return [re.sub(r" time \d+", "", line) for line in lines]

    assert len(told) > 6
    assert timeless(answers(*asked, path="data")) == timeless(told)


# As a process


@pytest.fixture(scope="module")
def engine():
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=PATIENCE, env=ENVIRONMENT) as engine:
        engine.ping()
        yield engine


def random_wins(tables, name, count):
    """Return random positions that the side to move wins."""
    rng = random.Random(name)
    while count:
        board = chess.Board(None)
        men = [chess.Piece.from_symbol(letter) for letter in f"Kk{name[1]}"]
        for square, man in zip(rng.sample(range(64), 3), men, strict=True):
            board.set_piece_at(square, man)
        if rng.random() < 0.5:
            board = board.mirror()  # the other colour is to win
        if board.is_valid() and tables.probe_dtm(board) > 0:
            count -= 1
            yield board


@pytest.mark.parametrize("name", ["KRK", "KPK"])
def test_it_mates_in_the_predicted_number_of_moves(engine, tables, name):
    for board in random_wins(tables, name, GAMES // 2):
        first = engine.play(board, chess.engine.Limit(time=1), info=chess.engine.INFO_ALL)
        predicted = first.info["score"].relative.mate()
        assert 2 * predicted - 1 == tables.probe_dtm(board)
        assert len(first.info["pv"]) == 2 * predicted - 1
        winner = board.turn
        moves = 0
        while not board.is_game_over():
            moves += board.turn == winner
            board.push(engine.play(board, chess.engine.Limit(time=1), game=name).move)
        assert board.is_checkmate()
        assert board.turn != winner
        assert moves == predicted


def test_a_board_of_chess960(engine, tables):
    """A program need not know that the engine has the option: python-chess sets it by itself."""
    board = chess.Board(MATE_IN_16, chess960=True)
    assert engine.play(board, chess.engine.Limit(time=1)).move == tables.best_move(board)
    board = chess.Board("nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w KQkq - 0 1", chess960=True)
    assert engine.play(board, chess.engine.Limit(time=1)).move in board.legal_moves


def test_analysis(engine):
    board = chess.Board(MATE_IN_16)
    lines = engine.analyse(board, chess.engine.Limit(depth=10), multipv=3)
    assert [line["score"].relative.mate() for line in lines] == [16, 16, 16]
    assert [line["pv"][0].uci() for line in lines] == list(BEST[:3])
    only = engine.analyse(board, chess.engine.Limit(), root_moves=[chess.Move.from_uci("b2b5")])
    assert only["pv"][0].uci() == "b2b5"
    assert only["score"].relative.mate() == 17


def test_analysis_without_limit(engine):
    with engine.analysis(chess.Board(MATE_IN_16)) as analysis:
        assert analysis.get()["score"].relative.mate() == 16
        analysis.stop()
        assert analysis.wait().move.uci() == "a1a2"


def test_pondering(engine):
    board = chess.Board(MATE_IN_16)
    while not board.is_game_over():
        result = engine.play(board, chess.engine.Limit(time=1), ponder=True)
        board.push(result.move)
        if result.ponder:  # each second time the guess is wrong
            others = [move for move in board.legal_moves if move != result.ponder]
            board.push(others[0] if others and board.ply() % 4 == 1 else result.ponder)
    assert board.is_checkmate()


def test_game_over_and_other_positions(engine):
    assert engine.play(chess.Board(), chess.engine.Limit(time=1)).move in chess.Board().legal_moves
    mated = chess.Board("k6R/8/1K6/8/8/8/8/8 b - - 0 1")
    assert engine.play(mated, chess.engine.Limit(time=1)).move is None


def test_the_path_is_an_option(tables):
    command = [*COMMAND[:-1], "/nowhere"]
    with chess.engine.SimpleEngine.popen_uci(command, timeout=PATIENCE, env=ENVIRONMENT) as engine:
        engine.configure({"TablebasePath": DATA, "Hash": 16})
        result = engine.play(chess.Board(MATE_IN_16), chess.engine.Limit(time=1))
    assert result.move == tables.best_move(chess.Board(MATE_IN_16))


def run(text, *, interrupt=False):
    """Return what a process says to bytes, and nothing on stderr."""
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as process:
        if interrupt:
            process.stdin.write(text)
            process.stdin.flush()
            assert process.stdout.readline().startswith(b"info string 8 tables in ")
            assert process.stdout.readline() == b"readyok\n"
            process.send_signal(2)
        out, errors = process.communicate(None if interrupt else text, timeout=PATIENCE)
    assert process.returncode == 0
    assert errors == b""
    return out.decode().splitlines()


@pytest.mark.thorough
def test_end_of_input_ends_it():
    assert run(b"") == []
    assert run(f"position fen {MATE_IN_16}\ngo infinite\n".encode())[-1].startswith("bestmove a1a2")
    assert run(b"quit\nisready\n") == []


def test_bytes_that_are_no_text():
    said = run(b"\xff\xfe\x00\n" * 3 + b"debug on\n\xff\nsetoption name \xff\nisready")
    assert said[-1] == "readyok"
    assert all(line.startswith("info string ") for line in said[:-1])


def test_interruption_is_an_end():
    assert run(b"isready\n", interrupt=True) == []


def test_it_introduces_itself_without_kernels():
    code = (
        "import io, sys; from tablebase.uci.engine import Engine; "
        "Engine(print, 'data').run(['uci', 'ucinewgame']); print(*sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=ENVIRONMENT
    )
    assert "uciok" in result.stdout
    assert not set(result.stdout.split()) & {"numba", "h5py", "rich"}
