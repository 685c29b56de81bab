"""Whether a side can still mate, by a search in which both sides help, and by a proof."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from tablebase.arbiter.best_first import (
    ASKED,
    BUCKETS,
    ENDED,
    MATED,
    Link,
    Number,
    advance,
)
from tablebase.arbiter.bitboards import WORDS
from tablebase.arbiter.walls import Walls
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.ground.words import plies_in_words

# Whether a board's side can mate, by rules and tables, with `can_mate` and `line`.
Ask = Callable[[chess.Board], Any]
# The answer of a search: whether a side can mate, the reason, and the moves up to the mate.
Found = tuple[bool | None, str, list[chess.Move] | None]


class _Attempt(NamedTuple):
    """What a search prefers, see `best_first.Number`, and how far it goes."""

    positions: int
    strip: int
    spare: int
    asks: int  # after how many moves of pawns and captures a proof is tried


_ATTEMPTS = (
    _Attempt(50_000, 0, 0, 0),
    _Attempt(50_000, 12, 0, 0),
    _Attempt(100_000, 30, 0, 0),
    _Attempt(160_000, 6, 20, 0),
    _Attempt(760_000, 12, 0, 40),
)


def search_helpmate(board: chess.Board, color: chess.Color, ask: Ask) -> Found:
    """Return whether a colour can still mate, the reason, and the moves up to the mate.

    Parameters
    ----------
    board
        A legal position of chess that is not over, with any number of men.
    color
        Who mates.
    ask
        What rules and tables say of a board: an object with ``can_mate``, a bool or None, and
        ``line``, the moves up to the mate.

    The line is played by python-chess before it is returned, so that no fault here makes a win. No
    mate is claimed only if no squares that the men can reach allow one, or if the search has come
    to its end. Without either the first value is None, and the reason tells how far it went.
    """
    if not is_mate_within_walls(board, color):
        return False, "can never mate, wherever the men get under the walls that stand", None
    known = 0
    for attempt in _ATTEMPTS:
        search = _Search(board, color, attempt, ask)
        is_found = search.run()
        known += search.known
        if is_found:
            told = f"can mate in {plies_in_words(len(search.line))} if the other side helps"
            return True, told, _played(board, search)
        # The search does not castle: nobody has to, but nothing is proven without it.
        if is_found is False and not board.castling_rights:
            among = f"among the {search.known} position{'s' * (search.known != 1)} that can follow"
            return False, f"can never mate: there is no mate {among}", None
    return None, f"neither a mate nor a proof was found among {known:,} positions", None


def is_mate_within_walls(board: chess.Board, color: chess.Color) -> bool:
    """Return whether a mate by a colour fits the squares that the men can ever reach."""
    if board.is_checkmate():
        return board.turn != color
    if board.chess960 and board.castling_rights:  # there, castling leads men past each other
        return True
    return Walls(board).can_mate(color)


def _played(board: chess.Board, search: _Search) -> list[chess.Move]:
    """Return the line of a search, which must be legal and end in a mate."""
    after = board.copy(stack=False)
    for move in search.line:
        if not after.is_legal(move):
            raise AssertionError(f"{move} is not legal in {after.fen()}")
        after.push(move)
    if not after.is_checkmate() or after.turn == search.color:
        raise AssertionError(f"{after.fen()} is no mate")
    return search.line


class _Search:
    """One attempt to find a mate."""

    def __init__(self, board: chess.Board, color: chess.Color, attempt: _Attempt, ask: Ask) -> None:
        size = attempt.positions
        self.color, self.line = color, list[chess.Move]()
        self._ask = ask
        self._states = np.empty((size, WORDS), np.uint64)
        self._links = np.empty((size, len(Link)), np.int32)
        self._states[0], self._links[0] = state_of(board), -1
        self._heads = np.full(BUCKETS, -1, np.int32)
        self._table = np.full(1 << (2 * size - 1).bit_length(), -1, np.int32)
        self._counts = np.zeros(len(Number), np.int64)
        self._counts[Number.COLOR] = color
        self._counts[Number.STRIP], self._counts[Number.SPARE] = attempt.strip, attempt.spare
        self._counts[Number.KNOWN], self._counts[Number.LOWEST] = 1, BUCKETS
        self._counts[Number.ASKS] = attempt.asks

    @property
    def known(self) -> int:
        """The number of positions that were found."""
        return int(self._counts[Number.KNOWN])

    def run(self) -> bool | None:
        """Return whether a mate is found, False if there is none, None if the memory is full."""
        arrays = (self._states, self._links, self._heads, self._table, self._counts)
        node = 0
        while (why := advance(*arrays, node)) == ASKED:
            node = int(self._counts[Number.NODE])
            self._counts[Number.ASKS] -= 1
            can, line = self._judge(board_in(self._states[node]))
            if can:
                self.line = self._line_to(node) + line
                return True
            if can is False:
                node = -1  # nothing after it is of use
        if why == MATED:
            self.line = self._line_to(int(self._counts[Number.NODE]))
        return {MATED: True, ENDED: False}.get(why)

    def _judge(self, board: chess.Board) -> tuple[bool | None, list[chess.Move]]:
        """Return the verdict of rules, walls and tables on a position, and the moves from there."""
        if board.is_checkmate():  # as the search will find
            return None, []
        is_poor = board.has_insufficient_material(self.color)
        if is_poor or not is_mate_within_walls(board, self.color):
            return False, []
        if chess.popcount(board.occupied) > MAX_MEN:
            return None, []
        chance = self._ask(board)
        return chance.can_mate, chance.line or []

    def _line_to(self, node: int) -> list[chess.Move]:
        """Return the moves up to a position."""
        line = []
        while node:
            code = int(self._links[node, Link.MOVE])
            line.append(
                chess.Move(code & 63, code >> 6 & 63, (code >> 12) + 1 if code >> 12 else None)
            )
            node = int(self._links[node, Link.PARENT])
        return line[::-1]


def state_of(board: chess.Board) -> NDArray[np.uint64]:
    """Return a board without castling rights as the words of a kernel, see `bitboards`."""
    ep_square = board.ep_square
    if ep_square is not None:
        takers = chess.BB_PAWN_ATTACKS[not board.turn][ep_square] & board.occupied_co[board.turn]
        ep_square = ep_square if takers & board.pawns else None
    turn = int(board.turn) + (0 if ep_square is None else 2 * (ep_square + 1))
    men = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    return np.array((*men, board.occupied_co[chess.WHITE], turn), np.uint64)


def board_in(state: NDArray[np.uint64]) -> chess.Board:
    """Return the board of words."""
    *men, white, turn = map(int, state)
    board = chess.Board(None)
    board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = men
    board.occupied = reduce(or_, men)
    board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK] = white, board.occupied & ~white
    board.turn = bool(turn & 1)
    board.ep_square = (turn >> 1) - 1 if turn >> 1 else None
    return board
