"""Find which positions no sequence of moves tells apart, beside those that a symmetry joins.

Usage::

    python examples/bisimulation.py [GAME MATERIAL ...]

A line of JSON for each material has, with White and with Black to move, the positions up to the
symmetries of the board, and the classes that are left if positions are told apart by the *sets* of
classes that moves lead to, or by the *numbers* of moves to each; and what positions share their
class by the first definition.

Two positions are the same for the game if the same side is to move and their moves lead to
positions that are the same. Every symmetry that anyone could find lies inside this relation, which
is found by partition refinement over all positions of a material and of what it leads to.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.building.generator import generate
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.index.legality import is_counted, mark_slots
from tablebase.core.index.numbering import table_index
from tablebase.core.moves.legal_moves import Moves, iter_moves
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.table_names import table_path
from tablebase.core.tables.table import Table

DEAD = -1
_Numbers = dict[Material, NDArray[np.int32]]  # [2, slots] of positions by side, -1 for none
_Edges = tuple[NDArray[np.int32], NDArray[np.int32]]


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


class MoveGraph(NamedTuple):
    """The positions of a material and of all that it leads to, up to symmetry, with their moves."""

    ends: NDArray[np.int64]  # [n] side to move; without moves 2 * code + 2 more; or DEAD
    parent: NDArray[np.int32]  # [moves] the position before a move
    child: NDArray[np.int32]  # [moves] the position after it
    nodes: tuple[NDArray[np.int32], NDArray[np.int32]]  # the material's own, by side to move


def move_graph(material: Material, tables: Mapping[Material, Table]) -> MoveGraph:
    """Return the graph of the moves of a material.

    Parameters
    ----------
    material
        White's men, of which at most one is a pawn, against a bare king, in any game in which kings
        are royal.
    tables
        The table of the material, and of all that captures and promotions lead to in the end; they
        tell how positions without moves end. Two bare kings that a capture leaves are dead, one
        position whichever side is to move.

    Returns
    -------
    MoveGraph
        Each position in the one image that its table holds.

    Raises
    ------
    ValueError
        If Black has more than its king, or White has several pawns.
    """
    if material.black or material.pawn_count > 1:
        raise ValueError(f"{material}: take a bare king of Black, and one pawn or none")
    numbers: _Numbers = {}
    ends, count = [], 0
    for one, table in tables.items():
        marks = mark_slots(table.index)
        numbers[one] = np.full((2, table.index.size), -1, dtype=np.int32)
        for color in Color:
            slots = np.flatnonzero(is_counted(marks, color))
            numbers[one][color, slots] = count + np.arange(len(slots))
            told = 2 * (table.codes[color][slots].astype(np.int64) + 1) + color
            ends.append(np.full_like(told, DEAD) if one.is_bare and one != material else told)
            count += len(slots)
    parts = [part for table in tables.values() for part in _edges(table, tables, numbers)]
    parent, child = (np.concatenate(column) for column in zip(*parts, strict=True))
    found = np.concatenate(ends)
    alive = found != DEAD
    found[(np.bincount(parent, minlength=count) > 0) & alive] &= 1
    order = np.argsort(parent, kind="stable")
    order = order[alive[parent[order]]]
    white, black = (row[row >= 0] for row in numbers[material])
    return MoveGraph(found, parent[order], child[order], (white, black))


def _edges(table: Table, tables: Mapping[Material, Table], numbers: _Numbers) -> Iterator[_Edges]:
    """Yield for all moves of a table the numbers of the positions before and after them."""
    material = table.material
    for moves in iter_moves(table, {one: tables[one] for one in material.dependencies()}):
        before = numbers[material][0 if moves.white_to_move else 1, moves.slots]
        parents = np.repeat(before, np.diff(moves.starts))
        for chosen, children in _children(material, moves, numbers):
            yield parents[chosen], children


def _children(
    material: Material, moves: Moves, numbers: _Numbers
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    """Yield which moves make each change of the men, and the numbers of what they lead to."""
    side = 0 if moves.white_to_move else 1
    squares, _ = table_index(material).decode_many(moves.slots)
    before = np.repeat(squares, np.diff(moves.starts), axis=0)
    took, moved = before == moves.target[:, None], before == moves.origin[:, None]
    captured = np.where(took.any(axis=1), took.argmax(axis=1), -1)
    after = np.where(moved, moves.target[:, None], before)
    for man, new in {*zip(captured.tolist(), moves.promotion.tolist(), strict=True)}:
        chosen = np.flatnonzero((captured == man) & (moves.promotion == new))
        men = list(material.men)
        if new:  # of the one pawn
            men[moved[chosen[0]].argmax()] = (Color(side), PieceType(new))
        left = [place for place in range(len(men)) if place != man]
        child = Material(tuple(men[p][1] for p in left[2:]), (), material.rules)
        order: list[int] = []
        for wanted in child.men:
            order.append(next(p for p in left if men[p] == wanted and p not in order))
        slots = table_index(child).encode_many(after[chosen][:, order])
        yield chosen, numbers[child][1 - side, slots]


def coarsest_classes(graph: MoveGraph, *, counting: bool) -> tuple[NDArray[np.int64], int]:
    """Return the class of each position in the coarsest relation, and the number of rounds.

    Positions with the same end, or with moves, begin in one class, and as long as moves of one
    class lead to different classes, it is split.

    Parameters
    ----------
    graph
        What `move_graph` returns.
    counting
        Whether it matters how many moves lead to a class, or only whether any does.

    Returns
    -------
    tuple of NDArray and int
        Classes from 0, int64 [n], and how often classes were split. A sum of random words of 64
        bits stands for what moves lead to, so that an unlikely chance could join two classes.
    """
    random = np.random.default_rng(1)
    _, classes = np.unique(graph.ends, return_inverse=True)
    parent, child = graph.parent, graph.child
    count, rounds = int(classes.max()) + 1, 0
    while True:
        words = random.integers(0, 2**64 - 1, (2, count), dtype=np.uint64)
        told, to = parent.astype(np.int64), classes[child]
        if not counting:
            pairs = np.sort(told * count + to)
            told, to = np.divmod(pairs[np.diff(pairs, prepend=-1) != 0], count)
        sums = words[0, classes]
        starts = np.flatnonzero(np.diff(told, prepend=-1))
        sums[told[starts]] += np.add.reduceat(words[1, to], starts)
        _, classes, sizes = np.unique(sums, return_inverse=True, return_counts=True)
        if len(sizes) == count:
            return classes, rounds
        count, rounds = len(sizes), rounds + 1
        shared = sizes[classes[parent]] > 1  # a class of one position cannot be split
        parent, child = parent[shared], child[shared]


if __name__ == "__main__":
    game, *names = sys.argv[1:] or ("chess", "KK", "KNK", "KBK", "KRK", "KQK", "KPK")
    wanted = [Material.from_name(name, built_in_rules()[game]) for name in names]
    with reader_may_leave(), tempfile.TemporaryDirectory() as folder:
        generate(wanted, folder)
        for material in wanted:
            print(json.dumps(measure(material, folder)), flush=True)
