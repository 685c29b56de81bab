"""The canonical image of a position, which stands in its table, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.board.symmetry import D4, SYMMETRY_NAMES
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.metrics import DTM, Metric
from tablebase.core.positions.any_position import as_position, position_of
from tablebase.core.positions.position import Board
from tablebase.core.positions.setup import Setup
from tablebase.core.rules.material import Material
from tablebase.core.storage.order import slot_of_index, slot_order


@dataclass(frozen=True)
class CanonicalPosition:
    """The canonical one of all symmetric images of a position, which stands in its table."""

    setup: Setup  # the image, without en passant rights
    index: int  # in the arrays of a Table; files have another order, see `slot_of`
    colors_swapped: bool  # colours were exchanged first, the board turned upside down
    symmetry: int  # applied then, a row of `tablebase.core.board.symmetry.D4`

    @property
    def material(self) -> Material:
        """The material of the table, which is normalized."""
        return self.setup.material

    @property
    def board(self) -> Board:
        """The image, in chess as a board."""
        return position_of(self.setup).board

    @property
    def symmetry_name(self) -> str:
        """The symmetry in words."""
        return SYMMETRY_NAMES[self.symmetry]


class Slot(NamedTuple):
    """The slot of a position in a file."""

    material: Material  # of the table, so that the file is called f"{material}.h5"
    dataset: str  # as "white_to_move/dtm"
    slot: int  # index in the data set


def slot_of(board: Board, metric: Metric = DTM) -> Slot:
    """Return the slot of a position in the file of its table, see ``docs/format.md``.

    Parameters
    ----------
    board
        A legal position, as for `canonical_position`. An en passant right is not part of
        what tables store.
    metric
        Which distance, `tablebase.core.outcomes.metrics.DTM` or ``DTZ``.

    Raises
    ------
    UnsupportedPositionError
        If there are castling rights or too many men, or the position is illegal.

    Examples
    --------
    >>> import chess
    >>> material, dataset, slot = slot_of(chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"))
    >>> import h5py
    >>> with h5py.File(f"data/{material}.h5") as file:
    ...     print(file[dataset][slot])  # mate in 31 plies
    31
    """
    position = canonical_position(board)
    slot = slot_of_index(slot_order(position.material), position.index)
    side = SIDES[position.setup.color]
    return Slot(position.material, f"{side}/{metric.name}", slot)


def canonical_position(board: Board) -> CanonicalPosition:
    """Return the image of a position that stands in a table, and how it came about.

    Parameters
    ----------
    board
        A board of python-chess, or a setup of another game.

    Raises
    ------
    UnsupportedPositionError
        If there are castling rights or too many men, or the position is illegal.
    """
    position = as_position(board)
    setup = position.setup()._replace(ep_square=None)
    material = setup.material.normalized()
    is_black_first = material.is_symmetric and setup.color is Color.BLACK
    swapped = setup.material != material or is_black_first
    if swapped:
        setup = setup.swapped()
    squares = np.array(setup.squares, dtype=np.uint8)
    index = table_index(material)
    number = index.layer_start(setup.checks) + index.encode(squares)
    stored = index.decode(number)
    assert stored is not None
    canonical = Setup(material, tuple(stored.tolist()), setup.color, checks=setup.checks)
    for symmetry in index.symmetries:
        image = canonical._replace(squares=tuple(D4[symmetry][squares].tolist()))
        if image.men == canonical.men:
            return CanonicalPosition(canonical, number, swapped, symmetry)
    raise AssertionError(f"no symmetry leads from {position.fen} to {canonical}")
