"""The exercises of an ending, in levels that a pupil can climb."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from tablebase.core.board.geometry import NOBODY, Color, PieceType
from tablebase.core.ground.errors import (
    CorruptTableError,
    MissingTableError,
    UnsupportedPositionError,
)
from tablebase.core.ground.words import winner_moves
from tablebase.core.outcomes.metrics import DTM, DTZ, FIFTY_MOVES, signed
from tablebase.core.positions.any_position import read_position
from tablebase.core.positions.setup import arranged
from tablebase.core.rules.refusals import has_mates
from tablebase.practice.resistance import disarms
from tablebase.practice.sight import chance_of_mistake, moves_by_sight

if TYPE_CHECKING:
    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.core.outcomes.metrics import Metric
    from tablebase.core.positions.position import Position
    from tablebase.core.rules.material import Material

MOST_LEVELS, OF_LEVEL = 9, 12
# To mate a bare king, to win with pawns or against a man that defends, and to hold the draw. The
# last two are goals as well.
KINDS = MATE, PROMOTE, WIN, HOLD = ("mate", "promote", "win", "hold")
GOOD_MOVES = 6  # that suffice, where it is not to be played to the end
# Random positions of a table that its exercises are chosen from at most, and how many of them that
# are difficult will do.
DRAWN, ENOUGH = 2500, 120
# Fewer exercises of a kind and side are left out, unless there are no others; of each, a level has
# at least `_OF_GROUP` if there are several levels.
_LEAST, _OF_GROUP = 4, 6
# Levels of wins, and of draws to hold, that are ordered by hardness: of more than these, players
# do not feel the difference. A win in `_FAR` plies is as hard as a move that must be a mistake.
_FELT, _FAR = 3, 50
# Mean difficulty up to which there is so little to give away that wins are ordered by distance.
_LITTLE = 0.05
_HELD = 2  # moves of a draw within which a mistake makes it hard
_FORCED = 2  # moves within which what could win is not to be taken by force, but in the first level
_SHORT = 3  # plies of the longest win that is seen, and yet an exercise: in the first level


class Exercise(NamedTuple):
    """A position to win or to hold."""

    fen: str
    goal: str  # WIN or HOLD
    kind: str  # one of KINDS
    side: Color | None  # to move; None where both have the same men
    moves: (
        int | None
    )  # that suffice without a mistake; None: until the game is won, if that is near
    dtm: int | None  # plies of a win to the end, if known
    difficulty: float | None  # as in `tablebase.difficulty`; None of a mate, where it is low
    to_end: int  # plies to the end, or if these are not known to zeroing
    is_seen: bool  # whether there is nothing to find: a good move shows itself
    is_forced: bool = False  # whether what could win is soon taken, whatever the opponent does

    @property
    def record(self) -> dict[str, Any]:
        """The exercise as published, see `tablebase.publish.table_records.exercises_record`."""
        told = self._asdict()
        unknown = {name for name in ("dtm", "difficulty") if told[name] is None}
        hidden = {"to_end", "is_seen", "is_forced", "side"} | unknown
        return {name: one for name, one in told.items() if name not in hidden}


class Exercises(NamedTuple):
    """The exercises of an ending by level, the easiest first; and why there are none."""

    levels: list[list[Exercise]]
    why: str | None


def draw_exercises(tables: Tablebase, material: Material) -> Exercises:
    """Return random positions of an ending as exercises, in levels; always the same.

    Where a player rarely gives a win away unseen, as in mates of a bare king, wins are to be played
    to the end, and levels follow from the number of moves. Other wins are in levels by their
    difficulty and distance, draws to hold by the chance of a mistake within two moves, as many easy
    ones among them as difficult ones, and some moves without a mistake suffice. What a player sees
    to be good at once is no exercise, except mates in one and two moves in the first level. Where a
    draw is held by taking what could win within two moves, it is none either, unless the ending has
    few others: then these are in the first level. What a side can rarely do, as to win with the
    rook against the queen, is none either.

    Parameters
    ----------
    tables
        The tables. They need distances to zeroing where the game has the 50-move rule.
    material
        The men, in the order of a table.

    Returns
    -------
    Exercises
        Up to `MOST_LEVELS` levels of up to `OF_LEVEL` exercises, none empty; or none at all, and a
        sentence that says why.
    """
    try:
        found = _found(tables, material)
    except MissingTableError as error:
        missing = "its table lacks distances to zeroing" if error.metric else "a table is missing"
        return Exercises([], f"There are no exercises of {material} here, because {missing}.")
    except CorruptTableError:
        return Exercises([], f"There are no exercises of {material} here: a table is damaged.")
    rng = np.random.default_rng(crc32(material.name.encode()))
    levels = _levels(found, rng, partial(_hardness, tables))
    why = f"Nothing in {material} can be practised: no win or draw in it is hard to keep."
    return Exercises(levels, None if levels else why)


def _found(tables: Tablebase, material: Material) -> list[Exercise]:
    """Return positions to win or to hold."""
    metric = DTZ if material.rules.fifty_moves else DTM
    found, left = [], ENOUGH
    for position in _drawn(material):
        if (one := _exercise(tables, position, metric)) is not None:
            found.append(one._replace(side=None) if material.is_symmetric else one)
            left -= bool(one.difficulty)
            if not left:
                break
    return found


def _drawn(material: Material) -> Iterator[Position[Any]]:
    """Yield random legal positions, for a material always the same."""
    rules = material.rules
    rng = np.random.default_rng(crc32(f"{material} {rules.digest}".encode()))
    squares = np.array(rules.board.squares)
    men = [man for man in material.men if man[1] is not NOBODY]
    for _ in range(DRAWN):
        places = rng.choice(squares, len(men), replace=False).tolist()
        placed = dict(zip(places, men, strict=True))
        setup = arranged(placed, Color(int(rng.integers(2))), rules)
        layer = int(rng.integers(material.layer_count))  # of one layer it draws nothing
        setup = setup._replace(checks=material.checks_of(layer))
        try:
            yield read_position(setup.fen, rules)
        except UnsupportedPositionError:
            continue


def _exercise(tables: Tablebase, position: Position[Any], metric: Metric) -> Exercise | None:
    """Return a position as an exercise, None if there is nothing to win or to hold."""
    rule50 = tables.rules.fifty_moves
    try:
        outcome = tables.probe_outcome(position.board, metric)
    except UnsupportedPositionError:  # it is illegal
        return None
    outcome = int(outcome)
    plies = outcome if outcome >= 0 else ~outcome
    is_decided = outcome != 0 and not (rule50 and plies > FIFTY_MOVES)
    is_won = is_decided and outcome > 0
    kind = _kind_of(position, is_won=is_won)
    if (is_decided and not is_won) or kind is None:
        return None
    dtm = _distance(tables, position) if is_won else None
    to_end, side = outcome if dtm is None else dtm, position.color
    if kind == MATE:
        return Exercise(position.fen, WIN, kind, side, None, dtm, None, to_end, is_seen=False)
    moves = moves_by_sight(tables, position.board, rule50=rule50, metric=metric)
    if not moves.hidden and not moves.plain:
        return None
    goal, is_seen = WIN if is_won else HOLD, bool(moves.evident)
    hard = 0.0 if is_seen else len(moves.hidden) / len(moves.likely)
    is_seen &= not is_won or to_end > _SHORT
    hard = round(hard, 4)
    is_forced = not is_won and disarms(position, _FORCED)
    return Exercise(
        position.fen, goal, kind, side, GOOD_MOVES, dtm, hard, to_end, is_seen, is_forced
    )


def _kind_of(position: Position[Any], *, is_won: bool) -> str | None:
    """Return the kind of an exercise, None for a draw where a bare king can only be mated."""
    own: list[PieceType] = []
    others: list[PieceType] = []
    for color, man in position.men.values():
        (own if color is position.color else others).append(man)
    is_mating = min(len(own), len(others)) == 1 and PieceType.PAWN not in own + others
    if not has_mates(position.rules):
        return WIN if is_won else HOLD
    if not is_won:
        return None if is_mating else HOLD
    if PieceType.PAWN in own:
        return PROMOTE
    return MATE if is_mating else WIN


def _distance(tables: Tablebase, position: Position[Any]) -> int | None:
    """Return the plies of a win to the end, None if they are not known."""
    try:
        metric = DTM.offset_by(position.rules.ply_offset)
        return signed(tables.probe_outcome(position.board, DTM), metric)
    except MissingTableError:
        return None


def _hardness(tables: Tablebase, one: Exercise) -> float:
    """Return by what an exercise that is not played to the end is ordered."""
    if one.goal == WIN:
        return (one.difficulty or 0) + one.to_end / _FAR
    rule50 = tables.rules.fifty_moves
    position = read_position(one.fen, tables.rules)
    metric = DTZ if rule50 else DTM
    return chance_of_mistake(tables, position, _HELD, rule50=rule50, metric=metric)


def _levels(
    found: Sequence[Exercise], rng: np.random.Generator, hardness_of: Callable[[Exercise], float]
) -> list[list[Exercise]]:
    """Return exercises in levels: each kind of a side is divided, and a level has some of each."""
    by_kind: dict[tuple[str, Color | None], list[Exercise]] = {
        (kind, side): [] for kind in KINDS for side in (*Color, None)
    }
    for one in found:
        by_kind[one.kind, one.side].append(one)
    divided: list[list[list[Exercise]]] = []
    for least in (_LEAST, 1):
        if not any(divided):
            divided = [_by_hardness(some, least, hardness_of) for some in by_kind.values() if some]
    most = max(map(len, divided), default=0)
    levels: list[list[Exercise]] = [[] for _ in range(most)]
    for groups in divided:
        for number, group in enumerate(groups):
            # The first and last groups of a kind belong to the first and last levels; if there is
            # only one, it is the last where something has to be found, else the first.
            last = len(groups) - 1
            alone = most - 1 if group[0].moves and not group[0].is_forced else 0
            levels[number * (most - 1) // last if last else alone] += group
    for level in levels:
        rng.shuffle(level)
    return [list(map(_fitting, level[:OF_LEVEL])) for level in levels]


def _fitting(one: Exercise) -> Exercise:
    """Return an exercise as one to be played to the end if fewer moves than suffice win it."""
    is_short = one.kind == WIN and one.dtm is not None and winner_moves(one.dtm) <= GOOD_MOVES
    return one._replace(moves=None) if is_short else one


def _by_hardness(
    found: list[Exercise], least: int, hardness_of: Callable[[Exercise], float]
) -> list[list[Exercise]]:
    """Return the exercises of a kind in groups, the easiest first; none if they are too few."""
    difficult = [one for one in found if one.difficulty]
    easy = [one for one in found if not (one.difficulty or one.is_seen)]
    much = sum(one.difficulty or 0 for one in difficult) > _LITTLE * len(found)
    if found[0].goal == HOLD or much:
        if len(difficult) < least:
            return []
        ordered = sorted(difficult + easy[: len(difficult)], key=hardness_of)
        free, forced = (
            [one for one in ordered if one.is_forced is taken] for taken in (False, True)
        )
        groups = ([forced] if forced and len(free) < _LEAST else []) + _equal_groups(free)
    else:
        groups = _by_distance([one._replace(moves=None) for one in found if not one.is_seen])
    return groups if sum(map(len, groups)) >= least else []


def _equal_groups(ordered: list[Exercise]) -> list[list[Exercise]]:
    """Return exercises in groups of about the same size, in their order; none of no exercises."""
    if not ordered:
        return []
    number = min(_FELT, max(1, len(ordered) // _OF_GROUP))
    bounds = [len(ordered) * place // number for place in range(number + 1)]
    return [ordered[first:last] for first, last in pairwise(bounds)]


def _by_distance(found: list[Exercise]) -> list[list[Exercise]]:
    """Return wins in groups of the same range of moves; none if all are mates in one."""
    longest = max((winner_moves(one.to_end) for one in found), default=0)
    if longest < 2:
        return []
    width = -(-longest // MOST_LEVELS)
    found.sort(key=lambda one: one.to_end)
    ranges = [
        list(some)
        for _, some in groupby(found, lambda one: (winner_moves(one.to_end) - 1) // width)
    ]
    groups: list[list[Exercise]] = [[]]
    for some in ranges:  # one with few exercises belongs to the next
        groups[-1] += some
        if len(groups[-1]) >= _OF_GROUP:
            groups.append([])
    few = groups.pop()
    return [*groups[:-1], groups[-1] + few] if groups else [few]
