"""Positions of one material with their values, in columns."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from itertools import compress
from typing import Any, overload

import chess
import numpy as np
from numpy.typing import NDArray

from tablebase._version import __version__
from tablebase.core.answers.notebooks import beside, board_html
from tablebase.core.board.geometry import NOBODY, NOBODY_NAME, SQUARES, Color
from tablebase.core.ground.argument_readers import check_choice
from tablebase.core.ground.extras import require_packages
from tablebase.core.ground.words import counted, result_in_words
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import DTM, DTZ, Metric, Wdl50
from tablebase.core.positions.any_position import position_of
from tablebase.core.positions.chess_board import board_of
from tablebase.core.positions.setup import Setup
from tablebase.core.reading.fens import write_fens
from tablebase.core.rules.material import Checks, Material
from tablebase.core.rules.rules import CHECKS
from tablebase.finding.choices import NAME, SQUARE_CHOICES
from tablebase.finding.move_columns import as_wide, lists_of, move_texts
from tablebase.finding.orbit_keys import ORBIT_DEFINITION, SPLITS

MOST_SHOWN = 4  # boards in a notebook


@dataclass(frozen=True, slots=True)
class FoundPosition:
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
    difficulty : float or None
        How hard it is for the side to move, as in `tablebase.difficulty`; None unless positions
        are found in this order.
    checks : tuple[int, int]
        The checks left to White and to Black, where they are counted.
    """

    material: Material
    squares: tuple[int, ...]
    white_to_move: bool
    dtm: int
    wdl: Wdl
    dtz: int | None = None
    wdl50: Wdl50 | None = None
    difficulty: float | None = None
    checks: Checks = (CHECKS, CHECKS)

    def board(self) -> chess.Board:
        """Return the position as a board of python-chess.

        Raises `UnsupportedPositionError` if it is of another game: see `setup`.
        """
        return board_of(self.material, self.squares, self.white_to_move)

    def setup(self) -> Setup:
        """Return the position as a `Setup`, by the rules of its material, which may be any."""
        color = Color.WHITE if self.white_to_move else Color.BLACK
        return Setup(self.material, self.squares, color, checks=self.checks)

    def _repr_html_(self) -> str:
        words = result_in_words(
            self.dtm,
            white=self.white_to_move,
            checkmate=self.wdl == Wdl.LOSS and not self.dtm,
            drawn_by_rule=self.wdl50 in {Wdl50.CURSED_WIN, Wdl50.BLESSED_LOSS},
            by_mate=self.material.rules.ends_by_mate,
        )
        mover = "White" if self.white_to_move else "Black"
        return board_html(position_of(self.setup()), f"{mover} to move. {words}")


@dataclass(frozen=True, eq=False, repr=False)
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
    difficulty : NDArray[np.float32] or None
        How hard they are for the side to move, as in `tablebase.difficulty`, shape [n]; None unless
        positions are found in this order.
    orbit, split : NDArray[np.uint64], NDArray[np.int8] or None
        The number up to symmetry, and the part of the data that it belongs to, see `orbits` and
        `orbit_keys.splits`, shape [n]; None unless asked for, like the next.
    keeping, fastest : NDArray[np.uint16] or None
        The moves that keep the result without the 50-move rule, and those of them that mate fastest
        or are mated latest, all in a draw: codes in ascending order, filled up with 65535, shape
        [n, most]. A code is 1024 times the square that a man leaves, 16 times the square it enters,
        and what a pawn becomes: 0, or one more than the place in ``rules.promotions``.
    help_white, help_black : NDArray[np.int16] or None
        The plies of the shortest helpmate that this colour gives, -1 if it can never mate, shape
        [n]; None unless asked for.
    checks : NDArray[np.int8] or None
        The checks left to White and to Black, shape [n, 2]; None unless they are counted.
    split_seed : int
        Seed of `split`.
    digests : Mapping[Metric, str]
        The SHA-256 that the table's file states of its values, by metric.
    """

    material: Material
    squares: NDArray[np.uint8]
    white_to_move: NDArray[np.bool_]
    dtm: NDArray[np.int16]
    wdl: NDArray[np.int8]
    dtz: NDArray[np.int16] | None = None
    wdl50: NDArray[np.int8] | None = None
    difficulty: NDArray[np.float32] | None = None
    orbit: NDArray[np.uint64] | None = None
    split: NDArray[np.int8] | None = None
    keeping: NDArray[np.uint16] | None = None
    fastest: NDArray[np.uint16] | None = None
    help_white: NDArray[np.int16] | None = None
    help_black: NDArray[np.int16] | None = None
    checks: NDArray[np.int8] | None = None
    split_seed: int = 0
    digests: Mapping[Metric, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Positions: {len(self):,} of {self.material}>"

    def _repr_html_(self) -> str:
        some = (one._repr_html_() for one in self[:MOST_SHOWN])
        return f"{counted(len(self), 'position')} of {self.material}{beside(*some)}"

    def __len__(self) -> int:
        return len(self.dtm)

    def __iter__(self) -> Iterator[FoundPosition]:
        return map(self.__getitem__, range(len(self)))

    @overload
    def __getitem__(self, chosen: int) -> FoundPosition: ...
    @overload
    def __getitem__(self, chosen: slice | NDArray[Any]) -> Positions: ...
    def __getitem__(self, chosen: int | slice | NDArray[Any]) -> FoundPosition | Positions:
        """Return a position by its number, or positions by a slice, numbers or truth values."""
        if isinstance(chosen, slice | np.ndarray):
            columns: dict[str, Any] = {name: one[chosen] for name, one in self.columns().items()}
            return replace(self, **columns)
        number = operator.index(chosen)
        return FoundPosition(
            self.material,
            tuple(self.squares[number].tolist()),
            bool(self.white_to_move[number]),
            int(self.dtm[number]),
            Wdl(int(self.wdl[number])),
            None if self.dtz is None else int(self.dtz[number]),
            None if self.wdl50 is None else Wdl50(int(self.wdl50[number])),
            None if self.difficulty is None else float(self.difficulty[number]),
            (CHECKS, CHECKS) if self.checks is None else tuple(self.checks[number].tolist()),
        )

    @staticmethod
    def joined(parts: Sequence[Positions]) -> Positions:
        """Return parts of positions of one material, at least one part, as a whole."""
        columns = [part.columns() for part in parts]
        joined: dict[str, Any] = {
            name: np.concatenate(as_wide([part[name] for part in columns])) for name in columns[0]
        }
        return replace(parts[0], **joined)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns that there are by name, all squares as one."""
        columns = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: column for name, column in columns.items() if isinstance(column, np.ndarray)}

    def where(self, chosen: NDArray[np.bool_]) -> Positions:
        """Return the positions marked in an array of shape [n]."""
        return self[chosen]

    def fens(self) -> list[str]:
        """Return the positions as FENs, far faster than by their boards."""
        fens = write_fens(self.material, self.squares, self.white_to_move)
        if self.checks is None:
            return fens
        left = self.checks.tolist()
        return [
            f"{fen.removesuffix(' 0 1')} {white}+{black} 0 1"
            for fen, (white, black) in zip(fens, left, strict=True)
        ]

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, squares by man: ``white_king`` and so on.

        Squares are numbers from 0 to 63, splits and moves are as in the attributes. Checks left, if
        they are counted, are two columns, ``checks_white`` and ``checks_black``.
        """
        columns = self.columns()
        if self.checks is not None:
            columns["checks_white"], columns["checks_black"] = columns.pop("checks").T
        names, squares = man_names(self.material), columns.pop("squares").T
        there = [man is not NOBODY for _, man in self.material.men]
        by_man = dict(compress(zip(names, squares, strict=True), there))
        return {"white_to_move": columns.pop("white_to_move"), **by_man, **columns}

    def to_dataframe(self, *, squares: str = NAME) -> Any:
        """Return a pandas data frame of the columns of `to_numpy`, after one of the material.

        Its ``attrs`` are the `metadata`.

        Parameters
        ----------
        squares
            ``name``: squares are categories like ``e4``, in the order a1, b1, ..., h8;
            ``number``: numbers from 0 to 63. Splits are categories, and moves lists of UCI texts.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        require_packages("data frames need", "pandas")
        pandas = import_module("pandas")
        encode = pandas.Categorical.from_codes
        frame = pandas.DataFrame(self._columns_for(squares, encode, lists_of))
        frame.attrs = self.metadata()
        return frame

    def to_arrow(self, *, squares: str = NAME, fens: bool = False) -> Any:
        """Return an Arrow table of the columns of `to_dataframe`, for polars, DuckDB and others.

        The metadata of its schema is `metadata`.

        Parameters
        ----------
        squares
            ``name``: squares are names like ``e4``, encoded by a dictionary; ``number``: numbers
            from 0 to 63.
        fens
            Whether there is also a column ``fen``.

        Raises
        ------
        ImportError
            If pyarrow is not installed.
        """
        require_packages("Arrow and Parquet need", "pyarrow")
        pyarrow = import_module("pyarrow")
        encode, lists = pyarrow.DictionaryArray.from_arrays, pyarrow.ListArray.from_arrays
        columns = self._columns_for(
            squares, encode, lambda starts, *texts: lists(starts, encode(*texts))
        )
        if fens:
            columns["fen"] = pyarrow.array(self.fens(), pyarrow.string())
        return pyarrow.table(columns, metadata=self.metadata())

    def metadata(self) -> dict[str, str]:
        """Return the program's version, the rules, the material, its metrics and their SHA-256.

        Orbits and splits are stated by the name of their definition and by the seed. The other
        names are those of the attributes of table files.
        """
        rules = self.material.rules
        metrics = (DTM,) if self.dtz is None else (DTM, DTZ)
        orbits = self.orbit is not None or self.split is not None
        return {
            "generator_version": __version__,
            "rules_name": rules.name,
            **({"rules_sha256": rules.digest} if rules.mark else {}),
            "material": self.material.name,
            "metrics": " ".join(metric.name for metric in metrics),
            **({"orbit_definition": ORBIT_DEFINITION} if orbits else {}),
            **({} if self.split is None else {"split_seed": str(self.split_seed)}),
            **{f"{metric.prefix}sha256": digest for metric, digest in self.digests.items()},
        }

    def _columns_for(
        self,
        squares: str,
        encode: Callable[[NDArray[np.int8], list[str]], Any],
        lists: Callable[[NDArray[np.int32], NDArray[np.int16], list[str]], Any],
    ) -> dict[str, Any]:
        """Return the columns for a library that makes words by `encode`, their lists by `lists`."""
        check_choice("squares", squares, SQUARE_CHOICES)
        material = encode(np.zeros(len(self), np.int8), [self.material.name])
        columns = {"material": material, **self.to_numpy()}
        if squares == NAME:
            board = self.material.rules.board
            place = np.zeros(SQUARES, dtype=np.int8)
            place[list(board.numbers.values())] = np.arange(len(board.numbers))
            for man in columns.keys() & {*man_names(self.material)}:
                columns[man] = encode(place[columns[man]], list(board.numbers))
        if self.split is not None:
            columns["split"] = encode(self.split, list(SPLITS))
        for name in columns.keys() & {"keeping", "fastest"}:
            columns[name] = lists(*move_texts(self.material.rules, columns[name]))
        return columns


def man_names(material: Material) -> list[str]:
    """Return a name for each man of a material, numbered if there are several alike.

    >>> man_names(Material.from_name("KNNK"))
    ['white_king', 'black_king', 'white_knight_1', 'white_knight_2']
    """
    name_of = material.rules.name_of
    plain = [
        f"{color.name.lower()}_{NOBODY_NAME if man is NOBODY else name_of(man)}"
        for color, man in material.men
    ]
    return [
        name if plain.count(name) == 1 else f"{name}_{plain[: i + 1].count(name)}"
        for i, name in enumerate(plain)
    ]
