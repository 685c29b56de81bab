"""The numbers of legal positions of chess: every material of up to eight men, rights included.

For all squares of the kings, placements without an attack on the king of the side not to move are
an `AttackSum`. Castling rights fix a king and rooks; an en passant capture fixes the pawns, and the
king to move was not attacked before the double step and is not after the capture.

Kirill Kryukov's NULP counts the same (http://kirill-kryukov.com/chess/nulp/), but for the
conditions of an en passant capture. ``docs/symmetry.md`` compares the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product
from math import comb

from tablebase.core.board.geometry import SQUARES, Color, PieceType, kings_touch, square_file
from tablebase.core.board.symmetry import D4
from tablebase.core.board.symmetry import DIAGONAL as DIAGONAL_SYMMETRY
from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.rules.material import Material
from tablebase.count.attack_sums import (
    PAWN,
    Attack,
    AttackSum,
    Men,
    attacks_on,
    bits_of,
    is_pawn_attack,
)

_ORDER = (PieceType.QUEEN, PieceType.ROOK, PieceType.BISHOP, PieceType.KNIGHT, PieceType.PAWN)
# Rooks with castling rights and pawns of an en passant capture, each of White and of Black.
FixedMen = tuple[int, int, int, int]
_ALL = (1 << SQUARES) - 1
_PAWN_RANKS = _ALL & ~0xFF & ~(0xFF << 56)
_DIAGONAL = sum(1 << 9 * i for i in range(8))
# Home squares of kings and rooks by castling rights, White's; Black's are 56 higher.
_KING, _RIGHTS, _BLACK = 4, {"": (), "K": (7,), "Q": (0,), "KQ": (0, 7)}, 56


# --- the sums: White is to move, so Black's king must not be attacked ---------------------


@dataclass(frozen=True)
class _Fixed:
    """The men that are fixed."""

    kings: tuple[int, int]  # squares of White's and Black's
    rooks: tuple[int, int] = (0, 0)  # with a castling right, White's and Black's, as words
    capturing: tuple[int, ...] = ()  # squares of White's pawns that capture en passant
    en_passant: int | None = None  # square of Black's pawn after a double step

    @property
    def behind(self) -> int:
        """The squares that the double step crossed and left, as a word."""
        return 0 if self.en_passant is None else bits_of(self.en_passant + 8, self.en_passant + 16)

    @property
    def figures(self) -> int:
        """The squares of kings and rooks, as a word."""
        return bits_of(*self.kings) | self.rooks[0] | self.rooks[1]

    @property
    def pawns(self) -> int:
        """The squares of pawns, as a word."""
        return bits_of(*self.capturing, *(() if self.en_passant is None else (self.en_passant,)))


def legal_placements(material: Material, color: Color) -> tuple[int, int]:
    """Return the number of legal positions without rights, and of those that a diagonal keeps.

    >>> legal_placements(Material.from_name("KRK"), Color.WHITE)
    (175168, 252)
    """
    own, other = _sides(material, color)
    (sums,) = _sums(sum(own) + sum(other), castling=False, en_passant=False, as_nulp=False).values()
    kept = 0 if material.has_pawns else _kept_by_diagonal(own, other)
    return 2 * sums.placements(own, other), kept


# --- numbers of a material ----------------------------------------------------------------
def _sides(material: Material, color: Color) -> tuple[Men, Men]:
    """Return the men of the side to move and of the other side."""
    if material.rules.mark:
        raise InvalidMaterialError(f"{material.rules.name} is counted by enumeration")
    men = material.white, material.black
    own, other = men if color is Color.WHITE else men[::-1]
    return _men(own), _men(other)


def _men(side: Sequence[PieceType]) -> Men:
    queens, rooks, bishops, knights, pawns = (side.count(kind) for kind in _ORDER)
    return queens, rooks, bishops, knights, pawns


@cache
def _sums(
    most: int, *, castling: bool, en_passant: bool, as_nulp: bool
) -> dict[FixedMen, AttackSum]:
    """Return the sums of all positions by the fixed men; without castling of half of them.

    `most` is the number of men besides the kings; `as_nulp` counts en passant as NULP does.
    """
    found: dict[FixedMen, AttackSum] = {}
    half = range(4)
    steps = list(_double_steps(range(8) if castling else half)) if en_passant else [((), None)]
    for rights in _rights() if castling else [("", "")]:
        for capturing, pawn in steps:
            key = (len(rights[0]), len(rights[1]), len(capturing), int(pawn is not None))
            if sum(key) > most:
                continue
            sums = found.setdefault(key, AttackSum(most - sum(key)))
            for fixed in _kings(*rights):
                if castling or en_passant or square_file(fixed.kings[1]) in half:
                    one = replace(fixed, capturing=capturing, en_passant=pawn)
                    _add(sums, one, as_nulp=as_nulp)
    return found


def _double_steps(files: Iterable[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield White's pawns beside a double step, one or two, and the square of Black's pawn."""
    for file in files:
        beside = [32 + one for one in (file - 1, file + 1) if 0 <= one < 8]
        for number in range(1, len(beside) + 1):
            for capturing in combinations(beside, number):
                yield capturing, 32 + file


def _rights() -> Iterator[tuple[str, str]]:
    """Yield the castling rights that positions can have, White's and Black's; not none at all."""
    for white, black in product(_RIGHTS, _RIGHTS):
        if white or black:
            yield white, black


def _kings(white_rights: str = "", black_rights: str = "") -> Iterator[_Fixed]:
    """Yield the placements of kings, and of the rooks that have castling rights."""
    rooks = bits_of(*_RIGHTS[white_rights]), bits_of(*_RIGHTS[black_rights]) << _BLACK
    for white in (_KING,) if white_rights else range(SQUARES):
        for black in (_KING + _BLACK,) if black_rights else range(SQUARES):
            if not kings_touch(white, black) and not bits_of(white, black) & (rooks[0] | rooks[1]):
                yield _Fixed((white, black), rooks)


def _add(sums: AttackSum, fixed: _Fixed, *, as_nulp: bool) -> None:
    """Add the positions with some fixed men, if there are any."""
    white, black = fixed.kings
    if any(is_pawn_attack(pawn, black, Color.WHITE) for pawn in fixed.capturing):
        return
    figures, pawns, behind = fixed.figures, fixed.pawns, fixed.behind
    if figures & (pawns if as_nulp else pawns | behind):
        return
    free = _ALL & ~(figures | pawns)
    for_pawns = free & _PAWN_RANKS & ~behind
    if not as_nulp:
        free &= ~behind
    attacks = attacks_on(black, Color.WHITE, free, for_pawns, figures | pawns, fixed.rooks[0])
    if fixed.en_passant is not None and not as_nulp:
        start, target = fixed.en_passant + 16, fixed.en_passant + 8
        if is_pawn_attack(start, white, Color.BLACK):
            return
        after = [{target, *fixed.capturing} - {one} for one in fixed.capturing]
        for pawns_then in ({start, *fixed.capturing}, *after):
            men = figures | bits_of(*pawns_then)
            attacks += attacks_on(white, Color.BLACK, free, for_pawns, men, fixed.rooks[1])
    # Of two pawns at least one may capture: the positions of each, less those of both.
    sums.add(attacks, free, for_pawns, 1 if len(fixed.capturing) < 2 else -1)


def _kept_by_diagonal(white: Men, black: Men) -> int:
    """Return the number of placements without attack that the diagonal a1-h8 keeps."""
    total = 0
    for (straight, diagonal, jumping, single, *_), singles, pairs, signs in _diagonal_sum(
        sum(white) + sum(black)
    ).terms:
        for queens, queens_too, one in product(
            range(straight + 1), range(diagonal + 1), range(single + 1)
        ):
            left = (
                white[0] - 2 * queens - 2 * queens_too - one,
                white[1] - 2 * (straight - queens),
                white[2] - 2 * (diagonal - queens_too) - (single - one),
                white[3] - 2 * jumping,
                *black[:4],
            )
            if min(left) >= 0:
                ways = comb(straight, queens) * comb(diagonal, queens_too) * comb(single, one)
                total += signs * ways * _in_pairs(left, singles, pairs)
    return total


@cache
def _diagonal_sum(most: int) -> AttackSum:
    """Return the sum over placements that the diagonal a1-h8 keeps; it has no pawns.

    Men stand on the diagonal, or two alike on squares that it exchanges. So attacks are by pairs of
    men, with `PAWN` for attacks along the diagonal; pairs of squares count as squares for pawns.
    """
    sums = AttackSum(most)
    below = sum(1 << square for square in range(SQUARES) if D4[DIAGONAL_SYMMETRY, square] < square)
    for fixed in _kings():
        if fixed.figures & ~_DIAGONAL:
            continue
        free = _ALL & ~fixed.figures
        attacks = []
        for man, empty, kind in attacks_on(fixed.kings[1], Color.WHITE, free, 0, fixed.figures, 0):
            both = man | _reflected(man)
            attacks.append(Attack(both, empty | _reflected(empty), kind if both != man else PAWN))
        sums.add(attacks, free & _DIAGONAL, free & below)
    return sums


def _reflected(word: int) -> int:
    """Return the image of a word under the diagonal a1-h8."""
    squares = [square for square in range(SQUARES) if word >> square & 1]
    return bits_of(*map(int, D4[DIAGONAL_SYMMETRY, squares]))


@cache
def _in_pairs(men: tuple[int, ...], singles: int, pairs: int) -> int:
    """Return in how many ways groups of identical men take single squares and pairs of squares."""
    if not men:
        return 1
    total = 0
    for both in range(men[0] // 2 + 1):
        single = men[0] - 2 * both
        ways = comb(singles, single) * comb(pairs, both)
        if ways:
            total += ways * _in_pairs(men[1:], singles - single, pairs - both)
    return total


def positions_with_rights(
    material: Material, color: Color, *, castling: bool, en_passant: bool, as_nulp: bool = False
) -> int:
    """Return the number of positions with castling rights, an en passant capture, or both.

    Castling rights leave no symmetry; of two images of an en passant capture one counts. By the
    laws the two squares behind the pawn are empty, a capture is legal and the side to move was not
    in check before; `as_nulp` asks only that no pawn stands there.
    """
    own, other = _sides(material, color)
    if (castling and not own[1] + other[1]) or (en_passant and not own[4] * other[4]):
        return 0  # without adding up what only other materials need
    sums = _sums(sum(own) + sum(other), castling=castling, en_passant=en_passant, as_nulp=as_nulp)
    total = 0
    for (own_rooks, other_rooks, capturing, pawns), one in sums.items():
        own_left = (own[0], own[1] - own_rooks, *own[2:4], own[4] - capturing)
        other_left = (other[0], other[1] - other_rooks, *other[2:4], other[4] - pawns)
        total += one.placements(own_left, other_left)
    return total
