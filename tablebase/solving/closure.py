"""All structures that can be reached from a position, with exact distances to mate."""

from __future__ import annotations

import queue
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.board import SOLVED_PIECES
from tablebase.compiling import time_of_work
from tablebase.solving.attractor import make_work, work_bytes
from tablebase.solving.distances import measure
from tablebase.solving.exits import (
    NO_MOVE,
    POSITIONS,
    STALEMATE,
    TO_MATE,
    index_of,
    list_children,
    make_distances,
    plies_of,
    value_before,
)
from tablebase.solving.lists import MOST_MOVES
from tablebase.solving.places import place_of
from tablebase.solving.region import NONE, Region
from tablebase.words import bytes_in_words, time_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import chess
    from numpy.typing import NDArray

    from tablebase.solving.leaves import Leaves

# Planes measured in a second by one thread.
PLANES_A_SECOND = 8_000


class DoesNotFit(Exception):  # noqa: N818 (it is no error)
    """What can be reached does not fit into the budget; the message says what it would take."""


class Closure:
    """All structures that can be reached from a position, with the distances to mate in them.

    Parameters
    ----------
    root
        The position.
    leaves
        Complete tables, whose distances are taken as they are.
    room
        Memory that may be used, in bytes.
    deadline
        When it must be done, as `tablebase.compiling.time_of_work` tells.
    threads
        How many measure at once.

    Attributes
    ----------
    bytes : int
        Memory that it needs.

    Raises
    ------
    DoesNotFit
        If there is not enough memory or time.
    """

    def __init__(
        self,
        root: chess.Board,
        leaves: Leaves | None,
        room: int,
        deadline: float,
        *,
        threads: int = 1,
    ) -> None:
        self._root, self._leaves = root, leaves
        self._deadline, self._threads = deadline, threads
        self._region, self._work = Region(np.zeros(0, dtype=np.uint64)), make_work(1)
        self._room_of_lists = np.zeros(3 * MOST_MOVES, dtype=np.int64)
        self._children: dict[int, Sequence[int]] = {}
        self._given: set[int] = set()  # by tables
        self._values: NDArray[np.int16] = np.zeros(0, dtype=np.int16)
        boards = [root]
        for move in root.generate_legal_ep():
            boards.append(root.copy(stack=False))
            boards[-1].push(move)
        self._roots = [self._region.number_of(*place_of(board)[:3]) for board in boards]
        self._order = self._explore()
        self._most = max(self._planes(structure) for structure in self._order)
        # Where nothing makes room for other values, threads do not wait for each other, and the
        # line up to mate can be told.
        self._is_whole = True
        self._plan()
        if self.bytes > room:
            self._is_whole = False
            self._threads = 1
            self._plan()
        if self.bytes > room:
            raise DoesNotFit(
                f"{len(self._order):,} structures can be reached, their distances need "
                f"{bytes_in_words(self.bytes)} of memory, {bytes_in_words(max(room, 0))} are left"
            )

    @property
    def bytes(self) -> int:
        """Memory that it needs."""
        works = self._threads * work_bytes(self._most)
        return 2 * self._size + works + self._region.bytes

    def _planes(self, structure: int) -> int:
        return 1 << (6 * int(self._region.fields.pieces[structure]))

    def _explore(self) -> list[int]:
        """Return the structures, each after those that its moves lead to."""
        order, planes = [], 0
        left = max(self._deadline - time_of_work(), 0)
        waiting = [(structure, False) for structure in self._roots]
        while waiting:
            structure, is_done = waiting.pop()
            if is_done:
                order.append(structure)
            elif structure not in self._children:
                self._children[structure] = self._list(structure)
                if structure not in self._given:
                    planes += self._planes(structure)
                waiting.append((structure, True))
                waiting += [(child, False) for child in self._children[structure]]
            if planes > left * self._threads * PLANES_A_SECOND:
                raise DoesNotFit(
                    f"all that can be reached takes longer than {time_in_words(left)}, which are "
                    "left"
                )
        return order

    def _list(self, structure: int) -> Sequence[int]:
        """Return the structures that moves lead to; none if a table gives the values."""
        pieces = int(self._region.fields.pieces[structure])
        if (
            self._leaves is not None
            and structure not in self._roots
            and self._leaves.have_distances(self._region, structure)
        ):
            self._given.add(structure)
            return ()
        if pieces > SOLVED_PIECES:
            raise DoesNotFit(f"{pieces} pieces may come on the board, at most {SOLVED_PIECES} fit")
        self._region.make_room()
        count = list_children(self._region.record, self._work, structure, self._room_of_lists)
        return sorted(set(self._room_of_lists[:count].tolist()))

    def _plan(self) -> None:
        """Plan where the values of structures lie.

        Unless all are kept, what nothing needs any more makes room for others.
        """
        kept = {*self._roots, *(c for root in self._roots for c in self._children[root])}
        last = {}
        for i, structure in enumerate(self._order):
            last.update(dict.fromkeys(self._children[structure], i))
        ending: dict[int, list[int]] = {}
        for structure, i in last.items():
            if not self._is_whole and structure not in kept:
                ending.setdefault(i, []).append(structure)
        self._places: dict[int, int] = {}
        free: dict[int, list[int]] = {}
        self._size = 0
        for i, structure in enumerate(self._order):
            planes = self._planes(structure)
            if free.get(planes):
                self._places[structure] = free[planes].pop()
            else:
                self._places[structure] = self._size
                self._size += 2 * planes * POSITIONS
            for other in ending.get(i, ()):
                free.setdefault(self._planes(other), []).append(self._places[other])

    def measure(self) -> None:
        """Find all distances.

        Raises
        ------
        DoesNotFit
            If time runs out.
        """
        self._values = np.empty(self._size, dtype=np.int16)
        places = np.full(len(self._region.fields.state), NONE, dtype=np.int64)
        for structure, place in self._places.items():
            places[structure] = place
        free = queue.SimpleQueue[Any]()
        for _ in range(self._threads):
            free.put((make_work(self._most), make_distances(self._values, places, self._most)))

        def measure_one(structure: int) -> None:
            if time_of_work() > self._deadline:
                raise DoesNotFit("the time is used up")
            if structure in self._given:
                self._read(structure)
                return
            tools = free.get()
            chosen = np.array([structure], dtype=np.int64)
            measure(self._region.record, *tools, chosen, 0, 1, TO_MATE)
            free.put(tools)

        with ThreadPoolExecutor(self._threads) as pool:
            for batch in self._batches():
                if len(batch) == 1:
                    measure_one(batch[0])
                else:
                    list(pool.map(measure_one, batch))

    def _batches(self) -> Iterable[Sequence[int]]:
        """Return the structures in batches, none of which has one that leads to another."""
        if not self._is_whole or self._threads == 1:
            return [[structure] for structure in self._order]
        ranks = self._region.fields.rank
        order = sorted(self._order, key=lambda structure: int(ranks[structure]))
        return [[*some] for _, some in groupby(order, key=lambda structure: int(ranks[structure]))]

    def _read(self, structure: int) -> None:
        """Enter the values of a structure that tables give."""
        assert self._leaves is not None
        shape = (2, self._planes(structure), POSITIONS)
        start = self._places[structure]
        values = self._values[start : start + 2 * shape[1] * POSITIONS].reshape(shape)
        self._leaves.write_values(self._region, structure, values)

    # What was found

    def value(self, board: chess.Board) -> int:
        """Return the value of the root, or of a position after one of its moves.

        If all is kept, any position that can be reached will do.
        """
        place = place_of(board)
        structure = self._region.number_of(*place[:3])
        index = self._places[structure] + index_of(place, self._planes(structure))
        value = int(self._values[index])
        for move in board.generate_legal_ep():
            if value == STALEMATE:  # no choice, since there is this move
                value = NO_MOVE
            value = max(value, self.move_value(board, move))
        return value

    def move_value(self, board: chess.Board, move: chess.Move) -> int:
        """Return the value of a move."""
        after = board.copy(stack=False)
        after.push(move)
        return value_before(self.value(after))

    def mainline(self) -> list[chess.Move]:
        """Return the best moves of both sides up to mate, none if not all is kept."""
        board = self._root.copy(stack=False)
        line: list[chess.Move] = []
        while self._is_whole and plies_of(self.value(board)) != 0:
            if self._region.number_of(*place_of(board)[:3]) in self._given:
                return line + (self._leaves.mainline(board) if self._leaves else [])
            line.append(max(board.legal_moves, key=lambda move: self.move_value(board, move)))
            board.push(line[-1])
        return line
