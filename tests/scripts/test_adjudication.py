"""The suite for adjudicators and the census: by tables, and by python-chess where it can tell."""

import csv
import json
import re
import sys
from pathlib import Path

import chess
import pytest

from tablebase import open_tablebase

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples"))
PAGE = (ROOT / "docs/who-can-mate.md").read_text(encoding="utf-8")


def rows():
    with (ROOT / "data/conformance/mating.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_the_suite_has_200_positions_that_differ():
    boards = [chess.Board(row["fen"]) for row in rows()]
    assert len(boards) == len({board.epd() for board in boards}) == 200
    assert all(board.is_valid() for board in boards)


def test_ends_of_games_are_what_python_chess_says():
    for row in rows():
        board = chess.Board(row["fen"])
        assert (row["kind"] == "checkmate") == board.is_checkmate()
        assert (row["kind"] == "stalemate") == board.is_stalemate()
        if row["kind"] == "checkmate":
            assert row["white_can_mate" if board.turn == chess.BLACK else "black_can_mate"] == "1"


def test_positions_of_three_men_by_tables(helped_folder):
    compared = 0
    with open_tablebase(helped_folder) as tables:
        for row in rows():
            board = chess.Board(row["fen"])
            if chess.popcount(board.occupied) > 3:
                continue
            compared += 1
            for color, name in zip(chess.COLORS, ("white", "black"), strict=True):
                plies = tables.probe_helpmate(board, color)
                assert row[f"{name}_plies"] == ("-" if plies is None else str(plies))
                assert row[f"{name}_can_mate"] == str(int(plies is not None))
    assert compared > 20


@pytest.mark.parametrize("name", ["python-chess", "fastchess", "cutechess"])
def test_the_page_has_the_results_of_rules(capsys, name):
    import conformance

    conformance.main(["--adjudicator", name, "--failures", "0"])
    *_, right, generous, draws = capsys.readouterr().out.split()
    assert draws == "0"
    assert f"{right} rightly" in PAGE
    assert re.search(rf"\b{generous}\b", PAGE)


def test_the_page_has_the_census_of_another_program():
    census = json.loads((ROOT / "tests/data/helpmate_census.json").read_text())
    for metric in ("white_mates", "black_mates"):
        for name, sides in census[metric].items():
            if any(longest is None for _, _, longest in sides):
                continue
            numbers = [f"{never:,} | {of:,} | {longest}" for never, of, longest in sides]
            line = f"| {name} | {metric.split('_')[0].title()} | {' | '.join(numbers)} |"
            assert line in PAGE, line


def test_the_board_of_the_page_is_dead_as_its_caption_says():
    (row,) = (row for row in rows() if row["fen"].startswith("k7/P1K5/B7/8/8/8/8/8 w"))
    assert row["white_can_mate"] == row["black_can_mate"] == "0"
    board = chess.Board(row["fen"])
    assert str(board) in "\n".join(line[:15] for line in PAGE.splitlines())
    assert not board.has_insufficient_material(chess.WHITE)
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        if board.san(move) == "Kb6":
            assert after.is_stalemate()
        else:
            assert [after.san(answer) for answer in after.legal_moves] == ["Kxa7"]
