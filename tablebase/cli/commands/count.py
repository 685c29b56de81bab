"""``tablebase count``: the positions of materials, with and without symmetry."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import add_json, add_materials, add_rules, new_command
from tablebase.cli.chosen import read_material, rules_of
from tablebase.cli.terminal import new_table, print_json, show

if TYPE_CHECKING:
    from tablebase.study import PositionCounts

# What is counted, by its name in `PositionCounts`.
_SETS = {
    "all_placements": "placements",
    "legal_white_to_move": "legal, White to move",
    "legal_black_to_move": "legal, Black to move",
}


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "count the positions of materials, with and without symmetry"
    examples = {
        "KRK KPK": "all positions, and those up to symmetry",
        "KRPKR --csv": "a row for a spreadsheet",
    }
    command = new_command(commands, "count", run, text, examples)
    add_materials(command, nargs="+", text="like KRK or KRvKN")
    add_rules(command)
    form = command.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print a CSV row for each material")
    add_json(form)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.study import count_positions

    rules = rules_of(arguments)
    counted = [count_positions(read_material(name, rules)) for name in arguments.materials]
    if arguments.json:
        print_json([counts.as_dict() for counts in counted])
    elif arguments.csv:
        _print_csv(counted)
    else:
        _show(counted)
    return 0


def _print_csv(counted: Sequence[PositionCounts]) -> None:
    rows = []
    for counts in counted:
        row: dict[str, object] = {"material": counts.material.name}
        for name in _SETS:
            row[name] = getattr(counts, name).placements
            row[f"{name}_inequivalent"] = getattr(counts, name).inequivalent
        exchanged = counts.colours_exchanged
        row["colours_exchanged_inequivalent"] = exchanged and exchanged.inequivalent
        rows.append(row | {"agrees": counts.agrees})
    writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _show(counted: Iterable[PositionCounts]) -> None:
    table = new_table("material", "positions", "all", "inequivalent", left=2)
    for counts in counted:
        for name, text in _SETS.items():
            one = getattr(counts, name)
            shown = counts.material.name if name == "all_placements" else ""
            table.add_row(shown, text, f"{one.placements:,}", f"{one.inequivalent:,}")
        for name, number in counts.as_dict()["formula_fixed"].items():
            if number:
                table.add_row("", f"fixed by {name}", f"{number:,}")
        verdict = "agrees" if counts.agrees else "DIFFERS"
        for formula in counts.formulas:
            size = len(formula.fixed)
            mean = f"mean over {size} {'symmetry' if size == 1 else 'symmetries'} (Burnside)"
            table.add_row("", mean, verdict, f"{formula.burnside:,.0f}")
        table.add_section()
    show(table)
