"""Who can still mate: the shortest helpmates of positions, from the tables that have them.

A position is dead if neither side can mate by any sequence of legal moves (FIDE's Laws of Chess,
5.2.2). The 50-move rule and repetitions do not count, as in article 6.9 of these laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from tablebase.core.answers.mating_chances import line_of, require_chance
from tablebase.core.board.geometry import Color
from tablebase.core.ground.argument_readers import as_flag
from tablebase.core.ground.errors import (
    InvalidRulesError,
    MissingTableError,
    UnsupportedPositionError,
)
from tablebase.core.outcomes.metrics import HELPMATES
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.position import LegalMove, Position
from tablebase.core.reading.reader import OutcomeReader
from tablebase.core.rules.refusals import require_helpmates
from tablebase.core.rules.rules import Rules

# Tables of up to four men take a tenth of it.
_CACHE_SIZE = 32 * 2**20


class HelpmateProbes:
    """The questions to a `Tablebase` that its helpmates answer; a base class of it.

    Colours are those of python-chess, True for White. In games that are also won otherwise, as by a
    king's reaching its goal, such a win counts as a mate.
    """

    rules: Rules
    _helpmate_readers: tuple[OutcomeReader, ...] = ()

    @property
    def directories(self) -> tuple[Path, ...]:
        """The directories, in the order of search."""
        raise NotImplementedError

    def probe_helpmate(self, board: Any, color: bool) -> int | None:  # noqa: FBT001 (as in chess)
        """Return the fewest plies after which a colour has given mate if both sides play for it.

        Parameters
        ----------
        board
            A legal position as for `Tablebase.probe_dtm`, without castling rights.
        color : bool
            Who mates, True for White.

        Returns
        -------
        int or None
            Plies, odd if that colour is to move, else even: 0 if the other side is checkmated. None
            if no sequence of legal moves leads to such a mate.

        Raises `MissingTableError` if the table lacks helpmates (`tablebase build --metric help`),
        `InvalidRulesError` if the game has none, as antichess, and `UnsupportedPositionError` for
        castling rights and for what `Tablebase.probe_dtm` refuses.

        Examples
        --------
        >>> import chess
        >>> from tablebase import open_tablebase
        >>> mated = chess.Board("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1")  # an end of a game needs no table
        >>> with open_tablebase("data") as tables:
        ...     tables.probe_helpmate(mated, chess.WHITE), tables.probe_helpmate(mated, chess.BLACK)
        (0, None)
        """
        return self._plies(as_position(board, self.rules), _side(color))

    def get_helpmate(self, board: Any, color: bool, default: Any = None) -> Any:  # noqa: FBT001
        """Return the plies of `probe_helpmate`, or a default where they are unknown."""
        try:
            return self.probe_helpmate(board, color)
        except (InvalidRulesError, MissingTableError, UnsupportedPositionError):
            return default

    def can_mate(self, board: Any, color: bool) -> bool:  # noqa: FBT001
        """Return whether some sequence of legal moves ends in a mate by a colour.

        Parameters
        ----------
        board
            A legal position, of chess with any number of men and with any castling rights, of other
            games as for `probe_helpmate`.
        color : bool
            Who mates, True for White.

        Raises `UndecidedError` if neither the rules nor a table tells, and a search finds neither a
        line nor a proof that there is none; in other games than chess there is no search. Raises
        `InvalidRulesError` and `UnsupportedPositionError` as `probe_helpmate`.

        Examples
        --------
        >>> import chess
        >>> from tablebase import open_tablebase
        >>> board = chess.Board("8/8/8/8/8/6k1/PPPPP3/K7 w - - 0 1")
        >>> with open_tablebase("data") as tables:
        ...     tables.can_mate(board, chess.BLACK)  # a bare king
        False
        """
        return bool(require_chance(self, as_position(board, self.rules), _side(color)).can_mate)

    def has_insufficient_material(self, board: Any, color: bool) -> bool:  # noqa: FBT001
        """Return whether a colour can mate by no sequence of legal moves.

        This is the question of ``chess.Board.has_insufficient_material``, which looks at the men
        alone, answered for the position: if the flag of the other side falls, the game is drawn.
        Arguments and errors, among them `UndecidedError`, are those of `can_mate`.
        """
        return not self.can_mate(board, color)

    def is_dead(self, board: Any) -> bool:
        """Return whether neither side can mate, a draw at once; errors as in `can_mate`."""
        return not any(self.can_mate(board, color) for color in (True, False))

    def help_line(self, board: Any, color: bool) -> list[Any]:  # noqa: FBT001
        """Return moves of both sides up to a mate by a colour, empty if no moves lead to one.

        Where a table has helpmates they are a shortest one. Arguments and errors, among them
        `UndecidedError`, are those of `can_mate`.
        """
        position, side = as_position(board, self.rules), _side(color)
        return line_of(self, position, side, require_chance(self, position, side)) or []

    def probe_help_line(self, board: Any, color: bool) -> list[Any]:  # noqa: FBT001
        """Return a shortest helpmate by a colour, empty if there is none; see `probe_helpmate`."""
        position, side = as_position(board, self.rules), _side(color)
        line = []
        while plies := self._plies(position, side):
            move = next(self._shortest(position, side, plies))
            line.append(move)
            position = position.after(move)
        return line

    def count_helpmates(self, board: Any, color: bool) -> int:  # noqa: FBT001
        """Return the number of shortest helpmates by a colour, 0 if there is none.

        Sequences of different moves count as different. A sound helpmate for solvers has one, which
        `has_one_helpmate` finds out sooner. Arguments and errors are those of `probe_helpmate`.
        """
        return self._number(board, color, None)

    def has_one_helpmate(self, board: Any, color: bool) -> bool:  # noqa: FBT001
        """Return whether a colour has exactly one shortest helpmate, as solvers want it."""
        return self._number(board, color, 2) == 1

    def _number(self, board: Any, color: bool, most: int | None) -> int:  # noqa: FBT001
        position, side = as_position(board, self.rules), _side(color)
        plies = self._plies(position, side)
        return 0 if plies is None else self._count(position, side, plies, {}, most)

    def _count(
        self,
        position: Position[Any],
        side: Color,
        plies: int,
        known: dict[str, int],
        most: int | None,
    ) -> int:
        """Return the number of helpmates in the fewest plies; `most` of them are enough."""
        if not plies:
            return 1
        key = " ".join(position.fen.split()[:4])
        if key not in known:
            found = list(islice(self._shortest(position, side, plies), most))
            if len(found) == most:  # each leads to one at least
                return most
            after = (position.after(move) for move in found)
            known[key] = sum(self._count(each, side, plies - 1, known, most) for each in after)
        return known[key]

    def _shortest(self, position: Position[Any], side: Color, plies: int) -> Iterator[Any]:
        """Yield the moves that keep to a helpmate in these plies."""
        made: LegalMove[Any]
        for made in position.moves():
            if self._plies(made.after, side) == plies - 1:
                yield made.move

    def _plies(self, position: Position[Any], side: Color) -> int | None:
        """Return the plies of the shortest helpmate by a side, en passant considered."""
        board = position.board
        require_helpmates(self.rules)
        if getattr(board, "castling_rights", 0):
            raise UnsupportedPositionError(
                f"unknown: with castling rights tables have no helpmates: {position.fen}"
            )
        if not any(position.en_passant()):
            return self._stored(position, side)
        after = [self._plies(made.after, side) for made in position.moves()]
        known = [plies + 1 for plies in after if plies is not None]
        return min(known, default=None)

    def _stored(self, position: Position[Any], side: Color) -> int | None:
        """Return the plies that a table has; the end of a game needs none."""
        setup = position.setup()._replace(ep_square=None)
        material = setup.material.normalized()
        is_black_first = material.is_symmetric and setup.color is Color.BLACK
        is_swapped = material != setup.material or is_black_first
        reader = self._readers()[side.opponent if is_swapped else side]
        try:
            stored = reader.stored_outcome(setup.swapped() if is_swapped else setup)
        except MissingTableError as error:
            outcome = position.final_outcome()
            if outcome is None:
                if error.metric or not error.materials:
                    raise
                # Building helpmates builds the table, so one command is enough.
                metric = reader.metric.name
                raise MissingTableError.of([material], error.directories, metric=metric) from None
            return 0 if outcome and position.color is not side else None
        return (~stored if stored < 0 else stored) if stored else None

    def _readers(self) -> tuple[OutcomeReader, ...]:
        """Return the readers of helpmates by White and by Black, of the folders there are now."""
        if not self._helpmate_readers:
            self._helpmate_readers = tuple(
                OutcomeReader(_CACHE_SIZE, metric, self.rules) for metric in HELPMATES
            )
        for reader in self._helpmate_readers:
            for folder in self.directories[len(reader.folders.directories) :]:
                reader.add_directory(folder)
        return self._helpmate_readers


def _side(color: object) -> Color:
    """Return a side, which as in python-chess is given as True for White."""
    return Color.WHITE if as_flag("color", color) else Color.BLACK
