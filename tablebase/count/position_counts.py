"""Numbers of positions of a material: on the whole board, and up to symmetry.

A placement is legal with a side to move if the other side is not in check; identical men are not
told apart. Of sides with the same men, exchanging colours and top and bottom is one more symmetry
of all placements, but not of the legal ones, since White's turn becomes Black's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.board.symmetry import SYMMETRY_NAMES
from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.rules.material import Material
from tablebase.count.burnside import Operation

# Kinds of rights that positions have.
NO_RIGHT, CASTLING, EN_PASSANT, BOTH = "no_right", "castling", "en_passant", "both"
RIGHTS = (CASTLING, EN_PASSANT, BOTH)


@dataclass(frozen=True)
class Count:
    """The size of a set of placements that the symmetries map to itself."""

    inequivalent: int  # placements that are the smallest of their images
    fixed: tuple[int, ...]  # for each operation, placements that it keeps
    # by `SYMMETRY_NAMES`, then those that follow an exchange of colours
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
    """The numbers of positions of one material."""

    material: Material
    all_placements: Count  # without rights of any kind, like the next two
    legal_white_to_move: Count
    legal_black_to_move: Count
    # all placements up to symmetry with colours exchanged, if sides are equal
    colours_exchanged: Count | None
    formula_fixed: tuple[int, ...]  # placements that each operation keeps, by formula
    # by kind of right and side to move; empty for other games
    rights: Mapping[tuple[str, Color], Count] = field(default_factory=dict)
    is_enumerated: bool = True  # all but `formula_fixed` was counted by enumeration

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

    @property
    def totals(self) -> dict[str, int]:
        """The positions of chess by kinds of right, either side to move; empty for other games.

        Each counts once for all its images. Where both sides have the same men, an exchange of
        colours makes an image as well, so the positions with White to move are all of them.
        """
        if not self.rights:
            return {}
        sides = (Color.WHITE,) if self.material.is_symmetric else tuple(Color)
        legal = self.legal_white_to_move, self.legal_black_to_move
        by_kind = {kind: [self.rights[kind, side] for side in sides] for kind in RIGHTS}
        by_kind = {NO_RIGHT: [legal[side] for side in sides], **by_kind}
        return {kind: sum(one.inequivalent for one in some) for kind, some in by_kind.items()}

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        rights = {
            kind: {
                SIDES[side]: {"positions": one.placements, "inequivalent": one.inequivalent}
                for (name, side), one in self.rights.items()
                if name == kind
            }
            for kind in RIGHTS
        }
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
            "agrees": self.agrees if self.is_enumerated else None,
            **({**rights, "totals": self.totals} if self.rights else {}),
        }


def require_men(material: Material, most: int) -> None:
    """Raise `InvalidMaterialError` if a material has more men than are counted."""
    if material.piece_count > most:
        raise InvalidMaterialError(
            f"{material.name} has {material.piece_count} pieces: positions are counted up to {most}"
        )
