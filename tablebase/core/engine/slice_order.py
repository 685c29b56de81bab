"""The order in which slices are solved, which of them together, and how long they stay."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.index.numbering import table_index
from tablebase.core.index.pawns import FIRST_PAWN_SQUARE, PAWN_BASE, SLICE_SHIFT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tablebase.core.rules.material import Material


class Push(NamedTuple):
    """A move of a pawn within a table."""

    slice_number: int  # that it leads to
    to_move: Color  # then


def pushes(material: Material) -> list[set[Push]]:
    """Return, by slice, where pushes of its pawns lead to."""
    tables = table_index(material).numbering
    colors = [color for color, man in material.men if man is PieceType.PAWN]
    weights = PAWN_BASE ** np.arange(len(colors))

    def of_slice(squares: list[int]) -> Iterator[Push]:
        for pawn, (square, color) in enumerate(zip(squares, colors, strict=True)):
            step = 8 if color is Color.WHITE else -8
            for times in (1, 2) if square >> 3 == material.rules.push_ranks[color] else (1,):
                target = square + times * step
                if target in squares or target not in material.rules.pawn_squares[color]:
                    break
                after = np.array(squares)
                after[pawn] = target
                entry = tables.slice_of[(after - FIRST_PAWN_SQUARE) @ weights]
                yield Push(int(entry) >> SLICE_SHIFT, color.opponent)

    return [set(of_slice(squares)) for squares in tables.slice_pawns.tolist()]


def slice_batches(leads_to: list[set[Push]], size: int) -> list[list[int]]:
    """Return batches of up to `size` slices that do not need each other, in the order of solution.

    Of the slices that are ready, those first in `slice_order` are taken: of two pawns, in batches
    of 16, 81 sides to move stay in memory instead of 208.
    """
    place = {number: at for at, number in enumerate(slice_order(leads_to))}
    needed = [{push.slice_number for push in found} for found in leads_to]
    needed_by: list[list[int]] = [[] for _ in leads_to]
    for number, found in enumerate(needed):
        for other in found:
            needed_by[other].append(number)
    missing = [len(found) for found in needed]
    ready = [(place[number], number) for number, count in enumerate(missing) if not count]
    heapq.heapify(ready)
    batches = []
    while ready:
        batch = [heapq.heappop(ready)[1] for _ in range(min(size, len(ready)))]
        for other in (other for number in batch for other in needed_by[number]):
            missing[other] -= 1
            if not missing[other]:
                heapq.heappush(ready, (place[other], other))
        batches.append(batch)
    return batches


def slice_order(leads_to: list[set[Push]]) -> list[int]:
    """Return all slices, each soon after the last one that it needs."""
    order: dict[int, None] = {}

    def visit(number: int) -> None:
        if number not in order:
            for push in sorted(leads_to[number]):
                visit(push.slice_number)
            order[number] = None

    # From pawns that have not moved on: else slices of equal advance would follow one another.
    reached = {push.slice_number for found in leads_to for push in found}
    for number in sorted(range(len(leads_to)), key=lambda one: one in reached):
        visit(number)
    return list(order)


def uses_that_end(leads_to: list[set[Push]], batches: Sequence[Sequence[int]]) -> list[list[Push]]:
    """Return, by batch, which sides of which slices nobody needs any more when it is solved."""
    last: dict[Push, int] = {}
    for at, batch in enumerate(batches):
        for number in batch:
            last |= dict.fromkeys((Push(number, color) for color in Color), at)
            last |= dict.fromkeys(leads_to[number], at)
    ends: list[list[Push]] = [[] for _ in batches]
    for push, at in last.items():
        ends[at].append(push)
    return ends
