"""``tablebase info``: what is in a table, or which tables there are."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tablebase.arguments import add_directory, add_json, new_command, path_of, paths_in
from tablebase.terminal import (
    legal_positions,
    longest_win,
    new_table,
    print_json,
    show,
)
from tablebase.words import moves_in_words, side_in_words


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "show what is in a table, or which tables there are"
    command = new_command(commands, "info", run, text)
    command.add_argument(
        "table", metavar="MATERIAL|FILE", nargs="?", help="default: list all tables"
    )
    add_directory(command)
    add_json(command)


def describe_table(path: Path) -> dict[str, Any]:
    """Return what `info` tells of a file, in types that JSON knows."""
    from tablebase.storage import open_table

    with open_table(path) as file:
        file.check()
        attributes = dict(file.attributes)
        chunks = {"chunk_size": file.chunk_size, "slots": file.size}
    counts = attributes.pop("counts")
    return {
        "material": attributes.pop("material"),
        "path": str(path),
        "bytes": path.stat().st_size,
        **counts,
        **chunks,
        **attributes,
    }


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    if arguments.table is None:
        tables = [describe_table(path) for path in paths_in(arguments.dir)]
        if arguments.json:
            print_json(tables)
        else:
            _show_tables(tables)
        return 0
    description = describe_table(path_of(arguments.table, arguments.dir))
    if arguments.json:
        print_json(description)
    else:
        _show_table(description)
    return 0


def _show_tables(descriptions: Iterable[dict[str, Any]]) -> None:
    from tablebase.geometry import SIDES

    table = new_table("material", "positions", "longest win", "bytes")
    for one in descriptions:
        counts = {"counts": {side: one[side] for side in SIDES}}
        table.add_row(
            one["material"], f"{legal_positions(counts):,}", longest_win(one), f"{one['bytes']:,}"
        )
    show(table)


def _show_table(one: dict[str, Any]) -> None:
    from tablebase.geometry import SIDES

    print(f"{one['material']}  {one['path']}, {one['bytes']:,} bytes")
    print(f"sha256 {one['sha256']}")
    if one["subtables"]:
        print(f"sub-tables {' '.join(one['subtables'])}")
    for where in ("whole board", "inequivalent"):
        table = new_table(where, "win", "draw", "loss", "illegal")
        for side in SIDES:
            counts = one[side] if where == "whole board" else one[side]["inequivalent"]
            figures = (f"{counts[result]:,}" for result in ("win", "draw", "loss", "illegal"))
            table.add_row(side_in_words(side), *figures)
        show(table)
    for side in SIDES:
        for result in ("win", "loss"):
            extreme = one[side][f"longest_{result}"]
            if extreme:
                plies, fen = extreme["plies"], extreme["fen"]
                print(f"longest {result}, {side_in_words(side)}: {moves_in_words(plies)}, {fen}")
