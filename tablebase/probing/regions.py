"""Results of positions beyond the tables: regions that were solved, in the folders of tables."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from tablebase.errors import CorruptTableError, MissingTableError, UnsupportedPositionError
from tablebase.outcomes import WDL_OF_CODE
from tablebase.positions import CHESS_VARIANT, illegality
from tablebase.probing.folders import Folders
from tablebase.probing.forks import READERS, ForkLock
from tablebase.probing.given import readable
from tablebase.solving import bounds_in, rank_proven, structure_of, with_queens
from tablebase.storage import RegionFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import chess
    from numpy.typing import NDArray

    from tablebase.probing.given import GivenPositions
    from tablebase.probing.reader import CodeReader
    from tablebase.solving import Bounds, Distance, ProvenMove, ZeroingDistances

# ZeroingDistances that are kept in memory, in bytes: of five structures of two pieces each.
_MOST_KEPT = 5 << 26
_Error = MissingTableError | UnsupportedPositionError
_Sign = tuple[int, int, int]  # inode, time, size


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
        The reader of the same folders.

    Attributes
    ----------
    lock : RLock
        Held while a file is opened or distances are found. Threads that read tables, or files that
        are open, do not wait for it. Who holds it never waits for the reader's lock, since a fork
        takes both in any order.
    """

    def __init__(self, reader: CodeReader) -> None:
        self._reader = reader
        self.lock = RLock()
        # Held while an open file is read: in a child, h5py's own lock does not recover from threads
        # that waited for it when the process was forked.
        self._reading = ForkLock()
        # By path and version: the file, or the reason why it was refused.
        self._files: dict[Path, tuple[_Sign, RegionFile | str]] = {}
        self._measured: dict[tuple[Any, ...], ZeroingDistances] = {}
        READERS.add(self)

    def begin_anew_after_fork(self) -> None:
        """Forget the threads of the process that this one was forked from."""
        self.lock = RLock()

    def close(self) -> None:
        """Forget all files, which close as soon as nobody reads them."""
        with self.lock:
            self._files.clear()
            self._measured.clear()

    def _open(self, path: Path) -> tuple[_Sign, RegionFile]:
        """Return a file and its version.

        Raises
        ------
        CorruptTableError
            If it is damaged; it is read again only after it has changed.
        OSError
            If it no longer exists, or if the system refuses it.
        """
        status = path.stat()
        sign = status.st_ino, status.st_mtime_ns, status.st_size
        if (known := self._files.get(path)) is None or known[0] != sign:
            with self.lock:
                known = self._files.get(path)  # another thread may have opened it meanwhile
                if known is None or known[0] != sign:
                    known = None  # HDF5 would give the old file again while that is open
                    self._files.pop(path, None)
                    known = self._files[path] = sign, _open_or_refuse(path)
        if isinstance(known[1], str):
            raise CorruptTableError(known[1])
        return sign, known[1]

    def _paths(self, board: chess.Board) -> list[Path]:
        """Return the files in which a position may be."""
        if board.uci_variant != CHESS_VARIANT or board.castling_rights or illegality(board):
            return []
        return self._reader.regions()

    def _known(
        self, board: chess.Board, problems: list[OSError]
    ) -> Iterator[tuple[_Sign, RegionFile, Bounds]]:
        """Yield the files that have bounds on a result; note those that cannot be read."""
        for path in self._paths(board):
            try:
                sign, file = self._open(path)
                with self._reading.lock:
                    bounds = bounds_in(file, board)
            except (FileNotFoundError, MissingTableError):  # it was there just before
                continue
            except OSError as error:
                problems.append(error)
                continue
            if bounds is not None:
                yield sign, file, bounds

    def _bounds(self, board: chess.Board) -> Bounds | None:
        """Return the closest bounds on a result that there are, None if it is in no region.

        Raises
        ------
        OSError
            If a file cannot be read, and no other one has a proven result.
        """
        found: Bounds | None = None
        problems: list[OSError] = []
        for _, _, bounds in self._known(board, problems):
            found = bounds
            if bounds.result is not None:
                return found
        if problems:
            raise problems[0]
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
            If a file is damaged, and no other one has the result.
        """
        bounds = self._bounds(board)
        if bounds is not None and bounds.result is not None:
            return bounds.result
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
        given: GivenPositions,
        *,
        threads: int | None = None,
        skip_missing: bool = False,
    ) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """Return the results of boards and FENs, of tables if they have them.

        See `tablebase.Tablebase.probe_wdl_many`.
        """
        skips = skip_missing or bool(self._reader.regions())
        codes, valid = self._reader.codes_of_boards(given, threads, skip_missing=skips)
        results, absent = WDL_OF_CODE[codes], []
        for i in np.flatnonzero(~valid).tolist() if skips else ():
            if i in given.errors:
                continue
            board = given.board(i)
            bounds = self._bounds(board)
            if bounds is not None and bounds.result is not None:
                results[i], valid[i] = bounds.result, True
            else:
                absent.append(board)
        if absent and not skip_missing:
            self._reader.codes_of_boards(readable(absent), threads)  # the error names all tables
        return results, valid

    def rank(
        self, board: chess.Board, error: _Error, wdl_of: Callable[[chess.Board], int | None]
    ) -> list[ProvenMove]:
        """Return every legal move with what is proven of it, best first.

        Parameters
        ----------
        board, error
            As for `wdl`, whose errors are raised.
        wdl_of
            Gives the results of positions, None if one is not known.
        """
        result = self.wdl(board, error)
        return rank_proven(board, result, wdl_of, self._distances(board, result))

    def _distances(
        self, board: chess.Board, result: int
    ) -> Callable[[chess.Board, int], Distance | None] | None:
        """Return a function for the distances of a position's moves, None if there are none.

        Where the loser has a rook or bishop that a region left out, they are those of the best way
        to win against a queen in its place: no longer than that, the win is the winner's.
        """
        if distances := self._measured_around(board):
            return distances.after
        loser = board.turn if result <= 0 else not board.turn
        found = {
            structure_of(queens): distances
            for queens in with_queens(board, loser)
            if (distances := self._measured_around(queens))
        }

        def after(board: chess.Board, result: int) -> Distance | None:
            ways = (
                found[structure_of(queens)].after(queens, result)
                for queens in with_queens(board, loser)
                if structure_of(queens) in found
            )
            return min((one for one in ways if one), default=None)

        return after if found else None

    def _measured_around(self, board: chess.Board) -> ZeroingDistances | None:
        """Return the distances in the structure of a position, None if they cannot be had.

        Others wait meanwhile, so that no two find the same, or fill the memory together.
        """
        # Kernels: only who asks for distances needs them.
        from tablebase.solving import ZeroingDistances, region_around  # noqa: PLC0415

        for sign, file, bounds in self._known(board, []):
            if bounds.result is None:
                continue
            key = file.path, sign, structure_of(board)
            with self.lock, suppress(CorruptTableError):
                found = self._measured.pop(key, None)
                region = None if found else region_around(file, board)
                if region is not None:
                    with READERS.compiling:
                        found = ZeroingDistances(region, 0)
                if found is not None:
                    self._keep(key, found)
                    return found
        return None

    def _keep(self, key: tuple[Any, ...], found: ZeroingDistances) -> None:
        """Keep distances in memory, and let go of what has not been used for longest."""
        self._measured[key] = found
        while sum(one.bytes for one in self._measured.values()) > _MOST_KEPT:
            del self._measured[next(iter(self._measured))]

    def no_distance(self, board: chess.Board, error: _Error) -> NoReturn:
        """Raise the error why there is no distance: regions have results alone."""
        try:
            self.wdl(board, error)
        except (MissingTableError, UnsupportedPositionError):
            raise error from None
        raise MissingTableError(
            f"there is a proven result of {board.fen()} but no distance to mate: `rank_proven` "
            "tells how far the next capture or pawn move is"
        ) from error


def _open_or_refuse(path: Path) -> RegionFile | str:
    """Return a file, or why it is damaged."""
    try:
        return RegionFile(path)
    except CorruptTableError as error:
        return str(error)


def or_default(
    probe: Callable[[chess.Board], int], board: chess.Board, default: int | None
) -> int | None:
    """Return the answer of a probe, or a default if there is none."""
    try:
        return probe(board)
    except (MissingTableError, UnsupportedPositionError):
        return default
