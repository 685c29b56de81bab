"""Values of positions of any game, one by one: what `board_reader` does for chess, but plainly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board.geometry import SQUARES, Color
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.metrics import Metric
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.setup import Setup, check_men, check_setup
from tablebase.core.reading.given import as_material, as_turn, squares_without_kings
from tablebase.core.reading.given_setups import GivenSetups, read_setups
from tablebase.core.reading.locate import PAGE_SIZE
from tablebase.core.reading.passing import en_passant_outcome
from tablebase.core.reading.reader import OutcomeReader
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Rules
from tablebase.core.storage.order import slot_of_index, slot_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray


class SetupReader(OutcomeReader):
    """Reads the values of setups, as `OutcomeReader`."""

    def __init__(self, cache_size: int, metric: Metric, rules: Rules) -> None:
        super().__init__(cache_size, metric, rules)
        self._first_pages: dict[Material, tuple[int, int]] = {}

    def _forget(self, material: Material) -> None:
        super()._forget(material)
        del self._first_pages[material]

    def outcome(self, board: Any) -> int:
        """Return the outcome of a setup or FEN, its en passant right included."""
        position = as_position(board, self.rules).board
        assert isinstance(position, Setup), "boards of python-chess have a reader of their own"
        check_setup(position)
        return self._outcome_or_end(position, self._outcome_of)

    def _outcome_of(self, position: Setup) -> int:
        """Return the outcome of a legal position."""
        stored = self.stored_outcome(position)
        if not any(position.passing()):
            return stored
        return en_passant_outcome(position, stored, self.outcome, self.metric)

    def stored_outcome(self, position: Setup) -> int:
        """Return the outcome of a position without looking at rights; open what is needed."""
        check_men(position)
        material = position.material.normalized()
        if material.is_bare and not self.rules.goal:
            return 0
        is_black_first = material.is_symmetric and position.color is Color.BLACK
        if material != position.material or is_black_first:
            position = position.exchanged()
        squares = np.array(position.squares, dtype=np.uint8)
        index = table_index(material)
        number = index.layer_start(position.checks) + index.encode(squares)
        slot = slot_of_index(slot_order(material), number)
        with self.lock:
            self.refresh()
            if material not in self._first_pages:
                self._first_pages[material] = self._add_pages(material)
            page, place = divmod(slot, PAGE_SIZE)
            stored = self._cache.load(self._first_pages[material][position.color] + page)[place]
        meanings = self._cache.meanings
        return int(meanings[stored]) if len(meanings) else stored

    def given(
        self,
        positions: Any,
        material: Material | str | None = None,
        turn: ArrayLike | None = None,
    ) -> GivenSetups:
        """Return positions in any container as setups."""
        return read_setups(positions, material, turn, rules=self.rules)

    def given_texts(self, texts: Iterable[str]) -> GivenSetups:
        """Return FENs and EPDs as positions, unreadable ones being invalid."""
        return GivenSetups(texts, self.rules)

    def outcomes_of(
        self,
        given: Any,
        threads: int | None = None,  # noqa: ARG002 (one thread reads setups)
        *,
        skip_missing: bool = False,
    ) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return the outcomes of setups, 0 of invalid ones, and which setups are valid."""
        outcomes = np.zeros(len(given), dtype=np.int16)
        valid = np.zeros(len(given), dtype=np.bool_)
        missing: list[MissingTableError] = []
        for i, setup in given.setups.items():
            try:
                outcomes[i], valid[i] = self.outcome(setup), True
            except UnsupportedPositionError:
                continue
            except MissingTableError as error:
                missing.append(error)
        if missing and not skip_missing:
            names = dict.fromkeys(name for error in missing for name in error.materials)
            absent = [Material.from_name(name, self.rules) for name in names]
            raise self._missing(*absent) if absent else missing[0]
        return outcomes, valid

    def planes(self, squares: ArrayLike, material: Material, *, turn: bool) -> NDArray[np.uint64]:
        """Return the results of planes; see `tablebase.Tablebase.probe_wdl_planes`."""
        rows = squares_without_kings(squares, as_material(material, self.rules))
        side = as_turn(turn)
        found = [self._plane(row, material, turn=side) for row in rows]
        return np.array(found, dtype=np.uint64).reshape(-1, 3, SQUARES)

    def _plane(
        self, row: NDArray[np.uint8], material: Material, *, turn: bool
    ) -> NDArray[np.uint64]:
        """Return the results of all placements of the kings, shape [3, 64]."""
        kings = np.indices((SQUARES, SQUARES)).reshape(2, -1).T
        placed = np.hstack([kings, np.broadcast_to(row, (len(kings), len(row)))])
        outcomes, valid = self.outcomes_many(placed, material, turn, skip_missing=False)
        sets = np.stack([valid & (outcomes > 0), valid & (outcomes < 0), valid])
        words = np.packbits(sets.reshape(3, SQUARES, SQUARES), axis=2, bitorder="little")
        return words.view(np.uint64)[..., 0]
