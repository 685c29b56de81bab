"""``tablebase mcp``: exact answers for language models, over standard input and output."""

from __future__ import annotations

import argparse

from tablebase.cli.arguments import Parser
from tablebase.cli.choice import add_directory, choose
from tablebase.core.ground.extras import PACKAGES, require_packages


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "": "answer a program that starts this command as its MCP server",
        "--dir ~/tables": "from the tables of this folder",
    }
    command.set_up(run, examples, game="a tool's argument names the game")
    add_directory(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    require_packages("the MCP server needs", *PACKAGES["mcp"])
    from tablebase.mcp.tools import make_server

    choice = choose(arguments)
    if not any(folder.is_dir() for folder in choice.directories):
        _ = choice.tables  # says that there is no folder
    with choice.open_tables() as tables:
        make_server(tables).run()
    return 0
