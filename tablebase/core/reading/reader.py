"""The values of positions of a game: single boards in one compiled call, others by the million."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

from tablebase.core.castling.solved_sets import CASTLING_MEMORY, SolvedSets, castling_rights
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.ground.words import quoted
from tablebase.core.outcomes.metrics import ARRIVED_OUTCOME, DTM, Metric
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.chess_board import CHESS_VARIANT, board_words, check_supported
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.setup import Setup, check_men, check_setup
from tablebase.core.reading.as_words import board_type, side_of, side_of_board
from tablebase.core.reading.batch import BatchReader
from tablebase.core.reading.catalog import material_numbered, number_of, row_columns
from tablebase.core.reading.en_passant import en_passant_outcome
from tablebase.core.reading.forks import READERS
from tablebase.core.reading.locate import (
    BARE_KINGS,
    ILLEGAL,
    OVER,
    PAGE_BITS,
    PAGE_SIZE,
    TOO_MANY_MEN,
    UNKNOWN_TABLE,
    compile_locate,
    locate,
    locate_rows,
)
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Rules

DEFAULT_CACHE_SIZE = 192 * 2**20  # bytes: all tables of up to four men
_OFFSET = PAGE_SIZE - 1
_SIDES = [np.array([side], dtype=np.uint8) for side in range(32)]


def compiled_locate() -> Callable[..., int]:
    """Return `locate` compiled; several threads may ask at once."""
    with READERS.compiling:
        return compile_locate()


class OutcomeReader(BatchReader):
    """Reads the outcomes of positions of a game from the tables of some directories."""

    def __init__(
        self,
        cache_size: int = DEFAULT_CACHE_SIZE,
        metric: Metric = DTM,
        rules: Rules = ChessPosition.rules,
        castling_size: int = CASTLING_MEMORY,
    ) -> None:
        self._is_chess = rules == ChessPosition.rules
        # Chess may have been read from somewhere, which messages need not name.
        super().__init__(cache_size, metric, ChessPosition.rules if self._is_chess else rules)
        self._board_type = board_type(rules)
        self._counts_checks = rules.check_counting
        self._pages = self._cache.pages
        self._meanings: list[int] = self._cache.meanings.tolist()
        self._locate: Callable[..., int] = self._locate_first
        self.castling = SolvedSets(self, metric, castling_size)

    @property
    def castling_sets(self) -> dict[str, SolvedSets]:
        """The values of positions with castling rights by the name of the metric, in chess."""
        return {self.metric.name: self.castling} if self._is_chess else {}

    def begin_anew_after_fork(self) -> None:
        """Forget the threads of the process that was forked."""
        super().begin_anew_after_fork()
        self.castling.begin_anew_after_fork()

    def close(self) -> None:
        """Close all files and forget them; harmless if done before."""
        with self.lock:
            super().close()
            self.castling.clear()

    def _forget(self, material: Material) -> None:
        super()._forget(material)
        self.castling.clear()

    # One position

    def outcome(self, board: Any) -> int:
        """Return the outcome of a position, its en passant right included.

        Errors are those of `tablebase.Tablebase.probe_dtm`.
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
                board.turn if not self._counts_checks else side_of_board(board),
            )
            location = self._locate(self.catalog.array, words)
        except AttributeError:
            if isinstance(board, chess.Board):
                raise
        else:
            is_usual = type(board) is self._board_type
            if not is_usual or board.ep_square is not None or board.castling_rights:
                if not self._is_chess:
                    return self._outcome_of_other(board)
                return self._outcome_or_end(board, self._outcome_of_special)
            try:
                stored = self._pages[location >> PAGE_BITS][location & _OFFSET]
            except KeyError:
                return self._outcome_elsewhere(board, location)
            return self._meanings[stored] if self._meanings else stored
        return self._outcome_of_other(board)

    def refusal(self, board: Any) -> MissingTableError | UnsupportedPositionError | None:
        """Return the error for a position that no table has, None if a table has it."""
        try:
            self.outcome(board)
        except (MissingTableError, UnsupportedPositionError) as error:
            return error
        return None

    def _locate_first(self, catalog: NDArray[np.int64], words: tuple[int, ...]) -> int:
        """Locate the first boards in Python, and compile the kernel once there are more."""
        if locate.is_awaited:
            return int(locate.in_python(catalog, tuple(map(np.uint64, words))))
        self._locate = compiled_locate()
        return self._locate(catalog, words)

    def _outcome_or_end(self, board: Any, find: Callable[[Any], int]) -> int:
        """Return the outcome that is found; the end of a game needs no table."""
        try:
            return find(board)
        except (MissingTableError, UnsupportedPositionError):
            outcome = as_position(board, self.rules).final_outcome()
            if outcome is None or not self._tells_results:
                raise
            return outcome

    def _outcome_elsewhere(self, board: chess.Board, location: int) -> int:
        """Return the outcome of a board whose location is not in memory, or none at all."""
        if abs(location - OVER) <= 1:
            return ARRIVED_OUTCOME if location < OVER else OVER - location
        if not self._is_chess:
            return self._outcome_of_other(board)
        return self._outcome_or_end(board, self._slow_outcome)

    def _slow_outcome(self, board: chess.Board) -> int:
        """Return the outcome of a board without looking at rights; open what is needed."""
        stored = self._stored(lambda: self._locate(self.catalog.array, board_words(board)))
        if stored is None:
            check_supported(board)
            raise AssertionError(f"no location of {board.fen()}")
        return stored

    def _stored(self, find: Callable[[], int]) -> int | None:
        """Return the outcome at the location that is found; open what is needed, None for none."""
        with self.lock:
            location = find()
            if location <= UNKNOWN_TABLE:
                self._enter(material_numbered(UNKNOWN_TABLE - location, self.rules).normalized())
                location = find()
            if location >= 0:
                stored = self._cache.load(location >> PAGE_BITS)[location & _OFFSET]
                return self._meanings[stored] if self._meanings else stored
        return 0 if location == BARE_KINGS else None

    # Positions of chess with rights

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
        if self._locate(self.catalog.array, board_words(board)) in (ILLEGAL, TOO_MANY_MEN):
            check_supported(board)
        return self.castling.outcome(board, rights)

    # Positions of other games

    def _outcome_of_other(self, board: Any) -> int:
        """Return the outcome of a position that is no board with rules of its own."""
        if self._is_chess:
            message = f"expected a chess.Board, not {quoted(board)}: write chess.Board(FEN)"
            raise TypeError(message)
        setup = as_position(board, self.rules).board
        assert isinstance(setup, Setup), "boards of chess have a reader of their own"
        try:
            location = self._location_of(setup)
            stored = self._pages[location >> PAGE_BITS][location & _OFFSET]
            is_known = setup.ep_square is None
        except (KeyError, ValueError, TypeError):  # of what is no square, too
            is_known = False
        if is_known:
            return self._meanings[stored] if self._meanings else stored
        check_setup(setup)
        return self._outcome_or_end(setup, self._outcome_of_setup)

    def _outcome_of_setup(self, setup: Setup) -> int:
        """Return the outcome of a legal position."""
        stored = self.stored_outcome(setup)
        if not any(setup.en_passant()):
            return stored
        return en_passant_outcome(setup, stored, self.outcome, self.metric)

    def stored_outcome(self, setup: Setup) -> int:
        """Return the outcome of a legal position without looking at rights; open what is needed."""
        check_men(setup)
        stored = self._stored(lambda: self._location_of(setup))
        if stored is None:
            raise AssertionError(f"no location of {setup}")
        return stored

    def _location_of(self, setup: Setup) -> int:
        """Return the location of a setup without looking at rights, or the reason for none."""
        numbers, columns = _row_of(setup.material)
        if len(setup.squares) != len(setup.material.men):
            raise ValueError("each piece needs a square")
        squares = np.frombuffer(bytearray(setup.squares), np.uint8)[np.newaxis]
        location = np.empty(1, dtype=np.int64)
        find = locate_rows.in_python if locate_rows.is_awaited else locate_rows
        find(self.catalog.array, numbers, squares, columns, _SIDES[side_of(setup)], location)
        return int(location[0])


@lru_cache(maxsize=256)
def _row_of(material: Material) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of a material and the columns of its men, for `locate_rows`."""
    return np.array([number_of(material) or TOO_MANY_MEN]), row_columns(material)
