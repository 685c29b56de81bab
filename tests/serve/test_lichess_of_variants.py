"""Variants of python-chess in the words of lichess's server."""

import json
import random
import urllib.request
from contextlib import ExitStack
from functools import cache

import pytest
from support.described import check_answer
from support.few import thorough
from support.in_process import serving_tables
from support.variants import (
    ANTICHESS,
    ATOMIC,
    BOARDS,
    CHECKS,
    NEAR,
    RACING,
    SUICIDE,
    UPPER,
    any_men,
    random_boards,
)

from tablebase import open_tablebase
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.positions.any_position import as_position
from tablebase.serve.lichess import (
    describe_mainline,
    describe_position,
    describe_standard,
    read_legal,
)

WON = "8/8/8/3k4/8/2K5/1Q6/8 w - - 0 1"
EXPLODES = "8/8/8/8/8/1k6/2p5/2Q4K w - - 0 1"  # Qxc2 takes a king
MATE_BY_BISHOPS = "kbK5/b7/B7/8/8/8/8/8 w - - 0 1"
QUIET_BISHOPS = "kb6/8/B7/8/4K3/8/8/b7 w - - 0 1"
DECIDED = ("category", "dtm", "insufficient_material")
ROOK = "8/8/8/3k4/8/2K5/1R6/8 w - -"
FAR = "8/8/1K4k1/8/8/8/R7/8 w - - 0 1"
# Its distance is 45 plies in the tables behind lichess's server as well, see `tests/data`.
LOST = "8/8/8/8/8/P7/8/7k b - - 0 1"
BLOCKED = "8/8/8/p7/P7/8/8/8 w - - 0 1"
FOLDERS = {
    ATOMIC: "atomic_dir",
    CHECKS: "checks_dir",
    RACING: "racing_dir",
    ANTICHESS: "antichess_dir",
    SUICIDE: "suicide_dir",
}
CATEGORIES = {1: "win", 0: "draw", -1: "loss"}


@pytest.fixture(scope="module")
def tables_of(request):
    """Return what opens the tables of a game, once."""
    with ExitStack() as stack:

        @cache
        def tables_of(rules):
            folder = request.getfixturevalue(FOLDERS[rules])
            return stack.enter_context(open_tablebase(folder, rules=rules))

        yield tables_of


@pytest.fixture
def described(tables_of):
    """Return what describes a position of a game."""
    return lambda rules, fen: describe_standard(tables_of(rules), read_legal(fen, rules))


def fields(answer, *names):
    return [answer[name] for name in names]


DISTANCES = ("category", "dtm", "dtw", "dtz")


@pytest.mark.parametrize(
    ("rules", "fen", "distances", "line", "last"),
    [
        (ATOMIC, WON, ["win", 15, None, 15], ("w", 15), None),
        (CHECKS, f"{ROOK} 3+3 0 1", ["win", 7, None, 7], ("w", 7), ["Rd5#", None, None, -1]),
        (CHECKS, f"{ROOK} 0 1 +0+0", ["win", 7, None, 7], ("w", 7), ["Rd5#", None, None, -1]),
        (CHECKS, ROOK, ["win", 7, None, 7], ("w", 7), ["Rd5#", None, None, -1]),
        (RACING, FAR, ["win", 7, None, 7], ("w", 7), ["Kc8#", None, None, -1]),
        thorough(ANTICHESS, LOST, ["loss", None, -45, -2], ("w", 45), ["Kxb6#", None, 0, 1]),
        (SUICIDE, LOST, ["loss", None, None, -2], ("w", None), None),
    ],
)
def test_a_line_leads_to_the_end(tables_of, rules, fen, distances, line, last):
    tables, position = tables_of(rules), read_legal(fen, rules)
    answer = describe_standard(tables, position, difficulty=True)
    check_answer(answer, "/{rules}")
    assert fields(answer, *DISTANCES) == distances
    told = describe_mainline(tables, position)
    check_answer(told, "/{rules}/mainline")
    assert told["winner"] == line[0]
    assert line[1] in {None, len(told["mainline"])}
    assert told.get("dtw") == distances[2]
    if last:
        end = told["mainline"][-1]
        assert [end.get(name) for name in ("san", "dtm", "dtw", "dtz")] == last


BEST = ("san", "variant_loss", "checkmate", "category", "dtm", "dtw")


@pytest.mark.parametrize(
    ("rules", "fen", "best"),
    [
        (ATOMIC, WON, ["Kc2", False, False, "loss", -14, None]),
        (ATOMIC, EXPLODES, ["Qxc2#", True, False, "loss", None, None]),
        (CHECKS, f"{ROOK} 1+3", ["Rb5#", True, False, "loss", None, None]),
        (RACING, "8/1K6/7k/8/8/8/R7/8 w", ["Ka8#", True, False, "loss", None, None]),
        thorough(ANTICHESS, LOST, ["Kg1", False, False, "win", None, 44]),
    ],
)
def test_the_best_move_comes_first(described, rules, fen, best):
    answer = described(rules, fen)
    assert fields(answer["moves"][0], *BEST) == best


def test_a_move_tells_what_it_leaves(described):
    assert [one["category"] for one in described(ATOMIC, WON)["moves"]] == ["loss", *["draw"] * 23]
    taking = described(ATOMIC, EXPLODES)
    assert (taking["category"], taking["dtm"], taking["moves"][0]["zeroing"]) == ("win", 1, True)
    answering = described(RACING, "1K6/7k/8/8/8/8/R7/8 b - - 0 1")
    told = [fields(one, "uci", "category", "variant_win") for one in answering["moves"]]
    assert answering["category"] == "draw"
    assert told[:3] == [
        *(["h7g8", "draw", False], ["h7h8", "draw", False], ["h7g6", "win", True]),
    ]


ENDED = ("category", "variant_win", "variant_loss", "checkmate", "stalemate", "dtm", "dtw", "dtz")


@pytest.mark.parametrize(
    ("rules", "fen", "ended"),
    [
        (CHECKS, "8/8/8/3k4/8/2K5/3R4/8 b - - 0+3",
         ["loss", False, True, False, False, None, None, -1]),
        (CHECKS, "7k/7Q/6K1/8/8/8/8/8 b - - 2+3",
         ["loss", False, False, True, False, None, None, -1]),
        (RACING, "1K5k/8/8/8/8/8/R7/8 w", ["draw", False, False, False, False, 0, None, 0]),
        (RACING, "1K6/8/7k/8/8/8/R7/8 w", ["win", True, False, False, False, None, None, 1]),
        (ANTICHESS, BLOCKED, ["win", True, False, False, True, None, 0, 1]),
        (ANTICHESS, "8/8/8/8/8/8/8/R7 b", ["win", True, False, False, False, None, 0, 1]),
        (SUICIDE, BLOCKED, ["draw", False, False, False, True, None, 0, 0]),
        (SUICIDE, "8/8/8/p7/P7/P7/8/8 w", ["loss", False, True, False, True, None, 0, -1]),
    ],
)  # fmt: skip
def test_a_game_is_over(tables_of, described, rules, fen, ended):
    answer = described(rules, fen)
    assert (fields(answer, *ENDED), answer["moves"]) == (ended, [])
    if rules == ANTICHESS:
        line = describe_mainline(tables_of(rules), read_legal(fen, rules))
        assert (line["mainline"], line["winner"]) == ([], fen.split()[1])


def test_the_last_check_cannot_stand(described):
    with pytest.raises(UnsupportedPositionError, match="has given its last check"):
        described(CHECKS, "8/8/8/3k4/8/2K5/3R4/8 w - - 0+3")


@pytest.mark.parametrize(
    ("rules", "kinds", "squares", "count"),
    [(CHECKS, "QRBNP", range(64), 40), (RACING, "QRBN", UPPER, 100)],
)
def test_answers_are_those_of_the_boards(tables_of, rules, kinds, squares, count):
    tables, seen, rng = tables_of(rules), set(), random.Random(6)
    for board in random_boards(rules, any_men(rng, kinds, most=1), count, rng, squares=squares):
        setup = as_position(board)
        if setup.material not in tables.available_materials:
            continue
        answer, over = describe_standard(tables, setup), board.is_variant_end()
        moves = [] if over else [*board.legal_moves]
        told = {one["uci"]: one for one in answer["moves"]}
        assert {*told} == {move.uci() for move in moves}
        assert answer["variant_win"] == (over and board.is_variant_win())
        assert answer["variant_loss"] == (over and board.is_variant_loss())
        assert answer["category"] == CATEGORIES[tables.probe_wdl(setup)]
        seen.add(answer["category"])
        for move in moves if rules == CHECKS else []:
            one, after = told[move.uci()], board.copy(stack=False)
            assert one["san"] == board.san(move)
            after.push(move)
            assert one["variant_loss"] == after.is_variant_loss()
            assert one["insufficient_material"] == after.is_insufficient_material()
    assert seen == {*CATEGORIES.values()}


@pytest.mark.parametrize("rules", [ANTICHESS, SUICIDE], ids=["antichess", "suicide"])
def test_positions_without_a_table_have_the_values_of_their_moves(rules, tables_of):
    """Three men, of which a capture must take one: every move leads to a table."""
    opened, seen, rng = tables_of(rules), set(), random.Random(5)
    men = any_men(rng, "KQRBNP", most=1, kings="Rr")
    for board in random_boards(rules, men, 400, rng, squares=NEAR):
        if not any(map(board.is_capture, board.legal_moves)):
            continue
        answer = describe_standard(opened, as_position(board).board)
        assert {one["uci"] for one in answer["moves"]} == {one.uci() for one in board.legal_moves}
        results = []
        for move in list(board.legal_moves):
            board.push(move)
            has_won, has_lost = board.is_variant_win(), board.is_variant_loss()
            over = has_won or has_lost or board.is_variant_draw()
            wdl = has_won - has_lost if over else opened.probe_wdl(as_position(board).board)
            results.append(-wdl)
            board.pop()
        assert (answer["category"], answer["dtz"]) == (CATEGORIES[max(results)], max(results))
        seen.add(answer["category"])
    assert seen >= {"win", "loss"}


@pytest.mark.parametrize(
    ("rules", "fen", "insufficient"),
    [
        (ATOMIC, f"{ROOK} 0 1", True),
        (ATOMIC, WON, False),
        (ANTICHESS, "8/8/8/3b4/8/2B5/8/8 w - - 0 1", True),
        (ANTICHESS, "8/8/8/4b3/8/2B5/8/8 w - - 0 1", False),
        (ANTICHESS, LOST, False),
    ],
)
def test_men_that_cannot_win_are_insufficient(described, rules, fen, insufficient):
    assert BOARDS[rules](fen).is_insufficient_material() is insufficient
    answer = described(rules, fen)
    assert answer["insufficient_material"] is insufficient
    assert answer["category"] == "draw" or not insufficient


class Told:
    """A table that has a distance of every position, or helpmates, or nothing."""

    def __init__(self, dtm=None, helpmate=None):
        self.get_dtz = self.get_dtm = lambda _: dtm
        self._helpmate = helpmate

    def probe_helpmate(self, _board, _color):
        if self._helpmate is None:
            raise MissingTableError
        return self._helpmate


def test_tables_and_mates_come_before_the_rule_of_python_chess(tables_of, described):
    """It calls bishops insufficient that cannot explode each other; they can block a king."""
    board = BOARDS[ATOMIC](MATE_BY_BISHOPS)
    assert board.is_insufficient_material()
    board.push_san("Bb7")
    assert board.is_checkmate()
    assert board.is_insufficient_material()

    # Without a table the mate tells it.
    answer, mate = described(ATOMIC, MATE_BY_BISHOPS), described(ATOMIC, board.fen())
    assert fields(answer, *DECIDED) == ["win", 1, False]
    first, *others = answer["moves"]
    assert fields(first, "san", "checkmate", *DECIDED) == ["Bb7#", True, "loss", None, False]
    assert {(one["category"], one["dtm"]) for one in others} == {("draw", 0)}
    assert fields(mate, "checkmate", *DECIDED) == [True, "loss", None, False]
    line = describe_mainline(tables_of(ATOMIC), read_legal(MATE_BY_BISHOPS, ATOMIC))
    assert ([one["san"] for one in line["mainline"]], line["winner"]) == (["Bb7#"], "w")

    # A table, or a helpmate, decides.
    quiet = read_legal(QUIET_BISHOPS, ATOMIC)
    for told, expected in (
        (Told(), ["draw", 0, True]),
        (Told(dtm=-4), ["loss", -4, False]),
        (Told(dtm=0), ["draw", 0, True]),
        (Told(dtm=0, helpmate=3), ["draw", 0, False]),
        (Told(helpmate=3), ["unknown", None, False]),
    ):
        assert fields(describe_position(told, quiet), *DECIDED) == expected


def test_boards_of_python_chess_go_in(tables_of):
    tables, board = tables_of(ATOMIC), BOARDS[ATOMIC](WON)
    assert (tables.probe_dtm(board), tables.probe_wdl(board)) == (15, 1)
    assert len(tables.mainline(board)) == 15
    dtm, known = tables.probe_dtm_many([board, WON])
    assert (dtm.tolist(), known.all()) == ([15, 15], True)
    over = BOARDS[ATOMIC]("8/8/8/8/8/2Q5/8/1K6 b - - 0 1")
    assert (tables.probe_dtm(over), tables.probe_wdl(over)) == (0, -1)


def asked(address):
    with urllib.request.urlopen(address) as answer:
        return json.load(answer)


@pytest.mark.parametrize(
    ("rules", "names", "positions"),
    [
        (CHECKS, {"KRK", "KPK"}, [
            (f"{ROOK} {left}", dtm, "w")
            for checks, dtm in (("3+3", 7), ("2+3 0 1", 3), ("0 1 +2+0", 1))
            for left in (checks, checks.replace("+", "%2B"))
        ]),
        (RACING, {"KRK", "KKR"}, [(FAR, 7, "w"), ("8/8/1k4K1/8/8/8/r7/8 w - - 0 1", -6, "b")]),
    ],
    ids=["3check", "racingkings"],
)  # fmt: skip
def test_a_server_answers(rules, names, positions, request):
    with serving_tables(request.getfixturevalue(FOLDERS[rules])) as address:
        assert asked(f"{address}/tables")["games"] == [rules.name]
        (offered,) = asked(f"{address}/tables/tables.json")["games"]
        assert offered["name"] == rules.name  # to pages, too
        tables = asked(f"{address}/tables?rules={rules.name}")["tables"]
        assert names < {one["material"] for one in tables}
        for fen, dtm, winner in positions:
            named = fen.replace(" ", "_")
            assert asked(f"{address}/{rules.name}?fen={named}")["dtm"] == dtm
            line = asked(f"{address}/{rules.name}/mainline?fen={named}")
            assert (line["winner"], len(line["mainline"])) == (winner, abs(dtm))
