"""Atomic chess in the words of lichess's server."""

import chess.variant
import pytest

import tablebase
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.rules.rule_files import built_in_rules
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


@pytest.fixture(scope="module")
def tables(atomic_dir):
    with tablebase.open_tablebase(atomic_dir, rules="atomic") as tables:
        yield tables


def described(tables, fen):
    return describe_standard(tables, read_legal(fen, built_in_rules()["atomic"]))


def test_distances_are_filled(tables):
    answer = described(tables, WON)
    assert (answer["category"], answer["dtm"], answer["dtz"]) == ("win", 15, 15)
    assert [answer["moves"][0][one] for one in ("uci", "san", "dtm")] == ["c3c2", "Kc2", -14]
    assert [move["category"] for move in answer["moves"]] == ["loss", *["draw"] * 23]
    line = describe_mainline(tables, read_legal(WON, built_in_rules()["atomic"]))
    assert (line["winner"], len(line["mainline"])) == ("w", 15)


def test_a_king_that_explodes_has_lost(tables):
    answer = described(tables, EXPLODES)
    first = answer["moves"][0]
    assert (first["san"], first["variant_loss"], first["checkmate"]) == ("Qxc2#", True, False)
    assert (first["category"], first["dtm"], first["zeroing"]) == ("loss", None, True)
    assert (answer["category"], answer["dtm"]) == ("win", 1)


def test_men_that_cannot_win_are_insufficient(tables):
    for fen in ("8/8/8/3k4/8/2K5/1R6/8 w - - 0 1", WON):
        board = chess.variant.AtomicBoard(fen)
        told = described(tables, fen)["insufficient_material"]
        assert told is board.is_insufficient_material()
    assert described(tables, "8/8/8/3k4/8/2K5/1R6/8 w - - 0 1")["insufficient_material"]


class Told:
    """A table that has a distance of every position, or helpmates, or nothing."""

    def __init__(self, dtm=None, helpmate=None):
        self.get_dtz = self.get_dtm = lambda _: dtm
        self._helpmate = helpmate

    def probe_helpmate(self, _board, _color):
        if self._helpmate is None:
            raise MissingTableError
        return self._helpmate


def test_tables_and_mates_come_before_the_rule_of_python_chess(tables):
    """It calls bishops insufficient that cannot explode each other; they can block a king."""
    board = chess.variant.AtomicBoard(MATE_BY_BISHOPS)
    assert board.is_insufficient_material()
    board.push_san("Bb7")
    assert board.is_checkmate()
    assert board.is_insufficient_material()

    # Without a table the mate tells it.
    answer, mate = described(tables, MATE_BY_BISHOPS), described(tables, board.fen())
    assert [answer[one] for one in DECIDED] == ["win", 1, False]
    first, *others = answer["moves"]
    assert [first[one] for one in ("san", "checkmate", *DECIDED)] == [
        "Bb7#",
        True,
        "loss",
        None,
        False,
    ]
    assert {(one["category"], one["dtm"]) for one in others} == {("draw", 0)}
    assert [mate[one] for one in ("checkmate", *DECIDED)] == [True, "loss", None, False]
    line = describe_mainline(tables, read_legal(MATE_BY_BISHOPS, built_in_rules()["atomic"]))
    assert ([one["san"] for one in line["mainline"]], line["winner"]) == (["Bb7#"], "w")

    # A table, or a helpmate, decides.
    quiet = read_legal(QUIET_BISHOPS, built_in_rules()["atomic"])
    for told, expected in (
        (Told(), ["draw", 0, True]),
        (Told(dtm=-4), ["loss", -4, False]),
        (Told(dtm=0), ["draw", 0, True]),
        (Told(dtm=0, helpmate=3), ["draw", 0, False]),
        (Told(helpmate=3), ["unknown", None, False]),
    ):
        answer = describe_position(told, quiet)
        assert [answer[one] for one in DECIDED] == expected


def test_boards_of_python_chess_go_in(tables):
    board = chess.variant.AtomicBoard(WON)
    assert (tables.probe_dtm(board), tables.probe_wdl(board)) == (15, 1)
    assert len(tables.mainline(board)) == 15
    dtm, known = tables.probe_dtm_many([board, WON])
    assert (dtm.tolist(), known.all()) == ([15, 15], True)
    over = chess.variant.AtomicBoard("8/8/8/8/8/2Q5/8/1K6 b - - 0 1")
    assert (tables.probe_dtm(over), tables.probe_wdl(over)) == (0, -1)
