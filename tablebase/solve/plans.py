"""The moves of a position in the order of their proven results, and lines that hold a draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import chess

from tablebase.core.answers.ranking import KnownMove
from tablebase.core.board.geometry import WORTH
from tablebase.core.ground.capacity import MEASURED_PIECES
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.solve.places import count_pieces

# From a position to its result for the side to move, None if it is not known.
WdlOf = Callable[[chess.Board], int | None]
# From a position and the result of the move that led there to that move's distance.
DistanceOf = Callable[[chess.Board, int], "Distance | None"]

# Most plies of a line that holds a draw.
DRAWING_LENGTH = 20


class Distance(NamedTuple):
    """The distance of a position or a move to zeroing; the winner prefers smaller distances."""

    given_up: int  # material that the winning side gives up, in pawns
    is_crowded: bool  # whether the zeroing move leads to more than `MEASURED_PIECES` pieces
    plies: int


def rank_by_results(
    board: chess.Board, result: int, wdl_of: WdlOf, distance_of: DistanceOf | None
) -> list[KnownMove[chess.Move]]:
    """Return every legal move with what is proven of it, best first.

    Wins that give up the least material come first, then the nearest zeroing moves; losses come the
    other way round. `result` is the position's own; `distance_of` is as for `distance_of_move`.
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
        plies = sign * distance.plies if distance else None
        in_time = None
        if wdl == Wdl.DRAW:  # about which the 50-move rule changes nothing
            plies, in_time = 0, Wdl50.DRAW
        mate, zeroing = after.is_checkmate(), board.is_zeroing(move)
        one = KnownMove(move, wdl, None, mate, zeroing, wdl50=in_time, dtz_without_rule50=plies)
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


def distance_of_move(
    board: chess.Board, move: chess.Move, result: int, distance_of: DistanceOf | None
) -> Distance | None:
    """Return the distance of a legal move to zeroing, None if it is not known.

    `result` is proven for the side that makes the move, 1 or -1; `distance_of` gives distances
    within the structure as `ZeroingDistances.after` does.
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
    is_crowded = count_pieces(after) > MEASURED_PIECES
    return Distance(max(prey - gain, 0), is_crowded=is_crowded, plies=1)


def _worth_captured(board: chess.Board, move: chess.Move) -> int:
    """Return the worth of the man that a move captures, in pawns."""
    if board.is_en_passant(move):
        return 1
    return WORTH.get(board.piece_type_at(move.to_square) or 0, 0)


def drawing_line(board: chess.Board, wdl_of: WdlOf) -> list[chess.Move]:
    """Return a line from a drawn position in which each side sets the other problems.

    Each move leaves the opponent the fewest moves that keep the draw. It ends with insufficient
    material, the end of the game, a repetition, or after `DRAWING_LENGTH` plies.
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
