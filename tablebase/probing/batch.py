"""Many positions at once: what may be asked, brought into words for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import chess
import numpy as np

from tablebase.board import Color, Material, read_fen, words_of_boards
from tablebase.errors import UnsupportedPositionError
from tablebase.probing.locate import BARE_KINGS, WHITE_TO_MOVE, read_codes, words_of_squares

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import ArrayLike, NDArray

# Rows that one thread turns into words at a time; they stay in its cache.
STEP = 4096
# Rows that are read while other threads may not change what is in memory.
BLOCK = 1 << 18

Rows = slice | Any  # NDArray[np.int64], positions by number


class Positions(Protocol):
    """Positions that can be had as words, see `locate`."""

    men: int  # how many men each must have, 0 if any number will do

    def __len__(self) -> int:
        """Return the number of positions."""

    def words(self, rows: Rows) -> NDArray[np.uint64]:
        """Return some of them as words, shape [n, 8]."""


class WordPositions:
    """Positions given as words.

    Parameters
    ----------
    words
        Shape [n, 8].
    """

    men = 0

    def __init__(self, words: NDArray[np.uint64]) -> None:
        self._words = words

    def __len__(self) -> int:
        return len(self._words)

    def words(self, rows: Rows) -> NDArray[np.uint64]:
        """Return some of them as words."""
        return self._words[rows]


class SquarePositions:
    """Positions of one material, given by the squares of the men.

    Parameters
    ----------
    squares
        Integers of shape [n, men] in the order of ``material.men``; a number that is not a square
        makes the position invalid.
    material
        The men, any colours.
    turn
        Whether White is to move, one for all or shape [n].

    Raises
    ------
    ValueError
        If the shapes do not fit.
    """

    def __init__(self, squares: ArrayLike, material: Material, turn: ArrayLike) -> None:
        rows = np.asarray(squares)
        if rows.ndim != 2 or rows.shape[1] != material.piece_count:
            raise ValueError(
                f"expected squares of shape [n, {material.piece_count}] for {material}, "
                f"got {list(rows.shape)}"
            )
        if rows.dtype.kind not in "iu":
            raise ValueError(f"squares are integers from 0 (a1) to 63 (h8), got {rows.dtype}")
        if rows.dtype != np.uint8:
            rows = np.where((rows >= 0) & (rows < 64), rows, 255).astype(np.uint8)
        self._squares = rows
        self._white_to_move = np.broadcast_to(np.asarray(turn, dtype=np.bool_), (len(rows),))
        self._kinds = np.array([kind - 1 for _, kind in material.men], dtype=np.int64)
        self._is_white = np.array([color is Color.WHITE for color, _ in material.men])
        self.men = material.piece_count

    def __len__(self) -> int:
        return len(self._squares)

    def words(self, rows: Rows) -> NDArray[np.uint64]:
        """Return some of them as words."""
        squares = np.ascontiguousarray(self._squares[rows])
        white_to_move = np.ascontiguousarray(self._white_to_move[rows])
        words = np.empty((len(squares), WHITE_TO_MOVE + 1), dtype=np.uint64)
        words_of_squares(squares, self._kinds, self._is_white, white_to_move, words)
        return words


def boards_of(positions: Sequence[chess.Board | str]) -> list[chess.Board]:
    """Return boards for boards and FENs.

    Raises
    ------
    ValueError
        If a FEN cannot be read, naming its place.
    TypeError
        If something is neither a board nor a FEN.
    """
    if isinstance(positions, chess.Board | str):
        raise TypeError(f"expected a list of boards and FENs, not {positions!r}")
    boards = []
    for i, position in enumerate(positions):
        if isinstance(position, chess.Board):
            boards.append(position)
            continue
        if not isinstance(position, str):
            raise TypeError(f"position {i}: expected a chess.Board or a FEN, not {position!r}")
        try:
            boards.append(read_fen(position))
        except UnsupportedPositionError as error:
            raise ValueError(f"position {i}: {error}") from error
    return boards


def word_positions(boards: Sequence[chess.Board]) -> WordPositions:
    """Return boards as words; rights to castle or capture en passant are not part of them."""
    return WordPositions(words_of_boards(boards))


def is_valid(states: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return which positions have a value, by the states of `locate.read_codes`."""
    valid: NDArray[np.bool_] = (states == 0) | (states == BARE_KINGS)
    return valid


def read_rows(
    catalog: NDArray[np.int32],
    addresses: NDArray[np.int64],
    positions: Positions,
    rows: range | NDArray[np.int64],
    outputs: tuple[NDArray[Any], NDArray[np.int8], NDArray[np.bool_]],
    executor: Executor | None,
    threads: int,
) -> None:
    """Read the codes of some positions as far as they are in memory.

    Parameters
    ----------
    catalog, addresses
        See `locate`.
    positions
        All positions.
    rows
        Which of them to read.
    outputs
        Codes and states, one for each of `rows`, and what is wanted; see
        `locate.read_codes`.
    executor
        Where to run, None for the calling thread.
    threads
        How many parts to make of the work.
    """
    codes, states, wanted = outputs

    def read(start: int, stop: int) -> None:
        locations = np.empty(STEP, dtype=np.int64)
        for low in range(start, stop, STEP):
            high = min(low + STEP, stop)
            chosen = rows[low:high]
            part = slice(chosen.start, chosen.stop) if isinstance(chosen, range) else chosen
            words = positions.words(part)
            read_codes(
                catalog,
                addresses,
                words,
                positions.men,
                locations[: high - low],
                codes[low:high],
                states[low:high],
                wanted,
            )

    if executor is None or threads == 1 or len(rows) <= STEP:
        read(0, len(rows))
        return
    bounds = np.linspace(0, len(rows), threads + 1, dtype=np.int64).tolist()
    for done in [executor.submit(read, *part) for part in pairwise(bounds)]:
        done.result()
