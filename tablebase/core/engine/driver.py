"""The driver of the engine: a material and its sub-tables in, a solved table out.

Pawns are fixed within a *slice*, so a slice is a retrograde problem whose other moves lead to
solved tables or to slices whose pawns stand further on. Slices of equal advance are independent:
small ones go to different threads, a large one is solved by all threads, as is the only slice of a
material without pawns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.engine.games.every_game import game_of
from tablebase.core.engine.needs import needed_positions
from tablebase.core.engine.out.children import choose_layer, make_children, make_found
from tablebase.core.engine.plies.epochs import epoch_count, join_epochs, make_undecided, with_epochs
from tablebase.core.engine.plies.problem import Problem
from tablebase.core.engine.plies.storing import translate_codes
from tablebase.core.engine.requirements import is_solved_by_slices, obstacle
from tablebase.core.engine.running import Runner
from tablebase.core.engine.sets.metric_tables import make_metric_tables
from tablebase.core.engine.sets.planes import make_planes
from tablebase.core.engine.sets.values import claimed_results, has_epochs
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.ground.parallel import as_threads, run_blocks
from tablebase.core.index.numbering import table_index
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.codes import DRAW, EPOCH_PLIES, MAX_EPOCHS
from tablebase.core.outcomes.metrics import DTM, make_outcomes
from tablebase.core.tables.reserved import Reserved
from tablebase.core.tables.table import Table, TablePart, require_subtables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from tablebase.core.engine.running import Progress, Summary
    from tablebase.core.engine.sets.values import FoundValues
    from tablebase.core.outcomes.metrics import Metric
    from tablebase.core.rules.material import Material
    from tablebase.core.tables.table import Outcomes

_CODES_PER_TASK = 1 << 22


def solve(
    material: Material,
    subtables: Mapping[Material, Table | TablePart],
    *,
    if_swapped: Mapping[Material, Table | TablePart] | None = None,
    metric: Metric = DTM,
    threads: int | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Table:
    """Return the solved table of a normalized material that `is_solved_by_slices` is not true of.

    Of `subtables`, one for each of `Material.dependencies`, only `needs.needed_positions` are read.
    Where a move leads to one with the colours exchanged, `if_swapped` counts, of the metric
    `Metric.swapped`; by default it is the same. What `report` raises stops the work.

    Raises `UnsupportedPositionError` for too many men or distances, or if Black is the stronger
    side; `MissingTableError` if a sub-table is missing; `ValueError` if one is of another material.
    """
    threads = as_threads(threads)
    metric = metric.offset_by(material.rules.ply_offset)
    _check_room(material, metric)
    check_material(material, metric, subtables)
    part, reserved = _own_part(material, metric)
    own: list[NDArray[Any]] = [codes for codes in part.codes if codes is not None]
    parts = {**needed_parts(material, subtables, metric), material: part}
    others = parts if if_swapped is None else needed_parts(material, if_swapped, metric)
    problem = make_problem(material, parts, metric, others)
    # A single slice is stored when all its plies are done: until then its codes are spare memory.
    spare = tuple(own) if table_index(material).slices == 1 else ()
    runner = Runner(material, problem, metric, threads, spare)
    # A check leads to a layer with fewer left.
    order = sorted(range(material.layer_count), key=lambda layer: sum(material.checks_of(layer)))
    for number, layer in enumerate(order):
        if material.rules.check_counting:
            _begin_layer(problem.fields, material, parts, order[:number], layer)
        summary = runner.run(problem, _report_of_layer(report, number, len(order)))
        check_summary(material, metric, summary)
    del part, parts, others, runner, spare  # memory may be scarce
    return _finished(material, metric, own, problem.fields, summary.epochs, threads, reserved)


def _begin_layer(
    problem: Problem,
    material: Material,
    parts: Mapping[Material, Table | TablePart],
    solved: Sequence[int],
    layer: int,
) -> None:
    """Point a problem to a layer, which imports results from the `solved` layers."""
    choose_layer(problem.children.fields, material, parts, material.checks_of(layer))
    size, found = table_index(material).layer_size, problem.found.fields
    last_ply = 0
    for color in Color:
        results = {value: max(one, ~one) for one, value in claimed_results(found, color)}
        plies = np.array([results.get(value, 0) for value in problem.value_of_code.tolist()])
        own = parts[material].codes[color]
        for one in solved:
            if own is not None:
                last_ply = max(last_ply, int(plies[own[one * size : (one + 1) * size]].max()))
    problem.last_import[0] = last_ply + 1


def _report_of_layer(
    report: Callable[[Progress], None] | None, number: int, layers: int
) -> Callable[[Progress], None] | None:
    """Return a function that reports progress in one of several layers as progress in all."""
    if report is None or layers == 1:
        return report

    def report_whole(progress: Progress) -> None:
        slices = progress.slices
        done = number * slices + progress.slices_done
        report(progress._replace(slices_done=done, slices=layers * slices))

    return report_whole


def _check_room(material: Material, metric: Metric) -> None:
    """Raise if a material must be solved slice by slice."""
    if not obstacle(material, metric) and is_solved_by_slices(material, metric):
        raise UnsupportedPositionError(
            f"{material} has no room in memory: it is solved slice by slice"
        )


def check_material(
    material: Material, metric: Metric, subtables: Mapping[Material, Table | TablePart]
) -> None:
    """Raise unless a material can be solved with the `subtables`."""
    check_obstacle(material, metric)
    require_subtables(material, subtables)


def check_obstacle(material: Material, metric: Metric) -> None:
    """Raise unless a material can be solved."""
    if message := obstacle(material, metric):
        raise UnsupportedPositionError(message)
    if not material.is_normalized:
        raise UnsupportedPositionError(
            f"{material}: the stronger side is white, ask for {material.normalized()}"
        )


def _own_part(material: Material, metric: Metric) -> tuple[TablePart, list[Reserved]]:
    """Return codes that will be filled whole, and what memory they have with several epochs."""
    size = table_index(material).size
    outcomes = make_outcomes([]) if metric.outcomes is None else metric.outcomes
    if not (material.has_pawns and has_epochs(material, metric)):
        white, black = np.empty(size, dtype=np.uint8), np.empty(size, dtype=np.uint8)
        if material.rules.check_counting:  # slots without a position are read, see `_begin_layer`
            white[:], black[:] = DRAW, DRAW
        return TablePart((white, black), (outcomes, outcomes)), []
    # Most upper bytes stay zero, and their memory is not touched.
    reserved = [Reserved(size, dense=is_low) for is_low in (True, True, False, False)]
    white, black, *epochs = (one.bytes for one in reserved)
    part = TablePart((white, black), (outcomes, outcomes), epochs=(epochs[0], epochs[1]))
    return part, reserved


def needed_parts(
    material: Material, subtables: Mapping[Material, Table | TablePart], metric: Metric
) -> dict[Material, Table | TablePart]:
    """Return the sub-tables that are needed, checked."""
    parts = {}
    for needed, need in needed_positions(material).items():
        parts[needed] = subtables[needed]
        for side in need.sides:
            may_be_long = has_epochs(material, metric)
            _check_codes(needed, side, parts[needed], may_be_long=may_be_long)
    return parts


def _check_codes(
    material: Material, side: Color, part: Table | TablePart, *, may_be_long: bool
) -> None:
    """Raise unless kernels can read a sub-table's codes by their address."""
    codes = part.codes[side]
    if codes is not None and codes.itemsize > 1 and not may_be_long:
        raise UnsupportedPositionError(
            f"moves lead to {material}, which has distances of more than 254 plies"
        )
    size = table_index(material).size
    if isinstance(part, TablePart) and part.places is not None:
        size = int((part.places >= 0).sum()) * table_index(material).king_pairs
    fits = codes is not None and codes.shape == (size,) and codes.dtype in (np.uint8, np.uint16)
    if codes is None or not fits or not codes.flags.c_contiguous:
        raise ValueError(
            f"the sub-table {material} needs {size} codes (uint8 or uint16) "
            f"with {side.name.title()} to move"
        )


def make_problem(
    material: Material,
    parts: Mapping[Material, Table | TablePart],
    metric: Metric,
    if_swapped: Mapping[Material, Table | TablePart] | None = None,
) -> KernelRecord:
    """Return a record of `Problem` for all slices of a material; see `make_children`."""
    index = table_index(material)
    men = material.men[2:]
    slice_pawns = index.numbering.slice_pawns[: index.slices // material.layer_count]
    advance = _advance(material, slice_pawns)
    order = np.argsort(-advance, kind="stable")
    bounds = np.flatnonzero(np.diff(advance[order], prepend=-1, append=-1))
    both_have_pawns = all(PieceType.PAWN in material.of(color) for color in Color)
    is_asked = both_have_pawns and material.rules.royal
    rows = len(slice_pawns) * index.ranks * 64 if is_asked else 0
    game = KernelRecord(game_of(material.rules))
    children = make_children(material, game, parts, metric, if_swapped)
    tables = make_metric_tables(metric)
    if material.rules.check_counting:  # results of other layers may enter in any ply
        tables = tables._replace(skips=0)
    problem = Problem(
        metric=KernelRecord(tables),
        found=KernelRecord(make_found(tables, children.child_codes.fields)),
        game=game,
        law=children.law,
        planes=KernelRecord(make_planes(material)),
        children=KernelRecord(children),
        colors=np.array([color for color, _ in men], dtype=np.int64),
        types=np.array([man for _, man in men], dtype=np.int64),
        pawn_men=index.numbering.pawn_men - 2,
        slice_pawns=slice_pawns,
        slice_order=order.astype(np.int64),
        advance_bounds=bounds.astype(np.int64),
        stalemates=np.zeros((2, rows), dtype=np.uint64),
        epochs=epoch_count(material, metric),
        value_of_code=np.argsort(tables.stored).astype(np.uint8),
        last_import=np.zeros(1, dtype=np.int64),
        undecided=make_undecided(material, metric, index),
    )
    return KernelRecord(problem)


def _advance(material: Material, slice_pawns: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the number of ranks that the pawns of each slice have advanced together."""
    ranks = slice_pawns.astype(np.int64) // 8
    is_white = [color is Color.WHITE for color, man in material.men if man is PieceType.PAWN]
    advance: NDArray[np.int64] = np.where(is_white, ranks - 1, 6 - ranks).sum(axis=1)
    return advance


def check_summary(material: Material, metric: Metric, summary: Summary) -> None:
    """Raise if some distances are too long."""
    counting = material.rules.check_counting
    if not summary.is_finished and (counting or epoch_count(material, metric) > 1):
        most = (1 if counting else MAX_EPOCHS) * EPOCH_PLIES
        raise UnsupportedPositionError(
            f"{material} has distances of {most} plies or more: tables hold shorter ones"
        )


def _finished(
    material: Material,
    metric: Metric,
    codes: list[NDArray[Any]],
    problem: Problem,
    epochs: int,
    threads: int,
    reserved: Sequence[Reserved],
) -> Table:
    """Return the solved table; `codes` of one byte are dropped while two-byte codes are made.

    With pawns they are `reserved`, lower bytes, then upper ones, each with either side to move.
    """
    outcomes = None
    if metric.outcomes is None:
        outcomes = _number_outcomes(
            problem.found.fields, problem.metric.fields.most_claims, (codes[0], codes[1]), threads
        )
    if epochs and reserved:
        codes = [join_epochs(*both) for both in zip(reserved[:2], reserved[2:], strict=True)]
    elif epochs:
        pairs = table_index(material).king_pairs
        for of_side in problem.undecided[:epochs].swapaxes(0, 1):
            codes.append(with_epochs(codes.pop(0), of_side, pairs, threads))
    white, black = codes
    return Table(material, white, black, metric, outcomes or ())  # type: ignore[arg-type]


def _number_outcomes(
    found: FoundValues,
    most_claims: int,
    own: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    threads: int,
) -> Outcomes:
    """Give outcomes their codes: losses, then wins, by plies; return the outcomes by code.

    In which order they were found is up to the threads, and files must not depend on it.
    """
    numbered = []
    for color, codes in zip(Color, own, strict=True):
        results = claimed_results(found, color)
        if found.claimed[color] > most_claims:
            raise UnsupportedPositionError(
                f"more than {most_claims} different distances do not fit in a byte"
            )
        results.sort(key=lambda result: (result[0] > 0, abs(result[0])))
        new = np.full(256, DRAW, dtype=np.uint8)
        for code, (_, old) in enumerate(results):
            new[old] = code

        def renumber(
            block: range, codes: NDArray[np.uint8] = codes, new: NDArray[np.uint8] = new
        ) -> None:
            translate_codes(codes[block.start : block.stop], new)

        run_blocks(renumber, range(len(codes)), _CODES_PER_TASK, threads)
        numbered.append(make_outcomes([outcome for outcome, _ in results]))
    return numbered[0], numbered[1]
