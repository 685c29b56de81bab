"""Positions of a table by slot and by code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.positions.chess_board import board_of
from tablebase.core.positions.setup import Setup

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess

    from tablebase.core.tables.table import Table

_CODES_PER_SCAN = 1 << 22


def board_at(table: Table, slot: int, color: Color) -> chess.Board | None:
    """Return the position of a slot as a board of python-chess, None if there is no legal one."""
    setup = setup_at(table, slot, color)
    return setup and board_of(setup.material, setup.squares, setup.color is Color.WHITE)


def setup_at(table: Table, slot: int, color: Color) -> Setup | None:
    """Return the position of a slot with a side to move, None if there is no legal one."""
    squares = table.index.decode(slot)
    if squares is None:
        return None
    checks = table.index.checks_of(slot)
    setup = Setup(table.material, tuple(squares.tolist()), color, checks=checks)
    return setup if setup.is_legal() else None


def positions_with(
    table: Table, color: Color, code: int, slots: range | None = None
) -> Iterator[chess.Board]:
    """Yield the positions of `setups_with` as boards of python-chess."""
    for setup in setups_with(table, color, code, slots):
        yield board_of(setup.material, setup.squares, setup.color is Color.WHITE)


def setups_with(
    table: Table, color: Color, code: int, slots: range | None = None
) -> Iterator[Setup]:
    """Yield the legal positions with a side to move and a stored code, in the order of the index.

    No two are images of each other. `slots` restricts them.

    >>> from tablebase.core.storage.reading import read_table
    >>> longest = list(setups_with(read_table("data/KRK.h5"), Color.WHITE, 31))
    >>> len(longest), longest[0].fen
    (121, '8/8/8/8/8/2k5/1R6/K7 w - - 0 1')
    """
    slots = slots or range(table.index.size)
    for start in range(slots.start, slots.stop, _CODES_PER_SCAN):
        last = min(start + _CODES_PER_SCAN, slots.stop)
        found = np.flatnonzero(table.whole_codes(color, slice(start, last)) == code)
        for slot in (found + start).tolist():
            setup = setup_at(table, slot, color)
            if setup is not None:
                yield setup
