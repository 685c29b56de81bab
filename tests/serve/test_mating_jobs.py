"""Who can still mate, over HTTP: by rules and tables, else by a search beside the server."""

import json
import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from support.described import DESCRIPTION, check_answer
from support.in_process import ask, serving_tables
from support.waiting import until

import tablebase
from tablebase.serve import jobs, mating_search

DATA = Path(__file__).parents[2] / "data"
PAWNS = "8/5ppp/8/8/4k3/8/PPP5/K7 w - - 0 1"  # eight men, each side may queen
BARE = "8/8/8/8/8/6k1/PPPPP3/K7 w - - 0 1"
WALL = "2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1"
ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
FORCED = "k7/1R6/8/8/8/8/8/6K1 b - - 0 1"  # the king must take the rook


@pytest.fixture
def address():
    with serving_tables(DATA) as address:
        yield address


def chances(address, fen, path="/standard", **parameters):
    """Return what an answer tells of who can win, once it has come."""
    answers = []

    def has_come():
        answers.append(ask(address, path, fen=fen, can_win=1, **parameters))
        return answers[-1][0] == 200

    until(has_come)
    answer = json.loads(answers[-1][2])
    check_answer(answer, "/standard" if path == "/standard" else "/{rules}")
    return answer["dead"], *answer["can_win"].values(), answer["reasons"]


@pytest.mark.thorough
def test_a_search_answers_where_rules_and_tables_do_not(address):
    status, _, text = ask(address, fen=PAWNS)
    assert status == 200
    assert not {"dead", "can_win", "reasons"} & set(json.loads(text))
    assert chances(address, PAWNS)[:3] == (False, True, True)
    *found, reasons = chances(address, WALL)
    assert found == [True, False, False]
    assert set(reasons.values()) == {
        "can never mate, wherever the men get under the walls that stand"
    }
    assert chances(address, "4k3/8/8/8/8/8/8/4K2R b K - 0 1")[:3] == (False, True, False)


@pytest.mark.thorough
def test_an_answer_is_searched_once(address, monkeypatch):
    assert chances(address, BARE)[0] is False
    monkeypatch.setattr(mating_search, "COMMAND", (sys.executable, "-c", "raise SystemExit(3)"))
    assert chances(address, BARE.replace("0 1", "7 30"))[1:3] == (True, False)


def test_rules_and_tables_need_no_search(helped_folder, monkeypatch):
    monkeypatch.setattr(jobs.Jobs, "start", None)
    with serving_tables(helped_folder) as address:
        assert chances(address, FORCED)[:3] == (True, False, False)
        *found, reasons = chances(address, ROOK)
        assert found == [False, True, False]
        assert reasons["black"] == "has a bare king, which never mates"
        assert chances(address, "7k/5KQ1/8/8/8/8/8/8 b - - 0 1")[1:3] == (True, False)


def test_pages_of_others_begin_no_search(address, monkeypatch):
    monkeypatch.setattr(jobs.Jobs, "start", None)
    for site in ({"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}):
        status, _, text = ask(address, fen=PAWNS, can_win=1, headers=site)
        assert (status, text.splitlines()) == (403, [text])
        assert str(status) in DESCRIPTION["paths"]["/standard"]["get"]["responses"]
        assert ask(address, fen=PAWNS, headers=site)[0] == 200


def test_another_position_waits_for_the_one_being_searched(address, monkeypatch):
    endless = (sys.executable, "-c", "import time; time.sleep(600)")
    monkeypatch.setattr(mating_search, "COMMAND", endless)
    monkeypatch.setattr("tablebase.serve.answering.WAIT", 0.01)
    status, retry, text = ask(address, fen=PAWNS, can_win=1)
    assert (status, retry) == (503, "2")
    assert text == "searching for a mate in which both sides help"
    assert ask(address, fen=WALL, can_win=1)[2] == "another position is being searched for a mate"
    assert ask(address, fen=PAWNS)[0] == 200


def test_a_search_that_fails_says_so(address, monkeypatch):
    monkeypatch.setattr(mating_search, "COMMAND", (sys.executable, "-c", "raise SystemExit(3)"))
    status, retry, text = ask(address, fen=PAWNS, can_win=1)
    assert (status, retry) == (503, "60")
    assert text.endswith("the server's terminal shows the reason")


def test_other_games_answer_from_rules_and_tables(games_dir, monkeypatch):
    monkeypatch.setattr(jobs.Jobs, "start", None)
    with serving_tables(games_dir) as here:
        *found, reasons = chances(here, ROOK, "/shatranj")
        assert found == [None, None, None]
        assert set(reasons.values()) == {"no table here has the helpmates"}


def test_a_game_without_helpmates_says_so(antichess_dir):
    fen = "8/8/8/8/8/8/1R6/k7 w - - 0 1"
    with serving_tables(antichess_dir) as address:
        status, _, text = ask(address, "/antichess", fen=fen, can_win=1)
    assert (status, text) == (400, "antichess has no helpmates, because no king can be mated in it")


def test_what_is_open_names_no_folder(tmp_path):
    """With the one command that suffices only where the operator reads it."""
    shutil.copy(DATA / "KK.h5", tmp_path)
    told = []
    with pytest.MonkeyPatch.context() as patch, tablebase.open_tablebase(tmp_path) as tables:
        patch.setattr(mating_search, "tell", told.append)
        patch.setattr("tablebase.core.answers.mating_chances.find_measure", lambda _: None)
        mating_search.search_position(tables, {"fen": "8/8/8/8/8/2k5/1n6/K1N5 w - - 0 1"})
    assert told[0]["chances"]["can_win"] == {"white": None, "black": None}
    assert str(tmp_path) not in json.dumps(told)
