"""Find which positions no sequence of moves tells apart, beside those that a symmetry joins.

Usage::

    python examples/bisimulation.py [GAME MATERIAL ...]

A line of JSON for each material has, with White and with Black to move, the positions up to the
symmetries of the board, and the classes that are left if positions are told apart by the *sets* of
classes that moves lead to, or by the *numbers* of moves to each; and what positions share their
class by the first definition. `tablebase.count.bisimulation` says more.
"""

from __future__ import annotations

import json
import sys
import tempfile
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.building.generator import generate
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.index.legality import is_counted, mark_slots
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.table_names import table_path
from tablebase.count.bisimulation import DEAD, MoveGraph, coarsest_classes, move_graph


def measure(material: Material, folder: str) -> dict[str, Any]:
    """Return how many positions and classes a material has, whose tables are in a folder."""
    tables = {one: read_table(table_path(folder, one)) for one in closure(material)}
    graph, marks = move_graph(material, tables), mark_slots(tables[material].index)
    by_set, by_number = (coarsest_classes(graph, counting=one) for one in (False, True))
    return {
        "game": material.rules.name,
        "material": material.name,
        "rounds": [by_set[1], by_number[1]],
        "positions": [
            inequivalent(material, tables[material].index.decode_many(slots)[0])
            for slots in (np.flatnonzero(is_counted(marks, color)) for color in Color)
        ],
        "sets": [len(np.unique(by_set[0][nodes])) for nodes in graph.nodes],
        "numbers": [len(np.unique(by_number[0][nodes])) for nodes in graph.nodes],
        "joined": [joined(graph, by_set[0], nodes) for nodes in graph.nodes],
    }


def closure(material: Material) -> set[Material]:
    """Return a material and all that captures and promotions lead to in the end."""
    return {material}.union(*map(closure, material.dependencies()))


def inequivalent(material: Material, squares: NDArray[np.uint8]) -> int:
    """Return how many positions are left if the symmetries of a square board join their images.

    The index of a small board does not know all of them. With pawns only the mirror is one.
    """
    edge, smallest = material.rules.board.files - 1, np.full(len(squares), 1 << 60)
    for mirrored, flipped, turned in product((False, True), repeat=3):
        if material.has_pawns and (flipped or turned):
            continue
        x, y = squares % 8, squares // 8
        x, y = edge - x if mirrored else x, edge - y if flipped else y
        image = (x * 8 + y if turned else y * 8 + x).astype(np.int64)
        start = 2
        for _, _, size in material.groups:
            image[:, start : start + size].sort(axis=1)
            start += size
        smallest = np.minimum(smallest, image @ 64 ** np.arange(image.shape[1]))
    return len(np.unique(smallest))


def joined(graph: MoveGraph, classes: NDArray[Any], nodes: NDArray[Any]) -> dict[str, int]:
    """Return how many positions share their class with others, by what they are."""
    _, place, sizes = np.unique(classes[nodes], return_inverse=True, return_counts=True)
    shared, count = nodes[sizes[place] > 1], len(graph.ends)
    moves = np.bincount(graph.parent, minlength=count)[shared]
    dead = np.bincount(graph.parent[graph.ends[graph.child] == DEAD], minlength=count)[shared]
    drawn = graph.ends[shared] >> 1 == DRAW + 1
    kinds = {
        "checkmate": (moves == 0) & ~drawn,
        "stalemate": (moves == 0) & drawn,
        "must take": (moves > 0) & (dead == moves),
        "other": dead < moves,
    }
    return {kind: int(those.sum()) for kind, those in kinds.items()}


if __name__ == "__main__":
    game, *names = sys.argv[1:] or ("chess", "KK", "KNK", "KBK", "KRK", "KQK", "KPK")
    wanted = [Material.from_name(name, built_in_rules()[game]) for name in names]
    with reader_may_leave(), tempfile.TemporaryDirectory() as folder:
        generate(wanted, folder)
        for material in wanted:
            print(json.dumps(measure(material, folder)), flush=True)
