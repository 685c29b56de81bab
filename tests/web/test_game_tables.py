"""Tables of other games than chess over HTTP."""

import json
import shutil
import urllib.error
import urllib.request
from urllib.parse import urlencode

import pytest
from support.described import check_answer
from support.in_process import serving
from support.waiting import PATIENCE

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import tablebase
from tablebase.core.probing import find_rules
from tablebase.core.rules import built_in_rules, parse_rules
from tablebase.web import game_tables, server

SHATRANJ = built_in_rules()["shatranj"]
DIAMOND = "8/8/8/3k4/8/1KQ5/8/q7 w"
# White's pawn may make a double step, past a pawn that may capture it en passant.
BEFORE_PUSH = "4k3/8/8/8/3p4/8/4P3/4K3 w"
AFTER_PUSH = "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"


@pytest.fixture(scope="module")
def address(games_dir):
    with (
        tablebase.open_tablebase(games_dir) as tables,
        serving(server.create_app(tables)) as address,
    ):
        yield address


def get(address, path, **parameters):
    """Return status and text of an answer."""
    try:
        with urllib.request.urlopen(
            f"{address}{path}?{urlencode(parameters)}", timeout=PATIENCE
        ) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def get_json(address, path, **parameters):
    status, text = get(address, path, **parameters)
    assert status == 200, text
    return json.loads(text)


def test_answers_are_as_described(address):
    description = get_json(address, "/openapi.json")
    position = {"rules": "shatranj", "fen": DIAMOND}
    asked = {
        "/games": {},
        "/games/probe": position,
        "/games/line": position,
        "/games/pick": {"rules": "shatranj", "material": "KQKQ", "choice": "won"},
    }
    assert {path for path in description["paths"] if path.startswith("/games")} == set(asked)
    for path, parameters in asked.items():
        check_answer(get_json(address, path, **parameters), description, path)
        told = description["paths"][path]["get"]["parameters"]
        assert {one["name"] for one in told} == set(parameters)


def test_games_with_their_pieces_and_tables(address):
    pawns, shatranj = get_json(address, "/games")["games"]
    assert [pawns["rules"], shatranj["rules"]] == ["pawns", "shatranj"]
    assert [kind["letter"] for kind in shatranj["kinds"]] == list("KQBRNP")
    pictures = {kind["letter"]: kind["picture"] for kind in shatranj["kinds"]}
    assert pictures == {"K": "K", "Q": None, "B": None, "R": "R", "N": "N", "P": "P"}
    assert shatranj["bare_king"]
    assert shatranj["stalemate_loses"]
    tables = {table["material"]: table for table in shatranj["tables"]}
    assert set(tables) == {"KK", "KQK", "KQKQ"}
    counted = tables["KQKQ"]
    # With each side to move as often as Ronald de Man's generator counts.
    assert counted["white_wins"] == counted["black_wins"] == 469711 + 151371
    assert counted["draws"] == 2 * 1003268
    assert (counted["longest_win"]["plies"], counted["longest_win"]["moves"]) == (63, 32)


def test_the_diamond_of_al_suli(address):
    answer = get_json(address, "/games/probe", rules="shatranj", fen=DIAMOND)
    assert (answer["result"], answer["dtm_plies"], answer["end"]) == ("win", 39, None)
    first = answer["moves"][0]
    assert (first["move"], first["uci"], first["dtm_plies"]) == ("Kb3-b4", "b3b4", 39)
    line = get_json(address, "/games/line", rules="shatranj", fen=DIAMOND)["line"]
    assert len(line) == 39
    last = get_json(address, "/games/probe", rules="shatranj", fen=line[-1]["fen"])
    assert (last["end"], last["wdl"], last["moves"]) == ("bare king", -1, [])
    folder = get_json(address, "/games/probe", rules=SHATRANJ.folder, fen=DIAMOND)
    assert folder == answer


def test_captures_en_passant(address):
    before = get_json(address, "/games/probe", rules="pawns", fen=BEFORE_PUSH)
    push = next(move for move in before["moves"] if move["uci"] == "e2e4")
    assert push["fen"] == AFTER_PUSH
    after = get_json(address, "/games/probe", rules="pawns", fen=push["fen"])
    assert after["fen"] == AFTER_PUSH
    assert "d4e3" in {move["uci"] for move in after["moves"]}
    assert -after["wdl"] == push["wdl"]
    without = get_json(address, "/games/probe", rules="pawns", fen=AFTER_PUSH.replace("e3", "-"))
    assert "d4e3" not in {move["uci"] for move in without["moves"]}


@pytest.mark.parametrize("choice", ["random", "won", "longest"])
def test_positions_of_a_choice(address, choice):
    for _ in range(5):
        found = get_json(address, "/games/pick", rules="shatranj", material="KQKQ", choice=choice)
        probed = get_json(address, "/games/probe", rules="shatranj", fen=found["fen"])
        assert (probed["wdl"], probed["dtm_plies"]) == (found["wdl"], found["dtm_plies"])
        assert choice == "random" or probed["wdl"] == 1
        assert choice != "won" or probed["dtm_plies"] >= 3
        assert choice != "longest" or probed["dtm_plies"] == 63


def test_the_longest_win_of_a_large_table_is_the_one_that_its_file_names(address, monkeypatch):
    monkeypatch.setattr(game_tables, "MOST_VALUES", 1)
    asked = {"rules": "shatranj", "choice": "longest"}
    found = [get_json(address, "/games/pick", material="KQKQ", **asked) for _ in range(3)]
    assert found == found[:1] * 3
    assert found[0]["dtm_plies"] == 63
    assert get(address, "/games/pick", material="KK", **asked)[0] == 404


@pytest.mark.parametrize(
    ("path", "parameters", "status", "text"),
    [
        ("probe", {"rules": "chess", "fen": DIAMOND}, 404, "there are tables of pawns, shatranj"),
        ("probe", {"rules": "shatranj"}, 400, "the parameter fen is missing"),
        ("probe", {"rules": "shatranj", "fen": "8"}, 400, "'8' is not a FEN"),
        ("probe", {"rules": "shatranj", "fen": "8/8/8/3k4/8/1KR5/8/n7 w"}, 404,
         "no table of KRKN of shatranj here"),
        ("line", {"rules": "shatranj", "fen": "8/8/8/3k4/8/1KR5/8/n7 w"}, 404,
         "no table of KRKN of shatranj here"),
        ("pick", {"rules": "shatranj", "material": "KRKN"}, 404, "no table of KRKN of shatranj"),
        ("pick", {"rules": "shatranj", "material": "KAKN"}, 400, "KAKN"),
        ("pick", {"rules": "shatranj", "material": "KQKQ", "choice": "lost"}, 400,
         "the parameter choice is not random or won or longest"),
        ("pick", {"rules": "shatranj", "material": "KK", "choice": "won"}, 404,
         "no such position of KK was found"),
    ],
)  # fmt: skip
def test_refusals_name_the_reason(address, path, parameters, status, text):
    code, answer = get(address, f"/games/{path}", **parameters)
    assert code == status
    assert text in answer
    assert "/tmp" not in answer


def test_the_page_and_its_pictures(address):
    status, text = get(address, "/game")
    assert status == 200
    assert "web/variant.js" in text
    assert '"16">A</text>' in get(address, "/discs/bA.svg")[1]
    for name in ("xA", "wAB", "w1", "w"):
        assert get(address, f"/discs/{name}.svg") == (404, "discs are wA to bZ")


def test_games_that_come_and_go(games_dir, tmp_path):
    with (
        tablebase.open_tablebase(tmp_path) as tables,
        serving(server.create_app(tables)) as address,
    ):
        assert get_json(address, "/games")["games"] == []
        shutil.copytree(games_dir / SHATRANJ.folder, tmp_path / SHATRANJ.folder)
        assert get_json(address, "/games/probe", rules="shatranj", fen=DIAMOND)["wdl"] == 1
        (tmp_path / SHATRANJ.folder / "KQKQ.h5").unlink()
        assert get(address, "/games/probe", rules="shatranj", fen=DIAMOND)[0] == 404


def test_two_games_of_one_name(games_dir, tmp_path):
    from tablebase.core.building import generate
    from tablebase.core.rules import Material

    (pawns,) = (path for path in games_dir.iterdir() if path.name.startswith("pawns"))
    shutil.copytree(pawns, tmp_path / pawns.name)
    other = parse_rules("[pawns:chess]\nstalemateValue = loss\n")["pawns"]
    generate([Material.from_name("KK", other)], tmp_path)
    with (
        tablebase.open_tablebase(tmp_path) as tables,
        serving(server.create_app(tables)) as address,
    ):
        names = {game["rules"] for game in get_json(address, "/games")["games"]}
        assert names == {pawns.name, other.folder}
        kings = {"rules": other.folder, "fen": "8/8/8/3k4/8/1K6/8/8 w"}
        assert get_json(address, "/games/probe", **kings)["rules_sha256"] == other.digest


def test_folders_that_are_none_of_a_game(tmp_path):
    for name in ("shatranj-c03b0e56", "mine-00000000", "notes"):
        (tmp_path / name).mkdir()
    (tmp_path / "mine-00000000" / "KQK.h5").write_bytes(b"no table")
    assert find_rules([tmp_path, tmp_path / "nowhere"]) == {}


@pytest.mark.parametrize(
    ("game", "fen", "end"),
    [
        ("shatranj", "8/8/8/8/8/8/5q2/k1K4Q w", None),
        ("shatranj", "8/8/8/8/8/2Q5/1K6/7k b", "bare king"),
        ("pawns", "k7/P7/1K6/8/8/8/8/8 b", "stalemate"),
        ("pawns", "k7/1P6/K7/8/8/8/8/8 b", None),
    ],
)
def test_why_a_game_is_over(address, game, fen, end):
    answer = get_json(address, "/games/probe", rules=game, fen=fen)
    assert answer["end"] == end
    assert (answer["moves"] == []) == (end is not None)
