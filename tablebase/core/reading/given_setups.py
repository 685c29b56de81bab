"""Positions of any game in any container, as setups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.setup import Setup
from tablebase.core.reading.given import (
    MOST_PLIES,
    ReadPositions,
    as_material,
    as_squares,
    as_turns,
    coerced,
    refuse_material,
)
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Rules

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class GivenSetups(ReadPositions):
    """Positions of any game, given as setups and texts; a `given.Given`.

    `TypeError` if something is neither.
    """

    def __init__(self, positions: Iterable[Any], rules: Rules) -> None:
        self.setups: dict[int, Setup] = {}
        self.errors: dict[int, str] = {}
        given = list(positions)
        self.clocks: NDArray[np.int32] = np.zeros(len(given), np.int32)
        for number, one in enumerate(given):
            try:
                board = as_position(one, rules).board
            except UnsupportedPositionError as error:
                self.errors[number] = str(error)
            except TypeError as error:
                raise TypeError(f"position {number}: {error}") from None
            else:
                assert isinstance(board, Setup), "boards of chess have a reader of their own"
                self.setups[number] = board
                self.clocks[number] = min(board.clock, MOST_PLIES)

    def __len__(self) -> int:
        return len(self.clocks)

    def board(self, number: int) -> Setup:
        """Return a setup by its number; `UnsupportedPositionError` if it cannot be read."""
        if number in self.errors:
            raise UnsupportedPositionError(self.errors[number])
        return self.setups[number]


def read_setups(
    positions: Any,
    material: Material | str | None,
    turn: ArrayLike | None,
    *,
    rules: Rules,
) -> GivenSetups:
    """Return positions of any game ready to be looked up, as `given.read_given` does in chess."""
    given, are_squares = coerced(positions, material, turn)
    if are_squares:
        given = _of_squares(given, cast("Material | str", material), turn, rules)
    if not isinstance(given, ReadPositions):
        given = GivenSetups(given, rules)
        if given.errors:
            number = min(given.errors)
            raise ValueError(f"position {number}: {given.errors[number]}")
    if not are_squares:
        refuse_material(given, material, turn)
    return cast("GivenSetups", given)


def _of_squares(
    squares: NDArray[Any], material: Material | str, turn: Any, rules: Rules
) -> Iterator[Setup]:
    """Yield positions of one material by the squares of their men, see `given.SquarePositions`."""
    material = as_material(material, rules)
    rows = as_squares(squares, material.piece_count, material).tolist()
    for row, white in zip(rows, as_turns(turn, len(rows)), strict=True):
        yield Setup(material, tuple(row), Color.WHITE if white else Color.BLACK)
