"""Commands that do not know a game refuse it in a line with a remedy, and write nothing."""

import json
import urllib.request

import pytest
from support.in_process import serving

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tablebase import open_tablebase
from tablebase.cli.program import main
from tablebase.serve.server import create_app

REFUSED = ["export --syzygy {there}", "find KRK --order difficulty"]


@pytest.mark.parametrize("command", [*REFUSED, "publish {there}"])
def test_three_check_is_refused_by_name(command, checks_dir, tmp_path, capsys):
    given = command.format(there=tmp_path / "there").split()
    assert main([*given, "--rules", "3check", "--dir", str(checks_dir)]) == 2
    check_refusal("3check", tmp_path, capsys)


@pytest.mark.parametrize("command", REFUSED)
def test_racing_kings_are_refused_by_name(command, racing_dir, tmp_path, capsys):
    given = command.format(there=tmp_path / "there").split()
    assert main([*given, "--rules", "racingkings", "--dir", str(racing_dir)]) == 2
    check_refusal("racingkings", tmp_path, capsys)


def check_refusal(game, tmp_path, capsys):
    out, err = capsys.readouterr()
    assert not out
    assert game in err
    assert f"`tablebase probe --rules {game}`" in err or "--parquet" in err
    assert err.count("\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_the_pages_of_a_server_do_not_offer_three_check(checks_dir):
    """Its own answers know it."""
    with open_tablebase(checks_dir) as tables, serving(create_app(tables)) as address:
        with urllib.request.urlopen(f"{address}/tables/tables.json") as answer:
            offered = json.load(answer)
        assert "games" not in offered
        assert offered["server"]["games"] == ["3check"]
