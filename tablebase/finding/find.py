"""Positions of a table by conditions: which to take, and in which order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.ground.locations import folders_of
from tablebase.core.outcomes.metrics import DTZ
from tablebase.core.positions.any_position import position_of
from tablebase.core.reading.given import as_material
from tablebase.core.rules.material import Material
from tablebase.core.storage.subtables import read_subtables
from tablebase.core.tables.table import Table
from tablebase.finding.choices import DIFFICULTY, INDEX, SHORTEST
from tablebase.finding.conditions import ConditionArguments, Conditions, conditions_for
from tablebase.finding.dataset import TableData, load_first
from tablebase.finding.positions import Positions
from tablebase.finding.scan import DRAWN_PLIES, Matches, Search
from tablebase.practice.mistakes import MistakeCounter
from tablebase.practice.sight import SIGHT

# Values of a side that pages look through: all tables of up to four men.
MOST_VALUES = 2**23
# Positions that are given out at once.
_BLOCK = 1 << 16
_COUNTED_AT_ONCE = 64  # solutions take a thousand probes and more to count
_BEHIND = 1 << 14  # where draws come in an order by distance


def hardest_positions(
    material: Material, directories: Sequence[Path], number: int, *, threads: int | None = None
) -> dict[tuple[bool, str], Positions]:
    """Return up to `number` positions that are hardest to win and to hold, hardest first.

    They are by side to move (True for White) and result (``win`` or ``draw``), with a hidden
    mistake each. Errors are those of `find`.
    """
    data = load_first(material, directories)
    mistakes = mistake_counter(data, directories, threads)
    found = {}
    for turn in (True,) if material.is_symmetric else (True, False):
        for result in ("win", "draw"):
            asked = Conditions(turn=turn, result=result, order=DIFFICULTY, limit=number)
            search = Search(data.table, data.zeroing, asked, None, mistakes)
            hardest = gathered(search.matches(threads), asked)
            found[turn, result] = search.positions_of(hardest.at(hardest.difficulties > 0))
    return found


def mistake_counter(
    data: TableData, directories: Sequence[Path], threads: int | None
) -> MistakeCounter:
    """Return the counter of a table's hidden mistakes."""
    if data.zeroing is None:
        raise MissingTableError.of([data.material], directories, metric=DTZ.name)
    there = [directory for directory in directories if directory.is_dir()]
    return MistakeCounter(data.zeroing, partial(_to_zeroing, there), sight=SIGHT, threads=threads)


def _to_zeroing(directories: Sequence[Path], material: Material) -> dict[Material, Table]:
    """Return the tables that moves of a material lead to, of distances to zeroing."""
    return read_subtables(material, *directories, metric=DTZ)


def gathered(parts: Iterator[Matches], asked: Conditions) -> Matches:
    """Return all matches that are to be taken, keeping few others on the way."""
    choice = np.random.default_rng(asked.seed)
    by_chance = asked.sample is not None
    most = asked.sample if by_chance else asked.limit
    kept: list[tuple[Matches, NDArray[Any]]] = []
    count, bound = 0, 4 * (most or _BLOCK)
    for part in parts:
        keys = choice.random(len(part.slots)) if by_chance else _order_keys(part, asked.order)
        kept.append((part, keys))
        count += len(keys)
        if count > bound:
            kept = [_pruned(kept, most, longest=asked.longest)]
            count = len(kept[0][1])
            bound = max(bound, 2 * count)  # all are joined each time
    found, _ = _pruned(kept, most, longest=asked.longest)
    in_order = np.argsort(_order_keys(found, asked.order), kind="stable")
    return found.at(in_order[: asked.limit])


def _order_keys(found: Matches, order: str) -> NDArray[Any]:
    """Return numbers that ascend in an order; by distance draws come last."""
    plies = found.plies
    if order == INDEX:
        return np.zeros(len(plies))
    if order == DIFFICULTY:
        return -found.difficulties
    signed = plies if order == SHORTEST else -plies
    return np.where(plies == DRAWN_PLIES, _BEHIND, signed)


def _pruned(
    kept: Sequence[tuple[Matches, NDArray[Any]]], most: int | None, *, longest: bool
) -> tuple[Matches, NDArray[Any]]:
    """Return the positions of the smallest keys, in the order of the table."""
    found = Matches.joined([part for part, _ in kept])
    keys = np.concatenate([part for _, part in kept])
    if longest and len(keys):
        far = (found.plies == found.plies.max()) & (found.plies != DRAWN_PLIES)
        found, keys = found.at(far), keys[far]
    if most is not None:
        smallest = np.sort(np.argsort(keys, kind="stable")[:most])
        found, keys = found.at(smallest), keys[smallest]
    return found, keys


def find(
    material: str | Material,
    directory: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    **conditions: Unpack[ConditionArguments],
) -> Positions:
    """Return the positions of a table that meet some conditions.

    Parameters
    ----------
    material
        The men, by name or as a `Material`. White is the stronger side.
    directory
        Folder of table files; by default those of `open_tablebase`.
    threads
        Number of threads; by default one for each processor.
    **conditions
        The attributes of `tablebase.finding.conditions.Conditions`; without any, all positions fit.
        On a position: `turn`, `result`, `plies`, `moves`, `metric`, `check`, `difficulty`,
        `only_move`, `winning_moves`, `best_move`, `zugzwang`, `on`, `where`, `never`, `helpmate`,
        `mated`, `unique`. On what is taken: `images`, `longest`, `order`, `limit`, `sample`,
        `seed`, `columns`, `split_seed`.

    Returns
    -------
    Positions
        Positions with their values.

    Raises
    ------
    InvalidMaterialError
        If there is no such material.
    MissingTableError
        If there is no such table, if it lacks the requested distances, or if a sub-table is
        missing.
    CorruptTableError
        If a file is damaged.
    ValueError
        If a condition makes no sense.
    TypeError
        If there is no condition of this name, or if `where` or the material is of another kind.

    Examples
    --------
    >>> from tablebase import find
    >>> found = find("KPK", "data", turn=True, result="win", only_move=True, longest=True)
    >>> [position.board().fen() for position in found][:2]
    ['8/8/8/6k1/8/8/1P4K1/8 w - - 0 1', '8/8/8/6k1/8/7K/1P6/8 w - - 0 1']
    """
    asked = conditions_for("find", conditions)
    directories = folders_of(directory)
    blocks = list(
        iter_found(as_material(material).normalized(), directories, asked, threads=threads)
    )
    return Positions.joined(blocks)


def _with_one_solution(
    parts: Iterator[Matches], search: Search, directories: Sequence[Path], conditions: Conditions
) -> Iterator[Matches]:
    """Yield of the matches those with a single shortest helpmate."""
    there = [directory for directory in directories if directory.is_dir()]
    with Tablebase(there, rules=search.rules) as tables:
        mating = conditions.mating is Color.WHITE
        few = (
            part.at(slice(start, start + _COUNTED_AT_ONCE))
            for part in parts
            for start in range(0, len(part.slots) or 1, _COUNTED_AT_ONCE)
        )
        for part in few:
            boards = [position_of(one.setup()).board for one in search.positions_of(part)]
            single = [tables.has_one_helpmate(board, mating) for board in boards]
            yield part.at(np.array(single, dtype=np.bool_))


def iter_found(
    material: Material,
    directories: Sequence[Path],
    conditions: Conditions,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Positions]:
    """Yield the positions of a normalized material that fit, in blocks, at least one.

    `progress` gets the rows of the table that were scanned, and all. Errors are those of `find`.
    """
    data = load_first(material, directories)
    if conditions.need_zeroing and data.zeroing is None:
        raise MissingTableError.of([data.material], directories, metric=DTZ.name)
    subtables = data.subtables() if conditions.need_subtables else None
    mistakes = mistake_counter(data, directories, threads) if conditions.need_difficulty else None
    helpmates = data.helpmates(conditions)
    search = Search(data.table, data.zeroing, conditions, subtables, mistakes, helpmates)
    parts = search.matches(threads, progress)
    if conditions.unique:
        parts = _with_one_solution(parts, search, directories, conditions)
    if conditions.longest or conditions.sample is not None or conditions.order != INDEX:
        parts = iter([gathered(parts, conditions)])
    left = conditions.limit
    for part in parts:
        for start in range(0, len(part.slots) or 1, _BLOCK):  # also if nothing fits
            found = part.at(slice(start, start + _BLOCK)).at(slice(left))
            yield search.positions_of(found)
            if left is not None:
                left -= len(found.slots)
                if left <= 0:
                    return
