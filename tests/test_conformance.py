"""The conformance suite states what is right."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import chess
import chess.gaviota
import chess.syzygy
import pytest
from support.commands import served
from support.few import few
from support.suite import FOLDER, LINES, program

from scripts import conformance
from tablebase import open_tablebase, solve_position

ROOT = Path(__file__).parents[1]
FIVE = os.environ.get("CHESS_TABLES")
WITH_THE_PROJECT = {path.stem for path in (ROOT / "data").glob("*.h5")}
VALUED = [line for line in LINES if line["wdl"]]
OF_TABLES = [line for line in VALUED if line["men"] <= 5]
OF_FOUR_MEN = [line for line in OF_TABLES if line["men"] <= 4]
SIGNS = {"win": 2, "cursed-win": 1, "draw": 0, "blessed-loss": -1, "loss": -2}


def board_of(line):
    return chess.Board(line["fen"], chess960=line["kind"] == "chess960")


def result_under_the_rule(tables, board):
    """Return the result from 2 to -2 at the board's clock."""
    if board.is_checkmate():
        return -2
    wdl, clock = tables.probe_wdl(board), board.halfmove_clock
    in_time = clock < 100 and abs(tables.probe_dtz(board)) + clock <= 100
    return wdl * (2 if in_time else 1)


def values_by_moves(tables, board):
    """Return by move the result without and with the rule, and both distances."""
    found = {}
    for move in board.legal_moves:
        name, zeroing = board.uci(move), board.is_zeroing(move)
        after = board.copy(stack=False)
        after.push(move)
        wdl, dtz = -tables.probe_wdl(after), abs(tables.probe_dtz(after))
        if after.is_checkmate():
            to_zeroing = 1
        elif zeroing:
            to_zeroing = 1 if dtz <= 100 else 101
        else:
            to_zeroing = dtz + 1
        under = wdl if board.halfmove_clock >= 100 else -result_under_the_rule(tables, after)
        found[name] = wdl, under, abs(tables.probe_dtm(after)) + 1, to_zeroing
    return found


def check(tables, line):
    board = conformance.read(line["fen"], line["kind"])
    wdl, under = tables.probe_wdl(board), result_under_the_rule(tables, board)
    assert SIGNS[line["wdl"]] == 2 * wdl
    assert SIGNS[line["wdl50"]] == under
    assert (line["dtm"], line["dtz"]) == (tables.probe_dtm(board), tables.probe_dtz(board))
    moves = values_by_moves(tables, board)
    keeping = {name: one for name, one in moves.items() if one[0] == wdl}
    assert line["keeping"] == sorted(keeping)
    assert line["keeping_rule50"] == sorted(name for name in moves if moves[name][1] == under)
    if not (wdl and moves):
        assert line["fastest_dtm"] is line["fastest_dtz"] is None
        return
    best = min if wdl > 0 else max
    for at, name in ((2, "dtm"), (3, "dtz")):
        distance = best(one[at] for one in keeping.values())
        assert abs(line[name]) == distance
        assert line[f"fastest_{name}"] == sorted(
            one for one in keeping if keeping[one][at] == distance
        )


def test_there_are_enough():
    kinds = Counter(line["kind"] for line in LINES)
    assert min(kinds.values()) >= 5, kinds
    assert len(OF_TABLES) >= 300
    assert len(OF_FOUR_MEN) >= 200
    assert sum(WITH_THE_PROJECT.issuperset(line["needs"]) for line in OF_TABLES) >= 60
    assert len({line["id"] for line in LINES}) == len(LINES)


def test_no_position_occurs_twice_in_a_kind():
    keys = Counter()
    for line in LINES:
        is_text = line["kind"] in {"fen-oddity", "no-value"}
        key = line["fen"] if is_text else conformance.key_of(board_of(line))
        keys[line["kind"], key] += 1
    assert keys.most_common(1)[0][1] == 1


@pytest.mark.parametrize("kind", sorted({line["kind"] for line in VALUED}))
def test_moves(kind):
    """python-chess makes the legal moves, and all other moves are among them."""
    for line in VALUED:
        if line["kind"] == kind:
            check_moves(line)


def check_moves(line):
    board = board_of(line)
    status = board.status()
    if line["kind"] == "impossible-history":
        assert status == chess.STATUS_IMPOSSIBLE_CHECK
    elif line["kind"] not in {"fen-oddity", "colours-exchanged"}:
        assert status == chess.STATUS_VALID
    assert line["men"] == len(board.piece_map())
    assert line["legal"] == sorted(board.uci(move) for move in board.legal_moves)
    for name in ("keeping", "keeping_rule50", "fastest_dtm", "fastest_dtz"):
        assert set(line[name] or ()) <= set(line["legal"])
    assert line["why"].endswith(".")
    assert board.is_checkmate() == (line["dtz"] == -1 and line["legal"] == [])
    assert line["wdl"] == "draw" or not board.is_insufficient_material()


def test_what_has_no_value_is_no_position():
    for line in LINES:
        if not line["wdl"]:
            assert line["kind"] == "no-value"
            assert not board_of(line).is_valid()


def test_values_by_our_tables(zeroing_dir):
    with open_tablebase(zeroing_dir) as tables:
        for line in OF_FOUR_MEN:
            check(tables, line)


@pytest.mark.thorough
def test_the_server_passes(zeroing_dir, tmp_path, capsys):
    lines = [line for line in LINES if line["men"] <= 4 or not line["wdl"]]
    suite = tmp_path / "positions.jsonl"
    suite.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    with served("--dir", zeroing_dir) as (_, address):
        code = program().main(["--server", address, "--suite", str(suite)])
    output = capsys.readouterr().out
    assert code == 0, output
    asked, right, _, _ = re.search(
        r"^all +(\d+) +(\d+) +(\d+) +(\d+)$", output, re.MULTILINE
    ).groups()
    assert int(asked) == int(right) == len(lines)


def test_values_by_official_files():
    compared = 0
    data = ROOT / "tests" / "data"
    gaviota = chess.gaviota.PythonTablebase()
    gaviota.add_directory(data / "gaviota")
    with gaviota, chess.syzygy.open_tablebase(data / "syzygy") as syzygy:
        for line in OF_TABLES:
            board = conformance.read(line["fen"], line["kind"])
            if line["men"] > 3 or board.castling_rights or line["legal"] == []:
                continue
            assert gaviota.probe_dtm(board) == line["dtm"]
            assert abs(syzygy.probe_dtz(board) - line["dtz"]) <= 1
            assert syzygy.probe_wdl(board) == SIGNS[line["wdl"]]  # no three men are cursed
            compared += 1
    assert compared > 30


@pytest.mark.thorough
@pytest.mark.parametrize("men", few([3, 4], 3))
def test_results_without_any_table(men):
    compared = 0
    for line in VALUED:
        board = conformance.read(line["fen"], line["kind"])
        if line["men"] == men and not board.castling_rights:
            assert solve_position(board).result == line["wdl"], line["id"]
            compared += 1
    assert compared > 50


def test_the_same_as_epd():
    epds = (FOLDER / "positions.epd").read_text(encoding="utf-8").splitlines()
    assert epds == [conformance.epd_of(line) for line in LINES]
    for epd, line in zip(epds, LINES, strict=True):
        board, operations = chess.Board.from_epd(epd, chess960=line["kind"] == "chess960")
        assert (operations["id"], operations["c0"]) == (line["id"], line["kind"])
        if "bm" in operations:
            best = sorted(board.uci(move) for move in operations["bm"])
            assert best == line["keeping_rule50"]


@pytest.mark.slow
@pytest.mark.skipif(not FIVE, reason="CHESS_TABLES names no folder of tables of five men")
def test_the_script_makes_it_again_and_five_men_agree():
    with open_tablebase(FIVE) as tables:
        for line in OF_TABLES:
            check(tables, line)
        assert conformance.rows(tables, 64) == LINES
