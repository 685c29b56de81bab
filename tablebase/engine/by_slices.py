"""The driver for tables that have no room in memory: slices are solved, handed on and forgotten.

A slice needs values of the slices that one push of a pawn leads to, with the other side to move.
They stay until the last slice that needs them is solved.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.board import DTM, Color, PieceType
from tablebase.engine.children import make_children
from tablebase.engine.running import Progress, Runner
from tablebase.engine.solver import check_material, make_problem, needed_parts
from tablebase.errors import UnsupportedPositionError
from tablebase.index import FIRST_PAWN_SQUARE, PAWN_BASE, SLICE_SHIFT, table_index
from tablebase.jit import KernelRecord
from tablebase.tables import TablePart, fixed_outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tablebase.board import Material
    from tablebase.engine.slices import Problem
    from tablebase.tables import Reserved, Table

# Up to so many men no distance is longer than 254 plies.
_SHORT_MEN = 5
_START_RANK = {Color.WHITE: 1, Color.BLACK: 6}


class Push(NamedTuple):
    """A move of a pawn within a table."""

    slice_number: int  # that it leads to
    to_move: Color  # then


def pushes(material: Material) -> list[set[Push]]:
    """Return, by slice, where pushes of its pawns lead to."""
    tables = table_index(material).tables
    colors = [color for color, man in material.men if man is PieceType.PAWN]
    weights = PAWN_BASE ** np.arange(len(colors))

    def of_slice(squares: list[int]) -> Iterator[Push]:
        for pawn, (square, color) in enumerate(zip(squares, colors, strict=True)):
            step = 8 if color is Color.WHITE else -8
            for times in (1, 2) if square >> 3 == _START_RANK[color] else (1,):
                target = square + times * step
                if target in squares or not 0 < target >> 3 < 7:
                    break
                after = np.array(squares)
                after[pawn] = target
                entry = tables.slice_of[(after - FIRST_PAWN_SQUARE) @ weights]
                yield Push(int(entry) >> SLICE_SHIFT, color.opponent)

    return [set(of_slice(squares)) for squares in tables.slice_pawns.tolist()]


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


def _last_uses(leads_to: list[set[Push]], order: list[int]) -> dict[Push, int]:
    """Return the place in the order after which a side of a slice is needed no more."""
    place = {number: at for at, number in enumerate(order)}
    last = {Push(number, color): place[number] for number in order for color in Color}
    for number in order:
        for push in leads_to[number]:
            last[push] = max(last[push], place[number])
    return last


class _Slices:
    """The slices of a material, solved one by one by the same threads."""

    def __init__(self, material: Material, own: TablePart, threads: int) -> None:
        self._material, self._own, self._threads = material, own, threads
        self._fields: Problem | None = None
        self._runner: Runner | None = None

    def solve(
        self,
        number: int,
        subtables: Mapping[Material, Table | TablePart],
        report: Callable[[Progress], None],
        *,
        measured: bool,
    ) -> None:
        """Solve a slice."""
        material = self._material
        check_material(material, DTM, subtables)
        parts = {**needed_parts(material, subtables), material: self._own}
        if self._fields is None or self._runner is None:
            problem = make_problem(material, parts, DTM)
            self._fields = problem.fields
            self._runner = Runner(problem, DTM, self._threads)
        children, rules = make_children(material, parts, DTM)
        of_slice = self._fields._replace(
            rules=KernelRecord(rules),
            children=KernelRecord(children),
            slice_order=np.array([number], dtype=np.int64),
            level_bounds=np.array([0, 1], dtype=np.int64),
        )
        outcome = self._runner.run(KernelRecord(of_slice), report, measured=measured)
        if not outcome.is_finished and material.piece_count > _SHORT_MEN:
            raise UnsupportedPositionError(
                f"{material} has distances of 254 plies or more, "
                "which are not yet found in tables with pawns"
            )

    @property
    def shares(self) -> dict[str, float]:
        """The share of the threads' time by part of the work."""
        return {} if self._runner is None else self._runner.shares


def solve_by_slices(
    material: Material,
    subtables: Callable[[int], Mapping[Material, Table | TablePart]],
    codes: tuple[Reserved, Reserved],
    take: Callable[[range], None],
    *,
    threads: int | None = None,
    report: Callable[[Progress], None] | None = None,
    profile: dict[str, float] | None = None,
) -> None:
    """Solve the distances to mate of a material with pawns slice by slice.

    Parameters
    ----------
    material
        A normalized material with pawns.
    subtables
        Called for every slice; returns its sub-tables, as for `solve`.
    codes
        Where the codes are written, with White and with Black to move. Those of a slice are there
        until the last slice that needs them is solved, then their memory is given back.
    take
        Called for every slice when it is solved, with its slots.
    threads, report, profile
        As for `solve`.

    Raises
    ------
    UnsupportedPositionError
        If the material has too many men or distances, or its stronger side is black.
    MissingTableError
        If a sub-table is missing.
    ValueError
        If the codes of a sub-table are not those of its material.
    """
    index = table_index(material)
    own = TablePart((codes[0].bytes, codes[1].bytes), fixed_outcomes(DTM))
    slices = _Slices(material, own, threads or os.cpu_count() or 1)
    leads_to = pushes(material)
    order = slice_order(leads_to)
    last_uses = _last_uses(leads_to, order)
    size = index.size // index.slices
    for place, number in enumerate(order):

        def tell(progress: Progress, done: int = place) -> None:
            if report is not None:
                report(Progress(done + progress.slices_done, index.slices, progress.ply))

        slices.solve(number, subtables(number), tell, measured=profile is not None)
        take(range(number * size, (number + 1) * size))
        for (done, to_move), last in last_uses.items():
            if last == place:
                codes[to_move].release(done * size, (done + 1) * size)
    if profile is not None:
        profile.update(slices.shares)
