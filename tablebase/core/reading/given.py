"""Positions of any game in any container, boards or FENs or squares, ready for kernels."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence, Sized
from numbers import Integral
from typing import Any, cast

import chess
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tablebase.core.board.geometry import NOBODY, SQUARES, Color
from tablebase.core.ground.capacity import MAX_MEN
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.ground.words import quoted
from tablebase.core.positions.any_position import CLOCK, as_position, position_of, read_board
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.position import Board
from tablebase.core.positions.setup import Setup
from tablebase.core.reading.as_words import (
    board_type,
    is_told_by_words,
    setup_words,
    words_of_board,
)
from tablebase.core.reading.catalog import Catalog, number_of, row_columns
from tablebase.core.reading.fens import OPERATIONS, PLAIN, read_plain_lines
from tablebase.core.reading.locate import (
    ILLEGAL,
    TOO_MANY_MEN,
    WHITE_TO_MOVE,
    locate_rows,
    rows_of_words,
)
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import CHECKS, Rules

# Of a clock; a game has far fewer.
MOST_PLIES = 1 << 24
_IN_ORDER = np.arange(MAX_MEN)
# What `locate_rows` takes: numbers, squares, columns, sides.
Rows = tuple["NDArray[np.int64]", "NDArray[np.uint8]", "NDArray[np.int64]", "NDArray[np.uint8]"]
Part = slice | Any  # NDArray[np.int64], positions by number


class Given:
    """Positions of a game, read once for any number of questions."""

    clocks: NDArray[np.int32]  # plies since the last capture or pawn move
    errors: dict[int, str]  # why a text cannot be read, by number
    # Boards that kernels do not know all about, to be asked one by one.
    singles: dict[int, Board]

    def __len__(self) -> int:
        raise NotImplementedError

    def rows(self, part: Part) -> Rows:
        """Return some of the positions for `locate_rows`."""
        raise NotImplementedError

    def board(self, number: int) -> Board:
        """Return one of the positions, or raise `UnsupportedPositionError`."""
        raise NotImplementedError

    def words(self, part: Part) -> NDArray[np.uint64]:
        """Return some of the positions as words, see `locate`."""
        raise NotImplementedError


class SquarePositions(Given):
    """Positions of one material, given by the squares of the men, [n, men] as in ``material.men``.

    A side of pawns has no lead there, and no square for it. A number that is no square makes its
    position invalid. White is to move where `turn` is true, one for all or [n]; `checks` are those
    left to White and Black, [2] or [n, 2], where they are counted. Raises `ValueError` if the
    shapes do not fit.
    """

    def __init__(
        self,
        squares: ArrayLike,
        material: Material | str,
        turn: ArrayLike,
        checks: ArrayLike | None = None,
        rules: Rules = ChessPosition.rules,
    ) -> None:
        self._material = material = as_material(material, rules)
        self._men = [man for man in material.men if man[1] is not NOBODY]
        self._squares = as_squares(squares, len(self._men), material)
        self._sides = as_turns(turn, len(self)).astype(np.uint8)
        self._sides |= packed_checks(checks, len(self), rules)
        self._number = np.array([number_of(material) or TOO_MANY_MEN])
        self._columns = np.argsort(np.argsort(row_columns(material)))  # without `NOBODY`
        self.singles, self.errors = {}, {}
        self.clocks = np.zeros(len(self), dtype=np.int32)

    def __len__(self) -> int:
        return len(self._squares)

    def rows(self, part: Part) -> Rows:
        """Return some of the positions for `locate_rows`."""
        return self._number, self._squares[part], self._columns, self._sides[part]

    def board(self, number: int) -> Board:
        """Return one of the positions; `UnsupportedPositionError` if a square is none."""
        row, side = self._squares[number].tolist(), int(self._sides[number])
        if max(row) >= SQUARES:
            raise UnsupportedPositionError(f"{row} are no squares")
        color = Color.WHITE if side & WHITE_TO_MOVE else Color.BLACK
        squares = iter(row)
        of_men = (0 if man is NOBODY else next(squares) for _, man in self._material.men)
        setup = Setup(self._material, tuple(of_men), color)
        if self._material.rules.check_counting:
            setup = setup._replace(checks=(side >> 1 & 3, side >> 3 & 3))
        board: Board = position_of(setup).board
        return board

    def words(self, part: Part) -> NDArray[np.uint64]:
        """Return some of the positions as words; two men on a square leave the last one there."""
        squares, sides = self._squares[part], self._sides[part]
        words = np.zeros((len(squares), len(self._material.rules.kinds) + 1), dtype=np.uint64)
        for column, (color, kind) in enumerate(self._men):
            bits = np.uint64(1) << squares[:, column].astype(np.uint64)
            words[:, kind - 1] |= bits
            words[:, -2] |= bits * (color is Color.WHITE)
        words[:, -1] = sides
        return words


class GivenPositions(Given):
    """Positions given as boards, setups and texts in any column.

    Texts are FENs and EPDs. `TypeError` if something is neither. In chess there are boards of
    python-chess alone, and illegal texts have no error.
    """

    def __init__(self, positions: Iterable[Any], rules: Rules = ChessPosition.rules) -> None:
        self._positions = list(_listed(positions))
        self._rules, self._is_chess = rules, rules == ChessPosition.rules
        self._board_type = board_type(rules)
        self.singles, self.errors = {}, {}
        self._words: NDArray[np.uint64]
        self._read()

    def __len__(self) -> int:
        return len(self._positions)

    def rows(self, part: Part) -> Rows:
        """Return some of the positions for `locate_rows`."""
        return _rows_of(self._words[part])

    def words(self, part: Part) -> NDArray[np.uint64]:
        """Return some of the positions as words."""
        return self._words[part]

    def board(self, number: int) -> Board:
        """Return a position as a board or setup; `UnsupportedPositionError` if it is none."""
        given = self._positions[number]
        if not self._is_chess:
            return as_position(given, self._rules).board
        board: Board = read_board(given) if isinstance(given, str) else given
        return board

    def _read(self) -> None:
        given = self._positions
        texts = given
        boards: dict[int, Board | None] = {}
        if not set(map(type, given)) <= {str}:
            texts = [one if isinstance(one, str) else "" for one in given]
            usual = self._board_type if self._is_chess else None
            boards = {
                i: one if type(one) is usual else self._taken(i, one)
                for i, one in enumerate(given)
                if not isinstance(one, str)
            }
        self._words, self.clocks, states = read_plain_lines(texts, self._rules)
        is_left = states != PLAIN
        if not self._is_chess:
            is_left |= _are_illegal(self._words, self._rules)
        for i in np.flatnonzero(is_left).tolist():
            if states[i] == OPERATIONS and ";" in texts[i] and CLOCK not in texts[i]:
                continue
            if i not in boards:
                boards[i] = self._taken(i, texts[i])
        if boards:
            self._enter(boards)

    def _taken(self, number: int, given: Any) -> Board | None:
        """Return a position as a board, or note why it is none."""
        if self._is_chess and not isinstance(given, (chess.Board, str)):
            what = reprlib.repr(given)
            raise TypeError(f"position {number}: expected a chess.Board or a FEN, not {what}")
        if type(given) is self._board_type and is_told_by_words(given, self._rules):
            return cast("Board", given)
        try:
            return self.board(number)
        except UnsupportedPositionError as error:
            self.errors[number] = str(error)
        except TypeError as error:
            raise TypeError(f"position {number}: {error}") from None
        return None

    def _enter(self, boards: dict[int, Board | None]) -> None:
        """Note the words of boards, none of what is no position, or that one is asked by itself."""
        nothing, usual = (0,) * self._words.shape[1], self._board_type
        words, clocks = [], []
        for number, board in boards.items():
            if isinstance(board, chess.Board):
                told: Sequence[int] | None = words_of_board(board, self._rules)
                clocks.append(board.halfmove_clock)
                if board.castling_rights:  # no table has it, so none is to be missing
                    told = None
                if told is None or board.ep_square is not None or type(board) is not usual:
                    self.singles[number] = board
            elif board is not None:
                told = setup_words(board)
                clocks.append(board.clock)
                if told is None:
                    self.singles[number] = board
            else:
                told = None
                clocks.append(0)
            words.append(told or nothing)
        numbers = list(boards)
        self._words[numbers] = np.array(words, dtype=np.uint64)
        self.clocks[numbers] = [min(clock, MOST_PLIES) for clock in clocks]


def packed_checks(checks: ArrayLike | None, count: int, rules: Rules) -> NDArray[np.uint8]:
    """Return the checks left as part of sides, uint8 [n]; `ValueError` if they do not fit."""
    if not rules.check_counting:
        if checks is not None:
            raise ValueError(f"checks are not counted in {rules.name}: leave them out")
        return np.zeros(1, dtype=np.uint8)
    if checks is None:
        raise ValueError(
            f"squares of {rules.name} need the checks left to White and to Black: "
            f"write checks=({CHECKS}, {CHECKS})"
        )
    given = np.asarray(unmasked("checks", checks))
    if given.dtype.kind not in "iu" or given.shape not in ((2,), (count, 2)):
        raise ValueError(f"checks are two integers, or of shape [{count}, 2]")
    if given.size and not (given.min() >= 0 and given.max() <= CHECKS):
        raise ValueError(f"checks left are numbers from 0 to {CHECKS}")
    packed = given[..., 0].astype(np.uint8) << 1 | given[..., 1].astype(np.uint8) << 3
    return np.atleast_1d(packed)


def _rows_of(words: NDArray[np.uint64]) -> Rows:
    numbers, sides = np.empty(len(words), dtype=np.int64), np.empty(len(words), dtype=np.uint8)
    squares = np.empty((len(words), MAX_MEN), dtype=np.uint8)
    rows_of_words(words, numbers, squares, sides)
    return numbers, squares, _IN_ORDER, sides


def _are_illegal(words: NDArray[np.uint64], rules: Rules) -> NDArray[np.bool_]:
    """Return whether positions are no legal ones, or more than their words say."""
    locations = np.empty(len(words), dtype=np.int64)
    locate_rows(Catalog(rules).array, *_rows_of(words), locations)
    illegal: NDArray[np.bool_] = (locations == ILLEGAL) | (locations == TOO_MANY_MEN)
    return illegal


def read_given(
    positions: Any,
    material: Material | str | None = None,
    turn: ArrayLike | None = None,
    checks: ArrayLike | None = None,
    rules: Rules = ChessPosition.rules,
) -> Given:
    """Return positions in any container, ready to be looked up; their elements tell their kind.

    They are boards, setups and FENs, or rows of squares with `material`, `turn` and perhaps
    `checks` (see `SquarePositions`). Raises `ValueError` for bad FENs or squares, `TypeError` for
    other things.
    """
    given, are_squares = coerced(positions, material, turn)
    if are_squares:
        return SquarePositions(
            given, cast("Material | str", material), cast("ArrayLike", turn), checks, rules
        )
    if not isinstance(given, Given):
        given = GivenPositions(given, rules)
        if given.errors:
            number = min(given.errors)
            raise ValueError(f"position {number}: {given.errors[number]}")
    if checks is not None:
        raise ValueError("boards and FENs include the checks left: leave checks out")
    refuse_material(given, material, turn)
    return cast("Given", given)


def coerced(
    positions: Any, material: Material | str | None, turn: ArrayLike | None
) -> tuple[Any, bool]:
    """Return positions in any container in one form, and whether they are squares.

    They are an array of squares, a list of boards and FENs, or `Given` as they are.
    Parameters and errors are those of `read_given`.
    """
    if isinstance(positions, Given):
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
    most = material.rules.most_men
    if material.piece_count > most:
        raise UnsupportedPositionError(f"{material}: tables have at most {most} pieces")
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
