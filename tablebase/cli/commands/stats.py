"""``tablebase stats``: compare all tables in one sorted table."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

from tablebase.cli.arguments import (
    Parser,
    add_directory,
    add_json,
    add_rules,
    add_threads,
    directories_of,
)
from tablebase.cli.chosen import paths_in, rules_of
from tablebase.cli.terminal import new_table, print_json, show
from tablebase.core.errors import TablebaseError
from tablebase.core.words import winner_moves

# Names for ``--sort``, with the headings on a terminal.
COLUMNS = {
    "material": "table",
    "men": "men",
    "positions": "positions",
    "white_win": "White wins",
    "draw": "draw",
    "black_win": "Black wins",
    "white_cursed": "White cursed",
    "black_cursed": "Black cursed",
    "longest_white_plies": "White mates in",
    "longest_black_plies": "Black mates in",
    "longest_white_dtz": "White DTZ",
    "longest_black_dtz": "Black DTZ",
    "zugzwangs": "zugzwangs",
    "bytes": "bytes",
}
# A terminal shows these only if they are sorted by, and cursed wins also if there are any.
_CURSED = {"white_cursed", "black_cursed"}
_ASIDE = {"men", "longest_white_dtz", "longest_black_dtz", *_CURSED}


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "": "all tables, simple ones first",
        "--sort longest_white_plies": "the longest wins first",
        "--sort white_cursed": "most cursed wins first",
        "--zugzwangs --csv": "CSV with mutual zugzwangs",
    }
    command.set_up(run, examples)
    add_directory(command)
    add_rules(command)
    command.add_argument(
        "--sort",
        metavar="COLUMN",
        choices=tuple(COLUMNS),
        default="material",
        help=f"sort by one of {', '.join(COLUMNS)}: largest first, materials from A to Z (default: "
        "%(default)s)",
    )
    command.add_argument(
        "--zugzwangs",
        action="store_true",
        help="also count mutual zugzwangs, which takes up to a second for a million positions",
    )
    add_threads(command)
    kind = command.add_mutually_exclusive_group()
    kind.add_argument("--csv", action="store_true", help="print CSV with distances in plies")
    add_json(kind)


def describe(path: Path, *, zugzwangs: bool = False, threads: int | None = None) -> dict[str, Any]:
    """Return the row of a table as JSON types.

    Parameters
    ----------
    path
        A table file.
    zugzwangs
        Whether to count mutual zugzwangs; otherwise they are None.
    threads
        How many threads to use; by default one for each processor.

    Returns
    -------
    dict
        By the names of `COLUMNS`: numbers of inequivalent legal positions of both sides to move
        together, and distances in plies, 0 if there is no win. Wins include cursed wins. Values of
        a metric that the file lacks are None.
    """
    from tablebase.core.board import SIDES
    from tablebase.core.outcomes import DTM, DTZ
    from tablebase.core.storage import open_table

    with open_table(path) as file:
        counts, material, metrics = file.counts, file.material, file.metrics
    white, black = (counts[side]["inequivalent"] for side in SIDES)
    results = {
        "white_win": white["win"] + black["loss"],
        "draw": white["draw"] + black["draw"],
        "black_win": white["loss"] + black["win"],
    }
    known = DTZ in metrics
    cursed = {
        "white_cursed": white["cursed_win"] + black["blessed_loss"] if known else None,
        "black_cursed": white["blessed_loss"] + black["cursed_win"] if known else None,
    }
    longest = {
        f"longest_{name}_{unit}": max(map(int, side[f"{metric}_histogram"]["win"]), default=0)
        if metric in metrics
        else None
        for metric, unit in ((DTM, "plies"), (DTZ, "dtz"))
        for name, side in (("white", white), ("black", black))
    }
    return {
        "material": material.name,
        "men": material.piece_count,
        "positions": sum(results.values()),
        **results,
        **cursed,
        **longest,
        "zugzwangs": _count_zugzwangs(path, threads) if zugzwangs else None,
        "bytes": path.stat().st_size,
    }


def _count_zugzwangs(path: Path, threads: int | None) -> int:
    from tablebase.core.storage import read_table
    from tablebase.study import survey_table

    return len(survey_table(read_table(path, threads=threads), threads=threads).zugzwangs)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    if arguments.sort == "zugzwangs" and not arguments.zugzwangs:
        raise TablebaseError("zugzwangs are not counted: add --zugzwangs to sort by them")
    rows = [
        describe(path, zugzwangs=arguments.zugzwangs, threads=arguments.threads)
        for path in paths_in(directories_of(arguments), rules_of(arguments))
    ]
    rows.sort(key=lambda row: (row["men"], row["material"]))
    if arguments.sort != "material":
        known = [row for row in rows if row[arguments.sort] is not None]
        known.sort(key=lambda row: row[arguments.sort], reverse=True)
        rows = known + [row for row in rows if row[arguments.sort] is None]
    if arguments.json:
        print_json(rows)
    elif arguments.csv:
        writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        _show(rows, arguments.sort, zugzwangs=arguments.zugzwangs)
    return 0


def _show(rows: list[dict[str, Any]], sorted_by: str, *, zugzwangs: bool) -> None:
    hidden = _ASIDE - {sorted_by} - {name for name in _CURSED if any(row[name] for row in rows)}
    if not zugzwangs:
        hidden = hidden | {"zugzwangs"}
    shown = [name for name in COLUMNS if name not in hidden]
    table = new_table(*(COLUMNS[name] for name in shown))
    table.collapse_padding, table.pad_edge = True, False  # all columns within 80 characters
    for row in rows:
        table.add_row(*(_cell(name, row) for name in shown))
    show(table)
    print("Positions include both sides to move; symmetric ones are counted once.")
    print("Mates are the longest ones, in moves.")
    if _CURSED - hidden:
        print("Wins include cursed wins, which the 50-move rule turns into draws.")


def _cell(name: str, row: dict[str, Any]) -> str:
    value = row[name]
    if value is None:
        return "?"
    if name in {"white_win", "draw", "black_win"}:
        return f"{value / row['positions']:.1%}"
    if name.endswith("_plies"):
        return str(winner_moves(value)) if value else "never"
    return value if isinstance(value, str) else f"{value:,}"
