"""Proofs of positions: all positions that one side's moves and all replies lead to."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from tablebase.core.ground.words import counted
from tablebase.solve.bounds import UNKNOWN, Bounds, bounds_by_moves
from tablebase.solve.budget import OutOfBudget
from tablebase.solve.leaves import CompleteTables, Exits
from tablebase.solve.packed import (
    Packed,
    board_of_packed,
    cannot_lose,
    packed_after,
    packed_of,
)
from tablebase.solve.places import Structure, place_of_packed
from tablebase.solve.proof_file import POSITION_WORDS, Proof, ProofPart
from tablebase.solve.solver import Solver
from tablebase.solve.strategies import Holding, NoStrategyError, Strategy, Winning

# Positions of a part: how many it may have at first, how many times as many are allowed after each
# failure, and the most.
FIRST_POSITIONS, GROWTH, MOST_POSITIONS = 8_000, 4, 2_048_000
# Memory of a position until the proof is written, in bytes, and seconds that writing it takes.
BYTES_A_POSITION, SECONDS_A_POSITION = 1_500, 2e-5
# Positions between two looks at the budget.
BETWEEN_CHECKS = 64
# What a move into a structure that a part does not have counts for, in positions.
NEW_STRUCTURE = 20


@dataclass(frozen=True)
class ProofSize:
    """The contents of a file with a proof."""

    claim: str  # the result that it proves, for the side to move
    positions: int  # with a move of the proving side
    exits: int  # positions left to tables
    tables: tuple[str, ...]  # materials of these tables


class _Aim(NamedTuple):
    """How the moves of a part are chosen, and how many positions it may have.

    By place, moves are preferred that put the side's men where they often are, as in a fortress;
    otherwise the moves whose replies lead to the fewest new positions.
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

    def __init__(
        self,
        side: chess.Color,
        strategy: Strategy,
        exits: Exits,
        aim: _Aim,
        check: Callable[[_Part], None],
    ) -> None:
        self._side, self._strategy, self._exits, self._aim = side, strategy, exits, aim
        self._check = check
        self._wins = isinstance(strategy, Winning)
        self._entries: dict[Packed, _Entry | None] = {}
        self._waiting: dict[Structure, list[Packed]] = {}
        self._queue: list[tuple[int, int, Structure]] = []
        self._structures: set[Structure] = set()
        self._used: Counter[tuple[int, ...]] = Counter()
        self.found: dict[tuple[Packed, chess.Color], int] = {}  # results of exits

    @property
    def positions(self) -> int:
        """Number of positions so far."""
        return len(self._entries)

    @property
    def bytes(self) -> int:
        """Memory in use."""
        return BYTES_A_POSITION * (len(self._entries) + self._exits.count) + self._strategy.bytes

    def prove(self, root: chess.Board) -> None:
        """Collect what proves the claim of a position."""
        board, packed = root.copy(stack=False), packed_of(root)
        if board.turn == self._side:
            self._add(packed)
        else:
            self._add_replies(board, packed)
        until_check = 0
        while self._queue:
            *order, structure = heapq.heappop(self._queue)
            waiting = self._waiting[structure]
            while waiting:
                if not until_check:
                    self._check(self)
                until_check = (until_check or BETWEEN_CHECKS) - 1
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
        """Return the move that adds the fewest positions to the proof, and is like its others."""
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
        ranked = replies if self._wins else []  # others are not needed, and take memory
        self._entries[packed] = _Entry(choice.move, (*order, choice.nearness), ranked)

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
    return -sum(packed[:6]).bit_count(), -steps


def _move_word(move: chess.Move) -> int:
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


def proof_of(
    solver: Solver,
    tables: CompleteTables | None,
    progress: Callable[[ProofSize], None] | None = None,
) -> Proof:
    """Return the proof of the result, or of the bounds, of the root of a solver that has run.

    Positions may be left to complete tables. `progress` gets the size so far, from 0 again for
    another attempt. `NoStrategyError` if nothing is proven, or the budget is too small.
    """
    root = solver.root
    if _bounds_of_root(solver) != solver.root_bounds():
        with suppress(OutOfBudget):
            solver.settle()
    bounds, mover = _bounds_of_root(solver), root.turn
    if bounds == UNKNOWN:
        raise NoStrategyError(
            "nothing is proven yet, so there is no proof to write: give a larger --budget"
        )
    # Sides whose win is proven, or who are proven not to lose.
    goals = [(mover, bounds.least), (not mover, -bounds.most)]
    won = [(side, True) for side, least in goals if least == 1]
    exits = Exits(tables)
    parts: list[ProofPart] = []
    found: dict[tuple[Packed, chess.Color], int] = {}

    def check(part: _Part) -> None:
        """Report how far a part is, and check that the budget lasts."""
        positions = part.positions + sum(len(one.moves) for one in parts)
        if progress:
            progress(ProofSize(bounds.name, positions, len(found) + len(part.found), ()))
        try:
            solver.check(part.bytes, SECONDS_A_POSITION * positions)
        except OutOfBudget as error:
            raise NoStrategyError(
                f"{error} after {counted(positions, 'position')} of it; a larger --budget, or "
                "tables with more pieces (without --complete), may be enough"
            ) from None

    for side, wins in won or [(side, False) for side, least in goals if least == 0]:
        strategy = Winning(solver, side) if wins else Holding(solver, side)
        try:
            part = _smallest_part(root, side, strategy, exits, check)
        except NoStrategyError as error:
            raise NoStrategyError(f"the proof is not written: {error}") from None
        parts.append(part.result())
        found |= part.found
    return _proof_from(root, bounds.name, parts, found, exits)


def _bounds_of_root(solver: Solver) -> Bounds:
    """Return the bounds on the root's result that the present region proves."""
    root = solver.root
    by_moves = bounds_by_moves(root, solver.bounds)
    return solver.bounds(root).narrowed(by_moves, root, "the region")


def _smallest_part(
    root: chess.Board,
    side: chess.Color,
    strategy: Strategy,
    exits: Exits,
    check: Callable[[_Part], None],
) -> _Part:
    """Return one side's part of a proof, by the first aim that is reached with few positions."""
    most = FIRST_POSITIONS
    while most <= MOST_POSITIONS:
        for by_place in (False, True) if isinstance(strategy, Holding) else (False,):
            part = _Part(side, strategy, exits, _Aim(by_place, most), check)
            try:
                part.prove(root)
            except _TooManyError:
                continue
            return part
        most *= GROWTH
    raise NoStrategyError(
        f"it has more than {MOST_POSITIONS:,} positions, with tables of more pieces it has fewer"
    )


def _proof_from(
    root: chess.Board,
    claim: str,
    parts: list[ProofPart],
    found: dict[tuple[Packed, chess.Color], int],
    exits: Exits,
) -> Proof:
    """Return the proof that parts and the results of their exits make."""
    order = sorted(found, key=lambda one: (not one[1], one[0]))
    return Proof(
        root.fen(),
        claim,
        tuple(parts),
        _words_of([packed for packed, _ in order]),
        np.array([0 if turn else 1 for _, turn in order], dtype=np.uint8),
        np.array([found[one] for one in order], dtype=np.int8),
        exits.digests(packed for packed, _ in order),
    )


def _words_of(positions: list[Packed]) -> NDArray[np.uint64]:
    return np.array(positions, dtype=np.uint64).reshape(-1, POSITION_WORDS)
