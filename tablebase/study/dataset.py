"""Whole tables as data: every inequivalent legal position with its value, in columns."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from tablebase.board import (
    D4,
    DTM,
    DTZ,
    SIGNED_PLIES,
    WDL_OF_CODE,
    Color,
    Material,
    Wdl,
    Wdl50,
    board_of,
    signed_array,
    square_name,
    wdl50_array,
)
from tablebase.errors import MissingTableError
from tablebase.extras import how_to_install
from tablebase.index import is_counted, mark_slots
from tablebase.locations import default_directories
from tablebase.probing import write_fens
from tablebase.storage import open_table, table_path

if TYPE_CHECKING:
    import chess
    from numpy.typing import NDArray

    from tablebase.tables import Table


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
    dtz : int or None
        Distance to zeroing in plies, signed as by `Tablebase.probe_dtz`; None if it is not known.
    wdl50 : Wdl50 or None
        The result under the 50-move rule, the halfmove clock being 0; None if it is not known.
    """

    material: Material
    squares: tuple[int, ...]
    white_to_move: bool
    dtm: int
    wdl: Wdl
    dtz: int | None = None
    wdl50: Wdl50 | None = None

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
    dtz : NDArray[np.int16] or None
        Distance to zeroing in plies, signed as by `Tablebase.probe_dtz`, shape [n]; None if the
        table does not have it.
    wdl50 : NDArray[np.int8] or None
        The result under the 50-move rule, the halfmove clock being 0, from -2 to 2, shape [n]; None
        as well.
    """

    material: Material
    squares: NDArray[np.uint8]
    white_to_move: NDArray[np.bool_]
    dtm: NDArray[np.int16]
    wdl: NDArray[np.int8]
    dtz: NDArray[np.int16] | None = None
    wdl50: NDArray[np.int8] | None = None

    def __len__(self) -> int:
        return len(self.dtm)

    def __iter__(self) -> Iterator[Position]:
        return map(self.__getitem__, range(len(self)))

    @overload
    def __getitem__(self, chosen: int) -> Position: ...
    @overload
    def __getitem__(self, chosen: slice | NDArray[Any]) -> Positions: ...
    def __getitem__(self, chosen: int | slice | NDArray[Any]) -> Position | Positions:
        """Return one position by its number, or those of a slice, numbers or truth values."""
        if isinstance(chosen, slice | np.ndarray):
            return Positions(self.material, **{k: v[chosen] for k, v in self.columns().items()})
        number = operator.index(chosen)
        return Position(
            self.material,
            tuple(self.squares[number].tolist()),
            bool(self.white_to_move[number]),
            int(self.dtm[number]),
            Wdl(int(self.wdl[number])),
            None if self.dtz is None else int(self.dtz[number]),
            None if self.wdl50 is None else Wdl50(int(self.wdl50[number])),
        )

    @staticmethod
    def joined(parts: Sequence[Positions]) -> Positions:
        """Return all of some positions of one material, at least one part."""
        columns = [part.columns() for part in parts]
        joined = {name: np.concatenate([part[name] for part in columns]) for name in columns[0]}
        return Positions(parts[0].material, **joined)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns that there are by name, all squares as one."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)[1:]}
        return {name: column for name, column in columns.items() if column is not None}

    def where(self, chosen: NDArray[np.bool_]) -> Positions:
        """Return the positions marked in an array of shape [n]."""
        return self[chosen]

    def fens(self) -> list[str]:
        """Return the positions as FENs, far faster than by their boards."""
        return write_fens(self.material, self.squares, self.white_to_move)

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, those of the squares by man: ``white_king`` and so on."""
        columns = self.columns()
        by_man = zip(man_names(self.material), columns.pop("squares").T, strict=True)
        return {"white_to_move": columns.pop("white_to_move"), **dict(by_man), **columns}

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
        The stored codes of both sides to move, of distances to mate.
    zeroing : Table or None
        Those of distances to zeroing, None if the file does not have them.
    """

    table: Table
    zeroing: Table | None = None

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
        return Positions.joined(parts)

    def iter_positions(self, *, turn: bool | None = None) -> Iterator[Position]:
        """Yield the inequivalent legal positions one by one; see `positions`."""
        for color in _colors(turn):
            yield from self._side(color)

    def _side(self, color: Color) -> Positions:
        slots = np.flatnonzero(is_counted(mark_slots(self.table.index), color))
        return positions_of(self, slots, np.full(len(slots), color, dtype=np.uint8))


def positions_of(
    data: TableData,
    slots: NDArray[np.int64],
    colors: NDArray[np.uint8],
    symmetries: NDArray[np.uint8] | None = None,
) -> Positions:
    """Return the positions of some slots.

    Parameters
    ----------
    data
        The table.
    slots
        Index of each position, shape [n].
    colors
        Side to move, shape [n].
    symmetries
        Which image of the stored position is meant, rows of `tablebase.board.D4`, shape [n]; the
        position itself if not given.
    """
    squares, _ = data.table.index.decode_many(slots)
    if symmetries is not None:
        squares = D4[symmetries[:, None], squares]
    white = colors == Color.WHITE
    codes = np.where(white, data.table.white[slots], data.table.black[slots])
    positions = Positions(data.material, squares, white, SIGNED_PLIES[codes], WDL_OF_CODE[codes])
    if data.zeroing is None:
        return positions
    by_side = [
        outcomes[codes[slots]]
        for outcomes, codes in zip(data.zeroing.outcomes, data.zeroing.codes, strict=True)
    ]
    outcomes = np.where(white, *by_side)
    return replace(positions, dtz=signed_array(outcomes, DTZ), wdl50=wdl50_array(outcomes))


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
        If there is no such file, or it has no distances to mate.
    CorruptTableError
        If the file is damaged.
    """
    wanted = Material.from_name(material) if isinstance(material, str) else material
    directories = [Path(directory)] if directory is not None else default_directories()
    return load_first(wanted.normalized(), directories)


def load_first(wanted: Material, directories: Sequence[Path]) -> TableData:
    """Read the table of a normalized material from the first folder that has it.

    Raises what `load_table` does.
    """
    paths = [table_path(folder, wanted) for folder in directories]
    path = next(filter(os.path.exists, paths), None)
    if path is None:
        raise MissingTableError.of([wanted], directories)
    with open_table(path) as file:
        zeroing = file.read(DTZ) if DTZ in file.metrics else None
        return TableData(file.read(DTM), zeroing)
