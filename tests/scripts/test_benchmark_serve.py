"""The server is asked in all ways, and answers; no time is asserted."""

import json
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

from scripts import benchmark_serve

DATA = Path(__file__).parents[2] / "data"


@pytest.mark.thorough
def test_requests_a_second_are_measured(capsys):
    benchmark_serve.main(["--dir", str(DATA), "--requests", "16", "--repeats", "1", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [one["clients"] for one in found] == [1, 1, 8]
    assert all(one["requests_per_second"] > 0 for one in found)


def test_each_way_keeps_connections_or_not(monkeypatch):
    asked = []

    class Connection:
        def __init__(self, host):
            asked.append(host)

        def close(self):
            asked.append("close")

    monkeypatch.setattr(benchmark_serve, "HTTPConnection", Connection)
    monkeypatch.setattr(benchmark_serve, "get", lambda _: asked.append("get"))
    benchmark_serve.over_one("host", 2)
    benchmark_serve.over_new("host", 2)
    kept, new = ["host", "get", "get", "close"], ["host", "get", "close"]
    assert asked == kept + new + new
