"""The number of positions of a material by enumeration: placements made one by one.

Placements that are the smallest of their images are counted, one for each class.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import SQUARES, Color
from tablebase.core.board.movement import is_attacked_by
from tablebase.core.board.shape import BoardShape
from tablebase.core.rules.material import Material
from tablebase.core.rules.refusals import require_mates
from tablebase.core.rules.rules import Rules
from tablebase.count.burnside import (
    KingPair,
    Operation,
    fixed_placements,
    images_of,
    king_pairs,
    operations_of,
    squares_of_groups,
)
from tablebase.count.position_counts import Count, PositionCounts, require_men

# Up to here every single placement is made; beyond, king pairs that are images of each
# other and kept by no symmetry share one enumeration.
MAX_ENUMERATED_MEN = 5
MAX_EXHAUSTIVE_MEN = 4


def enumerate_positions(material: Material) -> PositionCounts:
    """Count the positions of a material of up to five men by enumeration, and by formula.

    With five men, king pairs that are images of each other share one enumeration, unless a symmetry
    keeps them. `InvalidMaterialError` for more men.
    """
    require_men(material, MAX_ENUMERATED_MEN)
    require_mates(material.rules, "counts of positions do")
    formula = fixed_placements(material)
    placements = _Placements(material)
    operations, symmetries = operations_of(material), material.symmetries
    swaps = len(operations) > len(symmetries)
    totals = np.zeros((4, 1 + len(operations)), dtype=np.int64)
    # An exchange of colours would take one legal set to another, so nothing is shared with it.
    share = material.piece_count > MAX_EXHAUSTIVE_MEN and not swaps
    for kings, copies in _king_pairs_to_enumerate(symmetries, material.rules, share=share):
        tally = placements.tally(kings, operations)
        tally[:, 1] *= copies
        totals += tally
    every, white, black = (
        Count(inequivalent, tuple(fixed[: len(symmetries)]), operations[: len(symmetries)])
        for inequivalent, *fixed in totals[:3].tolist()
    )
    inequivalent, *fixed = totals[3].tolist()
    swapped = Count(inequivalent, tuple(fixed), operations) if swaps else None
    return PositionCounts(material, every, white, black, swapped, formula)


def _king_pairs_to_enumerate(
    symmetries: tuple[int, ...], rules: Rules, *, share: bool
) -> Iterator[tuple[KingPair, int]]:
    """Yield king pairs, and for how many of their images each stands.

    If pairs are shared, only the smallest image is yielded of a pair that only the identity keeps;
    no other symmetry keeps anything with these kings.
    """
    for kings in king_pairs(rules):
        images = {_image(kings, (symmetry, False), rules.board) for symmetry in symmetries}
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
        self.movement, self.shields = material.rules.movement, material.rules.shields
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
        """Return one number for each placement, equal only for equal squares."""
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
        """Return the counts with the kings on given squares, int64 [4, 1 + operations].

        Rows: all placements, legal with White and with Black to move, all again. Columns: the
        smallest images (in the last row under all operations), then what each operation keeps.
        """
        word = np.uint64(1 << kings[0] | 1 << kings[1])
        placed = self.occupied & word == 0
        occupied = self.occupied | word
        men = self.men, self.squares
        # A king that has reached its goal has won, and is not to move.
        going_on = [king not in self.material.rules.goal_squares for king in kings]
        is_shielded = self.shields[kings[0]] >> np.uint64(kings[1]) & np.uint64(1)
        legal = [
            placed
            if is_shielded
            else placed & ~is_attacked_by(*men, color, kings[1 - color], occupied, self.movement)
            for color in Color
        ]
        sets = (
            placed,
            *(own & going for own, going in zip(legal, going_on, strict=True)),
            placed,
        )
        smallest = np.ones(len(occupied), dtype=np.bool_)
        tally = np.zeros((4, 1 + len(operations)), dtype=np.int64)
        for swap in (False, True):
            for column, operation in enumerate(operations, start=1):
                image = _image(kings, operation, self.material.rules.board)
                if operation[1] != swap:
                    continue
                if image < kings:
                    smallest[:] = False
                elif image == kings:
                    keys = self._image_keys(operation)
                    smallest &= keys >= self.keys
                    fixed = keys == self.keys
                    tally[:, column] = [np.count_nonzero(fixed & kept) for kept in sets]
            least = [np.count_nonzero(smallest & kept) for kept in sets]
            tally[3 * swap :, 0] = least[3 * swap :]
        return tally
