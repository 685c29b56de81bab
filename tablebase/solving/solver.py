"""The region grows where the result depends on it, until it is proven or the budget is spent."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import chess
import numpy as np

from tablebase.solving.attractor import make_work, work_bytes
from tablebase.solving.flood import begin_flood, flood
from tablebase.solving.planes import MAX_PIECES, WORDS
from tablebase.solving.positions import Place, place_of
from tablebase.solving.region import CLOSED, MOST_CHILDREN, OPEN, Region
from tablebase.solving.structures import expand, prepare, solve_batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tablebase.jit import KernelRecord

# Bounds on a result, seen from the side to move.
Bounds = tuple[int, int]
UNKNOWN: Bounds = (-1, 1)
# Planes that a thread solves before the clock is looked at.
CHUNK = 1 << 13


class OutOfBudget(Exception):  # noqa: N818 (it is no error)
    """The budget is spent; the message says on what."""


class Solver:
    """A region that grows from a root.

    Parameters
    ----------
    root
        The position, legal and without castling rights.
    seconds, memory
        The budget, in seconds from now and bytes.
    threads
        How many solve at once.
    progress
        Called now and then.
    """

    def __init__(
        self,
        root: chess.Board,
        *,
        seconds: float,
        memory: int,
        threads: int | None = None,
        progress: Callable[[Solver], None] | None = None,
    ) -> None:
        self.root = root
        self.started = time.monotonic()
        self.deadline = self.started + seconds
        self.threads = threads or os.cpu_count() or 1
        self.progress = progress
        self.memory = memory
        self.few = True
        self.region = Region(memory, few=True)
        self.planes = 0
        self.structures = 0
        self.rounds = 0
        self._works: list[KernelRecord] = []

    # What is known of positions

    def bounds(self, board: chess.Board) -> Bounds:
        """Return the bounds on the result of a position, from the side to move."""
        if board.has_legal_en_passant():
            return self._best(board)
        return self._read(place_of(board))

    def move_bounds(self, board: chess.Board, move: chess.Move) -> Bounds:
        """Return the bounds on the result of a move, from the mover's side."""
        board.push(move)
        lower, upper = self.bounds(board)
        board.pop()
        return -upper, -lower

    def root_bounds(self) -> Bounds:
        """Return the bounds on the root's result: of the root and of its moves."""
        found = [self._read(place_of(self.root))] if not self.root.has_legal_en_passant() else []
        if any(self.root.legal_moves):
            found.append(self._best(self.root))
        return max(lower for lower, _ in found), min(upper for _, upper in found)

    def _best(self, board: chess.Board) -> Bounds:
        found = [self.move_bounds(board, move) for move in board.legal_moves]
        return max(lower for lower, _ in found), max(upper for _, upper in found)

    def _number(self, place: Place) -> int:
        return self.region.number_of(place.white_pawns, place.black_pawns, place.pieces)

    def _read(self, place: Place) -> Bounds:
        number, fields = self._number(place), self.region.fields
        if fields.state[number] == CLOSED:
            return UNKNOWN
        planes = 1 << (6 * int(fields.pieces[number]))

        def wins(start: int, attacker: int) -> bool:
            plane = (2 * attacker + place.turn) * planes + place.plane
            word = int(fields.arena[start + plane * WORDS + place.white_king])
            return bool(word >> place.black_king & 1)

        lower, upper = int(fields.lower[number]), int(fields.upper[number])
        own, other = place.turn, 1 - place.turn
        least = 1 if wins(lower, own) else -1 if wins(upper, other) else 0
        most = 1 if wins(upper, own) else -1 if wins(lower, other) else 0
        return least, most

    # Growing

    def run(self, *, moves: bool = True) -> None:
        """Grow the region until the root, and each of its moves if asked for, is proven.

        Raises
        ------
        OutOfBudget
            If it did not come so far. What is known by then is sound.
        """
        chosen = np.array([self._number(place_of(self.root))])
        while True:
            self.rounds += 1
            self._solve(chosen)
            if self.progress:
                self.progress(self)
            if self._is_proven(moves=moves):
                return
            chosen = self._choose(self._flood())

    def _is_proven(self, *, moves: bool) -> bool:
        lower, upper = self.root_bounds()
        if lower < upper or not moves:
            return lower == upper
        found = [self.move_bounds(self.root, move) for move in self.root.legal_moves]
        return all(lower == upper for lower, upper in found)

    def _flood(self) -> NDArray[np.int64]:
        """Return the structures outside that the flood comes to."""
        self.region.fields.hits[:] = 0
        for board in self._open_positions(self.root.copy(stack=False), first=True):
            place = place_of(board)
            number = self._number(place)
            begin_flood(self.region.record, self._work(1), number, *place[3:])
        fields, count = self.region.fields, self.region.count
        order = np.flatnonzero(fields.state[:count] == OPEN)
        order = order[np.argsort(-fields.rank[order], kind="stable")]
        if len(order):
            most = int(fields.pieces[order].max())
            flood(self.region.record, self._work(1 << (6 * most)), order, len(order))
        return np.flatnonzero((fields.hits[:count] > 0) & (fields.state[:count] == CLOSED))

    def _open_positions(self, board: chess.Board, *, first: bool = False) -> list[chess.Board]:
        """Return open positions that have a place: a position's own, or those of its moves."""
        if not first and not board.has_legal_en_passant():
            lower, upper = self.bounds(board)
            return [board] if lower < upper else []
        found = []
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            found += self._open_positions(after)
        return found

    def _choose(self, found: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those structures outside that are solved next: the cheapest."""
        fields = self.region.fields
        counts = fields.keys[found, 2]
        sides = [
            sum((counts >> np.uint64(4 * code)) & np.uint64(15) for code in codes)
            for codes in (range(4), range(4, 8))
        ]
        total = sides[0] + sides[1]
        classes = (4 * total + np.maximum(*sides)).astype(np.int64)
        found, classes = found[total <= MAX_PIECES], classes[total <= MAX_PIECES]
        if not len(found):
            raise OutOfBudget(f"the rest needs more than {MAX_PIECES} pieces on the board at once")
        return found[classes == classes.min()]

    def _solve(self, chosen: NDArray[np.int64]) -> None:
        """Solve new structures, and those again that they may change."""
        start = 0
        while start < len(chosen):
            self.region.make_room()
            start = expand(self.region.record, self._work(1), chosen, start, len(chosen))
        fields, count = self.region.fields, self.region.count
        fields.changed[:count] = 0
        again = np.flatnonzero((fields.state[:count] == OPEN) & (fields.hits[:count] > 0))
        order = np.concatenate([chosen, again])
        ranks = fields.rank[order]
        order = order[np.argsort(ranks, kind="stable")]
        limits = np.flatnonzero(np.diff(np.sort(ranks), prepend=-1, append=1 << 30))
        todo = np.zeros(len(order), dtype=np.int64)
        for first, last in zip(limits[:-1], limits[1:], strict=True):
            record, work = self.region.record, self._work(1)
            some = prepare(record, work, order, first, last, todo)
            self._solve_some(todo[: some if some >= 0 else ~some])
            if some < 0:
                raise OutOfBudget("the memory is used up")

    def _solve_some(self, todo: NDArray[np.int64]) -> None:
        """Solve structures of one rank."""
        if not len(todo):
            return
        fields = self.region.fields
        new = todo[fields.state[todo] == CLOSED]
        pieces = fields.pieces[todo]
        todo = todo[np.argsort(-pieces, kind="stable")].copy()
        most = int(pieces.max())
        step = max(1, CHUNK >> (6 * most))
        bounds = [(start, min(start + step, len(todo))) for start in range(0, len(todo), step)]
        for start, end in bounds:
            self._check_time()
            work = self._work(1 << (6 * most))
            solve_batch(self.region.record, work, todo, start, end)
        self.structures += len(new)
        self.planes += int((1 << (6 * fields.pieces[new].astype(np.int64))).sum())

    def _check_time(self) -> None:
        if time.monotonic() > self.deadline:
            raise OutOfBudget("the time is used up")

    def _work(self, planes: int) -> Any:
        """Return a work space with room for so many planes."""
        if not self._works or self._works[0].fields.numbers[0] < planes:
            self._works = [make_work(planes)]
        return self._works[0]


_ = (ThreadPoolExecutor, MOST_CHILDREN, work_bytes)
