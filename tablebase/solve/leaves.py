"""What complete tables give: leaves with exact results, and results of the exits of proofs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import chess
import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.positions.chess_board import material_of
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table
from tablebase.solve.kernels.fields import BOTH_ATTACKERS, NONE, TURNS, Number, State
from tablebase.solve.kernels.keys import has_ep_pawn
from tablebase.solve.kernels.king_planes import KINDS, WORDS
from tablebase.solve.packed import board_of_packed
from tablebase.solve.places import place_of_packed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from tablebase.solve.packed import Packed
    from tablebase.solve.places import Structure
    from tablebase.solve.region import Region

# Values of more pieces take longer to read than to find.
MOST_PIECES = 2
_LETTERS = {
    PieceType.QUEEN: "Q", PieceType.ROOK: "R", PieceType.BISHOP: "B", PieceType.KNIGHT: "N",
}  # fmt: skip


class CompleteTables(Protocol):
    """Complete tables: a `tablebase.Tablebase`, or an object with its methods here."""

    @property
    def available_materials(self) -> tuple[Material, ...]:
        """The materials that there are tables of."""

    @property
    def available_tables(self) -> dict[str, Path]:
        """The files of the tables, by name of the material."""

    def get_wdl(self, board: chess.Board) -> int | None:
        """Return a result, None if there is none."""

    def mainline(self, board: chess.Board, *, rule50: bool = True) -> list[chess.Move]:
        """Return the best moves of both sides up to mate."""

    def probe_wdl_planes(
        self, squares: NDArray[np.uint8], material: Material, *, turn: bool
    ) -> NDArray[np.uint64]:
        """Return the positions won for the side to move, the lost positions, and all legal ones."""


class Leaves:
    """Complete tables from which structures can be filled; `used` are the materials read."""

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
            or has_ep_pawn(np.uint64(white), np.uint64(black))
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

    def others(self, region: Region, structures: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the structures, int64 [n], that cannot be filled."""
        others = [one for one in structures.tolist() if not self.material_of(region, one)]
        return np.array(others, dtype=np.int64)

    def fill(self, region: Region, structure: int) -> bool:
        """Enter the values of a structure into the region, if there are any; return whether.

        Raises `MemoryError` if the region has no memory for them.
        """
        material = self.material_of(region, structure)
        if material is None:
            return False
        fields = region.fields
        planes = 1 << (6 * int(fields.pieces[structure]))
        size = TURNS * planes * WORDS
        start = region.take(2 * size)
        sets = fields.arena[start : start + 2 * size].reshape(2, TURNS, planes, WORDS)
        squares = _squares(region, structure, material)
        for turn in Color:
            try:
                found = self._tables.probe_wdl_planes(squares, material, turn=turn is Color.WHITE)
            except MissingTableError:  # it has distances to zeroing alone
                self._materials.discard(material.normalized().name)
                fields.numbers[Number.TOP] = start
                return False
            won, lost, legal = found.swapaxes(0, 1)
            sets[turn, turn] = won | ~legal
            sets[1 - turn, turn] = lost
        fields.lower[structure] = fields.upper[structure] = start, start + size
        fields.gap[structure] = NONE
        fields.state[structure], fields.changed[structure] = State.EXACT, BOTH_ATTACKERS
        self.used.add(material.normalized().name)
        return True


def _squares(region: Region, structure: int, material: Material) -> NDArray[np.uint8]:
    """Return the squares of the men besides the kings in all planes, uint8 [planes, men]."""
    white, black, pieces = map(int, region.fields.keys[structure])
    slots = [code for code in range(8) for _ in range(pieces >> 4 * code & 15)]
    numbers = np.arange(1 << (6 * len(slots)))
    waiting: dict[tuple[int, PieceType], list[NDArray[np.int64] | int]] = {}
    for i, code in enumerate(slots):
        stand = (numbers >> (6 * i)) & 63
        waiting.setdefault((code // 4, KINDS[code % 4]), []).append(stand)
    for side, word in enumerate((white, black)):
        waiting[side, PieceType.PAWN] = [s for s in range(64) if word >> s & 1]
    men = material.men[2:]
    squares = np.empty((len(numbers), len(men)), dtype=np.uint8)
    for column, (color, kind) in enumerate(men):
        squares[:, column] = waiting[int(color), kind].pop(0)
    return squares


class OtherTables:
    """Complete tables but the root's: a proof must not leave its root to a table."""

    def __init__(self, tables: CompleteTables, root: chess.Board) -> None:
        self._left_out = material_of(root).normalized()
        self._tables = tables
        self.get_wdl = tables.get_wdl
        self.mainline = tables.mainline
        self.probe_wdl_planes = tables.probe_wdl_planes

    @property
    def available_materials(self) -> tuple[Material, ...]:
        """The materials that there are tables of."""
        there = self._tables.available_materials
        return tuple(one for one in there if one != self._left_out)

    @property
    def available_tables(self) -> dict[str, Path]:
        """The files of the tables, by name of the material."""
        return self._tables.available_tables


class Exits:
    """Positions whose results complete tables give; without tables there are none."""

    def __init__(self, tables: CompleteTables | None) -> None:
        self._tables = tables
        self._there = {one.name for one in tables.available_materials} if tables else set()
        self._names: dict[Structure, str] = {}  # of materials, empty where there is no table
        self._results: dict[tuple[Packed, chess.Color], int | None] = {}

    @property
    def count(self) -> int:
        """Number of positions that tables were asked for."""
        return len(self._results)

    def result(self, packed: Packed, turn: chess.Color) -> int | None:
        """Return the result of a position for the side to move, None if no table has it."""
        if self._tables is None or sum(packed[:6]).bit_count() > MAX_MEN:
            return None
        structure = place_of_packed(packed, turn).structure
        if structure not in self._names:
            name = material_of(board_of_packed(packed, turn)).normalized().name
            self._names[structure] = name if name in self._there else ""
        if not self._names[structure]:
            return None
        if (packed, turn) not in self._results:
            self._results[packed, turn] = self._tables.get_wdl(board_of_packed(packed, turn))
        return self._results[packed, turn]

    def digests(self, found: Iterable[Packed]) -> dict[str, str]:
        """Return the SHA-256 of the values of the tables that have the exits, by material."""
        names = {self._names[place_of_packed(packed, chess.WHITE).structure] for packed in found}
        digests: dict[str, str] = {}
        for name in sorted(names):
            assert self._tables is not None
            with open_table(self._tables.available_tables[name]) as file:
                digests[name] = file.sha256_of(DTM)
        return digests
