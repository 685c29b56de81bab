"""Tables of a game as one object: a board in, a distance to mate or to zeroing out.

Distances to mate disregard the 50-move rule; distances to zeroing show whether a result stands.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, overload

import chess
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tablebase.core.answers import canonical, ranking
from tablebase.core.answers.helpmates import HelpmateProbes
from tablebase.core.answers.known import line_from
from tablebase.core.answers.notebooks import RankedMoves, ShownTables
from tablebase.core.answers.sources import ProvenResults
from tablebase.core.castling.solved_sets import CASTLING_MEMORY
from tablebase.core.ground.argument_readers import as_flag, as_number, as_paths
from tablebase.core.ground.closing import Closing
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.ground.words import counted
from tablebase.core.outcomes.metrics import (
    DTM,
    DTZ,
    Metric,
    Wdl50,
    signed,
    signed_array,
    signed_by_outcome,
    wdl50,
    wdl50_array,
)
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.position import Board
from tablebase.core.positions.setup import Setup, SetupMove
from tablebase.core.reading.batch import answer_or_default, asked_like
from tablebase.core.reading.folders import as_rules
from tablebase.core.reading.given import Given, SquarePositions
from tablebase.core.reading.reader import DEFAULT_CACHE_SIZE, OutcomeReader
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Rules

Asked: TypeAlias = "Board | str"
_Probe: TypeAlias = "Callable[[Any], int]"
_Ranked: TypeAlias = "ranking.RankedMove[chess.Move]"
_RankedOther: TypeAlias = "ranking.RankedMove[SetupMove]"


class Tablebase(HelpmateProbes, ShownTables, Closing):
    """Tables of a game in some directories, probed by position.

    Several threads may probe at once, also after a fork. A file is opened when it is first needed
    and stays open until `close`. As a context manager, the tablebase closes itself. It finds
    tables that are added to its directories while it is open, and misses those that are removed.
    A pickled or copied tablebase opens the same directories again.

    Positions of chess are boards of python-chess. Those of other games are FENs, or the setups that
    `tablebase.core.positions.setup_fens.read_setup` makes of them, whose moves are `SetupMove`.

    Parameters
    ----------
    directories
        Folders of tables; see `add_directory`.
    rules, cache_size, castling_size
        As in `open_tablebase`, which has an example.

    Attributes
    ----------
    rules : Rules
        The rules of the game.
    castling_sets : dict of SolvedSets
        The values of positions with castling rights by metric; none in other games than chess.
    sources : ProvenResults
        The results of positions that no table has, which are proven in other files of the folders.
    """

    def __init__(
        self,
        directories: Iterable[str | os.PathLike[str]] = (),
        *,
        rules: Rules | str = "chess",
        cache_size: int = DEFAULT_CACHE_SIZE,
        castling_size: int = CASTLING_MEMORY,
    ) -> None:
        self.rules = as_rules(rules)
        sizes = {"cache_size": cache_size, "castling_size": castling_size}
        self._sizes = {name: as_number(name, size) for name, size in sizes.items()}
        self._reader, self._zeroing_reader = (
            OutcomeReader(metric=metric, rules=self.rules, **self._sizes) for metric in (DTM, DTZ)
        )
        self.castling_sets = self._reader.castling_sets | self._zeroing_reader.castling_sets
        self._distance_of: list[int] = signed_by_outcome(self._reader.metric).tolist()
        self._results = self._reader if self.rules.distance_tells else self._zeroing_reader
        self.sources = ProvenResults(self._results)
        self._outcome, self._zeroing = self._reader.outcome, self._zeroing_reader.outcome
        for directory in as_paths("directories", directories):
            self.add_directory(directory)

    def __reduce__(self) -> tuple[Any, ...]:
        paths = self._reader.folders.absolute_paths
        return partial(Tablebase, paths, rules=self.rules, **self._sizes), ()

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.directories)) or "no directory"
        game = f" of {self.rules.name}" if self.rules.mark else ""
        return f"<Tablebase: {counted(len(self.available_tables), 'table')}{game} in {names}>"

    def close(self) -> None:
        """Close all files. It may be called again."""
        self.sources.close()
        for one in (self._reader, self._zeroing_reader, *self._helpmate_readers):
            one.close()

    def add_directory(self, directory: str | os.PathLike[str]) -> int:
        """Make the tables in a directory available.

        Parameters
        ----------
        directory
            Folder of files named like ``KRNK.h5``, in any case, in which tables of other games than
            chess have a folder of their own. Other files are ignored, and what cannot be read is
            named by a `RuntimeWarning`. A material that is already available keeps its file.

        Returns
        -------
        int
            Number of tables added.

        Raises `FileNotFoundError` if there is no such directory.
        """
        self._zeroing_reader.add_directory(directory)
        return self._reader.add_directory(directory)

    @property
    def directories(self) -> tuple[Path, ...]:
        """The directories, in the order of search."""
        return tuple(self._reader.folders.directories)

    @property
    def available_materials(self) -> tuple[Material, ...]:
        """The materials of the available tables, simpler ones first."""
        return tuple(self._reader.available_tables())

    @property
    def available_tables(self) -> dict[str, Path]:
        """The file of each available material, by name."""
        found = self._reader.available_tables()
        return {material.name: path for material, path in found.items()}

    # One position

    def probe_dtm(self, board: Asked) -> int:
        """Return the distance to mate in plies.

        Parameters
        ----------
        board
            A legal position with its rights. Up to five men, positions with castling rights are
            solved when first asked for, from the tables of all that they lead to.

        Returns
        -------
        int
            Plies to mate with best play by both sides: positive if the side to move wins, negative
            if it loses, 0 for a draw, or if it is checkmated or has won by having no move.

        Raises
        ------
        MissingTableError
            If the table of this material is not available.
        UnsupportedPositionError
            If there are too many men (five with castling rights), or it is illegal or a variant's.
        CorruptTableError
            If the file is damaged.
        TypeError
            If it is not a board; FENs of chess are for `probe_dtm_many`.
        """
        try:
            return self._distance_of[self._outcome(board)]
        except (MissingTableError, UnsupportedPositionError) as error:
            self.sources.no_distance(board, error)

    def probe_wdl(self, board: Asked) -> int:
        """Return the result with best play: 1 for a win of the side to move, 0 for a draw, else -1.

        Unlike a distance of 0, it distinguishes ends of games from draws. It includes results that
        `tablebase solve` has proven and saved in a directory. Raises what `probe_dtm` does.
        """
        try:
            outcome = self._results.outcome(board)
        except (MissingTableError, UnsupportedPositionError) as error:
            return self.sources.wdl(board, error)
        return (outcome > 0) - (outcome < 0)

    def probe_dtz(self, board: Asked) -> int:
        """Return the distance to zeroing: plies to the next capture, pawn move or mate.

        It is exact, whereas Syzygy tables may be one ply off. Signs are those of `chess.syzygy`.

        Parameters
        ----------
        board
            A legal position. Its clock does not count: wins stand if clock + plies is at most 100.

        Returns
        -------
        int
            Plies with best play by both sides: positive if the side to move wins, negative if it
            loses, -1 if it is checkmated, 0 for a draw. Beyond 100 (below -100), 100 has been added
            to a win (loss) that the 50-move rule turns into a draw even with a clock of 0.

        Raises what `probe_dtm` does, also if the table has no distances to zeroing.
        """
        return signed(self._zeroing(board), self._zeroing_reader.metric)

    def probe_wdl50(self, board: Asked) -> Wdl50:
        """Return the result under the 50-move rule, for a halfmove clock of 0.

        The values are those of `chess.syzygy.Tablebase.probe_wdl`: 2 for a win, 1 for a cursed
        win, 0 for a draw, -1 for a blessed loss, -2 for a loss. `rank_moves` considers the clock.
        Raises what `probe_dtz` does.
        """
        return wdl50(self._zeroing(board), offset=self.rules.ply_offset)

    # The same with a default, which never hides a `CorruptTableError`

    def get_dtm(self, board: Asked, default: int | None = None) -> int | None:
        """Return the result of `probe_dtm`, or a default if there is none."""
        return answer_or_default(self.probe_dtm, board, default)

    def get_wdl(self, board: Asked, default: int | None = None) -> int | None:
        """Return the result of `probe_wdl`, or a default if there is none."""
        return answer_or_default(self.probe_wdl, board, default)

    def get_dtz(self, board: Asked, default: int | None = None) -> int | None:
        """Return the result of `probe_dtz`, or a default if there is none."""
        return answer_or_default(self.probe_dtz, board, default)

    def get_wdl50(self, board: Asked, default: int | None = None) -> int | None:
        """Return the result of `probe_wdl50`, or a default if there is none."""
        return answer_or_default(self.probe_wdl50, board, default)

    def probe_outcome(self, board: Asked, metric: Metric | None = None) -> int:
        """Return the outcome: n for a win in n plies, -n - 1 for a loss in n, 0 for a draw.

        Plies to mate, or to zeroing if asked or if only that tells who wins; errors: `probe_dtm`.

        >>> import chess
        >>> with Tablebase(["data"]) as tables:
        ...     tables.probe_outcome(chess.Board("8/8/8/8/8/2k5/8/KR6 b - - 0 1"))  # a loss in 30
        -31
        """
        own = {None: self._results, DTM: self._reader}.get(metric, self._zeroing_reader)
        return own.outcome(board)

    # Moves

    @overload
    def rank_moves(self, board: chess.Board, *, rule50: bool = ...) -> list[_Ranked]: ...
    @overload
    def rank_moves(self, board: Setup | str, *, rule50: bool = ...) -> list[_RankedOther]: ...
    def rank_moves(self, board: Any, *, rule50: bool = True) -> list[ranking.RankedMove[Any]]:
        """Return all legal moves with their results and distances, best first.

        Parameters
        ----------
        board
            The position. Its halfmove clock counts under the 50-move rule.
        rule50
            Whether the 50-move rule is in force, in a game that has it. With it, the order is wins,
            cursed wins, draws, blessed losses, losses; without it wins, draws, losses. Among equal
            results, the fastest mate or the longest defence comes first.

        Raises what `probe_dtm` does, for the position and those after each move. Distances to
        zeroing are needed only if mate comes too late for the rule.
        """
        self._results.outcome(board)
        position = as_position(board, self.rules)
        ranked = ranking.rank_moves(position, *self._outcomes(rule50=rule50))
        return RankedMoves(ranked, position)

    def _outcomes(self, *, rule50: bool) -> tuple[_Probe, _Probe | None]:
        """Return the probes of outcomes to mate, and to zeroing under the 50-move rule."""
        is_in_force = as_flag("rule50", rule50) and self.rules.fifty_moves
        return self._results.outcome, self._zeroing if is_in_force else None

    @overload
    def best_move(self, board: chess.Board, *, rule50: bool = ...) -> chess.Move | None: ...
    @overload
    def best_move(self, board: Setup | str, *, rule50: bool = ...) -> SetupMove | None: ...
    def best_move(self, board: Any, *, rule50: bool = True) -> Any:
        """Return the first move of `rank_moves`, None if there is no legal move.

        Under the 50-move rule it keeps every win that can be kept, by the shortest mate among the
        moves that keep it. Without a table, it is the first proven move. Errors: see `rank_moves`.
        """
        if self._results.refusal(board):
            position = as_position(board, self.rules)
            return next((one.move for one in self.sources.rank(position.board)), None)
        return next((one.move for one in self.rank_moves(board, rule50=rule50)), None)

    @overload
    def mainline(self, board: chess.Board, *, rule50: bool = ...) -> list[chess.Move]: ...
    @overload
    def mainline(self, board: Setup | str, *, rule50: bool = ...) -> list[SetupMove]: ...
    def mainline(self, board: Any, *, rule50: bool = True) -> list[Any]:
        """Return the best moves of both sides up to checkmate.

        Arguments and errors are those of `rank_moves`. Under the 50-move rule, the line ends where
        a draw can be claimed.

        Returns
        -------
        list of moves
            The moves, empty for a draw or at the end of a game. Their number is the distance to
            mate, or more if the 50-move rule rules out the shortest way. Positions without
            a table follow the proven moves, until a table has the position.
        """
        self._results.refusal(board)  # raises an error for what is no position at all
        position, outcomes = as_position(board, self.rules), self._outcomes(rule50=rule50)
        return line_from(self, position, lambda here: ranking.mainline(here, *outcomes))

    def canonical_position(self, board: Asked) -> canonical.CanonicalPosition:
        """Return the symmetric image of a position that its table stores.

        Raises `UnsupportedPositionError` as `probe_dtm` does. The table need not be available.
        """
        return canonical.canonical_position(as_position(board, self.rules).board)

    # Many positions

    def read_positions(self, texts: Iterable[str]) -> Given:
        """Return FENs and EPDs, read once for any number of the questions below.

        What cannot be read is invalid, and among the ``errors`` by number; ``clocks`` has the
        halfmove clocks, int32 [n], which EPDs give as ``hmvc``.
        """
        return self._reader.given_texts(texts)

    def probe_dtm_many(
        self,
        positions: Any,
        material: Material | str | None = None,
        turn: ArrayLike | None = None,
        *,
        checks: ArrayLike | None = None,
        threads: int | None = None,
        skip_missing: bool = False,
    ) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return the distances to mate of many positions.

        Parameters
        ----------
        positions
            Boards, setups and FENs of any materials; or what `read_positions` returned, in which
            unreadable ones are invalid; or integers, squares of shape [n, men], with the men in
            the order of ``material.men``: white king, black king, White's others, Black's others.
            Lists, and arrays, series and columns of NumPy, pandas, polars and Arrow may hold them.
        material
            With squares: the men, by name or as a `Material`. Either side may be the stronger one.
        turn
            With squares: whether White is to move, one value or shape [n].
        checks
            With squares, if the game counts them: checks left to White and Black, or shape [n, 2].
        threads
            Number of threads, by default one for each processor.
        skip_missing
            Count positions without an available table as invalid, instead of raising an error.

        Returns
        -------
        tuple
            Signed distances as in `probe_dtm` in plies, int16 [n], and whether each position has a
            value, bool [n]. Invalid positions have distance 0.

        Raises `MissingTableError`, which names all tables that are known to be missing,
        `CorruptTableError`, `ValueError` if a FEN cannot be read or squares do not fit, and
        `TypeError` if an element is no position.
        """
        outcomes, valid = self._reader.outcomes_many(
            positions, material, turn, checks=checks, threads=threads, skip_missing=skip_missing
        )
        return signed_array(outcomes, self._reader.metric), valid

    @asked_like(probe_dtm_many)
    def probe_wdl_many(
        self, positions: Any, material: Any = None, turn: Any = None, **how: Any
    ) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """Return the results of many positions, -1, 0 or 1 as in `probe_wdl`, int8 [n].

        Everything else is as in `probe_dtm_many`. Boards and FENs also get results that
        `tablebase solve` has proven and saved.
        """
        given = self._reader.given(positions, material, turn, how.pop("checks", None))
        if not isinstance(given, SquarePositions):
            return self.sources.wdl_many(given, **how)
        outcomes, valid = self._results.outcomes_many(given, **how)
        return np.sign(outcomes).astype(np.int8), valid

    def probe_wdl_planes(
        self, squares: ArrayLike, material: Material, *, turn: bool, checks: Any = None
    ) -> NDArray[np.uint64]:
        """Return the results of all placements of the kings, while the other men stay.

        Squares, integers [n, men], are those of ``material.men[2:]``; White is to move if `turn`,
        and `checks` may be left. The sets, uint64 [n, 3, 64], are the positions won for the side to
        move, those lost, and all legal ones; bit j of word i has White's king on i, Black's on j.

        Raises `MissingTableError`, `CorruptTableError`, `UnsupportedPositionError` if there are too
        many men, and `ValueError` if the array does not fit the material.

        >>> with Tablebase(["data"]) as tables:  # with the rook on b2, square 9
        ...     planes = tables.probe_wdl_planes([[9]], Material.from_name("KRK"), turn=True)
        >>> np.bitwise_count(planes).sum(axis=(0, 2)).tolist()  # won, lost and legal
        [2750, 0, 2750]
        """
        return self._results.planes(squares, material, turn=turn, checks=checks)

    @asked_like(probe_dtm_many)
    def probe_dtz_many(
        self, *given: Any, **how: Any
    ) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return the distances to zeroing of many positions, as in `probe_dtz`, int16 [n].

        Everything else is as in `probe_dtm_many`. Tables without these distances count as missing.
        """
        outcomes, valid = self._zeroing_reader.outcomes_many(*given, **how)
        return signed_array(outcomes, self._zeroing_reader.metric), valid

    @asked_like(probe_dtm_many)
    def probe_wdl50_many(
        self, *given: Any, **how: Any
    ) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """Return the results of many positions, -2 to 2 as in `probe_wdl50`, int8 [n].

        Everything else is as in `probe_dtz_many`.
        """
        outcomes, valid = self._zeroing_reader.outcomes_many(*given, **how)
        return wdl50_array(outcomes, offset=self.rules.ply_offset), valid
