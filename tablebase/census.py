"""What a solved table holds: results, distances and the longest fights, counted.

Counts come twice: on the *whole board*, where each symmetric image of a position is a position of
its own, and *inequivalent*, where all images together are one. A position is a placement of the
men on distinct squares, pawns on ranks 2 to 7, kings not touching, and a side to move; identical
men are not told apart, en passant and castling play no part. It is illegal if the side not to
move is in check.
"""

# ruff: noqa: ANN001, ANN202 (numba infers the types of kernels)

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tablebase._jit import KernelRecord, entry
from tablebase.geometry import BETWEEN, PAWN_ATTACKS, RAYS, Color, PieceType
from tablebase.index import TableIndex
from tablebase.legality import (
    HALF,
    NO_POSITION,
    ROWS_PER_TASK,
    WEIGHT_SHIFT,
    WHOLE,
    make_frame,
    mark_rows,
)
from tablebase.material import Material
from tablebase.values import CHECKMATED, DRAW

SIDES: tuple[str, ...] = ("white_to_move", "black_to_move")

_CODES_PER_SCAN = 1 << 22


class SolvedTable(Protocol):
    """What is needed of a `tablebase.table.Table`."""

    @property
    def material(self) -> Material:
        """The men."""

    @property
    def index(self) -> TableIndex:
        """The numbering of the positions."""

    @property
    def codes(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The stored codes with White and with Black to move, read-only."""


@dataclass(frozen=True)
class Counts:
    """The results of one side to move over a set of positions.

    Attributes
    ----------
    wins, losses
        Number of positions by distance to mate in plies, ascending; 0 plies is checkmate.
    draw, illegal
        Number of positions drawn, and of those with the other side in check.
    """

    wins: dict[int, int]
    losses: dict[int, int]
    draw: int
    illegal: int

    @property
    def win(self) -> int:
        """The number of positions won."""
        return sum(self.wins.values())

    @property
    def loss(self) -> int:
        """The number of positions lost."""
        return sum(self.losses.values())

    @property
    def checkmated(self) -> int:
        """The number of checkmates."""
        return self.losses.get(CHECKMATED, 0)

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        return {
            "win": self.win,
            "draw": self.draw,
            "loss": self.loss,
            "illegal": self.illegal,
            "dtm_histogram": {
                result: {str(plies): count for plies, count in histogram.items()}
                for result, histogram in (("win", self.wins), ("loss", self.losses))
            },
        }


@dataclass(frozen=True)
class Extreme:
    """A position of the longest distance, in plies from the side to move."""

    plies: int
    fen: str

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        return {"plies": self.plies, "fen": self.fen}


@dataclass(frozen=True)
class SideCensus:
    """What a table holds with one side to move.

    Attributes
    ----------
    whole_board, inequivalent
        Counts of all positions, and with symmetric images counted once.
    longest_win, longest_loss
        The first position of the longest distance in the order of the index; None without any.
    """

    whole_board: Counts
    inequivalent: Counts
    longest_win: Extreme | None
    longest_loss: Extreme | None

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        return {
            **self.whole_board.as_dict(),
            "longest_win": self.longest_win and self.longest_win.as_dict(),
            "longest_loss": self.longest_loss and self.longest_loss.as_dict(),
            "inequivalent": self.inequivalent.as_dict(),
        }


@dataclass(frozen=True)
class Census:
    """What a table holds with White and with Black to move."""

    white_to_move: SideCensus
    black_to_move: SideCensus

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows, one entry for each side to move."""
        return {side: getattr(self, side).as_dict() for side in SIDES}


@entry
def _count(marks, white, black, totals):  # type: ignore[no-untyped-def]
    """Add the codes of slots with these marks to `totals` int64 [2, weight, legal, 256]."""
    for slot in range(len(marks)):
        mark = np.int64(marks[slot])
        if mark == NO_POSITION:
            continue
        weight = mark >> WEIGHT_SHIFT
        totals[0, weight, mark & 1, white[slot]] += 1
        totals[1, weight, (mark >> 1) & 1, black[slot]] += 1


def _totals(table: SolvedTable, threads: int) -> NDArray[np.int64]:
    """Return how many slots have each weight, legality and code: [2, 3, 2, 256]."""
    index = table.index
    frame = KernelRecord(make_frame(index))
    rows = index.slices * index.ranks

    def count(first: int) -> NDArray[np.int64]:
        totals = np.zeros((2, 3, 2, 256), dtype=np.int64)
        last = min(first + ROWS_PER_TASK, rows)
        part = slice(first * index.king_pairs, last * index.king_pairs)
        marks = np.empty(part.stop - part.start, dtype=np.uint8)
        mark_rows(frame, index.ranks, first, last, marks)
        _count(marks, *(codes[part] for codes in table.codes), totals)
        return totals

    with ThreadPoolExecutor(threads) as pool:
        totals = np.zeros((2, 3, 2, 256), dtype=np.int64)
        for part in pool.map(count, range(0, rows, ROWS_PER_TASK)):
            totals += part
        return totals


def _counts(totals: NDArray[np.int64]) -> Counts:
    """Return the counts of one side from its totals [legal, 256]."""
    legal = totals[1].tolist()
    return Counts(
        wins={plies: legal[plies] for plies in range(1, DRAW, 2) if legal[plies]},
        losses={plies: legal[plies] for plies in range(0, DRAW, 2) if legal[plies]},
        draw=legal[DRAW],
        illegal=int(totals[0].sum()),
    )


def _is_check(material: Material, squares: list[int], color: Color) -> bool:
    """Return whether a man of `color` attacks the other king; `squares` as `Material.men`."""
    target = squares[color.opponent]
    occupied = sum(1 << square for square in squares)
    for (owner, man), origin in zip(material.men[2:], squares[2:], strict=True):
        if owner is not color:
            continue
        if man is PieceType.PAWN:
            attacks = int(PAWN_ATTACKS[color, origin]) >> target & 1
        else:
            attacks = bool((RAYS[man, origin] == target).any())
        if attacks and not int(BETWEEN[origin, target]) & occupied:
            return True
    return False


def _fen(material: Material, squares: list[int], color: Color) -> str:
    """Return the position in Forsyth-Edwards notation."""
    board = {
        square: man.letter if owner is Color.WHITE else man.letter.lower()
        for (owner, man), square in zip(material.men, squares, strict=True)
    }
    ranks = []
    for rank in range(7, -1, -1):
        text, empty = "", 0
        for square in range(rank * 8, rank * 8 + 8):
            if square in board:
                text += (str(empty) if empty else "") + board[square]
                empty = 0
            else:
                empty += 1
        ranks.append(text + (str(empty) if empty else ""))
    return f"{'/'.join(ranks)} {'wb'[color]} - - 0 1"


def _slots_with(codes: NDArray[np.uint8], code: int) -> Iterator[int]:
    """Yield the slots with a code, ascending."""
    for start in range(0, len(codes), _CODES_PER_SCAN):
        found = np.flatnonzero(codes[start : start + _CODES_PER_SCAN] == code)
        yield from (found + start).tolist()


def _first_position(table: SolvedTable, color: Color, code: int) -> str:
    """Return the first legal position with a code."""
    for slot in _slots_with(table.codes[color], code):
        position = table.index.decode(slot)
        if position is None:
            continue
        squares = position.tolist()
        if not _is_check(table.material, squares, color):
            return _fen(table.material, squares, color)
    message = f"{table.material}: no legal position has code {code}"
    raise AssertionError(message)


def _longest(table: SolvedTable, color: Color, histogram: dict[int, int]) -> Extreme | None:
    if not histogram:
        return None
    plies = max(histogram)
    return Extreme(plies, _first_position(table, color, plies))


def take_census(table: SolvedTable, *, threads: int | None = None) -> Census:
    """Count the results and distances of a table.

    Parameters
    ----------
    table
        The solved table.
    threads
        How many threads to use; by default one for each processor.

    Returns
    -------
    Census
        Counts and longest distances for both sides to move.
    """
    totals = _totals(table, threads or os.cpu_count() or 1)
    symmetries = len(table.index.symmetries)
    sides = []
    for color in Color:
        whole, half = totals[color, WHOLE], totals[color, HALF]
        on_board = _counts(whole * symmetries + half * (symmetries // 2))
        sides.append(
            SideCensus(
                whole_board=on_board,
                inequivalent=_counts(whole + half),
                longest_win=_longest(table, color, on_board.wins),
                longest_loss=_longest(table, color, on_board.losses),
            )
        )
    return Census(*sides)
