"""Results of positions that no table has, from the other kinds of files in the same folders."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import chess
import numpy as np

from tablebase.core.ground.argument_readers import as_flag
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.ground.parallel import as_threads
from tablebase.core.ground.seams import kinds_of_files
from tablebase.core.positions.any_position import as_position

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tablebase.core.answers.ranking import KnownMove
    from tablebase.core.positions.position import Board
    from tablebase.core.reading.given import Given
    from tablebase.core.reading.reader import OutcomeReader

_Error = MissingTableError | UnsupportedPositionError


class Source(Protocol):
    """The results in one kind of file, of boards of chess, in the folders of a reader.

    The module of a kind opens it by ``open_source(reader)``.
    """

    @property
    def paths(self) -> Sequence[Path]:
        """The files that there are now."""

    def result(self, board: chess.Board) -> int | None:
        """Return a proven result, -1, 0 or 1 for the side to move; None if there is none.

        Raises `OSError` if a file cannot be read, and no other file has the result.
        """

    def why_not(self, board: chess.Board, error: _Error) -> _Error:
        """Return the error for a position without a result here, which has none of tables."""

    def why_no_distance(self, board: chess.Board, error: _Error) -> _Error:
        """Return the error for a position whose result is known without a distance."""

    def rank(
        self, board: chess.Board, result: int, wdl_of: Callable[[chess.Board], int | None]
    ) -> list[KnownMove[chess.Move]]:
        """Return every move of a position with a result; `wdl_of` gives results after moves."""

    def close(self) -> None:
        """Close all files. It may be called again."""


class ProvenResults:
    """All kinds of files beside the tables of a reader."""

    def __init__(self, reader: OutcomeReader) -> None:
        self._reader = reader

    @cached_property
    def _sources(self) -> list[Source]:
        """The kinds of files, whose modules are imported when no table has a position."""
        return [kind.open_source(self._reader) for kind in kinds_of_files().values()]

    def close(self) -> None:
        """Close all files. It may be called again."""
        for source in vars(self).get("_sources", ()):
            source.close()

    def wdl(self, board: Board | str, error: _Error) -> int:
        """Return the proven result of a position, which no table has because of `error`.

        Else the error names the files that were asked; `CorruptTableError` for a damaged file.
        """
        return self._find(board, error)[2]

    def _find(self, board: Board | str, error: _Error) -> tuple[Source, chess.Board, int]:
        """Return the first source with a result, and the result; errors are as in `wdl`."""
        if not isinstance(board, chess.Board):
            raise error
        for source in self._sources:
            result = source.result(board)
            if result is not None:
                return source, board, result
            error = source.why_not(board, error)
        raise error

    def no_distance(self, board: Board | str, error: _Error) -> NoReturn:
        """Raise the error for a position without a distance, which no table has."""
        try:
            source, known, _ = self._find(board, error)
        except (MissingTableError, UnsupportedPositionError):
            raise error from None
        raise source.why_no_distance(known, error)

    def rank(self, board: Board) -> list[KnownMove[Any]]:
        """Return all moves of a position with a proven result, best first; errors as in `wdl`."""
        error = self._reader.refusal(board)
        if error is None:
            fen = as_position(board).fen
            error = MissingTableError(f"no result of {fen} is proven and saved")
        source, known, result = self._find(board, error)
        return source.rank(known, result, self._wdl_of)

    def _wdl_of(self, board: chess.Board) -> int | None:
        """Return the result of a position by a table, or proven; None if it is not known."""
        try:
            outcome = self._reader.outcome(board)
            return (outcome > 0) - (outcome < 0)
        except (MissingTableError, UnsupportedPositionError):
            return self._result(board)

    def _result(self, board: Board) -> int | None:
        if not isinstance(board, chess.Board):
            return None
        found = (source.result(board) for source in self._sources)
        return next((result for result in found if result is not None), None)

    def wdl_many(
        self,
        given: Given,
        *,
        threads: int | None = None,
        skip_missing: bool = False,
    ) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """Return the results of given positions, by tables where tables have them.

        See `tablebase.Tablebase.probe_wdl_many`.
        """
        skip_missing, threads = as_flag("skip_missing", skip_missing), as_threads(threads)
        skips = skip_missing or any(source.paths for source in self._sources)
        outcomes, valid = self._reader.outcomes_of(given, threads, skip_missing=skips)
        results, absent = np.sign(outcomes).astype(np.int8), []
        for i in np.flatnonzero(~valid).tolist() if skips else ():
            if i in given.errors:
                continue
            board = given.board(i)
            result = self._result(board)
            if result is not None:
                results[i], valid[i] = result, True
            else:
                absent.append(board)
        if absent and not skip_missing:
            self._reader.outcomes_many(absent, threads=threads)  # the error names all tables
        return results, valid
