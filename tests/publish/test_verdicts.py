"""The explorer's headline and the line below it never contradict each other."""

import json
from itertools import product
from pathlib import Path

import chess
import pytest
from support.games import random_setups
from support.published import in_node, needs_node

from tablebase import open_tablebase
from tablebase.cli.display import position_words
from tablebase.core.answers.known import Known
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.publish.game_data import rules_record
from tablebase.serve.lichess import category, describe_standard

pytestmark = needs_node

ROOT = Path(__file__).parents[2]
MATE_ALONE = ("chess", "makruk", "capablanca8", "seirawan", "gardner", "losalamos")
ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - {} 99"
DISTANCES = [(dtm, dtz) for sign in (1, -1) for dtm in (None, 31 * sign, 111 * sign)
             for dtz in (None, sign, 31 * sign, 101 * sign) if dtm or dtz]  # fmt: skip


def verdicts(asked, rules=None):
    lines = [json.dumps({"fen": fen, "answer": answer, "rules": rules}) for fen, answer in asked]
    return [json.loads(line) for line in in_node("verdicts_in_node.mjs", lines=lines)]


def answer_of(dtm, dtz, clock):
    facts = dict.fromkeys(("checkmate", "stalemate", "insufficient_material"), False)
    result = category(dtz, dtm, clock=clock)
    return facts | {"dtm": dtm, "dtz": dtz, "dtc": None, "category": result, "moves": []}


def test_every_result_distance_and_clock():
    kinds = [(dtm, dtz, clock) for (dtm, dtz), clock in product(DISTANCES, (0, 69, 70, 99, 100))]
    asked = [(ROOK.format(clock), answer_of(dtm, dtz, clock)) for dtm, dtz, clock in kinds]
    found = {answer["category"] for _, answer in asked}
    assert found == {"win", "loss", "cursed-win", "blessed-loss", "maybe-win", "maybe-loss"}
    for (dtm, dtz, _), (_, answer), told in zip(kinds, asked, verdicts(asked), strict=True):
        headline, detail = told["headline"], told["detail"]
        winner, loser = ("White", "Black") if (dtm or dtz) > 0 else ("Black", "White")
        assert not headline.startswith(loser)
        if answer["category"] in {"cursed-win", "blessed-loss"}:
            assert headline == "Draw by the 50-move rule"
            assert answer["category"].replace("-", " ") in detail
            assert "wins" not in detail
        else:
            assert headline.startswith((f"{winner} wins", f"{winner} mates"))
            assert "cursed" not in detail
            assert "blessed" not in detail
            doubtful = answer["category"].startswith("maybe")
            assert ("may interfere" in detail) == doubtful


@pytest.mark.parametrize("game", built_in_rules())
def test_a_side_mates_only_in_games_that_mate_alone_decides(game):
    rules = built_in_rules()[game]
    name = "KRK" if rules.royal else "RvN"
    setups = (one for one in random_setups(name, rules, 30) if not (one.color or one.end))
    position, mates = next(setups), game in MATE_ALONE
    far = {"dtm": 15, "dtw": 15}
    cursed = Known(Wdl.WIN, Wdl50.CURSED_WIN, 15, 115, None, [])
    won = Known(Wdl.WIN, Wdl50.WIN, 15, 15, None, [])
    shell = [position_words(position, one).plain.splitlines()[1] for one in (won, cursed)]
    assert shell == [
        f"White wins{': mate' * mates} in 8 moves (15 plies)",
        f"White would {'mate' if mates else 'win'} in 8, but the 50-move rule draws",
    ]
    facts = [answer_of(15, dtz, 0) | far for dtz in (15, 115)]
    page = verdicts([(position.fen, one) for one in facts], rules_record(rules))
    assert page[0]["headline"] == f"White {'mates' if mates else 'wins'} in 8"
    assert f" · {'mate' if mates else 'end'} in 8, DTZ 115" in page[1]["detail"]


SIX_WITH_RIGHTS = "4k3/8/8/8/8/8/PP6/R3K2R"


@pytest.mark.parametrize(
    ("fen", "headline", "detail"),
    [
        ("4R3/8/8/8/8/7k/8/K3q3 w - - 0 1", "White wins: Rxe1 mates in", "tablebase build"),
        ("7k/7p/1R6/6P1/P7/5n2/4r3/7K b - - 0 41", "Black mates in 1", "1 ply"),
        (chess.STARTING_FEN, "Unknown: no table of these pieces", "32 pieces"),
        ("4k3/8/8/8/8/8/8/4K2R b K - 0 1", "White mates in 14", "28 plies"),
        (f"{SIX_WITH_RIGHTS} b K - 0 1", "Unknown: castling is not covered", "up to 5 pieces"),
        ("8/8/8/8/8/2k5/1R6/K2q4 w KQ - 0 1", "Unknown: no table of these pieces", "KQKR"),
        ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "Black mates in", "plies"),
        ("R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", "Checkmate: White has won", ""),
    ],
)
def test_what_is_known_without_a_table(fen, headline, detail):
    with open_tablebase(ROOT / "data") as tables:
        answer = describe_standard(tables, chess.Board(fen))
    (told,) = verdicts([(fen, answer)])
    assert told["headline"].startswith(headline)
    assert detail in told["detail"]


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("k7/1R6/8/8/8/8/8/6K1 b - - 0 1", " · dead position: neither side can mate"),
        ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", None),
        ("8/8/8/8/8/8/8/K1k5 w - - 0 1", None),
    ],
)
def test_who_can_never_mate_is_told_where_pieces_do_not_tell_it(helped_folder, fen, words):
    with open_tablebase(helped_folder) as tables:
        answer = describe_standard(tables, chess.Board(fen))
    (told,) = verdicts([(fen, answer)])
    assert ("dead position" in told["detail"]) == bool(words)
    assert "never mate" not in told["detail"]
    if words:
        assert told["detail"].endswith(words)


@pytest.mark.parametrize("side", ["white", "black"])
def test_the_side_that_can_never_mate_is_named(side):
    fen = "8/8/8/8/8/2k5/1R2b3/K7 w - - 0 1"
    facts = answer_of(None, None, 0) | {"category": "draw", "dead": False}
    facts |= {"can_win": {"white": side != "white", "black": side != "black"}}
    bare = (ROOK.format(0), facts)  # a bare king tells it without words
    told, untold = verdicts([(fen, facts), bare])
    words = f" · {side.title()} can never mate, even if both sides help"
    assert told["detail"].endswith(words)
    assert untold["detail"].endswith(words) == (side == "white")
