"""Proofs of positions: the positions that a side's moves and all replies lead to, and their ends."""

from __future__ import annotations

import heapq
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import chess
import numpy as np

from tablebase.capacity import MAX_MEN
from tablebase.errors import TablebaseError
from tablebase.outcomes import DTM
from tablebase.positions import material_of
from tablebase.solving.budget import OutOfBudget
from tablebase.solving.places import structure_of
from tablebase.solving.strategies import Holding, NoStrategyError, Strategy, Winning
from tablebase.storage import POSITION_WORDS, Proof, ProofPart, open_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.solving.leaves import CompleteTables
    from tablebase.solving.places import Structure
    from tablebase.solving.solver import Solver

# Positions of a part. They take about 1 kB each until they are written.
MOST_POSITIONS = 3_000_000
_PACK = struct.Struct(f"<{POSITION_WORDS}Q")
_CLAIMS = {
    (1, 1): "win", (0, 0): "draw", (-1, -1): "loss", (0, 1): "at_least_draw", (-1, 0): "at_most_draw",
}  # fmt: skip


class ProofError(TablebaseError):
    """A proof cannot be written."""


def key_of(board: chess.Board) -> bytes:
    """Return a position, without the side to move, as files of proofs have it."""
    passing = 1 << board.ep_square if board.ep_square and board.has_legal_en_passant() else 0
    return _PACK.pack(
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        board.occupied_co[chess.WHITE], passing,
    )  # fmt: skip


def board_of_key(key: bytes, turn: chess.Color) -> chess.Board:
    """Return the position of a key, with a side to move."""
    board = chess.Board(None)
    *kinds, white, passing = _PACK.unpack(key)
    board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = kinds
    board.occupied = sum(kinds)
    board.occupied_co[chess.WHITE] = white
    board.occupied_co[chess.BLACK] = board.occupied & ~white
    board.ep_square = passing.bit_length() - 1 if passing else None
    board.turn = turn
    return board


class Exits:
    """Positions whose results complete tables give.

    Parameters
    ----------
    tables
        The tables, None if no position is to be an exit.
    """

    def __init__(self, tables: CompleteTables | None) -> None:
        self._tables = tables
        self._names = {one.name for one in tables.available_materials} if tables else set()
        self._is_there: dict[Structure, bool] = {}
        self._found: dict[tuple[bytes, bool], int] = {}
        self._used: set[str] = set()

    def result(self, board: chess.Board) -> int | None:
        """Return the result of a position for the side to move, None if no table has it."""
        if self._tables is None or board.occupied.bit_count() > MAX_MEN:
            return None
        if material_of(board).normalized().name not in self._names:
            return None
        return self._tables.get_wdl(board)

    def note(self, board: chess.Board) -> bool:
        """Enter a position among the exits; return whether it is one."""
        result = self.result(board)
        if result is None:
            return False
        self._found[key_of(board), board.turn] = result
        self._used.add(material_of(board).normalized().name)
        return True

    def arrays(self) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.int8]]:
        """Return the positions, sides to move and results that were noted."""
        order = sorted(self._found, key=lambda one: (one[1], one[0]))
        turns = np.array([0 if turn else 1 for _, turn in order], dtype=np.uint8)
        results = np.array([self._found[one] for one in order], dtype=np.int8)
        return _words_of([key for key, _ in order]), turns, results

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of the values of the tables that were asked, by material."""
        assert self._tables is not None or not self._used
        found = {}
        for name in sorted(self._used):
            with open_table(self._tables.available_tables[name]) as file:
                found[name] = file.sha256_of(DTM)
        return found


def _words_of(keys: list[bytes]) -> NDArray[np.uint64]:
    return np.frombuffer(b"".join(keys), dtype="<u8").reshape(-1, POSITION_WORDS)


class _Entry(NamedTuple):
    """The move of a position, what it is near to, and the positions after the replies."""

    move: chess.Move
    order: tuple[int, int, int]
    replies: list[bytes]


class _Part:
    """The positions that one side's moves and all replies to them lead to."""

    def __init__(self, side: chess.Color, *, wins: bool, solver: Solver, exits: Exits) -> None:
        self._side, self._wins, self._exits = side, wins, exits
        self._strategy: Strategy = (
            Winning(solver, side) if wins else Holding(solver, side, self._new_replies)
        )
        self._entries: dict[bytes, _Entry | None] = {}
        self._waiting: dict[Structure, list[bytes]] = {}
        self._queue: list[tuple[int, int, Structure]] = []

    def _new_replies(self, board: chess.Board, most: int) -> int:
        """Return how many replies lead to positions without an entry, `most` if there are more."""
        if self._is_end(board):
            return 0
        count = 0
        for reply in board.legal_moves:
            board.push(reply)
            count += key_of(board) not in self._entries and not self._is_end(board)
            board.pop()
            if count >= most:
                break
        return count

    def _is_end(self, board: chess.Board) -> bool:
        """Return whether a position needs no moves in the proof."""
        return self._is_dead(board) or self._exits.result(board) is not None

    def _is_dead(self, board: chess.Board) -> bool:
        return not self._wins and board.has_insufficient_material(not self._side)

    def prove(self, root: chess.Board) -> None:
        """Collect what proves the claim of a position."""
        board = root.copy(stack=False)
        if board.turn == self._side:
            self._add(board, structure_of(board))
        else:
            self._add_replies(board, structure_of(board))
        while self._queue:
            men, steps, structure = heapq.heappop(self._queue)
            waiting = self._waiting[structure]
            while waiting:
                self._enter(waiting.pop(), structure, (-men, -steps))
            del self._waiting[structure]

    def _add(self, board: chess.Board, structure: Structure) -> bytes | None:
        """Let a position with this side to move be proven; return its key if it has an entry."""
        if self._is_dead(board) or self._exits.note(board):
            return None
        key = key_of(board)
        if key not in self._entries:
            if len(self._entries) >= MOST_POSITIONS:
                raise NoStrategyError(f"it has more than {MOST_POSITIONS:,} positions")
            self._entries[key] = None
            if structure not in self._waiting:
                self._waiting[structure] = []
                heapq.heappush(self._queue, (*_order_of(board), structure))
            self._waiting[structure].append(key)
        return key

    def _add_replies(self, board: chess.Board, structure: Structure) -> list[bytes]:
        """Let the positions after all moves of the other side be proven; return their keys."""
        if self._is_dead(board) or self._exits.note(board):
            return []
        found = []
        for reply in board.legal_moves:
            is_zeroing = board.is_zeroing(reply)
            board.push(reply)
            key = self._add(board, structure_of(board) if is_zeroing else structure)
            board.pop()
            if key is not None:
                found.append(key)
        return found

    def _enter(self, key: bytes, structure: Structure, order: tuple[int, int]) -> None:
        """Find the move of a position, and what it leads to."""
        board = board_of_key(key, self._side)
        choice = self._strategy.choose(board)
        if choice is None:  # stalemate
            return
        is_zeroing = board.is_zeroing(choice.move)
        board.push(choice.move)
        replies = self._add_replies(board, structure_of(board) if is_zeroing else structure)
        self._entries[key] = _Entry(choice.move, (*order, choice.nearness), replies)

    def result(self) -> ProofPart:
        """Return the part of the proof."""
        entries = {key: entry for key, entry in self._entries.items() if entry is not None}
        ranks: dict[bytes, int] = {}
        for key, entry in sorted(entries.items(), key=lambda one: one[1].order) if self._wins else ():
            # A reply that has no rank yet would be a circle.
            ranks[key] = 1 + max((ranks[reply] for reply in entry.replies), default=0)
        keys = sorted(entries)
        moves = [_move_word(entries[key].move) for key in keys]
        return ProofPart(
            f"{'white' if self._side else 'black'}_{'wins' if self._wins else 'holds'}",
            _words_of(keys),
            np.array(moves, dtype=np.uint16),
            np.array([ranks[key] for key in keys], dtype=np.uint32) if self._wins else None,
        )


def _order_of(board: chess.Board) -> tuple[int, int]:
    """Return numbers that all moves out of a structure make greater: men and pawns' steps left."""
    white = board.pawns & board.occupied_co[chess.WHITE]
    black = board.pawns & board.occupied_co[chess.BLACK]
    steps = sum(7 - square // 8 for square in chess.scan_forward(white))
    steps += sum(square // 8 for square in chess.scan_forward(black))
    return -board.occupied.bit_count(), -steps


def _move_word(move: chess.Move) -> int:
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


def proof_of(solver: Solver, tables: CompleteTables | None) -> Proof:
    """Return what proves the result of a solver's root, or its bounds.

    Parameters
    ----------
    solver
        A solver that has run.
    tables
        Complete tables, which positions may be left to.

    Raises
    ------
    ProofError
        If nothing is proven, or if the proof would be too large.
    """
    root = solver.root
    if solver.bounds(root) != solver.root_bounds():
        with suppress(OutOfBudget):
            solver.settle()
    bounds, mover = solver.bounds(root), root.turn
    if bounds not in _CLAIMS:
        raise ProofError("nothing is proven that a proof could show: give --budget more")
    # Sides whose win is proven, or who are proven not to lose.
    goals = [(mover, bounds.least), (not mover, -bounds.most)]
    won = [(side, True) for side, least in goals if least == 1]
    parts, exits = [], Exits(tables)
    for side, wins in won or [(side, False) for side, least in goals if least == 0]:
        part = _Part(side, wins=wins, solver=solver, exits=exits)
        try:
            part.prove(root)
        except NoStrategyError as error:
            raise ProofError(f"the proof cannot be written: {error}") from None
        parts.append(part.result())
    return Proof(root.fen(), _CLAIMS[bounds], tuple(parts), *exits.arrays(), exits.digests())
