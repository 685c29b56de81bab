"""Automorphisms of the graph of a man's moves: known groups, and graphs told by hand."""

from math import factorial
from pathlib import Path

import pytest
from support.automorphisms import count_automorphisms

from tablebase.core.board.geometry import PieceType

PAGE = Path(__file__).parents[2] / "docs" / "symmetry.md"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "number"),
    [
        (PieceType.KING, 8),
        (PieceType.QUEEN, 8),
        (PieceType.KNIGHT, 8),
        # Files are permuted, and ranks, and both are exchanged.
        (PieceType.ROOK, 2 * factorial(8) ** 2),
        # Each colour has 128, which `test_a_colour_of_the_bishop` counts, and they are exchanged.
        (PieceType.BISHOP, 2 * 128**2),
    ],
)
def test_the_page_has_the_number(kind, number):
    assert count_automorphisms(kind) == number
    assert f"{number:,}" in PAGE.read_text(encoding="utf-8")


@pytest.mark.thorough
def test_a_colour_of_the_bishop():
    """All permutations of the dark squares, found one square after another."""
    squares = [(x, y) for x in range(8) for y in range(8) if (x + y) % 2 == 0]
    near = {(a, b) for a in squares for b in squares
            if a != b and abs(a[0] - b[0]) == abs(a[1] - b[1])}  # fmt: skip

    def extensions(images):
        if len(images) == len(squares):
            return 1
        here = squares[len(images)]
        return sum(
            extensions([*images, there])
            for there in squares
            if there not in images
            and all(
                ((one, here) in near) == ((image, there) in near)
                for one, image in zip(squares, images, strict=False)
            )
        )

    assert extensions([]) == 128
