"""All combinations of what files of rules say, and which of them are accepted."""

import hashlib
import itertools
import json
from pathlib import Path

import numpy as np

from tablebase.core.engine.driver import solve
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.rules.material import all_materials, generation_order
from tablebase.core.rules.rule_files import parse_rules

# By combination: the beginning of the rules' digest, and of that of their tables of two men.
ACCEPTED = json.loads((Path(__file__).parents[1] / "data" / "accepted_rules.json").read_text())
_LAST_RANK = "a8 b8 c8 d8 e8 f8 g8 h8"
_SAID = {
    "stalemateValue": ("draw", "loss", "win"),
    "stalematePieceCount": ("false", "true"),
    "mustCapture": ("false", "true"),
    "extinction": ("none", "bare king", "blast", "no men"),
    "checking": ("true", "false"),
    "checkCounting": ("false", "true"),
    "flagRegion": ("-", "d4 e4 d5 e5", _LAST_RANK),
    "flagMove": ("false", "true"),
    "pawn": ("p", "-"),
}
_EXTINCTIONS = {
    "none": [],
    "bare king": [
        "extinctionValue = loss",
        "extinctionClaim = true",
        "extinctionPieceTypes = *",
        "extinctionPieceCount = 1",
        "extinctionOpponentPieceCount = 2",
    ],
    "blast": [
        "blastOnCapture = true",
        "extinctionValue = loss",
        "extinctionPieceTypes = k",
        "extinctionPseudoRoyal = true",
    ],
    "no men": ["extinctionValue = win", "extinctionPieceTypes = *", "king = -", "commoner = k"],
}
COMBINATIONS = [", ".join(values) for values in itertools.product(*_SAID.values())]


def rules_of(combination):
    """Return the rules that a combination says."""
    said = dict(zip(_SAID, combination.split(", "), strict=True))
    lines = ["[mine:chess]", *_EXTINCTIONS[said.pop("extinction")], "flagPiece = k"]
    lines += [f"{key} = {value}" for key, value in said.items()]
    if said["pawn"] == "-":
        lines.append("promotionPieceTypes = -")
    return parse_rules("\n".join(lines))["mine"]


def digest_of_two_men(rules):
    """Return the beginning of the digest of all outcomes of two men, by both metrics."""
    sums = hashlib.sha256()
    for metric in (DTM, DTZ) if rules.distance_tells else (DTZ,):
        tables = {}
        for one in generation_order(all_materials(2, rules)):
            needed = {other: tables[other] for other in one.dependencies()}
            tables[one] = solve(one, needed, metric=metric, threads=1)
            for codes, outcomes in zip(tables[one].codes, tables[one].outcomes, strict=True):
                sums.update(np.ascontiguousarray(outcomes[codes], dtype="<i2").tobytes())
    return sums.hexdigest()[:16]
