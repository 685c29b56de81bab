"""``tablebase count``: the positions of materials, with and without symmetry."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tablebase.cli.arguments import Parser, add_json, whole_number
from tablebase.cli.choice import add_materials, add_rules, choose
from tablebase.cli.terminal import new_table, print_json, show
from tablebase.core.board.geometry import SIDES

if TYPE_CHECKING:
    from tablebase.count.position_counts import PositionCounts

# What is counted, by its name in `PositionCounts`.
_SETS = {
    "all_placements": "placements",
    "legal_white_to_move": "legal, White to move",
    "legal_black_to_move": "legal, Black to move",
}
# Kinds of rights, in words.
_RIGHTS = {
    "no_right": "without rights",
    "castling": "castling rights",
    "en_passant": "en passant capture",
    "both": "castling rights, en passant capture",
}


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "KRK KPK": "all positions, and those up to symmetry",
        "KRPPKRPP --json": "JSON with the positions of eight pieces, for programs",
        "--men 5": "the positions of all materials of five pieces together",
        "KRPKR --csv": "a row for a spreadsheet",
    }
    command.set_up(run, examples, "counting positions")
    text = "like KRK or KRvKN, up to eight pieces (five in other games)"
    add_materials(command, nargs="*", text=text)
    command.add_argument(
        "--men",
        type=_men,
        metavar="N",
        help="all materials of exactly N pieces together, 2 to 8: each position once for all its "
        "images, by symmetry of the board and by exchange of colours",
    )
    command.add_argument(
        "--as-nulp",
        action="store_true",
        help="count en passant as Kirill Kryukov's NULP does: wherever no pawn stands on the two "
        "squares behind the pawn, whether or not the capture is legal",
    )
    add_rules(command)
    form = command.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print a CSV row for each material")
    add_json(form)
    command.set_defaults(refuse=command.error)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.count.counting import count_all, count_positions

    if bool(arguments.names) == (arguments.men is not None):
        arguments.refuse("name materials, like KRK, or write --men N")
    choice = choose(arguments)
    if arguments.men is not None or arguments.as_nulp:
        choice.refuse_other_games("the numbers of --men and --as-nulp", "leave these options out")
    if arguments.men is not None:
        if arguments.csv:
            arguments.refuse("--men takes --json, not --csv")
        totals = count_all(arguments.men, as_nulp=arguments.as_nulp)
        if arguments.json:
            print_json({"men": arguments.men, **totals, "total": sum(totals.values())})
        else:
            _show_totals(arguments.men, totals)
        return 0
    counted = [
        count_positions(material, as_nulp=arguments.as_nulp) for material in choice.materials
    ]
    if arguments.json:
        print_json([counts.as_dict() for counts in counted])
    elif arguments.csv:
        _print_csv(counted)
    else:
        _show(counted)
    return 0


def _show_totals(men: int, totals: Mapping[str, int]) -> None:
    table = new_table(f"{men} pieces", "positions")
    for kind, number in totals.items():
        table.add_row(_RIGHTS[kind], f"{number:,}", end_section=kind == "both")
    table.add_row("all", f"{sum(totals.values()):,}")
    show(table)


def _print_csv(counted: Sequence[PositionCounts]) -> None:
    rows = []
    for counts in counted:
        row: dict[str, object] = {"material": counts.material.name}
        for name in _SETS:
            row[name] = getattr(counts, name).placements
            row[f"{name}_inequivalent"] = getattr(counts, name).inequivalent
        exchanged = counts.colours_exchanged
        row["colours_exchanged_inequivalent"] = exchanged and exchanged.inequivalent
        for (kind, side), one in counts.rights.items():
            row[f"{kind}_{SIDES[side]}"] = one.placements
            row[f"{kind}_{SIDES[side]}_inequivalent"] = one.inequivalent
        rows.append(row | {"agrees": counts.agrees if counts.is_enumerated else None})
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
        for (kind, side), one in counts.rights.items():
            if one.placements:
                text = f"{_RIGHTS[kind]}, {side.name.capitalize()} to move"
                table.add_row("", text, f"{one.placements:,}", f"{one.inequivalent:,}")
        for name, number in counts.as_dict()["formula_fixed"].items():
            if number:
                table.add_row("", f"fixed by {name}", f"{number:,}")
        verdict = "" if not counts.is_enumerated else "agrees" if counts.agrees else "DIFFERS"
        for formula in counts.formulas:
            size = len(formula.fixed)
            mean = f"mean over {size} {'symmetry' if size == 1 else 'symmetries'} (Burnside)"
            table.add_row("", mean, verdict, f"{formula.burnside:,.0f}")
        if counts.totals:
            total = f"{sum(counts.totals.values()):,}"
            table.add_row("", "all of these, either side to move, colours exchanged", "", total)
        table.add_section()
    show(table)


def _men(text: str) -> int:
    from tablebase.count.counting import MAX_COUNTED_MEN

    number = whole_number(text)
    if not 2 <= number <= MAX_COUNTED_MEN:
        raise argparse.ArgumentTypeError(f"positions have 2 to {MAX_COUNTED_MEN} pieces")
    return number
