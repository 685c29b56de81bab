"""``tablebase report``: a page about each table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import Parser, add_json, add_threads, explorer_address
from tablebase.cli.choice import add_rules, add_tables, choose
from tablebase.cli.terminal import print_json
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.extras import PACKAGES, require_packages

if TYPE_CHECKING:
    from tablebase.core.rules.rules import Rules

# What the list of reports has had in every version.
_LIST_MARK = b"<title>Endgame tables</title>"


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "--out reports": "a page for each table, and an index",
        "KQKR --markdown": "one table, in Markdown",
        "--no-butterfly": "all tables, without the slowest part",
        "--explorer http://127.0.0.1:8080/": "links into the explorer of tablebase serve",
    }
    command.set_up(run, examples, "analysing tables")
    add_tables(command)
    add_rules(command)
    command.add_argument(
        "--out", metavar="DIR", default="reports", help="folder to write to (default: %(default)s)"
    )
    command.add_argument(
        "--no-butterfly", action="store_true", help="omit butterfly boards, the slowest part"
    )
    command.add_argument(
        "--explorer",
        metavar="ADDRESS",
        type=explorer_address,
        help="link positions and materials to the explorer at this address, from `tablebase "
        "serve` or a published site (default: link positions to lichess)",
    )
    add_threads(command)
    kind = command.add_mutually_exclusive_group()
    kind.add_argument("--markdown", action="store_true", help="write Markdown instead of HTML")
    add_json(kind)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.report.analysis import analyse

    if not arguments.json:
        require_packages("reports need", *PACKAGES["report"])
    described = []
    games: dict[Rules, None] = {}
    choice = choose(arguments)
    folders, rules = choice.directories, choice.rules
    has_list = not (arguments.json or arguments.markdown)
    if has_list:
        _require_place_of_list(arguments.out, rules)
    for path in choice.paths:
        butterfly = not (arguments.no_butterfly or arguments.json)
        analysis = analyse(
            path, *folders, butterfly=butterfly, threads=arguments.threads, rules=rules
        )
        games[analysis.material.rules] = None
        if arguments.json:
            described.append(analysis.as_dict())
        else:
            print(_write(analysis, arguments), flush=True)
    if arguments.json:
        print_json(described)
    if has_list:
        from tablebase.report.document import write_index

        for game in games or [rules]:
            _require_place_of_list(arguments.out, game)
            print(write_index(arguments.out, game))
    return 0


def _require_place_of_list(out: str, rules: Rules) -> None:
    """Raise a `TablebaseError` if the list of reports would replace a foreign page."""
    page = Path(out) / rules.folder / "index.html"
    if page.is_file() and _LIST_MARK not in page.read_bytes():
        raise TablebaseError(f"{page} is not a list of reports: name another folder with --out")


def _write(analysis: Any, arguments: argparse.Namespace) -> str:
    from tablebase.report.document import write_html, write_markdown

    write = write_markdown if arguments.markdown else write_html
    return str(write(analysis, arguments.out, arguments.explorer))
