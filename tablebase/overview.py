"""Which tables there are, and positions to look at: the hardest ones, and random ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablebase.boards import board_of, check_supported
from tablebase.errors import CorruptTableError, MissingTableError, UnsupportedPositionError
from tablebase.geometry import SIDES
from tablebase.material import Material
from tablebase.storage import open_table
from tablebase.words import winner_moves

if TYPE_CHECKING:
    import numpy as np

    from tablebase.probe import Tablebase

_RESULTS = ("win", "draw", "loss")


def describe_tables(tablebase: Tablebase) -> list[dict[str, Any]]:
    """Return what the available tables hold, simpler materials first.

    Returns
    -------
    list[dict]
        For each table ``material``, ``men``, ``bytes`` of the file, ``sha256`` of the values,
        ``positions`` (legal ones up to symmetry, both sides to move), ``white_to_move`` and
        ``black_to_move`` with the ``win``, ``draw`` and ``loss`` among these, and
        ``longest_win`` with ``plies``, ``moves`` and ``fen``, None if nothing is won. A damaged
        table has ``material``, ``men`` and ``damaged`` only.
    """
    return [_describe_table(tablebase, material) for material in tablebase.available_materials]


def hardest_position(tablebase: Tablebase, name: str) -> dict[str, Any] | None:
    """Return a position of the longest win of a material, None if nothing is won.

    Parameters
    ----------
    tablebase
        The tables.
    name
        The material, whichever side is the stronger one.

    Returns
    -------
    dict
        ``material``, ``fen`` and ``dtm``, the distance in plies.

    Raises
    ------
    InvalidMaterialError
        If the name is not one of a material.
    MissingTableError
        If the table is not available.
    CorruptTableError
        If the file is damaged.
    """
    material = available_material(tablebase, name)
    longest = _longest_win(_attributes(tablebase, material))
    if longest is None:
        return None
    return {"material": material.name, "fen": longest["fen"], "dtm": longest["plies"]}


def random_position(tablebase: Tablebase, name: str, rng: np.random.Generator) -> dict[str, Any]:
    """Return a legal position of a material, all with equal probability.

    Parameters
    ----------
    tablebase
        The tables.
    name
        The material, whichever side is the stronger one.
    rng
        Draws the squares and the side to move.

    Returns
    -------
    dict
        ``material`` and ``fen``.

    Raises
    ------
    InvalidMaterialError
        If the name is not one of a material.
    MissingTableError
        If the table is not available.
    """
    material = available_material(tablebase, name)
    while True:
        squares = rng.choice(64, material.piece_count, replace=False)
        board = board_of(material, squares.tolist(), bool(rng.integers(2)))
        try:
            check_supported(board)
        except UnsupportedPositionError:
            continue
        return {"material": material.name, "fen": board.fen()}


def available_material(tablebase: Tablebase, name: str) -> Material:
    """Return a material by name, the stronger side White, if its table is available.

    Raises
    ------
    InvalidMaterialError
        If the name is not one of a material.
    MissingTableError
        If the table is not available.
    """
    material = Material.from_name(name).normalized()
    if material not in tablebase.available_materials:
        raise MissingTableError(f"no table of {material}")
    return material


def _attributes(tablebase: Tablebase, material: Material) -> dict[str, Any]:
    with open_table(tablebase.available_tables[material.name]) as file:
        return file.attributes


def _longest_win(attributes: dict[str, Any]) -> dict[str, Any] | None:
    wins = [win for win in attributes["longest_wins"].values() if win]
    return max(wins, key=lambda win: win["plies"], default=None)


def _describe_table(tablebase: Tablebase, material: Material) -> dict[str, Any]:
    description = {"material": material.name, "men": material.piece_count}
    try:
        attributes = _attributes(tablebase, material)
    except CorruptTableError:
        return description | {"damaged": True}
    sides = {
        side: {result: attributes["counts"][side]["inequivalent"][result] for result in _RESULTS}
        for side in SIDES
    }
    longest = _longest_win(attributes)
    if longest is not None:
        longest = {
            "plies": longest["plies"],
            "moves": winner_moves(longest["plies"]),
            "fen": longest["fen"],
        }
    return description | {
        "bytes": tablebase.available_tables[material.name].stat().st_size,
        "sha256": attributes["sha256"],
        "positions": sum(sum(side.values()) for side in sides.values()),
        **sides,
        "longest_win": longest,
    }
