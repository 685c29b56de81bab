"""Commands that do not know a game refuse it in a line with a remedy, and write nothing."""

import json
import urllib.error
import urllib.request

import pytest
from support.checks import CHECKS
from support.in_process import serving
from support.racing import RACING

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tablebase import open_tablebase
from tablebase.cli.program import main
from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material
from tablebase.serve.server import create_app

GAMES = {
    "racingkings": Material.from_name("KK", RACING),
    "3check": Material.from_name("KNK", CHECKS),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table of each game."""
    folder = tmp_path_factory.mktemp("games")
    generate([GAMES["racingkings"]], folder)
    generate([GAMES["3check"]], folder)
    return folder


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("command", ["report --out", "publish", "export --syzygy"])
def test_games_are_refused_by_name(command, game, folder, tmp_path, capsys):
    there = tmp_path / "there"
    given = [*command.split(), str(there), "--rules", game, "--dir", str(folder)]
    assert main(given) == 2
    out, err = capsys.readouterr()
    assert not out
    assert game in err
    assert f"`tablebase probe --rules {game}`" in err or "--parquet" in err
    assert err.count("\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("asked", ["", "/mainline"])
def test_the_server_refuses_games_by_name(asked, game, folder):
    with open_tablebase(folder) as tables, serving(create_app(tables)) as address:
        with urllib.request.urlopen(f"{address}/tables") as answer:
            assert json.load(answer)["games"] == []
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{address}/{game}{asked}?fen=8/8/8/8/8/8/8/K6k_w")
        with refused.value as answer:
            assert answer.code == 400
            text = answer.read().decode()
    assert f"do not know {game}" in text
    assert f"`tablebase probe --rules {game}`" in text
