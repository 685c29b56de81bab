"""Strategies on trial: whether a method reaches its goal, whatever the other side does."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.ground.argument_readers import as_flag
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.ground.locations import default_directories
from tablebase.core.ground.remedies import option_of
from tablebase.core.ground.words import bytes_in_words
from tablebase.core.index.numbering import table_index
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.position import Board
from tablebase.core.reading.given import as_material
from tablebase.core.rules.material import Material
from tablebase.core.rules.refusals import require_mates
from tablebase.core.storage.memory import available_memory
from tablebase.finding.dataset import load_first
from tablebase.finding.expression_text import as_condition
from tablebase.finding.expressions import TURN, Expression, columns_of
from tablebase.finding.positions import man_names
from tablebase.strategies.after_moves import MoveColumns, Rule, check_rules, read_rule
from tablebase.strategies.asking import FEW_MEN, Function, ask
from tablebase.strategies.game_graph import GraphReader
from tablebase.strategies.methods import HOLD, MATE, PROMOTION, Method
from tablebase.strategies.refuting import Lines, PlayedLine
from tablebase.strategies.sweeping import NEVER, Arcs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.finding.dataset import TableData

    Strategy = Method | str | Sequence[str] | Function

_BYTES = 110  # of memory that a slot takes, with its moves
_SIDES = ("White", "Black")


class RuleRecord(NamedTuple):
    """What a rule does in the positions to start from.

    Attributes
    ----------
    text
        The sentence of a method, else the rule itself.
    positions, unproven, lost
        How many it decides, how many of them are not proven, and from how many a move that it
        allows gives the goal away at once; if one of the allowed moves is enough, each of them.
    """

    text: str
    positions: int
    unproven: int
    lost: int


@dataclass(frozen=True, eq=False)
class StrategyProof:
    """What trying a strategy found.

    Attributes
    ----------
    material, goal, side, any_of
        The men, the goal, the side that follows the strategy, and whether one of several allowed
        moves is enough.
    positions, proven
        Positions with this side to move, up to symmetry, from which the strategy has to reach the
        goal; and how many of them it does from.
    failures
        How many of the others end in each kind of failure: ``no move``, ``slip``, ``loop``.
    rules
        What each rule does, none of a function.
    longest
        Most plies to the goal from the proven ones, None without any or if the goal is to hold.
    excess, mean_excess
        By how many plies games last longer than the shortest mate, at most and on average over the
        proven positions; None unless the goal is mate.
    """

    material: Material
    goal: str
    side: Color
    any_of: bool
    positions: int
    proven: int
    failures: dict[str, int]
    rules: tuple[RuleRecord, ...]
    longest: int | None
    excess: int | None
    mean_excess: float | None
    _lines: Lines = field(repr=False)

    @property
    def is_proven(self) -> bool:
        """Whether the goal is reached from every position."""
        return self.proven == self.positions

    @cached_property
    def refutations(self) -> dict[str, PlayedLine]:
        """The shortest refutation of each kind that there is."""
        return {kind: self._lines.refutation(kind) for kind, n in self.failures.items() if n}

    @cached_property
    def longest_game(self) -> PlayedLine | None:
        """A game with the most plies to the goal, None if there is none."""
        return None if self.longest is None else self._lines.longest_game()

    def plies(self, position: str | Board) -> int | None:
        """Return after how many plies the goal is reached at the latest, None if perhaps never.

        It is a board, a setup of another game, or a FEN, with either side to move. Positions that
        hold count 0. Raises a ValueError if it has other men.
        """
        setup = as_position(position, self.material.rules).setup()
        if setup.material != self.material:
            setup = setup.swapped()
        if setup.material != self.material:
            message = f"the strategy is for {self.material}, not for {setup.material.normalized()}"
            raise ValueError(message)
        index = table_index(self.material).encode(np.array(setup.squares, dtype=np.uint8))
        return self._lines.plies(setup.color, index)

    def __str__(self) -> str:
        goal = {HOLD: "holds", MATE: "mates", PROMOTION: "promotes"}.get(self.goal, "wins")
        text = f"{self.material}, {_SIDES[self.side]} {goal}: "
        if not self.is_proven:
            text += f"refuted in {self.positions - self.proven:,} of {self.positions:,} positions"
            for kind, one in self.refutations.items():
                text += f"\n  {kind}: {self.failures[kind]:,}, such as {one}"
            return text + self._rules_in_words()
        text += f"proven in all {self.positions:,} positions"
        if self.longest is not None:
            text += f", in {(self.longest + 1) // 2} moves ({self.longest} plies) at most"
        if self.excess is not None:
            longer = f"up to {self.excess} plies longer than the shortest mate"
            text += f"; games are {longer}, {self.mean_excess:.1f} on average"
        if self.longest_game is not None:
            text += f"\n  longest: {self.longest_game}"
        return text + self._rules_in_words()

    def _rules_in_words(self) -> str:
        text = ""
        for number, rule in enumerate(self.rules, 1):
            text += f"\n  rule {number} decides {rule.positions:,}"
            if rule.unproven:
                text += f" ({rule.unproven:,} not proven, {rule.lost:,} lost by it)"
            text += f": {rule.text}"
        return text


def prove(
    material: str | Material,
    strategy: Strategy,
    directory: str | os.PathLike[str] | Sequence[Path] | None = None,
    *,
    goal: str | None = None,
    any_of: bool = False,
    start: str | None = None,
    side: Color | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> StrategyProof:
    """Try whether a strategy always reaches its goal.

    One side plays moves that it allows, the other one any; after the table follows best play.

    Parameters
    ----------
    material, directory, threads
        As of `tablebase.find`, but there may be several folders; and sub-tables are needed as well.
    strategy
        A `Method`, or a list of rules as texts, see `read_rule`. Or up to four men a function that
        takes a board of python-chess, or a `Setup` of another game, and returns a move, several, or
        None. It is asked about the canonical image of a position.
    goal
        ``mate``; ``win``, to mate or to leave the table for a won position; ``promotion``, to mate
        or to promote to a won position; or ``hold``, not to lose. By default the method's, or mate.
    any_of
        Whether one of several allowed moves is enough; by default each must work.
    start
        Which positions it has to reach the goal from, in their canonical images, as `where` of
        `find`; by default all from which the table does, and of a method that has a `rest` those
        in which a rule decides.
    side
        Who follows the strategy; by default that of the method, or White, but Black to hold.
    progress
        Gets how much was done, and of how much.

    Raises
    ------
    ValueError
        If an argument makes no sense, or a function allows an illegal move; others as in `find`.

    Examples
    --------
    >>> print(prove("KRK", ["after.is_mate", "after.is_check"], "data"))  # doctest: +ELLIPSIS
    KRK, White mates: refuted in ...
    """
    goal, side = _aim(strategy, goal, side)
    any_of, data = as_flag("any_of", any_of), _loaded(material, directory)
    rules = _rules_of(strategy, data.material, side)
    _require_memory(data)
    reader = GraphReader(data, goal, side, threads)
    other = reader.arcs(side.opponent, progress=progress)
    follower = reader.arcs(side, rules, progress)
    begin = _started(data, follower, strategy, side, start)
    if rules is None:
        follower = ask(strategy, data.material, side, (follower, other), begin, progress)  # type: ignore[arg-type]
    texts = getattr(strategy, "sentences", [rule.text for rule in rules or ()])
    return _proven(reader, (follower, other), begin, texts, any_of=any_of)


def _aim(strategy: Strategy, goal: str | None, side: Color | None) -> tuple[str, Color]:
    """Return the goal of a strategy, and the side that follows it."""
    if isinstance(strategy, Method):
        return goal or strategy.goal, strategy.side if side is None else side
    goal = goal or MATE
    return goal, (Color.BLACK if goal == HOLD else Color.WHITE) if side is None else side


def _require_plain_captures(material: Material) -> None:
    """Refuse a game in which a move takes several men off, or no king is royal.

    That is an `InvalidRulesError`.
    """
    require_mates(material.rules, "strategies do")
    if material.rules.blast:
        raise InvalidRulesError(
            f"captures of {material.rules.name} explode, which strategies do not see: "
            f"find its wins with `tablebase find{option_of(material.rules.source or 'FILE')}`"
        )


def _loaded(
    material: str | Material, directory: str | os.PathLike[str] | Sequence[Path] | None
) -> TableData:
    """Return the table of some men from the first folder that has it."""
    wanted = as_material(material)
    _require_plain_captures(wanted)
    if directory is None:
        folders = default_directories()
    else:
        is_one = isinstance(directory, str | os.PathLike)
        folders = [Path(directory)] if is_one else [*directory]  # type: ignore[arg-type, misc]
    return load_first(wanted.normalized(), folders)


def _rules_of(strategy: Strategy, material: Material, side: Color) -> Sequence[Rule] | None:
    """Return the rules of a strategy, checked; None if it is a function."""
    if callable(strategy):
        if material.piece_count <= FEW_MEN:
            return None
        message = (
            f"a function is tried up to {FEW_MEN} men, not with {material}: "
            "write the strategy as rules, see tablebase.strategies.after_moves.read_rule"
        )
        raise ValueError(message)
    if isinstance(strategy, Method):
        rules = strategy.rules
    else:
        texts = [strategy] if isinstance(strategy, str) else strategy
        rules = [read_rule(one, {}) for one in texts]
    men, none = material.piece_count, np.zeros(0, np.uint8)
    squares = np.zeros((men, 0), np.uint8)
    given: dict[str, NDArray[Any]] = {"before": squares, "squares": squares}
    given |= {"promotion": none, "preference": none.astype(np.int16)}
    check_rules(rules, MoveColumns(material, side, **given))
    return rules


def _require_memory(data: TableData) -> None:
    needed, free = _BYTES * data.table.index.size, available_memory()
    if free is not None and needed > free:
        sizes = bytes_in_words(needed), bytes_in_words(free)
        message = f"{data.material} takes about {sizes[0]} of memory, of which {sizes[1]} are free"
        raise ValueError(message)


def _started(
    data: TableData, follower: Arcs, strategy: Strategy, side: Color, start: str | None
) -> NDArray[np.int64]:
    """Return the slots of the positions to start from, at least one."""
    has_rest = isinstance(strategy, Method) and strategy.rest is not None
    slots = follower.slots[follower.rule >= 0] if has_rest else follower.slots
    begin = slots if start is None else slots[_met(data, slots, side, as_condition(start))]
    if not len(begin):
        message = f"no position of {data.material} to start from: the goal is out of reach"
        raise ValueError(message)
    return begin


def _met(
    data: TableData, slots: NDArray[np.int64], side: Color, rule: Expression
) -> NDArray[np.bool_]:
    """Return whether each position meets a condition."""
    names, board = man_names(data.material), data.material.rules.board
    rule.check([TURN, *names], board)
    squares, _ = data.table.index.decode_many(slots)
    white = np.full(len(slots), side is Color.WHITE)
    return np.broadcast_to(rule.of(columns_of(names, squares.T, white, board)), white.shape)


def _proven(
    reader: GraphReader,
    arcs: tuple[Arcs, Arcs],
    begin: NDArray[np.int64],
    texts: Sequence[str],
    *,
    any_of: bool,
) -> StrategyProof:
    """Return the proof or refutation that begins at some slots."""
    lines = Lines(reader, arcs, begin, any_of=any_of)
    proven = lines.is_proven
    plies = lines.reached[0, begin][proven].astype(np.int64)
    longest = excess = mean_excess = None
    if reader.goal != HOLD and len(plies):
        longest = int(plies.max())
    if reader.goal == MATE and len(plies):
        table, side = reader.data.table, reader.side
        more = plies - table.outcomes[side][table.codes[side][begin[proven]]]
        excess, mean_excess = int(more.max()), float(more.mean())
    failures = {kind: int(found.sum()) for kind, found in lines.kinds.items()}
    return StrategyProof(
        reader.data.material,
        reader.goal,
        reader.side,
        any_of,
        len(begin),
        int(proven.sum()),
        failures,
        _records(arcs[0], begin, proven, texts, any_of=any_of),
        longest,
        excess,
        mean_excess,
        lines,
    )


def _records(
    follower: Arcs,
    begin: NDArray[np.int64],
    proven: NDArray[np.bool_],
    texts: Sequence[str],
    *,
    any_of: bool,
) -> tuple[RuleRecord, ...]:
    """Return the positions of the beginning that each rule decides and loses."""
    rows = np.searchsorted(follower.slots, begin)
    slips = np.append(0, np.cumsum((follower.child < 0) & (follower.plies == NEVER)))
    slipping, moves = np.diff(slips[follower.starts])[rows], np.diff(follower.starts)[rows]
    lost = (slipping == moves) & (moves > 0) if any_of else slipping > 0
    records = []
    for number, text in enumerate(texts):
        here = follower.rule[rows] == number
        counts = (int(np.count_nonzero(here & some)) for some in (True, ~proven, lost))
        records.append(RuleRecord(text, *counts))
    return tuple(records)
