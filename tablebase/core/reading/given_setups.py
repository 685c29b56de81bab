"""Positions of any game in any container, as setups."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

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
    read_container,
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

    def of_boards(given: Iterable[Any]) -> GivenSetups:
        found = GivenSetups(given, rules)
        if found.errors:
            number = min(found.errors)
            raise ValueError(f"position {number}: {found.errors[number]}")
        return found

    of_squares = partial(_of_squares, rules=rules)
    given: GivenSetups = read_container(
        positions, material, turn, of_boards=of_boards, of_squares=of_squares
    )
    return given


def _of_squares(
    squares: NDArray[Any], material: Material | str, turn: ArrayLike, *, rules: Rules
) -> GivenSetups:
    """Return positions of one material by the squares of their men, see `given.SquarePositions`."""
    material = as_material(material, rules)
    rows = as_squares(squares, material.piece_count, material).tolist()
    colors = [Color.WHITE if white else Color.BLACK for white in as_turns(turn, len(rows))]
    setups = (Setup(material, tuple(row), color) for row, color in zip(rows, colors, strict=True))
    return GivenSetups(setups, rules)
