"""Positions to ask a prober about: random ones, and kinds where probers tend to be wrong.

No table is needed, so materials may have any number of men.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import chess
import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.rules.material import Material

RANDOM, CASTLING = "random", "castling"
# Random placements tried for each position wanted: some materials have no stalemate at all.
TRIES_FOR_ONE = 100
_COLORS = {Color.WHITE: chess.WHITE, Color.BLACK: chess.BLACK}

Random = np.random.Generator
Placement = dict[chess.Square, chess.Piece]


class Chosen(NamedTuple):
    """A position to ask about."""

    kind: str  # a key of `EDGES`, `CASTLING` or `RANDOM`
    board: chess.Board  # with the clock at 0


class Edge(NamedTuple):
    """A kind of positions where probers tend to be wrong."""

    is_met: Callable[[chess.Board], bool]  # whether a legal position is of the kind
    # places some men, own and the other's, so that the kind is likely
    place: Callable[[Random, list[chess.Piece], chess.Color], Placement]


# Where men are placed first


def _nowhere(rng: Random, men: list[chess.Piece], turn: chess.Color) -> Placement:
    del rng, men, turn
    return {}


def _before_promotion(rng: Random, men: list[chess.Piece], turn: chess.Color) -> Placement:
    """Place a pawn of the side to move on its seventh rank."""
    pawn = chess.Piece(chess.PAWN, turn)
    if pawn not in men:
        return {}
    return {chess.square(int(rng.integers(8)), 6 if turn == chess.WHITE else 1): pawn}


def _pawns_in_passing(rng: Random, men: list[chess.Piece], turn: chess.Color) -> Placement:
    """Place a pawn of the side to move beside a pawn that may just have been pushed."""
    pawn, pushed = chess.Piece(chess.PAWN, turn), chess.Piece(chess.PAWN, not turn)
    if pawn not in men or pushed not in men:
        return {}
    file, rank = int(rng.integers(7)), 4 if turn == chess.WHITE else 3
    squares = [chess.square(file, rank), chess.square(file + 1, rank)]
    return dict(zip(rng.permutation(squares).tolist(), (pawn, pushed), strict=True))


def _king_on_the_edge(rng: Random, men: list[chess.Piece], turn: chess.Color) -> Placement:
    """Place the king of the side to move on the edge or in a corner, the other king near it."""
    file, rank = int(rng.integers(8)), int(rng.choice([0, 7]))
    if rng.integers(2):
        file = int(rng.choice([0, 7]))
    square = chess.square(file, rank)
    square = square if rng.integers(2) else chess.square(rank, file)
    near = [other for other in chess.SQUARES if chess.square_distance(square, other) == 2]
    kings = [chess.Piece(chess.KING, color) for color in (turn, not turn)]
    del men
    return dict(zip((square, int(rng.choice(near))), kings, strict=True))


def _promotes(board: chess.Board) -> bool:
    return any(move.promotion for move in board.legal_moves)


EDGES = {
    "capture": Edge(lambda board: any(board.generate_legal_captures()), _nowhere),
    "promotion": Edge(_promotes, _before_promotion),
    "en passant": Edge(lambda board: board.has_legal_en_passant(), _pawns_in_passing),
    "check": Edge(lambda board: board.is_check(), _nowhere),
    "checkmate": Edge(lambda board: board.is_checkmate(), _king_on_the_edge),
    "stalemate": Edge(lambda board: board.is_stalemate(), _king_on_the_edge),
}


def choose_positions(
    material: Material, sample: int, rng: Random, board_type: type[chess.Board] = chess.Board
) -> Iterator[Chosen]:
    """Yield random legal positions of a material, about half of them of the kinds of `EDGES`.

    In half of them the colours are exchanged. Fewer than `sample` come if some kind is rare.

    >>> from tablebase.core.rules.material import Material
    >>> rng = np.random.default_rng(1)
    >>> chosen = list(choose_positions(Material.from_name("KRK"), 40, rng))
    >>> sorted({one.kind for one in chosen})
    ['capture', 'check', 'checkmate', 'random', 'stalemate']
    """
    quota = sample // 2 // len(EDGES)
    found = 0
    for kind, edge in EDGES.items():
        boards = _boards(material, quota * TRIES_FOR_ONE, rng, board_type, edge.place)
        for board in islice(filter(edge.is_met, boards), quota):
            found += 1
            yield Chosen(kind, board)
    boards = _boards(material, max(sample, 100) * TRIES_FOR_ONE, rng, board_type, _nowhere)
    for board in islice(boards, sample - found):
        yield Chosen(RANDOM, board)


def _boards(
    material: Material,
    tries: int,
    rng: Random,
    board_type: type[chess.Board],
    place: Callable[[Random, list[chess.Piece], chess.Color], Placement],
) -> Iterator[chess.Board]:
    """Yield the legal boards among random positions, with men that a function places first."""
    for _ in range(tries):
        men = [chess.Piece(kind, _COLORS[color]) for color, kind in material.men]
        if rng.integers(2):
            men = [chess.Piece(man.piece_type, not man.color) for man in men]
        turn = bool(rng.integers(2))
        placed = place(rng, men, turn)
        for man in placed.values():
            men.remove(man)
        empty = iter(one for one in rng.permutation(64).tolist() if one not in placed)
        board = board_type(None)
        board.set_piece_map(placed | dict(zip(empty, men, strict=False)))
        board.turn = turn
        if place is _pawns_in_passing:
            board.ep_square = next(filter(_is_passed(board), chess.SQUARES), None)
        if place is _at_home:
            board.castling_rights = chess.BB_CORNERS
            board.castling_rights = board.clean_castling_rights()
        if _is_legal(board):
            yield board


def _is_legal(board: chess.Board) -> bool:
    # Boards of some variants call a position valid in which a king can be taken.
    return board.is_valid() and not board.was_into_check()


def _is_passed(board: chess.Board) -> Callable[[chess.Square], bool]:
    def may_be_ep_square(square: chess.Square) -> bool:
        board.ep_square = square
        return board.has_legal_en_passant() and _is_legal(board)

    return may_be_ep_square


def _at_home(rng: Random, men: list[chess.Piece], turn: chess.Color) -> Placement:
    """Place the king and a rook of a side where they stand at the start of a game."""
    del turn
    rooks = [man for man in men if man.piece_type == chess.ROOK]
    if not rooks:
        return {}
    rook = rooks[int(rng.integers(len(rooks)))]
    rank = 0 if rook.color else 7
    corner = chess.square(int(rng.choice([0, 7])), rank)
    return {chess.square(4, rank): chess.Piece(chess.KING, rook.color), corner: rook}


def castling_positions(
    material: Material, count: int, rng: Random, board_type: type[chess.Board] = chess.Board
) -> Iterator[Chosen]:
    """Yield random legal positions of a material with castling rights, none without a rook."""
    boards = _boards(material, count * TRIES_FOR_ONE, rng, board_type, _at_home)
    for board in islice((one for one in boards if one.castling_rights), count):
        yield Chosen(CASTLING, board)
