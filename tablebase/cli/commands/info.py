"""``tablebase info``: list tables, or show their contents."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tablebase.cli.arguments import Parser, add_json, add_rules, add_tables, directories_of
from tablebase.cli.chosen import chosen_paths
from tablebase.cli.commands.verify import each_file, exit_code
from tablebase.cli.terminal import (
    legal_positions,
    longest_win,
    new_table,
    print_json,
    printable,
    show,
)
from tablebase.core.errors import InvalidRulesError, MissingTableError
from tablebase.core.words import moves_in_words, plies_in_words, side_in_words

# Wins include cursed ones, losses blessed ones.
RESULTS = ("win", "cursed_win", "draw", "blessed_loss", "loss", "illegal")


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "": "list all tables",
        "KRK KQKR": "show the contents of two tables",
        "KRK --json": "JSON with all distances, for programs",
        "--sums > sums": "SHA-256 of the values, for `verify --sums`",
    }
    command.set_up(run, examples)
    add_tables(command)
    add_rules(command)
    form = command.add_mutually_exclusive_group()
    add_json(form)
    form.add_argument(
        "--sums", action="store_true", help="print the SHA-256 of each table's values"
    )


def describe_table(path: Path) -> dict[str, Any]:
    """Return the contents of a table file as JSON types."""
    from tablebase.core.storage import open_table

    with open_table(path) as file:
        file.check()
        attributes = dict(file.attributes)
        chunks = {"chunk_size": file.chunk_size, "slots": file.size}
        counts, metrics = file.counts, file.metrics
    for metric in metrics:
        del attributes[f"{metric.prefix}counts"]
    attributes["metrics"] = [metric.name for metric in metrics]
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
    from tablebase.core.probing import other_files
    from tablebase.core.seams import kinds_of_files

    kinds = kinds_of_files()
    listed = [] if arguments.tables else other_files(directories_of(arguments))
    try:
        chosen = chosen_paths(arguments)
    except MissingTableError:
        if not listed:
            raise
        chosen = []

    def describe(path: Path) -> dict[str, Any]:
        kind = kinds.get(path.suffix)
        described: dict[str, Any] = kind.describe(path) if kind else describe_table(path)
        return described

    def show_others() -> None:
        for suffix, kind in kinds.items():
            if found := [one for path, one in described if one and path.suffix == suffix]:
                kind.show(found)

    described = [(path, one) for path, one, _ in each_file(chosen + listed, describe)]
    others = [one for path, one in described if one and path.suffix in kinds]
    tables = [one for path, one in described if one and path.suffix not in kinds]
    if arguments.sums:
        _print_sums(tables)
    elif arguments.json:
        told = tables + (others if arguments.tables else [])
        if told or not arguments.tables:
            print_json(told[0] if len(arguments.tables) == 1 else told)
    elif not arguments.tables:
        if tables:
            _show_tables(tables)
        show_others()
    else:
        for number, table in enumerate(tables):
            if number:
                print()
            _show_table(table)
        show_others()
    return exit_code(different=0, unchecked=sum(one is None for _, one in described))


def _print_sums(descriptions: Sequence[dict[str, Any]]) -> None:
    from tablebase.core.checking import format_sums
    from tablebase.core.outcomes import METRICS
    from tablebase.core.rules import Material

    for one in descriptions:
        if "rules_name" in one:
            raise InvalidRulesError(
                f"lists of SHA-256 are of chess, not of {printable(one['rules_name'])}: "
                "`tablebase info --json` has them, too"
            )
    sums = (
        (Material.from_name(one["material"]), metric, one[f"{metric.prefix}sha256"])
        for one in descriptions
        for metric in METRICS
        if metric.name in one["metrics"]
    )
    print(format_sums(sums), end="")


def _show_tables(descriptions: Iterable[dict[str, Any]]) -> None:
    from tablebase.core.board import SIDES

    table = new_table("material", "positions", "longest win", "bytes")
    for one in descriptions:
        counts = {side: one[side] for side in SIDES}
        positions = f"{legal_positions(counts):,}"
        table.add_row(one["material"], positions, longest_win(counts), f"{one['bytes']:,}")
    show(table)


def _show_table(one: dict[str, Any]) -> None:
    from tablebase.core.board import SIDES
    from tablebase.core.outcomes import METRICS

    metrics = [metric for metric in METRICS if metric.name in one["metrics"]]
    game = f" of {printable(one['rules_name'])}" if "rules_name" in one else ""
    print(f"{one['material']}{game}  {printable(one['path'])}, {one['bytes']:,} bytes")
    for metric in metrics:
        print(f"{metric.title} ({metric.name.upper()}): sha256 {one[f'{metric.prefix}sha256']}")
    subtables = one[f"{metrics[0].prefix}subtables"]
    if subtables:
        print(f"sub-tables {' '.join(subtables)}")
    results = [name for name in RESULTS if name in one[SIDES[0]]]
    for where in ("whole board", "inequivalent"):
        table = new_table(where, *(name.replace("_", " ") for name in results))
        for side in SIDES:
            counts = one[side] if where == "whole board" else one[side]["inequivalent"]
            figures = (f"{counts[result]:,}" for result in results)
            table.add_row(side_in_words(side), *figures)
        show(table)
    for metric in metrics:
        for side in SIDES:
            for result in ("win", "loss"):
                extreme = one[side][f"{metric.prefix}longest_{result}"]
                if extreme:
                    plies, where = extreme["plies"], side_in_words(side)
                    length = plies_in_words(plies) if metric.prefix else moves_in_words(plies)
                    what = f"longest {metric.prefix.upper().replace('_', ' ')}{result}"
                    print(f"{what}, {where}: {length}, {extreme['fen']}")
