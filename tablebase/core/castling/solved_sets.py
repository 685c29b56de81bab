"""The castling sets that have been solved, in bounded memory.

A set rests on sets with fewer rights, fewer men or pawns further ahead, and on tables where no
right is left. All of them are solved when a position of one is first asked for, or taken from a
process that has solved them.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import pairwise
from threading import RLock
from typing import Any, Protocol

import chess
import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import FILES, PieceType
from tablebase.core.castling.graph_values import solve_graph
from tablebase.core.castling.placement_moves import NODES_AT_ONCE, NodeMoves, moves_of
from tablebase.core.castling.placements import CastlingSet, Exit, castling_set_of
from tablebase.core.ground.compiling import time_of_work
from tablebase.core.ground.errors import TablebaseError, UnsupportedPositionError
from tablebase.core.outcomes.metrics import (
    DRAW_PREFERENCE,
    HORIZON,
    MATED_PREFERENCE,
    NO_MOVE,
    Metric,
    Outcome,
)
from tablebase.core.rules.material import Material

MOST_CASTLING_MEN = 5  # a set of six would take minutes and gigabytes
CASTLING_MEMORY = 256 * 2**20  # bytes
PATIENCE = 2.0  # seconds before a line tells of it
_ILLEGAL = HORIZON  # instead of an outcome
_TOLD: set[CastlingSet] = set()  # what a line has told of, for whichever metric


class Tables(Protocol):
    """What gives the outcomes of positions, with castling rights or without."""

    def outcomes_of_squares(
        self, squares: NDArray[np.uint8], material: Material, *, white_to_move: bool
    ) -> NDArray[np.int16]:
        """Return the outcomes of legal positions without rights, from their squares [n, men]."""

    def outcome(self, board: chess.Board) -> int:
        """Return the outcome of a position, the right to capture en passant considered."""

    def require(self, material: Material) -> None:
        """Raise `MissingTableError` if a table that moves of these men lead to is missing."""


class UnsolvedSetError(TablebaseError):
    """A castling set is not solved yet, and is to be solved elsewhere."""


class SolvedSets:
    """The outcomes of positions with castling rights by the metric of `tables`.

    At most `capacity` bytes are kept; the set that was solved first goes first. One thread solves
    at a time, under a lock that readers of tables do not need.

    Attributes
    ----------
    only_taken : bool
        Whether an unsolved set is an `UnsolvedSetError`, until `take` gives it.
    """

    def __init__(self, tables: Tables, metric: Metric, capacity: int = CASTLING_MEMORY) -> None:
        self._tables, self._metric, self._capacity = tables, metric, capacity
        self._solved: dict[CastlingSet, NDArray[np.int16]] = {}
        self._by_key: dict[tuple[int, ...], memoryview[int]] = {}  # see `_key_and_slot`
        self._size = 0
        self.only_taken = False
        self._read: dict[CastlingSet, NDArray[np.int16]] = {}  # see `take_down`
        self._is_taken_down = False
        self._asked: CastlingSet | None = None  # for which all sets under way are solved
        self._since = 0.0
        self._lock = RLock()

    def begin_anew_after_fork(self) -> None:
        """Forget what another thread of the forked process may have been in the middle of."""
        self._lock = RLock()
        self.clear()

    def clear(self) -> None:
        """Forget everything, as when tables have changed, without the lock."""
        self._solved, self._by_key, self._size = {}, {}, 0

    def outcome(self, board: chess.Board, rights: int) -> int:
        """Return the outcome of a legal position, without looking at en passant.

        `rights` are its `castling_rights`. Raises `MissingTableError`, and
        `UnsupportedPositionError` if there are too many men.
        """
        key, slot = _key_and_slot(board, rights)
        found = self._by_key.get(key)
        if found is None:
            men = board.occupied.bit_count()
            if men > MOST_CASTLING_MEN:
                raise UnsupportedPositionError(
                    f"castling rights are covered up to {MOST_CASTLING_MEN} pieces, and here are "
                    f"{men}: {board.fen()}"
                )
            found = self._by_key[key] = self.outcomes(castling_set_of(board, rights)).data
        return found[slot if board.turn else slot + len(found) // 2]

    def outcomes(self, placed: CastlingSet) -> NDArray[np.int16]:
        """Return the outcomes of all nodes of a set, int16 [2 size], `HORIZON` of illegal ones.

        Raises `MissingTableError`, and `UnsolvedSetError` if sets are `only_taken`.
        """
        with self._lock:
            self._tables.require(placed.material)
            if self.only_taken and placed not in self._solved:
                raise UnsolvedSetError(solving_in_words(placed))
            self._asked, self._since = placed, time_of_work()
            return self._outcomes(placed)

    def take(self, placed: CastlingSet, outcomes: NDArray[np.int16]) -> None:
        """Keep the outcomes of a set that another process has solved, from the same tables."""
        with self._lock:
            if placed not in self._solved:
                self._keep(placed, outcomes)

    def take_down(self) -> dict[CastlingSet, NDArray[np.int16]]:
        """Return the sets that have been read since the last call, for another process to `take`.

        The first call begins to note them.
        """
        with self._lock:
            read, self._read, self._is_taken_down = self._read, {}, True
            self._by_key = {}  # what is read from it is not noticed
        return read

    def _outcomes(self, placed: CastlingSet) -> NDArray[np.int16]:
        found = self._solved.get(placed)
        if found is None:
            found = self._solve(placed)
            self._keep(placed, found)
        if self._is_taken_down:
            self._read[placed] = found
        return found

    def _keep(self, placed: CastlingSet, outcomes: NDArray[np.int16]) -> None:
        while self._solved and self._size + outcomes.nbytes > self._capacity:
            oldest = self._solved.pop(next(iter(self._solved)))
            self._size -= oldest.nbytes
            self._by_key.clear()
        self._solved[placed] = outcomes
        self._size += outcomes.nbytes

    # Solving

    def _solve(self, placed: CastlingSet) -> NDArray[np.int16]:
        nodes = 2 * placed.size
        exits = np.full(nodes, NO_MOVE, dtype=np.int32)
        is_legal = np.zeros(nodes, dtype=np.bool_)
        counts, targets = np.zeros(nodes + 1, dtype=np.int32), []
        # A block has one side to move.
        step = min(NODES_AT_ONCE, placed.size)
        for first, stop in pairwise(range(0, nodes + 1, step)):
            self._tell()
            moves = moves_of(placed, first, stop)
            self._find_exits(placed, moves, exits, white_to_move=first < placed.size)
            part = slice(first, stop)
            is_legal[part] = moves.is_legal
            is_end = (moves.counts == 0) & (exits[part] == NO_MOVE) & moves.is_legal
            ends = np.where(moves.in_check, MATED_PREFERENCE, DRAW_PREFERENCE)
            exits[part] = np.where(is_end, ends, exits[part])
            counts[first + 1 : stop + 1] = moves.counts
            targets.append(moves.targets)
        outcomes = solve_graph(np.cumsum(counts, dtype=np.int32), np.concatenate(targets), exits)
        outcomes[~is_legal] = _ILLEGAL
        return outcomes

    def _find_exits(
        self,
        placed: CastlingSet,
        moves: NodeMoves,
        exits: NDArray[np.int32],
        *,
        white_to_move: bool,
    ) -> None:
        """Raise the preference of each node to its best move out of the set."""
        order = np.argsort(moves.exits, kind="stable")
        numbers, starts = np.unique(moves.exits[order], return_index=True)
        ends = [*starts[1:].tolist(), len(order)][: len(numbers)]
        for number, start, end in zip(numbers.tolist(), starts.tolist(), ends, strict=True):
            rows = order[start:end]
            way = Exit.unpacked(number)
            after, men = way.after(placed)
            squares = np.ascontiguousarray(moves.squares[rows][:, men])
            ep_square = _ep_square_of(placed, way)
            if ep_square is not None:
                boards = (after.board(row, not white_to_move) for row in squares.tolist())
                outcomes = np.array(
                    [self._after_double_push(b, ep_square) for b in boards], np.int16
                )
            elif after.rights:
                base = after.size if white_to_move else 0
                outcomes = self._outcomes(after)[after.slots(squares) + base]
            else:
                outcomes = self._tables.outcomes_of_squares(
                    squares, after.material, white_to_move=not white_to_move
                )
            values = _preferences_before(outcomes, self._metric, zeroing=way.is_zeroing)
            np.maximum.at(exits, moves.sources[rows], values)

    def _after_double_push(self, board: chess.Board, ep_square: chess.Square) -> int:
        board.ep_square = ep_square
        return self._tables.outcome(board)

    def _tell(self) -> None:
        """Tell on standard error what is being solved, once it has taken `PATIENCE`."""
        asked = self._asked
        if asked is None or asked in _TOLD or time_of_work() - self._since <= PATIENCE:
            return
        _TOLD.add(asked)
        with suppress(OSError, ValueError):  # nobody is there to be told
            sys.stderr.write(f"{solving_in_words(asked)}\n")


def _key_and_slot(board: chess.Board, rights: int) -> tuple[tuple[int, ...], int]:
    """Return a key of the set of a board, quickly found, and the number of its placement."""
    white = board.occupied_co[chess.WHITE]
    black = board.occupied_co[chess.BLACK]
    kings, pawns, rooks = board.kings, board.pawns, board.rooks & ~rights
    fixed, slot, counts = 0, 0, 1
    for own, rank in ((white, chess.BB_RANK_1), (black, chess.BB_RANK_8)):
        king = kings & own
        if rights & rank:
            fixed |= king
        else:
            slot = slot << 6 | king.bit_length() - 1
    for own in (white, black):
        for men in (board.queens & own, rooks & own, board.bishops & own, board.knights & own):
            counts *= 8
            left = men
            while left:
                lowest = left & -left
                slot = slot << 6 | lowest.bit_length() - 1
                left ^= lowest
                counts += 1
    return (rights, fixed, pawns & white, pawns & black, counts), slot


def _ep_square_of(placed: CastlingSet, way: Exit) -> chess.Square | None:
    """Return the square that a double push passes if a pawn stands beside its end."""
    if way.pawn < 0:
        return None
    origin = placed.homes[way.pawn]
    if abs(way.target - origin) != 2 * FILES:
        return None
    color = placed.material.men[way.pawn][0]
    beside = {
        home
        for (other, kind), home in zip(placed.material.men, placed.homes, strict=True)
        if other is not color and kind is PieceType.PAWN
        if abs(home - way.target) == 1 and home // FILES == way.target // FILES
    }
    return (origin + way.target) // 2 if beside else None


def _preferences_before(
    outcomes: NDArray[np.int16], metric: Metric, *, zeroing: bool
) -> NDArray[np.int32]:
    """Return the preferences of the sides that moved, by the outcomes after their moves."""
    distinct, places = np.unique(outcomes, return_inverse=True)
    values: list[Any] = [
        Outcome(one).before(metric, zeroing=zeroing).preference for one in distinct.tolist()
    ]
    return np.array(values, dtype=np.int32)[places]


def solving_in_words(placed: CastlingSet) -> str:
    """Return words for the solution of a set that is under way, with its approximate time.

    >>> import chess
    >>> board = chess.Board("8/8/8/8/8/5k2/8/b3K2R w K - 0 1")
    >>> solving_in_words(castling_set_of(board, castling_rights(board)))
    'solving positions with castling rights: KRKB, a few seconds'
    """
    material = placed.material
    has_pawn = any(kind is PieceType.PAWN for _, kind in material.men)
    # Every promotion of a pawn leads to further sets.
    is_long = has_pawn and material.piece_count == MOST_CASTLING_MEN
    long = "up to half a minute" if is_long else "a few seconds"
    return f"solving positions with castling rights: {material.name}, {long}"


def castling_rights(board: chess.Board) -> int:
    """Return the rooks with castling rights as a word; those whose king has moved have none."""
    return board.clean_castling_rights() if board.castling_rights else 0
