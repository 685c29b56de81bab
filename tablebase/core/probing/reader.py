"""From positions to stored codes, through open files and the pages kept in memory."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import chess
import numpy as np

from tablebase.core.board import Color
from tablebase.core.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.index import table_index
from tablebase.core.outcomes import DRAW, DTM, WDL_OF_CODE, Metric
from tablebase.core.positions import CHESS_VARIANT, board_words, check_supported, final_outcome
from tablebase.core.probing.batch import (
    PLANES_AT_ONCE,
    POSITIONS_AT_ONCE,
    InWords,
    is_valid,
    read_rows,
    settle_ends,
)
from tablebase.core.probing.catalog import (
    MATERIAL_NUMBERS,
    Missing,
    empty_catalog,
    material_number,
    material_of_number,
    with_table,
)
from tablebase.core.probing.folders import Folders, FoundTable
from tablebase.core.probing.forks import READERS
from tablebase.core.probing.given import (
    GivenPositions,
    SquarePositions,
    read_given,
    words_without_kings,
)
from tablebase.core.probing.locate import (
    BARE_KINGS,
    MISSING_TABLE,
    NOT_LOADED,
    PAGE_BITS,
    PAGE_SIZE,
    UNKNOWN_TABLE,
    compile_locate,
)
from tablebase.core.probing.pages import PageCache
from tablebase.core.probing.ranking import en_passant_outcome
from tablebase.core.probing.whole_planes import read_planes
from tablebase.core.rules import Material, generation_key
from tablebase.core.storage import TableFile, open_table
from tablebase.core.words import quoted

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from numpy.typing import ArrayLike, NDArray

DEFAULT_CACHE_SIZE = 192 * 2**20  # bytes: all tables of up to four men

_OFFSET = PAGE_SIZE - 1


def compiled_locate() -> Callable[..., int]:
    """Return `locate` compiled; several threads may ask at once."""
    with READERS.compiling:
        return compile_locate()


class CodeReader:
    """Reads the values of positions from the tables of some directories.

    A value is the stored code where all tables of the metric have the same codes (DTM), else the
    outcome (DTZ); see `tablebase.core.outcomes.metrics`.

    Safe to use from several threads at once, and after a fork. Files are opened when first needed
    and stay open until `close`, or until they are seen to be removed or replaced.

    Parameters
    ----------
    cache_size
        Most bytes of decompressed values to keep in memory.
    metric
        Which distance to read.

    Attributes
    ----------
    lock : RLock
        Held while anything but the values of pages in memory is read or changed.
    folders : Folders
        Where tables are looked for; changed by the methods below alone.
    """

    def __init__(self, cache_size: int = DEFAULT_CACHE_SIZE, metric: Metric = DTM) -> None:
        self.metric = metric
        self.draw = DRAW if metric.outcomes is not None else 0
        outcomes = metric.long_outcomes
        self._outcomes = None if outcomes is None else outcomes.tolist()
        self.lock = RLock()
        self.folders = Folders()
        self._files: dict[Material, tuple[FoundTable, TableFile]] = {}
        self._others: set[FoundTable] = set()  # files without the metric
        self._catalog = empty_catalog()
        self._cache = PageCache(cache_size, metric)
        self._pages = self._cache.pages
        self._locate: Callable[..., int] = self._locate_first
        self._executor: ThreadPoolExecutor | None = None
        READERS.add(self)

    def begin_anew_after_fork(self) -> None:
        """Forget the threads of the process that this one was forked from."""
        self.lock = RLock()
        self._executor = None

    def close(self) -> None:
        """Close all files and forget them; harmless if done before."""
        with self.lock:
            for _, file in self._files.values():
                file.close()
            self._files.clear()
            self._others.clear()
            self.folders.clear()
            self._catalog = empty_catalog()
            self._cache.clear()
            if self._executor is not None:
                self._executor.shutdown()
                self._executor = None

    # Which tables there are

    def add_directory(self, directory: str | os.PathLike[str]) -> int:
        """Make the tables of a folder available and return how many they are.

        Raises
        ------
        FileNotFoundError
            If there is no such folder.
        """
        path = Path(directory)
        with os.scandir(path), self.lock:  # an error if there is no folder
            before = len(self.folders.tables)
            self.folders.add(path)
            self.refresh()
            return len(self.folders.tables) - before

    def other_files(self, suffix: str) -> list[Path]:
        """Return the files with a suffix, of another kind, that are in the folders now."""
        with self.lock:
            self.refresh()
            return [path for path in self.folders.others if path.suffix == suffix]

    def refresh(self) -> bool:
        """Look again at folders that have changed, and return whether their tables have.

        Changed files are opened again when they are needed; removed ones are forgotten.
        """
        with self.lock:
            if not self.folders.refresh():
                return False
            tables, catalog = self.folders.tables, self._catalog.copy()
            for material, (found, file) in list(self._files.items()):
                if tables.get(material) != found:
                    for colored in (material, material.swapped()):
                        catalog[material_number(colored)] = Missing.UNKNOWN
                    del self._files[material]
                    file.close()
            self._catalog = catalog
            return True

    def available_tables(self) -> dict[Material, Path]:
        """Return the files that there are now, simpler materials first."""
        self.refresh()
        tables = self.folders.tables
        return {material: tables[material].path for material in sorted(tables, key=generation_key)}

    # One position

    def code(self, board: chess.Board) -> int:
        """Return the stored code of a position, the right to capture en passant considered.

        Raises
        ------
        MissingTableError, UnsupportedPositionError, CorruptTableError
            See `tablebase.Tablebase.probe_dtm`.
        """
        try:
            # Like `board_words`: another call would cost a tenth of a probe.
            words = (
                board.pawns,
                board.knights,
                board.bishops,
                board.rooks,
                board.queens,
                board.kings,
                board.occupied_co[True],
                board.turn,
            )
            location = self._locate(self._catalog, words)
        except AttributeError:
            if isinstance(board, chess.Board):
                raise
            message = f"expected a chess.Board, not {quoted(board)}: write chess.Board(FEN)"
            raise TypeError(message) from None
        if board.ep_square is not None or board.castling_rights or type(board) is not chess.Board:
            return self._code_or_end(board, self._code_of_special)
        try:
            return self._pages[location >> PAGE_BITS][location & _OFFSET]
        except KeyError:
            return self._code_or_end(board, self._slow_code)

    def refusal(self, board: chess.Board) -> MissingTableError | UnsupportedPositionError | None:
        """Return the error for a position that no table has, None if one has it."""
        try:
            self.code(board)
        except (MissingTableError, UnsupportedPositionError) as error:
            return error
        return None

    def _locate_first(self, *arguments: Any) -> int:
        self._locate = compiled_locate()
        return self._locate(*arguments)

    def _code_or_end(self, board: chess.Board, find: Callable[[chess.Board], int]) -> int:
        """Return the code that is found; checkmate and stalemate need no table."""
        try:
            return find(board)
        except (MissingTableError, UnsupportedPositionError):
            outcome = final_outcome(board)
            if outcome is None:
                raise
            return self._code_of_outcome(outcome)

    def _code_of_special(self, board: chess.Board) -> int:
        """Return the code of a position with rights, or of a kind of board of its own."""
        if board.castling_rights or board.uci_variant != CHESS_VARIANT:
            check_supported(board)
        if not board.has_legal_en_passant():
            return self._slow_code(board)
        check_supported(board)
        stored = self._outcome(self._slow_code(board))
        return self._code_of_outcome(en_passant_outcome(board, stored, self.outcome, self.metric))

    def outcome(self, board: chess.Board) -> int:
        """Return the outcome of a position; everything else is as for `code`."""
        return self._outcome(self.code(board))

    def _outcome(self, code: int) -> int:
        return code if self._outcomes is None else self._outcomes[code]

    def _code_of_outcome(self, outcome: int) -> int:
        return outcome if self._outcomes is None else self._outcomes.index(outcome)

    def _slow_code(self, board: chess.Board) -> int:
        """Return the code of a position without looking at rights; open what is needed."""
        words = board_words(board)
        with self.lock:
            location = self._locate(self._catalog, words)
            if location <= UNKNOWN_TABLE:
                self._register(material_of_number(UNKNOWN_TABLE - location).normalized())
                location = self._locate(self._catalog, words)
            if location >= 0:
                return self._cache.load(location >> PAGE_BITS)[location & _OFFSET]
        if location == BARE_KINGS:
            return self.draw
        check_supported(board)
        raise AssertionError(f"no location of {board.fen()}: {location}")

    def _register(self, material: Material) -> None:
        """Open the file of a material and enter it in the catalog; the lock is held."""
        found, file = self._open(material)
        if self.metric not in file.metrics:
            file.close()
            self._others.add(found)
            raise self._missing(material)
        first_white = self._cache.add_side(file, Color.WHITE, file.size)
        first_black = first_white
        if not material.is_symmetric:
            first_black = self._cache.add_side(file, Color.BLACK, file.size)
        self._files[material] = found, file
        self._catalog = with_table(self._catalog, table_index(material), (first_white, first_black))

    def _open(self, material: Material) -> tuple[FoundTable, TableFile]:
        self.refresh()
        while (found := self.folders.tables.get(material)) is not None:
            if found in self._others:
                raise self._missing(material)
            try:
                return found, open_table(found.absolute_path, material)
            except MissingTableError:  # it was there when its folder was looked at
                if not self.refresh():
                    break
        raise MissingTableError.of([material], self.folders.directories)

    def _missing(self, *materials: Material) -> MissingTableError:
        """Return the error for those that have no table, or else for tables without the metric."""
        absent = [material for material in materials if material not in self.folders.tables]
        metric = "" if absent else self.metric.name
        return MissingTableError.of(absent or materials, self.folders.directories, metric=metric)

    # Many positions

    def codes_many(
        self,
        positions: Any,
        material: Material | str | None = None,
        turn: ArrayLike | None = None,
        *,
        threads: int | None = None,
        skip_missing: bool = False,
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the values of many positions; see `tablebase.Tablebase.probe_dtm_many`."""
        given = read_given(positions, material, turn)
        if isinstance(given, SquarePositions):
            return self.codes_of_positions(given, threads, skip_missing=skip_missing)
        return self.codes_of_boards(given, threads, skip_missing=skip_missing)

    def codes_of_boards(
        self, given: GivenPositions, threads: int | None = None, *, skip_missing: bool = False
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the stored codes of boards and FENs, and which have one."""
        codes, valid = self.codes_of_positions(given, threads, skip_missing=skip_missing)
        for i, board in given.boards.items():
            code = self._code_or_none(board, skip_missing=skip_missing)
            valid[i] = code is not None
            codes[i] = self.draw if code is None else code
        return codes, valid

    def _code_or_none(self, board: chess.Board, *, skip_missing: bool) -> int | None:
        try:
            return self.code(board)
        except UnsupportedPositionError:
            return None
        except MissingTableError:
            if skip_missing:
                return None
            raise

    def codes_of_positions(
        self, positions: InWords, threads: int | None = None, *, skip_missing: bool = False
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the stored codes of positions without en passant, and which have one."""
        codes = np.full(len(positions), self.draw, dtype=np.int16)
        states = np.empty(len(positions), dtype=np.int8)
        self._locate = compiled_locate()
        threads = threads or os.cpu_count() or 1
        for start in range(0, len(positions), POSITIONS_AT_ONCE):
            block = slice(start, min(start + POSITIONS_AT_ONCE, len(positions)))
            with self.lock:
                outputs = codes[block], states[block]
                try:
                    self._read_block(positions, start, outputs, threads, skip_missing=skip_missing)
                finally:  # what is missing now may be there the next time
                    materials = self._catalog[:MATERIAL_NUMBERS]
                    materials[materials == Missing.SKIPPED] = Missing.UNKNOWN
        return codes, is_valid(states)

    def planes(self, squares: ArrayLike, material: Material, *, turn: bool) -> NDArray[np.uint64]:
        """Return the results of planes; see `tablebase.Tablebase.probe_wdl_planes`."""
        words = words_without_kings(squares, material, turn=turn)
        found = np.zeros((len(words), 3, 64), dtype=np.uint64)
        for start in range(0, len(words), PLANES_AT_ONCE):
            part = slice(start, start + PLANES_AT_ONCE)
            with self.lock:
                self._read_planes(words[part], material.piece_count - 2, found[part])
        return found

    def _read_planes(self, words: NDArray[np.uint64], men: int, found: NDArray[np.uint64]) -> None:
        """Read from pages in memory, load the others that are wanted, and read the rest."""
        executor = self._executor = self._executor or ThreadPoolExecutor()
        known = np.zeros((len(words), 64), dtype=np.uint64)
        bounds = np.linspace(0, len(words), (os.cpu_count() or 1) + 1, dtype=np.int64).tolist()
        parts = [slice(*both) for both in pairwise(bounds)]
        while True:
            wanted = np.zeros(MATERIAL_NUMBERS + self._cache.count, dtype=np.bool_)

            def read(part: slice, wanted: NDArray[np.bool_] = wanted) -> None:
                tables, sets = (self._catalog, self._cache.addresses), (known[part], found[part])
                read_planes(*tables, words[part], men, WDL_OF_CODE, *sets, wanted)

            list(executor.map(read, parts))
            if not wanted.any():
                return
            if missing := self._fetch(wanted, executor):
                raise self._missing(*missing)

    def _read_block(
        self,
        positions: InWords,
        start: int,
        outputs: tuple[NDArray[Any], NDArray[np.int8]],
        threads: int,
        *,
        skip_missing: bool,
    ) -> None:
        """Read from pages in memory, load the others that are wanted, and read the rest."""
        executor = self._executor = self._executor or ThreadPoolExecutor()
        codes, states = outputs
        rows: range | NDArray[np.int64] = range(start, start + len(codes))
        found, reasons, missing = codes, states, []
        while True:
            wanted = np.zeros(MATERIAL_NUMBERS + self._cache.count, dtype=np.bool_)
            tables, sets = (self._catalog, self._cache.addresses), (found, reasons, wanted)
            read_rows(*tables, positions, rows, sets, executor, threads)
            if not isinstance(rows, range):
                codes[rows - start], states[rows - start] = found, reasons
            if not wanted.any():
                break
            for material in self._fetch(wanted, executor):
                missing.append(material)
                for colored in (material, material.swapped()):
                    self._catalog[material_number(colored)] = Missing.SKIPPED
            rows = start + np.flatnonzero((states == NOT_LOADED) | (states == UNKNOWN_TABLE))
            found = np.full(len(rows), self.draw, dtype=np.int16)
            reasons = np.empty(len(rows), np.int8)
        settle_ends(positions, start, outputs, self._code_of_outcome)
        if not skip_missing and (states == MISSING_TABLE).any():
            raise self._missing(*missing)

    def _fetch(self, wanted: NDArray[np.bool_], executor: Executor) -> list[Material]:
        """Register what is wanted, load as many pages as memory holds; return what is missing."""
        numbers = np.flatnonzero(wanted[:MATERIAL_NUMBERS]).tolist()
        materials = {material_of_number(number).normalized() for number in numbers}
        missing = []
        for material in sorted(materials, key=generation_key):
            try:
                self._register(material)
            except MissingTableError:
                missing.append(material)
        if not materials:  # else some file may have been replaced, and its pages be of no use
            pages = np.flatnonzero(wanted[MATERIAL_NUMBERS:]).tolist()
            self._cache.load_many(pages[: self._cache.capacity], executor)
        return missing
