"""The meaning of a byte of a Gaviota file, and our tables in such bytes.

Distances are moves of the side that mates, in the high bits. The two low bits are 1 if White mates,
2 if Black does; in long wins and losses 0 and 3, and 64 or 63 moves are added.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.ground.errors import InvalidMaterialError, TablebaseError
from tablebase.core.ground.words import moves_in_words, result_in_words, side_in_words
from tablebase.core.index.legality import is_legal, map_marks
from tablebase.core.index.numbering import table_index
from tablebase.core.jit.kernels import entry
from tablebase.core.outcomes.metrics import DTM, signed
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table
from tablebase.core.tables.table import stored_sides, swap_colors

GAVIOTA_DRAW, ILLEGAL = 0, 3  # bytes
_MANY = 63  # moves: what is counted from here on has low bits of its own
_FAR_WIN, _WHITE_MATES, _BLACK_MATES = 0, 1, 2  # low bits

Values = tuple[NDArray[np.uint8], NDArray[np.uint8]]


def outcome_of(value: int, color: Color) -> int:
    """Return the outcome to mate that a byte stands for, which must not be ILLEGAL.

    >>> outcome_of(61, Color.WHITE) == 31, outcome_of(62, Color.WHITE) == ~30
    (True, True)
    """
    if value == GAVIOTA_DRAW:
        return 0
    moves, kind = value >> 2, value & 3
    if kind == _FAR_WIN and moves == _MANY and color is Color.BLACK:
        return ~(2 * (_MANY + 64))  # the longest loss of five men; no such win was needed
    if kind == _FAR_WIN:
        return 2 * (moves + _MANY + 1) - 1
    if kind == (_WHITE_MATES, _BLACK_MATES)[color]:
        return 2 * (moves + 1) - 1
    return ~(2 * (moves + (_MANY if kind == ILLEGAL else 0)))


def _values_of_codes(color: Color) -> NDArray[np.uint8]:
    """Return the byte for each code of a distance to mate, ILLEGAL where there is none."""
    assert DTM.outcomes is not None
    bytes_of = {outcome_of(value, color): value for value in range(256) if value != ILLEGAL}
    return np.array([bytes_of.get(n, ILLEGAL) for n in DTM.outcomes.tolist()], dtype=np.uint8)


VALUES_OF_CODES = tuple(_values_of_codes(color) for color in Color)


def value_in_words(value: int, color: Color) -> str:
    """Return the meaning of a byte in words.

    >>> value_in_words(61, Color.WHITE)
    'White wins: mate in 16 moves (31 plies)'
    """
    if value == ILLEGAL:
        return "that it is illegal"
    outcome = outcome_of(value, color)
    return result_in_words(
        signed(outcome, DTM), white=color is Color.WHITE, checkmate=outcome == ~0
    )


def read_values(source: Path, material: Material, *, threads: int | None) -> Values:
    """Read a table of ours as bytes of a Gaviota file, by slot, with White and with Black to move.

    They are [size], ILLEGAL for slots without a legal position. Raises `MissingTableError`,
    `CorruptTableError` or, for another material, `InvalidMaterialError`.
    """
    with open_table(source) as file:
        if file.material != material:
            raise InvalidMaterialError(
                f"{source} is the table of {file.material}, not of {material}"
            )
        sides = stored_sides(material)
        white, black = file.read_sides(sides, metric=DTM, check=True, threads=threads)
    assert white is not None
    if black is None:
        black = swap_colors(material, white, threads=threads)

    def translate(part: slice, marks: NDArray[np.uint8]) -> None:
        for color, codes in zip(Color, (white[part], black[part]), strict=True):
            legal = is_legal(marks, color)
            values = VALUES_OF_CODES[color][codes]
            unsaid = legal & (values == ILLEGAL)
            if unsaid.any():
                plies = int(codes[unsaid][0])
                raise TablebaseError(
                    f"{material} has a position, {side_in_words(SIDES[color])}, with mate in "
                    f"{moves_in_words(plies)}: more than a Gaviota file can say"
                )
            codes[:] = np.where(legal, values, ILLEGAL)

    list(map_marks(table_index(material), translate, threads=threads))
    return white, black


def gather(values: NDArray[np.uint8], slots: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the values of some slots; negative slots are ILLEGAL."""
    gathered = np.empty(len(slots), dtype=np.uint8)
    _gather(values, slots, gathered)
    return gathered


@entry
def _gather(values, slots, gathered):
    """Write the `values` uint8 [size] of `slots` int64 [n], negative for none, to `gathered`."""
    for i in range(len(slots)):
        gathered[i] = values[slots[i]] if slots[i] >= 0 else ILLEGAL


def fill_illegal(values: NDArray[np.uint8]) -> None:
    """Put neighbours' values where there is no legal position: they compress best."""
    _fill_illegal(values)


@entry
def _fill_illegal(values):
    """Replace ILLEGAL in `values` uint8 [n] by the value before, at the start by the next one."""
    last = np.uint8(GAVIOTA_DRAW)
    for value in values:
        if value != ILLEGAL:
            last = value
            break
    for i in range(len(values)):
        if values[i] == ILLEGAL:
            values[i] = last
        last = values[i]
