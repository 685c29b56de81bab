"""Values of boards of python-chess: single boards in one compiled call, others by the million."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import chess
import numpy as np

from tablebase.core.castling.solved_sets import CASTLING_MEMORY, SolvedSets, castling_rights
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.ground.parallel import as_threads
from tablebase.core.ground.words import quoted
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.codes import WDL_OF_CODE
from tablebase.core.outcomes.metrics import DTM, Metric
from tablebase.core.positions.chess_board import CHESS_VARIANT, board_words, check_supported
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.reading.batch import (
    PLANES_AT_ONCE,
    POSITIONS_AT_ONCE,
    InWords,
    Reading,
    is_valid,
    read_rows,
    settle_ends,
)
from tablebase.core.reading.catalog import (
    MATERIAL_NUMBERS,
    Missing,
    empty_catalog,
    material_number,
    material_of_number,
    with_table,
)
from tablebase.core.reading.forks import READERS
from tablebase.core.reading.given import (
    GivenPositions,
    SquarePositions,
    read_given,
    words_without_kings,
)
from tablebase.core.reading.locate import (
    BARE_KINGS,
    MISSING_TABLE,
    NOT_LOADED,
    PAGE_BITS,
    PAGE_SIZE,
    TOO_MANY_MEN,
    UNKNOWN_TABLE,
    compile_locate,
    locate,
)
from tablebase.core.reading.passing import en_passant_outcome
from tablebase.core.reading.reader import DEFAULT_CACHE_SIZE, OutcomeReader
from tablebase.core.reading.whole_planes import read_planes
from tablebase.core.rules.material import Material, generation_key, generation_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Executor

    from numpy.typing import ArrayLike, NDArray

_OFFSET = PAGE_SIZE - 1


def compiled_locate() -> Callable[..., int]:
    """Return `locate` compiled; several threads may ask at once."""
    with READERS.compiling:
        return compile_locate()


class BoardReader(OutcomeReader):
    """Reads the values of boards, as `OutcomeReader`."""

    def __init__(
        self,
        cache_size: int = DEFAULT_CACHE_SIZE,
        metric: Metric = DTM,
        castling_size: int = CASTLING_MEMORY,
    ) -> None:
        super().__init__(cache_size, metric, ChessPosition.rules)
        self._catalog = empty_catalog()
        self._pages = self._cache.pages
        self._meanings: list[int] = self._cache.meanings.tolist()
        self._locate: Callable[..., int] = self._locate_first
        self._executor: ThreadPoolExecutor | None = None
        self.castling = SolvedSets(self, metric, castling_size)

    def begin_anew_after_fork(self) -> None:
        """Forget the threads of the process that was forked."""
        super().begin_anew_after_fork()
        self.castling.begin_anew_after_fork()
        self._executor = None

    def close(self) -> None:
        """Close all files and forget them; harmless if done before."""
        with self.lock:
            super().close()
            self._catalog = empty_catalog()
            self.castling.clear()
            if self._executor is not None:
                self._executor.shutdown()
                self._executor = None

    def _forget(self, material: Material) -> None:
        super()._forget(material)
        catalog = self._catalog.copy()
        for colored in (material, material.swapped()):
            catalog[material_number(colored)] = Missing.UNKNOWN
        self._catalog = catalog
        self.castling.clear()

    # One position

    def outcome(self, board: Any) -> int:
        """Return the outcome of a board, its en passant right included."""
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
            return self._outcome_or_end(board, self._outcome_of_special)
        try:
            stored = self._pages[location >> PAGE_BITS][location & _OFFSET]
        except KeyError:
            return self._outcome_or_end(board, self._slow_outcome)
        return self._meanings[stored] if self._meanings else stored

    def _locate_first(self, catalog: NDArray[np.int32], words: Sequence[int]) -> int:
        """Locate the first boards in Python, and compile the kernel once there are more."""
        if locate.is_awaited:
            return int(locate.in_python(catalog, tuple(map(np.uint64, words))))
        self._locate = compiled_locate()
        return self._locate(catalog, words)

    def _outcome_of_special(self, board: chess.Board) -> int:
        """Return the outcome of a position with rights, or of a kind of board of its own."""
        if board.uci_variant != CHESS_VARIANT:
            check_supported(board)
        rights = castling_rights(board)
        stored = self._outcome_with_rights(board, rights) if rights else self._slow_outcome(board)
        if not board.has_legal_en_passant():
            return stored
        check_supported(board)
        return en_passant_outcome(ChessPosition(board), stored, self.outcome, self.metric)

    def _outcome_with_rights(self, board: chess.Board, rights: int) -> int:
        """Return the outcome of a position with castling rights, without looking at en passant."""
        if TOO_MANY_MEN <= self._locate(self._catalog, board_words(board)) < BARE_KINGS:
            check_supported(board)
        return self.castling.outcome(board, rights)

    def outcomes_of_squares(
        self, squares: NDArray[np.uint8], material: Material, *, white_to_move: bool
    ) -> NDArray[np.int16]:
        """Return the outcomes of legal positions of a material, int16 [n], from their squares."""
        return self._outcomes_of_words(SquarePositions(squares, material, white_to_move))[0]

    def require(self, material: Material) -> None:
        """Open the tables of a material and of all that it can turn into.

        Raises `MissingTableError`, which names all that are missing.
        """
        missing = []
        with self.lock:
            for needed in generation_order([material]):
                if needed.piece_count > 2 and needed not in self._files:
                    try:
                        self._register(needed)
                    except MissingTableError:
                        missing.append(needed)
        if missing:
            raise self._missing(*missing)

    def _slow_outcome(self, board: chess.Board) -> int:
        """Return the outcome of a position without looking at rights; open what is needed."""
        words = board_words(board)
        with self.lock:
            location = self._locate(self._catalog, words)
            if location <= UNKNOWN_TABLE:
                self._register(material_of_number(UNKNOWN_TABLE - location).normalized())
                location = self._locate(self._catalog, words)
            if location >= 0:
                stored = self._cache.load(location >> PAGE_BITS)[location & _OFFSET]
                return self._meanings[stored] if self._meanings else stored
        if location == BARE_KINGS:
            return 0
        check_supported(board)
        raise AssertionError(f"no location of {board.fen()}: {location}")

    def _register(self, material: Material) -> None:
        """Open the file of a material and enter it in the catalog; the lock is held."""
        pages = self._add_pages(material)
        self._catalog = with_table(self._catalog, table_index(material), pages)

    # Many positions

    def given(
        self,
        positions: Any,
        material: Material | str | None = None,
        turn: ArrayLike | None = None,
    ) -> GivenPositions | SquarePositions:
        """Return positions in any container, brought into words."""
        return read_given(positions, material, turn)

    def given_texts(self, texts: Iterable[str]) -> GivenPositions:
        """Return FENs and EPDs as positions, unreadable ones being invalid."""
        return GivenPositions(texts)

    def outcomes_of(
        self, given: Any, threads: int | None = None, *, skip_missing: bool = False
    ) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return the outcomes of positions, 0 of invalid ones, and which positions are valid."""
        outcomes, valid = self._outcomes_of_words(given, threads, skip_missing=skip_missing)
        boards = given.boards if isinstance(given, GivenPositions) else {}
        for i, board in boards.items():
            outcome = self._outcome_or_none(board, skip_missing=skip_missing)
            outcomes[i], valid[i] = outcome or 0, outcome is not None
        return outcomes, valid

    def _outcome_or_none(self, board: chess.Board, *, skip_missing: bool) -> int | None:
        try:
            return self.outcome(board)
        except UnsupportedPositionError:
            return None
        except MissingTableError:
            if skip_missing:
                return None
            raise

    def _outcomes_of_words(
        self, positions: InWords, threads: int | None = None, *, skip_missing: bool = False
    ) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return the outcomes of positions without en passant, and which positions are valid."""
        outcomes = np.zeros(len(positions), dtype=np.int16)
        states = np.empty(len(positions), dtype=np.int8)
        self._locate = compiled_locate()
        threads = as_threads(threads)
        for start in range(0, len(positions), POSITIONS_AT_ONCE):
            block = slice(start, min(start + POSITIONS_AT_ONCE, len(positions)))
            with self.lock:
                try:
                    missing = self._read_block(
                        positions, start, outcomes[block], states[block], threads
                    )
                finally:  # what is missing now may be there the next time
                    materials = self._catalog[:MATERIAL_NUMBERS]
                    materials[materials == Missing.SKIPPED] = Missing.UNKNOWN
                if not skip_missing and (states[block] == MISSING_TABLE).any():
                    raise self._missing(*missing)
        return outcomes, is_valid(states)

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
                tables = self._catalog, self._cache.addresses
                read_planes(
                    *tables, words[part], men, WDL_OF_CODE, known[part], found[part], wanted
                )

            list(executor.map(read, parts))
            if not wanted.any():
                return
            if missing := self._fetch(wanted, executor):
                raise self._missing(*missing)

    def _read_block(
        self,
        positions: InWords,
        start: int,
        outcomes: NDArray[np.int16],
        states: NDArray[np.int8],
        threads: int,
    ) -> list[Material]:
        """Read from pages in memory, load the others that are wanted, and read the rest.

        The outcomes and states are those of the positions from `start` on; returns what is missing.
        """
        executor = self._executor = self._executor or ThreadPoolExecutor()
        rows: range | NDArray[np.int64] = range(start, start + len(outcomes))
        found, reasons, missing = outcomes, states, []
        while True:
            wanted = np.zeros(MATERIAL_NUMBERS + self._cache.count, dtype=np.bool_)
            pages = self._cache.addresses, self._cache.meanings
            reading = Reading(self._catalog, pages, found, reasons, wanted)
            read_rows(reading, positions, rows, executor, threads)
            if not isinstance(rows, range):
                outcomes[rows - start], states[rows - start] = found, reasons
            if not wanted.any():
                break
            for material in self._fetch(wanted, executor):
                missing.append(material)
                for colored in (material, material.swapped()):
                    self._catalog[material_number(colored)] = Missing.SKIPPED
            rows = start + np.flatnonzero((states == NOT_LOADED) | (states == UNKNOWN_TABLE))
            found = np.zeros(len(rows), dtype=np.int16)
            reasons = np.empty(len(rows), np.int8)
        settle_ends(positions, start, outcomes, states)
        return missing

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
