"""Placements of men that leave a king unattacked, by inclusion and exclusion.

With the kings and some men fixed, an *attack* is a square of an attacker and the squares between
that must be empty. The placements without attack are a sum over all sets of attacks that can happen
at once, with alternating signs. The men besides a set's attackers stand on any free squares, so
their number is a product of binomial coefficients; an `AttackSum` adds up signs by kinds of
attackers and by free squares for men and for pawns, and so has the numbers of every material.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache, cached_property
from itertools import combinations, combinations_with_replacement
from math import comb, factorial
from typing import Any, NamedTuple

import numpy as np

from tablebase.core.board.geometry import SQUARES, Color, square_file, square_rank
from tablebase.core.jit.instructions import count_bits, lowest_bit, work_space, work_table
from tablebase.core.jit.kernels import hot_entry

# Queens, rooks, bishops, knights and pawns of one side, the king left out.
Men = tuple[int, int, int, int, int]
# Kinds of attacks by White: of rooks or queens, of bishops or queens, ... Black's follow.
STRAIGHT, DIAGONAL, KNIGHT, PAWN = range(4)
KINDS_OF_SIDE = 4
_RAYS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
_JUMPS = [(x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y)]


class Attack(NamedTuple):
    """An attack on a king."""

    man: int  # the attacker's square as a word, 0 for a man that is fixed there
    empty: int  # the squares between, as a word
    kind: int  # a constant above; Black's are 4 higher


class AttackSum:
    """The sum over sets of attacks, for some fixed men and at most `most` others."""

    def __init__(self, most: int) -> None:
        self._most = most
        sets = [list(combinations_with_replacement(range(8), size)) for size in range(most + 1)]
        self._sets = [one for some in sets for one in some]
        numbers = {one: number for number, one in enumerate(self._sets)}
        self._after = np.zeros((len(self._sets), 8), dtype=np.int64)
        for one, number in numbers.items():
            if len(one) < most:
                for kind in range(8):
                    self._after[number, kind] = numbers[tuple(sorted((*one, kind)))]
        # [kinds, squares left, squares left for pawns]. No sum comes near 2 ** 63: it has at most
        # 3,612 * 20 * 16 placements of fixed men with 2 ** 21 sets of attacks each.
        self._signs = np.zeros((len(self._sets), SQUARES, SQUARES), dtype=np.int64)

    def add(self, attacks: list[Attack], free: int, pawns: int, sign: int = 1) -> None:
        """Add the sets of some attacks, with some squares free for men and for pawns."""
        attacks = list(dict.fromkeys(attacks))
        by_fixed = [one for one in attacks if not one.man]
        if any(not one.empty for one in by_fixed):
            return  # the attacker stands next to the king
        array = np.array([one for one in attacks if one.man], dtype=np.uint64).reshape(-1, 3)
        squares = np.array((free, pawns), dtype=np.uint64)
        for size in range(len(by_fixed) + 1):
            for some in combinations(by_fixed, size):
                used = np.uint64(sum(one.empty for one in some))  # on different lines
                own = sign * (-1) ** size
                add_sets(array, used, own, self._most, squares, self._after, self._signs)

    @cached_property
    def terms(self) -> list[tuple[tuple[int, ...], int, int, int]]:
        """Attackers by kind, squares left, squares left for pawns, and the sum of signs."""
        places = zip(*map(np.ndarray.tolist, np.nonzero(self._signs)), strict=True)
        return [
            (tuple(map(self._sets[number].count, range(8))), men, pawns, int(signs))
            for (number, men, pawns), signs in zip(
                places, self._signs[self._signs != 0], strict=True
            )
        ]

    @cached_property
    def _placements(self) -> dict[tuple[int, ...], dict[tuple[int, int], int]]:
        """For the numbers of attackers of each kind: placements of the rest, by pawns and others.

        Identical men are not told apart here, pawns from other men are.
        """
        found: dict[tuple[int, ...], dict[tuple[int, int], int]] = {}
        for kinds, men, for_pawns, signs in self.terms:
            rest = found.setdefault(kinds, defaultdict(int))
            left = self._most - sum(kinds)
            for pawns in range(left + 1):
                for others in range(left - pawns + 1):
                    if pawns <= men:
                        ways = comb(for_pawns, pawns) * comb(men - pawns, others)
                        rest[pawns, others] += signs * ways
        return found

    def placements(self, white: Men, black: Men) -> int:
        """Return the number of placements without attack of some men besides the fixed ones."""
        if min(*white, *black) < 0:
            return 0
        total = 0
        for kinds, rest in self._placements.items():
            for whites, white_ways in _without_attackers(white, kinds[:KINDS_OF_SIDE]):
                for blacks, black_ways in _without_attackers(black, kinds[KINDS_OF_SIDE:]):
                    *others, pawns = map(sum, zip(whites, blacks, strict=True))
                    ways = rest.get((pawns, sum(others)), 0) * comb(pawns, whites[-1])
                    total += ways * white_ways * black_ways * _orders(*whites[:-1], *blacks[:-1])
        return total


def _without_attackers(men: Men, kinds: tuple[int, ...]) -> Iterator[tuple[Men, int]]:
    """Yield the men of a side that are left after its attackers, and how many ways lead there."""
    queens, rooks, bishops, knights, pawns = men
    straight, diagonal, jumping, pushing = kinds
    if jumping > knights or pushing > pawns:
        return
    for straight_queens in range(max(0, straight - rooks), min(straight, queens) + 1):
        rest = queens - straight_queens
        for diagonal_queens in range(max(0, diagonal - bishops), min(diagonal, rest) + 1):
            left = (
                rest - diagonal_queens,
                rooks - straight + straight_queens,
                bishops - diagonal + diagonal_queens,
                knights - jumping,
                pawns - pushing,
            )
            yield left, comb(straight, straight_queens) * comb(diagonal, diagonal_queens)


def _orders(*counts: int) -> int:
    """Return in how many ways squares can be given to groups of identical men."""
    ways = factorial(sum(counts))
    for count in counts:
        ways //= factorial(count)
    return ways


def bits_of(*squares: int) -> int:
    """Return squares, all different, as a word."""
    return sum(1 << square for square in squares)


def attacks_on(
    king: int, color: Color, free: int, pawns: int, men: int, rooks: int
) -> list[Attack]:
    """Return all attacks of a colour on a king; squares are words.

    Any men may stand on `free`, pawns on `pawns`; `men` are fixed, `rooks` those of this colour.
    """
    found, first = [], 0 if color is Color.WHITE else KINDS_OF_SIDE
    for x, y in _RAYS:
        kind, empty = first + (DIAGONAL if x and y else STRAIGHT), 0
        for square in _ray(king, x, y):
            word = 1 << square
            if men & word:
                if rooks & word and not (x and y):
                    found.append(Attack(0, empty, kind))
                break
            if free & word:
                found.append(Attack(word, empty, kind))
                empty |= word
    near = [square for x, y in _RAYS if x and y for square in _ray(king, x, y)[:1]]
    found += [
        Attack(1 << square, 0, first + PAWN)
        for square in near
        if pawns >> square & 1 and is_pawn_attack(square, king, color)
    ]
    jumps = [square for square in _jumps(king) if free >> square & 1]
    return found + [Attack(1 << square, 0, first + KNIGHT) for square in jumps]


@cache
def _ray(start: int, x: int, y: int) -> tuple[int, ...]:
    """Return the squares in one direction, the nearest first."""
    file, rank, found = square_file(start) + x, square_rank(start) + y, []
    while 0 <= file < 8 and 0 <= rank < 8:
        found.append(8 * rank + file)
        file, rank = file + x, rank + y
    return tuple(found)


def is_pawn_attack(pawn: int, king: int, color: Color) -> bool:
    """Return whether a pawn of a colour attacks a square."""
    up = 1 if color is Color.WHITE else -1
    return king in (*_ray(pawn, -1, up)[:1], *_ray(pawn, 1, up)[:1])


@cache
def _jumps(start: int) -> tuple[int, ...]:
    return tuple(square for x, y in _JUMPS for square in _ray(start, x, y)[:1])


@hot_entry
def add_sets(
    attacks: Any, used: Any, sign: Any, most: Any, squares: Any, after: Any, sums: Any
) -> Any:
    """Add the signs of all sets of attacks that can happen at once.

    `attacks` uint64 [n, 3], n <= 128, are attackers, squares between, and kinds below 8; `used` are
    squares that are not left, `sign` is that of the empty set, `most` the number of men, at most 7;
    `squares` uint64 [2] are free for men and for pawns. `after` int64 [k, 8] is the number of a
    multiset of kinds with one more of a kind. Signs are added to `sums` int64 [k, 64, 64] by kinds
    and numbers of squares left; where no man is left, the squares do not matter and count as 0.
    """
    compatible, of_kind = work_table(128, 2, np.uint64), work_table(8, 2, np.uint64)
    left = work_table(8, 2, np.uint64)
    taken, kinds = work_space(8, np.uint64), work_space(8, np.int64)
    for part in range(2):
        left[0, part] = 0
        for kind in range(8):
            of_kind[kind, part] = 0
        for one in range(len(attacks)):
            compatible[one, part] = 0
    for one in range(len(attacks)):
        own = np.uint64(1) << np.uint64(one & 63)
        of_kind[np.int64(attacks[one, 2]), one >> 6] |= own
        if attacks[one, 0] & used == np.uint64(0):
            left[0, one >> 6] |= own
        for other in range(one):
            both = attacks[one, 0] & (attacks[other, 0] | attacks[other, 1])
            if both | (attacks[one, 1] & attacks[other, 0]) == np.uint64(0):
                compatible[other, one >> 6] |= own
    taken[0], kinds[0] = used, 0
    sums[0, count_bits(squares[0] & ~used), count_bits(squares[1] & ~used)] += sign
    chosen = 0
    while most:
        if chosen == most - 1:
            for kind in range(8):
                last = count_bits(left[chosen, 0] & of_kind[kind, 0])
                last += count_bits(left[chosen, 1] & of_kind[kind, 1])
                if last:
                    sums[after[kinds[chosen], kind], 0, 0] -= sign * last
            left[chosen, 0] = left[chosen, 1] = 0
        part = 0 if left[chosen, 0] else 1
        word = left[chosen, part]
        if word:
            one = lowest_bit(word) + 64 * part
            left[chosen, part] = word & (word - np.uint64(1))
            taken[chosen + 1] = taken[chosen] | attacks[one, 0] | attacks[one, 1]
            kinds[chosen + 1] = after[kinds[chosen], np.int64(attacks[one, 2])]
            left[chosen + 1, 0] = left[chosen, 0] & compatible[one, 0]
            left[chosen + 1, 1] = left[chosen, 1] & compatible[one, 1]
            chosen, sign = chosen + 1, -sign
            free = count_bits(squares[0] & ~taken[chosen])
            sums[kinds[chosen], free, count_bits(squares[1] & ~taken[chosen])] += sign
        elif chosen:
            chosen, sign = chosen - 1, -sign
        else:
            break
