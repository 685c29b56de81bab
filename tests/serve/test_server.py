"""The server: answers over real connections, bounds, and the process from start to stop."""

import asyncio
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlencode

import chess
import pytest
from support.clock import Clock
from support.commands import environment_of, refusal, served
from support.described import DESCRIPTION, check_answer, response_of
from support.in_process import serving, serving_tables
from support.oracle import random_boards
from support.waiting import PATIENCE, until

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
berserk = pytest.importorskip("berserk")

import tablebase
from tablebase.cli.program import main
from tablebase.core.answers.known import best_line, look_up
from tablebase.core.building.generator import generate
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.publish.publication import publish_tables
from tablebase.serve import (
    answering,
    castling_jobs,
    downloads,
    hosting,
    kept_records,
    limits,
    server,
)
from tablebase.serve.command import location_of
from tablebase.serve.lichess import CATEGORIES
from tablebase.serve.origins import ServerNames, name_in
from tablebase.serve.parameters import MOST_POSITIONS

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
MATE_IN_16 = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
SHATRANJ = "8/8/8/3k4/8/1KQ5/8/q7 w"
NO_TABLE = "8/8/8/8/8/2k5/1R1R4/K7 w - - 0 1"


@pytest.fixture(scope="module")
def address():
    with serving_tables(DATA) as address:
        yield address


@pytest.fixture(scope="module")
def games_address(games_dir):
    with serving_tables(games_dir) as address:
        yield address


def get(address: str, path: str, method: str = "GET", body: bytes | None = None, **parameters: str):
    """Return status, headers and text of an answer."""
    url = f"{address}{path}" + (f"?{urlencode(parameters)}" if parameters else "")
    request = urllib.request.Request(url, method=method, data=body)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read().decode()


def get_json(address: str, path: str, **parameters: str):
    status, _, text = get(address, path, **parameters)
    assert status == 200, text
    return json.loads(text)


# A client of lichess


def test_berserk_looks_positions_up(address):
    client = berserk.Client(tablebase_url=address)
    answer = client.tablebase.standard(MATE_IN_16)
    assert (answer["category"], answer["dtm"]) == ("win", 31)
    assert answer["moves"][0]["category"] == "loss"
    assert client.tablebase.look_up(MATE_IN_16.replace(" ", "_")) == answer


def test_berserk_plays_to_mate(address):
    client = berserk.Client(tablebase_url=address)
    board = chess.Board(MATE_IN_16)
    plies = 0
    while moves := client.tablebase.standard(board.fen())["moves"]:
        board.push_uci(moves[0]["uci"])
        plies += 1
    assert (plies, board.is_checkmate()) == (31, True)


def test_berserk_is_told_what_is_wrong(address):
    client = berserk.Client(tablebase_url=address)
    with pytest.raises(berserk.exceptions.ResponseError) as caught:
        client.tablebase.standard("nonsense")
    assert caught.value.status_code == 400
    with pytest.raises(berserk.exceptions.ResponseError) as caught:
        client.tablebase.atomic(MATE_IN_16)
    assert caught.value.status_code == 404


# Endpoints


def test_standard(address):
    status, headers, text = get(address, "/standard", fen=MATE_IN_16)
    assert (status, headers["content-type"]) == (200, "application/json")
    assert json.loads(text)["dtm"] == 31
    underscores = get_json(address, "/standard", fen=MATE_IN_16.replace(" ", "_"))
    assert underscores == json.loads(text)


def test_standard_with_difficulty(address):
    drawn = "8/8/3k4/8/2p5/8/8/4K3 b - - 0 1"
    plain = get_json(address, "/standard", fen=drawn, difficulty="0")
    assert plain == get_json(address, "/standard", fen=drawn)
    hard = get_json(address, "/standard", fen=drawn, difficulty="1")
    difficulties = {move["uci"]: move.pop("difficulty") for move in hard["moves"]}
    assert (difficulties["c4c3"], difficulties["d6c6"]) == (0, 0.4)
    assert hard == plain
    rook = get_json(address, "/standard", fen=MATE_IN_16, difficulty="1")
    assert {move["difficulty"] for move in rook["moves"]} == {0}  # who sees a rook hang takes it
    status, _, text = get(address, "/standard", fen=MATE_IN_16, difficulty="2")
    assert (status, text) == (400, "the parameter difficulty is not 0 or 1")


def test_the_example_of_the_documentation(both_dir):
    text = (ROOT / "docs" / "http-api.md").read_text()
    block = text.split("```js\n")[1].split("```")[0]
    example = json.loads(re.sub(r" +//.*", "", block))
    with serving_tables(both_dir) as address:
        answer = get_json(address, "/standard", fen=MATE_IN_16)
    assert example == answer | {"moves": answer["moves"][:1]}
    assert f"(and {len(answer['moves']) - 1} more moves)" in text


@pytest.mark.parametrize("path", ["/standard", "/standard/mainline"])
@pytest.mark.parametrize(
    "fen",
    [
        *("nonsense", "", "8/8/8/8/8/8/8/8 w - - 0 1", "\n\0é"),
        "8/8/8/8/8/2k~5/2R5/K7 w - - 0 1",
        "8/8/2K~5/3k~4/8/2B5/8/8 w - - 0 1",
    ],
)
def test_a_bad_fen_is_refused_in_one_line(address, path, fen):
    status, headers, text = get(address, path, fen=fen)
    assert status == 400
    assert headers["content-type"].startswith("text/plain")
    assert text
    assert len(text.splitlines()) == 1


def test_castling_rights_are_answered_where_there_are_tables(address):
    fen = "4k3/8/8/8/8/8/8/4K2R b K - 0 1"
    assert get_json(address, "/standard", fen=fen)["category"] == "loss"
    assert len(get_json(address, "/standard/mainline", fen=fen)["mainline"]) == 28
    of_six = "4k3/8/8/8/8/8/PP6/R3K2R b K - 0 1"
    assert get_json(address, "/standard", fen=of_six)["category"] == "unknown"
    status, _, text = get(address, "/standard/mainline", fen=of_six)
    assert status == 404
    assert "KRRPPvK" in text


@pytest.mark.parametrize("accept", ["application/cbor", "text/html", "*/*"])
def test_json_is_the_only_form_of_an_answer(address, accept):
    url = f"{address}/standard?{urlencode({'fen': MATE_IN_16})}"
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        assert answer.headers["content-type"] == "application/json"
        assert json.load(answer)["dtm"] == 31


@pytest.mark.parametrize("path", ["/standard", "/standard/mainline"])
def test_a_missing_parameter_is_named(address, path):
    status, _, text = get(address, path)
    assert status == 400
    assert text in {"the parameter fen is missing", "the parameter material is missing"}


def post(address, path, what, **parameters):
    return get(address, path, "POST", json.dumps(what).encode(), **parameters)


def test_a_list_of_positions_is_answered_like_each_of_them(address, games_address):
    for host, path, known in (
        (address, "/standard", MATE_IN_16),
        (games_address, "/shatranj", SHATRANJ),
    ):
        right = known.partition(" w")[0] + " w KQ - 0 1"  # whose rights do not count
        fens = [known, "nonsense", NO_TABLE, right, known.replace(" ", "_")]
        status, _, text = post(host, path, fens)
        assert status == 200
        answers = json.loads(text)
        check_answer(answers, "/standard", "post")
        for fen, answer in zip(fens, answers, strict=True):
            status, _, alone = get(host, path, fen=fen)
            assert answer == (json.loads(alone) if status == 200 else {"error": alone})
        assert "left_out" in answers[3]
    hard = json.loads(post(address, "/standard", [MATE_IN_16], difficulty="1")[2])
    assert hard == [get_json(address, "/standard", fen=MATE_IN_16, difficulty="1")]
    assert json.loads(post(address, "/standard", [])[2]) == []


def test_a_list_is_refused_in_one_line(address):
    most = MOST_POSITIONS
    for body, status, words in (
        (json.dumps([MATE_IN_16] * most).encode(), 200, ""),
        (json.dumps([""] * (most + 1)).encode(), 413, f"{most + 1} positions are more than {most}"),
        (json.dumps(["8" * 70_000]).encode(), 413, "the body is longer than 65,536 bytes"),
        (b"[" * 60_000, 400, "the body is not a JSON list of FENs"),
        *((body, 400, "not a JSON list of FENs") for body in (b"", b"{}", b"[1]", b"\xff", b'"8"')),
    ):
        found, _, text = get(address, "/standard", "POST", body)
        assert found == status
        assert words in text
        assert status == 200 or len(text.splitlines()) == 1
    told = DESCRIPTION["paths"]["/standard"]["post"]["requestBody"]["content"]
    assert told["application/json"]["schema"]["maxItems"] == most
    assert post(address, "/nonsense", [])[0] == 404
    assert post(address, "/solve", [])[0] == 404


@pytest.mark.parametrize(
    "fen", ["8/8/8/8/8/2kq4/1R6/K7 w - - 0 1", f"{chess.STARTING_BOARD_FEN} w", chess.STARTING_FEN]
)
def test_a_missing_table_is_unknown(address, fen):
    answer = get_json(address, "/standard", fen=fen)
    assert (answer["category"], answer["dtm"]) == ("unknown", None)
    status, _, text = get(address, "/standard/mainline", fen=fen)
    assert status == 404
    assert len(text.splitlines()) == 1


def test_mainline(address):
    answer = get_json(address, "/standard/mainline", fen=MATE_IN_16)
    assert (len(answer["mainline"]), answer["winner"]) == (31, "w")
    assert answer["mainline"][-1]["san"].endswith("#")


def test_tables(address):
    tables = get_json(address, "/tables")["tables"]
    assert {one["material"] for one in tables} == {path.stem for path in DATA.glob("*.h5")}
    assert next(one for one in tables if one["material"] == "KRK")["positions"] == 50_015


# The folder that publishing would write


@pytest.mark.thorough
def test_files_are_those_that_publishing_writes(address, tmp_path):
    """But for checksums of whole files, which take a pass over each."""
    folder = tmp_path / "site"
    publish_tables([DATA / "KRK.h5", DATA / "KPK.h5"], folder)
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    lists = {"published.json", "tables/tables.json", "tables/summaries.json"}
    compared = 0
    for name in sorted(names - lists):
        with urllib.request.urlopen(f"{address}/{name}", timeout=PATIENCE) as answer:
            served, written = answer.read(), (folder / name).read_bytes()
        if name in {"tables/KRK.json", "tables/KPK.json"}:
            served, written = (json.loads(text) for text in (served, written))
            assert served["file_crc32"] is None
            for index in (served, written):
                del index["crc32"], index["file_crc32"]
        assert served == written, name
        compared += 1
    assert compared > 60
    listed = get_json(address, "/tables/tables.json")
    assert set(listed["tables"]) == {path.stem for path in DATA.glob("*.h5")}
    assert listed["server"] == {"max_men": MAX_MEN, "location": None, "solve": None, "games": []}
    written = json.loads((folder / "tables/tables.json").read_text())
    assert written["rules"] == listed["rules"]
    assert "server" not in written


def test_parts_of_a_table_file_are_given(address):
    request = urllib.request.Request(f"{address}/tables/KRK.h5", headers={"range": "bytes=64-99"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        assert answer.status == 206
        assert answer.headers["content-range"] == f"bytes 64-99/{(DATA / 'KRK.h5').stat().st_size}"
        assert answer.read() == (DATA / "KRK.h5").read_bytes()[64:100]


def test_pages_that_a_browser_has_are_not_sent_again(address):
    _, headers, text = get(address, "/web/board.js")
    assert text
    request = urllib.request.Request(
        f"{address}/web/board.js", headers={"if-none-match": headers["etag"]}
    )
    with pytest.raises(urllib.error.HTTPError) as answer:
        urllib.request.urlopen(request, timeout=PATIENCE)
    with answer.value as error:
        assert (error.code, error.read()) == (304, b"")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/tables/KRK", "material.html?material=KRK"),
        ("/tables/%3Cb%3E", "material.html?material=%3Cb%3E"),
        ("/game?rules=shatranj&fen=8/8", "./?rules=shatranj&fen=8/8"),
        ("/game", "./"),
    ],
)
def test_addresses_of_earlier_versions_lead_on(address, path, query):
    host = address.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=PATIENCE)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert (answer.status, answer.getheader("location")) == (307, query)
    connection.close()


def test_tables_that_are_replaced_are_read_again(tmp_path):
    generate([Material.from_name("KRK")], tmp_path, metrics=(DTM,))
    with serving_tables(tmp_path) as here:
        before = get_json(here, "/tables/KRK.json")
        shutil.copy(DATA / "KPK.h5", tmp_path)
        generate([Material.from_name("KRK")], tmp_path, metrics=(DTZ,))
        after = get_json(here, "/tables/KRK.json")
        assert set(get_json(here, "/tables/tables.json")["tables"]) >= {"KRK", "KPK"}
    assert set(after["metrics"]) > set(before["metrics"])
    assert after["file_size"] == (tmp_path / "KRK.h5").stat().st_size


@pytest.mark.thorough
def test_exercises_follow_tables_that_come_later(tmp_path):
    def count(here):
        return sum(map(len, get_json(here, "/tables/KPK.exercises.json")["levels"]))

    shutil.copy(DATA / "KPK.h5", tmp_path)
    with serving_tables(tmp_path) as here:
        few = count(here)
        for name in ("KQK", "KRK", "KBK", "KNK"):
            shutil.copy(DATA / f"{name}.h5", tmp_path)
        assert count(here) > few


@pytest.mark.thorough
def test_what_nobody_can_practise_is_known_once_exercises_were_drawn(antichess_dir, monkeypatch):
    monkeypatch.setattr(kept_records, "RECORDS", antichess_dir / "none" / "none")
    with serving_tables(antichess_dir) as here:
        (game,) = get_json(here, "/tables/tables.json")["games"]
        folder = f"/tables/{game['address']}"

        def levels():
            listed = get_json(here, f"{folder}summaries.json")["tables"]
            return {one["material"]: one.get("levels") for one in listed}

        assert set(levels().values()) == {None}
        for name in ("NvN", "BvN"):
            get_json(here, f"{folder}{name}.exercises.json")
        known = levels()
    assert known["NvN"] == 0
    assert known["BvN"] > 0
    assert known["KvB"] is None


def test_exercises_are_drawn_once_and_never_wait_for_others(monkeypatch, tmp_path):
    """Those that are there come while others are drawn, whose words say so."""
    finish, drawn = threading.Event(), []

    def draw(_tables, material):
        drawn.append(material.name)
        assert material.name == "KPK" or finish.wait(PATIENCE)
        return {"levels": [material.name]}

    monkeypatch.setattr(kept_records, "RECORDS", tmp_path / "records")
    monkeypatch.setattr(hosting, "exercises_record", draw)
    with serving_tables(DATA) as here:
        assert get_json(here, "/tables/KPK.exercises.json")["levels"] == ["KPK"]
        monkeypatch.setattr(answering, "WAIT", 0.0)
        for _ in range(2):
            status, headers, words = get(here, "/tables/KRK.exercises.json")
            assert (status, headers["retry-after"]) == (503, "1")
            assert words == "drawing exercises of KRK"
        assert get_json(here, "/tables/KPK.exercises.json")["levels"] == ["KPK"]
        finish.set()
        until(lambda: get(here, "/tables/KRK.exercises.json")[0] == 200)
    monkeypatch.setattr(answering, "WAIT", PATIENCE)
    # Another server finds them, unless its tables are others or no folder keeps anything.
    shutil.copytree(DATA, tmp_path / "data")
    for folder, again in ((DATA, 0), (tmp_path / "data", 0), (tmp_path / "data", 1)):
        if again:
            os.utime(folder / "KPK.h5")
        with serving_tables(folder) as here:
            assert get_json(here, "/tables/KPK.exercises.json")["levels"] == ["KPK"]
        assert drawn == ["KPK", "KRK", *["KPK"] * again]


def test_exercises_are_kept_in_memory_where_no_folder_is(monkeypatch, tmp_path):
    drawn = []
    (tmp_path / "file").touch()
    monkeypatch.setattr(kept_records, "RECORDS", tmp_path / "file" / "records")
    monkeypatch.setattr(hosting, "exercises_record", lambda *_: drawn.append(1) or {"levels": []})
    with serving_tables(DATA) as here:
        for _ in range(2):
            assert get_json(here, "/tables/KPK.exercises.json")["levels"] == []
    assert len(drawn) == 1


def test_health(address):
    assert get_json(address, "/healthz") == {
        "status": "ok",
        "version": tablebase.__version__,
        "tables": len(list(DATA.glob("*.h5"))),
    }


ASKED = {
    "/standard": {"fen": MATE_IN_16, "difficulty": "1", "can_win": "1"},
    "/standard/mainline": {"fen": MATE_IN_16},
    "/tables": {"rules": "standard"},
    "/healthz": {},
    "/{rules}": {"fen": SHATRANJ, "difficulty": "0", "can_win": "0"},
    "/{rules}/mainline": {"fen": SHATRANJ},
}


@pytest.mark.thorough
def test_the_description_describes_what_is_served(address, games_address):
    assert get_json(address, "/openapi.json") == DESCRIPTION
    assert set(DESCRIPTION["paths"]) == {*ASKED, "/solve"}
    for path, parameters in ASKED.items():
        host = games_address if "{rules}" in path else address
        answer = get_json(host, path.replace("{rules}", "shatranj"), **parameters)
        check_answer(answer, path)
        endpoint = DESCRIPTION["paths"][path]["get"]
        in_path = {"rules"} if "{rules}" in path else set()
        assert {one["name"] for one in endpoint["parameters"]} == {*parameters, *in_path}
        places = {one["name"]: one["in"] for one in endpoint["parameters"]}
        assert {name for name, place in places.items() if place == "path"} == in_path
    facts = DESCRIPTION["components"]["schemas"]["Facts"]["properties"]
    assert set(facts["category"]["enum"]) == set(CATEGORIES)


@pytest.mark.parametrize("path", ASKED)
def test_parameters_are_taken_and_refused_as_described(address, games_address, path):
    host = games_address if "{rules}" in path else address
    place, asked = path.replace("{rules}", "shatranj"), ASKED[path]

    def answer(**changed):
        chosen = {name: value for name, value in (asked | changed).items() if value is not None}
        return get(host, place, **chosen)

    described = DESCRIPTION["paths"][path]["get"]
    for one in described["parameters"]:
        if one["in"] == "path":
            continue
        name, values = one["name"], one["schema"].get("enum", [])
        assert [answer(**{name: str(value)})[0] for value in values] == [200] * len(values)
        if values:
            assert answer(**{name: "nonsense"})[0] == 400
        if one["required"]:
            assert answer(**{name: one["example"]})[0] == 200 or "{rules}" in path
            assert answer(**{name: None})[0] == 400
        else:
            left_out = json.loads(answer(**{name: None})[2])
            assert left_out == json.loads(answer(**{name: str(one["schema"]["default"])})[2])


@pytest.mark.parametrize("path", ["/standard", "/standard/mainline", "/shatranj"])
def test_rights_that_do_not_count_are_told(address, games_address, path):
    host, fen = (games_address, SHATRANJ) if path == "/shatranj" else (address, MATE_IN_16)
    plain = get_json(host, path, fen=fen)
    given = f"{fen.partition(' w')[0]} w KQ - 0 1"
    answer = get_json(host, path, fen=given)
    words = "castling rights KQ do not count, because king and rook are not in place"
    assert answer == plain | {"left_out": words}
    check_answer(answer, path if path in ASKED else "/{rules}")


def test_refusals_are_those_that_are_described(address, games_address):
    """All but those of trouble, of pages of others, and of ``/solve`` where a server solves."""
    refused = [
        (address, "/standard", "/standard", {"fen": "nonsense"}),
        (address, "/standard/mainline", "/standard/mainline", {"fen": "nonsense"}),
        (address, "/standard/mainline", "/standard/mainline", {"fen": NO_TABLE}),
        (address, "/tables", "/tables", {"rules": "nonsense"}),
        (games_address, "/{rules}", "/shatranj", {"fen": "nonsense"}),
        (games_address, "/{rules}", "/nonsense", {"fen": SHATRANJ}),
        (games_address, "/{rules}/mainline", "/shatranj/mainline", {"fen": "nonsense"}),
        (games_address, "/{rules}/mainline", "/nonsense/mainline", {"fen": SHATRANJ}),
    ]
    found = {path: set() for path in ASKED}
    for host, path, place, parameters in refused:
        status, headers, text = get(host, place, **parameters)
        described = response_of(path, status)
        assert headers.get_content_type() in described["content"]
        assert len(text.splitlines()) == 1
        found[path].add(str(status))
    for path, statuses in found.items():
        told = {*DESCRIPTION["paths"][path]["get"]["responses"]} - {"200", "403", "500", "503"}
        assert statuses == told
    assert get(address, "/solve", "POST", fen=MATE_IN_16)[0] == 404


# Other games


def test_other_games_are_answered_in_the_same_words(games_address, games_dir):
    answer = get_json(games_address, "/shatranj", fen=SHATRANJ)
    position = read_setup(SHATRANJ, built_in_rules()["shatranj"])
    with tablebase.open_tablebase(games_dir, rules="shatranj") as tables:
        known = look_up(tables, position)
        line = best_line(tables, position)
    assert (answer["dtm"], answer["dtz"]) == (known.dtm, None)
    assert answer["category"] == known.wdl.name.lower() == "win"
    assert {one["uci"]: -one["dtm"] for one in answer["moves"] if one["category"] == "loss"} == {
        one.move.uci(): one.dtm - 1 for one in known.moves if one.wdl > 0
    }
    assert get_json(games_address, "/shatranj", fen=SHATRANJ.replace(" ", "_")) == answer
    told = get_json(games_address, "/shatranj/mainline", fen=SHATRANJ)
    assert [one["uci"] for one in told["mainline"]] == [move.uci() for move in line]
    assert told["winner"] == "w"


def test_the_end_of_another_game_is_told(games_address):
    bare = get_json(games_address, "/shatranj", fen="8/8/8/3k4/8/1KQ5/8/8 b")
    assert (bare["variant_loss"], bare["category"], bare["moves"]) == (True, "loss", [])
    assert (bare["checkmate"], bare["stalemate"], bare["dtm"]) == (False, False, None)


def test_games_are_listed(games_address):
    names = get_json(games_address, "/tables")["games"]
    assert "shatranj" in names
    assert get_json(games_address, "/tables", rules="shatranj")["tables"]
    listed = get_json(games_address, "/tables/tables.json")["games"]
    assert [one["name"] for one in listed] == names
    for one in listed:
        own = get_json(games_address, f"/tables/{one['address']}tables.json")
        assert own["rules"]["name"] == one["name"]
        assert own["tables"]


def test_a_game_without_tables_is_refused_in_one_line(games_address):
    for path in ("/atomic", "/atomic/mainline", "/tables/atomic/tables.json"):
        status, _, text = get(games_address, path, fen=SHATRANJ)
        assert (status, text.split(";")[0]) == (404, "no tables of 'atomic' here")
    status, _, text = get(games_address, "/shatranj", fen="nonsense w")
    assert (status, len(text.splitlines())) == (400, 1)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html"),
        ("/index.html", "text/html"),
        ("/tables/material.html", "text/html"),
        ("/reader/table.js", "javascript"),
        ("/ending.js", "javascript"),
        ("/offline.js", "javascript"),
        ("/web/explorer.js", "javascript"),
        ("/web/explorer.css", "text/css"),
        ("/pieces/bN.svg", "image/svg+xml"),
    ],
)
def test_the_page_and_its_parts(address, path, kind):
    status, headers, text = get(address, path)
    assert status == 200
    assert kind in headers["content-type"]
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert "https://" not in text.replace("https://lichess.org/analysis/", "")  # a link


@pytest.mark.parametrize(
    "path",
    [
        *("/tables/KQKQ.json", "/tables/KRK.nothing.json", "/tables/KRK.txt", "/tables/.h5"),
        *("/tables/../KRK.h5", "/tables/%2e%2e/KRK.h5", "/tables/nothing/tables.json", "/tables/"),
    ],
)
def test_files_that_publishing_would_not_write_are_not_found(address, path):
    status, _, text = get(address, path)
    assert (status, len(text.splitlines())) == (404, 1)


@pytest.mark.parametrize(
    "path", ["/nothing", "/pieces/xx.svg", "/web/../server.py", "/web/%2e%2e/server.py", "/web/"]
)
def test_everything_else_is_not_found(address, path):
    assert get(address, path)[0] == 404


def test_other_pages_may_ask(address):
    for path in ("/standard", "/tables", "/nothing"):
        assert get(address, path)[1]["access-control-allow-origin"] == "*"
    status, headers, _ = get(address, "/standard", method="OPTIONS")
    assert (status, headers["access-control-allow-methods"]) == (204, "GET, POST")
    # The asterisk covers all but this one, which clients of lichess send.
    assert headers["access-control-allow-headers"] == "*, Authorization"


def test_only_reading_is_possible(address):
    assert get(address, "/standard/mainline", method="POST")[0] == 405
    assert get(address, "/standard", method="DELETE")[0] == 405


# RequestBounds


def test_long_requests_are_refused(address):
    assert get(address, "/standard", fen="8" * 3000)[0] == 414
    assert get(address, "/standard", fen="8" * 100_000)[0] in {400, 414}
    assert get(address, "/healthz")[0] == 200


@pytest.mark.thorough
def test_many_requests_at_once(address):
    """Hundreds of requests, sixteen at a time, and not one error."""
    boards = [
        board
        for name in ("KRNK", "KPK", "KQK", "KNNK")
        for board in random_boards(Material.from_name(name), 60, seed=1)
    ]

    def ask(board):
        return get(address, "/standard", fen=board.fen())[0]

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(ask, boards)) == {200}


def test_a_slow_answer_does_not_hold_others_up(monkeypatch):
    began, finish = threading.Event(), threading.Event()

    def slow(_tablebase, _board):
        began.set()
        return {"finished": finish.wait(PATIENCE)}

    monkeypatch.setattr(server, "describe_standard", slow)
    with serving_tables(DATA) as address, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(get_json, address, "/standard", fen=MATE_IN_16)
        assert began.wait(PATIENCE)
        assert get(address, "/healthz")[0] == 200
        finish.set()
        assert waiting.result() == {"finished": True}


def test_slow_answers_leave_threads_for_probing(monkeypatch, tmp_path):
    finish = threading.Event()
    monkeypatch.setattr(kept_records, "RECORDS", tmp_path / "records")

    def wait(*_):
        assert finish.wait(PATIENCE)
        return {"finished": True}

    monkeypatch.setattr(hosting, "survey_record", wait)
    with serving_tables(DATA) as address, ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(get_json, address, "/tables/KRK.survey.json") for _ in range(8)]
        for _ in range(8):
            assert get_json(address, "/standard", fen=MATE_IN_16)["dtm"] == 31
        finish.set()
        assert [one.result()["finished"] for one in waiting] == [True] * 8


def test_an_answer_that_takes_too_long_is_given_up(monkeypatch):
    finish = threading.Event()
    monkeypatch.setattr(server, "describe_standard", lambda *_: finish.wait(PATIENCE))
    with tablebase.open_tablebase(DATA) as tables:
        app = server.create_app(tables, threads=1, time_limit=0.05)
        with serving(app) as address:
            status, headers, text = get(address, "/standard", fen=MATE_IN_16)
            finish.set()
    assert (status, text) == (503, "no answer in time: try again")
    assert headers["retry-after"] == "1"


def test_no_answer_names_a_path(tmp_path):
    shutil.copy(DATA / "KRK.h5", tmp_path)
    (tmp_path / "KQK.h5").write_bytes(b"no table")
    with serving_tables(tmp_path) as address:
        damaged = {"fen": "8/8/8/8/4k3/8/1Q6/K7 w - - 0 1"}
        answers = [
            get(address, "/standard", **damaged),
            get(address, "/standard/mainline", **damaged),
            get(address, "/standard/mainline", fen="8/8/8/8/8/2k5/1N6/K7 w - - 0 1"),
            get(address, "/standard/mainline", fen="8/8/8/8/8/2kp4/1R6/K7 w - - 0 1"),
            *(get(address, f"/tables/KQK{one}.json") for one in ("", ".summary", ".survey")),
            get(address, "/tables/KRK.survey.json"),
            get(address, "/tables/tables.json"),
            get(address, "/tables"),
        ]
    statuses = [status for status, _, _ in answers]
    assert statuses == [500, 500, 200, 404, 500, 500, 500, 200, 200, 200]
    assert not [text for _, headers, text in answers if str(tmp_path) in text + str(headers)]


def test_the_bounds_leave_other_protocols_alone():
    seen = []

    async def app(scope, _receive, _send):
        seen.append(scope["type"])

    asyncio.run(limits.RequestBounds(app, ServerNames(None))({"type": "lifespan"}, None, None))
    assert seen == ["lifespan"]


def head(extra=""):
    return f"GET /healthz HTTP/1.1\r\nHost: here\r\n{extra}\r\n".encode()


def connect(address):
    host, port = address.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE)


def is_closed(connection):
    """Return whether the other side ends the connection; waits for that."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(("method", "option"), [("HEAD", "Connection: close\r\n"), ("GET", "")])
@pytest.mark.parametrize("is_answered", [False, True])
def test_a_body_that_is_none_leaves_no_traceback(address, caplog, method, option, is_answered):
    request = f"{method} /healthz HTTP/1.1\r\nHost: here\r\n{option}"
    with connect(address) as connection, suppress(ConnectionResetError, BrokenPipeError):
        connection.sendall(f"{request}Transfer-Encoding: chunked\r\n\r\n".encode())
        if is_answered:
            assert connection.recv(1) == b"H"
        connection.sendall(b"zz\r\n")
        while connection.recv(1000):
            pass
    assert get(address, "/healthz")[0] == 200
    assert [one for one in caplog.records if one.levelname != "WARNING"] == []


@pytest.mark.skipif(limits.resource is None, reason="asyncio does not try again there")
def test_trying_again_after_the_end_is_silent(caplog):
    loop = asyncio.SelectorEventLoop()
    loop.set_exception_handler(limits.AcceptErrors())
    listener = server.listen("127.0.0.1", 0)
    listener.close()
    loop.call_soon(loop._start_serving, asyncio.Protocol, listener)  # as it does after an error
    loop.run_until_complete(asyncio.sleep(0))
    assert caplog.records == []
    loop.call_soon(int, "no number")
    loop.run_until_complete(asyncio.sleep(0))
    assert len(caplog.records) == 1
    loop.close()


@pytest.fixture
def small(monkeypatch):
    """Serve with a bound of four connections and half a second for a request."""
    monkeypatch.setattr(server, "max_connections", lambda: 4)
    monkeypatch.setattr(limits, "REQUEST_LIMIT", 0.5)
    with serving_tables(DATA) as address:
        yield address


def test_connections_above_the_bound_are_closed_at_once(small, monkeypatch):
    monkeypatch.setattr(limits, "REQUEST_LIMIT", PATIENCE)
    with ExitStack() as stack:
        idle = [stack.enter_context(connect(small)) for _ in range(4)]
        assert all(is_closed(stack.enter_context(connect(small))) for _ in range(8))
        idle[0].sendall(head())
        assert idle[0].recv(100).startswith(b"HTTP/1.1 200")
        idle.pop().close()

        def is_accepted():
            with connect(small) as late, suppress(OSError):
                late.sendall(head())
                return late.recv(100).startswith(b"HTTP/1.1 200")

        until(is_accepted)  # when the server has seen that


@pytest.mark.parametrize(
    "begin",
    [
        b"",
        b"GET /healthz HT",
        head()[:-2],
        b"POST /healthz HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\nx",
        b"POST /annotate HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\nx",
        head() + b"GET /he",
    ],
)
def test_requests_that_do_not_end_are_given_up(small, begin, monkeypatch):
    """Also if something arrives all the time, as from a client that dribbles."""
    with connect(small) as connection:

        def is_given_up():
            try:
                connection.sendall(b"a")
            except OSError:
                return True

        connection.sendall(begin)
        until(is_given_up)
    monkeypatch.setattr(limits, "REQUEST_LIMIT", PATIENCE)
    assert get(small, "/healthz")[0] == 200


@pytest.mark.parametrize("junk", [b"", b"junk\r\n\r\n"])
def test_clients_that_do_not_read_are_given_up(small, junk):
    """Answers to many requests fill the buffers; the server does not wait for ever."""
    requests = b"GET /web/explorer.css HTTP/1.1\r\nHost: here\r\n\r\n" * 5000 + junk
    with connect(small) as connection:
        sent = 0
        connection.settimeout(0)

        def is_given_up():
            nonlocal sent
            try:
                sent += connection.send(requests[sent:] or b"x")
            except BlockingIOError:
                return False
            except OSError:
                return True

        until(is_given_up)


def test_a_connection_is_kept_for_more_requests(monkeypatch):
    """Each of them has a time of its own."""
    limited = []

    class Noted(limits.BoundedProtocol):
        def _start_waiting(self):
            super()._start_waiting()
            if self._deadline not in limited:
                limited.append(self._deadline)

    monkeypatch.setattr(server, "BoundedProtocol", Noted)
    with serving_tables(DATA) as address, connect(address) as connection:
        for number in range(4):
            assert [one.cancelled() for one in limited[:number]] == [True] * number
            connection.sendall(head())
            answer = connection.recv(1000)
            assert answer.startswith(b"HTTP/1.1 200")
            while not answer.endswith(b"}"):
                more = connection.recv(1000)
                assert more
                answer += more
        assert all(one.cancelled() for one in limited[:4])
        assert len({one.when() for one in limited}) == len(limited) >= 4


def test_an_answer_does_not_wait_for_an_acknowledgement(address, monkeypatch):
    """Each accepted socket sends at once what is given to it."""
    at_once, made = [], limits.BoundedProtocol.connection_made

    def noting(self, transport):
        made(self, transport)
        accepted = transport.get_extra_info("socket")
        at_once.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(limits.BoundedProtocol, "connection_made", noting)
    assert get(address, "/healthz")[0] == 200
    assert at_once
    assert all(at_once)


def test_long_headers_are_refused(address):
    for length in (20_000, 60_000, 300_000):
        with connect(address) as connection:
            with suppress(OSError):
                connection.sendall(head(f"x: {'y' * length}\r\n"))
            with suppress(ConnectionResetError):
                assert connection.recv(100).split()[1] in {b"431", b"400"}


@pytest.mark.skipif(limits.resource is None, reason="descriptors are not limited")
def test_fewer_descriptors_are_fewer_connections(monkeypatch):
    few = [(64, 1), (256, 1), (512, 128), (640, 192), (1024, 256), (10**6, 256), (-1, 256)]
    for allowed, connections in few:
        monkeypatch.setattr(limits.resource, "getrlimit", lambda _, n=allowed: (n, n))
        assert limits.max_connections() == connections


def test_a_client_that_takes_all_connections_gives_one_to_another(small, monkeypatch):
    """The one that has waited longest; but a client takes none from one that has no more."""
    monkeypatch.setattr(limits, "REQUEST_LIMIT", PATIENCE)
    host, port = small.removeprefix("http://").split(":")

    def others(stack):
        source = ("127.0.0.2", 0)
        return stack.enter_context(
            socket.create_connection((host, int(port)), timeout=PATIENCE, source_address=source)
        )

    def is_answered(connection):
        connection.sendall(head())
        answer = connection.recv(1000)
        while not answer.endswith(b"}"):
            more = connection.recv(1000)
            assert more
            answer += more
        return answer.startswith(b"HTTP/1.1 200")

    with ExitStack() as stack:
        greedy = [stack.enter_context(connect(small)) for _ in range(4)]
        for one in greedy:
            assert is_answered(one)
        try:
            own = [others(stack)]
        except OSError:
            pytest.skip("no second address")
        own.append(others(stack))
        for one in own:
            assert is_answered(one)
        assert [is_closed(one) for one in greedy[:2]] == [True, True]
        assert is_closed(others(stack))
        for one in [*greedy[2:], *own]:
            assert is_answered(one)


def test_the_documentation_states_the_limits():
    text = (ROOT / "docs" / "http-api.md").read_text()
    for row in [
        (
            f"| connections | {limits.MAX_CONNECTIONS}, or fewer where the system allows few open"
            " files | all, until others come |"
        ),
        f"| threads that read tables | {server.PROBING_THREADS} | in turn |",
        (
            f"| downloads of more than {downloads.IN_MEMORY >> 10} KiB at once |"
            f" {downloads.AT_ONCE} | {downloads.FOR_ONE} |"
        ),
        (
            f"| castling sets being solved | {castling_jobs.AT_ONCE}, at most"
            f" {castling_jobs.TIME_LIMIT:g} seconds each | {castling_jobs.FOR_ONE} |"
        ),
    ]:
        assert row in text


def test_what_asyncio_tries_many_times_a_second_is_reported_now_and_then(caplog, monkeypatch):
    loop, clock = asyncio.new_event_loop(), Clock(rate=0)
    monkeypatch.setattr(loop, "time", clock.monotonic)
    report, context = limits.AcceptErrors(), {"message": "socket.accept() out of system resource"}
    for seconds, reports in [(0, 1), (1, 1), (limits.REPORT_INTERVAL, 2), (1, 2)]:
        clock.skip(seconds)
        report(loop, context)
        assert len(caplog.records) == reports
    loop.close()


@pytest.mark.thorough
@pytest.mark.skipif(limits.resource is None, reason="descriptors are not limited")
def test_running_out_of_descriptors_is_reported():
    """The server gets 40 descriptors, and more connections than that are made."""
    code = (
        "import resource, sys; from tablebase.cli import program\n"
        "from tablebase.serve import server\n"
        "server.max_connections = lambda: 256\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)); sys.exit(program.main(sys.argv[1:]))"
    )
    arguments = ["serve", "--port", "0", "--dir", str(DATA)]
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=environment_of(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        try:
            address = running.stdout.readline().split()[0].rstrip("/")
            with ExitStack() as stack:
                for _ in range(60):
                    stack.enter_context(connect(address))
                reported = running.stderr.readline()

            def is_well():
                with suppress(OSError):
                    return get(address, "/healthz")[0] == 200

            until(is_well)
        finally:
            running.terminate()
        errors = running.stderr.read()
    assert "connections are not accepted for now" in reported, reported
    assert set(errors.splitlines()) <= {reported.rstrip()}  # asyncio is silent


def test_errors_that_pass_are_not_called_damage(monkeypatch):
    def fail(*_):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(server, "describe_standard", fail)
    with serving_tables(DATA) as address:
        status, _, text = get(address, "/standard", fen=MATE_IN_16)
    assert (status, text) == (503, "a table cannot be read at the moment: try again")


def test_no_other_page_may_frame_it_or_choose_its_address(address):
    status, headers, _ = get(address, "/")
    assert status == 200
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    with connect(address) as connection:
        connection.sendall(b"GET /web HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        answer = connection.recv(2000)
    assert answer.startswith(b"HTTP/1.1 404")
    assert b"evil" not in answer


def answer_to(address, **headers):
    """Return status and text of ``GET /tables``, called with headers as a browser sets them."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(f"{address}/tables", headers=named)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


@pytest.fixture(scope="module")
def named_address():
    """Serve as for this machine, called ``chess.example`` besides."""
    with serving_tables(DATA, location="--dir X", names=["Chess.example"]) as address:
        yield address


@pytest.mark.parametrize(
    ("host", "status"),
    [
        *(("localhost", 200), ("127.0.0.1:80", 200), ("127.1.2.3:8080", 200), ("[::1]:80", 200)),
        *(("LOCALHOST.:80", 200), ("chess.example", 200), ("CHESS.example:8080", 200)),
        *(("evil.example:80", 403), ("localhost.evil.example", 403), ("192.168.1.1", 403)),
        *(("[fe80::1]", 403), ("x@localhost", 403), ("<b>", 403), ("127.0.0.1.evil.example", 403)),
    ],
)
def test_a_name_of_strangers_is_not_answered(named_address, host, status):
    """It may lead here for a page of theirs, which would be taken for one of this server."""
    got, text = answer_to(named_address, Host=host)
    assert got == status
    if status == 403:
        name = name_in(host) or "NAME"
        assert text == f"not the name of this server: start it with --allow-host {name}"


def test_pages_of_others_are_told_no_folder(named_address):
    host = named_address.removeprefix("http://")

    def location(**headers):
        status, text = answer_to(named_address, **headers)
        assert status == 200
        return json.loads(text)["location"]

    assert location() == location(Origin=named_address) == "--dir X"
    assert location(Sec_Fetch_Site="same-origin") == "--dir X"
    assert location(Host="chess.example", Origin="https://chess.example") == "--dir X"
    for origin in (
        "null",
        "http://evil.example",
        f"http://evil.example/{host}",
        "http://localhost",
    ):
        assert location(Origin=origin) is None
    for site in ("cross-site", "same-site"):
        assert location(Sec_Fetch_Site=site) is None


@pytest.mark.thorough
def test_a_proxy_is_named(tmp_path):
    """And its clients, who may be anybody, are told no folder."""
    shutil.copy(DATA / "KRK.h5", tmp_path)
    with served("--dir", tmp_path, "--allow-host", "chess.example") as (_, address):
        status, text = answer_to(address, Host="chess.example")
        assert (status, json.loads(text)["location"]) == (200, None)
        assert answer_to(address, Host="evil.example")[0] == 403


@pytest.mark.thorough
def test_a_server_for_others_may_be_called_by_any_name(tmp_path):
    shutil.copy(DATA / "KRK.h5", tmp_path)
    with served("--dir", tmp_path, "--host", "0.0.0.0") as (_, address):
        local = address.replace("0.0.0.0", "127.0.0.1")
        assert answer_to(local, Host="chess.local")[0] == 200


@pytest.mark.parametrize("name", ["", "a b", "http://chess.example", "chess.example:80"])
def test_what_is_no_name_is_refused_in_one_line(capsys, name):
    with pytest.raises(SystemExit) as refused:
        main(["serve", "--allow-host", name])
    assert refused.value.code == 2
    assert "is not a host name: write it like chess.example" in capsys.readouterr().err


def test_tables_that_come_and_go_are_noticed(tmp_path):
    shutil.copy(DATA / "KRK.h5", tmp_path)
    queen = "8/8/8/8/4k3/8/1Q6/K7 w - - 0 1"
    with serving_tables(tmp_path) as address:

        def names():
            return [one["material"] for one in get_json(address, "/tables")["tables"]]

        assert names() == ["KRK"]
        assert get_json(address, "/standard", fen=queen)["category"] == "unknown"
        shutil.copy(DATA / "KQK.h5", tmp_path)
        assert get_json(address, "/standard", fen=queen)["category"] == "win"
        assert names() == ["KQK", "KRK"]
        assert get_json(address, "/tables/KQK.summary.json")["longest_win"]["plies"] == 19
        (tmp_path / "KRK.h5").unlink()
        assert names() == ["KQK"]
        assert get_json(address, "/healthz")["tables"] == 1
        assert get(address, "/random", material="KRK")[0] == 404


def test_one_odd_file_does_not_hide_the_others(tmp_path, caplog):
    shutil.copy(DATA / "KRK.h5", tmp_path)
    (tmp_path / "KQK.h5").write_bytes(b"no table")
    with serving_tables(tmp_path) as address:
        queen, rook = get_json(address, "/tables")["tables"]
        assert (queen["damaged"], rook["positions"]) == (True, 50_015)
        assert get_json(address, "/tables/KRK.summary.json")["longest_win"]["plies"] == 31
    assert str(tmp_path / "KQK.h5") in caplog.text


# The process


@pytest.mark.thorough
def test_the_remedy_for_a_missing_table_is_for_people_of_this_machine():
    with served("--dir", DATA) as (_, address):
        told = get_json(address, "/tables")
    assert (told["location"], told["max_men"]) == (location_of([DATA]), MAX_MEN)
    assert location_of([Path("/my tables")]) == "--dir '/my tables'"
    with served("--dir", DATA, "--host", "0.0.0.0") as (_, other):
        assert get_json(other.replace("0.0.0.0", "127.0.0.1"), "/tables")["location"] is None


@pytest.mark.thorough
def test_the_page_is_opened_if_asked(tmp_path):
    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\necho \"$1\" > '{tmp_path}/opened'\n")
    browser.chmod(0o755)
    variables = {"BROWSER": str(browser)}
    with served("--dir", DATA, "--open", variables=variables) as (_, address):
        opened = tmp_path / "opened"
        assert until(lambda: opened.exists() and opened.read_text()) == f"{address}/\n"


@pytest.mark.thorough
def test_ctrl_c_stops_it_and_bad_clients_do_not_fill_the_log():
    with served("--dir", DATA) as (running, address):
        for _ in range(3):
            with connect(address) as connection:
                connection.sendall(b"junk\r\n\r\n")
                assert connection.recv(100).startswith(b"HTTP/1.1 400")
            with connect(address) as connection:  # that leaves when the server waits for the rest
                connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        assert get(address, "/healthz")[0] == 200
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=PATIENCE)
        assert (running.returncode, output, errors) == (0, "stopped\n", "")


def test_a_port_in_use_is_told_in_one_line(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        message = refusal(capsys, "serve", "--dir", str(DATA), "--port", port)
        assert port in message
        assert "--port" in message


def test_a_missing_folder_is_told_in_one_line(capsys, tmp_path):
    message = refusal(capsys, "serve", "--dir", str(tmp_path / "none"), "--port", "0")
    assert "tablebase build" in message


def test_packages_that_are_missing_are_told_in_one_line(tmp_path):
    (tmp_path / "starlette.py").write_text("raise ImportError('hidden', name='starlette')")
    command = [sys.executable, "-m", "tablebase", "serve", "--dir", str(DATA)]
    environment = environment_of(PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("tablebase: the server needs starlette: ")
    assert result.stderr.endswith("-m pip install starlette\n")


def test_a_budget_that_is_none_is_told_in_one_line(capsys):
    message = refusal(capsys, "serve", "--dir", str(DATA), "--port", "0", "--solve", "plenty")
    assert "'plenty' is not a budget: write a time like 10m" in message


def test_an_unknown_host_is_told():
    with pytest.raises(TablebaseError, match=r"cannot listen on no\.such\.host\.invalid"):
        server.listen("no.such.host.invalid", 0)
