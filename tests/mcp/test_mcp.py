"""The MCP server, asked by the client of the official SDK over standard input and output."""

import asyncio
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters, stdio_client
from support.commands import environment_of, refusal

from tablebase import open_tablebase
from tablebase.core.ground.extras import PACKAGES
from tablebase.mcp.tools import make_server
from tablebase.serve.lichess import describe_standard, read_legal

DATA = Path(__file__).parents[2] / "data"
MATE_IN_16 = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
SHATRANJ = "8/8/8/3k4/8/1KQ5/8/q7 w"


def asked(source, *questions):
    """Return the answers to calls of tools, each a name and arguments, in one session."""

    async def talk():
        async with Client(source) as client:
            return [await client.call_tool(name, given) for name, given in questions]

    return asyncio.run(talk())


def test_probe_tells_result_line_and_the_answer_of_the_server(tables):
    (answer,) = asked(make_server(tables), ("probe", {"fen": MATE_IN_16}))
    assert not answer.is_error
    told = answer.structured_content
    assert "White wins: mate in 16 moves (31 plies)" in told.pop("result")
    assert told.pop("best_line").startswith("1. Ka2 Kd4 2. ")
    assert told == describe_standard(tables, read_legal(MATE_IN_16))


def test_solve_proves_within_its_time(tables):
    fen = "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"
    (answer,) = asked(make_server(tables), ("solve", {"fen": fen, "seconds": 60}))
    told = answer.structured_content
    assert (told["result"], told["proven"], told["words"]) == ("loss", True, "Black wins.")


def test_find_takes_conditions(tables):
    conditions = {"turn": True, "result": "win", "only_move": True, "longest": True}
    where = conditions | {"where": "white_pawn.file == 1"}
    some, fewer, one = asked(
        make_server(tables),
        ("find", {"material": "KPK", "conditions": conditions}),
        ("find", {"material": "KPK", "conditions": where}),
        ("find", {"material": "KPK", "conditions": conditions, "limit": 1}),
    )
    positions = some.structured_content["positions"]
    fens = [one["fen"] for one in positions]
    assert fens[:2] == ["8/8/8/6k1/8/8/1P4K1/8 w - - 0 1", "8/8/8/6k1/8/7K/1P6/8 w - - 0 1"]
    assert "mate in 28 moves (55 plies)" in positions[0]["result"]
    assert fewer.structured_content["positions"] != []
    assert len(one.structured_content["positions"]) == 1


def test_other_games_are_answered(games_dir):
    with open_tablebase(games_dir) as tables:
        (answer,) = asked(make_server(tables), ("probe", {"fen": SHATRANJ, "game": "shatranj"}))
    assert answer.structured_content["category"] in {"win", "loss", "draw"}


@pytest.mark.parametrize(
    ("tool", "given", "words"),
    [
        ("probe", {"fen": "nonsense"}, "'nonsense' has 1 rank, not 8"),
        ("probe", {"fen": "8/8/8/8/8/2k5/1R6/KQ5r w - - 0 1"}, "tablebase build KQRKR"),
        ("probe", {"fen": MATE_IN_16, "game": "chess960"}, "no tables of 'chess960' here"),
        ("solve", {"fen": MATE_IN_16, "seconds": 10**6}, "600"),
        ("find", {"material": "KXK", "conditions": {}}, "KXK"),
        ("find", {"material": "KPK", "conditions": {"colour": 1}}, "the conditions are "),
        ("find", {"material": "KPK", "conditions": {"where": "1 +"}}, "1 +"),
    ],
)
def test_what_cannot_be_answered_is_said(tables, tool, given, words):
    (answer,) = asked(make_server(tables), (tool, given))
    assert answer.is_error
    assert words in answer.content[0].text


@pytest.mark.thorough
def test_the_command_answers_over_standard_input_and_output():
    command = ["-m", "tablebase", "mcp", "--dir", str(DATA)]
    source = StdioServerParameters(command=sys.executable, args=command, env=environment_of())
    (answer,) = asked(stdio_client(source), ("probe", {"fen": MATE_IN_16}))
    assert "mate in 16 moves (31 plies)" in answer.structured_content["result"]


def test_what_is_missing_is_named(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert f"the MCP server needs {PACKAGES['mcp'][0]}: " in refusal(capsys, "mcp")
