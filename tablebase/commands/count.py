"""``tablebase count``: the positions of materials, with and without symmetry."""

from __future__ import annotations

import argparse
from typing import Any

from tablebase.arguments import add_json, new_command
from tablebase.terminal import new_table, print_json, show


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "count the positions of materials, with and without symmetry"
    command = new_command(commands, "count", run, text)
    command.add_argument("materials", metavar="MATERIAL", nargs="+", help="like KRK or KRvKN")
    add_json(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.counting import count_positions
    from tablebase.material import Material

    materials = [Material.from_name(name) for name in arguments.materials]
    counted = [count_positions(material) for material in materials]
    if arguments.json:
        print_json([counts.as_dict() for counts in counted])
        return 0
    table = new_table("material", "positions", "all", "inequivalent", left=2)
    for counts in counted:
        for name, text in (
            ("all_placements", "placements"),
            ("legal_white_to_move", "legal, White to move"),
            ("legal_black_to_move", "legal, Black to move"),
        ):
            one = getattr(counts, name)
            shown = counts.material.name if name == "all_placements" else ""
            table.add_row(shown, text, f"{one.placements:,}", f"{one.inequivalent:,}")
        for name, number in counts.as_dict()["formula_fixed"].items():
            if number:
                table.add_row("", f"fixed by {name}", f"{number:,}")
        verdict = "agrees" if counts.agrees else "DIFFERS"
        mean = f"mean over {len(counts.formula_fixed)} symmetries (Burnside)"
        table.add_row("", mean, verdict, f"{counts.burnside:,.0f}", end_section=True)
    show(table)
    return 0
