"""Betza's notation: how a piece moves, in a few letters.

An *atom* is a step with all its rotations and reflections: ``W`` one square along a line, ``F`` one
along a diagonal, ``D``, ``N``, ``A`` two squares away, ``H``, ``C``, ``Z``, ``G`` three; ``K`` is
``WF``, ``R`` ``WW``, ``B`` ``FF``, ``Q`` ``RB``. A number repeats the step, a doubled letter
without end (``NN``). Before it stand directions, ``f b l r v s``, and ``m`` (only moves) or ``c``
(only captures). Where Betza's descriptions differ, this reads as Fairy-Stockfish does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tablebase.core.board.geometry import Vector
from tablebase.core.board.movement import UNLIMITED, Step, Steps
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.ground.words import quoted

_ATOMS: dict[str, Vector] = {
    "W": (0, 1),
    "F": (1, 1),
    "D": (0, 2),
    "N": (1, 2),
    "A": (2, 2),
    "H": (0, 3),
    "C": (1, 3),
    "L": (1, 3),
    "Z": (2, 3),
    "J": (2, 3),
    "G": (3, 3),
}
# What other letters stand for, and whether the step is repeated.
_COMPOUNDS: dict[str, tuple[str, bool]] = {
    "K": ("WF", False),
    "R": ("W", True),
    "B": ("F", True),
    "Q": ("WF", True),
}
_TERM = re.compile(r"([a-z]*)([A-Z])(\d|\2)?")
_UNKNOWN = {
    "p": "hoppers",
    "g": "hoppers",
    "n": "moves that can be blocked half-way",
    "i": "first moves",
}

# Letters of a piece's moves: far more than one needs, and so few that reading them takes no time.
MOST_LETTERS = 200

# What a letter demands of a vector. An oblique one, like that of a knight, must also point mainly
# along the files (f, b, v) or along the ranks (l, r, s).
_DIRECTIONS: dict[str, Callable[[int, int], bool]] = {
    "f": lambda _, dy: dy > 0,
    "b": lambda _, dy: dy < 0,
    "v": lambda _, dy: dy != 0,
    "r": lambda dx, _: dx > 0,
    "l": lambda dx, _: dx < 0,
    "s": lambda dx, _: dx != 0,
}
_ALONG_FILES = "fbv"
# A letter of one group is read together with a following one of the other group. The second letter
# says along which lines an oblique vector points.
_READ_TOGETHER = (("fbvh", tuple("rlsh")), ("rlsh", tuple("fbvh")))
_PAIRS = {"fr", "fl", "fs", "br", "bl", "bs", "rf", "lf", "rb", "lb", "rv", "lv"}
# Halves of the eight vectors of an oblique atom: to one side, or rotations of one vector.
_HALVES: dict[str, Callable[[int, int], bool]] = {
    "fh": lambda _, dy: dy > 0,
    "bh": lambda _, dy: dy < 0,
    "rh": lambda dx, _: dx > 0,
    "lh": lambda dx, _: dx < 0,
    "hr": lambda dx, dy: (dx * dy > 0) == (abs(dy) > abs(dx)),
    "hl": lambda dx, dy: (dx * dy > 0) != (abs(dy) > abs(dx)),
}


def read_betza(notation: str, *, captures: bool = True) -> Steps:
    """Read how a piece moves, as White's pieces do: one `Step` a direction, in ascending order.

    `InvalidRulesError` names letters that are not known, and texts of more than `MOST_LETTERS`.

    >>> read_betza("fR")
    (Step(dx=0, dy=1, reach=7),)
    >>> len(read_betza("BN"))
    12
    >>> read_betza("mRcbW", captures=False) == read_betza("R")
    True
    """
    reaches: dict[Vector, int] = {}
    left_out = "m" if captures else "c"
    for term, letters, letter, times in _terms(notation):
        atoms, rides = _COMPOUNDS.get(letter, (letter, False))
        if atoms[0] not in _ATOMS:
            raise InvalidRulesError(f"unknown piece {quoted(letter)} in {quoted(notation)}")
        if rides and times == letter:
            raise InvalidRulesError(
                f"{quoted(letter)} stands twice in {quoted(notation)}: once is enough"
            )
        reach = UNLIMITED if rides or times == letter else 1
        if times is not None and times.isdigit():
            reach = min(int(times) or UNLIMITED, UNLIMITED)
        only = set("mc").intersection(letters)
        directions = list(_directions(re.sub("[mc]", "", letters), atoms, term))
        if only == {left_out}:
            atoms = ""
        for vector in (one for atom in atoms for one in _vectors(atom, directions)):
            # As often as the board allows is without limit, so that equal moves are written alike.
            fits = UNLIMITED // max(map(abs, vector))
            times_here = UNLIMITED if 1 < fits <= reach else reach
            if 1 < reaches.get(vector, 1) != times_here > 1:
                raise InvalidRulesError(f"{quoted(notation)} repeats a step in two ways")
            reaches[vector] = max(times_here, reaches.get(vector, 0))
    return tuple(sorted(Step(*vector, reach) for vector, reach in reaches.items()))


def _terms(notation: str) -> Iterator[tuple[str, str, str, str | None]]:
    """Yield each part of a notation: as a whole, small letters, capital, number or second capital.

    A notation that does not consist of parts, or is too long, is an error.
    """
    if len(notation) > MOST_LETTERS:
        raise InvalidRulesError(
            f"{quoted(notation)} is too long: moves take up to {MOST_LETTERS} letters"
        )
    end = 0
    for match in _TERM.finditer(notation):
        if match.start() != end:
            break
        end = match.end()
        letters, letter, times = match.groups()
        yield match[0], letters, letter, times
    if end != len(notation) or not end:
        raise InvalidRulesError(f"{quoted(notation)} is not a piece's moves in Betza's notation")


def _directions(letters: str, atoms: str, term: str) -> Iterator[str]:
    """Yield the directions that the letters before atoms name, pairs of letters read together."""
    while letters:
        one, two = letters[0], letters[:2]
        is_pair = any(one in group and two[1:] in other for group, other in _READ_TOGETHER)
        if is_pair and len(atoms) > 1:
            raise InvalidRulesError(
                f"{quoted(term)} can be read in two ways: write its parts apart"
            )
        if is_pair and two not in _PAIRS and two not in _HALVES:
            raise InvalidRulesError(f"unknown pair of directions {quoted(two)} in {quoted(term)}")
        if two in _HALVES and not _is_oblique(_ATOMS[atoms]):
            raise InvalidRulesError(
                f"in {quoted(term)}, {quoted(two)} chooses among the moves of N, C or Z only"
            )
        if not is_pair and one not in _DIRECTIONS:
            about = f" ({_UNKNOWN[one]})" if one in _UNKNOWN else ""
            raise InvalidRulesError(f"unknown letter {quoted(one)}{about} in {quoted(term)}")
        yield two if is_pair else one
        letters = letters[2 if is_pair or two == 2 * one else 1 :]


def _is_oblique(vector: Vector) -> bool:
    return 0 not in vector and abs(vector[0]) != abs(vector[1])


def _vectors(atom: str, directions: list[str]) -> Iterator[Vector]:
    """Yield the steps of an atom in some directions, in all if none is named."""
    for vector in _images(_ATOMS[atom]):
        if not directions or any(_points(vector, direction) for direction in directions):
            yield vector


def _images(vector: Vector) -> set[Vector]:
    """Return a vector with its rotations and reflections."""
    x, y = vector
    return {
        (across * dx, up * dy)
        for dx, dy in ((x, y), (y, x))
        for across in (1, -1)
        for up in (1, -1)
    }


def _points(vector: Vector, direction: str) -> bool:
    """Return whether a vector points in a direction, which has one letter or two."""
    if direction in _HALVES:
        return _HALVES[direction](*vector)
    fits = (_DIRECTIONS[letter](*vector) for letter in direction)
    if 0 in vector:
        return any(fits)  # along a line, both letters cannot hold: fsW goes forward and sideways
    along_files = abs(vector[1]) > abs(vector[0])
    return all(fits) and (not _is_oblique(vector) or along_files == (direction[-1] in _ALONG_FILES))
