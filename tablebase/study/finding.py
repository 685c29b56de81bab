"""Positions of a table by conditions, some rows at a time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tablebase.board import (
    D4,
    DTM,
    DTZ,
    WDL_OF_CODE,
    Color,
    Material,
    Wdl50,
    metric_named,
    wdl50_array,
)
from tablebase.errors import MissingTableError
from tablebase.index import MAY_MOVE, is_counted, legality_tables, mark_rows
from tablebase.jit import KernelRecord
from tablebase.locations import default_directories
from tablebase.moves import MoveCounter
from tablebase.storage import read_subtables
from tablebase.study.conditions import (
    BEST_MOVES,
    ZUGZWANG_RESULTS,
    Conditions,
    men_on_squares,
    within,
)
from tablebase.study.dataset import Positions, TableData, load_first, positions_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tablebase.tables import Table

# Slots that are looked through at once, by each thread.
SLOTS_PER_STEP = 1 << 18
# Positions that are given out at once.
BLOCK = 1 << 16
_DRAWN = -1  # in place of a distance
_BEHIND = 1 << 14  # where draws come in an order by distance

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Matches(NamedTuple):
    """Positions that fit, in the order of the table."""

    slots: NDArray[np.int64]
    colors: NDArray[np.uint8]  # side to move
    symmetries: NDArray[np.uint8]  # which image of the stored position is meant
    plies: NDArray[np.int16]  # distance, _DRAWN for draws

    def at(self, chosen: Any) -> _Matches:
        """Return some of them."""
        return _Matches(*(column[chosen] for column in self))


def _joined(parts: Sequence[_Matches]) -> _Matches:
    return _Matches(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class _Codes:
    """Which codes of a table fit, and what distance they mean."""

    def __init__(self, data: TableData, conditions: Conditions, color: Color) -> None:
        metric = metric_named(conditions.metric)
        tables = {DTM: data.table, DTZ: data.zeroing}
        self._allowed: list[tuple[NDArray[np.uint8], NDArray[np.bool_]]] = []
        measured = tables[metric]
        assert measured is not None
        outcomes = measured.outcomes[color].astype(np.int64)
        plies = np.where(outcomes < 0, ~outcomes, outcomes)
        self._codes = measured.codes[color]
        self._plies = np.where(outcomes == 0, _DRAWN, plies).astype(np.int16)
        if conditions.plies is not None or conditions.moves is not None:
            fit = within(plies, conditions.plies) & within((plies + 1) // 2, conditions.moves)
            self._allowed.append((self._codes, fit & (outcomes != 0)))
        if conditions.results:
            judge = data.zeroing or data.table
            results = 2 * np.sign(judge.outcomes[color])
            if judge is data.zeroing:
                results = wdl50_array(judge.outcomes[color])
            wanted = [Wdl50[name.upper()] for name in conditions.results]
            self._allowed.append((judge.codes[color], np.isin(results, wanted)))

    def fit(self, part: slice) -> NDArray[np.bool_]:
        """Return which slots of a part have codes that fit."""
        found = np.ones(part.stop - part.start, dtype=np.bool_)
        for codes, allowed in self._allowed:
            found &= allowed[codes[part]]
        return found

    def plies(self, slots: NDArray[np.int64]) -> NDArray[np.int16]:
        """Return the distances of some positions."""
        plies: NDArray[np.int16] = self._plies[self._codes[slots]]
        return plies


class _Search:
    """Looks through a table."""

    def __init__(
        self, data: TableData, subtables: Mapping[Material, Table] | None, conditions: Conditions
    ) -> None:
        self.data, self.conditions = data, conditions
        self.index = data.table.index
        turns = (conditions.turn,)
        if conditions.turn is None:
            turns = (True,) if data.material.is_symmetric else (True, False)  # type: ignore[assignment]
        self._sides = [
            (color, _Codes(data, conditions, color))
            for color in (Color.WHITE if turn else Color.BLACK for turn in turns)
        ]
        self._inside = men_on_squares(data.material, conditions.on)
        self._counter = None if subtables is None else MoveCounter(data.table, subtables)
        self._legality = KernelRecord(legality_tables(self.index))

    def matches(self, threads: int | None) -> Iterator[_Matches]:
        """Yield what fits, in the order of the index, White to move first in each part."""
        rows = self.index.slices * self.index.ranks
        step = max(1, SLOTS_PER_STEP // self.index.king_pairs)
        parts = ((first, min(first + step, rows)) for first in range(0, rows, step))
        return _map_in_order(self._look_through, parts, threads or os.cpu_count() or 1)

    def _look_through(self, rows: tuple[int, int]) -> _Matches:
        """Return what fits in some rows."""
        pairs = self.index.king_pairs
        part = slice(rows[0] * pairs, rows[1] * pairs)
        marks = np.empty(part.stop - part.start, dtype=np.uint8)
        mark_rows(self._legality, self.index.ranks, *rows, marks)
        return _joined([self._of_side(part, marks, *side) for side in self._sides])

    def _of_side(
        self, part: slice, marks: NDArray[np.uint8], color: Color, codes: _Codes
    ) -> _Matches:
        """Return what fits with a side to move; what costs least is asked first."""
        asked = self.conditions
        fit = is_counted(marks, color) & codes.fit(part)
        other_may_move = marks & MAY_MOVE[1 - color] != 0
        if asked.check is not None:  # then the other side could take the king
            fit &= other_may_move != asked.check
        if asked.zugzwang is not None:
            fit &= other_may_move & self._zugzwangs(part, asked.zugzwang)
        slots = np.flatnonzero(fit) + part.start
        symmetries = np.zeros(len(slots), dtype=np.uint8)
        if self._inside:
            symmetries, fits = self._image_on_squares(slots)
            slots, symmetries = slots[fits], symmetries[fits]
        if self._counter is not None:
            fits = self._moves_fit(self._counter.counts(slots, color))
            slots, symmetries = slots[fits], symmetries[fits]
        colors = np.full(len(slots), color, dtype=np.uint8)
        return _Matches(slots, colors, symmetries, codes.plies(slots))

    def _zugzwangs(self, part: slice, kind: str) -> NDArray[np.bool_]:
        """Return which slots of a part hold a mutual zugzwang, if legal with either to move."""
        white, black = (WDL_OF_CODE[codes[part]] for codes in self.data.table.codes)
        wanted = ZUGZWANG_RESULTS.values() if kind == "any" else [ZUGZWANG_RESULTS[kind]]
        found = np.zeros(len(white), dtype=np.bool_)
        for results in wanted:
            found |= (white == results[0]) & (black == results[1])
        return found

    def _image_on_squares(
        self, slots: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return the first image of each position with the men on the squares, if there is one."""
        squares, _ = self.index.decode_many(slots)
        symmetries = np.zeros(len(slots), dtype=np.uint8)
        found = np.zeros(len(slots), dtype=np.bool_)
        for symmetry in self.index.symmetries:
            fit = ~found
            for men, inside in self._inside:
                fit &= inside[D4[symmetry]][squares[:, men]].any(axis=1)
            symmetries[fit] = symmetry
            found |= fit
        return symmetries, found

    def _moves_fit(self, counts: Mapping[str, NDArray[np.int64]]) -> NDArray[np.bool_]:
        asked = self.conditions
        fit = within(counts["winning"], asked.winning_moves)
        if asked.only_move is not None:
            fit &= (counts["keeping"] == 1) == asked.only_move
        if asked.best_move is not None:
            fit &= counts["best_kinds"] & BEST_MOVES[asked.best_move] != 0
        return fit


def _map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[Result]:
    """Yield results in order, with no more than a few ahead of what is asked for."""
    rest = iter(items)
    with ThreadPoolExecutor(threads) as pool:
        waiting = deque(pool.submit(function, item) for item in islice(rest, 2 * threads))
        while waiting:
            yield waiting.popleft().result()
            waiting.extend(pool.submit(function, item) for item in islice(rest, 1))


def _order_keys(plies: NDArray[np.int16], order: str) -> NDArray[Any]:
    """Return numbers that ascend in an order; draws come last."""
    if order == "index":
        return np.zeros(len(plies))
    signed = plies if order == "shortest" else -plies
    return np.where(plies == _DRAWN, _BEHIND, signed)


def _gathered(parts: Iterator[_Matches], asked: Conditions) -> _Matches:
    """Return all matches that are to be taken, keeping few more than these on the way."""
    choice = np.random.default_rng(asked.seed)
    most = asked.limit if asked.sample is None else asked.sample
    kept: list[tuple[_Matches, NDArray[Any]]] = []
    for part in parts:
        by_chance = asked.sample is not None
        keys = choice.random(len(part.slots)) if by_chance else _order_keys(part.plies, asked.order)
        kept.append((part, keys))
        if sum(len(found.slots) for found, _ in kept) > 4 * (most or BLOCK):
            kept = [_pruned(kept, most, longest=asked.longest)]
    found, _ = _pruned(kept, most, longest=asked.longest)
    in_order = np.argsort(_order_keys(found.plies, asked.order), kind="stable")
    return found.at(in_order[: asked.limit])


def _pruned(
    kept: Sequence[tuple[_Matches, NDArray[Any]]], most: int | None, *, longest: bool
) -> tuple[_Matches, NDArray[Any]]:
    """Return those of the smallest keys, in the order of the table."""
    found = _joined([part for part, _ in kept])
    keys = np.concatenate([part for _, part in kept])
    if longest and len(keys):
        far = (found.plies == found.plies.max()) & (found.plies != _DRAWN)
        found, keys = found.at(far), keys[far]
    if most is not None:
        smallest = np.sort(np.argsort(keys, kind="stable")[:most])
        found, keys = found.at(smallest), keys[smallest]
    return found, keys


def iter_found(
    material: Material,
    directories: Sequence[Path],
    conditions: Conditions,
    *,
    threads: int | None = None,
) -> Iterator[Positions]:
    """Yield the positions that fit, in blocks.

    Raises what `find` does.
    """
    data = load_first(material, directories)
    if conditions.need_zeroing and data.zeroing is None:
        raise MissingTableError.of([data.material], directories, metric=DTZ.name)
    subtables = None
    if conditions.need_moves:
        there = [directory for directory in directories if directory.is_dir()]
        subtables = read_subtables(data.material, *there)
    parts = _Search(data, subtables, conditions).matches(threads)
    if conditions.longest or conditions.sample is not None or conditions.order != "index":
        parts = iter([_gathered(parts, conditions)])
    left = conditions.limit
    for part in parts:
        for start in range(0, len(part.slots) or 1, BLOCK):  # also if nothing fits
            found = part.at(slice(start, start + BLOCK)).at(slice(left))
            yield positions_of(data, found.slots, found.colors, found.symmetries)
            if left is not None:
                left -= len(found.slots)
                if left <= 0:
                    return


def find(
    material: str | Material,
    directory: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    **conditions: Any,
) -> Positions:
    """Return the positions of a table that fit some conditions, no two of them symmetric images.

    Parameters
    ----------
    material
        The men, by name or as a `Material`. The stronger side is White's in the table.
    directory
        Folder of table files; by default those where `open_tablebase` looks.
    threads
        How many threads to use; by default one for each processor.
    conditions
        Those of `tablebase.study.Conditions`, by name; all positions if there are none.

    Returns
    -------
    Positions
        Positions with their values.

    Raises
    ------
    InvalidMaterialError
        If there is no such material.
    MissingTableError
        If there is no such table, if it lacks the distances that are asked for, or if a sub-table
        is missing that moves lead to.
    CorruptTableError
        If a file is damaged.
    ValueError
        If a condition makes no sense.
    TypeError
        If there is no condition of that name.

    Examples
    --------
    >>> from tablebase import find
    >>> found = find("KPK", "data", turn=True, result="win", only_move=True, longest=True)
    >>> [position.board().fen() for position in found][:2]
    ['8/8/8/6k1/8/8/1P4K1/8 w - - 0 1', '8/8/8/6k1/8/7K/1P6/8 w - - 0 1']
    """
    asked = Conditions(**conditions)
    wanted = Material.from_name(material) if isinstance(material, str) else material
    directories = [Path(directory)] if directory is not None else default_directories()
    blocks = list(iter_found(wanted.normalized(), directories, asked, threads=threads))
    return Positions.joined(blocks)
