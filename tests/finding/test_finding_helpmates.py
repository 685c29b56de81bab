"""Positions in which a side can never mate, and helpmates as composers count them."""

import csv
import io
import json
from itertools import permutations
from pathlib import Path

import chess
import chess.pgn
import chess.variant
import numpy as np
import pytest

from tablebase import find, open_tablebase
from tablebase.cli.program import main
from tablebase.core.board.geometry import Color
from tablebase.core.building.generator import generate
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.outcomes.metrics import HELPMATES
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.storage.reading import open_table
from tablebase.finding.conditions import Conditions
from tablebase.finding.dataset import load_table

DATA = Path(__file__).parents[2] / "data"
HILL = built_in_rules()["kingofthehill"]


def test_who_can_never_mate(helped_folder):
    found = find("KPK", helped_folder, never="white", turn=False)
    assert len(found) == 14
    with open_tablebase(helped_folder) as tables:
        assert all(tables.is_dead(one.board()) for one in found)
    assert len(find("KPK", helped_folder, never="both", turn=False)) == 14
    assert len(find("KQK", helped_folder, never="white", turn=False)) == 414


@pytest.mark.parametrize(("moves", "plies", "turn"), [(1, 2, False), (1.5, 3, True)])
def test_moves_count_as_for_composers(helped_folder, moves, plies, turn):
    found = find("KRK", helped_folder, helpmate=moves, limit=20)
    assert len(found) == 20
    with open_tablebase(helped_folder) as tables:
        for one in found:
            assert one.board().turn == turn
            assert tables.probe_helpmate(one.board(), chess.WHITE) == plies


def test_one_solution(helped_folder):
    found = find("KRK", helped_folder, helpmate=1, unique=True, limit=10)
    assert len(found) == 10
    with open_tablebase(helped_folder) as tables:
        assert {tables.count_helpmates(one.board(), chess.WHITE) for one in found} == {1}
        counts = []
        for one in find("KRK", helped_folder, helpmate=2, limit=50):
            counts.append(tables.count_helpmates(one.board(), chess.WHITE))
            assert tables.has_one_helpmate(one.board(), chess.WHITE) == (counts[-1] == 1)
        assert {1, 2} <= {*counts}


def test_nobody_is_mated_by_a_bare_king(helped_folder):
    assert not len(find("KRK", helped_folder, helpmate=1, mated="white"))


def test_columns_of_helpmates(helped_folder):
    positions = load_table("KPK", helped_folder).positions(columns="help")
    few = positions[np.arange(0, len(positions), len(positions) // 300)]
    with open_tablebase(helped_folder) as tables:
        for color, column in ((chess.WHITE, few.help_white), (chess.BLACK, few.help_black)):
            known = [tables.probe_helpmate(one.board(), color) for one in few]
            assert [-1 if plies is None else plies for plies in known] == column.tolist()
    assert (positions.help_white == -1).sum() == 16
    assert (positions.help_black == -1).all()  # a bare king mates nobody
    with open_table(helped_folder / "KPK.h5") as file:
        for metric in HELPMATES:
            assert positions.metadata()[f"{metric.prefix}sha256"] == file.sha256_of(metric)
    found = find("KPK", helped_folder, never="white", columns="help").to_numpy()
    assert len(found["help_white"]) == 16
    with pytest.raises(MissingTableError, match="--metric help"):
        load_table("KRNK", DATA).positions(columns="help")


@pytest.mark.parametrize("wrong", [0, 2.25, True, "3", 200])
def test_moves_of_a_helpmate_are_whole_or_half(wrong):
    with pytest.raises(ValueError, match=r"moves like 3 or 3\.5"):
        Conditions(helpmate=wrong)
    with pytest.raises(ValueError, match="unique needs a helpmate"):
        Conditions(unique=True)


MATED_ON_A1 = "8/8/8/8/8/8/3K4/kR6 b - - 0 1"  # 1... Ka2 2. Kc3 Ka3 3. Ra1#


def found_as(form, folder, capsys):
    options = ("--helpmate", "2", "--unique", "--limit", "1", "--format", form)
    assert main(["find", "KRK", *options, "--dir", str(folder)]) == 0
    return capsys.readouterr().out


def test_what_is_printed_is_the_helpmate(helped_folder, capsys):
    game = chess.pgn.read_game(io.StringIO(found_as("pgn", helped_folder, capsys)))
    assert game.headers["Event"] == "KRK: h#2"
    assert game.headers["Result"] == "1-0"
    assert game.headers["FEN"] == MATED_ON_A1
    line = [move.uci() for move in game.mainline_moves()]
    assert len(line) == 4
    assert game.end().board().is_checkmate()
    told = json.loads(found_as("jsonl", helped_folder, capsys))
    assert (told["helpmate"], told["help_line"]) == (4, " ".join(line))
    (row,) = csv.DictReader(io.StringIO(found_as("csv", helped_folder, capsys)))
    assert (row["helpmate"], row["help_line"]) == ("4", " ".join(line))
    board = chess.Board()
    operations = board.set_epd(found_as("epd", helped_folder, capsys).strip())
    assert [move.uci() for move in operations["pv"]] == line
    assert operations["c0"] == "h#2"
    assert "bm" not in operations


@pytest.fixture(scope="module")
def plies_to_the_hill():
    """Return the plies in which a king reaches the centre if both help, by python-chess's moves.

    They are by the two squares, White's first, the side to move, and the side that arrives.
    """
    center, found, moves = chess.SquareSet(chess.BB_CENTER), {}, {}
    for white, black in permutations(chess.SQUARES, 2):
        board = chess.variant.KingOfTheHillBoard(None)
        board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
        for board.turn in chess.COLORS if chess.square_distance(white, black) > 1 else ():
            if board.is_variant_end():
                winner = not board.turn
                if board.king(winner) in center and board.king(board.turn) not in center:
                    found[white, black, board.turn, winner] = 0
                continue
            moves[white, black, board.turn] = [
                (one.to_square, black, False) if board.turn else (white, one.to_square, True)
                for one in board.legal_moves
            ]
    for plies in range(1, 10):
        for key, after in moves.items():
            for winner in chess.COLORS:
                if any(found.get((*one, winner)) == plies - 1 for one in after):
                    found.setdefault((*key, winner), plies)
    return found


def test_helpmates_of_equal_sides_begin_with_the_right_one(tmp_path, plies_to_the_hill):
    kings = Material.from_name("KK", HILL)
    generate([kings], tmp_path, metrics=HELPMATES)
    for winner, mated in ((chess.WHITE, "black"), (chess.BLACK, "white")):
        for plies in range(1, 7):
            right = {
                key[:3] for key, n in plies_to_the_hill.items() if (key[3], n) == (winner, plies)
            }
            asked = {"helpmate": plies / 2, "mated": mated, "images": "all"}
            found = find(kings, tmp_path, **asked)
            squares, turns = found.squares.tolist(), found.white_to_move.tolist()
            keys = [(*pair, turn) for pair, turn in zip(squares, turns, strict=True)]
            assert {*keys} == right
            assert len(keys) == len(right) > 500
            assert not len(find(kings, tmp_path, turn=winner != plies % 2, **asked))


def test_conditions_on_one_thing_are_joined(helped_folder):
    assert len(find("KRK", helped_folder, helpmate=1)) == 294
    for never in ("white", "both"):
        assert not len(find("KRK", helped_folder, helpmate=1, never=never))
    assert len(find("KRK", helped_folder, helpmate=1, never="black")) == 294


@pytest.mark.thorough
def test_helpmates_of_equal_sides_of_four_men(tmp_path):
    generate([*map(Material.from_name, ("KRKR", "KQKQ"))], tmp_path, metrics=HELPMATES)
    assert len(find("KRKR", tmp_path, helpmate=2)) == 138_484
    assert len(find("KQKQ", tmp_path, helpmate=1)) == 25_425


def test_helpmates_of_another_game(tmp_path, capsys):
    """Where reaching the centre counts as a mate, and python-chess's boards are not used."""
    generate([Material.from_name("KRK", HILL)], tmp_path, metrics=HELPMATES)
    asked = ["--rules", "kingofthehill", "--helpmate", "2", "--unique"]
    asked += ["--format", "jsonl"]
    assert main(["find", "KRK", *asked, "--limit", "3", "--dir", str(tmp_path)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 3
    for one in lines:
        position = read_setup(one["fen"], HILL)
        moves = one["help_line"].split()
        assert len(moves) == one["helpmate"] == 4
        for name in moves:
            (position,) = (move.after for move in position.moves() if move.uci() == name)
        assert position.end == "goal"
        assert position.color is Color.BLACK
