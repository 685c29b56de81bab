"""Moves as a player of some sight sees them: which mistakes are hidden, and how hard that makes it.

A player of *sight* s sees every refutation that becomes plain within s plies, and no other.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tablebase.core.outcomes import DTZ, FIFTY_MOVES, Wdl50, wdl50
from tablebase.core.probing import by_tables, rank_moves

if TYPE_CHECKING:
    import chess

    from tablebase.core.probing import Outcomes, RankedMove, Tablebase

SIGHT = 4  # plies: a casual player
MAX_SIGHT = FIFTY_MOVES


class MovesBySight(NamedTuple):
    """The legal moves of a position by what they do to its result.

    The result is a win, a draw or a loss. Under the 50-move rule cursed wins and blessed losses
    are draws.

    Attributes
    ----------
    keeping : list of chess.Move
        Moves that keep the result.
    hidden : list of chess.Move
        Mistakes that a player of the sight does not see.
    plain : list of chess.Move
        Mistakes that the player sees.
    """

    keeping: list[chess.Move]
    hidden: list[chess.Move]
    plain: list[chess.Move]


class _Move(NamedTuple):
    """A legal move: its result for the side that makes it, the opponent's outcome to zeroing."""

    move: chess.Move
    result: int
    after: int


def difficulty(
    source: Outcomes,
    board: chess.Board,
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
        A legal position, which is never changed; the halfmove clock counts.
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
    return player.chance(board.copy(stack=False), moves)


def moves_by_sight(
    source: Outcomes, board: chess.Board, *, sight: int = SIGHT, rule50: bool = True
) -> MovesBySight:
    """Return the legal moves that keep the result, and the mistakes, hidden and plain.

    Parameters, errors and words are those of `difficulty`.
    """
    source.probe_outcome(board, DTZ)
    return _Player(source, sight, rule50=rule50).divide(board.copy(stack=False))


class _Player:
    """A player of some sight; moves are made and taken back on the boards that it is given."""

    def __init__(self, source: Outcomes, sight: int, *, rule50: bool) -> None:
        if not 1 <= sight <= MAX_SIGHT:
            message = f"sight is from 1 to {MAX_SIGHT} plies, not {sight}"
            raise ValueError(message)
        self._outcome = source.probe_outcome
        self._sight, self._rule50 = sight, rule50

    def chance(self, board: chess.Board, moves: int) -> float:
        """Return the chance of a mistake within some moves."""
        if self._result(self._outcome(board, DTZ), board.halfmove_clock) < 0:
            return 0.0
        keeping, hidden, _ = self.divide(board)
        if not keeping:
            return 0.0
        total = float(len(hidden))
        for move in keeping if moves > 1 else ():
            board.push(move)
            total += self._after_reply(board, moves - 1)
            board.pop()
        return total / (len(keeping) + len(hidden))

    def _after_reply(self, board: chess.Board, moves: int) -> float:
        """Return the largest chance after a reply that keeps the opponent's result."""
        replies = self._valued(board)
        best = max((one.result for one in replies), default=0)
        largest = 0.0
        for one in replies:
            if one.result == best:
                board.push(one.move)
                largest = max(largest, self.chance(board, moves))
                board.pop()
        return largest

    def divide(self, board: chess.Board) -> MovesBySight:
        """Return the moves of a position by what they do to its result."""
        divided = MovesBySight([], [], [])
        valued = self._valued(board)
        best = max((one.result for one in valued), default=0)
        for one in valued:
            if one.result == best:
                divided.keeping.append(one.move)
            elif self._sees(board, one):
                divided.plain.append(one.move)
            else:
                divided.hidden.append(one.move)
        return divided

    def _sees(self, board: chess.Board, mistake: _Move) -> bool:
        """Return whether a mistake is plain within the sight."""
        if mistake.result < 0:
            return mistake.after + 1 <= self._sight
        board.push(mistake.move)
        seen = not any(board.legal_moves) or (self._sight > 1 and self._draws_by_capture(board))
        board.pop()
        return seen

    def _draws_by_capture(self, board: chess.Board) -> bool:
        """Return whether the side to move can keep a draw by a capture."""
        for capture in list(board.generate_legal_captures()):
            board.push(capture)
            result = self._result(self._outcome(board, DTZ), 0)
            board.pop()
            if not result:
                return True
        return False

    def _valued(self, board: chess.Board) -> list[_Move]:
        """Return all legal moves with their results."""
        # A draw can be claimed before the move, whatever it is.
        is_claimed = self._rule50 and board.halfmove_clock >= FIFTY_MOVES
        valued = []
        for move in list(board.legal_moves):
            board.push(move)
            after = self._outcome(board, DTZ)
            result = 0 if is_claimed else -self._result(after, board.halfmove_clock)
            board.pop()
            valued.append(_Move(move, result, after))
        return valued

    def _result(self, outcome: int, clock: int) -> int:
        """Return 1 for a win, 0 for a draw and -1 for a loss."""
        if not self._rule50:
            return (outcome > 0) - (outcome < 0)
        result = wdl50(outcome, clock)
        return (result == Wdl50.WIN) - (result == Wdl50.LOSS)


def rank_by_difficulty(
    tables: Tablebase, board: chess.Board, *, rule50: bool = True
) -> list[RankedMove]:
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
    return by_tables(tables, partial(rank_moves, board, difficulty_of=difficulty_of), rule50=rule50)
