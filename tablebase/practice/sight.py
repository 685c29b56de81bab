"""Moves as a player of some sight sees them: which mistakes are hidden, and how hard that makes it.

A player of *sight* s sees every refutation that becomes plain within s plies, and no other.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tablebase.core.outcomes import DTZ, FIFTY_MOVES, Wdl50, wdl50
from tablebase.core.positions import as_position
from tablebase.core.probing import by_tables, rank_moves

if TYPE_CHECKING:
    from tablebase.core.positions import Board, Position
    from tablebase.core.probing import Outcomes, RankedMove, Tablebase

SIGHT = 4  # plies: a casual player
MAX_SIGHT = FIFTY_MOVES


class MovesBySight(NamedTuple):
    """The legal moves of a position by what they do to its result.

    Under the 50-move rule cursed wins and blessed losses are draws.
    """

    keeping: list[Any]  # moves that keep the result
    hidden: list[Any]  # mistakes that a player of the sight does not see
    plain: list[Any]  # mistakes that the player sees


class _Move(NamedTuple):
    """A legal move: its result for the side that makes it, the opponent's outcome to zeroing."""

    move: Any
    result: int
    after: int


def difficulty(
    source: Outcomes,
    board: Board,
    *,
    sight: int = SIGHT,
    moves: int = 1,
    rule50: bool = True,
) -> float:
    """Return the chance that the side to move makes a mistake that it does not see.

    A mistake changes the result. It is seen if it loses, and the opponent's distance to zeroing
    after it, plus one, is at most the sight; or if it makes a draw of a win by stalemate, or by a
    capture that the opponent can make at once. The moves that keep the result and the mistakes that
    are not seen are equally likely.

    Parameters
    ----------
    source
        The tables, which must have distances to zeroing.
    board
        A legal position, a board or another game's setup; the halfmove clock counts.
    sight
        How far the player sees, in plies, from 1 to 100: 2 is a beginner, 4 a casual player, 6 a
        player of a club.
    moves
        Within how many moves of the player the mistake happens. After each move that keeps the
        result, the opponent gives the reply that makes the chance largest.
    rule50
        Whether results are those under the 50-move rule.

    Returns
    -------
    float
        From 0 to 1. It is 0 for lost positions and at the end of a game.

    Raises
    ------
    MissingTableError
        If a table is not available or has no distances to zeroing.
    UnsupportedPositionError, CorruptTableError
        As for `Tablebase.probe_dtz`.
    ValueError
        If `sight` or `moves` is out of range.

    Examples
    --------
    Two king's moves win and two only draw, without a capture that shows it at once.

    >>> import chess
    >>> from tablebase import difficulty, open_tablebase
    >>> with open_tablebase("data") as tables:
    ...     print(difficulty(tables, chess.Board("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1")))
    0.5
    """
    if moves < 1:
        message = f"moves is 1 or more, not {moves}"
        raise ValueError(message)
    player = _Player(source, sight, rule50=rule50)
    source.probe_outcome(board, DTZ)  # refuses what no table can have
    return player.chance(as_position(board), moves)


def moves_by_sight(
    source: Outcomes, board: Board, *, sight: int = SIGHT, rule50: bool = True
) -> MovesBySight:
    """Return the legal moves that keep the result, and the mistakes, hidden and plain.

    Parameters, errors and words are those of `difficulty`.
    """
    source.probe_outcome(board, DTZ)
    return _Player(source, sight, rule50=rule50).divide(as_position(board))


class _Player:
    """A player of some sight."""

    def __init__(self, source: Outcomes, sight: int, *, rule50: bool) -> None:
        if not 1 <= sight <= MAX_SIGHT:
            message = f"sight is from 1 to {MAX_SIGHT} plies, not {sight}"
            raise ValueError(message)
        self._outcome = source.probe_outcome
        self._sight, self._rule50 = sight, rule50

    def chance(self, position: Position[Any], moves: int) -> float:
        """Return the chance of a mistake within some moves."""
        if self._result(self._outcome(position.board, DTZ), position.clock) < 0:
            return 0.0
        keeping, hidden, _ = self.divide(position)
        if not keeping:
            return 0.0
        total = float(len(hidden))
        for move in keeping if moves > 1 else ():
            total += self._after_reply(position.after(move), moves - 1)
        return total / (len(keeping) + len(hidden))

    def _after_reply(self, position: Position[Any], moves: int) -> float:
        """Return the largest chance after a reply that keeps the opponent's result."""
        replies = self._valued(position)
        best = max((one.result for one in replies), default=0)
        keeping = (position.after(one.move) for one in replies if one.result == best)
        return max((self.chance(after, moves) for after in keeping), default=0.0)

    def divide(self, position: Position[Any]) -> MovesBySight:
        """Return the moves of a position by what they do to its result."""
        divided = MovesBySight([], [], [])
        valued = self._valued(position)
        best = max((one.result for one in valued), default=0)
        for one in valued:
            if one.result == best:
                divided.keeping.append(one.move)
            elif self._sees(position, one):
                divided.plain.append(one.move)
            else:
                divided.hidden.append(one.move)
        return divided

    def _sees(self, position: Position[Any], mistake: _Move) -> bool:
        """Return whether a mistake is plain within the sight."""
        if mistake.result < 0:
            return mistake.after + 1 <= self._sight
        after = position.after(mistake.move)
        if self._sight > 1 and self._draws_by_capture(after):
            return True
        return next(after.moves(), None) is None

    def _draws_by_capture(self, position: Position[Any]) -> bool:
        """Return whether the side to move can keep a draw by a capture."""
        captures = (self._outcome(step.after.board, DTZ) for step in position.captures())
        return any(not self._result(outcome, 0) for outcome in captures)

    def _valued(self, position: Position[Any]) -> list[_Move]:
        """Return all legal moves with their results."""
        # A draw can be claimed before the move, whatever it is.
        is_claimed = self._rule50 and position.clock >= FIFTY_MOVES
        valued = []
        for step in position.moves():
            after = self._outcome(step.after.board, DTZ)
            result = 0 if is_claimed else -self._result(after, step.after.clock)
            valued.append(_Move(step.move, result, after))
        return valued

    def _result(self, outcome: int, clock: int) -> int:
        """Return 1 for a win, 0 for a draw and -1 for a loss."""
        if not self._rule50:
            return (outcome > 0) - (outcome < 0)
        result = wdl50(outcome, clock)
        return (result == Wdl50.WIN) - (result == Wdl50.LOSS)


def rank_by_difficulty(
    tables: Tablebase, board: Any, *, rule50: bool = True
) -> list[RankedMove[Any]]:
    """Return the moves of `Tablebase.rank_moves`, each with the difficulty of its position.

    Parameters
    ----------
    tables
        The tables, which must have distances to zeroing.
    board
        A legal position.
    rule50
        Whether the 50-move rule is in force.

    Returns
    -------
    list[RankedMove]
        All legal moves, best first, with the `difficulty` of the position after each.

    Raises what `Tablebase.rank_moves` does.
    """
    tables.probe_outcome(board)
    difficulty_of = partial(difficulty, tables, rule50=rule50)
    find = partial(rank_moves, as_position(board, tables.rules), difficulty_of=difficulty_of)
    ranked: list[RankedMove[Any]] = by_tables(
        tables, find, rule50=rule50 and tables.rules.fifty_moves
    )
    return ranked
