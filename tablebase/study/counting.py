"""The number of positions of a material: all, up to symmetry, and legal ones.

Two independent ways lead to the number of inequivalent placements. Burnside's lemma
takes the mean, over the symmetries, of how many placements each maps to themselves, and
that number has a formula. Enumeration makes the placements one by one and counts those
that are the smallest of their images. ``docs/symmetry.md`` explains both.

A placement puts all men on distinct squares, the kings not adjacent and pawns where they do
not promote; identical men are not told apart. It is legal with one side to move if the other
side is not in check.

Where both sides have the same men, exchanging the colours (and top and bottom) is one more
symmetry. It takes White's turn to Black's, so it maps the set of all placements to itself, but
not the legal ones of a side to move.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.board import (
    SQUARES,
    SYMMETRY_NAMES,
    BoardShape,
    Color,
    is_attacked_by,
)
from tablebase.errors import InvalidMaterialError
from tablebase.rules import Material
from tablebase.study.burnside import (
    KingPair,
    Operation,
    fixed_placements,
    images_of,
    king_pairs,
    operations_of,
    squares_of_groups,
)

# Up to here every single placement is made; beyond, king pairs that are images of each
# other and kept by no symmetry share one enumeration.
MAX_COUNTED_MEN = 5
MAX_EXHAUSTIVE_MEN = 4


@dataclass(frozen=True)
class Count:
    """The size of a set of placements that the symmetries map to itself.

    Attributes
    ----------
    inequivalent
        Placements that are the smallest of their images, one for each class.
    fixed
        For each operation how many placements it maps to themselves.
    operations
        The symmetries of the material in the order of `tablebase.board.SYMMETRY_NAMES`, then, if
        colours are exchanged, those that follow upon this.
    """

    inequivalent: int
    fixed: tuple[int, ...]
    operations: tuple[Operation, ...]

    @property
    def placements(self) -> int:
        """The size of the set on the whole board: what the identity fixes."""
        return self.fixed[0]

    @property
    def burnside(self) -> float:
        """The number of classes by Burnside's lemma, the mean of `fixed`."""
        return sum(self.fixed) / len(self.fixed)

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        return {
            "placements": self.placements,
            "inequivalent": self.inequivalent,
            "fixed": _by_name(self.operations, self.fixed),
            "burnside": self.burnside,
        }


def _by_name(operations: tuple[Operation, ...], fixed: tuple[int, ...]) -> dict[str, int]:
    """Return numbers, one for each operation on a material, by the names of the operations."""
    names = (SYMMETRY_NAMES[t] + ", colours exchanged" * exchanged for t, exchanged in operations)
    return dict(zip(names, fixed, strict=True))


@dataclass(frozen=True)
class PositionCounts:
    """The numbers of positions of one material.

    Attributes
    ----------
    material
        What was counted.
    all_placements, legal_white_to_move, legal_black_to_move
        Counted by enumeration.
    colours_exchanged
        All placements again, if both sides have the same men: those that are images of each other
        with the colours exchanged are equivalent, too.
    formula_fixed
        Placements fixed by each operation, by formula: the way to Burnside's lemma that
        shares nothing with the enumeration. The symmetries of the board come first.
    """

    material: Material
    all_placements: Count
    legal_white_to_move: Count
    legal_black_to_move: Count
    colours_exchanged: Count | None
    formula_fixed: tuple[int, ...]

    @property
    def formulas(self) -> list[Count]:
        """Burnside's lemma applied to the formulas, without and with exchange of colours."""
        counted = [one for one in (self.all_placements, self.colours_exchanged) if one]
        sets = [(self.formula_fixed[: len(one.fixed)], one.operations) for one in counted]
        return [Count(sum(fixed) // len(fixed), fixed, operations) for fixed, operations in sets]

    @property
    def burnside(self) -> float:
        """The number of inequivalent placements, by formula."""
        return self.formulas[0].burnside

    @property
    def agrees(self) -> bool:
        """Whether formula and enumeration give the same numbers, as they must."""
        counted = [self.all_placements, self.colours_exchanged][: len(self.formulas)]
        return counted == self.formulas and all(
            one.burnside == one.inequivalent for one in self.formulas
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        return {
            "material": self.material.name,
            "all_placements": self.all_placements.as_dict(),
            "legal_white_to_move": self.legal_white_to_move.as_dict(),
            "legal_black_to_move": self.legal_black_to_move.as_dict(),
            "colours_exchanged": self.colours_exchanged and self.colours_exchanged.as_dict(),
            "formula_fixed": _by_name(
                (self.colours_exchanged or self.all_placements).operations, self.formula_fixed
            ),
            "burnside": self.burnside,
            "agrees": self.agrees,
        }


def count_positions(material: Material) -> PositionCounts:
    """Count the positions of a material, by enumeration and by formula.

    Up to four men every placement is made. With five, king pairs that are images of each
    other share one enumeration, unless a symmetry keeps them.

    Raises
    ------
    InvalidMaterialError
        If the material has more than five men.

    Examples
    --------
    >>> counts = count_positions(Material.from_name("KRK"))
    >>> counts.all_placements.placements, counts.all_placements.inequivalent
    (223944, 28056)
    """
    if material.piece_count > MAX_COUNTED_MEN:
        raise InvalidMaterialError(
            f"{material.name} has {material.piece_count} men: positions are counted up to "
            f"{MAX_COUNTED_MEN}"
        )
    formula = fixed_placements(material)
    placements = _Placements(material)
    operations, symmetries = operations_of(material), material.symmetries
    exchange = len(operations) > len(symmetries)
    totals = np.zeros((4, 1 + len(operations)), dtype=np.int64)
    # An exchange of colours would take one legal set to another, so nothing is shared with it.
    share = material.piece_count > MAX_EXHAUSTIVE_MEN and not exchange
    for kings, copies in _king_pairs_to_enumerate(symmetries, material.rules.board, share=share):
        tally = placements.tally(kings, operations)
        tally[:, 1] *= copies
        totals += tally
    every, white, black = (
        Count(inequivalent, tuple(fixed[: len(symmetries)]), operations[: len(symmetries)])
        for inequivalent, *fixed in totals[:3].tolist()
    )
    inequivalent, *fixed = totals[3].tolist()
    exchanged = Count(inequivalent, tuple(fixed), operations) if exchange else None
    return PositionCounts(material, every, white, black, exchanged, formula)


# --- by enumeration ---------------------------------------------------------------------


def _king_pairs_to_enumerate(
    symmetries: tuple[int, ...], board: BoardShape, *, share: bool
) -> Iterator[tuple[KingPair, int]]:
    """Yield king pairs, and for how many of their images each stands.

    If pairs are shared, a pair kept by the identity alone stands for all its images, so
    only the smallest of them is yielded; nothing with these kings is fixed by any other
    symmetry. Every other pair stands for itself.
    """
    for kings in king_pairs(board):
        images = {_image(kings, (symmetry, False), board) for symmetry in symmetries}
        if not share or len(images) < len(symmetries):
            yield kings, 1
        elif kings == min(images):
            yield kings, len(symmetries)


def _image(kings: KingPair, operation: Operation, board: BoardShape) -> KingPair:
    images = images_of(board, operation)
    white, black = kings[::-1] if operation[1] else kings
    return int(images[white]), int(images[black])


class _Placements:
    """All placements of the men besides the kings, to be completed by king pairs."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.men = material.men[2:]
        self.movement = material.rules.movement
        self.groups = material.groups
        self.squares, self.occupied = self._enumerate()  # uint8 [men, n], uint64 [n]
        self.keys = self._keys(self.squares)  # int64 [n]

    def _enumerate(self) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
        """Return the squares of all placements, identical men ascending, and their words."""
        squares = np.zeros((0, 1), dtype=np.uint8)
        occupied = np.zeros(1, dtype=np.uint64)
        for allowed, count in squares_of_groups(self.material):
            added = np.array(list(combinations(allowed, count)), dtype=np.uint8).T
            words = np.bitwise_or.reduce(np.uint64(1) << added.astype(np.uint64), axis=0)
            old, new = np.nonzero((occupied[:, None] & words[None, :]) == 0)
            squares = np.concatenate((squares[:, old], added[:, new]))
            occupied = occupied[old] | words[new]
        return squares, occupied

    def _keys(self, squares: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return one number for each placement, equal only for the same squares."""
        keys = np.zeros(squares.shape[1], dtype=np.int64)
        for row in squares:
            keys = keys * SQUARES + row
        return keys

    def _image_keys(self, operation: Operation) -> NDArray[np.int64]:
        """Return the keys of the images under an operation, identical men ascending again."""
        # Black's men follow White's in the same order, so half of them all round exchanges both.
        half = len(self.men) // 2 if operation[1] else 0
        images = images_of(self.material.rules.board, operation)[self.squares]
        images = np.roll(images, half, axis=0)
        first = 0
        for _, _, count in self.groups:
            images[first : first + count].sort(axis=0)
            first += count
        return self._keys(images)

    def tally(self, kings: KingPair, operations: tuple[Operation, ...]) -> NDArray[np.int64]:
        """Return the counts with the kings on given squares.

        Returns
        -------
        NDArray[np.int64]
            Shape [4, 1 + operations]: a row for all placements, those legal with White
            and those with Black to move; in it the number of placements that are the
            smallest of their images under the symmetries, then of those fixed by each
            operation. The last row is all placements again, the smallest under all operations.
        """
        word = np.uint64(1 << kings[0] | 1 << kings[1])
        placed = self.occupied & word == 0
        occupied = self.occupied | word
        men = self.men, self.squares
        # A king that has reached its goal has won, and is not to move.
        going_on = [king not in self.material.rules.goal_squares for king in kings]
        legal = [
            placed & ~is_attacked_by(*men, color, kings[1 - color], occupied, self.movement)
            for color in Color
        ]
        sets = (
            placed,
            *(own & going for own, going in zip(legal, going_on, strict=True)),
            placed,
        )
        smallest = np.ones(len(occupied), dtype=np.bool_)
        tally = np.zeros((4, 1 + len(operations)), dtype=np.int64)
        for exchange in (False, True):
            for column, operation in enumerate(operations, start=1):
                image = _image(kings, operation, self.material.rules.board)
                if operation[1] != exchange:
                    continue
                if image < kings:
                    smallest[:] = False
                elif image == kings:
                    keys = self._image_keys(operation)
                    smallest &= keys >= self.keys
                    fixed = keys == self.keys
                    tally[:, column] = [np.count_nonzero(fixed & kept) for kept in sets]
            least = [np.count_nonzero(smallest & kept) for kept in sets]
            tally[3 * exchange :, 0] = least[3 * exchange :]
        return tally
