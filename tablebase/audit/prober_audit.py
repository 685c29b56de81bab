"""Third-party tables, held against the rules of chess position by position.

`audit_prober` asks about a sample of positions and the positions after all of their moves. It needs
no table: a wrong value in the sample disagrees with the values around it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import chess
import numpy as np

from tablebase.audit.prober_positions import (
    CASTLING,
    RANDOM,
    Chosen,
    castling_positions,
    choose_positions,
)
from tablebase.audit.prober_rule import (
    ANY,
    DISTANCES,
    DRAWN,
    MATED,
    RESULTS,
    Answer,
    Prober,
    Span,
    agrees,
    common_result,
    meaning,
    span_by_rules,
)
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.ground.verdicts import Checked
from tablebase.core.outcomes.metrics import DTM, DTZ, FIFTY_MOVES, METRICS, Metric, preference
from tablebase.core.positions.chess_variants import is_without_winner
from tablebase.core.rules.material import Material

BOUNDARY, LINE = "boundary", "line"
# Distances on both sides of the 50-move rule, and how many plies a line to them may have.
NEAR = range(FIFTY_MOVES - 2, FIFTY_MOVES + 3)
LONGEST_LINE = 60
BOUNDARY_SHARE = CASTLING_SHARE = 8

Progress = Callable[[int, int], None]


class AnsweredMove(NamedTuple):
    """A legal move, and what a prober says of the position after it, seen from the opponent."""

    san: str
    answer: Answer


@dataclass(frozen=True)
class ProberFinding:
    """A position at which a prober is wrong, or at one of whose moves it is."""

    fen: str
    answer: Answer
    reason: str  # the contradiction to the answer
    moves: tuple[AnsweredMove, ...] = ()  # answers after moves, if they contradict `answer`

    def __str__(self) -> str:
        return f"{self.fen}: {self.answer}; {self.reason}"


@dataclass(frozen=True)
class ProberAudit(Checked):
    """What was asked about positions of a material, and what was found."""

    material: Material
    asked: tuple[str, ...]  # methods of the prober that were called
    positions: dict[str, int]  # by kind: random, of a kind of edge, or of the 50-move rule
    answered: int  # positions with a value
    judged: int  # of these, checked by the rules or by an answer after a move
    probes: int  # positions asked about, after moves included
    results: dict[str, int]  # answered positions by result
    longest: dict[str, int]  # distance in plies by method
    contradicting: int = 0  # positions that contradict the rules or their moves
    compared: int = 0  # positions compared with a reference
    different: int = 0  # positions with another value there
    findings: tuple[ProberFinding, ...] = ()  # the first of both kinds

    @property
    def counts(self) -> tuple[int, int]:
        """Answers that could be checked, and those that are wrong."""
        return self.judged + self.compared, self.contradicting + self.different


class _Said(NamedTuple):
    """The answer about a position, and its outcome by the rules if it is over."""

    board: chess.Board
    answer: Answer
    over: Span | None


class _Asked(NamedTuple):
    """The answers about a position and the positions after its moves."""

    here: _Said
    moves: list[tuple[chess.Move, _Said]]

    @property
    def can_be_judged(self) -> bool:
        """Whether the rules or an answer after a move tell something of the answer here."""
        return self.here.over is not None or any(
            said.over is not None or said.answer.is_there or is_without_winner(said.board)
            for _, said in self.moves
        )


class _Audit:
    """The audit of one material, see `ProberAudit` for its counts."""

    def __init__(
        self, material: Material, prober: Prober, reference: Prober | None, limit: int
    ) -> None:
        if material.rules.source and material.rules != prober.rules:
            raise InvalidRulesError(
                f"{material} is of {material.rules.name}, but the prober reads "
                f"{prober.board_type.__name__}: give it a `variant` of that game, or name a "
                "material of chess"
            )
        self._material, self._prober, self._reference = material, prober, reference
        self._limit = limit
        asked = prober.asked
        self._metrics = [metric for metric in METRICS if DISTANCES[metric] in asked]
        if DTZ not in self._metrics and (DTM not in self._metrics or RESULTS[0] in asked):
            self._metrics.append(DTZ)
        self._kinds, self._results, self._longest = Counter[str](), Counter[str](), Counter[str]()
        self._answered = self._judged = self._probes = 0
        self._contradicting = self._compared = self._different = 0
        self._findings: list[ProberFinding] = []

    def run(self, sample: int, seed: int, progress: Progress | None = None) -> ProberAudit:
        """Ask about positions and return the report."""
        beyond: list[tuple[int, int, chess.Board]] = []
        self._look_at_castling(sample // CASTLING_SHARE, seed)
        rng = np.random.default_rng([seed, *self._material.name.encode()])
        chosen = choose_positions(self._material, sample, rng, self._prober.board_type)
        for number, one in enumerate(chosen):
            plies = abs(_zeroing(self._look_at(one).here))
            if plies >= NEAR.start and one.kind == RANDOM:
                beyond.append((abs(plies - FIFTY_MOVES), number, one.board))
            if progress is not None:
                progress(number + 1, sample)
        self._look_at_boundary(sorted(beyond)[: sample // BOUNDARY_SHARE], sample)
        return ProberAudit(
            self._material,
            self._prober.asked,
            dict(self._kinds),
            self._answered,
            self._judged,
            self._probes,
            dict(self._results),
            dict(self._longest),
            self._contradicting,
            self._compared,
            self._different,
            tuple(self._findings),
        )

    def _look_at_boundary(self, starts: list[tuple[int, int, chess.Board]], sample: int) -> None:
        """Follow best play from long distances until they pass the 50-move rule."""
        seen: set[str] = set()
        for _, _, start in starts:
            board: chess.Board | None = start
            for _ in range(LONGEST_LINE):
                if board is None or board.epd() in seen:
                    break
                if self._kinds[BOUNDARY] >= sample // BOUNDARY_SHARE:
                    return
                seen.add(board.epd())
                asked = self._look_at(Chosen(LINE, board))
                board = _after_best(asked) if abs(_zeroing(asked.here)) >= NEAR.start else None

    def _look_at_castling(self, count: int, seed: int) -> None:
        """Look at positions with castling rights as well, unless the first one has no answer."""
        rng = np.random.default_rng([seed, *CASTLING.encode()])
        chosen = castling_positions(self._material, count, rng, self._prober.board_type)
        for number, one in enumerate(chosen):
            if number == 0 and not self._prober.ask(one.board).is_there:
                break
            self._look_at(one)

    def _look_at(self, chosen: Chosen) -> _Asked:
        """Ask about a position and the positions after its moves, and judge the answers."""
        asked = self._ask_around(chosen.board)
        near = chosen.kind == LINE and abs(_zeroing(asked.here)) in NEAR
        self._kinds[BOUNDARY if near else chosen.kind] += 1
        if asked.here.answer.is_there:
            self._answered += 1
            self._judged += asked.can_be_judged
            self._count(asked.here)
            finding = next(self._contradictions(asked), None)
            self._contradicting += finding is not None
            self._note(finding)
            if self._reference is not None:
                self._note(self._compare(asked.here, self._reference))
        return asked

    def _count(self, here: _Said) -> None:
        self._results[common_result(self._span(here, self._metrics[-1]), self._metrics[-1])] += 1
        for name in DISTANCES.values():
            if name in here.answer.given:
                self._longest[name] = max(self._longest[name], abs(here.answer.given[name]))

    def _note(self, finding: ProberFinding | None) -> None:
        if finding is not None and len(self._findings) < self._limit:
            self._findings.append(finding)

    def _ask(self, board: chess.Board) -> _Said:
        self._probes += 1
        return _Said(board, self._prober.ask(board), span_by_rules(board))

    def _ask_around(self, board: chess.Board) -> _Asked:
        here, moves = self._ask(board), []
        if here.over is None and here.answer.is_there:
            for move in list(board.legal_moves):
                after = board.copy(stack=False)
                after.push(move)
                after.clear_stack()
                after.halfmove_clock = 0
                moves.append((move, self._ask(after)))
        return _Asked(here, moves)

    def _span(self, said: _Said, metric: Metric, prober: Prober | None = None) -> Span:
        return (prober or self._prober).span(said.answer, metric, mated=said.over == MATED)

    def _contradictions(self, asked: _Asked) -> Iterator[ProberFinding]:
        """Yield what is wrong with the answers about a position and its moves."""
        board, answer, _ = asked.here
        for said in (asked.here, *(said for _, said in asked.moves)):
            if reason := self._wrong_by_itself(said):
                yield ProberFinding(said.board.fen(), said.answer, reason)
        for metric in self._metrics if asked.moves else []:
            implied = self._implied(asked, metric)
            if self._span(asked.here, metric).common(implied).is_empty:
                reason = f"its moves give {meaning(implied, metric)} by {metric.title}"
                moves = tuple(
                    AnsweredMove(board.san(one), said.answer) for one, said in asked.moves
                )
                yield ProberFinding(board.fen(), answer, reason, moves)

    def _wrong_by_itself(self, said: _Said) -> str:
        """Return the error of an answer by itself, an empty text if there is none."""
        if said.answer.problem:
            return "that is not a value"
        spans = {metric: self._span(said, metric) for metric in self._metrics}
        for span in spans.values():
            if span.is_empty:
                return "these values contradict each other"
            if said.over is not None and span.common(said.over).is_empty:
                return f"it is {'checkmate' if said.over == MATED else 'a draw'} by the rules"
        if len(spans) == len(METRICS) and not agrees(spans[DTZ], spans[DTM]):
            return "these distances contradict each other"
        return ""

    def _implied(self, asked: _Asked, metric: Metric) -> Span:
        """Return the outcomes that the moves of a position leave."""
        spans = []
        for move, said in asked.moves:
            span = said.over or self._span(said, metric)
            if span == ANY and is_without_winner(said.board):
                span = DRAWN
            if span.is_empty:  # reported by itself
                span = ANY
            spans.append(span.before(metric, zeroing=asked.here.board.is_zeroing(move)))
        return Span(max(one.least for one in spans), max(one.most for one in spans))

    def _compare(self, here: _Said, reference: Prober) -> ProberFinding | None:
        """Return the difference from the reference, if there is one."""
        right = _Said(here.board, reference.ask(here.board), here.over)
        both = [(self._span(here, one), self._span(right, one, reference)) for one in METRICS]
        both = [pair for pair in both if ANY not in pair]
        self._compared += bool(both)
        if any(theirs.common(ours).is_empty for theirs, ours in both):
            self._different += 1
            reason = f"the tables have {right.answer}"
            return ProberFinding(here.board.fen(), here.answer, reason)
        return None


def _after_best(asked: _Asked) -> chess.Board | None:
    """Return the position after a move that loses no time, None if there is none without zeroing.

    Of a win that is the one with the shortest loss for the opponent, of a loss the longest win.
    """
    found = {
        preference(~left if (left := _zeroing(said)) > 0 else -left): said.board
        for move, said in asked.moves
        if _zeroing(said) * _zeroing(asked.here) < 0 and not asked.here.board.is_zeroing(move)
    }
    return found[max(found)] if found else None


def _zeroing(said: _Said) -> int:
    """Return the distance to zeroing that was given, 0 if none was."""
    return said.answer.given.get(DISTANCES[DTZ], 0)


def audit_prober(
    prober: object,
    materials: Iterable[Material],
    sample: int = 1000,
    seed: int = 0,
    *,
    exact: bool = False,
    reference: object | None = None,
    progress: Progress | None = None,
    limit: int = 10,
) -> tuple[ProberAudit, ...]:
    """Check a prober by the rules of chess: a position is worth the best of its moves.

    Parameters
    ----------
    prober
        An object of the kind that `Prober` describes.
    materials
        The men of the positions, of any number.
    sample
        How many positions of each material; those after their moves are also asked about.
    seed
        Chooses the positions.
    exact
        Whether distances to zeroing are exact up to 100 plies. By default they may be one ply too
        short.
    reference
        Another prober with exact distances, such as `tablebase.Tablebase`, to compare with.
    progress
        Called with the numbers of positions asked about and of all, for each material.
    limit
        How many findings to describe for each material.

    Raises
    ------
    TypeError
        If the prober has none of the methods.
    InvalidRulesError
        If it is of a variant in which captures are compulsory, or a material is not of chess.
    TablebaseError
        If a file is damaged, or a server does not answer.

    Examples
    --------
    >>> import tablebase
    >>> with tablebase.open_tablebase("data") as tables:
    ...     (found,) = audit_prober(tables, [tablebase.Material.from_name("KRK")], sample=20)
    >>> found.passed, found.answered
    (True, 22)
    """
    source = _source_of(prober, exact=exact)
    other = None if reference is None else Prober(reference, exact=True)
    return tuple(
        _Audit(material, source, other, limit).run(sample, seed, progress) for material in materials
    )


def _source_of(prober: object, *, exact: bool) -> Prober:
    source = Prober(prober, exact=exact)
    if source.board_type.captures_compulsory:
        raise InvalidRulesError(
            f"{source.board_type.uci_variant} cannot be audited, because captures are compulsory "
            "and readers disagree about how to count the distance to its end: audit chess or atomic"
        )
    return source
