"""How many positions a material has: all, up to symmetry, and legal ones.

Two independent ways lead to the number of inequivalent placements. Burnside's lemma
takes the mean, over the symmetries, of how many placements each maps to themselves, and
that number has a formula. Enumeration makes the placements one by one and counts those
that are the smallest of their images. ``docs/symmetry.md`` explains both.

A placement puts all men on distinct squares, the kings not adjacent and pawns on ranks
2 to 7; identical men are not told apart. It is legal with one side to move if the other
side is not in check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.board import (
    BETWEEN,
    D4,
    KING_ATTACKS,
    PAWN_SQUARES,
    SQUARES,
    SYMMETRY_NAMES,
    Color,
    Material,
    PieceType,
    attack_table,
    symmetries_of,
)
from tablebase.errors import InvalidMaterialError

# Up to here every single placement is made; beyond, king pairs that are images of each
# other and kept by no symmetry share one enumeration.
MAX_COUNTED_MEN = 5
MAX_EXHAUSTIVE_MEN = 4

KingPair = tuple[int, int]  # squares of the white and the black king

# All 3,612 placements of two kings.
KING_PAIRS: tuple[KingPair, ...] = tuple(
    (white, black)
    for white, attacks in enumerate(KING_ATTACKS.tolist())
    for black in range(SQUARES)
    if white != black and not attacks >> black & 1
)
_IMAGES: list[list[int]] = D4.tolist()


@dataclass(frozen=True)
class Count:
    """The size of a set of placements that the symmetries map to itself.

    Attributes
    ----------
    inequivalent
        Placements that are the smallest of their images, one for each class.
    fixed
        For each symmetry of the material how many placements it maps to themselves, in
        the order of `tablebase.board.SYMMETRY_NAMES`.
    """

    inequivalent: int
    fixed: tuple[int, ...]

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
            "fixed": _by_name(self.fixed),
            "burnside": self.burnside,
        }


def _by_name(fixed: tuple[int, ...]) -> dict[str, int]:
    """Return numbers, one for each symmetry of a material, by the names of the symmetries."""
    # With pawns the first two are left, see `tablebase.board.PAWN_SYMMETRIES`.
    return dict(zip(SYMMETRY_NAMES, fixed, strict=False))


@dataclass(frozen=True)
class PositionCounts:
    """The numbers of positions of one material.

    Attributes
    ----------
    material
        What was counted.
    all_placements, legal_white_to_move, legal_black_to_move
        Counted by enumeration.
    formula_fixed
        Placements fixed by each symmetry, by formula: the way to Burnside's lemma that
        shares nothing with the enumeration.
    """

    material: Material
    all_placements: Count
    legal_white_to_move: Count
    legal_black_to_move: Count
    formula_fixed: tuple[int, ...]

    @property
    def burnside(self) -> float:
        """The number of inequivalent placements, by formula."""
        return sum(self.formula_fixed) / len(self.formula_fixed)

    @property
    def agrees(self) -> bool:
        """Whether formula and enumeration give the same numbers, as they must."""
        return (
            self.formula_fixed == self.all_placements.fixed
            and self.burnside == self.all_placements.inequivalent
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        return {
            "material": self.material.name,
            "all_placements": self.all_placements.as_dict(),
            "legal_white_to_move": self.legal_white_to_move.as_dict(),
            "legal_black_to_move": self.legal_black_to_move.as_dict(),
            "formula_fixed": _by_name(self.formula_fixed),
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
    placements = _Placements(material)
    symmetries = symmetries_of(has_pawns=material.has_pawns)
    totals = np.zeros((3, 1 + len(symmetries)), dtype=np.int64)
    share = material.piece_count > MAX_EXHAUSTIVE_MEN
    for kings, copies in _king_pairs_to_enumerate(symmetries, share=share):
        tally = placements.tally(kings, symmetries)
        tally[:, 1] *= copies
        totals += tally
    every, white, black = (
        Count(inequivalent, tuple(fixed)) for inequivalent, *fixed in totals.tolist()
    )
    return PositionCounts(material, every, white, black, fixed_placements(material))


# --- by formula -------------------------------------------------------------------------


def fixed_placements(material: Material) -> tuple[int, ...]:
    """Return how many placements each symmetry maps to themselves, by formula.

    A king has no like, so it must stand on a square that the symmetry fixes. Only the
    identity and the two diagonals fix any, and their other squares come in mirrored
    pairs. So each group of identical men is fixed if it consists of men on fixed squares
    and of mirrored pairs.

    Returns
    -------
    tuple[int, ...]
        One number for each symmetry of the material; the identity's, all placements,
        comes first.
    """
    return tuple(
        _fixed_by(material, _IMAGES[symmetry])
        for symmetry in symmetries_of(has_pawns=material.has_pawns)
    )


def _fixed_by(material: Material, images: list[int]) -> int:
    # Of the kings only this matters: how many of them take a square from the pawns.
    kings_among_pawns = Counter(
        sum(king in PAWN_SQUARES for king in kings)
        for kings in KING_PAIRS
        if all(images[king] == king for king in kings)
    )
    return sum(
        number * _completions(material, images, kings)
        for kings, number in kings_among_pawns.items()
    )


def _completions(material: Material, images: list[int], kings_among_pawns: int) -> int:
    """Return in how many ways the men besides the kings can be placed and be fixed."""
    ways = {(0, 0): 1}  # by how many fixed squares and mirrored pairs are taken
    # Pawns first: what they occupy, the pieces could have occupied too.
    for _, piece_type, count in sorted(material.groups, key=lambda group: group[1]):
        is_pawn = piece_type is PieceType.PAWN
        allowed = PAWN_SQUARES if is_pawn else range(SQUARES)
        fixed = sum(images[s] == s for s in allowed)
        pairs = (len(allowed) - fixed) // 2
        fixed -= kings_among_pawns if is_pawn else 2
        extended: Counter[tuple[int, int]] = Counter()
        for (taken_fixed, taken_pairs), before in ways.items():
            for chosen in range(min(count // 2, pairs - taken_pairs) + 1):
                single = count - 2 * chosen
                here = comb(fixed - taken_fixed, single) * comb(pairs - taken_pairs, chosen)
                if here:
                    extended[taken_fixed + single, taken_pairs + chosen] += before * here
        ways = extended
    return sum(ways.values())


# --- by enumeration ---------------------------------------------------------------------


def _king_pairs_to_enumerate(
    symmetries: tuple[int, ...], *, share: bool
) -> Iterator[tuple[KingPair, int]]:
    """Yield king pairs, and for how many of their images each stands.

    If pairs are shared, a pair kept by the identity alone stands for all its images, so
    only the smallest of them is yielded; nothing with these kings is fixed by any other
    symmetry. Every other pair stands for itself.
    """
    for kings in KING_PAIRS:
        images = {_image(kings, symmetry) for symmetry in symmetries}
        if not share or len(images) < len(symmetries):
            yield kings, 1
        elif kings == min(images):
            yield kings, len(symmetries)


def _image(kings: KingPair, symmetry: int) -> KingPair:
    images = _IMAGES[symmetry]
    return images[kings[0]], images[kings[1]]


class _Placements:
    """All placements of the men besides the kings, to be completed by king pairs."""

    def __init__(self, material: Material) -> None:
        self.men = material.men[2:]
        self.groups = material.groups
        self.squares, self.occupied = self._enumerate()  # uint8 [men, n], uint64 [n]
        self.keys = self._keys(self.squares)  # int64 [n]

    def _enumerate(self) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
        """Return the squares of all placements, identical men ascending, and their words."""
        squares = np.zeros((0, 1), dtype=np.uint8)
        occupied = np.zeros(1, dtype=np.uint64)
        for _, piece_type, count in self.groups:
            allowed = PAWN_SQUARES if piece_type is PieceType.PAWN else range(SQUARES)
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

    def _image_keys(self, symmetry: int) -> NDArray[np.int64]:
        """Return the keys of the images under a symmetry, identical men ascending again."""
        images = D4[symmetry][self.squares]
        first = 0
        for _, _, count in self.groups:
            images[first : first + count].sort(axis=0)
            first += count
        return self._keys(images)

    def _in_check(self, color: Color, king: int, occupied: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return in which placements a man attacks the king of a side."""
        check = np.zeros(len(occupied), dtype=np.bool_)
        for (owner, piece_type), squares in zip(self.men, self.squares, strict=True):
            if owner is color:
                continue
            attacks = attack_table(owner, piece_type) >> np.uint64(king) & np.uint64(1) == 1
            # What must be empty for a check from each square; nothing makes up for no attack.
            path = np.where(attacks, BETWEEN[king], ~np.uint64(0))
            check |= path[squares] & occupied == 0
        return check

    def tally(self, kings: KingPair, symmetries: tuple[int, ...]) -> NDArray[np.int64]:
        """Return the counts with the kings on given squares.

        Returns
        -------
        NDArray[np.int64]
            Shape [3, 1 + symmetries]: a row for all placements, those legal with White
            and those with Black to move; in it the number of placements that are the
            smallest of their images, then of those fixed by each symmetry.
        """
        word = np.uint64(1 << kings[0] | 1 << kings[1])
        placed = self.occupied & word == 0
        occupied = self.occupied | word
        sets = (
            placed,
            placed & ~self._in_check(Color.BLACK, kings[1], occupied),
            placed & ~self._in_check(Color.WHITE, kings[0], occupied),
        )
        smallest = np.ones(len(occupied), dtype=np.bool_)
        tally = np.zeros((3, 1 + len(symmetries)), dtype=np.int64)
        for column, symmetry in enumerate(symmetries, start=1):
            image = _image(kings, symmetry)
            if image < kings:
                smallest[:] = False
            elif image == kings:
                keys = self._image_keys(symmetry)
                smallest &= keys >= self.keys
                fixed = keys == self.keys
                tally[:, column] = [np.count_nonzero(fixed & kept) for kept in sets]
        tally[:, 0] = [np.count_nonzero(smallest & kept) for kept in sets]
        return tally
