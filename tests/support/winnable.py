"""Positions with who can still mate, from two suites for adjudicators."""

import csv
from pathlib import Path

WINNABLE = Path(__file__).parents[1] / "data" / "winnable.tsv"


def read_winnable():
    """Return FENs with the sides that can mate, as pairs of bool, White's first."""
    with WINNABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    found = []
    for row in rows:
        fields = [*row["fen"].split(), "-", "-"][:4]  # one row ends after the side to move
        found.append((" ".join([*fields, "0", "1"]), tuple(one != "-" for one in row["can_mate"])))
    return found
