"""The local rule for a prober's answers: a position's value is the best after its moves.

An answer leaves a span of outcomes: a result leaves any distance, a rounded distance two. If it has
nothing in common with the span by the moves, answers contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import chess

from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.words import plies_in_words, quoted
from tablebase.core.outcomes.metrics import (
    DRAW_PREFERENCE,
    DTM,
    DTZ,
    FIFTY_MOVES,
    HORIZON,
    MATED_OUTCOME,
    Metric,
    Outcome,
    preference,
)
from tablebase.core.positions.chess_variants import boards_of_games
from tablebase.core.rules.refusals import has_mates
from tablebase.core.rules.rules import Rules

RESULTS = ("probe_wdl50", "probe_wdl")
DISTANCES = {DTZ: "probe_dtz", DTM: "probe_dtm"}
FARTHEST = HORIZON - 2  # plies; one more must still be a distance
_WORDS = {2: "win", 1: "cursed win", 0: "draw", -1: "blessed loss", -2: "loss"}


class Span(NamedTuple):
    """All outcomes between two, as preferences; none if ``least > most``."""

    least: int
    most: int

    def common(self, other: Span) -> Span:
        """Return the outcomes that both have."""
        return Span(max(self.least, other.least), min(self.most, other.most))

    @property
    def is_empty(self) -> bool:
        """Whether there are none."""
        return self.least > self.most

    def before(self, metric: Metric, *, zeroing: bool) -> Span:
        """Return the outcomes of a move that leads here, for the side that makes it."""
        both = (Outcome(preference(one)).before(metric, zeroing=zeroing) for one in self)
        return Span(*sorted(map(preference, both)))


def wins_in(first: int, last: int) -> Span:
    """Return the wins in a number of plies from the first to the last."""
    return Span(preference(last), preference(first))


def losses_in(first: int, last: int) -> Span:
    """Return the losses in a number of plies from the first to the last."""
    return Span(preference(~first), preference(~last))


DRAWN = Span(DRAW_PREFERENCE, DRAW_PREFERENCE)
MATED = Span(preference(MATED_OUTCOME), preference(MATED_OUTCOME))
ANY = Span(MATED.least, preference(1))
NONE = Span(1, 0)
# By the value of a probe for a result: with five of them ones are what the 50-move rule turns into
# draws, with three they are all wins and losses. Distances to mate disregard the rule.
_OF_FIVE = {
    2: wins_in(1, FIFTY_MOVES),
    1: wins_in(FIFTY_MOVES + 1, FARTHEST),
    0: DRAWN,
    -1: losses_in(FIFTY_MOVES + 1, FARTHEST),
    -2: losses_in(0, FIFTY_MOVES),
}
_OF_THREE = _OF_FIVE | {1: wins_in(1, FARTHEST), -1: losses_in(0, FARTHEST)}
_BY_SIGN = _OF_THREE | {2: _OF_THREE[1], -2: _OF_THREE[-1]}


@dataclass(frozen=True)
class Answer:
    """A prober's answer about a position, seen from the side to move."""

    # value by method, like {"probe_dtz": 31}; methods without one are left out
    given: dict[str, int]
    problem: str = ""  # what is wrong with the answer by itself, if anything

    @property
    def is_there(self) -> bool:
        """Whether the prober says anything."""
        return bool(self.given or self.problem)

    def __str__(self) -> str:
        values = ", ".join(f"{name.removeprefix('probe_')} {n}" for name, n in self.given.items())
        return ", ".join(filter(None, (values, self.problem))) or "no answer"


class Prober:
    """An object with ``probe_wdl``, ``probe_dtz`` or ``probe_dtm``, and what their numbers mean.

    Methods take boards, of its class ``variant`` if it has one, return numbers as those of
    python-chess and `tablebase.Tablebase`, and raise `KeyError` without a value. `exact` distances
    are never rounded, but for cursed wins and blessed losses.
    """

    def __init__(self, source: object, *, exact: bool = False) -> None:
        self._source, self._exact = source, exact
        names = (*RESULTS, *DISTANCES.values())
        self.asked = tuple(name for name in names if callable(getattr(source, name, None)))
        if not self.asked:
            raise TypeError(
                f"{type(source).__name__} has no probe_wdl, probe_dtz or probe_dtm: give an object "
                "with one of them"
            )
        # Of readers with distances to zeroing probe_wdl has five results, as in chess.syzygy.
        self._has_five = DISTANCES[DTZ] in self.asked and RESULTS[0] not in self.asked

    @cached_property
    def board_type(self) -> type[chess.Board]:
        """The class of boards that the prober reads, as `chess.syzygy.Tablebase.variant` says."""
        variant = getattr(self._source, "variant", chess.Board)
        return variant if isinstance(variant, type) else chess.Board

    @property
    def rules(self) -> Rules | None:
        """The rules of its boards, None of a variant without mates, or without tables of ours."""
        games = [rules for rules, board in boards_of_games().items() if board is self.board_type]
        return next(filter(has_mates, games), None)

    def ask(self, board: chess.Board) -> Answer:
        """Return the answer about a position.

        Raises `TablebaseError` if a table is damaged, or a server does not answer.
        """
        given: dict[str, int] = {}
        for name in self.asked:
            method: Callable[[chess.Board], object] = getattr(self._source, name)
            try:
                value = method(board)
            except KeyError:
                continue
            except TablebaseError:
                raise
            except Exception as error:  # noqa: BLE001  # whatever others raise is a finding
                return Answer(given, f"{name} raises {type(error).__name__}: {error}".rstrip(": "))
            if value is None:
                continue
            try:
                given[name] = int(value)  # type: ignore[call-overload]
            except (OverflowError, TypeError, ValueError):
                return Answer(given, f"{name} returns {quoted(value)}")
        return Answer(given)

    def span(self, answer: Answer, metric: Metric, *, mated: bool) -> Span:
        """Return the outcomes by a metric that an answer leaves; none if its parts contradict.

        `mated` says whether the side to move is checkmated: otherwise 0 plies to mate is a draw.
        """
        found = ANY
        for name in RESULTS:
            if name in answer.given:
                has_five = name == RESULTS[0] or self._has_five
                by_value = _BY_SIGN if metric == DTM else _OF_FIVE if has_five else _OF_THREE
                found = found.common(by_value.get(answer.given[name], NONE))
        if DISTANCES[metric] in answer.given:
            plies = answer.given[DISTANCES[metric]]
            left = _span_of_mate(plies) if metric == DTM else self._span_of_zeroing(plies)
            if mated and plies == metric.mated:
                left = MATED
            found = found.common(left)
        return found

    def _span_of_zeroing(self, plies: int) -> Span:
        """Return the outcomes that a distance to zeroing stands for.

        Readers of Syzygy files may round it down by a ply, but not across the 50-move rule.
        """
        far = abs(plies)
        if not far:
            return DRAWN
        is_exact = far == FIFTY_MOVES or (self._exact and far < FIFTY_MOVES)
        return (wins_in if plies > 0 else losses_in)(far, far if is_exact else far + 1)


def _span_of_mate(plies: int) -> Span:
    if not plies:
        return DRAWN
    return (wins_in if plies > 0 else losses_in)(abs(plies), abs(plies))


def agrees(zeroing: Span, mate: Span) -> bool:
    """Return whether a distance to zeroing and a distance to mate can be of one position.

    They have the same result, and mate comes no earlier than a zeroing move.
    """
    soonest = min(Outcome(preference(one)).plies for one in zeroing)
    allowed = []
    if zeroing.most > 0:
        allowed.append(wins_in(max(1, soonest), FARTHEST))
    if zeroing.least <= 0 <= zeroing.most:
        allowed.append(DRAWN)
    if zeroing.least < 0:
        allowed.append(losses_in(soonest, FARTHEST))
    return any(not mate.common(one).is_empty for one in allowed)


def span_by_rules(board: chess.Board) -> Span | None:
    """Return the outcome of a position that is over, None if it is not."""
    if board.is_checkmate() or board.is_variant_loss():
        return MATED
    if board.is_stalemate() or board.is_variant_draw():
        return DRAWN
    return None


def meaning(span: Span, metric: Metric) -> str:
    """Return the outcomes of a span in words.

    >>> meaning(wins_in(31, 32), DTZ), meaning(MATED, DTM), meaning(losses_in(101, FARTHEST), DTZ)
    ('win in 31 to 32 plies', 'checkmate', 'blessed loss')
    """
    if span == MATED:
        return "checkmate"
    result = common_result(span, metric)
    if result == "unknown":
        return f"between {_bound(span.least)} and {_bound(span.most)}"
    first, last = _plies(span)
    if span == DRAWN or (last >= FARTHEST - 2 and first in {0, 1, FIFTY_MOVES + 1}):
        return result
    if last >= FARTHEST - 2:
        return f"{result} in {plies_in_words(first)} or more"
    return f"{result} in {plies_in_words(last) if first == last else f'{first} to {last} plies'}"


def common_result(span: Span, metric: Metric) -> str:
    """Return the result that all outcomes of a span have, in a word; "unknown" if there is none."""
    if span == DRAWN:
        return _WORDS[0]
    if span.is_empty or span.least <= 0 <= span.most:
        return "unknown"
    sign = 1 if span.most > 0 else -1
    first, _ = _plies(span)
    return _WORDS[sign if metric == DTZ and first > FIFTY_MOVES else 2 * sign]


def _plies(span: Span) -> tuple[int, int]:
    """Return the least and the most plies of outcomes with the same result."""
    first, last = sorted(Outcome(preference(one)).plies for one in span)
    return first, last


def _bound(preferred: int) -> str:
    outcome = Outcome(preference(preferred))
    if outcome in {0, MATED_OUTCOME}:
        return "checkmate" if outcome else _WORDS[0]
    result = _WORDS[2 if outcome > 0 else -2]
    far = outcome.plies >= FARTHEST - 2
    return result if far else f"{result} in {plies_in_words(outcome.plies)}"
