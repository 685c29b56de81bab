"""``tablebase info``: list tables, compare them, or show their contents."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tablebase.cli.arguments import Parser, add_json
from tablebase.cli.choice import add_rules, add_tables, choose
from tablebase.cli.commands.verify import each_file, exit_code
from tablebase.cli.terminal import (
    legal_positions,
    longest_win,
    new_table,
    print_json,
    printable,
    show,
)
from tablebase.core.ground.errors import InvalidRulesError, MissingTableError, TablebaseError
from tablebase.core.ground.locations import provided_directory
from tablebase.core.ground.words import moves_in_words, plies_in_words, side_in_words, winner_moves

# Wins include cursed ones, losses blessed ones.
RESULTS = ("win", "cursed_win", "draw", "blessed_loss", "loss", "illegal")
# What ``--sort`` compares, with the headings on a terminal.
MATERIAL, ZUGZWANGS = "material", "zugzwangs"
COLUMNS = {
    MATERIAL: "table",
    "men": "men",
    "positions": "positions",
    "white_win": "White wins",
    "draw": "draw",
    "black_win": "Black wins",
    "white_cursed": "White cursed",
    "black_cursed": "Black cursed",
    "longest_white_plies": "White longest",
    "longest_black_plies": "Black longest",
    "longest_white_dtz": "White DTZ",
    "longest_black_dtz": "Black DTZ",
    ZUGZWANGS: ZUGZWANGS,
    "bytes": "bytes",
}
# A terminal shows these only if they are sorted by, and cursed wins also if there are any.
_CURSED = {"white_cursed", "black_cursed"}
_ASIDE = {"men", "longest_white_dtz", "longest_black_dtz", ZUGZWANGS, *_CURSED}


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "": "list all tables",
        "KRK KQKR": "show the contents of two tables",
        "KRK --json": "JSON with all distances, for programs",
        "--sort longest_white_plies": "compare all tables, the longest wins first",
        "--sort white_cursed --json": "JSON, most cursed wins first",
        "--sort zugzwangs --csv": "CSV with mutual zugzwangs",
        "--sums > sums": "SHA-256 of the values, for `verify --sums`",
    }
    command.set_up(run, examples, "reading table files")
    add_tables(command)
    add_rules(command)
    command.add_argument(
        "--sort",
        metavar="COLUMN",
        choices=tuple(COLUMNS),
        help=f"compare tables, sorted by one of {', '.join(COLUMNS)}: largest first, materials "
        "from A to Z; zugzwangs are counted only then, which takes up to a second for a million "
        "positions",
    )
    form = command.add_mutually_exclusive_group()
    add_json(form)
    form.add_argument(
        "--csv", action="store_true", help="print the comparison as CSV with distances in plies"
    )
    form.add_argument(
        "--sums", action="store_true", help="print the SHA-256 of each table's values"
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    if arguments.sort or arguments.csv:
        return _compare(arguments)
    from tablebase.core.ground.seams import kinds_of_files
    from tablebase.core.reading.folders import other_files

    kinds, choice = kinds_of_files(), choose(arguments)
    listed = [] if choice.names else other_files(choice.directories)
    try:
        chosen = choice.paths
    except MissingTableError:
        if not listed:
            raise
        chosen = []

    def describe(path: Path) -> dict[str, Any]:
        kind = kinds.get(path.suffix)
        return kind.describe(path) if kind else describe_table(path)

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
        told = tables + (others if choice.names else [])
        if told or not choice.names:
            print_json(told[0] if len(choice.names) == 1 else told)
    elif not choice.names:
        if tables:
            _show_tables(tables)
        show_others()
    else:
        for number, table in enumerate(tables):
            if number:
                print()
            _show_table(table)
        show_others()
    return exit_code((), unchecked=sum(one is None for _, one in described))


def _compare(arguments: argparse.Namespace) -> int:
    """Print tables side by side, one row for each."""
    from tablebase.core.ground.seams import load_measure

    if arguments.sums:
        raise TablebaseError("--sums compares nothing: leave --sort out")
    sorted_by = arguments.sort or MATERIAL
    paths = choose(arguments).paths
    rows = []
    zugzwangs_in = load_measure(ZUGZWANGS) if sorted_by == ZUGZWANGS else None
    for path, described, _ in each_file(paths, describe_table):
        if described is not None:
            rows.append(row_of(described))
            if zugzwangs_in is not None:
                rows[-1][ZUGZWANGS] = zugzwangs_in(path)
    rows.sort(key=lambda row: (row["men"], row[MATERIAL]))
    if sorted_by != MATERIAL:
        rows.sort(key=lambda row: -1 if row[sorted_by] is None else row[sorted_by], reverse=True)
    if arguments.json:
        print_json(rows)
    elif arguments.csv:
        writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    elif rows:
        _show_comparison(rows, sorted_by)
    return exit_code((), unchecked=len(paths) - len(rows))


def describe_table(path: Path) -> dict[str, Any]:
    """Return the contents of a table file as JSON types."""
    from tablebase.core.storage.reading import open_table

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
        "provided": path.parent == provided_directory(),
        **counts,
        **chunks,
        **attributes,
    }


def row_of(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a table, by `describe_table`, in a comparison as JSON types.

    By `COLUMNS` it has inequivalent legal positions of both sides to move together, wins with
    cursed ones, and distances in plies, 0 without a win. What the file lacks is None, as are
    zugzwangs.
    """
    from tablebase.core.board.geometry import SIDES

    white, black = (described[side]["inequivalent"] for side in SIDES)
    results = {
        "white_win": white["win"] + black["loss"],
        "draw": white["draw"] + black["draw"],
        "black_win": white["loss"] + black["win"],
    }
    known = "dtz" in described["metrics"]
    cursed = {
        "white_cursed": white["cursed_win"] + black["blessed_loss"] if known else None,
        "black_cursed": white["blessed_loss"] + black["cursed_win"] if known else None,
    }
    longest = {
        f"longest_{name}_{unit}": max(map(int, side[f"{metric}_histogram"]["win"]), default=0)
        if metric in described["metrics"]
        else None
        for metric, unit in (("dtm", "plies"), ("dtz", "dtz"))
        for name, side in (("white", white), ("black", black))
    }
    return {
        MATERIAL: described["material"],
        "men": len(described["material"]),
        "positions": sum(results.values()),
        **results,
        **cursed,
        **longest,
        ZUGZWANGS: None,
        "bytes": described["bytes"],
    }


def _show_comparison(rows: Sequence[dict[str, Any]], sorted_by: str) -> None:
    hidden = _ASIDE - {sorted_by} - {name for name in _CURSED if any(row[name] for row in rows)}
    shown = [name for name in COLUMNS if name not in hidden]
    table = new_table(*(COLUMNS[name] for name in shown))
    table.collapse_padding, table.pad_edge = True, False  # all columns within 80 characters
    for row in rows:
        table.add_row(*(_cell(name, row) for name in shown))
    show(table)
    print("Positions include both sides to move; symmetric ones are counted once.")
    print("The longest wins are in moves.")
    if _CURSED - hidden:
        print("Wins include cursed wins, which the 50-move rule turns into draws.")


def _cell(name: str, row: Mapping[str, Any]) -> str:
    value = row[name]
    if value is None:
        return "?"
    if name in {"white_win", "draw", "black_win"}:
        return f"{value / row['positions']:.1%}"
    if name.endswith("_plies"):
        return str(winner_moves(value)) if value else "never"
    return value if isinstance(value, str) else f"{value:,}"


def _print_sums(descriptions: Sequence[dict[str, Any]]) -> None:
    from tablebase.core.checking.sums import format_sums
    from tablebase.core.outcomes.metrics import DISTANCES
    from tablebase.core.rules.material import Material

    for one in descriptions:
        if "rules_name" in one:
            raise InvalidRulesError(
                f"--sums lists tables of chess, not of {printable(one['rules_name'])}: "
                "`tablebase info --json` also has their SHA-256"
            )
    sums = (
        (Material.from_name(one["material"]), metric, one[f"{metric.prefix}sha256"])
        for one in descriptions
        for metric in DISTANCES
        if f"{metric.prefix}sha256" in one
    )
    print(format_sums(sums), end="")


def _show_tables(descriptions: Sequence[dict[str, Any]]) -> None:
    from tablebase.core.board.geometry import SIDES

    table = new_table("material", "positions", "longest win", "bytes")
    for one in descriptions:
        counts = {side: one[side] for side in SIDES}
        positions = f"{legal_positions(counts):,}"
        table.add_row(one["material"], positions, longest_win(counts), f"{one['bytes']:,}")
    show(table)
    if provided := [one["material"] for one in descriptions if one["provided"]]:
        print(f"{', '.join(provided)}: came with the program")


def _show_table(one: dict[str, Any]) -> None:
    from tablebase.core.board.geometry import SIDES
    from tablebase.core.outcomes.metrics import HELPMATES, METRICS

    metrics = [metric for metric in METRICS if metric.name in one["metrics"]]
    game = f" of {printable(one['rules_name'])}" if "rules_name" in one else ""
    origin = ", came with the program" * one["provided"]
    print(f"{one['material']}{game}  {printable(one['path'])}, {one['bytes']:,} bytes{origin}")
    for metric in metrics:
        print(f"{metric.title} ({metric.name.upper()}): sha256 {one[f'{metric.prefix}sha256']}")
    for metric in HELPMATES:
        if digest := one.get(f"{metric.prefix}sha256"):
            print(f"{metric.title}: sha256 {digest}")
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
