"""What commands say about packages that they need and that are not installed."""

import sys
from pathlib import Path

import pytest

from tablebase.cli.program import main

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        (["annotate", "--summary", "GAME", "--html", "a", "--parquet", "b"], "jinja2 pyarrow"),
        (["report", "KK"], "jinja2 matplotlib"),
        (["butterfly", "KRK"], "matplotlib"),
        (["find", "KRK", "--parquet", "a"], "pyarrow"),
        (["export", "KRK", "--parquet", "a"], "pyarrow"),
        (["serve", "--port", "0"], "h11 starlette uvicorn"),
        (["build", "KRK", "--dir", "new", "--workers", "2"], "cryptography distributed"),
    ],
    ids=lambda one: one[0] if isinstance(one, list) else "",
)
def test_a_command_names_all_that_it_lacks_before_it_begins(
    arguments, missing, monkeypatch, tmp_path, capsys
):
    monkeypatch.chdir(tmp_path)
    for name in missing.split():
        monkeypatch.setitem(sys.modules, name, None)
    game = str(ROOT / "examples" / "game.pgn")
    words = [game if one == "GAME" else one for one in arguments]
    words += [] if "--dir" in words else ["--dir", str(ROOT / "data")]
    assert main(words) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors.count("\n") == 1
    assert errors.endswith(f" -m pip install {missing}\n")
    assert not list(tmp_path.iterdir())
