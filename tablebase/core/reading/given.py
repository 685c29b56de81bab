"""Positions of chess in any container, boards or FENs or squares, in words for kernels."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence, Sized
from numbers import Integral
from typing import TYPE_CHECKING, Any, Protocol, cast

import chess
import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.ground.words import quoted
from tablebase.core.positions.any_position import CLOCK, read_board
from tablebase.core.positions.chess_board import words_of_boards
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.setup import Setup
from tablebase.core.reading.fens import OPERATIONS, PLAIN, read_plain_lines
from tablebase.core.reading.locate import WHITE_TO_MOVE, words_of_squares
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import read_rules
from tablebase.core.rules.rules import Rules

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tablebase.core.positions.position import Board
    from tablebase.core.reading.batch import Rows


# Of a clock; a game has far fewer.
MOST_PLIES = 1 << 24


class Given(Protocol):
    """Positions of a game, read once for any number of questions."""

    clocks: NDArray[np.int32]  # plies since the last capture or pawn move
    errors: dict[int, str]  # why a text cannot be read, by number

    def __len__(self) -> int:
        """Return the number of positions."""

    def board(self, number: int) -> Board:
        """Return one of the positions, or raise `UnsupportedPositionError`."""


class ReadPositions:
    """Positions that have been read, which are returned as they are if they are read again."""


class SquarePositions(ReadPositions):
    """Positions of one material, given by the squares of the men, [n, men] as in ``material.men``.

    A number that is no square makes its position invalid. White is to move where `turn` is true,
    one for all or [n]. Raises `ValueError` if the shapes do not fit.
    """

    def __init__(self, squares: ArrayLike, material: Material | str, turn: ArrayLike) -> None:
        material = as_material(material, ChessPosition.rules)
        self._squares = rows = as_squares(squares, material.piece_count, material)
        self._white_to_move = as_turns(turn, len(rows))
        self._kinds = np.array([kind - 1 for _, kind in material.men], dtype=np.int64)
        self._is_white = np.array([color is Color.WHITE for color, _ in material.men])
        self.men = material.piece_count

    def __len__(self) -> int:
        return len(self._squares)

    def words(self, rows: Rows) -> NDArray[np.uint64]:
        """Return some of the positions as words."""
        squares = np.ascontiguousarray(self._squares[rows])
        white_to_move = np.ascontiguousarray(self._white_to_move[rows])
        words = np.empty((len(squares), WHITE_TO_MOVE + 1), dtype=np.uint64)
        words_of_squares(squares, self._kinds, self._is_white, white_to_move, words)
        return words


class GivenPositions(ReadPositions):
    """Positions given as boards and texts in any column, read once for any number of questions.

    Texts are FENs and EPDs. `TypeError` if something is neither a board nor a text.
    """

    men = 0

    def __init__(self, positions: Iterable[chess.Board | str]) -> None:
        self._positions = list(_listed(positions))
        self._words: NDArray[np.uint64] = np.zeros(
            (len(self._positions), WHITE_TO_MOVE + 1), np.uint64
        )
        self.clocks: NDArray[np.int32] = np.zeros(len(self._positions), np.int32)
        self.boards: dict[int, chess.Board] = {}
        self.errors: dict[int, str] = {}
        self._read()

    def __len__(self) -> int:
        return len(self._words)

    def words(self, rows: Rows) -> NDArray[np.uint64]:
        """Return some of the positions as words."""
        return self._words[rows]

    def board(self, number: int) -> chess.Board:
        """Return a position as a board; `UnsupportedPositionError` if it cannot be read."""
        given = self._positions[number]
        if isinstance(given, chess.Board):
            return given
        return read_board(given)

    def _read(self) -> None:
        texts, boards = _parted(self._positions)
        if len(boards) < len(texts):
            self._words, self.clocks, states = read_plain_lines(texts)
            for i in np.flatnonzero(states != PLAIN).tolist():
                if states[i] == OPERATIONS and ";" in texts[i] and CLOCK not in texts[i]:
                    continue
                if i in boards:
                    continue
                try:
                    boards[i] = self.board(i)
                except UnsupportedPositionError as error:
                    self.errors[i] = str(error)
                    self._words[i] = 0
        if boards:
            self._words[list(boards)] = words_of_boards(boards.values())
        for i, board in boards.items():
            self.clocks[i] = min(board.halfmove_clock, MOST_PLIES)
            rights = board.castling_rights or board.ep_square is not None
            if rights or type(board) is not chess.Board:
                self.boards[i] = board
            if board.castling_rights:  # no table has it, so none is to be missing
                self._words[i] = 0


def _parted(
    positions: Sequence[chess.Board | str],
) -> tuple[Sequence[str], dict[int, chess.Board]]:
    """Return the texts, empty where there are boards; and the boards by number."""
    if set(map(type, positions)) <= {str}:
        return cast("Sequence[str]", positions), {}
    texts: list[str] = []
    boards: dict[int, chess.Board] = {}
    for i, position in enumerate(positions):
        if isinstance(position, str):
            texts.append(position)
        elif isinstance(position, chess.Board):
            texts.append("")
            boards[i] = position
        else:
            given = reprlib.repr(position)
            raise TypeError(f"position {i}: expected a chess.Board or a FEN, not {given}")
    return texts, boards


def read_given(
    positions: Any, material: Material | str | None = None, turn: ArrayLike | None = None
) -> GivenPositions | SquarePositions:
    """Return positions in any container, ready to be looked up; their elements tell their kind.

    They are boards and FENs, or rows of squares with `material` and `turn` (see `SquarePositions`).
    Raises `ValueError` for bad FENs or squares, `TypeError` for other things.
    """
    given, are_squares = coerced(positions, material, turn)
    if are_squares:
        return SquarePositions(given, cast("Material | str", material), cast("ArrayLike", turn))
    if not isinstance(given, ReadPositions):
        given = readable(given)
    refuse_material(given, material, turn)
    return cast("GivenPositions | SquarePositions", given)


def coerced(
    positions: Any, material: Material | str | None, turn: ArrayLike | None
) -> tuple[Any, bool]:
    """Return positions in any container in one form, and whether they are squares.

    They are an array of squares, a list of boards and FENs, or `ReadPositions` as they are.
    Parameters and errors are those of `read_given`.
    """
    if isinstance(positions, ReadPositions):
        return positions, False
    rows = positions
    if not (isinstance(rows, np.ndarray) and rows.size and rows.dtype.kind in "iu"):
        rows = _listed(positions)  # but the usual way to large batches costs nothing
        are_asked = material is not None or turn is not None
        if not len(rows):
            return [], False
        if not _are_squares(rows[0], are_asked=are_asked):
            return rows, False
    if material is None or turn is None:
        raise ValueError(
            "squares need a material and the side to move, like probe_dtm_many(squares, "
            f"'KRK', True), and {_described(rows)} came without"
        )
    return _together(rows), True


def refuse_material(given: Sized, material: Material | str | None, turn: ArrayLike | None) -> None:
    """Raise `ValueError` if a material or a side to move comes with boards and FENs."""
    if len(given) and (material is not None or turn is not None):
        raise ValueError(
            "boards and FENs include their material and side to move: leave material and turn out"
        )


def _listed(positions: Any) -> Any:
    """Return positions as an array of integers, or as a list of Python's own objects."""
    if isinstance(positions, list):
        return positions
    is_array, shape = isinstance(positions, np.ndarray), getattr(positions, "shape", None)
    if not is_array and shape and len(shape) > 1:  # a frame, whose own elements are columns
        positions = np.asarray(positions)
        if positions.dtype.kind in "iu":
            return positions
    if shape == () or not isinstance(positions, Iterable) or isinstance(positions, str):
        raise TypeError(f"expected a list of boards and FENs, or squares, not {quoted(positions)}")
    for name in ("tolist", "to_list", "to_pylist"):  # NumPy and pandas, polars, Arrow
        if hasattr(positions, name):
            return getattr(positions, name)()
    return list(positions)


def _are_squares(first: Any, *, are_asked: bool) -> bool:
    """Return whether the first position is a row of squares, not a board or FEN."""
    if isinstance(first, (str, bytes, chess.Board, Setup)):
        return False
    if isinstance(first, (Sequence, np.ndarray)):
        return are_asked or (len(first) > 0 and isinstance(first[0], Integral))
    return are_asked and isinstance(first, Integral)


def _described(rows: Any) -> str:
    """Return a description of rows of squares."""
    return f"an array of shape {list(rows.shape)}" if isinstance(rows, np.ndarray) else f"{rows[0]}"


def _together(rows: Any) -> NDArray[Any]:
    """Return rows of squares as one array."""
    try:
        return np.asarray(unmasked("squares", rows))
    except ValueError:
        for number, row in enumerate(rows):
            if np.shape(row) != np.shape(rows[0]):
                message = f"position {number}: expected squares as in {rows[0]}, not {row}"
                raise ValueError(message) from None
        raise


def unmasked(name: str, values: Any) -> Any:
    """Return values as they are; `ValueError` if a mask, which is not read, hides some of them."""
    if np.ma.is_masked(values):
        raise ValueError(f"some of {name} are masked: leave those positions out first")
    return values


def readable(positions: Iterable[chess.Board | str]) -> GivenPositions:
    """Return boards and FENs as positions.

    Raises `ValueError` with the number of a FEN that cannot be read, `TypeError` for anything else.
    """
    given = GivenPositions(positions)
    if given.errors:
        number = min(given.errors)
        raise ValueError(f"position {number}: {given.errors[number]}")
    return given


def words_without_kings(
    squares: ArrayLike, material: Material, *, turn: bool
) -> NDArray[np.uint64]:
    """Return the words of men besides the kings, [n, 8], from their squares, [n, men].

    Raises `UnsupportedPositionError` for more than `MAX_MEN` men, `ValueError` for bad squares.
    """
    material = as_material(material, ChessPosition.rules)
    rows = squares_without_kings(squares, material)
    men = material.men[2:]
    kinds = np.array([kind - 1 for _, kind in men], dtype=np.int64)
    is_white = np.array([color is Color.WHITE for color, _ in men], dtype=np.bool_)
    words = np.empty((len(rows), WHITE_TO_MOVE + 1), dtype=np.uint64)
    words_of_squares(rows, kinds, is_white, np.full(len(rows), as_turn(turn)), words)
    return words


def as_rules(rules: Rules | str) -> Rules:
    """Return rules by their name or as they are."""
    if isinstance(rules, str):
        return read_rules(rules)
    if not isinstance(rules, Rules):
        raise TypeError(f"rules are a name like 'shatranj' or Rules, not {quoted(rules)}")
    return rules


def as_material(material: Material | str, rules: Rules | None = None) -> Material:
    """Return a material by its name or as it is; `ValueError` if of another game than asked for.

    Without rules, a name is of chess, and a material may be of any game.
    """
    if isinstance(material, str):
        return Material.from_name(material, rules or ChessPosition.rules)
    if not isinstance(material, Material):
        raise TypeError(f"a material is a name like 'KRK' or a Material, not {quoted(material)}")
    if rules is not None and material.rules != rules:
        raise ValueError(
            f"{material} is a material of {material.rules.name}, the tables are of {rules.name}"
        )
    return material


def squares_without_kings(squares: ArrayLike, material: Material) -> NDArray[np.uint8]:
    """Return the squares of men besides the kings, [n, men]; errors as `words_without_kings`."""
    if material.piece_count > MAX_MEN:
        raise UnsupportedPositionError(f"{material}: tables have at most {MAX_MEN} pieces")
    return as_squares(squares, material.piece_count - 2, material)


def as_squares(squares: ArrayLike, men: int, material: Material) -> NDArray[np.uint8]:
    """Return squares as uint8 [n, men], with numbers above 63 for what is no square."""
    rows = np.asarray(unmasked("squares", squares))
    if rows.ndim != 2 or rows.shape[1] != men:
        raise ValueError(
            f"expected squares of shape [n, {men}] for {material}, got {list(rows.shape)}"
        )
    if rows.dtype.kind not in "iu":
        raise ValueError(f"squares are integers from 0 (a1) to 63 (h8), got {rows.dtype}")
    if rows.dtype != np.uint8:
        is_square = (rows >= 0) & (rows < 64)
        rows = np.where(is_square, rows.astype(np.uint8), np.uint8(255))
    return np.ascontiguousarray(rows)


def as_turn(turn: Any) -> bool:
    """Return whether White is to move; `ValueError` if that is not one side."""
    if np.ndim(turn):
        raise ValueError(
            f"turn is one side, True for White and False for Black, not {quoted(turn)}"
        )
    return bool(as_turns(turn, 1)[0])


def as_turns(turn: ArrayLike, count: int) -> NDArray[np.bool_]:
    """Return whether White is to move as an array of a length."""
    given = np.asarray(unmasked("turn", turn))
    if given.dtype.kind == "O":  # as of columns that might have had missing values
        given = np.asarray(given.tolist())
    if given.dtype.kind != "b":
        is_side = given.dtype.kind in "iu" and ((given == 0) | (given == 1)).all()
        if given.size and not is_side:
            raise ValueError(f"turn is True for White and False for Black, not {quoted(turn)}")
        given = given.astype(np.bool_)
    if given.shape not in ((), (1,), (count,)):
        raise ValueError(f"turn has shape {list(given.shape)}, squares are {count} positions")
    return np.broadcast_to(given, (count,))
