"""Commands that do not know a game refuse it in a line with a remedy, and write nothing."""

import json
import urllib.error
import urllib.request

import pytest
from support.in_process import serving
from support.racing import RACING

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tablebase import open_tablebase
from tablebase.cli.program import main
from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material
from tablebase.serve.server import create_app


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table of racing kings."""
    folder = tmp_path_factory.mktemp("racing")
    generate([Material.from_name("KK", RACING)], folder)
    return folder


@pytest.mark.parametrize("command", ["report --out", "publish", "export --syzygy"])
def test_racing_kings_are_refused_by_name(command, folder, tmp_path, capsys):
    there = tmp_path / "there"
    given = [*command.split(), str(there), "--rules", "racingkings", "--dir", str(folder)]
    assert main(given) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "racingkings" in err
    assert "`tablebase probe --rules racingkings`" in err or "--parquet" in err
    assert err.count("\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("asked", ["racingkings", "racingkings/mainline"])
def test_the_server_refuses_racing_kings_by_name(asked, folder):
    with open_tablebase(folder) as tables, serving(create_app(tables)) as address:
        with urllib.request.urlopen(f"{address}/tables") as answer:
            assert json.load(answer)["games"] == []
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{address}/{asked}?fen=8/8/8/8/8/8/8/K6k_w")
        with refused.value as answer:
            assert answer.code == 400
            text = answer.read().decode()
    assert "do not know racingkings" in text
    assert "`tablebase probe --rules racingkings`" in text
