"""The check of positions with castling rights, and what it finds wrong."""

import json

import pytest
from support.castling import positions_with_rights

import tablebase
from tablebase.cli.program import main
from tablebase.core.checking.castling_check import check_castling_values, has_castling
from tablebase.core.outcomes.metrics import DTM, METRICS
from tablebase.core.rules.material import Material

KRK = Material.from_name("KRK")


@pytest.fixture(scope="module")
def tables(zeroing_dir):
    with tablebase.open_tablebase(zeroing_dir) as found:
        yield found


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KRK", pytest.param("KRRK", marks=pytest.mark.slow)])
def test_every_position_is_checked_once(tables, name):
    expected = sum(1 for _ in positions_with_rights(*name[1:].split("K")))
    report = check_castling_values(tables, Material.from_name(name), METRICS)
    assert (report.checked, report.passed, report.complete) == (expected, True, True)


class OneWrong:
    """Tables with one wrong value."""

    def __init__(self, tables, fen):
        self.tables, self.fen = tables, fen

    def probe_outcome(self, board, metric):
        outcome = self.tables.probe_outcome(board, metric)
        return outcome - 2 if board.fen() == self.fen else outcome


@pytest.mark.thorough
def test_a_wrong_value_is_found(tables):
    fen = "4k3/8/8/8/8/8/8/4K2R b K - 0 1"
    report = check_castling_values(OneWrong(tables, fen), KRK, (DTM,))
    assert report.differs
    assert f"{fen}: dtm -31 instead of -29" in report.differences
    assert str(report).startswith("KRK: WRONG, dtm of 211 positions")


@pytest.mark.thorough
def test_the_command(zeroing_dir, capsys):
    assert main(["verify", "--castling", "KRK", "--dir", str(zeroing_dir)]) == 0
    said = "KRK: OK, dtm and dtz of 211 positions with castling rights, 0 differences\n"
    assert capsys.readouterr().out == said
    options = ["--metric", "dtm", "--sample", "50", "--json", "--dir", str(zeroing_dir)]
    assert main(["verify", "--castling", "KRKN", *options]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["material"], found["metrics"], found["complete"]) == ("KRKN", ["dtm"], False)
    assert 40 < found["checked"] < 100


def test_what_cannot_castle_is_refused(capsys):
    assert main(["verify", "--castling", "KQK", "--dir", "data"]) == 2
    assert "castling needs a rook" in capsys.readouterr().err


def test_what_can_castle():
    names = {"KRK": True, "KQKR": True, "KQK": False, "KRPPK": True, "KRPPKP": False}
    assert {name: has_castling(Material.from_name(name)) for name in names} == names
