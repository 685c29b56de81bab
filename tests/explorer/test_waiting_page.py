"""What the explorer shows while the server solves what it was asked for, in a real browser."""

import json
import os
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("selenium")

from support import in_process
from support.browsing import Page, needs_browser
from support.waiting import PATIENCE, until

import tablebase
from tablebase.serve import answering, castling_jobs, castling_solver, hosting, kept_records
from tablebase.serve.lichess import describe_standard, read_legal
from tablebase.serve.server import create_app

pytestmark = needs_browser
DATA = Path(__file__).parents[2] / "data"
FEN = "4k3/8/8/8/8/8/8/4K2R_b_K_-_0_1"
PLAIN = "8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1"
WORDS = "solving positions with castling rights: KRK, a few seconds"


@contextmanager
def told_to(path):
    """Give a function that tells what is known in place of a process that reads a pipe."""
    os.mkfifo(path)
    opened = os.open(path, os.O_RDWR)
    yield lambda **known: os.write(opened, json.dumps(known).encode() + b"\n")
    os.close(opened)


@pytest.fixture
def server(monkeypatch, tmp_path):
    """Give an address, and what tells in place of the process that solves."""
    monkeypatch.setattr(castling_jobs, "WAIT", 0.0)
    monkeypatch.setattr(castling_jobs, "RETRY", 0)
    monkeypatch.setattr(castling_solver, "COMMAND", ("cat", str(tmp_path / "told")))
    with (
        told_to(tmp_path / "told") as told,
        tablebase.open_tablebase(DATA) as tables,
        in_process.serving(create_app(tables)) as address,
    ):
        yield f"{address}/", told


def solve_for(told):
    with tablebase.open_tablebase(DATA) as tables:
        for sets in tables.castling_sets.values():
            sets.take_down()
        describe_standard(tables, read_legal(FEN.replace("_", " ")))
        for metric, sets in tables.castling_sets.items():
            for one in sets.take_down().items():
                told(set=castling_solver.packed(metric, *one))
    told(done=True, problem=None)


def test_it_says_what_is_solved_and_shows_it_by_itself(browser, server):
    address, told = server
    page = Page(browser, address)
    page.open(f"?fen={FEN}")
    page.until_headline("Please wait …")
    assert page.find("#detail").text == WORDS
    status = page.find("#detail").find_element("xpath", "./ancestor::*[@role='status']")
    assert status.get_attribute("aria-live") == "polite"
    told(compiling=True)
    page.until(lambda: page.find("#detail").text == f"compiling, once per version, for {WORDS}")
    solve_for(told)
    page.until_headline("White mates in 14")
    assert page.find_all("#moves button")


def test_it_no_longer_asks_when_another_position_is_shown(browser, server, monkeypatch):
    address, _ = server
    asked = []
    solve = castling_jobs.CastlingJobs.solve

    async def noting(self, *arguments, **options):
        asked.append(arguments)
        await solve(self, *arguments, **options)

    monkeypatch.setattr(castling_jobs.CastlingJobs, "solve", noting)
    page = Page(browser, address)
    page.open(f"?fen={FEN}")
    page.until_headline("Please wait …")
    enter(page, PLAIN)
    page.until_headline("White mates in 16")

    def is_silent():
        before = len(asked)
        browser.execute_async_script("fetch('healthz').then(() => setTimeout(arguments[0], 50))")
        return len(asked) == before > 0

    until(is_silent)
    enter(page, FEN)
    page.until_headline("Please wait …")


def test_it_says_that_exercises_are_drawn_and_shows_one_by_itself(browser, monkeypatch, tmp_path):
    drawn = threading.Event()
    record = {"fen": PLAIN.replace("_", " "), "goal": "win", "kind": "mate", "moves": None}

    def draw(_tables, material):
        assert drawn.wait(PATIENCE)
        return {"levels": [[record]] if material.name == "KRK" else [], "why": "Nothing is won."}

    monkeypatch.setattr(hosting, "exercises_record", draw)
    monkeypatch.setattr(kept_records, "RECORDS", tmp_path / "records")
    monkeypatch.setattr(answering, "WAIT", 0.0)
    with (
        tablebase.open_tablebase(DATA) as tables,
        in_process.serving(create_app(tables)) as address,
    ):
        page = Page(browser, f"{address}/")
        page.open("?exercise=KRK")
        page.until_headline("Please wait …")
        assert page.find("#detail").text == "drawing exercises of KRK"
        drawn.set()
        page.until(lambda: "level 1 of 1" in page.find("#level").text)
        drawn.clear()
        page.open("?fen=8/8/4k3/8/8/8/1Q6/K7_w_-_-_0_1")
        page.until(lambda: page.find("#practise").is_enabled())
        page.click("#practise")
        page.until_headline("Win this for White")
        page.click("#exercise")
        page.until_headline("Please wait …")
        drawn.set()
        page.until_headline("Win this for White")
        assert page.find("#summary").text == "Nothing is won."


def enter(page, fen):
    page.browser.execute_script("document.getElementById('fen').value = arguments[0]", fen)
    page.browser.execute_script("document.getElementById('fen-form').requestSubmit()")
