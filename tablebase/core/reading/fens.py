"""FENs and EPDs by the million, read and written: what is not plain is left to `any_position`.

A *plain* line has no castling or en passant rights, so that its words (see `locate`) and its
halfmove clock say all; whether it is legal does not matter. Anything unusual is *left*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.board.shape import FULL_BOARD
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import hot_entry, hot_kernel
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.setup import Setup
from tablebase.core.reading import forks
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import CHECKS, Rules

# States of a line.
PLAIN, OPERATIONS, LEFT = range(3)
# What lines tell besides men and side: rights as in chess, none, or none but the checks left.
CHESS_RIGHTS, NO_RIGHTS, CHECKS_COUNTED = range(3)

# What a byte means in the placement of the men: column of the words, plus `_OWNED` for White's men;
# `_DIGIT` plus a number; the end of a row; or nothing.
_OWNED, _DIGIT, _SLASH, _OTHER = 32, 64, 128, 255
_LINE_END = 10
_MOST_DIGITS = 4  # of a clock; more are left to python-chess


@lru_cache(maxsize=16)
def _meanings(rules: Rules) -> NDArray[np.uint8]:
    found = np.full(256, _OTHER, dtype=np.uint8)
    for letter, kind in rules.letters.items():
        found[ord(letter.lower())] = kind - 1
        found[ord(letter)] = kind - 1 + _OWNED
    for number in range(1, 9):
        found[ord(str(number))] = _DIGIT + number
    found[ord("/")] = _SLASH
    return found


def _blanks() -> NDArray[np.bool_]:
    """Return whether bytes separate fields; `board.read_fen` takes underscores for blanks."""
    found = np.zeros(256, dtype=np.bool_)
    found[[ord(letter) for letter in " _\t\r"]] = True
    return found


_IS_BLANK = _blanks()
_ONE = np.uint64(1)
_ALL_CHECKS = np.uint64(CHECKS << 1 | CHECKS << 3)  # of a side, see `locate`
# Columns of the words of chess.
_PAWNS, _ROOKS, _KINGS, _WHITE_MEN, _WHITE_TO_MOVE = 0, 3, 5, 6, 7
_A, _E, _H, _K, _Q, _W, _B = (ord(letter) for letter in "aehkqwb")
_ENDING = b" - - 0 1\n"
_LONGEST_LINE = 64 + 8 + 1 + len(_ENDING)
_SLASH_BYTE, _BLANK = ord("/"), ord(" ")
_MINUS, _PLUS, _ZERO = ord("-"), ord("+"), ord("0")
_UPPER = 32  # by which letters in capitals are lower
_CORNERS = np.array([0x81, 0x81 << 56], dtype=np.uint64)  # a1 and h1, a8 and h8
_KING_SQUARES = np.array([1 << 4, 1 << 60], dtype=np.uint64)  # e1, e8


def read_plain_lines(
    lines: Sequence[str], rules: Rules = ChessPosition.rules
) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int8]]:
    """Read FENs, and EPDs up to their operations; `TypeError` if something is not a text.

    Returns words, uint64 [n, kinds + 2], halfmove clocks, int32 [n], and states, int8 [n]: PLAIN,
    OPERATIONS if operations follow the four plain fields of an EPD, or LEFT.
    """
    found, text = _empty(len(lines), rules), _bytes_of(lines)
    if lines and rules.board == FULL_BOARD:
        _compiled()(*text, *_how(rules), *found)
    return found


@cache
def _compiled() -> Callable[..., None]:
    """Return the kernel, compiled; forks wait for that."""
    with forks.READERS.compiling:
        read: Callable[..., None] = _read_lines
        read(*_bytes_of([""]), *_how(ChessPosition.rules), *_empty(1, ChessPosition.rules))
    return read


def _how(rules: Rules) -> tuple[NDArray[np.uint8], int]:
    """Return the meanings of bytes in a game, and the form of the rights in its lines."""
    is_chess = rules == ChessPosition.rules
    return _meanings(rules), CHESS_RIGHTS if is_chess else NO_RIGHTS + rules.check_counting


def _empty(
    lines: int, rules: Rules
) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int8]]:
    words = np.zeros((lines, len(rules.kinds) + 1), dtype=np.uint64)
    return words, np.zeros(lines, dtype=np.int32), np.full(lines, LEFT, dtype=np.int8)


@hot_entry
def _read_lines(text, ends, meanings, how, words, clocks, states):
    """Read lines that are separated by line ends.

    `text` uint8 [bytes]; `ends` int64 [n] where each line ends; `meanings` uint8 [256] of bytes
    that place men; `how` see `CHESS_RIGHTS`. `words` uint64 [n, kinds + 2], `clocks` int32 [n] and
    `states` int8 [n] are written, the first two of lines left being of no use.
    """
    start = np.int64(0)
    for i in range(len(ends)):
        words[i] = 0
        clocks[i] = 0
        at = _read_men(text, _skip_blanks(text, start, ends[i]), ends[i], meanings, words[i])
        states[i] = _read_fields(text, at, ends[i], how, words[i], clocks[i : i + 1])
        start = ends[i] + 1


@hot_kernel
def _read_fields(text, at, end, how, words, clock):
    """Read the fields after the men into `words` and `clock` int32 [1]; return the line's state."""
    last = len(words) - 1
    words[last] = _ONE | (_ALL_CHECKS if how == CHECKS_COUNTED else np.uint64(0))
    for field in range(1, 7):
        if at < 0 or (at < end and not _IS_BLANK[text[at]]):
            return LEFT
        at = _skip_blanks(text, at, end)
        if at == end:
            return PLAIN if how == CHESS_RIGHTS or field > 1 else LEFT
        if field == 1:
            if text[at] not in (_W, _B):
                return LEFT
            words[last] -= np.uint64(text[at] == _B)
            at += 1
        elif field < 4 and how != CHESS_RIGHTS:
            at = at + 1 if text[at] == _MINUS else np.int64(-1)
        elif field == 2:
            at = _read_castling(text, at, end, words)
        elif field == 3:
            at = _read_passed(text, at, end, words)
        elif field == 4 and _A <= np.int64(text[at]) | _UPPER <= _A + 25:
            return OPERATIONS
        elif field < 6:
            if field == 4 and how == CHECKS_COUNTED and at + 3 < end and text[at + 1] == _PLUS:
                white, black = np.int64(text[at]) - _ZERO, np.int64(text[at + 2]) - _ZERO
                if not (0 <= white <= 3 and 0 <= black <= 3 and _IS_BLANK[text[at + 3]]):
                    return LEFT
                words[last] = words[last] & _ONE | np.uint64(white << 1 | black << 3)
                at = _skip_blanks(text, at + 3, end)
            at, number = _read_number(text, at, end)
            if field == 4:
                clock[0] = number
    return LEFT


@hot_kernel
def _read_men(text, at, end, meanings, words):
    """Read the placement of the men into `words`; return where it ends, -1 if it is wrong."""
    rank, file = np.int64(7), np.int64(0)
    after_digit = False
    while at < end:
        meaning = np.int64(meanings[text[at]])
        if meaning < _DIGIT:
            if file > 7:
                return -1
            bit = _ONE << np.uint64(8 * rank + file)
            words[meaning & (_OWNED - 1)] |= bit
            if meaning & _OWNED:
                words[len(words) - 2] |= bit
            file += 1
            after_digit = False
        elif meaning < _SLASH:
            file += meaning - _DIGIT
            if after_digit or file > 8:
                return -1
            after_digit = True
        elif meaning == _SLASH:
            if file != 8 or rank == 0:
                return -1
            rank, file = rank - 1, np.int64(0)
            after_digit = False
        else:
            break
        at += 1
    return at if rank == 0 and file == 8 else -1


@hot_kernel
def _skip_blanks(text, at, end):
    """Return the beginning of the next field."""
    while at < end and _IS_BLANK[text[at]]:
        at += 1
    return at


@hot_kernel
def _read_castling(text, at, end, words):
    """Return the end of the rights to castle in chess, -1 if they are wrong or may stand."""
    if text[at] == _MINUS:
        return at + 1
    for black in range(2):
        count = 0
        while at < end:
            letter = np.int64(text[at]) if black else np.int64(text[at]) + _UPPER
            if _A <= letter <= _H:  # names the file of a rook
                return -1
            if letter not in (_K, _Q):
                break
            count += 1
            at += 1
        own = words[_WHITE_MEN] if black == 0 else ~words[_WHITE_MEN]
        king = words[_KINGS] & own & _KING_SQUARES[black]
        rooks = words[_ROOKS] & own & _CORNERS[black]
        if count > 2 or (count and king != np.uint64(0) and rooks != np.uint64(0)):
            return -1
    return at


@hot_kernel
def _read_passed(text, at, end, words):
    """Return the end of the en-passant square in chess, -1 if it is wrong or may count."""
    if text[at] == _MINUS:
        return at + 1
    if at + 1 >= end:
        return -1
    file, rank = np.int64(text[at]) - _A, np.int64(text[at + 1]) - _ZERO - 1
    if not (0 <= file <= 7 and 0 <= rank <= 7):
        return -1
    white = words[_WHITE_TO_MOVE] != np.uint64(0)
    if rank == (5 if white else 2):
        row = np.uint64(32 if white else 24)  # the first square of the pawns that may capture
        own = words[_WHITE_MEN] if white else ~words[_WHITE_MEN]
        pawns = (words[_PAWNS] >> row) & np.uint64(255)
        own = (own >> row) & np.uint64(255)
        beside = (np.uint64(5) << np.uint64(file)) >> _ONE
        passed = _ONE << np.uint64(file)
        if pawns & ~own & passed != np.uint64(0) and pawns & own & beside != np.uint64(0):
            return -1
    return at + 2


@hot_kernel
def _read_number(text, at, end):
    """Return the end of a number, -1 if it is no number or long; and the number."""
    first = at
    number = np.int64(0)
    while at < end and _ZERO <= text[at] <= _ZERO + 9:
        number = 10 * number + np.int64(text[at]) - _ZERO
        at += 1
    return (at if 0 < at - first <= _MOST_DIGITS else -1), number


def _bytes_of(lines: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return lines as bytes with line ends between them, and where each line ends."""
    joined = "\n".join(lines)
    if joined.count("\n") != len(lines) - 1:  # within a line, they are blanks like others
        joined = "\n".join([line.replace("\n", " ") for line in lines])
    # Nothing but ASCII is plain, so other characters may become anything.
    text = np.frombuffer(joined.encode("ascii", "replace"), dtype=np.uint8)
    return text, np.append(np.flatnonzero(text == _LINE_END), len(text))


def write_fens(
    material: Material, squares: NDArray[np.uint8], white_to_move: NDArray[np.bool_]
) -> list[str]:
    """Return the FENs of positions without rights, the halfmove clock at 0, by any rules.

    Parameters
    ----------
    material
        The men.
    squares
        Their squares in the order of ``material.men``, all different, shape [n, men].
    white_to_move
        Side to move, shape [n].

    Examples
    --------
    >>> write_fens(Material.from_name("KRK"), np.array([[0, 18, 9]], np.uint8), np.array([True]))
    ['8/8/8/8/8/2k5/1R6/K7 w - - 0 1']
    """
    if material.rules.board != FULL_BOARD:
        turns = (Color.WHITE if white else Color.BLACK for white in white_to_move)
        rows = zip(squares.tolist(), turns, strict=True)
        return [Setup(material, tuple(row), color).fen for row, color in rows]
    letters = zip(material.letters, (color for color, _ in material.men), strict=True)
    men = [
        ord(letter if color is Color.WHITE else letter.lower()) if letter else 0
        for letter, color in letters
    ]
    text = np.empty(len(squares) * _LONGEST_LINE, dtype=np.uint8)
    length = _write_lines(
        np.ascontiguousarray(squares),
        np.array(men, dtype=np.uint8),
        np.ascontiguousarray(white_to_move),
        np.frombuffer(_ENDING, dtype=np.uint8),
        text,
    )
    return text[:length].tobytes().decode("ascii").splitlines()


@hot_entry
def _write_lines(squares, letters, white_to_move, ending, text):
    """Write FENs to `text` uint8 [any]; return how many bytes they take.

    `squares` uint8 [n, men], `letters` uint8 [men], `white_to_move` bool [n]; `ending` uint8 [any]
    is what follows the side to move.
    """
    board = work_space(64, np.uint8)
    at = np.int64(0)
    for i in range(len(squares)):
        for square in range(64):
            board[square] = 0
        for man in range(len(letters)):
            if letters[man]:  # else nobody leads a side
                board[squares[i, man]] = letters[man]
        for row in range(8):
            empty = 0
            for file in range(8):
                letter = board[8 * (7 - row) + file]
                if letter == 0:
                    empty += 1
                    continue
                if empty:
                    text[at] = _ZERO + empty
                    at += 1
                    empty = 0
                text[at] = letter
                at += 1
            if empty:
                text[at] = _ZERO + empty
                at += 1
            text[at] = _SLASH_BYTE if row < 7 else _BLANK
            at += 1
        text[at] = _W if white_to_move[i] else _B
        at += 1
        for byte in ending:
            text[at] = byte
            at += 1
    return at
