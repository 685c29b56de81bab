"""Which men are on the board: names, sides, and what a material can turn into.

A material is written White first, king first: ``KRKN``. Names are read in any case, with or without
``v`` between the sides, with the men of a side in any order. Where no king is royal, a side
may have none or several, and only ``v`` divides the sides: ``QQvP``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, groupby
from typing import NamedTuple

from tablebase.core.board.geometry import NOBODY, Color, PieceType
from tablebase.core.board.movement import Step
from tablebase.core.board.symmetry import (
    D4,
    FLIP,
    GROUPS,
    IDENTITY,
    PAWN_SYMMETRIES,
    transform_vector,
)
from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.ground.words import quoted
from tablebase.core.rules.rules import CHECKS, CHESS, Kind, Rules

Man = tuple[Color, PieceType]
Checks = tuple[int, int]  # left to White and to Black
Men = tuple[PieceType, ...]
_MOST_LETTERS = 80


class MoveOut(NamedTuple):
    """A capture or a promotion, of the men in `Material.movers`."""

    color: Color  # the side that moves
    removed: int  # the men that it takes off the board: bit 0 is the first one
    promoting: int = 0  # the pawn that promotes, counted from 1; 0 for none
    new: int = 0  # the kind that it becomes, 0 for none


# What an explosion beside it does not take off.
SPARED = frozenset({PieceType.PAWN})
# A move of either side after which all men are still on the board.
STAY = MoveOut(Color.WHITE, 0)


@dataclass(frozen=True)
class Material:
    """The men of both sides.

    Attributes
    ----------
    white, black
        The men of each side besides its royal king, in the order king, queen, rook, bishop,
        knight, pawn, whatever order they are given in; kinds that are not chess's come first.
        Where no king is royal, a side without men has won, and there are no tables of it.
    rules
        What the men are, and how they move.

    Raises
    ------
    InvalidMaterialError
        If a side is given a second royal king.
    InvalidRulesError
        If the rules do not have one of the men.

    Examples
    --------
    >>> Material.from_name("knvkr").normalized().name
    'KRKN'
    """

    white: Men = ()
    black: Men = ()
    rules: Rules = CHESS

    def __post_init__(self) -> None:
        for side in ("white", "black"):
            men = tuple(sorted(map(PieceType, getattr(self, side)), reverse=True))
            if self.rules.royal and PieceType.KING in men:
                raise InvalidMaterialError(
                    f"{side} has more than one king: list only its other pieces"
                )
            for man in men:
                self.rules.kind_of(man)
            object.__setattr__(self, side, men)

    @classmethod
    def from_name(cls, name: str, rules: Rules = CHESS) -> Material:
        """Read a material from its name.

        Raises
        ------
        InvalidMaterialError
            If the name does not describe one king a side and their men, or, where no king is
            royal, men of both sides.
        """
        if not isinstance(name, str):
            raise TypeError(f"the name of a material is a text like 'KRK', not {quoted(name)}")
        if len(name) > _MOST_LETTERS:  # no board has so many squares
            raise InvalidMaterialError(f"unknown material {quoted(name)}: write it like KRvKN")
        letters = rules.letters
        if not rules.royal:
            return cls._from_divided(name, rules)
        choice = "".join(reversed([letter for letter in letters if letter != "K"]))
        between = "" if "V" in letters else "V?"
        match = re.fullmatch(f"K([{choice}]*){between}K([{choice}]*)", name.strip().upper())
        if match is None:
            raise InvalidMaterialError(
                f"unknown material {quoted(name)}: write each side as K and its other pieces, "
                f"out of {' '.join(choice)}, white first, like KRK or KRvKN"
            )
        white, black = (tuple(letters[letter] for letter in side) for side in match.groups())
        return cls(white, black, rules)

    @classmethod
    def _from_divided(cls, name: str, rules: Rules) -> Material:
        """Read a name in which ``v`` divides the sides, neither of which has a royal king."""
        choice = "".join(reversed(rules.letters))
        match = re.fullmatch(f"([{choice}]+)V([{choice}]+)", name.strip().upper())
        if match is None:
            raise InvalidMaterialError(
                f"unknown material {quoted(name)}: write the pieces of each side, out of "
                f"{' '.join(choice)}, white first and with v between the sides, like RvK or QQvP"
            )
        white, black = (tuple(rules.letters[one] for one in side) for side in match.groups())
        return cls(white, black, rules)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        rules = "" if self.rules == CHESS else f", rules={self.rules.name!r}"
        return f"Material({self.name!r}{rules})"

    @cached_property
    def name(self) -> str:
        """The name, for example ``KRKN``; it has a separator where no king is royal: ``RvKN``."""
        white, black = (
            "".join(map(self.rules.letter_of, side)) for side in (self.white, self.black)
        )
        return f"K{white}K{black}" if self.rules.royal else f"{white}v{black}"

    @cached_property
    def men(self) -> tuple[Man, ...]:
        """All men: the lead of each side (White's first), then White's others, then Black's.

        Leads are the kings if they are royal. Else the lead is the rarest piece of a side, and of
        several kinds that are as rare the one of least value; a side of pawns has `NOBODY`.
        """
        leads = [self._lead(side) for side in (self.white, self.black)]
        others = []
        for color, lead in zip(Color, leads, strict=True):
            left = list(self.of(color))
            if lead in left:
                left.remove(lead)
            others += [(color, man) for man in left]
        return *zip(Color, leads, strict=True), *others

    def _lead(self, side: Men) -> PieceType:
        if self.rules.royal:
            return PieceType.KING
        pieces = [man for man in side if man is not PieceType.PAWN]
        return min(pieces, key=lambda man: (pieces.count(man), man), default=NOBODY)

    @property
    def nobody(self) -> tuple[bool, bool]:
        """Whether each side has no lead, which `men` has as `NOBODY`."""
        return self.men[0][1] is NOBODY, self.men[1][1] is NOBODY

    @property
    def letters(self) -> tuple[str, ...]:
        """The capital letter of each of `men`, an empty text for `NOBODY`."""
        men = (man for _, man in self.men)
        return tuple("" if man is NOBODY else self.rules.letter_of(man) for man in men)

    @cached_property
    def movers(self) -> tuple[Man, ...]:
        """The men whose captures and promotions have numbers of their own: all but the leads.

        Leads follow where they can be captured.
        """
        return self.men[2:] if self.rules.royal else self.men[2:] + self.men[:2]

    @cached_property
    def groups(self) -> tuple[tuple[Color, PieceType, int], ...]:
        """The men besides the leads in the order of `men`, identical ones counted together."""
        return tuple((color, man, len(list(same))) for (color, man), same in groupby(self.men[2:]))

    @property
    def is_bare(self) -> bool:
        """Whether there are only two royal kings, so that only a goal can win."""
        return self.rules.royal and not self.groups

    @property
    def piece_count(self) -> int:
        """The number of men, kings included."""
        return 2 * self.rules.royal + len(self.white) + len(self.black)

    @property
    def pawn_count(self) -> int:
        """The number of pawns of both sides."""
        return (self.white + self.black).count(PieceType.PAWN)

    @property
    def has_pawns(self) -> bool:
        """Whether there is a pawn on the board."""
        return self.pawn_count > 0

    @cached_property
    def symmetries(self) -> tuple[int, ...]:
        """The group of symmetries of the board that keep the value of all positions.

        They keep the moves of all men, and of those that pawns can become.
        """
        kept = set(PAWN_SYMMETRIES if self.has_pawns else GROUPS[0]) & self.rules.board.symmetries
        goal = set(self.rules.goal_squares)
        kept = {t for t in kept if {int(D4[t, one]) for one in goal} == goal}
        pawns = [color for color, man in self.men if man is PieceType.PAWN]
        promoted = {(color, man) for color in pawns for man in self.rules.promotions}
        for color, man in promoted.union(self.men):
            if man not in (PieceType.PAWN, NOBODY):
                kept &= _keeping(self.rules.kind_of(man), color)
        return next(group for group in GROUPS if kept.issuperset(group))

    @property
    def layers(self) -> tuple[int, int]:
        """How many numbers of checks left tables tell apart, by side.

        It is one where checks are not counted, and for a bare king, which never gives check.
        """
        if not self.rules.check_counting:
            return 1, 1
        return CHECKS if self.white else 1, CHECKS if self.black else 1

    @property
    def layer_count(self) -> int:
        """The number of layers of a table: parts that differ in the checks left."""
        white, black = self.layers
        return white * black

    def layer_of(self, checks: Checks) -> int:
        """Return the number of a layer by the checks left to White and to Black."""
        white, black = (
            left - 1 if n > 1 else 0 for left, n in zip(checks, self.layers, strict=True)
        )
        return white * self.layers[1] + black

    def checks_of(self, layer: int) -> Checks:
        """Return the checks left in a layer; a side that cannot give check has all."""
        found = divmod(layer, self.layers[1])
        white, black = (
            left + 1 if n > 1 else CHECKS for left, n in zip(found, self.layers, strict=True)
        )
        return white, black

    @property
    def is_symmetric(self) -> bool:
        """Whether both sides have the same men, and the rules are the same for both."""
        return self.white == self.black and not self.rules.one_sided

    @property
    def is_normalized(self) -> bool:
        """Whether White is the stronger side, or both are equal; always if rules are one-sided."""
        return self.rules.one_sided or _strength(self.white) >= _strength(self.black)

    @cached_property
    def bared(self) -> tuple[int, int]:
        """How many men stand against a king that has lost since it is bare, by side; else 0."""
        counts = len(self.white), len(self.black)
        if not self.rules.bare_king:
            return 0, 0
        return 0 if counts[0] else counts[1], 0 if counts[1] else counts[0]

    @property
    def has_decided(self) -> bool:
        """Whether there are positions whose value is known before a move: no quiet move counts."""
        return any(self.bared) or bool(self.rules.ends - {"bare king"})

    def swapped(self) -> Material:
        """Return the material with the sides exchanged."""
        return Material(self.black, self.white, self.rules)

    def normalized(self) -> Material:
        """Return the material with the stronger side white: more men, then more valuable.

        Where the colours cannot be exchanged, see `Rules.one_sided`, it is the material itself.
        """
        return self if self.is_normalized else self.swapped()

    def of(self, color: Color) -> Men:
        """Return the men of one side besides its royal king."""
        return self.white if color is Color.WHITE else self.black

    def without(self, color: Color, piece_type: PieceType) -> Material:
        """Return the material after one man is captured, not normalized.

        Raises
        ------
        InvalidMaterialError
            If the side has no such man.
        """
        return self._exchange(color, piece_type, ())

    def promoted(self, color: Color, piece_type: PieceType) -> Material:
        """Return the material after one pawn becomes a piece, not normalized.

        Raises
        ------
        InvalidMaterialError
            If the side has no pawn.
        """
        return self._exchange(color, PieceType.PAWN, (piece_type,))

    def _exchange(self, color: Color, old: PieceType, new: Men) -> Material:
        men = list(self.of(color))
        if old not in men:
            raise InvalidMaterialError(
                f"{color.name.lower()} has no {self.rules.kind_of(old).name} in {self.name}"
            )
        men.remove(old)
        side = (*men, *new)
        white, black = (side, self.black) if color is Color.WHITE else (self.white, side)
        return Material(white, black, self.rules)

    def dependencies(self) -> tuple[Material, ...]:
        """Return the materials that one capture, promotion or both at once can lead to.

        Returns
        -------
        tuple[Material, ...]
            Normalized materials without repetition, each before those depending on it.
        """
        found = {after.normalized() for after in self.moves_out().values()}
        return tuple(sorted(found, key=generation_key))

    def moves_out(self) -> dict[MoveOut, Material]:
        """Return the material after each capture, promotion or both at once, not normalized.

        Returns
        -------
        dict[MoveOut, Material]
            By move, those of one kind of men apart. The capture of a side's last man is left out,
            because it ends the game.
        """
        men = [one for one in enumerate(self.movers, 1) if one[1][1] is not NOBODY]
        last = {color for color in Color if not self.rules.royal and len(self.of(color)) == 1}
        # Else no pawn can be taken there.
        promotes_early = self.rules.promotion_rank < self.rules.ranks
        found = self._explosions() if self.rules.blast else {}
        for captured, (color, man) in () if self.rules.blast else men:
            if color not in last:
                found[MoveOut(color.opponent, 1 << captured - 1)] = self.without(color, man)
        for promoting, (color, man) in men:
            for new in self.rules.promotions if man is PieceType.PAWN else ():
                promoted = self.promoted(color, new)
                found[MoveOut(color, 0, promoting, int(new))] = promoted
                for captured, (other, target) in () if self.rules.blast else men:
                    takes = other is not color and other not in last
                    if takes and (target is not PieceType.PAWN or promotes_early):
                        move = MoveOut(color, 1 << captured - 1, promoting, int(new))
                        found[move] = promoted.without(other, target)
        return found

    def _explosions(self) -> dict[MoveOut, Material]:
        """Return the material after each capture that explodes: it takes its own man off, too.

        Of what is `SPARED`, only the man that takes and the one that is taken can go.
        """
        men, found = self.men[2:], dict[MoveOut, Material]()
        for removed in range(1 << len(men)):
            gone = [one for n, one in enumerate(men) if removed >> n & 1]
            spared = [color for color, man in gone if man in SPARED]
            if {color for color, _ in gone} == {*Color} and len(spared) == len({*spared}):
                after = self
                for one in gone:
                    after = after.without(*one)
                found |= {MoveOut(color, removed): after for color in Color}
        return found


@lru_cache(maxsize=256)
def _keeping(kind: Kind, color: Color) -> frozenset[int]:
    """Return the symmetries that keep the moves of a kind of men of one side."""
    turned, kept = IDENTITY if color is Color.WHITE else FLIP, set(GROUPS[0])
    for own in (kind.steps, kind.quiet):
        steps = {_moved(step, turned) for step in own}
        kept -= {one for one in kept if {_moved(step, one) for step in steps} != steps}
    return frozenset(kept)


def _moved(step: Step, symmetry: int) -> Step:
    return Step(*transform_vector(symmetry, step[:2]), step.reach)


def _strength(men: Men) -> tuple[int, Men]:
    return len(men), men


def generation_order(materials: Iterable[Material]) -> list[Material]:
    """Return the closure of the given materials, dependencies first.

    >>> [material.name for material in generation_order([Material.from_name("KPK")])]
    ['KK', 'KBK', 'KNK', 'KQK', 'KRK', 'KPK']
    """
    return sorted(closure(materials), key=generation_key)


def closure(materials: Iterable[Material]) -> frozenset[Material]:
    """Return the given materials, normalized, and everything they can turn into."""
    found: set[Material] = set()
    waiting = [material.normalized() for material in materials]
    while waiting:
        material = waiting.pop()
        if material not in found:
            found.add(material)
            waiting.extend(material.dependencies())
    return frozenset(found)


def generation_key(material: Material) -> tuple[int, int, str]:
    """Return a key that sorts materials by men, then pawns, so that dependencies come first.

    A capture lowers the number of men, a promotion without one the number of pawns.
    """
    return material.piece_count, material.pawn_count, material.name


def all_materials(men: int, rules: Rules = CHESS) -> tuple[Material, ...]:
    """Return all normalized materials with exactly this many men, kings included."""
    kings = {PieceType.KING} if rules.royal else set()
    kinds = sorted(set(rules.letters.values()) - kings, reverse=True)
    left, least = (men - 2, 0) if rules.royal else (men, 1)
    most = left - least if rules.one_sided else left // 2
    found = {
        Material(white, black, rules)
        for weaker in range(least, most + 1)
        for white in combinations_with_replacement(kinds, left - weaker)
        for black in combinations_with_replacement(kinds, weaker)
    }
    return tuple(sorted({m.normalized() for m in found}, key=generation_key))
