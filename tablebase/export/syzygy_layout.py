"""The numbering of Syzygy files: groups of men, the digits of a cell, and their decoding.

The first men *lead*: three single men, both kings, or the pawns of a side; where no king is royal,
the two single men that there are, or men that are alike. Symmetry is taken from
them. Each further group of identical men is a combination of the squares left over; the writer
chooses which digit runs fastest. python-chess, Fathom and Stockfish read the format;
``docs/export.md`` describes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations, permutations, product
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import NOBODY, Color, PieceType
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.index.combinations import BINOMIALS
from tablebase.core.index.numbering import MAX_MEN_OF_INDEX
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.core.rules.material import Man, Material
from tablebase.export.syzygy_games import syzygy_game

PAWN_FILES = 4  # of the leading pawn, each with a table of its own
NO_ORDER = 15
_TRIANGLE = (1, 2, 3, 10, 11, 19, 0, 9, 18, 27)  # below the diagonal, then on it


class Ordering(NamedTuple):
    """The order of a table's men in a file."""

    men: tuple[int, ...]  # positions in `Material.men`, in the order of the file
    lead: int  # groups that run faster than the leading group
    second: int = NO_ORDER  # likewise for the other side's pawns


class Cells(NamedTuple):
    """The numbering of a table's cells, for kernels; the digits of the leading men come first."""

    lead_squares: NDArray[np.uint8]  # [leads, leading men]
    places: NDArray[np.int64]  # [men] position in `Material.men` of each man in the file's order
    sizes: NDArray[np.int64]  # [digits] men of each group
    factors: NDArray[np.int64]  # [digits] cells between neighbouring values of the digit
    counts: NDArray[np.int64]  # [digits] values of the digit
    lowest: NDArray[np.int64]  # [digits] first square that the group may stand on
    by_speed: NDArray[np.int64]  # [digits] the digits, the fastest first


def piece_code(material: Material, man: int) -> int:
    """Return a man's code in files, by its position in `Material.men`: 1 to 6, Black's 8 more."""
    color, kind = material.men[man]
    return int(kind) + (8 if color is Color.BLACK else 0)


def orderings(material: Material) -> Iterator[Ordering]:
    """Yield the orders of men and digits that a file may have, but one for each set that leads.

    Leading pieces come in the order of `Material.men`; `with_other_leads` has the rest.
    """
    groups: dict[object, tuple[int, ...]] = {}
    for i, kind in men_on_board(material):
        groups[kind] = (*groups.get(kind, ()), i)
    if material.has_pawns:
        color, _, others = leading_pawns(material)
        lead = groups.pop((color, PieceType.PAWN))
        second = groups.pop((Color(1 - color), PieceType.PAWN), ())
        for rest in permutations(groups.values()):
            men = (*lead, *second, *chain(*rest))
            digits = len(rest) + 1 + bool(others)
            for first in range(digits):
                for next_digit in range(digits) if others else (NO_ORDER,):
                    if next_digit != first:
                        yield Ordering(men, first, next_digit)
        return
    for lead in _leads(material, groups.values()):
        for rest in permutations(group for group in groups.values() if group[0] not in lead):
            for place in range(len(rest) + 1):
                yield Ordering((*lead, *chain(*rest)), place)


def leading_pawns(material: Material) -> tuple[Color, int, int]:
    """Return the colour of the leading pawns, how many there are, and how many other pawns."""
    white, black = (material.of(color).count(PieceType.PAWN) for color in Color)
    if black and (not white or black < white):
        return Color.BLACK, black, white
    return Color.WHITE, white, black


def lead_size(material: Material) -> int:
    """Return the number of leading men."""
    if material.has_pawns:
        return leading_pawns(material)[1]
    if has_like_leads(material):
        return min(count for count in Counter(material.men).values() if count > 1)
    return 3 if len(_unique(material)) >= 3 else 2


def men_on_board(material: Material) -> list[tuple[int, Man]]:
    """Return the men by their positions in `Material.men`."""
    return [(i, man) for i, man in enumerate(material.men) if man[1] is not NOBODY]


def has_like_leads(material: Material) -> bool:
    """Return whether pieces that are alike lead, because there are no two single men."""
    return not material.has_pawns and len(_unique(material)) < 2


def _leads(material: Material, groups: Iterable[tuple[int, ...]]) -> Iterable[tuple[int, ...]]:
    """Return the sets of pieces that may lead."""
    size = lead_size(material)
    if has_like_leads(material):
        return [group for group in groups if len(group) == size]
    return combinations(_unique(material), size)


def _unique(material: Material) -> list[int]:
    """Return the men that occur once, kings included."""
    kinds = list(material.men)
    return [i for i, kind in enumerate(kinds) if kinds.count(kind) == 1]


def with_other_leads(material: Material, ordering: Ordering) -> Iterator[Ordering]:
    """Yield an ordering with its leading pieces in every other order; with pawns there is none."""
    if not material.has_pawns and not has_like_leads(material):
        size = lead_size(material)
        for lead in list(permutations(ordering.men[:size]))[1:]:
            yield ordering._replace(men=(*lead, *ordering.men[size:]))


def make_cells(material: Material, ordering: Ordering, file: int) -> KernelRecord:
    """Return the numbering, a record of `Cells`, of a normalized material's cells by an order.

    `file` is the leading pawn's, 0 to 3, 0 without pawns. Raises `CorruptTableError` for an order
    that the material cannot have.
    """
    sizes = group_sizes(material, ordering.men)
    lead = _lead_squares(material, file)
    counts, lowest, free = [len(lead)], [0], 64 - sizes[0]
    rest = 1
    if material.has_pawns and leading_pawns(material)[2]:
        counts.append(comb(48 - sizes[0], sizes[1]))
        lowest.append(8)
        free, rest = free - sizes[1], 2
    for size in sizes[rest:]:
        counts.append(comb(free, size))
        lowest.append(0)
        free -= size
    # The places of leading digits are given, the others follow in the order of their men.
    digits = list(range(rest, len(sizes)))
    given = sorted(zip((ordering.lead, ordering.second), range(rest), strict=False))
    for place, digit in given:
        if place > len(digits):
            raise CorruptTableError(f"no table of {material} has digits in such an order")
        digits.insert(place, digit)
    if len({place for place, _ in given}) < rest or (rest == 1) != (ordering.second == NO_ORDER):
        raise CorruptTableError(f"no table of {material} has digits in such an order")
    factors, factor = [0] * len(sizes), 1
    for digit in digits:
        factors[digit] = factor
        factor *= counts[digit]
    cells = Cells(
        lead_squares=lead,
        places=np.array(ordering.men, dtype=np.int64),
        sizes=np.array(sizes, dtype=np.int64),
        factors=np.array(factors, dtype=np.int64),
        counts=np.array(counts, dtype=np.int64),
        lowest=np.array(lowest, dtype=np.int64),
        by_speed=np.array(digits, dtype=np.int64),
    )
    return KernelRecord(cells)


def group_sizes(material: Material, men: Sequence[int]) -> list[int]:
    """Return the number of men in each digit, for men in the order of a file."""
    sizes = [lead_size(material)]
    if material.has_pawns and (others := leading_pawns(material)[2]):
        sizes.append(others)
    kinds = [material.men[man] for man in men]
    while (start := sum(sizes)) < len(kinds):
        size = 1
        while start + size < len(kinds) and kinds[start + size] == kinds[start]:
            size += 1
        sizes.append(size)
    return sizes


@cache
def _lead_squares(material: Material, file: int) -> NDArray[np.uint8]:
    """Return the squares of the leading men by the value of their digit."""
    if material.has_pawns:
        return _pawn_leads(leading_pawns(material)[1], file)
    size = lead_size(material)
    if has_like_leads(material):
        return _like_pairs() if size == 2 else _like_leads(size)
    if size == 2 and not syzygy_game(material.rules).kings_touch:
        return _king_leads()
    return _unlike_leads(size)


def _pawn_leads(pawns: int, file: int) -> NDArray[np.uint8]:
    """Return the squares of leading pawns: the first on a file of the left half, then the others.

    The others are numbered among the squares that come later in an order which goes from the
    edges to the middle, file by file and rank by rank.
    """
    twist = [47 - 12 * min(square % 8, 7 - square % 8) - 2 * (square // 8 - 1) - (square % 8 > 3)
             for square in range(8, 56)]  # fmt: skip
    square_of = {place: square for square, place in enumerate(twist, 8)}
    leads = []
    for rank in range(1, 7):
        first = 8 * rank + file
        later = range(twist[first - 8])
        numbered = sorted(
            (sum(comb(place, i + 1) for i, place in enumerate(places)), places)
            for places in combinations(later, pawns - 1)
        )
        for _, places in numbered:
            leads.append([first, *(square_of[place] for place in reversed(places))])
    return np.array(leads, dtype=np.uint8)


def _unlike_leads(men: int) -> NDArray[np.uint8]:
    """Return the squares of two or three different men by number.

    The men in front may stand on the diagonal; the first one that does not stands below it, and
    those after that anywhere.
    """
    diagonal, below = range(0, 64, 9), [square for square in range(64) if square % 8 > square // 8]
    leads: list[tuple[int, ...]] = []
    for on in range(men + 1):
        choices = [_TRIANGLE[6:], *[diagonal] * men][:on]
        choices += [below if on else _TRIANGLE[:6], *[range(64)] * men]
        leads += [one for one in product(*choices[:men]) if len({*one}) == men]
    return np.array(leads, dtype=np.uint8)


def _class_of(square: int) -> int:
    """Return the place in the triangle of a square's image there."""
    file, rank = (min(one, 7 - one) for one in (square % 8, square // 8))
    return _TRIANGLE.index(8 * min(file, rank) + max(file, rank))


def _like_pairs() -> NDArray[np.uint8]:
    """Return the squares of two like men by number.

    The first stands in the triangle, the second on no square that comes before it there; of pairs
    that exchange the places of both, one is numbered.
    """
    leads: list[tuple[int, int]] = []
    for place, first in enumerate(_TRIANGLE):
        seconds = [square for square in range(64) if square != first and _class_of(square) >= place]
        alike = [one for one in seconds if _class_of(one) == place]
        exchanged = {one for one in alike if one // 8 > 3 and one // 8 + one % 8 < 7}
        seconds = [one for one in seconds if one not in exchanged]
        if first % 9 == 0:  # on the diagonal: then the second is below it, or on it
            seconds = [one for one in seconds if one % 9 == 0] + [
                one for one in seconds if one % 8 > one // 8
            ]
        leads += [(first, second) for second in seconds]
    return np.array(leads, dtype=np.uint8)


def _like_leads(men: int) -> NDArray[np.uint8]:
    """Return the squares of three or more like men by number.

    The first stands in the triangle, the others on squares that come later in an order by their
    images there, of any number.
    """
    order: list[int] = []
    for square in _TRIANGLE:
        images = dict.fromkeys(_around(square % 8, square // 8))
        order += images
    place_of = {square: 63 - number for number, square in enumerate(order)}
    square_of = {place: square for square, place in place_of.items()}
    leads = []
    for first in _TRIANGLE:
        numbered = sorted(
            (sum(comb(place, i + 1) for i, place in enumerate(places)), places)
            for places in combinations(range(place_of[first]), men - 1)
        )
        leads += [[first, *map(square_of.__getitem__, places)] for _, places in numbered]
    return np.array(leads, dtype=np.uint8)


def _around(file: int, rank: int) -> Iterator[int]:
    """Yield the images of a square; a square on the diagonal has each of them twice."""
    for right, up in (False, False), (False, True), (True, True), (True, False):
        one, other = (7 - file if right else file), (7 - rank if up else rank)
        pair = [8 * other + one, 8 * (7 - file if up else file) + (7 - rank if right else rank)]
        yield from pair if right == up else reversed(pair)


def _king_leads() -> NDArray[np.uint8]:
    """Return the squares of two kings that do not touch by number."""

    def apart(first: int, second: int) -> bool:
        return max(abs(first // 8 - second // 8), abs(first % 8 - second % 8)) > 1

    pairs = [(first, second) for first in _TRIANGLE for second in range(64) if apart(first, second)]
    side = {square: np.sign(square // 8 - square % 8) for square in range(64)}  # of the diagonal
    below = [(first, second) for first, second in pairs if side[first] < 0]
    crossing = [(first, second) for first, second in pairs if side[first] == 0 > side[second]]
    on = [(first, second) for first, second in pairs if side[first] == 0 == side[second]]
    return np.array(below + crossing + on, dtype=np.uint8)


def cell_count(cells: KernelRecord) -> int:
    """Return the number of cells of a table."""
    return int(np.prod(cells.fields.counts))


@kernel
def first_digits(cells, cell, digits):
    """Write the digits of a cell to `digits` int64."""
    for g in range(len(cells.counts)):
        digits[g] = cell // cells.factors[g] % cells.counts[g]


@kernel
def next_digits(cells, digits):
    """Turn the digits of a cell into the digits of the next cell."""
    for g in cells.by_speed:
        digits[g] += 1
        if digits[g] < cells.counts[g]:
            return
        digits[g] = 0


@kernel
def squares_of_cell(cells, digits, squares):
    """Write the squares of the men, in the order of `Material.men`, to `squares` uint8 [men]."""
    earlier = work_space(MAX_MEN_OF_INDEX, np.int64)  # squares of the groups before, ascending
    count = 0
    man = 0
    for g in range(len(cells.sizes)):
        before = count
        digit = digits[g]
        label = np.int64(64)
        size = cells.sizes[g]
        for i in range(size):
            if g == 0:
                square = np.int64(cells.lead_squares[digit, i])
            else:
                left = size - i
                if left == 1:
                    label = digit
                else:
                    label -= 1
                    while BINOMIALS[label, left] > digit:
                        label -= 1
                    digit -= BINOMIALS[label, left]
                square = label + cells.lowest[g]
                for k in range(before):
                    if earlier[k] <= square:
                        square += 1
            squares[cells.places[man]] = square
            man += 1
            # Those of the group itself are kept behind the sorted ones until it is complete.
            earlier[count] = square
            count += 1
        for j in range(before, count):
            square = earlier[j]
            k = j
            while k > 0 and earlier[k - 1] > square:
                earlier[k] = earlier[k - 1]
                k -= 1
            earlier[k] = square
