"""The moves of a position by their proven results, and the lines that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import chess

from tablebase.board import WORTH
from tablebase.capacity import MEASURED_PIECES
from tablebase.outcomes import Wdl, Wdl50

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # From a position to its result for the side to move, None if it is not known.
    WdlOf = Callable[[chess.Board], int | None]
    # From a position and the result of the move that led there to that move's distance.
    DistanceOf = Callable[[chess.Board, int], "Distance | None"]

# Most plies of a line that holds a draw.
DRAWING_LENGTH = 20


class Distance(NamedTuple):
    """The distance of a position or a move to zeroing; the winner prefers smaller ones."""

    given_up: int  # material that the winning side gives up, in pawns
    is_crowded: bool  # whether the zeroing move leads to more than `MEASURED_PIECES` pieces
    plies: int


@dataclass(frozen=True, slots=True)
class ProvenMove:
    """A legal move and what is proven of it, seen from the side that makes it.

    Attributes
    ----------
    move : chess.Move
        The move.
    wdl : Wdl or None
        The result with best play after it, without the 50-move rule; None if it is open.
    dtz_without_rule50 : int or None
        Distance to zeroing without the 50-move rule: plies up to the next capture, pawn move or
        mate on the proven line, this move included, positive for a win, negative for a loss, 0 for
        a draw only. There may be a faster way where nothing is proven. None if it is not known.
    mate : bool
        Whether the move gives checkmate.
    zeroing : bool
        Whether it is a capture or a pawn move.
    given_up : int
        Material, in pawns, that the winning side has to give up on that way: 1 for a pawn, 3 for
        a knight or bishop, 5 for a rook, 9 for a queen, 0 for none.
    dtm, dtz, difficulty : None
        The distances and the difficulty of `tablebase.RankedMove`, which no region has.
    """

    move: chess.Move
    wdl: Wdl | None
    dtz_without_rule50: int | None
    mate: bool
    zeroing: bool
    given_up: int = 0
    dtm: ClassVar[None] = None
    dtz: ClassVar[None] = None
    difficulty: ClassVar[None] = None

    @property
    def wdl50(self) -> Wdl50 | None:
        """The result under the 50-move rule, which changes nothing about a draw; else None."""
        return Wdl50.DRAW if self.wdl == Wdl.DRAW else None

    @property
    def result(self) -> Wdl50 | None:
        """The result as if there were no 50-move rule; None if it is open."""
        return None if self.wdl is None else Wdl50(2 * self.wdl)


def distance_of_move(
    board: chess.Board, move: chess.Move, result: int, distance_of: DistanceOf | None
) -> Distance | None:
    """Return the distance of a move of a position to zeroing, None if it is not known.

    Parameters
    ----------
    board
        The position.
    move
        A legal move.
    result
        What is proven of it, for the side that makes it: 1 or -1.
    distance_of
        Gives distances within the structure of the position, if there are any, as
        `ZeroingDistances.after`.
    """
    after = board.copy(stack=False)
    after.push(move)
    if after.is_checkmate():
        return Distance(0, is_crowded=False, plies=1)
    if not board.is_zeroing(move):
        return distance_of(after, result) if distance_of else None
    taken = _worth_captured(board, move)
    if result < 0:
        return Distance(taken, is_crowded=False, plies=1)
    gain = taken + (WORTH[move.promotion] - 1 if move.promotion else 0)
    prey = max((_worth_captured(after, one) for one in after.generate_legal_captures()), default=0)
    pieces = (after.occupied & ~after.kings & ~after.pawns).bit_count()
    return Distance(max(prey - gain, 0), is_crowded=pieces > MEASURED_PIECES, plies=1)


def _worth_captured(board: chess.Board, move: chess.Move) -> int:
    """Return the worth of the man that a move captures, in pawns."""
    if board.is_en_passant(move):
        return 1
    return WORTH.get(board.piece_type_at(move.to_square) or 0, 0)


def rank_proven(
    board: chess.Board, result: int, wdl_of: WdlOf, distance_of: DistanceOf | None
) -> list[ProvenMove]:
    """Return every legal move with what is proven of it, best first.

    Of wins those come first that give up the least material, then the nearest zeroing moves;
    of losses the last of these.

    Parameters
    ----------
    board
        A position with a proven result.
    result
        That result, from the side to move.
    wdl_of
        Gives the results of positions, None if one is not known.
    distance_of
        As for `distance_of_move`.
    """
    ranked = []
    # A move of which nothing is proven may be the one that wins, or else it may lose.
    unknown = 0.5 if result > 0 else -0.5
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        found = wdl_of(after)
        # Of a lost position every move loses, also a promotion that nobody needed to look at.
        wdl = Wdl.LOSS if result < 0 else None if found is None else Wdl(-found)
        distance = distance_of_move(board, move, wdl, distance_of) if wdl else None
        sign = 1 if wdl == Wdl.WIN else -1
        plies, given_up = (0 if wdl == Wdl.DRAW else None), 0
        if distance:
            plies, given_up = sign * distance.plies, distance.given_up
        mate, zeroing = after.is_checkmate(), board.is_zeroing(move)
        one = ProvenMove(move, wdl, plies, mate, zeroing, given_up)
        order = (
            -(unknown if wdl is None else wdl),
            # Wins that are not known to be near come last, such losses first.
            (sign * (distance is None), *(sign * part for part in distance or ())),
            not mate,
            not zeroing,
            -(move.promotion or 0),  # a queen rather than others if nothing else is known
            move.uci(),
        )
        ranked.append((order, one))
    return [one for _, one in sorted(ranked, key=lambda both: both[0])]


def dtz_of_position(ranked: Sequence[ProvenMove]) -> int | None:
    """Return a position's distance to zeroing without the 50-move rule, signed, from its moves.

    The best move is the first. 0 for a draw and where there is no move, None if it is not known.
    """
    return ranked[0].dtz_without_rule50 if ranked else 0


def proven_line(
    board: chess.Board,
    rank: Callable[[chess.Board], Sequence[ProvenMove]],
    line_of_tables: Callable[[chess.Board], list[chess.Move] | None],
) -> list[chess.Move]:
    """Return the best moves of both sides from a position that is proven to be won or lost.

    Parameters
    ----------
    board
        The position.
    rank
        Gives all moves of a position, best first; none if it is not known.
    line_of_tables
        Gives the line from a position that a table has; None if none has it.

    Returns
    -------
    list[chess.Move]
        Up to mate, or to where no distance is known.
    """
    line: list[chess.Move] = []
    board = board.copy(stack=False)
    seen = set()
    while (rest := line_of_tables(board)) is None:
        ranked = rank(board)
        # Only bounds that somebody has changed lead to a position twice.
        is_known = ranked and ranked[0].wdl and ranked[0].dtz_without_rule50 is not None
        if not is_known or board.epd() in seen:
            return line
        seen.add(board.epd())
        line.append(ranked[0].move)
        board.push(ranked[0].move)
    return line + rest


def drawing_line(board: chess.Board, wdl_of: WdlOf) -> list[chess.Move]:
    """Return a line from a drawn position in which each side sets the other problems.

    Each move leaves the opponent the fewest moves that keep the draw. The line ends with
    insufficient material, the end of the game, a repetition, or after `DRAWING_LENGTH` plies.

    Parameters
    ----------
    board
        The position.
    wdl_of
        Gives the results of positions, None if one is not known.
    """
    line: list[chess.Move] = []
    board = board.copy(stack=False)
    seen = {board.epd()}

    def drawing(board: chess.Board) -> list[tuple[chess.Move, chess.Board]]:
        """Return the moves that keep the draw, and the positions after them."""
        pairs = []
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            if wdl_of(after) == 0:
                pairs.append((move, after))
        return pairs

    def order(pair: tuple[chess.Move, chess.Board]) -> tuple[bool, bool, int, int, str]:
        move, after = pair
        replies = len(drawing(after))
        is_over = not replies or after.is_insufficient_material()
        return is_over, after.epd() in seen, replies, -_material(after, board.turn), move.uci()

    while len(line) < DRAWING_LENGTH and not board.is_insufficient_material():
        pairs = drawing(board)
        if not pairs:
            break
        move, board = min(pairs, key=order)
        line.append(move)
        if board.epd() in seen:
            break
        seen.add(board.epd())
    return line


def _material(board: chess.Board, color: chess.Color) -> int:
    """Return a side's advantage in material, in pawns."""
    return sum(
        worth * (len(board.pieces(kind, color)) - len(board.pieces(kind, not color)))
        for kind, worth in WORTH.items()
    )
