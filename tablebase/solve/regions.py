"""Results of positions beyond the tables: regions that were solved, in the folders of tables."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from tablebase.core.ground.errors import (
    CorruptTableError,
    MissingTableError,
    UnsupportedPositionError,
)
from tablebase.core.positions.chess_board import CHESS_VARIANT, illegality
from tablebase.core.reading.forks import READERS, ForkLock
from tablebase.solve.bounds import bounds_in, with_queens
from tablebase.solve.places import structure_of
from tablebase.solve.plans import rank_by_results
from tablebase.solve.region_file import REGION_SUFFIX, RegionFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import chess

    from tablebase.core.answers.known import Results
    from tablebase.core.answers.ranking import KnownMove
    from tablebase.core.reading.reader import OutcomeReader
    from tablebase.solve.bounds import Bounds
    from tablebase.solve.measuring import ZeroingDistances
    from tablebase.solve.plans import Distance

# ZeroingDistances that are kept in memory, in bytes: of five structures of two pieces each.
_MOST_KEPT = 5 << 26
_Error = MissingTableError | UnsupportedPositionError
_Sign = tuple[int, int, int]  # inode, time, size


class Regions:
    """The regions in the folders of a reader. Files are opened when they are first asked for.

    `lock` is held while a file is opened or distances are found. Its holder never waits for the
    reader's lock, since a fork takes both in any order.
    """

    def __init__(self, reader: OutcomeReader) -> None:
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
        """Forget the threads of the process that was forked."""
        self.lock = RLock()

    def close(self) -> None:
        """Forget all files, which close as soon as nobody reads them."""
        with self.lock:
            self._files.clear()
            self._measured.clear()

    def _open(self, path: Path) -> tuple[_Sign, RegionFile]:
        """Return a file and its version; a damaged file is read again only after it has changed.

        Raises `CorruptTableError` if it is damaged, `OSError` if it is gone or refused.
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

    @property
    def paths(self) -> list[Path]:
        """The files that there are now, by folder and name."""
        return self._reader.other_files(REGION_SUFFIX)

    def _paths(self, board: chess.Board) -> list[Path]:
        """Return the files in which a position may be."""
        if board.uci_variant != CHESS_VARIANT or board.castling_rights or illegality(board):
            return []
        return self.paths

    def _known(
        self, board: chess.Board, problems: list[OSError]
    ) -> Iterator[tuple[_Sign, RegionFile, Bounds]]:
        """Yield the files that have bounds on a result; note files that cannot be read."""
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
        """Return the closest known bounds on a result, None if it is in no region.

        Raises `OSError` if a file cannot be read, and no other file has a proven result.
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

    def result(self, board: chess.Board) -> int | None:
        """Return the proven result of a position, None if there is none.

        Raises `OSError` if a file cannot be read, and no other file has the result.
        """
        bounds = self._bounds(board)
        return None if bounds is None else bounds.result

    def why_not(self, board: chess.Board, error: _Error) -> _Error:
        """Return the error for a position without a result here: the tables', with the files."""
        paths = self._paths(board)
        if not paths:
            return error
        where = "not in" if self._bounds(board) is None else "not proven in"
        names = ", ".join(str(path) for path in paths[:3])
        more = f" and {len(paths) - 3} others" if len(paths) > 3 else ""
        found = MissingTableError(
            f"{error}; the position is {where} {names}{more}: solve it with `tablebase solve`"
        )
        found.__cause__ = error
        return found

    def why_no_distance(self, board: chess.Board, error: _Error) -> _Error:
        """Return the error for a position that has a result here, but no distance to mate."""
        found = MissingTableError(
            f"there is a proven result of {board.fen()} but no distance to mate: "
            "`tablebase.solve.regions.rank_proven` tells how far the next capture or pawn move is"
        )
        found.__cause__ = error
        return found

    def rank(
        self, board: chess.Board, result: int, wdl_of: Callable[[chess.Board], int | None]
    ) -> list[KnownMove[chess.Move]]:
        """Return every legal move with what is proven of it, best first; see `rank_by_results`."""
        return rank_by_results(board, result, wdl_of, self._distances(board, result))

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
        from tablebase.solve.measuring import ZeroingDistances, region_around  # noqa: PLC0415

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


def _open_or_refuse(path: Path) -> RegionFile | str:
    """Return a file, or the error if it is damaged."""
    try:
        return RegionFile(path)
    except CorruptTableError as error:
        return str(error)


def rank_proven(tables: Results, board: chess.Board) -> list[KnownMove[chess.Move]]:
    """Return all legal moves with the results that `tablebase solve` has saved, best first.

    Parameters
    ----------
    tables
        What has them in its folders.
    board
        A position whose result is proven in a region. No table is needed.

    Returns
    -------
    list[KnownMove]
        Wins, draws, losses. Wins are ordered by the material that they give up, then by the
        distance to the next capture, pawn move or mate, so the first move always makes progress.
        The longest losses come first. Moves without a proven result come before draws if the
        position is won, else after them.

    Raises what `tablebase.Tablebase.probe_wdl` does.

    Examples
    --------
    >>> import chess, tempfile
    >>> from tablebase import open_tablebase, solve_position
    >>> board = chess.Board("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     solution = solve_position(board, "60s,1GB", save=f"{folder}/trebuchet.region")
    ...     with open_tablebase(folder) as tables:
    ...         best = rank_proven(tables, board)[0]
    >>> board.san(best.move), best.wdl.name, best.dtz_without_rule50
    ('Kd6', 'LOSS', -2)
    """
    return tables.sources.rank(board)
