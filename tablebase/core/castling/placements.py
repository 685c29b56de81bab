"""The men of positions with castling rights: which stand still, and all placements of the others.

As long as a right lasts, its king and its rook have not moved, and pawns never come back. So the
positions with the same men, rights and pawns are a *castling set*, and its *placements* are those
of the other men, between which quiet moves lead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import PAWN_SQUARES, SQUARES, Color, PieceType
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material

FREE = -1  # instead of a home
_KINGS = {Color.WHITE: chess.E1, Color.BLACK: chess.E8}
_ROOKS = {Color.WHITE: (chess.A1, chess.H1), Color.BLACK: (chess.A8, chess.H8)}

# Colour, kind, and the square on which it has to stand, or `FREE`.
Man = tuple[Color, PieceType, int]


@dataclass(frozen=True)
class CastlingSet:
    """All positions with the same men, castling rights and pawns."""

    material: Material  # of any colours
    # By man of ``material.men`` the square on which it stands still, as kings and rooks with rights
    # do, and pawns; `FREE` for the others. Of identical men, men with a home come first, by square.
    homes: tuple[int, ...]

    @cached_property
    def rights(self) -> tuple[int, ...]:
        """The rooks with rights, as numbers of ``material.men``."""
        kinds = [kind for _, kind in self.material.men]
        return tuple(
            number
            for number, (kind, home) in enumerate(zip(kinds, self.homes, strict=True))
            if kind is PieceType.ROOK and home != FREE
        )

    @cached_property
    def rooks(self) -> int:
        """The word of the squares of rooks with rights, as of ``chess.Board.castling_rights``."""
        return sum(1 << self.homes[number] for number in self.rights)

    @cached_property
    def free(self) -> tuple[int, ...]:
        """The men without a home, as numbers of ``material.men``."""
        return tuple(number for number, home in enumerate(self.homes) if home == FREE)

    @property
    def size(self) -> int:
        """The number of placements; those with two men on a square are among them."""
        return 1 << 6 * len(self.free)

    def slots(self, squares: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the numbers of placements, int64 [n], from squares of all men, uint8 [n, men]."""
        slots = np.zeros(len(squares), dtype=np.int64)
        for number in self.free:
            slots = slots * SQUARES + squares[:, number]
        return slots

    def squares(self, slot: int) -> list[int]:
        """Return the squares of all men in a placement."""
        squares = list(self.homes)
        for number in reversed(self.free):
            slot, squares[number] = divmod(slot, SQUARES)
        return squares

    def board(self, squares: Iterable[int], turn: chess.Color) -> chess.Board:
        """Return the board with a placement's squares."""
        board = board_of(self.material, list(squares), turn)
        board.castling_rights = self.rooks
        kings = {self.homes[number] for number in (0, 1)} - {FREE, *_KINGS.values()}
        corners = chess.BB_CORNERS
        board.chess960 = bool(kings or self.rooks & ~corners)
        return board


class Exit(NamedTuple):
    """A way out of a set, as a packed number has it: the same one for many nodes."""

    captured: int  # the man that is captured, -1 for none
    pawn: int  # the pawn that moves, -1 for none
    target: int  # where that pawn goes
    promotion: int  # what it becomes, 0 for none
    rights: int  # bits of the rights that are left, by number in ``CastlingSet.rights``

    @classmethod
    def unpacked(cls, number: int) -> Exit:
        """Return the way out of a number that `_packed` gives."""
        captured, pawn = (number & 7) - 1, (number >> 3 & 7) - 1
        return cls(captured, pawn, number >> 6 & 63, number >> 12 & 7, number >> 15)

    @property
    def is_zeroing(self) -> bool:
        """Whether it is a capture or a pawn move."""
        return self.captured >= 0 or self.pawn >= 0

    def after(self, placed: CastlingSet) -> tuple[CastlingSet, list[int]]:
        """Return the set that it leads to, perhaps without rights, and its men as numbers here."""
        kept = {number for bit, number in enumerate(placed.rights) if self.rights >> bit & 1}
        kept |= {int(placed.material.men[number][0]) for number in kept}  # their kings
        men: list[Man] = []
        numbers = [one for one in range(len(placed.homes)) if one != self.captured]
        for number in numbers:
            (color, kind), home = placed.material.men[number], placed.homes[number]
            if number == self.pawn:
                kind = PieceType(self.promotion) if self.promotion else kind
                home = FREE if self.promotion else self.target
            elif kind is not PieceType.PAWN and number not in kept:
                home = FREE
            men.append((color, kind, home))
        after, order = arranged_set(men)
        return after, [numbers[place] for place in order]


def castling_set_of(board: chess.Board, rights: int) -> CastlingSet:
    """Return the set of a board, given its rights as a word of rooks."""
    men: list[Man] = []
    for square, piece in board.piece_map().items():
        color = Color.WHITE if piece.color else Color.BLACK
        back_rank = chess.BB_BACKRANKS & (chess.BB_RANK_1 if piece.color else chess.BB_RANK_8)
        stands = (
            piece.piece_type == chess.PAWN
            or (piece.piece_type == chess.KING and rights & back_rank)
            or (piece.piece_type == chess.ROOK and rights >> square & 1)
        )
        men.append((color, PieceType(piece.piece_type), square if stands else FREE))
    return arranged_set(men)[0]


def arranged_set(men: list[Man]) -> tuple[CastlingSet, list[int]]:
    """Return the set of some men, and their numbers in the order of its material."""

    def key(number: int) -> tuple[bool, Color, int, int]:
        color, kind, home = men[number]
        return kind is not PieceType.KING, color, -kind, home if home != FREE else SQUARES

    order = sorted(range(len(men)), key=key)
    white, black = (
        tuple(men[i][1] for i in order if men[i][0] is color and men[i][1] is not PieceType.KING)
        for color in Color
    )
    return CastlingSet(Material(white, black), tuple(men[i][2] for i in order)), order


def castling_sets(material: Material) -> Iterator[CastlingSet]:
    """Yield all sets of a material whose kings and rooks stand as at the start of a game.

    Those with more rights come later, and of each with the same rights all placements of the pawns.
    """
    pawns = [PAWN_SQUARES if kind is PieceType.PAWN else (FREE,) for _, kind in material.men]
    for rooks in _rights(material):
        for homes in product(*pawns):
            stands = [max(both) for both in zip(homes, rooks, strict=True)]
            placed = [home for home in stands if home != FREE]
            if len(set(placed)) < len(placed):
                continue
            found = CastlingSet(material, tuple(stands))
            men = [(*man, home) for man, home in zip(material.men, stands, strict=True)]
            if arranged_set(men)[0] == found:  # else identical pawns stand the other way round
                yield found


def _rights(material: Material) -> Iterator[list[int]]:
    """Yield the homes of kings and rooks for all rights of both sides, but for none at all."""
    sides = []
    for color in Color:
        count = material.of(color).count(PieceType.ROOK)
        sides.append([one for n in range(count + 1) for one in combinations(_ROOKS[color], n)])
    for rights in product(*sides):
        if not any(rights):
            continue
        left = {color: list(own) for color, own in zip(Color, rights, strict=True)}
        homes = []
        for color, kind in material.men:
            home = FREE
            if kind is PieceType.KING and rights[color]:
                home = _KINGS[color]
            elif kind is PieceType.ROOK and left[color]:
                home = left[color].pop(0)
            homes.append(home)
        yield homes
