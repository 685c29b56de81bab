"""The proof that a side can never mate: where each man can ever get under the walls that stand.

The squares of all men are the least fixed point of their moves: a man that has never moved and that
nobody can take is a wall, and every other square may be empty or taken at some time. So each man
gets at least the squares that it gets in any game, and what is impossible even then is impossible.
"""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import BB_ALL, BB_EMPTY, BB_KING_ATTACKS, BB_KNIGHT_ATTACKS, BB_PAWN_ATTACKS, BB_SQUARES

_LAST_RANKS = chess.BB_RANK_1 | chess.BB_RANK_8
_PROMOTED = chess.KING + 1  # a pawn that has become any piece
_TRIES = 500  # to fit men to the squares around a king, before a mate counts as possible


class _Man:
    """A man, and the squares that it may ever stand on, as it is and once it is promoted."""

    def __init__(self, square: chess.Square, piece: chess.Piece) -> None:
        self.square, self.kind, self.color = square, piece.piece_type, piece.color
        self.squares, self.promoted = BB_SQUARES[square], BB_EMPTY
        self.is_taken = False  # or may be

    @property
    def everywhere(self) -> chess.Bitboard:
        """All squares that it may ever stand on."""
        return self.squares | self.promoted

    @property
    def is_wall(self) -> bool:
        """Whether it stays where it is."""
        return not self.is_taken and self.everywhere == BB_SQUARES[self.square]

    def views(self, walls: chess.Bitboard) -> Iterator[tuple[chess.Square, int, chess.Bitboard]]:
        """Yield the squares that it may stand on, its kind there, and what it then attacks."""
        for kind, squares in ((self.kind, self.squares), (_PROMOTED, self.promoted)):
            for square in chess.scan_forward(squares):
                yield square, kind, _attacks(kind, self.color, square, walls)


def _attacks(
    kind: int, color: chess.Color, square: chess.Square, walls: chess.Bitboard
) -> chess.Bitboard:
    """Return the squares that a man attacks if walls alone stop it, those walls included."""
    if kind == chess.PAWN:
        return BB_PAWN_ATTACKS[color][square]
    if kind == chess.KING:
        return BB_KING_ATTACKS[square]
    found = BB_KNIGHT_ATTACKS[square] if kind in {chess.KNIGHT, _PROMOTED} else BB_EMPTY
    if kind in {chess.BISHOP, chess.QUEEN, _PROMOTED}:
        found |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & walls]
    if kind in {chess.ROOK, chess.QUEEN, _PROMOTED}:
        found |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & walls]
        found |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & walls]
    return found


class Walls:
    """The squares that the men of a position can ever reach.

    Parameters
    ----------
    board
        A legal position of chess. Castling leads men nowhere else, but rights of Chess960 do.
    """

    def __init__(self, board: chess.Board) -> None:
        self._men = [_Man(square, piece) for square, piece in board.piece_map().items()]
        self._ep_square = BB_EMPTY
        if board.ep_square is not None:
            self._ep_square = BB_SQUARES[board.ep_square]
            behind = board.ep_square + (-8 if board.turn else 8)
            for man in self._men:
                man.is_taken = man.square == behind
        while self._spread():
            pass

    def _spread(self) -> bool:
        """Let all men make each move that they can; return whether anything has changed."""
        before = [(man.squares, man.promoted, man.is_taken) for man in self._men]
        walls, targets, held = [BB_EMPTY] * 2, [self._ep_square] * 2, [BB_EMPTY] * 2
        for man in self._men:
            if man.kind != chess.KING:
                targets[man.color] |= man.everywhere
            if man.is_wall:  # then it also attacks the same squares for ever
                walls[man.color] |= BB_SQUARES[man.square]
                held[man.color] |= _attacks(man.kind, man.color, man.square, BB_ALL)
        self._walls = walls[False] | walls[True]
        reached = [BB_EMPTY] * 2
        for man in self._men:
            quiet = taking = BB_EMPTY
            for square, kind, attacked in man.views(self._walls):
                if kind == chess.PAWN:
                    quiet |= self._pushes(man, square) | attacked & targets[not man.color]
                else:
                    taking |= attacked
            if man.kind == chess.KING:
                taking &= ~held[not man.color]
            found = (quiet | taking) & ~walls[man.color]
            reached[man.color] |= found
            if man.kind == chess.PAWN:
                man.squares |= quiet & ~walls[man.color] & ~_LAST_RANKS
                man.promoted |= (taking | quiet & _LAST_RANKS) & ~walls[man.color]
            else:
                man.squares |= found
        for man in self._men:
            if man.kind != chess.KING and reached[not man.color] & BB_SQUARES[man.square]:
                man.is_taken = True
        return before != [(man.squares, man.promoted, man.is_taken) for man in self._men]

    def _pushes(self, man: _Man, square: chess.Square) -> chess.Bitboard:
        """Return the squares that a pawn can reach straight on."""
        step, home = (8, 1) if man.color else (-8, 6)
        ahead = BB_SQUARES[square + step]
        if self._walls & ahead:
            return BB_EMPTY
        if chess.square_rank(square) == home:
            ahead |= BB_SQUARES[square + 2 * step] & ~self._walls
        return ahead

    def can_mate(self, color: chess.Color) -> bool:
        """Return whether a mate by a colour fits the squares that the men can reach."""
        loser, king = (
            next(man for man in self._men if man.kind == chess.KING and man.color == one)
            for one in (not color, color)
        )
        return any(
            self._fits(mated, king.squares, color) for mated in chess.scan_forward(loser.squares)
        )

    def _fits(self, mated: chess.Square, places: chess.Bitboard, color: chess.Color) -> bool:
        """Return whether a king may be mated on a square, the other being on some of its places."""
        ring = BB_KING_ATTACKS[mated]
        seen = ring | BB_SQUARES[mated]
        views: list[list[chess.Bitboard]] = []
        blocks = []
        for man in self._men:
            if man.kind == chess.KING:
                continue
            if man.color == color:
                sights = {sight & seen for at, _, sight in man.views(self._walls) if at != mated}
                if sights - {BB_EMPTY}:
                    views.append(_largest(sights))
            elif man.everywhere & ring:
                blocks.append(man.everywhere & ring)
        held = _union(sight for sights in views for sight in sights)
        if not held & BB_SQUARES[mated]:
            return False
        lefts = {ring & ~BB_KING_ATTACKS[at] for at in chess.scan_forward(places & ~seen)}
        return any(
            not left & ~held & ~_union(blocks)
            and _Cover(mated).fits(left | BB_SQUARES[mated], views, blocks)
            for left in lefts
        )


def _union(some: Iterator[chess.Bitboard] | list[chess.Bitboard]) -> chess.Bitboard:
    found = BB_EMPTY
    for one in some:
        found |= one
    return found


def _largest(some: set[chess.Bitboard]) -> list[chess.Bitboard]:
    """Return the sets of squares that no other contains, the largest first."""
    kept: list[chess.Bitboard] = []
    for one in sorted(some, key=chess.popcount, reverse=True):
        if all(one & ~other for other in kept):
            kept.append(one)
    return kept


class _Cover:
    """Tries to hold all squares around a king: each man attacks from one place, or blocks one."""

    def __init__(self, mated: chess.Square) -> None:
        self._mated, self._tries = BB_SQUARES[mated], _TRIES

    def fits(
        self, left: chess.Bitboard, views: list[list[chess.Bitboard]], blocks: list[chess.Bitboard]
    ) -> bool:
        """Return whether it may be done; after too many tries it may."""
        self._tries -= 1
        if not left or self._tries < 0:
            return True
        first = left & self._mated or left & -left
        for i, sights in enumerate(views):
            rest = views[:i] + views[i + 1 :]
            if any(one & first and self.fits(left & ~one, rest, blocks) for one in sights):
                return True
        return first != self._mated and any(
            one & first and self.fits(left & ~first, views, blocks[:i] + blocks[i + 1 :])
            for i, one in enumerate(blocks)
        )
