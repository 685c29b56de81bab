"""Whole tables as data: every inequivalent legal position with its value, in columns."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from tablebase.board import SIGNED_PLIES, WDL_OF_CODE, Color, Material, Wdl, board_of, square_name
from tablebase.errors import MissingTableError
from tablebase.extras import how_to_install
from tablebase.index import is_counted, mark_slots
from tablebase.locations import default_directories
from tablebase.storage import read_table, table_path

if TYPE_CHECKING:
    import chess
    from numpy.typing import NDArray

    from tablebase.tables import Table


_COLUMNS = ("squares", "white_to_move", "dtm", "wdl")


@dataclass(frozen=True, slots=True)
class Position:
    """One position and its value.

    Attributes
    ----------
    material : Material
        The men.
    squares : tuple[int, ...]
        Squares of the men, in the order of ``material.men``.
    white_to_move : bool
        Side to move.
    dtm : int
        Distance to mate in plies, signed as by `Tablebase.probe_dtm`.
    wdl : Wdl
        The result for the side to move.
    """

    material: Material
    squares: tuple[int, ...]
    white_to_move: bool
    dtm: int
    wdl: Wdl

    def board(self) -> chess.Board:
        """Return the position as a board of python-chess."""
        return board_of(self.material, self.squares, self.white_to_move)


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions of one material with their values, in columns of equal length.

    Attributes
    ----------
    material : Material
        The men.
    squares : NDArray[np.uint8]
        Squares of the men in the order of ``material.men``, shape [n, men].
    white_to_move : NDArray[np.bool_]
        Side to move, shape [n].
    dtm : NDArray[np.int16]
        Distance to mate in plies, signed as by `Tablebase.probe_dtm`, shape [n].
    wdl : NDArray[np.int8]
        The result for the side to move, shape [n]; here checkmate differs from a draw.
    """

    material: Material
    squares: NDArray[np.uint8]
    white_to_move: NDArray[np.bool_]
    dtm: NDArray[np.int16]
    wdl: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.dtm)

    def __iter__(self) -> Iterator[Position]:
        columns = self.squares, self.white_to_move, self.dtm, self.wdl
        for squares, white_to_move, dtm, wdl in zip(*columns, strict=True):
            men = tuple(squares.tolist())
            yield Position(self.material, men, bool(white_to_move), int(dtm), Wdl(int(wdl)))

    @overload
    def __getitem__(self, chosen: int) -> Position: ...
    @overload
    def __getitem__(self, chosen: slice | NDArray[Any]) -> Positions: ...
    def __getitem__(self, chosen: int | slice | NDArray[Any]) -> Position | Positions:
        """Return one position by its number, or those of a slice, numbers or truth values."""
        if isinstance(chosen, slice | np.ndarray):
            return Positions(self.material, *(getattr(self, name)[chosen] for name in _COLUMNS))
        number = operator.index(chosen)
        men = tuple(self.squares[number].tolist())
        wdl, turn = Wdl(int(self.wdl[number])), bool(self.white_to_move[number])
        return Position(self.material, men, turn, int(self.dtm[number]), wdl)

    def where(self, chosen: NDArray[np.bool_]) -> Positions:
        """Return the positions marked in an array of shape [n]."""
        return self[chosen]

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, those of the squares by man: ``white_king`` and so on."""
        by_man = dict(zip(man_names(self.material), self.squares.T, strict=True))
        return {"white_to_move": self.white_to_move, **by_man, "dtm": self.dtm, "wdl": self.wdl}

    def to_dataframe(self) -> Any:
        """Return a pandas data frame of these columns.

        Squares are categories by name (``e4``), in the order a1, b1, ..., h8.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        try:
            pandas = import_module("pandas")
        except ImportError as error:
            message = f"data frames need pandas: {how_to_install('pandas')}"
            raise ImportError(message) from error
        columns: dict[str, Any] = dict(self.to_numpy())
        names = [square_name(square) for square in range(64)]
        for man in man_names(self.material):
            columns[man] = pandas.Categorical.from_codes(columns[man], names)
        return pandas.DataFrame(columns)


@dataclass(frozen=True, eq=False)
class TableData:
    """A whole table in memory.

    Attributes
    ----------
    table : Table
        The stored codes of both sides to move.
    """

    table: Table

    @property
    def material(self) -> Material:
        """The men."""
        return self.table.material

    def positions(
        self,
        keep: Callable[[Positions], NDArray[np.bool_]] | None = None,
        *,
        turn: bool | None = None,
    ) -> Positions:
        """Return the inequivalent legal positions.

        No two of them are images of each other under the symmetries of the board. If both sides
        have the same men, a position with Black to move has one with White to move as its
        colour-swapped twin; both are listed.

        Parameters
        ----------
        keep
            Chooses positions: given all of a side to move, returns an array of truth values.
        turn
            Side to move, True for White; both if not given, White first.

        Returns
        -------
        Positions
            In ascending order of the index.
        """
        parts = [self._side(color) for color in _colors(turn)]
        if keep is not None:
            parts = [part.where(keep(part)) for part in parts]
        columns = (np.concatenate([getattr(part, column) for part in parts]) for column in _COLUMNS)
        return Positions(self.material, *columns)

    def iter_positions(self, *, turn: bool | None = None) -> Iterator[Position]:
        """Yield the inequivalent legal positions one by one; see `positions`."""
        for color in _colors(turn):
            yield from self._side(color)

    def _side(self, color: Color) -> Positions:
        index = self.table.index
        chosen = np.flatnonzero(is_counted(mark_slots(index), color))
        squares, _ = index.decode_many(chosen)
        codes = self.table.codes[color][chosen]
        sides = np.full(len(chosen), color is Color.WHITE)
        return Positions(self.material, squares, sides, SIGNED_PLIES[codes], WDL_OF_CODE[codes])


def _colors(turn: bool | None) -> list[Color]:  # noqa: FBT001 (a side to move, as in python-chess)
    return [color for color in Color if turn in {None, color is Color.WHITE}]


def man_names(material: Material) -> list[str]:
    """Return a name for each man of a material, numbered if there are several alike.

    >>> man_names(Material.from_name("KNNK"))
    ['white_king', 'black_king', 'white_knight_1', 'white_knight_2']
    """
    plain = [f"{color.name}_{man.name}".lower() for color, man in material.men]
    return [
        name if plain.count(name) == 1 else f"{name}_{plain[: i + 1].count(name)}"
        for i, name in enumerate(plain)
    ]


def load_table(
    material: str | Material, directory: str | os.PathLike[str] | None = None
) -> TableData:
    """Read a whole table into memory.

    Parameters
    ----------
    material
        The men, by name or as a `Material`. The stronger side is White's in the table.
    directory
        Folder of files named like ``KRNK.h5``; by default those where `open_tablebase` looks.

    Returns
    -------
    TableData
        The table.

    Raises
    ------
    InvalidMaterialError
        If there is no such material.
    MissingTableError
        If there is no such file.
    CorruptTableError
        If the file is damaged.
    """
    wanted = Material.from_name(material) if isinstance(material, str) else material
    wanted = wanted.normalized()
    directories = [Path(directory)] if directory is not None else default_directories()
    paths = [table_path(folder, wanted) for folder in directories]
    path = next(filter(os.path.exists, paths), None)
    if path is None:
        raise MissingTableError.of([wanted], directories)
    return TableData(read_table(path))
