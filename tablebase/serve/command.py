"""``tablebase serve``: the explorer in a browser, and the API for programs."""

from __future__ import annotations

import argparse
import ipaddress
import re
import shlex
import webbrowser
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tablebase.cli.arguments import Parser, whole_number
from tablebase.cli.choice import add_directory, choose
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.ground.extras import PACKAGES, require_packages
from tablebase.core.ground.locations import provided_directory
from tablebase.core.ground.words import counted, quoted

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8080


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "--open": "serve the explorer and open it",
        "": f"only serve it, on port {DEFAULT_PORT}",
        "--dir tables --port 0": "another folder, on a free port",
        "--host 0.0.0.0": "for the whole network",
        "--allow-host chess.example": "behind a proxy of this name",
        "--solve 1m,2GB": "also solve single positions",
    }
    command.set_up(run, examples, game="the server answers for all games in its folder")
    add_directory(command)
    command.add_argument(
        "--host", default=DEFAULT_HOST, help="address to listen on (default: %(default)s)"
    )
    command.add_argument(
        "--allow-host",
        metavar="NAME",
        type=host_name,
        action="append",
        default=[],
        help="accept this host name as well as localhost, as behind a proxy; may be repeated "
        "(default: any name if --host admits other machines, else none)",
    )
    command.add_argument(
        "--port",
        type=port_number,
        default=DEFAULT_PORT,
        help="port to listen on, 0 for a free one (default: %(default)s)",
    )
    command.add_argument(
        "--solve",
        metavar="BUDGET",
        help="solve positions without a table on demand, one at a time, within this limit on time "
        "and memory, like 1m,2GB (default: off)",
    )
    command.add_argument("--open", action="store_true", help="open the explorer in a browser")


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    choice = choose(arguments)
    require_packages("the server needs", *PACKAGES["web"])
    from tablebase.core.ground.seams import ENDPOINTS, load
    from tablebase.core.reading.folders import find_rules, other_files
    from tablebase.serve.server import create_app, listen, serve

    solve = arguments.solve
    if solve is not None:
        solve = load(ENDPOINTS["/solve"], "`serve --solve`").budget_of(solve)
    try:
        _ = choice.tables  # tables of other games are refused
    except MissingTableError:  # without any table or region there is nothing to show
        there = [one for one in choice.directories if one.is_dir()]
        if solve is None and not (other_files(there) or find_rules(there)):
            raise
    listener = listen(arguments.host, arguments.port)
    with listener, choice.open_tables() as tablebase:
        location = names = None
        local = ipaddress.ip_address(listener.getsockname()[0]).is_loopback
        if local or arguments.allow_host:
            names = map(in_url, [arguments.host, *arguments.allow_host])
        if local and not arguments.allow_host:  # no proxy lets strangers in
            # Nobody builds where tables came with the program, unless that is what was named.
            last = () if choice.named else (provided_directory(),)
            location = location_of(one for one in tablebase.directories if one not in last)
        app = create_app(tablebase, location=location, solve=solve, names=names)
        host = in_url(arguments.host)
        tables = counted(len(tablebase.available_tables), "table")
        found = find_rules(choice.directories).values()
        games = [one.name for one in found]
        folders = ", ".join(map(str, choice.directories))
        folders += f"; also of {', '.join(games)}" if games else ""
        address = f"http://{host}:{listener.getsockname()[1]}/"
        print(f"{address} ({tables} in {folders}; Ctrl-C stops)", flush=True)
        if arguments.open:
            webbrowser.open(address)
        # Whether Ctrl-C ends uvicorn with a KeyboardInterrupt is a matter of microseconds.
        with suppress(KeyboardInterrupt):
            serve(app, listener)
        print("stopped")
    return 0


def in_url(name: str) -> str:
    """Return a name or address in the notation of URLs."""
    return f"[{name}]" if ":" in name else name


def location_of(directories: Iterable[Path]) -> str:
    """Return the options that make a command use some folders from any working directory.

    Only the page for people of this machine shows them.
    """
    return " ".join(f"--dir {shlex.quote(str(path.resolve()))}" for path in directories)


def host_name(text: str) -> str:
    """Return a name, or an address, without port."""
    if not re.fullmatch(r"[\w.-]+|[0-9A-Fa-f:.]+", text, re.ASCII):
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not a host name: write it like chess.example"
        )
    return text


def port_number(text: str) -> int:
    """Return a number that a port can have."""
    return whole_number(text, 0, 65_535)
