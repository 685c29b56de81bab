"""Measure what butterfly boards save an alpha-beta search, and what they do to reductions.

Usage::

    python scripts/butterfly_search.py [ENDING ...] [--save]

From each ending won or lost positions are taken at random, with either side to move, and searched
to a fixed depth. The value of a leaf is material, and how near the centre each man is. Every order
of moves must find the same value; what differs is the number of nodes. With *reductions*, from the
fourth move on, moves that take nothing and answer no check are searched one ply less deep, and
again in full if they seem good; then the value may differ, and the table says how often the move
found is a best one. Orders, before equal moves come as python-chess makes them:

- none: as python-chess makes them;
- history: by from- and to-square, the depth squared of each cut that the search has made;
- butterfly: by from- and to-square, the share of positions in which the move is a best one, of the
  tables, in rows chosen at random;
- countermove: the move that last answered this last move by a cut, then as by history;
- perfect: as the table ranks them;
- own: first the move that the search without order has found here; no order can know it.

The tables are built in a temporary folder.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from typing import Any

import chess
import measurement
import numpy as np
from numpy.typing import NDArray

import tablebase
from tablebase.butterfly.boards import add_moves, empty_sums, on_whole_board
from tablebase.core.building.generator import generate
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.moves.legal_moves import iter_moves
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.positions.chess_board import board_of, material_of
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.subtables import read_subtables
from tablebase.core.storage.table_names import table_path

ENDINGS = "KBNK KQKR KQKN KRKB KRKN KQKP KRKP KPKP KBBKN KBBKR"
ORDERS = ("none", "history", "butterfly", "countermove", "perfect", "own")
POSITIONS, DEPTH, ROWS = 12, 4, 200  # of each ending; plies; of a table
MATE = 100_000
WORTH = (0, 100, 300, 300, 500, 900, 0)  # by kind of man
NEARNESS = [3 - max(abs(2 * (s & 7) - 7), abs(2 * (s >> 3) - 7)) // 2 for s in range(64)]
Move = chess.Move
Found = dict[tuple[str, int], Move]  # by position and depth


class Knowledge:
    """Tables, and the butterfly board of each material, made when it is first needed."""

    def __init__(self, folder: str, tables: Any) -> None:
        self.folder, self.tables, self.random = folder, tables, np.random.default_rng(1)
        self._shares: dict[Material, NDArray[np.float64]] = {}

    def share(self, board: chess.Board) -> tuple[NDArray[np.float64], int]:
        """Return shares [64, 64] of the side to move; squares are to be XORed by a number."""
        present = material_of(board)
        material = present.normalized()
        if material not in self._shares:
            self._shares[material] = self._count(material)
        swapped = material != present
        return self._shares[material][int(board.turn == swapped)], 56 * swapped

    def _count(self, material: Material) -> NDArray[np.float64]:
        table = read_table(table_path(self.folder, material))
        subtables = read_subtables(material, self.folder)
        every = table.index.slices * table.index.ranks
        rows = np.sort(self.random.permutation(every)[:ROWS]).tolist()
        best, legal = empty_sums(), empty_sums()
        for moves in iter_moves(table, subtables, rows=rows):
            decided = table.codes[0 if moves.white_to_move else 1][moves.slots] != DRAW
            add_moves(best, moves, decided)
            add_moves(legal, moves, decided, only_best=False)
        best, legal = (on_whole_board(sums, table.index) for sums in (best, legal))
        return best / np.maximum(1, legal)

    def positions(self, material: Material) -> list[chess.Board]:
        """Return won and lost positions with two moves or more, chosen at random."""
        table = read_table(table_path(self.folder, material))
        found: list[chess.Board] = []
        while len(found) < POSITIONS:
            color, slot = int(self.random.integers(2)), int(self.random.integers(table.index.size))
            squares = table.index.decode(slot)
            if squares is None or table.codes[color][slot] == DRAW:
                continue
            board = board_of(material, squares.tolist(), color == 0)
            if board.is_valid() and board.legal_moves.count() > 1:
                found.append(board)
        return found


class Search:
    """An alpha-beta search that counts its nodes; `found` are the moves of the order own."""

    def __init__(self, knowledge: Knowledge, order: str, found: Found, *, reducing: bool) -> None:
        self.knowledge, self.order, self.reducing, self.nodes = knowledge, order, reducing, 0
        self.own, self.found = found, dict(found)
        self.history: dict[tuple[bool, int, int], int] = defaultdict(int)
        self.counters: dict[tuple[bool, Move], Move] = {}

    def value(self, board: chess.Board, depth: int, alpha: int, beta: int) -> int:
        """Return the value of a position for the side to move."""
        self.nodes += 1
        if depth == 0:
            return evaluate(board)
        moves = list(board.legal_moves)
        checked = board.is_check()
        if not moves or not board.occupied & ~board.kings:
            return -MATE - depth if checked and not moves else 0
        best = -2 * MATE
        for number, move in enumerate(self.ordered(board, moves, depth)):
            late = self.reducing and number > 2 and depth > 2 and not checked
            less = int(late and not board.is_capture(move) and not move.promotion)
            board.push(move)
            value = -self.value(board, depth - 1 - less, -beta, -alpha)
            if less and value > alpha:
                value = -self.value(board, depth - 1, -beta, -alpha)
            board.pop()
            if value > best:
                best = value
                self.found[board.epd(), depth] = move
            alpha = max(alpha, value)
            if alpha >= beta:
                self.history[board.turn, move.from_square, move.to_square] += depth * depth
                if board.move_stack:
                    self.counters[board.turn, board.peek()] = move
                break
        return best

    def ordered(self, board: chess.Board, moves: list[Move], depth: int) -> list[Move]:
        """Return the moves in the order in which they are tried."""
        if self.order == "perfect":
            return [one.move for one in self.knowledge.tables.rank_moves(board, rule50=False)]
        if self.order == "own":
            first = self.own.get((board.epd(), depth))
            return sorted(moves, key=lambda move: move != first)
        if self.order == "butterfly":
            share, flip = self.knowledge.share(board)
            return sorted(moves, key=lambda m: -share[m.from_square ^ flip, m.to_square ^ flip])
        if self.order == "none":
            return moves
        turn, history = board.turn, self.history
        countering = self.order == "countermove" and board.move_stack
        answer = self.counters.get((turn, board.peek())) if countering else None
        return sorted(
            moves, key=lambda m: (m != answer, -history[turn, m.from_square, m.to_square])
        )


def evaluate(board: chess.Board) -> int:
    """Return material, and nearness to the centre, for the side to move."""
    value = 0
    for square, man in board.piece_map().items():
        worth = WORTH[man.piece_type] + 10 * NEARNESS[square]
        value += worth if man.color == board.turn else -worth
    return value


def measure(knowledge: Knowledge, material: Material) -> dict[str, list[list[int]]]:
    """Return by order the nodes of each position, plain and reduced, and whether moves are best."""
    rows: dict[str, list[list[int]]] = {order: [] for order in ORDERS}
    for board in knowledge.positions(material):
        ranked = knowledge.tables.rank_moves(board, rule50=False)
        best = {one.move for one in ranked if (one.wdl, one.dtm) == (ranked[0].wdl, ranked[0].dtm)}
        own, values = Found(), set()
        for order in ORDERS:
            row = []
            for reducing in (False, True):
                search = Search(knowledge, order, own if order == "own" else {}, reducing=reducing)
                value = search.value(board, DEPTH, -2 * MATE, 2 * MATE)
                row += [search.nodes, int(search.found[board.epd(), DEPTH] in best)]
                if not reducing:
                    values.add(value)
                    own = search.found if order == "none" else own
            rows[order].append(row)
        if len(values) > 1:
            raise RuntimeError(f"{board.fen()}: values {values}")
    return rows


@reader_may_leave()
def main() -> None:
    """Print the nodes of each ending by order, as shares of those without order."""
    names = [name for name in sys.argv[1:] if name != "--save"] or ENDINGS.split()
    materials, found = [Material.from_name(name) for name in names], {}
    with tempfile.TemporaryDirectory() as folder:
        generate(materials, folder, metrics=[DTM])
        with tablebase.open_tablebase(folder) as tables:
            knowledge = Knowledge(folder, tables)
            for material in materials:
                found[material.name] = rows = measure(knowledge, material)
                nodes = {order: sum(row[0] for row in rows[order]) for order in ORDERS}
                shares = [f"{order} {nodes[order] / nodes['none']:.2f}" for order in ORDERS[1:]]
                print(f"{material}: {nodes['none']:,} nodes; {', '.join(shares)}", flush=True)
    if "--save" in sys.argv:
        print(measurement.save("butterfly_search", {"depth": DEPTH, "endings": found}))


if __name__ == "__main__":
    main()
