"""Measure how many requests a second the server answers, over connections that are kept or not.

Usage::

    python scripts/benchmark.py serve [--dir FOLDER] [--json | --save]

`tablebase serve` runs as a process of its own, and threads of this one ask it for a position and
its moves, over and over. Each line is the fastest of several runs, all warm.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import measurement

from tablebase.core.ground.streams import reader_may_leave

ASKED = "/standard?fen=8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1"
Ask = Callable[[str, int], None]


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Run the server on a free port; give its host and port."""
    command = [sys.executable, "-m", "tablebase", "serve", "--port", "0", "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield urlsplit(process.stdout.readline().split()[0]).netloc
        finally:
            process.terminate()


def get(connection: HTTPConnection) -> None:
    """Ask once and read the answer."""
    connection.request("GET", ASKED)
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    answer.read()


def over_one(host: str, requests: int) -> None:
    """Ask over a connection that is kept."""
    connection = HTTPConnection(host)
    for _ in range(requests):
        get(connection)
    connection.close()


def over_new(host: str, requests: int) -> None:
    """Ask over a new connection each time."""
    for _ in range(requests):
        over_one(host, 1)


def rate(ask: Ask, host: str, clients: int, requests: int, repeats: int) -> float:
    """Return the requests a second of some clients at once, in the fastest run."""
    best = 0.0
    with ThreadPoolExecutor(clients) as pool:
        for _ in range(repeats + 1):  # the first warms up
            start = time.perf_counter()
            list(pool.map(partial(ask, host), [requests // clients] * clients))
            best = max(best, requests // clients * clients / (time.perf_counter() - start))
    return best


def lines(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield what was measured."""
    with served(options.dir) as host:
        for what, ask, clients in (
            ("a new connection for each request", over_new, 1),
            ("one kept connection", over_one, 1),
            ("eight kept connections", over_one, 8),
        ):
            found = rate(ask, host, clients, options.requests, options.repeats)
            yield {"what": what, "clients": clients, "requests_per_second": found}


@reader_may_leave()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the requests a second, or keep them."""
    parser = argparse.ArgumentParser(prog="benchmark.py serve", description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, default=Path("data"), help="folder of our tables")
    parser.add_argument("--requests", type=int, default=800, help="of each run")
    parser.add_argument("--repeats", type=int, default=5, help="runs; the fastest counts")
    parser.add_argument("--json", action="store_true", help="JSON instead of lines")
    parser.add_argument("--save", action="store_true", help="into benchmarks/results")
    options = parser.parse_args(arguments)
    found = list(lines(options))
    if options.save:
        print(measurement.save("serve", found))
    elif options.json:
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
    else:
        for line in found:
            print(f"{line['what']}: {line['requests_per_second']:,.0f} requests a second")


if __name__ == "__main__":
    main()
