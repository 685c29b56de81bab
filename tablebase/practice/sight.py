"""Moves as a player of some sight sees them: good moves, mistakes, and how hard that makes it.

A player of *sight* s sees what becomes plain within s plies, of good moves and of mistakes, and
nothing else.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tablebase.core.answers.known import by_tables
from tablebase.core.answers.ranking import rank_moves
from tablebase.core.board.geometry import PieceType, square_file, square_rank
from tablebase.core.ground.argument_readers import as_flag, as_number, require_tables
from tablebase.core.outcomes.metrics import DTZ, FIFTY_MOVES, Wdl50, wdl50
from tablebase.core.positions.any_position import as_position

if TYPE_CHECKING:
    from tablebase.core.answers.known import Outcomes
    from tablebase.core.answers.ranking import RankedMove
    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.core.outcomes.metrics import Metric
    from tablebase.core.positions.position import Board, Position
    from tablebase.core.rules.rules import Rules

SIGHT = 4  # plies: a casual player
MAX_SIGHT = FIFTY_MOVES


class MovesBySight(NamedTuple):
    """The legal moves of a position by what they do to its result.

    Under the 50-move rule cursed wins and blessed losses are draws.
    """

    keeping: list[Any]  # moves that keep the result
    hidden: list[Any]  # mistakes that a player of the sight does not see
    plain: list[Any]  # mistakes that the player sees
    evident: list[Any]  # those of the moves that keep the result that the player sees to do so

    @property
    def likely(self) -> list[Any]:
        """The moves among which the player chooses, each with equal chance."""
        return self.evident or self.keeping + self.hidden


class _Move(NamedTuple):
    """A legal move: its result for the side that makes it, and the opponent's outcome after it."""

    move: Any
    result: int
    after: int
    zeroing: bool


class _Player:
    """A player of some sight."""

    def __init__(
        self,
        source: Outcomes,
        rules: Rules,
        sight: int,
        *,
        rule50: bool,
        metric: Metric = DTZ,
    ) -> None:
        require_tables("source", source, "probe_outcome")
        sight = as_number("sight", sight, least=1, most=MAX_SIGHT)
        self._outcome, self._metric = source.probe_outcome, metric
        self._sight, self._rule50 = sight, as_flag("rule50", rule50)
        self._offset = rules.ply_offset

    def chance(self, position: Position[Any], moves: int) -> float:
        """Return the chance of a mistake within some moves."""
        if self._result(self._outcome(position.board, self._metric), position.clock) < 0:
            return 0.0
        divided = self.divide(position)
        likely = divided.likely
        if not likely:
            return 0.0
        total = float(sum(move in divided.hidden for move in likely))
        for move in likely if moves > 1 else ():
            if move not in divided.hidden:
                total += self._after_reply(position.after(move), moves - 1)
        return total / len(likely)

    def _after_reply(self, position: Position[Any], moves: int) -> float:
        """Return the largest chance after a reply that keeps the opponent's result."""
        replies = self._valued(position)
        best = max((one.result for one in replies), default=0)
        keeping = (position.after(one.move) for one in replies if one.result == best)
        return max((self.chance(after, moves) for after in keeping), default=0.0)

    def divide(self, position: Position[Any]) -> MovesBySight:
        """Return the moves of a position by what they do to its result."""
        divided = MovesBySight([], [], [], [])
        valued = self._valued(position)
        best = max((one.result for one in valued), default=0)
        for one in valued:
            if one.result == best:
                divided.keeping.append(one.move)
                if self._shows(position, one):
                    divided.evident.append(one.move)
            elif self._sees(position, one):
                divided.plain.append(one.move)
            else:
                divided.hidden.append(one.move)
        return divided

    def _shows(self, position: Position[Any], good: _Move) -> bool:
        """Return whether a move that keeps the result is seen to do so."""
        is_near = good.result > 0 and ~good.after < self._sight
        has_lost = good.after == ~self._offset
        if not (good.zeroing or is_near or has_lost):
            return False
        after = position.after(good.move)
        men, left = position.men, after.men
        own = position.color, PieceType.PAWN
        pawns, pawns_left = ({at for at in one if one[at] == own} for one in (men, left))
        if has_lost or len(left) < len(men) or len(pawns_left) < len(pawns):
            return True
        if is_near and _only_promote(after):
            return True
        return any(_runs(at, after) for at in pawns_left - pawns)

    def _sees(self, position: Position[Any], mistake: _Move) -> bool:
        """Return whether a mistake is plain within the sight."""
        if mistake.result < 0 and mistake.after < self._sight:
            return True
        if mistake.result < 0 and self._metric == DTZ:  # which counts plies to captures, too
            return False
        after = position.after(mistake.move)
        if self._sight > 1 and self._keeps_by_capture(after, -mistake.result):
            return True
        return next(after.moves(), None) is None

    def _keeps_by_capture(self, position: Position[Any], result: int) -> bool:
        """Return whether a capture of the side to move has a result."""
        captures = (self._outcome(step.after.board, self._metric) for step in position.captures())
        return any(-self._result(outcome, 0) == result for outcome in captures)

    def _valued(self, position: Position[Any]) -> list[_Move]:
        """Return all legal moves with their results."""
        # A draw can be claimed before the move, whatever it is.
        is_claimed = self._rule50 and position.clock >= FIFTY_MOVES
        valued = []
        for step in position.moves():
            after = self._outcome(step.after.board, self._metric)
            result = 0 if is_claimed else -self._result(after, step.after.clock)
            valued.append(_Move(step.move, result, after, step.zeroing))
        return valued

    def _result(self, outcome: int, clock: int) -> int:
        """Return 1 for a win, 0 for a draw and -1 for a loss."""
        if not self._rule50:
            return (outcome > 0) - (outcome < 0)
        result = wdl50(outcome, clock, self._offset)
        return (result == Wdl50.WIN) - (result == Wdl50.LOSS)


def _only_promote(position: Position[Any]) -> bool:
    """Return whether every pawn stands one step before its promotion."""
    last = position.rules.promotion_ranks
    return all(
        man is not PieceType.PAWN or abs(last[color] - square_rank(at)) == 1
        for at, (color, man) in position.men.items()
    )


def _runs(at: int, after: Position[Any]) -> bool:
    """Return whether a pawn that has made a step is out of reach of the king, who is alone."""
    if not after.rules.royal:  # who promotes need not win
        return False
    catcher, rank = after.color, after.rules.promotion_ranks[after.color.opponent]
    others = {man: at for at, (color, man) in after.men.items() if color is catcher}
    if not others.keys() <= {PieceType.KING, PieceType.PAWN}:
        return False
    king = others[PieceType.KING]
    across = abs(square_file(king) - square_file(at))
    return max(across, abs(square_rank(king) - rank)) > abs(square_rank(at) - rank) + 1


def moves_by_sight(
    source: Outcomes,
    board: Board,
    *,
    sight: int = SIGHT,
    rule50: bool = True,
    metric: Metric = DTZ,
) -> MovesBySight:
    """Return the legal moves that keep the result, seen or not, and the mistakes likewise.

    Parameters, errors and words are those of `difficulty`. A game without the 50-move rule may have
    distances to mate alone: by this `metric`, a mistake is also seen if a capture refutes it.
    """
    require_tables("source", source, "probe_outcome")
    source.probe_outcome(board, metric)
    position = as_position(board)
    player = _Player(source, position.rules, sight, rule50=rule50, metric=metric)
    return player.divide(position)


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
    require_tables("tables", tables, "probe_outcome")
    tables.probe_outcome(board)
    difficulty_of = partial(difficulty, tables, rule50=rule50)
    find = partial(rank_moves, as_position(board, tables.rules), difficulty_of=difficulty_of)
    ranked: list[RankedMove[Any]] = by_tables(
        tables, find, rule50=rule50 and tables.rules.fifty_moves
    )
    return ranked


def difficulty(
    source: Outcomes,
    board: Board,
    *,
    sight: int = SIGHT,
    moves: int = 1,
    rule50: bool = True,
) -> float:
    """Return the chance that the side to move makes a mistake that it does not see.

    The chance is 0 if the player sees a good move: one that keeps the result by a capture, a
    promotion, mate, or the step of a pawn that a lone king cannot catch by the rule of the square;
    or one that wins while pawns can only promote, with the opponent's distance to zeroing after it,
    plus one, at most the sight.

    Otherwise the moves that keep the result and the mistakes that are not seen are equally likely.
    A mistake changes the result. It is seen if it loses, and the opponent's distance to zeroing
    after it, plus one, is at most the sight; or if it makes a draw of a win by stalemate, or by a
    capture that the opponent can make at once.

    Parameters
    ----------
    source
        The tables, which must have distances to zeroing.
    board
        A legal position, a board or another game's setup; the halfmove clock counts.
    sight
        How far the player sees, in plies, from 1 to 100: 2 a beginner, 4 a casual, 6 a club player.
    moves
        Within how many moves of the player. The opponent replies so that the chance is largest.
    rule50
        Whether results are those under the 50-move rule.

    Returns
    -------
    float
        From 0 to 1; 0 for lost positions and at the end of a game.

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
    >>> import chess
    >>> from tablebase import difficulty, open_tablebase
    >>> with open_tablebase("data") as tables:
    ...     print(difficulty(tables, chess.Board("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1")))
    0.5
    """
    moves = as_number("moves", moves, least=1)
    position = as_position(board)
    player = _Player(source, position.rules, sight, rule50=rule50)
    source.probe_outcome(board, DTZ)  # refuses what no table can have
    return player.chance(position, moves)


def chance_of_mistake(
    source: Outcomes, position: Position[Any], moves: int, *, rule50: bool, metric: Metric
) -> float:
    """Return the `difficulty` of a position within some moves, as `moves_by_sight` sees them."""
    player = _Player(source, position.rules, SIGHT, rule50=rule50, metric=metric)
    return player.chance(position, moves)
