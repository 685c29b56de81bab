"""Butterfly boards: how often a move from one square to another is the best move.

Engines fill such boards, by from-square and to-square, while they search (the history heuristic);
here a table's perfect play does. The name is from D. Hartmann, "Butterfly Boards", ICCA Journal 11
(2/3), 1988: on the sheet of 64 x 64 entries, those that no move can have form butterflies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.butterfly.layouts import straight_step
from tablebase.core.board.geometry import SQUARES, Color, square_file, square_name, square_rank
from tablebase.core.board.movement import from_to_pairs, is_attacked_by
from tablebase.core.ground.argument_readers import as_flag
from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.index.numbering import TableIndex
from tablebase.core.index.orbits import over_the_board
from tablebase.core.moves.legal_moves import Moves, iter_moves
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.rules.material import Material
from tablebase.core.tables.table import Table

WEIGHTING = (
    "Every position counts once for each from-to pair of its best moves: those that win fastest or "
    "lose slowest. Drawn positions count only if asked for. inequivalent: the one image of each "
    "position that the table holds; whole_board: all images."
)


_LINES = {
    (sign * files, sign * ranks): line
    for (files, ranks), line in {(1, 0): "-", (0, 1): "|", (1, 1): "/", (-1, 1): "\\"}.items()
    for sign in (1, -1)
}


@dataclass(frozen=True, eq=False)
class ButterflyBoards:
    """Number of positions in which each from-to pair is a best move.

    Counters have the shape [2, 64, 64]: colour of the mover (White first), from-square, to-square;
    those of `threats` [2, 2, 2, 64, 64], with whether the other side attacks the from-square and
    the to-square, before the move, as the second and third axes.
    """

    material: Material
    inequivalent: NDArray[np.uint64]  # over the positions that the table holds
    whole_board: NDArray[np.uint64]  # over all symmetric images of these
    positions: tuple[int, int]  # inequivalent positions counted, with White and with Black to move
    with_draws: bool  # drawn positions count, with every move that keeps the draw
    threats: NDArray[np.uint64] | None = None  # over all images, if asked for

    def commonest(self, color: int, number: int) -> list[tuple[str, int]]:
        """Return the from-to pairs of a colour with the largest counters on the whole board.

        Equal ones come in the order of their squares.
        """
        counts = self.whole_board[color].ravel()
        order = np.lexsort((np.arange(len(counts)), -counts.astype(np.int64)))
        return [
            (square_name(pair // 64) + square_name(pair % 64), int(counts[pair]))
            for pair in order[:number].tolist()
            if counts[pair]
        ]

    def by_threats(self, color: int) -> dict[tuple[str, str], int]:
        """Return the counters of a colour's `threats` together, by its from- and its to-square."""
        assert self.threats is not None
        words = ("safe", "attacked")
        return {
            (words[origin], words[target]): int(self.threats[color, origin, target].sum())
            for origin in (0, 1)
            for target in (0, 1)
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a file, by name."""
        return {
            "inequivalent": self.inequivalent,
            "whole_board": self.whole_board,
            "possible": from_to_pairs(),
            "positions": np.array(self.positions),
            "material": np.array(self.material.name),
            "weighting": np.array(WEIGHTING),
            **({} if self.threats is None else {"threats": self.threats}),
        }


class _BestMoves:
    """From-to pairs that wait to be counted in `sums`, many at a time, which is far faster."""

    _MANY = 1 << 16

    def __init__(self, sums: NDArray[np.int64], index: TableIndex) -> None:
        self._sums, self._index = sums, index
        self._parts: tuple[list[Any], list[Any]] = [], []  # by colour: slots, self images, pairs

    def add(self, moves: Moves, positions: NDArray[np.bool_], *, only_best: bool = True) -> None:
        position, pairs = pairs_of(moves, positions, only_best=only_best)
        part = moves.slots[position], moves.self_images[position], pairs
        parts = self._parts[0 if moves.white_to_move else 1]
        parts.append(part)
        if sum(len(pairs) for *_, pairs in parts) > self._MANY:
            self.count()

    def count(self) -> None:
        """Count the pairs that wait."""
        for color, parts in zip(Color, self._parts, strict=True):
            if parts:
                slots, images, pairs = map(np.concatenate, zip(*parts, strict=True))
                origin, target = threats_to(self._index, slots, pairs, color)
                board = 4 * images.astype(np.int64) + 2 * origin + target
                counts = np.bincount(4096 * board + pairs, minlength=8 * 4096)
                self._sums[:, color] += counts.reshape(2, 2, 2, 64, 64)
                parts.clear()


def add_threats(
    sums: NDArray[np.int64],
    moves: Moves,
    positions: NDArray[np.bool_],
    index: TableIndex,
    *,
    only_best: bool = True,
) -> None:
    """Count the from-to pairs of moves as `add_moves` does, by which squares are attacked.

    `sums` [2, 2, 2, 2, 64, 64] has two more axes than there, after the colour: whether the other
    side attacks the from-square and the to-square before the move.
    """
    waiting = _BestMoves(sums, index)
    waiting.add(moves, positions, only_best=only_best)
    waiting.count()


def threats_to(
    index: TableIndex, slots: NDArray[np.int64], pairs: NDArray[np.int64], color: Color
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether the other side attacks the from- and the to-square of some from-to pairs.

    Pairs are 64 * from + to, [n], of a colour's moves from positions at `slots` [n]; the attacks
    are those before the move.
    """
    squares = index.decode_many(slots)[0].T
    words = np.bitwise_or.reduce(np.uint64(1) << squares.astype(np.uint64), axis=0)
    origin, target = np.divmod(pairs, 64)
    given = index.material.men, squares, color.opponent
    return (
        is_attacked_by(*given, origin.astype(np.uint8), words),
        is_attacked_by(*given, target.astype(np.uint8), words),
    )


def count_best_moves(
    table: Table,
    subtables: Mapping[Material, Table],
    *,
    draws: bool = False,
    threats: bool = False,
    threads: int | None = None,
) -> ButterflyBoards:
    """Count how often each from-to pair is a best move.

    Parameters
    ----------
    table
        The table.
    subtables
        The tables of `Material.dependencies`.
    draws
        Whether drawn positions count, where every move that keeps the draw is best.
    threats
        Whether to count by which squares are attacked as well.
    threads
        How many threads to use; by default one for each processor.

    Returns
    -------
    ButterflyBoards
        The counters, weighted as `WEIGHTING` says.

    Raises
    ------
    InvalidMaterialError
        If the table is of another game than chess.
    MissingTableError
        If a sub-table is missing.
    """
    require_chess(table.material)
    draws, threats = as_flag("draws", draws), as_flag("threats", threats)
    sums = np.zeros((2, 2, 2, 2, 64, 64), dtype=np.int64) if threats else empty_sums()
    waiting, positions = _BestMoves(sums, table.index), [0, 0]
    for moves in iter_moves(table, subtables, threads=threads):
        side = 0 if moves.white_to_move else 1
        counted = np.diff(moves.starts) > 0
        if not draws:
            counted &= table.codes[side][moves.slots] != DRAW
        positions[side] += int(counted.sum())
        if threats:
            waiting.add(moves, counted)
        else:
            add_moves(sums, moves, counted)
    waiting.count()
    images = on_whole_board(sums, table.index).astype(np.uint64)
    apart = (2, 3) if threats else ()
    return ButterflyBoards(
        material=table.material,
        inequivalent=sums.sum(axis=(0, *apart)).astype(np.uint64),
        whole_board=images.sum(axis=(1, 2)) if threats else images,
        positions=(positions[0], positions[1]),
        with_draws=draws,
        threats=images if threats else None,
    )


def require_chess(material: Material) -> None:
    """Refuse a material of another game, whose moves may be none of the 1,792 pairs.

    It raises `InvalidMaterialError`.
    """
    if material.rules.mark:
        raise InvalidMaterialError(
            f"{material} is of {material.rules.name}: butterfly boards count only moves of chess"
        )


def empty_sums() -> NDArray[np.int64]:
    """Return sums for `add_moves`."""
    return np.zeros((2, 2, 64, 64), dtype=np.int64)


def add_moves(
    sums: NDArray[np.int64],
    moves: Moves,
    positions: NDArray[np.bool_],
    *,
    only_best: bool = True,
) -> None:
    """Count the from-to pairs of moves, each once for a marked position, in `sums`.

    `sums` [2, 2, 64, 64] has first the positions that no diagonal keeps, then the others; by colour
    of the mover, from-square and to-square.
    """
    position, pairs = pairs_of(moves, positions, only_best=only_best)
    counts = np.bincount(moves.self_images[position] * 4096 + pairs, minlength=8192)
    sums[:, 0 if moves.white_to_move else 1] += counts.reshape(2, 64, 64)


def pairs_of(
    moves: Moves, positions: NDArray[np.bool_], *, only_best: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the from-to pairs of moves, each once for a position, best moves only by default.

    It returns the rows of marked `positions` [n], ascending, and 64 * from + to, both int64.
    """
    position = np.repeat(np.arange(len(moves)), np.diff(moves.starts))
    chosen = positions[position]
    if only_best:
        chosen &= moves.best
    keys = (position * 4096 + moves.origin.astype(np.int64) * 64 + moves.target)[chosen]
    # A pawn may become several pieces: one pair, listed in a run.
    return np.divmod(keys[np.diff(keys, prepend=-1) != 0], 4096)


def on_whole_board(sums: NDArray[np.int64], index: TableIndex) -> NDArray[np.int64]:
    """Return the counts of `add_moves` or `add_threats` over all images, without the first axis."""
    axes = sums.ndim - 3, sums.ndim - 2
    images: NDArray[np.int64] = over_the_board(sums[0], index, *axes)
    images += over_the_board(sums[1], index, *axes, halves=True)
    return images


def text_sheet(
    origins: Sequence[int] = range(SQUARES), targets: Sequence[int] = range(SQUARES)
) -> list[str]:
    r"""Return the sheet of from-to pairs as text, a line for each origin.

    Each target has a character: ``-`` along a rank, ``|`` along a file, ``/`` and ``\`` along
    diagonals, ``N`` a knight's move, ``#`` if no man moves so.
    """
    return ["".join(_kind_of_move(origin, target) for target in targets) for origin in origins]


def _kind_of_move(origin: int, target: int) -> str:
    files = square_file(target) - square_file(origin)
    ranks = square_rank(target) - square_rank(origin)
    if abs(files * ranks) == 2:
        return "N"
    return _LINES.get(straight_step((files, ranks)), "#")


def butterflies() -> list[NDArray[np.bool_]]:
    """Return the butterflies of the sheet: seven shapes of 32 impossible pairs, bool [64, 64] each.

    Impossible pairs hang together by their edges; butterflies are the shapes of more than one pair
    that lie across the main diagonal, from a1 upwards, where one rank ends and the next begins.
    """
    left = ~from_to_pairs()
    found = []
    for square in range(64):
        if not left[square, square]:
            continue
        shape = _connected(left, (square, square))
        left &= ~shape
        if shape.sum() > 1:
            found.append(shape)
    return found


def _connected(pairs: NDArray[np.bool_], start: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the pairs that can be reached from one of them by edges."""
    shape = np.zeros_like(pairs)
    waiting = [start]
    while waiting:
        row, column = waiting.pop()
        inside = 0 <= row < 64 and 0 <= column < 64
        if inside and pairs[row, column] and not shape[row, column]:
            shape[row, column] = True
            waiting += [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return shape
