"""The move of a partner who fights: of the moves that keep the result, the hardest to answer."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import chess

from tablebase.core.board.geometry import Color, PieceType, square_file, square_rank
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.chess_variants import played_on
from tablebase.practice.sight import SIGHT, difficulty

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tablebase.core.answers.known import Outcomes
    from tablebase.core.answers.ranking import KnownMove
    from tablebase.core.positions.position import Board, M, Position

    DifficultyOf = Callable[[Board], float]

# How the side of the tables plays: the longest defence, or the move that is hardest to answer.
RESISTANCES = LONGEST_DEFENCE, PRACTICAL = ("longest", "practical")
# A lost side holds out nine tenths of the longest defence at least.
_NINE, _TENTHS = 9, 10
# What a step of a pawn towards its promotion counts beside difficulty, while a draw is held.
_STEP = 0.5
_MINORS = {PieceType.KNIGHT, PieceType.BISHOP}


def practical_move(
    source: Outcomes,
    board: Board,
    ranked: Sequence[KnownMove[M]],
    *,
    sight: int = SIGHT,
    rule50: bool = True,
) -> KnownMove[M] | None:
    """Return the move that keeps the result and is hardest to answer.

    Won positions have the fastest mate, since the opponent's difficulty is 0. In lost positions,
    only moves count whose distance to mate is at least nine tenths of the longest. In a draw, what
    could win is kept, see `disarms`, positions that have stood on the board are avoided, and a step
    of a pawn is worth a difficulty of a half. Of equal moves the king stays near a pawn.

    Parameters
    ----------
    source
        The tables, which must have distances to zeroing.
    board
        A legal position: a board of python-chess with the moves that led to it, or the setup of
        another game.
    ranked
        Its legal moves, best first, as by `Tablebase.rank_moves`; at least one.
    sight
        The sight of the opponent in plies, see `difficulty`.
    rule50
        Whether the 50-move rule is in force.

    Returns
    -------
    KnownMove or None
        One of `ranked`; None if tables lack distances to zeroing, or the result is only proven.

    Raises
    ------
    CorruptTableError
        If a file is damaged.

    Examples
    --------
    >>> import chess
    >>> from tablebase import open_tablebase
    >>> from tablebase.practice.resistance import practical_move
    >>> board = chess.Board("8/8/8/8/8/2k5/1R6/K7 b - - 0 1")
    >>> with open_tablebase("data") as tables:
    ...     move = practical_move(tables, board, tables.rank_moves(board))
    >>> board.san(move.move), move.dtm
    ('Kd4', -32)
    """
    best = ranked[0]
    if best.wdl is None or best.dtm is None or (rule50 and best.wdl50 is None):
        return None
    if best.result == Wdl50.WIN:
        return best
    difficulty_of = partial(difficulty, source, sight=sight, rule50=rule50)
    try:
        return _hardest(board, _holding(ranked), difficulty_of)
    except (MissingTableError, UnsupportedPositionError):
        return None


def _hardest(
    board: Board, holding: Sequence[KnownMove[M]], difficulty_of: DifficultyOf
) -> KnownMove[M]:
    """Return the move after which the position is hardest, among the least frequent positions."""
    position: Position[Any] = as_position(board)
    if isinstance(board, chess.Board) and isinstance(holding[0].move, chess.Move):
        position = played_on(board)
    seen, is_drawn = _positions_seen(board), holding[0].result == Wdl50.DRAW

    def order(one: KnownMove[M]) -> tuple[int, int, float, int]:
        reached = position.after(one.move).board
        after = as_position(reached)
        times, hard = seen[_place_of(after)], difficulty_of(reached)
        disarmed = sum(disarms(after, moves) for moves in (1, 2)) if is_drawn else 0
        left = _STEP * _steps_left(after) if is_drawn else 0
        return disarmed, times, left - hard, _way_to_pawn(after)

    return min(holding, key=order)


def disarms(position: Position[Any], moves: int) -> bool:
    """Return whether the side to move can take all that could win against it.

    Parameters
    ----------
    position
        A legal position.
    moves
        Within how many of its moves, whatever is replied.

    Returns
    -------
    bool
        False where the other side has nothing that can win: its king, or one minor piece besides.

    Examples
    --------
    >>> from tablebase.core.positions.any_position import read_position
    >>> [disarms(read_position("8/8/8/4k3/8/8/3P3K/8 b"), moves) for moves in (1, 2)]
    [False, False]
    >>> [disarms(read_position("8/8/8/8/4k3/8/3P3K/8 b"), moves) for moves in (1, 2)]
    [False, True]
    """
    other = position.color.opponent
    rules = position.rules
    only_mates = rules.royal and not (rules.check_counting or rules.goal)
    if not only_mates or _is_harmless(position, other):
        return False
    if any(_is_harmless(one.after, other) for one in position.captures()):
        return True
    return moves > 1 and any(
        all(disarms(reply.after, moves - 1) for reply in one.after.moves())
        for one in position.moves()
    )


def _is_harmless(position: Position[Any], side: Color) -> bool:
    """Return whether a side has nothing that can win."""
    men = [man for color, man in position.men.values() if color is side]
    left = [man for man in men if man is not PieceType.KING]
    return not left or (len(left) == 1 and left[0] in _MINORS)


def _steps_left(position: Position[Any]) -> int:
    """Return the steps of pawns of the side that has just moved up to their promotion."""
    side = position.color.opponent
    last = position.rules.promotion_ranks[side]
    own = (side, PieceType.PAWN)
    return sum(abs(last - square_rank(at)) for at, man in position.men.items() if man == own)


def _way_to_pawn(position: Position[Any]) -> int:
    """Return the steps from the king that has just moved to the nearest pawn, 0 without both."""
    if not position.rules.royal:
        return 0
    at = {man: square for square, man in position.men.items()}
    king = at[position.color.opponent, PieceType.KING]
    pawns = [square for square, (_, man) in position.men.items() if man is PieceType.PAWN]
    ways = (
        max(
            abs(square_file(king) - square_file(square)),
            abs(square_rank(king) - square_rank(square)),
        )
        for square in pawns
    )
    return min(ways, default=0)


def _positions_seen(board: Board) -> Counter[str]:
    """Return the positions since the last capture or pawn move, with their counts."""
    seen = Counter([_place_of(as_position(board))])
    past = board.copy() if isinstance(board, chess.Board) else None
    while past and past.move_stack and past.halfmove_clock:
        past.pop()
        seen[_place_of(as_position(past))] += 1
    return seen


def _place_of(position: Position[Any]) -> str:
    """Return a position as a FEN without clocks."""
    return position.fen.rsplit(" ", 2)[0]


def _holding(ranked: Sequence[KnownMove[M]]) -> list[KnownMove[M]]:
    """Return the moves that keep the result, in lost positions moves that hold out long enough."""
    best = ranked[0]
    keeping = [one for one in ranked if one.result == best.result]
    if best.result != Wdl50.LOSS:
        return keeping
    far = _NINE * abs(best.dtm or 0)
    return [one for one in keeping if _TENTHS * abs(one.dtm or 0) >= far]
