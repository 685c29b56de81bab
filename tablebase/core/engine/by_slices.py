"""The driver for tables that have no room in memory: slices are solved, handed on and forgotten.

A slice needs the slices that one push of a pawn leads to, so they stay until the last slice that
needs them is solved. Large slices, of one pawn, are solved by all threads together; small ones in
batches, each by one thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.core.engine.driver import check_material, check_summary, make_problem, needed_parts
from tablebase.core.engine.out.child_places import OWN
from tablebase.core.engine.out.children import make_children, make_found
from tablebase.core.engine.requirements import batch_size
from tablebase.core.engine.running import Progress, Runner
from tablebase.core.engine.slice_order import pushes, slice_batches, uses_that_end
from tablebase.core.ground.parallel import as_threads
from tablebase.core.index.numbering import table_index
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.tables.reserved import Reserved
from tablebase.core.tables.table import TablePart, fixed_outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tablebase.core.engine.plies.problem import Problem
    from tablebase.core.engine.slice_order import Push
    from tablebase.core.rules.material import Material
    from tablebase.core.tables.table import Table


class _Kept(NamedTuple):
    """What all batches of slices have in common."""

    fields: Problem
    stalemates: Reserved  # memory of the field `stalemates`
    runner: Runner


class _Slices:
    """Slices of a material, solved batch by batch on one set of threads."""

    def __init__(
        self,
        material: Material,
        codes: tuple[Reserved, Reserved],
        epochs: tuple[Reserved, Reserved],
        threads: int,
    ) -> None:
        self._material, self._codes, self._epochs, self._threads = material, codes, epochs, threads
        self._own = TablePart(
            (codes[0].bytes, codes[1].bytes),
            fixed_outcomes(DTM),
            epochs=(epochs[0].bytes, epochs[1].bytes),
        )
        self._kept: _Kept | None = None  # once the first batch has its sub-tables
        self._is_late = 0  # `Codes.late` of the table itself

    def solve(
        self,
        batch: Sequence[int],
        subtables: Mapping[Material, Table | TablePart],
        report: Callable[[Progress], None],
    ) -> None:
        """Solve slices that do not need each other."""
        material = self._material
        check_material(material, DTM, subtables)
        parts = {**needed_parts(material, subtables, DTM), material: self._own}
        if self._kept is None:
            problem = make_problem(material, parts, DTM)
            stalemates = Reserved(problem.fields.stalemates.nbytes)
            lines = stalemates.bytes.view(np.uint64).reshape(2, -1)
            fields = problem.fields._replace(stalemates=lines)
            self._kept = _Kept(fields, stalemates, Runner(material, problem, DTM, self._threads))
        children = make_children(material, self._kept.fields.game, parts, DTM)
        late = children.child_codes.fields.late
        late[OWN] = self._is_late
        metric, codes = self._kept.fields.metric.fields, children.child_codes.fields
        of_batch = self._kept.fields._replace(
            found=KernelRecord(make_found(metric, codes)),
            children=KernelRecord(children),
            slice_order=np.array(batch, dtype=np.int64),
            advance_bounds=np.array([0, len(batch)], dtype=np.int64),
        )
        summary = self._kept.runner.run(KernelRecord(of_batch), report)
        check_summary(material, DTM, summary)
        self._is_late = int(late[OWN])

    def forget(self, ended: Push) -> None:
        """Give back what is kept for a side of a slice."""
        index = table_index(self._material)
        size = index.size // index.slices
        for kept in (self._codes, self._epochs):
            first = ended.slice_number * size
            kept[ended.to_move].release(first, first + size)
        if self._kept is not None:
            slices = len(self._kept.fields.slice_pawns)
            size = self._kept.fields.stalemates.nbytes // (2 * slices)
            first = (ended.to_move * slices + ended.slice_number) * size
            self._kept.stalemates.release(first, first + size)


def solve_by_slices(
    material: Material,
    subtables: Callable[[Sequence[int]], Mapping[Material, Table | TablePart]],
    codes: tuple[Reserved, Reserved],
    take: Callable[[range], None],
    *,
    epochs: tuple[Reserved, Reserved],
    threads: int | None = None,
    report: Callable[[Progress], None] | None = None,
) -> None:
    """Solve the distances to mate of a material with pawns slice by slice; errors as of `solve`.

    `subtables` gives the sub-tables of a batch of slices, `take` gets the slots of each solved
    slice. Its `codes` by side to move, with upper bytes `epochs`, stay until no slice needs them.
    """
    index = table_index(material)
    slices = _Slices(material, codes, epochs, as_threads(threads))
    leads_to = pushes(material)
    batches = slice_batches(leads_to, batch_size(material))
    size = index.size // index.slices
    solved = 0
    for batch, ended in zip(batches, uses_that_end(leads_to, batches), strict=True):

        def tell(progress: Progress, done: int = solved) -> None:
            if report is not None:
                report(Progress(done + progress.slices_done, index.slices, progress.ply))

        slices.solve(batch, subtables(batch), tell)
        for number in batch:
            take(range(number * size, (number + 1) * size))
        for push in ended:
            slices.forget(push)
        solved += len(batch)
