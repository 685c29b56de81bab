"""Texts that may be games, from strangers."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tablebase
from tablebase.web.games import GameError, annotated_game

DATA = Path(__file__).parents[2] / "data"
WORDS = [
    *(
        "Rb7",
        "Rb3+",
        "Kxb3",
        "Ka2",
        "Kd4",
        "O-O",
        "e4",
        "e8=Q",
        "P@e4",
        "--",
        "Z0",
        "1.",
        "*",
        "1-0",
    ),
    *("(", ")", "{", "}", "{ ", "[", "]", '"', ";x", "%x", "$1", "$999", "!?", "\n", "\0", "é"),
    *("[%eval #3]", "{[%clk 1]}", '[Result "x"]\n', '[FEN ""]\n', '[A "\\""]\n', '[SetUp "1"]\n'),
    *('[Variant "Chess960"]\n', '[Variant "Atomic"]\n', '[Variant ""]\n'),
    *('[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]\n', '[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]\n\n'),
]


@pytest.fixture(scope="module")
def tables():
    with tablebase.open_tablebase(DATA) as tables:
        yield tables


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(WORDS), max_size=25), st.sampled_from(["", " "]))
def test_any_text_is_a_game_or_refused_in_one_line(tables, words, between):
    refusal = ""
    try:
        answer = annotated_game(tables, between.join(words))
    except GameError as error:
        refusal = str(error)
    if refusal:
        assert len(refusal.splitlines()) == 1
        return
    assert answer["known"] <= answer["positions"] == len(answer["nodes"])
    parents = [node["parent"] for node in answer["nodes"][1:]]
    assert all(parent <= number for number, parent in enumerate(parents))
    json.dumps(answer)
