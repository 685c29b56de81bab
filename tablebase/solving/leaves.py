"""Structures whose values complete tables give: leaves, with exact results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tablebase.board import PieceType
from tablebase.capacity import MAX_MEN
from tablebase.errors import MissingTableError, UnsupportedPositionError
from tablebase.rules import Material
from tablebase.solving.kernels import (
    BOTH_ATTACKERS,
    KINDS,
    NONE,
    TURNS,
    WORDS,
    Number,
    State,
    has_passing_pawn,
)

if TYPE_CHECKING:
    from pathlib import Path

    import chess
    from numpy.typing import ArrayLike, NDArray

    from tablebase.solving.region import Region

# Values of more pieces take longer to read than to find.
MOST_PIECES = 2
_LETTERS = {
    PieceType.QUEEN: "Q", PieceType.ROOK: "R", PieceType.BISHOP: "B", PieceType.KNIGHT: "N",
}  # fmt: skip


class CompleteTables(Protocol):
    """Complete tables: a `tablebase.Tablebase`, or an object with these methods of it."""

    @property
    def available_materials(self) -> tuple[Material, ...]:
        """The materials that there are tables of."""

    @property
    def available_tables(self) -> dict[str, Path]:
        """The files of these tables, by name of the material."""

    def get_wdl(self, board: chess.Board) -> int | None:
        """Return a result, None if there is none."""

    def mainline(self, board: chess.Board, *, rule50: bool = True) -> list[chess.Move]:
        """Return the best moves of both sides up to mate."""

    def probe_wdl_many(
        self, positions: NDArray[Any], material: Material, turn: ArrayLike
    ) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """Return results, and which positions are legal."""


class Leaves:
    """Complete tables from which structures can be filled.

    Parameters
    ----------
    tables
        The tables.

    Attributes
    ----------
    used : set of str
        Names of the materials that were read.
    """

    def __init__(self, tables: CompleteTables) -> None:
        self._tables = tables
        self._materials = {material.name for material in tables.available_materials}
        self.used: set[str] = set()

    def mainline(self, board: chess.Board) -> list[chess.Move] | None:
        """Return the best moves from a position up to checkmate, None if no table has it."""
        try:
            return self._tables.mainline(board, rule50=False)
        except (MissingTableError, UnsupportedPositionError):
            return None

    def wdl(self, board: chess.Board) -> int | None:
        """Return the result of a position, None if no table has it."""
        return self._tables.get_wdl(board)

    def material_of(self, region: Region, structure: int) -> Material | None:
        """Return the material of a structure that can be filled, None if it cannot."""
        fields = region.fields
        white, black, pieces = map(int, fields.keys[structure])
        counts = [pieces >> 4 * code & 15 for code in range(8)]
        men = 2 + white.bit_count() + black.bit_count() + sum(counts)
        if (
            men > MAX_MEN
            or sum(counts) > MOST_PIECES
            or has_passing_pawn(np.uint64(white), np.uint64(black))
        ):
            return None
        if fields.numbers[Number.FEW] and (counts[0] or counts[4]):
            return None  # a queen may stand for a rook or bishop there
        sides = [
            "".join(_LETTERS[kind] * counts[4 * side + i] for i, kind in enumerate(KINDS))
            + "P" * pawns.bit_count()
            for side, pawns in enumerate((white, black))
        ]
        material = Material.from_name(f"K{sides[0]}vK{sides[1]}")
        return material if material.normalized().name in self._materials else None

    def fill(self, region: Region, structure: int) -> bool:
        """Enter the values of a structure into the region, if there are any; return whether.

        Raises
        ------
        MemoryError
            If the region has no memory for them.
        """
        material = self.material_of(region, structure)
        if material is None:
            return False
        fields = region.fields
        planes = 1 << (6 * int(fields.pieces[structure]))
        size = TURNS * planes * WORDS
        start = region.take(2 * size)
        sets = fields.arena[start : start + 2 * size].reshape(2, TURNS, planes, WORDS)
        for first in range(0, planes, 64):
            part = range(first, min(first + 64, planes))
            squares = _squares(region, structure, material, part)
            for turn in range(2):
                try:
                    values, valid = self._tables.probe_wdl_many(squares, material, turn == 0)
                except MissingTableError:  # it has distances to zeroing alone
                    self._materials.discard(material.normalized().name)
                    fields.numbers[Number.TOP] = start
                    return False
                for attacker in range(2):
                    won = values == (1 if attacker == turn else -1)
                    won = won | ~valid if attacker == turn else won & valid
                    sets[attacker, turn, part.start : part.stop] = _words(won)
        fields.lower[structure] = fields.upper[structure] = start, start + size
        fields.gap[structure] = NONE
        fields.state[structure], fields.changed[structure] = State.EXACT, BOTH_ATTACKERS
        self.used.add(material.normalized().name)
        return True


def _squares(
    region: Region, structure: int, material: Material, planes: range
) -> NDArray[np.uint8]:
    """Return the men's squares of all placements of kings in some planes, uint8 [n, men]."""
    white, black, pieces = map(int, region.fields.keys[structure])
    slots = [code for code in range(8) for _ in range(pieces >> 4 * code & 15)]
    waiting: dict[tuple[int, PieceType], list[NDArray[np.int64] | int]] = {}
    numbers = np.arange(planes.start, planes.stop)
    for i, code in enumerate(slots):
        stand = (numbers >> (6 * i)) & 63
        waiting.setdefault((code // 4, KINDS[code % 4]), []).append(stand)
    for side, word in enumerate((white, black)):
        waiting[side, PieceType.PAWN] = [s for s in range(64) if word >> s & 1]
    squares = np.empty((len(numbers), 64, 64, len(material.men)), dtype=np.uint8)
    squares[..., 0] = np.arange(64)[:, None]
    squares[..., 1] = np.arange(64)
    for column, (color, kind) in enumerate(material.men[2:], 2):
        man = waiting[int(color), kind].pop(0)
        squares[..., column] = np.reshape(man, (-1, 1, 1))
    return squares.reshape(-1, len(material.men))


def _words(won: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return positions as words, uint64 [planes, 64]."""
    packed = np.packbits(won.reshape(-1, WORDS, 64), axis=-1, bitorder="little")
    return packed.view("<u8").astype(np.uint64).reshape(-1, WORDS)
