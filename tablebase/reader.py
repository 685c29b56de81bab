"""From positions to stored codes, through open files and the pages kept in memory."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numba import types

from tablebase.batch import BLOCK, Positions, boards_of, is_valid, read_rows, word_positions
from tablebase.boards import board_words, check_supported, material_of
from tablebase.errors import (
    CorruptTableError,
    InvalidMaterialError,
    MissingTableError,
    UnsupportedPositionError,
)
from tablebase.geometry import Color
from tablebase.locate import (
    BARE_KINGS,
    MATERIAL_NUMBERS,
    MISSING_TABLE,
    NO_RECORD,
    NOT_LOADED,
    PAGE_BITS,
    PAGE_SIZE,
    UNKNOWN_TABLE,
    empty_catalog,
    locate,
    material_number,
    material_of_number,
    with_table,
)
from tablebase.material import Material, generation_order
from tablebase.pages import PageCache
from tablebase.ranking import en_passant_code
from tablebase.storage import SUFFIX, TableFile, open_table
from tablebase.values import DRAW

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    import chess
    from numpy.typing import NDArray

DEFAULT_DIRECTORY = "data"
DEFAULT_CACHE_SIZE = 192 * 2**20  # bytes: all tables of up to four men

_PLACE = PAGE_SIZE - 1


@cache
def compiled_locate() -> Callable[..., int]:
    """Return `locate`, compiled for words and nothing else.

    numba takes a Python int for signed or unsigned by its size, so without this it would compile
    once for every combination of men on the square h8.
    """
    words = (types.uint64,) * 7
    locate.compile((types.Array(types.int32, 1, "C"), *words, types.boolean))
    locate.disable_compile()
    compiled: Callable[..., int] = locate
    return compiled


class TableReader:
    """Reads the stored codes of positions from the tables of some directories.

    Safe to use from several threads at once. Files are opened when first needed and stay open
    until `close`; used as a context manager, the reader closes itself.

    Parameters
    ----------
    cache_size
        Most bytes of decompressed values to keep in memory.
    """

    def __init__(self, *, cache_size: int = DEFAULT_CACHE_SIZE) -> None:
        self._lock = RLock()
        self._paths: dict[Material, Path] = {}
        self._directories: list[str] = []
        self._files: dict[Material, TableFile] = {}
        self._catalog = empty_catalog()
        self._cache = PageCache(cache_size)
        self._pages = self._cache.pages
        self._locate: Callable[..., int] = self._locate_first
        self._executor: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files and forget them; harmless if done before."""
        with self._lock:
            for file in self._files.values():
                file.close()
            self._files.clear()
            self._paths.clear()
            self._directories.clear()
            self._catalog = empty_catalog()
            self._cache.clear()
            if self._executor is not None:
                self._executor.shutdown()
                self._executor = None

    # Which tables there are

    def add_directory(self, directory: str | os.PathLike[str]) -> int:
        """Make the tables in a directory available.

        Parameters
        ----------
        directory
            Folder of files named like ``KRNK.h5``; others are left alone. A material that is
            available already stays with its file.

        Returns
        -------
        int
            How many tables were added.

        Raises
        ------
        FileNotFoundError
            If there is no such directory.
        """
        found = {}
        for path in sorted(Path(directory).iterdir()):
            if path.suffix == SUFFIX:
                try:
                    material = Material.from_name(path.stem)
                except InvalidMaterialError:
                    continue
                if material.is_normalized:
                    found[material] = path
        with self._lock:
            before = len(self._paths)
            self._paths = found | self._paths
            self._directories.append(str(directory))
            catalog = self._catalog.copy()
            catalog[:MATERIAL_NUMBERS][catalog[:MATERIAL_NUMBERS] == NO_RECORD] = 0
            self._catalog = catalog
            return len(self._paths) - before

    @property
    def available_materials(self) -> tuple[Material, ...]:
        """The materials whose tables are available, simpler ones first."""
        paths = self._paths
        return tuple(m for m in generation_order(paths) if m in paths)

    @property
    def available_tables(self) -> dict[str, Path]:
        """The file of each material that is available, by name."""
        paths = self._paths
        return {material.name: paths[material] for material in self.available_materials}

    def _code(self, board: chess.Board) -> int:
        # The words of `board_words` one by one: another call would cost a tenth of a probe.
        location = self._locate(
            self._catalog,
            board.pawns,
            board.knights,
            board.bishops,
            board.rooks,
            board.queens,
            board.kings,
            board.occupied_co[True],
            board.turn,
        )
        if board.ep_square is not None or board.castling_rights:
            return self._code_with_rights(board)
        try:
            return self._pages[location >> PAGE_BITS][location & _PLACE]
        except KeyError:
            return self._slow_code(board)

    def _locate_first(self, *arguments: Any) -> int:
        self._locate = compiled_locate()
        return self._locate(*arguments)

    def _code_with_rights(self, board: chess.Board) -> int:
        if board.castling_rights or not board.has_legal_en_passant():
            return self._slow_code(board)
        check_supported(board)
        return en_passant_code(board, self._slow_code(board), self._code)

    def _slow_code(self, board: chess.Board) -> int:
        """Return the code of a position without looking at en passant; open what is needed."""
        if board.castling_rights:
            check_supported(board)
        words = board_words(board)
        with self._lock:
            location = self._locate(self._catalog, *words)
            if location <= UNKNOWN_TABLE:
                self._register(material_of_number(UNKNOWN_TABLE - location).normalized())
                location = self._locate(self._catalog, *words)
            if location >= 0:
                return self._cache.load(location >> PAGE_BITS)[location & _PLACE]
        if location == BARE_KINGS:
            return DRAW
        if location == MISSING_TABLE:
            raise MissingTableError(self._missing(material_of(board).normalized()))
        check_supported(board)
        raise AssertionError(f"no location of {board.fen()}: {location}")

    def _register(self, material: Material) -> None:
        """Open the file of a material and enter it in the catalog; the lock is held."""
        path = self._paths.get(material)
        if path is None:
            raise MissingTableError(self._missing(material))
        file = open_table(path)
        if file.material != material:
            file.close()
            raise CorruptTableError(f"{path}: this is the table of {file.material}")
        first_white = self._cache.add_side(file, Color.WHITE, file.index.size)
        first_black = first_white
        if not material.is_symmetric:
            first_black = self._cache.add_side(file, Color.BLACK, file.index.size)
        self._files[material] = file
        self._catalog = with_table(self._catalog, file.index, (first_white, first_black))

    def _missing(self, *materials: Material) -> str:
        names = " ".join(material.name for material in materials)
        places = ", ".join(self._directories) or "no directory"
        option = ""
        if self._directories and self._directories[0] != DEFAULT_DIRECTORY:
            option = f" --dir {self._directories[0]}"
        return f"no table of {names} in {places}: build it with `tablebase build {names}{option}`"

    # Many positions

    def _codes_of_boards(
        self,
        positions: Sequence[chess.Board | str],
        threads: int | None = None,
        *,
        skip_missing: bool = False,
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return the stored codes of boards and FENs, and which have one."""
        boards = boards_of(positions)
        codes, valid = self._codes_of_positions(
            word_positions(boards), threads, skip_missing=skip_missing
        )
        for i, board in enumerate(boards):
            if board.castling_rights or board.ep_square is not None:
                code = self._code_or_none(board, skip_missing=skip_missing)
                valid[i] = code is not None
                codes[i] = DRAW if code is None else code
        return codes, valid

    def _code_or_none(self, board: chess.Board, *, skip_missing: bool) -> int | None:
        try:
            return self._code(board)
        except UnsupportedPositionError:
            return None
        except MissingTableError:
            if skip_missing:
                return None
            raise

    def _codes_of_positions(
        self, positions: Positions, threads: int | None = None, *, skip_missing: bool = False
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return the stored codes of positions without en passant, and which have one."""
        codes = np.empty(len(positions), dtype=np.uint8)
        states = np.empty(len(positions), dtype=np.int8)
        self._locate = compiled_locate()
        threads = threads or os.cpu_count() or 1
        for start in range(0, len(positions), BLOCK):
            block = slice(start, min(start + BLOCK, len(positions)))
            with self._lock:
                outputs = codes[block], states[block]
                self._read_block(positions, start, outputs, threads, skip_missing=skip_missing)
        return codes, is_valid(states)

    def _read_block(
        self,
        positions: Positions,
        start: int,
        outputs: tuple[NDArray[np.uint8], NDArray[np.int8]],
        threads: int,
        *,
        skip_missing: bool,
    ) -> None:
        """Read as far as memory goes, load what is wanted, and read the rest again."""
        executor = self._executor = self._executor or ThreadPoolExecutor()
        codes, states = outputs
        rows: range | NDArray[np.int64] = range(start, start + len(codes))
        found, reasons = codes, states
        while True:
            wanted = np.zeros(MATERIAL_NUMBERS + self._cache.count, dtype=np.bool_)
            read_rows(
                self._catalog,
                self._cache.addresses,
                positions,
                rows,
                (found, reasons, wanted),
                executor,
                threads,
            )
            if not isinstance(rows, range):
                codes[rows - start], states[rows - start] = found, reasons
            if not wanted.any():
                return
            self._fetch(wanted, executor, skip_missing=skip_missing)
            rows = start + np.flatnonzero((states == NOT_LOADED) | (states == UNKNOWN_TABLE))
            found, reasons = np.empty(len(rows), np.uint8), np.empty(len(rows), np.int8)

    def _fetch(self, wanted: NDArray[np.bool_], executor: Executor, *, skip_missing: bool) -> None:
        """Register the materials and load the pages that are wanted, as many as memory holds."""
        numbers = np.flatnonzero(wanted[:MATERIAL_NUMBERS]).tolist()
        materials = {material_of_number(number).normalized() for number in numbers}
        missing = [m for m in generation_order(materials) if m in materials - self._paths.keys()]
        if missing and not skip_missing:
            raise MissingTableError(self._missing(*missing))
        for material in materials - set(missing):
            self._register(material)
        for material in missing:
            for colored in (material, material.swapped()):
                self._catalog[material_number(colored)] = NO_RECORD
        pages = np.flatnonzero(wanted[MATERIAL_NUMBERS:]).tolist()
        self._cache.load_many(pages[: self._cache.capacity], executor)
