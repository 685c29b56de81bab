"""Numbers of positions without royal kings: one slot counts for each, whichever man leads."""

from itertools import product
from math import comb

import numpy as np
import pytest
from support.few import few
from support.variants import ANTICHESS

from tablebase.core.board.geometry import NOBODY, Color, PieceType
from tablebase.core.board.symmetry import D4
from tablebase.core.index.legality import NO_POSITION, WEIGHT_SHIFT, is_counted, mark_slots
from tablebase.core.index.numbering import table_index
from tablebase.core.index.weights import BROKEN, PARTS
from tablebase.core.rules.material import Material

NAMES = ["RvK", "KvK", "KvP", "PvP", "RRvK", "KPvP", "RRvKK"]


def named(name):
    return Material.from_name(name, ANTICHESS)


def squares_of(material, rng, count):
    """Return squares of men on random places, no two on one, and pawns on their ranks."""
    found = []
    while len(found) < count:
        row = rng.choice(64, len(material.men), replace=False)
        for i, (_, man) in enumerate(material.men):
            if man is NOBODY:
                row[i] = 0
        men = {int(at): man for at, (_, man) in zip(row, material.men) if man is not NOBODY}  # noqa: B905
        if all(8 <= at < 56 for at, man in men.items() if man is PieceType.PAWN):
            found.append(row)
    return np.array(found, dtype=np.uint8)


@pytest.mark.parametrize("name", few(NAMES, "RvK", "KvP", "PvP", "RRvK"))
def test_all_images_and_twins_share_an_index(name):
    material = named(name)
    index = table_index(material)
    boards = squares_of(material, np.random.default_rng(1), 200)
    numbers = index.encode_many(boards)
    men = list(material.men)
    for symmetry in index.symmetries:
        images = D4[symmetry][boards]
        for color, lead in enumerate(men[:2]):
            for twin in (i for i in range(2, len(men)) if men[i] == lead):
                images[:, [color, twin]] = images[:, [twin, color]]
        assert (index.encode_many(images) == numbers).all()
    squares, valid = index.decode_many(numbers)
    assert valid.all()
    assert (index.encode_many(squares) == numbers).all()


@pytest.mark.parametrize("name", few(NAMES, "RvK", "KvP", "PvP", "RRvK"))
def test_counted_slots_are_as_many_as_burnside_says(name):
    material = named(name)
    index = table_index(material)
    marks = mark_slots(index)
    for color in Color:
        assert is_counted(marks, color).sum() == burnside(material, index.symmetries)
    there = marks[marks != NO_POSITION]
    weights = there[there >> WEIGHT_SHIFT != BROKEN] >> WEIGHT_SHIFT
    images = sum(
        len(index.symmetries) // part * int((weights == weight).sum())
        for weight, part in PARTS.items()
    )
    assert images == placements(material)


def placements(material):
    """Return in how many ways the men stand on different squares."""
    return fixed_placements(material, 0)


def burnside(material, symmetries):
    """Return the number of placements up to symmetry: the mean number that a symmetry keeps."""
    total = sum(fixed_placements(material, t) for t in symmetries)
    assert total % len(symmetries) == 0
    return total // len(symmetries)


def fixed_placements(material, symmetry):
    """Return the number of placements that a symmetry keeps, orbit by orbit of squares."""
    orbits, seen = [], set()
    for at in range(64):
        orbit, here = [], at
        while here not in seen:
            seen.add(here)
            orbit.append(here)
            here = int(D4[symmetry, here])
        if orbit:
            orbits.append(orbit)
    classes = sorted({man for man in material.men if man[1] is not NOBODY})
    counts = [material.men.count(man) for man in classes]
    inner = [(len(o), all(8 <= at < 56 for at in o)) for o in orbits]
    kinds = sorted(set(inner))
    free = [inner.count(kind) for kind in kinds]
    return _ways(classes, counts, kinds, free)


def _ways(classes, counts, kinds, free):
    if not classes:
        return 1
    is_pawn = classes[0][1] is PieceType.PAWN
    total = 0
    for chosen in product(*(range(n + 1) for n in _most(counts[0], kinds, free))):
        used = sum(n * size for n, (size, _) in zip(chosen, kinds, strict=True))
        outside = any(n and not ok for n, (_, ok) in zip(chosen, kinds, strict=True))
        if used != counts[0] or (is_pawn and outside):
            continue
        ways = 1
        for n, left in zip(chosen, free, strict=True):
            ways *= comb(left, n)
        left = [a - n for a, n in zip(free, chosen, strict=True)]
        total += ways * _ways(classes[1:], counts[1:], kinds, left)
    return total


def _most(count, kinds, free):
    return [min(count // size, n) for (size, _), n in zip(kinds, free, strict=True)]
