"""The conformance suite, whose positions tests of every reader take."""

import json
from pathlib import Path

from scripts.conformance import read

FOLDER = Path(__file__).parents[2] / "data" / "conformance"
LINES = [
    json.loads(line)
    for line in (FOLDER / "positions.jsonl").read_text(encoding="utf-8").splitlines()
]


def without_rights(men):
    """Return FENs that need tables of so many men at most, and no castling set."""
    return [
        line["fen"]
        for line in LINES
        if line["wdl"]
        and (line["men"] <= men or line["legal"] == [])
        and not read(line["fen"], line["kind"]).castling_rights
    ]
