"""The laboratory of games: what its page changes to get the endings of another game.

A *template* is a game with two pieces more than chess has, whose problems have room for any rules
of the page: a goal, and arrays of movement of which none is empty. The page writes the moves of its
own pieces into them. There is a template for each group of symmetries that pieces may keep.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

from tablebase.core.building.problem_files import problem_key, problems_of
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material, all_materials, generation_order
from tablebase.core.rules.rule_files import parse_rules
from tablebase.core.rules.rules import Rules
from tablebase.publish.game_data import numbering_record, rules_record
from tablebase.publish.site import LABORATORY, MODULES

MOST_MEN = 4
_GAME = """
[laboratory:kingofthehill]
customPiece1 = a:{first}
customPiece2 = c:{second}
promotionPieceTypes = acqrbn
nMoveRule = 0
"""
# By what is said of the pieces: they move alike in all directions, or alike to the left and right.
_PIECES = {"all": ("NW3", "N"), "sides": ("fNfW3", "fN")}


def template(symmetry: str) -> Rules:
    """Return the game of the template of a symmetry, ``all`` or ``sides``."""
    first, second = _PIECES[symmetry]
    return parse_rules(_GAME.format(first=first, second=second))["laboratory"]


def materials_of(rules: Rules) -> list[Material]:
    """Return all materials that the page solves, sub-tables before what needs them."""
    return generation_order(all_materials(MOST_MEN, rules))


@cache
def laboratory_files(module: Path) -> Mapping[str, bytes]:
    """Return the files that the page reads, by their addresses; `module` is the engine's."""
    files, templates = {}, {}
    for symmetry in _PIECES:
        rules = template(symmetry)
        materials = materials_of(rules)
        problems = problems_of((one, DTM) for one in materials)
        name = f"{symmetry}-{crc32(problems):08x}.bin"
        files[f"{LABORATORY}/{name}"] = problems
        templates[symmetry] = {
            "problems": name,
            "endings": [problem_key(one, DTM) for one in materials],
            "rules": rules_record(rules),
            "numbering": numbering_record(rules),
        }
    files[f"{MODULES.name}/{module.name}"] = module.read_bytes()
    record: dict[str, Any] = {"module": f"../{MODULES.name}/{module.name}", "templates": templates}
    text = json.dumps(record, separators=(",", ":"))
    return files | {f"{LABORATORY}/templates.json": text.encode()}
