"""The one of all symmetric images of a position that stands in its table."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from tablebase.boards import board_of, check_supported, material_of, squares_of
from tablebase.index import table_index
from tablebase.material import Material
from tablebase.symmetry import D4, SYMMETRY_NAMES


@dataclass(frozen=True)
class CanonicalPosition:
    """The one of all symmetric images of a position that stands in the table.

    Attributes
    ----------
    material : Material
        The table, by its normalized material.
    index : int
        Place in the arrays of a `tablebase.table.Table`, which is not the place in the file: see
        `tablebase.slots.slot_of`.
    board : chess.Board
        The image itself. Rights to capture en passant are not part of it.
    colors_swapped : bool
        Whether the colours were exchanged first, the board turned upside down.
    symmetry : int
        Which symmetry was applied then, a row of `tablebase.symmetry.D4`.
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
