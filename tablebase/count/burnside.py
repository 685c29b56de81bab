"""The number of placements that each symmetry of a material maps to themselves, by formula.

It shares with the enumeration of `counting` only where men may stand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import PieceType, kings_touch
from tablebase.core.board.shape import BoardShape
from tablebase.core.board.symmetry import COMPOSE, D4, FLIP
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Rules

KingPair = tuple[int, int]  # squares of the white and the black king
Operation = tuple[int, bool]  # a symmetry of the board, and whether colours are exchanged, too


class _Cell(NamedTuple):
    """Squares that men can only take together, by what stands there."""

    size: int  # men of a group that take the cell
    ways: tuple[int, ...]  # in how many ways each group can, 0 if its men may not stand there


def fixed_placements(material: Material) -> tuple[int, ...]:
    """Return the number of placements that each operation of `operations_of` keeps, by formula.

    Kings need fixed squares, which only the identity and the diagonals have; groups of identical
    men take fixed squares and mirrored pairs. If colours are exchanged, each white man needs its
    black like on the image of its square.
    """
    operations = operations_of(material)
    return tuple(
        (_fixed_by_exchange if operation[1] else _fixed_by)(
            material, images_of(material.rules.board, operation).tolist()
        )
        for operation in operations
    )


def operations_of(material: Material) -> tuple[Operation, ...]:
    """Return the symmetries, then, if both sides have the same men, those with colours exchanged.

    The latter are left out if both together are no group (the diagonal and an exchange of top and
    bottom make a quarter turn), so that Burnside's lemma does not hold.
    """
    symmetries = material.symmetries
    flipped = {int(COMPOSE[FLIP, COMPOSE[symmetry, FLIP]]) for symmetry in symmetries}
    swaps = material.is_symmetric and flipped == set(symmetries)
    # White's pawns go up and Black's down, so colours change with top and bottom.
    exchanging = sorted(int(COMPOSE[FLIP, symmetry]) for symmetry in symmetries)
    return (*((t, False) for t in symmetries), *((t, True) for t in exchanging if swaps))


def _fixed_by_exchange(material: Material, images: list[int]) -> int:
    # One of White's men on a square, its black like on the image; the later groups are Black's.
    groups = squares_of_groups(material)[: len(material.groups) // 2]
    cell_of = {
        square: _Cell(1, tuple((square in one) + (image in one) for one, _ in groups))
        for square, image in enumerate(images)
        if square != image
    }
    kings = [
        (white, black)
        for white, black in king_pairs(material.rules)
        if images[white] == black and images[black] == white
    ]
    cells = Counter(cell for square, cell in cell_of.items() if square < images[square])
    taken: Counter[tuple[_Cell, ...]] = Counter((cell_of[white],) for white, _ in kings)
    return _with_kings(cells, taken, [count for _, count in groups])


def squares_of_groups(material: Material) -> list[tuple[Sequence[int], int]]:
    """Return on which squares the men besides the kings may stand, and how many are alike."""
    board, pawn_squares = material.rules.board.squares, material.rules.pawn_squares
    return [
        (sorted(pawn_squares[color]) if man is PieceType.PAWN else board, count)
        for color, man, count in material.groups
    ]


@cache
def king_pairs(rules: Rules) -> tuple[KingPair, ...]:
    """Return all placements of two kings: 3,612 in chess, 4,032 if they may touch."""
    return tuple(
        (white, black)
        for white in rules.board.squares
        for black in rules.board.squares
        if (white != black if rules.blast else not kings_touch(white, black))
    )


def _with_kings(
    cells: Counter[_Cell], kings: Counter[tuple[_Cell, ...]], counts: Sequence[int]
) -> int:
    """Return in how many ways kings and groups of men, `counts` of each, can be placed.

    `cells` and `kings` count the cells of each kind, and the placements of kings that take some.
    """
    total = 0
    for taken, number in kings.items():
        left = cells - Counter(taken)
        ways = {tuple(left.values()): 1}  # by how many cells of each kind are left
        for group, count in enumerate(counts):
            extended: Counter[tuple[int, ...]] = Counter()
            for state, before in ways.items():
                for after, here in _choices(tuple(left), state, group, count):
                    extended[after] += before * here
            ways = extended
        total += number * sum(ways.values())
    return total


def _choices(
    kinds: Sequence[_Cell], left: tuple[int, ...], group: int, count: int
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield how many cells of each kind may be left by a group of men, and in how many ways."""
    if not kinds:
        if not count:
            yield (), 1
        return
    (size, ways), number = kinds[0], left[0]
    most = min(number, count // size) if ways[group] else 0
    for chosen in range(most + 1):
        here = comb(number, chosen) * ways[group] ** chosen
        for after, others in _choices(kinds[1:], left[1:], group, count - size * chosen):
            yield (number - chosen, *after), here * others


def _fixed_by(material: Material, images: list[int]) -> int:
    # One man on a square that the symmetry fixes, or two alike on squares that it exchanges.
    groups = squares_of_groups(material)
    cell_of = {
        square: _Cell(
            1 if square == image else 2,
            tuple(int(square in one and image in one) for one, _ in groups),
        )
        for square, image in enumerate(images)
    }
    every = king_pairs(material.rules)
    kings = [pair for pair in every if all(images[king] == king for king in pair)]
    cells = Counter(cell for square, cell in cell_of.items() if square <= images[square])
    taken: Counter[tuple[_Cell, ...]] = Counter(
        (cell_of[white], cell_of[black]) for white, black in kings
    )
    return _with_kings(cells, taken, [count for _, count in groups])


@cache
def images_of(board: BoardShape, operation: Operation) -> NDArray[np.uint8]:
    """Return the image of each square under an operation, shape [64].

    Colours are exchanged together with top and bottom of the board, wherever that is.
    """
    symmetry, swapped = operation
    images: NDArray[np.uint8] = D4[symmetry]
    return board.flip[D4[COMPOSE[FLIP, symmetry]]] if swapped else images
