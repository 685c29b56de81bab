"""``tablebase report``: a page about each table."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import (
    add_json,
    add_rules,
    add_tables,
    add_threads,
    directories_of,
    new_command,
)
from tablebase.cli.chosen import chosen_paths, rules_of
from tablebase.cli.terminal import print_json

if TYPE_CHECKING:
    from tablebase.rules import Rules


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "write reports: results, distances, longest wins, zugzwangs, maps"
    examples = {
        "--out reports": "a page for each table, and an index",
        "KQKR --markdown": "one table, in Markdown",
        "--no-butterfly": "all tables, without the slowest part",
    }
    command = new_command(commands, "report", run, text, examples)
    add_tables(command)
    add_rules(command)
    command.add_argument(
        "--out", metavar="DIR", default="reports", help="folder to write to (default: %(default)s)"
    )
    command.add_argument(
        "--no-butterfly", action="store_true", help="omit butterfly boards, the slowest part"
    )
    add_threads(command)
    kind = command.add_mutually_exclusive_group()
    kind.add_argument("--markdown", action="store_true", help="write Markdown instead of HTML")
    add_json(kind)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.study import analyse

    described = []
    games: dict[Rules, None] = {}
    folders, rules = directories_of(arguments), rules_of(arguments)
    for path in chosen_paths(arguments):
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
    elif not arguments.markdown:
        from tablebase.study import write_index

        for game in games or [rules]:
            print(write_index(arguments.out, game))
    return 0


def _write(analysis: Any, arguments: argparse.Namespace) -> str:
    from tablebase.study import write_html, write_markdown

    write = write_markdown if arguments.markdown else write_html
    return str(write(analysis, arguments.out))
