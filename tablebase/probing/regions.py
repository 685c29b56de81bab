"""Results of positions beyond the tables: regions that were solved, in the folders of tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from tablebase.board import CHESS, WDL_OF_CODE, illegality
from tablebase.errors import MissingTableError, UnsupportedPositionError
from tablebase.probing.batch import GivenPositions, readable
from tablebase.probing.folders import Folders
from tablebase.probing.places import place_of
from tablebase.storage import RegionFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import chess
    from numpy.typing import NDArray

    from tablebase.probing.reader import CodeReader

Bounds = tuple[int, int]
UNKNOWN: Bounds = (-1, 1)
_Error = MissingTableError | UnsupportedPositionError


def bounds_in(file: RegionFile, board: chess.Board) -> Bounds | None:
    """Return the bounds that a region has on a result, from the side to move; None if it has none.

    Raises
    ------
    CorruptTableError
        If the file is damaged.
    """
    if not board.has_legal_en_passant():
        place = place_of(board)
        number = file.find(*place[:3])
        if number is None:
            return None
        own, other = place.turn, 1 - place.turn

        def wins(attacker: int, *, upper: bool) -> bool:
            return file.is_won(number, upper, attacker, place[3:])

        least = 1 if wins(own, upper=False) else -1 if wins(other, upper=True) else 0
        most = -1 if wins(other, upper=False) else 1 if wins(own, upper=True) else 0
        return least, most
    # The place of the position has the result without this right.
    found = []
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        found.append(bounds_in(file, after) or UNKNOWN)
    if all(one == UNKNOWN for one in found):
        return None
    return max(-most for _, most in found), max(-least for least, _ in found)


def regions_in(directories: Iterable[Path]) -> list[Path]:
    """Return the files of regions in some folders, by folder and name."""
    folders = Folders()
    for directory in directories:
        folders.add(directory)
    folders.refresh()
    return folders.regions


class Regions:
    """The regions in some folders. Files are opened when they are first asked for.

    Parameters
    ----------
    reader
        The reader of the same folders, whose lock forks wait for.
    """

    def __init__(self, reader: CodeReader) -> None:
        self._reader = reader
        self._files: dict[Path, tuple[tuple[int, int], RegionFile]] = {}

    def close(self) -> None:
        """Close all files."""
        with self._reader.lock:
            for _, file in self._files.values():
                file.close()
            self._files.clear()

    def _open(self, path: Path) -> RegionFile | None:
        try:
            status = path.stat()
        except FileNotFoundError:
            return None
        sign = status.st_ino, status.st_mtime_ns
        known = self._files.get(path)
        if known is None or known[0] != sign:
            if known is not None:
                known[1].close()
            self._files[path] = sign, RegionFile(path)
        return self._files[path][1]

    def _paths(self, board: chess.Board) -> list[Path]:
        """Return the files in which a position may be."""
        if board.uci_variant != CHESS or board.castling_rights or illegality(board):
            return []
        return self._reader.regions()

    def _bounds(self, board: chess.Board) -> Bounds | None:
        """Return the closest bounds on a result that there are, None if it is in no region."""
        found: Bounds | None = None
        with self._reader.lock:
            for path in self._paths(board):
                file = self._open(path)
                bounds = bounds_in(file, board) if file is not None else None
                if bounds is not None:
                    found = bounds
                    if bounds[0] == bounds[1]:
                        break
        return found

    def wdl(self, board: chess.Board, error: _Error) -> int:
        """Return the proven result of a position that no table has.

        Parameters
        ----------
        board
            The position.
        error
            Why no table has it: raised if there is no region either.

        Raises
        ------
        MissingTableError
            If it is in none of the regions, or not proven there.
        CorruptTableError
            If a file is damaged.
        """
        bounds = self._bounds(board)
        if bounds is not None and bounds[0] == bounds[1]:
            return bounds[0]
        paths = self._paths(board)
        if not paths:
            raise error
        where = "not in" if bounds is None else "not proven in"
        names = ", ".join(str(path) for path in paths[:3])
        more = f" and {len(paths) - 3} others" if len(paths) > 3 else ""
        raise MissingTableError(
            f"{error}; the position is {where} {names}{more}: solve it by `tablebase solve`"
        ) from error

    def wdl_many(
        self,
        positions: Sequence[chess.Board | str] | GivenPositions,
        threads: int | None,
        *,
        skip_missing: bool,
    ) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """Return the results of boards and FENs, of tables if they have them.

        See `tablebase.Tablebase.probe_wdl_many`.
        """
        given = positions if isinstance(positions, GivenPositions) else readable(positions)
        skips = skip_missing or bool(self._reader.regions())
        codes, valid = self._reader.codes_of_boards(given, threads, skip_missing=skips)
        results, absent = WDL_OF_CODE[codes], []
        for i in np.flatnonzero(~valid).tolist() if skips else ():
            if i in given.errors:
                continue
            board = given.board(i)
            bounds = self._bounds(board)
            if bounds is not None and bounds[0] == bounds[1]:
                results[i], valid[i] = bounds[0], True
            else:
                absent.append(board)
        if absent and not skip_missing:
            self._reader.codes_of_boards(absent, threads)  # the error names all tables
        return results, valid

    def no_distance(self, board: chess.Board, error: _Error) -> NoReturn:
        """Raise the error why there is no distance: regions have results alone."""
        try:
            self.wdl(board, error)
        except (MissingTableError, UnsupportedPositionError):
            raise error from None
        raise MissingTableError(
            f"there is only a proven result of {board.fen()}, no distance: regions have none"
        ) from error


def or_default(
    probe: Callable[[chess.Board], int], board: chess.Board, default: int | None
) -> int | None:
    """Return what a probe gives, or a default if there is none."""
    try:
        return probe(board)
    except (MissingTableError, UnsupportedPositionError):
        return default
