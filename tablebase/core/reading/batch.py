"""Many positions at once: read from the pages in memory by several threads, which load others."""

from __future__ import annotations

import inspect
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tablebase.core.board.geometry import SQUARES
from tablebase.core.ground.argument_readers import as_flag
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.ground.parallel import as_threads
from tablebase.core.reading.catalog import material_numbered, number_of, row_places
from tablebase.core.reading.given import (
    Given,
    GivenPositions,
    SquarePositions,
    as_material,
    as_turn,
    packed_checks,
    read_given,
    squares_without_kings,
)
from tablebase.core.reading.locate import (
    BARE_KINGS,
    MISSING_TABLE,
    NOT_LOADED,
    OVER,
    TOO_MANY_MEN,
    UNKNOWN_TABLE,
    kings_can_move,
    locate_rows,
    read_locations,
)
from tablebase.core.reading.open_tables import OpenTables
from tablebase.core.reading.whole_planes import read_planes
from tablebase.core.rules.material import Material, generation_key

# Rows that one thread locates at a time; they stay in its cache.
STEP = 4096
# Rows that are read while other threads may not change what is in memory.
POSITIONS_AT_ONCE = 1 << 18
PLANES_AT_ONCE = POSITIONS_AT_ONCE // SQUARES**2
# Materials of which a thread learns at a time that they are not in the catalog.
MOST_UNKNOWN = 32
# By the two bytes that pages have of an outcome.
EVERY_OUTCOME = np.arange(1 << 16, dtype=np.uint16).view(np.int16)

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def asked_like(
    other: Callable[Asked, Any],
) -> Callable[[Callable[..., Answer]], Callable[Asked, Answer]]:
    """Give a function the parameters of another one, for type checkers and for `help`."""

    def described(function: Callable[..., Answer]) -> Callable[Asked, Answer]:
        returned = inspect.signature(function).return_annotation
        signature = inspect.signature(other).replace(return_annotation=returned)
        function.__signature__ = signature  # type: ignore[attr-defined]
        return function

    return described


def answer_or_default(probe: Callable[[Any], int], board: Any, default: int | None) -> int | None:
    """Return the answer of a probe, or a default if there is none."""
    try:
        return probe(board)
    except (MissingTableError, UnsupportedPositionError):
        return default


class BatchReader(OpenTables):
    """Reads the outcomes of many positions of a game from the tables of some directories."""

    _executor: ThreadPoolExecutor | None = None

    def begin_anew_after_fork(self) -> None:
        """Forget the threads of the process that was forked."""
        super().begin_anew_after_fork()
        self._executor = None

    def close(self) -> None:
        """Close all files and forget them; harmless if done before."""
        with self.lock:
            super().close()
            if self._executor is not None:
                self._executor.shutdown()
                self._executor = None

    @abstractmethod
    def outcome(self, board: Any) -> int:
        """Return the outcome of a position, its en passant right included."""

    def given(
        self,
        positions: Any,
        material: Material | str | None = None,
        turn: ArrayLike | None = None,
        checks: ArrayLike | None = None,
    ) -> Given:
        """Return positions in any container, ready to be looked up; see `given.read_given`."""
        return read_given(positions, material, turn, checks, self.rules)

    def given_texts(self, texts: Iterable[str]) -> Given:
        """Return FENs and EPDs as positions, unreadable ones being invalid."""
        return GivenPositions(texts, self.rules)

    def outcomes_many(
        self,
        positions: Any,
        material: Material | str | None = None,
        turn: ArrayLike | None = None,
        *,
        checks: ArrayLike | None = None,
        threads: int | None = None,
        skip_missing: bool = False,
    ) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return the outcomes of many positions; see `tablebase.Tablebase.probe_dtm_many`."""
        given = self.given(positions, material, turn, checks)
        skip = as_flag("skip_missing", skip_missing)
        return self.outcomes_of(given, as_threads(threads), skip_missing=skip)

    def outcomes_of(
        self, given: Any, threads: int | None = None, *, skip_missing: bool = False
    ) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return the outcomes of given positions, 0 of invalid ones, and which are valid.

        See `tablebase.Tablebase.probe_dtm_many`.
        """
        outcomes = np.zeros(len(given), dtype=np.int16)
        states = np.empty(len(given), dtype=np.int8)
        threads = as_threads(threads)
        for start in range(0, len(given), POSITIONS_AT_ONCE):
            block = slice(start, min(start + POSITIONS_AT_ONCE, len(given)))
            with self.lock:
                try:
                    missing = self._read(given, start, outcomes[block], states[block], threads)
                finally:  # what is missing now may be there the next time
                    self.catalog.skip(())
            self._settle_ends(given, start, outcomes[block], states[block])
            if not skip_missing and (states[block] == MISSING_TABLE).any():
                raise self._missing(*missing)
        valid = (states == 0) | (states == BARE_KINGS) | (abs(states - OVER) <= 1)
        self._ask_singles(given, outcomes, valid, skip_missing=skip_missing)
        return outcomes, valid

    def _ask_singles(
        self,
        given: Given,
        outcomes: NDArray[np.int16],
        valid: NDArray[np.bool_],
        *,
        skip_missing: bool,
    ) -> None:
        """Write the outcomes of the positions that are asked one by one."""
        missing: list[MissingTableError] = []
        for i, board in given.singles.items():
            try:
                outcomes[i], valid[i] = self.outcome(board), True
            except UnsupportedPositionError:
                outcomes[i], valid[i] = 0, False
            except MissingTableError as error:
                outcomes[i], valid[i] = 0, False
                missing.append(error)
        if missing and not skip_missing:
            names = dict.fromkeys(name for error in missing for name in error.materials)
            absent = [Material.from_name(name, self.rules) for name in names]
            raise self._missing(*absent) if absent else missing[0]

    def _read(
        self,
        positions: Given,
        start: int,
        outcomes: NDArray[np.int16],
        states: NDArray[np.int8],
        threads: int,
    ) -> list[Material]:
        """Read from pages in memory, load the others that are wanted, and read the rest.

        The outcomes and states are those of the positions from `start` on; returns what is missing.
        """
        rows: range | NDArray[np.int64] = range(start, start + len(outcomes))
        found, reasons = outcomes, states
        missing: list[Material] = []
        while True:
            wanted = np.zeros(self._cache.count, dtype=np.bool_)
            unknown = self._read_rows(positions, rows, found, reasons, wanted, threads)
            if not isinstance(rows, range):
                outcomes[rows - start], states[rows - start] = found, reasons
            if not unknown and not wanted.any():
                return missing
            if unknown:  # else some file may have been replaced, and its pages be of no use
                materials = {material_numbered(one, self.rules).normalized() for one in unknown}
                missing += self._open_all(sorted(materials, key=generation_key))
                self.catalog.skip(missing)
            else:
                self._load(wanted)
            rows = start + np.flatnonzero((states == NOT_LOADED) | (states == UNKNOWN_TABLE))
            found = np.empty(len(rows), dtype=np.int16)
            reasons = np.empty(len(rows), dtype=np.int8)

    def _read_rows(
        self,
        positions: Given,
        rows: range | NDArray[np.int64],
        outcomes: NDArray[np.int16],
        states: NDArray[np.int8],
        wanted: NDArray[np.bool_],
        threads: int,
    ) -> set[int]:
        """Read the outcomes of some rows whose pages are in memory.

        Marks the `wanted` pages, and returns numbers of materials that are not in the catalog.
        """
        catalog, pages = self.catalog.array, (self._cache.addresses, self._cache.meanings)

        def read(start: int, stop: int) -> list[int]:
            locations = np.empty(STEP, dtype=np.int64)
            unknown = np.zeros(1 + MOST_UNKNOWN, dtype=np.int64)
            for low in range(start, stop, STEP):
                high = min(low + STEP, stop)
                chosen = rows[low:high]
                part = slice(chosen.start, chosen.stop) if isinstance(chosen, range) else chosen
                here, found = locations[: high - low], (outcomes[low:high], states[low:high])
                locate_rows(catalog, *positions.rows(part), here)
                read_locations(pages, here, *found, wanted, unknown)
            numbers: list[int] = unknown[1 : 1 + int(unknown[0])].tolist()
            return numbers

        if threads == 1 or len(rows) <= STEP:
            return set(read(0, len(rows)))
        bounds = np.linspace(0, len(rows), threads + 1, dtype=np.int64).tolist()
        parts = [self._threads.submit(read, *part) for part in pairwise(bounds)]
        return {number for part in parts for number in part.result()}

    @property
    def _threads(self) -> ThreadPoolExecutor:
        self._executor = self._executor or ThreadPoolExecutor()
        return self._executor

    def _settle_ends(
        self,
        positions: Given,
        start: int,
        outcomes: NDArray[np.int16],
        states: NDArray[np.int8],
    ) -> None:
        """Give positions without a move their outcomes, where no table has them.

        `outcomes` and `states` are those of the positions from `start` on.
        """
        rows = np.flatnonzero((states == MISSING_TABLE) | (states == TOO_MANY_MEN))
        if self.rules.ends_by_mate and self._tells_results:  # else moves alone tell
            words = positions.words(start + rows)
            can_move = np.empty(len(rows), np.bool_)
            kings_can_move(self.catalog.array, words, can_move)
            rows = rows[~can_move]
        for i in rows.tolist():
            try:
                outcomes[i], states[i] = self.outcome(positions.board(start + i)), 0
            except (MissingTableError, UnsupportedPositionError):
                continue

    def outcomes_of_squares(
        self, squares: NDArray[np.uint8], material: Material, *, white_to_move: bool
    ) -> NDArray[np.int16]:
        """Return the outcomes of legal positions of a material, int16 [n], from their squares."""
        return self.outcomes_of(SquarePositions(squares, material, white_to_move))[0]

    def planes(
        self,
        squares: ArrayLike,
        material: Material,
        *,
        turn: bool,
        checks: ArrayLike | None = None,
    ) -> NDArray[np.uint64]:
        """Return the results of planes; see `tablebase.Tablebase.probe_wdl_planes`."""
        material, white_to_move = as_material(material, self.rules), as_turn(turn)
        rows = squares_without_kings(squares, material)
        side = int(white_to_move) | int(packed_checks(checks, 1, self.rules)[0])
        found = np.zeros((len(rows), 3, SQUARES), dtype=np.uint64)
        for start in range(0, len(rows), PLANES_AT_ONCE):
            part = slice(start, start + PLANES_AT_ONCE)
            with self.lock:
                self._read_planes(material, side, rows[part], found[part])
        return found

    def _read_planes(
        self, material: Material, side: int, rows: NDArray[np.uint8], found: NDArray[np.uint64]
    ) -> None:
        """Read from pages in memory, load the others that are wanted, and read the rest."""
        known = np.zeros((len(rows), SQUARES), dtype=np.uint64)
        meanings = self._cache.meanings
        results = np.sign(meanings if len(meanings) else EVERY_OUTCOME).astype(np.int8)
        places = row_places(material.men, material)
        bounds = np.linspace(0, len(rows), (os.cpu_count() or 1) + 1, dtype=np.int64).tolist()
        parts = [slice(*both) for both in pairwise(bounds)]
        needs_table = not material.is_bare or self.rules.goal
        while True:
            address = self.catalog.address_of(material) or (-1 if needs_table else 0)
            wanted = np.zeros(max(1, self._cache.count), dtype=np.bool_)

            def read(
                part: slice, address: int = address, wanted: NDArray[np.bool_] = wanted
            ) -> None:
                given = address, number_of(material), places, side, rows[part]
                tables = self.catalog.array, self._cache.addresses, given, results
                read_planes(*tables, known[part], found[part], wanted)

            list(self._threads.map(read, parts))
            if not wanted.any():
                return
            if address >= 0:
                self._load(wanted)
            else:
                self._require_one(material)

    def _load(self, wanted: NDArray[np.bool_]) -> None:
        """Load the pages that are wanted, as many as memory holds."""
        pages = np.flatnonzero(wanted).tolist()
        self._cache.load_many(pages[: self._cache.capacity], self._threads)
