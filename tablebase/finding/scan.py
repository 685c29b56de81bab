"""Looking through a table for positions that fit, some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.board.symmetry import COMPOSE, D4, DIAGONAL, IDENTITY
from tablebase.core.ground.parallel import map_on_threads
from tablebase.core.index.legality import (
    MAY_MOVE,
    is_counted,
    is_self_image,
    legality_tables,
    mark_rows,
)
from tablebase.core.jit.records import KernelRecord
from tablebase.core.moves.legal_moves import MoveCounter
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTM, DTZ, Wdl50, metric_named, signed_array, wdl50_array
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Rules
from tablebase.core.tables.table import Table
from tablebase.finding import choices
from tablebase.finding import conditions as known
from tablebase.finding.conditions import Conditions, men_on_squares, within
from tablebase.finding.expression_text import as_condition
from tablebase.finding.expressions import columns_of
from tablebase.finding.move_columns import moves_kept
from tablebase.finding.orbit_keys import orbits, splits
from tablebase.finding.positions import Positions, man_names
from tablebase.practice.mistakes import MistakeCounter

# Slots that each thread scans at once.
SLOTS_PER_STEP = 1 << 18
DRAWN_PLIES = -1  # in place of the plies of a draw
NEVER = np.int16(-1)  # in place of the plies of a helpmate that there is none of


class Matches(NamedTuple):
    """Positions that fit, in the order of the table."""

    slots: NDArray[np.int64]
    colors: NDArray[np.uint8]  # side to move
    symmetries: NDArray[np.uint8]  # which image of the stored position is meant
    plies: NDArray[np.int16]  # distance, DRAWN_PLIES for draws
    difficulties: NDArray[np.float32]  # 0 unless they are asked for

    def at(self, chosen: Any) -> Matches:
        """Return the matches at some places."""
        return Matches(*(column[chosen] for column in self))

    @staticmethod
    def joined(parts: Sequence[Matches]) -> Matches:
        """Return all of some matches."""
        return Matches(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class _Codes:
    """Codes of a table that fit, and their distances."""

    def __init__(
        self,
        tables: Sequence[Table | None],
        conditions: Conditions,
        color: Color,
        helpmates: Mapping[Color, Table],
    ) -> None:
        dtm, dtz = tables
        measured = {DTM: dtm, DTZ: dtz}[metric_named(conditions.metric)]
        judge = dtz or dtm
        assert measured is not None
        assert judge is not None
        self._allowed: list[tuple[NDArray[np.uint8], NDArray[np.bool_]]] = []
        outcomes = measured.outcomes[color].astype(np.int64)
        plies = np.where(outcomes < 0, ~outcomes, outcomes) - measured.metric.offset
        self._codes = measured.codes[color]
        self._plies = np.where(outcomes == 0, DRAWN_PLIES, plies).astype(np.int16)
        if conditions.plies is not None or conditions.moves is not None:
            fit = within(plies, conditions.plies) & within((plies + 1) // 2, conditions.moves)
            self._allowed.append((self._codes, fit & (outcomes != 0)))
        if conditions.results:
            results = 2 * np.sign(judge.outcomes[color])
            if judge is dtz:
                results = wdl50_array(judge.outcomes[color], offset=judge.metric.offset)
            wanted = [Wdl50[name.upper()] for name in conditions.results]
            self._allowed.append((judge.codes[color], np.isin(results, wanted)))
        for mating, wanted_code in conditions.helpmate_codes():
            codes = helpmates[mating].codes[color]
            self._allowed.append((codes, np.arange(DRAW + 1) == wanted_code))

    def fit(self, part: slice) -> NDArray[np.bool_]:
        """Return whether the codes of a part's slots fit."""
        found = np.ones(part.stop - part.start, dtype=np.bool_)
        for codes, allowed in self._allowed:
            found &= allowed[codes[part]]
        return found

    def plies(self, slots: NDArray[np.int64]) -> NDArray[np.int16]:
        """Return the distances of some positions."""
        plies: NDArray[np.int16] = self._plies[self._codes[slots]]
        return plies


class Search:
    """Looks through a table for positions that meet conditions, not through their order or number.

    `zeroing` is the table of distances to zeroing, if known; `subtables` are needed for conditions
    and columns of moves, `mistakes` for difficulties, and `helpmates` by the colour that mates.
    """

    def __init__(
        self,
        table: Table,
        zeroing: Table | None,
        conditions: Conditions,
        subtables: Mapping[Material, Table] | None = None,
        mistakes: MistakeCounter | None = None,
        helpmates: Mapping[Color, Table] | None = None,
    ) -> None:
        self._table, self._zeroing, self._conditions = table, zeroing, conditions
        self._helpmates = helpmates or {}
        self._index = table.index
        self._sides = [
            (color, _Codes((table, zeroing), conditions, color, self._helpmates))
            for color in conditions.colors(table.material)
        ]
        conditions.check_men(table.material)
        self._inside = men_on_squares(table.material, conditions.on)
        self._men = man_names(table.material)
        self._rule = None if conditions.where is None else as_condition(conditions.where)
        # The images of a position that are considered.
        every = bool(self._inside) or conditions.all_images
        self._symmetries = np.array(
            self._index.symmetries if every else (IDENTITY,), dtype=np.uint8
        )
        self._counter = None if subtables is None else MoveCounter(table, subtables)
        self._mistakes = mistakes
        self._legality = KernelRecord(legality_tables(self._index))

    @property
    def rules(self) -> Rules:
        """The rules of the table."""
        return self._table.material.rules

    def matches(
        self,
        threads: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Iterator[Matches]:
        """Yield the matches in the order of the index, White to move first in each part.

        `progress` gets the number of rows that were scanned, and of all.
        """
        rows = self._index.slices * self._index.ranks
        step = max(1, SLOTS_PER_STEP // self._index.king_pairs)
        parts = [(first, min(first + step, rows)) for first in range(0, rows, step)]
        for (_, last), matches in zip(
            parts, map_on_threads(self._look_through, parts, threads, ahead=2), strict=True
        ):
            yield matches
            if progress is not None:
                progress(last, rows)

    def positions_of(self, found: Matches) -> Positions:
        """Return matches with their squares and values."""
        squares, _ = self._index.decode_many(found.slots)
        squares = D4[found.symmetries[:, None], squares]
        white = found.colors == Color.WHITE
        outcomes = outcomes_at(self._table, found.slots, white)
        positions: dict[str, Any] = {
            "squares": squares,
            "white_to_move": white,
            "dtm": signed_array(outcomes, self._table.metric),
            "wdl": np.sign(outcomes).astype(np.int8),
        }
        if self._zeroing is not None:
            outcomes = outcomes_at(self._zeroing, found.slots, white)
            metric = self._zeroing.metric
            positions["dtz"] = signed_array(outcomes, metric)
            positions["wdl50"] = wdl50_array(outcomes, offset=metric.offset)
        if self._mistakes is not None:
            positions["difficulty"] = found.difficulties
        if self.rules.check_counting:
            layers = found.slots // self._index.layer_size
            checks = map(self._table.material.checks_of, range(self._table.material.layer_count))
            positions["checks"] = np.array([*checks], dtype=np.int8)[layers]
        positions |= self._columns_asked(found, squares, white, positions.get("checks"))
        helpmates = self._helpmates.values() if choices.HELP in self._conditions.columns else ()
        tables = filter(None, (self._table, self._zeroing, *helpmates))
        digests = {table.metric: table.sha256 for table in tables if table.sha256}
        return Positions(self._table.material, **positions, digests=digests)

    def _columns_asked(
        self,
        found: Matches,
        squares: NDArray[np.uint8],
        white: NDArray[np.bool_],
        checks: NDArray[np.int8] | None,
    ) -> dict[str, Any]:
        """Return the columns of positions that are asked for besides their values."""
        asked, material = self._conditions, self._table.material
        columns: dict[str, Any] = {}
        if {choices.ORBIT, choices.SPLIT} & {*asked.columns}:
            numbers = orbits(material, squares, white, checks)
            columns["orbit"] = numbers if choices.ORBIT in asked.columns else None
            if choices.SPLIT in asked.columns:
                columns["split"] = splits(numbers, asked.split_seed)
                columns["split_seed"] = asked.split_seed
        if choices.BEST in asked.columns:
            assert self._counter is not None
            where = found.slots, found.colors, found.symmetries
            columns["keeping"], columns["fastest"] = moves_kept(material, self._counter, *where)
        if choices.HELP in asked.columns:
            for color, table in self._helpmates.items():
                outcomes = outcomes_at(table, found.slots, white)
                plies = np.where(outcomes < 0, ~outcomes, outcomes)
                columns[f"help_{color.name.lower()}"] = np.where(outcomes == 0, NEVER, plies)
        return columns

    def _look_through(self, rows: tuple[int, int]) -> Matches:
        """Return the matches of some rows."""
        pairs = self._index.king_pairs
        part = slice(rows[0] * pairs, rows[1] * pairs)
        marks = np.empty(part.stop - part.start, dtype=np.uint8)
        mark_rows(self._legality, self._index.ranks, *rows, marks)
        return Matches.joined([self._of_side(part, marks, *side) for side in self._sides])

    def _of_side(
        self, part: slice, marks: NDArray[np.uint8], color: Color, codes: _Codes
    ) -> Matches:
        """Return the matches with a side to move; cheap conditions are checked first."""
        asked = self._conditions
        fit = is_counted(marks, color) & codes.fit(part)
        other_may_move = marks & MAY_MOVE[1 - color] != 0
        if asked.check is not None:  # then the other side could take the king
            fit &= other_may_move != asked.check
        if asked.zugzwang is not None:
            fit &= other_may_move & self._zugzwangs(part, asked.zugzwang)
        slots = np.flatnonzero(fit) + part.start
        images = self._images(slots, is_self_image(marks[slots - part.start]))
        if self._inside or self._rule is not None:
            self._keep_where(slots, images, color)
            fits = images.any(axis=1)
            slots, images = slots[fits], images[fits]
        if self._counter is not None and asked.need_moves:
            fits = self._moves_fit(self._counter.counts(slots, color))
            slots, images = slots[fits], images[fits]
        rows, chosen = np.nonzero(images)
        hard = np.zeros(len(rows), dtype=np.float32)
        if self._mistakes is not None:
            hard = self._mistakes.difficulties(slots, color)[rows]
            fits = within(hard, asked.difficulty)
            rows, chosen, hard = rows[fits], chosen[fits], hard[fits]
        slots, symmetries = slots[rows], self._symmetries[chosen]
        colors = np.full(len(slots), color, dtype=np.uint8)
        return Matches(slots, colors, symmetries, codes.plies(slots), hard)

    def _keep_where(
        self, slots: NDArray[np.int64], images: NDArray[np.bool_], color: Color
    ) -> None:
        """Take back the images [n, symmetries] that do not meet the condition on squares."""
        rule = self._rule
        rows, chosen = np.nonzero(images)
        if rule is None or not len(rows):
            return
        # Far faster than to decode all: rows have the same pairs of kings, other men once a row.
        pairs = self._index.king_pairs
        numbers, number_of_pair = np.divmod(slots, pairs)
        first, last = numbers[[0, -1]].tolist()
        others, _ = self._index.decode_many(np.arange(first, last + 1) * pairs)
        squares = others.T[:, numbers - first]
        squares[:2] = self._index.decode_many(np.arange(pairs))[0].T[:2, number_of_pair]
        if len(self._symmetries) > 1:
            squares = D4[self._symmetries[chosen], squares[:, rows]]
        white = np.full(len(rows), color == Color.WHITE)
        board = self._table.material.rules.board
        images[rows, chosen] = rule.of(columns_of(self._men, squares, white, board))

    def _zugzwangs(self, part: slice, kind: str) -> NDArray[np.bool_]:
        """Return whether slots are mutual zugzwangs; each is legal with either side to move."""
        white, black = (
            np.sign(outcomes)[codes[part]]
            for outcomes, codes in zip(self._table.outcomes, self._table.codes, strict=True)
        )
        wanted = (
            known.ZUGZWANG_RESULTS.values() if kind == "any" else [known.ZUGZWANG_RESULTS[kind]]
        )
        found = np.zeros(len(white), dtype=np.bool_)
        for results in wanted:
            found |= (white == results[0]) & (black == results[1])
        return found

    def _images(
        self, slots: NDArray[np.int64], kept_by_diagonal: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return whether images of positions match, shape [n, symmetries].

        These are the ones with the men on the squares; only the first of them unless all are asked
        for, and each one once: a placement that the diagonal keeps has half as many.
        """
        number = len(self._symmetries)
        if self._inside:
            squares, _ = self._index.decode_many(slots)
            bits = np.full(len(slots), 255, dtype=np.uint8)
            for men, inside in self._inside:
                # For each square, a bit for each image of it that is inside.
                by_square = np.packbits(inside[D4[self._symmetries]], axis=0, bitorder="little")[0]
                bits &= np.bitwise_or.reduce([by_square[squares[:, man]] for man in men])
            bits = np.unpackbits(bits[:, None], axis=1, count=number, bitorder="little")
            images = bits.view(np.bool_)
        else:
            images = np.ones((len(slots), number), dtype=np.bool_)
        if self._conditions.all_images:
            repeats = COMPOSE[self._symmetries, DIAGONAL] < self._symmetries
            images[kept_by_diagonal] &= ~repeats
        elif self._inside:
            images &= self._symmetries == self._symmetries[images.argmax(axis=1)][:, None]
        return images

    def _moves_fit(self, counts: Mapping[str, NDArray[np.int64]]) -> NDArray[np.bool_]:
        asked = self._conditions
        fit = within(counts["winning"], asked.winning_moves)
        if asked.only_move is not None:
            fit &= (counts["keeping"] == 1) == asked.only_move
        if asked.best_move is not None:
            fit &= counts["best_kinds"] & known.BEST_MOVE_KINDS[asked.best_move] != 0
        return fit


def outcomes_at(
    table: Table, slots: NDArray[np.int64], white: NDArray[np.bool_]
) -> NDArray[np.int16]:
    """Return the outcomes of some slots, by the side to move."""
    by_side = [
        outcomes[codes[slots]] for outcomes, codes in zip(table.outcomes, table.codes, strict=True)
    ]
    return np.where(white, *by_side)
