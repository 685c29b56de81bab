"""The conformance suite, whose positions tests of every reader take."""

import json
from pathlib import Path

from support.examples import example
from support.waiting import PATIENCE

from scripts.conformance import read

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "data" / "conformance"
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


def program():
    """Return ``examples/conformance.py`` as a module, which waits for answers as tests do."""
    module = example("conformance")
    module.PATIENCE = PATIENCE
    return module
