"""The region grows where the result depends on it, until it is proven or the budget is spent."""

from __future__ import annotations

from collections.abc import Callable

import chess
import numpy as np
from numpy.typing import NDArray

from tablebase.core.ground.capacity import SOLVED_PIECES
from tablebase.core.ground.compiling import time_of_work
from tablebase.core.ground.parallel import as_threads
from tablebase.solve.batches import needed_spaces, solve_level
from tablebase.solve.bounds import UNKNOWN, Bounds, best_of, bounds_by_moves
from tablebase.solve.budget import MEMORY_IS_USED, Budget, OutOfBudget
from tablebase.solve.growth import (
    ATTACKERS,
    GROWTH,
    LARGE,
    LEAST_GROWTH,
    cheapest,
    is_open,
    levels_to_solve,
    open_positions,
    words_for,
)
from tablebase.solve.kernels.fields import NONE, Number, State
from tablebase.solve.kernels.flood import begin_flood, follow_flood
from tablebase.solve.kernels.preparing import expand, prepare, release
from tablebase.solve.leaves import CompleteTables, Leaves
from tablebase.solve.places import Place, place_of
from tablebase.solve.region import Region
from tablebase.solve.region_file import RegionFile
from tablebase.solve.saving import Saver, load_region
from tablebase.solve.spaces import Arena, WorkSpaces

# Parts of the memory that must be free: after packing, which would not pay otherwise, and before a
# flood.
LEAST_ROOM, FLOOD_ROOM = 16, 4

# Whether men promote to queen and knight alone, as it is tried in turn. If the bounds of few
# promotions leave the result open, all of them settle it where it depends on them.
FEW_PROMOTIONS = (True, False)


class Solver:
    """A region that grows from a root, a position that `check_solvable` accepts.

    Values of complete `tables` are taken as they are; `progress` is called after each round.
    """

    def __init__(
        self,
        root: chess.Board,
        budget: Budget,
        *,
        threads: int | None = None,
        tables: CompleteTables | None = None,
        progress: Callable[[Solver], None] | None = None,
    ) -> None:
        self.leaves = Leaves(tables) if tables else None
        self.root = root.copy(stack=False)  # moves are made on it
        self.started = time_of_work()
        # on the clock of `tablebase.core.ground.compiling.time_of_work`
        self.deadline = self.started + budget.seconds
        self.memory = budget.region_memory
        self.threads = as_threads(threads)
        self._progress = progress
        self.saver: Saver | None = None  # saves the region in the end, for which time is left
        # for a file, a proof or a drawing line, bounds stay though memory is short
        self.keeps_all = False
        self._arena = Arena(self.memory // 8)
        self._works = WorkSpaces(self.threads, self.memory)
        self._known: dict[chess.Move | None, Bounds] = {}
        if not self.root.legal_moves:  # the rules decide, and bounds count some stalemates as wins
            self._known[None] = bounds_by_moves(self.root, self.bounds)
        self._source, self.is_new = "one of the tables", False
        self._tables: set[str] = set()
        self._asks_moves = False
        self._begin(few=FEW_PROMOTIONS[0])

    def _begin(self, *, few: bool) -> None:
        """Begin with an empty region; known bounds of the root and its moves stay."""
        self._few = few
        self.region = Region(self._arena.words, few=few)
        self.structures = self.planes = 0

    @property
    def seconds(self) -> float:
        """Time since the beginning."""
        return time_of_work() - self.started

    @property
    def tables(self) -> tuple[str, ...]:
        """Materials of the complete tables on which the region rests."""
        return tuple(sorted(self._tables | (self.leaves.used if self.leaves else set())))

    @property
    def bytes(self) -> int:
        """Memory in use."""
        return self.region.bytes + self._works.bytes

    def load(self, file: RegionFile) -> None:
        """Resume a region that was saved; `OutOfBudget` if it takes more memory than there is."""
        self._begin(few=file.header.few)
        self._set_room()
        try:
            solved = load_region(file, self.region, self._measure_saving)
        except MemoryError:
            raise OutOfBudget(MEMORY_IS_USED) from None
        self._count(solved)
        self._expand(solved[self.region.fields.gap[solved, 0] != NONE])
        self._tables.update(file.header.tables)
        self._source, self.is_new = str(file.path), False

    # What is known of positions

    def bounds(self, board: chess.Board) -> Bounds:
        """Return the bounds on the result of a position, from the side to move."""
        if board.has_legal_en_passant():
            return bounds_by_moves(board, self.bounds)
        return self.region.bounds_at(place_of(board))

    def move_bounds(self, board: chess.Board, move: chess.Move) -> Bounds:
        """Return the bounds on the result of a move, from the mover's side."""
        board.push(move)
        bounds = self.bounds(board)
        board.pop()
        return bounds.before()

    def root_bounds(self, move: chess.Move | None = None) -> Bounds:
        """Return the bounds on the root's result, or on the result of one of its moves."""
        return self._known.get(move, UNKNOWN)

    def _learn(self) -> None:
        """Note what is known now of the root and its moves; it never becomes less."""
        root = self.root.copy(stack=False)
        moves = list(root.legal_moves)
        for move in moves:
            self._narrow(move, self.move_bounds(root, move))
        if moves:
            self._narrow(None, best_of(self._known[move] for move in moves))
        if not root.has_legal_en_passant():
            self._narrow(None, self.region.bounds_at(place_of(root)))

    def _narrow(self, move: chess.Move | None, bounds: Bounds) -> None:
        self._known[move] = self.root_bounds(move).narrowed(bounds, self.root, self._source)

    def number(self, place: Place) -> int:
        """Return the number of the structure of a position."""
        return self.region.number_of(*place.structure)

    # Growing

    def run(self, *, moves: bool = False) -> None:
        """Grow the region until the root, and each of its moves if asked for, is proven.

        `OutOfBudget` if it could not be proven; the bounds found until then are sound.
        """
        if not self.root.legal_moves:
            return
        for few in FEW_PROMOTIONS[FEW_PROMOTIONS.index(self._few) :]:
            if few != self._few:
                self._begin(few=few)
            if self._grow(moves=moves):
                return
        raise OutOfBudget(f"the rest needs more than {SOLVED_PIECES} pieces on the board")

    def settle(self) -> None:
        """Prove the root's result in the present region only, so that it has a line to show it.

        A region that was given up may have proven that a side does not win. Errors: see `run`.
        """
        known, progress = self._known, self._progress
        self._known, self._progress, self.keeps_all = {}, None, True
        try:
            self._grow(moves=False)
        finally:
            self._known, self._progress = known, progress

    def _grow(self, *, moves: bool) -> bool:
        """Grow the region; return whether all is proven."""
        self._asks_moves = moves
        root = self.number(place_of(self.root))
        self.region.fields.todo[root] = (self.region.fields.state[root] == State.CLOSED) @ ATTACKERS
        chosen = np.array([root])
        while len(chosen):
            try:
                self._solve()
            finally:
                self._learn()
            if self._progress:
                self._progress(self)
            if not any(self._open_moves(attacker, moves=moves) for attacker in range(2)):
                return True
            chosen = cheapest(self.region, self._flood(moves=moves))
            self._add_descendants(chosen)
        return False

    def _open_moves(self, attacker: int, *, moves: bool) -> list[chess.Move]:
        """Return the root's moves on which it depends whether a side wins; none if that is known.

        With `moves`, the question is whether it wins after each of them.
        """
        if not moves and not is_open(self.root_bounds(), self.root, attacker):
            return []
        legal = self.root.legal_moves
        return [m for m in legal if is_open(self.root_bounds(m), self.root, attacker)]

    def _flood(self, *, moves: bool) -> NDArray[np.int64]:
        """Return the structures outside that floods come to; `todo` says for which attackers."""
        fields, count = self.region.fields, self.region.count
        is_open = (fields.state[:count] == State.OPEN).any(axis=1)
        self._reserve(1 << (6 * int(fields.pieces[:count][is_open].max(initial=0))))
        is_full = self._free() < self._set_room() // FLOOD_ROOM
        if is_full:
            self._squeeze()
        is_whole = self._flood_all(moves=moves)
        if not is_whole and not is_full:
            self._squeeze()
            is_whole = self._flood_all(moves=moves)
        fields, count = self.region.fields, self.region.count
        asked = (fields.hits[:count] > 0) & (fields.state[:count] == State.CLOSED)
        fields.todo[:count] = asked @ ATTACKERS
        if not is_whole:
            if not asked.any():
                raise OutOfBudget(MEMORY_IS_USED)
            fields.hits[:count][fields.state[:count] == State.OPEN] = 1  # it may have come there
        return np.flatnonzero(fields.todo[:count])

    def _flood_all(self, *, moves: bool) -> bool:
        """Let floods begin after the root's moves; return whether there was memory for them."""
        self.region.fields.hits[:] = self.region.fields.numbers[Number.SHORT] = 0
        root = self.number(place_of(self.root))
        for attacker in range(2):
            open_moves = self._open_moves(attacker, moves=moves)
            # Its structure takes part, even if no way leads back there, so that it has the result.
            self.region.fields.hits[root, attacker] = len(open_moves)
            for move in open_moves:
                after = self.root.copy(stack=False)
                after.push(move)
                for board in open_positions(after, attacker, self.bounds):
                    place = place_of(board)
                    given = self.number(place), attacker, *place[1:]
                    begin_flood(self.region.record, self._works.any, *given)
            fields, count = self.region.fields, self.region.count
            order = np.flatnonzero(fields.state[:count, attacker] == State.OPEN)
            order = order[np.argsort(-fields.level[order], kind="stable")]
            if len(order):
                work = self._works.of(1 << (6 * int(fields.pieces[order].max())))[0]
                self._set_room()
                follow_flood(self.region.record, work, order, len(order), attacker)
        return not fields.numbers[Number.SHORT]

    def _add_descendants(self, chosen: NDArray[np.int64]) -> None:
        """Let structures be solved, with their descendants that are worth it.

        The flood mostly asks for these later: to flood and solve again for a few structures at a
        time would take longer than solving too many.
        """
        fields = self.region.fields
        attackers = fields.todo[chosen]
        fields.todo[:] = fields.led_to[:] = 0
        fields.todo[chosen] = attackers
        pieces = int(fields.pieces[chosen].max(initial=0))
        added, planes = chosen, self.region.planes_of(chosen)
        few = max(LEAST_GROWTH, int(GROWTH * self.planes))
        most = max(few, planes + int(GROWTH * planes))
        while len(added) and planes < most:
            self._expand(self.leaves.others(self.region, added) if self.leaves else added)
            fields = self.region.fields
            asked = fields.led_to & ~fields.todo
            # Those with fewer pieces take little time besides.
            asked[fields.pieces > (pieces if planes < few and pieces < LARGE else pieces - 1)] = 0
            added = np.flatnonzero(asked)
            fields.todo[added] |= asked[added]
            planes += self.region.planes_of(added)

    def _expand(self, structures: NDArray[np.int64]) -> None:
        """Add the structures that moves lead to."""
        start = 0
        while start < len(structures):
            if self._free() < self.region.growth // 8:
                self._pack(self.region.growth // 8)
            self.region.make_room()
            record, work = self.region.record, self._works.any
            start = expand(record, work, structures, start, len(structures))

    def _solve(self) -> None:
        """Solve what is to do, and again the structures that it may change."""
        self._set_room()
        self.region.fields.changed[:] = 0
        self._expand(self._without_leaves(np.flatnonzero(self.region.fields.todo)))
        fields, count = self.region.fields, self.region.count
        again = (fields.state[:count] == State.OPEN) & (fields.hits[:count] > 0)
        fields.todo[:count] |= again @ ATTACKERS
        for level in levels_to_solve(self.region):
            while not self._solve_level(level):
                self._pack(words_for(self.region, level))

    def _solve_level(self, level: NDArray[np.int64]) -> bool:
        """Solve structures of one level; return whether there was memory for all of them."""
        for planes, count in needed_spaces(self.region, level):
            self._reserve(planes, count)
        chosen = np.zeros_like(level)
        self._set_room()
        self._measure_saving()
        some = prepare(self.region.record, self._works.any, level, 0, len(level), chosen)
        chosen = chosen[: some if some >= 0 else ~some]
        new = self._not_solved(chosen)
        solve_level(self.region, self._works, chosen, self._check_time)
        self._count(new)
        release(self.region.record, chosen, len(chosen))
        self.region.fields.todo[chosen] = 0
        return bool(some >= 0)

    def _without_leaves(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Fill the structures that tables give; return the others."""
        if self.leaves is None:
            return chosen
        others = []
        for structure in chosen.tolist():
            self._check_time()
            new = self._not_solved(np.array([structure]))
            try:
                filled = self.leaves.fill(self.region, structure)
            except MemoryError:
                raise OutOfBudget(MEMORY_IS_USED) from None
            if filled:
                self._count(new)
                self.region.fields.todo[structure] = 0
            else:
                others.append(structure)
        return np.array(others, dtype=np.int64)

    def _not_solved(self, structures: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the structures that are not solved for any attacker yet."""
        closed: NDArray[np.bool_] = self.region.fields.state[structures] == State.CLOSED
        return structures[closed.all(axis=1)]

    def _count(self, new: NDArray[np.int64]) -> None:
        self.is_new = True
        self.structures += len(new)
        self.planes += self.region.planes_of(new)

    def _set_room(self) -> int:
        """Set and return the number of words of the arena that may be in use.

        It is never less than those that are: what is behind it may go back to the machine.
        """
        numbers = self.region.fields.numbers
        limit = max(0, (self.memory - self.bytes) // 8) + int(numbers[Number.TOP])
        self._arena.limit(limit)
        numbers[Number.LIMIT] = limit
        return limit

    def _free(self) -> int:
        """Return the number of words of the arena that may still be taken."""
        return self._set_room() - int(self.region.fields.numbers[Number.TOP])

    def _reserve(self, planes: int, count: int = 1) -> None:
        """Make work spaces; if bounds take the memory for them, pack the bounds first."""
        words = self._works.growth(planes, count) // 8
        if words > self._free():
            self._pack(words)
        self._works.of(planes, count)

    def _pack(self, words: int) -> None:
        """Pack bounds, and check that a number of words is free then, and a part of the memory."""
        self._squeeze()
        if self._free() < max(words, self._set_room() // LEAST_ROOM):
            raise OutOfBudget(MEMORY_IS_USED)

    def _squeeze(self) -> None:
        """Pack all bounds, and drop an attacker's if the result no longer depends on him."""
        if not self.keeps_all:
            for attacker in range(2):
                if not self._open_moves(attacker, moves=self._asks_moves):
                    self.region.forget(attacker)
        self.region.squeeze()

    def check(self, extra: int, seconds: float) -> None:
        """Check that there is memory for a number of bytes besides the region, and more time."""
        self._check_time(seconds)
        if self._free() < extra // 8:
            self._pack(extra // 8)
        self._arena.limit(int(self.region.fields.numbers[Number.TOP]))

    def _measure_saving(self) -> None:
        """Find out how long saving takes, and whether there is time for more than that."""
        if self.saver is not None:
            self.saver.measure(self.region)
        self._check_time()

    def _check_time(self, besides: float = 0) -> None:
        saving = self.saver.seconds(self.region) if self.saver is not None else 0
        if time_of_work() + saving + besides > self.deadline:
            raise OutOfBudget("the time is used up")
