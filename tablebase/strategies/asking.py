"""Functions as strategies: they are asked for moves, board by board."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.ground.words import quoted
from tablebase.core.index.numbering import table_index
from tablebase.core.positions.any_position import position_of
from tablebase.core.positions.position import Named
from tablebase.core.positions.setup import Setup
from tablebase.core.rules.material import Material
from tablebase.strategies.game_graph import ends_of, uci_of
from tablebase.strategies.sweeping import Arcs

if TYPE_CHECKING:
    from numpy.typing import NDArray

Move = Named | str
Function = Callable[[Any], Move | Iterable[Move] | None]
FEW_MEN = 4  # a function is asked about no more
MANY_POSITIONS = 100_000  # which take a minute or more
_TIMED = 500  # positions after which the time for all is known


def ask(
    function: Function,
    material: Material,
    side: Color,
    arcs: tuple[Arcs, Arcs],
    begin: NDArray[np.int64],
    progress: Callable[[int, int], None] | None,
) -> Arcs:
    """Return of all moves of the first arcs those that a function allows, where a game gets to.

    It is asked about the positions at some slots, and those to which the play from them leads.
    Raises a ValueError if it allows an illegal move.
    """
    follower, other = arcs
    began = time.monotonic()
    allowed = np.zeros(len(follower.child), dtype=np.bool_)
    entered = np.zeros(len(follower.slots), dtype=np.bool_)
    new, done = np.searchsorted(follower.slots, begin), 0
    while len(new):
        entered[new] = True
        total = int(np.count_nonzero(entered))
        squares, _ = table_index(material).decode_many(follower.slots[new])
        for row, men in zip(new.tolist(), squares.tolist(), strict=True):
            wanted = _answers(function, Setup(material, tuple(men), side))
            for move in range(int(follower.starts[row]), int(follower.starts[row + 1])):
                code = int(follower.move[move])
                allowed[move] = wanted.pop(uci_of(material.rules, *ends_of(code)), False)
            if wanted:
                fen = Setup(material, tuple(men), side).fen
                message = (
                    f"the strategy allows {quoted(next(iter(wanted)))}, which is illegal: {fen}"
                )
                raise ValueError(message)
            done += 1
            if done == _TIMED and total > MANY_POSITIONS:
                _warn(total, (time.monotonic() - began) * total / done)
            if progress is not None:
                progress(done, total)
        after = _children(follower, new, allowed)
        back = _children(other, np.searchsorted(other.slots, after))
        new = np.searchsorted(follower.slots, back)
        new = new[~entered[new]]
    return follower.only(allowed, entered)


def _answers(function: Function, setup: Setup) -> dict[str, bool]:
    """Return the moves that a function allows in a position, as UCI writes them, all true."""
    try:
        given: Any = function(position_of(setup).board)
        moves = [given] if isinstance(given, str) or hasattr(given, "uci") else given or ()
        return {one if isinstance(one, str) else one.uci(): True for one in moves}
    except Exception as error:
        message = f"the strategy ends with {type(error).__name__}: {error}: {setup.fen}"
        raise ValueError(message) from error


def _warn(positions: int, seconds: float) -> None:
    warnings.warn(
        f"the function is asked about {positions:,} positions or more, which takes about "
        f"{max(1, round(seconds / 60))} minutes: expressions are far faster",
        RuntimeWarning,
        stacklevel=2,
    )


def _children(
    arcs: Arcs, rows: NDArray[np.int64], allowed: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """Return the slots that moves of some rows lead to, all or those allowed, ascending."""
    marked = np.zeros(len(arcs.slots), dtype=np.bool_)
    marked[rows] = True
    chosen = np.repeat(marked, np.diff(arcs.starts)) & (arcs.child >= 0)
    if allowed is not None:
        chosen &= allowed
    return np.unique(arcs.child[chosen]).astype(np.int64)
