"""Proofs of positions: all positions that one side's moves and all replies lead to."""

from __future__ import annotations

import heapq
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import chess
import numpy as np

from tablebase.capacity import MAX_MEN
from tablebase.outcomes import DTM
from tablebase.positions import material_of
from tablebase.solving.bounds import Bounds, bounds_by_moves
from tablebase.solving.budget import OutOfBudget
from tablebase.solving.packed import (
    board_of_packed,
    cannot_lose,
    packed_after,
    packed_of,
    place_of_packed,
)
from tablebase.solving.strategies import Holding, NoStrategyError, Strategy, Winning
from tablebase.storage import POSITION_WORDS, Proof, ProofPart, open_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tablebase.rules import Material
    from tablebase.solving.leaves import CompleteTables
    from tablebase.solving.packed import Packed
    from tablebase.solving.places import Structure
    from tablebase.solving.solver import Solver

# Positions of a part, which take about 1 kB each until they are written: how many it may have at
# first, how many times as many are allowed after each failure, and the most.
FIRST_POSITIONS, GROWTH, MOST_POSITIONS = 8_000, 4, 2_048_000
# What a move into a structure that a part does not have counts for, in positions.
NEW_STRUCTURE = 20
_CLAIMS = {
    (1, 1): "win", (0, 0): "draw", (-1, -1): "loss",
    (0, 1): "at_least_draw", (-1, 0): "at_most_draw",
}  # fmt: skip


class OtherTables:
    """Complete tables but that of one material: a proof must not leave its root to a table.

    Parameters
    ----------
    tables
        The tables.
    root
        The position whose material is left out.
    """

    def __init__(self, tables: CompleteTables, root: chess.Board) -> None:
        self._left_out = material_of(root).normalized()
        self._tables = tables
        self.get_wdl = tables.get_wdl
        self.mainline = tables.mainline
        self.probe_wdl_planes = tables.probe_wdl_planes

    @property
    def available_materials(self) -> tuple[Material, ...]:
        """The materials that there are tables of."""
        there = self._tables.available_materials
        return tuple(one for one in there if one != self._left_out)

    @property
    def available_tables(self) -> dict[str, Path]:
        """The files of these tables, by name of the material."""
        return self._tables.available_tables


class Exits:
    """Positions whose results complete tables give.

    Parameters
    ----------
    tables
        The tables, None if no position is to be an exit.
    """

    def __init__(self, tables: CompleteTables | None) -> None:
        self._tables = tables
        self._there = {one.name for one in tables.available_materials} if tables else set()
        self._names: dict[Structure, str] = {}  # of materials, empty where there is no table
        self._results: dict[tuple[Packed, chess.Color], int | None] = {}

    def result(self, packed: Packed, turn: chess.Color) -> int | None:
        """Return the result of a position for the side to move, None if no table has it."""
        if self._tables is None or _occupied(packed).bit_count() > MAX_MEN:
            return None
        structure = place_of_packed(packed, turn).structure
        if structure not in self._names:
            name = material_of(board_of_packed(packed, turn)).normalized().name
            self._names[structure] = name if name in self._there else ""
        if not self._names[structure]:
            return None
        if (packed, turn) not in self._results:
            self._results[packed, turn] = self._tables.get_wdl(board_of_packed(packed, turn))
        return self._results[packed, turn]

    def digests(self, found: Iterable[Packed]) -> dict[str, str]:
        """Return the SHA-256 of the values of the tables that have these exits, by material."""
        names = {self._names[place_of_packed(packed, chess.WHITE).structure] for packed in found}
        digests: dict[str, str] = {}
        for name in sorted(names):
            assert self._tables is not None
            with open_table(self._tables.available_tables[name]) as file:
                digests[name] = file.sha256_of(DTM)
        return digests


def _occupied(packed: Packed) -> int:
    return sum(packed[:6])


def _words_of(positions: list[Packed]) -> NDArray[np.uint64]:
    return np.array(positions, dtype=np.uint64).reshape(-1, POSITION_WORDS)


class _Aim(NamedTuple):
    """How the moves of a part are chosen, and how many positions it may have.

    By place, a move is preferred that puts the side's men where they often are: so are fortresses
    held. Otherwise the move is preferred whose replies lead to the fewest new positions.
    """

    by_place: bool
    most: int


class _TooManyError(Exception):
    """A part has more positions than it may."""


class _Entry(NamedTuple):
    """The move of a position, where it comes in order, and the positions after the replies."""

    move: chess.Move
    order: tuple[int, int, int]
    replies: list[Packed]


class _Part:
    """The positions that one side's moves and all replies to them lead to."""

    def __init__(self, side: chess.Color, strategy: Strategy, exits: Exits, aim: _Aim) -> None:
        self._side, self._strategy, self._exits, self._aim = side, strategy, exits, aim
        self._wins = isinstance(strategy, Winning)
        self._entries: dict[Packed, _Entry | None] = {}
        self._waiting: dict[Structure, list[Packed]] = {}
        self._queue: list[tuple[int, int, Structure]] = []
        self._structures: set[Structure] = set()
        self._used: Counter[tuple[int, ...]] = Counter()
        self.found: dict[tuple[Packed, chess.Color], int] = {}  # results of exits

    def prove(self, root: chess.Board) -> None:
        """Collect what proves the claim of a position."""
        board, packed = root.copy(stack=False), packed_of(root)
        if board.turn == self._side:
            self._add(packed)
        else:
            self._add_replies(board, packed)
        while self._queue:
            *order, structure = heapq.heappop(self._queue)
            waiting = self._waiting[structure]
            while waiting:
                self._enter(waiting.pop(), (-order[0], -order[1]))
            del self._waiting[structure]

    def _is_exit(self, packed: Packed, turn: chess.Color) -> bool:
        """Return whether a table has a position, and note its result."""
        result = self._exits.result(packed, turn)
        if result is None:
            return False
        self.found[packed, turn] = result
        return True

    def _is_dead(self, packed: Packed) -> bool:
        return not self._wins and cannot_lose(packed, self._side)

    def _cheapest(
        self, board: chess.Board, packed: Packed, moves: Sequence[chess.Move]
    ) -> chess.Move:
        """Return the move that adds the fewest positions to the proof, and is like others in it."""
        best, least = moves[0], (1 << 30, 0)
        if not self._aim.by_place:  # checks leave few replies, so others are soon seen to be worse
            moves = sorted(moves, key=lambda one: not board.gives_check(one))
        for move in moves:
            after = packed_after(board, packed, move)
            most = 1 if self._aim.by_place else least[0] + 1
            new = self._new_replies(board, after, move, most)
            if new and place_of_packed(after, self._side).structure not in self._structures:
                new += NEW_STRUCTURE
            order = new, -self._used[self._own_place(after)]
            if order < least:
                best, least = move, order
        self._used[self._own_place(packed_after(board, packed, best))] += 1
        return best

    def _own_place(self, packed: Packed) -> tuple[int, ...]:
        """Return the squares of this side's men, and of all pawns."""
        own = packed[6] if self._side else ~packed[6]
        return packed[0], *(word & own for word in packed[1:6])

    def _new_replies(self, board: chess.Board, after: Packed, move: chess.Move, most: int) -> int:
        """Return the number of replies to positions without an entry, `most` if there are more."""
        if self._is_dead(after) or self._exits.result(after, not self._side) is not None:
            return 0
        board.push(move)
        count = 0
        for reply in board.legal_moves:
            packed = packed_after(board, after, reply)
            count += packed not in self._entries and not self._is_dead(packed)
            if count >= most:
                break
        board.pop()
        return count

    def _add(self, packed: Packed) -> bool:
        """Add a position with this side to move, and tell whether it needs an entry."""
        if packed in self._entries:
            return True
        if self._is_dead(packed) or self._is_exit(packed, self._side):
            return False
        if len(self._entries) >= self._aim.most:
            raise _TooManyError
        self._entries[packed] = None
        structure = place_of_packed(packed, self._side).structure
        if structure not in self._waiting:
            self._waiting[structure] = []
            heapq.heappush(self._queue, (*_order_of(packed), structure))
        self._structures.add(structure)
        self._waiting[structure].append(packed)
        return True

    def _add_replies(self, board: chess.Board, packed: Packed) -> list[Packed]:
        """Let the positions after all moves of the other side be proven; return their keys."""
        if self._is_dead(packed) or self._is_exit(packed, board.turn):
            return []
        replies = [packed_after(board, packed, reply) for reply in board.legal_moves]
        return [reply for reply in replies if self._add(reply)]

    def _enter(self, packed: Packed, order: tuple[int, int]) -> None:
        """Find the move of a position, and what it leads to."""
        board = board_of_packed(packed, self._side)
        choice = self._strategy.choose(board, self._cheapest)
        if choice is None:  # stalemate
            return
        after = packed_after(board, packed, choice.move)
        board.push(choice.move)
        replies = self._add_replies(board, after)
        self._entries[packed] = _Entry(choice.move, (*order, choice.nearness), replies)

    def result(self) -> ProofPart:
        """Return the part of the proof."""
        entries = {key: entry for key, entry in self._entries.items() if entry is not None}
        ranks: dict[Packed, int] = {}
        for key, entry in (
            sorted(entries.items(), key=lambda one: one[1].order) if self._wins else ()
        ):
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


def _order_of(packed: Packed) -> tuple[int, int]:
    """Return numbers that moves out of a structure make greater: less men, less pawns' steps."""
    pawns, white = packed[0], packed[6]
    steps = sum(7 - square // 8 for square in chess.scan_forward(pawns & white))
    steps += sum(square // 8 for square in chess.scan_forward(pawns & ~white))
    return -_occupied(packed).bit_count(), -steps


def _move_word(move: chess.Move) -> int:
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


def proof_of(solver: Solver, tables: CompleteTables | None) -> Proof:
    """Return the proof of the result of a solver's root, or of its bounds.

    Parameters
    ----------
    solver
        A solver that has run.
    tables
        Complete tables, which positions may be left to.

    Raises
    ------
    NoStrategyError
        If nothing is proven, or if the proof would be too large.
    """
    root = solver.root
    if _bounds_of_root(solver) != solver.root_bounds():
        with suppress(OutOfBudget):
            solver.settle()
    bounds, mover = _bounds_of_root(solver), root.turn
    if bounds not in _CLAIMS:
        raise NoStrategyError(
            "nothing is proven yet, so there is no proof to write: give a larger --budget"
        )
    # Sides whose win is proven, or who are proven not to lose.
    goals = [(mover, bounds.least), (not mover, -bounds.most)]
    won = [(side, True) for side, least in goals if least == 1]
    parts, exits = [], Exits(tables)
    for side, wins in won or [(side, False) for side, least in goals if least == 0]:
        strategy = Winning(solver, side) if wins else Holding(solver, side)
        try:
            parts.append(_smallest_part(root, side, strategy, exits))
        except NoStrategyError as error:
            raise NoStrategyError(f"the proof is not written: {error}") from None
    found = {one: result for part in parts for one, result in part.found.items()}
    order = sorted(found, key=lambda one: (not one[1], one[0]))
    return Proof(
        root.fen(),
        _CLAIMS[bounds],
        tuple(part.result() for part in parts),
        _words_of([packed for packed, _ in order]),
        np.array([0 if turn else 1 for _, turn in order], dtype=np.uint8),
        np.array([found[one] for one in order], dtype=np.int8),
        exits.digests(packed for packed, _ in order),
    )


def _bounds_of_root(solver: Solver) -> Bounds:
    """Return the bounds on the root's result that the present region proves."""
    root = solver.root
    by_moves = bounds_by_moves(root, solver.bounds)
    return solver.bounds(root).narrowed(by_moves, root, "the region")


def _smallest_part(root: chess.Board, side: chess.Color, strategy: Strategy, exits: Exits) -> _Part:
    """Return one side's part of a proof, by the first aim that is reached with few positions."""
    most = FIRST_POSITIONS
    while most <= MOST_POSITIONS:
        for by_place in (False, True) if isinstance(strategy, Holding) else (False,):
            part = _Part(side, strategy, exits, _Aim(by_place, most))
            try:
                part.prove(root)
            except _TooManyError:
                continue
            return part
        most *= GROWTH
    raise NoStrategyError(
        f"it has more than {MOST_POSITIONS:,} positions, with tables of more men it has fewer"
    )
