"""The reader in JavaScript finds in published tables what Python finds in the same files."""

import json
import os
import random
import re
from collections import Counter
from pathlib import Path
from shutil import copyfile

import chess
import pytest
from support.few import few
from support.hosting import hosted
from support.published import (
    address_of,
    as_the_reader_answers,
    in_node,
    kinds_of,
    needs_node,
    probed,
    publish,
    publish_tables_alone,
    random_boards,
    tables_in,
    write_checked,
)
from support.suite import without_rights

from tablebase import open_tablebase
from tablebase.core.answers.canonical import canonical_position, slot_of
from tablebase.core.answers.known import best_line, look_up
from tablebase.core.castling.solved_sets import MOST_CASTLING_MEN
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.positions.chess_board import read_fen
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.rules.material import Material, all_materials, generation_order
from tablebase.core.rules.rules import CHESS
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.table import Table
from tablebase.publish import publication, table_index
from tablebase.publish.game_data import numbering_record, rules_record
from tablebase.publish.materials import summary_of
from tablebase.publish.own_files import read_checked
from tablebase.publish.site import STATIC
from tablebase.serve.lichess import describe_mainline, describe_standard
from tablebase.serve.overview import describe_tables

READER = STATIC / "reader"

pytestmark = needs_node

FIVE = os.environ.get("CHESS_TABLES")
SIX = os.environ.get("CHESS_TABLES_SIX")
ROOT = Path(__file__).parents[2]
ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
ROOK_AND_KNIGHT = "8/8/3N4/8/8/2k5/1R6/K7 w - - 0 1"
SPECIAL = [*without_rights(4), "8/8/8/8/8/2k5/1R6/K7_w_-_-_99_120", "8/8/8/8/8/2k5/1R6/K7"]
# Those that `probe` refuses, or of which only the moves tell something.
WITHOUT_TABLES = [
    *("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/8/8/8/4K2R b K - 0 1"),
    *("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "8/8/8/8/8/5k2/8/4K2R w K - 99 80"),
    *("8/4K2k/5Q1P/6P1/8/8/q7/8 w - - 99 148", "8/4K2k/5Q1P/6P1/8/8/q7/8 w - - 100 148"),
    *("7k/7p/1R6/6P1/P7/5n2/4r3/7K b - - 0 41", "6k1/5ppp/8/8/8/8/5PPP/R3K2R w KQ - 3 30"),
    *("4k2q/8/8/8/8/8/8/R3K2R w K - 0 1", "4k3/4q3/8/8/8/8/8/R3K2R w KQ - 0 1"),
    chess.STARTING_FEN,
]
NO_POSITIONS = [
    *("", "nonsense", "8/8/8/8/8/2k5/1R6/K7 x", "8/8/8/8/8/2k5/1R6/K6 w", "8/8/8/8/8/2k5/K7 w"),
    *("8/8/8/8/8/2k5/1R6/K7 w - - -1 1", "8/8/8/8/8/2k5/1R6/K7 w - - x"),
    "8/8/8/8/8/2k5/1R6/K7 w X",
    *("8/8/8/8/8/2k5/1R6/K7 w - e9", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1 2", "8/8/8/8/8/2k5/1R6/K43 w"),
    *("8/8/8/8/8/2k5/1R6/K7z w", "8/8/8/8/8/2k5/1R6/~K7 w", "8/8/8/8/8/8/8/K7 w"),
    *("8/8/8/8/8/2k5/1R6/KK6 w", "K7/8/8/8/8/2k5/8/4P3 w - - 0 1", "8/8/8/8/8/8/1Rk5/K7 w - - 0 1"),
    *("8/8/8/8/8/8/1k6/K7 w", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "r3k3/8/8/8/8/8/8/4K3 b q - 3 9"),
    *(f"8/8/8/8/8/2k5/1R6/K7 w - - {clock}" for clock in ("0 -1", "+3", "-0", "3 +1", "\u0663")),
    *("1r2k3/8/8/8/8/8/8/4K3 b b - 0 1", "4k3/8/8/8/8/8/8/1R3K2 w B - 0 1"),
]  # fmt: skip


@pytest.fixture(scope="module")
def site(zeroing_dir, tmp_path_factory):
    """Return a folder of publication with all tables of up to four men, without pages."""
    return without_pages(zeroing_dir, tmp_path_factory.mktemp("site"))


def without_pages(folder, site):
    """Publish tables without pages and figures; return the folder of publication."""
    publish_tables_alone(folder, site / "tables", check=True)
    return site


@pytest.fixture
def own_site(folders_by_metric, tmp_path):
    """Return a folder of publication that may be damaged, without pages."""
    return without_pages(folders_by_metric["both"], tmp_path / "site")


@pytest.fixture(scope="module")
def published_site(folders_by_metric, tmp_path_factory):
    """Return a folder of publication with pages, and all records of KPK, KRK and sub-tables."""
    folder = tmp_path_factory.mktemp("published") / "site"
    return publish(tables_in(folders_by_metric["both"]), folder)


def require_equal(boards, answers, folder, *, rule50=True):
    with open_tablebase(folder) as tables:
        for board, answer in zip(boards, answers, strict=True):
            answer.pop("cost", None)
            known = look_up(tables, ChessPosition(board), rule50=rule50)
            assert answer == as_the_reader_answers(board, known), board.fen()


def require_equal_at_random(site, folder, men, count, seed):
    materials = [one for number in men for one in all_materials(number) if one.groups]
    boards = random_boards(random.Random(seed), materials, count)
    found = kinds_of(boards)
    assert found["en passant"] >= count // 8
    assert found["promotion"]
    assert found["checkmate"]
    require_equal(boards, probed(address_of(site), [one.fen() for one in boards]), folder)


@pytest.mark.thorough
def test_random_positions_are_as_in_python(site, zeroing_dir):
    require_equal_at_random(site, zeroing_dir, (3, 4), 200, seed=3)


@pytest.mark.slow
def test_many_random_positions_are_as_in_python(site, zeroing_dir):
    require_equal_at_random(site, zeroing_dir, (3, 4), 20_000, seed=4)


@pytest.fixture(scope="module")
def five_site(tmp_path_factory):
    """Return a folder of publication with tables of up to five men."""
    if not FIVE:
        pytest.skip("set CHESS_TABLES to a folder of tables of up to five men")
    return publish(tables_in(FIVE), tmp_path_factory.mktemp("five"))


@pytest.mark.slow
def test_random_positions_of_five_men_are_as_in_python(five_site):
    require_equal_at_random(five_site, FIVE, (5,), 2000, seed=5)


@pytest.fixture(scope="module")
def six_site(tmp_path_factory):
    """Return the six-man materials in a folder, and a folder of publication with them."""
    if not SIX:
        pytest.skip("set CHESS_TABLES_SIX to a folder of six-man tables and their sub-tables")
    materials = [Material.from_name(path.stem) for path in tables_in(SIX) if len(path.stem) == 6]
    needed = [one for one in generation_order(materials) if one.groups]
    folder = tmp_path_factory.mktemp("six")
    return materials, publish([table_path(SIX, one) for one in needed], folder)


@pytest.mark.slow
def test_random_positions_of_six_men_are_as_in_python(six_site):
    """Their tables have parts of indexes, epochs if distances are long, and few of them DTZ."""
    materials, site = six_site
    boards = random_boards(random.Random(23), materials, 500)
    require_equal(boards, probed(address_of(site), [one.fen() for one in boards]), SIX)


@pytest.mark.slow
def test_a_position_of_six_men_costs_few_requests(six_site):
    materials, site = six_site
    require_cheap(costs_from_cold(site, materials, 100))


def costs_from_cold(site, materials, count):
    """Return requests and bytes of single positions without indexes, for a reader each."""
    boards = random_boards(random.Random(6), materials, count)
    with hosted(site / "tables") as address:
        lines = in_node("cost_from_cold.mjs", address, lines=[one.fen() for one in boards])
    return [json.loads(line) for line in lines]


def require_cheap(costs):
    """At most 40 requests and 1 MB for 95 % of positions, in two round trips, then none."""
    cheap = [one for one in costs if one["requests"] <= 40 and one["bytes"] <= 10**6]
    assert len(cheap) >= 0.95 * len(costs)
    assert max(one["rounds"] for one in costs) <= 2
    assert all(one["again"] == 0 for one in costs)


@pytest.mark.thorough
def test_a_position_costs_few_requests(site):
    require_cheap(costs_from_cold(site, all_materials(4), 30))


@pytest.mark.slow
def test_a_position_of_five_men_costs_few_requests(five_site):
    require_cheap(costs_from_cold(five_site, all_materials(5), 300))


@pytest.mark.thorough
def test_special_positions_are_as_in_python(site, zeroing_dir):
    boards = [read_fen(fen) for fen in SPECIAL]
    assert min(kinds_of(boards).values()) > 0
    require_equal(boards, probed(address_of(site), SPECIAL), zeroing_dir)


@pytest.mark.parametrize("metric", few(["dtm", "both"], "dtm"))
@pytest.mark.parametrize("rule50", [True, False])
def test_a_metric_may_be_missing(folders_by_metric, tmp_path, metric, rule50):
    """Moves are then ranked as Python ranks them, also where the 50-move rule cannot be judged."""
    folder = folders_by_metric[metric]
    site = without_pages(folder, tmp_path)
    materials = [Material.from_name(name) for name in ("KPK", "KRK")]
    boards = random_boards(random.Random(8), materials, 30)
    answers = probed(address_of(site), [one.fen() for one in boards], rule50=rule50)
    require_equal(boards, answers, folder, rule50=rule50)


def test_sub_tables_may_have_more_metrics(tables_dir, zeroing_dir, tmp_path):
    """As with six men, whose tables have distances to mate alone."""
    folder = tmp_path / "tables"
    folder.mkdir()
    for name in ("KK", "KBK", "KNK", "KPK", "KQK", "KRK"):
        (folder / f"{name}.h5").write_bytes((zeroing_dir / f"{name}.h5").read_bytes())
    names = ("KRKN", "KPPK")
    for name in (*names, "KQPK", "KRPK", "KBPK", "KNPK"):
        (folder / f"{name}.h5").write_bytes((tables_dir / f"{name}.h5").read_bytes())
    site = without_pages(folder, tmp_path / "site")
    boards = random_boards(random.Random(16), [Material.from_name(name) for name in names], 60)
    require_equal(boards, probed(address_of(site), [one.fen() for one in boards]), folder)


def require_equal_lines(site, folder, boards, *, rule50=True):
    answers = probed(address_of(site), [one.fen() for one in boards], lines=True, rule50=rule50)
    with open_tablebase(folder) as tables:
        for board, answer in zip(boards, answers, strict=True):
            line = (
                best_line(tables, ChessPosition(board))
                if rule50
                else tables.mainline(board, rule50=False)
            )
            after, sans = board.copy(stack=False), []
            for move in line:
                sans.append(after.san(move))
                after.push(move)
            assert [one["san"] for one in answer["line"]] == sans, board.fen()
            assert [one["uci"] for one in answer["line"]] == list(map(str, line))


@pytest.mark.thorough
@pytest.mark.parametrize("rule50", [True, False])
def test_lines_are_as_in_python(site, zeroing_dir, rule50):
    materials = [Material.from_name(name) for name in ("KRK", "KBNK", "KPKP", "KQKR", "KNNK")]
    boards = random_boards(random.Random(14), materials, 15)
    require_equal_lines(site, zeroing_dir, boards, rule50=rule50)


def test_lines_without_distances_to_zeroing(folders_by_metric, tmp_path):
    """Late mates are then shown as if there were no 50-move rule."""
    folder = folders_by_metric["dtm"]
    site = without_pages(folder, tmp_path)
    materials = [Material.from_name(name) for name in ("KPK", "KRK")]
    require_equal_lines(site, folder, random_boards(random.Random(15), materials, 15))


def require_the_answers_of_the_server(site, folder, boards):
    fens = [one.fen() for one in boards]
    answers = probed(address_of(site), fens, standard=True)
    with open_tablebase(folder) as tables:
        for board, answer in zip(boards, answers, strict=True):
            if board.castling_rights and board.occupied.bit_count() <= MOST_CASTLING_MEN:
                continue  # the server solves them
            assert answer["standard"] == describe_standard(tables, board), board.fen()
            try:
                line = describe_mainline(tables, board)
            except (MissingTableError, UnsupportedPositionError) as error:
                # The reader in JavaScript counts too many men among unsupported positions.
                few = board.occupied.bit_count() <= MAX_MEN
                name = type(error).__name__ if few else "UnsupportedPositionError"
                assert answer["standardMainline"]["error"] == name
            else:
                assert answer["standardMainline"] == line, board.fen()


@pytest.mark.thorough
def test_answers_are_those_of_the_server(site, zeroing_dir):
    materials = [one for men in (3, 4) for one in all_materials(men) if one.groups]
    boards = random_boards(random.Random(17), materials, 150)
    boards += [read_fen(fen) for fen in SPECIAL + WITHOUT_TABLES]
    require_the_answers_of_the_server(site, zeroing_dir, boards)


@pytest.mark.thorough
@pytest.mark.parametrize("metric", few(["dtm", "both", "dtz"], "dtm", "dtz"))
def test_answers_are_those_of_the_server_where_tables_are_missing(
    folders_by_metric, tmp_path, metric
):
    folder = folders_by_metric[metric]
    site = without_pages(folder, tmp_path)
    materials = [Material.from_name(name) for name in ("KPK", "KRK", "KPPK", "KRKN", "KRPK")]
    boards = random_boards(random.Random(18), materials, 30)
    boards += [read_fen(fen) for fen in WITHOUT_TABLES]
    require_the_answers_of_the_server(site, folder, boards)


def require_who_can_win(folder, site, materials, count, fens=()):
    """Compare who can still win with the server's answers; return how often each answer came."""
    boards = random_boards(random.Random(19), [*map(Material.from_name, materials)], count)
    fens = [*fens, *(board.fen() for board in boards)]
    lines = in_node("standard_published.mjs", address_of(without_pages(folder, site)), lines=fens)
    names, found = ("dead", "can_win"), Counter()
    with open_tablebase(folder) as tables:
        for fen, line in zip(fens, lines, strict=True):
            answer, wanted = json.loads(line), describe_standard(tables, read_fen(fen))
            told = [one.get(name) for one in (answer, wanted) for name in names]
            assert told[:2] == told[2:], fen
            found[told[0]] += 1
    return found


def test_who_can_still_win_is_as_the_server_says(helped_folder, tmp_path):
    rights = ["4k3/8/8/8/8/8/8/4K2R w K - 0 1", "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1"]
    fens = ["k7/1R6/8/8/8/8/8/6K1 b - - 0 1", *rights, *SPECIAL[-2:], *WITHOUT_TABLES]
    found = require_who_can_win(helped_folder, tmp_path / "site", ("KPK", "KRK", "KQK"), 12, fens)
    assert all(found[told] for told in (True, False, None))


@pytest.mark.thorough
def test_who_can_still_win_with_four_men_is_as_the_server_says(helped_by_four, tmp_path):
    materials = ("KPKP", "KRKN", "KBKP", "KNKN", "KRKR", "KBKB")
    found = require_who_can_win(helped_by_four, tmp_path / "site", materials, 150)
    assert found[True]
    assert found[False]
    assert not found[None]


def test_moves_tell_what_they_can_where_castling_rights_need_a_server(site, zeroing_dir):
    fens = ["r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "4k3/8/8/8/8/8/8/4K2R b K - 0 1"]
    # Of Chess960, where castling is not among the moves, so that it might win sooner.
    fens.append("6k1/8/8/8/8/8/8/1K3R2 w F - 0 1")
    fens.append("1k1r4/8/8/8/8/8/5N2/K7 b d - 0 1")
    ended, *kept = (one["standard"] for one in probed(address_of(site), fens, standard=True))
    with open_tablebase(zeroing_dir) as tables:
        assert ended == describe_standard(tables, read_fen(fens[0]))  # every move ends the right
    assert [one["category"] for one in kept] == [
        "unknown",
        "win",
        "unknown",
    ]  # by a move that ends it
    assert {one[distance] for one in kept for distance in ("dtm", "dtz")} == {None}


@pytest.mark.thorough
def test_figures_of_tables_are_those_of_the_server(published_site, folders_by_metric):
    folder = folders_by_metric["both"]
    (found,) = probed(address_of(published_site), [], figures=True)
    with open_tablebase(folder) as tables:
        levels = {one["material"]: one.pop("levels") for one in found["all"]}
        assert levels["KPK"] > 0 == levels["KBK"]  # which a server finds when somebody practises
        assert found["all"] == [one for one in describe_tables(tables) if one["material"] != "KK"]
        names = [one["material"] for one in found["all"]]
        assert sorted(found["each"]) == sorted(names)
        for name, told in found["each"].items():
            survey = publication.survey_record(folder / f"{name}.h5", [folder])
            exercises = publication.exercises_record(tables, Material.from_name(name))
            assert told == {
                "summary": summary_of(tables.available_tables[name]).figures,
                "survey": survey["survey"],
                "difficult": survey["difficult"],
                "levels": {key: exercises[key] for key in ("levels", "why") if key in exercises},
            }
    assert found["each"]["KPK"]["difficult"]
    assert any(found["each"]["KPK"]["levels"]["levels"])
    assert found["each"]["KBK"]["levels"]["why"]
    assert found["none"]["error"] == "MissingTableError"


def test_a_line_that_leads_nowhere_is_an_error(own_site):
    """Here the codes of both sides to move are exchanged, which no checksum can tell."""
    path = own_site / "tables" / "KRK.json"
    index = read_checked(path)
    del index["crc32"]
    sets = index["datasets"]
    black, white = sets["black_to_move/dtm"], sets["white_to_move/dtm"]
    sets["black_to_move/dtm"], sets["white_to_move/dtm"] = white, black
    write_checked(path, index)
    (answer,) = probed(address_of(own_site), [ROOK], lines=True, rule50=False)
    assert answer["line"]["error"] == "CorruptTableError"
    assert "the published tables contradict themselves" in answer["line"]["message"]


def test_a_result_needs_distances_to_mate(folders_by_metric, tmp_path):
    site = without_pages(folders_by_metric["dtz"], tmp_path)
    (answer,) = probed(address_of(site), [ROOK])
    assert answer["error"] == "MissingTableError"
    assert answer["message"] == "the table of KRK has no distances to mate"


@pytest.mark.thorough
@pytest.mark.parametrize("most", few([table_index.CHUNKS_OF_PART, 10], 10))
def test_codes_of_two_bytes(zeroing_dir, solved, tmp_path, monkeypatch, most):
    """Tables whose distances are longer than a byte; made up, since the shortest has six men.

    In the file, chunks of codes and of epochs take turns, so that runs have gaps.
    """
    monkeypatch.setattr(table_index, "CHUNKS_OF_PART", most)
    material = Material.from_name("KRKN")
    sides = []
    for codes in solved[material].codes:
        late = (codes > 40) & (codes != 255)
        sides.append(codes.astype("uint16") | late.astype("uint16") << 9)
    folder = tmp_path / "tables"
    folder.mkdir()
    for name in ("KK", "KNK", "KRK"):
        copyfile(zeroing_dir / f"{name}.h5", folder / f"{name}.h5")
    write_table(Table(material, *sides), table_path(folder, material))
    site = without_pages(folder, tmp_path / "site")
    index = read_checked(site / "tables" / "KRKN.json")
    chunks = -(-index["slots"] // index["chunk_size"])
    for runs in index["datasets"].values():
        assert len(runs) == max(1, -(-chunks // most))
        parts = [read_checked(site / "tables" / one["part"]) if most == 10 else one
                 for one in runs]  # fmt: skip
        assert sum(len(one["sizes"]) for one in parts) == chunks
    part = "KRKN.white_to_move.dtm_epoch.0.json"
    assert (site / "tables" / part).exists() == (most == 10)
    boards = random_boards(random.Random(9), [material], 80)
    answers = probed(address_of(site), [one.fen() for one in boards])
    longest_loss = min(one["dtm"] for one in answers)
    assert longest_loss < -500
    require_equal(boards, answers, folder)
    wanted = {"white": False, "metric": "dtm", "outcome": longest_loss - 1}
    asked = json.dumps([("KRKN", wanted)])
    (found,) = in_node("find_published.mjs", address_of(site), lines=[asked])
    (answer,) = probed(address_of(site), [json.loads(found)])
    assert answer["dtm"] == longest_loss
    records = list((site / "tables").glob("KRKN.*.0.json" if most == 10 else "KRKN.json"))
    assert records
    for one in records:
        record = read_checked(one)
        del record["crc32"]
        listed = [record] if most == 10 else [run for (run,) in record["datasets"].values()]
        for gaps in (run["gaps"] for run in listed):
            gaps[1] -= 10**9
        write_checked(one, record)
    answers = probed(address_of(site), [one.fen() for one in boards])
    messages = {one["message"] for one in answers if "error" in one}
    assert messages
    assert all("KRKN.h5 is damaged: its index has a chunk of " in one for one in messages)


@pytest.fixture(scope="module")
def chess_data(tmp_path_factory):
    """Return a file with rules and numbering of chess."""
    path = tmp_path_factory.mktemp("data") / "chess.json"
    data = {"rules": rules_record(CHESS), "numbering": numbering_record(CHESS)}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def require_slots_and_moves(data, fens):
    found = in_node("locate_in_node.mjs", data, lines=fens)
    for fen, line in zip(fens, found, strict=True):
        board = chess.Board(fen)
        material, dataset, slot = slot_of(board)
        men = canonical_position(board).board.board_fen()
        *place, moves = json.loads(line)
        assert place == [board.fen(), material.name, dataset, slot, men], fen
        assert sorted(moves) == sorted(map(board.san, board.legal_moves)), fen


SIX_MEN = ("KQRBNK", "KRNKNN", "KRRKBB", "KQQQQK", "KRPKRP", "KPPKPB", "KBPPKN", "KPKRNN")


def test_slots_and_moves_of_six_men(chess_data):
    rng = random.Random(10)
    boards = [one for name in SIX_MEN for one in random_boards(rng, [Material.from_name(name)], 20)]
    require_slots_and_moves(chess_data, [one.fen() for one in boards])


@pytest.mark.slow
def test_slots_of_four_pawns(chess_data):
    materials = [Material.from_name(name) for name in ("KPPKPP", "KPPPKP", "KPPPPK")]
    boards = random_boards(random.Random(13), materials, 40)
    require_slots_and_moves(chess_data, [one.fen() for one in boards])


def test_pinned_pawns_and_moves_that_look_alike(chess_data):
    fens = [
        "8/8/8/8/R1Pp3k/8/8/K7 b - c3 0 1",  # both pawns would leave the rank of king and rook
        "8/8/8/k7/2Pp4/8/8/K3B3 b - c3 0 1",
        "8/8/8/1k6/2Pp4/8/8/K3B3 b - c3 0 1",  # only the en passant capture, or the king
        "k7/8/8/1Q3Q2/8/8/8/KQ3Q2 w - - 0 1",
        "1k6/8/8/8/R6R/8/8/K2R4 w - - 3 7",
        "k7/8/8/8/2N1N3/8/8/K1N5 w - - 3 7",
        "2r2r1k/1P6/8/8/8/8/8/K7 w - - 0 1",
    ]
    require_slots_and_moves(chess_data, fens)


@pytest.mark.thorough
def test_long_lists_of_chunks_are_read_in_parts(zeroing_dir, tmp_path, monkeypatch):
    """As those of six men are: here a part has ten chunks."""
    monkeypatch.setattr(table_index, "CHUNKS_OF_PART", 10)
    for name in ("KRKP", "KQKR", "KRKR", "KRKN", "KRKB", "KRK", "KPK", "KQK", "KBK", "KNK", "KK"):
        copyfile(zeroing_dir / f"{name}.h5", tmp_path / f"{name}.h5")
    site = without_pages(tmp_path, tmp_path)
    assert len(list((site / "tables").glob("KRKP.*.json"))) > 30
    boards = random_boards(random.Random(11), [Material.from_name("KRKP")], 60)
    require_equal(boards, probed(address_of(site), [one.fen() for one in boards]), zeroing_dir)
    part = site / "tables" / "KRKP.white_to_move.dtm.1.json"
    part.write_text(part.read_text().replace("[", "[7", 1))
    answers = probed(address_of(site), [one.fen() for one in boards])
    damaged = [one for one in answers if "error" in one]
    assert damaged
    for one in damaged:
        assert one["error"] == "CorruptTableError"
        assert "KRKP.white_to_move.dtm.1.json is damaged" in one["message"]


def test_refused_positions_are_refused_in_the_same_words(site):
    for fen, answer in zip(NO_POSITIONS, probed(address_of(site), NO_POSITIONS), strict=True):
        with pytest.raises(UnsupportedPositionError) as refused:
            ChessPosition(read_fen(fen)).setup()
        assert answer["error"] == "UnsupportedPositionError"
        words, said = (one.replace('"', "'") for one in (str(refused.value), answer["message"]))
        if re.search(" [wb] [A-Ha-h]+ ", fen):  # python-chess gives such rights other letters
            words, said = (one.partition(":")[0] for one in (words, said))
        assert said == words, fen


def test_many_men_are_refused(site):
    (answer,) = probed(address_of(site), [chess.STARTING_FEN])
    assert answer["error"] == "UnsupportedPositionError"
    assert answer["message"] == f"32 pieces, but tables have at most 6: {chess.STARTING_FEN}"


@pytest.mark.thorough
@pytest.mark.parametrize("ranges", [True, False])
def test_a_plain_host_is_enough(site, zeroing_dir, ranges):
    """With ranges of files, and where files are sent whole."""
    boards = random_boards(random.Random(12), [Material.from_name("KRNK")], 25)
    with hosted(site / "tables", ranges=ranges) as address:
        answers = probed(address, [one.fen() for one in boards])
    size = (site / "tables" / "KRNK.h5").stat().st_size
    bytes_sent = sum(one["cost"][1] for one in answers)
    assert bytes_sent < size if ranges else bytes_sent > size
    require_equal(boards, answers, zeroing_dir)


def test_a_large_file_needs_ranges(site):
    with hosted(site / "tables", ranges=False) as address:
        answer, other = probed(address, [ROOK_AND_KNIGHT, ROOK], wholeLimit=100_000)
    assert answer["error"] == "HostError"
    assert "sends no ranges of files" in answer["message"]
    assert "KRNK.h5 has 1.3 MB: put it on a host with ranges" in answer["message"]
    assert other["dtm"] == 31  # a small file


def test_laws_of_the_reader(site):
    with hosted(site / "tables") as address:
        assert in_node("reader_laws.mjs", address) == ["held"]


@pytest.fixture(scope="module")
def folder_of_two(folders_by_metric, tmp_path_factory):
    """Return a folder of publication with KPK and KRK, without pages."""
    folder = tmp_path_factory.mktemp("two") / "tables"
    publish_tables_alone(folders_by_metric["both"], folder)
    return folder


@pytest.mark.thorough
def test_hosts_that_mean_no_good(folder_of_two):
    """They are silent, endless, old, of another game, or nonsense."""
    assert in_node("hostile_hosts.mjs", folder_of_two) == ["held"]


def test_a_page_reads_no_files_of_its_machine():
    assert in_node("file_in_a_page.mjs") == ["held"]


# Damage


def flip(path, place):
    """Change a bit of a file in place."""
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)


def refusals(site, fen=ROOK, *, host=True, **options):
    """Return the errors of a position by files and by HTTP with ranges and without."""
    answers = probed(address_of(site), [fen], **options)
    for ranges in (True, False) if host else ():
        with hosted(site / "tables", ranges=ranges) as address:
            answers += probed(address, [fen], **options)
    assert all("dtm" not in answer for answer in answers), answers
    return [(answer["error"], answer["message"]) for answer in answers]


@pytest.mark.thorough
def test_damaged_chunks_are_errors(own_site):
    """Every bit of a chunk counts."""
    path = own_site / "tables" / "KRK.h5"
    index = read_checked(path.with_suffix(".json"))
    ((run,), size) = index["datasets"]["white_to_move/dtm"], path.stat().st_size
    for place in (0, 1, run["sizes"][0] // 2, run["sizes"][0] - 1):
        flip(path, run["offset"] + place)
        for name, message in refusals(own_site, host=place == 0):
            assert name == "CorruptTableError"
            assert "KRK.h5 is damaged: " in message
        flip(path, run["offset"] + place)
    assert path.stat().st_size == size
    assert probed(address_of(own_site), [ROOK])[0]["dtm"] == 31


@pytest.mark.thorough
@pytest.mark.parametrize("left", few([0, 1, 7000, 12_000, -1], 0, -1))
def test_truncated_tables_are_errors(own_site, left):
    path = own_site / "tables" / "KRK.h5"
    path.write_bytes(path.read_bytes()[:left])
    for name, message in refusals(own_site):
        assert name == "CorruptTableError"
        assert "KRK.h5 has " in message
        assert "but its index states " in message


def test_truncated_large_tables_are_errors(zeroing_dir, tmp_path):
    """Of these ranges are fetched, so that the size may be unknown."""
    for name in ("KRNK", "KRK", "KNK"):
        copyfile(zeroing_dir / f"{name}.h5", tmp_path / f"{name}.h5")
    publish_tables_alone(tmp_path, tmp_path / "tables")
    path = tmp_path / "tables" / "KRNK.h5"
    path.write_bytes(path.read_bytes()[:9000])
    for name, message in refusals(tmp_path, ROOK_AND_KNIGHT):
        assert name == "CorruptTableError"
        assert "KRNK.h5 " in message


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["tables.json", "KRK.json"])
def test_damaged_indexes_are_errors(own_site, name):
    path = own_site / "tables" / name
    whole = path.read_bytes()
    places = [*range(0, len(whole), 41), len(whole) - 1]
    for place in places[:: len(places) // 3]:
        flip(path, place)
        for error, message in refusals(own_site, host=False):
            assert error == "CorruptTableError"
            assert name in message
        path.write_bytes(whole)
    path.write_bytes(whole[: len(whole) // 2])
    assert refusals(own_site)[0][0] == "CorruptTableError"


@pytest.mark.thorough
def test_a_table_under_another_name_is_an_error(own_site):
    tables = own_site / "tables"
    (tables / "KRK.h5").write_bytes((tables / "KQK.h5").read_bytes())
    assert {name for name, _ in refusals(own_site)} == {"CorruptTableError"}
    (tables / "KRK.json").write_bytes((tables / "KQK.json").read_bytes())
    for name, message in refusals(own_site):
        assert name == "CorruptTableError"
        assert "it is the index of KQK" in message


def test_tables_of_the_same_size_are_told_apart(own_site):
    """Two small files may differ in their values alone: the checksum of the whole file tells."""
    path = own_site / "tables" / "KRK.h5"
    index = read_checked(path.with_suffix(".json"))
    flip(path, index["datasets"]["white_to_move/dtm"][0]["offset"] - 100)  # between the chunks
    with hosted(own_site / "tables") as address:
        (answer,) = probed(address, [ROOK])
    assert answer["message"].endswith("KRK.h5 is damaged: its checksum does not match")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("KRK.h5", "there is no file "),
        ("KRK.json", "the table of KRK is listed, but "),
        ("tables.json", "there is no file "),
    ],
)
def test_missing_files_are_errors(own_site, name, message):
    (own_site / "tables" / name).unlink()
    for error, text in refusals(own_site, host=name == "KRK.h5"):
        assert error == "MissingTableError"
        assert text.startswith(message)
        assert name in text


def test_a_table_that_is_not_published(own_site):
    for error, message in refusals(own_site, ROOK_AND_KNIGHT):
        assert error == "MissingTableError"
        assert message == ("the table of KRNK is not published here: tablebase publish FOLDER KRNK")


def test_other_versions_of_an_index_are_refused(own_site):
    path = own_site / "tables" / "KRK.json"
    index = read_checked(path)
    del index["crc32"]
    write_checked(path, index | {"version": 2})
    assert "it is of version 2, not 1" in refusals(own_site, host=False)[0][1]
    write_checked(path, index | {"format_version": 5})
    assert "the table is of version 5, not 3 or 4" in refusals(own_site, host=False)[0][1]
    write_checked(path, index | {"slots": 7})
    assert "it does not fit its material" in refusals(own_site, host=False)[0][1]


@pytest.mark.thorough
def test_the_script_of_the_documentation_works(published_site):
    text = (ROOT / "docs" / "js-api.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```js\n(.*?)```", text, re.DOTALL)
    program = published_site.parent / "example.mjs"
    program.write_text(script, encoding="utf-8")
    (shown,) = in_node(program)
    with open_tablebase(published_site / "tables") as tables:
        board = chess.Board(ROOK)
        best = " ".join(board.san(one.move) for one in tables.rank_moves(board)[:3])
    assert shown == f"1 31 31 {best}"


def test_the_package_is_of_the_version_of_the_program():
    from tablebase import __version__

    package = json.loads((READER / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == __version__
    assert package["type"] == "module"
    assert (READER / package["exports"]).exists()


def test_the_reader_has_no_dependency():
    """Not even on the other files of the page, so that it can be copied alone."""
    files = list(READER.glob("*.js"))
    assert files
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            if 'from "' in line and not line.startswith("//"):
                name = line.rpartition("from ")[2].strip('";')
                assert (READER / name).parent == READER
