"""Countermove boards: the reply to a move that is best most often, whatever else is on the board.

Engines fill such boards, by the last move's squares, with moves that refuted it (J. Uiterwijk, "The
Countermove Heuristic", ICCA Journal 15 (1), 1992); here a table's perfect play does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.butterfly.boards import empty_sums, on_whole_board, pairs_of, require_chess
from tablebase.core.board.geometry import SQUARES, Color, PieceType, square_name, square_rank
from tablebase.core.board.movement import from_to_pairs, is_attacked_by, make_movement
from tablebase.core.board.symmetry import D4
from tablebase.core.ground.argument_readers import as_flag
from tablebase.core.index.numbering import TableIndex
from tablebase.core.moves.legal_moves import Moves, iter_moves
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.rules.material import Material
from tablebase.core.tables.table import Table

NO_REPLY = -1
# A queen's lines are those of all men that do not jump, pawns included.
_BETWEEN = make_movement().between[Color.WHITE, PieceType.QUEEN]
# The 1,792 possible pairs, as 64 * from + to, and the index of each among them.
_PAIRS = np.flatnonzero(from_to_pairs())
_NUMBER = np.cumsum(from_to_pairs()) - 1


class LastMoves(NamedTuple):
    """Moves that may have led to some positions."""

    position: NDArray[np.int64]  # [moves] the row of the position, ascending for each man
    origin: NDArray[np.int64]  # [moves]
    target: NDArray[np.int64]  # [moves]


@dataclass(frozen=True, eq=False)
class CountermoveBoards:
    """The reply that is best most often, by the last move, over all images of the positions.

    Arrays are [2, 64, 64]: colour that replies (White first), from and to of the last move.
    """

    material: Material
    # 64 * from + to, of equally good replies the first; NO_REPLY if no position followed
    replies: NDArray[np.int16]
    times: NDArray[np.uint64]  # positions after the last move in which the reply is a best move
    positions: NDArray[np.uint64]  # positions after the last move

    def hits(self, color: int) -> float:
        """Return in what share of all positions after a last move the reply is a best move."""
        return float(self.times[color].sum() / max(1, self.positions[color].sum()))

    def commonest(self, color: int, number: int) -> list[tuple[str, str, int, int]]:
        """Return last move, reply, `times` and `positions` of the replies best most often."""
        times = self.times[color].ravel().astype(np.int64)
        order = np.argsort(-times, kind="stable")[:number]
        return [
            (
                _pair_name(pair),
                _pair_name(int(self.replies[color].flat[pair])),
                int(times[pair]),
                int(self.positions[color].flat[pair]),
            )
            for pair in order.tolist()
            if times[pair]
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a file, by name."""
        return {
            "countermoves": self.replies,
            "countermove_times": self.times,
            "countermove_positions": self.positions,
        }


class CountermoveSums:
    """Counts best replies by the last move."""

    def __init__(self, index: TableIndex) -> None:
        self.index = index
        # [self image, colour, last move, reply], moves by their index in `_PAIRS`.
        self._counts = np.zeros((2, 2, len(_PAIRS), len(_PAIRS)), dtype=np.uint32)
        self._positions = empty_sums()

    def add(self, moves: Moves, chosen: NDArray[np.bool_]) -> None:
        """Count the best moves of chosen positions, bool [n], once for each last move."""
        side = 0 if moves.white_to_move else 1
        squares, _ = self.index.decode_many(moves.slots)
        last = last_moves(self.index.material, squares, side)
        kept = chosen[last.position]
        position = last.position[kept]
        pair = (last.origin * SQUARES + last.target)[kept]
        number = number_of_pair(last.origin[kept], last.target[kept])
        weight = moves.self_images[position].astype(np.int64)
        block = weight * 2 + side
        np.add.at(self._positions.reshape(-1), block * SQUARES**2 + pair, 1)
        # Each last move beside each of the replies of its position, of which there are `repeats`.
        replied, replies = pairs_of(moves, chosen)
        starts = np.searchsorted(replied, np.arange(len(moves) + 1))
        repeats = np.diff(starts)[position]
        row = np.repeat(np.arange(len(position)), repeats)
        within = np.arange(len(row)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        reply = replies[starts[position][row] + within]
        both = (block * len(_PAIRS) + number)[row] * len(_PAIRS) + _NUMBER[reply]
        np.add.at(self._counts.reshape(-1), both, 1)

    def on_whole_board(self) -> NDArray[np.uint32]:
        """Return the number of positions in which a reply is best after a move, with all images.

        By colour of the side that replies, last move and reply, both numbered by `number_of_pair`.
        """
        total = np.zeros_like(self._counts)
        for symmetry in self.index.symmetries:
            images = D4[symmetry]
            number = number_of_pair(images[_PAIRS // SQUARES], images[_PAIRS % SQUARES])
            total += self._counts[:, :, number][:, :, :, number]
        counts: NDArray[np.uint32] = total[0]
        counts += total[1] // np.uint32(2)  # those that a diagonal keeps turned up twice
        return counts

    def boards(self) -> CountermoveBoards:
        """Return the boards over all images of the positions counted."""
        counts = self.on_whole_board()
        best = counts.argmax(axis=2)
        times = np.zeros((2, SQUARES * SQUARES), dtype=np.uint64)
        times[:, _PAIRS] = counts.max(axis=2)
        replies = np.full(times.shape, NO_REPLY, dtype=np.int16)
        replies[:, _PAIRS] = np.where(counts.any(axis=2), _PAIRS[best], NO_REPLY)
        positions = on_whole_board(self._positions, self.index).astype(np.uint64)
        shape = positions.shape
        return CountermoveBoards(
            self.index.material, replies.reshape(shape), times.reshape(shape), positions
        )


def _origins(color: Color, kind: PieceType) -> NDArray[np.bool_]:
    """Return from which squares a man reaches each square quietly on an empty board, [to, from]."""
    if kind is not PieceType.PAWN:
        return from_to_pairs((kind,))
    forward = 1 if color is Color.WHITE else -1
    start = 1 if color is Color.WHITE else 6
    origins = np.zeros((SQUARES, SQUARES), dtype=np.bool_)
    for origin in range(8, 56):
        for ranks in (1, 2) if square_rank(origin) == start else (1,):
            target = origin + 8 * ranks * forward
            origins[target, origin] = 0 < square_rank(target) < 7
    return origins


_ORIGINS = {(color, kind): _origins(color, kind) for color in Color for kind in PieceType}


def _pair_name(pair: int) -> str:
    return square_name(pair // SQUARES) + square_name(pair % SQUARES)


def number_of_pair(origin: NDArray[np.integer], target: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the numbers of possible from-to pairs among all 1,792, in ascending order."""
    return _NUMBER[np.asarray(origin, dtype=np.int64) * SQUARES + target]


def count_countermoves(
    table: Table,
    subtables: Mapping[Material, Table],
    *,
    draws: bool = False,
    threads: int | None = None,
) -> CountermoveBoards:
    """Find for each move the reply that is best most often.

    Every position counts once for each quiet move of the other side that may have led to it from a
    legal position. Captures and promotions lead here from other tables and are left out.

    Parameters
    ----------
    table
        The table.
    subtables
        The tables of `Material.dependencies`.
    draws
        Whether drawn positions count as well.
    threads
        How many threads list moves; by default one for each processor.

    Raises
    ------
    InvalidMaterialError
        If the table is of another game than chess.
    MissingTableError
        If a sub-table is missing.
    """
    require_chess(table.material)
    draws = as_flag("draws", draws)
    sums = CountermoveSums(table.index)
    for moves in iter_moves(table, subtables, threads=threads):
        chosen = np.ones(len(moves), dtype=np.bool_)
        if not draws:
            chosen = table.codes[0 if moves.white_to_move else 1][moves.slots] != DRAW
        sums.add(moves, chosen)
    return sums.boards()


def last_moves(material: Material, squares: NDArray[np.uint8], side: int) -> LastMoves:
    """Return the quiet moves of the other side that may have led to positions, uint8 [n, men].

    `side` is to move now, 0 for White.
    """
    mover = Color(1 - side)
    occupied = _words(squares)
    empty = occupied[:, None] >> np.arange(SQUARES, dtype=np.uint64) & np.uint64(1) == 0
    found = []
    for man, (color, kind) in enumerate(material.men):
        if color is not mover:
            continue
        here = squares[:, man]
        between = _BETWEEN[here] & occupied[:, None]
        position, origin = np.nonzero(_ORIGINS[mover, kind][here] & empty & (between == 0))
        before = squares[position]
        before[:, man] = origin
        legal = ~is_attacked_by(material.men, before.T, mover, before[:, side], _words(before))
        found.append((position[legal], origin[legal], here[position[legal]].astype(np.int64)))
    return LastMoves(*map(np.concatenate, zip(*found, strict=True)))


def _words(squares: NDArray[np.uint8]) -> NDArray[np.uint64]:
    words: NDArray[np.uint64] = np.bitwise_or.reduce(
        np.uint64(1) << squares.astype(np.uint64), axis=1
    )
    return words
