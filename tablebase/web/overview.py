"""The available tables, and hard or random positions of them."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

import chess
import numpy as np

from tablebase.core.errors import CorruptTableError, UnsupportedPositionError
from tablebase.core.index import table_index
from tablebase.core.positions import COLORS, board_of, check_supported
from tablebase.core.rules import Material
from tablebase.core.storage import indices_of, open_table, slot_order
from tablebase.practice import moves_by_sight
from tablebase.web.materials import available_material, summary_of, table_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.outcomes import Metric
    from tablebase.core.probing import Tablebase

SEARCH_LIMIT = 5.0  # seconds to look a table through for a distance
# Random positions that an exercise is chosen from, and the difference in difficulty that ends it.
DRAWN_AT_MOST, CLOSE_ENOUGH = 400, 0.05
_log = logging.getLogger(__name__)


def describe_tables(tablebase: Tablebase) -> list[dict[str, Any]]:
    """Return the contents of the available tables, simpler materials first.

    Returns
    -------
    list[dict]
        The fields of `schemas.Table` for each table. The log has the reason if one is damaged or
        unreadable.
    """
    described = []
    for name, path in tablebase.available_tables.items():
        material = Material.from_name(name)
        table = {"material": name, "men": material.piece_count}
        try:
            table |= summary_of(path, tablebase.directories).contents
        except FileNotFoundError:
            continue  # it was removed
        except OSError as error:
            _log.error("%s", error)
            table["damaged" if isinstance(error, CorruptTableError) else "unreadable"] = True
        described.append(table)
    return described


def hardest_position(
    tablebase: Tablebase, name: str, rng: np.random.Generator
) -> dict[str, Any] | None:
    """Return a position of the longest win of a material, None if nothing is won.

    With up to four men, all such positions have equal probability. Larger tables take too long to
    read, and always give the same position.

    Parameters
    ----------
    tablebase
        The tables.
    name
        The material, whichever side is the stronger one.
    rng
        Chooses the position.

    Returns
    -------
    dict
        ``material``, ``fen`` and ``dtm``, the distance in plies; in a file without distances to
        mate, ``dtz`` instead.

    Raises
    ------
    InvalidMaterialError
        If the name is not one of a material.
    MissingTableError
        If the table is not available.
    CorruptTableError
        If the file is damaged.
    """
    material, table = table_of(tablebase, name)
    longest = table.longest_win
    if longest is None:
        return None
    turn = chess.Board(longest["fen"]).turn
    board = _first_legal(material, rng.permutation(table.longest_slots), turn)
    fen = longest["fen"] if board is None else board.fen()
    return {"material": material.name, "fen": fen, table.metric.name: longest["plies"]}


def position_with(
    tablebase: Tablebase,
    name: str,
    turn: chess.Color,
    metric: Metric,
    outcome: int,
    rng: np.random.Generator,
    *,
    time_limit: float = SEARCH_LIMIT,
) -> dict[str, Any] | None:
    """Return a position of a result and distance, None if none was found in time.

    The chunks of the file are scanned in random order up to the first match. Common distances are
    found at once in any table, rare ones if the whole table can be read in time, which takes about
    a second for the largest table of five men.

    Parameters
    ----------
    tablebase, name, rng
        As for `hardest_position`.
    turn
        Side to move, where the stronger side is White.
    metric
        The metric of the distance.
    outcome
        The outcome: plies of a win, or -1 - plies of a loss.
    time_limit
        Limit on the search in seconds.

    Returns
    -------
    dict
        As by `hardest_position`; the distance is negative for a loss.

    Raises what `hardest_position` does, and `MissingTableError` if the table has no such metric.
    """
    material, table = table_of(tablebase, name)
    color = COLORS[turn]
    give_up = time.monotonic() + time_limit
    with open_table(table.path) as file:
        file.require_metric(metric)
        wanted = file.outcomes(metric)[color] == outcome
        if outcome == 0 or not (file.side_stored(color) and wanted.any()):
            return None
        for number in rng.permutation(file.chunk_count).tolist():
            slots = np.flatnonzero(wanted[file.chunk(color, number, metric)])
            places = indices_of(slot_order(material), number * file.chunk_size + slots)
            board = _first_legal(material, rng.permutation(places), turn)
            if board is not None:
                distance = outcome if outcome > 0 else outcome + 1
                return {"material": material.name, "fen": board.fen(), metric.name: distance}
            if time.monotonic() > give_up:
                break
    return None


def _first_legal(
    material: Material, slots: NDArray[np.int64], turn: chess.Color
) -> chess.Board | None:
    """Return the first of some slots that holds a legal position."""
    index = table_index(material)
    for slot in slots.tolist():
        squares = index.decode(slot)
        if squares is None:
            continue
        board = board_of(material, squares.tolist(), turn)
        if not board.was_into_check():
            return board
    return None


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


def exercise(
    tablebase: Tablebase, name: str, rng: np.random.Generator, *, level: int
) -> dict[str, Any] | None:
    """Return a random position to win or to hold, of about a given difficulty.

    Parameters
    ----------
    tablebase, name, rng
        As for `random_position`.
    level
        The difficulty in tenths, from 0 to 9.

    Returns
    -------
    dict or None
        ``material``, ``fen`` and ``difficulty``: of `DRAWN_AT_MOST` positions in which the side to
        move can give away a win or a draw, the one closest to the level. None if there is none.

    Raises
    ------
    MissingTableError
        Also if there are no distances to zeroing.

    Raises what `random_position` does, too.
    """
    found: dict[str, Any] | None = None
    for _ in range(DRAWN_AT_MOST):
        drawn = random_position(tablebase, name, rng)
        keeping, hidden, plain = moves_by_sight(tablebase, chess.Board(drawn["fen"]))
        if not hidden and not plain:
            continue
        difficulty = len(hidden) / (len(keeping) + len(hidden))
        if found is None or abs(difficulty - level / 10) < abs(found["difficulty"] - level / 10):
            found = drawn | {"difficulty": difficulty}
        if abs(difficulty - level / 10) <= CLOSE_ENOUGH:
            break
    return found
