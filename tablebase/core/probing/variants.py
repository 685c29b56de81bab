"""Tables of other games than chess: a position in, a result and a distance out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tablebase.core.board import Color
from tablebase.core.closing import Closing
from tablebase.core.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.index import table_index
from tablebase.core.outcomes import DTM, Metric, Outcome
from tablebase.core.positions import Setup, SetupMove, check_setup, read_setup
from tablebase.core.probing.folders import Folders, FoundTable
from tablebase.core.rules import Material, Rules, generation_key
from tablebase.core.storage import TableFile, open_table, slot_of_index, slot_order

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Chunks of 65,536 codes that stay in memory.
CHUNKS_KEPT = 256


class RankedSetupMove(NamedTuple):
    """A legal move and the outcome for the side that makes it."""

    move: SetupMove
    outcome: Outcome


class VariantTablebase(Closing):
    """The tables of some directories by rules of a game.

    Positions are `Setup` or their FENs, with the letters of the rules. Used as a context manager,
    it closes itself. `tablebase.Tablebase` probes boards of python-chess, and is much faster.

    Parameters
    ----------
    rules : Rules
        The rules of the tables; tables by others are not looked at.
    directories : iterable of path
        Folders of tables; see `add_directory`.

    Examples
    --------
    >>> from tablebase.core.rules import CHESS
    >>> with VariantTablebase(CHESS, directories=["data"]) as tables:
    ...     tables.probe_position("8/8/8/8/8/2k5/1R6/K7 w")
    31
    """

    def __init__(self, rules: Rules, *, directories: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.rules = rules
        self._folders = Folders(rules)
        self._files: dict[Material, tuple[FoundTable, TableFile]] = {}
        self._chunk = lru_cache(maxsize=CHUNKS_KEPT)(self._read_chunk)
        for directory in directories:
            self.add_directory(directory)

    def __repr__(self) -> str:
        places = ", ".join(map(str, self.directories)) or "no directory"
        count = len(self.available_tables)
        return f"<VariantTablebase: {count} tables of {self.rules.name} in {places}>"

    def close(self) -> None:
        """Close all files and forget the folders; harmless if done before."""
        self._chunk.cache_clear()
        for _, file in self._files.values():
            file.close()
        self._files.clear()
        self._folders.clear()

    def add_directory(self, directory: str | os.PathLike[str]) -> int:
        """Make the tables in a directory available, and return how many were added.

        Parameters
        ----------
        directory
            Folder of tables, within which those of the rules have a folder of their own.

        Raises
        ------
        FileNotFoundError
            If there is no such directory.
        """
        path = Path(directory)
        with os.scandir(path):  # an error if there is no folder
            before = len(self._folders.tables)
            self._folders.add(path)
            self._folders.refresh()
            return len(self._folders.tables) - before

    @property
    def directories(self) -> tuple[Path, ...]:
        """The directories in the order in which they are searched."""
        return tuple(self._folders.directories)

    @property
    def available_tables(self) -> dict[str, Path]:
        """The file of each material that is available, by name, simpler materials first."""
        found = self._folders.tables
        return {one.name: found[one].path for one in sorted(found, key=generation_key)}

    def probe_position(
        self, position: Setup | str, metric: Metric = DTM, *, pushed: int | None = None
    ) -> Outcome:
        """Return result and distance of a position for the side to move.

        Parameters
        ----------
        position
            The position, or its FEN.
        metric
            Which distance, `tablebase.core.outcomes.DTM` or ``DTZ``.
        pushed
            Square of the pawn that the last move pushed by two squares, which may be captured en
            passant; None if the last move was another one.

        Returns
        -------
        Outcome
            n for a win in n plies, ``~n`` for a loss in n plies, 0 for a draw.

        Raises
        ------
        UnsupportedPositionError
            If a FEN is none, or the position is not legal or of other rules.
        MissingTableError
            If no folder has its table, or the table lacks the distance.
        CorruptTableError
            If the table is damaged.
        """
        given = self._position(position)
        replies = [] if pushed is None else list(given.passing_captures(pushed))
        values = [
            self._outcome_of(reply.after, metric).before(metric, zeroing=True) for reply in replies
        ]
        if not values or any(given.moves()):
            values.append(self._outcome_of(given, metric))
        return max(values, key=lambda outcome: outcome.preference)

    def rank_moves(
        self, position: Setup | str, metric: Metric = DTM, *, pushed: int | None = None
    ) -> list[RankedSetupMove]:
        """Return the legal moves, best first for the side to move; all as `probe_position`."""
        given = self._position(position)
        moves = [*given.moves(), *(() if pushed is None else given.passing_captures(pushed))]
        ranked = [
            RankedSetupMove(
                move,
                self.probe_position(move.after, metric, pushed=pushed_by(move)).before(
                    metric, zeroing=move.is_zeroing
                ),
            )
            for move in moves
        ]
        return sorted(ranked, key=lambda one: -one.outcome.preference)

    def mainline(self, position: Setup | str, *, pushed: int | None = None) -> list[SetupMove]:
        """Return the moves of both sides with best play up to mate; none of a draw."""
        line: list[SetupMove] = []
        here = self._position(position)
        while self.probe_position(here, pushed=pushed).plies:
            best = self.rank_moves(here, pushed=pushed)[0].move
            line.append(best)
            here, pushed = best.after, pushed_by(best)
        return line

    def _outcome_of(self, given: Setup, metric: Metric) -> Outcome:
        """Return the outcome that the tables have of a position, without en passant captures."""
        material = given.material.normalized()
        if not material.groups and not self.rules.goal:
            return Outcome(0)
        color, squares = given.color, given.squares
        is_swapped = material != given.material
        if is_swapped or (material.is_symmetric and color is Color.BLACK):
            color, squares = color.opponent, _with_colors_exchanged(given)
        file = self._file(material, metric)
        slot = slot_of_index(
            slot_order(material),
            table_index(material).encode(np.array(squares, dtype=np.uint8)),
        )
        number, place = divmod(slot, file.chunk_size)
        code = int(self._chunk(material, color, number, metric)[place])
        return Outcome(int(file.outcomes(metric)[color][code]))

    def _position(self, position: Setup | str) -> Setup:
        if isinstance(position, str):
            return read_setup(position, self.rules)
        if position.material.rules != self.rules:
            raise UnsupportedPositionError(
                f"{position} is a position of {position.material.rules.name}, the tables are of "
                f"{self.rules.name}"
            )
        check_setup(position)
        return position

    def _file(self, material: Material, metric: Metric) -> TableFile:
        self._folders.refresh()
        found = self._folders.tables.get(material)
        if found is None:
            raise MissingTableError.of([material], self.directories)
        known, file = self._files.get(material, (None, None))
        if file is None or known != found:  # another file has taken its place
            if file is not None:
                file.close()
                self._chunk.cache_clear()
            file = open_table(found.absolute_path, material)
            self._files[material] = found, file
        file.require_metric(metric)
        return file

    def _read_chunk(
        self, material: Material, color: Color, number: int, metric: Metric
    ) -> NDArray[Any]:
        return self._files[material][1].chunk(color, number, metric)


def pushed_by(move: SetupMove) -> int | None:
    """Return the square of the pawn that a move pushes by two squares, None by any other move."""
    return move.target if move.is_double_push else None


def _with_colors_exchanged(position: Setup) -> tuple[int, ...]:
    """Return the squares of the position turned upside down, colours exchanged, in its order."""
    exchange = position.material.rules.board.exchange
    left = [(color.opponent, man, int(exchange[at])) for at, (color, man) in position.men.items()]
    squares = []
    for color, man in position.material.swapped().men:
        one = next(one for one in left if one[:2] == (color, man))
        left.remove(one)
        squares.append(one[2])
    return tuple(squares)
