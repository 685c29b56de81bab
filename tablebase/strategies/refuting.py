"""Lines of play that refute a strategy, and the longest game that it plays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.board.symmetry import D4, INVERSE
from tablebase.core.positions.any_position import position_of
from tablebase.core.positions.setup import Setup
from tablebase.strategies.game_graph import GraphReader, ends_of, uci_of
from tablebase.strategies.methods import HOLD
from tablebase.strategies.sweeping import NEVER, OUTSIDE, Arcs, shortest_cycle, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.positions.position import Position

SLIP, NO_MOVE, LOOP = "slip", "no move", "loop"


class PlayedLine(NamedTuple):
    """A line of play.

    Attributes
    ----------
    fen, moves
        The position in which it begins, and its moves as UCI writes them.
    text, end
        The moves with their numbers, and how the line ends, in words.
    """

    fen: str
    moves: tuple[str, ...]
    text: str
    end: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.fen, self.text, f"({self.end})")))

    @property
    def query(self) -> str:
        """What the address of the explorer takes to show the line."""
        moves = f"&moves={'_'.join(self.moves)}" if self.moves else ""
        return f"?fen={self.fen.replace(' ', '_')}{moves}"


class Lines:
    """What is known of the positions of a graph, and lines through them.

    `arcs` are those of the side that follows the strategy and of the other one, and `begin` the
    slots of the positions that the goal has to be reached from.
    """

    def __init__(
        self,
        reader: GraphReader,
        arcs: tuple[Arcs, Arcs],
        begin: NDArray[np.int64],
        *,
        any_of: bool,
    ) -> None:
        self.reader, self._arcs, self.begin, self._any_of = reader, arcs, begin, any_of
        self.index = reader.data.table.index
        follower, other = arcs
        # [2, slots], of the side that follows and the other one: plies to the goal, to a slip, and
        # to a slip or to a position without an allowed move.
        shape = 2, self.index.size
        self.reached, self._slips, self._failed = (np.full(shape, NEVER, np.int16) for _ in "abc")
        if reader.goal != HOLD:
            self.reached[1, other.slots[np.diff(other.starts) == 0]] = 0
            spread(arcs, (follower.plies, other.plies), (not any_of, True), self.reached)
            if (self.reached[0, begin] < NEVER).all():
                return
        plies = tuple(
            np.where((one.child < 0) & (one.plies < NEVER), NEVER, np.int16(0)) for one in arcs
        )
        empty = follower.slots[np.diff(follower.starts) == 0]
        self._failed[0, empty] = 0
        for known in (self._slips, self._failed):
            spread(arcs, plies, (any_of, False), known)  # type: ignore[arg-type]

    @property
    def is_proven(self) -> NDArray[np.bool_]:
        """Whether each position of the beginning is."""
        known = self._failed if self.reader.goal == HOLD else self.reached
        proven: NDArray[np.bool_] = (known[0, self.begin] < NEVER) != (self.reader.goal == HOLD)
        return proven

    @property
    def kinds(self) -> dict[str, NDArray[np.bool_]]:
        """Which positions of the beginning fail in which way: in a slip, if they can."""
        failing, slips = ~self.is_proven, self._slips[0, self.begin] < NEVER
        ends = self._failed[0, self.begin] < NEVER
        kinds = (NO_MOVE, failing & ends & ~slips), (SLIP, failing & slips), (LOOP, failing & ~ends)
        return dict(kinds)

    def plies(self, color: Color, slot: int) -> int | None:
        """Return the plies to the goal from a slot, None if it may not be reached."""
        side = 0 if color is self.reader.side else 1
        row = np.searchsorted(self._arcs[side].slots, slot)
        if slot not in self._arcs[side].slots[row : row + 1]:
            return None
        if self.reader.goal == HOLD:
            return None if self._failed[side, slot] < NEVER else 0
        plies = int(self.reached[side, slot])
        return plies if plies < NEVER else None

    def refutation(self, kind: str) -> PlayedLine:
        """Return a shortest line with a kind of failure."""
        slots = self.begin[self.kinds[kind]]
        if kind == LOOP:
            return self._loop(slots)
        known = self._slips if kind == SLIP else self._failed
        game = _Game(self, int(slots[known[0, slots].argmin()]))
        follower, other = self._arcs
        choose = max if self._any_of else min
        while True:
            moves = follower.of(game.slot)
            if not moves:
                return game.line("no rule allows a move")
            one = choose(moves, key=lambda move: self._far(known[1], follower, move))
            game.follow(int(follower.move[one]))
            if follower.child[one] == OUTSIDE:
                return game.slipped()
            one = min(other.of(game.slot), key=lambda move: self._far(known[0], other, move))
            game.answer(int(other.child[one]))
            if other.child[one] == OUTSIDE:
                return game.line("the goal is out of reach")

    @staticmethod
    def _far(known: NDArray[np.int16], arcs: Arcs, move: int) -> int:
        """Return in how many plies a move leads to a failure."""
        child = arcs.child[move]
        return int(known[child]) if child >= 0 else 0 if arcs.plies[move] == NEVER else NEVER

    def _loop(self, slots: NDArray[np.int64]) -> PlayedLine:
        """Return a line from one of some slots that comes back, the shortest that begins there."""
        follower, _ = self._arcs
        is_open = self._is_open(0), self._is_open(1)
        root = shortest_cycle(self._arcs, is_open, np.searchsorted(follower.slots, slots))
        steps = {} if root is None else self._cycle(root, is_open)
        game = _Game(self, int(slots[0]) if root is None else root)
        seen = set()
        while (here := game.position.setup().squares) not in seen:
            seen.add(here)
            if game.slot not in steps:  # somewhere it stays among such positions
                steps[game.slot] = next(self._steps(game.slot, is_open))
            move, child = steps[game.slot]
            game.follow(move)
            game.answer(child)
        return game.line("repeats")

    def _is_open(self, side: int) -> NDArray[np.bool_]:
        """Return whether each slot leads neither to the goal by force nor to another failure."""
        found = np.zeros(self.index.size, dtype=np.bool_)
        found[self._arcs[side].slots] = True
        found &= (self.reached[side] == NEVER) & (self._failed[side] == NEVER)
        return found

    def _steps(
        self, slot: int, is_open: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    ) -> Iterator[tuple[int, int]]:
        """Yield moves that stay among open positions, with the position after an answer."""
        follower, other = self._arcs
        for move in follower.of(slot):
            after = int(follower.child[move])
            if after >= 0 and is_open[1][after]:
                for answer in other.of(after):
                    back = int(other.child[answer])
                    if back >= 0 and is_open[0][back]:
                        yield int(follower.move[move]), back

    def _cycle(
        self, root: int, is_open: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    ) -> dict[int, tuple[int, int]]:
        """Return the steps of a shortest way from a slot back to it."""
        came: dict[int, tuple[int, int]] = {}
        level = [root]
        while root not in came:
            following = []
            for slot in level:
                for move, back in self._steps(slot, is_open):
                    if back not in came:
                        came[back] = slot, move
                        following.append(back)
            level = following
        steps: dict[int, tuple[int, int]] = {}
        back = root
        while not steps or back != root:
            slot, move = came[back]
            steps[slot] = move, back
            back = slot
        return steps

    def longest_game(self) -> PlayedLine:
        """Return a game of most plies from the proven positions, with best play after the table."""
        slots = self.begin[self.is_proven]
        game = _Game(self, int(slots[self.reached[0, slots].argmax()]))
        choose = min if self._any_of else max
        while True:
            for side, best in ((0, choose), (1, max)):
                arcs = self._arcs[side]
                moves = arcs.of(game.slot)
                if not moves:
                    return game.line(f"{self.reader.goal}")
                one = best(moves, key=lambda move: self._lasts(side, move))
                if side == 0:
                    game.follow(int(arcs.move[one]))
                elif arcs.child[one] >= 0:
                    game.answer(int(arcs.child[one]))
                if arcs.child[one] == OUTSIDE:
                    return game.line("best play wins")

    def _lasts(self, side: int, move: int) -> int:
        """Return the plies before a move is known to reach the goal."""
        arcs = self._arcs[side]
        child = arcs.child[move]
        return max(int(arcs.plies[move]), int(self.reached[1 - side, child]) if child >= 0 else 0)

    def canonical(self, slot: int) -> Setup:
        """Return the canonical position of a slot, with the side that follows to move."""
        squares = self.index.decode(slot)
        assert squares is not None
        return Setup(self.index.material, tuple(squares.tolist()), self.reader.side)

    def slot_of(self, position: Position[Any]) -> int:
        """Return the slot of a position, OUTSIDE if the table does not have it."""
        setup = position.setup()
        if setup.material != self.index.material:
            return OUTSIDE
        return self.index.encode(np.array(setup.squares, dtype=np.uint8))


class _Game:
    """A game from the canonical position of a slot."""

    def __init__(self, lines: Lines, slot: int) -> None:
        self._lines, self.slot = lines, slot
        self._first = self.position = position_of(lines.canonical(slot))
        self._moves: list[Any] = []

    def follow(self, code: int) -> None:
        """Play a move of the side that follows, which is one of the canonical image."""
        setup, canonical = self.position.setup(), self._lines.canonical(self.slot)
        squares = np.array(setup.squares)
        back = next(
            D4[INVERSE[one]]
            for one in self._lines.index.symmetries
            if setup._replace(squares=tuple(D4[one][squares].tolist())).men == canonical.men
        )
        origin, target, promotion = ends_of(code)
        wanted = uci_of(setup.rules, int(back[origin]), int(back[target]), promotion)
        self._play(next(one.move for one in self.position.moves() if one.move.uci() == wanted))

    def answer(self, child: int) -> None:
        """Play a move of the other side that leads to a slot, or OUTSIDE."""
        slot_of = self._lines.slot_of
        moves = self.position.moves()
        self._play(next(one.move for one in moves if slot_of(one.after) == child))

    def _play(self, move: Any) -> None:
        self._moves.append(move)
        self.position = self.position.after(move)
        self.slot = self._lines.slot_of(self.position)

    def slipped(self) -> PlayedLine:
        """Return the line after a slip, with the answer that shows it."""
        there = [one for one in self._lines.reader.data.directories if one.is_dir()]
        with Tablebase(there, rules=self.position.rules) as tables:
            result = tables.probe_wdl(self.position.board)
            answer = tables.best_move(self.position.board, rule50=False)
        end = {0: "a draw", 1: "a loss"}.get(result, "the goal is given away")
        if answer is None:
            end = self.position.end or end
        else:
            self._play(answer)
        return self.line(end)

    def line(self, end: str) -> PlayedLine:
        """Return the line so far."""
        position = self._first
        words: list[str] = []
        for move in self._moves:
            is_white = position.color is Color.WHITE
            if is_white or not words:
                words.append(f"{position.number}.{'' if is_white else '..'}")
            words.append(position.name_of(move))
            position = position.after(move)
        moves = tuple(move.uci() for move in self._moves)
        return PlayedLine(self._first.fen, moves, " ".join(words), end)
