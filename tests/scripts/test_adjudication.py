"""The suite for adjudicators and the census: by tables, and by python-chess where it can tell."""

import csv
import json
import re
import sys
from itertools import chain
from pathlib import Path

import adjudication
import chess
import draw_images
import pytest

from tablebase import open_tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.rules.material import Material, all_materials
from tablebase.count.legal_positions import legal_placements

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples"))
PAGE = (ROOT / "docs/who-can-mate.md").read_text(encoding="utf-8")
# Tables do not ask which move has given a check.
POSSIBLE_IN_TABLES = chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK
CENSUS = ROOT / "docs/tables/helpmates.csv"


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


@pytest.mark.parametrize("name", ["nobody", "adjudicator:nothing", "no_such_module:can_mate"])
def test_a_rule_that_is_not_there(capsys, name):
    import conformance

    assert conformance.main(["--adjudicator", name]) == 2
    assert f"--adjudicator {name}: write python-chess" in capsys.readouterr().err


@pytest.mark.thorough
def test_our_own_answer_without_tables_is_always_right(capsys):
    import conformance

    assert conformance.main(["--adjudicator", "adjudicator:can_mate"]) == 0
    assert capsys.readouterr().out.split()[-3:] == ["400", "0", "0"]
    assert "judges all 400 sides rightly" in re.sub(r"\s+", " ", PAGE)


@pytest.mark.parametrize("name", ["python-chess", "fastchess", "cutechess"])
def test_the_page_has_the_results_of_rules(capsys, name):
    import conformance

    conformance.main(["--adjudicator", name, "--failures", "0"])
    *_, right, generous, draws = capsys.readouterr().out.split()
    assert draws == "0"
    assert f"{right} rightly" in PAGE
    assert re.search(rf"\b{generous}\b", PAGE)


def test_bishops_alone_mate_as_seldom_as_the_page_says():
    words = "only bishops and the other side neither a knight nor a pawn, as in KBBK and KBBKQ"
    assert f"{words}, about half" in " ".join(PAGE.split())
    compared = 0
    for name, mates, numbers, _ in rows_of_the_census():
        sides = name[1:].split("K")
        own, other = sides if mates == "White" else sides[::-1]
        white, black = numbers[0] / numbers[1], numbers[3] / numbers[4]
        if {*own} == {"B"} and not {*other} & {*"NP"}:
            compared += 1
            expected = 1 / 4 if (own + other).count("B") == 3 else 1 / 2
            assert [white, black] == pytest.approx([expected] * 2, abs=0.02), name
        else:
            assert max(white, black) < 0.1, name
    assert compared == 10


def rows_of_the_census():
    """Return ending, mating side, numbers (never, of, longest; of both sides to move) and FEN."""
    with CENSUS.open(encoding="utf-8", newline="") as file:
        _, *lines = csv.reader(file)
    return [(name, mates, [*map(int, numbers)], fen) for name, mates, *numbers, fen in lines]


def test_the_census_is_that_of_another_program():
    census = json.loads((ROOT / "tests/data/helpmate_census.json").read_text())
    ours = {(name, mates): numbers for name, mates, numbers, _ in rows_of_the_census()}
    for metric in ("white_mates", "black_mates"):
        for name, sides in census[metric].items():
            if all(longest is not None for _, _, longest in sides):
                assert ours[name, metric.split("_")[0].title()] == [*chain(*sides)], name


def test_the_census_is_what_the_script_writes(helped_folder, monkeypatch):
    """Of three men; the script reads all tables of up to five."""
    monkeypatch.setattr(adjudication, "all_materials", {3: all_materials(3), 4: [], 5: []}.get)
    found = [[*map(str, row)] for row in adjudication.census(helped_folder)]
    with CENSUS.open(encoding="utf-8", newline="") as file:
        assert found == list(csv.reader(file))[: len(found)]
    assert [row[0] for row in found[1:]] == ["KQK", "KRK", "KPK"]


def test_the_census_counts_all_positions():
    """By the number of placements on the whole board, which Burnside's lemma halves or divides."""
    for name, _, (_, white, _, _, black, _), _ in rows_of_the_census():
        material = Material.from_name(name)
        for color, of in ((Color.WHITE, white), (Color.BLACK, black)):
            placements, kept = legal_placements(material, color)
            images = 2 if material.has_pawns else 8
            assert (placements + 2 * kept) / images == of, name


def test_examples_of_the_census_have_the_longest_helpmates():
    for name, mates, (_, _, white, _, _, black), fen in rows_of_the_census():
        board = chess.Board(fen)
        assert not board.status() & ~POSSIBLE_IN_TABLES
        men = sorted(board.piece_map().values(), key=lambda one: -one.piece_type)
        sides = [[one.symbol() for one in men if one.color == color] for color in (True, False)]
        assert "".join(map("".join, sides)).upper() == name
        longest = white if board.turn == chess.WHITE else black
        assert longest == max(white, black)
        # Who mates makes the last move.
        assert longest % 2 == (chess.COLOR_NAMES[board.turn] == mates.lower())


def test_the_page_says_what_the_census_says():
    rows = rows_of_the_census()
    assert f"the {len({name for name, *_ in rows})} endings" in PAGE
    longest = max(max(numbers[2], numbers[5]) for _, _, numbers, _ in rows)
    ((name, _, _, fen),) = (row for row in rows if longest in (row[2][2], row[2][5]))
    assert f"longer than {longest} plies" in " ".join(PAGE.split())
    assert f"only {name} has it" in PAGE
    assert draw_images.MATES[2][:2] == (f"mate in {longest} plies", fen)
    shares = {
        name: (numbers[0] + numbers[3]) / (numbers[1] + numbers[4])
        for name, mates, numbers, _ in rows
        if mates == "White"
    }
    assert all(0.49 < shares[name] < 0.51 for name in ("KBBK", "KBKB", "KBBKQ"))
    assert 0.24 < shares["KBBBK"] < 0.26


def test_boards_of_the_page_are_dead_as_their_titles_say(tmp_path):
    boards = [chess.Board(one.fen) for one in draw_images.MATES if one.words.startswith("dead")]
    with open_tablebase(tmp_path) as tables:
        assert [tables.is_dead(board) for board in boards] == [True, True]
    assert not any(board.has_insufficient_material(chess.WHITE) for board in boards)
    rook, pawn = boards
    assert [rook.san(move) for move in rook.legal_moves] == ["Kxb7"]
    for move in pawn.legal_moves:
        after = pawn.copy()
        after.push(move)
        if pawn.san(move) == "Kb6":
            assert after.is_stalemate()
        else:
            assert [after.san(answer) for answer in after.legal_moves] == ["Kxa7"]
