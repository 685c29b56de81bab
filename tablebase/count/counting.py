"""The number of positions of a material: all, up to symmetry, legal ones, and those with rights.

Burnside's lemma takes the mean of how many positions each symmetry keeps: `burnside` counts
placements, `legal_positions` legal positions of chess, `enumeration` other games, as a check of the
formulas. ``docs/symmetry.md`` explains the ways.
"""

from __future__ import annotations

from tablebase.core.board.geometry import Color
from tablebase.core.board.symmetry import ANTIDIAGONAL, DIAGONAL, IDENTITY, MIRROR
from tablebase.core.ground.argument_readers import as_flag
from tablebase.core.rules.material import Material, all_materials
from tablebase.count.burnside import Operation, fixed_placements, operations_of
from tablebase.count.enumeration import enumerate_positions
from tablebase.count.legal_positions import legal_placements, positions_with_rights
from tablebase.count.position_counts import (
    CASTLING,
    EN_PASSANT,
    NO_RIGHT,
    RIGHTS,
    Count,
    PositionCounts,
    require_men,
)

MAX_COUNTED_MEN = 8


def count_positions(material: Material, *, as_nulp: bool = False) -> PositionCounts:
    """Count the positions of a material: of chess by formula, of other games by enumeration.

    Parameters
    ----------
    material
        The men: up to eight of chess, up to five of another game.
    as_nulp
        Whether en passant is counted as Kirill Kryukov's NULP does, see `positions_with_rights`.

    Raises
    ------
    InvalidMaterialError
        If the material has too many men.

    Examples
    --------
    >>> counts = count_positions(Material.from_name("KRK"))
    >>> counts.all_placements.placements, counts.all_placements.inequivalent
    (223944, 28056)
    """
    as_nulp = as_flag("as_nulp", as_nulp)
    if material.rules.mark:
        return enumerate_positions(material)
    require_men(material, MAX_COUNTED_MEN)
    operations, symmetries = operations_of(material), material.symmetries
    formula = fixed_placements(material)
    own = operations[: len(symmetries)]
    swaps = len(operations) > len(own)
    return PositionCounts(
        material,
        _burnside(formula[: len(own)], own),
        _legal(material, Color.WHITE, own),
        _legal(material, Color.BLACK, own),
        _burnside(formula, operations) if swaps else None,
        formula,
        {
            (kind, side): _with_rights(material, side, kind, as_nulp=as_nulp)
            for kind in RIGHTS
            for side in Color
        },
        is_enumerated=False,
    )


def _burnside(fixed: tuple[int, ...], operations: tuple[Operation, ...]) -> Count:
    mean, rest = divmod(sum(fixed), len(fixed))
    assert not rest
    return Count(mean, fixed, operations)


def _legal(material: Material, side: Color, operations: tuple[Operation, ...]) -> Count:
    """Return the legal positions with a side to move."""
    every, kept = legal_placements(material, side)
    by_operation = {IDENTITY: every, DIAGONAL: kept, ANTIDIAGONAL: kept}
    return _burnside(tuple(by_operation.get(one, 0) for one, _ in operations), operations)


def _with_rights(material: Material, side: Color, kind: str, *, as_nulp: bool) -> Count:
    """Return the positions with rights of a kind and a side to move."""
    castling, en_passant = kind != EN_PASSANT, kind != CASTLING
    number = positions_with_rights(
        material, side, castling=castling, en_passant=en_passant, as_nulp=as_nulp
    )
    if castling:
        return Count(number, (number,), ((IDENTITY, False),))
    return Count(number, (2 * number, 0), ((IDENTITY, False), (MIRROR, False)))


def count_all(men: int, *, as_nulp: bool = False) -> dict[str, int]:
    """Return the positions of all materials of some men, by kinds of right.

    Each position counts once for all its images, an exchange of colours included.
    """
    as_nulp = as_flag("as_nulp", as_nulp)
    totals = dict.fromkeys((NO_RIGHT, *RIGHTS), 0)
    for material in all_materials(men):
        operations = operations_of(material)[: len(material.symmetries)]
        for side in (Color.WHITE,) if material.is_symmetric else Color:
            totals[NO_RIGHT] += _legal(material, side, operations).inequivalent
            for kind in RIGHTS:
                found = _with_rights(material, side, kind, as_nulp=as_nulp)
                totals[kind] += found.inequivalent
    return totals
