"""The one of all symmetric images of a position that stands in its table, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import chess

from tablebase.core.board import D4, SYMMETRY_NAMES
from tablebase.core.index import table_index
from tablebase.core.outcomes import DTM, Metric
from tablebase.core.positions import board_of, check_supported, material_of, squares_of
from tablebase.core.rules import Material
from tablebase.core.storage import slot_of_index, slot_order


@dataclass(frozen=True)
class CanonicalPosition:
    """The one of all symmetric images of a position that stands in the table.

    Attributes
    ----------
    material : Material
        The table, by its normalized material.
    index : int
        Index in the arrays of a `tablebase.core.tables.Table`; the order in files is another one,
        see `slot_of`.
    board : chess.Board
        The image itself. Rights to capture en passant are not part of it.
    colors_swapped : bool
        Whether the colours were exchanged first, the board turned upside down.
    symmetry : int
        Which symmetry was applied then, a row of `tablebase.core.board.D4`.
    """

    material: Material
    index: int
    board: chess.Board
    colors_swapped: bool
    symmetry: int

    @property
    def symmetry_name(self) -> str:
        """The symmetry in words."""
        return SYMMETRY_NAMES[self.symmetry]


def canonical_position(board: chess.Board) -> CanonicalPosition:
    """Return the image of a position that stands in a table, and how it came about.

    Raises
    ------
    UnsupportedPositionError
        If there are castling rights or too many men, or the position is illegal.
    """
    check_supported(board)
    present = material_of(board)
    material = present.normalized()
    swapped = present != material or (material.is_symmetric and board.turn == chess.BLACK)
    if swapped:
        board = board.mirror()
    squares = squares_of(board, material)
    index = table_index(material)
    number = index.encode(squares)
    stored = index.decode(number)
    assert stored is not None
    canonical = board_of(material, stored.tolist(), board.turn)
    for symmetry in index.symmetries:
        image = board_of(material, D4[symmetry][squares].tolist(), board.turn)
        if image == canonical:
            return CanonicalPosition(material, number, canonical, swapped, symmetry)
    raise AssertionError(f"no symmetry leads from {board.fen()} to {canonical.fen()}")


class Slot(NamedTuple):
    """The slot of a position in a file."""

    material: Material  # of the table, so that the file is called f"{material}.h5"
    dataset: str  # as "white_to_move/dtm"
    slot: int  # index in the data set


def slot_of(board: chess.Board, metric: Metric = DTM) -> Slot:
    """Return the slot of a position in the file of its table, see ``docs/format.md``.

    Parameters
    ----------
    board
        A legal position. A right to capture en passant is not part of what tables store.
    metric
        Which distance, `tablebase.core.outcomes.DTM` or ``DTZ``.

    Raises
    ------
    UnsupportedPositionError
        If there are castling rights or too many men, or the position is illegal.

    Examples
    --------
    >>> material, dataset, slot = slot_of(chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"))
    >>> import h5py
    >>> with h5py.File(f"data/{material}.h5") as file:
    ...     print(file[dataset][slot])  # mate in 31 plies
    31
    """
    position = canonical_position(board)
    slot = slot_of_index(slot_order(position.material), position.index)
    side = "white_to_move" if position.board.turn == chess.WHITE else "black_to_move"
    return Slot(position.material, f"{side}/{metric.name}", slot)
